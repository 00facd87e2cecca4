"""A network camera on this machine that does as it is told: show, fall silent, hang up, go away, come back."""

from __future__ import annotations

import base64
import contextlib
import queue
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
SIZE = (160, 120)


def grey(level: int, size: tuple[int, int] = SIZE) -> Image:
    """A picture of one level."""
    return np.full((size[1], size[0], 3), level, np.uint8)


def level_of(image: Image) -> int:
    """The level of such a picture."""
    return round(float(image.mean()))


def jpeg(image: Image, quality: int = 90) -> bytes:
    """A picture as a JPEG file."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return data.tobytes()


def until(holds: Callable[[], bool], within_s: float = 8.0) -> bool:
    """Wait until something holds, at most so long; whether it does."""
    tick = threading.Event()
    for _ in range(round(within_s / 0.005)):
        if holds():
            return True
        tick.wait(0.005)
    return holds()


class NetCamera:
    """MJPEG at ``/video``, the last picture at ``/shot.jpg``, ``film`` at ``/live.ts``, and what a phone app has else.

    ``show`` sends one frame to all who look.  The port stays the same when the camera comes back.
    """

    def __init__(self, with_length: bool = True, login: str | None = None, boundary: str = "frame") -> None:
        self.with_length, self.login, self.boundary = with_length, login, boundary
        self.shot = jpeg(grey(0))
        self.film = b""
        self.asked: list[str] = []
        self._viewers: list[queue.Queue[bytes | None]] = []
        self._lock = threading.Lock()
        self._connections: list[socket.socket] = []
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    def __enter__(self) -> Self:
        self.come()
        return self

    def __exit__(self, *_: object) -> None:
        self.go()

    def address(self, path: str = "/video", login: str = "") -> str:
        """Where the camera is."""
        return f"http://{login}127.0.0.1:{self.port}{path}"

    def come(self) -> None:
        """Be there."""
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def go(self) -> None:
        """Vanish, with all connections."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = None
        self.hang_up()

    def hang_up(self) -> None:
        """End all streams; whoever asks again is served."""
        with self._lock:
            for viewer in self._viewers:
                viewer.put(None)
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._viewers.clear()
            self._connections.clear()

    @property
    def viewers(self) -> int:
        """How many look at the stream."""
        return len(self._viewers)

    def show(self, image: Image, data: bytes | None = None) -> None:
        """Send a frame to everybody who looks, or bytes in its place."""
        self.send(jpeg(image) if data is None else data)

    def send(self, body: bytes) -> None:
        """Send a JPEG file to everybody who looks."""
        head = b"--" + self.boundary.encode() + b"\r\nContent-Type: image/jpeg\r\n"
        head += b"Content-Length: %d\r\n" % len(body) if self.with_length else b""
        self.shot = body
        with self._lock:
            for viewer in self._viewers:
                viewer.put(head + b"\r\n" + body + b"\r\n")

    def _gone(self, viewer: queue.Queue[bytes | None]) -> None:
        """This one looks no more: nothing is kept for him."""
        with self._lock:
            if viewer in self._viewers:
                self._viewers.remove(viewer)

    def _handler(camera: Self) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - self is the handler's
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                camera.asked.append(self.path)
                with camera._lock:
                    camera._connections.append(self.connection)
                if camera.login is not None:
                    given = self.headers.get("Authorization", "").removeprefix("Basic ")
                    if base64.b64decode(given).decode() != camera.login:
                        self._answer(401, "text/plain", b"who are you?")
                        return
                self._serve()

            def _serve(self) -> None:
                if self.path == "/video":
                    self._stream()
                elif self.path == "/moved":
                    self.send_response(302)
                    self.send_header("Location", "/video")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                else:
                    pages = {
                        "/shot.jpg": (200, "image/jpeg", camera.shot),
                        "/live.ts": (200, "video/mp2t", camera.film),
                        "/": (200, "text/html; charset=utf-8", b"<html>my phone</html>"),
                    }
                    self._answer(*pages.get(self.path, (404, "text/plain", b"no")))

            def _answer(self, status: int, kind: str, body: bytes) -> None:
                with contextlib.suppress(OSError):
                    self.send_response(status)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def _stream(self) -> None:
                self.close_connection = True
                with contextlib.suppress(OSError):
                    self.send_response(200)
                    self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={camera.boundary}")
                    self.end_headers()
                    frames: queue.Queue[bytes | None] = queue.Queue()
                    with camera._lock:
                        camera._viewers.append(frames)
                    try:
                        while (part := frames.get()) is not None:
                            self.wfile.write(part)
                    finally:
                        camera._gone(frames)

            def log_message(self, *_: object) -> None:
                """Silence."""

        return Handler
