"""Is a picture good enough to rule on: a camera's before a game begins, a still when it is shown?"""

from __future__ import annotations

from dataclasses import replace

from referee.observation import Observation
from vision.feeds import collect, no_picture
from vision.frames import FrameFeed
from vision.inspection import Cause, Image, Inspection, inspect_frames
from web.inspect_words import complaints, sentence
from web.lines import labelled
from web.wiring import Eyes

FRAMES = 8
"""So many frames of a camera show its noise, its flicker and whether it stands still."""
PATIENCE_S = 5.0
"""A camera that gives so few frames in this time is judged by those that came."""


def looked_over(feed: FrameFeed, eyes: Eyes) -> Inspection:
    """What the first frames of a camera show.  Raises ``SourceError`` where it gives none, which says why."""
    images = [frame.image for frame in collect(feed, FRAMES, PATIENCE_S)]
    if not images:
        raise no_picture(feed, PATIENCE_S)
    same = [image for image in images if image.shape == images[-1].shape]
    return inspected(same, eyes.look(same[-1]).observation)


def inspected(images: list[Image], seen: Observation) -> Inspection:
    """What pictures of one table show, uint8 (H, W, 3) BGR, the last of which was ``seen``.

    That no tile lies there is no fault: so every round begins.
    """
    inspection = inspect_frames(images, seen)
    measured = tuple(one for one in inspection.measurements if one.cause is not Cause.NO_TILES)
    return replace(inspection, measurements=measured)


def gate_lines(inspection: Inspection) -> list[str]:
    """What is wrong with the picture, the worst first, for people."""
    return [labelled(one.grade.value, sentence(one)) for one in complaints(inspection)]
