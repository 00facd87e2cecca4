"""A camera that is moved, or comes back in another size, while a game is on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.observation import Observation, Quad
from tests.web.fakes import FakeEyes, table
from tests.web.live_table import EPOCH, Bench, HandWatch, codes
from vision.frames import CameraFault, Frame
from vision.region import TableRegion
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
