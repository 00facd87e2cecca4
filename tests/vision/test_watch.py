"""What has not changed is not read again, and nothing that changed is missed: with networks played by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import Kind, Observation, Reading, SeenTile
from referee.observation import Scene as SeenScene
from referee.tiles import Joker, parse_tile
from vision.colour import ANY_BOX
from vision.detect import Detections
from vision.look import Eyes
from vision.model_store import Manifest
from vision.read import FEATURES, NUMBER_CLASSES, Readings
from vision.second_reader import TooSlowError
from vision.taught.box import BoxHead
from vision.taught.lens import WHOLE_FACE
from vision.taught.reader import BoxReader
from vision.watch import LOOKS_BETWEEN_SEARCHES, RememberingBoxReader, RememberingReader, TrackingFinder, Watcher

Image = NDArray[np.uint8]
WIDE, TALL = 32, 46
WHITE = 220
STEP = 16
"""A tile shows the number n as a blot of grey n · STEP, so that a reading taken over from a change would show."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile lying at (x, y), its number, and whether its print is so faint that it is doubted."""

    number: int
    x: int
    y: int = 200
    faint: bool = False
    grown: float = 1.0


ROW = tuple(Tile(number, 100 + 40 * k) for k, number in enumerate((3, 7, 11, 2, 9)))


def table(tiles: Sequence[Tile], size: tuple[int, int] = (540, 960)) -> Image:
    picture = np.full((*size, 3), (60, 95, 130), np.uint8)
    for tile in tiles:
        wide, tall = round(tile.grown * WIDE), round(tile.grown * TALL)
        picture[tile.y : tile.y + tall, tile.x : tile.x + wide] = WHITE
        # the mark of a doubtful tile: a dark foot
        picture[tile.y + tall - 6 : tile.y + tall - 2, tile.x + 4 : tile.x + wide - 4] = 90 if tile.faint else WHITE
        picture[tile.y + 8 : tile.y + tall // 2, tile.x + 8 : tile.x + wide - 8] = tile.number * STEP
    return picture


def taken(tiles: Sequence[Tile], seed: int, gain: float = 1.0, noise: float = 1.5) -> Image:
    picture = table(tiles)
    shaken = picture * gain + noise * np.random.default_rng(seed).standard_normal(picture.shape)
    return np.clip(np.round(shaken), 0, 255).astype(np.uint8)


@dataclass
class Finds:
    """Finds the tiles that lie on the table now; counts searches and looks."""

    tiles: tuple[Tile, ...] = ROW
    searches: int = 0
    looks: int = 0
    asked_scales: list[float] = field(default_factory=list)

    def find(self, image: Image) -> Detections:
        del image
        self.searches += 1
        return self._all(0.5)

    def look(self, image: Image, scale: float) -> Detections:
        del image
        self.looks += 1
        self.asked_scales.append(scale)
        return self._all(scale)

    def _all(self, scale: float) -> Detections:
        jitter = np.random.default_rng(self.looks).uniform(-1, 1, (len(self.tiles), 1, 2))
        corners = [
            [(0, 0), (tile.grown * WIDE, 0), (tile.grown * WIDE, tile.grown * TALL), (0, tile.grown * TALL)]
            for tile in self.tiles
        ]
        places = np.array([(tile.x, tile.y) for tile in self.tiles], np.float32).reshape(-1, 1, 2)
        quads = np.array(corners, np.float32).reshape(-1, 4, 2) + places + jitter
        return Detections(quads.astype(np.float32), np.full(len(self.tiles), 0.9, np.float32), scale)


@dataclass
class Reads:
    """Reads the grey of each tile's blot; remembers how many tiles it was asked about at each look."""

    asked: list[int] = field(default_factory=list)

    def read(self, image: Image, quads: NDArray[np.floating]) -> Readings:
        count = len(quads)
        self.asked.append(count)
        number_p = np.full((count, len(NUMBER_CLASSES)), 0.0005, np.float32)
        for i, (x, y) in enumerate(np.round(quads.mean(axis=1)).astype(int).tolist()):
            white = float(image[y - 18, x].mean())
            number = round(float(image[y - 10, x].mean()) * WHITE / white / STEP)
            faint = image[y + 19, x].mean() < 0.6 * white
            number_p[i, number - 1] = 0.6 if faint else 0.99
            number_p[i, number % 13] += 0.38 if faint else 0.0
        return Readings(
            number_p,
            np.tile(np.array([0.002, 0.002, 0.994, 0.002], np.float32), (count, 1)),
            np.zeros(count, np.bool_),
            np.ones(count, np.float32),
            np.asarray(quads, np.float32),
            np.zeros((count, FEATURES), np.float32),
        )


@dataclass
class Knows:
    """A second reader that says seven; remembers how many crops it was shown each time."""

    asked: list[int] = field(default_factory=list)

    def read(self, crops: Sequence[Image]) -> list[int | None]:
        self.asked.append(len(crops))
        return [7] * len(crops)


@dataclass
class Scene:
    """Eyes over a table, with everything that plays them."""

    finds: Finds = field(default_factory=Finds)
    reads: Reads = field(default_factory=Reads)
    knows: Knows = field(default_factory=Knows)

    @property
    def eyes(self) -> Eyes:
        return Eyes(Manifest({}), self.finds, self.reads, self.knows)

    def lay(self, *tiles: Tile) -> None:
        self.finds.tiles = tiles


def along(observation: Observation) -> list[SeenTile]:
    """The tiles from left to right."""
    return sorted(observation.tiles, key=lambda tile: tile.quad[0][0])


def numbers(observation: Observation) -> list[int | None]:
    return [tile.readings[0].tile.number for tile in along(observation)]


def test_nothing_new_gives_the_former_sight_without_a_look() -> None:
    scene = Scene()
    watcher = Watcher(scene.eyes)
    first = watcher.look(taken(ROW, 1))
    assert numbers(first.observation) == [3, 7, 11, 2, 9]
    for seed, gain in ((2, 1.0), (3, 0.95), (4, 0.85), (5, 1.1)):
        again = watcher.look(taken(ROW, seed, gain))
        assert again.observation is first.observation
        assert list(again.timing_ms) == ["compare"]
    assert (scene.finds.searches, scene.finds.looks, scene.reads.asked) == (1, 0, [5])


def test_only_the_tile_that_changed_is_read_again() -> None:
    scene = Scene()
    watcher = Watcher(scene.eyes)
    watcher.look(taken(ROW, 1))
    for number in (12, 6, 7):
        swapped = (*ROW[:2], replace(ROW[2], number=number), *ROW[3:])
        scene.lay(*swapped)
        sight = watcher.look(taken(swapped, number))
        assert numbers(sight.observation) == [3, 7, number, 2, 9]
        assert scene.reads.asked[-1] == 1
    assert (scene.finds.searches, scene.finds.looks) == (1, 3)


def test_a_slow_fade_does_not_carry_a_swap_away() -> None:
    """Each frame is compared with the last look, not with the frame before."""
    scene = Scene()
    watcher = Watcher(scene.eyes)
    for step in range(40):
        fading = tuple(replace(tile, number=3 if k == 0 else tile.number) for k, tile in enumerate(ROW))
        picture = taken(fading, step, 1 - 0.01 * step, noise=0.5)
        # the blot of the first tile drifts from a 3 to a 5, by less than can be seen from one frame to the next
        picture[208:223, 108:124] = round((3 + 2 * step / 39) * STEP * (1 - 0.01 * step))
        sight = watcher.look(picture)
    assert numbers(sight.observation) == [5, 7, 11, 2, 9]
    assert len(scene.reads.asked) < 20


def test_tiles_laid_moved_and_taken_are_seen_at_once() -> None:
    scene = Scene()
    watcher = Watcher(scene.eyes)
    watcher.look(taken(ROW, 1))
    laid = (*ROW, Tile(13, 600, 400))
    scene.lay(*laid)
    assert numbers(watcher.look(taken(laid, 2)).observation) == [3, 7, 11, 2, 9, 13]
    moved = (*ROW, Tile(13, 640, 400))
    scene.lay(*moved)
    sight = watcher.look(taken(moved, 3))
    assert numbers(sight.observation) == [3, 7, 11, 2, 9, 13]
    assert along(sight.observation)[-1].quad[0] == pytest.approx((640, 400), abs=2)
    scene.lay(*ROW[:4])
    assert numbers(watcher.look(taken(ROW[:4], 4)).observation) == [3, 7, 11, 2]
    assert scene.reads.asked == [5, 1, 1, 0]


def test_two_tiles_that_change_places_are_read_for_themselves() -> None:
    scene = Scene()
    watcher = Watcher(scene.eyes)
    watcher.look(taken(ROW, 1))
    exchanged = (replace(ROW[0], number=7), replace(ROW[1], number=3), *ROW[2:])
    scene.lay(*exchanged)
    assert numbers(watcher.look(taken(exchanged, 2)).observation) == [7, 3, 11, 2, 9]


LONG_ROW = tuple(Tile(number, 100 + 40 * k) for k, number in enumerate((3, 7, 11, 2, 9, 5, 8, 10)))


class FindsOneFromItsSide(Finds):
    """Takes a side of the third tile for its top."""

    def _all(self, scale: float) -> Detections:
        found = super()._all(scale)
        found.quads[2] = np.roll(found.quads[2], 1, axis=0)
        return found


class ReadsWhatIsUpright(Reads):
    """Says one, not surely, of what lies on its side."""

    def read(self, image: Image, quads: NDArray[np.floating]) -> Readings:
        readings = super().read(image, quads)
        up = np.abs(quads[:, 0] - quads[:, 3])
        on_its_side = up[:, 0] > up[:, 1]
        readings.number_p[on_its_side] = 0.7 * np.eye(17)[0] + 0.3 * np.eye(17)[1]
        return readings


def test_a_tile_found_from_its_side_is_read_again_as_fresh_eyes_would() -> None:
    scene = Scene(FindsOneFromItsSide(LONG_ROW), ReadsWhatIsUpright())
    assert numbers(scene.eyes.look(taken(LONG_ROW, 1)).observation) == [3, 7, 11, 2, 9, 5, 8, 10]
    watcher = Watcher(scene.eyes)
    scene.reads.asked.clear()
    table_now = LONG_ROW
    for seed, number in enumerate((3, 12, 6)):
        table_now = (replace(LONG_ROW[0], number=number), *LONG_ROW[1:])
        scene.lay(*table_now)
        seen = numbers(watcher.look(taken(table_now, seed)).observation)
        assert seen == [number, 7, 11, 2, 9, 5, 8, 10]
    # both readings of the third tile are remembered, each as what it is
    assert scene.reads.asked == [8, 1, 1, 0, 1, 0]


def test_what_was_read_twice_in_one_picture_makes_nothing_else_forgotten() -> None:
    finds, reads = Finds(LONG_ROW), Reads()
    reader = RememberingReader(reads)
    picture = taken(LONG_ROW, 1)
    quads = finds.find(picture).quads
    reader.read(picture, quads)
    reader.read(picture, np.roll(quads[2:3], 1, axis=1))
    assert reader.unchanged(taken(LONG_ROW, 2))
    assert not reader.unchanged(taken((replace(LONG_ROW[0], number=12), *LONG_ROW[1:]), 3))


class Lens:
    """Stands for the reader network behind a taught box's lens: says the brightness of each crop, counts the crops."""

    def __init__(self) -> None:
        self.looked_at: list[int] = []

    def run(self, batch: NDArray[Any]) -> list[NDArray[np.float32]]:
        self.looked_at.append(len(batch))
        told = batch.mean(axis=(1, 2, 3))[:, None].astype(np.float32)
        widths = (len(NUMBER_CLASSES), 4, 1, 8, FEATURES)
        return [np.repeat(told, width, axis=1) * np.linspace(0, 1, width, dtype=np.float32) for width in widths]


def taught_head() -> BoxHead:
    """A head that corrects nothing."""
    return BoxHead(
        lens=WHOLE_FACE, kinds=(Joker.REGULAR,), numbers=np.zeros((193, 17)), colours=np.zeros((193, 4)),
        jokers=np.zeros((193, 2)), number_temperature=1.0, colour_temperature=1.0, joker_temperature=1.0,
        mistaken_numbers=np.eye(17), mistaken_colours=np.eye(4), inks=ANY_BOX,
    )  # fmt: skip


def test_through_a_taught_boxs_lens_only_changed_tiles_are_looked_at_again() -> None:
    lens = Lens()
    fresh = BoxReader(lens, taught_head())
    reader = RememberingBoxReader(fresh)
    quads = Finds().find(PICTURE).quads
    first = reader.look(taken(ROW, 1), quads)
    again = reader.look(taken(ROW, 2), quads[::-1])
    np.testing.assert_array_equal(again.numbers, first.numbers[::-1])
    swapped = taken((replace(ROW[0], number=12), *ROW[1:]), 3)
    after = reader.look(swapped, quads)
    assert lens.looked_at == [5, 1]
    np.testing.assert_allclose(after.numbers[0], fresh.look(swapped, quads[:1]).numbers[0])
    np.testing.assert_array_equal(after.colours[1:], first.colours[1:])
    after.numbers[:] = 0  # as a reader does that puts other looks into it
    np.testing.assert_array_equal(reader.look(swapped, quads).numbers[1:], first.numbers[1:])
    reader.look(swapped, quads + 3)
    assert lens.looked_at == [5, 1, 1, 5]
    assert reader.look(swapped, quads[:0]).numbers.shape == (0, 17)


def test_a_watcher_remembers_looks_through_the_lens() -> None:
    scene, lens = Scene(), Lens()
    eyes = Eyes(Manifest({}), scene.finds, scene.reads, None, BoxReader(lens, taught_head()))
    watcher = Watcher(eyes)
    for seed, number in enumerate((3, 12)):
        swapped = (replace(ROW[0], number=number), *ROW[1:])
        scene.lay(*swapped)
        watcher.look(taken(swapped, seed))
    # once as each tile lies and once the other way up; then the changed one
    assert lens.looked_at == [5, 5, 1, 1]


def test_a_camera_that_fills_the_same_array_again_is_not_taken_for_a_still_one() -> None:
    scene = Scene()
    watcher = Watcher(scene.eyes)
    buffer = table(ROW)
    watcher.look(buffer)
    assert watcher.look(buffer).observation is watcher.look(buffer).observation
    swapped = (*ROW[:4], replace(ROW[4], number=4))
    scene.lay(*swapped)
    buffer[:] = table(swapped)
    assert numbers(watcher.look(buffer).observation) == [3, 7, 11, 2, 4]


def test_a_second_opinion_is_asked_for_once_when_the_table_rests() -> None:
    doubtful = (*ROW[:4], Tile(7, 260, faint=True))
    scene = Scene(Finds(doubtful))
    watcher = Watcher(scene.eyes)
    first = along(watcher.look(taken(doubtful, 1)).observation)[4]
    assert first.doubtful
    assert scene.knows.asked == []
    settled = watcher.look(taken(doubtful, 2))
    assert scene.knows.asked == [1]
    assert along(settled.observation)[4].confidence > first.confidence + 0.1
    assert watcher.look(taken(doubtful, 3)).observation is settled.observation
    # another tile is swapped: the opinion on the doubtful one is remembered, even before the table rests
    swapped = (replace(doubtful[0], number=12), *doubtful[1:])
    scene.lay(*swapped)
    after = watcher.look(taken(swapped, 4)).observation
    assert numbers(after) == [12, 7, 11, 2, 7]
    assert along(after)[4].confidence == pytest.approx(along(settled.observation)[4].confidence)
    watcher.look(taken(swapped, 5))
    assert scene.knows.asked == [1]
    # a doubtful tile with another number is another question
    other = (*swapped[:4], replace(swapped[4], number=5))
    scene.lay(*other)
    assert along(watcher.look(taken(other, 6)).observation)[4].doubtful
    watcher.look(taken(other, 7))
    assert scene.knows.asked == [1, 1]


def test_without_a_second_reader_a_doubtful_tile_is_settled_at_once() -> None:
    doubtful = (*ROW[:4], Tile(7, 260, faint=True))
    scene = Scene(Finds(doubtful))
    parts = scene.eyes.parts
    watcher = Watcher(scene.eyes.with_parts(replace(parts, second=None)))
    first = watcher.look(taken(doubtful, 1))
    assert watcher.look(taken(doubtful, 2)).observation is first.observation


def test_a_second_reader_that_hangs_is_waited_for_once() -> None:
    class Hangs(Knows):
        def read(self, crops: Sequence[Image]) -> list[int | None]:
            super().read(crops)
            raise TooSlowError

    doubtful = (*ROW[:4], Tile(7, 260, faint=True))
    scene = Scene(Finds(doubtful), knows=Hangs())
    watcher = Watcher(scene.eyes)
    for seed in range(4):
        sight = watcher.look(taken(doubtful, seed))
    assert scene.knows.asked == [1]
    assert along(sight.observation)[4].doubtful


def test_forgetting_looks_with_fresh_eyes() -> None:
    scene = Scene()
    watcher = Watcher(scene.eyes)
    first = watcher.look(taken(ROW, 1))
    watcher.forget()
    fresh = watcher.look(taken(ROW, 2))
    assert fresh.observation is not first.observation
    assert (scene.finds.searches, scene.reads.asked) == (2, [5, 5])


def test_frames_of_another_size_are_looked_at_afresh() -> None:
    scene = Scene()
    watcher = Watcher(scene.eyes)
    watcher.look(table(ROW))
    assert watcher.look(table(ROW, (600, 800))).observation.height == 600
    assert (scene.finds.searches, scene.reads.asked) == (2, [5, 5])


@pytest.mark.parametrize(
    "frame", [np.zeros((9, 9), np.uint8), np.zeros((9, 9, 3), np.float32), np.zeros((0, 9, 3), np.uint8)]
)
def test_what_is_no_frame_is_refused(frame: NDArray[np.uint8]) -> None:
    with pytest.raises(ValueError, match="a frame is uint8"):
        Watcher(Scene().eyes).look(frame)


def test_an_empty_table_stays_empty_until_a_tile_is_laid() -> None:
    scene = Scene(Finds(()))
    watcher = Watcher(scene.eyes)
    first = watcher.look(taken((), 1))
    assert watcher.look(taken((), 2)).observation is first.observation
    scene.lay(ROW[0])
    assert numbers(watcher.look(taken(ROW[:1], 3)).observation) == [3]


# --- the scale --------------------------------------------------------------------------------------------------

PICTURE = table(ROW)


def tracking(*tiles: Tile) -> tuple[Finds, TrackingFinder]:
    finds = Finds(tiles or ROW)
    tracked = TrackingFinder(finds)
    tracked.find(PICTURE)
    return finds, tracked


def shown(faces: int, backs: int, grown: float) -> Observation:
    """What was seen at a scale: faces and backs that are so many times as high as the tiles of ``ROW``."""
    kinds = [Kind.FACE] * faces + [Kind.BACK] * backs
    width, height = WIDE * grown, TALL * grown
    tiles = []
    for k, kind in enumerate(kinds):
        x = 100.0 * k
        quad = ((x, 0.0), (x + width, 0.0), (x + width, height), (x, height))
        readings = (Reading(parse_tile("R7"), 0.99),) if kind is Kind.FACE else ()
        tiles.append(SeenTile(quad, kind, readings, 0.99, doubtful=False))
    return Observation(PICTURE.shape[1], PICTURE.shape[0], SeenScene.TABLE, tuple(tiles), (), tuple(range(len(tiles))))


def test_a_scale_that_holds_is_kept_for_a_while() -> None:
    finds, tracked = tracking()
    for _ in range(LOOKS_BETWEEN_SEARCHES):
        tracked.find(PICTURE)
    assert (finds.searches, finds.looks) == (1, LOOKS_BETWEEN_SEARCHES)
    assert set(finds.asked_scales) == {0.5}
    tracked.find(PICTURE)
    assert finds.searches == 2


@pytest.mark.parametrize(
    ("later", "searches"),
    [
        (tuple(replace(tile, grown=1.3) for tile in ROW), 2),
        (tuple(replace(tile, grown=0.75) for tile in ROW), 2),
        (tuple(replace(tile, grown=1.1) for tile in ROW), 1),
        (ROW[:3], 2),
        (ROW[:4], 1),
        ((*ROW, Tile(1, 500)), 1),
        ((), 2),
    ],
    ids=["larger", "smaller", "nearly the same", "fewer", "one fewer", "one more", "none"],
)
def test_the_scale_is_searched_for_when_it_may_have_changed(later: tuple[Tile, ...], searches: int) -> None:
    finds, tracked = tracking()
    finds.tiles = later
    assert len(tracked.find(PICTURE)) == len(later)
    assert finds.searches == searches


def test_tiles_of_very_different_sizes_are_searched_for_every_time() -> None:
    finds, tracked = tracking(*ROW, Tile(4, 500, grown=2.0))
    tracked.find(PICTURE)
    assert (finds.searches, finds.looks) == (2, 0)


def test_few_tiles_do_not_tell_the_scale() -> None:
    """A hand taken for one huge tile on a bare table must not hide the tiles that it laid."""
    finds, tracked = tracking(Tile(4, 500, grown=12.0))
    finds.tiles = ROW
    assert len(tracked.find(PICTURE)) == len(ROW)
    assert (finds.searches, finds.looks) == (2, 0)


@pytest.mark.parametrize(
    ("faces", "backs", "grown", "searches"),
    [(0, 5, 1.0, 2), (2, 3, 1.0, 2), (3, 0, 1.0, 1), (5, 0, 1.0, 1), (5, 0, 1.4, 2), (5, 0, 0.6, 2)],
)
def test_a_scale_is_kept_only_where_faces_have_its_size(faces: int, backs: int, grown: float, searches: int) -> None:
    finds, tracked = tracking()
    tracked.believed(shown(faces, backs, grown))
    tracked.find(PICTURE)
    assert finds.searches == searches


def test_nothing_read_where_no_scale_is_known_changes_nothing() -> None:
    finds = Finds(ROW[:1])
    tracked = TrackingFinder(finds)
    tracked.find(PICTURE)
    tracked.believed(shown(5, 0, 1.0))
    tracked.find(PICTURE)
    assert (finds.searches, finds.looks) == (2, 0)


def test_what_the_edge_cuts_does_not_keep_the_scale_from_being_known() -> None:
    """Racks that reach into the picture on two sides are at hand in every game."""
    rim = PICTURE.shape[1] - 8
    finds, tracked = tracking(*ROW, Tile(4, rim, grown=0.4))
    tracked.believed(shown(len(ROW), 0, 1.0))
    tracked.find(PICTURE)
    assert (finds.searches, finds.looks) == (1, 1)


def test_a_frame_of_another_size_has_another_scale() -> None:
    finds, tracked = tracking()
    tracked.find(np.zeros((1080, 1920, 3), np.uint8))
    assert (finds.searches, finds.looks) == (2, 0)
