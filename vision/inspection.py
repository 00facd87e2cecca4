"""Is this picture good enough to rule on?  Measurements of one look, each with a grade; no sentence and no advice.

``inspect`` is a pure function of the picture and of what the eyes saw in it.  The limits were chosen where the eyes
begin to doubt or to err: ``python -m tests.measure.limits`` prints both beside each other.  Flicker and movement spoil
no single frame, so theirs are set by hand: from there on two frames of one table no longer show the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Scene, SeenTile
from referee.tiles import Colour
from vision.colour import COLOURS, ink_of
from vision.detect import tile_heights
from vision.light import glare_on, light_on, picture_exposure
from vision.look import COLOURS_TOO_FAINT
from vision.rectify import rectify
from vision.sharpness import blur_of, motion_of
from vision.tilt import tilt_of

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]


class Grade(StrEnum):
    """What a measurement means for the reading."""

    FINE = "fine"
    POOR = "poor"
    """Worth mending: single tiles may be doubtful."""
    BAD = "bad"
    """The picture is not good enough to rule on."""


class Cause(StrEnum):
    """What is measured; the line under a member says in which unit."""

    NO_TILES = "no_tiles"
    """Tiles found, faces and backs."""
    UNLIKE_TILES = "unlike_tiles"
    """1 where what was found does not read as number tiles, else 0."""
    DRAWN = "drawn"
    """1 for a drawing, a screenshot or a photo of a screen, else 0."""
    SMALL = "small"
    """Height of the median tile in pixels."""
    SMALLEST = "smallest"
    """Height of the smallest tile in pixels."""
    BLURRED = "blurred"
    """Blur in hundredths of a tile's height (sigma)."""
    MOVED = "moved"
    """Blur along one direction over that along another."""
    DARK = "dark"
    """Brightness of the tiles' bodies, 0 to 255; of the picture's brightest parts where there are no tiles."""
    BURNT = "burnt"
    """Share of the faces' area that is burnt out, in per cent; of the picture where there are no tiles."""
    GLARE = "glare"
    """Share of the tiles with a highlight on them, in per cent."""
    WASHED_OUT = "washed_out"
    """Tiles with a highlight where no numeral is left."""
    UNEVEN = "uneven"
    """The brightest tiles over the darkest ones."""
    SHADOWS = "shadows"
    """Share of the faces with the edge of a hard shadow across them, in per cent."""
    CAST = "cast"
    """The strongest colour channel of the tiles' bodies over the weakest."""
    NO_COLOURS = "no_colours"
    """1 where the picture shows hardly any colour, else 0."""
    INKS = "inks"
    """Distance of the two nearest inks in L* a* b* units; ``pair`` names them."""
    STEEP = "steep"
    """Tilt of the table in degrees; 0 is seen from straight above."""
    CUT = "cut"
    """Tiles that the picture's edge cuts."""
    HIDDEN = "hidden"
    """Tiles that cannot be read though they lie in the picture: covered or washed out."""
    DOUBTFUL = "doubtful"
    """Share of the faces that stay doubtful, in per cent."""
    NOISY = "noisy"
    """Noise of a pixel from frame to frame, in levels of 255."""
    FLICKER = "flicker"
    """Change of the brightness from frame to frame, in per cent."""
    UNSTEADY = "unsteady"
    """Movement of the picture from frame to frame, in hundredths of a tile's height (of 5 % of the picture without)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on a measurement is poor and bad; ``bad`` below ``poor`` where less is worse."""

    poor: float
    bad: float

    def grade(self, value: float) -> Grade:
        """The grade of a value."""
        if (value >= self.bad) if self.bad >= self.poor else (value <= self.bad):
            return Grade.BAD
        if (value >= self.poor) if self.bad >= self.poor else (value <= self.poor):
            return Grade.POOR
        return Grade.FINE


_NEVER = float("inf")
LIMITS: dict[Cause, Limits] = {
    Cause.NO_TILES: Limits(0.5, 0),
    Cause.UNLIKE_TILES: Limits(1, 1),
    Cause.DRAWN: Limits(1, 1),
    Cause.SMALL: Limits(20, 12),
    Cause.SMALLEST: Limits(16, 10),
    Cause.BLURRED: Limits(5.0, 6.5),
    Cause.MOVED: Limits(1.9, 2.4),
    Cause.DARK: Limits(45, 15),
    Cause.BURNT: Limits(20, 50),
    Cause.GLARE: Limits(4, 20),
    Cause.WASHED_OUT: Limits(1, 1),
    Cause.UNEVEN: Limits(2.0, _NEVER),
    Cause.SHADOWS: Limits(5, 25),
    Cause.CAST: Limits(2.6, 7.0),
    Cause.NO_COLOURS: Limits(1, 1),
    Cause.INKS: Limits(28, 16),
    Cause.STEEP: Limits(55, 68),
    Cause.CUT: Limits(1, 1),
    Cause.HIDDEN: Limits(1, _NEVER),
    Cause.DOUBTFUL: Limits(1e-9, 20),
    Cause.NOISY: Limits(8, 20),
    Cause.FLICKER: Limits(3, 12),
    Cause.UNSTEADY: Limits(4, 15),
}


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured thing, in the unit that its ``Cause`` names; ``pair`` holds the two nearest inks of ``INKS``."""

    cause: Cause
    value: float
    pair: tuple[Colour, Colour] | None = None

    @property
    def grade(self) -> Grade:
        """How good that is."""
        return LIMITS[self.cause].grade(self.value)


@dataclass(frozen=True, slots=True)
class Inspection:
    """All that was measured of a picture uint8 (``height``, ``width``, 3); ``tiles`` are faces and backs."""

    width: int
    height: int
    tiles: int
    measurements: tuple[Measurement, ...]

    @property
    def go(self) -> bool:
        """Whether the picture is good enough to rule on."""
        return all(measurement.grade is not Grade.BAD for measurement in self.measurements)


EDGE_PX = 1.5
"""An unread tile whose corner comes so near to the picture's edge, or lies beyond it, was cut by it."""
LEAST_OF_AN_INK = 2
"""An ink on fewer tiles is not compared with others."""


def inspect(image: Image, observation: Observation) -> Inspection:
    """Measure a picture uint8 (H, W, 3) BGR in which ``observation`` was seen."""
    faces = [tile for tile in observation.tiles if tile.kind is Kind.FACE]
    measured = [Measurement(Cause.NO_TILES, len(observation.tiles) + len(observation.unread))]
    measured += _of_the_whole(observation)
    if faces:
        measured += _of_the_faces(image, faces)
    else:
        brightness, burnt = picture_exposure(image)
        measured += [Measurement(Cause.DARK, brightness), Measurement(Cause.BURNT, 100 * burnt)]
    measured += _glare(image, observation)
    measured += _of_the_unread(observation)
    return Inspection(observation.width, observation.height, len(observation.tiles), tuple(measured))


def _of_the_whole(observation: Observation) -> Iterator[Measurement]:
    if observation.scene is Scene.EMPTY:
        return
    notes = ((Cause.UNLIKE_TILES, UNLIKE_TILES), (Cause.DRAWN, DRAWN), (Cause.NO_COLOURS, COLOURS_TOO_FAINT))
    for cause, note in notes:
        yield Measurement(cause, float(note in observation.notes))


def _of_the_faces(image: Image, faces: list[SeenTile]) -> Iterator[Measurement]:
    quads = np.array([tile.quad for tile in faces], np.float32)
    crops = rectify(image, quads)
    heights = face_sizes(quads)
    light = light_on(crops)
    right = quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]
    yield Measurement(Cause.SMALL, float(np.median(heights)))
    yield Measurement(Cause.SMALLEST, float(heights.min()))
    yield Measurement(Cause.BLURRED, 100 * blur_of(crops))
    yield Measurement(Cause.MOVED, motion_of(crops, np.arctan2(right[:, 1], right[:, 0])))
    yield Measurement(Cause.DARK, light.brightness)
    yield Measurement(Cause.BURNT, 100 * light.burnt)
    yield Measurement(Cause.UNEVEN, light.uneven)
    yield Measurement(Cause.SHADOWS, 100 * light.shaded)
    yield Measurement(Cause.CAST, light.cast)
    yield from _inks(crops, faces)
    yield Measurement(Cause.STEEP, tilt_of(quads))
    yield Measurement(Cause.DOUBTFUL, 100 * sum(tile.doubtful for tile in faces) / len(faces))


def _glare(image: Image, observation: Observation) -> Iterator[Measurement]:
    quads = [tile.quad for tile in observation.tiles] + list(observation.unread)
    share, washed_out = glare_on(rectify(image, np.array(quads, np.float32).reshape(-1, 4, 2)))
    yield Measurement(Cause.GLARE, 100 * share)
    yield Measurement(Cause.WASHED_OUT, washed_out)


def face_sizes(quads: NDArray[np.float32]) -> Floats:
    """Height of each quad (N, 4, 2) in pixels as it counts for reading: the smaller of its height and 1.4 widths."""
    turned = np.roll(quads, 1, axis=1)  # its height is the quad's width
    return np.asarray(np.minimum(tile_heights(quads), 1.4 * tile_heights(turned)), np.float64)


def _inks(crops: Image, faces: list[SeenTile]) -> Iterator[Measurement]:
    """The two inks that this light brings nearest to each other, by the first readings."""
    ink = ink_of(crops)
    first = [tile.readings[0].tile.colour for tile in faces]
    printed = ink.share > 0
    middles = {}
    for colour in COLOURS:
        own = printed & np.array([other is colour for other in first])
        if own.sum() >= LEAST_OF_AN_INK:
            middles[colour] = np.median(ink.lab[own], axis=0)
    apart = [
        (float(np.linalg.norm(middles[one] - middles[other])), (one, other))
        for k, one in enumerate(COLOURS)
        for other in COLOURS[k + 1 :]
        if one in middles and other in middles
    ]
    if apart:
        nearest, pair = min(apart, key=lambda entry: entry[0])
        yield Measurement(Cause.INKS, nearest, pair)


def _of_the_unread(observation: Observation) -> Iterator[Measurement]:
    corners = np.array(observation.unread, np.float64).reshape(-1, 4, 2)
    last = np.array([observation.width - 1, observation.height - 1])
    cut = ((corners < EDGE_PX) | (corners > last - EDGE_PX)).any(axis=(1, 2))
    yield Measurement(Cause.CUT, int(cut.sum()))
    yield Measurement(Cause.HIDDEN, int((~cut).sum()))


# --- several frames of one camera -------------------------------------------------------------------------------

STILL_SHARE = 0.05
"""Without tiles movement is measured in this share of the picture's longer side."""
_COMPARED_PX = 480
"""Long side at which frames are compared."""


def inspect_frames(frames: list[Image], observation: Observation) -> Inspection:
    """Measure what a camera shows: the last of some ``frames`` uint8 (H, W, 3) BGR, in which ``observation`` was seen,
    and how the picture changed over all of them."""
    still = inspect(frames[-1], observation)
    sizes = [one.value for one in still.measurements if one.cause is Cause.SMALL]
    size = sizes[0] if sizes else STILL_SHARE * max(still.width, still.height)
    measured = (*still.measurements, *_over_time(frames, size))
    return Inspection(still.width, still.height, still.tiles, measured)


def _over_time(frames: list[Image], tile_px: float) -> Iterator[Measurement]:
    if len(frames) < 2:
        return
    factor = min(1.0, _COMPARED_PX / max(frames[0].shape[:2]))
    grey = [cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY).astype(np.float32) for frame in frames]
    small = [cv2.resize(frame, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) for frame in grey]
    levels = np.array([frame.mean() for frame in small])
    window = cv2.createHanningWindow(small[0].shape[1::-1], cv2.CV_32F)
    steps = [np.linalg.norm(cv2.phaseCorrelate(one, other, window)[0]) / factor for one, other in pairwise(small)]
    # the difference of two frames has the noise of both; the median spares what moves, such as a hand
    noise = [
        float(np.median(np.abs(other - one - (other.mean() - one.mean())))) * 1.4826 / np.sqrt(2)
        for one, other in pairwise(grey)
    ]
    yield Measurement(Cause.NOISY, float(np.median(noise)))
    yield Measurement(Cause.FLICKER, 100 * float(np.ptp(levels) / max(float(levels.mean()), 1.0)))
    yield Measurement(Cause.UNSTEADY, 100 * float(max(steps)) / max(tile_px, 1.0))
