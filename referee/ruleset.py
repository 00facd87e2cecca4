"""The rules of one game as data: a frozen, range-checked value with a short fingerprint.

A rule set is a choice for every switch in ``SWITCHES``.  Its named presets are TOML files, read by
``referee.preset_files``; nothing here touches a file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum

from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER, Colour, Joker, Tile


class RowOrder(StrEnum):
    """What to make of a run that lies neither ascending nor descending."""

    NOTE = "note"
    ILLEGAL = "illegal"


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A switch that is a whole number from ``least`` to ``most``."""

    least: int
    most: int

    def allows(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most

    def __str__(self) -> str:
        return f"a whole number from {self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class YesNo:
    """A switch that is on or off."""

    def allows(self, value: object) -> bool:
        return isinstance(value, bool)

    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True, slots=True)
class Choice:
    """A switch with a few named positions."""

    names: tuple[str, ...]

    def allows(self, value: object) -> bool:
        return isinstance(value, str) and value in self.names

    def __str__(self) -> str:
        return " or ".join(f'"{name}"' for name in self.names)


Allowed = WholeNumber | YesNo | Choice

SWITCHES: Mapping[str, Allowed] = {
    "copies_per_tile": WholeNumber(1, 8),
    "regular_jokers": WholeNumber(0, 8),
    "double_jokers": WholeNumber(0, 8),
    "colour_change_jokers": WholeNumber(0, 8),
    "mirror_jokers": WholeNumber(0, 8),
    "min_set_length": WholeNumber(3, 4),
    "wrap_13_1": YesNo(),
    "jokers_per_set_max": WholeNumber(1, 13),
    "jokers_adjacent": YesNo(),
    "joker_for_exhausted_tile": YesNo(),
    "row_order": Choice(tuple(order.value for order in RowOrder)),
}
"""Every switch with the values it may take, in the order in which a preset lists them."""


class RuleSetError(ValueError):
    """A rule set cannot be built; the message is one sentence that names the key and the allowed values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """The rules at one table.

    ``name`` is the preset's name; it is no rule, so it is not part of the fingerprint.  A group never has more tiles
    than there are colours, and a run never more than there are numbers: these are no switches.

    Raises ``RuleSetError`` for a value outside its range.
    """

    name: str
    copies_per_tile: int
    """How many tiles of one colour and number the box holds."""
    regular_jokers: int
    double_jokers: int
    colour_change_jokers: int
    mirror_jokers: int
    min_set_length: int
    """The fewest tiles of a run or group, jokers included."""
    wrap_13_1: bool
    """Whether 1 may follow 13 in a run."""
    jokers_per_set_max: int
    """The most jokers in one set; 13 sets no limit, a run has no more places."""
    jokers_adjacent: bool
    """Whether jokers may lie side by side in a run (a group has no order)."""
    joker_for_exhausted_tile: bool
    """Whether a joker may stand for a tile of which all copies are in sight."""
    row_order: RowOrder
    """Whether a run out of order is illegal or only noted."""

    def __post_init__(self) -> None:
        for key in SWITCHES:
            check_switch(key, getattr(self, key))

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that change with any rule; a log keeps them beside its rulings."""
        rules = {key: value for key, value in asdict(self).items() if key != "name"}
        return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def longest_group(self) -> int:
        """The most tiles of a group: one of each colour."""
        return len(Colour)

    @property
    def box_size(self) -> int:
        """How many tiles the box holds, jokers included."""
        return sum(self.held(tile) for tile in box_faces())

    def held(self, tile: Tile) -> int:
        """How many copies of ``tile`` the box holds."""
        match tile.joker:
            case None:
                return self.copies_per_tile
            case Joker.REGULAR:
                return self.regular_jokers
            case Joker.DOUBLE:
                return self.double_jokers
            case Joker.COLOUR_CHANGE:
                return self.colour_change_jokers
            case Joker.MIRROR:
                return self.mirror_jokers


def box_faces() -> tuple[Tile, ...]:
    """Every face that a box may hold, in the order of the colours and numbers, the jokers last."""
    numbers = range(LOWEST_NUMBER, HIGHEST_NUMBER + 1)
    plain = tuple(Tile(colour=colour, number=number) for colour in Colour for number in numbers)
    return plain + tuple(Tile(joker=kind) for kind in Joker)


def check_switch(key: str, value: object) -> None:
    """Check one value of a preset; raises ``RuleSetError`` for an unknown key or a value that is not allowed."""
    if key not in SWITCHES:
        raise RuleSetError(f"{key} is not a rule: expected one of {', '.join(SWITCHES)}")
    if not SWITCHES[key].allows(value):
        shown = json.dumps(value) if isinstance(value, bool | str) else repr(value)
        raise RuleSetError(f"{key} = {shown} is not allowed: expected {SWITCHES[key]}")


def ruleset_from(name: str, values: Mapping[str, object]) -> RuleSet:
    """Build the rule set ``name`` from one value for each switch.

    Raises ``RuleSetError`` for an unknown key, a missing key or a value that is not allowed.
    """
    for key, value in values.items():
        check_switch(key, value)
    for key, allowed in SWITCHES.items():
        if key not in values:
            raise RuleSetError(f"{key} is missing: expected {allowed}")
    checked = dict(values) | {"row_order": RowOrder(str(values["row_order"]))}
    return RuleSet(name=name, **checked)  # type: ignore[arg-type]  # each value was checked against its switch
