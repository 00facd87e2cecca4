"""The quality ratchet: accuracy on the shared validation photos never falls below the committed baseline."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.measure.held_out import score

BASELINE = Path(__file__).resolve().parents[2] / "models" / "baseline.toml"
COMMAND = f'{sys.executable} -c "from web.cli import main; main()" check --json'


def figures(text: str) -> dict[str, float]:
    """The numbers that the scoring tool prints."""
    patterns = {
        "exact": r"exact (\d+)",
        "right": r"right ([\d.]+)%",
        "extra": r"extra (\d+)",
        "silent": r"silent (\d+)",
        "flagged": r"flagged (\d+)",
        "sets_right": r"sets right (\d+)",
        "false_legal": r"false legal (\d+)",
        "false_illegal": r"false illegal (\d+)",
        "cannot_tell": r"cannot tell (\d+)",
        "no_result": r"no result (\d+)",
    }
    found = {name: re.search(pattern, text) for name, pattern in patterns.items()}
    assert all(found.values()), text
    return {name: float(match.group(1)) for name, match in found.items() if match}


def compare(text: str, baseline: dict[str, float]) -> None:
    """No figure is worse than the committed one."""
    seen = figures(text)
    for name in ("right", "exact", "sets_right"):
        assert seen[name] >= baseline[name], text
    for name in ("silent", "flagged", "extra", "false_legal", "false_illegal", "cannot_tell", "no_result"):
        assert seen[name] <= baseline[name], text


@pytest.fixture(scope="module")
def baselines() -> dict[str, dict[str, float]]:
    return tomllib.loads(BASELINE.read_text(encoding="utf-8"))


@pytest.fixture
def scorer(shared_photos: Path) -> Path:
    path = shared_photos.parent / "tools" / "score_photos.py"
    if not path.is_file():
        pytest.skip(f"no scoring tool at {path}")
    return path


@pytest.mark.timeout(900)
def test_validation_photos_are_read_as_well_as_committed(
    shared_photos: Path, scorer: Path, repository: Path, baselines: dict[str, dict[str, float]]
) -> None:
    split = [str(shared_photos / "split.json"), "valid"]
    done = subprocess.run(
        [sys.executable, str(scorer), str(shared_photos), "--split", *split, "--command", COMMAND],
        capture_output=True, text=True, check=True, cwd=repository,
    )  # fmt: skip
    compare(done.stdout, baselines["valid"])


@pytest.mark.timeout(300)
def test_a_box_that_training_never_saw_is_read_as_well_as_committed(
    shared_photos: Path, scorer: Path, baselines: dict[str, dict[str, float]]
) -> None:
    assert scorer.is_file()
    compare(score("roni", shared_photos), baselines["held_out_roni"])
