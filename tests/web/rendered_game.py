"""A short game as a folder of rendered stills: what lay on the table at the end of each turn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from referee.notation import parse_table
from vision.render.samples import Sample, render_sample
from vision.render.table import Shot, TableSpec, encode


def write_stills(folder: Path, tables: Mapping[str, str], size_wh: tuple[int, int] = (1600, 1200)) -> None:
    """Render each table (name of the still → notation) into a JPEG of the folder; an empty table is bare cloth."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in tables.items():
        sets = [tuple(str(place.tile) for place in places) for places in parse_table(text)]
        shot = Shot(size_wh=size_wh, noise=0.4)
        rows, loose = [one for one in sets if len(one) > 1], [one[0] for one in sets if len(one) == 1]
        spec = TableSpec(rows=tuple(rows), loose=tuple(loose))
        rendered = render_sample(Sample("played", "", spec, shot))
        (folder / f"{name}.jpg").write_bytes(encode(rendered, shot))
