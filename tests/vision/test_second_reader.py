"""The second reader raises or lowers doubt, and its failures are no opinion."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import cv2
import numpy as np
import pytesseract
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision import second_reader
from vision.rectify import rectify
from vision.second_reader import SecondReader, TooSlowError, weigh

Crop = NDArray[np.uint8]


@pytest.fixture
def reader() -> SecondReader:
    found = SecondReader.find()
    if found is None:
        pytest.skip("the tesseract binary is absent")
    return found


def face(number: int | None, height: int = 64, ink: tuple[int, int, int] = (40, 40, 190)) -> Crop:
    """A cream tile with a number in its upper half on a brown table, 3 : 4."""
    tall, wide = 256, 192
    crop = np.full((tall, wide, 3), (40, 60, 90), np.uint8)
    crop[20:-20, 15:-15] = (205, 220, 228)
    if number is not None:
        text = str(number)
        (across, up), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, 3.0, 9)
        place = ((wide - across) // 2, 60 + up)
        cv2.putText(crop, text, place, cv2.FONT_HERSHEY_DUPLEX, 3.0, ink, 9, cv2.LINE_AA)
    small = cv2.resize(crop, (height * 3 // 4, height), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def test_most_drawn_numbers_are_read_and_hardly_any_wrongly(reader: SecondReader) -> None:
    numbers = [*range(1, 14)] * 2
    opinions = reader.read([face(number) for number in numbers])
    right = sum(opinion == number for opinion, number in zip(opinions, numbers, strict=True))
    wrong = sum(opinion not in (None, number) for opinion, number in zip(opinions, numbers, strict=True))
    assert right >= 20
    assert wrong <= 2


def test_opinions_belong_to_their_crops(reader: SecondReader) -> None:
    """Blank faces and crops of other sizes between the numbers do not shift the answers."""
    crops = [face(None), face(6), face(7, height=128), face(None), face(2, ink=(200, 90, 20)), face(8, height=200)]
    assert reader.read(crops) == [None, 6, 7, None, 2, 8]


def test_nothing_to_read_asks_nobody(reader: SecondReader, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("tesseract was called")

    monkeypatch.setattr(pytesseract, "image_to_data", refuse)
    assert reader.read([]) == []
    assert reader.read([face(None), np.zeros((2, 2, 3), np.uint8)]) == [None, None]


def test_one_call_for_all_crops(reader: SecondReader, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    asked = pytesseract.image_to_data

    def counted(*arguments: object, **options: object) -> object:
        calls.append(1)
        return asked(*arguments, **options)

    monkeypatch.setattr(pytesseract, "image_to_data", counted)
    reader.read([face(number) for number in range(1, 14)])
    assert len(calls) == 1


def test_without_the_binary_there_is_no_second_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytesseract.pytesseract, "tesseract_cmd", "no-such-tesseract")
    assert SecondReader.find() is None


def test_a_binary_that_went_away_has_no_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytesseract.pytesseract, "tesseract_cmd", "no-such-tesseract")
    assert SecondReader().read([face(5), face(6)]) == [None, None]


@pytest.mark.parametrize(
    "script",
    [
        "echo no language data >&2; exit 1",
        'if [ "$1" = --version ]; then echo tesseract 5.3.0; else echo no language data >&2; exit 1; fi',
        "echo tesseract 2.0",
    ],
    ids=["always", "when it reads", "too old"],
)
def test_a_failing_binary_has_no_opinion(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    broken = tmp_path / "tesseract"
    broken.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(pytesseract.pytesseract, "tesseract_cmd", str(broken))
    fresh = pytesseract.pytesseract.get_tesseract_version.__wrapped__
    monkeypatch.setattr(pytesseract.pytesseract, "get_tesseract_version", lambda **_: fresh())  # the answer is cached
    assert SecondReader().read([face(5)]) == [None]


def test_a_binary_that_hangs_is_told_from_one_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hanging = tmp_path / "tesseract"
    hanging.write_text('#!/bin/sh\n[ "$1" = --version ] && echo tesseract 5.3.0 && exit\nexec sleep 30\n')
    hanging.chmod(hanging.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(pytesseract.pytesseract, "tesseract_cmd", str(hanging))
    monkeypatch.setattr(second_reader, "_TIMEOUT_S", 0.3)
    assert SecondReader.find() is not None
    with pytest.raises(TooSlowError):
        SecondReader().read([face(5)])
    assert SecondReader().read([face(None)]) == [None], "nothing printed, nothing asked"


@pytest.mark.parametrize(
    ("text", "number", "opinion"),
    [("8", 8, 8), ("14", 11, None), ("0", 8, None), ("08", 8, None), ("", 8, None), ("3", 13, None)],
    ids=["a number", "no tile's", "nought", "leading nought", "silence", "swallowed digit"],
)
def test_answers_that_no_tile_gives_are_no_opinion(
    monkeypatch: pytest.MonkeyPatch, text: str, number: int, opinion: int | None
) -> None:
    def answer(*_: object, **__: object) -> dict[str, list[object]]:
        return {"text": ["", text], "top": [0, 24], "height": [88, 40]}

    monkeypatch.setattr(pytesseract, "image_to_data", answer)
    assert SecondReader().read([face(number)]) == [opinion]


def test_two_digits_do_not_fit_into_the_width_of_a_stroke(monkeypatch: pytest.MonkeyPatch) -> None:
    stroke = face(None)
    stroke[18:42, 22:26] = (40, 40, 190)
    answers = iter(["11", "1"])

    def answer(*_: object, **__: object) -> dict[str, list[object]]:
        return {"text": [next(answers)], "top": [24], "height": [40]}

    monkeypatch.setattr(pytesseract, "image_to_data", answer)
    assert SecondReader().read([stroke]) == [None]
    assert SecondReader().read([stroke]) == [1]


def test_agreement_makes_surer_and_disagreement_more_doubtful() -> None:
    before = np.full(13, 0.2 / 12)
    before[7] = 0.8
    assert weigh(before, 8)[7] > 0.99
    against = weigh(before, 3)
    assert against.argmax() == 7
    assert against[7] < 0.55
    assert against[2] == pytest.approx(against[7], rel=1e-3)


def test_a_six_speaks_for_a_nine_and_against_both_is_no_flip() -> None:
    before = np.full(13, 0.02 / 11)
    before[9], before[5] = 0.6, 0.38
    after = weigh(before, 9)
    assert after.argmax() == 9
    assert after[5] == pytest.approx(after[9], rel=1e-3)
    assert after[8] < 0.01


def test_a_mild_contradiction_of_a_very_sure_reading() -> None:
    before = np.full(13, 0.0001 / 12)
    before[0] = 0.9999
    after = weigh(before, 6)
    assert 0.98 < after[0] < 0.9999


def test_no_opinion_changes_nothing() -> None:
    before = np.linspace(0, 1, 13)
    assert np.array_equal(weigh(before, None), before)


@given(
    st.lists(st.floats(0.0, 1.0), min_size=13, max_size=13).filter(lambda p: sum(p) > 0.01),
    st.none() | st.integers(1, 13),
)
def test_the_first_reading_never_changes(probabilities: list[float], opinion: int | None) -> None:
    before = np.array(probabilities)
    after = weigh(before, opinion)
    assert after.argmax() == before.argmax()
    assert after.sum() == pytest.approx(before.sum())
    assert after.min() >= 0


@pytest.mark.parametrize(("shape", "opinion"), [((4,), 3), ((13,), 0), ((13,), 14)])
def test_other_input_is_refused(shape: tuple[int, ...], opinion: int) -> None:
    with pytest.raises(ValueError, match=r"expected|opinion"):
        weigh(np.ones(shape), opinion)


def test_real_numerals(reader: SecondReader, shared_photos: Path) -> None:
    """The figure that ``weigh`` states for clean crops, on a sample: hardly anything is misread."""
    names = sorted(json.loads((shared_photos / "split.json").read_text(encoding="utf-8"))["train"])[::9]
    crops: list[Crop] = []
    numbers: list[int] = []
    for name in names:
        truth = json.loads((shared_photos / "truth" / f"{Path(name).stem}.json").read_text(encoding="utf-8"))
        tiles = [tile for tile in truth["tiles"] if tile["tile"] != "J" and not tile.get("cut")]
        if tiles:
            picture = cv2.imread(str(shared_photos / "photos" / truth["photo"]))
            assert picture is not None
            crops += list(rectify(np.asarray(picture, np.uint8), np.array([tile["quad"] for tile in tiles])))
            numbers += [int(tile["tile"][1:]) for tile in tiles]
    crops, numbers = crops[:120], numbers[:120]
    opinions = reader.read(crops)
    wrong = [(number, said) for number, said in zip(numbers, opinions, strict=True) if said not in (None, number)]
    assert len(numbers) > 80
    assert sum(said is None for said in opinions) <= 0.03 * len(numbers)
    assert len(wrong) <= 0.02 * len(numbers), wrong
