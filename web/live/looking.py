"""What becomes of a frame, or of none, wherever a live table is driven: it is judged, then looked at or let go."""

from __future__ import annotations

from collections.abc import Callable

from vision.frames import Frame, FrameFeed
from web.live.care import BLIND, CameraCare
from web.live.notices import Notice
from web.live.table import LiveTable


def look_at(
    live: LiveTable, feed: FrameFeed, frame: Frame | None, care: CameraCare | None, at: float,
    say: Callable[[tuple[Notice, ...]], object], note: Callable[[Frame], None] = lambda _frame: None,
) -> bool:  # fmt: skip
    """Have a table look at the frame that its feed gave (None: none came in time); whether it did.

    What shows nothing of the table as it lies now is time that goes by.  ``care`` judges a camera's frames as of
    ``at`` (the clock of their times); ``say`` is told all that is said at once, ``note`` of a frame that is looked at
    before it is.
    """
    fault, is_new = feed.fault, True
    if frame is not None and care is not None:
        fault = fault or care.judge(frame, at)
        is_new = care.is_new(frame)
    say(live.camera(fault))
    if frame is None or fault in BLIND or not is_new:
        say(live.tick())
        return False
    note(frame)
    say(live.see(frame))
    return True
