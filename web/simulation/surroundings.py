"""What is around a simulated table: where players sit, where sets may lie, the pool beside them, racks at the rim.

Lengths are tile heights on the table, x to the right and y down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from referee.tiles import Tile
from vision.render.stage import StageLook, StageTile
from web.simulation.layout import Pose, Region
from web.simulation.timeline import Seat

SIDES = {2: ((0, 1), (0, -1)), 3: ((0, 1), (-1, 0), (0, -1)), 4: ((0, 1), (-1, 0), (0, -1), (1, 0))}
"""Where players sit."""
_EDGE_PX = 34
"""Sets keep so far away from the picture's edge at 1920 pixels: a camera may be nudged."""
POOL_WIDTH = 1.9
"""The strip on the right where the pool lies, where the camera sees it."""
_STACK = 7
RACK_KEY = 3000
"""On racks a tile has its own key and this."""
_RACK_LEAN = 35.0


def region_of(look: StageLook, pool_width: float) -> Region:
    """The largest upright part of the table that the camera sees whole."""
    width, height = look.size_wh
    edge = _EDGE_PX * width / 1920
    corners = np.array([[edge, edge], [width - edge, edge], [width - edge, height - edge], [edge, height - edge]])
    back = np.linalg.inv(look.camera.plane_homography())
    seen = np.concatenate([corners, np.ones((4, 1))], 1) @ back.T
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (seen[:, :2] / seen[:, 2:]).tolist()
    return Region(max(x0, x3), max(y0, y1), min(x1, x2) - pool_width, min(y2, y3))


def seats_round(region: Region, seats: int) -> list[Seat]:
    """Players clockwise from the lower side; racks are out of the picture."""
    x, y = (region.left + region.right) / 2, (region.top + region.bottom) / 2
    wide, high = (region.right - region.left) / 2, (region.bottom - region.top) / 2
    away = 7.0
    return [
        Seat((x + dx * (wide + away), y + dy * (high + away)), (x + dx * (wide + 3.0), y + dy * (high + 3.0)))
        for dx, dy in SIDES[seats]
    ]


@dataclass(frozen=True, slots=True)
class Rim:
    """Where a rack stands at the picture's edge: its middle, and the side of the table."""

    x: float
    y: float
    side: tuple[int, int]

    def tiles(self, keys: Sequence[int], tile_of: Sequence[Tile], aspect: float) -> list[StageTile]:
        """The tiles of a rack, read by the player behind it."""
        turn = {(0, 1): 0.0, (-1, 0): 90.0, (0, -1): 180.0, (1, 0): 270.0}[self.side]
        along = (float(np.cos(np.radians(turn))), float(np.sin(np.radians(turn))))
        steps = [aspect * 1.02 * (k - (len(keys) - 1) / 2) for k in range(len(keys))]
        return [
            StageTile(RACK_KEY + key, str(tile_of[key]), self.x + along[0] * step, self.y + along[1] * step, turn,
                      lean_deg=_RACK_LEAN)
            for key, step in zip(keys, steps, strict=True)
        ]  # fmt: skip


def rims_of(look: StageLook, seats: int) -> tuple[Rim, ...]:
    """Racks in the middle of the picture's sides, cut by its edge."""
    width, height = look.size_wh
    back = np.linalg.inv(look.camera.plane_homography())
    rims = []
    for dx, dy in SIDES[seats]:
        x, y, w = (back @ (width * (1 + dx) / 2, height * (1 + dy) / 2, 1.0)).tolist()
        rims.append(Rim(x / w - 0.35 * dx, y / w - 0.35 * dy, (dx, dy)))
    return tuple(rims)


def facings_of(seats: int, rng: Random) -> list[float]:
    """From which side each player reads his sets: all from one, each from his own, or the long sides alone."""
    own = {2: [0.0, 180.0], 3: [0.0, 90.0, 180.0], 4: [0.0, 90.0, 180.0, 270.0]}[seats]
    kind = rng.random()
    if kind < 0.4:
        return [0.0] * seats
    if kind < 0.8:
        return [one if one in {0.0, 180.0} else 0.0 for one in own]
    return own


def pool_spots(region: Region, pool: int) -> list[Pose]:
    """Where the stacks of the pool lie, face down, along the right side; the last one is taken from."""
    stacks = -(-pool // _STACK)
    high = int((region.bottom - region.top) / 1.15)
    return [
        Pose(region.right + 0.65 + 0.85 * (k // high), region.top + 0.55 + 1.15 * (k % high), 0.6 * (k * 7 % 5 - 2))
        for k in range(stacks)
    ]
