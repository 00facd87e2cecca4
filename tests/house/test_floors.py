"""The floors of the house: who may import what.  import-linter draws the lines between our packages; what it cannot
say (standard library only, a list of what is allowed) is checked here on the source itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

VOCABULARY = {"referee.tiles", "referee.notation", "referee.observation"}


def sources(package: str) -> list[Path]:
    return sorted((REPOSITORY / package).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The full names of all modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where a module lives"
            yield node.module or ""


def label(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.mark.parametrize("path", sources("referee"), ids=label)
def test_the_referee_rests_on_the_standard_library_alone(path: Path) -> None:
    allowed = set(sys.stdlib_module_names) | {"referee"}
    if path.is_relative_to(REPOSITORY / "referee" / "store"):
        allowed |= {"sqlalchemy", "alembic"}  # the one part that talks to a database
    assert {name for name in imported(path) if name.split(".")[0] not in allowed} == set()


@pytest.mark.parametrize("path", sources("referee"), ids=label)
def test_rule_modules_have_no_clock_no_dice_and_no_files(path: Path) -> None:
    if path.stem == "preset_files":
        return  # the one module that reads files
    forbidden = {"time", "datetime", "random", "secrets", "os", "io", "pathlib", "socket", "sqlite3", "subprocess"}
    assert {name for name in imported(path) if name.split(".")[0] in forbidden} == set()


@pytest.mark.parametrize("path", sources("vision"), ids=label)
def test_vision_knows_only_the_referees_vocabulary(path: Path) -> None:
    names = set(imported(path))
    assert {name for name in names if name.split(".")[0] == "web"} == set()
    assert {name for name in names if name.split(".")[0] == "referee"} <= VOCABULARY


@pytest.mark.parametrize("path", [*sources("referee"), *sources("vision"), *sources("web")], ids=label)
def test_torch_is_for_training_alone(path: Path) -> None:
    if path.is_relative_to(REPOSITORY / "vision" / "training"):
        return
    names = set(imported(path))
    assert {name for name in names if name.split(".")[0] in {"torch", "onnx"}} == set()
    assert {name for name in names if name.startswith("vision.training")} == set()


def test_models_and_samples_hold_no_code() -> None:
    for folder in ("models", "sample_images"):
        assert sources(folder) == []
