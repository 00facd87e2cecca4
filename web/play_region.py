"""Where the table lies in the picture: told, found by what lies there, or kept from the last time with this camera."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.markers import find_markers, region_from_markers
from vision.region import FoundBy, RegionError, TableRegion
from vision.region_auto import region_around
from vision.registration import Landmarks, landmarks, register
from vision.sources import shown_name
from web.evidence.shelf import folder_name
from web.files import cause, write_whole
from web.output import print_trouble, printable
from web.region_store import load_region, save_region

if TYPE_CHECKING:
    import numpy.typing as npt

    from referee.observation import Observation

    Image = npt.NDArray[np.uint8]
    Look = Callable[[Image], Observation]

MARKERS, TILES, WHOLE = "markers", "tiles", "whole"
"""What may be said instead of corners or a file."""
_CORNERS = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)(?=\s|$)")


def corners_told(text: str) -> list[tuple[float, float]] | None:
    """The points of ``x,y x,y x,y x,y`` in pixels; None where the text tells no points."""
    points = [(float(x), float(y)) for x, y in _CORNERS.findall(text)]
    return points if points and not _CORNERS.sub("", text).strip() else None


def region_from_clicks(points: list[tuple[float, float]], image: Image) -> TableRegion:
    """The table between four clicks (x, y), in any order, on a picture uint8 (H, W, 3) BGR.  Raises ``RegionError``."""
    return TableRegion.from_points(points, image.shape[1], image.shape[0])


class RegionDesk:
    """The table's place for one camera, kept under ``home``; ``source`` is the camera as it was asked for.

    ``tell`` hears where it is kept, for people.
    """

    def __init__(self, home: Path, source: str, look: Look, tell: Callable[[str], None] = print_trouble) -> None:
        self._file = home / "regions" / f"{folder_name(shown_name(source))}.json"
        self._look, self._tell = look, tell

    def region(self, asked: str | None, image: Image) -> TableRegion | None:
        """The region in a picture uint8 (H, W, 3) BGR, None: all of it.

        ``asked``: ``markers``, ``tiles``, ``whole``, four corners or a file; None: four markers that lie there, else as
        it was kept, moved along where the camera was moved since.  What was asked for is kept.  Raises ``RegionError``.
        """
        if asked is None:
            return self._unasked(image)
        region = self.found(asked, image)
        self.keep(region, image)
        return region

    def found(self, asked: str, image: Image) -> TableRegion | None:
        """The region that was asked for; nothing is kept.  Raises ``RegionError``."""
        if asked == WHOLE:
            return None
        if asked == MARKERS:
            return region_from_markers(image)
        if asked == TILES:
            quads = np.array([seen.quad for seen in self._look(image).tiles], np.float32).reshape(-1, 4, 2)
            return region_around(image, quads)
        points = corners_told(asked)
        if points is not None:
            return region_from_clicks(points, image)
        region, _ = load_region(Path(asked))
        return region.scaled_to(image.shape[1], image.shape[0])

    def found_again(self, image: Image) -> TableRegion | None:
        """Four markers that lie there, else the region as it was kept, moved along; None: none was kept.

        Raises ``RegionError`` where it is kept and the camera sees another place, or nobody can read it.
        """
        if len(find_markers(image)) == 4:
            region = region_from_markers(image)
            self.keep(region, image)
            return region
        if not self._file.exists():
            return None
        region, known = load_region(self._file)
        move = None if known is None else register(known, landmarks(image))
        if move is None and known is not None:
            raise RegionError("The camera sees another place than when the table's place was kept.")
        region = region if move is None else region.moved(move.homography)
        region = region.scaled_to(image.shape[1], image.shape[0])
        self._tell(f"The table's place is the one in {printable(str(self._file))}: --region whole forgets it.")
        return region

    def _unasked(self, image: Image) -> TableRegion | None:
        try:
            return self.found_again(image)
        except RegionError as error:
            print_trouble(f"{error} The whole picture is the table now: say --region to set it up anew.")
            return None

    def follow(self, region: TableRegion | None, known: Landmarks | None) -> None:
        """Keep where the table lies by now, and how the camera stands; a place that was lost is no news."""
        if region is None or known is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            save_region(self._file, region, known)
        except RegionError as error:
            print_trouble(str(error))
        except OSError as error:
            print_trouble(f"{self._file.parent} cannot be written: {cause(error)}.")

    def keep(self, region: TableRegion | None, image: Image) -> None:
        """Keep it (None: forget it), with a picture of the table as it was understood.

        That this cannot be done stops no game.
        """
        if region is None:
            self._forget()
            return
        picture = self._file.with_suffix(".jpg")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            save_region(self._file, region, landmarks(image))
            done, data = cv2.imencode(".jpg", region.flatten(image))
            write_whole(picture, data.tobytes() if done else b"")
        except RegionError as error:
            print_trouble(str(error))
            return
        except OSError as error:
            print_trouble(f"{self._file.parent} cannot be written: {cause(error)}.")
            return
        what = "the whole picture" if region.found_by is FoundBy.WHOLE else f"found by {region.found_by.value}"
        self._tell(f"The table's place ({what}) as it is understood: {printable(str(picture))}")

    def _forget(self) -> None:
        for file in (self._file, self._file.with_suffix(".jpg")):
            try:
                file.unlink(missing_ok=True)
            except OSError as error:
                print_trouble(f"{file} cannot be removed: {cause(error)}.")
