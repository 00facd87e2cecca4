"""Whether evidence is as it was written: every record, every picture, their order, and the log they belong to."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from referee.chain import BEGINNING, ChainError, Link, Record, follows, link_of, opened
from referee.game.events import Event
from web.evidence.keeper import AT_START, head_in, pending_in
from web.evidence.record import RecordError, log_of, pictures_of, shape_fault
from web.evidence.shelf import (
    HEAD,
    LOG,
    PENDING,
    PICTURE_NAME,
    README,
    RECORD_NAME,
    RULINGS,
    Shelf,
    is_draft,
    picture_file,
    record_file,
)
from web.evidence.turn import RULED, Occasion


class Grade(StrEnum):
    """What something that was found means for the evidence."""

    CHANGED = "changed"
    """It is not what was written."""
    WANTING = "wanting"
    """Nothing shows a change, but not everything is there."""
    NOTE = "note"
    """It is as it should be and worth saying."""


class Code(StrEnum):
    """Everything that may be found."""

    RECORD_CHANGED = "record_changed"
    RECORD_MISSING = "record_missing"
    RECORD_MOVED = "record_moved"
    RECORD_ADDED = "record_added"
    OTHER_GAME = "other_game"
    PICTURE_CHANGED = "picture_changed"
    PICTURE_MISSING = "picture_missing"
    PICTURE_ADDED = "picture_added"
    FILE_ADDED = "file_added"
    END_MISSING = "end_missing"
    END_CHANGED = "end_changed"
    LOG_CHANGED = "log_changed"
    WORDS_CHANGED = "words_changed"
    SEAL_UNKNOWN = "seal_unknown"
    NO_EVIDENCE = "no_evidence"
    NOTHING = "nothing"
    GAP = "gap"
    PICTURE_NOT_KEPT = "picture_not_kept"
    REMOVED = "removed"
    INTERRUPTED = "interrupted"
    LOG_ABSENT = "log_absent"
    WORDS_OF_OTHERS = "words_of_others"


MOST_EVENTS = 100
"""One command leads to no more events than there are seats; a forged record may claim any number."""

GRADES: Mapping[Code, Grade] = {
    **dict.fromkeys(Code, Grade.CHANGED),
    **dict.fromkeys((Code.NO_EVIDENCE, Code.NOTHING), Grade.WANTING),
    **dict.fromkeys((Code.GAP, Code.PICTURE_NOT_KEPT, Code.REMOVED, Code.INTERRUPTED), Grade.NOTE),
    **dict.fromkeys((Code.LOG_ABSENT, Code.WORDS_OF_OTHERS), Grade.NOTE),
}


@dataclass(frozen=True, slots=True)
class Found:
    """Something that was found: in which record, file or version of the log, and how many times."""

    code: Code
    where: str = ""
    why: str = ""
    count: int = 1

    @property
    def grade(self) -> Grade:
        return GRADES[self.code]


@dataclass(frozen=True, slots=True)
class Checked:
    """Evidence that was looked through.

    ``records`` are those whose hash is right, in order.  ``end`` is where the chain ends, ``covered`` up to which
    version of the log it tells.
    """

    game: str
    records: tuple[Record, ...]
    found: tuple[Found, ...]
    end: Link
    covered: int
    gone: frozenset[str] = field(default_factory=frozenset)

    @property
    def grade(self) -> Grade:
        """The gravest of what was found; a note where nothing was."""
        grades = {one.grade for one in self.found}
        return next((grade for grade in Grade if grade in grades), Grade.NOTE)


def check(shelf: Shelf, log: Sequence[Event] | None, *, seal: str | None = None, pictures: bool = True) -> Checked:
    """Look through the evidence of a game; ``log`` is the game's log, None where it is not at hand.

    ``seal`` is the hash that somebody noted when the game was over, or its first characters.  Raises ``ShelfError``.
    """
    files = shelf.files()
    records, found = _records(shelf, files)
    game = str(records[0].get("game")) if records else ""
    end = link_of(records[-1]) if records else Link()
    gone = _removed(records)
    found += _ends(shelf, files, records, end)
    found += _of_others(records, game)
    found += _pictures(shelf, files, records, gone, look=pictures)
    found += _strange(files)
    found += _log(records, log)
    if seal is not None and not any(record["hash"].startswith(seal.lower()) for record in records):
        found.append(Found(Code.SEAL_UNKNOWN, seal))
    if not records:
        found.append(Found(Code.NOTHING, shelf.name))
    covered = max((_number(record, "version") for record in records), default=0)
    return Checked(game, tuple(records), tuple(found), end, covered, gone)


def _records(shelf: Shelf, files: Iterable[str]) -> tuple[list[Record], list[Found]]:
    """The records whose hash is right, and what is wrong with the chain."""
    numbers: list[int] = []
    good: list[Record] = []
    found: list[Found] = []
    for file in files:
        if name := RECORD_NAME.fullmatch(file):
            number = int(name[1])
            if file == record_file(number):
                numbers.append(number)
            else:
                found.append(Found(Code.RECORD_ADDED, file))
    last: Link | None = Link()
    due = 1
    for number in sorted(set(numbers)):
        file = record_file(number)
        if number > due:
            found.append(Found(Code.RECORD_MISSING, record_file(due), count=number - due))
            last = None
        due = number + 1
        try:
            record = opened(shelf.read(file))
        except (ChainError, FileNotFoundError) as error:
            found.append(Found(Code.RECORD_CHANGED, file, str(error)))
            last = None
            continue
        if record["number"] != number or (last is not None and not follows(record, last)):
            found.append(Found(Code.RECORD_MOVED, file))
        last = link_of(record) if record["number"] == number else None
        fault = shape_fault(record)
        if fault is not None:
            found.append(Found(Code.RECORD_CHANGED, file, fault))
        elif last is not None:
            good.append(record)
    return good, found


def _ends(shelf: Shelf, files: Sequence[str], records: Sequence[Record], end: Link) -> Iterator[Found]:
    """Whether the chain ends where the file says that stands beside it, or where a crash would leave it."""
    pending, _ = _pending(shelf, files)
    if HEAD not in files:
        if records and not end.number == pending == 1:
            yield Found(Code.END_MISSING, HEAD)
        return
    head = head_in(shelf.read(HEAD))
    if head is None:
        yield Found(Code.END_CHANGED, HEAD)
        return
    if head.number > end.number:
        yield Found(Code.RECORD_MISSING, record_file(end.number + 1), count=head.number - end.number)
    hashes = {record["number"]: record["hash"] for record in records} | {0: BEGINNING}
    if head.number <= end.number and hashes.get(head.number) not in {head.hash, None}:
        yield Found(Code.END_CHANGED, HEAD)
    beyond = [record["number"] for record in records if record["number"] > head.number]
    for number in beyond:
        if number != pending or number != head.number + 1:
            yield Found(Code.RECORD_ADDED, record_file(number))


def _pending(shelf: Shelf, files: Sequence[str]) -> tuple[int, frozenset[str]]:
    """The record that was being written, and its pictures; a game that goes on may just have finished it."""
    if PENDING not in files:
        return 0, frozenset()
    try:
        return pending_in(shelf.read(PENDING))
    except FileNotFoundError:
        return 0, frozenset()


def _of_others(records: Sequence[Record], game: str) -> Iterator[Found]:
    for record in records:
        if record.get("game") != game:
            yield Found(Code.OTHER_GAME, record_file(record["number"]))


def _removed(records: Iterable[Record]) -> frozenset[str]:
    """The pictures that were let go, by the records that say so."""
    letting_go = (record for record in records if record["occasion"] == Occasion.RETENTION.value)
    return frozenset(digest for record in letting_go for digest in record.get("removed") or ())


def _pictures(
    shelf: Shelf, files: Sequence[str], records: Sequence[Record], gone: frozenset[str], *, look: bool
) -> Iterator[Found]:
    there = set(files)
    wanted: dict[str, None] = {}
    not_kept = 0
    for record in records:
        told = pictures_of(record).values()
        kept = [str(one["sha256"]) for one in told if one.get("kept") is True]
        not_kept += len(told) - len(kept)
        wanted |= dict.fromkeys(kept)
    for digest in wanted:
        file = picture_file(digest)
        if file not in there:
            if digest not in gone:
                yield Found(Code.PICTURE_MISSING, file)
        elif look and not _is_whole(shelf, file, digest):
            yield Found(Code.PICTURE_CHANGED, file)
    if not_kept:
        yield Found(Code.PICTURE_NOT_KEPT, count=not_kept)
    removed = sum(picture_file(digest) not in there for digest in gone & set(wanted))
    if removed:
        yield Found(Code.REMOVED, count=removed)
    _, pending = _pending(shelf, files)
    for file in files:
        named = PICTURE_NAME.fullmatch(file)
        if named and named[1] not in wanted:
            yield Found(Code.INTERRUPTED if named[1] in pending else Code.PICTURE_ADDED, file)


def _is_whole(shelf: Shelf, file: str, digest: str) -> bool:
    try:
        return hashlib.sha256(shelf.read(file)).hexdigest() == digest
    except FileNotFoundError:
        return False


def _strange(files: Sequence[str]) -> Iterator[Found]:
    """Files that no program of ours wrote here, and those that are there twice."""
    known = {HEAD, PENDING} if _is_folder(files) else {HEAD, LOG, RULINGS, README}
    for file, times in Counter(files).items():
        ours = file in known or RECORD_NAME.fullmatch(file) or PICTURE_NAME.fullmatch(file)
        if times > 1 or not (ours or is_draft(file)):
            yield Found(Code.FILE_ADDED, file)


def _is_folder(files: Sequence[str]) -> bool:
    """Whether these are the files of a folder, not of a zip file, which always has a README."""
    return README not in files


def _log(records: Sequence[Record], log: Sequence[Event] | None) -> Iterator[Found]:
    """Whether the records tell what the game's log tells, and all turns of it."""
    told: set[int] = set()
    gaps: dict[int, str] = {}
    lost: set[int] = set()
    for record in records:
        told |= set(_own(record))
        for gap in record.get("gaps") or ():
            gaps |= dict.fromkeys(_own(gap), str(gap.get("why")))
            lost |= set(_own(gap)) if gap.get(AT_START) is True else set()
        try:
            part = log_of(record)
        except RecordError as error:
            yield Found(Code.RECORD_CHANGED, record_file(record["number"]), str(error))
            continue
        version = _number(record, "version")
        if log is not None and (len(part) > version or tuple(log[version - len(part) : version]) != part):
            yield Found(Code.LOG_CHANGED, record_file(record["number"]), str(version))
    yield from (Found(Code.GAP, str(at), why) for at, why in gaps.items())
    if log is None:
        yield Found(Code.LOG_ABSENT)
        return
    told |= gaps.keys() - lost  # whoever takes the last record away and starts anew makes no evidence whole
    for at, event in enumerate(log, 1):
        if isinstance(event, RULED) and at not in told:
            yield Found(Code.NO_EVIDENCE, str(at))


def _own(told: Mapping[str, Any]) -> range:
    """The versions of the log that a record, or a gap, is about."""
    version, events = _number(told, "version"), min(_number(told, "events"), MOST_EVENTS)
    return range(version - events + 1, version + 1)


def _number(told: Mapping[str, Any], key: str) -> int:
    value = told.get(key)
    return value if type(value) is int and 0 <= value < 10_000_000 else 0
