"""The positions that the rule book is timed on: the verified ones beside the repository, or our own (``generator``)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.tiles import Tile, parse_tile
from referee.turn import TurnRuling
from web.solve_batch import REASONS

FOLDER = Path(os.environ.get("TILEREF_BENCH", Path(__file__).resolve().parents[2].parent / "shared" / "bench"))
FILE = FOLDER / "rummikub-instances.jsonl"

Tiles = tuple[Tile, ...]
Sets = tuple[Tiles, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """The table before and after a turn, the rack before it, and what is wrong; legal where nothing is."""

    name: str
    before: Sets
    after: Sets
    rack: Tiles
    opened: bool
    reasons: frozenset[str]


@dataclass(frozen=True, slots=True)
class Heap:
    """Tiles to arrange wholly into sets; ``arrangeable`` is None where nobody has verified it."""

    name: str
    tiles: Tiles
    arrangeable: bool | None = None


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack to open from; ``value`` of the best opening is None where nobody has verified it."""

    name: str
    tiles: Tiles
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """A table and a rack to play from, with the verified optima, or None.

    ``value`` counts a joker 0, ``value_joker30`` 30; ``harder`` ones were picked because solvers took long.
    """

    name: str
    table: Sets
    rack: Tiles
    harder: bool = False
    tiles: int | None = None
    value: int | None = None
    value_joker30: int | None = None


@dataclass(frozen=True, slots=True)
class Instances:
    """All that one run is timed on, and where it comes from."""

    source: str
    turns: tuple[Turn, ...]
    heaps: tuple[Heap, ...]
    racks: tuple[Rack, ...]
    positions: tuple[Position, ...]


def read(file: Path) -> Instances:
    """The instances of a file in the format of the shared bench, which its README describes."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return Instances(
        source=f"{file.name}, answers verified",
        turns=tuple(_turn(line) for line in _of_kind(lines, "transition")),
        heaps=tuple(
            Heap(line["id"], _tiles(line["tiles"]), line["answer"]["arrangeable"])
            for line in _of_kind(lines, "arrange")
        ),
        racks=tuple(
            Rack(line["id"], _tiles(line["rack"]), line["answer"]["max_meld_value"])
            for line in _of_kind(lines, "initial_meld")
        ),
        positions=tuple(_position(line) for line in _of_kind(lines, "best_move")),
    )


def reasons(ruling: TurnRuling) -> frozenset[str]:
    """What is wrong with a turn, in the words of the instances."""
    return frozenset(REASONS.get(code, "illegal_set") for code in ruling.faults)


def _of_kind(lines: Sequence[Mapping[str, Any]], kind: str) -> Iterator[Mapping[str, Any]]:
    return (line for line in lines if line["kind"] == kind)


def _tiles(codes: Sequence[str]) -> Tiles:
    return tuple(parse_tile(code) for code in codes)


def _sets(codes: Sequence[Sequence[str]]) -> Sets:
    return tuple(_tiles(one) for one in codes)


def _turn(line: Mapping[str, Any]) -> Turn:
    return Turn(
        line["id"],
        _sets(line["before"]),
        _sets(line["after"]),
        _tiles(line["rack"]),
        line["opened_before"],
        frozenset(line["answer"]["reasons"]),
    )


def _position(line: Mapping[str, Any]) -> Position:
    answer = line["answer"]
    return Position(
        line["id"],
        _sets(line["table"]),
        _tiles(line["rack"]),
        line["id"].startswith("bh-"),
        answer["max_tiles"],
        answer["max_value_joker0"],
        answer["max_value_joker30"],
    )
