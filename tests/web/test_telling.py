"""What an error or a notice holds is said in the language that is spoken, seats by their players' names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from gettext import NullTranslations
from pathlib import Path
from string import Formatter

import pytest

from referee.store import StoreError
from referee.told import NOTHING, Seat, ToldError, telling
from tests.languages.gathering import telling as telling_errors
from vision.intake import PhotoError, check_photo
from web.telling import say_told, say_whole, told_by
from web.tongue import spoken


class Brackets(NullTranslations):
    """Says everything in brackets, so that what was never said shows."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"


WHY = ToldError("it is the turn of {seat}, not of {other}", seat=Seat(0), other=Seat(1)).told


def player(seat: int) -> str:
    return ("Ann", "Bob")[seat]


def test_seats_are_said_by_names_or_else_counted_from_1() -> None:
    assert say_whole(WHY, player) == "It is the turn of Ann, not of Bob."
    assert say_told(WHY) == "it is the turn of seat 1, not of seat 2"
    with spoken(Brackets()):
        assert say_told(WHY, player) == "⟦it is the turn of Ann, not of Bob⟧"
        assert say_told(WHY) == "⟦it is the turn of ⟦seat 1⟧, not of ⟦seat 2⟧⟧"


def test_a_cause_is_said_in_the_same_language() -> None:
    error = StoreError("{game} cannot be written: {cause}", game="Friday", cause="database or disk is full")
    trouble = telling("the game cannot be written, and goes on when it can: {cause}", cause=error.told)
    assert say_whole(trouble) == (
        "The game cannot be written, and goes on when it can: Friday cannot be written: database or disk is full."
    )
    with spoken(Brackets()):
        assert say_told(trouble) == (
            "⟦the game cannot be written, and goes on when it can: "
            "⟦Friday cannot be written: database or disk is full⟧⟧"
        )


def test_nothing_is_said_where_nothing_was_told() -> None:
    with spoken(Brackets()):
        assert (say_whole(NOTHING), say_told(NOTHING)) == ("", "")


def test_what_the_eyes_cannot_do_is_told_too(tmp_path: Path) -> None:
    missing = tmp_path / "{x}.jpg"
    with pytest.raises(PhotoError) as caught:
        check_photo(missing)
    assert str(caught.value) == f"{missing} does not exist."
    with spoken(Brackets()):
        assert say_told(told_by(caught.value)) == f"⟦{missing} does not exist.⟧"
        assert say_told(told_by(OSError("no template"))) == "⟦no template⟧"


LOCATED = frozenset("UnreadableNotationError MisplacedNotationError AmbiguousNotationError".split())


def templates(tree: ast.Module, saying: AbstractSet[str]) -> Iterator[tuple[str, set[str], set[str]]]:
    """Each template of a module that something of these names says: what stands in its braces, and what is given."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args or any(word.arg is None for word in call.keywords):
            continue
        name, first = getattr(call.func, "id", ""), call.args[0]
        if name in saying and isinstance(first, ast.Constant) and isinstance(first.value, str):
            braces = {field for _, field, _, _ in Formatter().parse(first.value) if field is not None}
            given = {word.arg for word in call.keywords if word.arg is not None}
            yield first.value, braces, given | ({"text", "at"} if name in LOCATED else set())


def test_every_template_has_exactly_its_values(repository: Path) -> None:
    files = [file for floor in ("referee", "vision", "web") for file in sorted((repository / floor).rglob("*.py"))]
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}
    saying = telling_errors(trees.values()) | {"telling", "say"}
    found = [(file.name, *one) for file, tree in trees.items() for one in templates(tree, saying)]
    assert len(found) > 200
    assert [one for one in found if one[2] != one[3]] == []
