"""Before a game begins: is the camera's picture good enough to rule on?"""

from __future__ import annotations

import time
from dataclasses import replace

from vision.frames import FrameFeed
from vision.inspection import Cause, Inspection, inspect_frames
from web.inspect_words import complaints, sentence
from web.lines import labelled
from web.wiring import Eyes

FRAMES = 8
"""So many frames of a camera show its noise, its flicker and whether it stands still."""
PATIENCE_S = 5.0
"""A camera that gives so few frames in this time is judged by those that came."""


def looked_over(feed: FrameFeed, eyes: Eyes) -> Inspection | None:
    """What the first frames of a camera show; None where it gives none.

    That no tile lies there is no fault before the first turn.  Raises ``EndOfFrames``.
    """
    frames, after, until = [], float("-inf"), time.monotonic() + PATIENCE_S
    while len(frames) < FRAMES and (left_s := until - time.monotonic()) > 0:
        frame = feed.newest(after, left_s)
        if frame is not None and frame.taken_at > after:
            frames, after = [*frames, frame.image], frame.taken_at
    same = [image for image in frames if image.shape == frames[-1].shape]
    if not same:
        return None
    inspection = inspect_frames(same, eyes.look(same[-1]).observation)
    measured = tuple(one for one in inspection.measurements if one.cause is not Cause.NO_TILES)
    return replace(inspection, measurements=measured)


def gate_lines(inspection: Inspection | None) -> list[str]:
    """What is wrong with the picture, the worst first, for people."""
    if inspection is None:
        return ["The camera gives no picture yet."]
    return [labelled(one.grade.value, sentence(one)) for one in complaints(inspection)]
