"""``tileref play`` with a deck of cards: from a folder of stills, and one clear sentence for everything else."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.cards.played import laid_out, table
from tests.web.fakes import FakeSight
from tests.web.fakes import table as written
from vision.frames import Frame
from vision.photo_watch import PhotoWatch
from vision.region import TableRegion
from vision.render.cards import CardSpec
from web.box_store import load
from web.cli import run
from web.wiring import EyesError, product_wiring

Image = NDArray[np.uint8]
RULES = 'base = "classic-uk"\nfaces = "cards"\n'
HEARTS, TENS = ("R9", "R10", "R11", "R12"), ("B10", "K10", "O10")


@pytest.fixture
def deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the rules of cards, and a home in which the box ``deck`` was taught."""
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    (tmp_path / "cards.toml").write_text(RULES)
    cv2.imwrite(str(tmp_path / "deck.png"), laid_out().scene.image)
    assert run(["teach", str(tmp_path / "deck.png"), "--name", "deck", "--faces", "cards"]) == 0
    return tmp_path


def test_a_deck_of_cards_is_refereed_from_stills_and_else_refused(
    deck: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stills, rules = deck / "stills", str(deck / "cards.toml")
    stills.mkdir()
    for name, rows in {"turn1": (HEARTS,), "turn2": (HEARTS, TENS)}.items():
        cv2.imwrite(str(stills / f"{name}.png"), table(CardSpec(rows, steps=(1.05,) * len(rows))).scene.image)
    game = ["play", "--camera", str(stills), "--names", "Ann,Bob", "--no-evidence"]
    capfd.readouterr()
    assert run([*game, "--rules", rules, "--box", "deck"]) == 0
    verdicts = [line for line in capfd.readouterr().out.splitlines() if line.startswith("LEGAL")]
    assert verdicts == ["LEGAL Ann lays H9 H10 HJ HQ (opening: 42).", "LEGAL Bob lays C10 S10 D10 (opening: 30)."]
    for told, sentence in ((["--rules", rules], "name their deck by --box"), (["--box", "deck"], "is a deck of cards")):
        assert run([*game, *told]) == 2
        err = capfd.readouterr().err
        assert sentence in err
        assert err.count("\n") == 1
    eyes = product_wiring().knowing(load("deck")).load_eyes()
    with pytest.raises(EyesError, match="cannot be watched live yet"):
        product_wiring().watch(eyes, None, False)


def test_a_photo_is_looked_at_once_and_what_lies_outside_the_table_is_left_out() -> None:
    seen = written("R9 R10 R11 | K1 B1 O1")
    looks: list[Image] = []

    class Eyes:
        def look(self, image: Image) -> FakeSight:
            looks.append(image)
            return FakeSight(seen)

    image = np.zeros((700, 900, 3), np.uint8)
    upper = TableRegion.from_points([(0, 0), (899, 0), (899, 120), (0, 120)], 900, 700)
    watch = PhotoWatch(Eyes(), upper)
    one, two = (watch.look(Frame(image, float(k), k)) for k in (1, 2))
    assert len(looks) == 1
    assert one.observation is two.observation
    assert two.observation is not None
    assert [str(tile.readings[0].tile) for tile in two.observation.tiles] == ["R9", "R10", "R11"]
    watch.look(Frame(image.copy(), 3.0, 3))
    watch.forget()
    watch.look(Frame(image, 4.0, 4))
    assert len(looks) == 3
