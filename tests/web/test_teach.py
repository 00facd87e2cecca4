"""``tileref teach`` from the outside: real networks on a rendered box, and every kind of input that teaches nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as PilImage

from tests.web.conftest import Command, Done
from vision.render.compose import Lighting, Placed, lying
from vision.render.faces import StyledBox, judge_box
from vision.render.surfaces import TRAINING_SURFACES
from vision.render.table import Shot, TableSpec, photograph, render_table
from vision.taught.asked import Asked
from vision.taught.box import TaughtBox, strip_of
from vision.taught.examples import Example
from vision.taught.laid_out import LaidOut
from vision.taught.outlook import Outlook, Prospect
from vision.taught.teacher import Teacher
from web.cli import run
from web.wiring import Wiring, product_wiring

ROWS = [*([f"{c}{n}" for n in range(1, 14)] for c in "RBKO"), ["J", "J"]]
GONE = ("B5", "K13")
LIGHT = Lighting()
Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Club:
    """A club with its box, photographed laid out and in play, and its folder of boxes."""

    folder: Path
    laid: Path
    table: Path
    box: StyledBox


def laid_out(box: StyledBox, rows: list[list[str]], seed: int = 3) -> list[list[Placed]]:
    rng = np.random.default_rng(seed)
    return [
        [lying(code, k * box.aspect * 1.1 + rng.normal(0, 0.01), 1.15 * row + rng.normal(0, 0.01), rng.normal(0, 1))
         for k, code in enumerate(codes) if code not in GONE]
        for row, codes in enumerate(rows)
    ]  # fmt: skip


def picture(path: Path, image: Pixels) -> Path:
    cv2.imwrite(str(path), image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    return path


def photo_of(path: Path, box: StyledBox, rows: list[list[str]], shot: Shot) -> Path:
    groups = laid_out(box, rows)
    placed = [tile for group in groups for tile in group]
    rng = np.random.default_rng(8)
    seen = photograph(
        rng, box, placed, [len(group) for group in groups], len(groups), shot, TRAINING_SURFACES[0], LIGHT
    )
    return picture(path, seen.scene.image)


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    folder = tmp_path_factory.mktemp("club")
    box = judge_box(np.random.default_rng(7))
    laid = photo_of(folder / "laid.jpg", box, ROWS, Shot(size_wh=(1100, 800), tilt_deg=20, roll_deg=90))
    spec = TableSpec((("R5", "R6", "R7"), ("K3", "R3", "O3", "J")))
    rng = np.random.default_rng(5)
    table = render_table(rng, box, spec, Shot(size_wh=(800, 600)), TRAINING_SURFACES[1], LIGHT)
    return Club(folder, laid, picture(folder / "table.jpg", table.scene.image), box)


@pytest.fixture(scope="module")
def real(real_eyes: Wiring) -> Wiring:
    """Real networks, the teacher's loaded once."""
    teacher = Teacher.load()
    return Wiring(real_eyes.load_eyes, product_wiring().load_eyes_for, lambda _: teacher)


@dataclass(frozen=True)
class QuickTeacher:
    """Reads a layout as the real one does, and keeps its tiles without learning to read them."""

    teacher: Teacher

    def lay_out(self, image: Pixels, asked: Asked) -> LaidOut:
        return self.teacher.lay_out(image, asked)

    def learn(self, name: str, photos: Sequence[tuple[Pixels, LaidOut]]) -> TaughtBox:
        tiles = tuple(tile.tile for _, laid in photos for tile in laid.settled if tile.tile is not None)
        return TaughtBox(
            name, tiles, strip_of(tuple(Example(tile, np.zeros((128, 96, 3), np.uint8)) for tile in tiles))
        )

    def outlook(self, box: TaughtBox) -> Outlook:
        faces = dict.fromkeys(box.tiles)
        return Outlook(tuple(Prospect(face, 1.0, 0.0, 0.2 * (str(face) in {"R6", "O9"})) for face in faces))


Run = Callable[..., Done]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder of boxes."""
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def taught(real: Wiring, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command with real networks."""
    return lambda *arguments: done(real, capfd, arguments)


@pytest.fixture
def told(real: Wiring, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command with real networks that read the layout, and nothing that takes long."""
    teacher = QuickTeacher(Teacher.load(threads=1))
    quick = Wiring(real.load_eyes, lambda _: real.load_eyes(), lambda _: teacher)
    return lambda *arguments: done(quick, capfd, arguments)


def done(wiring: Wiring, capfd: pytest.CaptureFixture[str], arguments: Sequence[object]) -> Done:
    status = run([str(argument) for argument in arguments], wiring)
    out, err = capfd.readouterr()
    return Done(status, out, err)


@pytest.mark.usefixtures("home")
def test_teach_then_use_the_box(club: Club, taught: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = tmp_path / "drawn"
    answer = taught("teach", club.laid, "--name", "club-box", "--annotate", drawn)
    assert (answer.status, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0].startswith("club-box: LEARNED, 50 of 52 tiles with a number, and 2 jokers")
    assert any(line.split()[:1] == ["blue"] and "not seen: B5" in line for line in lines)
    assert any(line.split()[:1] == ["black"] and "not seen: K13" in line for line in lines)
    assert any("with the box" in line and "0 wrongly, 0 not found" in line for line in lines)
    assert any(line.split()[:2] == ["in", "play"] and "it will be read" in line for line in lines)
    with PilImage.open(drawn / "laid.taught.jpg") as image:
        assert max(image.size) >= 1000
    file = tmp_path / "home" / "boxes" / "club-box.tilebox"
    assert 10_000 < file.stat().st_size < 1_000_000

    taken = taught("teach", club.laid, "--name", "club-box")
    assert (taken.status, taken.out, "--replace" in taken.err) == (2, "", True)

    checked = taught("check", club.table, "--box", "club-box", "--json")
    line = json.loads(checked.out)
    assert (checked.status, line["verdict"]) == (0, "legal")
    assert line["models"]["box"].startswith("club-box ")
    carried = tmp_path / "carried.tilebox"
    assert taught("box", "export", "club-box", carried).status == 0
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "elsewhere"))
    assert taught("box", "import", carried, "--name", "theirs").status == 0
    assert taught("box", "list").out == "theirs\n"
    assert json.loads(taught("check", club.table, "--box", "theirs", "--json").out)["verdict"] == "legal"
    assert json.loads(taught("check", club.table, "--box", carried, "--json").out)["verdict"] == "legal"


@pytest.mark.usefixtures("home")
def test_rows_that_are_told(club: Club, told: Run) -> None:
    rows = "R1-13 | B1-4 B6-13 | K1-12 | O1-13 | JD JM"
    whole = told("teach", club.laid, "--name", "told", "--tiles", rows)
    assert (whole.status, whole.err) == (0, "")
    assert "1 JD, 1 JM" in whole.out
    assert "1 JD, 1 JM" in told("box", "show", "told").out
    short = told("teach", club.laid, "--name", "short", "--tiles", rows.replace("R1-13", "R1-12"))
    assert short.status == 3
    assert "row 1 holds 13 tiles, and --tiles names 12." in short.out


@pytest.mark.usefixtures("home")
def test_jokers_of_another_number_than_told_are_a_question(club: Club, told: Run) -> None:
    answer = told("teach", club.laid, "--name", "jokers", "--jokers", "J JD JC")
    assert answer.status == 3
    assert answer.out.count("the photos show another number of jokers than --jokers names") == 2
    assert told("teach", club.laid, "--name", "kinds", "--jokers", "J JC").status == 0
    assert "1 J, 1 JC" in told("box", "show", "kinds").out


@pytest.mark.usefixtures("home")
def test_two_photos_are_one_lesson(club: Club, told: Run, tmp_path: Path) -> None:
    other = photo_of(tmp_path / "again.jpg", club.box, ROWS, Shot(size_wh=(1100, 800), tilt_deg=12))
    answer = told("teach", club.laid, other, "--name", "twice")
    assert answer.status == 0
    assert answer.out.startswith("twice: LEARNED, 100 of 104 tiles with a number, and 4 jokers")
    lines = [line.strip() for line in answer.out.splitlines()]
    assert any(line.startswith("in play") and "read well, about 100 of 100 tiles rightly" in line for line in lines)
    assert any(line.startswith("asked about") and line.endswith("R6 and O9") for line in lines)


def test_the_same_photo_twice_is_told_and_teaches_nothing(club: Club, told: Run, home: Path, tmp_path: Path) -> None:
    answer = told("teach", club.laid, club.laid, "--name", "twice")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert "laid.jpg was given twice" in answer.err
    saved_again = tmp_path / "saved.jpg"
    with PilImage.open(club.laid) as image:
        image.resize((880, 640)).save(saved_again, quality=70)
    answer = told("teach", club.laid, saved_again, "--name", "twice")
    assert answer.status == 2
    assert "are the same picture" in answer.err
    assert not home.exists()


def nothing(path: Path, _: Club) -> Path:
    image = PilImage.effect_noise((400, 300), 20).convert("RGB")
    image.save(path)
    return path


def a_text(path: Path, _: Club) -> Path:
    path.write_text("R1-13 | B1-13")
    return path


def in_play(_: Path, club: Club) -> Path:
    return club.table


def absent(path: Path, _: Club) -> Path:
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (nothing, "shows no box laid out"),
        (a_text, "no picture"),
        (in_play, "does not show a box laid out in order"),
        (absent, "does not exist"),
    ],
)
def test_what_teaches_nothing_is_one_sentence_and_leaves_nothing(
    club: Club, told: Run, home: Path, tmp_path: Path, make: Callable[[Path, Club], Path], words: str
) -> None:
    photo = make(tmp_path / "a.png", club)
    answer = told("teach", photo, "--name", "club-box")
    assert (answer.status, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert words in answer.err
    assert not home.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--name", "x"),
        ("a.jpg",),
        ("a.jpg", "b.jpg", "c.jpg", "--name", "x"),
        ("a.jpg", "--name", "../x"),
        ("a.jpg", "--name", "x", "--colours", "RBK"),
        ("a.jpg", "--name", "x", "--colours", "RBKR"),
        ("a.jpg", "--name", "x", "--tiles", "R1-13", "--tiles", "B1-13"),
        ("a.jpg", "--name", "x", "--tiles", "R1-13", "--colours", "RBKO"),
        ("a.jpg", "--name", "x", "--tiles", "R1 ?"),
        ("a.jpg", "--name", "x", "--tiles", "R1/R2"),
        ("a.jpg", "--name", "x", "--tiles", "R1 |"),
        ("a.jpg", "--name", "x", "--tiles", "R14"),
        ("a.jpg", "--name", "x", "--tiles", " "),
        ("a.jpg", "--name", "x", "--jokers", "J R1"),
        ("a.jpg", "--guide", "g.pdf"),
        ("--guide", "g.doc"),
    ],
)
def test_bad_usage(
    tileref: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    done = tileref("teach", *arguments)
    assert (done.status, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["guide.pdf", "guide.png"])
def test_the_guide_is_written_once(tileref: Command, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    assert tileref("teach", "--guide", file).status == 0
    data = file.read_bytes()
    assert data.startswith(b"%PDF" if name.endswith("pdf") else b"\x89PNG")
    again = tileref("teach", "--guide", file, "--colours", "OKBR")
    assert (again.status, "--replace" in again.err) == (2, True)
    assert file.read_bytes() == data
    assert tileref("teach", "--guide", file, "--colours", "OKBR", "--replace").status == 0
    assert file.read_bytes() != data


def test_cards_have_a_page_of_their_own(tileref: Command, tmp_path: Path) -> None:
    pages = {faces: tmp_path / f"{faces}.png" for faces in ("tiles", "cards")}
    for faces, file in pages.items():
        assert tileref("teach", "--guide", file, "--faces", faces).status == 0
    drawn = {faces: np.asarray(PilImage.open(file).convert("L"), np.int16) for faces, file in pages.items()}
    assert drawn["cards"].shape == drawn["tiles"].shape
    assert (drawn["cards"] != drawn["tiles"]).mean() > 0.05
    spades_first = tmp_path / "spades.png"
    assert tileref("teach", "--guide", spades_first, "--faces", "cards", "--colours", "SHCD").status == 0
    assert spades_first.read_bytes() != pages["cards"].read_bytes()
    colours_of_tiles = tileref("teach", "--guide", tmp_path / "x.png", "--faces", "cards", "--colours", "RBKO")
    assert colours_of_tiles.status == 2
    assert not (tmp_path / "x.png").exists()
