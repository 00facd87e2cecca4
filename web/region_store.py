"""The table's region in a file, so that a set-up is not lost at a restart."""

from __future__ import annotations

from pathlib import Path

from vision.region import RegionError, TableRegion
from web.files import cause, write_whole

MOST_BYTES = 10_000


def save_region(path: Path, region: TableRegion) -> None:
    """Write a region.  Raises ``RegionError``."""
    try:
        write_whole(path, (region.to_json() + "\n").encode())
    except (OSError, ValueError) as error:
        raise RegionError(f"{path} cannot be written: {cause(error)}.") from error


def load_region(path: Path) -> TableRegion:
    """Read a region.  Raises ``RegionError``, whose sentence names the file and what is wrong with it."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise RegionError(f"{path} cannot be read: {cause(error)}.") from error
    try:
        if len(data) > MOST_BYTES:
            raise RegionError("This is no table region: the file is too long.")
        return TableRegion.from_json(data.decode())
    except UnicodeDecodeError as error:
        raise RegionError(f"{path}: This is no table region: the text is damaged.") from error
    except RegionError as error:
        raise RegionError(f"{path}: {error}") from error
