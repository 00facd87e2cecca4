"""The begin and the end of a round: who plays and starts, the deal, the racks, the score."""

from __future__ import annotations

from referee.game import commands
from referee.game.commands import Command
from referee.game.decide import GameError
from referee.game.events import Event, PenaltyGiven, RedealRuled, RoundScored, StarterDrawn
from referee.game.state import Phase
from referee.notation import parse_table
from referee.observation import Observation
from referee.protocol import Stage, Turn
from referee.told import Seat
from web.evidence.turn import Occasion
from web.live import acts
from web.live.course import begin
from web.live.game import LiveGame
from web.live.memory import of_empty_table
from web.live.notices import NoticeCode
from web.live.reading import Reading
from web.noting import rack_read
from web.version import VERSION

# --- before the first turn --------------------------------------------------------------------------------------------


def start(game: LiveGame, act: acts.StartGame) -> None:
    """Seat the players.  Raises ``GameError``, as all that follow."""
    models = ",".join(f"{name} {version}" for name, version in sorted(game.models.items()))
    told: list[Command] = [commands.StartGame(act.players, VERSION, models)]
    if act.starter is not None:
        told += [commands.NameStarter(act.starter), commands.Deal()]
    game.carry(*told)
    game.say(NoticeCode.SEATED)
    if act.starter is not None:
        game.say(NoticeCode.STARTS, seat=act.starter)
        _dealt(game)


def draw_for_start(game: LiveGame, act: acts.DrawTiles) -> None:
    """Tiles were drawn for the start."""
    _starter(game, game.carry(commands.DrawStart(act.tiles)))


def name_starter(game: LiveGame, act: acts.NameStarter) -> None:
    """The referee says who starts."""
    _starter(game, game.carry(commands.NameStarter(act.seat)))


def _starter(game: LiveGame, events: tuple[Event, ...]) -> None:
    drawn = events[-1]
    if isinstance(drawn, StarterDrawn) and drawn.starter is None:
        game.say(NoticeCode.DRAW_AGAIN, numbers=drawn.again)
    else:
        game.say(NoticeCode.STARTS, seat=game.state.starter)


def deal(game: LiveGame, act: acts.DealTiles) -> None:
    """The tiles were dealt."""
    game.carry(commands.Deal(act.counts))
    _dealt(game)


def redeal(game: LiveGame, act: acts.ClaimRedeal) -> None:
    """A player claims a new deal."""
    (event,) = game.carry(commands.ClaimRedeal(act.seat, act.tiles))
    why = event.why if isinstance(event, RedealRuled) else ()
    game.say(NoticeCode.REDEAL, seat=act.seat, text=", ".join(why))
    if not why:
        game.turn = Turn(Stage.SETUP)


def _dealt(game: LiveGame) -> None:
    """The table is empty, and the first turn begins; what lies there is looked at afresh."""
    game.say(NoticeCode.DEALT, numbers=game.state.racks)
    game.forget_turn()
    game.memory, game.racks = of_empty_table(None if game.shows_last_round else game.shot()), {}
    game.deal_unseen = game.sees_deal
    begin(game, restored=True)


def see_deal(game: LiveGame, reading: Reading) -> bool:
    """Whether tiles lie there that nobody is known to have laid: they are there at the first look since the deal.

    Whoever has called the end of his turn by then says that they are his.
    """
    tiles = sum(map(len, reading.seen.table))
    at_deal, game.deal_unseen = game.deal_unseen, False
    if not at_deal or not tiles or game.turn.stage not in {Stage.READY, Stage.PLAY, Stage.BELL}:
        return False
    game.forget_turn()
    game.turn = Turn(Stage.RESTORE)  # no clock runs until that is settled
    game.say(NoticeCode.NOT_EMPTY, seat=game.state.seat, numbers=(tiles,))
    return True


# --- during it --------------------------------------------------------------------------------------------------------


def give_penalty(game: LiveGame, act: acts.GivePenalty) -> None:
    """A penalty by the referee."""
    told = commands.GivePenalty(act.seat, act.tiles, act.points, act.reason)
    events = game.carry(told)
    game.keep(Occasion.OTHER, told, events)
    tiles = sum(event.tiles for event in events if isinstance(event, PenaltyGiven))  # the pool may hold fewer
    game.say(NoticeCode.PENALTY, seat=act.seat, numbers=(tiles, act.points))


def leave(game: LiveGame, act: acts.Leave) -> None:
    """A player leaves."""
    on_turn = game.state.seat == act.seat
    told = commands.Leave(act.seat)
    game.keep(Occasion.OTHER, told, game.carry(told))
    game.say(NoticeCode.LEFT, seat=act.seat)
    if on_turn or game.state.phase is Phase.COUNT:
        game.forget_turn()
        begin(game)


# --- at its end -------------------------------------------------------------------------------------------------------


def show_rack(game: LiveGame, act: acts.ShowRack) -> None:
    """A rack as it was told, or one that the camera shows from now on."""
    if game.turn.stage is not Stage.COUNT:
        raise GameError("the round is not over")
    if not 0 <= act.seat < len(game.state.players):
        raise GameError("{seat} does not play in this game", seat=Seat(act.seat))
    if act.tiles is None:
        game.rack_due = act.seat, game.now()
        return
    game.racks[act.seat] = act.tiles
    game.say(NoticeCode.RACK, seat=act.seat, tiles=act.tiles)


def see_rack(game: LiveGame, observation: Observation, captured: float) -> None:
    """Read the rack that the camera shows, where one is due."""
    if game.rack_due is None or captured <= game.rack_due[1]:
        return
    seat, game.rack_due = game.rack_due[0], None
    tiles, doubtful = rack_read(observation, game.ruleset)
    if doubtful:
        game.say(NoticeCode.RACK_UNREAD, seat=seat, tiles=tiles, text=" ".join(map(str, doubtful)))
        return
    game.racks[seat] = tiles
    shot = game.shot()
    game.keep(Occasion.ROUND, None, (), pictures={} if shot is None else {f"rack-{seat}": shot})
    game.say(NoticeCode.RACK, seat=seat, tiles=tiles)


def count(game: LiveGame, act: acts.CountRound) -> None:
    """Count the racks, and score the round."""
    state = game.state
    if game.turn.stage is not Stage.COUNT:
        raise GameError("the round is not over")
    missing = [seat for seat in state.active if seat not in game.racks]
    if missing:
        raise GameError("the rack of {player} was not shown", player=state.players[missing[0]])
    racks = tuple(game.racks.get(seat, ()) for seat in range(len(state.players)))
    counts = tuple(map(len, racks))
    differ = [seat for seat, shown in enumerate(counts) if shown != state.racks[seat]]
    if differ and not act.as_shown:
        numbers = tuple(number for seat in differ for number in (seat, state.racks[seat], counts[seat]))
        game.say(NoticeCode.MISCOUNT, numbers=numbers)
        return
    score = commands.Score(racks, act.announced)
    corrected = [commands.CorrectTable(parse_table(state.table), "racks as shown", counts)] if differ else []
    events = game.carry(*corrected, score)
    game.keep(Occasion.ROUND, score, events)
    game.turn = Turn(Stage.BETWEEN)
    game.counted_on = None if game.sight is None else game.sight.frame.image
    scored = events[-1]
    if isinstance(scored, RoundScored):
        game.say(NoticeCode.SCORED, numbers=scored.points)


def confirm_score(game: LiveGame, seat: int) -> None:
    """A player agrees with the scores of the round that was counted."""
    if game.turn.stage is not Stage.BETWEEN:
        raise GameError("no round was counted just now")
    told = commands.ConfirmScore(seat)
    events = game.carry(told)
    if events:
        game.keep(Occasion.OTHER, told, events)
        game.say(NoticeCode.CONFIRMED, seat=seat)


def next_round(game: LiveGame) -> None:
    """Begin the next round."""
    game.carry(commands.NextRound())
    game.turn = Turn(Stage.SETUP)
    game.say(NoticeCode.ROUND, numbers=(game.state.round,))
    if game.state.starter is not None:
        game.say(NoticeCode.STARTS, seat=game.state.starter)
