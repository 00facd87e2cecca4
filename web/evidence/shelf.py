"""Where evidence lies: a folder a game, or a zip file of one.  Both hold the same files under the same names.

``records/000001.json`` and so on, ``pictures/SHA256.jpg``, ``head.json`` (where the chain ends).  In a folder
``pending.json`` names what is being written just now; in a zip file ``log.jsonl``, ``rulings.txt`` and ``README.txt``
lie beside them.
"""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from referee.told import TellingError
from web.files import DRAFT_PREFIX, DRAFT_SUFFIX, cause

HEAD, PENDING, LOG, RULINGS, README = "head.json", "pending.json", "log.jsonl", "rulings.txt", "README.txt"
RECORDS, PICTURES = "records", "pictures"
RECORD_NAME = re.compile(r"records/(\d{6,9})\.json")
PICTURE_NAME = re.compile(r"pictures/([0-9a-f]{64})\.jpg")
LARGEST_RECORD = 16_000_000
"""Bytes; a record of a full table takes some ten thousand."""
LARGEST_PICTURE = 512_000_000
MOST_FILES = 1_000_000
_PLAIN = re.compile(r"[^A-Za-z0-9]+")


class ShelfError(TellingError):
    """Evidence cannot be read; one sentence."""


class Shelf(Protocol):
    """Files of evidence under their names; ``name`` is what a sentence calls it."""

    @property
    def name(self) -> str: ...

    def files(self) -> tuple[str, ...]:
        """The names of all files, in alphabetical order; one that is there twice is named twice."""

    def read(self, file: str) -> bytes:
        """The bytes of a file.  Raises ``FileNotFoundError``, and ``ShelfError`` where it cannot be read."""


def record_file(number: int) -> str:
    """The file of the record of a number."""
    return f"{RECORDS}/{number:06}.json"


def picture_file(digest: str) -> str:
    """The file of the picture whose SHA-256 is ``digest``."""
    return f"{PICTURES}/{digest}.jpg"


def folder_name(game: str) -> str:
    """The folder of a game, whatever its name: nothing in it leads elsewhere, no two games share one."""
    digest = hashlib.sha256(game.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{_PLAIN.sub('-', game).strip('-').lower()[:40] or 'game'}-{digest[:16]}"


def is_draft(file: str) -> bool:
    """Whether a file was left half written by a crash."""
    last = file.rpartition("/")[2]
    return last.startswith(DRAFT_PREFIX) and last.endswith(DRAFT_SUFFIX)


class FolderShelf:
    """The evidence of one game in a folder, which need not exist yet."""

    def __init__(self, folder: Path, game: str) -> None:
        self.folder = folder
        self.game = game

    @property
    def name(self) -> str:
        return str(self.folder)

    def files(self) -> tuple[str, ...]:
        with self._reading():
            if not self.folder.exists():
                return ()
            found = [path for path in self.folder.rglob("*") if not path.is_dir()]
        return tuple(sorted(path.relative_to(self.folder).as_posix() for path in found))

    def read(self, file: str) -> bytes:
        path = self.folder / file
        with self._reading():
            if not stat.S_ISREG(path.stat().st_mode):  # asked once: it may be gone the next moment
                raise ShelfError("{path} is no ordinary file.", path=str(path))  # a pipe would be waited for
            return path.read_bytes()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            raise ShelfError("{path} cannot be read: {cause}.", path=str(self.folder), cause=cause(error)) from error


class ZipShelf:
    """The evidence of one game in a zip file.  Nothing is ever unpacked to a disk."""

    def __init__(self, path: Path) -> None:
        """Open it.  Raises ``ShelfError``."""
        self.path = path
        with self._reading():
            self._zip = zipfile.ZipFile(path)
        if len(self._zip.infolist()) > MOST_FILES:
            raise ShelfError("{path} holds more than {most} files, which no game has.", path=str(path), most=MOST_FILES)

    @property
    def name(self) -> str:
        return str(self.path)

    def close(self) -> None:
        """Give the file back."""
        self._zip.close()

    def files(self) -> tuple[str, ...]:
        return tuple(sorted(one.filename for one in self._zip.infolist()))

    def read(self, file: str) -> bytes:
        most = LARGEST_PICTURE if PICTURE_NAME.fullmatch(file) else LARGEST_RECORD
        with self._reading():
            try:
                entry = self._zip.getinfo(file)
            except KeyError:
                raise FileNotFoundError(file) from None
            with self._zip.open(entry) as opened:
                data = opened.read(most + 1)
        if len(data) > most:
            raise ShelfError(
                "{path} cannot be used: {file} is larger than any evidence.", path=str(self.path), file=file
            )
        return data

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            if error.filename is None:  # one of its files, not itself
                raise
            raise ShelfError("{path} does not exist.", path=str(self.path)) from error
        except OSError as error:
            raise ShelfError("{path} cannot be read: {cause}.", path=str(self.path), cause=cause(error)) from error
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
            # broken, encrypted, packed in a way that this Python does not know
            if not str(error):
                raise ShelfError("{path} cannot be used: it ends too early.", path=str(self.path)) from error
            raise ShelfError("{path} cannot be used: {cause}.", path=str(self.path), cause=str(error)) from error
