"""Films, folders of stills and pictures that a browser sends, as feeds of frames."""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.net_camera import SIZE, NetCamera, grey, jpeg, level_of, until
from vision import feeds
from vision.camera import LiveCamera
from vision.feeds import FilmFeed, PushedFeed, StillsFeed, collect, looked_at, open_feed, turn_of
from vision.frames import CameraFault, EndOfFrames, Frame, FrameFeed
from vision.mailbox import now
from vision.sources import SourceError

Image = NDArray[np.uint8]


class Clock:
    """A clock that a test sets."""

    def __init__(self, at: float = 1000.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


def film(path: Path, levels: list[int], rate: float = 10) -> Path:
    codec = "MJPG" if path.suffix == ".avi" else "mp4v"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), rate, SIZE)
    assert writer.isOpened()
    for level in levels:
        writer.write(grey(level))
    writer.release()
    return path


def look(feed: FrameFeed, after: float = 0.0) -> tuple[int, float, int, int]:
    """Level, time, number and dropped frames of the next frame."""
    frame = feed.newest(after, 0.0)
    assert frame is not None
    return 10 * round(level_of(frame.image) / 10), round(frame.taken_at, 3), frame.number, frame.dropped


@pytest.mark.parametrize("name", ["game.avi", "game.mp4", "game.mkv", "GAME.MOV"])
def test_a_film_runs_in_its_own_time(name: str, tmp_path: Path) -> None:
    clock = Clock()
    feed = FilmFeed(film(tmp_path / name, [30, 60, 90, 120, 150]), clock=clock)
    assert look(feed) == (30, 1000.0, 1, 0)
    clock.at = 1000.05
    assert feed.newest(1000.0, 0.0) is None
    clock.at = 1000.35
    assert look(feed, 1000.0) == (120, 1000.3, 4, 2)
    clock.at = 1002.0
    assert look(feed, 1000.3) == (150, 1000.4, 5, 0)
    with pytest.raises(EndOfFrames):
        feed.newest(1000.4, 0.0)
    with pytest.raises(EndOfFrames):
        feed.newest(0, 0.0)
    assert (feed.dropped, feed.fault) == (2, None)
    feed.close()


def test_a_film_begins_when_somebody_looks(tmp_path: Path) -> None:
    """Whoever opens it may have to load networks first, and misses nothing of it."""
    clock = Clock()
    feed = FilmFeed(film(tmp_path / "game.avi", [30, 60, 90]), clock=clock)
    clock.at = 1020.0
    assert look(feed) == (30, 1020.0, 1, 0)
    clock.at = 1020.1
    assert look(feed, 1020.0) == (60, 1020.1, 2, 0)
    feed.close()


def test_a_film_is_waited_for_in_real_time(tmp_path: Path) -> None:
    feed = FilmFeed(film(tmp_path / "game.avi", [30, 60, 90], rate=20))
    frames: list[Frame] = []
    with contextlib.suppress(EndOfFrames):
        while (frame := feed.newest(frames[-1].taken_at if frames else 0, 5)) is not None:
            assert frame.taken_at <= now()
            frames.append(frame)
    assert frames
    assert len(frames) + feed.dropped == 3
    feed.close()


def test_a_film_as_fast_as_asked_leaves_nothing_out(tmp_path: Path) -> None:
    clock = Clock()
    feed = FilmFeed(film(tmp_path / "game.avi", [30, 60, 90, 120]), in_own_time=False, clock=clock)
    assert feed.now() == 1000
    assert look(feed) == (30, 1000.0, 1, 0)
    assert look(feed) == (60, 1000.1, 2, 0)
    called_at = feed.now()
    assert look(feed, called_at) == (90, 1000.2, 3, 0)
    assert look(feed, called_at) == (120, 1000.3, 4, 0)
    with pytest.raises(EndOfFrames):
        feed.newest(called_at, 0.0)
    feed.close()


def test_frames_are_collected_from_any_feed(tmp_path: Path, folder: Path) -> None:
    feed = FilmFeed(film(tmp_path / "game.avi", [30, 60, 90]), in_own_time=False)
    assert [frame.number for frame in collect(feed, 2, 5.0)] == [1, 2]
    assert [frame.number for frame in collect(feed, 9, 5.0)] == [3]
    feed.close()
    assert len(collect(StillsFeed(folder), 3, 5.0)) == 3
    pushed = PushedFeed()
    pushed.push_image(grey(9))
    assert len(collect(pushed, 3, 0.02)) == 1
    with NetCamera() as there:
        there.show(grey(90))
        with contextlib.closing(LiveCamera(there.address("/shot.jpg"))) as camera:
            assert [frame.number for frame in collect(camera, 2, 8.0)] == [1, 2]


@pytest.mark.parametrize(("path", "cause"), [("/", "cannot be opened"), ("/nothing", "cannot be opened")])
def test_an_address_without_pictures_is_one_sentence(path: str, cause: str) -> None:
    with NetCamera() as phone, pytest.raises(SourceError, match=cause) as refused:
        looked_at(phone.address(path, "me:secret@"), 2, within_s=0.3)
    assert "secret" not in str(refused.value)
    assert str(refused.value).endswith(".")


def test_files_that_are_no_film(tmp_path: Path) -> None:
    (tmp_path / "text.avi").write_text("no film " * 99)
    for name, cause in (("text.avi", "damaged or no video"), ("none.avi", "does not exist")):
        with pytest.raises(SourceError, match=cause):
            FilmFeed(tmp_path / name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, level in {"turn10.png": 120, "turn2b.png": 90, "turn2a.jpg": 60, "turn1.png": 30}.items():
        assert cv2.imwrite(str(tmp_path / name), grey(level))
    (tmp_path / "notes.txt").write_text("no picture")
    return tmp_path


def test_stills_are_given_again_and_again_until_next(folder: Path) -> None:
    clock = Clock()
    feed = StillsFeed(folder, clock)
    assert (feed.left, feed.turn_ends) == (3, True)
    assert look(feed) == (30, 1000.0, 1, 0)
    clock.at = 1001.0
    assert look(feed, 1000.5) == (30, 1001.0, 2, 0)
    shown, ends = [30], [feed.turn_ends]
    while feed.next() is not None:
        shown.append(look(feed)[0])
        ends.append(feed.turn_ends)
    assert shown == [30, 60, 90, 120]
    assert ends == [True, False, True, True]
    with pytest.raises(EndOfFrames):
        feed.newest(0, 0)
    assert feed.next() is None
    assert feed.dropped == 0


def test_a_still_is_taken_after_the_call_even_if_the_clock_stands(folder: Path) -> None:
    feed = StillsFeed(folder, Clock())
    frame = feed.newest(1000.0, 0)
    assert frame is not None
    assert frame.taken_at > 1000.0


def test_stills_passed_over_are_counted_and_bad_ones_named(folder: Path) -> None:
    feed = StillsFeed(folder)
    feed.next()
    assert feed.dropped == 1
    (folder / "turn2a.jpg").write_text("no picture")
    with pytest.raises(SourceError, match=r"turn2a\.jpg"):
        feed.newest(0, 0)
    feed.next()
    assert look(feed)[0] == 90


def test_a_folder_without_pictures(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="without pictures"):
        StillsFeed(tmp_path)


@pytest.mark.parametrize(("name", "turn"), [("7a", "7"), ("turn07b", "turn07"), ("board", "board"), ("12", "12")])
def test_the_stills_of_one_turn(name: str, turn: str) -> None:
    assert turn_of(Path(name + ".jpg")) == turn


def test_of_pushed_frames_the_newest_is_kept() -> None:
    clock = Clock()
    feed = PushedFeed(clock=clock)
    assert feed.fault is CameraFault.UNPLUGGED
    assert feed.newest(0, 0.0) is None
    for level in (30, 60, 90):
        feed.push(jpeg(grey(level)), age_s=0.25)
    assert feed.fault is None
    assert look(feed) == (90, 999.75, 3, 2)
    feed.push_image(grey(120))
    assert look(feed, 999.9) == (120, 1000.0, 4, 0)
    feed.close()
    with pytest.raises(EndOfFrames):
        feed.newest(0, 0)


def test_a_browser_that_stops_sending_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "SILENT_S", 0.05)
    feed = PushedFeed()
    feed.push_image(grey(9))
    assert until(lambda: feed.fault is CameraFault.UNPLUGGED, within_s=2)


def huge() -> bytes:
    """A small file that claims to hold a picture of 30000 × 30000 pixels."""
    data = bytearray(jpeg(grey(0)))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = (30000).to_bytes(2) + (30000).to_bytes(2)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "cause"), [(b"", "must be"), (b"\xff\xd8\xff", "must be"), (b"GIF89a", "must be"), (huge(), "too large")]
)
def test_what_is_no_frame_is_refused(data: bytes, cause: str) -> None:
    feed = PushedFeed()
    with pytest.raises(ValueError, match=cause):
        feed.push(data)
    with pytest.raises(ValueError, match="seconds old"):
        feed.push(jpeg(grey(0)), age_s=-5)
    with pytest.raises(ValueError, match="uint8"):
        feed.push_image(np.zeros((4, 4), np.uint8))
    assert feed.newest(0, 0) is None


def test_a_pushed_picture_that_breaks_off_is_passed_over() -> None:
    feed = PushedFeed()
    feed.push(jpeg(np.random.default_rng(1).integers(0, 255, (99, 99, 3), np.uint8))[:-4000])
    feed.push(jpeg(grey(60)))
    assert look(feed)[0] == 60


def test_a_name_opens_the_feed_it_means(tmp_path: Path, folder: Path) -> None:
    opened = [open_feed(str(film(tmp_path / "game.avi", [9]))), open_feed(str(folder)), open_feed("96")]
    assert [type(feed) for feed in opened] == [FilmFeed, StillsFeed, LiveCamera]
    for feed in opened:
        feed.close()
    with pytest.raises(SourceError, match="is no camera"):
        open_feed("photo.jpg")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted on Linux alone")
def test_films_are_let_go(tmp_path: Path) -> None:
    path = film(tmp_path / "game.avi", [9, 9])
    counts = []
    for _ in itertools.repeat(None, 6):
        feed = FilmFeed(path)
        assert feed.newest(0, 1) is not None
        feed.close()
        counts.append(len(os.listdir("/proc/self/fd")))  # noqa: PTH208 - counted, not looked at
    assert counts[-1] <= counts[1]
