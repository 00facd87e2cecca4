"""What humans said by pointing into the picture (``referee.pointed``), found again in another look, and done there."""

from __future__ import annotations

from collections.abc import Iterable

from referee.observation import Kind, Observation, Point, Quad
from referee.places import boxes_meet, centre, nearest_place
from referee.pointed import OUTLASTING, Deed, Pointed
from referee.table import first_reading
from referee.tiles import Tile
from web.disputes.corrected import corrected
from web.disputes.edits import Add, Clear, Cut, Edit, Move, Remove, Uncover


def as_pointed(observation: Observation, said: Iterable[Pointed]) -> Observation:
    """The picture with these words; one whose place shows something else by now is passed over."""
    for word in said:
        edit = _edit(observation, word)
        if edit is not None:
            observation = corrected(observation, [edit]).observation
    return observation


def still_due(observation: Observation, said: tuple[Pointed, ...]) -> tuple[Pointed, ...]:
    """The words that outlast a turn, as far as this picture still needs them."""
    return tuple(word for word in said if word.deed in OUTLASTING and _edit(observation, word) is not None)


def still_meant(observation: Observation, said: Iterable[Pointed]) -> tuple[Pointed, ...]:
    """The words of a log that hold for this picture: the eyes say of each tile what they said of it then."""
    eyes, kept = observation, list[Pointed]()
    for word in said:
        edit = _edit(observation, word)
        if edit is not None and _reads_as_then(eyes, word):
            observation = corrected(observation, [edit]).observation
            kept.append(word)
    return tuple(kept)


def _reads_as_then(eyes: Observation, word: Pointed) -> bool:
    if word.deed in {Deed.ADDED, Deed.UNCOVERED, Deed.CLEARED}:
        return True
    at = nearest_place(word.quad, [tile.quad for tile in eyes.tiles])
    return word.read_as is None if at is None else _reads(eyes, at) == word.read_as


def tile_at(observation: Observation, at: Point) -> int | None:
    """The index of the tile that lies at a point; None where none does."""
    return _lying_at([tile.quad for tile in observation.tiles], at)


def region_at(observation: Observation, at: Point) -> int | None:
    """The index of the covered or cut tile at a point; None where none lies there, or another tile lies nearer."""
    region, tile = _lying_at(observation.unread, at), tile_at(observation, at)
    if region is None or tile is None:
        return region
    quads = observation.unread[region], observation.tiles[tile].quad
    return region if _apart(centre(quads[0]), at) < _apart(centre(quads[1]), at) else None


def _lying_at(quads: Iterable[Quad], at: Point) -> int | None:
    around = [(i, quad) for i, quad in enumerate(quads) if holds(quad, at)]
    return min(around, key=lambda one: _apart(centre(one[1]), at))[0] if around else None


def holds(quad: Quad, at: Point) -> bool:
    """Whether a point lies in a quad whose corners go around it."""
    sides = []
    for k in range(4):
        (ax, ay), (bx, by) = quad[k], quad[(k + 1) % 4]
        sides.append((bx - ax) * (at[1] - ay) - (by - ay) * (at[0] - ax))
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)


def _apart(one: Point, other: Point) -> float:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def _edit(observation: Observation, word: Pointed) -> Edit | None:
    """A word as the edit of this picture; None where its place shows something else by now."""
    quads = [tile.quad for tile in observation.tiles]
    at = nearest_place(word.quad, quads)
    match word.deed:
        case Deed.ADDED:
            place = centre(word.quad)
            return Add(place, word.tile) if tile_at(observation, place) is None else None
        case Deed.UNCOVERED | Deed.CLEARED:
            place = centre(word.quad)
            meeting = [k for k, quad in enumerate(observation.unread) if boxes_meet(quad, word.quad)]
            if not meeting:
                return None
            region = min(meeting, key=lambda k: _apart(centre(observation.unread[k]), place))
            return Clear(region) if word.deed is Deed.CLEARED else Uncover(region, word.tile)
    if at is None or (word.deed is Deed.REMOVED and _reads(observation, at) != word.read_as):
        return None
    if word.deed is Deed.REMOVED:
        return Remove(at)
    if word.deed is Deed.CUT:
        row = next((row for row in observation.rows if at in row.tiles), None)
        return Cut(at) if row is not None and row.tiles[0] != at else None
    if word.beside is None:
        return Move(at, None)
    beside = nearest_place(word.beside, quads)
    return Move(at, beside, word.after) if beside not in {None, at} else None


def _reads(observation: Observation, index: int) -> Tile | None:
    seen = observation.tiles[index]
    return None if seen.kind is Kind.BACK else first_reading(seen)
