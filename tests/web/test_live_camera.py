"""A camera that is moved, or comes back in another size, while a game is on."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.observation import Observation, Quad
from tests.vision import filmed
from tests.vision.filmed import Filmed, still
from tests.web.fakes import FakeEyes, table
from tests.web.live_table import EPOCH, Bench, HandWatch, codes
from vision.frames import CameraFault, Frame
from vision.markers import marker
from vision.region import FoundBy, TableRegion
from vision.registration import transformed
from web.live import acts
from web.live.care import STAYS_S, CameraCare
from web.live.keys import Lines
from web.live.notices import NoticeCode
from web.live.play import Play, Table

OPENING = "R9 R10 R11 R12 R13"
DOUBTFUL = "R6/R9 R7 R8 R9 | K9 B9 O9"


def moved(observation: Observation, x: float, y: float) -> Observation:
    """The same table elsewhere in the picture."""
    tiles = tuple(replace(tile, quad=shifted(tile.quad, x, y)) for tile in observation.tiles)
    return replace(observation, tiles=tiles)


def shifted(quad: Quad, x: float, y: float) -> Quad:
    one, two, three, four = ((a + x, b + y) for a, b in quad)
    return one, two, three, four


def test_what_was_answered_is_still_known_after_the_camera_moved() -> None:
    bench = Bench()
    bench.turn(DOUBTFUL)
    question = bench.live.view.questions[0]
    bench.do(acts.AnswerChoice(0, [str(tile) for tile in question.choices].index("R6")))
    bench.live.shift(lambda quad: shifted(quad, 47, 12))
    bench.watch.lay(moved(table(DOUBTFUL), 47, 12))
    bench.frame()
    assert NoticeCode.RULED in codes(bench.call())
    assert (bench.last.how, bench.live.state.table) == ("drew", "R6 R7 R8 R9 | K9 B9 O9")


def test_a_table_at_a_place_nobody_knows_is_found_by_its_sets() -> None:
    bench = Bench()
    bench.turn(f"{OPENING} | K10 B10 O10")
    bench.live.shift(None)
    bench.watch.lay(moved(table(f"{OPENING} | K10 B10 O10"), 300, 100))
    bench.frame()
    bench.call()
    assert (bench.last.how, bench.last.verdict) == ("drew", "legal")


def textured(seed: int, shape: tuple[int, int] = (360, 640)) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A picture full of detail."""
    rng = np.random.default_rng(seed)
    small = rng.integers(30, 220, (shape[0] // 8, shape[1] // 8, 3))
    return np.asarray(np.repeat(np.repeat(small, 8, 0), 8, 1) + rng.integers(0, 12, (*shape, 3)), np.uint8)


@pytest.mark.parametrize("with_region", [False, True])
def test_a_camera_that_comes_back_in_another_size_is_named_and_then_taken_as_it_is(with_region: bool) -> None:
    bench = Bench()
    watches: list[TableRegion | None] = []

    def watch(region: TableRegion | None) -> HandWatch:
        watches.append(region)
        return bench.watch

    region = TableRegion.whole(640, 360) if with_region else None
    care = CameraCare(bench.live, region, watch)
    faults = []
    for number, second in enumerate(np.arange(0, STAYS_S + 2, 0.5), 1):
        shape = (360, 640) if second < 1 else (720, 1280)
        at = EPOCH + float(second)
        faults.append(care.judge(Frame(textured(number, shape), at, number), at))
    assert CameraFault.WRONG_SIZE in faults
    assert CameraFault.WRONG_SIZE is not faults[-1]
    assert len(watches) == 1
    assert (watches[0] is not None) is with_region
    assert watches[0] is None or (watches[0].width, watches[0].height) == (1280, 720)


def test_a_frozen_camera_is_blind() -> None:
    care = CameraCare(Bench().live, None, lambda _: HandWatch())
    picture = textured(1)
    faults = [care.judge(Frame(picture, EPOCH + k * 0.1, k + 1), EPOCH + k * 0.1) for k in range(25)]
    assert faults[-1] is CameraFault.FROZEN


def judged(care: CameraCare, film: Filmed, seconds: float) -> list[CameraFault | None]:
    """What is said of each frame of so many seconds."""
    return [care.judge(frame, frame.taken_at) for frame in film.run(seconds)]


def test_the_region_follows_a_moved_camera() -> None:
    image = still("01_legal_small", 640)
    height, width = image.shape[:2]
    film, bench, watches = Filmed(image, 10), Bench(), list[TableRegion | None]()
    region = TableRegion.from_points([(40, 40), (600, 40), (600, 440), (40, 440)], width, height)

    def watch(moved: TableRegion | None) -> HandWatch:
        watches.append(moved)
        return bench.watch

    care = CameraCare(bench.live, region, watch)
    assert judged(care, film, 0.5) == [None] * 5
    film.image = filmed.shifted(image, 15, -8, 2.0)
    assert CameraFault.MOVED in judged(care, film, 2.0)
    move = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), 2.0, 1.0), [0, 0, 1]])
    move[:2, 2] += (15, -8)
    assert care.region is not None
    assert np.abs(care.region.corners - transformed(region.corners, move)).max() < 1.5
    assert watches == [care.region]
    assert judged(care, film, 1.0) == [None] * 10


def test_a_region_of_markers_follows_them_where_nothing_else_tells() -> None:
    image = np.full((480, 640, 3), 120, np.uint8)
    for k, (x, y) in enumerate([(40, 40), (530, 40), (530, 370), (40, 370)]):
        image[y - 10 : y + 80, x - 10 : x + 80] = 255
        image[y : y + 70, x : x + 70] = marker(k, 70)[..., None]
    film = Filmed(image, 10)
    region = TableRegion.from_points([(40, 40), (599, 40), (599, 439), (40, 439)], 640, 480, FoundBy.MARKERS)
    care = CameraCare(Bench().live, region, lambda _: HandWatch())
    judged(care, film, 0.5)
    film.image = filmed.shifted(image, 12, -9)
    assert CameraFault.MOVED in judged(care, film, 2.0)
    assert care.region is not None
    assert np.abs(care.region.corners - region.corners - (12, -9)).max() < 1.5


def test_a_camera_that_was_moved_between_two_evenings_has_moved() -> None:
    image = still("01_legal_small", 640)
    film = Filmed(image, 10)
    before = CameraCare(Bench().live, None, lambda _: HandWatch())
    judged(before, film, 0.5)
    film.image = filmed.shifted(image, 15, -8)
    after = CameraCare(Bench().live, None, lambda _: HandWatch(), before.known)
    assert CameraFault.MOVED in judged(after, film, 2.0)
    same = CameraCare(Bench().live, None, lambda _: HandWatch(), after.known)
    assert judged(same, film, 2.0) == [None] * 20


def test_a_camera_that_looks_elsewhere_is_taken_as_it_stands_after_a_while() -> None:
    film, watches = Filmed(still("01_legal_small", 640), 10), list[TableRegion | None]()

    def watch(moved: TableRegion | None) -> HandWatch:
        watches.append(moved)
        return HandWatch()

    care = CameraCare(Bench().live, None, watch)
    judged(care, film, 0.5)
    film.image = still("15_lamp_light", 640)[: film.image.shape[0]]
    said = judged(care, film, 2.0)
    assert said[-1] is CameraFault.MOVED
    assert not watches
    assert judged(care, film, STAYS_S)[-1] is None
    assert len(watches) == 1


class Repeating:
    """A camera that froze: the same picture again and again, each said to be taken just now."""

    def __init__(self, frozen: bool) -> None:
        self.name, self.dropped = "camera", 0
        self.fault: CameraFault | None = None
        self._frozen, self._number = frozen, 0

    def newest(self, after: float, timeout_s: float) -> Frame | None:  # noqa: ARG002  it never is late
        self._number += 1
        picture = textured(0 if self._frozen else self._number)
        return Frame(picture, EPOCH + 1000 + self._number / 10, self._number)

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("frozen", [False, True])
def test_a_picture_that_comes_twice_is_no_witness_of_a_call(frozen: bool) -> None:
    """A camera that froze shows the table as it lay before: no ruling rests on it, also before the fault is named."""
    bench = Bench()
    bench.watch.lay(table(OPENING))
    feed = Repeating(frozen)
    care = CameraCare(bench.live, None, lambda _: bench.watch)
    play = Play(Table(bench.live, feed, None, FakeEyes, care), Lines(["end"]), bench.ruleset)
    play.look()
    bench.do(acts.CallTurnEnd())
    for _ in range(3):
        bench.now += 0.2
        play.look()
    assert (bench.live.state.turn == 1) is not frozen
