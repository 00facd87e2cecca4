"""Eyes made by hand: they know a photo by the number painted into its corner, and see the table written for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as PilImage

from referee.observation import Kind, Observation, Quad, Reading, Row, Scene, SeenTile
from referee.tiles import parse_tile
from vision.frames import Frame
from web.wiring import Eyes, EyesError, Sight, Wiring

Pixels = npt.NDArray[np.uint8]
TILE_WIDTH, TILE_HEIGHT = 45.0, 60.0
CREAM, DESK = (225, 235, 240), (70, 80, 95)


def table(text: str, width: int = 900, height: int = 700, scene: Scene = Scene.TABLE, **options: object) -> Observation:
    """An observation from a text: sets apart by ``|``, a doubt as ``R6/R9``, a face-down tile as ``?`` (``??``:
    there may be none).

    ``#`` after a row is a covered tile that touches it; a part of one tile is a loose tile.
    """
    tiles: list[SeenTile] = []
    rows: list[Row] = []
    loose: list[int] = []
    unread: list[Quad] = []
    parts = [part.split() for part in text.split("|") if part.split()]
    for line, words in enumerate(parts):
        quads = [_quad(60 + i * (TILE_WIDTH + 2), 40 + line * (TILE_HEIGHT + 30)) for i in range(len(words))]
        faces = [(word, quad) for word, quad in zip(words, quads, strict=True) if word != "#"]
        touching = [quad for word, quad in zip(words, quads, strict=True) if word == "#"]
        indices = tuple(range(len(tiles), len(tiles) + len(faces)))
        tiles += [_seen(word, quad) for word, quad in faces]
        touched = tuple(range(len(unread), len(unread) + len(touching)))
        unread += touching
        if len(indices) > 1:
            rows.append(Row(indices, (0.04,) * (len(indices) - 1), touched))
        else:
            loose += indices
    notes = options.get("notes", ())
    assert isinstance(notes, tuple)
    return Observation(width, height, scene, tuple(tiles), tuple(rows), tuple(loose), tuple(unread), notes=notes)


def _quad(x: float, y: float) -> Quad:
    return (x, y), (x + TILE_WIDTH, y), (x + TILE_WIDTH, y + TILE_HEIGHT), (x, y + TILE_HEIGHT)


def _seen(word: str, quad: Quad) -> SeenTile:
    if word == "??":
        return SeenTile(quad, Kind.BACK, (), 0.4, doubtful=True)
    if word == "?":
        return SeenTile(quad, Kind.BACK, (), 0.98, doubtful=False)
    first, *others = word.split("/")
    shares = [0.62, *([0.36 / len(others)] * len(others))] if others else [0.9971]
    readings = tuple(Reading(parse_tile(code), p) for code, p in zip([first, *others], shares, strict=True))
    return SeenTile(quad, Kind.FACE, readings, shares[0], doubtful=bool(others))


def paint(observation: Observation) -> Pixels:
    """A plain picture of an observation, uint8 (H, W, 3) BGR."""
    picture = np.full((observation.height, observation.width, 3), DESK, np.uint8)
    for tile in observation.tiles:
        cv2.fillPoly(picture, [np.array(tile.quad, np.int32)], CREAM)
        if tile.readings:
            x, y = tile.quad[0]
            text = str(tile.readings[0].tile)
            cv2.putText(picture, text, (int(x) + 6, int(y) + 30), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (20, 20, 20), 2)
    return picture


@dataclass(frozen=True, slots=True)
class FakeSight:
    observation: Observation
    timing_ms: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({"detect": 3.0, "read": 2.5}))


@dataclass(slots=True)
class FakeEyes:
    """Sees the observation whose number is painted into the picture's corner."""

    known: list[Observation] = field(default_factory=list)
    models: Mapping[str, str] = field(default_factory=lambda: {"detector": "1 0123abcd", "reader": "1 4567ef01"})

    def photo(self, path: Path, observation: Observation) -> Path:
        """Write a PNG that these eyes will see as ``observation``."""
        picture = paint(observation)
        picture[0, 0] = len(self.known)
        self.known.append(observation)
        path.parent.mkdir(parents=True, exist_ok=True)
        PilImage.fromarray(np.ascontiguousarray(picture[:, :, ::-1])).save(path, format="PNG")
        return path

    def look(self, image: Pixels, second_reader: bool = True) -> FakeSight:
        assert second_reader
        return FakeSight(self.known[int(image[0, 0, 0])])

    @property
    def wiring(self) -> Wiring:
        return Wiring(load_eyes=lambda: self)


@dataclass(frozen=True, slots=True)
class HandSight:
    """What a test says that one frame shows."""

    stage: str
    why: str
    frame: Frame
    observation: Observation | None
    still_since: float | None
    looks: int = 3


class SeeingWatch:
    """Every frame is a picture of a still table, seen by eyes made by hand."""

    def __init__(self, eyes: Eyes) -> None:
        self._eyes = eyes

    def look(self, frame: Frame) -> HandSight:
        seen = self._eyes.look(frame.image).observation
        return HandSight("still", "", frame, replace(seen, taken_at=frame.taken_at), frame.taken_at, 1)

    def forget(self) -> None:
        """Nothing is remembered."""


@dataclass(slots=True)
class RememberingEyes:
    """Real eyes that look at each picture once."""

    eyes: Eyes
    seen: dict[bytes, Sight] = field(default_factory=dict)

    @property
    def models(self) -> Mapping[str, str]:
        return self.eyes.models

    def look(self, image: Pixels, second_reader: bool = True) -> Sight:
        key = hashlib.sha256(image.tobytes()).digest()
        if key not in self.seen:
            self.seen[key] = self.eyes.look(image, second_reader)
        return self.seen[key]


def blind(sentence: str) -> Wiring:
    """A wiring whose networks cannot be loaded."""

    def load() -> FakeEyes:
        raise EyesError(sentence)

    return Wiring(load_eyes=load)


Photographer = Callable[[str, str], Path]
"""Writes the photo of a table (name, table text) and returns its path."""
