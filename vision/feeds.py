"""Frames that come from no camera of ours: a film, a folder of stills, pictures that a browser sends."""

from __future__ import annotations

import contextlib
import io
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PilImage

from vision.camera import SILENT_S, LiveCamera
from vision.frames import CameraFault, EndOfFrames, Frame, FrameFeed
from vision.grabbers import Size
from vision.http_camera import LARGEST_PICTURE_BYTES, decode_jpeg
from vision.intake import LARGEST_AREA_PX, PhotoError, find_photos, read_photo
from vision.mailbox import Mailbox, now
from vision.saying import SeeingError
from vision.sources import OPEN_S, SourceError, as_bgr, check_file, is_file_name, is_source, open_capture, usable

Image = NDArray[np.uint8]
Clock = Callable[[], float]

_DIGITS = re.compile(r"(\d+)")
_PART_OF_TURN = re.compile(r"(?<=\d)[a-z]$", re.IGNORECASE)
_USUAL_RATE = 25.0
_PUSHED_FORMATS = ("JPEG", "PNG", "WEBP")


def open_feed(name: str, asked: Size | None = None, delay_s: float | None = None) -> FrameFeed:
    """The feed of a camera's number, a device, an address, a video file (in its own time) or a folder of stills.

    Raises ``SourceError`` for a file or folder that gives no frames; a camera that is not there yet is waited for.
    """
    if is_source(name):
        return FilmFeed(Path(name)) if is_file_name(name) else LiveCamera(name, asked, delay_s)
    if Path(name).is_dir():
        return StillsFeed(Path(name))
    raise SourceError(
        "{source} is no camera: expected a number, a device, an address, a video file or a folder.", source=name
    )


def looked_at(address: str, count: int, skip: int = 0, within_s: float = OPEN_S) -> list[Image]:
    """``read_frames`` for an address http:// or https://: also one that gives a single picture for each question.

    Raises ``SourceError``.
    """
    with contextlib.closing(LiveCamera(address)) as camera:
        images = [frame.image for frame in collect(camera, skip + count, within_s)]
        if not images:
            raise no_picture(camera, within_s)
        return usable(images[-count:], camera.name)


def no_picture(feed: FrameFeed, waited_s: float) -> SourceError:
    """Why a feed gave nothing in so many seconds."""
    if isinstance(feed, LiveCamera) and feed.why is not None:
        return SourceError.of(feed.why)
    return SourceError(
        "{source} gives no picture: waited {seconds} seconds.", source=feed.name, seconds=round(waited_s)
    )


def collect(feed: FrameFeed, count: int, within_s: float) -> list[Frame]:
    """So many frames one after the other, fewer where they do not come in time or a film ends: to inspect a camera."""
    ends_at = time.monotonic() + within_s
    frames: list[Frame] = []
    with contextlib.suppress(EndOfFrames):
        while len(frames) < count:
            after = frames[-1].taken_at if frames else -np.inf
            frame = feed.newest(float(after), max(0.0, ends_at - time.monotonic()))
            if frame is None:
                break
            frames.append(frame)
    return frames


class FilmFeed:
    """A video file as a ``FrameFeed``: in its own time, or frame by frame as fast as it is asked.

    In its own time a frame is due when the film has run so long since somebody looked first; frames that are past when
    somebody looks are dropped and counted.  As fast as asked nothing is dropped, and ``now`` is the time of the film.
    """

    def __init__(self, path: Path, in_own_time: bool = True, clock: Clock = now) -> None:
        check_file(path)
        self._name = str(path)
        self._in_own_time, self._clock = in_own_time, clock
        self._capture = open_capture(str(path))
        if not self._capture.isOpened():
            self._capture.release()
            raise SourceError("{source} cannot be opened: it is damaged or no video.", source=str(path))
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._step_s = 1 / rate if rate > 0 else 1 / _USUAL_RATE
        self._began: float | None = None
        self._closing = threading.Event()
        self._box = Mailbox()
        self._film_s = -self._step_s
        self._ahead = False
        """Whether the capture stands on a frame that is not yet due."""
        self._handed_out = 0

    @property
    def name(self) -> str:
        """The file's name."""
        return self._name

    @property
    def fault(self) -> CameraFault | None:
        """A file has none."""
        return None

    @property
    def dropped(self) -> int:
        """Frames never looked at, over all."""
        return self._box.dropped

    def now(self) -> float:
        """The time by which the film's frames are dated."""
        return self._clock() if self._in_own_time else self._dated(max(0.0, self._film_s))

    def newest(self, after: float, timeout_s: float) -> Frame | None:
        """The frame that is due, taken after that time; None: none in time.  Raises ``EndOfFrames``."""
        ends_at = time.monotonic() + timeout_s
        while True:
            goes_on = self._run_up() if self._in_own_time else self._step()
            frame = self._box.newest(after, 0.0)
            if frame is not None and frame.number > self._handed_out:
                self._handed_out = frame.number
                return frame
            if not goes_on:
                raise EndOfFrames
            left_s = ends_at - time.monotonic()
            if frame is not None or left_s <= 0:
                return frame
            if self._in_own_time:
                self._closing.wait(min(left_s, max(0.001, self._dated(self._film_s) - self._clock())))

    def close(self) -> None:
        """Let the file go."""
        self._closing.set()
        self._box.close()
        self._capture.release()

    def _run_up(self) -> bool:
        """Hand in all frames that are due by now; False at the film's end."""
        while self._ahead or self._advance():
            self._ahead = self._dated(self._film_s) > self._clock()
            if self._ahead:
                return True
            self._hand_in()
        return False

    def _step(self) -> bool:
        """Hand in the next frame; False at the film's end."""
        goes_on = self._advance()
        if goes_on:
            self._hand_in()
        return goes_on

    def _advance(self) -> bool:
        if self._closing.is_set() or not self._capture.grab():
            return False
        stamp_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        self._film_s = stamp_s if stamp_s > self._film_s else self._film_s + self._step_s
        return True

    def _hand_in(self) -> None:
        there, frame = self._capture.retrieve()
        image = as_bgr(frame) if there and frame is not None else None
        self._box.put(lambda: image, self._dated(self._film_s))

    def _dated(self, film_s: float) -> float:
        """The date of a moment of the film, which begins when it is asked for first: networks take long to load."""
        if self._began is None:
            self._began = self._clock()
        return self._began + film_s


class StillsFeed:
    """A folder of stills as a ``FrameFeed``: each is given again and again until ``next``, sorted by name.

    Numbers in names count as numbers: ``turn2`` comes before ``turn10``.  Stills whose names differ in one letter
    behind their number (``turn2a``, ``turn2b``) belong to one turn.
    """

    def __init__(self, folder: Path, clock: Clock = now) -> None:
        found = find_photos([folder])
        if found.failures:
            raise SourceError.of(found.failures[0])
        self._stills = sorted(found.photos, key=_by_number)
        self._name, self._clock = str(folder), clock
        self._place = self._number = self._dropped = 0
        self._seen = False
        self._image: Image | None = None
        self._closed = False

    @property
    def name(self) -> str:
        """The folder's name."""
        return self._name

    @property
    def fault(self) -> CameraFault | None:
        """A folder has none."""
        return None

    @property
    def dropped(self) -> int:
        """Stills that were passed over without being looked at."""
        return self._dropped

    @property
    def still(self) -> Path | None:
        """The file that is being shown; None behind the last."""
        return self._stills[self._place] if self._place < len(self._stills) else None

    @property
    def left(self) -> int:
        """How many stills come after this one."""
        return max(0, len(self._stills) - self._place - 1)

    @property
    def turn_ends(self) -> bool:
        """Whether this still is the last one of its turn."""
        return self.left == 0 or turn_of(self._stills[self._place]) != turn_of(self._stills[self._place + 1])

    def next(self) -> Path | None:
        """Go on to the next still; None when there is none."""
        if self.still is not None:
            self._dropped += not self._seen
            self._place, self._seen, self._image = self._place + 1, False, None
        return self.still

    def pass_turn_of(self, name: str) -> bool:
        """Go on to the first still behind the turn of that file's; False, and nothing changes, where it is not here."""
        turns = [turn_of(still) for still in self._stills]
        turn = turn_of(Path(name))
        if turn not in turns:
            return False
        self._place, self._seen, self._image = len(turns) - turns[::-1].index(turn), False, None
        return True

    def newest(self, after: float, timeout_s: float) -> Frame | None:  # noqa: ARG002 - a still never is late
        """The present still, as if it were taken just now.

        Raises ``EndOfFrames`` behind the last one, ``SourceError`` for one that is no picture: ``next`` passes it.
        """
        still = self.still
        if still is None or self._closed:
            raise EndOfFrames
        if self._image is None:
            try:
                self._image = read_photo(still).image
            except PhotoError as error:
                raise SourceError.of(error) from error
        self._number += 1
        self._seen = True
        return Frame(self._image, max(self._clock(), float(np.nextafter(after, np.inf))), self._number)

    def close(self) -> None:
        """Nothing is open."""
        self._closed = True


def _by_number(path: Path) -> tuple[list[tuple[int, str]], str]:
    parts = [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(path.stem.lower())]
    return parts, path.name


def turn_of(still: Path) -> str:
    """What the stills of one turn have in common: their name without a letter behind its number."""
    return _PART_OF_TURN.sub("", still.stem)


class PushedFeed:
    """Frames that somebody else sends, such as a browser with a camera, as a ``FrameFeed``; only the newest is kept."""

    def __init__(self, name: str = "the browser's camera", clock: Clock = now) -> None:
        self._name, self._clock = name, clock
        self._box = Mailbox()
        self._heard_at: float | None = None

    @property
    def name(self) -> str:
        """Whose frames these are."""
        return self._name

    @property
    def fault(self) -> CameraFault | None:
        """``UNPLUGGED`` while nobody sends."""
        silent = self._heard_at is None or time.monotonic() - self._heard_at > SILENT_S
        return CameraFault.UNPLUGGED if silent else None

    @property
    def dropped(self) -> int:
        """Frames never looked at, over all."""
        return self._box.dropped

    def push(self, data: bytes, age_s: float = 0.0) -> None:
        """A picture file's bytes (JPEG, PNG, WebP), taken ``age_s`` seconds ago as far as the sender knows.

        Its own clock is not asked: it may be wrong by hours.  Raises ``ValueError`` where the bytes are no such file,
        are too many or are said to come from the future; a file that is damaged within is passed over by ``newest``.
        """
        if not 0 <= age_s < float("inf"):
            raise SeeingError("a frame is some seconds old, not {age}", age=age_s)
        if len(data) > LARGEST_PICTURE_BYTES:
            raise SeeingError("a frame of {bytes} bytes is too large", bytes=len(data))
        try:
            with PilImage.open(io.BytesIO(data), formats=_PUSHED_FORMATS) as header:  # nothing is decoded here
                width, height = header.size
        except (PilImage.DecompressionBombError, PilImage.DecompressionBombWarning) as error:
            raise SeeingError("a frame of so many pixels is too large") from error
        except (OSError, SyntaxError) as error:  # Pillow's word for a damaged PNG
            raise SeeingError("a frame must be a JPEG, PNG or WebP picture") from error
        if width * height > LARGEST_AREA_PX:
            raise SeeingError("a frame of {width} × {height} pixels is too large", width=width, height=height)
        self._put(lambda: decode_jpeg(data), age_s)

    def push_image(self, image: Image, age_s: float = 0.0) -> None:
        """A decoded picture, uint8 (H, W, 3) BGR; it must not be changed afterwards."""
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or image.size == 0:
            raise ValueError(f"a frame is uint8 (H, W, 3), not {image.dtype} {image.shape}")
        self._put(lambda: image, age_s)

    def newest(self, after: float, timeout_s: float) -> Frame | None:
        """The newest frame taken after that time; None: none in time.  Raises ``EndOfFrames`` once closed."""
        return self._box.newest(after, timeout_s)

    def close(self) -> None:
        """Take no more frames."""
        self._box.close()

    def _put(self, load: Callable[[], Image | None], age_s: float) -> None:
        self._box.put(load, self._clock() - age_s)
        self._heard_at = time.monotonic()
