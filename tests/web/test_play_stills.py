"""``tileref play`` on a folder of stills: each turn once, however the game is left and taken up again."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PIL import Image as PilImage

from tests.web.conftest import Done
from tests.web.fakes import FakeEyes, SeeingWatch, table
from tests.web.rendered_game import write_stills
from vision.region import TableRegion
from web.cli import run
from web.live.sight import Watch
from web.wiring import Eyes, Wiring

OPENING = "R9 R10 R11 R12 R13"
SECOND = f"{OPENING} | B10 K10 O10"
THIRD = f"{SECOND} | K1 K2 K3"
ELSEWHERE = "B4 B5 B6"

Show = Callable[..., Done]
Write = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def regions() -> list[TableRegion | None]:
    """What the table was watched with."""
    return []


@pytest.fixture
def write(tmp_path: Path, eyes: FakeEyes) -> Write:
    """Writes a folder of stills: name → table."""

    def written(tables: Mapping[str, str]) -> Path:
        for name, text in tables.items():
            eyes.photo(tmp_path / "stills" / f"{name}.png", table(text))
        return tmp_path / "stills"

    return written


@pytest.fixture
def show(
    eyes: FakeEyes, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    regions: list[TableRegion | None],
) -> Show:  # fmt: skip
    """Plays the folder as the game ``club`` of Ann and Bob; ``typed`` is the standard input."""
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))

    def watched(loaded: Eyes, region: TableRegion | None, stills: bool) -> Watch:
        assert stills
        regions.append(region)
        return SeeingWatch(loaded)

    def command(*arguments: str, typed: str = "") -> Done:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        told = ["play", "--camera", str(tmp_path / "stills"), "--game", "club", *arguments]
        status = run(told, Wiring(load_eyes=lambda: eyes, watch=watched))
        return Done(status, *capfd.readouterr())

    return command


def verdicts(done: Done) -> list[str]:
    return [line for line in done.out.splitlines() if line.startswith(("LEGAL", "ILLEGAL", "CANNOT TELL"))]


def test_a_game_that_is_taken_up_again_uses_no_still_twice(show: Show, write: Write) -> None:
    write({"turn1": OPENING, "turn2": "R9 R10 R11 R12 R13 | B10 K10 O10/O12"})
    done = show("--names", "Ann,Bob")
    assert (done.status, len(verdicts(done))) == (3, 2)
    assert "about turn2.png" in done.err
    write({"turn3": THIRD})
    choice = "1" if "1: O10" in done.out else "2"
    done = show(typed=f"end\n1 {choice}\nnext\nend\n")
    assert "The game goes on behind turn1.png." in done.err
    assert verdicts(done)[-2:] == ["LEGAL Bob lays B10 K10 O10 (opening: 30).", "LEGAL Ann lays K1 K2 K3."]
    done = show()
    assert (done.status, verdicts(done)) == (0, [])  # there is no further still


def test_a_turn_that_is_taken_back_has_its_still_again(show: Show, write: Write) -> None:
    write({"turn1": OPENING, "turn2": SECOND})
    show("--names", "Ann,Bob", typed="end\nnext\nend\nundo\n")
    done = show()
    assert verdicts(done) == ["LEGAL Bob lays B10 K10 O10 (opening: 30)."]


@pytest.mark.parametrize("damage", ["{", "[]", '{"1": "elsewhere.png"}'])
def test_a_lost_place_in_the_folder_costs_no_game(damage: str, show: Show, write: Write, tmp_path: Path) -> None:
    write({"turn1": OPENING})
    show("--names", "Ann,Bob")
    (place,) = (tmp_path / "home" / "live").glob("*.stills.json")
    place.write_text(damage)
    assert show(typed="view\n").status == 0


def test_an_illegal_turn_is_put_back_before_the_next_still(show: Show, write: Write) -> None:
    """The player who broke the table pays, and what the next one lays is the next one's."""
    write({"turn1": OPENING, "turn2": "R9 R10 R11 R12 | R13 B10 K10 O10", "turn3": THIRD.replace(" | K1 K2 K3", "")})
    done = show("--names", "Ann,Bob,Cid")
    assert done.status == 0
    assert "ILLEGAL Bob draws 3 tiles." in done.out
    assert verdicts(done)[-1] == "LEGAL Cid lays B10 K10 O10 (opening: 30)."


def test_a_still_of_another_table_is_no_dead_end(show: Show, write: Write) -> None:
    write({"turn1": THIRD, "turn2": ELSEWHERE})
    done = show("--names", "Ann,Bob")
    assert done.status == 3
    assert "Most of the table is not where it was" in done.out
    assert "accept racks" in done.out
    done = show(typed="accept racks 20 30\nend\n")
    assert f"The table is now: {ELSEWHERE}." in done.out
    assert verdicts(done) == ["LEGAL Bob draws 1 tile."]


def test_a_told_place_of_the_table_is_what_is_watched(
    show: Show, write: Write, regions: list[TableRegion | None]
) -> None:
    write({"turn1": OPENING})
    show("--names", "Ann,Bob", "--region", "10,10 890,10 890,690 10,690")
    show()
    one, none = regions
    assert one is not None
    assert one.corners.tolist() == [[10, 10], [890, 10], [890, 690], [10, 690]]
    assert none is None  # stills may be taken from anywhere
    done = show("--region", "1,1 2,2")
    assert (done.status, done.err.count("\n")) == (2, 1)


def test_the_still_of_the_last_round_is_no_turn_of_the_next(show: Show, write: Write) -> None:
    """The last table of a round was once the first player's opening in the next one."""
    won = f"{THIRD} | O4 O5 O6"
    write({"turn1": won, "turn2": SECOND})
    round_over = "end\nrack Bob R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 J\ncount\nround\nstarter Bob\ndeal\n"
    done = show("--names", "Ann,Bob", typed=f"{round_over}end\nview\nnext\nend\n")
    assert "This picture is of the last round: go on to the next one first." in done.out
    assert "round 2, turn 2, Bob, plays" in done.out
    assert verdicts(done)[1:] == ["LEGAL Bob lays R9 R10 R11 R12 R13 B10 K10 O10 (opening: 85)."]
    assert done.status == 2  # an order could not be obeyed


def test_a_still_that_was_shown_before_the_first_deal_is_its_first_turn(show: Show, write: Write) -> None:
    write({"turn1": OPENING})
    done = show("--names", "Ann,Bob", "--starter", "draw", typed="drawn R5 R6\ndeal\nend\n")
    assert verdicts(done) == ["LEGAL Bob lays R9 R10 R11 R12 R13 (opening: 55)."]


def darken(still: Path) -> None:
    """The same photo, taken in the dark: what these eyes know it by stays in its corner."""
    with PilImage.open(still) as photo:
        dark = photo.point(lambda level: level // 40)
        dark.paste(photo.crop((0, 0, 1, 1)), (0, 0))
    dark.save(still, format="PNG")


def test_a_still_that_is_no_good_is_said_once_and_the_game_goes_on(show: Show, write: Write) -> None:
    folder = write({"turn1": OPENING, "turn2": OPENING, "turn3": SECOND})
    darken(folder / "turn2.png")
    done = show("--names", "Ann,Bob")
    assert (done.status, len(verdicts(done))) == (0, 3)
    said = [line for line in done.err.splitlines() if "not good enough" in line]
    assert len(said) == 1
    assert said[0].endswith("turn2.png is not good enough to rule on surely. It is dark. Give the table more light.")


def test_who_plays_anyway_is_not_told_of_dark_stills(show: Show, write: Write) -> None:
    darken(write({"turn1": OPENING}) / "turn1.png")
    done = show("--names", "Ann,Bob", "--anyway")
    assert (len(verdicts(done)), "not good enough" in done.err) == (1, False)


# --- real eyes ------------------------------------------------------------------------------------------------------


@pytest.fixture
def for_real(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Show:
    """The same with the product's own eyes."""
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))

    def command(*arguments: str, typed: str = "") -> Done:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        status = run(["play", "--camera", str(tmp_path / "stills"), "--game", "club", *arguments])
        return Done(status, *capfd.readouterr())

    return command


def test_the_shared_photos_of_two_tables(for_real: Show, shared_photos: Path, tmp_path: Path) -> None:
    """The first is a legal opening, the second is no turn after it: asked about, and taken by the referee's choice."""
    (tmp_path / "stills").mkdir()
    for name in ("jns_board1.jpg", "jns_board2.jpg"):
        shutil.copy(shared_photos / "photos" / name, tmp_path / "stills")
    done = for_real("--names", "Ann,Bob")
    assert done.status == 3
    assert verdicts(done)[0] == "LEGAL Ann lays O5 O6 O7 O8 R9 B9 O9 B1 B2 B3 K7 B7 R7 (opening: 80)."
    assert verdicts(done)[1].startswith("CANNOT TELL Bob")
    done = for_real(typed="accept racks 14 14\nend\n")
    assert done.status == 0
    assert "R9 R10 R11 R12 R13 | K8 K9 K10 | B8 B9 B10 J" in done.out
    assert verdicts(done) == ["LEGAL Bob draws 1 tile."]


def test_a_rendered_game_with_several_stills_of_a_turn_and_one_that_breaks_the_table(
    for_real: Show, tmp_path: Path
) -> None:
    write_stills(tmp_path / "stills", {
        "turn1a": "R9 R10 R11",
        "turn1b": OPENING,
        "turn2": "R9 R10 R11 R12 | B10 K10 O10 R13",
        "turn3": SECOND,
    })  # fmt: skip
    done = for_real("--names", "Ann,Bob,Cid")
    assert done.status == 0
    assert verdicts(done)[0] == "LEGAL Ann lays R9 R10 R11 R12 R13 (opening: 55)."
    assert "ILLEGAL Bob draws 3 tiles." in verdicts(done)
    assert verdicts(done)[-1] == "LEGAL Cid lays B10 K10 O10 (opening: 30)."
