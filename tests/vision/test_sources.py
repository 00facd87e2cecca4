"""Frames from files and from the network: in order, in time, and one sentence where there are none."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision import sources
from vision.sources import SourceError, is_black, is_source, open_source, read_frames, shown_name

Image = NDArray[np.uint8]
SIZE = (160, 120)


def frame(level: int) -> Image:
    return np.full((SIZE[1], SIZE[0], 3), level, np.uint8)


def film(path: Path, levels: list[int]) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, SIZE)
    assert writer.isOpened()
    for level in levels:
        writer.write(frame(level))
    writer.release()
    return path


def levels_of(frames: list[Image]) -> list[int]:
    return [round(float(one.mean())) for one in frames]


Write = Callable[[bytes], object]
Part = Callable[[Write], None]


@contextmanager
def camera_at(send: Part) -> Iterator[str]:
    """A network camera on this machine: MJPEG over HTTP; ``send`` writes the body."""

    class Camera(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            try:
                send(self.wfile.write)
            except OSError:
                return  # the reader has enough

        def log_message(self, *_: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Camera)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/stream.mjpg"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def part(level: int) -> bytes:
    done, data = cv2.imencode(".jpg", frame(level))
    assert done
    return b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(data), data.tobytes())


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that a test can wait for."""
    monkeypatch.setattr(sources, "OPEN_S", 0.6)
    monkeypatch.setattr(sources, "READ_S", 0.6)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("0", True), ("12", True), ("rtsp://camera/1", True), ("HTTP://10.0.0.7/video", True), ("table.MP4", True),
        ("a/b.avi", True), ("/dev/null", True), ("photo.jpg", False), ("photo", False), ("./0", False), ("-1", False),
        ("2.5", False), ("folder/", False), ("bad\0name", False),
    ],
)  # fmt: skip
def test_what_gives_frames_is_told_from_a_photo_by_its_name(name: str, source: bool) -> None:
    assert is_source(name) is source


def test_passwords_are_not_repeated() -> None:
    assert shown_name("rtsp://user:secret@10.0.0.7/one") == "rtsp://10.0.0.7/one"
    assert shown_name("rtsp://user:p@ss@10.0.0.7/one") == "rtsp://10.0.0.7/one"
    asked = "http://10.0.0.7/snapshot.cgi?channel=1&user=admin&pwd=secret&size=2"
    assert shown_name(asked) == "http://10.0.0.7/snapshot.cgi?channel=1&user=…&pwd=…&size=2"
    assert shown_name("http://10.0.0.7/one?Password=secret") == "http://10.0.0.7/one?Password=…"
    assert shown_name("http://10.0.0.7/one?channel=1") == "http://10.0.0.7/one?channel=1"
    assert shown_name("0") == "camera 0"
    assert shown_name("film@home.avi") == "film@home.avi"


def test_a_film_is_read_in_order_and_ends_without_fault(tmp_path: Path) -> None:
    path = film(tmp_path / "table.avi", [40, 80, 120, 160])
    assert levels_of(read_frames(str(path), 3, skip=8)) == pytest.approx([40, 80, 120], abs=3)
    assert levels_of(read_frames(str(path), 9)) == pytest.approx([40, 80, 120, 160], abs=3)
    with open_source(str(path)) as source:
        assert all(source.read() is not None for _ in range(4))
        assert source.read() is None
        assert source.read() is None


def test_a_network_camera_is_read_after_it_has_found_its_exposure() -> None:
    def send(write: Write) -> None:
        for level in (10, 20, 100, 110, 120):
            write(part(level))

    with camera_at(send) as address:
        frames = read_frames(address, 3, skip=2)
    assert levels_of(frames) == pytest.approx([100, 110, 120], abs=3)
    assert frames[0].shape == (SIZE[1], SIZE[0], 3)


def test_a_network_camera_that_stops_is_named() -> None:
    def send(write: Write) -> None:
        for _ in range(12):
            write(part(90))

    with camera_at(send) as address, pytest.raises(SourceError, match="has stopped giving pictures") as stopped:
        read_frames(address, 60)
    assert address in str(stopped.value)


@pytest.mark.usefixtures("impatient")
def test_a_camera_that_falls_silent_is_not_waited_for() -> None:
    enough = threading.Event()

    def send(write: Write) -> None:
        for _ in range(12):
            write(part(90))
        enough.wait(20)

    began = time.monotonic()
    with camera_at(send) as address:
        with pytest.raises(SourceError, match=r"(gives no picture|has stopped)"):
            read_frames(address, 60)
        enough.set()
    assert time.monotonic() - began < 10


def test_a_slow_camera_gives_what_it_has_in_time() -> None:
    enough = threading.Event()

    def send(write: Write) -> None:
        for _ in range(12):
            write(part(90))
        while not enough.wait(0.2):
            write(part(120))

    began = time.monotonic()
    with camera_at(send) as address:
        frames = read_frames(address, 1000, within_s=1.0)
        enough.set()
    assert 1 <= len(frames) < 100
    assert time.monotonic() - began < 10


@pytest.mark.usefixtures("impatient")
def test_a_server_that_never_answers_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        began = time.monotonic()
        with pytest.raises(SourceError, match=r"(does not answer|cannot be opened)"):
            read_frames(f"http://127.0.0.1:{deaf.getsockname()[1]}/video", 3)
        assert time.monotonic() - began < 10


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(SourceError, match="cannot be opened"):
        read_frames(f"http://user:secret@127.0.0.1:{port}/video", 3)
    with pytest.raises(SourceError, match="camera 97 cannot be opened"):
        read_frames("97", 3)


def test_black_pictures_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="black"):
        read_frames(str(film(tmp_path / "capped.avi", [0, 2, 1])), 3)
    assert levels_of(read_frames(str(film(tmp_path / "waking.avi", [0, 0, 90])), 3))[-1] == pytest.approx(90, abs=3)


def test_a_dim_picture_is_not_black() -> None:
    assert is_black(frame(6))
    dim = frame(4)
    dim[40:60, 40:60] = 30
    assert not is_black(dim)


def test_files_that_are_no_films(tmp_path: Path) -> None:
    text, empty = tmp_path / "text.avi", tmp_path / "empty.mp4"
    text.write_text("no film at all " * 100)
    empty.touch()
    for name, cause in (
        ("text.avi", "damaged or no video"), ("empty.mp4", "is empty"), ("missing.avi", "does not exist"),
    ):  # fmt: skip
        with pytest.raises(SourceError, match=cause) as refused:
            read_frames(str(tmp_path / name), 3)
        assert name in str(refused.value)
        assert str(refused.value).endswith(".")


def test_a_film_cut_off_in_the_middle_gives_what_it_has(tmp_path: Path) -> None:
    whole = film(tmp_path / "whole.avi", list(range(60, 200, 2))).read_bytes()
    (tmp_path / "cut.avi").write_bytes(whole[: len(whole) // 2])
    frames = read_frames(str(tmp_path / "cut.avi"), 70)
    assert 10 <= len(frames) < 60


def test_too_small_a_picture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stamp.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, (24, 24))
    writer.write(np.full((24, 24, 3), 90, np.uint8))
    writer.release()
    with pytest.raises(SourceError, match="too small"):
        read_frames(str(path), 1)


def test_a_source_can_be_left_at_any_time(tmp_path: Path) -> None:
    path = str(film(tmp_path / "long.avi", [90] * 50))
    before = threading.active_count()
    for taken in (0, 1, 3):
        with open_source(path) as source:
            for _ in range(taken):
                assert source.read() is not None
    assert threading.active_count() == before
