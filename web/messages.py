"""Everything the referee can say: one English template for each finding code, said in the language that is spoken.

Placeholders: ``{tiles}`` are the finding's tiles by their codes, the others are the finding's own params
(``referee.findings`` lists them).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from referee.cards import RANKS, face_code
from referee.findings import Finding, FindingCode, Param, Severity
from referee.ruleset import RuleSet
from referee.switches import Faces, shown
from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER, parse_tile
from referee.told import marked
from web.tongue import say

MOST_READINGS = 4
"""A sentence that names more than this many readings of one tile helps nobody; the JSON line has them all."""

COLOUR_NAMES = {
    Faces.TILES: {"R": marked("red"), "B": marked("blue"), "K": marked("black"), "O": marked("orange")},
    Faces.CARDS: {"R": marked("hearts"), "B": marked("clubs"), "K": marked("spades"), "O": marked("diamonds")},
}

TEMPLATES: dict[FindingCode, str] = {
    FindingCode.TOO_SHORT: marked("Too short: tiles {length}, needed {least}."),
    FindingCode.TOO_LONG: marked("Too long: tiles {length}, allowed {most}."),
    FindingCode.MIXED_COLOURS: marked("Mixed colours in a run: {tiles} should be {colour}."),
    FindingCode.REPEATED_NUMBER: marked("Repeated number in a run: {tiles}."),
    FindingCode.GAP: marked("Gap in the run: {missing} missing."),
    FindingCode.WRAP: marked("A run cannot go on from {highest} to {lowest}."),
    FindingCode.MIXED_NUMBERS: marked("Mixed numbers in a group: {tiles} should be {number}."),
    FindingCode.REPEATED_COLOUR: marked("Repeated colour in a group: {tiles}."),
    FindingCode.NEITHER_RUN_NOR_GROUP: marked("Neither a run nor a group."),
    FindingCode.TOO_MANY_JOKERS: marked("Too many jokers in one set: {count}, allowed {most}."),
    FindingCode.ADJACENT_JOKERS: marked("Jokers side by side, which these rules forbid."),
    FindingCode.JOKER_FOR_EXHAUSTED_TILE: marked(
        "A joker would stand for {exhausted}, of which every copy is in sight."
    ),
    FindingCode.SCRAMBLED: marked("The run does not lie in order."),
    FindingCode.JOKER_OUT_OF_RANGE: marked("A joker's place would be {numbers}, and a run has {lowest} to {highest}."),
    FindingCode.TOO_MANY_SPECIAL_JOKERS: marked("Too many special jokers in one set: {count}, allowed {most}."),
    FindingCode.DOUBLE_AT_END: marked("A double joker begins or ends the run, which these rules forbid."),
    FindingCode.DOUBLE_IN_GROUP: marked("A double joker lies in a group, which these rules forbid."),
    FindingCode.TOO_MANY_COLOUR_CHANGES: marked("Too many colour-change jokers in one run: {count}, allowed {most}."),
    FindingCode.COLOUR_CHANGE_AT_END: marked("A colour-change joker needs a tile on both sides."),
    FindingCode.COLOUR_NOT_CHANGED: marked("The colour is the same on both sides of the colour-change joker."),
    FindingCode.TOO_MANY_MIRRORS: marked("A set has one centre, and {count} mirror jokers lie in it."),
    FindingCode.MIRROR_NOT_CENTRAL: marked("The mirror joker is not in the centre: tiles left {left}, right {right}."),
    FindingCode.MIRROR_SIDES_DIFFER: marked("The two sides of the mirror joker differ."),
    FindingCode.MIRROR_SIDE_SHORT: marked("Too few tiles on each side of the mirror joker: needed {least}."),
    FindingCode.MIRROR_IN_GROUP: marked("A mirror joker lies in a group, which these rules forbid."),
    FindingCode.DOUBTFUL_TILE: marked("{tiles} is doubtful: it may be {readings}."),
    FindingCode.JOKER_KIND: marked("Which joker it is cannot be told: it may be {readings}."),
    FindingCode.SUSPECT_TILE: marked("Look at {read}: it makes this set illegal, and it may be {instead}."),
    FindingCode.HIDDEN_TILE_IN_SET: marked("A face-down tile lies in this set."),
    FindingCode.UNREAD_TILE_AT_SET: marked("A covered or cut tile touches this set."),
    FindingCode.SET_AT_EDGE: marked(
        "This set ends at the picture's edge, and may go on beyond it: bring it all into view."
    ),
    FindingCode.SETS_IN_ONE_LINE: marked("No set as one row, but it may be {parts} side by side: lay them apart."),
    FindingCode.LOOSE_TILE: marked("{tile} lies alone, in no set."),
    FindingCode.TOO_MANY_COPIES: marked("Too many copies of {tile}: seen {count}, held by the box {held}."),
    FindingCode.FACE_DOWN: marked("Face-down tiles beside the sets: {count}."),
    FindingCode.UNREAD: marked("Covered or cut tiles that cannot be read: {count}."),
    FindingCode.NO_TILES: marked("No tile shows its face, so there is nothing to rule on."),
    FindingCode.RACK: marked("This is a rack, not a table."),
    FindingCode.UNLIKE_TILES: marked(
        "What lies here does not look like tiles with numbers: another game, print, or a box unknown to the referee."
    ),
    FindingCode.DRAWN: marked("This is a drawing, a screenshot or a photo of a screen, not a photo of a table."),
    FindingCode.NOTHING_LAID: marked("Too few tiles from the rack: laid {laid}, needed {least}."),
    FindingCode.NOT_FROM_RACK: marked("{tile} was laid and was not on the rack."),
    FindingCode.OPENING_LOW: marked("The opening is worth {value}, needed {needed}."),
    FindingCode.OPENING_JOKER: marked("A joker lies in the opening, which these rules forbid."),
    FindingCode.TABLE_BEFORE_OPENING: marked(
        "Sets of the table were changed in a turn that must open with new sets alone."
    ),
    FindingCode.TABLE_TOO_EARLY: marked("Sets of the table were changed before all players have opened."),
    FindingCode.SET_NOT_KEPT: marked("A set is no longer whole, and under these rules tiles are only added."),
    FindingCode.JOKER_NOT_FREED: marked("The joker was moved without the tile that it stands for: {meanings}."),
    FindingCode.JOKER_MEANING_CHANGED: marked("The joker stood for {meanings} and stands for another tile now."),
    FindingCode.JOKER_REPLACED_FROM_TABLE: marked(
        "The joker was freed with a tile of the table, not of the rack: {meanings}."
    ),
    FindingCode.JOKER_NEEDS_BOTH: marked("The joker is freed only by all of these tiles: {meanings}."),
    FindingCode.JOKER_SET_FROZEN: marked("A set that holds a joker was taken apart."),
    FindingCode.JOKER_IN_OLD_SET: marked("The freed joker was not laid in a set where it may be laid."),
    FindingCode.JOKER_RACK_TILES: marked(
        "The freed joker lies with too few tiles from the rack: {laid}, needed {least}."
    ),
    FindingCode.DREW_AND_PLAYED: marked("A player who draws leaves the table as it is."),
    FindingCode.COULD_HAVE_PLAYED: marked("The rack could have been played from, and these rules then forbid to draw."),
    FindingCode.TOO_MANY_READINGS: marked(
        "Too many tiles are doubtful, or too many jokers moved, to go through every way."
    ),
    FindingCode.LATE_TILE: marked("Laid after the bell: {tiles}."),
    FindingCode.OVERRUN: marked("The time was over."),
    FindingCode.UNFINISHED: marked("The table was not in order when the turn was over."),
    FindingCode.TIDIED_LATE: marked("The table was put in order only after the bell."),
    FindingCode.NOT_RESTORED: marked("The table is not as it was before the turn."),
    FindingCode.TABLE_TILE_TAKEN: marked("{tile} was on the table before and is gone."),
}

NOTHING_COUNTED = "No tiles were seen, so nothing can be said to be missing: lay the whole box out in view."
"""Instead of a list of all tiles of the box, where a picture to count shows none."""

NO_MAJORITY_TEMPLATES: dict[FindingCode, str] = {
    FindingCode.MIXED_COLOURS: marked("Mixed colours in a run: {tiles}."),
    FindingCode.MIXED_NUMBERS: marked("Mixed numbers in a group: {tiles}."),
}
"""Where no colour or number prevails, so that none of the tiles is the wrong one."""

NO_TILE_TEMPLATES: dict[FindingCode, str] = {
    FindingCode.DOUBTFUL_TILE: marked("A tile of the table before the turn, or of the rack, is doubtful."),
}
"""Where the tiles found are on no table that the finding could point to."""

SEVERITY_TEMPLATES: dict[tuple[FindingCode, Severity], str] = {
    (FindingCode.SCRAMBLED, Severity.NOTE): marked("The run does not lie in order; its content is legal."),
    (FindingCode.JOKER_OUT_OF_RANGE, Severity.NOTE): marked(
        "A joker's place would be {numbers}; the content is legal."
    ),
    (FindingCode.OPENING_LOW, Severity.DOUBT): marked(
        "The opening is worth {value} or more, needed {needed}: what its special jokers make possible is not known."
    ),
    (FindingCode.LOOSE_TILE, Severity.DOUBT): marked("{tile} seems to lie alone, but that is not certain."),
    (FindingCode.TABLE_TILE_TAKEN, Severity.DOUBT): marked("{tile} may have been taken from the table."),
}
"""Where a finding weighs less than its main template says."""

OTHERS_TEMPLATE = marked("No set as one row, but it may be {parts}, or others, side by side: lay them apart.")
"""Where a row may be cut in more ways than are named."""

PLURAL_TEMPLATES: dict[tuple[FindingCode, Severity], str] = {
    (FindingCode.LOOSE_TILE, Severity.FAULT): marked("{tiles} lie alone, in no set."),
    (FindingCode.LOOSE_TILE, Severity.DOUBT): marked("{tiles} seem to lie alone, but that is not certain."),
    (FindingCode.TABLE_TILE_TAKEN, Severity.FAULT): marked("{tiles} were on the table before and are gone."),
    (FindingCode.TABLE_TILE_TAKEN, Severity.DOUBT): marked("{tiles} may have been taken from the table."),
}
"""Findings that speak of one tile each, said together."""

SWITCHES: dict[FindingCode, str] = {
    FindingCode.TOO_SHORT: "min_set_length",
    FindingCode.WRAP: "wrap_13_1",
    FindingCode.TOO_MANY_JOKERS: "jokers_per_set_max",
    FindingCode.ADJACENT_JOKERS: "jokers_adjacent",
    FindingCode.JOKER_FOR_EXHAUSTED_TILE: "joker_for_exhausted_tile",
    FindingCode.SCRAMBLED: "row_order",
    FindingCode.JOKER_OUT_OF_RANGE: "row_order",
    FindingCode.TOO_MANY_SPECIAL_JOKERS: "special_jokers_per_set_max",
    FindingCode.DOUBLE_AT_END: "double_at_ends",
    FindingCode.DOUBLE_IN_GROUP: "double_in_group",
    FindingCode.TOO_MANY_COLOUR_CHANGES: "colour_changes_per_run",
    FindingCode.MIRROR_SIDE_SHORT: "mirror_side_least",
    FindingCode.MIRROR_IN_GROUP: "mirror_in_group",
}
"""The rule that decides a finding which does not name it itself."""

NOTE_MESSAGES = {
    "second_reader_absent": marked("The second reader is off: the program tesseract is not installed."),
    "second_reader_stopped": marked("The second reader is off: the program tesseract does not answer in time."),
    "red_like_orange": marked("Red and orange look alike in a photo, so these colours stay in doubt."),
    "blue_like_black": marked("Blue and black look alike in a photo, so these colours stay in doubt."),
    "box_not_seen": marked("A photo shows tiles of another box than the taught one, so they are read as any box's."),
    "colours_too_faint": marked("A photo shows hardly any colour, so the colours of its tiles cannot be told."),
}
"""Notes on a picture as a whole (``Observation.notes``) that a user should hear of."""


_TILE_PARAMS = frozenset({"tile", "read", "instead", "readings", "exhausted", "meanings"})
"""Params that are tiles in notation."""


def message(finding: Finding, codes: Sequence[str], faces: Faces = Faces.TILES) -> str:
    """The sentence for a finding; ``codes`` are the notation of all tiles that its indices point to.

    ``faces`` says what the box prints, and so how the tiles in the finding's own params are written.
    """
    words = {name: _words(finding.code, name, value, faces) for name, value in finding.params}
    words |= {"lowest": _rank(LOWEST_NUMBER, faces), "highest": _rank(HIGHEST_NUMBER, faces)}
    if finding.code is FindingCode.SETS_IN_ONE_LINE:
        words["parts"] = _parts(finding, codes)
    template = SEVERITY_TEMPLATES.get((finding.code, finding.severity), TEMPLATES[finding.code])
    if finding.code in NO_MAJORITY_TEMPLATES and not any(dict(finding.params).get(key) for key in ("colour", "number")):
        template = NO_MAJORITY_TEMPLATES[finding.code]
    if finding.code in NO_TILE_TEMPLATES and not finding.tiles:
        template = NO_TILE_TEMPLATES[finding.code]
    if finding.code is FindingCode.SETS_IN_ONE_LINE and finding.param("others"):
        template = OTHERS_TEMPLATE
    return say(template, tiles=listed([codes[i] for i in finding.tiles]), **words)


def deciding_switch(finding: Finding) -> str | None:
    """The rule that decides a finding; None where every rule set says the same."""
    params = dict(finding.params)
    return str(params["switch"]) if "switch" in params else SWITCHES.get(finding.code)


def deciding_rule(finding: Finding, ruleset: RuleSet) -> str | None:
    """The same with its value, as a preset file writes it."""
    switch = deciding_switch(finding)
    return None if switch is None else f"{switch} = {shown(getattr(ruleset, switch))}"


def gathered(findings: Sequence[Finding], codes: Sequence[str]) -> list[tuple[Severity, str]]:
    """Sentences for people: what is found alike of several single tiles becomes one sentence, where the first stood."""
    sentences: dict[object, tuple[Severity, str]] = {}
    for place, finding in enumerate(findings):
        kind = (finding.code, finding.severity)
        if kind not in PLURAL_TEMPLATES:
            sentences[place] = (finding.severity, message(finding, codes))
        elif kind not in sentences:
            alike = [other for other in findings if (other.code, other.severity) == kind]
            tiles = [str(other.param("tile")) for other in alike]
            plural = say(PLURAL_TEMPLATES[kind], tiles=listed(tiles))
            sentences[kind] = (finding.severity, plural if len(alike) > 1 else message(finding, codes))
    return list(sentences.values())


def listed(words: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    some = ", ".join(words[:-1])
    if last == "or":
        return say("{some} or {last}", some=some, last=words[-1])
    return say("{some} and {last}", some=some, last=words[-1])


def _parts(finding: Finding, codes: Sequence[str]) -> str:
    """The sets into which a row may be cut: ``R1 R2 R3 and B5 K5 O5``."""
    starts = finding.param("starts")
    tiles = [codes[i] for i in finding.tiles]
    ends = pairwise((0, *(int(start) for start in (starts if isinstance(starts, tuple) else ())), len(tiles)))
    return listed([" ".join(tiles[start:end]) for start, end in ends])


def _words(code: FindingCode, name: str, value: Param, faces: Faces) -> str:
    parts = value if isinstance(value, tuple) else (value,)
    if name == "colour":
        return say(COLOUR_NAMES[faces].get(str(value), str(value)))
    if name in {"number", "missing", "numbers"}:
        return listed([_rank(number, faces) for number in parts])
    if name not in _TILE_PARAMS:
        return listed([str(part) for part in parts])
    tiles = [_tile(str(part), faces) for part in parts]
    if name == "readings" and len(tiles) > MOST_READINGS:
        tiles = [*tiles[: MOST_READINGS - 1], say("others")]
    either = name == "readings" or (name == "meanings" and code is not FindingCode.JOKER_NEEDS_BOTH)
    return listed(tiles, last="or" if either else "and")


def _tile(code: str, faces: Faces) -> str:
    """A tile of a finding's params: ``?`` is any tile, ``J/JD`` a joker of one of several kinds."""
    if code == "?":
        return say("any other tile")
    return "/".join(face_code(parse_tile(kind), faces) for kind in code.split("/"))


def _rank(number: object, faces: Faces) -> str:
    """A number as the box prints it; one that no tile has (a joker beyond 13) stays a number."""
    if faces is Faces.CARDS and isinstance(number, int) and LOWEST_NUMBER <= number <= HIGHEST_NUMBER:
        return RANKS[number - 1]
    return str(number)
