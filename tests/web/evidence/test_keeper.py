"""Keeping evidence while things go wrong: a crash at any moment, a full disk, odd names, odd pictures."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.chain import link_of, opened
from referee.store import StoreError
from tests.conftest import REPOSITORY
from tests.web.evidence.club import Club, files_of, noise, small, word
from web import files
from web.evidence.background import BackgroundKeeper
from web.evidence.check import Code, Grade, check
from web.evidence.keeper import head_text
from web.evidence.picture import QUALITY, PictureError, masked, picture_of, pixels_of
from web.evidence.record import command_of, log_of, ruleset_of, switches_of
from web.evidence.shelf import FolderShelf, folder_name, record_file
from web.evidence.turn import NoEvidence, Occasion, Shot, TurnEvidence

OPENING, SECOND = "R10 R11 R12", "R10 R11 R12 | B11 B12 B13"


class Killed(BaseException):
    """The program is gone: nothing of it runs any more, no clean-up either."""


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    club = Club(tmp_path / "home")
    club.begin()
    yield club
    club.store.close()


def found_in(club: Club) -> list[Code]:
    log = club.store.load(club.game)
    return [one.code for one in check(FolderShelf(club.folder, club.game), log).found]


def grade_of(club: Club) -> Grade:
    return check(FolderShelf(club.folder, club.game), club.store.load(club.game)).grade


def records(club: Club) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted((club.folder / "records").iterdir())]


@contextmanager
def breaking(monkeypatch: pytest.MonkeyPatch, at: int, how: Callable[[], BaseException]) -> Iterator[list[str]]:
    """Let the ``at``-th call that touches the disk fail, and all later ones; the calls that were made are listed."""
    made: list[str] = []

    def watch(owner: object, name: str) -> None:
        real = getattr(owner, name)

        def call(*arguments: Any, **named: Any) -> Any:
            made.append(name)
            if len(made) >= at:
                raise how()
            return real(*arguments, **named)

        monkeypatch.setattr(owner, name, call)

    with monkeypatch.context():
        watch(tempfile, "mkstemp")
        watch(os, "fsync")
        watch(Path, "hardlink_to")
        watch(Path, "replace")
        watch(Path, "unlink")
        yield made
        monkeypatch.undo()


def test_every_moment_is_a_good_one_for_a_crash(
    club_after: Callable[..., Club], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at each step of writing in turn: nothing looks changed, and the next program goes on."""
    step, done = 0, False
    while not done:
        step += 1
        club = club_after("one turn", f"home{step}")
        with breaking(monkeypatch, step, Killed):
            try:
                club.turn(OPENING, SECOND)
                done = True
            except Killed:
                pass
        assert grade_of(club) in {Grade.NOTE, Grade.WANTING}, (step, found_in(club))
        club.keeper = club.new_keeper()
        club.turn(SECOND, SECOND)
        assert grade_of(club) in {Grade.NOTE, Grade.WANTING}, (step, found_in(club))
        assert club.said == []
    assert step > 12


def test_a_process_that_is_killed_in_earnest(tmp_path: Path) -> None:
    program = f"""
        import os, signal
        from pathlib import Path
        from tests.web.evidence.club import Club
        from web.evidence import keeper
        club = Club(Path({str(tmp_path)!r}))
        club.begin()
        club.turn("", {OPENING!r})
        real = keeper.write_durable
        def write(path, data, **more):
            if path.parent.name == "records":
                os.kill(os.getpid(), signal.SIGKILL)
            real(path, data, **more)
        keeper.write_durable = write
        club.turn({OPENING!r}, {SECOND!r})
    """
    ended = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(program)],
        check=False, cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert ended.returncode == -signal.SIGKILL
    club = Club(tmp_path)
    assert set(found_in(club)) == {Code.NO_EVIDENCE, Code.INTERRUPTED}
    assert grade_of(club) is Grade.WANTING


@pytest.mark.parametrize("first", [True, False])
def test_a_turn_whose_evidence_was_lost_is_said_at_the_next_start_and_never_made_good(
    first: bool, club: Club
) -> None:
    """The ruling does not wait for its evidence: killed just then, a program leaves a turn without any."""
    if not first:
        club.turn("", OPENING)
    lost = club.drawn()
    club.keeper = club.new_keeper()
    club.keeper.catch_up()
    assert club.said == ["Turns whose evidence was lost when the program last ended: 1; 'tileref verify' names them."]
    assert first is not club.folder.exists()
    club.turn(club.state.table, SECOND)
    (gap,) = records(club)[-1]["gaps"]
    assert (gap["version"], gap["why"]) == (lost.version, "the program ended before it was kept")
    assert found_in(club) == [Code.GAP, Code.NO_EVIDENCE]
    assert grade_of(club) is Grade.WANTING
    club.keeper = club.new_keeper()
    club.keeper.catch_up()
    assert len(club.said) == 1, "it is said once"


def test_where_nothing_is_wanting_a_start_says_nothing(club: Club) -> None:
    club.keeper.catch_up()
    assert not club.folder.exists()
    club.turn("", OPENING)
    club.overrule()
    club.keeper = club.new_keeper()
    club.keeper.catch_up()
    assert club.said == []
    club.turn(club.state.table, club.state.table)
    assert found_in(club) == []


def test_a_last_record_that_was_taken_away_is_said_at_the_next_start(club: Club) -> None:
    """It cannot be told from one that was never written; a new record does not make that good."""
    club.turn("", OPENING)
    club.turn(OPENING, SECOND)
    club.overrule()
    for number in (2, 3):
        (club.folder / record_file(number)).unlink()
    (club.folder / "head.json").write_bytes(head_text(link_of(opened((club.folder / record_file(1)).read_bytes()))))
    club.keeper = club.new_keeper()
    club.keeper.catch_up()
    assert "ended: 2;" in club.said[0]
    club.turn(SECOND, SECOND)
    assert [gap["occasion"] for gap in records(club)[-1]["gaps"]] == ["turn", "override"]
    assert grade_of(club) is Grade.WANTING


def test_evidence_that_cannot_be_read_at_the_start_costs_no_game(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: object) -> tuple[str, ...]:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    club.turn("", OPENING)
    club.keeper = club.new_keeper()
    with monkeypatch.context() as damaged:
        damaged.setattr(FolderShelf, "files", failing)
        club.keeper.catch_up()
    assert club.said == ["The evidence of this game cannot be read: input/output error."]
    club.turn(OPENING, SECOND)
    assert found_in(club) == []


def test_a_full_disk_is_one_sentence_and_the_gap_is_named(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.turn("", OPENING)
    with breaking(monkeypatch, 1, lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))):
        club.turn(OPENING, SECOND)
        club.turn(SECOND, SECOND)
    assert club.said == ["The evidence of a turn cannot be kept: no space left on device; the game goes on without it."]
    assert grade_of(club) is Grade.WANTING
    club.turn(SECOND, SECOND)
    assert found_in(club) == [Code.GAP, Code.GAP]
    assert [gap["version"] for gap in records(club)[1]["gaps"]] == [5, 6]
    assert len(log_of(records(club)[1])) == 3, "the log goes on without a gap"


def test_where_there_is_room_for_the_record_alone_it_is_kept(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.turn("", OPENING)
    real = files.write_durable

    def write(path: Path, data: bytes, *, replacing: bool = False, settled: bool = True) -> None:
        if path.suffix == ".jpg":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(path, data, replacing=replacing, settled=settled)

    monkeypatch.setattr("web.evidence.keeper.write_durable", write)
    club.turn(OPENING, SECOND)
    club.turn(SECOND, SECOND)
    assert club.said == [
        "A picture of the evidence cannot be kept: no space left on device; the game goes on without it."
    ]
    told = records(club)[1]["pictures"]["after"]
    assert (told["kept"], told["why"], len(told["sha256"])) == (False, "no space left on device", 64)
    assert found_in(club) == [Code.PICTURE_NOT_KEPT]


def test_two_programs_that_write_at_once_chain_one_behind_the_other(club: Club) -> None:
    club.turn("", OPENING)
    other = club.new_keeper()
    club.turn(OPENING, SECOND)
    other.keep(TurnEvidence(club.game, Occasion.OTHER, club.state.version, None, (), club.rules))
    club.turn(SECOND, SECOND)
    assert found_in(club) == []
    assert [record["number"] for record in records(club)] == [1, 2, 3, 4]


def test_a_game_that_is_played_on_by_another_program_goes_on_in_the_same_chain(club: Club) -> None:
    club.turn("", OPENING)
    club.keeper = club.new_keeper()
    club.turn(OPENING, SECOND)
    assert found_in(club) == []
    assert [(record["turn"], record["player"]) for record in records(club)] == [(1, "Ann"), (2, "Bo")]


def test_a_chain_that_was_changed_does_not_stop_the_game(club: Club) -> None:
    club.turn("", OPENING)
    record = club.folder / "records" / "000001.json"
    record.write_bytes(record.read_bytes().replace(b"Ann", b"Eve"))
    club.keeper = club.new_keeper()
    club.turn(OPENING, SECOND)
    assert len(club.said) == 1
    assert "was changed" in club.said[0]
    assert {Code.RECORD_CHANGED} <= set(found_in(club))
    assert records(club)[1]["player"] == "Bo"


@pytest.mark.parametrize(
    "game",
    ["../../etc/passwd", "/etc/passwd", "..", ".", "a/b\\c", "CON", "nul.txt", "Zażółć gęślą 🀄 卓", "x" * 100, " ",
     "-rf", "a\x00b", "line\nbreak", "\u202eevil"],
)  # fmt: skip
def test_no_name_of_a_game_leads_elsewhere(tmp_path: Path, game: str) -> None:
    name = folder_name(game)
    assert name.isascii()
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    club = Club(tmp_path, game)
    club.begin(("Ąnn", "卓"))
    club.turn("", OPENING)
    assert club.said == []
    assert [path.name for path in (tmp_path / "evidence").iterdir()] == [name]
    assert check(FolderShelf(club.folder, game), club.store.load(game)).game == game
    assert records(club)[0]["player"] == "Ąnn"
    club.store.close()


def test_games_that_look_alike_have_folders_of_their_own() -> None:
    names = ["Friday", "friday", "Friday ", "Fri-day", "Fri/day", "Frıday", "e\u0301", "\u00e9"]
    assert len({folder_name(name) for name in names}) == len(names)


def test_a_picture_of_sixty_megapixels_is_kept(club: Club) -> None:
    large = np.zeros((6700, 9000, 3), np.uint8)
    large[3000:3100, 4000:4100] = 255
    corners = np.array([[100, 100], [8900, 100], [8900, 6600], [100, 6600]], np.float32)
    club.keeper.keep(
        TurnEvidence(
            club.game, Occasion.OTHER, 3, None, (), club.rules, pictures={"after": Shot(large, 1.0, corners=corners)}
        )
    )
    assert club.said == []
    picture = records(club)[0]["pictures"]["after"]
    assert (picture["width"], picture["height"], picture["kept"]) == (9000, 6700, True)
    assert found_in(club) == []


def test_what_is_no_picture_is_said_and_the_record_is_kept(club: Club) -> None:
    shots = {"after": Shot(np.zeros((0, 5, 3), np.uint8), 1.0), "before": Shot(np.zeros((1, 70_000, 3), np.uint8), 1.0)}
    club.keeper.keep(TurnEvidence(club.game, Occasion.OTHER, 3, None, (), club.rules, pictures=shots))
    assert len(club.said) == 1
    assert {one["kept"] for one in records(club)[0]["pictures"].values()} == {False}
    assert found_in(club) == [Code.PICTURE_NOT_KEPT]


def test_nothing_outside_the_table_is_kept() -> None:
    image = noise(3, 120, 160)
    corners = np.array([[40, 30], [130, 25], [125, 100], [35, 95]], np.float32)
    kept = pixels_of(picture_of(Shot(image, 0.0, corners=corners)).data)
    inside = np.zeros((120, 160), np.uint8)
    cv2.fillPoly(inside, [corners.astype(np.int32)], 1)
    outside = cv2.dilate(inside, np.ones((17, 17), np.uint8)) == 0  # a block of a JPEG beside it
    assert outside.any()
    assert np.ptp(kept[outside].astype(int), axis=0).max() <= 6
    exact = masked(image, tuple((float(x), float(y)) for x, y in corners))
    assert (exact[inside == 1] == image[inside == 1]).all()
    assert len(np.unique(exact[inside == 0].reshape(-1, 3), axis=0)) == 1


@pytest.mark.parametrize("corners", [np.zeros((3, 2)), np.full((4, 2), np.nan), np.full((4, 2), 1e9)])
def test_a_table_without_corners_keeps_no_picture_at_all(corners: Any) -> None:
    with pytest.raises(PictureError):
        picture_of(Shot(noise(1), 0.0, corners=corners.astype(np.float32)))


def test_the_same_frame_is_kept_once(club: Club) -> None:
    club.turn("", OPENING)
    club.turn(OPENING, SECOND)
    assert len(list((club.folder / "pictures").iterdir())) == 3
    data = next((club.folder / "pictures").iterdir())
    assert hashlib.sha256(data.read_bytes()).hexdigest() == data.stem
    assert records(club)[0]["pictures"]["after"]["quality"] == QUALITY


def test_a_store_that_cannot_be_read_is_said_and_the_turn_is_kept(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(_game: str, _after: int = 0) -> tuple[()]:
        raise StoreError("Friday cannot be read: disk I/O error")

    monkeypatch.setattr(club.store, "load", unreadable)
    club.turn("", OPENING)
    monkeypatch.undo()
    assert club.said == ["The log cannot be taken into the evidence: Friday cannot be read: disk I/O error."]
    assert (len(log_of(records(club)[0])), found_in(club)) == (1, [])
    club.turn(OPENING, SECOND)
    assert records(club)[1]["turn"] == 2


def test_what_humans_said_is_kept_beside_what_was_read(club: Club) -> None:
    doubt = small("R10 R11/B11 R12")
    club.turn("", OPENING, words=(word(doubt, 1, "R11"),))
    told = records(club)[0]["words"]
    assert told == [{"quad": told[0]["quad"], "said": "R11", "read": [["R11", 0.62], ["B11", 0.36]]}]


def test_the_turn_and_the_rules_come_back_as_they_were(club: Club) -> None:
    evidence = club.turn("", OPENING)
    record = records(club)[0]
    assert command_of(record) == evidence.command
    assert ruleset_of(record) == club.rules
    assert switches_of(ruleset_of(record)) == record["rules"]["switches"]


def test_files_that_a_crash_left_half_written_are_taken_away_in_the_end(club: Club) -> None:
    club.turn("", OPENING)
    draft = club.folder / "records" / ".tileref-abc.part"
    draft.write_bytes(b"half")
    assert found_in(club) == []
    os.utime(draft, (club.now - 7200, club.now - 7200))
    club.keeper = club.new_keeper()
    club.turn(OPENING, SECOND)
    assert not draft.exists()
    assert not any(name.endswith(".part") or name == "pending.json" for name in files_of(club.folder))


def test_the_game_does_not_wait_for_the_disk(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the disk hangs, turns wait in line; those for which there is no room are named in the next record."""
    free = threading.Event()
    real = files.write_durable

    def hang(path: Path, data: bytes, **more: bool) -> None:
        assert free.wait(60)
        real(path, data, **more)

    monkeypatch.setattr("web.evidence.keeper.write_durable", hang)
    with BackgroundKeeper(club.keeper, most=2) as behind:
        handed = [club.drawn() for _ in range(6)]
        for evidence in handed:
            behind.keep(evidence)
        assert not list(club.folder.rglob("*.json"))
        free.set()
        behind.flush()
        behind.keep(club.drawn())
    kept = [record["version"] for record in records(club)]
    gaps = [gap["version"] for record in records(club) for gap in record["gaps"]]
    assert sorted(kept + gaps) == [4, 5, 6, 7, 8, 9, 10]
    assert len(gaps) >= 3
    assert set(found_in(club)) == {Code.GAP}
    assert club.said == ["The evidence of a turn cannot be kept: the disk is too slow; the game goes on without it."]


def test_what_was_handed_over_is_kept_when_the_program_leaves(club: Club) -> None:
    threads = threading.active_count()
    with BackgroundKeeper(club.keeper) as behind:
        for _ in range(3):
            behind.keep(club.drawn())
    assert [record["number"] for record in records(club)] == [1, 2, 3]
    assert found_in(club) == []
    assert threading.active_count() == threads


def test_a_sink_that_keeps_nothing(club: Club) -> None:
    NoEvidence().keep(TurnEvidence(club.game, Occasion.OTHER, 3, None, (), club.rules))
    assert not club.folder.exists()
