"""The bundled samples: each renders, its truth has the format of the shared photos, and the files are current."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.render import fonts, samples
from vision.render.fonts import JUDGE_FONTS, available_fonts
from vision.render.samples import SAMPLES, Sample, group, render_sample, run, write_samples
from vision.render.table import truth_of

BUNDLED = Path(__file__).resolve().parents[3] / "sample_images"
BY_NAME = {sample.name: sample for sample in SAMPLES}
NAMES = sorted(BY_NAME)


def small(sample: Sample) -> Sample:
    """The same sample at a quarter of the width and height."""
    width, height = sample.shot.size_wh
    return replace(sample, shot=replace(sample.shot, size_wh=(width // 4, height // 4)))


def bundled_truth(name: str) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads((BUNDLED / "truth" / f"{name}.json").read_text(encoding="utf-8"))
    return truth


def rendered_truth(sample: Sample) -> dict[str, Any]:
    """The truth as it comes back from its file."""
    told = truth_of(render_sample(sample), f"{sample.name}.jpg", "rack" if sample.rack else "table", sample.notes)
    truth: dict[str, Any] = json.loads(json.dumps(told))
    return truth


def check(truth: dict[str, Any], sample: Sample, width: int, height: int) -> None:
    """The format of the shared photos, and the tiles of the sample: all of them, in their rows."""
    assert set(truth) == {"photo", "width", "height", "scene", "tiles", "sets", "loose", "notes"}
    assert (truth["photo"], truth["width"], truth["height"]) == (f"{sample.name}.jpg", width, height)
    assert truth["scene"] == ("rack" if sample.rack else "table")
    assert truth["notes"] == sample.notes
    for tile in truth["tiles"]:
        assert {"tile", "quad"} <= set(tile) <= {"tile", "quad", "cut", "legible"}
        assert tile.get("cut", True) is True
        assert tile.get("legible", False) is False
        corners = np.array(tile["quad"])
        assert corners.shape == (4, 2)
        assert cv2.contourArea(corners.astype(np.float32), oriented=True) > 0
        assert (corners.mean(axis=0) > 0).all()
        assert (corners.mean(axis=0) < (width, height)).all()
    codes = [tile["tile"] for tile in truth["tiles"]]
    rows = [row for row in sample.spec.rows if len(row) > 1]
    assert Counter(codes) == Counter(code for row in (*sample.spec.rows, sample.spec.loose) for code in row)
    assert [tuple(codes[i] for i in row) for row in truth["sets"]] == rows
    assert sorted(i for row in (*truth["sets"], truth["loose"]) for i in row) == list(range(len(codes)))


def test_runs_and_groups_are_written_short() -> None:
    assert run("R", 3, 5) == ("R3", "R4", "R5")
    assert run("K", 9, 7) == ("K9", "K8", "K7")
    assert group(7, "RKO") == ("R7", "K7", "O7")


def test_no_sample_holds_a_tile_more_often_than_a_box() -> None:
    for sample in SAMPLES:
        counted = Counter(code for row in (*sample.spec.rows, sample.spec.loose) for code in row if code != "?")
        assert max(counted.values()) <= 2, sample.name


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_renders_with_its_truth(name: str) -> None:
    sample = small(BY_NAME[name])
    check(rendered_truth(sample), sample, *sample.shot.size_wh)


@pytest.mark.parametrize("name", NAMES)
def test_the_bundled_truth_is_that_of_the_sample(name: str) -> None:
    sample = BY_NAME[name]
    check(bundled_truth(name), sample, *sample.shot.size_wh)


def test_every_sample_is_bundled_and_nothing_else() -> None:
    assert len(NAMES) == len(SAMPLES) >= 16
    assert sorted(path.stem for path in (BUNDLED / "photos").iterdir()) == NAMES
    assert sorted(path.stem for path in (BUNDLED / "truth").iterdir()) == NAMES


def test_rendering_again_gives_the_bundled_truth() -> None:
    missing = sorted(set(JUDGE_FONTS) - set(available_fonts(JUDGE_FONTS)))
    if missing:
        pytest.skip(f"the samples were drawn with fonts that are not installed here: {', '.join(missing)}")
    assert rendered_truth(BY_NAME["01_legal_small"]) == bundled_truth("01_legal_small")


def test_the_same_name_gives_the_same_picture() -> None:
    sample = small(BY_NAME["04_legal_jokers"])
    one, same, other = render_sample(sample), render_sample(sample), render_sample(replace(sample, name="04_other"))
    np.testing.assert_array_equal(one.scene.image, same.scene.image)
    assert (one.scene.image != other.scene.image).any()


def test_samples_need_no_font(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_installed", dict)
    sample = small(BY_NAME["16_clutter"])
    check(rendered_truth(sample), sample, *sample.shot.size_wh)


@pytest.mark.parametrize(
    ("name", "hides"),
    [("10_covered_tile", True), ("08_glare", True), ("01_legal_small", False)],
    ids=["a hand covers some", "glare whitens some", "nothing covers any"],
)
def test_what_a_sample_hides(name: str, hides: bool) -> None:
    legible = [tile.get("legible", True) for tile in bundled_truth(name)["tiles"]]
    assert (not all(legible)) is hides
    assert any(legible)


def test_samples_are_written_as_photo_and_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = small(BY_NAME["09_rack"])
    monkeypatch.setattr(samples, "SAMPLES", (sample,))
    write_samples(tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").rglob("*.*")) == ["09_rack.jpg", "09_rack.json"]
    picture = cv2.imread(str(tmp_path / "new" / "photos" / "09_rack.jpg"))
    assert picture is not None
    assert picture.shape[1::-1] == sample.shot.size_wh
    written = json.loads((tmp_path / "new" / "truth" / "09_rack.json").read_text(encoding="utf-8"))
    assert written == rendered_truth(sample)
