"""What the evidence commands say: sentences for what was found, rulings as text, differences turn by turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from referee.chain import Record
from referee.game.events import PenaltyGiven, TableCorrected, TurnEnded, TurnUndone, VerdictOverridden
from web.evidence.again import Ruled, TurnAgain
from web.evidence.check import Checked, Code, Found, Grade
from web.evidence.record import RecordError, log_of
from web.evidence.turn import Occasion
from web.messages import listed
from web.output import printable
from web.telling import say_told
from web.tongue import ENGLISH, marked, say, spoken
from web.version import VERSION

SENTENCES: Mapping[Code, str] = {
    Code.RECORD_CHANGED: marked("{where} was changed: {why}."),
    Code.RECORD_MISSING: marked("{where} is missing ({count} in a row)."),
    Code.RECORD_MOVED: marked("{where} does not follow the record before it: one was moved, put in or left out."),
    Code.RECORD_ADDED: marked("{where} was put in from outside."),
    Code.OTHER_GAME: marked("{where} is of another game."),
    Code.PICTURE_CHANGED: marked("{where} was changed."),
    Code.PICTURE_MISSING: marked("{where} is missing, and nothing says that it was let go."),
    Code.PICTURE_ADDED: marked("{where} belongs to no record."),
    Code.FILE_ADDED: marked("{where} was put in from outside."),
    Code.END_MISSING: marked("{where}, which says where the chain ends, is missing."),
    Code.END_CHANGED: marked("{where}, which says where the chain ends, was changed."),
    Code.LOG_CHANGED: marked("The log of the game is not the one that {where} was kept with."),
    Code.WORDS_CHANGED: marked("{where} does not say what the records say: go by the records."),
    Code.SEAL_UNKNOWN: marked("No record has the seal {where}: the chain is not the one that was noted."),
    Code.NO_EVIDENCE: marked("Event {where} of the log is a turn, and nothing was kept of it."),
    Code.NOTHING: marked("There is no record in {where}."),
    Code.GAP: marked("Nothing was kept of event {where} of the log, as the next record says: {why}."),
    Code.PICTURE_NOT_KEPT: marked("Pictures that could not be kept, as their records say: {count}."),
    Code.REMOVED: marked("Pictures removed by retention; their hashes are still in the chain: {count}."),
    Code.INTERRUPTED: marked(
        "{where} was written, and the record that was to name it was not: the program was stopped."
    ),
    Code.LOG_ABSENT: marked("The log of the game is not at hand: the records are compared with each other alone."),
    Code.WORDS_OF_OTHERS: marked(
        "{where} was written by another tileref than this one, so its words were not looked at."
    ),
}

STATES: Mapping[Grade, str] = {
    Grade.CHANGED: "changed",
    Grade.WANTING: "not_complete",
    Grade.NOTE: "as_written",
}
"""The same for programs, for the whole."""

GRADE_WORDS: Mapping[Grade, str] = {
    Grade.CHANGED: marked("CHANGED"),
    Grade.WANTING: marked("NOT COMPLETE"),
    Grade.NOTE: marked("AS IT WAS WRITTEN"),
}

SOMETHING_ELSE = marked("something else")
OCCASION_WORDS: Mapping[str, str] = {
    Occasion.TURN.value: marked("turn"),
    Occasion.ANSWER.value: marked("the referee's answer"),
    Occasion.OVERRIDE.value: marked("the referee ruled otherwise"),
    Occasion.UNDO.value: marked("the turn was taken back"),
    Occasion.CORRECTION.value: marked("the table was corrected"),
    Occasion.ROUND.value: marked("end of the round"),
    Occasion.OTHER.value: SOMETHING_ELSE,
    Occasion.RETENTION.value: marked("old pictures were let go"),
}

VERDICTS = {"legal": "LEGAL", "illegal": "ILLEGAL", "cannot_tell": "CANNOT TELL"}

README = """\
What this file is
=================

Everything that the camera referee tileref kept of one game of tile rummy, packed for whoever looks at a ruling again.

records/      One file a turn, or a thing that the referee did, in the order of the game: what the camera read (with
              the probability of each reading), what humans answered, the ruling and its reasons, the rules with every
              switch, the clock, the program and its networks.
pictures/     The table before and after each turn.  A picture's name is its SHA-256 hash, by which records name it.
              What lay outside the table is painted over.
rulings.txt   The rulings in words, for reading.
log.jsonl     The log of the game, an event a line.
head.json     Where the chain of records ends.

How to check it
===============

"tileref verify FILE.zip" looks through it and says what was changed, if anything.  It can be done without tileref:
each record holds the hash of the record before it ("previous") and its own ("hash").  The hash is the SHA-256 of the
text of "previous" followed by the record as it stands in its file, without its part "hash" and the comma before or
after that.  The SHA-256 of each picture must be the one that its record names.

The last hash is the seal of the game.  Who noted it when the game was over can tell that nothing was written anew
since: "tileref verify FILE.zip --seal HASH".
"""


def sentence(found: Found) -> str:
    """What was found, as one sentence."""
    why = say(found.why.rstrip("."))
    return say(SENTENCES[found.code], where=printable(found.where), why=why, count=found.count)


def checked_text(checked: Checked) -> str:
    """Whether evidence is as it was written, and all that was found."""
    records = f"{len(checked.records)} record{'' if len(checked.records) == 1 else 's'}"
    lines = [f"{GRADE_WORDS[checked.grade]}: {printable(checked.game) or 'no game'}, {records}"]
    lines += [
        f"  {one.grade.value:<8} {sentence(one)}" for grade in Grade for one in checked.found if one.grade is grade
    ]
    if checked.records:
        lines.append(f"  seal     {checked.end.hash}")
    return "\n".join(lines)


def rulings_text(checked: Checked) -> str:
    """All records in words, as they lie in an exported file: always in English, for they are checked word by word."""
    with spoken(ENGLISH):
        blocks = ["\n".join(_record_lines(record)) for record in checked.records]
    title = f"{printable(checked.game)}, as tileref {VERSION} tells it"
    return "\n\n".join([title, *blocks]) + "\n"


def again_text(checked: Checked, turns: Sequence[TurnAgain], rules: str) -> str:
    """The turns that are ruled otherwise now, after what was found in the evidence."""
    lines = [checked_text(checked), f"ruled again by {printable(rules)}"]
    for turn in turns:
        if turn.differs is not False:
            lines += _turn_lines(turn)
    differ, open_ones = sum(one.differs is True for one in turns), sum(one.differs is None for one in turns)
    not_ruled = f", {open_ones} cannot be ruled on again" if open_ones else ""
    lines.append(f"{len(turns)} turn{'' if len(turns) == 1 else 's'}, {differ} ruled otherwise{not_ruled}")
    return "\n".join(lines)


def _turn_lines(turn: TurnAgain) -> Iterator[str]:
    number = "?" if turn.turn is None else str(turn.turn)
    then = VERDICTS.get(turn.then.verdict, "CANNOT TELL")
    now = "cannot be ruled on again" if turn.now is None else VERDICTS[turn.now.verdict]
    yield f"  turn {number:<4} {printable(turn.player or '?')}: {then} -> {now}"
    if turn.decided is not None:
        yield f"    referee  {VERDICTS.get(turn.decided, turn.decided)}"
    if turn.now is None:
        yield f"    why      {printable(say_told(turn.why).rstrip('.'))}"
        return
    if turn.read_otherwise:
        yield f"    read     {printable(turn.then.table) or '(empty)'}"
        yield f"    now      {printable(turn.now.table) or '(empty)'}"
    for label, ruled in (("then", turn.then), ("now", turn.now)):
        for finding in ruled.findings:
            if finding.get("severity") != "note":
                yield f"    {label:<8} {printable(str(finding.get('message')))}"
    if (turn.then.draw, turn.then.points) != (turn.now.draw, turn.now.points):
        yield f"    costs    {_costs(turn.then)} -> {_costs(turn.now)}"


def _costs(ruled: Ruled) -> str:
    if ruled.draw is None:
        return "open"
    return f"draws {ruled.draw}" + (f", loses {ruled.points} points" if ruled.points else "")


def version_told(rulings: bytes) -> str | None:
    """The version of the program that wrote ``rulings_text``."""
    told = re.search(r", as tileref (\S+) tells it$", rulings.decode(errors="replace").partition("\n")[0])
    return None if told is None else told[1]


def _record_lines(record: Record) -> Iterator[str]:
    what = OCCASION_WORDS.get(str(record.get("occasion")), SOMETHING_ELSE)
    number = record.get("turn")
    turn = f", turn {number}" if record.get("occasion") == Occasion.TURN.value and number is not None else ""
    player = f", {printable(str(record['player']))}" if record.get("player") else ""
    yield f"Record {record['number']}{turn}{player}: {what}{_when(record)}"
    rules = _told(record, "rules")
    if rules:
        yield f"  rules    {printable(str(rules.get('name')))} {printable(str(rules.get('fingerprint')))}"
    command = _told(record, "command")
    if command.get("table") is not None:
        yield f"  table    {printable(str(command['table'])) or '(empty)'}"
    ruling = _told(record, "ruling")
    if ruling:
        yield f"  ruling   {VERDICTS.get(str(ruling.get('verdict')), 'CANNOT TELL')}"
    for finding in ruling.get("findings", ()):
        yield f"  {printable(str(finding.get('severity'))):<8} {printable(str(finding.get('message')))}"
    for word in record.get("words") or ():
        yield f"  a human  {_word_text(word)}"
    yield from _event_lines(record)
    for name, picture in sorted(_told(record, "pictures").items()):
        kept = picture.get("kept") is True
        yield f"  picture  {printable(name)}: {picture['sha256'] if kept else 'not kept'}"


def _event_lines(record: Record) -> Iterator[str]:
    """What the log says of it, in words where a ruling or a referee's reason is in it."""
    own = max(0, record["events"])
    try:
        events = log_of(record)[-own:] if own else ()
    except RecordError:
        return
    for event in events:
        match event:
            case TurnEnded():
                yield from _turn_ended(event)
            case VerdictOverridden():
                yield f"  reason   {printable(event.reason)}"
                yield from _turn_ended(event.turn)
            case TurnUndone() | TableCorrected() | PenaltyGiven():
                yield f"  event    {type(event).__name__}: {printable(event.reason)}"
            case _:
                yield f"  event    {type(event).__name__}"


def _turn_ended(turn: TurnEnded) -> Iterator[str]:
    if turn.by != "machine":
        yield f"  referee  {VERDICTS.get(turn.verdict, 'CANNOT TELL')}"
    yield f"  stands   {printable(turn.after) or '(empty)'}"
    costs = [f"{turn.drew} drawn"] if turn.drew else []
    costs += [f"{turn.took} taken from the table"] if turn.took else []
    costs += [f"{turn.points} points lost"] if turn.points else []
    if costs:
        yield f"  costs    {listed(costs)}"
    if turn.elapsed_s is not None:
        yield f"  time     {turn.elapsed_s:g} s"


def _word_text(word: Mapping[str, Any]) -> str:
    """What a human said of a tile, and what it had been read as."""
    told = word.get("read")
    read = ", ".join(" ".join(map(str, one)) for one in told if isinstance(one, list)) if isinstance(told, list) else ""
    said = word.get("did") if word.get("did") in {"removed", "moved", "cut", "cleared"} else word.get("said")
    return printable(f"said {said}; it was read as {read or 'no tile'}")


def _when(record: Record) -> str:
    """When a record was written, in universal time."""
    try:
        return f" ({datetime.fromtimestamp(record['written_at'], UTC):%Y-%m-%d %H:%M:%S} UTC)"
    except (ValueError, OverflowError, OSError):
        return ""


def _told(record: Record, key: str) -> Mapping[str, Any]:
    return record.get(key) or {}
