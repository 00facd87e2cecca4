"""Eyes that see the truth of a simulated table, or lie about it where a test wants them to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from referee.observation import Kind, Observation, Quad, Reading, Scene, SeenTile
from referee.tiles import parse_tile
from tests.web.fakes import HandSight
from vision.frames import Frame
from vision.layout import arrange
from vision.render.faces import BACK
from vision.render.stage import StagedTile
from web.simulation.table import SimulatedTable

Reader = Callable[[StagedTile], tuple[Reading, ...]]
SURE = 0.999


def reads_rightly(tile: StagedTile) -> tuple[Reading, ...]:
    """What lies there."""
    return (Reading(parse_tile(tile.code), SURE),)


@dataclass
class TruthWatch:
    """Watches by looking up what is true at the time of a frame."""

    table: SimulatedTable
    read: Reader = reads_rightly
    _since: float | None = field(default=None, init=False)

    def look(self, frame: Frame) -> HandSight:
        truth = self.table.truth_at(frame.taken_at)
        if not truth.still:
            self._since = None
            return HandSight("wait", "hand", frame, None, None)
        self._since = frame.taken_at if self._since is None else self._since
        if frame.taken_at - self._since < 0.09:
            return HandSight("settling", "", frame, None, self._since)
        return HandSight("still", "", frame, self._observed(truth.tiles, frame), self._since)

    def forget(self) -> None:
        self._since = None

    def _observed(self, tiles: tuple[StagedTile, ...], frame: Frame) -> Observation:
        height, width = frame.image.shape[:2]
        seen = tuple(self._tile(tile) for tile in tiles)
        faces = np.array([tile.code != BACK for tile in tiles], np.bool_)
        quads = np.array([tile.quad for tile in tiles], np.float32).reshape(-1, 4, 2)
        layout = arrange(quads, faces, np.zeros(len(tiles), np.bool_))
        scene = Scene.TABLE if tiles else Scene.EMPTY
        return Observation(width, height, scene, seen, layout.rows, layout.loose, taken_at=frame.taken_at)

    def _tile(self, tile: StagedTile) -> SeenTile:
        a, b, c, d = ((float(x), float(y)) for x, y in tile.quad)
        quad: Quad = (a, b, c, d)
        if tile.code == BACK:
            return SeenTile(quad, Kind.BACK, (), SURE, doubtful=False)
        readings = self.read(tile)
        return SeenTile(quad, Kind.FACE, readings, readings[0].p, doubtful=readings[0].p < 0.9, facing=SURE)
