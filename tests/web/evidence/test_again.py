"""A stored game ruled again: by the same rules, by others, and with pictures read anew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from referee.clock import MoveTime
from referee.ending import Ending, TurnEnd
from referee.game.commands import EndTurn, Override, Undo
from referee.notation import format_table, parse_table
from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.ruling import judge_table
from tests.conftest import REPOSITORY
from tests.web.evidence.club import Club, files_of, small, word
from tests.web.fakes import FakeSight
from web.cli import run
from web.evidence.again import TurnAgain, rule_again, with_words
from web.evidence.check import check
from web.evidence.picture import picture_of, pixels_of
from web.evidence.shelf import FolderShelf
from web.evidence.turn import Occasion, Shot, TurnEvidence
from web.noting import noted_from
from web.wiring import Eyes, Wiring

SAMPLES = sorted((REPOSITORY / "sample_images" / "photos").glob("0[14]*.jpg"))


@dataclass
class BlockEyes:
    """Sees the observation whose number is painted as a grey block into the picture's corner."""

    known: list[Observation] = field(default_factory=list)
    models: Mapping[str, str] = field(default_factory=lambda: {"reader": "2 89abcdef"})

    def mark(self, shot: Shot, seen: Observation) -> Shot:
        image = shot.image.copy()
        image[-24:, -24:] = 20 * len(self.known)
        self.known.append(seen)
        return replace(shot, image=image)

    def look(self, image: npt.NDArray[np.uint8], second_reader: bool = True) -> FakeSight:
        assert second_reader
        return FakeSight(self.known[round(image[-16:-8, -16:-8].mean() / 20)])


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    club = Club(tmp_path / "home")
    yield club
    club.store.close()


def again(club: Club, ruleset: RuleSet | None = None, eyes: Eyes | None = None) -> list[TurnAgain]:
    log = club.store.load(club.game)
    shelf = FolderShelf(club.folder, club.game)
    return list(rule_again(shelf, check(shelf, log).records, log, ruleset, eyes))


def test_by_its_own_rules_nothing_is_ruled_otherwise(club: Club) -> None:
    club.evening()
    turns = again(club)
    assert [(turn.turn, turn.player, turn.then.verdict) for turn in turns] == [
        (1, "Ann", "legal"), (2, "Bo", "legal"), (3, "Ann", "legal"), (4, "Bo", "legal"), (5, "Ann", "illegal"),
    ]  # fmt: skip
    assert [turn.differs for turn in turns] == [False] * 5
    assert [turn.decided for turn in turns] == [None] * 4 + ["legal"]


def test_by_rules_that_ask_more_of_an_opening_it_is_ruled_otherwise(club: Club) -> None:
    club.evening()
    turns = again(club, replace(club.rules, open_points=35))
    assert [turn.differs for turn in turns] == [True, False, False, False, False]
    first = turns[0].now
    assert first is not None
    assert (first.verdict, first.draw) == ("illegal", 3)
    assert any("33" in finding["message"] and finding["severity"] == "fault" for finding in first.findings)


def test_each_turn_is_ruled_as_it_was_then(club: Club) -> None:
    """By these rules nobody had opened; that Ann had is what the game was played by."""
    club.evening()
    turns = again(club, replace(club.rules, open_points=100))
    assert [turn.differs for turn in turns] == [True, True, False, False, False]


def test_a_preset_that_comes_with_the_program_changes_a_verdict(club: Club) -> None:
    club.begin()
    club.turn("", "R10 R11 R12 R13")
    club.turn("R10 R11 R12 R13", "R10 R11 R12 R13 | B1 B2 B3 B4 | K10 K11 K12")
    before, after = (
        "R10 R11 R12 R13 | B1 B2 B3 B4 | K10 K11 K12",
        "R10 R11 R12 | B1 B2 B3 B4 | K10 K11 K12 | R13 K13 B13",
    )
    club.turn(before, after)
    assert [turn.differs for turn in again(club)] == [False] * 3
    turns = again(club, load_ruleset("logiczna-pl"))
    assert [turn.differs for turn in turns] == [False, False, True]
    assert turns[2].now is not None
    assert turns[2].now.verdict == "illegal"


def test_the_clock_of_other_rules_counts_too(club: Club) -> None:
    club.begin()
    slow = EndTurn(0, parse_table(""), Ending(TurnEnd.DREW), time=MoveTime(50.0))
    told = club.tell(slow)
    club.keeper.keep(told)
    (turn,) = again(club, replace(club.rules, time_s=45))
    assert (turn.differs, turn.now is not None and turn.now.draw) == (False, 1)
    played = EndTurn(1, parse_table("R10 R11 R12"), Ending(TurnEnd.PLAYED), time=MoveTime(50.0))
    club.keeper.keep(club.tell(played))
    later = again(club, replace(club.rules, time_s=45))[1]
    assert (later.differs, later.now) == (None, None)
    assert "how the table lay at the bell" in str(later.why)


def test_a_turn_that_was_undone_is_told_all_the_same(club: Club) -> None:
    club.begin()
    club.turn("", "R10 R11 R12")
    told = club.tell(Undo("wrong player"))
    club.keeper.keep(replace(told, occasion=Occasion.UNDO))
    club.turn("", "R9 R10 R11 R12")
    assert [(turn.turn, turn.differs) for turn in again(club)] == [(1, False), (1, False)]


def test_pictures_read_again_by_other_networks(club: Club) -> None:
    eyes = BlockEyes()
    club.begin()
    told = club.tell(EndTurn(0, parse_table("R10 R11 R12"), Ending(TurnEnd.PLAYED)))
    shot = eyes.mark(club.shot(small("R10 R11 R12")), small("R10 R11 O12"))
    club.keeper.keep(replace(told, pictures={"after": shot}, reading=small("R10 R11 R12")))
    (turn,) = again(club, eyes=eyes)
    assert turn.now is not None
    assert (turn.differs, turn.read_otherwise, turn.now.verdict, turn.now.table) == (
        True, True, "illegal", "R10 R11 O12",
    )  # fmt: skip


def test_what_a_human_said_stays_when_a_picture_is_read_again(club: Club) -> None:
    eyes = BlockEyes()
    club.begin()
    doubtful = small("R10 R11/B11 R12")
    told = club.tell(EndTurn(0, parse_table("R10 R11 R12"), Ending(TurnEnd.PLAYED)))
    shot = eyes.mark(club.shot(doubtful), doubtful)
    with_word = replace(told, pictures={"after": shot}, words=(word(doubtful, 1, "R11"),))
    club.keeper.keep(with_word)
    (turn,) = again(club, eyes=eyes)
    assert turn.differs is False
    club.keeper.keep(replace(told, pictures={"after": shot}))
    assert again(club, eyes=eyes)[1].now is not None


def test_a_picture_that_is_gone_cannot_be_read_again(club: Club) -> None:
    club.evening()
    for file in files_of(club.folder):
        if file.startswith("pictures/"):
            (club.folder / file).unlink()
    turns = again(club, eyes=BlockEyes())
    assert [turn.differs for turn in turns] == [None] * 5
    assert {str(turn.why) for turn in turns} == {"its picture is no longer kept"}


def test_words_about_tiles_that_are_not_there_are_left_alone() -> None:
    seen = small("R10 R11 R12")
    far = [{"quad": [[900, 900], [901, 900], [901, 901], [900, 901]], "said": "B1", "read": []}]
    assert with_words(seen, far) == seen
    assert with_words(replace(seen, tiles=(), rows=()), far).tiles == ()
    assert with_words(seen, None) == seen


def test_overriding_twice_tells_the_last_word(club: Club) -> None:
    club.evening()
    told = club.tell(Override(legal=False, reason="after all", draw=3))
    club.keeper.keep(TurnEvidence(told.game, Occasion.OVERRIDE, told.version, told.command, told.events, club.rules))
    assert again(club)[-1].decided == "illegal"


@pytest.mark.parametrize("photo", SAMPLES, ids=lambda path: path.stem)
def test_the_networks_read_a_kept_picture_as_they_read_the_frame(photo: Path, real_eyes: Wiring) -> None:
    eyes = real_eyes.load_eyes()
    frame = cv2.imread(str(photo), cv2.IMREAD_COLOR)
    assert frame is not None
    image = frame.astype(np.uint8)
    kept = pixels_of(picture_of(Shot(image, 0.0)).data)
    one, other = eyes.look(image).observation, eyes.look(kept).observation
    assert [tile.readings[0].tile for tile in one.tiles] == [tile.readings[0].tile for tile in other.tiles]
    assert [row.tiles for row in one.rows] == [row.tiles for row in other.rows]


@pytest.mark.skipif(not SAMPLES, reason="the sample photos are not at hand")
def test_the_command_reads_a_masked_photo_again(
    club: Club, real_eyes: Wiring, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """From the frame through the evidence back to a ruling, by the product's own networks."""
    monkeypatch.setenv("TILEREF_HOME", str(club.home))
    eyes = real_eyes.load_eyes()
    frame = cv2.imread(str(SAMPLES[0]), cv2.IMREAD_COLOR)
    assert frame is not None
    image = frame.astype(np.uint8)
    right, bottom = image.shape[1] - 8, image.shape[0] - 8
    corners = np.array([[8, 8], [right, 8], [right, bottom], [8, bottom]], np.float32)
    seen = eyes.look(image).observation
    noted, _ = noted_from(seen, judge_table(seen, club.rules))
    club.begin()
    told = club.tell(EndTurn(0, noted, Ending(TurnEnd.PLAYED)))
    club.keeper.keep(replace(told, pictures={"after": Shot(image, 1.0, 1, corners, seen)}, reading=seen))
    assert run(["replay", club.game, "--read-again", "--json"], real_eyes) == 0
    told_again = json.loads(capfd.readouterr().out)
    assert (told_again["differ"], told_again["not_ruled"], told_again["models"]) == (0, 0, dict(eyes.models))
    assert told_again["turns"][0]["now"]["table"] == format_table(noted)
