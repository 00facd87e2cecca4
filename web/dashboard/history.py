"""Games that were played: their evidence turn by turn, ruled again by other rules, packed to be handed on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.chain import Record
from referee.game.codec import LogError
from referee.game.events import Event, GameStarted, RoundScored, TurnEnded, VerdictOverridden
from referee.ruleset import RuleSet
from referee.store import StoreError, open_store
from referee.switches import Faces
from referee.told import TellingError
from web.evidence.again import rule_again, turn_fields
from web.evidence.archive import pack
from web.evidence.check import Checked, Grade, check
from web.evidence.record import RecordError, log_of, message_of, pictures_of
from web.evidence.shelf import PICTURE_NAME, RECORDS, FolderShelf, ShelfError, folder_name, picture_file
from web.evidence.words import GRADE_WORDS, OCCASION_WORDS, SOMETHING_ELSE, STATES, sentence
from web.report_json import Json
from web.telling import told_by
from web.tongue import say

_FOLDER = re.compile(r"[a-z0-9-]{1,64}")
"""What a game's folder is called: no address leads elsewhere."""


class HistoryError(TellingError):
    """What was kept cannot be read; one sentence."""


class NoGameError(KeyError):
    """There is no such game, or no such picture of it."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game by its name; ``slug`` stands in its address, ``records`` are what was kept of it."""

    name: str
    slug: str
    records: int
    last_at: float | None


@dataclass(frozen=True, slots=True)
class OpenedGame:
    """The evidence of a game and its log, looked through."""

    name: str
    shelf: FolderShelf
    log: tuple[Event, ...] | None
    checked: Checked


class History:
    """The games of a database with their evidence under ``evidence``.  All methods raise ``HistoryError``."""

    def __init__(self, database: str, evidence: Path) -> None:
        self._database, self._evidence = database, evidence

    def games(self) -> tuple[Played, ...]:
        """All games, the one that was kept last first; those of which nothing was kept come last, by name."""
        with _sentences():
            store = open_store(self._database)
            try:
                names = store.games()
            finally:
                store.close()
        found = [self._played(name) for name in names]
        return tuple(sorted(found, key=lambda one: (one.last_at is None, -(one.last_at or 0.0), one.name)))

    def open(self, slug: str) -> OpenedGame:
        """A game by the name in its address.  Raises ``NoGameError``."""
        with _sentences():
            store = open_store(self._database)
            try:
                name = next((one for one in store.games() if folder_name(one) == slug), None)
                if name is None:
                    raise NoGameError(slug)
                log = store.load(name)
            finally:
                store.close()
            shelf = FolderShelf(self._evidence / slug, name)
            return OpenedGame(name, shelf, log or None, check(shelf, log or None))

    def picture(self, slug: str, digest: str) -> bytes:
        """A kept picture of a game, as JPEG.  Raises ``NoGameError``."""
        file = picture_file(digest)
        if not PICTURE_NAME.fullmatch(file) or not _FOLDER.fullmatch(slug):
            raise NoGameError(digest)
        with _sentences():
            try:
                return FolderShelf(self._evidence / slug, slug).read(file)
            except FileNotFoundError as error:
                raise NoGameError(digest) from error

    def _played(self, name: str) -> Played:
        slug = folder_name(name)
        try:
            records = sorted((self._evidence / slug / RECORDS).glob("*.json"))
            return Played(name, slug, len(records), records[-1].stat().st_mtime if records else None)
        except OSError:
            return Played(name, slug, 0, None)


def game_json(game: OpenedGame) -> Json:
    """A game for its page: whether its evidence is as it was written, and what was kept, in order."""
    checked = game.checked
    return {
        "game": game.name,
        "state": STATES[checked.grade],
        "state_words": say(GRADE_WORDS[checked.grade]).capitalize(),
        "changed": checked.grade is Grade.CHANGED,
        "players": list(_players(game)),
        "found": [sentence(one) for one in checked.found],
        "seal": checked.end.hash if checked.records else "",
        "records": [_record(record) for record in checked.records],
    }


def again_json(game: OpenedGame, ruleset: RuleSet) -> Json:
    """Every turn of a game as other rules have it, by the number of its record; ``then`` as it was written."""
    with _sentences():
        turns = list(rule_again(game.shelf, game.checked.records, game.log, ruleset))
    return {"rules": ruleset.name, "turns": {str(turn.record): turn_fields(turn) for turn in turns}}


def pack_game(game: OpenedGame, target: Path) -> None:
    """Write a game's evidence into a zip file.  Raises ``OSError``."""
    with _sentences():
        pack(game.shelf, game.checked, game.log, target)


def _record(record: Record) -> Json:
    """One record, as far as a page shows it."""
    command, ruling = _told(record, "command"), _told(record, "ruling")
    events = _events(record)
    decided = _decided(events)
    return {
        "number": record["number"],
        "occasion": record["occasion"],
        "words": say(OCCASION_WORDS.get(str(record["occasion"]), SOMETHING_ELSE)),
        "round": record.get("round"),
        "turn": record.get("turn"),
        "player": record.get("player"),
        "at": float(record["written_at"]),
        "rules": _told(record, "rules").get("name"),
        "table": command.get("table", None if decided is None else decided["table"]),
        "verdict": ruling.get("verdict"),
        "decided": decided,
        "scored": _scored(events),
        "draw": ruling.get("draw"),
        "points": ruling.get("points"),
        "findings": _findings(ruling.get("findings"), _faces(record)),
        "said": [_word(word) for word in record.get("words") or ()],
        "reading": record.get("reading"),
        "pictures": {
            name: {"sha256": one.get("sha256"), "kept": one.get("kept") is True}
            for name, one in pictures_of(record).items()
        },
    }


def _findings(told: Any, faces: Faces) -> list[Json]:
    """The findings of a record, their sentences in the language that is spoken."""
    return [{**one, "message": message_of(one, faces)} for one in told or ()]


def _faces(record: Record) -> Faces:
    """What the box of a record prints."""
    try:
        return Faces(str(_told(_told(record, "rules"), "switches").get("faces")))
    except ValueError:
        return Faces.TILES


def _players(game: OpenedGame) -> Sequence[str]:
    """The players by seat, by the log or else by the first record."""
    told = game.log or (log_of(game.checked.records[0]) if game.checked.records else ())
    return next((event.players for event in told if isinstance(event, GameStarted)), ())


def _scored(events: Sequence[Event]) -> Json | None:
    """The racks and scores of a round, by seat, where it was counted."""
    for event in events:
        if isinstance(event, RoundScored):
            return {"points": list(event.points), "racks": list(event.racks), "winners": list(event.winners)}
    return None


def _word(word: Any) -> Json:
    read = word.get("read")
    first = read[0][0] if isinstance(read, list) and read and isinstance(read[0], list) and read[0] else None
    return {"said": word.get("said"), "did": word.get("did"), "read": first}


def _events(record: Record) -> Sequence[Event]:
    try:
        own = max(0, int(record["events"]))
        return log_of(record)[-own:] if own else ()
    except RecordError:
        return ()


def _decided(events: Sequence[Event]) -> Json | None:
    """What a referee ruled, where he did, and the table that stands."""
    for event in events:
        if isinstance(event, VerdictOverridden):
            return {"verdict": event.turn.verdict, "reason": event.reason, "table": event.turn.after}
        if isinstance(event, TurnEnded) and event.by != "machine":
            return {"verdict": event.verdict, "reason": "", "table": event.after}
    return None


def _told(record: Record, key: str) -> Json:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except (StoreError, LogError, ShelfError) as error:
        raise HistoryError.of(told_by(error)) from error
