"""The folder that annotated pictures are written into."""

from __future__ import annotations

from pathlib import Path

import cv2

from vision.intake import RULING_MARK
from web.annotate import annotate
from web.examine import Examined
from web.files import write_whole

_JPEG_QUALITY = 90


class Album:
    """Writes each ruling as ``NAME.ruling.jpg``, numbered where two photos of one run share a name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._used: set[str] = set()

    def add(self, examined: Examined) -> Path:
        """Draw and write one ruling, completely or not at all; returns the file.  Raises ``OSError``."""
        path = self._folder / self._free_name(examined.path.stem)
        encoded, data = cv2.imencode(".jpg", annotate(examined), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        if not encoded:
            raise OSError(f"cannot encode {path.name}")
        write_whole(path, data.tobytes())
        return path

    def _free_name(self, stem: str) -> str:
        number, name = 1, f"{stem}{RULING_MARK}.jpg"
        while name.casefold() in self._used:  # some file systems take A.jpg and a.jpg for one file
            number += 1
            name = f"{stem}-{number}{RULING_MARK}.jpg"
        self._used.add(name.casefold())
        return name
