"""Tables of a club evening for judging us: fonts, palettes and surfaces that training never saw, and no photo's crops.

Ordinary conditions: a webcam on a stand over the table, room light that is neither dim nor strongly tinted, a box that
is not worn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vision.render.camera import Camera, look_at_table
from vision.render.compose import Lighting
from vision.render.faces import Light, SixNineMark, StyledBox, Symbol, judge_box
from vision.render.jokers import JokerFace
from vision.render.palettes import Bgr
from vision.render.scene import random_lighting
from vision.render.stage import StageLook
from vision.render.surfaces import JUDGE_SURFACES, Surface

Image = npt.NDArray[np.uint8]

TEXTURE_PX = 1024
SMALLEST_TILE_PX, LARGEST_TILE_PX = 50.0, 58.0
"""Height of a tile in the middle of a picture 1920 wide: what a webcam shows that takes in a whole table."""
MOST_TILT_DEG = 18.0

_KINDS = {"JD": JokerFace.DOUBLE, "JC": JokerFace.CHANGE, "JM": JokerFace.MIRROR}


@dataclass(frozen=True)
class KindsBox:
    """A box with special jokers: each kind has a drawing of its own, all else is the plain box's."""

    plain: StyledBox
    special: Mapping[str, StyledBox]

    @property
    def aspect(self) -> float:
        return self.plain.aspect

    @property
    def thickness(self) -> float:
        return self.plain.thickness

    @property
    def side(self) -> Bgr:
        return self.plain.side

    def face(
        self, code: str, height_px: int, rng: np.random.Generator, light: Light = (0.0, 0.0)
    ) -> tuple[Image, Image]:
        """The top face of ``code``, as ``Box.face``."""
        special = self.special.get(code)
        return self.plain.face(code, height_px, rng, light) if special is None else special.face(
            "J", height_px, rng, light
        )  # fmt: skip

    def numeral_area(self, code: str) -> tuple[float, float, float, float]:
        special = self.special.get(code)
        return self.plain.numeral_area(code) if special is None else special.numeral_area("J")


def judge_look(rng: np.random.Generator) -> StyledBox:
    """A judging box with fresh print, without the hearts and discs of Okey boxes, and with 6 and 9 told apart."""
    box = judge_box(rng)
    plain_joker = JokerFace.SMILE if box.joker_face is JokerFace.STAR else box.joker_face
    # a centred 6 without a mark is a 9 turned round: no box prints that, and nobody could rule on it
    centred = box.numeral_y > 0.37 and box.mark is SixNineMark.NONE
    mark = SixNineMark.BAR if centred else box.mark
    numerals = replace(box.numerals, thicken=max(0, box.numerals.thicken))
    return replace(
        box,
        numerals=numerals,
        ink_strength=max(0.85, box.ink_strength),
        joker_face=plain_joker,
        mark=mark,
        symbol=Symbol.NONE,
    )


def with_kinds(box: StyledBox) -> KindsBox:
    """The box with a drawing for each kind of special joker."""
    return KindsBox(box, {code: replace(box, joker_face=face) for code, face in _KINDS.items()})


def club_lighting(rng: np.random.Generator) -> Lighting:
    """Light in which people play: hardly tinted, not dim, perhaps a soft shadow of somebody, no highlights."""
    light = random_lighting(rng)
    blue, green, red = (1 + 0.4 * (gain - 1) for gain in light.cast)
    return replace(
        light,
        gain=float(np.clip(light.gain, 0.78, 1.02)),
        contrast=min(light.contrast, 0.35),
        shadow=min(light.shadow, 0.6),
        cast=(blue, green, red),
        glare=0,
        blobs=min(light.blobs, 1),
    )


def club_camera(rng: np.random.Generator, size_wh: tuple[int, int]) -> Camera:
    """A webcam on a stand or an arm, nearly straight above the table, hung a little crooked."""
    width, height = size_wh
    tile_px = float(rng.uniform(SMALLEST_TILE_PX, LARGEST_TILE_PX)) * width / 1920
    tilt, roll = float(rng.uniform(0, MOST_TILT_DEG)), float(rng.normal(0, 1.5))
    return look_at_table(width, height, tile_px, tilt, roll, float(rng.uniform(50, 72)))


def club_surface(rng: np.random.Generator) -> Surface:
    """One of the surfaces kept for judging."""
    return JUDGE_SURFACES[int(rng.integers(len(JUDGE_SURFACES)))]


def club_look(rng: np.random.Generator, size_wh: tuple[int, int] = (1920, 1080), kinds: bool = False) -> StageLook:
    """Everything that stays for one judged game; ``kinds``: the box has special jokers."""
    box = judge_look(rng)
    camera = club_camera(rng, size_wh)
    return StageLook(
        box=with_kinds(box) if kinds else box,
        camera=camera,
        surface=club_surface(rng)(rng, TEXTURE_PX),
        surface_tiles=float(rng.uniform(34, 55)),
        lighting=club_lighting(rng),
        size_wh=size_wh,
        noise=float(rng.uniform(0.8, 2.4)),
        coarse=bool(rng.random() < 0.4),
        blur_px=float(rng.uniform(0.4, 0.8)),
    )
