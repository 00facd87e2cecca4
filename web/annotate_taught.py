"""What was learned from a photo of a box laid out, drawn on it.  Pictures are uint8 (H, W, 3) BGR."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import face_code
from referee.switches import Faces
from vision.taught.laid_out import LaidOut, LaidTile
from web.annotate import AMBER, BLACK, GREEN, LONGEST_LONG_SIDE_PX, SHORTEST_LONG_SIDE_PX, WHITE

Pixels = npt.NDArray[np.uint8]

_JPEG_QUALITY = 90
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_CODE_HEIGHT = 0.22
"""Height of a code in tile heights."""
_CAP_PX = 21.0
"""Height in pixels of a capital of this font at scale 1."""


def picture_of(image: Pixels, laid: LaidOut, faces: Faces) -> bytes:
    """The photo as a JPEG: learned tiles outlined in green with their codes, the others in amber with a ``?``."""
    long_side = max(image.shape[:2])
    factor = float(np.clip(long_side, SHORTEST_LONG_SIDE_PX, LONGEST_LONG_SIDE_PX)) / long_side
    picture = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
    for tile in laid.tiles:
        _draw(picture, tile, factor, faces)
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    if not done:
        raise OSError("the picture cannot be encoded")
    return data.tobytes()


def _draw(picture: Pixels, tile: LaidTile, factor: float, faces: Faces) -> None:
    quad = np.asarray(tile.quad, np.float64) * factor
    colour = AMBER if tile.tile is None else GREEN
    outline = [np.round(quad).astype(np.int32)]
    cv2.polylines(picture, outline, True, BLACK, 4, cv2.LINE_AA)
    cv2.polylines(picture, outline, True, colour, 2, cv2.LINE_AA)
    text = "?" if tile.tile is None else face_code(tile.tile, faces)
    height = float(np.linalg.norm(quad[3] - quad[0]))
    scale = max(_CODE_HEIGHT * height / _CAP_PX, 0.35)
    (wide, tall), _ = cv2.getTextSize(text, _FONT, scale, 1)
    x, y = (0.18 * (quad[0] + quad[1]) + 0.32 * (quad[2] + quad[3])).tolist()
    corner, far = (round(x - wide / 2 - 2), round(y - tall / 2 - 2)), (round(x + wide / 2 + 2), round(y + tall / 2 + 2))
    cv2.rectangle(picture, corner, far, colour, cv2.FILLED)
    ink = BLACK if sum(colour) > 380 else WHITE
    cv2.putText(picture, text, (round(x - wide / 2), round(y + tall / 2)), _FONT, scale, ink, 1, cv2.LINE_AA)
