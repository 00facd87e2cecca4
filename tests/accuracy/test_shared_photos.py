"""The quality ratchet: accuracy on the shared validation photos never falls below the committed baseline."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

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


@pytest.mark.timeout(900)
def test_validation_photos_are_read_as_well_as_committed(shared_photos: Path, repository: Path) -> None:
    scorer = shared_photos.parent / "tools" / "score_photos.py"
    if not scorer.is_file():
        pytest.skip(f"no scoring tool at {scorer}")
    split = [str(shared_photos / "split.json"), "valid"]
    done = subprocess.run(
        [sys.executable, str(scorer), str(shared_photos), "--split", *split, "--command", COMMAND],
        capture_output=True, text=True, check=True, cwd=repository,
    )  # fmt: skip
    seen = figures(done.stdout)
    baseline = tomllib.loads(BASELINE.read_text(encoding="utf-8"))["valid"]
    for name in ("right", "exact", "sets_right"):
        assert seen[name] >= baseline[name], done.stdout
    for name in ("silent", "flagged", "extra", "false_legal", "false_illegal", "cannot_tell", "no_result"):
        assert seen[name] <= baseline[name], done.stdout
