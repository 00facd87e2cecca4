"""A hand with its sleeve over the table, in one pose: what a player looks like to a camera above him."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.render.camera import Camera
from vision.render.palettes import Bgr, from_hsv

Image = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]

# A tile is about 38 mm high: a finger is 16 mm thick, a palm 85 mm wide, a sleeve 110 mm.
_FINGER, _PALM, _WRIST, _SLEEVE = 0.42, 1.9, 1.5, 2.7
_REACH, _TO_WRIST, _TO_SLEEVE, _ARM = 1.9, 3.6, 5.2, 45.0
_LIFT = 1.2
"""How high a hand is over the table, in tile heights: its shadow lies so much farther from the lamp."""


@dataclass(frozen=True, slots=True)
class Person:
    """Whose hand it is: the inks of skin and sleeve (B, G, R), and ``scale`` of the whole hand."""

    skin: Bgr
    sleeve: Bgr
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand whose finger tips are at ``tip`` (x, y), its arm coming from ``home`` (x, y); both in tile heights.

    ``open_share`` 0 holds the fingers together, 1 spreads them.
    """

    person: Person
    tip: tuple[float, float]
    home: tuple[float, float]
    open_share: float = 0.3


def random_person(rng: np.random.Generator) -> Person:
    """Any skin, any sleeve."""
    skin = from_hsv(rng.uniform(10, 26), rng.uniform(0.25, 0.62), rng.uniform(0.35, 0.97))
    return Person(skin, from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.85), rng.uniform(0.1, 0.9)),
                  float(rng.uniform(0.85, 1.1)))  # fmt: skip


@dataclass(frozen=True, slots=True)
class DrawnHand:
    """A hand as pixels of the window that begins at ``left``, ``top`` of the picture.

    ``picture`` uint8 BGR (h, w, 3), unlit; ``alpha`` and ``shadow`` uint8 (h, w).
    """

    left: int
    top: int
    picture: Image
    alpha: Image
    shadow: Image

    @property
    def window(self) -> tuple[slice, slice]:
        height, width = self.alpha.shape
        return slice(self.top, self.top + height), slice(self.left, self.left + width)


def draw_hand(hand: Hand, camera: Camera, size_wh: tuple[int, int], lamp: tuple[float, float]) -> DrawnHand | None:
    """The hand in its window of a picture of this size; ``lamp`` points along the table to the light.

    None where nothing of it is in the picture.
    """
    limbs = _limbs(hand)
    ends = np.array([end for start, stop, _, _ in limbs for end in (start, stop)])
    pixels = camera.project(np.concatenate([ends, np.zeros((len(ends), 1))], 1)).reshape(-1, 2, 2)
    tip = np.array([*hand.tip, 0.0])
    tile_px = float(np.linalg.norm(camera.project(tip + (0, 0.5, 0)) - camera.project(tip - (0, 0.5, 0))))
    away = camera.project(tip - _LIFT * np.array([*lamp, 0.0])) - camera.project(tip)
    # the arm is cut where the picture ends: else its window would be as long as the arm
    width, height = size_wh
    margin = 2 * _SLEEVE * tile_px
    near = np.clip(pixels, (-margin, -margin), (width + margin, height + margin))
    wide = 0.5 * _SLEEVE * tile_px + np.abs(away) + 0.6 * tile_px
    x0, y0 = np.maximum(np.floor((near - wide).min((0, 1))), 0).astype(int)
    x1, y1 = np.ceil((near + wide).max((0, 1))).astype(int)
    x1, y1 = min(int(x1), width), min(int(y1), height)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return None
    shape = (int(y1 - y0), int(x1 - x0))
    skin, sleeve = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    for (start, stop), (_, _, thick, is_sleeve) in zip(pixels - (x0, y0), limbs, strict=True):
        _capsule(sleeve if is_sleeve else skin, start, stop, thick * tile_px)
    soft = max(1.0, 0.12 * tile_px)
    picture = np.empty((*shape, 3), np.uint8)
    # rounded limbs are darker towards their rims
    round_skin = 0.62 + 0.38 * (cv2.blur(skin, (_odd(soft * 2),) * 2).astype(np.float32) / 255)[..., None] ** 2
    picture[:] = (np.asarray(hand.person.skin, np.float32) * round_skin).astype(np.uint8)
    round_sleeve = 0.55 + 0.45 * (cv2.blur(sleeve, (_odd(soft * 5),) * 2).astype(np.float32) / 255)[..., None] ** 2
    clothed = (np.asarray(hand.person.sleeve, np.float32) * round_sleeve).astype(np.uint8)
    np.copyto(picture, clothed, where=(sleeve > 127)[..., None])
    alpha = np.maximum(skin, sleeve)
    thrown = cv2.warpAffine(alpha, np.array([[1, 0, away[0]], [0, 1, away[1]]]), (shape[1], shape[0]))
    shadow = np.asarray(cv2.blur(thrown, (_odd(0.5 * tile_px),) * 2), np.uint8)
    return DrawnHand(int(x0), int(y0), picture, alpha, shadow)


def _limbs(hand: Hand) -> list[tuple[Points, Points, float, bool]]:
    """Start and end (2,) on the table, thickness in tile heights, and whether it is clothed."""
    tip, home = np.array(hand.tip), np.array(hand.home)
    out = home - tip
    length = float(np.linalg.norm(out))
    along = out / length if length > 1e-6 else np.array([0.0, 1.0])
    across = np.array([-along[1], along[0]])
    scale = hand.person.scale
    palm = tip + along * _REACH * scale
    limbs: list[tuple[Points, Points, float, bool]] = []
    for k in range(4):
        side = (k - 1.5) * (0.40 + 0.25 * hand.open_share) * scale
        short = (0.0, 0.12, 0.05, 0.35)[k] * scale
        limbs.append((tip + across * side + along * short, palm + across * side * 0.8, _FINGER * scale, False))
    thumb = tip + across * 1.15 * scale + along * 0.85 * scale
    limbs.append((thumb, palm + across * 0.5 * scale + along * 0.5 * scale, 1.1 * _FINGER * scale, False))
    limbs.append((palm, palm + along * 0.9 * scale, _PALM * scale, False))
    limbs.append((palm + along * 0.9 * scale, tip + along * _TO_SLEEVE * scale, _WRIST * scale, False))
    limbs.append((tip + along * _TO_WRIST * 1.3 * scale, tip + along * _ARM, _SLEEVE * scale, True))
    return limbs


def _capsule(mask: Image, start: Points, end: Points, thick: float) -> None:
    ends = [(int(np.clip(x, -9999, 9999)), int(np.clip(y, -9999, 9999))) for x, y in (start, end)]
    cv2.line(mask, ends[0], ends[1], 255, max(1, round(thick)), cv2.LINE_AA)
    for end_point in ends:
        cv2.circle(mask, end_point, max(1, round(thick / 2)), 255, -1, cv2.LINE_AA)


def _odd(size: float) -> int:
    return max(1, int(size)) | 1
