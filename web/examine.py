"""One photo from file to ruling."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.joker_kinds import with_joker_kinds
from referee.observation import Kind, Observation, SeenTile
from referee.ruleset import RuleSet
from referee.ruling import TableRuling, judge_table
from web.wiring import Eyes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FACE_DOWN_CODE = "?"
SMALLEST_ALTERNATIVE = 0.01
"""Readings less probable than this are not worth a line."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A photo with all that was seen and ruled; ``image`` is uint8 (H, W, 3) BGR, upright."""

    path: Path
    image: npt.NDArray[np.uint8]
    observation: Observation
    ruling: TableRuling
    timing_ms: Mapping[str, float]
    models: Mapping[str, str]

    @property
    def codes(self) -> tuple[str, ...]:
        """The notation of each tile's first reading, ``?`` for a face-down one."""
        return tuple(tile_code(tile) for tile in self.observation.tiles)


def examine(path: Path, eyes: Eyes, ruleset: RuleSet) -> Examined:
    """Read, look and judge.  Raises ``vision.intake.PhotoError`` for a photo that cannot be read."""
    from vision.intake import read_photo  # noqa: PLC0415  numpy and Pillow: only when a photo is read

    began = time.perf_counter()
    photo = read_photo(path)
    decoded = time.perf_counter()
    sight = eyes.look(photo.image)
    looked = time.perf_counter()
    observation = with_joker_kinds(sight.observation, ruleset)
    ruling = judge_table(observation, ruleset)
    judged = time.perf_counter()
    timing_ms = {
        "decode": 1000 * (decoded - began),
        **sight.timing_ms,
        "judge": 1000 * (judged - looked),
        "total": 1000 * (judged - began),
    }
    return Examined(path, photo.image, observation, ruling, timing_ms, eyes.models)


def tile_code(tile: SeenTile) -> str:
    """The notation of a tile's first reading, ``?`` for a face-down tile."""
    return FACE_DOWN_CODE if tile.kind is Kind.BACK else str(tile.readings[0].tile)


def alternatives(tile: SeenTile) -> list[tuple[str, float]]:
    """The other readings worth naming, with their probabilities."""
    return [(str(reading.tile), reading.p) for reading in tile.readings[1:] if reading.p >= SMALLEST_ALTERNATIVE]
