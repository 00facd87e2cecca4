"""The table's region in a file, so that a set-up is not lost at a restart."""

from __future__ import annotations

import json
from pathlib import Path

from vision.region import RegionError, TableRegion
from vision.registration import Landmarks
from web.files import cause, write_whole

MOST_BYTES = 500_000


def save_region(path: Path, region: TableRegion, known: Landmarks | None = None) -> None:
    """Write a region, and by what the camera's stand is known.  Raises ``RegionError``."""
    content = json.loads(region.to_json()) | ({} if known is None else {"landmarks": known.to_text()})
    try:
        write_whole(path, (json.dumps(content) + "\n").encode())
    except (OSError, ValueError) as error:
        raise RegionError("{path} cannot be written: {cause}.", path=str(path), cause=cause(error)) from error


def load_region(path: Path) -> tuple[TableRegion, Landmarks | None]:
    """Read a region.  Raises ``RegionError``, whose sentence names the file and what is wrong with it."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise RegionError("{path} cannot be read: {cause}.", path=str(path), cause=cause(error)) from error
    try:
        if len(data) > MOST_BYTES:
            raise RegionError("This is no table region: the file is too long.")
        text = data.decode()
        return TableRegion.from_json(text), _landmarks(json.loads(text).get("landmarks"))
    except UnicodeDecodeError as error:
        raise RegionError("{path}: This is no table region: the text is damaged.", path=str(path)) from error
    except RegionError as error:
        raise RegionError("{path}: {cause}", path=str(path), cause=str(error)) from error


def _landmarks(text: object) -> Landmarks | None:
    if text is None:
        return None
    try:
        return Landmarks.from_text(str(text))
    except ValueError as error:
        raise RegionError("The landmarks of this table region are damaged: set the table up again.") from error
