"""A simulated table: a game that is played turn by turn, and what a camera over it sees at any instant.

Whoever drives it asks for the next stretch of play (a turn, a mended table, a table put back), each beginning when he
says, and for frames of any instant so far.  The same seed and the same times give the same frames.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from referee.ending import TurnEnd
from referee.notation import NotedTable, sure
from referee.ruleset import RuleSet
from vision.frames import Frame
from vision.render.club import club_look
from vision.render.faces import BACK
from vision.render.stage import Exposure, Moment, Stage, StagedTile, StageLook, StageTile
from vision.render.stage_hands import Hand, random_person
from web.simulation.layout import KeyedSet, Manner, Pose, Region, TableLayout, rearranged
from web.simulation.players import Rates
from web.simulation.round import PlannedTurn, TrueRound
from web.simulation.timeline import Hunt, LightChange, Mover, Nudge, Seat, Timeline, trips

FPS = 30.0
_EDGE_PX = 34
"""Sets keep so far away from the picture's edge at 1920 pixels: a camera may be nudged."""
_POOL_WIDTH = 1.9
"""The strip on the right where the pool lies, where the camera sees it."""
_STACK = 7
_POOL_KEY = 1000
_DRAWN_KEY = 2000


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of the table at an instant.

    ``table`` are the sets as they lie when the current stretch of play is over.  ``still``: nothing moves, no hand is
    in sight and the light is steady.
    """

    at: float
    tiles: tuple[StagedTile, ...]
    hands: int
    still: bool
    table: NotedTable


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of play: when it begins, when the table lies still, and when the turn's end is called.

    ``called_at`` is None where nothing is called: the bell rings, or a table is put back.
    """

    begins: float
    still_at: float
    called_at: float | None


@dataclass
class SimulatedTable:
    """One round at one table.  ``pool_in_view``: whether the camera sees the face-down pool."""

    rules: RuleSet
    seats: int
    seed: int
    rates: Rates = field(default_factory=Rates)
    size_wh: tuple[int, int] = (1920, 1080)
    look: StageLook | None = None
    started_at: float = 0.0
    pool_in_view: bool | None = None

    def __post_init__(self) -> None:
        self._rng = Random(self.seed)
        self._np_rng = np.random.default_rng([self.seed, 11])
        special = self.rules.double_jokers + self.rules.colour_change_jokers + self.rules.mirror_jokers
        look = self.look or club_look(np.random.default_rng([self.seed, 10]), self.size_wh, kinds=special > 0)
        self.look = look
        self.stage = Stage(look, self.seed)
        self.round = TrueRound(self.rules, self.seats, Random(self.seed * 7 + 1), self.rates)
        if self.pool_in_view is None:
            self.pool_in_view = self._rng.random() < 0.4
        self.region = _region(look, _POOL_WIDTH if self.pool_in_view else 0.0)
        self.places = _seats_round(self.region, self.seats, look)
        self.people = [random_person(self._np_rng) for _ in range(self.seats)]
        self._facings = _facings(self.seats, self._rng)
        self.layout = TableLayout()
        self.turn: PlannedTurn | None = None
        self._attempt = 0
        self._timelines = [Timeline(self.started_at, self.started_at, {})]
        self._pools: list[tuple[float, int]] = [(self.started_at, len(self.round.pool))]
        self._tables: list[tuple[float, NotedTable]] = [(self.started_at, ())]
        self._nudges: list[Nudge] = []
        self._lights: list[LightChange] = []
        self._hunts: list[Hunt] = []

    # --- what is played ---------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Until when everything is settled."""
        return self._timelines[-1].ends

    @property
    def is_over(self) -> bool:
        """Whether the round is over."""
        return self.round.is_over

    def next_turn(self, begins: float) -> Stretch:
        """Play the next turn; raises ``ValueError`` for a time before the last stretch is over."""
        self._in_time(begins)
        self._disturbed(begins)
        self.turn = turn = self.round.play_turn()
        self._attempt = 0
        first = turn.attempts[0]
        mover = self._mover(begins + self._rng.uniform(0.4, 1.2))
        self._make(mover, first.sets, turn.seat, pauses=True)
        if turn.last.how is TurnEnd.DREW and len(turn.attempts) == 1:
            self._draw(mover, turn.drew)
        return self._done(mover, called=first.how is not TurnEnd.TIME_UP)

    def mend(self, begins: float) -> Stretch | None:
        """The player puts right what was called and illegal; None where he lets the ruling stand."""
        self._in_time(begins)
        turn = self._turn()
        if self._attempt + 1 >= len(turn.attempts):
            return None
        self._attempt += 1
        mover = self._mover(begins + self._rng.uniform(0.5, 1.0))
        attempt = turn.attempts[self._attempt]
        self._make(mover, attempt.sets, turn.seat)
        if turn.last.how is TurnEnd.DREW:
            self._draw(mover, turn.drew)
        return self._done(mover, called=True)

    def put_back(self, begins: float) -> Stretch | None:
        """The table is put back as it stands after the ruling, and what the turn costs is drawn; None: neither."""
        self._in_time(begins)
        turn = self._turn()
        owed = turn.drew if turn.last.how is not TurnEnd.DREW else 0
        if turn.put_back is None and not owed:
            return None
        mover = self._mover(begins + self._rng.uniform(0.5, 1.0))
        if turn.put_back is not None:
            self._make(mover, turn.put_back, turn.seat)
        if owed:
            self._draw(mover, owed)
        return self._done(mover, called=False)

    def _turn(self) -> PlannedTurn:
        if self.turn is None:
            raise ValueError("no turn was played yet")
        return self.turn

    def _in_time(self, begins: float) -> None:
        if begins < self.now:
            raise ValueError(f"the table is busy until {self.now:.2f}, and asked to go on at {begins:.2f}")

    def _mover(self, begins: float) -> Mover:
        seat = self._turn().seat
        return Mover(seat, self.places[seat], self._rng, begins, dict(self.layout.poses))

    def _make(self, mover: Mover, wanted: tuple[KeyedSet, ...], seat: int, *, pauses: bool = False) -> None:
        """Move tiles until the wanted sets lie there."""
        if self.look is None:
            raise ValueError("a table without a look")
        crooked = self._rng.random() < self.rates.crooked
        gap = self._rng.uniform(0.06, 0.16) if self._rng.random() < self.rates.gaps else 0.0
        manner = Manner(self._facings[seat], 2.2 if crooked else 1.0, gap)
        after = rearranged(self.layout, wanted, manner, self.region, self.look.box.aspect, self._np_rng)
        todo = trips(self.layout, after)
        pause_at = self._rng.randrange(len(todo)) if pauses and todo and self._rng.random() < self.rates.pause else -1
        for number, (moves, lifted) in enumerate(todo):
            if number == pause_at:
                self._pause(mover)
            mover.carry(moves, lifted)
        if todo:
            mover.leave()
        self.layout = after
        self._tables.append((mover.now, tuple(sure(*self.round.tiles(one.keys)) for one in after.sets)))

    def _pause(self, mover: Mover) -> None:
        """A player thinks in mid-move: his hand rests over the table, or he takes it away."""
        if self._rng.random() < 0.5:
            mover.rest(self._rng.uniform(1.5, 4.0))
        else:
            mover.leave()
            mover.wait(self._rng.uniform(1.5, 4.0))

    def _draw(self, mover: Mover, count: int) -> None:
        """Take tiles from the pool, where the camera sees it."""
        if self.pool_in_view:
            pool = self._pools[-1][1]
            spots = _pool_spots(self.region, pool)
            if spots:
                key = _DRAWN_KEY + len(self._pools)
                mover.carry({key: (spots[-1], None)}, lifted=True)
                mover.leave()
        self._pools.append((mover.now, self._pools[-1][1] - count))

    def _done(self, mover: Mover, *, called: bool) -> Stretch:
        line = mover.timeline()
        self._timelines.append(line)
        call = line.ends + self._rng.uniform(0.15, 0.7) if called else None
        return Stretch(line.begins, line.ends, call)

    def _disturbed(self, begins: float) -> None:
        """What may happen to camera and light between two turns."""
        at = begins - self._rng.uniform(0.0, 0.2)
        if self._rng.random() < self.rates.bump:  # a tile is 38 mm high: a centimetre is a quarter of it
            by = tuple(self._rng.uniform(-0.26, 0.26) for _ in range(2))
            self._nudges.append(Nudge(at, (by[0], by[1], self._rng.uniform(-0.4, 0.4))))
        if self._rng.random() < self.rates.light:
            kind = self._rng.choice(["lamp", "exposure", "flicker"])
            self._lights.append(LightChange(begins, self._rng.uniform(0.8, 2.5), kind))
        if self._rng.random() < self.rates.defocus:
            self._hunts.append(Hunt(begins, self._rng.uniform(0.6, 1.5), self._rng.uniform(0.8, 2.2)))

    # --- what is seen -----------------------------------------------------------------------------------------------

    def frame_at(self, t: float) -> Frame:
        """What the camera takes at ``t``; frames are numbered by ``FPS`` from the game's beginning."""
        number = max(1, round((t - self.started_at) * FPS) + 1)
        return Frame(self.stage.frame(self.moment_at(t), number).image, t, number)

    def truth_at(self, t: float) -> Truth:
        """What is true at ``t``."""
        tiles, hands = self.stage.truth(self.moment_at(t))
        line = self._line_at(t)
        steady = self._exposure_at(t) == Exposure() and not any(0 < t - one.at < 0.9 for one in self._nudges)
        table = self._tables[bisect_right(self._tables, t, key=lambda one: one[0]) - 1][1]
        still = steady and not line.moves_at(t) and not any(one.seen_at(t) for one in self._hunts)
        return Truth(t, tiles, hands, still, table)

    def moment_at(self, t: float) -> Moment:
        """The scene at ``t``."""
        line = self._line_at(t)
        tiles = [
            StageTile(key, BACK if key >= _DRAWN_KEY else str(self.round.tile_of[key]), pose.x, pose.y, pose.angle_deg,
                      lift)
            for key, (pose, lift) in sorted(line.poses_at(t).items())
        ]  # fmt: skip
        if self.pool_in_view:
            pool = self._pools[max(0, bisect_right(self._pools, t, key=lambda one: one[0]) - 1)][1]
            tiles += [
                StageTile(_POOL_KEY + k, BACK, pose.x, pose.y, pose.angle_deg)
                for k, pose in enumerate(_pool_spots(self.region, pool))
            ]
        hands = tuple(
            Hand(self.people[track.seat], tip, self.places[track.seat].home)
            for track in line.hands
            if (tip := track.tip_at(t)) is not None
        )
        shifts = np.array([one.seen_at(t) for one in self._nudges]).reshape(-1, 3).sum(0)
        x, y, turn = (round(float(part), 4) for part in shifts)
        blur = max((one.seen_at(t) for one in self._hunts), default=0.0)
        return Moment(tuple(tiles), hands, self._exposure_at(t), (x, y, turn), blur)

    def _line_at(self, t: float) -> Timeline:
        line = self._timelines[max(0, bisect_right(self._timelines, t, key=lambda one: one.begins) - 1)]
        return line if t < line.ends else replace(line, hands=())

    def _exposure_at(self, t: float) -> Exposure:
        for change in self._lights:
            seen = change.seen_at(t)
            if seen != Exposure():
                return seen
        return Exposure()


def _region(look: StageLook, pool_width: float) -> Region:
    """The largest upright part of the table that the camera sees whole."""
    width, height = look.size_wh
    edge = _EDGE_PX * width / 1920
    corners = np.array([[edge, edge], [width - edge, edge], [width - edge, height - edge], [edge, height - edge]])
    back = np.linalg.inv(look.camera.plane_homography())
    seen = np.concatenate([corners, np.ones((4, 1))], 1) @ back.T
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (seen[:, :2] / seen[:, 2:]).tolist()
    return Region(max(x0, x3), max(y0, y1), min(x1, x2) - pool_width, min(y2, y3))


def _seats_round(region: Region, seats: int, look: StageLook) -> list[Seat]:
    """Players clockwise from the lower side; racks are out of the picture."""
    del look
    x, y = (region.left + region.right) / 2, (region.top + region.bottom) / 2
    wide, high = (region.right - region.left) / 2, (region.bottom - region.top) / 2
    towards = {2: [(0, 1), (0, -1)], 3: [(0, 1), (-1, 0), (0, -1)], 4: [(0, 1), (-1, 0), (0, -1), (1, 0)]}[seats]
    away = 7.0
    return [
        Seat((x + dx * (wide + away), y + dy * (high + away)), (x + dx * (wide + 3.0), y + dy * (high + 3.0)))
        for dx, dy in towards
    ]


def _facings(seats: int, rng: Random) -> list[float]:
    """From which side each player reads his sets: all from one, each from his own, or the long sides alone."""
    own = {2: [0.0, 180.0], 3: [0.0, 90.0, 180.0], 4: [0.0, 90.0, 180.0, 270.0]}[seats]
    kind = rng.random()
    if kind < 0.4:
        return [0.0] * seats
    if kind < 0.8:
        return [one if one in {0.0, 180.0} else 0.0 for one in own]
    return own


def _pool_spots(region: Region, pool: int) -> list[Pose]:
    """Where the stacks of the pool lie, face down, along the right side; the last one is taken from."""
    stacks = -(-pool // _STACK)
    high = int((region.bottom - region.top) / 1.15)
    return [
        Pose(region.right + 0.65 + 0.85 * (k // high), region.top + 0.55 + 1.15 * (k % high), 0.6 * (k * 7 % 5 - 2))
        for k in range(stacks)
    ]
