"""A stored game ruled once more: by other rules, by today's program, or by today's networks on the kept pictures.

Each turn is ruled as it was then: from the table that lay there, by who had opened, however an earlier turn is ruled
now.  For the people at the table played on from what was ruled then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from referee.chain import Record
from referee.game.codec import LogError, decode
from referee.game.commands import EndTurn
from referee.game.decide import GameError, judge_end
from referee.game.events import Event, TurnEnded, TurnQuestioned, VerdictOverridden
from referee.game.state import State, replay
from referee.joker_kinds import with_joker_kinds
from referee.notation import NotedTable, format_table, parse_table
from referee.observation import Kind, Observation, Quad, Reading, SeenTile
from referee.places import nearest_place
from referee.ruleset import RuleSet, RuleSetError
from referee.ruling import Verdict, judge_table
from referee.tiles import Tile, parse_tile
from referee.told import NOTHING, Told
from web.evidence.record import RecordError, command_of, ended_fields, log_of, pictures_of, ruleset_of
from web.evidence.shelf import Shelf, picture_file
from web.evidence.turn import Occasion
from web.examine import FACE_DOWN_CODE
from web.live.pointed import Deed, Pointed, as_pointed
from web.noting import noted_from
from web.report_json import Json
from web.telling import say_told, told_by
from web.wiring import Eyes

if TYPE_CHECKING:
    from web.evidence.picture import Pixels

AFTER = "after"
"""The picture of the table that was ruled on."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A ruling on one turn: its verdict, what it costs, its findings with their sentences, the table it was made on."""

    verdict: str
    table: str
    draw: int | None
    points: int | None
    findings: tuple[Mapping[str, Any], ...] = ()

    @property
    def says(self) -> tuple[object, ...]:
        """What decides: two rulings that say the same differ in nothing that matters."""
        grave = sorted(str(one.get("code")) for one in self.findings if one.get("severity") != "note")
        return self.verdict, self.draw, self.points, tuple(grave)

    @property
    def sets(self) -> list[str]:
        """The sets of the table, whatever their order."""
        return sorted(self.table.split(" | "))


@dataclass(frozen=True, slots=True)
class TurnAgain:
    """One turn as it was ruled and as it is ruled now.

    ``then`` is what the program ruled, ``decided`` what the referee made of it later (None: he let it stand).  ``now``
    is None where the turn cannot be ruled again, and ``why`` says why.
    """

    record: int
    version: int
    turn: int | None
    seat: int | None
    player: str | None
    then: Ruled
    decided: str | None
    now: Ruled | None
    why: Told = NOTHING

    @property
    def differs(self) -> bool | None:
        """Whether it is ruled otherwise now; None where nobody can say."""
        return None if self.now is None else self.now.says != self.then.says or self.read_otherwise

    @property
    def read_otherwise(self) -> bool:
        """Whether other tiles are read now, or other sets."""
        return self.now is not None and self.now.sets != self.then.sets


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn as the records tell it: the game before it and how it ended."""

    record: Record
    before: State
    command: EndTurn
    events: tuple[Event, ...]


def rule_again(
    shelf: Shelf,
    records: Sequence[Record],
    log: Sequence[Event] | None,
    ruleset: RuleSet | None,
    eyes: Eyes | None = None,
) -> Iterator[TurnAgain]:
    """Every turn of a game, ruled again by ``ruleset`` (None: the rules of the game).

    The records' own parts of the log are gone by, for they are in the chain; where these have gaps, ``log`` is.  With
    ``eyes`` the kept picture of each turn is read again, and what a human said of a tile stays.  Raises ``ShelfError``.
    """
    whole = _log_of_records(records)
    if log is not None and len(whole) < max((record["version"] for record in records), default=0):
        whole = tuple(log)
    for place, record in enumerate(records):
        told = _turn_of(record, whole)
        if told is None:
            continue
        then = _then(told)
        decided = _decided(records[place + 1 :])
        try:
            now, why = _now(shelf, told, ruleset, eyes), NOTHING
        except (GameError, RecordError, RuleSetError, ValueError) as error:
            now, why = None, told_by(error)
        yield TurnAgain(
            record=record["number"],
            version=record["version"],
            turn=record.get("turn"),
            seat=record.get("seat"),
            player=record.get("player"),
            then=then,
            decided=decided,
            now=now,
            why=why,
        )


def _log_of_records(records: Sequence[Record]) -> tuple[Event, ...]:
    """The log as far as the records tell it without a gap."""
    log: list[Event] = []
    for record in records:
        try:
            part = log_of(record)
        except RecordError:
            break
        if len(log) + len(part) != record["version"]:
            break
        log += part
    return tuple(log)


def _turn_of(record: Record, log: Sequence[Event]) -> _Turn | None:
    """The turn that a record tells, None where it tells none or the log does not reach there."""
    try:
        command = command_of(record)
        version, own = int(record["version"]), int(record["events"])
        if command is None or not 0 < own <= version <= len(log):
            return None
        return _Turn(record, replay(log[: version - own]), command, tuple(log[version - own : version]))
    except (RecordError, KeyError, TypeError, ValueError, IndexError):
        return None


def _then(told: _Turn) -> Ruled:
    """The ruling as it stands in the log, with the findings of the record."""
    ruling = told.record.get("ruling") or {}
    findings = tuple(ruling.get("findings", ()))
    event = next((one for one in told.events if isinstance(one, TurnEnded | TurnQuestioned)), None)
    shown = format_table(told.command.table)
    if not isinstance(event, TurnEnded):
        return Ruled(Verdict.CANNOT_TELL.value, shown, None, None, findings)
    if not ruling:
        return Ruled(event.machine, shown, event.drew, event.points)
    return Ruled(event.machine, shown, ruling.get("draw"), ruling.get("points"), findings)


def _decided(later: Sequence[Record]) -> str | None:
    """What a referee made of a turn before the next one was called."""
    decided = None
    for record in later:
        if record["occasion"] == Occasion.TURN.value:
            break
        for line in record["log"]:
            try:
                event = decode(line)
            except LogError:
                continue
            turn = event.turn if isinstance(event, VerdictOverridden) else event
            if isinstance(turn, TurnEnded) and turn.by == "referee":
                decided = turn.verdict
    return decided


def _now(shelf: Shelf, told: _Turn, ruleset: RuleSet | None, eyes: Eyes | None) -> Ruled:
    rules = ruleset_of(told.record) if ruleset is None else ruleset
    command = told.command if eyes is None else _read_again(shelf, told, rules, eyes)
    before = replace(told.before, rules=rules.name, fingerprint=rules.fingerprint)
    ended_command, ended = judge_end(before, command, rules)
    ruled = ended_fields(ended, parse_table(before.table), ended_command, rules)
    findings = ruled["findings"]
    return Ruled(
        verdict=str(ruled["verdict"]),
        table=format_table(command.table),
        draw=None if ended.consequence is None else ended.consequence.draw,
        points=None if ended.consequence is None else ended.consequence.points,
        findings=tuple(findings) if isinstance(findings, list) else (),
    )


def _read_again(shelf: Shelf, told: _Turn, rules: RuleSet, eyes: Eyes) -> EndTurn:
    """The command with the table as these eyes read it in the kept picture.

    Raises ``RecordError`` where there is no such picture.
    """
    picture = pictures_of(told.record).get(AFTER)
    digest = None if picture is None else picture.get("sha256")
    if digest is None:
        raise RecordError("no picture of this turn was kept")
    try:
        data = shelf.read(picture_file(digest))
    except FileNotFoundError:
        raise RecordError("its picture is no longer kept") from None
    table = read_table(_pixels(data), eyes, rules, told.record.get("words"))
    ending = told.command.ending
    bell = ending.at_bell
    same = bell is not None and bell == told.command.table
    return replace(told.command, table=table, ending=replace(ending, at_bell=table if same else bell))


def _pixels(data: bytes) -> Pixels:
    from web.evidence.picture import PictureError, pixels_of  # noqa: PLC0415  OpenCV, for pictures alone

    try:
        return pixels_of(data)
    except PictureError as error:
        raise RecordError("its picture cannot be read: {cause}", cause=str(error)) from error


def read_table(image: Pixels, eyes: Eyes, rules: RuleSet, words: object = ()) -> NotedTable:
    """The table that eyes see in a picture, uint8 (H, W, 3) BGR; what humans said of tiles goes before that."""
    seen = with_joker_kinds(eyes.look(image).observation, rules)
    settled = with_words(seen, words)
    noted, _ = noted_from(settled, judge_table(settled, rules))
    return noted


def with_words(seen: Observation, words: object) -> Observation:
    """An observation with what humans said of its tiles, each found by where it lies."""
    tiles = list(seen.tiles)
    for word in words if isinstance(words, list) else ():
        try:
            place = _quad_of(word["quad"])
            said = None if word["said"] == FACE_DOWN_CODE else parse_tile(word["said"])
            pointed = _pointed(word, place, said)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError("what a human said of a tile cannot be read: {cause}", cause=str(error)) from error
        if pointed is not None:
            seen = as_pointed(replace(seen, tiles=tuple(tiles)), [pointed])
            tiles = list(seen.tiles)
            continue
        at = nearest_place(place, [tile.quad for tile in tiles])
        if at is None:
            continue  # no tile is seen there now: that the rows differ will be said
        quad = tiles[at].quad
        if said is None:
            tiles[at] = SeenTile(quad, Kind.BACK, (), 1.0, doubtful=False)
        else:
            tiles[at] = SeenTile(quad, Kind.FACE, (Reading(said, 1.0),), 1.0, doubtful=False)
    return replace(seen, tiles=tuple(tiles))


def _quad_of(told: Any) -> Quad:
    """Four corners as a record has them.  Raises ``ValueError`` or ``TypeError`` where they are none."""
    one, two, three, four = ((float(x), float(y)) for x, y in told)
    return one, two, three, four


def _pointed(word: Mapping[str, Any], place: Quad, said: Tile | None) -> Pointed | None:
    """What was said of a place, where it was more than a tile's name."""
    if "did" not in word:
        return None
    beside = None if "beside" not in word else _quad_of(word["beside"])
    was = None if word["was"] is None else parse_tile(word["was"])
    return Pointed(Deed(word["did"]), place, said, beside, word.get("after", True) is True, was)


def turn_fields(again: TurnAgain) -> Json:
    """One turn for programs."""
    return {
        "record": again.record,
        "version": again.version,
        "turn": again.turn,
        "seat": again.seat,
        "player": again.player,
        "then": _fields(again.then),
        "decided": again.decided,
        "now": None if again.now is None else _fields(again.now),
        "differs": again.differs,
        "why": say_told(again.why).rstrip(".") or None,
    }


def _fields(ruled: Ruled) -> Json:
    return {
        "verdict": ruled.verdict,
        "table": ruled.table,
        "draw": ruled.draw,
        "points": ruled.points,
        "findings": [dict(one) for one in ruled.findings],
    }
