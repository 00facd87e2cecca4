"""Where disputes are kept: a folder each, its name the key of its link.

``case.json`` is the case, ``picture.jpg`` the picture that is kept, ``upload`` the photo until it was looked at.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from web.disputes.case import Case
from web.disputes.case_file import CaseError, case_of, case_text
from web.files import write_whole

KEY = re.compile(r"[A-Za-z0-9_-]{20,40}")
CASE, PICTURE, UPLOAD = "case.json", "picture.jpg", "upload"
DAY_S = 86400.0
KEPT_DAYS = 30.0
"""How long a dispute is kept: until after the club's next evening, and no archive of other people's tables."""
MOST_KEPT = 500
"""With more of them the oldest go first; half a gigabyte or so."""


class NoCaseError(KeyError):
    """There is no such dispute, or no longer."""


class DisputeShelf:
    """The disputes of this computer.  Its methods raise ``OSError`` where the disk does."""

    def __init__(self, root: Path, days: float = KEPT_DAYS, most: int = MOST_KEPT) -> None:
        self._root = root
        self.days = days
        self._most = most

    def folder(self, key: str) -> Path:
        """The folder of a dispute.  Raises ``NoCaseError`` for what is no key, so that no path leads elsewhere."""
        if not KEY.fullmatch(key):
            raise NoCaseError(key)
        return self._root / key

    def make(self, key: str) -> Path:
        """The folder of a new dispute."""
        folder = self.folder(key)
        folder.mkdir(parents=True)
        return folder

    def load(self, key: str) -> Case:
        """A dispute as it was kept.  Raises ``NoCaseError``, also where its file is damaged."""
        try:
            return case_of((self.folder(key) / CASE).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, CaseError) as error:
            raise NoCaseError(key) from error

    def keep(self, case: Case) -> None:
        """Write a dispute, whole or not at all.  Raises ``NoCaseError`` where it was let go meanwhile."""
        try:
            write_whole(self.folder(case.key) / CASE, case_text(case).encode())
        except FileNotFoundError as error:
            raise NoCaseError(case.key) from error

    def drop(self, key: str) -> None:
        """Let go of a dispute."""
        shutil.rmtree(self.folder(key), ignore_errors=True)

    def cases(self) -> Iterator[Case]:
        """All that are kept and can be read."""
        try:
            names = [path.name for path in self._root.iterdir()]
        except FileNotFoundError:
            return
        for name in sorted(names):
            try:
                yield self.load(name)
            except NoCaseError:
                continue

    def let_go(self, clock: Callable[[], float]) -> int:
        """Let go of what is too old, and of the oldest where there are too many; how many went."""
        kept = sorted((self._written(path), path.name) for path in self._folders())
        too_many = max(0, len(kept) - self._most)
        since = clock() - self.days * DAY_S
        gone = [name for place, (at, name) in enumerate(kept) if place < too_many or at < since]
        for name in gone:
            self.drop(name)
        return len(gone)

    def _folders(self) -> list[Path]:
        try:
            return [path for path in self._root.iterdir() if path.is_dir() and KEY.fullmatch(path.name)]
        except FileNotFoundError:
            return []

    def _written(self, folder: Path) -> float:
        """When a dispute was made; for one that cannot be read, when its folder was last changed."""
        try:
            return self.load(folder.name).at
        except NoCaseError:
            pass
        try:
            return folder.stat().st_mtime
        except FileNotFoundError:  # somebody else has let go of it meanwhile
            return 0.0
