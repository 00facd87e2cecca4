"""Cameras that speak HTTP: a stream of JPEG pictures (MJPEG), or one picture that is asked for again and again.

Apps that make a camera of a phone give either.  The pictures are handed on as they came; only those that are looked at
are decoded.  Whatever else an address gives (H.264, redirected logins) is for OpenCV's own reader.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
from functools import partial
from typing import Self
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mailbox import Load
from vision.sources import SourceError, shown_name

Image = NDArray[np.uint8]

POLL_S = 0.1
"""A single picture is asked for ten times a second at most."""
LARGEST_PICTURE_BYTES = 32_000_000
_LONGEST_LINE = 4096
_MOST_REDIRECTS = 3
_BOUNDARY = re.compile(r'boundary="?([^";]+)"?', re.IGNORECASE)


class OtherStreamError(Exception):
    """The address gives something else than JPEG pictures."""


class HttpCamera:
    """One open connection to a camera.  ``open`` makes it."""

    def __init__(self, address: SplitResult, timeout_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._closing = threading.Event()
        self._socket: socket.socket | None = None
        self._connection = _connection(address, timeout_s)
        self._response: http.client.HTTPResponse | None = None
        self._boundary = b""
        """Empty where single pictures are polled."""
        self._asked_at = 0.0
        self._first: bytes | None = None

    @classmethod
    def open(cls, name: str, timeout_s: float) -> Self:
        """Connect to an address http:// or https://.

        Raises ``SourceError`` where nobody answers or a web page does, ``OtherStreamError`` for what is no JPEG.
        """
        address = urlsplit(name)
        for _ in range(_MOST_REDIRECTS + 1):
            camera = cls(address, timeout_s)
            try:
                forwarded = camera._begin()
            except BaseException as error:
                camera.release()
                if isinstance(error, OSError | http.client.HTTPException | ValueError):
                    raise SourceError(
                        "{source} cannot be opened: {cause}.", source=shown_name(name), cause=_cause(error)
                    ) from error
                raise
            if forwarded is None:
                return camera
            camera.release()
            target = urlsplit(urljoin(address.geturl(), forwarded))
            same_host = target.hostname == address.hostname
            if same_host and "@" not in target.netloc and "@" in address.netloc:  # no password goes to another host
                target = target._replace(netloc=f"{address.netloc.rpartition('@')[0]}@{target.netloc}")
            address = target
        raise OtherStreamError

    def grab(self) -> Load | None:
        """The next picture, not yet decoded; None when the camera has hung up.  Waits as long as the timeout allows."""
        try:
            data = self._next_part() if self._boundary else self._poll()
        except (OSError, http.client.HTTPException, ValueError):
            return None
        return None if data is None else partial(decode_jpeg, data)

    @property
    def asked_at(self) -> float | None:
        """When a polled picture was asked for, monotonic seconds: it may be as old as that.  None for a stream."""
        return None if self._boundary else self._asked_at

    def interrupt(self) -> None:
        """Wake a thread that waits in ``grab``, from another thread."""
        self._closing.set()
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """Hang up."""
        self.interrupt()
        if self._response is not None:
            self._response.close()
        self._connection.close()
        if self._socket is not None:
            self._socket.close()

    def _begin(self) -> str | None:
        """Ask, and find out what comes; an address where the camera is found instead."""
        response = self._ask()
        kind = (response.getheader("Content-Type") or "").lower()
        if response.status in {301, 302, 303, 307, 308}:
            return response.getheader("Location")
        if response.status != http.client.OK:
            if response.status == http.client.UNAUTHORIZED:
                raise OtherStreamError  # other ways to log in than Basic are OpenCV's to know
            raise ValueError(f"the camera answers {response.status} {response.reason}".strip())
        if kind.startswith("multipart/"):
            boundary = _BOUNDARY.search(response.getheader("Content-Type") or "")
            self._boundary = (boundary[1].strip().lstrip("-") if boundary else "").encode() or b"-"
        elif kind.startswith(("image/jpeg", "image/jpg", "image/pjpeg", "image/png", "image/webp", "image/bmp")):
            self._first = self._whole(response)
        elif kind.startswith("text/html"):
            raise ValueError("it is a web page, no picture (the video's own address often ends in /video)")
        else:
            raise OtherStreamError
        return None

    def _ask(self) -> http.client.HTTPResponse:
        headers = {"Cache-Control": "no-cache", "Accept": "*/*"}
        if self._address.username is not None:
            login = f"{unquote(self._address.username)}:{unquote(self._address.password or '')}"
            headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        target = self._address._replace(scheme="", netloc="", fragment="").geturl() or "/"
        if self._response is not None:
            self._response.close()
        self._asked_at = time.monotonic()
        if self._connection.sock is None:
            self._connection.connect()
        self._socket = self._connection.sock  # the response takes it over, and does not give it away any more
        self._connection.request("GET", target, headers=headers)
        self._response = self._connection.getresponse()
        return self._response

    def _poll(self) -> bytes | None:
        if self._first is not None:
            data, self._first = self._first, None
            return data
        if self._closing.wait(max(0.0, self._asked_at + POLL_S - time.monotonic())):
            return None
        response = self._ask()
        return self._whole(response) if response.status == http.client.OK else None

    def _whole(self, response: http.client.HTTPResponse) -> bytes | None:
        data = response.read(LARGEST_PICTURE_BYTES + 1)
        return data if 0 < len(data) <= LARGEST_PICTURE_BYTES else None

    def _next_part(self) -> bytes | None:
        """The body of the stream's next part; None at its end."""
        response = self._response
        if response is None:
            return None
        while True:  # to the next boundary: some cameras write blank lines, or the last picture's rest
            line = response.readline(_LONGEST_LINE)
            if not line:
                return None
            if self._is_boundary(line):
                break
        length = None
        while (line := response.readline(_LONGEST_LINE)).strip():
            key, _, value = line.partition(b":")
            if key.strip().lower() == b"content-length":
                length = int(value)
        if not line:
            return None
        if length is not None:
            if not 0 <= length <= LARGEST_PICTURE_BYTES:
                return None
            data = response.read(length)
            return data if len(data) == length else None
        return self._to_boundary(response)

    def _to_boundary(self, response: http.client.HTTPResponse) -> bytes | None:
        """A body without a length: it ends where its JPEG does."""
        data = bytearray()
        while len(data) <= LARGEST_PICTURE_BYTES:
            line = response.readline(_LONGEST_LINE)
            if not line:
                return None
            data += line
            if data[-4:].rstrip(b"\r\n").endswith(b"\xff\xd9"):
                return bytes(data)
        return None

    def _is_boundary(self, line: bytes) -> bool:
        return line.startswith(b"--") and line.lstrip(b"-").startswith(self._boundary.lstrip(b"-"))


def decode_jpeg(data: bytes) -> Image | None:
    """A picture file's bytes as uint8 (H, W, 3) BGR, turned upright by its EXIF; None where it is damaged."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


def _connection(address: SplitResult, timeout_s: float) -> http.client.HTTPConnection:
    host = address.hostname or ""
    if address.scheme.lower() != "https":
        return http.client.HTTPConnection(host, address.port or 80, timeout=timeout_s)
    # a camera on the local network signs its certificate itself; OpenCV's reader does not check it either
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(host, address.port or 443, timeout=timeout_s, context=context)


def _cause(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer"
    if isinstance(error, OSError):
        return "it is not there, or another program uses it"
    return str(error) or "it does not speak HTTP"
