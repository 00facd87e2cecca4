"""``tileref markers``, and what is said of cameras."""

from __future__ import annotations

from pathlib import Path

import pytest

from vision.frames import CameraFault
from web.camera_words import SENTENCES, fault_sentence
from web.cli import run


@pytest.mark.parametrize(("name", "start"), [("sheet.pdf", b"%PDF"), ("sheet.PNG", b"\x89PNG")])
def test_the_page_of_markers_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, start: bytes
) -> None:
    path = tmp_path / name
    assert run(["markers", str(path)]) == 0
    assert path.read_bytes().startswith(start)
    assert str(path) in capsys.readouterr().out
    assert run(["markers", str(path)]) == 2
    assert "--replace" in capsys.readouterr().err
    assert run(["markers", str(path), "--replace"]) == 0


@pytest.mark.parametrize(("name", "cause"), [("sheet.txt", ".pdf or .png"), ("no/sheet.pdf", "cannot be written")])
def test_a_page_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, cause: str
) -> None:
    assert run(["markers", str(tmp_path / name)]) == 2
    assert cause in capsys.readouterr().err


def test_each_fault_has_a_sentence_that_names_the_camera_or_the_light_and_what_helps() -> None:
    assert set(SENTENCES) == set(CameraFault)
    for fault in CameraFault:
        sentence = fault_sentence(fault)
        assert sentence[0].isupper()
        assert "{" not in sentence
        assert "camera" in sentence or fault is CameraFault.FLICKERING
