"""What a human says of doubtful tiles, and what follows from it at once."""

from __future__ import annotations

from dataclasses import replace

from referee.game import commands
from referee.game.decide import GameError
from referee.notation import parse_table
from referee.observation import Observation, Point
from referee.places import centre
from referee.protocol import RULING, Stage
from referee.reconcile import AcceptedTable, answer_to
from referee.tiles import Tile
from web.evidence.turn import HumanWord, Occasion
from web.live import acts
from web.live.game import LiveGame
from web.live.judging import judge
from web.live.notices import NoticeCode, QuestionKind, TileQuestion
from web.live.pointed import holds
from web.live.reading import Reading
from web.live.restoring import watch_restoring


def open_questions(game: LiveGame) -> tuple[TileQuestion, ...]:
    """What may be answered now: what a ruling waits for, or tiles that are in doubt while a table is put back."""
    if game.turn.stage in RULING:
        return game.notes.asked
    reading = game.memory.reading
    return reading.asked if reading is not None and game.turn.stage is Stage.RESTORE else ()


def choose(game: LiveGame, number: int, choice: int) -> None:
    """Answer a question by the number of a choice.  Raises ``GameError``."""
    choices = _question(game, number).choices
    if not 0 <= choice < len(choices):
        raise GameError("question {number} has {choices} choices", number=number + 1, choices=len(choices))
    answer(game, number, choices[choice])


def correction(game: LiveGame, act: acts.AnswerTile) -> acts.RemoveTile | acts.CorrectTile | None:
    """What an answer says of a tile without a face: there is none, or this is it; None for every other answer."""
    asked = _question(game, act.question, act.at)
    if asked.kind is not QuestionKind.HIDDEN:
        return None
    at = centre(asked.quad)
    return acts.RemoveTile(at) if act.tile is None else acts.CorrectTile(at, act.tile)


def answer(game: LiveGame, number: int, tile: Tile | None, at: Point | None = None) -> None:
    """Take an answer and rule again at once on the same look; ``at`` lies on the tile.  Raises ``GameError``."""
    reading = game.lying()
    _question(game, number, at)
    question = reading.questions[number]
    missing = question.index is None
    said = answer_to(question, tile, gone=missing and tile is None)
    told = commands.TellTile(said)
    events = game.carry(told)
    game.memory = game.memory.answered(said)
    read = () if question.index is None else reading.observation.tiles[question.index].readings
    game.keep(Occasion.ANSWER, told, events, words=(HumanWord(question.quad, tile, read),))
    sight = game.sight
    if sight is None or sight.observation is None:
        return
    again = game.read(sight.observation, reading.seen.captured_at, reading.seen.still_since)
    if game.turn.stage in RULING:
        judge(game, healed(game, again, sight.observation))
    elif game.turn.stage is Stage.RESTORE:
        watch_restoring(game, again)


def healed(game: LiveGame, reading: Reading, observation: Observation) -> Reading:
    """Correct the log where a human said that a tile accepted earlier is another one: an old misreading."""
    corrections, home = reading.reconciled.corrections, game.memory.home
    if not corrections or home is None:
        return reading
    table = [list(places) for places in parse_table(game.state.table)]
    at = {quad: place for place, quad in enumerate(home.quads) if quad is not None}
    flat = [(i, k) for i, places in enumerate(table) for k in range(len(places))]
    tiles = list(reading.accepted.tiles)
    for index, tile in corrections:
        place = at.get(tiles[index].quad)
        if place is None:
            return reading
        i, k = flat[place]
        table[i][k] = replace(table[i][k], readings=(tile,), meaning=None)
        tiles[index] = replace(tiles[index], tile=tile)
    told = commands.CorrectTable(tuple(map(tuple, table)), "misread", racks=game.state.racks)
    events = game.carry(told)
    game.memory = replace(game.memory, accepted=AcceptedTable(tuple(tiles), parse_table(game.state.table)))
    game.say(NoticeCode.CORRECTED, text=game.state.table)
    game.keep(Occasion.CORRECTION, told, events, reading)
    return game.read(observation, reading.seen.captured_at, reading.seen.still_since)


def _question(game: LiveGame, number: int, at: Point | None = None) -> TileQuestion:
    """The question of a number, which must be about the tile at this point where one is told.  Raises ``GameError``."""
    asked = open_questions(game)
    if not 0 <= number < len(asked):
        raise GameError("there is no question {number}", number=number + 1)
    if at is not None and not holds(asked[number].quad, at):
        raise GameError("that question was answered meanwhile: another tile is asked about now")
    return asked[number]
