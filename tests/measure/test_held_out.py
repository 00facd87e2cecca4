"""Networks of another folder read photos as the product's own do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.measure.check_with import main
from tests.measure.held_out import groups, photos_of
from vision.model_store import ModelError, models_folder

SAMPLE = Path(__file__).parents[2] / "sample_images" / "photos"


def test_a_group_is_all_photos_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for name in ("roni_a.jpg", "roni_b.jpg", "rummy-1.jpg", "rummy4-2.jpg", "ronika-3.jpg"):
        (tmp_path / "photos" / name).write_bytes(b"")
    assert photos_of("roni", tmp_path) == ["roni_a.jpg", "roni_b.jpg"]
    assert photos_of("nobody", tmp_path) == []


def test_only_folders_of_networks_are_groups(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("What these are.", encoding="utf-8")
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "roni").mkdir()
    (tmp_path / "roni" / "manifest.toml").write_bytes(b"")
    assert groups(tmp_path) == ["roni"]
    assert groups(tmp_path / "nowhere") == []


def test_photos_are_checked_with_the_networks_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    photo = min(SAMPLE.glob("*.jpg"))
    main(models_folder(), [photo])
    line = json.loads(capsys.readouterr().out)
    assert line["photo"].endswith(photo.name)
    assert line["tiles"]
    with pytest.raises(ModelError, match="manifest"):
        main(tmp_path, [photo])
