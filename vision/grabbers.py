"""One open connection to a camera, whatever it is: an OpenCV capture or an HTTP connection.

A grabber belongs to the thread that reads from it; only ``interrupt`` is for others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import cv2

from vision import sources
from vision.http_camera import HttpCamera, OtherStreamError
from vision.mailbox import Load
from vision.sources import SourceError, as_bgr, is_device, open_capture, shown_name

HTTP = re.compile(r"^https?://", re.IGNORECASE)
_OWN_CLOCK = re.compile(r"^(rtsps?|rtmp|udp|tcp)://", re.IGNORECASE)
"""Streams whose packets say when they were made; what OpenCV says of MJPEG is made up."""


@dataclass(frozen=True, slots=True)
class Grab:
    """A frame that has come."""

    load: Load
    stream_s: float | None = None
    """When it was taken, seconds by the camera's own clock."""
    asked_at: float | None = None
    """When it was asked for, monotonic seconds: a polled picture may be that old."""


class Grabber(Protocol):
    """Gives one frame after the other."""

    def grab(self) -> Grab | None:
        """The next frame; None when there are no more."""

    def interrupt(self) -> None:
        """Wake a thread that waits in ``grab``, where that can be done."""

    def release(self) -> None:
        """Let the camera go."""


Size = tuple[int, int]
"""Width and height in pixels."""
OpenGrabber = Callable[[str, Size | None], Grabber]
"""Opens a source by its name and asks it for a size.  Raises ``SourceError``."""


class CaptureGrabber:
    """Reads an OpenCV capture."""

    def __init__(self, capture: cv2.VideoCapture, own_clock: bool) -> None:
        self._capture = capture
        self._own_clock = own_clock

    def grab(self) -> Grab | None:
        """The next frame; None when there are no more."""
        there, frame = self._capture.read()
        if not there or frame is None:
            return None
        image = as_bgr(frame)
        stream_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000 if self._own_clock else 0.0
        return Grab(lambda: image, stream_s if stream_s > 0 else None)

    def interrupt(self) -> None:
        """Nothing wakes a driver; those that read from the network give up after ``READ_S``."""

    def release(self) -> None:
        """Let the camera go."""
        self._capture.release()


class HttpGrabber:
    """Reads a camera that speaks HTTP."""

    def __init__(self, camera: HttpCamera) -> None:
        self._camera = camera

    def grab(self) -> Grab | None:
        """The next frame; None when the camera has hung up."""
        load = self._camera.grab()
        return None if load is None else Grab(load, asked_at=self._camera.asked_at)

    def interrupt(self) -> None:
        """Wake a thread that waits in ``grab``."""
        self._camera.interrupt()

    def release(self) -> None:
        """Hang up."""
        self._camera.release()


def open_grabber(name: str, size: Size | None) -> Grabber:
    """Open a camera's number, a device or an address, and ask it for a size.  Raises ``SourceError``."""
    if HTTP.match(name):
        try:
            return HttpGrabber(HttpCamera.open(name, sources.READ_S))
        except OtherStreamError:
            pass  # OpenCV may know what that is
    capture = open_capture(name)
    if not capture.isOpened():
        capture.release()
        raise SourceError(
            "{source} cannot be opened: it is not there, or another program uses it.", source=shown_name(name)
        )
    if name.isdecimal() or is_device(name):
        ask_for(capture, size)
    return CaptureGrabber(capture, own_clock=bool(_OWN_CLOCK.match(name)))


def ask_for(capture: cv2.VideoCapture, size: Size | None) -> None:
    """Ask a webcam for a size and for as short a queue as it has; what it gives is seen from its frames."""
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    if size is None:
        return
    if size[0] * size[1] > 640 * 480:  # at more than that most webcams are fast enough only with JPEG
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
