"""Whether the table is still, and what lies on it once it is.

A table is still when nothing has moved over it since some frame (never: since the frame before, so slow moves add up
until they show), and when nothing reaches in from its rim: a hand that rests over the table moves nothing.  Then it is
looked at, more than once where anything is in doubt, and the looks are fused (``vision.fusion``).  From then on one and
the same observation is given until something moves, or until a tile surely shows something else.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Observation, Quad
from vision.change import in_small
from vision.frames import Frame
from vision.fusion import contested, contradicts, doubts, fuse
from vision.in_region import within
from vision.look import Eyes, Parts
from vision.moving import Mask, Motion, Over, lies_over, motion, same_light, too_dark_or_bright
from vision.watch import RememberingNumeralReader, TrackingFinder, Watcher

Floats = NDArray[np.float32]

STILL_FRAMES = 3
"""Frames in which nothing moves, before a table counts as still."""
LEAST_LOOKS = 2
"""Looks at frames of their own before a reading counts: a tile that one look misses is found by the next."""
MOST_LOOKS = 4
"""So many where anything is in doubt."""
MOST_CONTRADICTIONS = 3
"""A still table that contradicts itself more often is told as it is: what goes to and fro on it is in doubt."""
REST_S = 45.0
"""What has reached in from the rim for so long without the least movement is a thing that lies there, not a hand.

Others may move meanwhile: where somebody moves every half minute, a pad at the rim would else be a hand for ever.
"""
MOST_RESTED = 6
"""So many tables with something over them are kept to know it again."""
MOST_LIGHTS = 4
"""So many bare tables are kept, each in another light: a lamp that comes on again brings hard shadows with it."""
THING_S = 8.0
"""The same for what does not reach the rim; a hand in a sleeve that looks like the table does not rest so long."""


class Stage(StrEnum):
    """How far a table has come to rest."""

    WAIT = "wait"
    SETTLING = "settling"
    STILL = "still"


class Why(StrEnum):
    """Why there is nothing to see yet."""

    NOTHING = ""
    HAND = "hand"
    MOVING = "moving"
    LIGHT = "light"
    CAMERA = "camera"


class HasCorners(Protocol):
    """A region of the picture, as ``TableRegion`` is."""

    @property
    def corners(self) -> NDArray[np.float32]:
        """float32 (4, 2) in pixels of the upright frame."""


@dataclass(frozen=True, slots=True)
class LiveSight:
    """What is known of the table at one frame.

    ``why`` is a ``Why``; ``observation`` is fused over ``looks`` frames and None while waiting; ``still_since`` is when
    the first frame was taken since which nothing moved, None while waiting.  The same observation is the same object.
    """

    stage: Stage
    why: str
    frame: Frame
    observation: Observation | None
    still_since: float | None
    looks: int
    timing_ms: Mapping[str, float]


@dataclass(slots=True)
class _Calm:
    """The frames since the last movement."""

    anchor: Floats
    """The first of them, shrunk: the others are compared with it."""
    since: float
    frames: int = 1
    seen: Observation | None = None
    """What the watcher saw last, in the whole picture."""
    looks: list[Observation] = field(default_factory=list)
    """Single looks; the first is the watcher's."""
    told: Observation | None = None
    """The fused reading."""
    settled: bool = False
    contradictions: int = 0
    opinions: bool = False
    """Whether the second reader was heard."""
    over: tuple[Observation, Over] | None = None
    """What lies over the table, as it was told by the watcher's sight."""
    rests_since: float = 0.0
    """Since when that lies there."""


class TableWatch:
    """Watches the frames of one camera.

    With ``still_frames`` 1 every frame is a picture of a still table, as in a folder of stills.  Nothing outside of the
    ``region`` counts, neither tiles nor movements.
    """

    def __init__(
        self, eyes: Eyes, region: HasCorners | None = None, still_frames: int = STILL_FRAMES, rest_s: float = REST_S
    ) -> None:
        self._eyes = eyes
        self._corners = None if region is None else np.asarray(region.corners, np.float32).reshape(4, 2)
        self._still_frames = still_frames
        self._rest_s = rest_s
        self.forget()

    def forget(self) -> None:
        """Look at the next frame as at the first."""
        parts = self._eyes.parts
        # shared, so that a fresh look knows the scale and no numeral is asked about twice
        second = None if parts.second is None else RememberingNumeralReader(parts.second)
        self._finder = TrackingFinder(parts.detector)
        shared = self._eyes.with_parts(Parts(self._finder, parts.reader, second))
        self._fresh_eyes = shared
        self._watcher = Watcher(shared)
        self._calm: _Calm | None = None
        self._bare: list[Floats] = []
        """The table when it was still, with nothing over it, in each light; the one seen last at the end."""
        self._rested: list[tuple[Floats, float]] = []
        """Tables over which something rested since then, and from when on; those seen last at the end."""
        self._size = (0, 0)
        self._within: Mask | None = None

    def look(self, frame: Frame) -> LiveSight:
        """See the next frame."""
        if frame.image.shape[:2] != self._size:
            self.forget()
            self._size = (frame.image.shape[0], frame.image.shape[1])
            self._within = self._mask(frame)
        began = time.perf_counter()
        timing: dict[str, float] = {}
        small = in_small(frame.image)
        what = self._what_moved(small)
        timing["steady"] = _ms_since(began)
        calm = self._calm
        if calm is None or what is not Motion.NONE:
            self._calm = calm = _Calm(small, frame.taken_at)
            if what is Motion.CAMERA:
                self._bare, self._rested = [], []
            if self._still_frames > 1:
                return _waiting(frame, self._why(what, small), timing)
        else:
            calm.frames += 1
        if too_dark_or_bright(small) and self._still_frames > 1:
            return _waiting(frame, Why.LIGHT, timing)
        fresh = self._see(calm, frame, timing)
        began = time.perf_counter()
        hand = self._hand(calm, small, frame)
        timing["hand"] = _ms_since(began)
        if hand:
            return _waiting(frame, Why.HAND, timing)
        if not fresh and not calm.settled and self._wants_look(calm):
            self._see_afresh(calm, frame, timing)
        began = time.perf_counter()
        self._settle(calm, frame, small)
        timing["fuse"] = _ms_since(began)
        stage = Stage.STILL if calm.settled else Stage.SETTLING
        return LiveSight(stage, Why.NOTHING, frame, calm.told, calm.since, len(calm.looks), timing)

    # --- what moves -----------------------------------------------------------------------------------------------

    def _what_moved(self, small: Floats) -> Motion:
        if self._calm is None:
            return Motion.NONE
        return motion(self._calm.anchor, small, self._within)

    def _why(self, what: Motion, small: Floats) -> Why:
        """What to say of a frame in which something moved."""
        if what is Motion.LIGHT or too_dark_or_bright(small):
            return Why.LIGHT
        if what is Motion.CAMERA:
            return Why.CAMERA
        return Why.HAND if self._over(small, ()) is Over.HAND else Why.MOVING

    def _over(self, small: Floats, quads: Sequence[Quad]) -> Over:
        """What lies over the table that did not when it was bare, in this light as far as it was seen in it."""
        if not self._bare:
            return Over.NOTHING
        bare = next((one for one in self._bare if same_light(one, small)), self._bare[-1])
        return lies_over(bare, small, quads, self._scale(small), self._within)

    def _hand(self, calm: _Calm, small: Floats, frame: Frame) -> bool:
        """Whether something rests over the table that a later frame may show without it."""
        if calm.settled or not self._bare or self._still_frames == 1 or calm.seen is None:
            return False
        if calm.over is None or calm.over[0] is not calm.seen:
            quads = (*(seen.quad for seen in calm.seen.tiles), *calm.seen.unread)
            calm.over = calm.seen, self._over(small, quads)
            calm.rests_since = self._resting_since(calm, small, quads)
        over, rested = calm.over[1], frame.taken_at - calm.rests_since
        return (over is Over.HAND and rested < self._rest_s) or (over is Over.THING and rested < THING_S)

    def _resting_since(self, calm: _Calm, small: Floats, quads: Sequence[Quad]) -> float:
        """Since when there lies what lies over the table: a thing is there again when others have moved, a hand not."""
        if calm.over is None or calm.over[1] is Over.NOTHING:
            return calm.since
        scale = self._scale(small)
        known = next(
            (one for one in self._rested if lies_over(one[0], small, quads, scale, self._within) is Over.NOTHING), None
        )
        self._rested = [one for one in self._rested if one is not known][-MOST_RESTED + 1 :]
        self._rested.append(known or (small, calm.since))
        return self._rested[-1][1]

    def _scale(self, small: Floats) -> float:
        return float(small.shape[1] / max(self._size[1], 1))

    def _mask(self, frame: Frame) -> Mask | None:
        """The region in a small picture (h, w), 0 outside of it."""
        if self._corners is None:
            return None
        small = in_small(frame.image)
        mask = np.zeros(small.shape[:2], np.uint8)
        corners = (self._corners + 0.5) * self._scale(small) - 0.5
        cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 1)
        return mask

    # --- what lies there --------------------------------------------------------------------------------------------

    def _see(self, calm: _Calm, frame: Frame, timing: dict[str, float]) -> bool:
        """The watcher's sight of a frame; whether it is another one than before."""
        sight = self._watcher.look(frame.image)
        if self._still_frames == 1:  # a still comes once; only the same picture again lets the second reader speak
            sight = self._watcher.look(frame.image)
        timing |= sight.timing_ms
        if sight.observation is calm.seen:
            return False
        calm.seen = sight.observation
        own = self._own(sight.observation, frame)
        if not calm.settled:
            self._looked(calm, own)
        elif calm.told is not None and contradicts(own, calm.told):
            self._contradicted(calm, own, calm.told)
        return True

    def _looked(self, calm: _Calm, own: Observation) -> None:
        """Keep a look of the watcher's; its second one has the second reader's opinions and replaces a doubtful first.

        After that the watcher looks again only where a noisy camera makes a tile seem changed.
        """
        if len(calm.looks) == 1 and not calm.opinions and doubts(calm.looks[0]):
            calm.looks.clear()
            calm.opinions = True
        if not calm.looks or self._wants_look(calm):
            calm.looks.append(own)

    def _see_afresh(self, calm: _Calm, frame: Frame, timing: dict[str, float]) -> None:
        """A look of its own at a frame in which the watcher saw nothing new."""
        fresh = self._fresh_eyes.look(frame.image)
        self._finder.believed(fresh.observation)
        timing |= {f"fresh_{name}": ms for name, ms in fresh.timing_ms.items()}
        calm.looks.append(self._own(fresh.observation, frame))

    def _contradicted(self, calm: _Calm, own: Observation, told: Observation) -> None:
        """A tile shows something else though nothing was seen to move: look again.

        The first time the new looks alone count, for something did change.  What goes to and fro is in doubt, so from
        the second time on all looks count.  At last nobody looks again: the table stays still, and whatever was told
        and is contradicted stays in doubt.
        """
        calm.contradictions += 1
        if calm.contradictions > MOST_CONTRADICTIONS:
            calm.told = contested((told, own))
            return
        calm.looks = [own] if calm.contradictions == 1 else [*calm.looks, own]
        calm.settled = False

    def _wants_look(self, calm: _Calm) -> bool:
        if len(calm.looks) < self._least_looks(calm):
            return True
        return len(calm.looks) < self._most_looks(calm) and calm.told is not None and doubts(calm.told)

    def _least_looks(self, calm: _Calm) -> int:
        return 1 if self._still_frames == 1 else LEAST_LOOKS + 2 * calm.contradictions

    def _most_looks(self, calm: _Calm) -> int:
        return 1 if self._still_frames == 1 else MOST_LOOKS + 2 * calm.contradictions

    def _settle(self, calm: _Calm, frame: Frame, small: Floats) -> None:
        if calm.settled:
            return
        calm.told = replace(fuse(calm.looks), taken_at=frame.taken_at)
        if calm.frames >= self._still_frames and not self._wants_look(calm):
            calm.settled = True
            others = [bare for bare in self._bare if not same_light(bare, small)]
            self._bare, self._rested = [*others[-MOST_LIGHTS + 1 :], small], []

    def _own(self, observation: Observation, frame: Frame) -> Observation:
        """What of a sight lies in the region."""
        timed = replace(observation, taken_at=frame.taken_at)
        return timed if self._corners is None else within(timed, self._corners)


def _waiting(frame: Frame, why: Why, timing: Mapping[str, float]) -> LiveSight:
    return LiveSight(Stage.WAIT, why, frame, None, None, 0, timing)


def _ms_since(began: float) -> float:
    return round(1000 * (time.perf_counter() - began), 2)
