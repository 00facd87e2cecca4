"""What the evidence commands say: sentences for what was found, rulings as text, differences turn by turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from referee.chain import Record
from web.evidence.check import Checked, Code, Found, Grade
from web.evidence.turn import Occasion
from web.output import printable
from web.version import VERSION

SENTENCES: Mapping[Code, str] = {
    Code.RECORD_CHANGED: "{where} was changed: {why}.",
    Code.RECORD_MISSING: "{where} is missing ({count} in a row).",
    Code.RECORD_MOVED: "{where} does not follow the record before it: one was moved, put in or left out.",
    Code.RECORD_ADDED: "{where} was put in from outside.",
    Code.OTHER_GAME: "{where} is of another game.",
    Code.PICTURE_CHANGED: "{where} was changed.",
    Code.PICTURE_MISSING: "{where} is missing, and nothing says that it was let go.",
    Code.PICTURE_ADDED: "{where} belongs to no record.",
    Code.FILE_ADDED: "{where} was put in from outside.",
    Code.END_MISSING: "{where}, which says where the chain ends, is missing.",
    Code.END_CHANGED: "{where}, which says where the chain ends, was changed.",
    Code.LOG_CHANGED: "The log of the game is not the one that {where} was kept with.",
    Code.WORDS_CHANGED: "{where} does not say what the records say: go by the records.",
    Code.SEAL_UNKNOWN: "No record has the seal {where}: the chain is not the one that was noted.",
    Code.NO_EVIDENCE: "Event {where} of the log is a turn, and nothing was kept of it.",
    Code.NOTHING: "There is no record in {where}.",
    Code.GAP: "Nothing was kept of event {where} of the log, as the next record says: {why}.",
    Code.PICTURE_NOT_KEPT: "Pictures that could not be kept, as their records say: {count}.",
    Code.REMOVED: "Pictures removed by retention; their hashes are still in the chain: {count}.",
    Code.INTERRUPTED: "{where} was written, and the record that was to name it was not: the program was stopped.",
    Code.LOG_ABSENT: "The log of the game is not at hand: the records are compared with each other alone.",
    Code.WORDS_OF_OTHERS: "{where} was written by another tileref than this one, so its words were not looked at.",
}

GRADE_WORDS: Mapping[Grade, str] = {
    Grade.CHANGED: "CHANGED",
    Grade.WANTING: "NOT COMPLETE",
    Grade.NOTE: "AS IT WAS WRITTEN",
}

OCCASION_WORDS: Mapping[str, str] = {
    Occasion.TURN.value: "turn",
    Occasion.ANSWER.value: "the referee's answer",
    Occasion.OVERRIDE.value: "the referee ruled otherwise",
    Occasion.UNDO.value: "the turn was taken back",
    Occasion.CORRECTION.value: "the table was corrected",
    Occasion.ROUND.value: "end of the round",
    Occasion.OTHER.value: "something else",
    Occasion.RETENTION.value: "old pictures were let go",
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
    return SENTENCES[found.code].format(where=printable(found.where), why=found.why.rstrip("."), count=found.count)


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
    """All records in words, as they lie in an exported file."""
    blocks = ["\n".join(_record_lines(record)) for record in checked.records]
    title = f"{printable(checked.game)}, as tileref {VERSION} tells it"
    return "\n\n".join([title, *blocks]) + "\n"


def version_told(rulings: bytes) -> str | None:
    """The version of the program that wrote ``rulings_text``."""
    told = re.search(r", as tileref (\S+) tells it$", rulings.decode(errors="replace").partition("\n")[0])
    return None if told is None else told[1]


def _record_lines(record: Record) -> Iterator[str]:
    what = OCCASION_WORDS.get(str(record.get("occasion")), "something else")
    number = record.get("turn")
    turn = f", turn {number}" if record.get("occasion") == Occasion.TURN.value and number is not None else ""
    player = f", {printable(str(record['player']))}" if record.get("player") else ""
    yield f"Record {record['number']}{turn}{player}: {what}"
    rules = _told(record, "rules")
    if rules:
        yield f"  rules    {printable(str(rules.get('name')))} {printable(str(rules.get('fingerprint')))}"
    command = _told(record, "command")
    if command.get("table") is not None:
        yield f"  table    {printable(str(command['table'])) or '(empty)'}"
    ruling = _told(record, "ruling")
    if ruling:
        yield f"  ruling   {VERDICTS.get(str(ruling.get('verdict')), 'CANNOT TELL')}"
    findings = ruling.get("findings")
    for finding in findings if isinstance(findings, list) else []:
        if isinstance(finding, dict):
            yield f"  {printable(str(finding.get('severity'))):<8} {printable(str(finding.get('message')))}"
    for event in record["log"][-_count(record) :] if _count(record) and isinstance(record.get("log"), list) else []:
        yield f"  log      {printable(str(event))}"
    for name, picture in sorted(_told(record, "pictures").items()):
        kept = isinstance(picture, dict) and picture.get("kept") is True
        yield f"  picture  {printable(name)}: {picture['sha256'] if kept else 'not kept'}"


def _told(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _count(record: Record) -> int:
    count = record.get("events")
    return count if isinstance(count, int) else 0
