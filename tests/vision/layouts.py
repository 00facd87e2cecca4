"""Boxes laid out by hand: quads, and what a reader of any skill says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.read import COLOUR_CLASSES, JOKER, NUMBER_CLASSES
from vision.taught.find import Seen
from vision.taught.laid_out import Labeller, LaidOut, Looks, column_step, in_order
from vision.taught.rows import rows_of

Floats = NDArray[np.float64]

TILE = np.array([[-0.36, -0.5], [0.36, -0.5], [0.36, 0.5], [-0.36, 0.5]])
INKS = {"R": (50, 60, 30), "B": (45, 5, -45), "K": (20, 0, 0), "O": (70, 25, 55)}
BOX = (*([f"{c}{n}" for n in range(1, 14)] for c in "RBKO"), *([f"{c}{n}" for n in range(1, 14)] for c in "RBKO"),
       ["J", "J"])  # fmt: skip


@dataclass(frozen=True)
class Lie:
    """How a box lies: each row's tiles (``""``: an empty place), and how untidily, bent, turned and seen."""

    rows: Sequence[Sequence[str]]
    gap: float = 0.08
    mess: float = 0.02
    bend: float = 0.0
    turn_deg: float = 0.0
    recede: float = 0.0
    """How much smaller the far end of the layout is seen."""
    seed: int = 0
    codes: list[str] = field(default_factory=list)
    """The tiles in the order of the quads."""

    def quads(self) -> NDArray[np.float32]:
        """The tiles in pixels, (N, 4, 2)."""
        rng = np.random.default_rng(self.seed)
        quads = []
        self.codes.clear()
        for row, tiles in enumerate(self.rows):
            for place, code in enumerate(tiles):
                if not code:
                    continue
                x = place * 0.72 * (1 + self.gap) + rng.normal(0, self.mess)
                slope = np.arctan(2 * self.bend * (x - 5) / 25)
                y = row * 1.15 + self.bend * ((x - 5) / 5) ** 2 + rng.normal(0, self.mess)
                quads.append(TILE @ _turn(float(slope + rng.normal(0, self.mess))).T + (x, y))
                self.codes.append(code)
        plane = np.array(quads) @ _turn(np.radians(self.turn_deg)).T
        plane -= plane.reshape(-1, 2).mean(axis=0)
        depth = 1 + self.recede * plane[..., 1:] / np.abs(plane).max()
        return np.asarray(60 * plane / depth + 1000, np.float32)


def _turn(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def seen(lie: Lie, skill: float = 1.0, wrong: Sequence[tuple[int, str]] = (), colours: str = "RBKO") -> Seen:
    """The layout as a reader sees it that knows a share ``skill`` of the tiles and of the others nothing.

    ``wrong`` tiles are surely read as another one; ``colours`` are what it takes the four inks for.
    """
    quads = lie.quads()
    codes = dict(enumerate(lie.codes)) | dict(wrong)
    rng = np.random.default_rng(lie.seed + 1)
    numbers = np.full((len(quads), len(NUMBER_CLASSES)), 0.0001)
    inks = np.full((len(quads), 4), 0.01)
    for i, code in codes.items():
        label = JOKER if code.startswith("J") else int(code[1:]) - 1
        if rng.random() < skill or i in dict(wrong):
            numbers[i, label] = 1
        else:
            numbers[i] = 1
        if label != JOKER:
            said = code[0] if i in dict(wrong) else colours["RBKO".index(code[0])]
            inks[i, COLOUR_CLASSES.index(said)] = 1
    numbers /= numbers.sum(axis=1, keepdims=True)
    return Seen(quads, numbers, inks / inks.sum(axis=1, keepdims=True), np.full(len(quads), 0.9), np.ones(len(quads)))


def looks(lie: Lie, blank: Sequence[int] = ()) -> Looks:
    """Four inks, none for jokers."""
    rng = np.random.default_rng(lie.seed)
    ink = [np.full(3, np.nan) if code[0] == "J" else np.array(INKS[code[0]]) + rng.normal(0, 2, 3)
           for code in lie.codes]  # fmt: skip
    return Looks(np.array(ink), np.isin(np.arange(len(ink)), blank))


def labelled(lie: Lie, what: Seen, labeller: Labeller | None = None) -> LaidOut:
    """The layout read."""
    rows = rows_of(what.quads, what.facing)
    return (labeller or in_order())(what, rows, column_step(rows), looks(lie))


def wrongly(lie: Lie, laid: LaidOut) -> list[tuple[str, str]]:
    """What was settled as something else than what lies there: (settled, truth)."""
    centres = lie.quads().mean(axis=1)
    found = []
    for tile in laid.settled:
        truth = lie.codes[int(np.linalg.norm(centres - tile.quad.mean(axis=0), axis=1).argmin())]
        if str(tile.tile) != truth:
            found.append((str(tile.tile), truth))
    return found
