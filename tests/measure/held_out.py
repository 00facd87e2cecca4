"""How far the reading carries to a box that training never saw.

    python -m tests.measure.held_out [--photos FOLDER]

``models/held_out/GROUP/`` holds networks that were trained without the photos of one group (``make holdout``); here
those photos are read with them, and scored as all photos are.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from vision.model_store import models_folder
from vision.training.photo_data import group_of, photos_folder

HELD_OUT = models_folder() / "held_out"
SCORER = Path("..") / "tools" / "score_photos.py"
"""Seen from the folder of the photos."""


def photos_of(group: str, photos: Path) -> list[str]:
    """Names of the group's photos, whichever part of the split they are in."""
    return sorted(path.name for path in (photos / "photos").glob("*.jpg") if group_of(path.stem) == group)


def score(group: str, photos: Path) -> str:
    """What the scorer says of the group, read by networks that never saw it."""
    command = shlex.join([sys.executable, "-m", "tests.measure.check_with", str(HELD_OUT / group)])
    with tempfile.TemporaryDirectory() as folder:
        split = Path(folder) / "split.json"
        split.write_text(json.dumps({"held_out": photos_of(group, photos)}), encoding="utf-8")
        asked = [str(photos / SCORER), str(photos), "--split", str(split), "held_out", "--command", command]
        return subprocess.run([sys.executable, *asked], capture_output=True, text=True, check=True).stdout


def groups(held_out: Path) -> list[str]:
    """The groups of which networks lie in the folder, each in a folder of its own; none where there is no folder."""
    return sorted(path.parent.name for path in held_out.glob("*/manifest.toml"))


@click.command()
@click.option("--photos", type=click.Path(path_type=Path), help="Folder of labelled photos.")
def main(photos: Path | None) -> None:
    """Score each group that some networks were trained without."""
    where = photos or photos_folder()
    for group in groups(HELD_OUT):
        click.echo(f"== {group}: read by networks that never saw its {len(photos_of(group, where))} photos")
        click.echo(score(group, where))


if __name__ == "__main__":
    main()
