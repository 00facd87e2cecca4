"""What the pages may ask of a table's camera: where the table lies in its picture, and how good that picture is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.told import marked
from vision.region import RegionError, TableRegion
from web.dashboard.light_meter import LightMeter
from web.live.care import CameraCare
from web.play_region import RegionDesk

if TYPE_CHECKING:
    from vision.frames import Frame

LOST = marked("The camera sees another place than before: set the table's place again.")


class TableCamera:
    """The camera of one table; ``note`` and ``leave`` are for the table's own thread, all else for anybody's.

    ``waiting`` are the players of a game that begins once the picture is good enough.
    """

    def __init__(self, places: RegionDesk, care: CameraCare, meter: LightMeter) -> None:
        self.places, self.meter = places, meter
        self.waiting: tuple[str, ...] = ()
        self._care = care
        self._begun = self._is_lost = False

    @property
    def region(self) -> TableRegion | None:
        """Where the table lies now; None: it is all of the picture."""
        return self._care.region

    @property
    def trouble(self) -> str:
        """Why the table's place is not the one of before, as a sentence; empty where it is."""
        return LOST if self.region is None and (self._is_lost or self._care.gave_up) else ""

    def note(self, frame: Frame) -> None:
        """A frame that shows something, before it is looked at: the first one shows where the table lies."""
        self.meter.note(frame.image)
        if self._begun:
            return
        self._begun = True
        try:
            region = self.places.found_again(frame.image)
        except RegionError:
            self._is_lost = True
        else:
            if region is not None:
                self._care.place(region, frame)

    def place(self, region: TableRegion | None, frame: Frame) -> None:
        """The table lies there in this frame from now on, on its own thread."""
        self._begun, self._is_lost = True, False
        self._care.place(region, frame)

    def leave(self) -> None:
        """Keep for the next start what is known of the table's place by now."""
        self.places.follow(self._care.region, self._care.known)
