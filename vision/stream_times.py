"""When a network camera's frames were taken, from its own clock and from when they arrived."""

from __future__ import annotations

from dataclasses import dataclass

DRIFT = 1e-3
"""The camera's clock may run slower than ours by so much."""
MOST_LAG_S = 10.0
"""A stream that is said to lag further behind than this has another clock, or must be opened anew."""


@dataclass(slots=True)
class StreamTimes:
    """Tells how far a stream has fallen behind.

    The frame that came through fastest sets how the camera's clock stands to ours; one that took longer was taken that
    much earlier.  How long the fastest took nobody can see from here: that is ``least_s``.
    """

    least_s: float = 0.0
    _offset: float | None = None
    _stream_s: float = 0.0
    _arrived: float = 0.0

    def taken_at(self, arrived: float, stream_s: float | None) -> float:
        """When a frame was taken that arrived then; ``stream_s`` is its time by the camera's own clock, if it has one.

        Both in seconds; the result is in the clock of ``arrived``.
        """
        if stream_s is None:
            return arrived - self.least_s
        offset = arrived - stream_s
        if self._offset is None or stream_s <= self._stream_s:  # the first, or the stream began anew
            self._offset = offset
        else:
            self._offset = min(self._offset + DRIFT * (arrived - self._arrived), offset)
        self._stream_s, self._arrived = stream_s, arrived
        return stream_s + self._offset - self.least_s

    def lag(self, arrived: float, taken_at: float) -> float:
        """By how many seconds a frame came later than the fastest."""
        return arrived - taken_at - self.least_s
