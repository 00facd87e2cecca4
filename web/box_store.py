"""The boxes that were taught on this computer: one file each, in the user's data folder.

``TILEREF_HOME`` names another folder.  Every trouble is a ``BoxStoreError`` of one sentence.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from web.files import cause, write_whole
from web.home import HomeError, data_home

if TYPE_CHECKING:
    from vision.taught.box import TaughtBox

SUFFIX = ".tilebox"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_RESERVED = re.compile(r"(?i:con|prn|aux|nul|com\d|lpt\d)")
"""Names of devices, which some systems give to no file."""


class BoxStoreError(ValueError):
    """A box cannot be named, found, read or written; the text is one sentence."""


def boxes_folder() -> Path:
    """Where the boxes live; it need not exist yet."""
    try:
        return data_home() / "boxes"
    except HomeError as error:
        raise BoxStoreError(str(error)) from error


def check_name(name: str) -> str:
    """The name of a box, if it may be one.  Raises ``BoxStoreError``."""
    if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
        raise BoxStoreError(
            f"{name!r} cannot be the name of a box: it takes letters, digits, - and _, at most 64, and begins with a"
            " letter or digit."
        )
    return name


def path_of(name: str) -> Path:
    """The file of a box of this name, whether it exists or not."""
    return boxes_folder() / f"{check_name(name)}{SUFFIX}"


def names() -> tuple[str, ...]:
    """The boxes at hand, by name."""
    try:
        files = [entry for entry in boxes_folder().iterdir() if entry.suffix == SUFFIX and entry.is_file()]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BoxStoreError(f"{boxes_folder()} cannot be opened: {cause(error)}.") from error
    return tuple(sorted(entry.stem for entry in files if _NAME.fullmatch(entry.stem)))


def located(asked: str) -> Path:
    """The file that a name or a path means: what looks like a path is one."""
    path = Path(asked)
    if asked.endswith(SUFFIX) or "/" in asked or os.sep in asked:
        return path
    return path_of(asked)


def load(asked: str) -> TaughtBox:
    """The box of a name, or of a file named by its path."""
    path = located(asked)
    return read(path, f"No box is called {asked}: tileref box list names those at hand.")


def read(path: Path, absent: str | None = None) -> TaughtBox:
    """The box in a file; ``absent`` is what to say where there is none."""
    from vision.taught.box_file import LARGEST_FILE, BoxFileError, from_bytes  # noqa: PLC0415  numpy and OpenCV

    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        return from_bytes(data)
    except FileNotFoundError as error:
        by_name = absent is not None and path.parent == boxes_folder()
        raise BoxStoreError(absent if by_name and absent else f"{path} does not exist.") from error
    except BoxFileError as error:
        raise BoxStoreError(f"{path} cannot be used. {error}") from error
    except (OSError, ValueError) as error:
        raise BoxStoreError(f"{path} cannot be read: {cause(error)}.") from error


def check_free(name: str, *, replacing: bool) -> None:
    """Refuse a name that is taken, unless its box is to be replaced."""
    if path_of(name).exists() and not replacing:
        raise BoxStoreError(f"There is a box called {name} already: choose another name, or add --replace.")


def save(box: TaughtBox, *, replacing: bool) -> Path:
    """Keep a box under its name; returns the file."""
    from vision.taught.box_file import to_bytes  # noqa: PLC0415

    check_free(box.name, replacing=replacing)
    path = path_of(box.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BoxStoreError(f"{path.parent} cannot be made: {cause(error)}.") from error
    _write(path, to_bytes(box))
    return path


def export(name: str, file: Path, *, replacing: bool) -> Path:
    """Copy a box into a file of its own; into a folder under its own name."""
    box = load(name)
    from vision.taught.box_file import to_bytes  # noqa: PLC0415

    target = file / f"{name}{SUFFIX}" if file.is_dir() else file
    if target.exists() and not replacing:
        raise BoxStoreError(f"{target} exists already: choose another file, or add --replace.")
    _write(target, to_bytes(box))
    return target


def take_in(file: Path, name: str | None, *, replacing: bool) -> Path:
    """Keep the box in a file, under its own name or another one."""
    box = read(file)
    return save(replace(box, name=check_name(name or box.name)), replacing=replacing)


def remove(name: str) -> None:
    """Forget a box."""
    try:
        path_of(name).unlink()
    except FileNotFoundError as error:
        raise BoxStoreError(f"No box is called {name}: tileref box list names those at hand.") from error
    except OSError as error:
        raise BoxStoreError(f"{path_of(name)} cannot be removed: {cause(error)}.") from error


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except (OSError, ValueError) as error:
        raise BoxStoreError(f"{path} cannot be written: {cause(error)}.") from error
