"""A table that lives: one box, one light, one camera, and tiles and hands that move from frame to frame.

The still table is composed once; from frame to frame only windows around tiles that moved are composed anew, hands and
carried tiles are drawn over a copy.  What the camera adds (exposure, defocus, noise) is new in every frame.  The same
moment and the same frame number give the same pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.render import effects
from vision.render.camera import Camera
from vision.render.compose import (
    Lighting,
    Placed,
    brightness_of,
    cast_shadows,
    draw_tile,
    faces_camera,
    lying,
    shown_share,
    table_top,
)
from vision.render.faces import Box, Light
from vision.render.stage_hands import DrawnHand, Hand, draw_hand

Image = npt.NDArray[np.uint8]
Owner = npt.NDArray[np.int16]
Points = npt.NDArray[np.float64]
Window = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""

NOBODY = -1
ALL_ANEW = 0.4
"""Where windows that changed cover more of the picture than this, all of it is composed."""
_NOISE_ROOM = 160
"""The grain of a frame is cut out of a larger sheet of grain, so many pixels wider and higher."""
_ROOM_LIGHT = 0.42
"""How bright daylight alone leaves the table when the lamp is off."""
_ROOM_CAST = (1.06, 1.0, 0.94)
_DULL = 0.12
"""Cloth and skin mirror so much of what glossy tiles do."""


@dataclass(frozen=True, slots=True)
class StageTile:
    """One tile: centre ``x``, ``y`` on the table in tile heights, turned clockwise by ``angle_deg``.

    ``key`` is its own for the whole game, 0 or more; ``lift`` over 0 is carried above the table, in tile heights.
    ``lean_deg`` over 0 stands on its lower edge, as on a rack, its upper edge raised by so much.
    """

    key: int
    code: str
    x: float
    y: float
    angle_deg: float
    lift: float = 0.0
    lean_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Exposure:
    """What the camera makes of the light: factors for brightness and for B, G, R; ``lamp``: whether the lamp is on."""

    gain: float = 1.0
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)
    lamp: bool = True


@dataclass(frozen=True, slots=True)
class Highlight:
    """A lamp or a window mirrored in the glossy tiles: ``centre`` and ``radius`` in tile heights on the table.

    ``strength`` is how much of what is in its middle turns white, 0 to 1; the cloth hardly shows it.
    """

    centre: tuple[float, float]
    radius: float
    strength: float


@dataclass(frozen=True, slots=True)
class Moment:
    """The table at one instant.

    ``nudge``: how far the camera stands beside its place, x and y in tile heights and a turn in degrees.
    ``defocus_px`` is the sigma of the lens's blur beyond the usual.
    """

    tiles: tuple[StageTile, ...]
    hands: tuple[Hand, ...] = ()
    exposure: Exposure = Exposure()
    nudge: tuple[float, float, float] = (0.0, 0.0, 0.0)
    defocus_px: float = 0.0
    highlights: tuple[Highlight, ...] = ()


@dataclass(frozen=True, slots=True)
class StagedTile:
    """Truth of one tile in a frame: ``quad`` float32 (4, 2) TL, TR, BR, BL in pixels, ``visible`` its uncovered share.

    Codes are those of the box; ``?`` lies face down.
    """

    key: int
    code: str
    quad: npt.NDArray[np.float32]
    visible: float


@dataclass(frozen=True, slots=True)
class StagedFrame:
    """A picture, uint8 BGR (h, w, 3), with its tiles by key and how many hands are in it."""

    image: Image
    tiles: tuple[StagedTile, ...]
    hands: int


@dataclass(frozen=True, slots=True)
class StageLook:
    """What stays the same for a whole game.

    ``surface`` is a square texture uint8 BGR whose side is ``surface_tiles`` tile heights; ``noise`` is the grain's
    sigma in grey levels, ``coarse`` its kind, ``blur_px`` the lens's usual blur; ``jpeg_quality`` 0: the camera hands
    out uncompressed frames.
    """

    box: Box
    camera: Camera
    surface: Image
    surface_tiles: float
    lighting: Lighting
    size_wh: tuple[int, int] = (1920, 1080)
    noise: float = 1.6
    coarse: bool = False
    blur_px: float = 0.6
    jpeg_quality: int = 0


class _RememberingBox:
    """A box that keeps the last face drawn of each tile; ``key`` is set before a tile is drawn."""

    def __init__(self, box: Box) -> None:
        self._box = box
        self._faces: dict[int, tuple[tuple[str, int, float, float], tuple[Image, Image]]] = {}
        self.key = 0
        self.aspect, self.thickness, self.side = box.aspect, box.thickness, box.side

    def face(
        self, code: str, height_px: int, rng: np.random.Generator, light: Light = (0.0, 0.0)
    ) -> tuple[Image, Image]:
        asked = code, height_px, round(light[0], 1), round(light[1], 1)
        known = self._faces.get(self.key)
        if known is None or known[0] != asked:
            known = asked, self._box.face(code, height_px, rng, light)
            self._faces[self.key] = known
        return known[1]

    def numeral_area(self, code: str) -> tuple[float, float, float, float]:
        return self._box.numeral_area(code)


@dataclass(slots=True)
class _Still:
    """The table without hands: as paint, as it is lit, who owns each pixel, and what of each tile is seen."""

    camera: Camera
    lamp: bool
    tiles: dict[int, StageTile]
    painted: Image
    lit: Image
    owner: Owner
    shown: dict[int, StagedTile] = field(default_factory=dict)


class Stage:
    """Renders one moment after the other, in any order; quickest where they differ little."""

    def __init__(self, look: StageLook, seed: int) -> None:
        self.look = look
        self._seed = seed
        self._box = _RememberingBox(look.box)
        self._still: _Still | None = None
        self._windows: dict[StageTile, Window | None] = {}
        middle = np.zeros(3)
        up = look.camera.project(middle - (0, 0.5, 0)) - look.camera.project(middle + (0, 0.5, 0))
        self.tile_px = float(np.linalg.norm(up))
        """Height in pixels of a tile in the middle of the table."""
        width, height = look.size_wh
        rng = np.random.default_rng([seed, 1])
        bright = brightness_of(rng, height, width, look.lighting, self.tile_px)
        self._lamp_field = np.ascontiguousarray(bright[..., None] * np.asarray(look.lighting.cast, np.float32))
        room = effects.light_field(rng, height, width, 0.15) * _ROOM_LIGHT
        self._room_field = np.ascontiguousarray(room[..., None] * np.asarray(_ROOM_CAST, np.float32))
        self._grain = _sheet_of_grain(rng, width + _NOISE_ROOM, height + _NOISE_ROOM, look.noise, look.coarse)

    def frame(self, moment: Moment, number: int) -> StagedFrame:
        """The picture of a moment; ``number`` seeds what is the camera's own in this frame."""
        image, tiles, hands = self._scene(moment)
        return StagedFrame(self._taken(image, moment, number), tiles, hands)

    def truth(self, moment: Moment) -> tuple[tuple[StagedTile, ...], int]:
        """What ``frame`` tells of a moment besides the picture: its tiles by key, and the hands in it."""
        _, tiles, hands = self._scene(moment)
        return tiles, hands

    def _scene(self, moment: Moment) -> tuple[Image, tuple[StagedTile, ...], int]:
        """The moment before the camera's lens."""
        resting = {tile.key: tile for tile in moment.tiles if tile.lift <= 0}
        carried = [tile for tile in moment.tiles if tile.lift > 0]
        still = self._at_rest(_nudged(self.look.camera, moment.nudge), moment.exposure.lamp, resting)
        image, owner, shown, hands = still.lit, still.owner, still.shown, 0
        if carried or moment.hands:
            image, owner = still.lit.copy(), still.owner.copy()
            shown, hands = self._over(still, image, owner, carried, moment.hands)
        for highlight in moment.highlights:
            image = self._mirrored(image, owner, still.camera, highlight)
        return image, tuple(shown[key] for key in sorted(shown)), hands

    def _mirrored(self, image: Image, owner: Owner, camera: Camera, highlight: Highlight) -> Image:
        """The picture with a highlight on its tiles; ``image`` is left as it is."""
        ((x, y),) = camera.project(np.array([[*highlight.centre, 0.0]])).tolist()
        sigma = 0.5 * highlight.radius * self.tile_px
        window = self._clipped((x - 3 * sigma, y - 3 * sigma, x + 3 * sigma, y + 3 * sigma))
        if window is None:
            return image
        ys = np.exp(-0.5 * ((np.arange(window[1], window[3], dtype=np.float32) - y) / sigma) ** 2)
        xs = np.exp(-0.5 * ((np.arange(window[0], window[2], dtype=np.float32) - x) / sigma) ** 2)
        at = _slices(window)
        glossy = np.where(owner[at] == NOBODY, np.float32(_DULL), np.float32(1.0))
        share = (np.float32(highlight.strength) * ys[:, None] * xs[None, :] * glossy)[..., None]
        lit = image.copy()
        lit[at] = (lit[at] + (255 - lit[at].astype(np.float32)) * share).astype(np.uint8)
        return lit

    # --- the table at rest ------------------------------------------------------------------------------------------

    def _at_rest(self, camera: Camera, lamp: bool, tiles: dict[int, StageTile]) -> _Still:
        """The still table, composed anew where it differs from the last one."""
        width, height = self.look.size_wh
        whole = [(0, 0, width, height)]
        last = self._still
        if last is None or not np.array_equal(last.camera.matrix, camera.matrix):
            paint = np.zeros((height, width, 3), np.uint8)
            owner = np.full((height, width), NOBODY, np.int16)
            self._still = last = _Still(camera, lamp, {}, paint, np.zeros_like(paint), owner)
            self._windows = {}
            windows = whole
        else:
            if last.lamp is not lamp:
                last.lamp = lamp
                last.lit = self._lit(last.painted, _slices(whole[0]), lamp)
            changed = [
                tile
                for key in last.tiles.keys() | tiles.keys()
                for tile in (last.tiles.get(key), tiles.get(key))
                if tile is not None and last.tiles.get(key) != tiles.get(key)
            ]
            windows = _joined([one for tile in changed if (one := self._window(camera, tile))])
            if sum(_area(one) for one in windows) > ALL_ANEW * width * height:
                windows = whole
        last.tiles = tiles
        for window in windows:
            self._compose(last, window)
        self._look_again(last, windows)
        return last

    def _window(self, camera: Camera, tile: StageTile) -> Window | None:
        """Where a tile and its shadow are in the picture."""
        if tile not in self._windows:
            self._windows[tile] = self._measured(camera, tile)
        return self._windows[tile]

    def _measured(self, camera: Camera, tile: StageTile) -> Window | None:
        corners = _placed(tile).corners(self.look.box.aspect, self.look.box.thickness)
        pixels = camera.project(np.concatenate([corners, corners * (1, 1, 0)]))
        margin = self.tile_px * (0.15 + self.look.box.thickness + 3 * self.look.lighting.softness)
        return self._clipped((*(pixels.min(0) - margin), *(pixels.max(0) + margin)))

    def _clipped(self, window: tuple[float, ...]) -> Window | None:
        width, height = self.look.size_wh
        left, top = max(0, int(window[0])), max(0, int(window[1]))
        right, bottom = min(width, int(window[2]) + 1), min(height, int(window[3]) + 1)
        return (left, top, right, bottom) if right - left > 1 and bottom - top > 1 else None

    def _compose(self, still: _Still, window: Window) -> None:
        """Compose a window of the still table: top, shadows, tiles, light."""
        # shadows are blurred: what lies just outside throws them in as well
        rim = int(4 * self.tile_px * max(0.02, self.look.lighting.softness)) + 4
        wider = self._clipped((window[0] - rim, window[1] - rim, window[2] + rim - 1, window[3] + rim - 1)) or window
        left, top, right, bottom = wider
        camera = _seen_from(still.camera, left, top)
        size = (right - left, bottom - top)
        picture = table_top(camera, self.look.surface, self.look.surface_tiles, *size)
        owner = np.full(size[::-1], NOBODY, np.int16)
        near = [tile for tile in still.tiles.values() if _touch(self._window(still.camera, tile), wider)]
        self._draw(picture, owner, camera, near)
        inside = (slice(window[1] - top, window[3] - top), slice(window[0] - left, window[2] - left))
        at = _slices(window)
        still.painted[at] = picture[inside]
        still.owner[at] = owner[inside]
        still.lit[at] = self._lit(still.painted[at], at, still.lamp)

    def _draw(self, picture: Image, owner: Owner, camera: Camera, tiles: Iterable[StageTile]) -> None:
        """Draw tiles with their shadows, far ones first."""
        both = [(tile, _placed(tile)) for tile in tiles]
        both = [(tile, placed) for tile, placed in both if faces_camera(camera, placed)]
        both.sort(key=lambda one: -float(camera.distance(one[1].centre)))
        cast_shadows(picture, camera, self._box, [placed for _, placed in both], self.look.lighting, self.tile_px)
        for tile, placed in both:
            self._box.key = tile.key
            rng = np.random.default_rng([self._seed, 2, tile.key])
            top = camera.project(placed.corners(self._box.aspect, self._box.thickness))
            base = camera.project(placed.corners(self._box.aspect, 0.0))
            draw_tile(picture, owner, tile.key, placed, self._box, top, base, self.look.lighting, rng)

    def _lit(self, paint: Image, at: tuple[slice, slice], lamp: bool) -> Image:
        light = self._lamp_field if lamp else self._room_field
        return np.asarray(cv2.multiply(paint, light[at], dtype=cv2.CV_8U), np.uint8)

    def _look_again(self, still: _Still, windows: Sequence[Window]) -> None:
        """What is seen of the tiles that a change may have touched."""
        if not windows:
            return
        shown: dict[int, StagedTile] = {}
        for key, tile in still.tiles.items():
            known = still.shown.get(key)
            touched = any(_touch(self._window(still.camera, tile), window) for window in windows)
            shown[key] = known if known is not None and not touched else self._staged(still.camera, still.owner, tile)
        still.shown = shown

    def _staged(self, camera: Camera, owner: Owner, tile: StageTile) -> StagedTile:
        top = camera.project(_placed(tile).corners(self.look.box.aspect, self.look.box.thickness))
        quad = top.astype(np.float32)
        # projected corners count from the picture's edge, truth from the first pixel's centre
        return StagedTile(tile.key, tile.code, quad - np.float32(0.5), shown_share(owner, tile.key, quad))

    # --- what moves over it -----------------------------------------------------------------------------------------

    def _over(
        self, still: _Still, image: Image, owner: Owner, carried: Sequence[StageTile], hands: Sequence[Hand]
    ) -> tuple[dict[int, StagedTile], int]:
        """Draw carried tiles and hands into ``image`` and ``owner``.

        Returns what is seen of all tiles, and of how many hands.
        """
        lamp = self.look.lighting.towards
        drawn = [arm for hand in hands if (arm := draw_hand(hand, still.camera, self.look.size_wh, lamp))]
        windows = [one for tile in carried if (one := self._window(still.camera, tile))]
        windows += [(one.left, one.top, one.left + one.alpha.shape[1], one.top + one.alpha.shape[0]) for one in drawn]
        for window in _joined(windows):
            at = _slices(window)
            patch, owned = still.painted[at].copy(), owner[at]
            for part in _joined([one for tile in carried if (one := self._window(still.camera, tile))]):
                if _touch(part, window):  # a carried tile's window lies wholly in one of the joined ones
                    own = _slices((part[0] - window[0], part[1] - window[1], part[2] - window[0], part[3] - window[1]))
                    self._draw(patch[own], owned[own], _seen_from(still.camera, part[0], part[1]), carried)
            for hand in drawn:
                _cover(patch, owned, hand, window)
            image[at] = self._lit(patch, at, still.lamp)
        shown = dict(still.shown)
        for tile in still.tiles.values():
            if any(_touch(self._window(still.camera, tile), window) for window in windows):
                shown[tile.key] = self._staged(still.camera, owner, tile)
        for tile in carried:
            shown[tile.key] = self._staged(still.camera, owner, tile)
        return shown, sum(bool((one.alpha > 127).any()) for one in drawn)

    # --- the camera -------------------------------------------------------------------------------------------------

    def _taken(self, image: Image, moment: Moment, number: int) -> Image:
        """The frame as the camera hands it out; ``image`` is left as it is."""
        rng = np.random.default_rng([self._seed, 3, number])
        gains = np.asarray(moment.exposure.cast) * moment.exposure.gain
        if (gains != 1).any():
            levels = np.arange(256)[None, :, None] * gains[None, None, :]
            image = np.asarray(cv2.LUT(image, np.clip(levels, 0, 255).astype(np.uint8)), np.uint8)
        blur = float(np.hypot(self.look.blur_px, moment.defocus_px))
        if blur > 0.2:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), blur), np.uint8)
        height, width = image.shape[:2]
        x, y = (int(offset) for offset in rng.integers(0, _NOISE_ROOM, 2))
        grain = self._grain[y : y + height, x : x + width]
        noisy = cv2.add(image, grain, dtype=cv2.CV_8U) if rng.random() < 0.5 else cv2.subtract(
            image, grain, dtype=cv2.CV_8U
        )  # fmt: skip
        taken = np.asarray(noisy, np.uint8)
        return effects.jpeg(taken, self.look.jpeg_quality) if self.look.jpeg_quality else taken


def _placed(tile: StageTile) -> Placed:
    flat = lying(tile.code, tile.x, tile.y, tile.angle_deg)
    if tile.lean_deg > 0:
        lean = np.radians(tile.lean_deg)
        raised = flat.centre + (0, 0, 0.5 * np.sin(lean))
        return Placed(flat.code, raised, flat.right, flat.up * np.cos(lean) + np.array([0, 0, np.sin(lean)]))
    return flat if tile.lift <= 0 else Placed(flat.code, flat.centre + (0, 0, tile.lift), flat.right, flat.up)


def _nudged(camera: Camera, nudge: tuple[float, float, float]) -> Camera:
    """The camera beside its place: as if the table had moved the other way."""
    if nudge == (0.0, 0.0, 0.0):
        return camera
    turn = np.radians(nudge[2])
    moved = np.eye(4)
    moved[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    moved[:2, 3] = -nudge[0], -nudge[1]
    return Camera(camera.matrix @ moved)


def _seen_from(camera: Camera, left: int, top: int) -> Camera:
    """The same camera for a window of its picture."""
    shift = np.array([[1.0, 0, -left], [0, 1.0, -top], [0, 0, 1.0]])
    return Camera(shift @ camera.matrix)


def _cover(patch: Image, owner: Owner, hand: DrawnHand, window: Window) -> None:
    """Lay a hand and its shadow over a window, in place."""
    height, width = hand.alpha.shape
    left, top = max(window[0], hand.left), max(window[1], hand.top)
    right, bottom = min(window[2], hand.left + width), min(window[3], hand.top + height)
    if right <= left or bottom <= top:
        return
    there = slice(top - hand.top, bottom - hand.top), slice(left - hand.left, right - hand.left)
    here = slice(top - window[1], bottom - window[1]), slice(left - window[0], right - window[0])
    part = patch[here].astype(np.float32)
    part *= (1 - 0.45 * (hand.shadow[there].astype(np.float32) / 255))[..., None]
    share = (hand.alpha[there].astype(np.float32) / 255)[..., None]
    part += (hand.picture[there] - part) * share
    patch[here] = part.astype(np.uint8)
    owner[here][hand.alpha[there] > 127] = NOBODY


def _sheet_of_grain(
    rng: np.random.Generator, width: int, height: int, sigma: float, coarse: bool
) -> npt.NDArray[np.int16]:
    """Grain int16 (h, w, 3) with the given sigma; coarse grain is correlated over a few pixels."""
    if coarse:
        small = rng.standard_normal(((height + 1) // 2, (width + 1) // 2, 3), dtype=np.float32)
        # the mean of neighbours has a smaller sigma
        grain = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.float32) * 1.5
    else:
        grain = rng.standard_normal((height, width, 3), dtype=np.float32)
    return np.asarray(np.rint(sigma * grain), np.int16)


def _joined(windows: Sequence[Window]) -> list[Window]:
    """The windows, those that overlap as one."""
    joined: list[Window] = []
    for window in windows:
        one = window
        while other := next((known for known in joined if _touch(known, one)), None):
            joined.remove(other)
            one = (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))
        joined.append(one)
    return joined


def _touch(one: Window | None, other: Window) -> bool:
    return one is not None and one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _area(window: Window) -> int:
    return (window[2] - window[0]) * (window[3] - window[1])


def _slices(window: Window) -> tuple[slice, slice]:
    return slice(window[1], window[3]), slice(window[0], window[2])
