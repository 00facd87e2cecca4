"""``tileref check`` from the outside: exit statuses, bad inputs, output that nobody reads."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PilImage

from referee.observation import Scene
from referee.preset_files import preset_names
from tests.web.conftest import Command, Photographer
from tests.web.fakes import FakeEyes, blind, table
from web.cli import main, run
from web.wiring import Wiring

LEGAL = "R5 R6 R7 | K3 R3 O3 J"
ILLEGAL = "R5 R6 B7"
CANNOT_TELL = "R5/R6 R7 R8"
TABLES = {"legal": LEGAL, "illegal": ILLEGAL, "cannot_tell": CANNOT_TELL}


def one_sentence(err: str) -> str:
    """The only line on standard error: a sentence without a traceback."""
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("tileref: ")
    assert lines[0].endswith(".")
    return lines[0]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (["legal"], 0),
        (["legal", "legal"], 0),
        (["illegal"], 1),
        (["cannot_tell"], 3),
        (["legal", "cannot_tell"], 3),
        (["cannot_tell", "illegal"], 1),
        (["illegal", "legal", "cannot_tell"], 1),
        (["missing"], 2),
        (["legal", "missing"], 2),
        (["illegal", "missing", "cannot_tell"], 2),
    ],
)
def test_exit_status_is_the_first_that_applies(
    tileref: Command, photograph: Photographer, tmp_path: Path, asked: list[str], status: int
) -> None:
    names = [(f"{i}.png", name) for i, name in enumerate(asked)]
    paths = [photograph(file, TABLES[name]) if name in TABLES else tmp_path / file for file, name in names]
    assert tileref("check", *paths).status == status
    assert tileref("check", "--json", *paths).status == status


def bad_file(kind: str, folder: Path) -> Path:
    """One of the inputs that a user may hand in by mistake."""
    path = folder / f"{kind}.jpg"
    whole = io.BytesIO()
    PilImage.effect_noise((160, 120), 80).save(whole, "JPEG")
    frames = [PilImage.new("RGB", (64, 64), colour) for colour in ("red", "blue")]
    match kind:
        case "text":
            path.write_text("not a photo")
        case "empty":
            path.touch()
        case "truncated":
            path.write_bytes(whole.getvalue()[: len(whole.getvalue()) // 2])
        case "animated":
            frames[0].save(path, "GIF", save_all=True, append_images=frames[1:])
        case "dot":
            PilImage.new("RGB", (1, 1)).save(path, "PNG")
        case "huge":
            PilImage.new("1", (10_000, 6_000)).save(path, "PNG")
        case "folder":
            path.mkdir()
    return path


@pytest.mark.parametrize("kind", ["text", "empty", "truncated", "animated", "dot", "huge", "folder", "missing"])
def test_a_bad_input_is_one_sentence_and_the_others_are_done(
    tileref: Command, photograph: Photographer, tmp_path: Path, kind: str
) -> None:
    bad = bad_file(kind, tmp_path)
    first, last = photograph("first.png", LEGAL), photograph("last.png", ILLEGAL)
    done = tileref("check", "--json", first, bad, last)
    assert done.status == 2
    assert str(bad) in one_sentence(done.err)
    assert [json.loads(line)["photo"] for line in done.out.splitlines()] == [str(first), str(last)]


@pytest.mark.parametrize("kind", ["grey16", "cmyk", "alpha"])
def test_unusual_but_good_photos_are_ruled_on(eyes: FakeEyes, tileref: Command, tmp_path: Path, kind: str) -> None:
    eyes.known = [table(LEGAL)] * 256
    path = tmp_path / f"{kind}.png"
    match kind:
        case "grey16":
            PilImage.fromarray(np.full((700, 900), 40000, np.uint16)).save(path)
        case "cmyk":
            PilImage.new("CMYK", (900, 700), (10, 20, 30, 5)).save(path, "JPEG")
        case "alpha":
            PilImage.new("RGBA", (900, 700), (250, 250, 250, 90)).save(path)
    done = tileref("check", path)
    assert (done.status, done.err) == (0, "")


def test_unknown_preset(tileref: Command, photograph: Photographer) -> None:
    done = tileref("check", photograph("a.png", LEGAL), "--rules", "house-rules")
    assert done.status == 2
    assert done.out == ""
    assert "'house-rules'" in one_sentence(done.err)
    assert "classic-es" in done.err


def test_a_preset_of_ones_own(tileref: Command, photograph: Photographer, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('base = "international"\nmin_set_length = 4\n')
    done = tileref("check", "--json", photograph("a.png", LEGAL), "--rules", mine)
    assert done.status == 1
    assert json.loads(done.out)["rules"] == "mine"


@pytest.mark.parametrize("name", [*preset_names(), "cards.toml", "long.toml"])
def test_every_preset_rules_on_a_sample_picture(
    name: str, real_eyes: Wiring, tmp_path: Path, repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cards.toml").write_text('base = "classic-uk"\nfaces = "cards"\n')
    (tmp_path / "long.toml").write_text('base = "wrc"\nmin_set_length = 4\n')
    photo = repository / "sample_images" / "photos" / "01_legal_small.jpg"
    preset = tmp_path / name if name.endswith(".toml") else name
    status = run(["check", str(photo), "--json", "--rules", str(preset)], real_eyes)
    line = json.loads(capfd.readouterr().out)
    assert line["rules"] == name.removesuffix(".toml")
    assert (status, line["verdict"]) == ((1, "illegal") if name == "long.toml" else (0, "legal"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "wrc"\nmin_set_length = 5\n', "mine.toml: min_set_length = 5 is not allowed"),
        ('base = "nowhere"\n', "mine.toml: base: 'nowhere' is not a preset"),
        ("base = \n", "mine.toml: the file is no valid TOML"),
        ("time_s = 60\n", "mine.toml: "),
    ],
)
def test_a_broken_preset_of_ones_own(
    tileref: Command, photograph: Photographer, tmp_path: Path, text: str, said: str
) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(text)
    for command in (["check", photograph("a.png", LEGAL)], ["judge", "--table", "R5-7"], ["solve", "--rack", "R5"]):
        done = tileref(*command, "--rules", mine)
        assert (done.status, done.out) == (2, "")
        assert said in one_sentence(done.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["count"],
        ["check", "--before", "a.jpg"],
        ["check", "--after", "a.jpg"],
        ["check", "--before", "a.jpg", "--after", "b.jpg", "c.jpg"],
        ["check", "--no-such-option", "a.jpg"],
        ["guess", "a.jpg"],
        [],
    ],
)
def test_bad_usage(tileref: Command, arguments: list[str]) -> None:
    done = tileref(*arguments)
    assert done.status == 2
    assert "Usage: tileref" in done.err
    assert "Traceback" not in done.err


def test_networks_that_cannot_be_loaded(photograph: Photographer, capfd: pytest.CaptureFixture[str]) -> None:
    photo = photograph("a.png", LEGAL)
    assert run(["check", str(photo)], blind("models/detector.onnx is missing.")) == 2
    assert one_sentence(capfd.readouterr().err) == "tileref: models/detector.onnx is missing."


def test_stopping_from_the_keyboard(photograph: Photographer, capfd: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> FakeEyes:
        raise KeyboardInterrupt

    assert run(["check", str(photograph("a.png", LEGAL))], Wiring(load_eyes=interrupted)) == 130
    assert "Traceback" not in capfd.readouterr().err


def test_a_folder_is_done_in_order_of_names(tileref: Command, photograph: Photographer, tmp_path: Path) -> None:
    for name in ("b.png", "a.png", "c.png"):
        photograph(f"table/{name}", LEGAL)
    done = tileref("check", "--json", tmp_path / "table")
    assert [Path(json.loads(line)["photo"]).name for line in done.out.splitlines()] == ["a.png", "b.png", "c.png"]


def test_the_same_photo_gives_the_same_line_but_for_the_times(tileref: Command, photograph: Photographer) -> None:
    photo = photograph("a.png", "R5/R6 R7 R8 | ? | K1 #")
    lines = [json.loads(tileref("check", "--json", photo).out) for _ in range(2)]
    for line in lines:
        line.pop("timing_ms")
    assert lines[0] == lines[1]


def test_the_missing_second_reader_is_said_once(eyes: FakeEyes, tileref: Command, tmp_path: Path) -> None:
    legal = table(LEGAL, notes=("second_reader_absent", "some_other_note"))
    photos = [eyes.photo(tmp_path / f"{i}.png", legal) for i in range(3)]
    done = tileref("check", *photos)
    assert done.status == 0
    assert "tesseract" in one_sentence(done.err)


def test_annotated_pictures_of_two_folders_do_not_overwrite_each_other(
    tileref: Command, photograph: Photographer, tmp_path: Path
) -> None:
    photos = [photograph("one/a.png", LEGAL), photograph("two/a.png", ILLEGAL), photograph("two/A.jpg", LEGAL)]
    done = tileref("check", *photos, "--annotate", tmp_path / "drawn" / "deep")
    assert done.status == 1
    names = ["A-3.ruling.jpg", "a-2.ruling.jpg", "a.ruling.jpg"]
    assert sorted(path.name for path in (tmp_path / "drawn" / "deep").iterdir()) == names
    for name in names:
        assert str(tmp_path / "drawn" / "deep" / name) in done.out


def test_rulings_in_the_photos_own_folder_are_not_ruled_on_again(
    tileref: Command, photograph: Photographer, tmp_path: Path
) -> None:
    photograph("table/a.png", LEGAL)
    for _ in range(2):
        assert tileref("check", tmp_path / "table", "--annotate", tmp_path / "table").status == 0
    assert sorted(path.name for path in (tmp_path / "table").iterdir()) == ["a.png", "a.ruling.jpg"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes any bytes for a name")
def test_a_name_that_is_no_text(eyes: FakeEyes, tileref: Command, tmp_path: Path) -> None:
    photo = eyes.photo(tmp_path / os.fsdecode(b"caf\xe9.png"), table(LEGAL))
    done = tileref("check", photo, tmp_path / os.fsdecode(b"\xff.png"), "--annotate", tmp_path)
    assert done.status == 2
    assert "LEGAL" in done.out
    assert "does not exist" in one_sentence(done.err)
    assert json.loads(tileref("check", "--json", photo).out)["photo"] == str(photo)


def test_an_annotation_folder_that_cannot_be(tileref: Command, photograph: Photographer) -> None:
    photo = photograph("a.png", LEGAL)
    done = tileref("check", photo, "--annotate", photo)
    assert done.status == 2
    assert str(photo) in one_sentence(done.err)
    assert done.out == ""


def test_a_picture_that_cannot_be_written_does_not_stop_the_others(
    tileref: Command, photograph: Photographer, tmp_path: Path
) -> None:
    photos = [photograph("a.png", LEGAL), photograph("b.png", LEGAL)]
    (tmp_path / "drawn" / "a.ruling.jpg").mkdir(parents=True)  # a folder sits where the picture should go
    done = tileref("check", "--json", *photos, "--annotate", tmp_path / "drawn")
    assert done.status == 2
    assert "a.png" in one_sentence(done.err)
    assert len(done.out.splitlines()) == 2
    assert sorted(path.name for path in (tmp_path / "drawn").iterdir()) == ["a.ruling.jpg", "b.ruling.jpg"]


def test_racks_and_empty_tables_are_no_legal_tables(eyes: FakeEyes, tileref: Command, tmp_path: Path) -> None:
    rack = eyes.photo(tmp_path / "rack.png", table("R5 R6 R7", scene=Scene.RACK))
    empty = eyes.photo(tmp_path / "empty.png", table("", scene=Scene.EMPTY))
    for photo in (rack, empty):
        done = tileref("check", photo)
        assert done.status == 3
        assert "CANNOT TELL" in done.out


SCRIPT = """
import sys
from pathlib import Path
from tests.web.fakes import FakeEyes, table
from web.cli import run
eyes = FakeEyes()
photos = [eyes.photo(Path(sys.argv[1]) / f"{i}.png", table("R5 R6 R7")) for i in range(3)]
sys.exit(run(["check", "--json", *map(str, photos)], eyes.wiring))
"""


def start(tmp_path: Path, repository: Path, stdout: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=stdout, stderr=subprocess.PIPE, text=True, cwd=repository
    )


def test_a_reader_that_goes_away(tmp_path: Path, repository: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with start(tmp_path, repository, writing) as process:
        os.close(writing)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert one_sentence(err) == "tileref: The output cannot be written: its reader has gone."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk(tmp_path: Path, repository: Path) -> None:
    with Path("/dev/full").open("w") as full, start(tmp_path, repository, full.fileno()) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "no space left" in one_sentence(err)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"], ["rules", "list"]])
def test_help_onto_a_full_disk(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8", buffering=1) as full:
        monkeypatch.setattr(sys, "stdout", full)
        monkeypatch.setattr("web.output.abandon_output", lambda: None)
        assert run(arguments) == 2
        with pytest.raises(OSError, match="No space"):
            full.close()
    assert "no space left" in one_sentence(capfd.readouterr().err)


def test_standard_output_that_is_closed(
    eyes: FakeEyes, photograph: Photographer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    photo = photograph("a.png", LEGAL)
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stdout", None)
        assert run(["check", str(photo)], eyes.wiring) == 2
    assert one_sentence(capfd.readouterr().err) == "tileref: The output cannot be written: it is closed."


def test_standard_error_that_is_closed(
    eyes: FakeEyes, photograph: Photographer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    photos = [str(photograph(name, LEGAL)) for name in ("a.png", "b.png")]
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stderr", None)
        assert run(["check", *photos], eyes.wiring) == 0
        assert run(["check", *photos, str(tmp_path / "missing.png")], eyes.wiring) == 2


def test_a_fault_of_the_program_is_no_ruling(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken() -> int:
        raise RuntimeError("wheels came off")

    monkeypatch.setattr("web.cli.run", broken)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "wheels came off" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["two\nlines.png", "\x1b[31mred.png", "tab\t\x7f\x9b.png"])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_a_name_cannot_command_the_terminal(
    tileref: Command, photograph: Photographer, tmp_path: Path, name: str
) -> None:
    shown = name.encode("unicode_escape").decode()
    assert one_sentence(tileref("check", tmp_path / name).err).endswith(f"{shown} does not exist.")
    done = tileref("check", photograph(name, LEGAL), "--annotate", tmp_path / "drawn")
    assert done.status == 0
    first, *_, last = done.out.splitlines()
    assert first.endswith(f"{shown}: LEGAL (rules: international)")
    assert shown.removesuffix(".png") in last


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize("command", ["check", "count"])
def test_a_presets_name_cannot_command_the_terminal(
    tileref: Command, photograph: Photographer, tmp_path: Path, command: str
) -> None:
    mine = tmp_path / "two\nlines\x1b[31m.toml"
    mine.write_text('base = "international"\n')
    out = tileref(command, photograph("a.png", LEGAL), "--rules", mine).out
    assert "(rules: two\\nlines\\x1b[31m)" in out.splitlines()[0]
    assert "\x1b" not in out


@pytest.mark.parametrize(
    "arguments",
    [["check", ""], ["count", ""], ["check", "--before", "", "--after", "a"], ["check", "a", "--annotate", ""]],
)
def test_an_empty_name_is_not_the_current_folder(
    tileref: Command, photograph: Photographer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    photograph("a.png", LEGAL)
    monkeypatch.chdir(tmp_path)
    done = tileref(*arguments)
    assert (done.status, done.out) == (2, "")
    assert "An empty name is no file or folder." in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", "--help"], ["rules", "list"], ["check"]])
def test_the_command_starts_without_the_heavy_libraries(repository: Path, arguments: list[str]) -> None:
    script = (
        "import sys; from web.cli import run; status = run(sys.argv[1:]);"
        "heavy = {'numpy', 'cv2', 'onnxruntime', 'PIL', 'pytesseract', 'vision'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        cwd=repository,
        check=False,
        timeout=120,
    )
    assert "imported" not in done.stderr
    assert done.returncode == (2 if arguments == ["check"] else 0)
