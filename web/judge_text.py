"""The ruling of ``tileref judge`` for people: the verdict, each set, what was done, what is wrong, how to mend it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.cards import face_code
from referee.findings import FindingCode, Severity
from referee.notation import format_table, sure
from referee.ruling import JudgedSet, Verdict
from referee.solver.repair import Move
from referee.switches import Faces, shown
from referee.tiles import Tile
from web.given import GivenTable, written
from web.judge_report import Question, Remark, Report, Side
from web.lines import kind_and_value, labelled, legality, verdict_word, weighed
from web.messages import PLURAL_TEMPLATES, deciding_rule, listed, message
from web.output import printable
from web.report_text import meaning_text

DECISIVE = {
    Question.OPENED: "Whether the player had opened before decides, and nobody said (--opened, --not-opened).",
    Question.OTHERS_OPENED: "Whether all others had opened decides, and nobody said (--others-opened or not).",
}
"""What is asked where the verdict hangs on it."""

UNCHECKED = {
    Question.RACK: "Nobody saw the rack: not checked whether the tiles laid came from it.",
    Question.COULD_PLAY: "Not checked whether the player, who drew, could have played, which these rules then demand.",
}
"""What was not looked at, and why."""

_IF = {
    (Question.OPENED, True): "if the player had opened",
    (Question.OPENED, False): "if the player had not opened",
    (Question.OTHERS_OPENED, True): "if all others had opened",
    (Question.OTHERS_OPENED, False): "if not all others had opened",
}


def report_text(report: Report) -> str:
    """The whole ruling, several lines."""
    verdict = verdict_word(report.verdict)
    lines = [f"{verdict}{_because(report)} (rules: {printable(report.ruleset.name)})"]
    lines += _sets(report)
    lines += _turn(report)
    lines += [weighed(*said) for said in _said(report)]
    lines += [labelled("before", _illegal_before(index, report)) for index in report.illegal_before]
    lines += [labelled("not told", DECISIVE[question]) for question in report.decisive]
    lines += [labelled("not checked", UNCHECKED[question]) for question in report.unchecked]
    lines += _repair(report)
    return "\n".join(lines)


def remark_sentence(remark: Remark, report: Report) -> str:
    """What was found, and under which answers it holds."""
    return _under(remark, message(remark.finding, _codes(remark.side, report), report.ruleset.faces))


def _under(remark: Remark, sentence: str) -> str:
    if not remark.only_if:
        return sentence
    conditions = listed([_IF[one] for one in remark.only_if.items()])
    return f"{conditions[0].upper()}{conditions[1:]}: {sentence}"


def move_sentence(moves: Sequence[Move], report: Report) -> str:
    """Moves of a repair from one set to one place, in the words that a referee would use."""
    first = moves[0]
    tiles = listed([face_code(move.tile, report.ruleset.faces) for move in moves])
    alone = len(report.after.noted[first.from_set]) == 1
    source = "" if alone else f" from {_set_name(report.after, first.from_set, report)}"
    if first.to_set is None:
        return f"Take {tiles}{source} off the table."
    if first.to_set >= len(report.after.noted):
        return f"Lay {tiles}{source} in a new set."
    return f"Move {tiles}{source} to {_set_name(report.after, first.to_set, report)}."


def repaired_text(report: Report) -> str | None:
    """The table after the repair, in notation."""
    if report.repair is None:
        return None
    return format_table([sure(*tiles) for tiles in report.repair.table], faces=report.ruleset.faces)


def _set_name(table: GivenTable, index: int, report: Report) -> str:
    return f"set {index + 1} ({written(table.noted[index], report.ruleset)})"


def _codes(side: Side, report: Report) -> tuple[str, ...]:
    """The notation of every place of a table or rack; of a doubtful tile its first reading."""
    places = {
        Side.AFTER: report.after.places,
        Side.BEFORE: report.before.places if report.before else (),
        Side.RACK: report.rack.places if report.rack else (),
    }[side]
    faces = report.ruleset.faces
    return tuple(face_code(place.readings[0], faces) if place.readings else "?" for place in places)


def _because(report: Report) -> str:
    """Which sets and findings the verdict rests on, in a few words."""
    if report.verdict is Verdict.LEGAL:
        return ""
    wanted, severity = (False, Severity.FAULT) if report.verdict is Verdict.ILLEGAL else (None, Severity.DOUBT)
    rulings = zip(report.after.noted, report.set_rulings, strict=True)
    numbers = [
        str(number) for number, (_, judged) in enumerate(rulings, 1) if judged is not None and judged.legal is wanted
    ]
    in_sets = {finding.code for judged in report.set_rulings if judged is not None for finding in judged.findings}
    parts = [f"set{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"] if numbers else []
    others = (remark.finding for remark in report.remarks if remark.finding.severity is severity)
    parts += dict.fromkeys(one.code.value.replace("_", " ") for one in others if one.code not in in_sets)
    parts += [question.value.replace("_", " ") for question in report.decisive]
    return f" - {', '.join(parts)}" if parts else ""


def _sets(report: Report) -> Iterator[str]:
    rows = [_row(judged, index, report) for index, judged in enumerate(report.set_rulings)]
    width = max((len(tiles) for _, tiles, _ in rows), default=0)
    for number, (legal, tiles, told) in enumerate(rows, 1):
        yield f"  {number:>3} {legality(legal)} {tiles:<{width}}  {told}".rstrip()


def _row(judged: JudgedSet | None, index: int, report: Report) -> tuple[bool | None, str, str]:
    """Legality, tiles, and kind with value (or that a tile lies alone) of one set."""
    places = report.after.noted[index]
    if judged is None:
        return report.legality(index), written(places, report.ruleset), "alone"
    start = sum(len(earlier) for earlier in report.after.noted[:index])
    meanings = {meaning.place: meaning for meaning in judged.meanings}
    words = []
    for at, place in enumerate(places, start):
        tile = report.after.tile_at[at]
        meaning = meanings.get(tile) if tile is not None else None
        one = written([place], report.ruleset)
        if meaning is not None and place.meaning is None:
            one += meaning_text(meaning, report.ruleset.faces)
        words.append(one)
    return report.legality(index), " ".join(words), kind_and_value(judged)


def _turn(report: Report) -> Iterator[str]:
    turn, faces = report.turn, report.ruleset.faces
    if turn is None:
        return
    for label, tiles in (("played", turn.played), ("moved", turn.moved), ("taken", turn.taken)):
        if tiles or label == "played":
            yield labelled(label, tiles_text(tiles, faces) or "nothing")
    if turn.opening is not None and turn.played:
        yield labelled("opening", f"{turn.opening}, needed {shown(report.ruleset.open_points)}")


def tiles_text(tiles: Sequence[Tile], faces: Faces) -> str:
    """Tiles in a row, as the box prints them."""
    return " ".join(face_code(tile, faces) for tile in tiles)


def _said(report: Report) -> Iterator[tuple[Severity, str]]:
    """Every remark as a sentence with its set and the rule that decides, the gravest first.

    What is found alike of several single tiles is said once.
    """
    grouped: dict[object, list[Remark]] = {}
    for place, remark in enumerate(report.remarks):
        kind = (remark.finding.code, remark.finding.severity)
        together = (kind, remark.side, str(remark.only_if)) if kind in PLURAL_TEMPLATES else place
        grouped.setdefault(together, []).append(remark)
    for severity in Severity:
        for alike in grouped.values():
            if alike[0].finding.severity is severity:
                yield severity, _sentence(alike, report)


def _sentence(alike: Sequence[Remark], report: Report) -> str:
    first = alike[0]
    if len(alike) > 1:
        codes = _codes(first.side, report)
        tiles = [codes[i] for i in sorted(i for remark in alike for i in remark.finding.tiles)]
        return _under(first, PLURAL_TEMPLATES[first.finding.code, first.finding.severity].format(tiles=listed(tiles)))
    rule = deciding_rule(first.finding, report.ruleset)
    return f"{_where(first, report)}{remark_sentence(first, report)}{'' if rule is None else f' [{rule}]'}"


def _where(remark: Remark, report: Report) -> str:
    """The set that a remark speaks of; one of the table before is not listed above, so its tiles are said."""
    if remark.side is Side.RACK:
        return "Rack: " if remark.finding.code is not FindingCode.TOO_MANY_COPIES else "Table before and rack: "
    index = report.set_of(remark)
    if remark.side is Side.AFTER:
        return "" if index is None else f"Set {index + 1}: "
    if index is None or report.before is None:
        return "Table before: "
    return f"Table before, set {index + 1} ({written(report.before.noted[index], report.ruleset)}): "


def _illegal_before(index: int, report: Report) -> str:
    tiles = written(report.before.noted[index], report.ruleset) if report.before else ""
    return f"Set {index + 1} of the table before ({tiles}) was illegal already."


def _repair(report: Report) -> Iterator[str]:
    if report.repair is None:
        return
    if not report.repair.fewest:
        yield labelled("repair", "None with a few moves was found; without the tiles of its illegal sets it is legal.")
        return
    together: dict[tuple[int, int | None], list[Move]] = {}
    for move in report.repair.moves:
        together.setdefault((move.from_set, move.to_set), []).append(move)
    for moves in together.values():
        yield labelled("repair", move_sentence(moves, report))
    yield labelled("afterwards", repaired_text(report) or "an empty table")
