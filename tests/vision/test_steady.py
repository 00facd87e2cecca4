"""Still or not, and one reading of what is still: with networks played by hand, and pictures of hands and shadows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.test_watch import ROW, TALL, WIDE, Finds, Scene, Tile, numbers, table
from vision.frames import Frame
from vision.look import Eyes, NumeralReader
from vision.model_store import Manifest
from vision.steady import REST_S, THING_S, LiveSight, Stage, TableWatch

Image = NDArray[np.uint8]
LONG = tuple(Tile(number, 100 + 40 * k) for k, number in enumerate((3, 7, 11, 2, 9, 4, 12, 6)))
SKIN, SLEEVE = (120, 150, 205), (140, 60, 40)


def bare(*tiles: Tile) -> Image:
    """A table with a grain, so that there is something to tell light from movement by."""
    picture = table(tiles or LONG).astype(np.float32)
    grain = np.random.default_rng(5).normal(0, 14, (90, 160)).astype(np.float32)
    grain = np.asarray(cv2.resize(grain, (picture.shape[1], picture.shape[0]), interpolation=cv2.INTER_CUBIC))
    on_table = (table(tiles or LONG) == (60, 95, 130)).all(axis=2)
    picture[on_table] += grain[on_table][:, None]
    for k, tile in enumerate(tiles or LONG):  # no two bodies are quite alike, as they are where a computer draws them
        picture[tile.y : tile.y + TALL, tile.x : tile.x + WIDE] *= 1 - 0.02 * (k * 7 % 5)
    return np.clip(picture, 0, 255).astype(np.uint8)


def with_hand(picture: Image, x: int, y: int = 320) -> Image:
    """An arm from the lower rim with a hand at (x, y)."""
    shown = picture.copy()
    cv2.line(shown, (x + 60, 600), (x, y + 70), SLEEVE, 70, cv2.LINE_AA)
    cv2.line(shown, (x, y + 70), (x, y), SKIN, 50, cv2.LINE_AA)
    for k in (-18, 0, 18):
        cv2.line(shown, (x + k, y), (x + k, y - 40), SKIN, 14, cv2.LINE_AA)
    return shown


def with_cup(picture: Image) -> Image:
    shown = picture.copy()
    cv2.circle(shown, (700, 300), 60, (30, 40, 200), -1, cv2.LINE_AA)
    return shown


def in_shadow(picture: Image, x: int) -> Image:
    shade = np.ones(picture.shape[:2], np.float32)
    cv2.circle(shade, (x, 220), 160, 0.6, -1)
    return (picture * cv2.GaussianBlur(shade, (0, 0), 20)[..., None]).astype(np.uint8)


@dataclass
class Camera:
    """Takes frames of whatever the table shows, ten a second."""

    watch: TableWatch
    scene: Scene
    noise: float = 1.5
    time: float = 1000.0
    number: int = field(default=0)

    def see(self, picture: Image, gain: float = 1.0, after: float = 0.1) -> LiveSight:
        self.number += 1
        self.time += after
        grain = self.noise * np.random.default_rng(self.number).standard_normal(picture.shape)
        image = np.clip(np.round(picture * gain + grain), 0, 255).astype(np.uint8)
        return self.watch.look(Frame(image, self.time, self.number))

    def stages(self, picture: Image, frames: int) -> list[str]:
        return [f"{sight.stage}{sight.why and ':' + sight.why}" for sight in (self.see(picture) for _ in range(frames))]

    def until_still(self, picture: Image, frames: int = 8) -> LiveSight:
        for _ in range(frames):
            sight = self.see(picture)
            if sight.stage is Stage.STILL:
                return sight
        raise AssertionError(f"not still after {frames} frames: {sight.stage} {sight.why}")


def eyes(scene: Scene, second: NumeralReader | None = None) -> Eyes:
    """Grey blots have no ink, so black is never quite sure."""
    return Eyes(Manifest({}, {"doubtful_below": 0.52}), scene.finds, scene.reads, second or scene.knows)


def camera(*tiles: Tile, noise: float = 1.5, still_frames: int = 3, second: NumeralReader | None = None) -> Camera:
    scene = Scene(Finds(tiles or LONG))
    return Camera(TableWatch(eyes(scene, second), still_frames=still_frames), scene, noise)


def test_a_table_comes_to_rest_and_is_then_read_once() -> None:
    club = camera()
    assert club.stages(bare(), 4) == ["wait:moving", "settling", "still", "still"]
    first = club.see(bare())
    looks = club.scene.finds.looks + club.scene.finds.searches
    for _ in range(20):
        again = club.see(bare())
        assert (again.stage, again.observation is first.observation) == (Stage.STILL, True)
    assert club.scene.finds.looks + club.scene.finds.searches == looks
    assert first.observation is not None
    assert numbers(first.observation) == [3, 7, 11, 2, 9, 4, 12, 6]
    assert first.looks == 2
    assert first.still_since == pytest.approx(1000.1)
    assert first.frame.taken_at > 1000.2


def test_a_hand_that_moves_and_one_that_rests_are_waited_for() -> None:
    club = camera()
    club.until_still(bare())
    for x in (500, 440, 380, 320):
        sight = club.see(with_hand(bare(), x))
        assert (sight.stage, sight.why, sight.observation, sight.still_since) == (Stage.WAIT, "hand", None, None)
    # a pause in mid-move, for twenty seconds
    rests = with_hand(bare(), 320)
    assert {club.see(rests, after=2.0).why for _ in range(10)} == {"hand"}
    assert club.stages(bare(), 4)[0] == "wait:moving"
    assert club.until_still(bare()).observation is not None


def test_a_hand_in_a_sleeve_of_the_colour_of_the_table() -> None:
    club = camera()
    club.until_still(bare())
    shown = bare()
    cv2.circle(shown, (600, 350), 45, SKIN, -1, cv2.LINE_AA)
    assert set(club.stages(shown, 8)) <= {"wait:moving", "wait:hand"}


def test_what_rests_for_long_becomes_a_part_of_the_table() -> None:
    club = camera()
    club.until_still(bare())
    club.stages(with_cup(bare()), 3)
    assert club.see(with_cup(bare()), after=THING_S).stage is not Stage.WAIT
    assert club.until_still(with_cup(bare())).observation is not None
    # and is no hand when it is taken away
    assert set(club.stages(bare(), 3)) == {"wait:moving", "settling", "still"}
    # something that reaches in from the rim rests longer before it is no hand
    club.stages(with_hand(bare(), 320), 3)
    assert club.see(with_hand(bare(), 320), after=THING_S).why == "hand"
    assert club.see(with_hand(bare(), 320), after=REST_S).stage is not Stage.WAIT


def test_a_hand_that_was_there_from_the_first_is_no_hand_when_it_goes() -> None:
    club = camera()
    club.until_still(with_hand(bare(), 320))
    assert club.stages(bare(), 3) == ["wait:moving", "settling", "still"]


def test_a_pad_that_is_laid_at_the_rim_is_known_again_from_turn_to_turn() -> None:
    club = camera()
    club.until_still(bare())
    pad = bare()
    cv2.rectangle(pad, (60, 380), (260, 620), (235, 235, 235), -1)
    said = set()
    began = club.time
    while club.time < began + REST_S - 10:  # no rest is long: every few seconds somebody moves
        said |= {club.see(pad, after=1.0).why for _ in range(6)}
        club.stages(with_hand(pad, 600), 2)
    assert said <= {"hand", "moving"}
    club.see(pad, after=10.0)
    for _ in range(3):
        assert club.until_still(pad, 8).observation is not None
        assert club.see(with_hand(pad, 600)).why == "hand"


def test_a_quick_hand_between_two_frames_leaves_another_tile() -> None:
    club = camera()
    club.until_still(bare())
    swapped = (replace(LONG[0], number=8), *LONG[1:])
    club.scene.lay(*swapped)
    sight = club.until_still(bare(*swapped))
    assert sight.observation is not None
    assert numbers(sight.observation) == [8, 7, 11, 2, 9, 4, 12, 6]


def test_tiles_laid_at_the_rim_are_no_hand() -> None:
    club = camera()
    club.until_still(bare())
    laid = (*LONG, *(Tile(n, 300 + 40 * n, 490) for n in range(1, 10)))
    club.scene.lay(*laid)
    sight = club.until_still(bare(*laid))
    assert sight.observation is not None
    assert len(sight.observation.tiles) == 17


def test_a_rack_that_is_pushed_at_the_rim_is_no_hand() -> None:
    club = camera()
    club.until_still(bare())
    shown = bare()
    shown[500:, 300:700] = (40, 70, 90)
    shown[505:, 310:690] = (200, 215, 220)
    assert club.stages(shown, 3)[1:] == ["settling", "still"]


def test_light_that_jumps_is_no_movement_and_heals() -> None:
    club = camera()
    first = club.until_still(bare())
    for gain in (0.85, 0.7, 0.7):
        assert club.see(bare(), gain).why in {"", "light"}
    for x in (100, 200, 300):
        assert club.see(in_shadow(bare(), x)).why == "light"
    healed = club.until_still(in_shadow(bare(), 300))
    assert healed.observation is not None
    assert first.observation is not None
    assert numbers(healed.observation) == numbers(first.observation)


def test_a_lamp_that_goes_out_is_no_empty_table() -> None:
    club = camera()
    club.until_still(bare())
    club.scene.lay()
    dark = [club.see(bare(), 0.05) for _ in range(5)]
    assert {(sight.stage, sight.why) for sight in dark} == {(Stage.WAIT, "light")}
    club.scene.lay(*LONG)
    assert club.until_still(bare()).observation is not None


def under_a_lamp(picture: Image) -> Image:
    """A lamp with the hard shadow of its arm, which comes in from the rim."""
    shade = np.ones(picture.shape[:2], np.float32)
    cv2.fillConvexPoly(shade, np.array([(560, 600), (700, 420), (830, 600)]), 0.5, cv2.LINE_AA)
    return np.asarray(np.clip(picture * 1.5 * shade[..., None], 0, 255), np.uint8)


def test_the_shadow_of_a_lamp_that_comes_on_again_is_no_hand() -> None:
    club = camera()
    club.until_still(under_a_lamp(bare()))
    for _ in range(5):  # others move meanwhile, in the light of the day
        club.until_still(bare())
        club.see(with_hand(bare(), 400))
    club.until_still(bare())
    club.until_still(under_a_lamp(bare()))
    hand = under_a_lamp(with_hand(bare(), 500))
    assert {*club.stages(hand, 9)[1:]} == {"wait:hand"}


def test_a_hand_is_seen_though_the_table_was_bare_in_another_light() -> None:
    """A lamp at one side makes everything differ from daylight, so that a hand hardly differs more."""
    lamp = np.linspace(1.7, 1.05, bare().shape[1], dtype=np.float32)[:, None]

    def lit(picture: Image) -> Image:
        return np.asarray(np.clip(picture * lamp, 0, 255), np.uint8)

    club = camera()
    club.until_still(bare())
    club.until_still(lit(bare()))
    assert {*club.stages(lit(with_hand(bare(), 500)), 9)[1:]} == {"wait:hand"}


def test_a_nudged_camera_is_named_and_waited_for() -> None:
    club = camera()
    club.until_still(bare())
    nudged = np.roll(bare(), (9, 14), axis=(0, 1))
    assert club.see(nudged).why == "camera"
    club.scene.lay(*(replace(tile, x=tile.x + 14, y=tile.y + 9) for tile in LONG))
    assert club.until_still(nudged).observation is not None


def test_a_slow_drift_of_a_tile_adds_up_until_it_shows() -> None:
    club = camera()
    club.until_still(bare())
    stages = []
    for step in range(0, 40, 2):
        drifting = (*LONG[:-1], replace(LONG[-1], x=LONG[-1].x + step))
        club.scene.lay(*drifting)
        stages.append(club.see(bare(*drifting)).stage)
    assert stages.count(Stage.WAIT) >= 3


def test_a_noisy_camera_comes_to_rest_too() -> None:
    club = camera(noise=22.0)
    sight = club.until_still(bare(), 12)
    assert sight.observation is not None
    assert len(sight.observation.tiles) == 8


@pytest.mark.parametrize("every", [1, 5])
def test_a_table_that_goes_on_contradicting_itself_comes_to_rest_in_doubt(every: int) -> None:
    """A tile that is found in one look and not in the next, again and again, while nothing moves."""
    club = camera()
    light, dark = bare(), bare()
    foot = slice(LONG[0].y + 40, LONG[0].y + 44), slice(LONG[0].x + 4, LONG[0].x + 28)
    dark[foot] -= 18  # less than what moves, and enough to be looked at again
    sights = [club.until_still(light)]
    for k in range(40):
        gone = k // every % 2
        club.scene.lay(*LONG[: len(LONG) - gone])
        sights.append(club.see((light, dark)[gone]))
    assert Stage.WAIT not in {sight.stage for sight in sights}
    assert max(sight.looks for sight in sights) <= 10
    settling = [k for k, sight in enumerate(sights) if sight.stage is Stage.SETTLING]
    assert len(settling) <= 15
    assert {sight.stage for sight in sights[30:]} == {Stage.STILL}
    for sight in sights[30:]:
        assert sight.observation is not None
        doubted = [seen.readings[0].tile.number for seen in sight.observation.tiles if seen.doubtful]
        assert len(sight.observation.tiles) == len(LONG)
        assert LONG[-1].number in doubted
        assert len(doubted) < len(LONG)


def test_doubtful_tiles_are_looked_at_more_often() -> None:
    club = camera(*LONG[:-1], Tile(6, LONG[-1].x, faint=True), second=NothingToSay())
    sight = club.until_still(bare(*LONG[:-1], Tile(6, LONG[-1].x, faint=True)), 12)
    assert sight.looks == 4
    assert sight.observation is not None
    assert [seen.doubtful for seen in sight.observation.tiles].count(True) == 1


def test_stills_are_each_a_still_table() -> None:
    club = camera(still_frames=1)
    first, second = club.see(bare()), club.see(bare(*ROW))
    assert [first.stage, second.stage] == [Stage.STILL, Stage.STILL]
    assert first.looks == 1


def test_a_still_that_comes_once_has_the_second_readers_opinion() -> None:
    doubtful = (*ROW[:4], Tile(7, 260, faint=True))
    scene = Scene(Finds(doubtful))
    club = Camera(TableWatch(scene.eyes, still_frames=1), scene)
    assert club.see(bare(*doubtful)).stage is Stage.STILL
    assert scene.knows.asked == [1]


def test_only_the_region_counts() -> None:
    @dataclass(frozen=True)
    class Region:
        corners: NDArray[np.float32]

    scene = Scene(Finds((*LONG, Tile(13, 850, 450))))
    region = Region(np.array([(60, 150), (620, 150), (620, 300), (60, 300)], np.float32))
    club = Camera(TableWatch(eyes(scene), region), scene)
    picture = bare(*LONG, Tile(13, 850, 450))
    sight = club.until_still(picture)
    assert sight.observation is not None
    assert numbers(sight.observation) == [3, 7, 11, 2, 9, 4, 12, 6]
    # a hand outside is nothing
    cv2.circle(picture, (800, 100), 60, SKIN, -1)
    assert club.see(picture).stage is Stage.STILL


def test_another_size_of_frames_begins_anew() -> None:
    club = camera()
    club.until_still(bare())
    small = np.asarray(cv2.copyMakeBorder(bare(), 0, 60, 0, 0, cv2.BORDER_REPLICATE), np.uint8)
    assert club.see(small).stage is Stage.WAIT
    assert club.until_still(small).observation is not None


@dataclass
class NothingToSay:
    """A second reader without an opinion."""

    def read(self, crops: Sequence[Image]) -> list[int | None]:
        return [None] * len(crops)
