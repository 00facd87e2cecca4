"""The answer of ``tileref solve`` for people: the play, the table afterwards, what stays on the rack."""

from __future__ import annotations

from collections.abc import Iterator

import click

from referee.cards import face_code
from referee.notation import Places, sure
from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.solver.plays import Aim, Play
from referee.tiles import Joker
from web.given import over_held, written
from web.judge_text import tiles_text
from web.lines import labelled
from web.messages import listed
from web.output import printable
from web.report_text import meaning_text
from web.solve_report import Found, Note, Origin, Solution

NOTES = {
    Note.RACK_FOR_TABLE: "The picture of the table shows a rack.",
    Note.TABLE_DOUBTFUL: "The table was not surely read",
    Note.RACK_DOUBTFUL: "The rack was not surely read",
    Note.TOO_MANY_COPIES: "More than the box holds, so some tile was misread",
    Note.TABLE_ILLEGAL: "The table is illegal as it lies.",
    Note.TABLE_CANNOT_STAND: "The tiles of the table cannot all lie in legal sets, whatever is added.",
    Note.OTHERS_NOT_OPENED: "Taken as told: not all others have opened (--others-opened says that they have).",
    Note.MAYBE_BETTER: "A better play was not ruled out.",
    Note.UNPROVEN: "No play was found that these rules permit, which does not prove that there is none.",
}

_WORDS = {
    Found.PLAY: ("PLAY", "green"),
    Found.NO_PLAY: ("NO PLAY", "red"),
    Found.CANNOT_TELL: ("CANNOT TELL", "yellow"),
}
_ORIGIN_COLOURS = {Origin.KEPT: None, Origin.CHANGED: "yellow", Origin.NEW: "green"}


def solution_text(solution: Solution) -> str:
    """The whole answer, several lines."""
    word, colour = _WORDS[solution.found]
    lines = [f"{click.style(word, fg=colour, bold=True)}{_sums(solution)} (rules: {printable(solution.ruleset.name)})"]
    lines += _opening(solution)
    lines += _table(solution)
    if solution.play is not None:
        faces = solution.ruleset.faces
        lines.append(labelled("laid", tiles_text(solution.play.laid, faces)))
        lines.append(labelled("left", tiles_text(solution.left, faces) or "nothing: the rack is empty"))
    if solution.freer is not None:
        lines.append(labelled("freer", freer_sentence(solution.freer, solution)))
    lines += [labelled("note", note_sentence(note, solution)) for note in solution.notes]
    return "\n".join(lines)


def note_sentence(note: Note, solution: Solution) -> str:
    """What to know about the answer; doubtful tiles are named."""
    if note is Note.TOO_MANY_COPIES:
        tiles = over_held((*solution.table.places, *solution.rack.places), solution.ruleset)
        return f"{NOTES[note]}: {listed([face_code(tile, solution.ruleset.faces) for tile in tiles])}."
    places = {Note.TABLE_DOUBTFUL: solution.table.places, Note.RACK_DOUBTFUL: solution.rack.places}.get(note)
    if places is None:
        return NOTES[note]
    if not places:
        return f"{NOTES[note]}: no tile shows its face."
    doubtful = [written([place], solution.ruleset) for place in places if len(place.readings) > 1]
    hidden = sum(not place.readings for place in places)
    named = [*doubtful, *([f"{hidden} unread"] if hidden else [])]
    return f"{NOTES[note]}: {listed(named)}."


def freer_sentence(freer: Play, solution: Solution) -> str:
    """What could be laid if the table could be rearranged freely."""
    tiles = tiles_text(freer.laid, solution.ruleset.faces)
    sums = _counted(freer, solution.aim)
    return f"A free rearrangement would lay {sums} ({tiles}); no way to as much that these rules permit was found."


def _with_meanings(places: Places, ruleset: RuleSet) -> str:
    """A set in notation, with what its regular jokers stand for."""
    tiles = [place.readings[0] for place in places]
    meanings = {meaning.place: meaning for meaning in judge_set(tiles, ruleset).meanings}
    words = []
    for at, place in enumerate(places):
        known = place.meaning is None and tiles[at].joker is Joker.REGULAR and at in meanings
        words.append(written([place], ruleset) + (meaning_text(meanings[at], ruleset.faces) if known else ""))
    return " ".join(words)


def _sums(solution: Solution) -> str:
    return f" - {_counted(solution.play, solution.aim)}" if solution.play is not None else ""


def _counted(play: Play, aim: Aim) -> str:
    tiles = f"{len(play.laid)} tile{'' if len(play.laid) == 1 else 's'}"
    return f"{tiles}, value {play.value}" if aim is Aim.TILES else f"value {play.value}, {tiles}"


def _opening(solution: Solution) -> Iterator[str]:
    if solution.opening is None:
        return
    needed = solution.ruleset.open_points
    reaches = "enough" if solution.opens else "not enough"
    sets = " | ".join(_with_meanings(sure(*tiles), solution.ruleset) for tiles in solution.opening.sets)
    sets = f": {sets}" if sets else ""
    yield labelled("best opening", f"{solution.opening.value}, needed {needed}, {reaches}{sets}")


def _table(solution: Solution) -> Iterator[str]:
    for number, (origin, places) in enumerate(solution.after, 1):
        state = click.style(f"{'' if origin is Origin.KEPT else origin.value:<11}", fg=_ORIGIN_COLOURS[origin])
        yield f"  {number:>3} {state} {_with_meanings(places, solution.ruleset)}"
