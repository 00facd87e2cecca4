"""``tileref inspect`` from the outside: go or no-go, causes and advice, bad inputs, cameras."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import DRAWN, UNLIKE_TILES, Observation, Scene
from tests.vision.net_camera import NetCamera, grey, jpeg
from tests.web.conftest import Done, Photographer
from tests.web.fakes import FakeEyes, FakeSight, blind, paint, table
from tests.web.test_box_store import a_box
from vision import sources
from vision.inspection import Cause, Grade, Inspection, Measurement
from vision.taught.box import TaughtBox
from vision.taught.box_file import to_bytes
from web.cli import run
from web.inspect_words import FIGURES, SENTENCES, complaints, sentence
from web.wiring import Wiring

Image = NDArray[np.uint8]
Command = Callable[..., Done]
FOUR_INKS = "R5 B6 K7 O8"


@dataclass(frozen=True, slots=True)
class FixedEyes:
    """See one table in every picture."""

    observation: Observation
    models: dict[str, str] = field(default_factory=lambda: {"reader": "1 4567ef01"})

    def look(self, image: Image, second_reader: bool = True) -> FakeSight:
        assert second_reader
        assert image.dtype == np.uint8
        return FakeSight(self.observation)


def film(path: Path, pictures: list[Image]) -> Path:
    assert sources.is_source(str(path))  # imported before OpenCV opens its first video, so that it keeps quiet
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, pictures[0].shape[1::-1])
    assert writer.isOpened()
    for picture in pictures:
        writer.write(picture)
    writer.release()
    return path


def one_sentence(done: Done) -> str:
    (line,) = done.err.splitlines()
    assert line.startswith("tileref: ")
    assert line.endswith(".")
    assert "Traceback" not in line
    return line


def test_a_good_photo_is_go(tileref: Command, photograph: Photographer) -> None:
    done = tileref("inspect", photograph("good.png", FOUR_INKS))
    assert done.status == 0, done.out
    assert "good.png: GO (4 tiles)" in done.out
    assert "measured" in done.out
    assert done.err == ""


def test_a_fault_is_no_go_with_its_cause_and_what_helps(tileref: Command, photograph: Photographer) -> None:
    done = tileref("inspect", photograph("cut.png", "R5/R6 B6/B7 K7 O8"))
    assert done.status == 1
    assert "cut.png: NO-GO (4 tiles)" in done.out
    assert "bad             50 % of the tiles stay doubtful." in done.out


def test_a_picture_without_tiles_is_no_go(tileref: Command, photograph: Photographer) -> None:
    done = tileref("inspect", photograph("empty.png", ""))
    assert done.status == 1
    assert "No tiles were found." in done.out
    assert "(0 tiles)" in done.out


@pytest.mark.parametrize("note", [UNLIKE_TILES, DRAWN])
def test_what_is_no_table_of_tiles_is_said_by_inspect_and_check(
    note: str, tileref: Command, eyes: FakeEyes, tmp_path: Path
) -> None:
    photo = eyes.photo(tmp_path / "other.png", table("R5/R6 R7 B9", notes=(note,)))
    inspected = tileref("inspect", photo)
    assert inspected.status == 1
    assert sentence(Measurement(Cause(note), 1.0)) in inspected.out
    checked = tileref("check", photo)
    assert checked.status == 3
    assert "CANNOT TELL" in checked.out
    assert sentence(Measurement(Cause(note), 1.0)) in checked.out
    (line,) = tileref("check", photo, "--json").out.splitlines()
    told = json.loads(line)
    assert told["verdict"] == "cannot_tell"
    assert note in [finding["code"] for finding in told["findings"]]


def test_a_count_of_something_else_says_why_it_cannot_tell(tileref: Command, eyes: FakeEyes, tmp_path: Path) -> None:
    photo = eyes.photo(tmp_path / "other.png", table("R5/R6 R7/R1 B9/B6", notes=(UNLIKE_TILES,)))
    done = tileref("count", photo)
    assert "does not look like tiles with numbers" in done.out
    assert "does not look like" not in tileref("count", eyes.photo(tmp_path / "box.png", table("R5 R6"))).out


def test_what_is_no_table_is_never_illegal_in_a_turn(tileref: Command, eyes: FakeEyes, tmp_path: Path) -> None:
    photo = eyes.photo(tmp_path / "other.png", table("R5 R7 B9", notes=(DRAWN,)))
    done = tileref("judge", "--before", "R1 R2 R3", "--after", photo)
    assert done.status == 3
    assert "drawing" in done.out


def test_json_says_the_same(tileref: Command, photograph: Photographer) -> None:
    good, bad = photograph("good.png", FOUR_INKS), photograph("bad.png", "R5/R6 B6 K7 O8 | #")
    done = tileref("inspect", good, bad, "--json")
    assert done.status == 1
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert list(first) == [
        "input", "kind", "frames", "width", "height", "go", "tiles", "measurements", "advice", "version", "models",
    ]  # fmt: skip
    assert (first["input"], first["kind"], first["frames"], first["go"], first["tiles"]) == (
        str(good), "photo", 1, True, 4,
    )  # fmt: skip
    assert {one["grade"] for one in first["measurements"]} == {"fine"}
    assert first["advice"] == []
    assert second["go"] is False
    assert {"hidden", "doubtful"} <= {one["cause"] for one in second["advice"]}
    assert all(one["message"].endswith(".") for one in second["advice"])


def test_folders_and_trouble_with_one_of_several(tileref: Command, photograph: Photographer, tmp_path: Path) -> None:
    photograph("folder/a.png", FOUR_INKS)
    photograph("folder/b.png", FOUR_INKS)
    done = tileref("inspect", tmp_path / "folder", tmp_path / "missing.jpg")
    assert done.status == 2
    assert len(done.out.splitlines()) >= 4
    assert "missing.jpg does not exist" in one_sentence(done)


@pytest.mark.parametrize("content", [b"", b"no picture"], ids=["empty", "text"])
@pytest.mark.parametrize("name", ["photo.jpg", "film.avi"])
def test_unreadable_inputs_are_one_sentence(content: bytes, name: str, tileref: Command, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    done = tileref("inspect", tmp_path / name)
    assert done.status == 2
    assert name in one_sentence(done)
    assert done.out == ""


@pytest.mark.parametrize("arguments", [[], [""], ["--box"], ["a.jpg", "--annotate", "x"]])
def test_bad_usage(arguments: list[str], tileref: Command) -> None:
    done = tileref("inspect", *arguments)
    assert done.status == 2
    assert done.out == ""
    assert "Error: " in done.err


def test_a_camera_that_is_not_there(tileref: Command) -> None:
    done = tileref("inspect", "97")
    assert done.status == 2
    assert "camera 97 cannot be opened" in one_sentence(done)


def test_networks_that_cannot_be_loaded(photograph: Photographer, capfd: pytest.CaptureFixture[str]) -> None:
    photo = photograph("good.png", FOUR_INKS)
    assert run(["inspect", str(photo)], blind("The network reader is missing.")) == 2
    assert capfd.readouterr().err == "tileref: The network reader is missing.\n"


def test_an_address_that_gives_one_picture_at_a_time_is_a_camera(capfd: pytest.CaptureFixture[str]) -> None:
    """Phone apps have such addresses: each question is answered with a picture."""
    seen = table(FOUR_INKS)
    with NetCamera() as phone:
        phone.shot = jpeg(paint(seen))
        assert run(["inspect", phone.address("/shot.jpg", "me:secret@")], Wiring(lambda: FixedEyes(seen))) == 0
        out = capfd.readouterr().out
        assert "GO (4 tiles, 8 frames)" in out
        assert "secret" not in out
        phone.shot = jpeg(grey(0))
        assert run(["inspect", phone.address("/shot.jpg")], Wiring(lambda: FixedEyes(seen))) == 2
        assert "gives black pictures" in capfd.readouterr().err


def test_a_film_is_looked_at_as_a_camera(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    seen = table(FOUR_INKS)
    path = film(tmp_path / "table.avi", [paint(seen)] * 10)
    assert run(["inspect", str(path)], Wiring(lambda: FixedEyes(seen))) == 0
    out, err = capfd.readouterr()
    assert "GO (4 tiles, 8 frames)" in out
    assert "flicker" in out
    assert err == ""
    assert run(["inspect", "--json", str(path)], Wiring(lambda: FixedEyes(seen))) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["kind"], told["frames"]) == ("camera", 8)


def test_a_film_of_one_frame_is_called_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    seen = table(FOUR_INKS)
    path = film(tmp_path / "table.avi", [paint(seen)])
    assert run(["inspect", str(path)], Wiring(lambda: FixedEyes(seen))) == 0
    assert "GO (4 tiles, 1 frame)" in capfd.readouterr().out


def test_the_tiles_of_a_taught_box_are_inspected_as_such(
    photograph: Photographer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    known: list[TaughtBox] = []

    def eyes_for(box: TaughtBox) -> FixedEyes:
        known.append(box)
        return FixedEyes(table(FOUR_INKS))

    file = tmp_path / "club-box.tilebox"
    file.write_bytes(to_bytes(a_box()))
    wiring = Wiring(lambda: FixedEyes(table("R6? B9? K7? O8?")), load_eyes_for=eyes_for)
    assert run(["inspect", str(photograph("a.png", FOUR_INKS)), "--box", str(file)], wiring) == 0
    assert "doubtful 0 %" in capfd.readouterr().out
    assert [box.name for box in known] == [a_box().name]


def test_a_shaken_camera_is_no_go(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    seen = table(FOUR_INKS)
    pictures = [np.roll(paint(seen), 20 * (k % 2), axis=1) for k in range(8)]
    assert run(["inspect", str(film(tmp_path / "shaken.avi", pictures))], Wiring(lambda: FixedEyes(seen))) == 1
    assert "The camera is not steady" in capfd.readouterr().out


def test_black_pictures_are_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    black = np.zeros((120, 160, 3), np.uint8)
    path = film(tmp_path / "black.avi", [black] * 3)
    assert run(["inspect", str(path)], Wiring(lambda: FixedEyes(Observation(160, 120, Scene.EMPTY)))) == 2
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert "black.avi gives black pictures" in err


# --- words ------------------------------------------------------------------------------------------------------


def test_every_cause_has_a_sentence_that_can_be_said() -> None:
    assert set(SENTENCES) == set(Cause)
    for cause in Cause:
        said = sentence(Measurement(cause, 42.5))
        assert said.endswith(".")
        assert "{" not in said
    assert {cause for cause, _ in FIGURES} <= set(Cause)


def test_complaints_begin_with_the_worst_and_say_nothing_twice() -> None:
    measured = (
        Measurement(Cause.UNEVEN, 4.0), Measurement(Cause.SMALL, 8.0), Measurement(Cause.SMALLEST, 7.0),
        Measurement(Cause.GLARE, 10.0), Measurement(Cause.BLURRED, 1.0), Measurement(Cause.MOVED, 2.0),
    )  # fmt: skip
    said = [(one.cause, one.grade) for one in complaints(Inspection(100, 100, 5, measured))]
    assert said[0] == (Cause.SMALL, Grade.BAD)
    assert set(said[1:]) == {
        (Cause.UNEVEN, Grade.POOR), (Cause.GLARE, Grade.POOR), (Cause.MOVED, Grade.POOR),
    }  # fmt: skip
