"""Cameras that are watched for hours: the newest frame alone, honest times, and back again after every trouble."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.net_camera import SIZE, NetCamera, grey, level_of, until
from tests.vision.rtsp_camera import RtspCamera
from vision import camera as camera_module
from vision.camera import LiveCamera, pauses
from vision.frames import CameraFault, EndOfFrames, Frame
from vision.grabbers import Grab, Grabber, Size
from vision.mailbox import now
from vision.sources import SourceError
from vision.stream_times import StreamTimes

Image = NDArray[np.uint8]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that a test can wait for."""
    monkeypatch.setattr(camera_module, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(camera_module, "LONGEST_PAUSE_S", 0.1)


@contextmanager
def live(name: str, **options: object) -> Iterator[LiveCamera]:
    """An open camera, closed at the end."""
    camera = LiveCamera(name, delay_s=0.0, **options)  # type: ignore[arg-type]
    try:
        yield camera
    finally:
        camera.close()


def arrived(camera: LiveCamera, count: int) -> bool:
    """Wait until so many frames have come."""
    box = camera._box
    with box._changed:
        return box._changed.wait_for(lambda: box.arrived >= count, 8)


def frame_of(camera: LiveCamera, after: float = 0.0) -> Frame:
    frame = camera.newest(after, 8.0)
    assert frame is not None
    return frame


def test_only_the_newest_frame_counts_and_the_others_are_counted() -> None:
    with NetCamera() as there, live(there.address()) as camera:
        assert until(lambda: there.viewers == 1)
        for level in (20, 40, 60, 80, 100):
            there.show(grey(level))
        assert arrived(camera, 5)
        frame = frame_of(camera)
        assert (level_of(frame.image), frame.number, frame.dropped, camera.dropped) == (100, 5, 4, 4)
        assert frame.image.shape == (SIZE[1], SIZE[0], 3)
        assert camera.newest(frame.taken_at, 0.0) is None
        there.show(grey(120))
        following = frame_of(camera, frame.taken_at)
        assert (level_of(following.image), following.number, following.dropped) == (120, 6, 0)
        assert camera.fault is None


def test_a_ruling_gets_a_frame_taken_after_the_call() -> None:
    with NetCamera() as there, live(there.address()) as camera:
        assert until(lambda: there.viewers == 1)
        there.show(grey(50))
        assert arrived(camera, 1)
        called_at = now()
        assert camera.newest(called_at, 0.05) is None
        there.show(grey(90))
        frame = frame_of(camera, called_at)
        assert level_of(frame.image) == 90
        assert called_at < frame.taken_at <= now()


def test_what_a_network_camera_gives_was_taken_before_it_arrived() -> None:
    with NetCamera() as there:
        camera = LiveCamera(there.address())
        assert until(lambda: there.viewers == 1)
        there.show(grey(50))
        assert arrived(camera, 1)
        assert frame_of(camera).taken_at <= now() - camera_module.NETWORK_DELAY_S
        camera.close()


@pytest.mark.parametrize(
    ("with_length", "boundary"), [(True, "frame"), (False, "frame"), (True, "--myboundary"), (False, "")]
)
def test_streams_differ_in_their_manners(with_length: bool, boundary: str) -> None:
    with NetCamera(with_length, boundary=boundary) as there, live(there.address()) as camera:
        assert until(lambda: there.viewers == 1)
        noise = np.random.default_rng(3).integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
        for image in (grey(50), noise, grey(120)):
            there.show(image)
        assert arrived(camera, 3)
        assert level_of(frame_of(camera).image) == 120


def test_a_damaged_picture_is_passed_over() -> None:
    with NetCamera() as there, live(there.address()) as camera:
        assert until(lambda: there.viewers == 1)
        there.show(grey(0), data=b"\xff\xd8\xff no picture \xff\xd9")
        assert arrived(camera, 1)
        assert camera.newest(0, 0.02) is None
        there.show(grey(70))
        frame = frame_of(camera)
        assert (level_of(frame.image), camera.dropped) == (70, 1)


def test_a_camera_that_dies_is_named_and_comes_back_by_itself() -> None:
    with NetCamera() as there, live(there.address()) as camera:
        assert until(lambda: there.viewers == 1)
        there.show(grey(40))
        before = frame_of(camera)
        there.go()
        assert until(lambda: camera.fault is CameraFault.UNPLUGGED, within_s=2)
        assert until(lambda: "cannot be opened" in str(camera.why))
        assert camera.newest(before.taken_at, 0.0) is None
        there.come()
        assert until(lambda: there.viewers == 1)
        there.show(grey(80))
        after = frame_of(camera, before.taken_at)
        assert (level_of(after.image), after.number, camera.fault, camera.why) == (80, 2, None, None)
        assert camera.connections == 2


def test_a_stream_that_ends_is_opened_again() -> None:
    with NetCamera() as there, live(there.address()) as camera:
        for turn in (1, 2, 3):
            assert until(lambda: there.viewers == 1)
            there.show(grey(40 * turn))
            assert arrived(camera, turn)
            assert level_of(frame_of(camera).image) == 40 * turn
            there.hang_up()
            assert until(lambda: camera.fault is CameraFault.UNPLUGGED)
        assert camera.connections == 3


def test_a_camera_that_falls_silent_is_named_within_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert camera_module.SILENT_S < 2
    monkeypatch.setattr(camera_module, "SILENT_S", 0.2)
    with NetCamera() as there, live(there.address()) as camera:
        assert until(lambda: there.viewers == 1)
        there.show(grey(40))
        assert frame_of(camera).number == 1
        assert camera.fault is None
        assert until(lambda: camera.fault is CameraFault.UNPLUGGED, within_s=2)
        there.show(grey(60))
        assert arrived(camera, 2)
        assert camera.fault is None


def test_a_camera_that_is_not_there_yet_is_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    there = NetCamera()
    there.port = port
    with live(there.address()) as camera:
        assert until(lambda: camera.fault is CameraFault.UNPLUGGED)
        assert f"http://127.0.0.1:{port}/video cannot be opened: it is not there" in str(camera.why)
        with there:
            assert until(lambda: there.viewers == 1)
            there.show(grey(90))
            assert level_of(frame_of(camera).image) == 90


def test_a_picture_that_must_be_asked_for_is_asked_for_again_and_again() -> None:
    with NetCamera() as there:
        there.show(grey(30))
        with live(there.address("/shot.jpg")) as camera:
            first = frame_of(camera)
            assert level_of(first.image) == 30
            there.show(grey(60))
            shown_at = now()
            second = frame_of(camera, shown_at)
            assert level_of(second.image) == 60
            assert shown_at < second.taken_at  # dated by when it was asked for
        assert set(there.asked) == {"/shot.jpg"}


def test_a_polled_camera_dies_and_comes_back() -> None:
    with NetCamera() as there:
        there.show(grey(30))
        with live(there.address("/shot.jpg")) as camera:
            assert level_of(frame_of(camera).image) == 30
            there.go()
            assert until(lambda: camera.fault is CameraFault.UNPLUGGED)
            there.show(grey(90))
            there.come()
            assert level_of(frame_of(camera, now()).image) == 90
            assert camera.fault is None


def test_a_login_is_used_and_never_printed() -> None:
    with NetCamera(login="anna:se/cret") as there, live(there.address(login="anna:se%2Fcret@")) as camera:
        assert until(lambda: there.viewers == 1)
        there.show(grey(90))
        assert level_of(frame_of(camera).image) == 90
        assert camera.name == there.address()


def test_an_address_that_sends_elsewhere_is_followed() -> None:
    with NetCamera() as there, live(there.address("/moved")) as camera:
        assert until(lambda: there.viewers == 1)
        there.show(grey(90))
        assert level_of(frame_of(camera).image) == 90


@pytest.mark.parametrize(("path", "cause"), [("/", "it is a web page"), ("/none", "the camera answers 404")])
def test_an_address_that_is_no_camera_is_named(path: str, cause: str) -> None:
    with NetCamera() as there, live(there.address(path)) as camera:
        assert until(lambda: cause in str(camera.why))
        assert camera.fault is CameraFault.UNPLUGGED


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted, not looked at


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted on Linux alone")
def test_nothing_is_left_behind() -> None:
    def watch_twice() -> None:
        for path in ("/video", "/shot.jpg"):
            with live(there.address(path)) as camera:
                if path == "/video":
                    assert until(lambda: there.viewers == 1)
                there.show(grey(50))
                assert arrived(camera, 1)
                assert frame_of(camera).number == 1
                there.hang_up()
                there.show(grey(50))
                assert until(lambda: camera.connections >= 2 or there.viewers == 1)

    before = threading.active_count()
    with NetCamera() as there:
        watch_twice()
        there.hang_up()
        assert until(lambda: threading.active_count() <= before + 1)
        threads, files = threading.active_count(), open_files()
        for _ in range(5):
            watch_twice()
        there.hang_up()
        assert until(lambda: threading.active_count() <= threads)
        assert until(lambda: open_files() <= files)


def test_closing_wakes_whoever_waits() -> None:
    with NetCamera() as there:
        camera = LiveCamera(there.address())
        ended = threading.Event()

        def wait() -> None:
            with pytest.raises(EndOfFrames):
                camera.newest(0, 30)
            ended.set()

        waiter = threading.Thread(target=wait, daemon=True)
        waiter.start()
        camera.close()
        assert ended.wait(5)
        waiter.join()
        with pytest.raises(EndOfFrames):
            camera.newest(0, 0)


class Driver:
    """A webcam's driver at the edge of our code: says what it was asked for, and has its moods."""

    def __init__(self, gives: Size = SIZE, refuses: Size | None = None, hangs: int = 0) -> None:
        self.gives, self.refuses, self.hangs = gives, refuses, hangs
        self.asked: list[Size | None] = []
        self.released = 0
        self.wake = threading.Event()

    def __call__(self, _name: str, size: Size | None) -> Grabber:
        self.asked.append(size)
        return Opened(self, works=size is None or size != self.refuses, hangs=len(self.asked) <= self.hangs)


class Opened:
    """What the driver gives when it is opened."""

    def __init__(self, driver: Driver, works: bool, hangs: bool) -> None:
        self.driver, self.works, self.hangs = driver, works, hangs
        self.pace = threading.Event()

    def grab(self) -> Grab | None:
        if self.hangs:
            self.driver.wake.wait(30)
            return None
        if not self.works:
            return None
        self.pace.wait(0.002)
        return Grab(lambda: grey(80, self.driver.gives))

    def interrupt(self) -> None:
        """A driver is not to be woken."""

    def release(self) -> None:
        self.driver.released += 1


def test_a_driver_that_gives_another_size_is_taken_as_it_is_and_said() -> None:
    driver = Driver(gives=(64, 48))
    with live("0", asked=(1920, 1080), opened_by=driver) as camera:
        assert frame_of(camera).number >= 1
        assert (camera.asked, camera.got, camera.refused) == ((1920, 1080), (64, 48), True)
        assert driver.asked == [(1920, 1080)]


def test_a_driver_that_gives_nothing_in_the_size_asked_for_is_asked_for_none_and_does_not_loop() -> None:
    driver = Driver(refuses=(1920, 1080))
    with live("0", asked=(1920, 1080), opened_by=driver) as camera:
        assert frame_of(camera).number >= 1
        assert driver.asked == [(1920, 1080), (1920, 1080), None]
        assert camera.refused
        assert camera.fault is None
    assert driver.released == 3


def test_a_size_that_was_got_is_not_refused() -> None:
    with live("0", asked=SIZE, opened_by=Driver()) as camera:
        assert frame_of(camera).number >= 1
        assert not camera.refused


def test_a_driver_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera_module, "HANG_S", 0.1)
    driver = Driver(hangs=1)
    camera = LiveCamera("0", opened_by=driver)
    hanging = camera._reader
    assert until(lambda: camera.newest(0, 0.02) is not None)
    assert len(driver.asked) == 2
    assert hanging.is_alive()
    driver.wake.set()
    hanging.join(5)
    assert not hanging.is_alive()  # and lets its driver go when it comes back
    camera.close()
    assert driver.released == 2


def test_a_driver_that_always_hangs_does_not_eat_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera_module, "HANG_S", 0.03)
    driver = Driver(hangs=1000)
    camera = LiveCamera("0", opened_by=driver)
    assert until(lambda: camera.newest(0, 0.02) is None and len(driver.asked) == 3)
    for _ in range(10):
        assert camera.newest(0, 0.02) is None
    assert len(driver.asked) == 3
    assert camera.fault is CameraFault.UNPLUGGED
    assert "hangs" in str(camera.why)
    driver.wake.set()
    camera.close()


def test_a_stream_that_falls_far_behind_is_opened_anew() -> None:
    ticks = itertools.count(1000, 3)

    class Slow(Opened):
        """A stream whose own clock says that hardly any time went by."""

        seconds = 1.0

        def grab(self) -> Grab | None:
            self.pace.wait(0.005)
            self.seconds += 0.01
            return Grab(lambda: grey(80), self.seconds)

    driver = Driver()
    slow = Slow(driver, works=True, hangs=False)
    with live("rtsp://there/1", opened_by=lambda *_: slow, clock=lambda: next(ticks)) as c:
        assert until(lambda: c.connections >= 3)
        assert c.dropped >= 4 * 2
        assert frame_of(c).image.shape == (SIZE[1], SIZE[0], 3)
    assert driver.released == c.connections


def test_a_webcam_that_is_not_there_is_named() -> None:
    with live("97") as camera:
        assert until(lambda: str(camera.why).startswith("camera 97 cannot be opened"))


def test_pauses_grow_to_a_limit() -> None:
    assert list(itertools.islice(pauses(), 5)) == [0.02, 0.04, 0.08, 0.1, 0.1]


def test_an_opener_may_fail_and_is_tried_again() -> None:
    tries: list[int] = []

    def opened(name: str, size: Size | None) -> Grabber:
        tries.append(1)
        if len(tries) < 3:
            raise SourceError(f"{name} cannot be opened.")
        return Driver()(name, size)

    with live("0", opened_by=opened) as camera:
        assert frame_of(camera).number >= 1
        assert len(tries) == 3


def test_frames_that_wait_in_a_buffer_are_dated_by_the_cameras_own_clock() -> None:
    times = StreamTimes(least_s=0.2)
    assert times.taken_at(1000.0, 5.0) == pytest.approx(999.8)
    assert times.taken_at(1003.0, 6.0) == pytest.approx(1000.8, abs=0.01)  # came two seconds late
    assert times.lag(1003.0, times.taken_at(1003.0, 6.001)) == pytest.approx(2, abs=0.01)
    assert times.taken_at(1003.1, 8.0) == pytest.approx(1002.8, abs=0.01)
    assert times.taken_at(1008.5, 14.0) == pytest.approx(1008.3, abs=0.01)  # faster than any before: the measure now
    assert times.taken_at(1010.0, 1.0) == pytest.approx(1009.8)  # its clock began anew
    assert times.taken_at(1010.0, None) == pytest.approx(1009.8)


def transport_stream(path: Path) -> bytes:
    """A film of forty frames of one level."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 25, SIZE)
    assert writer.isOpened()
    for _ in range(40):
        writer.write(grey(100))
    writer.release()
    return path.read_bytes()


def test_an_rtsp_camera_dies_and_comes_back(tmp_path: Path) -> None:
    with RtspCamera(transport_stream(tmp_path / "stream.ts")) as there, live(there.address) as camera:
        first = frame_of(camera)
        assert level_of(first.image) == pytest.approx(100, abs=4)
        assert first.image.shape == (SIZE[1], SIZE[0], 3)
        assert until(lambda: camera.connections >= 2)  # its film was over
        there.go()
        assert until(lambda: camera.fault is CameraFault.UNPLUGGED)
        assert until(lambda: "cannot be opened" in str(camera.why))
        gone_at = now()
        there.come()
        assert level_of(frame_of(camera, gone_at).image) == pytest.approx(100, abs=4)
        assert (camera.fault, camera.why) == (None, None)


def test_a_stream_of_another_kind_is_left_to_opencv(tmp_path: Path) -> None:
    with NetCamera() as there:
        there.film = transport_stream(tmp_path / "stream.ts")
        with live(there.address("/live.ts")) as camera:
            assert level_of(frame_of(camera).image) == pytest.approx(100, abs=4)
            assert until(lambda: camera.connections >= 2)
