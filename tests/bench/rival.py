"""rummikub-solver (PyPI, MIT, Martijn Pieters): a second oracle, and the public solver to be faster than.

Installed by ``pip install 'tileref[bench]'``, asked through its public interface and with the integer programs of
SciPy, which it brings along: HiGHS proper was no quicker here, and GLPK ends the whole process on an empty table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from referee.tiles import HIGHEST_NUMBER, Colour, Tile

NAME = "rummikub-solver"
KNOWN_FAULTS = (
    "a joker that a run or a group of four could hold stays loose, an opening is refused where the distinct numbers of "
    "the rack do not add up to 30, and most value is taken for most tiles"
)
_COLOURS = (Colour.BLACK, Colour.BLUE, Colour.ORANGE, Colour.RED)
"""Its order of the colours of a box."""


class Rival:
    """rummikub-solver with the rules of the standard box."""

    def __init__(self, module: Any) -> None:
        self._rules = module.RuleSet()
        self._rules.backend = module.MILPSolver.SCIPY
        self._modes = module.SolverMode
        self.version = version(NAME)

    @classmethod
    def find(cls) -> Rival | None:
        """None where it is not installed."""
        try:
            return cls(import_module("rummikub_solver"))
        except ImportError:
            return None

    def state(self, table: Iterable[Sequence[Tile]], rack: Iterable[Tile], *, opened: bool = True) -> Any:
        """A position in its own form, to be asked about."""
        state = self._rules.new_game()
        state.add_table(*(self._tile(tile) for one in table for tile in one))
        state.add_rack(*(self._tile(tile) for tile in rack))
        state.initial = not opened
        return state

    def arrangeable(self, state: Any) -> bool:
        """Whether the table can be arranged with no joker left over."""
        arranged = self._rules.arrange_table(state)
        return arranged is not None and arranged.free_jokers == 0

    def can_open(self, state: Any) -> bool:
        """Whether sets worth 30 can be laid from the rack; it has no question for the highest value."""
        return self._rules.solve(state, self._modes.INITIAL) is not None

    def most_tiles(self, state: Any) -> int:
        play = self._rules.solve(state, self._modes.TILE_COUNT)
        return 0 if play is None else len(play.tiles)

    def most_value(self, state: Any) -> int:
        """The most face value that can be laid, a joker counting 0."""
        play = self._rules.solve(state, self._modes.TOTAL_VALUE)
        return 0 if play is None else sum(getattr(tile, "value", 0) for tile in play.tiles)

    def _tile(self, tile: Tile) -> Any:
        if tile.colour is None or tile.number is None:
            return self._rules.tiles[-1]
        return self._rules.tiles[_COLOURS.index(tile.colour) * HIGHEST_NUMBER + tile.number - 1]
