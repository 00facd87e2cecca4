"""What humans correct in a reading though nobody asked, and the ruling that is made again at once.

A correction before the call is kept for the ruling.  One after it is about what was ruled on, as long as that lies
there: then the ruling is taken back and made again, also where the turn is in the log already.
"""

from __future__ import annotations

from dataclasses import replace

from referee import protocol
from referee.ending import TurnEnd, alike
from referee.game import commands
from referee.game.commands import Command
from referee.game.decide import GameError, check_held
from referee.game.events import TurnEnded
from referee.game.state import Phase
from referee.notation import parse_table
from referee.observation import Kind, Observation, Point, Quad
from referee.pointed import Deed, Pointed
from referee.protocol import OPEN, RULING, Stage, TurnClock
from referee.reconcile import HumanAnswer
from referee.table import first_reading
from web.evidence.turn import HumanWord, Occasion
from web.live import acts
from web.live.answering import healed
from web.live.game import LiveGame
from web.live.judging import judge
from web.live.memory import Memory
from web.live.notices import NoticeCode
from web.live.pointed import as_pointed, region_at, tile_at
from web.live.reading import Reading
from web.live.refereeing import tell_of_question
from web.live.restoring import watch_restoring

Words = tuple[HumanWord, ...]
_CORRECTED = "a correction of what was read"


def correct(game: LiveGame, act: acts.Correction, *, asked: bool = False) -> None:
    """Take a correction and rule again at once on the same look; one that was ``asked`` for takes no ruling back.

    Raises ``GameError``.
    """
    if game.turn.stage not in OPEN | {Stage.RESTORE, Stage.QUESTION}:
        raise GameError("no table is read now that could be corrected")
    reading = game.lying()
    before = game.memory
    memory, words = _told(game, act, reading)
    sight = game.sight
    seen = None if sight is None else sight.observation
    times = reading.seen.captured_at, reading.seen.still_since
    called_again = seen is not None and not asked and _goes_back(game, reading)
    told = _command(before, memory, words)
    events = game.carry(told) if game.state.phase in _logged(told) else ()
    if called_again:
        times = game.now(), times[1]
        game.recall()  # the log knows what was said during that turn too
    else:
        game.memory = memory
    game.keep(Occasion.ANSWER, told if events else None, events, words=words)
    if seen is not None:  # else hands are over the table: the next still look is read with it
        _rule_again(game, seen, times)


def _command(before: Memory, memory: Memory, words: Words) -> Command:
    """The same for the log: a program that starts again knows it still."""
    if not words:
        return commands.TakeBackPlace(before.pointed[-1])
    said = words[-1].pointed
    return commands.TellTile(memory.answers[-1]) if said is None else commands.TellPlace(said)


def _logged(told: Command) -> frozenset[Phase]:
    """The phases of a game in which its log takes this."""
    named = isinstance(told, commands.TellTile)
    return frozenset({Phase.PLAY}) if named else frozenset({Phase.PLAY, Phase.QUESTION})


# --- what was said ----------------------------------------------------------------------------------------------------


def _told(game: LiveGame, act: acts.Correction, reading: Reading) -> tuple[Memory, Words]:
    """What is remembered with a correction, and the words for the evidence."""
    seen = reading.observation
    match act:
        case acts.TakeBackCorrection():
            if not game.memory.pointed:
                raise GameError("there is no correction to take back")
            return game.memory.untold(), ()
        case acts.CorrectTile():
            return _named(game, act, reading)
        case acts.AddTile():
            check_held(act.tile, game.ruleset)
            return _pointed(game, reading, Pointed(Deed.ADDED, _around(seen, act.at), act.tile))
        case acts.RemoveTile():
            region = region_at(seen, act.at)
            if region is not None:
                return _pointed(game, reading, Pointed(Deed.CLEARED, seen.unread[region]))
            return _pointed(game, reading, Pointed(Deed.REMOVED, _lies(seen, act.at)))
        case acts.MoveTile():
            beside = None if act.beside is None else _lies(seen, act.beside)
            return _pointed(game, reading, Pointed(Deed.MOVED, _lies(seen, act.at), beside=beside, after=act.after))
        case acts.CutSet():
            return _pointed(game, reading, Pointed(Deed.CUT, _lies(seen, act.at)))


def _named(game: LiveGame, act: acts.CorrectTile, reading: Reading) -> tuple[Memory, Words]:
    check_held(act.tile, game.ruleset)
    seen = reading.observation
    region = region_at(seen, act.at)
    if region is not None:
        return _pointed(game, reading, Pointed(Deed.UNCOVERED, seen.unread[region], act.tile))
    quad = _lies(seen, act.at)
    index = next(i for i, tile in enumerate(seen.tiles) if tile.quad == quad)
    if index >= len(reading.eyes.tiles):  # a human put it there, and now he says another name
        return game.memory.answered(HumanAnswer(quad, act.tile)), (HumanWord(quad, act.tile),)
    eyes = reading.eyes.tiles[index]
    read_as = None if eyes.kind is Kind.BACK else first_reading(eyes)
    word = HumanWord(quad, act.tile, eyes.readings)
    return game.memory.answered(HumanAnswer(quad, act.tile, read_as=read_as)), (word,)


def _pointed(game: LiveGame, reading: Reading, said: Pointed) -> tuple[Memory, Words]:
    eyes = reading.eyes
    index = next((i for i, tile in enumerate(eyes.tiles) if tile.quad == said.quad), None)
    readings = () if index is None else eyes.tiles[index].readings
    said = replace(said, read_as=readings[0].tile if readings else None)
    if as_pointed(eyes, [said]) == eyes:
        raise GameError("that changes nothing in what was read")
    return game.memory.told(said), (HumanWord(said.quad, said.tile, readings, said),)


def _lies(seen: Observation, at: Point) -> Quad:
    index = tile_at(seen, at)
    if index is None:
        raise GameError("no tile was seen at that place")
    return seen.tiles[index].quad


def _around(seen: Observation, at: Point) -> Quad:
    """A place of no size: an added tile takes the shape of its neighbour."""
    if not (0 <= at[0] <= seen.width and 0 <= at[1] <= seen.height):
        raise GameError("that place lies outside the picture")
    if tile_at(seen, at) is not None:
        raise GameError("a tile was seen at that place: say which it is")
    return (at, at, at, at)


# --- the ruling -------------------------------------------------------------------------------------------------------


def _goes_back(game: LiveGame, was: Reading) -> bool:
    """Take a ruling back that rests on what lies there; whether its turn was over and is called anew."""
    stage = game.turn.stage
    if stage in {Stage.FIX, Stage.TIDY} and _is_what_was_ruled_on(game, was):
        _back_to_the_call(game)
    elif stage in {Stage.RESTORE, Stage.PLAY, Stage.READY} and (last := _ended(game, was)) is not None:
        _take_turn_back(game, last)
        return True
    return False


def _rule_again(game: LiveGame, observation: Observation, times: tuple[float, float]) -> None:
    again = game.read(observation, *times)
    if game.turn.stage in RULING:
        judge(game, healed(game, again, observation))
    elif game.turn.stage is Stage.RESTORE:
        watch_restoring(game, again)
    elif game.turn.stage is Stage.QUESTION and all(len(p.readings) == 1 for s in again.seen.table for p in s):
        tell_of_question(game, again.seen.table)


def _is_what_was_ruled_on(game: LiveGame, was: Reading) -> bool:
    ruled = game.turn.ruled
    return ruled is not None and alike(ruled.seen.table, was.seen.table)


def _back_to_the_call(game: LiveGame) -> None:
    """The illegal ruling is forgotten; the time since the call counts for nobody."""
    turn = game.turn
    stage = Stage.BELL if turn.stage is Stage.TIDY else Stage.CALLED
    clock = turn.clock.stopped(turn.since)
    game.turn = replace(turn, stage=stage, clock=clock, ruled=None, asked=None, tidy_from=None, paused=False)
    game.forget_asked()


def _ended(game: LiveGame, was: Reading) -> TurnEnded | None:
    """The last turn, where this program ruled on it and what it ruled on lies there still."""
    last = game.state.last_turn
    if last is None or last.by != "machine" or len(last.seats) > 1 or game.state.before_turn is None:
        return None
    if last.overrun or last.how == TurnEnd.TIME_UP.value:
        return None  # what lay there at the bell decides too, and that picture is gone
    return last if alike(parse_table(last.shown), was.seen.table) else None


def _take_turn_back(game: LiveGame, last: TurnEnded) -> None:
    """The last turn is called again, as it was."""
    told = commands.Undo(_CORRECTED)
    events = game.carry(told)
    game.keep(Occasion.UNDO, told, events)
    game.say(NoticeCode.UNDONE, seat=game.state.seat)
    game.forget_turn()
    game.memory = game.memory.turned_back()
    called_at = game.now() - 1e-3  # what lies there now was seen after the call
    turn = protocol.begin(game.state, game.ruleset, called_at, restored=True)
    if last.elapsed_s is not None:
        turn = replace(turn, stage=Stage.PLAY, clock=TurnClock(called_at - last.elapsed_s))
    passes = last.how == TurnEnd.PASSED.value
    game.turn = protocol.call(turn, game.state, game.ruleset, called_at, passes=passes)
