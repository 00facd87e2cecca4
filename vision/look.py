"""The eyes: one picture in, one observation out.

``Eyes.look`` reads as the list of stages: detect, read, judge colours jointly, doubt what is covered, ask the second
reader, tell 6 from 9 by how sure their facing is, lay out rows.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from referee.observation import (
    DRAWN,
    JOKER_KINDS_READ,
    UNLIKE_TILES,
    Kind,
    Observation,
    Quad,
    Reading,
    Scene,
    SeenTile,
)
from referee.tiles import Colour
from vision.assemble import (
    NUMBERS,
    ONLY_REGULAR,
    Calibration,
    believable,
    doubted_alone,
    halves_of_one,
    inside_share,
    neighbours,
    plausible_sizes,
    presence,
    read_faces,
    supported,
    without_doubles,
)
from vision.body import of_another_box
from vision.colour import ANY_BOX, Ink, InkPrior, ink_of, inks_alike, judge_jointly, left_open, shows_colours
from vision.cover import MOST_FRAMED, cut_short, edge_hidden, framed_share, partly_unread
from vision.detect import CHANNEL_NAMES, Detections, Detector, tile_areas, tile_heights
from vision.facing import six_or_nine
from vision.layout import arrange, touching_unread
from vision.model_store import DEFAULT_THREADS, Manifest, load_model, models_folder, read_manifest
from vision.rack import shows_rack
from vision.read import BACK, JOKER, NOTHING, NUMBER_CLASSES, UNREAD, Reader, Readings
from vision.rectify import rectify
from vision.row_ends import with_covered_ends
from vision.rulers import quarter_turned
from vision.second_reader import SecondReader, TooSlowError, weigh
from vision.strange import drawn, unlike_tiles
from vision.taught.box import TaughtBox
from vision.taught.reader import BoxReader, BoxReadings
from vision.taught.refit import fitted_head

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

SECOND_READER_ABSENT = "second_reader_absent"
SECOND_READER_STOPPED = "second_reader_stopped"
COLOURS_TOO_FAINT = "colours_too_faint"
BOX_NOT_SEEN = "box_not_seen"
"""The tiles read better without the taught box: they are another's, and are read as any box's."""
INKS_ALIKE = {(Colour.RED, Colour.ORANGE): "red_like_orange", (Colour.BLUE, Colour.BLACK): "blue_like_black"}
LEAST_VISIBLE = 0.9
"""A tile with less of its face inside the picture is cut: it is unread, whatever its numeral seems to say."""
LEAST_FRAGMENT = 0.2
"""Smaller fragments at the picture's edge are not reported at all."""
MOST_DOUBTED = 0.4
"""With a larger share of doubtful faces a picture as a whole is not to be relied on."""
WEAKENED = 0.8
"""What is left of every reading in such a picture; the rest stays open, so that a tile may be any other."""
FACING_SURE = 0.6
"""Facing margin from which a tile has a say in its row's reading direction."""
SECOND_READER_TALLEST = 96
"""Height in pixels of the crops that the second reader gets."""
MOST_SECOND_READINGS = 24
"""So many doubtful numerals are asked about at most; with more the picture as a whole is bad, and asking is slow."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen in one picture, and how long each stage took in milliseconds."""

    observation: Observation
    timing_ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """Tiles found and read, before they are told apart. All arrays have one row per tile."""

    quads: NDArray[np.float32]
    number_p: Floats
    colour_p: Floats
    present: Floats
    facing_margin: NDArray[np.float32]
    visible: Floats
    """The share of each that lies inside the picture."""
    joker_p: Floats | None = None
    """(N, 4) over the kinds of ``Joker``; without it all are regular."""

    def __len__(self) -> int:
        return len(self.quads)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Found:
        """The chosen tiles in the chosen order."""
        return Found(
            self.quads[index],
            self.number_p[index],
            self.colour_p[index],
            self.present[index],
            self.facing_margin[index],
            self.visible[index],
            None if self.joker_p is None else self.joker_p[index],
        )


class Finder(Protocol):
    """Finds tiles, as ``Detector`` does."""

    def find(self, image: Image) -> Detections:
        """All tiles of a picture uint8 (H, W, 3) BGR."""

    def look(self, image: Image, scale: float) -> Detections:
        """Tiles found in one look at the picture resized by ``scale``."""


class TileReader(Protocol):
    """Reads tiles, as ``Reader`` does."""

    def read(self, image: Image, quads: NDArray[np.floating]) -> Readings:
        """Read the tiles at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR; N may be 0."""


class NumeralReader(Protocol):
    """Gives opinions on numerals, as ``SecondReader`` does."""

    def read(self, crops: Sequence[Image]) -> list[int | None]:
        """Numbers 1 to 13 on upright crops uint8 (H, W, 3) BGR; None is no opinion.  May raise ``TooSlowError``."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What eyes look with."""

    detector: Finder
    reader: TileReader
    second: NumeralReader | None
    box: BoxReader | None = None
    """For tiles of a taught box."""


class Eyes:
    """Loaded networks with their calibration, ready to look at pictures."""

    def __init__(
        self,
        manifest: Manifest,
        detector: Finder,
        reader: TileReader,
        second: NumeralReader | None,
        box_reader: BoxReader | None = None,
    ) -> None:
        self.parts = Parts(detector, reader, second, box_reader)
        self._without_second = SECOND_READER_ABSENT
        """What to say of a picture while there is no second reader."""
        self._calibration = Calibration.of(manifest.reading)
        self.models = {name: f"{entry.version} {entry.sha256[:12]}" for name, entry in manifest.models.items()}

    @classmethod
    def load(
        cls,
        folder: Path | None = None,
        threads: int = DEFAULT_THREADS,
        full_precision: bool = False,
        box: TaughtBox | None = None,
    ) -> Eyes:
        """Load the bundled networks or those of ``folder``; ``ModelError`` when one is missing or not the right one.

        With ``full_precision`` the originals of networks in whole numbers are loaded.  With a ``box`` of tiles, these
        are read as its tiles; one that was taught to another reader network is learned anew from its examples, which
        takes some seconds.
        """
        where = folder or models_folder()
        manifest = read_manifest(where)
        manifest = manifest.precise() if full_precision else manifest
        calibration = Calibration.of(manifest.reading)
        network = load_model("reader", manifest, where, NUMBER_CLASSES, threads, abreast=True)
        reader = Reader(
            network,
            calibration.number_temperature,
            calibration.colour_temperature,
            calibration.facing_temperature,
        )
        finder = load_model("detector", manifest, where, CHANNEL_NAMES, threads)
        detector = Detector(finder, legible=reader.legible)
        if box is None:
            return cls(manifest, detector, reader, SecondReader.find())
        head = fitted_head(box, network, manifest.models["reader"].sha256)
        eyes = cls(manifest, detector, reader, SecondReader.find(), BoxReader(network, head))
        eyes.models["box"] = f"{box.name} {box.fingerprint}"
        return eyes

    def with_parts(self, parts: Parts) -> Eyes:
        """Eyes that look with other parts and are else the same."""
        eyes = copy.copy(self)
        eyes.parts = parts
        return eyes

    def look(self, image: Image, second_reader: bool = True) -> Sight:
        """See one upright picture, uint8 (H, W, 3) BGR."""
        timing: dict[str, float] = {}
        with _timed(timing, "detect"):
            detections = self.parts.detector.find(image)
        with _timed(timing, "read"):
            readings = with_quarter_turns(image, self.parts.reader.read(image, detections.quads), self.parts.reader)
            taught = None if self.parts.box is None else self.parts.box.read(image, readings)
            if taught is None:
                found = self._found(image, detections, readings)
            else:
                found = self._found(image, detections, taught.readings, taught.joker_p)
        with _timed(timing, "colour"):
            crops = rectify(image, found.quads)
            ours = ~of_another_box(crops, found.number_p, found.present)
            found, crops = found.take(ours), crops[ours]
            if self.parts.box and taught and taught.seen:
                ink, inks = self.parts.box.ink(image, found.quads), self.parts.box.head.inks
            else:
                ink, inks = ink_of(crops), ANY_BOX
            faint = len(found) > 0 and not shows_colours(image, ink)
            found = with_joint_colours(found, ink, faint, inks)
            notes = () if taught is None else box_notes(taught)
            notes += (COLOURS_TOO_FAINT,) if faint else alike_notes(found, ink)
            notes += strange_notes(image, found, crops)
        with _timed(timing, "cover"):
            hidden = (framed_share(crops) > MOST_FRAMED) | cut_short(found.quads, found.number_p, found.present)
            found = replace(found, number_p=partly_unread(found.number_p, hidden, edge_hidden(crops)))
        with _timed(timing, "second_reader"):
            # the second reader knows ordinary print alone: it once made a tiny 6 surely an 8
            strange_print = taught is not None and taught.seen and not taught.ordinary_print
            if second_reader and self.parts.second is not None and not strange_print:
                try:
                    found = with_second_opinions(image, found, self.parts.second, self._calibration)
                except TooSlowError:  # one wait is enough: it would be as slow for every photo
                    self.parts, self._without_second = replace(self.parts, second=None), SECOND_READER_STOPPED
        found = replace(found, number_p=six_or_nine(found.number_p, found.facing_margin))
        with _timed(timing, "layout"):
            notes = ((self._without_second,) if self.parts.second is None else ()) + notes
            on_rack = shows_rack(image, found.take(_faces(found)).quads)
            observation = observe(image.shape[1], image.shape[0], found, self._calibration, on_rack, notes)
            observation = with_covered_ends(image, observation)
        return Sight(observation, timing)

    def _found(
        self, image: Image, detections: Detections, readings: Readings, joker_p: Floats | None = None
    ) -> Found:
        """Detections that the reader confirms: a tile, of a size like its neighbours', and none twice."""
        present = presence(detections.score, readings.number_p, self._calibration)
        found = Found(
            readings.quads,
            readings.number_p.astype(np.float64),
            readings.colour_p.astype(np.float64),
            present,
            readings.upside_margin,
            inside_share(readings.quads, image.shape[1], image.shape[0]),
            joker_p,
        )
        near, cut = neighbours(found.quads), found.visible < LEAST_VISIBLE
        kept = np.flatnonzero(
            believable(near, detections.score, found.number_p, present, self._calibration, cut)
        )
        some = found.take(kept)
        kept = kept[plausible_sizes(some.quads, some.number_p, some.present, self._calibration)]
        found = found.take(kept)
        present = supported(near[np.ix_(kept, kept)], found.number_p, found.present)
        found = replace(found, present=doubted_alone(found.quads, found.number_p, present))
        found = with_halves_unread(found.take(without_doubles(found.quads, found.present)))
        return found.take(_reading_order(found.quads))


def with_halves_unread(found: Found) -> Found:
    """Of two detections that cannot both be tiles one is left, and is unread: what it shows is part of something."""
    pairs = halves_of_one(found.quads, found.number_p, found.present)
    if not len(pairs):
        return found
    number_p = found.number_p.copy()
    number_p[pairs[:, 0]] = np.eye(number_p.shape[1])[UNREAD]
    return replace(found, number_p=number_p).take(np.setdiff1d(np.arange(len(found)), pairs[:, 1]))


def with_quarter_turns(image: Image, readings: Readings, reader: TileReader) -> Readings:
    """Tiles that the plane of all tiles shows to stand a quarter turn from how they were read, read again so.

    The second reading counts where it is the clearer one.
    """
    is_tile = (readings.number_p.argmax(axis=1) != NOTHING) & (tile_areas(readings.quads) > 1)
    tiles = np.flatnonzero(is_tile)
    asked = tiles[quarter_turned(readings.quads[tiles].astype(np.float64))]
    if not len(asked):
        return readings
    again = reader.read(image, np.roll(readings.quads[asked], 1, axis=1))
    clearer = again.number_p[:, :NOTHING].max(axis=1) > readings.number_p[asked, :NOTHING].max(axis=1)
    return readings.with_others(asked[clearer], again.take(np.flatnonzero(clearer)))


def with_joint_colours(found: Found, ink: Ink, faint: bool, inks: InkPrior = ANY_BOX) -> Found:
    """Colours judged over all number tiles of the picture together; all in doubt in a ``faint`` picture.

    ``inks`` is what is known of the box.
    """
    if faint:
        return replace(found, colour_p=left_open(found.colour_p))
    has_ink = found.number_p.argmax(axis=1) < NUMBERS
    return replace(found, colour_p=judge_jointly(found.colour_p, ink, has_ink, inks))


def alike_notes(found: Found, ink: Ink) -> tuple[str, ...]:
    """A note for each pair of inks that cannot be told apart in this picture."""
    alike = inks_alike(found.colour_p, ink, found.number_p.argmax(axis=1) < NUMBERS)
    return tuple(INKS_ALIKE[pair] for pair in alike)


def box_notes(taught: BoxReadings) -> tuple[str, ...]:
    """Whether the taught box is what lies there, and whether its kinds of joker are told apart."""
    if not taught.seen:
        return (BOX_NOT_SEEN,)
    return (JOKER_KINDS_READ,) if taught.kinds_told else ()


def strange_notes(image: Image, found: Found, crops: Image) -> tuple[str, ...]:
    """What says that this is no photo of number tiles; ``crops`` uint8 (N, H, W, 3) BGR are those of ``found``."""
    faces = _faces(found)
    tile_px = float(np.median(tile_heights(found.quads[faces]))) if len(faces) else 0.0
    unlike = unlike_tiles(found.number_p[faces], crops[faces], tile_px)
    return ((UNLIKE_TILES,) if unlike else ()) + ((DRAWN,) if drawn(image, found.quads[faces], crops[faces]) else ())


def with_second_opinions(image: Image, found: Found, second: NumeralReader, calibration: Calibration) -> Found:
    """Doubtful numerals weighed with the second reader's opinion; the first reading of a tile never changes.

    Raises ``TooSlowError``.
    """
    numbers = found.number_p[:, :NUMBERS]
    first = found.number_p.argmax(axis=1)
    doubtful = (first < NUMBERS) & (numbers.max(axis=1) < calibration.doubtful_below)
    asked = np.flatnonzero(doubtful)
    asked = asked[np.argsort(-found.present[asked], kind="stable")][:MOST_SECOND_READINGS]
    if not len(asked):
        return found
    crops = rectify(image, found.quads[asked], round(SECOND_READER_TALLEST * 0.75), SECOND_READER_TALLEST)
    weighed = found.number_p.copy()
    for i, opinion in zip(asked, second.read(list(crops)), strict=True):
        rival = float(found.number_p[i, NUMBERS:NOTHING].max())
        weighed[i, :NUMBERS] = _still_first(numbers[i], weigh(numbers[i], opinion), rival)
    return replace(found, number_p=weighed)


def _still_first(before: Floats, after: Floats, rival: float) -> Floats:
    """``after``, or as much of the way there as leaves the first number before a joker, a back or an unread face."""
    first = before.argmax()
    if after[first] > rival or before[first] <= rival:
        return after
    share = (1 - 1e-6) * (before[first] - rival) / (before[first] - after[first])
    return np.asarray(before + share * (after - before), np.float64)


def observe(
    width: int, height: int, found: Found, calibration: Calibration, on_rack: bool, notes: tuple[str, ...] = ()
) -> Observation:
    """Tell faces, backs and unread tiles apart and lay them out in rows; ``on_rack``: all stand on a rack."""
    kinds = found.number_p.copy()
    kinds[:, NOTHING] = 0
    first = kinds.argmax(axis=1)
    unread = (first == UNREAD) | (found.visible < LEAST_VISIBLE)
    unread_quads = [_quad(quad) for quad in found.quads[unread & (found.visible >= LEAST_FRAGMENT)].tolist()]
    shown = found.take(np.flatnonzero(~unread))
    tiles = _seen_tiles(shown, calibration)
    # tiles that are none, or that lie on no table, are nothing to rely on
    tiles = all_doubted(tiles) if {UNLIKE_TILES, DRAWN} & set(notes) else all_doubted_where_many_are(tiles)
    faces = np.array([tile.kind is Kind.FACE for tile in tiles], np.bool_)
    layout = arrange(shown.quads, faces & (shown.facing_margin >= FACING_SURE), np.full(len(shown), on_rack))
    rows = touching_unread(layout.rows, shown.quads, np.array(unread_quads, np.float32).reshape(-1, 4, 2))
    scene = Scene.EMPTY if not tiles and not unread_quads else Scene.RACK if on_rack else Scene.TABLE
    return Observation(
        width=width,
        height=height,
        scene=scene,
        tiles=tiles,
        rows=rows,
        loose=layout.loose,
        unread=tuple(unread_quads),
        notes=notes,
    )


def all_doubted_where_many_are(tiles: tuple[SeenTile, ...]) -> tuple[SeenTile, ...]:
    """The same tiles; all faces doubtful, and open to any reading, where more than ``MOST_DOUBTED`` of them are.

    Doubts of one picture have one cause (its light, its blur, a print unlike all others), which spares no tile, and
    probabilities that were calibrated on better pictures promise too much.
    """
    faces = [tile for tile in tiles if tile.kind is Kind.FACE]
    if sum(tile.doubtful for tile in faces) <= MOST_DOUBTED * len(faces):
        return tiles
    return all_doubted(tiles)


def all_doubted(tiles: tuple[SeenTile, ...]) -> tuple[SeenTile, ...]:
    """The same tiles, all faces doubtful and open to any reading."""
    return tuple(_weakened(tile) if tile.kind is Kind.FACE else tile for tile in tiles)


def _weakened(tile: SeenTile) -> SeenTile:
    """The tile in doubt, its readings leaving at least a fifth of the probability open."""
    readings = tuple(Reading(reading.tile, round(WEAKENED * reading.p, 4)) for reading in tile.readings)
    return replace(tile, readings=readings, confidence=round(WEAKENED * tile.confidence, 4), doubtful=True)


def _seen_tiles(found: Found, calibration: Calibration) -> tuple[SeenTile, ...]:
    """Each as a face or, where that is as likely, as a back."""
    back = found.number_p[:, BACK]
    is_back = back >= found.number_p[:, : JOKER + 1].max(axis=1)
    joker_p = ONLY_REGULAR if found.joker_p is None else found.joker_p
    faces = read_faces(found.number_p, found.colour_p, found.present, calibration, joker_p)
    facing = ((1 + found.facing_margin.astype(np.float64)) / 2).tolist()
    blank = (back * found.present).tolist()
    return tuple(
        _back(_quad(quad), round(blank[i], 4), calibration)
        if is_back[i]
        else SeenTile(
            _quad(quad),
            Kind.FACE,
            faces[i].readings,
            faces[i].confidence,
            faces[i].doubtful,
            facing=round(facing[i], 4),
        )
        for i, quad in enumerate(found.quads.tolist())
    )


def _back(quad: Quad, confidence: float, calibration: Calibration) -> SeenTile:
    return SeenTile(quad, Kind.BACK, (), confidence, confidence < calibration.doubtful_below)


def _faces(found: Found) -> NDArray[np.intp]:
    """Indices of what most likely shows a number or a joker."""
    return np.flatnonzero(found.number_p.argmax(axis=1) <= JOKER)


def _reading_order(quads: NDArray[np.float32]) -> NDArray[np.intp]:
    """From top to bottom, then from left to right, so that the same picture gives the same order."""
    centres = quads.mean(axis=1)
    return np.lexsort((centres[:, 0], centres[:, 1])) if len(quads) else np.zeros(0, np.intp)


def _quad(corners: list[list[float]]) -> Quad:
    a, b, c, d = ((round(x, 1), round(y, 1)) for x, y in corners)
    return a, b, c, d


@contextmanager
def _timed(timing_ms: dict[str, float], stage: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    timing_ms[stage] = round(1000 * (time.perf_counter() - began), 2)
