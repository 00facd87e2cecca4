"""Rulings on rendered tables in fonts, palettes and surfaces that training never saw.

    python -m tests.measure.judge_tables [--tables 200] [--seed 1] [--hard] [--keep FOLDER]

Half of the tables are legal, each of the others is one tile away from a legal one.  Prints one line a table that was
not ruled rightly, then the figures.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import cv2
import numpy as np

from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.tiles import parse_tile
from vision.render.club import judge_look
from vision.render.compose import Lighting
from vision.render.scene import random_lighting
from vision.render.surfaces import JUDGE_SURFACES
from vision.render.table import Shot, TableSpec, encode, render_table
from web.examine import examine
from web.wiring import product_wiring

Rows = tuple[tuple[str, ...], ...]
COLOURS = "RBKO"


@dataclass(frozen=True, slots=True)
class Case:
    """One table: its rows, single tiles, and whether it is legal."""

    rows: Rows
    loose: tuple[str, ...]
    legal: bool


def random_legal_rows(rng: np.random.Generator, sets: int) -> Rows:
    """Runs and groups from one box of 106 tiles, some with a joker."""
    left = Counter({f"{colour}{number}": 2 for colour in COLOURS for number in range(1, 14)})
    jokers = 2
    rows: list[tuple[str, ...]] = []
    while len(rows) < sets:
        if rng.random() < 0.55:
            length = int(rng.choice([3, 3, 4, 4, 5, 6, 8, 11]))
            first, colour = int(rng.integers(1, 15 - length)), COLOURS[int(rng.integers(4))]
            row = [f"{colour}{number}" for number in range(first, first + length)]
            if rng.random() < 0.15:
                row.reverse()
        else:
            number = int(rng.integers(1, 14))
            row = [f"{colour}{number}" for colour in rng.permutation(list(COLOURS))[: int(rng.integers(3, 5))]]
        if jokers and rng.random() < 0.15:
            row[int(rng.integers(len(row)))] = "J"
        wanted = Counter(code for code in row if code != "J")
        if all(left[code] >= count for code, count in wanted.items()):
            left -= wanted
            jokers -= "J" in row
            rows.append(tuple(row))
    return tuple(rows)


def is_legal(row: Sequence[str], ruleset: RuleSet) -> bool:
    """The referee's word on one row."""
    return judge_set([parse_tile(code) for code in row], ruleset).legal is True


def spoil(rows: Rows, rng: np.random.Generator, ruleset: RuleSet) -> Case:
    """One tile away from legal: a tile swapped, taken, added, or lying alone."""
    used = Counter(code for row in rows for code in row)
    while True:
        target = int(rng.integers(len(rows)))
        row = list(rows[target])
        spare = f"{COLOURS[int(rng.integers(4))]}{int(rng.integers(1, 14))}"
        kind = rng.random()
        if used[spare] >= 2 and kind >= 0.3:
            continue
        if kind < 0.3:
            del row[int(rng.integers(len(row)))]
        elif kind < 0.4:
            return Case(rows, (spare,), legal=False)
        elif kind < 0.55:
            row.insert(int(rng.integers(len(row) + 1)), spare)
        else:
            place = int(rng.integers(len(row)))
            if row[place] == "J":
                continue
            # a near miss: the same number in another colour, or the next number
            old = parse_tile(row[place])
            near = f"{spare[0]}{old.number}" if rng.random() < 0.5 else f"{old.colour}{spare[1:]}"
            if used[near] >= 2:
                continue
            row[place] = near
        if len(row) > 1 and not is_legal(row, ruleset):
            return Case((*rows[:target], tuple(row), *rows[target + 1 :]), (), legal=False)


def lighting(rng: np.random.Generator, hard: bool) -> Lighting:
    """Light in which people take such a photo; ``hard``: also strongly tinted or dim."""
    light = random_lighting(rng)
    tint = 1.0 if hard else 0.5
    blue, green, red = (1 + tint * (gain - 1) for gain in light.cast)
    return replace(
        light,
        gain=float(np.clip(light.gain, 0.6 if hard else 0.75, 1.05)),
        cast=(blue, green, red),
        glare=int(rng.random() < 0.1),
        blobs=min(light.blobs, 1),
    )


def render_case(rng: np.random.Generator, case: Case, hard: bool) -> bytes:
    """The table's photo as JPEG, from a phone held by hand; ``hard``: a worse camera and smaller pictures."""
    tiles = sum(len(row) for row in case.rows) + len(case.loose)
    least, most = (
        ((1100, 1500) if tiles < 30 else (1600, 2400)) if hard else ((1500, 2000) if tiles < 30 else (2000, 2800))
    )
    width = int(rng.integers(least, most))
    shot = Shot(
        size_wh=(width, int(width * rng.choice([0.5625, 0.75, 0.75, 1.0]))),
        tilt_deg=float(rng.uniform(0, 42)),
        roll_deg=float(rng.normal(0, 5)),
        view_deg=float(rng.uniform(35, 62)),
        fill=float(rng.uniform(0.75, 1.0)),
        noise=float(rng.uniform(0.3, 0.8) if hard else rng.uniform(0.2, 0.5)),
        jpeg_quality=int(rng.integers(75, 96)),
    )
    facings = tuple(float(rng.choice([0, 0, 180, 90, 270, rng.uniform(0, 360)])) for _ in range(5))
    spec = TableSpec(case.rows, case.loose, facings, messy=float(rng.uniform(0.3, 1.0)))
    surface = JUDGE_SURFACES[int(rng.integers(len(JUDGE_SURFACES)))]
    return encode(render_table(rng, judge_look(rng), spec, shot, surface, lighting(rng, hard)), shot)


@click.command()
@click.option("--tables", default=200, show_default=True, help="So many legal ones, and as many illegal ones.")
@click.option("--seed", default=1, show_default=True)
@click.option("--hard", is_flag=True, help="Dim and tinted light, smaller and worse pictures.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the pictures in this folder.")
def main(tables: int, seed: int, hard: bool, keep: Path | None) -> None:
    """Rule on rendered tables kept out of training and print the figures."""
    cv2.setNumThreads(1)
    ruleset = load_ruleset("international")
    eyes = product_wiring().load_eyes()
    figures: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(2 * tables):
            rng = np.random.default_rng([seed, number])
            rows = random_legal_rows(rng, int(rng.integers(2, 13)))
            case = Case(rows, (), legal=True) if number % 2 == 0 else spoil(rows, rng, ruleset)
            path = folder / f"{number:04d}.jpg"
            path.write_bytes(render_case(rng, case, hard))
            examined = examine(path, eyes, ruleset)
            verdict = examined.ruling.verdict.value
            seen = Counter(examined.codes)
            wanted = Counter(code for row in case.rows for code in row) + Counter(case.loose)
            figures["tiles"] += wanted.total()
            figures["tiles right"] += (seen & wanted).total()
            expected = "legal" if case.legal else "illegal"
            outcome = "right" if verdict == expected else verdict if verdict == "cannot_tell" else f"false {verdict}"
            figures[outcome] += 1
            if outcome != "right":
                missed, invented = dict(wanted - seen), dict(seen - wanted)
                print(f"{path.name}: {expected}, ruled {verdict}; missed {missed} read {invented}", flush=True)
            if keep is None:
                path.unlink()
    count, share = 2 * tables, figures["tiles right"] / figures["tiles"]
    print(f"{count} tables, {figures['tiles']} tiles ({share:.2%} right by content): "
          f"right {figures['right']}, false legal {figures['false legal']}, false illegal {figures['false illegal']}, "
          f"cannot tell {figures['cannot_tell']} ({figures['cannot_tell'] / count:.1%})")  # fmt: skip


if __name__ == "__main__":
    main()
