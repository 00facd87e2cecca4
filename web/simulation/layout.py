"""Where the sets of a table lie: with room around them, where their tiles lay before, tidied up when room is short.

Lengths are tile heights on the table (x right, y down), angles degrees clockwise.  Nothing here knows a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from referee.tiles import Tile

ROOM = 0.3
"""Least room around each set: two sets are twice as far apart, more than tiles of one row ever are."""
_GRID = 0.3
_LEAST_GAP = 0.012
_SAME_SLOT = 0.06
"""A tile whose place in its set moved by less than this is left as it lies."""
_SHELF_TRIES = 6


@dataclass(frozen=True, slots=True)
class Pose:
    """A tile's centre and turn, and how high it lies where others lie under it."""

    x: float
    y: float
    angle_deg: float
    lift: float = 0.0


@dataclass(frozen=True, slots=True)
class LaidSet:
    """A set as it lies: tiles by key in reading order, the centre of its first place, its turn, and place to place."""

    keys: tuple[int, ...]
    x: float
    y: float
    angle_deg: float
    step: float

    def slot(self, number: int) -> tuple[float, float]:
        """The centre of a place."""
        turn = np.radians(self.angle_deg)
        return float(self.x + np.cos(turn) * self.step * number), float(self.y + np.sin(turn) * self.step * number)


@dataclass(frozen=True, slots=True)
class Region:
    """The part of the table on which sets lie, in the camera's sight."""

    left: float
    top: float
    right: float
    bottom: float

    def within(self, sides: Sequence[tuple[int, int]], by: float) -> Region:
        """Smaller by so much on these sides, each pointing out of it: (0, 1) is the lower one."""
        left, top, right, bottom = self.left, self.top, self.right, self.bottom
        for dx, dy in sides:
            left, right = left + by * (dx < 0), right - by * (dx > 0)
            top, bottom = top + by * (dy < 0), bottom - by * (dy > 0)
        return Region(left, top, right, bottom)


@dataclass(frozen=True, slots=True)
class Manner:
    """How a player lays sets: the turn that he reads from, and how carelessly, 1 being usual.

    ``gap`` is the room between tiles that he leaves on purpose, in tile widths.
    """

    facing_deg: float = 0.0
    messy: float = 1.0
    gap: float = 0.0


@dataclass(frozen=True, slots=True)
class TableLayout:
    """All sets, and the pose of each of their tiles by key."""

    sets: tuple[LaidSet, ...] = ()
    poses: Mapping[int, Pose] = ()  # type: ignore[assignment]  # an empty mapping cannot be a default

    def __post_init__(self) -> None:
        if not self.poses:
            object.__setattr__(self, "poses", {})


@dataclass(frozen=True, slots=True)
class KeyedSet:
    """A set that is wanted: its tiles by key in reading order, and which of the former sets it carries on."""

    keys: tuple[int, ...]
    carries_on: int | None


class NoRoomError(ValueError):
    """The sets do not fit on the region."""


def keyed(
    before: Sequence[Sequence[int]], after: Sequence[Sequence[Tile]], rack: Sequence[int], tile_of: Sequence[Tile]
) -> tuple[list[KeyedSet], list[int]]:
    """Which tile lies where: as few as possible move; and which of the tiles that lay there are left over.

    Sets of the same tiles stay as they are.  Any other set carries on the former one that shares most tiles with it.
    Raises ``ValueError`` where tiles are wanted that are neither on the table nor on the rack.
    """
    wanted = [tuple(one) for one in after]
    chosen: list[KeyedSet | None] = [None] * len(wanted)
    waiting = {number: list(keys) for number, keys in enumerate(before)}
    contents = {number: Counter(tile_of[key] for key in keys) for number, keys in waiting.items()}
    for at, one in enumerate(wanted):
        same = next((number for number in waiting if contents[number] == Counter(one)), None)
        if same is not None:
            chosen[at] = KeyedSet(tuple(waiting.pop(same)), same)
    shares = sorted(
        (-(contents[number] & Counter(one)).total(), at, number)
        for at, one in enumerate(wanted)
        if chosen[at] is None
        for number in waiting
    )
    homes: dict[int, int] = {}
    for share, at, number in shares:
        if share < 0 and at not in homes and number not in homes.values():
            homes[at] = number
    loose = [key for number in waiting for key in waiting[number]]
    held = list(rack)
    open_sets = [at for at in range(len(wanted)) if chosen[at] is None]
    keys: dict[int, list[int | None]] = {at: [None] * len(wanted[at]) for at in open_sets}
    for own in (True, False):  # a set's own tiles first, in the order in which they lie
        for at in open_sets:
            for place, tile in enumerate(wanted[at]):
                if keys[at][place] is not None:
                    continue
                source = before[homes[at]] if own and at in homes else () if own else (*loose, *held)
                found = next((k for k in source if tile_of[k] == tile and (k in loose or k in held)), None)
                if found is None:
                    if own:
                        continue
                    raise ValueError(f"{tile} is neither on the table nor on the rack")
                (loose if found in loose else held).remove(found)
                keys[at][place] = found
    for at in open_sets:
        chosen[at] = KeyedSet(tuple(key for key in keys[at] if key is not None), homes.get(at))
    return [one for one in chosen if one is not None], loose


def rearranged(
    layout: TableLayout,
    wanted: Sequence[KeyedSet],
    manner: Manner,
    region: Region,
    aspect: float,
    rng: np.random.Generator,
) -> TableLayout:
    """The table with the wanted sets: what stays together stays where it lies, the rest where there is room near it.

    Raises ``NoRoomError``.
    """
    placed: list[LaidSet | None] = [None] * len(wanted)
    taken: list[tuple[float, float, float, float]] = []
    kept = [k for k, one in enumerate(wanted) if _stays(layout, one)]
    for k in kept:
        placed[k] = layout.sets[wanted[k].carries_on or 0]
        taken.append(_extent(placed[k], aspect))  # type: ignore[arg-type]
    growing = [k for k, one in enumerate(wanted) if k not in kept and one.carries_on is not None]
    for k in growing:
        grown = _carried_on(layout.sets[wanted[k].carries_on or 0], wanted[k].keys)
        extent = _extent(grown, aspect)
        if _inside(extent, region) and not _meets(extent, taken):
            placed[k] = grown
            taken.append(extent)
    for k, one in enumerate(wanted):
        if placed[k] is None:
            placed[k] = _somewhere(layout, one, manner, region, aspect, rng, taken)
            if placed[k] is None:
                return _tidied(layout, wanted, manner, region, aspect, rng)
            taken.append(_extent(placed[k], aspect))  # type: ignore[arg-type]
    return _posed(layout, [one for one in placed if one is not None], manner, rng)


def _stays(layout: TableLayout, one: KeyedSet) -> bool:
    return one.carries_on is not None and layout.sets[one.carries_on].keys == one.keys


def _extent(one: LaidSet, aspect: float, room: float = ROOM) -> tuple[float, float, float, float]:
    """Left, top, right, bottom with its share of the room around it."""
    turn = np.radians(one.angle_deg)
    cosine, sine = abs(float(np.cos(turn))), abs(float(np.sin(turn)))
    (x0, y0), (x1, y1) = one.slot(0), one.slot(len(one.keys) - 1)
    across, down = (aspect * cosine + sine) / 2 + room, (aspect * sine + cosine) / 2 + room
    return min(x0, x1) - across, min(y0, y1) - down, max(x0, x1) + across, max(y0, y1) + down


def _inside(extent: tuple[float, float, float, float], region: Region) -> bool:
    left, top, right, bottom = extent
    return left >= region.left and top >= region.top and right <= region.right and bottom <= region.bottom


def _meets(extent: tuple[float, float, float, float], taken: Sequence[tuple[float, float, float, float]]) -> bool:
    left, top, right, bottom = extent
    return any(left < r and a < right and top < b and t < bottom for a, t, r, b in taken)


def _carried_on(old: LaidSet, keys: tuple[int, ...]) -> LaidSet:
    """The set with other tiles, so shifted that most tiles that stay lie where they lay."""
    shifts = [old.keys.index(key) - place for place, key in enumerate(keys) if key in old.keys]
    x, y = old.slot(round(median(shifts))) if shifts else (old.x, old.y)
    return LaidSet(keys, x, y, old.angle_deg, old.step)


def _somewhere(
    layout: TableLayout,
    one: KeyedSet,
    manner: Manner,
    region: Region,
    aspect: float,
    rng: np.random.Generator,
    taken: Sequence[tuple[float, float, float, float]],
) -> LaidSet | None:
    """The set near where its tiles lay, or anywhere near the middle; None where there is no room."""
    angle = manner.facing_deg + manner.messy * float(np.clip(rng.normal(0, 1.2), -3, 3))
    step = aspect * (1 + _LEAST_GAP + manner.gap + min(0.1, manner.messy * 0.025 * abs(float(rng.normal()))))
    at_origin = LaidSet(one.keys, 0.0, 0.0, angle, step)
    left, top, right, bottom = _extent(at_origin, aspect)
    xs = np.arange(region.left - left, region.right - right + 1e-6, _GRID)
    ys = np.arange(region.top - top, region.bottom - bottom + 1e-6, _GRID)
    if not len(xs) or not len(ys):
        return None
    grid_x, grid_y = (axis.ravel() for axis in np.meshgrid(xs, ys))
    free = np.ones(len(grid_x), np.bool_)
    for a, t, r, b in taken:
        free &= (grid_x + left >= r) | (grid_x + right <= a) | (grid_y + top >= b) | (grid_y + bottom <= t)
    if not free.any():
        return None
    lay = [layout.poses[key] for key in one.keys if key in layout.poses]
    if lay:
        near = np.array([np.mean([pose.x for pose in lay]), np.mean([pose.y for pose in lay])])
    else:
        near = np.array([(region.left + region.right) / 2, (region.top + region.bottom) / 2])
        near += rng.normal(0, 0.22, 2) * (region.right - region.left, region.bottom - region.top)
    grid_x, grid_y = grid_x[free], grid_y[free]
    middle_x, middle_y = grid_x + (left + right) / 2, grid_y + (top + bottom) / 2
    best = int(np.argmin((middle_x - near[0]) ** 2 + (middle_y - near[1]) ** 2))
    return LaidSet(one.keys, float(grid_x[best]), float(grid_y[best]), angle, step)


def _tidied(
    layout: TableLayout,
    wanted: Sequence[KeyedSet],
    manner: Manner,
    region: Region,
    aspect: float,
    rng: np.random.Generator,
) -> TableLayout:
    """All sets in lines, close together, in about the order in which they lay."""

    def lay_at(one: KeyedSet) -> tuple[float, float]:
        lay = [layout.poses[key] for key in one.keys if key in layout.poses]
        return (round(float(np.mean([pose.y for pose in lay]))), lay[0].x) if lay else (99.0, 0.0)

    for squeeze in np.linspace(1.0, 0.75, _SHELF_TRIES):
        x, y = region.left, region.top
        sets: list[LaidSet | None] = [None] * len(wanted)
        step, room = aspect * (1 + _LEAST_GAP + 0.01), ROOM * float(squeeze)
        for k in sorted(range(len(wanted)), key=lambda k: lay_at(wanted[k])):
            length = step * (len(wanted[k].keys) - 1) + aspect + 2 * room
            if x + length > region.right:
                x, y = region.left, y + 1 + 2 * room
            sets[k] = LaidSet(wanted[k].keys, x + room + aspect / 2, y + room + 0.5, _upright(manner), step)
            if _upright(manner) == 180.0:
                sets[k] = LaidSet(wanted[k].keys, x + length - room - aspect / 2, y + room + 0.5, 180.0, step)
            x += length
        if y + 1 + 2 * room <= region.bottom:
            return _posed(TableLayout(), [one for one in sets if one is not None], manner, rng)
    raise NoRoomError(f"{len(wanted)} sets do not fit on the table")


def _upright(manner: Manner) -> float:
    """Tidied sets are read from the player's side, or from the nearer long side."""
    return 180.0 if round(manner.facing_deg) % 360 in range(135, 316) else 0.0


def _posed(layout: TableLayout, sets: Sequence[LaidSet], manner: Manner, rng: np.random.Generator) -> TableLayout:
    """Poses for all tiles: those whose place did not change lie as they lay."""
    places = {key: one.slot(number) for one in layout.sets for number, key in enumerate(one.keys)}
    turns = {key: one.angle_deg for one in layout.sets for key in one.keys}
    poses: dict[int, Pose] = {}
    for one in sets:
        for number, key in enumerate(one.keys):
            x, y = one.slot(number)
            old = places.get(key)
            same = old is not None and np.hypot(x - old[0], y - old[1]) < _SAME_SLOT
            if same and abs(turns[key] - one.angle_deg) < 1.0:
                poses[key] = layout.poses[key]
                continue
            slip = manner.messy * np.clip(rng.normal(0, (0.006, 0.022)), (-0.012, -0.05), (0.012, 0.05))
            turn = np.radians(one.angle_deg)
            x += float(np.cos(turn) * slip[0] - np.sin(turn) * slip[1])
            y += float(np.sin(turn) * slip[0] + np.cos(turn) * slip[1])
            angle = one.angle_deg + manner.messy * float(np.clip(rng.normal(0, 0.8), -2, 2))
            poses[key] = Pose(x, y, angle)
    return TableLayout(tuple(sets), poses)
