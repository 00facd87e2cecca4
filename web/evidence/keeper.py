"""Keeps the evidence of one game in its folder, a record a file.

The order of writing makes every moment a good one for a crash: ``pending.json`` names what comes, then the pictures are
written under their hashes, then the record, which alone makes them count, then ``head.json``.  Where the disk takes no
more the game goes on: the record is kept without its pictures, or what was not kept is named in the next record.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from referee.chain import BEGINNING, ChainError, Link, Record, link_of, opened, sealed
from referee.game.codec import LogError, encode
from referee.game.events import Event
from referee.game.state import State, replay
from referee.store import Store, StoreError
from referee.told import NOTHING, Told, telling
from web.evidence.picture import Picture, PictureError, picture_of
from web.evidence.record import RecordError, fields_of, log_of, seen_fields
from web.evidence.shelf import (
    HEAD,
    PENDING,
    PICTURES,
    RECORD_NAME,
    RECORDS,
    FolderShelf,
    ShelfError,
    folder_name,
    is_draft,
    picture_file,
    record_file,
)
from web.evidence.turn import Occasion, TurnEvidence
from web.files import cause, settle_folder, write_durable
from web.output import print_trouble
from web.report_json import Json

OLD_DRAFT_S = 3600.0
"""A draft that has lain for an hour is nobody's any more."""
MOST_TRIES = 5


class EvidenceKeeper:
    """Keeps what a live table hands over.  Trouble is said once and never raised, and the game goes on.

    ``store`` holds the game's log, which each record takes over from where the one before ended; without it a record
    holds its own events alone.  ``clock`` gives seconds since the epoch.
    """

    def __init__(
        self,
        root: Path,
        game: str,
        store: Store | None = None,
        clock: Callable[[], float] = time.time,
        say: Callable[[Told], None] = lambda told: print_trouble(str(told)),
    ) -> None:
        self.folder = root / folder_name(game)
        self._game = game
        self._store = store
        self._clock = clock
        self._say = say
        self._said = NOTHING
        self._gaps: list[Json] = []
        self._gaps_lock = Lock()
        self._last: Link | None = None
        self._state: State | None = State()
        self._covered = 0

    def keep(self, record: TurnEvidence) -> None:
        """Keep this; where that cannot be done, say why, and name it in the next record."""
        try:
            self._keep(record)
        except (OSError, ShelfError, ValueError, MemoryError) as error:
            why = cause(error) if isinstance(error, OSError | ValueError) else str(error) or "no memory left"
            self.miss(record, why)

    def miss(self, record: TurnEvidence, why: str) -> None:
        """Say that this is not kept, and name it in the next record; any thread may call this."""
        gap = {"version": record.version, "events": len(record.events), "occasion": record.occasion.value}
        with self._gaps_lock:
            self._gaps.append({**gap, "why": why})
        self._trouble(
            telling("The evidence of a turn cannot be kept: {why}; the game goes on without it.", why=why.rstrip("."))
        )

    def seal(self) -> str:
        """The hash of the last record; empty where there is none yet."""
        return self._last.hash if self._last is not None and self._last.number else ""

    def let_go(self, pictures: Sequence[str], why: str) -> None:
        """Delete pictures, by their SHA-256; the chain keeps their hashes and says since when they are gone.

        Raises ``OSError`` and ``ShelfError``.
        """
        self._begin()
        write_durable(self._pending, _pending_text(self._tail.number + 1, {}), replacing=True)
        told = {"game": self._game, "occasion": Occasion.RETENTION.value, "removed": list(pictures), "why": why}
        self._append({"format": 1, **told, "version": self._covered, "events": 0, "log": []})
        for digest in pictures:
            (self.folder / picture_file(digest)).unlink(missing_ok=True)

    def _keep(self, evidence: TurnEvidence) -> None:
        if evidence.game != self._game:
            raise ValueError(f"it is of the game {evidence.game!r}, not of {self._game!r}")
        self._begin()
        log, before = self._log_until(evidence)
        fields = fields_of(evidence, before)
        pictures, failed = _taken(evidence)
        told: dict[str, Json] = {}
        write_durable(self._pending, _pending_text(self._tail.number + 1, pictures), replacing=True)
        written: list[Path] = []
        full = ""
        for name, shot in evidence.pictures.items():
            picture = pictures.get(name)
            told[name] = picture.fields(shot) if picture else _lost(failed[name])
            told[name]["seen"] = seen_fields(shot.seen, evidence.ruleset)
            if picture is None:
                continue
            try:
                if full:
                    raise OSError(full)
                written += self._write_picture(picture)
            except OSError as error:
                full = cause(error)
                told[name] |= {"kept": False, "why": full}
        if full or failed:
            why = full or next(iter(failed.values()))
            self._trouble(
                telling("A picture of the evidence cannot be kept: {why}; the game goes on without it.", why=why)
            )
        with self._gaps_lock:
            gaps = tuple(self._gaps)
        try:
            if written:
                settle_folder(self.folder / PICTURES)
            self._append({**fields, "log": [encode(event) for event in log], "pictures": told, "gaps": gaps})
        except OSError:
            for path in written:  # nothing refers to them, and they take the room that is wanting
                path.unlink(missing_ok=True)
            raise
        if not (full or failed):
            self._said = NOTHING
        with self._gaps_lock:
            self._gaps = self._gaps[len(gaps) :]
        self._covered = max(evidence.version, self._covered)
        self._state = None if before is None else _folded(evidence.events, before)

    @property
    def _tail(self) -> Link:
        return self._last or Link()

    @property
    def _pending(self) -> Path:
        return self.folder / PENDING

    def _begin(self) -> None:
        """Make the folders, and find out where the chain ends."""
        if self._last is not None:
            return
        for part in (PICTURES, RECORDS):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        self._sweep()
        self._find_tail()

    def _find_tail(self) -> None:
        """Read where the chain ends, what its log covers and how the game then stood."""
        shelf = FolderShelf(self.folder, self._game)
        records = sorted(file for file in shelf.files() if RECORD_NAME.fullmatch(file))
        if not records:
            head = _head_of(shelf)
            self._last, self._covered, self._state = head, 0, None if head.number else State()
            return
        state: State | None = State()
        record: Record | None = None
        for file in records:
            try:
                record = opened(shelf.read(file))
            except (ChainError, FileNotFoundError):
                record, state = None, None
                continue
            self._covered = max(self._covered, _version(record))
            state = None if state is None else _with_log(state, record)
        number = int((RECORD_NAME.fullmatch(records[-1]) or [""] * 2)[1])
        if record is None or record["number"] != number or record.get("game") != self._game:
            # What was changed stays changed, and shows; the game goes on behind it.
            self._last = Link(number, BEGINNING)
            self._trouble(
                telling(
                    "The evidence in {folder} was changed; what is kept from now on does not follow it.",
                    folder=str(self.folder),
                )
            )
        else:
            self._last = link_of(record)
        self._state = state if state is not None and state.version == self._covered else None

    def _log_until(self, evidence: TurnEvidence) -> tuple[tuple[Event, ...], State | None]:
        """The log since the last record, and the game as it was before this one's events (None: it is not known)."""
        began = evidence.version - len(evidence.events)
        since = began - self._covered
        if since == 0 and self._state is not None:
            return evidence.events, self._state
        log = self._stored()[:began]
        if len(log) < began:
            return evidence.events, None
        return (*log[began - max(since, 0) :], *evidence.events), _folded(log, State())

    def _stored(self) -> tuple[Event, ...]:
        """The whole log; nothing of it where it cannot be read."""
        try:
            return self._store.load(self._game) if self._store else ()
        except (StoreError, LogError) as error:
            self._trouble(telling("The log cannot be taken into the evidence: {cause}.", cause=error.told))
            return ()

    def _write_picture(self, picture: Picture) -> list[Path]:
        """Write a picture, unless it lies there already; what was written anew."""
        path = self.folder / picture_file(picture.digest)
        if path.is_file() and path.stat().st_size == len(picture.data):
            return []
        write_durable(path, picture.data, replacing=True, settled=False)
        return [path]

    def _append(self, fields: Mapping[str, Any]) -> None:
        """Write the next record, even when another process wrote one meanwhile."""
        for tries_left in reversed(range(MOST_TRIES)):
            data, link = sealed({**fields, "written_at": self._clock()}, self._tail)
            try:
                write_durable(self.folder / record_file(link.number), data)
                break
            except FileExistsError:
                if not tries_left:
                    raise
                self._find_tail()
        self._last = link
        with contextlib.suppress(OSError):  # the record counts; the next one mends these
            write_durable(self.folder / HEAD, head_text(link), replacing=True, settled=False)
            self._pending.unlink(missing_ok=True)

    def _sweep(self) -> None:
        """Take away what crashes of long ago left half written."""
        for path in self.folder.rglob("*"):
            with contextlib.suppress(OSError):
                if is_draft(path.name) and path.stat().st_mtime < self._clock() - OLD_DRAFT_S:
                    path.unlink()

    def _trouble(self, why: Told) -> None:
        if why != self._said:
            self._said = why
            self._say(why)


def head_text(link: Link) -> bytes:
    """The file that says where a chain ends."""
    return json.dumps({"number": link.number, "hash": link.hash}, sort_keys=True).encode()


def head_in(data: bytes) -> Link | None:
    """Where a chain ends, by that file; None where it says nothing of the kind."""
    try:
        told = json.loads(data)
        link = Link(int(told["number"]), str(told["hash"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return link if head_text(link) == data else None


def pending_in(data: bytes) -> tuple[int, frozenset[str]]:
    """The number of the record that was being written, and the pictures; (0, none) where nothing says so."""
    try:
        told = json.loads(data)
        return int(told["number"]), frozenset(map(str, told["pictures"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return 0, frozenset()


def _pending_text(number: int, pictures: Mapping[str, Picture]) -> bytes:
    digests = sorted({picture.digest for picture in pictures.values()})
    return json.dumps({"number": number, "pictures": digests}, sort_keys=True).encode()


def _head_of(shelf: FolderShelf) -> Link:
    """Where the chain of a folder without records once ended: its records were taken away, or there never was one."""
    try:
        return head_in(shelf.read(HEAD)) or Link()
    except FileNotFoundError:
        return Link()


def _taken(evidence: TurnEvidence) -> tuple[dict[str, Picture], dict[str, str]]:
    """The pictures of a record, and why others could not be made."""
    pictures: dict[str, Picture] = {}
    failed: dict[str, str] = {}
    for name, shot in evidence.pictures.items():
        try:
            pictures[name] = picture_of(shot)
        except PictureError as error:
            failed[name] = str(error)
        except MemoryError:
            failed[name] = "no memory left"
    return pictures, failed


def _lost(why: str) -> Json:
    return {"sha256": None, "kept": False, "why": why}


def _version(record: Record) -> int:
    version = record.get("version")
    return version if type(version) is int else 0


def _with_log(state: State, record: Record) -> State | None:
    """The game after a record's part of the log; None where that does not go on from ``state``."""
    try:
        log = log_of(record)
    except RecordError:
        return None
    return _folded(log, state) if state.version + len(log) == _version(record) else None


def _folded(events: Sequence[Event], state: State) -> State | None:
    try:
        return replay(events, state)
    except (IndexError, ValueError):  # events that are not those of a game
        return None
