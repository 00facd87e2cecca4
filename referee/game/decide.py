"""What a command leads to: ``decide(state, command, ruleset)`` gives the events, or one ``GameError`` and none.

Clock readings and dice are never taken here: a command brings the seconds that were measured and the tiles that were
drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from referee.cards import face_code
from referee.clock import MoveTime, first_reserve, is_timed, time_move
from referee.deal import decide_start, judge_redeal, misdeals, next_round_starter
from referee.endgame import Duty, drawn, duty, must_play, round_over, seats_allowed
from referee.ending import EndedTurn, TurnEnd, alike, judge_ending, judge_restoration, legal_sets
from referee.findings import Severity
from referee.game.commands import (
    Answer,
    ClaimRedeal,
    Command,
    ConfirmScore,
    CorrectTable,
    Deal,
    DrawStart,
    EndTurn,
    GivePenalty,
    Leave,
    NameStarter,
    NextRound,
    Override,
    RecordAsOne,
    RestoreTable,
    Score,
    StartGame,
    TakeBackPlace,
    TellPlace,
    TellTile,
    Undo,
)
from referee.game.events import (
    Dealt,
    Event,
    GameStarted,
    PenaltyGiven,
    PlacePointed,
    PlaceTakenBack,
    PlayerLeft,
    RedealRuled,
    RoundBegun,
    RoundScored,
    ScoreConfirmed,
    StarterDrawn,
    TableCorrected,
    TileAnswered,
    TurnEnded,
    TurnQuestioned,
    TurnUndone,
    VerdictOverridden,
)
from referee.game.state import RECORDED_AS_ONE, UNDONE_AS_ONE, Phase, State, evolve, following, is_one_of_several, says
from referee.notation import NotedTable, format_rack, format_table, parse_rack, parse_table, sure
from referee.observation import Quad
from referee.pointed import Pointed
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.score import Hand, RoundEnd, score_round
from referee.solver.lawful import can_play
from referee.switches import Clock, Direction, Overrun
from referee.tiles import NotationError, Tile, parse_tile
from referee.told import Seat, ToldError, marked
from referee.turn import Player


class GameError(ToldError):
    """A command that the game cannot carry out now; one sentence, and nothing has changed."""


def decide(state: State, command: Command, ruleset: RuleSet) -> tuple[Event, ...]:  # noqa: C901, PLR0912  one case a command
    """The events that a command leads to.

    Raises ``GameError`` where the game waits for something else, or the command does not fit it.
    """
    check_rules(state, ruleset)
    _check_letters(command)
    match command:
        case StartGame():
            return _start(state, command, ruleset)
        case DrawStart():
            return _draw_start(state, command, ruleset)
        case NameStarter():
            _need(state, Phase.STARTER)
            _seated(state, command.seat)
            return (StarterDrawn(seats=(), tiles=(), starter=command.seat, again=()),)
        case Deal():
            return _deal(state, command, ruleset)
        case ClaimRedeal():
            return _redeal(state, command, ruleset)
        case TellTile():
            return _tell_tile(state, command, ruleset)
        case TellPlace():
            return (_place(state, command.said, ruleset),)
        case TakeBackPlace():
            return _take_back_place(state, command.said, ruleset)
        case EndTurn():
            return _end_turn(state, command, ruleset)
        case Answer():
            return _answer(state, command, ruleset)
        case Override():
            return _override(state, command, ruleset)
        case Undo():
            _last_turn(state)
            return (TurnUndone(reason=command.reason),)
        case RestoreTable():
            return _restore(state, command, ruleset)
        case CorrectTable():
            return _correct(state, command, ruleset)
        case GivePenalty():
            return _penalty(state, command, ruleset)
        case RecordAsOne():
            return _as_one(state, command, ruleset)
        case Leave():
            _need(state, Phase.STARTER, Phase.DEAL, Phase.PLAY, Phase.BETWEEN)
            _not_over(state, ruleset)
            _seated(state, command.seat)
            if len(state.active) == 1:
                raise GameError("{seat} is the last one that plays", seat=Seat(command.seat))
            return (PlayerLeft(seat=command.seat, to_pool=state.racks[command.seat]),)
        case Score():
            return _score(state, command, ruleset)
        case ConfirmScore():
            _need(state, Phase.BETWEEN)
            _seated(state, command.seat)
            return () if command.seat in state.confirmed else (ScoreConfirmed(seat=command.seat),)
        case NextRound():
            return _next_round(state, ruleset)


def check_rules(state: State, ruleset: RuleSet) -> None:
    """Raises ``GameError`` for a game that is played by other rules."""
    if state.fingerprint and state.fingerprint != ruleset.fingerprint:
        raise GameError(
            "this game is played by {rules} {fingerprint}, not by {other} {other_fingerprint}",
            rules=state.rules,
            fingerprint=state.fingerprint,
            other=ruleset.name,
            other_fingerprint=ruleset.fingerprint,
        )


def _check_letters(command: Command) -> None:
    """Raises ``GameError`` for half a letter (a lone surrogate) in a name or a reason: no store could write it down."""
    try:
        "".join((getattr(command, "reason", ""), *getattr(command, "players", ()))).encode()
    except UnicodeEncodeError:
        raise GameError("a name or a reason holds a letter that cannot be written down: type it anew") from None


def check_held(tile: Tile | None, ruleset: RuleSet) -> None:
    """Raises ``GameError`` for a tile of which the box has none; None is no tile, or one face-down."""
    if tile is not None and not ruleset.held(tile):
        raise GameError("the box holds no {tile}", tile=face_code(tile, ruleset.faces))


_NOT_NOW = {
    Phase.NEW: marked("nobody plays yet: a game begins with its players"),
    Phase.STARTER: marked("this must wait: tiles are drawn for the start first"),
    Phase.DEAL: marked("this must wait: the tiles are dealt first"),
    Phase.PLAY: marked("this is not done while a round is played"),
    Phase.QUESTION: marked("this must wait: a turn waits for the referee's answer"),
    Phase.COUNT: marked("this must wait: the round is over, and the racks are to be counted"),
    Phase.BETWEEN: marked("this must wait: the next round has not begun"),
}
"""Why a command must wait, by what the game is at."""


def _need(state: State, *phases: Phase) -> None:
    if state.phase not in phases:
        raise GameError(_NOT_NOW[state.phase])


def _not_over(state: State, ruleset: RuleSet) -> None:
    """Refuse what would go on with a round that has ended, or bring tiles back into it."""
    if is_over(state, ruleset):
        raise GameError("the round is over: the racks are to be shown")


def _seated(state: State, seat: int) -> None:
    if seat not in state.active:
        raise GameError("{seat} does not play in this game", seat=Seat(seat))


def _laid_too_many(state: State, seat: int, laid: int) -> GameError:
    held = state.racks[seat]
    return GameError("{seat} holds {held} tiles, and {laid} were laid", seat=Seat(seat), held=held, laid=laid)


def _enough_players(state: State) -> None:
    if len(state.active) < 2:
        raise GameError("one player is left, and a round needs two")


def _fits_the_box(table: NotedTable, ruleset: RuleSet) -> None:
    """Refuse a table of the referee's word with more copies of a sure tile than the box holds."""
    _in_the_box([tile for places in table for place in places if (tile := place.tile)], ruleset)


def _in_the_box(tiles: Sequence[Tile], ruleset: RuleSet) -> None:
    """Refuse more copies of a tile than the box holds: something was misread or mistyped."""
    for tile, count in Counter(tiles).items():
        if count > ruleset.held(tile):
            raise GameError(
                "{count} {tile} were told, and the box holds {held}",
                count=count,
                tile=face_code(tile, ruleset.faces),
                held=ruleset.held(tile),
            )


# --- before play ------------------------------------------------------------------------------------------------


def _start(state: State, command: StartGame, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.NEW)
    if not seats_allowed(len(command.players), ruleset):
        raise GameError(
            "{players} players are not allowed: {rules} is for {least} to {most}, with tiles for all",
            players=len(command.players),
            rules=ruleset.name,
            least=ruleset.players_least,
            most=ruleset.players_most,
        )
    if len(set(command.players)) < len(command.players):
        raise GameError("two players have the same name")
    started = GameStarted(
        players=command.players,
        rules=ruleset.name,
        fingerprint=ruleset.fingerprint,
        box=ruleset.box_size,
        clockwise=ruleset.direction is Direction.CLOCKWISE,
        program=command.program,
        models=command.models,
    )
    return (started,)


def _draw_start(state: State, command: DrawStart, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.STARTER)
    if len(command.tiles) != len(state.drawing):
        raise GameError(
            "{players} players draw for the start, and {tiles} tiles were told",
            players=len(state.drawing),
            tiles=len(command.tiles),
        )
    _in_the_box(command.tiles, ruleset)
    told = dict(zip(state.drawing, command.tiles, strict=True))
    counting = {
        seat: tile for seat, tile in sorted((_kept_draws(state, ruleset) | told).items()) if seat in state.active
    }
    at = tuple(counting)
    try:
        start = decide_start(tuple(counting.values()), ruleset)
    except ValueError as error:
        raise GameError.of(error) from error
    drawn_now = StarterDrawn(
        seats=state.drawing,
        tiles=tuple(str(tile) for tile in command.tiles),
        starter=None if start.starter is None else at[start.starter],
        again=tuple(sorted(at[k] for k in start.again)),
    )
    return (drawn_now,)


def _kept_draws(state: State, ruleset: RuleSet) -> dict[int, Tile]:
    """The tiles of the seats that need not draw again, after the draws so far."""
    counting: dict[int, Tile] = {}
    for one in state.draws:
        counting |= zip(one.seats, map(parse_tile, one.tiles), strict=True)
        seats = tuple(counting)
        kept = decide_start(tuple(counting.values()), ruleset).kept
        counting = {seats[k]: counting[seats[k]] for k in kept}
    return counting


def _deal(state: State, command: Deal, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.DEAL)
    _enough_players(state)
    seats = range(len(state.players))
    counts = command.counts or tuple(ruleset.deal_tiles if seat in state.active else 0 for seat in seats)
    if len(counts) != len(state.players):
        raise GameError(
            "there are {seats} seats, and {counts} counts were told", seats=len(state.players), counts=len(counts)
        )
    wrong = [one for one in misdeals(counts, ruleset) if one.seat in state.active]
    if wrong:
        first = wrong[0]
        raise GameError(
            "a misdeal: {seat} holds {tiles} tiles and should hold {expected}",
            seat=Seat(first.seat),
            tiles=first.tiles,
            expected=first.expected,
        )
    return (Dealt(counts=counts),)


def _redeal(state: State, command: ClaimRedeal, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.PLAY)
    _seated(state, command.seat)
    _in_the_box(command.tiles or (), ruleset)
    began = any(state.turns_had)
    claim = judge_redeal(command.tiles, ruleset, own_turns=state.turns_had[command.seat], play_began=began)
    tiles = tuple(str(tile) for tile in command.tiles or ())
    return (RedealRuled(seat=command.seat, tiles=tiles, why=claim.why),)


def _tell_tile(state: State, command: TellTile, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.PLAY)
    said = command.answer
    check_held(said.tile, ruleset)
    if said.gone and said.tile is not None:
        raise GameError("where no tile lies, none is {tile}", tile=face_code(said.tile, ruleset.faces))
    tile, read_as = (None if one is None else str(one) for one in (said.tile, said.read_as))
    return (TileAnswered(quad=_corners(said.quad), tile=tile, gone=said.gone, read_as=read_as),)


def _place(state: State, said: Pointed, ruleset: RuleSet) -> PlacePointed:
    _need(state, Phase.PLAY, Phase.QUESTION)
    check_held(said.tile, ruleset)
    tile, read_as = (None if one is None else str(one) for one in (said.tile, said.read_as))
    beside = None if said.beside is None else _corners(said.beside)
    return PlacePointed(
        deed=said.deed.value, quad=_corners(said.quad), tile=tile, beside=beside, after=said.after, read_as=read_as
    )


def _take_back_place(state: State, said: Pointed, ruleset: RuleSet) -> tuple[Event, ...]:
    word = _place(state, said, ruleset)
    back = PlaceTakenBack(deed=word.deed, tile=word.tile, read_as=word.read_as)
    return (back,) if says(back) in map(says, state.pointed) else ()


def _corners(quad: Quad) -> tuple[float, ...]:
    corners = tuple(float(value) for point in quad for value in point)
    if not all(map(isfinite, corners)):
        raise GameError("a tile lies at a place of the picture")
    return corners


# --- turns ------------------------------------------------------------------------------------------------------


def judge_end(state: State, command: EndTurn, ruleset: RuleSet) -> tuple[EndTurn, EndedTurn]:
    """The ruling on a turn that is over, and the command with what the log and the clock add to it.

    Raises ``GameError`` where the game waits for something else, or the command does not fit it.
    """
    _need(state, Phase.PLAY)
    if command.seat != state.seat:
        raise GameError("it is the turn of {seat}, not of {other}", seat=Seat(state.seat), other=Seat(command.seat))
    _not_over(state, ruleset)
    _in_the_box(command.rack or (), ruleset)
    command = _with_the_bell(state, command, ruleset)
    ending = command.ending
    player = Player(
        opened=state.opened[command.seat],
        rack=None if command.rack is None else sure(*command.rack),
        others_opened=all(state.opened[seat] for seat in state.active if seat != command.seat),
        could_play=command.could_play,
        pool_empty=state.pool == 0 or state.banking,
    )
    if command.could_play is None:
        player = replace(player, could_play=_could_play(state, command, player, ruleset))
    try:
        ended = judge_ending(parse_table(state.table), command.table, player, ending, ruleset)
    except ValueError as error:
        raise GameError.of(error) from error
    if len(ended.turn.played) > state.racks[command.seat]:
        raise _laid_too_many(state, command.seat, len(ended.turn.played))
    return command, ended


def _end_turn(state: State, command: EndTurn, ruleset: RuleSet) -> tuple[Event, ...]:
    command, ended = judge_end(state, command, ruleset)
    if ended.consequence is None:
        codes = tuple(finding.code.value for finding in ended.findings)
        shown = format_table(ended.stands)
        how, used = command.ending.how.value, command.time.used_s if command.time else None
        question = TurnQuestioned(seat=command.seat, how=how, shown=shown, codes=codes, elapsed_s=used)
        return (question,)
    return (_turn_event(state, command, ended, ruleset),)


def _could_play(state: State, command: EndTurn, player: Player, ruleset: RuleSet) -> bool | None:
    """Whether a player who chose to draw or to pass could have played; None where nobody knows, or need know.

    Nobody is forced to open, and who ran out of time did not choose to draw.
    """
    chose = command.ending.how in {TurnEnd.DREW, TurnEnd.PASSED}
    if command.rack is None or not (chose and player.opened and must_play(player.pool_empty, ruleset)):
        return None
    return can_play(parse_table(state.table), command.rack, True, ruleset, others_opened=player.others_opened)


def _with_the_bell(state: State, command: EndTurn, ruleset: RuleSet) -> EndTurn:
    """The command with what the log knows of overruns, and with the bell where the measured time was over.

    Raises ``GameError`` where a player laid tiles after his time, and nobody says how the table lay at the bell, and
    for a bell before the measured time was over.
    """
    ending = replace(command.ending, overruns=state.overruns[command.seat])
    drew = ending.how is TurnEnd.DREW
    _, over = _timed(state, command.seat, command.time, ruleset, drew=drew)
    if over and ending.how is not TurnEnd.TIME_UP:
        if not alike(command.table, parse_table(state.table)):
            raise GameError("the time was over before the turn was: tell how the table lay at the bell")
        ending = replace(ending, how=TurnEnd.TIME_UP, at_bell=command.table)
    if command.time is not None and not over and _rang(ending.how.value, command.seat, state, ruleset):
        raise GameError("the bell does not fit the time: it was not over after {used:g} s", used=command.time.used_s)
    return replace(command, ending=ending)


def _turn_event(state: State, command: EndTurn, ended: EndedTurn, ruleset: RuleSet) -> TurnEnded:
    costs = ended.consequence
    if costs is None:
        raise GameError("a turn that nobody can tell has no consequence")
    seat = command.seat
    before = sum(len(places) for places in parse_table(state.table))
    gained = sum(len(places) for places in ended.stands) - before
    codes = tuple(finding.code.value for finding in ended.findings if finding.severity is not Severity.NOTE)
    drew = command.ending.how is TurnEnd.DREW
    reserve, _ = _timed(state, seat, command.time, ruleset, drew=drew)
    nothing_laid = ended.verdict is Verdict.LEGAL and not gained
    banks = nothing_laid and (state.banking or duty(state.pool, ruleset) is Duty.BANK)
    return TurnEnded(
        seats=(seat,),
        how=command.ending.how.value,
        shown=format_table(command.table),
        after=format_table(ended.stands),
        verdict=ended.verdict.value,
        machine=ended.verdict.value,
        by="machine",
        codes=codes,
        played=max(0, gained),
        drew=0 if banks else drawn(costs.draw, state.pool),
        took=max(0, -gained),
        to_pool=1 if banks else 0,
        points=costs.points,
        opened=ended.turn.opened,
        opening=ended.turn.opening,
        overrun=command.ending.how is TurnEnd.TIME_UP and costs.reason is not None,
        elapsed_s=command.time.elapsed_s if command.time else None,
        reserve_s=reserve,
    )


def _timed(
    state: State, seat: int, time: MoveTime | None, ruleset: RuleSet, *, drew: bool = False
) -> tuple[float | None, bool]:
    """The reserve that is left, and whether the time was over."""
    reserve = state.reserves[seat]
    if reserve is None:
        reserve = first_reserve(ruleset)
    if time is None or ruleset.clock is Clock.NONE:
        return reserve, False
    timing = time_move(time, ruleset, opened=state.opened[seat], drew=drew, reserve_s=reserve)
    return timing.reserve_s, timing.over


def _answer(state: State, command: Answer, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.QUESTION)
    question = state.question
    if question is None:
        raise GameError("no turn waits for an answer")
    read = question if command.table is None else _read_by_referee(question, command.table, ruleset)
    at_the_bell = _rang(question.how, question.seat, state, ruleset)
    costs = _overrun_draw(state, question.seat, ruleset) if at_the_bell else ruleset.broken_draw
    turn = replace(_by_referee(state, read, command.legal, costs, ruleset), shown=question.shown)
    if at_the_bell:
        turn = _with_overrun(turn, state, ruleset)
    time = None if question.elapsed_s is None else MoveTime(question.elapsed_s)
    reserve, _ = _timed(state, question.seat, time, ruleset)
    return (replace(turn, elapsed_s=question.elapsed_s, reserve_s=reserve),)


def _rang(how: str, seat: int, state: State, ruleset: RuleSet) -> bool:
    """Whether a turn was ended by the bell."""
    return how == TurnEnd.TIME_UP.value and is_timed(state.opened[seat], ruleset)


def _overrun_draw(state: State, seat: int, ruleset: RuleSet) -> int:
    return 0 if state.overruns[seat] and not ruleset.draw_each else ruleset.overrun_draw


def _with_overrun(turn: TurnEnded, state: State, ruleset: RuleSet) -> TurnEnded:
    """A turn that the referee decided and that the bell ended, with what the overrun costs besides."""
    drew = turn.drew
    if turn.verdict == Verdict.LEGAL.value:
        if ruleset.overrun is not Overrun.ALWAYS:
            return turn
        drew = max(drew, drawn(_overrun_draw(state, turn.seats[0], ruleset), state.pool))
    return replace(turn, drew=drew, points=ruleset.overrun_points, overrun=True)


def _read_by_referee(question: TurnQuestioned, table: NotedTable, ruleset: RuleSet) -> TurnQuestioned:
    """The question with the tiles as the referee reads them: one tile for each that was shown."""
    _fits_the_box(table, ruleset)
    told = sum(len(places) for places in table)
    if told != _size(question.shown):
        raise GameError(
            "the table in question has {shown} tiles, and {told} were told", shown=_size(question.shown), told=told
        )
    return replace(question, shown=format_table(table))


def _override(state: State, command: Override, ruleset: RuleSet) -> tuple[Event, ...]:
    last, before = _last_turn(state)
    if command.draw < 0:
        raise GameError("a penalty must not be negative: {draw} tiles", draw=command.draw)
    if is_one_of_several(last):
        raise GameError("turns recorded as one have no verdict to override: undo them")
    read = replace(last, shown=last.after) if last.verdict == Verdict.LEGAL.value else last
    turn = replace(_by_referee(before, read, command.legal, command.draw, ruleset), shown=last.shown)
    if _rang(last.how, last.seats[0], before, ruleset):
        turn = _with_overrun(turn, before, ruleset)
    kept = replace(turn, elapsed_s=last.elapsed_s, reserve_s=last.reserve_s, overrun=last.overrun)
    return (VerdictOverridden(turn=kept, reason=command.reason),)


def _by_referee(state: State, told: TurnQuestioned | TurnEnded, legal: bool, draw: int, ruleset: RuleSet) -> TurnEnded:
    """A turn as the referee decides it: it stands as shown, or it is taken back."""
    seat = told.seat if isinstance(told, TurnQuestioned) else told.seats[0]
    after = told.shown if legal else state.table
    gained = _size(after) - _size(state.table)
    if gained > state.racks[seat]:
        raise _laid_too_many(state, seat, gained)
    drew, to_pool = drawn(draw, state.pool), 0
    if legal:
        drew, to_pool = (0, 0) if gained else _instead_of_playing(state, ruleset)
    return TurnEnded(
        seats=(seat,),
        how=told.how,
        shown=told.shown,
        after=after,
        verdict=(Verdict.LEGAL if legal else Verdict.ILLEGAL).value,
        machine=Verdict.CANNOT_TELL.value if isinstance(told, TurnQuestioned) else told.machine,
        by="referee",
        codes=(),
        played=max(0, gained),
        drew=drew,
        took=max(0, -gained),
        to_pool=to_pool,
        points=0,
        opened=state.opened[seat] or (legal and gained > 0),
        opening=None,
        overrun=False,
        elapsed_s=None,
        reserve_s=state.reserves[seat],
    )


def _instead_of_playing(state: State, ruleset: RuleSet) -> tuple[int, int]:
    """What a player does who lays nothing: the tiles that he draws, and those that he puts into the empty pool."""
    if state.banking or duty(state.pool, ruleset) is Duty.BANK:
        return 0, 1
    return drawn(1, state.pool), 0


def _size(table: str) -> int:
    return sum(len(places) for places in parse_table(table))


def _last_turn(state: State) -> tuple[TurnEnded, State]:
    if state.last_turn is None or state.before_turn is None or state.phase not in {Phase.PLAY, Phase.COUNT}:
        raise GameError("there is no last turn to change")
    return state.last_turn, state.before_turn


def _as_one(state: State, command: RecordAsOne, ruleset: RuleSet) -> tuple[Event, ...]:
    """Several turns that nobody called, the referee's word for each of them: the first moves, the others draw none."""
    _need(state, Phase.PLAY)
    _not_over(state, ruleset)
    _fits_the_box(command.table, ruleset)
    if not command.seats or command.seats[0] != state.seat or len(command.seats) != len(command.played):
        raise GameError("turns recorded as one begin with {seat} and have a count each", seat=Seat(state.seat))
    gained = sum(len(places) for places in command.table) - _size(state.table)
    if gained != sum(command.played) or min(command.played) < 0:
        raise GameError(
            "{gained} tiles came to the table, and the counts say {played}", gained=gained, played=sum(command.played)
        )
    shown = format_table(command.table)
    events: list[Event] = []
    for k, (seat, played) in enumerate(zip(command.seats, command.played, strict=True)):
        if is_over(state, ruleset):
            raise GameError(
                "the round was over after {last}, and {seat} is told to move",
                last=Seat(command.seats[k - 1]),
                seat=Seat(seat),
            )
        if seat != state.seat:
            raise GameError(
                "after {last} it is the turn of {seat}, not of {other}",
                last=Seat(command.seats[k - 1]),
                seat=Seat(state.seat),
                other=Seat(seat),
            )
        if played > state.racks[seat]:
            raise _laid_too_many(state, seat, played)
        drew, to_pool = (0, 0) if played else _instead_of_playing(state, ruleset)
        turn = TurnEnded(
            seats=(seat,),
            how=TurnEnd.PLAYED.value,
            shown=shown,
            after=shown if k == len(command.seats) - 1 else state.table,
            verdict=Verdict.LEGAL.value,
            machine=Verdict.CANNOT_TELL.value,
            by="referee",
            codes=(RECORDED_AS_ONE, UNDONE_AS_ONE),
            played=played,
            drew=drew,
            took=0,
            to_pool=to_pool,
            points=0,
            opened=state.opened[seat] or played > 0,
            opening=None,
            overrun=False,
            elapsed_s=None,
            reserve_s=state.reserves[seat],
        )
        events.append(turn)
        state = evolve(state, turn)
    return tuple(events)


# --- corrections ------------------------------------------------------------------------------------------------


def _correct(state: State, command: CorrectTable, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.PLAY, Phase.QUESTION, Phase.COUNT)
    _fits_the_box(command.table, ruleset)
    tiles = sum(len(places) for places in command.table)
    racks = list(command.racks or state.racks)
    if command.racks is None:
        seat, more = _last_seat(state), tiles - _size(state.table)
        if more > racks[seat]:
            raise GameError(
                "{more} more tiles cannot come from the rack of {seat}: count all racks anew",
                more=more,
                seat=Seat(seat),
            )
        racks[seat] -= more
    if len(racks) != len(state.racks) or min(racks) < 0:
        raise GameError("there are {racks} racks, and none holds fewer than 0 tiles", racks=len(state.racks))
    pool = ruleset.box_size - tiles - sum(racks)
    if pool < 0:
        raise GameError(
            "{tiles} tiles on the table and {held} on racks are more than the box holds", tiles=tiles, held=sum(racks)
        )
    text = format_table(command.table)
    return (TableCorrected(table=text, racks=tuple(racks), pool=pool, reason=command.reason),)


def _last_seat(state: State) -> int:
    """The seat that moved last; before the first turn the one whose turn it is."""
    return state.seat if state.last_turn is None else state.last_turn.seats[-1]


def _restore(state: State, command: RestoreTable, ruleset: RuleSet) -> tuple[Event, ...]:
    """Nothing where the table is as it was; where tiles are left over, they go where the rules send them."""
    _need(state, Phase.PLAY)
    put_back = judge_restoration(parse_table(state.table), command.table, ruleset, remembered=command.remembered)
    if not put_back.complete:
        if command.remembered:
            raise GameError("the table is not as it was before the turn: put it back, or say that nobody remembers")
        raise GameError("the table is not as it was before the turn: put it back, what was laid goes back to the rack")
    if not put_back.findings:
        return ()
    if put_back.to_pool:
        _not_over(state, ruleset)
    racks = list(state.racks)
    more = drawn(put_back.draw, state.pool + len(put_back.to_pool))  # what lies at the bottom comes last
    racks[_last_seat(state)] += len(put_back.to_rack) + more
    pool = state.pool + len(put_back.to_pool) - more
    kept = format_table(legal_sets(command.table, ruleset))
    return (TableCorrected(table=kept, racks=tuple(racks), pool=pool, reason="leftovers"),)


def _penalty(state: State, command: GivePenalty, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.PLAY, Phase.COUNT)
    _seated(state, command.seat)
    if command.tiles < 0 or command.points < 0:
        raise GameError("a penalty must not be negative: {given}", given=min(command.tiles, command.points))
    if command.tiles and is_over(state, ruleset):
        raise GameError("the round is over: a penalty is given in points now")
    given = PenaltyGiven(
        seat=command.seat, tiles=drawn(command.tiles, state.pool), points=command.points, reason=command.reason
    )
    return (given,)


# --- the end of a round -----------------------------------------------------------------------------------------


def is_over(state: State, ruleset: RuleSet) -> bool:
    """Whether the round is over, so that the racks are to be shown."""
    if state.phase is Phase.COUNT:
        return True
    return state.phase is Phase.PLAY and round_over(
        ruleset,
        pool=state.pool,
        players=len(state.active),
        turns_since_empty=state.turns_since_empty,
        passes=state.passes,
    )


def _score(state: State, command: Score, ruleset: RuleSet) -> tuple[Event, ...]:
    if not is_over(state, ruleset):
        raise GameError("the round is not over")
    if len(command.racks) != len(state.players):
        raise GameError(
            "there are {seats} seats, and {racks} racks were shown", seats=len(state.players), racks=len(command.racks)
        )
    for seat, rack in enumerate(command.racks):
        if len(rack) != state.racks[seat]:
            raise GameError(
                "{seat} holds {held} tiles, and {shown} were shown",
                seat=Seat(seat),
                held=state.racks[seat],
                shown=len(rack),
            )
    lying = [tile for places in parse_table(state.table) for place in places if (tile := place.tile)]
    _in_the_box([*lying, *(tile for rack in command.racks for tile in rack)], ruleset)
    for seat in command.announced:
        _seated(state, seat)
    hands = [
        Hand(
            tiles=command.racks[seat],
            opened=state.opened[seat],
            announced=seat in command.announced,
            points_lost=state.points_lost(seat),
        )
        for seat in state.active
    ]
    empty = any(not hand.tiles for hand in hands)
    end = RoundEnd.EMPTY_RACK if empty else RoundEnd.POOL_EMPTY
    try:
        scored = score_round(hands, ruleset, end)
    except ValueError as error:
        raise GameError.of(error) from error
    points = [0] * len(state.players)
    for k, seat in enumerate(state.active):
        points[seat] = scored.points[k]
    event = RoundScored(
        end=end.value,
        racks=tuple(format_rack(sure(*rack)) for rack in command.racks),
        announced=command.announced,
        points=tuple(points),
        winners=tuple(state.active[k] for k in scored.winners),
        zero_sum=scored.zero_sum,
    )
    return (event,)


def _next_round(state: State, ruleset: RuleSet) -> tuple[Event, ...]:
    _need(state, Phase.BETWEEN)
    _enough_players(state)
    winner = state.rounds[-1].winners[0]
    starter = next_round_starter(state.starter or 0, winner, len(state.players), ruleset)
    if starter is not None and starter not in state.active:
        starter = following(state, starter)
    return (RoundBegun(number=state.round + 1, starter=starter),)


def parse_told_table(text: str, ruleset: RuleSet) -> NotedTable:
    """A table as somebody typed it; raises ``GameError`` with the place of the fault."""
    try:
        return parse_table(text, ruleset.faces)
    except NotationError as error:
        raise GameError.of(error) from error


def parse_told_rack(text: str, ruleset: RuleSet) -> tuple[Tile, ...]:
    """A rack as somebody typed it; raises ``GameError`` with the place of the fault, also for a doubtful tile."""
    try:
        places = parse_rack(text, ruleset.faces)
    except NotationError as error:
        raise GameError.of(error) from error
    if any(len(place.readings) != 1 for place in places):
        raise GameError("a rack is told without doubtful or hidden tiles: {text!r}", text=text)
    return tuple(place.readings[0] for place in places)
