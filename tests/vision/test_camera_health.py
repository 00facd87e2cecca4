"""Camera faults are seen within two seconds, and are over when they are over; a hand in the picture is none."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.filmed import Effect, Filmed, as_it_is, hand_passes, shifted, still
from vision.camera_health import CameraHealth
from vision.feeds import FilmFeed, collect
from vision.frames import CameraFault

Image = NDArray[np.uint8]
WIDTH = 640
GRANTED_S = 2.0


def scaled(image: Image, factor: NDArray[np.floating] | float) -> Image:
    return np.asarray(np.clip(image * factor, 0, 255), np.uint8)


def dark(image: Image, _t: float) -> Image:
    return scaled(image, 0.01)


def hunting(image: Image, t: float) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.3 + 2.5 * abs(np.sin(3 * t))), np.uint8)


def out_of_focus(image: Image, _t: float) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 2.5), np.uint8)


def lamp_flickers(image: Image, t: float) -> Image:
    return scaled(image, 1 + 0.12 * np.sin(2 * np.pi * 3.3 * t))


def bands_wander(image: Image, t: float) -> Image:
    down = np.arange(image.shape[0]) / image.shape[0]
    return scaled(image, (1 + 0.12 * np.sin(2 * np.pi * (2 * down + 1.7 * t)))[:, None, None])


def exposure_jumps(image: Image, t: float) -> Image:
    return scaled(image, 0.7 if t > 0.2 else 1.0)


def nudged(image: Image, _t: float) -> Image:
    return shifted(image, 6, -3, 0.3)


def bumped(image: Image, _t: float) -> Image:
    return shifted(image, 2.5, 1.5)


def knocked(image: Image, _t: float) -> Image:
    return shifted(image, 60, 30, 7)


def smaller(image: Image, _t: float) -> Image:
    return np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5), np.uint8)


def elsewhere(_image: Image, _t: float) -> Image:
    return still("16_clutter", WIDTH)


def tiles_move(image: Image, t: float) -> Image:
    picture, away = image.copy(), int(50 * min(t, 1.0))
    picture[150:230, 150 + away : 300 + away] = image[150:230, 150:300]
    return picture


def dusk(image: Image, t: float) -> Image:
    return scaled(image, 1 - 0.03 * t)


FAULTS: list[tuple[Effect, CameraFault]] = [
    (dark, CameraFault.BLACK), (hunting, CameraFault.REFOCUSING), (out_of_focus, CameraFault.REFOCUSING),
    (lamp_flickers, CameraFault.FLICKERING), (bands_wander, CameraFault.FLICKERING),
    (exposure_jumps, CameraFault.FLICKERING), (nudged, CameraFault.MOVED), (bumped, CameraFault.MOVED),
    (knocked, CameraFault.MOVED), (elsewhere, CameraFault.MOVED), (smaller, CameraFault.WRONG_SIZE),
]  # fmt: skip


def watched(health: CameraHealth, frames: object) -> list[tuple[float, CameraFault | None]]:
    """What is said of each frame, and when."""
    assert hasattr(frames, "__iter__")
    return [(frame.taken_at, health.look(frame, frame.taken_at + 0.05)) for frame in frames]


@pytest.mark.parametrize(
    ("effect", "fault", "rate"),
    [(*one, 10) for one in FAULTS] + [(*one, 30) for one in FAULTS if one[0] in {lamp_flickers, nudged}],
)
def test_a_fault_is_named_within_two_seconds_and_over_when_it_is_over(
    effect: Effect, fault: CameraFault, rate: int
) -> None:
    film, health = Filmed(still("01_legal_small", WIDTH), rate), CameraHealth()
    assert {said for _, said in watched(health, film.run(1.2))} == {None}
    began = film.t
    during = watched(health, film.run(GRANTED_S, effect))
    first = next(at for at, said in during if said is fault)
    assert first - began <= GRANTED_S
    ended = film.t
    after = watched(health, film.run(GRANTED_S))
    last = max((at for at, said in after if said is not None), default=ended)
    assert last - ended < GRANTED_S
    assert after[-1][1] is None


@pytest.mark.parametrize("name", ["01_legal_small", "07_white_on_white", "06_club_evening"])
@pytest.mark.parametrize("harmless", [hand_passes, tiles_move, dusk, as_it_is])
def test_what_is_no_fault_is_not_named(name: str, harmless: Effect) -> None:
    film, health = Filmed(still(name, WIDTH), 10), CameraHealth()
    seconds = 4 if harmless is hand_passes else 2
    said = watched(health, film.run(1.0)) + watched(health, film.run(seconds, harmless))
    assert [one for one in said if one[1] is not None] == []


@pytest.mark.parametrize("rate", [10, 30])
def test_a_picture_that_stands_still_is_told_by_its_missing_noise(rate: int) -> None:
    film, health = Filmed(still("01_legal_small", WIDTH), rate), CameraHealth()
    watched(health, film.run(1.0))
    began = film.t
    during = watched(health, film.run(GRANTED_S, noisy=False))
    assert next(at for at, said in during if said is CameraFault.FROZEN) - began <= GRANTED_S
    assert watched(health, film.run(0.2))[0][1] is None


def test_a_compressed_picture_of_a_resting_table_is_not_frozen(tmp_path: Path) -> None:
    path = tmp_path / "rest.mp4"
    image = still("01_legal_small", WIDTH)
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 15, (WIDTH, image.shape[0]))
    assert writer.isOpened()
    for frame in Filmed(image, 15, sigma=0.7).run(2.5):
        writer.write(frame.image)
    writer.release()
    feed, health = FilmFeed(path, in_own_time=False), CameraHealth()
    assert {health.look(frame, frame.taken_at) for frame in collect(feed, 99, 60)} == {None}
    feed.close()


def test_two_frames_alike_are_not_yet_frozen() -> None:
    film, health = Filmed(still("01_legal_small", WIDTH), 10), CameraHealth()
    watched(health, film.run(0.5))
    assert {said for _, said in watched(health, film.run(1.0, noisy=False))} == {None}


def test_frames_that_come_late_are_named() -> None:
    film, health = Filmed(still("01_legal_small", WIDTH), 10), CameraHealth()
    watched(health, film.run(0.5))
    late = [health.look(frame, frame.taken_at + 3.0) for frame in film.run(0.5)]
    assert late[1:] == [CameraFault.LATE] * 4
    assert health.look(next(film.run(0.1)), film.t) is None


def test_a_creeping_camera_is_noticed_all_the_same() -> None:
    image = still("01_legal_small", WIDTH)
    film, health = Filmed(image, 5), CameraHealth()
    watched(health, film.run(0.4))
    said = watched(health, film.run(12, lambda picture, t: shifted(picture, 0.5 * t, 0)))
    moved = [at for at, one in said if one is CameraFault.MOVED]
    assert moved
    assert said[-1][1] is CameraFault.MOVED


def test_tiles_that_change_one_by_one_do_not_move_the_camera() -> None:
    """What was learned at the start is gone in the end, but each step leaves enough of the step before."""
    film, health = Filmed(still("16_clutter", WIDTH), 5), CameraHealth()
    other = shifted(still("01_legal_small", WIDTH), 0, 0)
    columns = np.linspace(0, WIDTH, 9).astype(int)
    watched(health, film.run(0.6))
    for k in range(1, 9):
        picture = film.image.copy()
        picture[:, : columns[k]] = other[:, : columns[k]]
        said = watched(health, film.run(1.0, lambda _image, _t, now=picture: now))  # type: ignore[misc]
        assert {one for _, one in said} <= {None, CameraFault.FLICKERING}


def test_what_covers_half_of_the_table_is_no_lens_out_of_focus() -> None:
    def covered(image: Image, _t: float) -> Image:
        picture = image.copy()
        picture[:, : WIDTH // 2] = (60, 50, 90)
        return picture

    film, health = Filmed(still("15_lamp_light", WIDTH), 10), CameraHealth()
    watched(health, film.run(0.8))
    assert CameraFault.REFOCUSING not in {said for _, said in watched(health, film.run(1.5, covered))}


def test_a_frame_that_comes_twice_is_judged_once() -> None:
    film, health = Filmed(still("01_legal_small", WIDTH), 10), CameraHealth()
    frame = next(film.run(0.1))
    assert [health.look(frame, frame.taken_at + age) for age in (0, 1, 2, 3, 4)] == [None] * 5
