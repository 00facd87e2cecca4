"""What humans said earlier, from the log, found again in a picture: after a start anew nobody is asked twice.

Answers are places in a picture, and the camera may stand elsewhere by now, so each is believed only where the eyes say
what they said then; the answers of turns that are over only where the table of the log agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from referee.game.events import PlacePointed, TileAnswered
from referee.game.state import State
from referee.located import locate
from referee.notation import NotedTable
from referee.observation import Kind, Observation, Quad, Reading, SeenTile
from referee.places import nearest_place, with_tile
from referee.pointed import Deed, Pointed
from referee.reconcile import HumanAnswer
from referee.table import first_reading
from referee.tiles import Tile, parse_tile


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answers of a log: those of the turn that goes on, and those of tiles that have stood since; and what was said
    of places.
    """

    answers: tuple[HumanAnswer, ...] = ()
    settled: tuple[HumanAnswer, ...] = ()
    pointed: tuple[Pointed, ...] = ()

    def moved(self, where: Callable[[Quad], Quad]) -> Recalled:
        """The same after the camera was moved; ``where`` tells where a tile lies now."""
        one, other = (tuple(replace(said, quad=where(said.quad)) for said in part)
                      for part in (self.answers, self.settled))  # fmt: skip
        return Recalled(one, other, moved_words(self.pointed, where))


def recalled(state: State) -> Recalled:
    """What a game's log knows of human words.  Raises ``ValueError`` for an event that is none."""
    answers, settled = (tuple(map(answer_of, part)) for part in (state.answers, state.settled))
    return Recalled(answers, settled, tuple(map(word_of, state.pointed)))


def answer_of(event: TileAnswered) -> HumanAnswer:
    """An answer as it was given.  Raises ``ValueError`` for a place or tile that cannot be read."""
    return HumanAnswer(_quad(event.quad), _tile(event.tile), event.gone, _tile(event.read_as))


def word_of(event: PlacePointed) -> Pointed:
    """A word about a place as it was said.  Raises ``ValueError`` as ``answer_of`` does."""
    beside = None if event.beside is None else _quad(event.beside)
    return Pointed(
        Deed(event.deed), _quad(event.quad), _tile(event.tile), beside, event.after, _tile(event.read_as)
    )


def moved_words(said: Iterable[Pointed], where: Callable[[Quad], Quad]) -> tuple[Pointed, ...]:
    """The same words after the camera was moved; ``where`` tells where a tile lies now."""
    return tuple(
        replace(word, quad=where(word.quad), beside=None if word.beside is None else where(word.beside))
        for word in said
    )


def _quad(corners: Sequence[float]) -> Quad:
    ax, ay, bx, by, cx, cy, dx, dy = corners
    return (ax, ay), (bx, by), (cx, cy), (dx, dy)


def _tile(code: str | None) -> Tile | None:
    return None if code is None else parse_tile(code)


def still_holding(said: Recalled, observation: Observation, standing: NotedTable) -> tuple[HumanAnswer, ...]:
    """The answers that hold for a picture in which ``standing``, the table of the log, lies."""
    current = tuple(answer for answer in said.answers if answer.gone or _fits(answer, observation))
    settled = tuple(answer for answer in said.settled if not answer.gone and _fits(answer, observation))
    located = locate(standing, as_answered(observation, (*settled, *current)))
    tiles = [place.tile for places in standing for place in places]
    found = [(quad, tile) for quad, tile in zip(located.quads, tiles, strict=True) if quad is not None]
    agreed = []
    for answer in settled:
        at = nearest_place(answer.quad, [quad for quad, _ in found])
        if at is not None and found[at][1] == answer.tile:
            agreed.append(answer)
    return (*agreed, *current)


def as_answered(observation: Observation, answers: Sequence[HumanAnswer]) -> Observation:
    """The picture with its tiles as humans said, as far as the eyes say what they said then."""
    for answer in answers:
        if answer.gone or not _fits(answer, observation):
            continue
        index = nearest_place(answer.quad, [seen.quad for seen in observation.tiles])
        if index is None:
            observation = with_tile(observation, _said(answer))
            continue
        tiles = list(observation.tiles)
        tiles[index] = replace(_said(answer), quad=tiles[index].quad)
        observation = replace(observation, tiles=tuple(tiles))
    return observation


def _fits(answer: HumanAnswer, observation: Observation) -> bool:
    """Whether the eyes say at that place what they said when it was asked about, or what was answered."""
    index = nearest_place(answer.quad, [seen.quad for seen in observation.tiles])
    if index is None:
        return answer.tile is not None and answer.read_as is None
    seen = observation.tiles[index]
    now = None if seen.kind is Kind.BACK else first_reading(seen)
    return now in {answer.read_as, answer.tile}


def _said(answer: HumanAnswer) -> SeenTile:
    if answer.tile is None:
        return SeenTile(answer.quad, Kind.BACK, (), 1.0, doubtful=False)
    return SeenTile(answer.quad, Kind.FACE, (Reading(answer.tile, 1.0),), 1.0, doubtful=False)
