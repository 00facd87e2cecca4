"""Presets on disk: TOML files in ``referee/presets`` or the user's own, each possibly resting on a base.

A preset file is flat: ``base = "international"`` and one ``key = value`` a switch (``referee.ruleset.SWITCHES``).
Every error is a ``RuleSetError`` of one sentence that names the file, the key and the allowed values.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from referee.ruleset import RuleSet, RuleSetError, check_switch, ruleset_from

DEFAULT_PRESET = "international"
PRESET_FOLDER = Path(__file__).parent / "presets"
LARGEST_FILE = 1_000_000
"""Bytes; the longest preset that comes with the program has less than 10 000."""


def preset_names() -> tuple[str, ...]:
    """The names of the presets that come with the program, in alphabetical order."""
    return tuple(sorted(path.stem for path in PRESET_FOLDER.glob("*.toml")))


def load_ruleset(name_or_path: str = DEFAULT_PRESET) -> RuleSet:
    """Load a preset by its name, or a user's preset by the path of its ``.toml`` file.

    A text that ends in ``.toml`` is a path; anything else is a name.  A user's file may rest on a preset by name or
    on another file by a path relative to its own folder.

    Raises ``RuleSetError`` for an unknown preset, an unreadable or broken file, an unknown or missing key, a value
    out of range, and files that rest on each other in a circle.
    """
    path = _locate(name_or_path, Path())
    with _naming(path):
        return ruleset_from(path.stem, _values(path, ()))


def _locate(name_or_path: str, folder: Path) -> Path:
    """The file of a preset; a relative path starts at ``folder``."""
    if name_or_path.lower().endswith(".toml"):
        return folder / name_or_path
    if name_or_path not in preset_names():
        known = ", ".join(preset_names())
        raise RuleSetError(f"{name_or_path!r} is not a preset: expected one of {known}, or the path of a .toml file")
    return PRESET_FOLDER / f"{name_or_path}.toml"


def _values(path: Path, above: tuple[Path, ...]) -> Mapping[str, object]:
    """All values of a preset, its base's included; ``above`` are the files that rest on this one."""
    own = _read(path)
    here = Path(os.path.realpath(path))  # resolve() would raise on links that lead in a circle
    if here in above:
        raise RuleSetError(f"base leads back to {path.name}: expected a preset that does not rest on this one")
    base = own.pop("base", None)
    for key, value in own.items():
        check_switch(key, value)
    if base is None:
        return own
    if not isinstance(base, str):
        raise RuleSetError(f"base = {base!r} is not allowed: expected a preset's name, or the path of a .toml file")
    try:
        located = _locate(base, path.parent)
    except RuleSetError as error:
        raise RuleSetError(f"base: {error}") from None
    if not located.exists():
        raise RuleSetError(f"base = {base!r} is not there: expected a preset's name, or the path of a .toml file")
    with _naming(located):
        return {**_values(located, (*above, here)), **own}


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the file's name before the message of a ``RuleSetError`` that does not name a file yet."""
    try:
        yield
    except _InFileError:
        raise
    except RuleSetError as error:
        raise _InFileError(f"{path.name}: {error}") from None


class _InFileError(RuleSetError):
    """A ``RuleSetError`` that names its file already."""


def _read(path: Path) -> dict[str, object]:
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise RuleSetError("it is no ordinary file")  # a pipe would be waited for
        if path.is_file() and path.stat().st_size > LARGEST_FILE:
            raise RuleSetError(f"the file is no preset: it is larger than {LARGEST_FILE // 1_000_000} MB")
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # Windows' editor puts a mark before the text
    except RuleSetError:
        raise
    except UnicodeDecodeError:
        raise RuleSetError("the file is no text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise RuleSetError(f"the file is no valid TOML: {error}") from None
    except RecursionError:
        raise RuleSetError("the file is no preset: its brackets are nested too deep") from None
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise RuleSetError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
