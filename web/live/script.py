"""Orders as text: what a referee types, what a file of calls holds, and what a single key stands for."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from referee.game.decide import GameError, parse_told_rack
from referee.ruleset import RuleSet
from referee.tiles import Tile
from web.given import names_photo
from web.live import acts
from web.live.acts import Act
from web.live.notices import Notice, NoticeCode
from web.live.view import LiveView

ORDERS = """\
end [pass|win]            the turn is over (pass: given up; win: the rack is empty)
back                      the call was a mistake
stands                    nobody mends the illegal table: the ruling stands
1 2                       tile 1 is choice 2;  1 R6 names it, 1 0 says that no tile lies there
legal | illegal [REASON]  the referee rules; 'illegal draw 2' says what it costs
undo [REASON]             the last turn is taken back
draw                      the turn counts as drawn, whatever lies there
restore                   what goes back where
restored [forgotten|trust]  it is put back (forgotten: nobody knows the rest; trust: go on without looking)
played ANN=3 BOB=2        turns that nobody called, with the tiles laid by each
accept [REASON]           what lies there is the table;  accept racks 5 9 12 where racks were counted anew
table R5 R6 R7 | K1 B1 O1   the whole table as the referee reads it
won NAME                  that rack is empty, whatever the log counts
pause, resume, extend, clock (start it), wait SECONDS
penalty NAME TILES POINTS [REASON]
leave NAME
rack NAME [TILES|PHOTO]   at the end of a round (without tiles: the camera shows it now)
count [shown] [announced NAME ...]   count the racks (shown: they are right where the log differs)
round                     the next round
starter NAME, drawn TILES (for the start), deal [COUNTS], redeal NAME [TILES]
next                      the next still of a folder
view, help, quit"""

KEYS = (
    "space/enter end of turn (a folder: enter is the next still), 1-9 1-9 answer, p pause, x extension, s stands, "
    "b back, u undo, o l/i overrule, r restore, t restored, f forgotten, d draw, ':' type an order, ? help, q quit"
)

KEY_ORDERS = {
    " ": "end", "\r": "end", "\n": "end", "x": "extend", "u": "undo", "r": "restore", "t": "restored",
    "f": "restored forgotten", "s": "stands", "b": "back", "d": "draw", "n": "next", "v": "view", "?": "help",
    "h": "help", "q": "quit", "c": "clock", "p": "toggle", "\x04": "quit",
}  # fmt: skip
"""What one key stands for; digits, ``o`` and ``:`` need more (``web.live.keys``)."""

_ORDERS_AFTER = {
    NoticeCode.NOT_EMPTY: ("restored trust", "accept racks COUNTS"),
    NoticeCode.DOUBT: ("legal", "illegal", "table R5 R6 R7 | K1 B1 O1", "draw"),
    NoticeCode.WIN_DOUBTED: ("won NAME",),
    NoticeCode.MISCOUNT: ("count shown",),
}


def orders_after(notice: Notice) -> tuple[str, ...]:
    """The orders by which a terminal does what a notice proposes."""
    if notice.code is NoticeCode.DOUBT and notice.text == "another_table":
        return ("accept", "accept racks COUNTS")
    return _ORDERS_AFTER.get(notice.code, ())


@dataclass(frozen=True, slots=True)
class NextStill:
    """Go on to the next still of a folder."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let so many seconds go by."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Show:
    """Show something: ``view``, ``help`` or ``restore``."""

    what: str


@dataclass(frozen=True, slots=True)
class RackPhoto:
    """A rack on a photo of its own."""

    seat: int
    photo: Path


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave; the game stays in the store."""


Order = Act | NextStill | Wait | Show | RackPhoto | Quit


def read_order(line: str, view: LiveView, ruleset: RuleSet) -> Order | None:
    """One line as an order; None for an empty line or a comment.  Raises ``GameError`` for what is no order."""
    text = line.strip()
    if not text or text.startswith("#"):
        return None
    word, _, rest = text.partition(" ")
    word, rest = word.lower(), rest.strip()
    if word.isdecimal():
        return _answer(int(word), rest, ruleset)
    if word in _PLAIN:
        if rest:
            raise GameError("{word!r} takes nothing more: {rest!r}", word=word, rest=rest)
        return _PLAIN[word]
    if word not in _READERS:
        raise GameError("{word!r} is no order: 'help' lists them", word=word)
    return _READERS[word](rest, view, ruleset)


_PLAIN: dict[str, Order] = {
    "back": acts.TakeBackCall(), "stands": acts.Conclude(), "draw": acts.CountAsDraw(), "pause": acts.Pause(),
    "resume": acts.Resume(), "extend": acts.Extend(), "clock": acts.StartClock(), "round": acts.NextRound(),
    "next": NextStill(), "view": Show("view"), "help": Show("help"), "restore": Show("restore"), "quit": Quit(),
}  # fmt: skip


def _answer(number: int, rest: str, ruleset: RuleSet) -> Order:
    if rest == "0":
        return acts.AnswerTile(number - 1, None)
    if rest.isdecimal():
        return acts.AnswerChoice(number - 1, int(rest) - 1)
    return acts.AnswerTile(number - 1, _one_tile(rest, ruleset))


def _one_tile(text: str, ruleset: RuleSet) -> Tile:
    tiles = parse_told_rack(text, ruleset)
    if len(tiles) != 1:
        raise GameError("one tile is told, such as R6, not {text!r}", text=text)
    return tiles[0]


def _end(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001  all readers are called alike
    if rest not in {"", "pass", "win"}:
        raise GameError("a turn ends, or ends with 'pass' or 'win', not with {rest!r}", rest=rest)
    return acts.CallTurnEnd(passes=rest == "pass", won=rest == "win")


def _legal(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.Overrule(legal=True, reason=rest or "the referee's ruling")


def _illegal(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    words = rest.split()
    draw = None
    if words[:1] == ["draw"]:
        draw, words = _number(words[1:2]), words[2:]
    return acts.Overrule(legal=False, reason=" ".join(words) or "the referee's ruling", draw=draw)


def _toggle(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.Resume() if view.paused else acts.Pause()


def _undo(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.Undo(rest or "taken back")


def _restored(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    if rest not in {"", "forgotten", "trust"}:
        raise GameError("a table is restored, 'restored forgotten' or 'restored trust', not {rest!r}", rest=rest)
    return acts.Restored(remembered=rest != "forgotten", trust=rest == "trust")


def _played(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    seats, played = [], []
    for part in _words(rest):
        name, equals, count = part.rpartition("=")
        if not equals:
            raise GameError("say how many tiles were laid, as in ANN=3, not {part!r}", part=part)
        seats.append(_seat(name, view))
        played.append(_number([count]))
    return acts.PlayedInstead(tuple(seats), tuple(played))


def _accept(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    words = rest.split()
    if words[:1] == ["racks"]:
        return acts.AcceptTable("racks counted anew", tuple(_number([word]) for word in words[1:]))
    return acts.AcceptTable(rest or "as it lies")


def _table(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.TellTable(rest)


def _won(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.ConfirmWin(_seat(rest, view))


def _wait(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    try:
        seconds = float(rest)
    except ValueError:
        raise GameError("wait takes seconds, not {rest!r}", rest=rest) from None
    if not 0 <= seconds <= 3600:
        raise GameError("wait takes 0 to 3600 seconds, not {rest}", rest=rest)
    return Wait(seconds)


def _penalty(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    name, *others = _words(rest) or [""]
    reason = " ".join(others[2:]) or "the referee's penalty"
    return acts.GivePenalty(_seat(name, view), _number(others[:1]), _number(others[1:2]), reason)


def _leave(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.Leave(_seat(rest, view))


def _rack(rest: str, view: LiveView, ruleset: RuleSet) -> Order:
    words = _words(rest)
    if not words:
        raise GameError("say whose rack it is")
    seat, told = _seat(words[0], view), words[1:]
    if not told:
        return acts.ShowRack(seat)
    if len(told) == 1 and names_photo(told[0]):
        return RackPhoto(seat, Path(told[0]))
    return acts.ShowRack(seat, parse_told_rack(" ".join(told), ruleset))


def _count(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    words = _words(rest)
    shown = words[:1] == ["shown"]
    words = words[1:] if shown else words
    if words and words[0] != "announced":
        raise GameError("count takes 'shown' and 'announced NAME', not {word!r}", word=words[0])
    return acts.CountRound(tuple(_seat(name, view) for name in words[1:]), as_shown=shown)


def _starter(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.NameStarter(_seat(rest, view))


def _drawn(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.DrawTiles(parse_told_rack(rest, ruleset))


def _redeal(rest: str, view: LiveView, ruleset: RuleSet) -> Order:
    words = _words(rest)
    if not words:
        raise GameError("say who claims a new deal")
    shown = parse_told_rack(" ".join(words[1:]), ruleset) if words[1:] else None
    return acts.ClaimRedeal(_seat(words[0], view), shown)


def _deal(rest: str, view: LiveView, ruleset: RuleSet) -> Order:  # noqa: ARG001
    return acts.DealTiles(tuple(_number([word]) for word in rest.split()) or None)


_READERS = {
    "end": _end, "toggle": _toggle, "legal": _legal, "illegal": _illegal, "undo": _undo, "restored": _restored,
    "played": _played, "accept": _accept, "table": _table, "won": _won, "wait": _wait, "penalty": _penalty,
    "leave": _leave,
    "rack": _rack, "count": _count, "starter": _starter, "drawn": _drawn, "deal": _deal, "redeal": _redeal,
}  # fmt: skip


def _words(text: str) -> list[str]:
    """The words of an order; a name with a blank stands in quotes."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise GameError("{text!r} cannot be read: {cause}", text=text, cause=str(error)) from None


def _seat(name: str, view: LiveView) -> int:
    """A player by his name, the beginning of it where only one begins so, or his number from 1."""
    wanted = name.strip().strip("\"'").casefold()
    names = [seat.name.casefold() for seat in view.seats]
    if wanted in names:
        return names.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    alike = [k for k, one in enumerate(names) if wanted and one.startswith(wanted)]
    if len(alike) != 1:
        if not view.seats:
            raise GameError("nobody here is called {name!r}: there are no players yet", name=name)
        here = ", ".join(seat.name for seat in view.seats)
        raise GameError("nobody here is called {name!r}: {players}", name=name, players=here)
    return alike[0]


def _number(words: list[str]) -> int:
    if not words:
        raise GameError("a whole number is needed")
    if not words[0].isdecimal():
        raise GameError("a whole number is needed, not {word!r}", word=words[0])
    return int(words[0])

