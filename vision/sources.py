"""Where frames come from: a camera by its number, a device, a stream's address, a video file.

Drivers and networks hang; nobody who reads frames here waits longer than asked.  Each capture lives on a thread of its
own, which no answer keeps the program from leaving.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.saying import SeeingError

Image = NDArray[np.uint8]

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # quiet; read once, when OpenCV first opens a video

VIDEO_SUFFIXES = frozenset({
    ".avi", ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".mjpg", ".mjpeg", ".mpg", ".mpeg", ".ts", ".3gp", ".wmv",
})  # fmt: skip
OPEN_S = 5.0
"""A source that is not open by then is not there."""
READ_S = 3.0
"""A source that is silent for so long has stopped."""
BLACK = 10
"""A frame in which all but one pixel in two hundred is darker than this level of 255 shows nothing."""
SMALLEST_SIDE_PX = 32

URL = re.compile(r"^(rtsps?|rtmp|https?|udp|tcp)://", re.IGNORECASE)
_SECRET = re.compile(r"//[^/]*@")
"""Who signs in, before the host of an address; a bare @ may stand in a password."""
_SECRET_VALUE = re.compile(
    r"(?<=[?&])([^=&]*(?:user|login|pass|pwd|token|auth|key|secret)[^=&]*)=[^&]*", re.IGNORECASE
)
"""The same in the query of an address, as many cameras want it."""


class SourceError(SeeingError):
    """A source gives no usable frames; one sentence that names it and the cause."""


def is_source(name: str) -> bool:
    """Whether a word names something that gives frames, not a photo: a number, an address, a device, a video file."""
    return name.isdecimal() or bool(URL.match(name)) or is_device(name) or Path(name).suffix.lower() in VIDEO_SUFFIXES


def shown_name(name: str) -> str:
    """The name as it may be printed: a password in an address is left out."""
    if name.isdecimal():
        return f"camera {name}"
    return _SECRET_VALUE.sub(r"\1=…", _SECRET.sub("//", name))


def is_device(name: str) -> bool:
    """Whether a name is that of a device such as ``/dev/video0``."""
    try:
        return Path(name).is_char_device()
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class _Stopped:
    """The last word of a capture: it could not be opened, or gives no more frames."""

    opened: bool


class FrameSource:
    """One open source.  ``open_source`` makes it; its frames are uint8 (H, W, 3) BGR, oldest first."""

    def __init__(self, name: str) -> None:
        self.name = shown_name(name)
        self.ends = not name.isdecimal() and not URL.match(name) and not is_device(name)
        """Whether it is a file, which may end without fault."""
        self._answers: queue.Queue[Image | _Stopped] = queue.Queue(maxsize=1)
        self._opened, self._closing = threading.Event(), threading.Event()
        self._worker = threading.Thread(target=self._run, args=(name,), name=f"frames of {self.name}", daemon=True)
        self._worker.start()

    def _run(self, name: str) -> None:
        capture = open_capture(name)
        try:
            opened = capture.isOpened()
            if opened:
                self._opened.set()
            while opened and not self._closing.is_set():
                there, frame = capture.read()
                if not there or frame is None:
                    break
                self._answers.put(as_bgr(frame))
            if not self._closing.is_set():
                self._answers.put(_Stopped(opened))
        finally:
            capture.release()

    def read(self, timeout_s: float = READ_S) -> Image | None:
        """The next frame, None when a file has ended.  Raises ``SourceError`` when there is none in time."""
        try:
            answer = self._answers.get(timeout=timeout_s)
        except queue.Empty:
            waited = round(timeout_s)
            if self._opened.is_set():
                raise SourceError(
                    "{source} gives no picture: waited {seconds} seconds.", source=self.name, seconds=waited
                ) from None
            raise SourceError(
                "{source} does not answer: waited {seconds} seconds.", source=self.name, seconds=waited
            ) from None
        if not isinstance(answer, _Stopped):
            return answer
        with contextlib.suppress(queue.Full):
            self._answers.put_nowait(answer)  # whoever asks again hears the same
        if not answer.opened:
            if self.ends:
                raise SourceError("{source} cannot be opened: it is damaged or no video.", source=self.name)
            raise SourceError(
                "{source} cannot be opened: it is not there, or another program uses it.", source=self.name
            )
        if not self.ends:
            raise SourceError(
                "{source} has stopped giving pictures: is the cable in, and the network up?", source=self.name
            )
        return None

    def close(self) -> None:
        """Let the source go, without waiting for a driver that hangs."""
        self._closing.set()
        with contextlib.suppress(queue.Empty):
            self._answers.get_nowait()  # the thread may be waiting for room
        self._worker.join(timeout=1.0)


@contextlib.contextmanager
def open_source(name: str) -> Iterator[FrameSource]:
    """A camera's number, a device, an address or a video file, closed at the end.  Raises ``SourceError``."""
    if is_file_name(name):
        check_file(Path(name))
    source = FrameSource(name)
    try:
        yield source
    finally:
        source.close()


def read_frames(name: str, count: int, skip: int = 0, within_s: float = OPEN_S) -> list[Image]:
    """So many frames of one size, in order, after ``skip`` ones in which a live camera finds its exposure.

    A file may give fewer, and so may a camera so slow that ``within_s`` seconds are not enough for it; at least one.
    Raises ``SourceError``, also where all frames are black.
    """
    ends_at = time.monotonic() + within_s
    frames: list[Image] = []
    with open_source(name) as source:
        wanted = count if source.ends else count + skip
        while len(frames) < wanted and not (frames and time.monotonic() > ends_at):
            frame = source.read(READ_S if frames else OPEN_S)
            if frame is None:
                break
            frames.append(frame)
        shown = source.name
    if not frames:
        raise SourceError("{source} holds no picture.", source=shown)
    return usable(frames[-count:], shown)


def usable(frames: list[Image], shown: str) -> list[Image]:
    """At least one frame, those of the size of the last one.  Raises ``SourceError`` where they show nothing."""
    if min(frames[-1].shape[:2]) < SMALLEST_SIDE_PX:
        raise SourceError(
            "{source} gives too small a picture: {width} × {height} pixels.",
            source=shown,
            width=frames[-1].shape[1],
            height=frames[-1].shape[0],
        )
    if all(is_black(frame) for frame in frames):
        raise SourceError(
            "{source} gives black pictures: is the lens covered, or the camera used by another program?", source=shown
        )
    return [frame for frame in frames if frame.shape == frames[-1].shape]


def is_black(frame: Image) -> bool:
    """Whether a frame uint8 (H, W, 3) BGR shows nothing at all."""
    return bool(np.quantile(frame[::4, ::4].max(axis=2), 0.995) < BLACK)


def open_capture(name: str) -> cv2.VideoCapture:
    """Open a capture; what OpenCV would print on the way is silenced, for we say it ourselves."""
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    if name.isdecimal():
        return cv2.VideoCapture(int(name))
    if is_device(name):
        return cv2.VideoCapture(name)
    if not URL.match(name):  # other readers of files print what they stumble on
        return cv2.VideoCapture(name, cv2.CAP_FFMPEG)
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, int(1000 * OPEN_S), cv2.CAP_PROP_READ_TIMEOUT_MSEC, int(1000 * READ_S)]
    return cv2.VideoCapture(name, cv2.CAP_FFMPEG, limits)


def as_bgr(frame: NDArray[np.generic]) -> Image:
    """A frame of a capture, grey or BGR, as uint8 (H, W, 3) BGR."""
    picture = np.asarray(frame, np.uint8)
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8) if picture.ndim == 2 else picture


def is_file_name(name: str) -> bool:
    """Whether a source is neither a camera's number nor an address nor a device."""
    return not name.isdecimal() and not URL.match(name) and not is_device(name)


def check_file(path: Path) -> None:
    """Raise ``SourceError`` where there is no file that could be a film."""
    try:
        if not path.exists():
            raise SourceError("{path} does not exist.", path=str(path))
        if not path.is_file():
            raise SourceError("{path} is not a video file.", path=str(path))
        if path.stat().st_size == 0:
            raise SourceError("{path} is empty.", path=str(path))
    except OSError as error:
        raise SourceError(
            "{path} cannot be opened: {cause}.", path=str(path), cause=(error.strerror or str(error)).lower()
        ) from error
