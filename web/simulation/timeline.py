"""What moves when: hands that come, tiles that are carried and slid, hands that leave; and what disturbs the camera.

Times are seconds of one clock, places tile heights on the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from vision.render.stage import Exposure, Highlight
from web.simulation.layout import Pose, TableLayout

Point = tuple[float, float]

SPEED = 15.0
"""Tile heights that a hand moves in a second: about 60 cm."""
GRIP_S = 0.18
"""Taking hold of tiles, and letting go."""
MOST_AT_ONCE = 5
"""So many tiles are carried together."""
MOST_STACKED = 6
"""A stack is no higher."""
CARRY_LIFT = 0.7
_HELD = 0.3
_HOLD = 0.42
"""Finger tips are so far from the middle of what they hold, towards the player."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a player sits: the point on the table's rim from which his arm comes, and where his rack stands."""

    home: Point
    rack: Point


@dataclass(frozen=True, slots=True)
class Carry:
    """Tiles that move together from ``begins`` to ``ends``; a pose of None is on the rack, out of sight."""

    begins: float
    ends: float
    start: Mapping[int, Pose | None]
    stop: Mapping[int, Pose | None]
    lifted: bool
    via: Point
    """The rack: where tiles come from, or go to, that have no pose."""


@dataclass(frozen=True, slots=True)
class HandTrack:
    """A hand's finger tips at times that rise; the hand is there from the first to the last."""

    seat: int
    times: tuple[float, ...]
    tips: tuple[Point, ...]

    def tip_at(self, t: float) -> Point | None:
        """The finger tips, None while the hand is away."""
        if not self.times[0] < t < self.times[-1]:
            return None
        at = int(np.searchsorted(self.times, t)) - 1
        share = smooth((t - self.times[at]) / max(1e-9, self.times[at + 1] - self.times[at]))
        (x0, y0), (x1, y1) = self.tips[at], self.tips[at + 1]
        return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share


@dataclass(frozen=True, slots=True)
class Timeline:
    """One stretch of play: ``lay`` are the poses at its beginning, tiles by key."""

    begins: float
    ends: float
    lay: Mapping[int, Pose]
    carries: tuple[Carry, ...] = ()
    hands: tuple[HandTrack, ...] = ()

    def poses_at(self, t: float) -> dict[int, tuple[Pose, float]]:
        """Each tile that is on the table or on its way: its pose, and how high it is lifted."""
        poses = {key: (pose, pose.lift) for key, pose in self.lay.items()}
        for carry in self.carries:
            if t <= carry.begins:
                break
            share = smooth(min(1.0, (t - carry.begins) / (carry.ends - carry.begins)))
            for key, stop in carry.stop.items():
                start = carry.start[key]
                if share >= 1:
                    if stop is None:
                        poses.pop(key, None)
                    else:
                        poses[key] = stop, stop.lift
                    continue
                here = _between(start or _at(carry.via, stop), stop or _at(carry.via, start), share)
                high = CARRY_LIFT * float(np.sin(np.pi * share)) if carry.lifted else 0.0
                poses[key] = here, here.lift + high
        return poses

    def moves_at(self, t: float) -> bool:
        """Whether a hand is over the table, or a tile on its way."""
        return any(hand.times[0] < t < hand.times[-1] for hand in self.hands) or any(
            carry.begins < t < carry.ends for carry in self.carries
        )


def smooth(share: float) -> float:
    """From 0 to 1, slowly at both ends."""
    return share * share * (3 - 2 * share)


def _at(point: Point, like: Pose | None) -> Pose:
    return Pose(*point, like.angle_deg if like is not None else 0.0)


def _between(start: Pose, stop: Pose, share: float) -> Pose:
    turn = (stop.angle_deg - start.angle_deg + 180) % 360 - 180
    return Pose(
        start.x + (stop.x - start.x) * share,
        start.y + (stop.y - start.y) * share,
        start.angle_deg + turn * share,
        start.lift + (stop.lift - start.lift) * share,
    )


@dataclass
class Mover:
    """Builds the timeline of one hand at work, trip by trip; ``pace`` 1 is a usual hand, less a slower one."""

    seat: int
    place: Seat
    rng: Random
    begins: float
    lay: dict[int, Pose]
    pace: float = 1.0
    now: float = field(init=False)
    tip: Point = field(init=False)
    carries: list[Carry] = field(default_factory=list)
    tracks: list[HandTrack] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now, self.tip = self.begins, self.place.home
        self._first = dict(self.lay)
        self._times: list[float] = [self.now]
        self._tips: list[Point] = [self.tip]

    def reach(self, tip: Point) -> None:
        """Move the finger tips."""
        far = float(np.hypot(tip[0] - self.tip[0], tip[1] - self.tip[1]))
        self.now += 0.08 + far / (SPEED * self.pace) * self.rng.uniform(0.8, 1.3)
        self._mark(tip)

    def rest(self, seconds: float) -> None:
        """Keep the hand where it is."""
        self.now += seconds
        self._mark(self.tip)

    def leave(self) -> None:
        """Take the hand away; it may come back."""
        self.reach(self.place.home)
        self.tracks.append(HandTrack(self.seat, tuple(self._times), tuple(self._tips)))
        self._times, self._tips = [self.now], [self.tip]

    def wait(self, seconds: float) -> None:
        """Stay away."""
        self.now += seconds
        self._times, self._tips = [self.now], [self.tip]

    def carry(self, moves: Mapping[int, tuple[Pose | None, Pose | None]], lifted: bool) -> None:
        """Take some tiles, from where they lie or the rack, to where they shall lie, or the rack."""
        self.reach(self._grip([start for start, _ in moves.values()]))
        self.rest(GRIP_S * self.rng.uniform(0.6, 1.5))
        began = self.now
        self.reach(self._grip([stop for _, stop in moves.values()]))
        starts = {key: start for key, (start, _) in moves.items()}
        stops = {key: stop for key, (_, stop) in moves.items()}
        self.carries.append(Carry(began, self.now, starts, stops, lifted, self.place.rack))
        for key, stop in stops.items():
            self.lay.pop(key, None)
            if stop is not None:
                self.lay[key] = stop
        self.rest(GRIP_S * self.rng.uniform(0.6, 1.5))

    def timeline(self) -> Timeline:
        """All of it; the hand has left."""
        return Timeline(self.begins, self.now, self._first, tuple(self.carries), tuple(self.tracks))

    def _grip(self, poses: Sequence[Pose | None]) -> Point:
        """Where the finger tips hold these tiles: a little on the player's side of their middle."""
        there = [(pose.x, pose.y) for pose in poses if pose is not None] or [self.place.rack]
        x, y = (float(np.mean([one[axis] for one in there])) for axis in (0, 1))
        towards = np.array(self.place.home) - (x, y)
        towards *= _HOLD / max(1e-6, float(np.linalg.norm(towards)))
        return x + float(towards[0]), y + float(towards[1])

    def _mark(self, tip: Point) -> None:
        self.tip = tip
        self._times.append(self.now)
        self._tips.append(tip)


Moves = dict[int, tuple[Pose | None, Pose | None]]


def half_way(moves: Moves, rack: Point) -> tuple[Moves, Moves]:
    """A trip in two, the tiles held low over the table between them."""
    stops = {
        key: replace(_between(start or _at(rack, stop), stop or _at(rack, start), 0.5), lift=_HELD)
        for key, (start, stop) in moves.items()
    }
    return (
        {key: (moves[key][0], stop) for key, stop in stops.items()},
        {key: (stop, moves[key][1]) for key, stop in stops.items()},
    )


def stacked(todo: Sequence[tuple[Moves, bool]], thickness: float) -> tuple[Moves, list[tuple[Moves, bool]]] | None:
    """All tiles that are to move on the table first put on a stack, where the first of them lies, and moved from there.

    None where fewer than two move.
    """
    moving = [
        key for moves, _ in todo for key, (start, stop) in moves.items() if start is not None and stop is not None
    ]
    if len(moving) < 2:
        return None
    starts = {key: start for moves, _ in todo for key, (start, _) in moves.items() if start is not None}
    first = starts[moving[0]]
    pile = {
        key: Pose(first.x + 0.03 * (k % 3 - 1), first.y + 0.02 * (k % 2), first.angle_deg + 3.0 * (k % 3 - 1),
                  k * thickness)
        for k, key in enumerate(moving[:MOST_STACKED])
    }  # fmt: skip
    # the top of the stack goes first
    then: list[tuple[Moves, bool]] = [
        ({key: (pile.get(key, start), stop)}, True)
        for moves, _ in todo
        for key, (start, stop) in moves.items()
        if key in pile
    ]
    then.reverse()
    rest = [({key: step for key, step in moves.items() if key not in pile}, lifted) for moves, lifted in todo]
    return {key: (starts[key], pose) for key, pose in pile.items()}, [*then, *(one for one in rest if one[0])]


def trips(before: TableLayout, after: TableLayout) -> list[tuple[Moves, bool]]:
    """The trips of a hand that make one table out of another, and whether the tiles are lifted.

    First what makes room, then what moves on the table, then what comes from the rack, then what goes to it; tiles of
    one set together.
    """
    homes = {key: number for number, one in enumerate(before.sets) for key in one.keys}
    gone = [key for key in before.poses if key not in after.poses]
    found: list[tuple[int, Moves, bool]] = []
    for one in after.sets:
        moving = [key for key in one.keys if before.poses.get(key) != after.poses[key]]
        from_table: dict[int, list[int]] = {}
        new = [key for key in moving if key not in before.poses]
        for key in moving:
            if key in before.poses:
                from_table.setdefault(homes[key], []).append(key)
        for number, keys in from_table.items():
            # a set that only moves aside is slid, whatever is taken out of others is lifted
            slid = set(before.sets[number].keys) <= set(one.keys) or len(keys) > 2
            rank, lifted = (0, False) if slid else (1, True)
            found += [
                (rank, {key: (before.poses[key], after.poses[key]) for key in part}, lifted) for part in _parts(keys)
            ]
        found += [(2, {key: (None, after.poses[key]) for key in part}, True) for part in _parts(new)]
    found += [(3, {key: (before.poses[key], None) for key in part}, True) for part in _parts(gone)]
    found.sort(key=lambda one: one[0])
    return [(moves, lifted) for _, moves, lifted in found]


def _parts(keys: Sequence[int]) -> list[Sequence[int]]:
    return [keys[at : at + MOST_AT_ONCE] for at in range(0, len(keys), MOST_AT_ONCE)]


# --- what disturbs the camera ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Nudge:
    """The camera is pushed: from ``at`` on it stands elsewhere, by so much (x, y in tile heights, degrees)."""

    at: float
    by: tuple[float, float, float]
    takes: float = 0.25

    def seen_at(self, t: float) -> tuple[float, float, float]:
        """How far the push has come, with a swing at its end."""
        share = min(1.0, max(0.0, (t - self.at) / self.takes))
        swing = 0.25 * np.sin(20 * (t - self.at)) * np.exp(-6 * (t - self.at)) if 0 < t - self.at < 0.8 else 0.0
        x, y, turn = (float(part * (smooth(share) + swing)) for part in self.by)
        return x, y, turn


@dataclass(frozen=True, slots=True)
class LightChange:
    """From ``at`` for ``lasts`` seconds: ``kind`` is "lamp" (off and on), "exposure" (a jump) or "flicker"."""

    at: float
    lasts: float
    kind: str

    def seen_at(self, t: float) -> Exposure:
        """The exposure that this change makes."""
        if not self.at < t < self.at + self.lasts:
            return Exposure()
        if self.kind == "lamp":  # the camera opens when it gets dark
            return Exposure(gain=1 + 0.6 * (1 - float(np.exp(-3 * (t - self.at)))), lamp=False)
        if self.kind == "flicker":
            return Exposure(gain=1 + 0.05 * float(np.sin(2 * np.pi * 7.3 * (t - self.at))))
        return Exposure(gain=1 + 0.3 * float(np.exp(-4 * (t - self.at))))


@dataclass(frozen=True, slots=True)
class Glint:
    """A highlight wanders over the tiles from ``start`` to ``stop`` and is gone.

    ``radius`` is in tile heights; ``strength`` 1 whitens what is in its middle.
    """

    at: float
    lasts: float
    start: Point
    stop: Point
    radius: float
    strength: float

    def seen_at(self, t: float) -> Highlight | None:
        """The highlight at ``t``, None while it is not there; it comes and goes in a third of its time."""
        share = (t - self.at) / self.lasts
        if not 0 < share < 1:
            return None
        (x0, y0), (x1, y1) = self.start, self.stop
        strength = self.strength * min(1.0, 3 * share, 3 * (1 - share))
        return Highlight((x0 + (x1 - x0) * share, y0 + (y1 - y0) * share), self.radius, strength)


@dataclass(frozen=True, slots=True)
class Hunt:
    """The lens looks for its focus for so long, at most this far out (sigma in pixels)."""

    at: float
    lasts: float
    most_px: float

    def seen_at(self, t: float) -> float:
        """The sigma of the blur."""
        share = (t - self.at) / self.lasts
        return self.most_px * abs(float(np.sin(3 * np.pi * share))) if 0 < share < 1 else 0.0
