"""``tileref play`` from its options to its exit status: folders of stills, files of orders, keys."""

from __future__ import annotations

import io
import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PIL import Image as PilImage

from referee.game.decide import GameError
from referee.preset_files import load_ruleset
from referee.store import open_store
from referee.tiles import parse_tile
from tests.vision.net_camera import NetCamera, jpeg
from tests.web.conftest import Command, Done
from tests.web.fakes import FakeEyes, HandSight, SeeingWatch, paint, table
from tests.web.live_table import Bench
from tests.web.rendered_game import write_stills
from vision.feeds import StillsFeed
from vision.frames import Frame
from vision.mailbox import now
from web.cli import run
from web.live import acts, gate
from web.live.gate import gate_lines, looked_over
from web.live.keys import KeyReader
from web.live.notices import Notice, NoticeCode
from web.live.script import NextStill, Quit, Show, orders_after, read_order
from web.wiring import Wiring

OPENING = "R9 R10 R11 R12 R13"
SECOND = f"{OPENING} | B10 K10 O10"
RACK = "R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 J"

Play = Callable[..., Done]


@pytest.fixture
def stills(tmp_path: Path, eyes: FakeEyes) -> Callable[[Mapping[str, str]], Path]:
    """Writes a folder of stills: name → table."""

    def written(tables: Mapping[str, str]) -> Path:
        folder = tmp_path / "stills"
        for name, text in tables.items():
            eyes.photo(folder / f"{name}.png", table(text))
        return folder

    return written


@pytest.fixture
def play(eyes: FakeEyes, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs the command with those eyes, on a store and a home of its own; ``typed`` is its standard input."""
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    wiring = Wiring(load_eyes=lambda: eyes, watch=lambda loaded, _region, _stills: SeeingWatch(loaded))

    def command(*arguments: object, typed: str = "") -> Done:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        told = ["play", "--store", f"sqlite:///{tmp_path / 'games.db'}", *map(str, arguments)]
        status = run(told, wiring)
        out, err = capfd.readouterr()
        return Done(status, out, err)

    return command


def test_a_folder_of_stills_goes_by_itself(play: Play, stills: Callable[..., Path], tmp_path: Path) -> None:
    folder = stills({"turn1": OPENING, "turn2": SECOND, "turn3": SECOND, "turn10": f"{SECOND} | K1 K2 K3"})
    done = play("--camera", folder, "--names", "Ann,Bob", "--game", "club")
    assert done.status == 0
    assert [line for line in done.out.splitlines() if line.startswith("LEGAL")] == [
        "LEGAL Ann lays R9 R10 R11 R12 R13 (opening: 55).",
        "LEGAL Bob lays B10 K10 O10 (opening: 30).",
        "LEGAL Ann draws 1 tile.",
        "LEGAL Bob lays K1 K2 K3.",
    ]
    store = open_store(f"sqlite:///{tmp_path / 'games.db'}")
    assert len(store.load("club")) == 7
    store.close()


def test_several_stills_of_a_turn_are_one_turn(play: Play, stills: Callable[..., Path]) -> None:
    folder = stills({"turn1a": "R9 R10", "turn1b": OPENING, "turn2": SECOND})
    done = play("--camera", folder, "--players", "2", "--game", "club")
    assert done.out.count("LEGAL") == 2
    assert "ILLEGAL" not in done.out


def test_a_question_that_nobody_answers_ends_the_run_and_the_game_goes_on_later(
    play: Play, stills: Callable[..., Path]
) -> None:
    folder = stills({"turn1": "R6/R9 R7 R8 R9 | K9 B9 O9"})
    done = play("--camera", folder, "--players", "2", "--game", "club")
    assert done.status == 3
    assert "CANNOT TELL" in done.out
    choice = 1 if "1: R6" in done.out else 2
    done = play("--camera", folder, "--game", "club", typed=f"end\n1 {choice}\n")
    assert done.status == 0
    assert "LEGAL Player 1 lays R6 R7 R8 R9 K9 B9 O9" in done.out


def test_a_whole_round_by_orders(
    play: Play, stills: Callable[..., Path], eyes: FakeEyes, tileref: Command, tmp_path: Path
) -> None:
    rack = eyes.photo(tmp_path / "rack.png", table(RACK))
    folder = stills({"a": "R9 R10 R11 R12 R13 | B10 K10 O10 | K1 K2 K3 | O4 O5 O6"})
    orders = tmp_path / "orders.txt"
    orders.write_text(f"# the whole rack at once\nend\ncount\nrack Bob {rack}\ncount\nround\nstarter Bob\ndeal\nview\n")
    done = play("--camera", folder, "--names", "Ann,Bob", "--game", "club", "--calls", orders)
    assert "The round is over: Ann has an empty rack." in done.out
    assert "The rack of Bob was not shown." in done.out
    assert "Scores: Ann +81, Bob -81." in done.out
    assert "The scores sum to zero." in done.out
    (seal,) = [line.split()[-1] for line in done.out.splitlines() if line.startswith("  Seal of the evidence: ")]
    assert tileref("verify", "club", "--seal", seal).status == 0
    assert tileref("verify", "club", "--seal", "0" * 64).status == 1
    assert "Round 2." in done.out
    assert done.out.splitlines()[-2].startswith("round 2, turn 2, Bob, plays")
    assert done.status == 2  # one order could not be obeyed


def test_an_illegal_turn_is_put_back_still_by_still(play: Play, stills: Callable[..., Path], tmp_path: Path) -> None:
    folder = stills({"1": OPENING, "2": SECOND, "3": "R9 R10 R11 | R12 B10 K10 O10 | R13", "4": SECOND, "5": SECOND})
    typed = "end\nnext\nend\nnext\nend\nstands\nrestore\nnext\nview\nnext\nend\n"
    done = play("--camera", folder, "--names", "Ann,Bob", "--game", "club", typed=typed)
    assert "ILLEGAL Ann may mend it" in done.out
    assert "ILLEGAL Ann draws 3 tiles." in done.out
    assert "[ ]             move R12 back to set 1" in done.out
    assert "The table is as it must be." in done.out
    assert "LEGAL Bob draws 1 tile." in done.out
    assert (tmp_path / "home" / "live").exists()
    assert list((tmp_path / "home" / "live").glob("*.restore.jpg"))


def test_time_in_a_folder_goes_by_only_where_it_is_told(play: Play, stills: Callable[..., Path]) -> None:
    folder = stills({"1": OPENING})
    done = play("--camera", folder, "--players", "2", "--game", "club", typed="wait 61\nview\n")
    assert "The time of Player 1 is over: hands off the table." in done.out
    assert "LEGAL Player 1 lays" in done.out


def test_json_lines_say_the_same(play: Play, stills: Callable[..., Path]) -> None:
    done = play("--camera", stills({"1": OPENING, "2": "R9 R10 R12"}), "--players", "2", "--game", "club", "--json")
    lines = [json.loads(line) for line in done.out.splitlines()]
    ruled = next(line for line in lines if line["code"] == "ruled")
    assert ruled["ruling"]["verdict"] == "legal"
    assert ruled["ruling"]["laid"] == OPENING.split()
    assert ruled["text"][0].startswith("LEGAL Player 1 lays")
    assert [line["code"] for line in lines][-1] == "ask"  # two tiles of the table are gone


def test_what_is_shown_is_a_json_line_too(play: Play, stills: Callable[..., Path]) -> None:
    folder = stills({"1": OPENING})
    done = play("--camera", folder, "--players", "2", "--game", "club", "--json", typed="view\nhelp\nend\nview\n")
    lines = [json.loads(line) for line in done.out.splitlines()]
    shown = [line["text"] for line in lines if line["code"] == "shown"]
    assert len(shown) == 3
    assert any("end" in line for line in shown[1])
    assert f"  table  {OPENING}" in shown[2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--camera", "no-such-thing"], "is no camera"),
        (["--camera", "{stills}", "--game", "new"], "There is no game 'new' yet"),
        (["--camera", "{stills}", "--names", "Ann,"], "empty name"),
        (["--camera", "{stills}", "--names", "Ann,Bob", "--players", "3"], "--players says 3"),
        (["--camera", "{stills}", "--names", "Ann,Ann"], "same name"),
        (["--camera", "{stills}", "--players", "7"], "not allowed"),
        (["--camera", "{stills}", "--names", "Ann,Bob", "--starter", "Cid"], "--starter Cid"),
        (["--camera", "{stills}", "--players", "2", "--calls", "nowhere.txt"], "nowhere.txt cannot be read"),
        (["--camera", "{stills}", "--players", "2", "--rules", "nonsense"], "nonsense"),
    ],
)
def test_bad_usage_is_one_sentence(
    play: Play, stills: Callable[..., Path], arguments: list[str], sentence: str
) -> None:
    folder = stills({"1": OPENING})
    done = play(*(word.format(stills=folder) for word in arguments))
    assert done.status == 2
    assert sentence in done.err + done.out
    assert "Traceback" not in done.err


def test_a_game_of_other_rules_is_not_mixed(play: Play, stills: Callable[..., Path]) -> None:
    folder = stills({"1": OPENING})
    play("--camera", folder, "--players", "2", "--game", "club")
    done = play("--camera", folder, "--game", "club", "--rules", "wrc")
    assert done.status == 2
    assert "This game is played by international" in done.err


@pytest.mark.parametrize(("level", "go"), [(2, False), (190, True)])
def test_a_picture_that_is_too_dark_does_not_begin_a_game(level: int, go: bool, tmp_path: Path) -> None:
    PilImage.new("RGB", (640, 480), (level, level, level)).save(tmp_path / "a.png")
    inspection = looked_over(StillsFeed(tmp_path), FakeEyes([table("")] * 256))
    assert inspection.go is go
    assert bool(gate_lines(inspection)) is not go


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("97", "camera 97 cannot be opened: it is not there, or another program uses it."),
        ("http://127.0.0.1:{port}/video", "/video cannot be opened: it is not there, or another program uses it."),
        ("http://127.0.0.1:{silent}/video", "/video gives no picture: waited 0 seconds."),
    ],
)
def test_a_camera_that_is_not_there_is_one_sentence_and_no_game(
    play: Play, source: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "PATIENCE_S", 0.4)
    with NetCamera() as silent, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        taken.close()
        done = play("--camera", source.format(port=port, silent=silent.port), "--players", "2", "--game", "club")
    assert (done.status, done.out) == (2, "")
    assert done.err.strip().endswith(sentence)
    assert len(done.err.splitlines()) == 1
    store = open_store(f"sqlite:///{tmp_path / 'games.db'}")
    assert store.load("club") == ()
    store.close()


def test_a_network_cameras_pictures_are_as_old_as_one_says(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    eyes = FakeEyes([table(OPENING)] * 256)
    (tmp_path / "orders.txt").write_text("wait 1\nquit\n")
    ages: list[float] = []

    class Dating(SeeingWatch):
        def look(self, frame: Frame) -> HandSight:
            ages.append(now() - frame.taken_at)
            return super().look(frame)

    wiring = Wiring(load_eyes=lambda: eyes, watch=lambda loaded, _region, _stills: Dating(loaded))
    with NetCamera() as phone:
        phone.shot = jpeg(paint(table(OPENING)))
        told = ["play", "--camera", phone.address("/shot.jpg"), "--camera-delay", "2.5", "--players", "2", "--anyway"]
        assert run([*told, "--no-evidence", "--calls", str(tmp_path / "orders.txt")], wiring) == 0
    assert "Seal" not in capfd.readouterr().out
    assert ages
    assert min(ages) >= 2.5


# --- orders and keys ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("end", acts.CallTurnEnd()),
        ("END win", acts.CallTurnEnd(won=True)),
        ("1 2", acts.AnswerChoice(0, 1)),
        ("2 0", acts.AnswerTile(1, None)),
        ("illegal draw 2 he hid a tile", acts.Overrule(legal=False, reason="he hid a tile", draw=2)),
        ("legal", acts.Overrule(legal=True)),
        ("restored forgotten", acts.Restored(remembered=False)),
        ("played Ann=3 bob=0", acts.PlayedInstead((0, 1), (3, 0))),
        ("won 2", acts.ConfirmWin(1)),
        ("redeal bob R1 R1", acts.ClaimRedeal(1, (parse_tile("R1"), parse_tile("R1")))),
        ("accept", acts.AcceptTable()),
        ("accept racks 5 9", acts.AcceptTable("racks counted anew", (5, 9))),
        ("penalty an 1 20 late again", acts.GivePenalty(0, 1, 20, "late again")),
        ("count shown announced Bob", acts.CountRound((1,), as_shown=True)),
        ("toggle", acts.Pause()),
        ("next", NextStill()),
        ("help", Show("help")),
        ("quit", Quit()),
        ("# nothing", None),
        ("", None),
    ],
)
def test_an_order_is_read(line: str, order: object) -> None:
    assert read_order(line, Bench().live.view, load_ruleset()) == order


@pytest.mark.parametrize("text", ["", "another_table"])
def test_the_orders_that_a_notice_is_answered_by_are_orders(text: str) -> None:
    orders = [order for code in NoticeCode for order in orders_after(Notice(code=code, at=0.0, text=text))]
    assert "won NAME" in orders
    for order in orders:
        read_order(order.replace("COUNTS", "9 14").replace("NAME", "Ann"), Bench().live.view, load_ruleset())


@pytest.mark.parametrize(
    "line",
    ["nonsense", "end now", "1 R14", "1 R6 R7", "played Ann", "played Ann=x", "won Cid", "wait x", "wait -1", "rack",
     "penalty Ann one 2", "count everything", "pause now", "restored well", 'rack "Ann'],
)  # fmt: skip
def test_what_is_no_order_is_refused_with_a_sentence(line: str) -> None:
    with pytest.raises(GameError):
        read_order(line, Bench().live.view, load_ruleset())


@pytest.mark.parametrize(
    ("keys", "orders"),
    [
        (" ", ["end"]),
        ("\n", ["end"]),
        ("12", ["1 2"]),
        ("1x", ["extend"]),
        ("olx", ["legal", "extend"]),
        ("oi", ["illegal"]),
        ("ox", ["extend"]),
        (":table R5 R6 R7\x7f8\n", ["table R5 R6 R8"]),
        (":quit\x1bp", ["toggle"]),
        ("z", []),
        ("q", ["quit"]),
    ],
)
def test_keys_become_orders(keys: str, orders: list[str]) -> None:
    reader = KeyReader()
    assert [order for key in keys if (order := reader.key(key)) is not None] == orders


def test_enter_is_the_next_still_of_a_folder() -> None:
    assert KeyReader(stills=True).key("\n") == "next"


# --- real eyes ----------------------------------------------------------------------------------------------------


def test_real_eyes_referee_a_rendered_folder(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole pipeline: pictures, networks, reconciling, protocol, log, evidence."""
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    write_stills(tmp_path / "stills", {
        "turn1": OPENING,
        "turn2": f"{OPENING} | B10 K10 O10",
        "turn3": "R9 R10 R11 R12 | B10 K10 O10 R13",
        "turn4": "R9 R10 R11 R12 R13 | B10 K10 O10 | K1 K2 K3",
    })  # fmt: skip
    assert run(["play", "--camera", str(tmp_path / "stills"), "--names", "Ann,Bob", "--game", "real"]) == 0
    out = capfd.readouterr().out
    verdicts = [line.split()[0] for line in out.splitlines() if line.split()[0].isupper()]
    assert verdicts == ["LEGAL", "LEGAL", "ILLEGAL", "ILLEGAL", "LEGAL"]  # it might be mended, and was not
    assert len(list((tmp_path / "home" / "evidence").rglob("*.jpg"))) >= 4
