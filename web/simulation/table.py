"""A simulated table: a game that is played turn by turn, and what a camera over it sees at any instant.

Whoever drives it asks for the next stretch of play (a turn, a mended table, a table put back), each beginning when he
says, and for frames of any instant so far.  The same seed and the same times give the same frames.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
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
from web.simulation.layout import KeyedSet, Manner, Pose, TableLayout, rearranged
from web.simulation.players import Incident, Rates
from web.simulation.round import PlannedTurn, TrueRound
from web.simulation.surroundings import (
    POOL_WIDTH,
    RACK_KEY,
    SIDES,
    facings_of,
    pool_spots,
    region_of,
    rims_of,
    seats_round,
)
from web.simulation.timeline import (
    Glint,
    Hunt,
    LightChange,
    Mover,
    Moves,
    Nudge,
    Timeline,
    half_way,
    stacked,
    trips,
)

FPS = 30.0
_POOL_KEY = 1000
_DRAWN_KEY = 2000
_RACK_ROOM = 1.5
"""Where racks stand in the picture, sets keep so far away from that edge."""
_CLICKED_BESIDE = 0.35
"""The table's corners are clicked so far outside of where sets lie."""
_MOST_ON_RACK = 12
_SLOW = 0.4
"""How fast a slow hand is, of a usual one."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of the table at an instant.

    ``tiles`` are those of the table, ``racks`` what is seen of racks at the picture's edge.  ``table`` are the sets as
    they lie when the current stretch of play is over.  ``still``: nothing moves, no hand is in sight and the light is
    steady.
    """

    at: float
    tiles: tuple[StagedTile, ...]
    racks: tuple[StagedTile, ...]
    hands: int
    still: bool
    table: NotedTable


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of play: when it begins, when the table lies still, and when the turn's end is called.

    ``called_at`` is None where nothing is called: the bell rings, or a table is put back.  ``early`` is when the end
    was called in mid-move, and when that was taken back.
    """

    begins: float
    still_at: float
    called_at: float | None
    early: tuple[float, float] | None = None


@dataclass
class SimulatedTable:
    """One round at one table.

    ``pool_in_view``, ``racks_in_view``: whether the camera sees the face-down pool, and racks cut by the picture's
    edge; None: as it happens.
    """

    rules: RuleSet
    seats: int
    seed: int
    rates: Rates = field(default_factory=Rates)
    size_wh: tuple[int, int] = (1920, 1080)
    look: StageLook | None = None
    started_at: float = 0.0
    pool_in_view: bool | None = None
    racks_in_view: bool | None = None
    happened: Counter[str] = field(default_factory=Counter, init=False)
    """What was out of the ordinary so far, besides the incidents of turns."""

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
        if self.racks_in_view is None:
            self.racks_in_view = self._rng.random() < self.rates.racks
        self.region = region_of(look, POOL_WIDTH if self.pool_in_view else 0.0)
        self._rims = rims_of(look, self.seats) if self.racks_in_view else ()
        if self.racks_in_view:
            self.region = self.region.within(SIDES[self.seats], _RACK_ROOM)
            self.happened["racks in the picture"] += 1
        self.places = seats_round(self.region, self.seats)
        self.people = [random_person(self._np_rng) for _ in range(self.seats)]
        self._facings = facings_of(self.seats, self._rng)
        self.layout = TableLayout()
        self.turn: PlannedTurn | None = None
        self._attempt = 0
        self._timelines = [Timeline(self.started_at, self.started_at, {})]
        self._pools: list[tuple[float, int]] = [(self.started_at, len(self.round.pool))]
        self._tables: list[tuple[float, NotedTable]] = [(self.started_at, ())]
        self._racks: list[tuple[float, tuple[tuple[int, ...], ...]]] = [(self.started_at, self._racks_now())]
        self._early: tuple[float, float] | None = None
        self._nudges: list[Nudge] = []
        self._glints: list[Glint] = []
        self._lights: list[LightChange] = []
        self._hunts: list[Hunt] = []

    # --- what is played ---------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Until when everything is settled."""
        return self._timelines[-1].ends

    @property
    def corners(self) -> tuple[tuple[float, float], ...] | None:
        """The corners of the table in the picture, as somebody clicks them who keeps the racks out; None: all of it."""
        if not self.racks_in_view:
            return None
        region = self.region.within(((0, 1), (-1, 0), (0, -1), (1, 0)), -_CLICKED_BESIDE)
        right = region.right + (POOL_WIDTH if self.pool_in_view else 0.0)
        flat = [(region.left, region.top), (right, region.top), (right, region.bottom), (region.left, region.bottom)]
        pixels = self.stage.look.camera.project(np.array([[x, y, 0.0] for x, y in flat]))
        return tuple((float(x), float(y)) for x, y in pixels)

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
        mover = self._mover(begins + self._rng.uniform(0.4, 1.2), turn.seat)
        if turn.uncalled is not None:
            self._make(mover, turn.uncalled.attempt.sets, turn.seat, own_way=True)
            self._timelines.append(mover.timeline())
            mover = self._mover(mover.now + self._rng.uniform(1.0, 3.0), turn.moves)
        called = first.how is not TurnEnd.TIME_UP
        self._make(mover, first.sets, turn.moves, own_way=True, early=called and turn.uncalled is None)
        if turn.last.how is TurnEnd.DREW and len(turn.attempts) == 1:
            self._draw(mover, turn.drew)
        return self._done(mover, called=called)

    def mend(self, begins: float) -> Stretch | None:
        """The player puts right what was called and illegal; None where he lets the ruling stand."""
        self._in_time(begins)
        turn = self._turn()
        if self._attempt + 1 >= len(turn.attempts):
            return None
        self._attempt += 1
        mover = self._mover(begins + self._rng.uniform(0.5, 1.0), turn.moves)
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
        mover = self._mover(begins + self._rng.uniform(0.5, 1.0), turn.moves)
        if turn.put_back is not None:
            self._make(mover, turn.put_back, turn.seat)
        if owed:
            self._draw(mover, owed)
        return self._done(mover, called=False)

    def add(self, begins: float) -> Stretch | None:
        """The turn is over, and its player lays one more tile all the same; None where he does not."""
        self._in_time(begins)
        seat = self._turn().moves
        wanted = self.round.add_tile()
        if wanted is None:
            return None
        self.happened[Incident.ADDED.value] += 1
        mover = self._mover(begins + self._rng.uniform(0.2, 0.6), seat)
        self._make(mover, wanted, seat)
        return self._done(mover, called=False)

    def _turn(self) -> PlannedTurn:
        if self.turn is None:
            raise ValueError("no turn was played yet")
        return self.turn

    def _in_time(self, begins: float) -> None:
        if begins < self.now:
            raise ValueError(f"the table is busy until {self.now:.2f}, and asked to go on at {begins:.2f}")

    def _mover(self, begins: float, seat: int) -> Mover:
        return Mover(seat, self.places[seat], self._rng, begins, dict(self.layout.poses))

    def _make(
        self, mover: Mover, wanted: tuple[KeyedSet, ...], seat: int, *, own_way: bool = False, early: bool = False
    ) -> None:
        """Move tiles until the wanted sets lie there.

        ``own_way``: the player may be slow, pause, or stack tiles; ``early``: he may call in mid-move and take it back.
        """
        if self.look is None:
            raise ValueError("a table without a look")
        crooked = self._rng.random() < self.rates.crooked
        gap = self._rng.uniform(0.06, 0.16) if self._rng.random() < self.rates.gaps else 0.0
        manner = Manner(self._facings[seat], 2.2 if crooked else 1.0, gap)
        after = rearranged(self.layout, wanted, manner, self.region, self.look.box.aspect, self._np_rng)
        todo = trips(self.layout, after)
        if todo and early and self._rng.random() < self.rates.early_call:
            self._call_early(mover, todo)
        elif todo and own_way:
            self._move_in_his_way(mover, todo)
        else:
            for moves, lifted in todo:
                mover.carry(moves, lifted)
        if todo:
            mover.leave()
        self.layout = after
        self._tables.append((mover.now, tuple(sure(*self.round.tiles(one.keys)) for one in after.sets)))

    def _move_in_his_way(self, mover: Mover, todo: list[tuple[Moves, bool]]) -> None:
        """Slowly, with a pause, or by way of a stack: half-way tables that are nobody's play."""
        assert self.look is not None  # noqa: S101  the caller asked
        pile = stacked(todo, self.look.box.thickness) if self._rng.random() < self.rates.stack else None
        if pile is not None:
            self.happened["tiles stacked"] += 1
            mover.carry(pile[0], lifted=True)
            todo = pile[1]
            mover.leave()
            mover.wait(self._rng.uniform(1.0, 2.5))
        slow = self._rng.random() < self.rates.slow
        if slow:
            self.happened["slow hand"] += 1
            mover.pace = _SLOW
        pause_at = self._rng.randrange(len(todo)) if self._rng.random() < self.rates.pause else -1
        rest_at = self._rng.randrange(len(todo)) if slow else -1
        for number, (moves, lifted) in enumerate(todo):
            if number == pause_at:
                self._pause(mover)
            if number == rest_at:
                first, then = half_way(moves, mover.place.rack)
                mover.carry(first, lifted)
                mover.rest(self._rng.uniform(1.0, 3.0))
                mover.carry(then, lifted)
            else:
                mover.carry(moves, lifted)

    def _call_early(self, mover: Mover, todo: list[tuple[Moves, bool]]) -> None:
        """The player calls while his hand is over the table, and takes it back before it is gone."""
        self.happened["call taken back"] += 1
        call_in = self._rng.randrange(len(todo))
        called = mover.now
        for number, (moves, lifted) in enumerate(todo):
            mover.carry(moves, lifted)
            if number == call_in:
                called = mover.now
        mover.rest(self._rng.uniform(0.6, 1.2))
        self._early = called, min(called + self._rng.uniform(0.4, 1.0), mover.now - 0.1)

    def _pause(self, mover: Mover) -> None:
        """A player thinks in mid-move: his hand rests over the table, or he takes it away."""
        self.happened["pause in mid-move"] += 1
        if self._rng.random() < 0.5:
            mover.rest(self._rng.uniform(1.5, 4.0))
        else:
            mover.leave()
            mover.wait(self._rng.uniform(1.5, 4.0))

    def _draw(self, mover: Mover, count: int) -> None:
        """Take tiles from the pool, where the camera sees it."""
        if self.pool_in_view:
            pool = self._pools[-1][1]
            spots = pool_spots(self.region, pool)
            if spots:
                key = _DRAWN_KEY + len(self._pools)
                mover.carry({key: (spots[-1], None)}, lifted=True)
                mover.leave()
        self._pools.append((mover.now, self._pools[-1][1] - count))

    def _done(self, mover: Mover, *, called: bool) -> Stretch:
        line = mover.timeline()
        self._timelines.append(line)
        self._racks.append((line.ends, self._racks_now()))
        call = line.ends + self._rng.uniform(0.15, 0.7) if called else None
        early, self._early = self._early, None
        return Stretch(line.begins, line.ends, call, early)

    def _racks_now(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(sorted(rack)[:_MOST_ON_RACK]) for rack in self.round.racks)

    def _disturbed(self, begins: float) -> None:
        """What may happen to camera and light between two turns."""
        at = begins - self._rng.uniform(0.0, 0.2)
        if self._rng.random() < self.rates.bump:  # a tile is 38 mm high: a centimetre is a quarter of it
            by = tuple(self._rng.uniform(-0.26, 0.26) for _ in range(2))
            self._nudges.append(Nudge(at, (by[0], by[1], self._rng.uniform(-0.4, 0.4))))
            self.happened["bump"] += 1
        if self._rng.random() < self.rates.light:
            kind = self._rng.choice(["lamp", "exposure", "flicker"])
            self._lights.append(LightChange(begins, self._rng.uniform(0.8, 2.5), kind))
            self.happened[f"light: {kind}"] += 1
        if self._rng.random() < self.rates.defocus:
            self._hunts.append(Hunt(begins, self._rng.uniform(0.6, 1.5), self._rng.uniform(0.8, 2.2)))
            self.happened["focus"] += 1
        if self._rng.random() < self.rates.glint:
            self._glints.append(self._glint(begins))
            self.happened["highlight"] += 1

    def _glint(self, begins: float) -> Glint:
        """A highlight that crosses some tiles of the table, if any lie there."""
        poses = list(self.layout.poses.values()) or [Pose(0.0, 0.0, 0.0)]
        start, stop = self._rng.choice(poses), self._rng.choice(poses)
        return Glint(begins, self._rng.uniform(1.5, 4.0), (start.x, start.y), (stop.x, stop.y),
                     self._rng.uniform(1.0, 2.5), self._rng.uniform(0.5, 0.95))  # fmt: skip

    # --- what is seen -----------------------------------------------------------------------------------------------

    def frame_at(self, t: float) -> Frame:
        """What the camera takes at ``t``; frames are numbered by ``FPS`` from the game's beginning."""
        number = max(1, round((t - self.started_at) * FPS) + 1)
        return Frame(self.stage.frame(self.moment_at(t), number).image, t, number)

    def truth_at(self, t: float) -> Truth:
        """What is true at ``t``."""
        seen, hands = self.stage.truth(self.moment_at(t))
        tiles = tuple(one for one in seen if one.key < RACK_KEY)
        racks = tuple(one for one in seen if one.key >= RACK_KEY)
        line = self._line_at(t)
        steady = self._exposure_at(t) == Exposure() and not any(0 < t - one.at < 0.9 for one in self._nudges)
        table = self._tables[bisect_right(self._tables, t, key=lambda one: one[0]) - 1][1]
        steady = steady and not any(one.seen_at(t) for one in self._hunts)
        steady = steady and not any(one.seen_at(t) for one in self._glints)
        return Truth(t, tiles, racks, hands, steady and not line.moves_at(t), table)

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
                for k, pose in enumerate(pool_spots(self.region, pool))
            ]
        racks = self._racks[max(0, bisect_right(self._racks, t, key=lambda one: one[0]) - 1)][1]
        for rim, keys in zip(self._rims, racks, strict=bool(self._rims)):
            tiles += rim.tiles(keys, self.round.tile_of, self.stage.look.box.aspect)
        hands = tuple(
            Hand(self.people[track.seat], tip, self.places[track.seat].home)
            for track in line.hands
            if (tip := track.tip_at(t)) is not None
        )
        shifts = np.array([one.seen_at(t) for one in self._nudges]).reshape(-1, 3).sum(0)
        x, y, turn = (round(float(part), 4) for part in shifts)
        blur = max((one.seen_at(t) for one in self._hunts), default=0.0)
        lights = tuple(light for one in self._glints if (light := one.seen_at(t)) is not None)
        return Moment(tuple(tiles), hands, self._exposure_at(t), (x, y, turn), blur, lights)

    def _line_at(self, t: float) -> Timeline:
        line = self._timelines[max(0, bisect_right(self._timelines, t, key=lambda one: one.begins) - 1)]
        return line if t < line.ends else replace(line, hands=())

    def _exposure_at(self, t: float) -> Exposure:
        for change in self._lights:
            seen = change.seen_at(t)
            if seen != Exposure():
                return seen
        return Exposure()
