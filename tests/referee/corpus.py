"""The corpus of rulings: tests/rulings/*.txt, one ruling a line, written by hand from the sources.

    given ; presets ; expected ; source

``presets`` are names parted by commas; ``six`` is international and the five seeds, ``seeds`` the five.  Behind a
name may stand switches that a file resting on it would change: ``six{boxes=2}``.  What may be
given and expected is said at the top of each file.  ``outcome`` reads a line's "given" and rules on it; the line holds
where the words of its "expected" come out: all of them, and no others, but for words with ``=``, which are looked at
only where the line has them.  Words in brackets in a comment name the rows of the table of rules.md 1 that the lines
below it prove, up to the next comment that has some or begins a part (``---``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from referee.clock import MoveTime, starts_the_clock, time_move
from referee.deal import (
    dealt_jokers,
    decide_start,
    judge_redeal,
    misdeals,
    next_round_starter,
    next_seat,
    stacks,
)
from referee.endgame import claim_in_time, drawn, duty, round_over, seats_allowed
from referee.ending import Ending, TurnEnd, judge_ending, judge_restoration
from referee.findings import Finding, Severity
from referee.notation import NotedTable, Places, parse_rack, parse_table
from referee.ruleset import SWITCHES, RuleSet
from referee.score import Hand, RoundEnd, RoundScore, Score, score_round
from referee.standings import carried_over, match_over, standings, totals
from referee.switches import WholeNumber, YesNo
from referee.tiles import Tile, parse_tile
from referee.turn import Player, judge_turn

FOLDER = Path(__file__).parents[1] / "rulings"
SEEDS = ("twist-pl", "standard-sk", "classic-es", "classic-uk", "logiczna-pl")
ALIASES = {"six": ("international", *SEEDS), "seeds": SEEDS}
KINDS = ("turns", "endings", "deals", "clocks", "scores", "matches")


@dataclass(frozen=True, slots=True)
class Line:
    kind: str
    number: int
    given: str
    presets: tuple[tuple[str, tuple[tuple[str, object], ...]], ...]
    """Names, each with the switches changed for this line."""
    expected: frozenset[str]
    source: str
    rows: frozenset[str]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}: {self.given}"

    def rules(self, preset: str, ruleset: RuleSet) -> list[RuleSet]:
        """The rule sets under which the line must hold, where ``ruleset`` is ``preset`` or a changed one."""
        return [replace(ruleset, **dict(changes)) for name, changes in self.presets if name == preset]  # type: ignore[arg-type]

    def holds(self, ruleset: RuleSet) -> bool:
        return self.found(ruleset) == self.expected

    def found(self, ruleset: RuleSet) -> frozenset[str]:
        """The words that come out, those with ``=`` only where the line expects some of that name."""
        asked = {word.partition("=")[0] for word in self.expected if "=" in word}
        return frozenset(word for word in outcome(self, ruleset) if "=" not in word or word.partition("=")[0] in asked)


def rows_of(comment: str, before: frozenset[str]) -> frozenset[str]:
    """The rows that the lines below a comment prove, ``before`` being those of the lines above it."""
    named = frozenset(_ROW.findall(comment))
    return named if named or comment.startswith("# ---") else before


def read(kind: str) -> list[Line]:
    lines = []
    rows = frozenset[str]()
    for number, raw in enumerate((FOLDER / f"{kind}.txt").read_text(encoding="utf-8").splitlines(), 1):
        if not raw.strip() or raw.startswith("#"):
            rows = rows_of(raw, rows)
            continue
        given, presets, expected, source = (part.strip() for part in raw.split(" ; "))
        names = [
            (name, _changes(match[2] or ""))
            for match in _PRESET.finditer(presets)
            for name in ALIASES.get(match[1], (match[1],))
        ]
        lines.append(Line(kind, number, given, tuple(names), frozenset(expected.split()), source, rows))
    return lines


_ROW = re.compile(r"\[([a-z /]+)\]")
_PRESET = re.compile(r"([\w-]+)(?:\{([^}]*)\})?")


def _changes(text: str) -> tuple[tuple[str, object], ...]:
    """``boxes=2,direction=clockwise`` as switches with their values."""
    changes: list[tuple[str, object]] = []
    for word in text.split(",") if text else ():
        key, _, value = word.strip().partition("=")
        allowed = SWITCHES[key].allowed
        raw: object = value
        if isinstance(allowed, WholeNumber):
            raw = int(value)
        elif isinstance(allowed, YesNo):
            raw = value == "true"
        assert allowed.allows(raw), word
        changes.append((key, allowed.settled(raw)))
    return tuple(changes)


def outcome(line: Line, ruleset: RuleSet) -> list[str]:
    return _OUTCOMES[line.kind](line.given, ruleset)


# --- turns ------------------------------------------------------------------------------------------------------


def _options(text: str) -> tuple[str, dict[str, str]]:
    first, *others = (part.strip() for part in text.split(","))
    return first, {word.partition(" ")[0]: word.partition(" ")[2] for word in others}


def _tables(text: str, ruleset: RuleSet) -> list[NotedTable]:
    return [parse_table(part, ruleset.faces) for part in text.split("=>")]


def _player(options: dict[str, str], ruleset: RuleSet) -> Player:
    return Player(
        opened="unopened" not in options,
        rack=parse_rack(options["rack"], ruleset.faces) if "rack" in options else None,
        others_opened="others" in options,
        could_play=True if "could" in options else None,
        pool_empty="empty" in options,
    )


def _weighty(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.code.value for finding in findings if finding.severity is not Severity.NOTE}


def _turn(given: str, ruleset: RuleSet) -> list[str]:
    text, options = _options(given)
    try:
        before, after = _tables(text, ruleset)
    except ValueError:  # tiles where the rules want cards
        return ["unreadable"]
    ruling = judge_turn(before, after, _player(options, ruleset), ruleset, drew="drew" in options)
    words = [ruling.verdict.value, *_weighty(ruling.findings), f"value={ruling.opening}"]
    words += [f"played={'+'.join(sorted(str(tile) for tile in ruling.played))}"]
    words += [f"moved={'+'.join(sorted(str(tile) for tile in ruling.moved))}", f"opened={ruling.opened}"]
    switches = {str(dict(finding.params)["switch"]) for finding in ruling.findings if "switch" in dict(finding.params)}
    return [*words, *(f"switch={switch}" for switch in switches)]


def _ending(given: str, ruleset: RuleSet) -> list[str]:
    text, options = _options(given)
    tables = _tables(text, ruleset)
    if "restored" in options:
        put_back = judge_restoration(tables[0], tables[1], ruleset, remembered="forgotten" not in options)
        words = ["complete" if put_back.complete else "incomplete"]
        words += [f"pool:{_listed(put_back.to_pool)}"] if put_back.to_pool else []
        words += [f"rack:{_listed(put_back.to_rack)}"] if put_back.to_rack else []
        return words + ([f"draw:{put_back.draw}"] if put_back.draw else [])
    at_bell = tables[1] if len(tables) == 3 else None
    how = next((TurnEnd(word) for word in options if word in {"drew", "passed"}), TurnEnd.PLAYED)
    ending = Ending(
        TurnEnd.TIME_UP if at_bell is not None else how,
        at_bell,
        float(options["tidy"]) if "tidy" in options else None,
        "helped" in options,
        int(options.get("overruns", "0")),
    )
    ended = judge_ending(tables[0], tables[-1], _player(options, ruleset), ending, ruleset)
    words = [ended.verdict.value, f"stands={'|'.join(sorted(_listed(_sure(places)) for places in ended.stands))}"]
    if ended.consequence is None:
        return words
    costs = ended.consequence
    words += ["restore"] if costs.restore else []
    words += [f"draw:{costs.draw}"] if costs.draw else []
    words += [f"points:{costs.points}"] if costs.points else []
    words += [f"back:{_listed(costs.take_back)}"] if costs.take_back else []
    words += [f"take:{_listed(costs.take_broken)}"] if costs.take_broken else []
    return [*words, *(f"code={code}" for code in _weighty(ended.findings))]


def _sure(places: Places) -> tuple[Tile, ...]:
    return tuple(tile for place in places if (tile := place.tile))


def _listed(tiles: tuple[Tile, ...]) -> str:
    return "+".join(sorted(str(tile) for tile in tiles))


# --- deals and clocks -------------------------------------------------------------------------------------------


def _deal(given: str, ruleset: RuleSet) -> list[str]:
    word, _, rest = given.partition(" ")
    match word:
        case "draw":
            start = decide_start([parse_tile(code) for code in rest.split()], ruleset)
            return [f"seat:{start.starter}"] if start.starter is not None else [f"again:{seat}" for seat in start.again]
        case "next":
            return [f"seat:{next_seat(int(rest), 4, ruleset)}"]
        case "round":
            starter, winner = map(int, rest.split())
            return [f"seat:{next_round_starter(starter, winner, 4, ruleset)}"]
        case "counts":
            return [f"misdeal:{one.seat}" for one in misdeals([int(n) for n in rest.split()], ruleset)] or ["fine"]
        case "stacks":
            sizes = stacks(ruleset)
            return [f"{len(sizes)}:{sizes[0]}:{sizes[-1]}", f"jokers:{dealt_jokers(ruleset)}"]
        case "redeal":
            return _redeal(rest, ruleset)
        case "players":
            return ["allowed" if seats_allowed(int(rest), ruleset) else "refused"]
        case "box":
            return [f"{code}:{ruleset.held(parse_tile(code))}" for code in rest.split()] + [f"size={ruleset.box_size}"]
        case "pool":
            return _pool(rest, ruleset)
        case "over":
            pool, turns, passes = map(int, rest.split())
            over = round_over(ruleset, pool=pool, players=4, turns_since_empty=turns, passes=passes)
            return ["over" if over else "goes_on"]
        case "claim":
            moves, _, ended = rest.partition(" ")
            return ["in_time" if claim_in_time(int(moves), ended == "ended", ruleset) else "too_late"]
        case _:
            raise AssertionError(given)


def _redeal(rest: str, ruleset: RuleSet) -> list[str]:
    text, options = _options(rest)
    rack = None if text == "hidden" else [parse_tile(code) for code in text.split()]
    claim = judge_redeal(rack, ruleset, own_turns=int(options.get("turns", "0")), play_began="began" in options)
    return ["granted" if claim.granted else "refused", *(f"switch={switch}" for switch in claim.why)]


def _pool(rest: str, ruleset: RuleSet) -> list[str]:
    pool, _, wanted = rest.partition(" ")
    return [duty(int(pool), ruleset).value, f"draws={drawn(int(wanted or 0), int(pool))}"]


def _clock(given: str, ruleset: RuleSet) -> list[str]:
    text, options = _options(given)
    if text == "start":
        seat = starts_the_clock(0, 1, ruleset)
        return ["referee" if seat is None else f"seat:{seat}"]
    time = MoveTime(float(text), float(options.get("paused", "0")), "extended" in options)
    reserve = float(options["reserve"]) if "reserve" in options else None
    try:
        timing = time_move(time, ruleset, opened="unopened" not in options, drew="drew" in options, reserve_s=reserve)
    except ValueError:
        return ["no_reserve"]
    return ["over" if timing.over else "in_time", f"by={timing.over_by_s:g}", f"reserve={timing.reserve_s}"]


# --- scores and matches -----------------------------------------------------------------------------------------

_HAND = re.compile(r"([^(]*)((?:\([^)]*\) *)*)")


def _hand(text: str) -> Hand:
    match = _HAND.fullmatch(text.strip())
    assert match, text
    flags = re.findall(r"\(([^)]*)\)", match[2])
    tiles = tuple(parse_tile(code) for code in match[1].split() if code != "-")
    lost = next((int(flag.split()[1]) for flag in flags if flag.startswith("lost")), 0)
    return Hand(tiles, "unopened" not in flags, "announced" in flags, lost)


def _score(given: str, ruleset: RuleSet) -> list[str]:
    text, options = _options(given)
    end = RoundEnd.POOL_EMPTY if "pool" in options else RoundEnd.EMPTY_RACK
    scored = score_round([_hand(hand) for hand in text.split("/")], ruleset, end)
    words = [f"{seat}:{points}" for seat, points in enumerate(scored.points)]
    return [*words, f"winners={'+'.join(map(str, scored.winners))}", f"zero={scored.zero_sum}"]


def round_of(text: str) -> RoundScore:
    """Points by seat; the winner has a star."""
    words = text.split()
    points = [int(word.strip("*")) for word in words]
    scores = tuple(Score(score, 0, 0, 0, None, 0, 0) for score in points)
    return RoundScore(RoundEnd.EMPTY_RACK, scores, tuple(i for i, word in enumerate(words) if "*" in word), False)


def _match(given: str, ruleset: RuleSet) -> list[str]:
    if given.startswith("carry "):
        return [str(carried_over(int(given.split()[1]), ruleset))]
    text, options = _options(given)
    rounds = [round_of(part) for part in text.split("/")]
    extra = round_of(options["extra"]) if "extra" in options else None
    table = standings(rounds, ruleset, extra=extra)
    words = [f"{one.seat}:{one.place}" for one in table]
    words += ["extra_game"] if any(one.extra_game for one in table) else []
    words += [f"total={'+'.join(map(str, totals(rounds, ruleset)))}"]
    placing = {one.seat: one.placing for one in table}
    words += [f"placing={'+'.join(str(placing[seat]) for seat in sorted(placing))}"]
    return [*words, f"ended={match_over(rounds, ruleset)}"]


_OUTCOMES: dict[str, Callable[[str, RuleSet], list[str]]] = {
    "turns": _turn,
    "endings": _ending,
    "deals": _deal,
    "clocks": _clock,
    "scores": _score,
    "matches": _match,
}
