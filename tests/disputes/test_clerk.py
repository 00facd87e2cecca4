"""Photos taken in, looked at one after another, kept for a time: with eyes made by hand, and with the real ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Lock

import cv2
import numpy as np
import pytest
from PIL import Image as PilImage

from referee.preset_files import load_ruleset
from referee.ruleset import RuleSetError
from referee.ruling import Verdict
from referee.tiles import parse_tile
from tests.conftest import REPOSITORY
from tests.web.fakes import FakeEyes, FakeSight, Pixels, paint, table
from web.disputes.case import State
from web.disputes.clerk import RESTARTED, Disputes, NotYoursError, Opened, OvertakenError
from web.disputes.edits import Name
from web.disputes.photo import LONGEST_KEPT_PX, UnusableError
from web.disputes.shelf import KEPT_DAYS, DisputeShelf, NoCaseError
from web.disputes.waiting import FullError
from web.evidence.picture import pixels_of
from web.examine import examine
from web.report_json import reading_fields
from web.wiring import Eyes, EyesError, product_wiring

SAMPLES = sorted((REPOSITORY / "sample_images" / "photos").glob("*.jpg"))
PATIENCE_S = 60.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class GatedEyes(FakeEyes):
    """Eyes that look only once they may, and note whether two looks ever ran at once."""

    def __init__(self) -> None:
        super().__init__()
        self.may, self.looking = Event(), Event()
        self.looks, self.at_once = 0, 0
        self._lock = Lock()

    def look(self, image: Pixels, second_reader: bool = True) -> FakeSight:
        alone = self._lock.acquire(blocking=False)
        self.at_once += not alone
        self.looking.set()
        assert self.may.wait(PATIENCE_S)
        self.looks += 1
        if alone:
            self._lock.release()
        return super().look(image, second_reader)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gated() -> GatedEyes:
    return GatedEyes()


@pytest.fixture
def clerk(tmp_path: Path, eyes: FakeEyes, clock: Clock) -> Iterator[Disputes]:
    disputes = Disputes(tmp_path / "disputes", lambda: eyes, clock)
    yield disputes
    disputes.close()



def saved(path: Path) -> Callable[[Path], None]:
    return written(path.read_bytes())


def written(data: bytes) -> Callable[[Path], None]:
    def save(target: Path) -> None:
        target.write_bytes(data)

    return save


def ready(clerk: Disputes, opened: Opened) -> Opened:
    assert clerk._line.wait_until_empty(PATIENCE_S)
    return Opened(clerk.case(opened.case.key), opened.word)


def send(clerk: Disputes, eyes: FakeEyes, tmp_path: Path, text: str) -> Opened:
    photo = eyes.photo(tmp_path / f"{len(eyes.known)}.png", table(text))
    return clerk.open(saved(photo), "IMG_1.PNG", "international")


def test_a_photo_is_taken_in_looked_at_corrected_and_kept(clerk: Disputes, eyes: FakeEyes, tmp_path: Path) -> None:
    made = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6/R9 R7"))
    assert made.case.state is State.READY
    assert made.case.models == eyes.models
    key, word = made.case.key, made.word
    clerk.edit(key, word, 0, Name(1, parse_tile("R6")))
    again = Disputes(tmp_path / "disputes", lambda: eyes, lambda: made.case.at)
    ruled, _ = again.ruled(again.case(key))
    again.close()
    assert (ruled.ruling.verdict, ruled.by_camera.verdict) == (Verdict.LEGAL, Verdict.CANNOT_TELL)
    assert not list((tmp_path / "disputes").rglob("upload"))


def test_only_its_maker_corrects_a_dispute(clerk: Disputes, eyes: FakeEyes, tmp_path: Path) -> None:
    made = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7"))
    key = made.case.key
    for word in ("", made.case.editor, key, made.word[:-1]):
        with pytest.raises(NotYoursError):
            clerk.edit(key, word, 0, Name(0, parse_tile("R5")))
        with pytest.raises(NotYoursError):
            clerk.choose_rules(key, word, "german")
        with pytest.raises(NotYoursError):
            clerk.drop(key, word)
    assert made.word not in (tmp_path / "disputes" / key / "case.json").read_text()


def test_others_go_on_in_a_copy(clerk: Disputes, eyes: FakeEyes, tmp_path: Path) -> None:
    made = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6/R9 R7"))
    clerk.edit(made.case.key, made.word, 0, Name(1, parse_tile("R9")))
    theirs = clerk.copy(made.case.key)
    clerk.edit(theirs.case.key, theirs.word, 1, Name(1, parse_tile("R6")))
    verdicts = [clerk.ruled(clerk.case(key))[0].ruling.verdict for key in (made.case.key, theirs.case.key)]
    assert verdicts == [Verdict.ILLEGAL, Verdict.LEGAL]
    clerk.drop(made.case.key, made.word)
    assert clerk.picture(theirs.case.key)
    with pytest.raises(NoCaseError):
        clerk.case(made.case.key)


def test_two_windows_do_not_overwrite_each_other(clerk: Disputes, eyes: FakeEyes, tmp_path: Path) -> None:
    made = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7"))
    clerk.edit(made.case.key, made.word, 0, Name(0, parse_tile("R5")))
    with pytest.raises(OvertakenError):
        clerk.edit(made.case.key, made.word, 0, Name(0, parse_tile("R4")))
    assert clerk.edit(made.case.key, made.word, 1, None).edits == ()


def test_other_rules_rule_at_once(clerk: Disputes, eyes: FakeEyes, tmp_path: Path) -> None:
    made = ready(clerk, send(clerk, eyes, tmp_path, "R12 R13 R1"))
    assert clerk.ruled(made.case)[0].ruling.rules == "international"
    changed = clerk.choose_rules(made.case.key, made.word, "twist-pl")
    assert clerk.ruled(changed)[0].ruling.rules == "twist-pl"
    assert clerk.ruled(changed, "german")[0].ruling.rules == "german"
    with pytest.raises(RuleSetError):
        clerk.choose_rules(made.case.key, made.word, "../../etc/passwd")
    assert clerk.case(made.case.key).rules == "twist-pl"


@pytest.mark.parametrize("key", ["", ".", "..", "../disputes", "a/b", "x" * 24 + "/..", "K" * 24, "é" * 24, "a" * 500])
def test_no_key_leads_elsewhere(clerk: Disputes, tmp_path: Path, key: str) -> None:
    (tmp_path / "case.json").write_text("{}")
    for ask in (clerk.case, clerk.picture, clerk.copy):
        with pytest.raises(NoCaseError):
            ask(key)


def test_a_damaged_case_is_no_case(clerk: Disputes, eyes: FakeEyes, tmp_path: Path) -> None:
    made = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7"))
    path = tmp_path / "disputes" / made.case.key / "case.json"
    whole = json.loads(path.read_text())
    for damage in (b"", b"{", b"[]", b"\xff\xfe", json.dumps({**whole, "format": 2}).encode(),
                   json.dumps({**whole, "reading": {}}).encode()):  # fmt: skip
        path.write_bytes(damage)
        with pytest.raises(NoCaseError):
            clerk.case(made.case.key)
        assert list(clerk._shelf.cases()) == []


# --- what cannot be used ----------------------------------------------------------------------------------------------


def picture_bytes(width: int, height: int, kind: str = ".png") -> bytes:
    encoded, data = cv2.imencode(kind, np.zeros((height, width, 3), np.uint8))
    assert encoded
    return data.tobytes()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"Dear referee, the table was legal.\n" * 50, "no picture"),
        (b"%PDF-1.7\n" + bytes(500), "no picture"),
        (picture_bytes(9000, 6700), "60 megapixels"),
        (picture_bytes(20, 20), "too small"),
        (b"\x00\x00\x00\x18ftypheic" + bytes(400), "damaged"),
    ],
)
def test_what_is_no_photo_is_told_at_once_by_its_own_name(
    clerk: Disputes, tmp_path: Path, data: bytes, says: str
) -> None:
    with pytest.raises(UnusableError) as refused:
        clerk.open(written(data), "C:\\Users\\me\\holiday.jpg", "international")
    sentence = str(refused.value)
    assert sentence.startswith("holiday.jpg ")
    assert says in sentence
    assert str(tmp_path) not in sentence
    assert list((tmp_path / "disputes").iterdir()) == []


def test_a_photo_cut_off_in_the_middle_fails_with_a_sentence(clerk: Disputes) -> None:
    whole = SAMPLES[0].read_bytes()
    made = ready(clerk, clerk.open(written(whole[: len(whole) // 2]), "half.jpg", "international"))
    assert made.case.state is State.FAILED
    assert str(made.case.why).startswith("half.jpg ends too early")


@pytest.mark.parametrize("name", ["", "../..", "a\n\x1b[31mb.jpg", "n" * 300, "фото.heic"])
def test_a_name_is_shown_only_as_far_as_it_is_one(clerk: Disputes, name: str) -> None:
    with pytest.raises(UnusableError) as refused:
        clerk.open(written(b"text"), name, "international")
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 250


def test_eyes_that_cannot_be_loaded_are_told_in_the_case(tmp_path: Path, clock: Clock) -> None:
    def blind() -> Eyes:
        raise EyesError("models/reader.onnx is missing.")

    clerk = Disputes(tmp_path / "disputes", blind, clock)
    made = ready(clerk, clerk.open(saved(SAMPLES[0]), "a.jpg", "international"))
    clerk.close()
    assert (made.case.state, str(made.case.why)) == (State.FAILED, "models/reader.onnx is missing.")


def test_eyes_that_stumble_do_not_stop_the_line(tmp_path: Path, clock: Clock) -> None:
    class Stumbling(FakeEyes):
        def look(self, image: Pixels, second_reader: bool = True) -> FakeSight:
            if int(image[0, 0, 0]) == 0:
                raise ZeroDivisionError
            return super().look(image, second_reader)

    stumbling = Stumbling()
    clerk = Disputes(tmp_path / "disputes", lambda: stumbling, clock)
    first, second = (send(clerk, stumbling, tmp_path, "R5 R6 R7") for _ in range(2))
    states = [ready(clerk, one).case.state for one in (first, second)]
    clerk.close()
    assert states == [State.FAILED, State.READY]


# --- the line ---------------------------------------------------------------------------------------------------------


def test_photos_are_looked_at_one_after_another_and_the_line_has_an_end(
    tmp_path: Path, clock: Clock, gated: GatedEyes
) -> None:
    clerk = Disputes(tmp_path / "disputes", lambda: gated, clock, most_waiting=3)
    made = [send(clerk, gated, tmp_path, "R5 R6 R7") for _ in range(3)]
    assert gated.looking.wait(PATIENCE_S)
    assert [clerk.before(one.case.key) for one in made] == [0, 1, 2]
    with pytest.raises(FullError):
        send(clerk, gated, tmp_path, "R5 R6 R7")
    assert len(list((tmp_path / "disputes").iterdir())) == 3
    gated.may.set()
    assert all(ready(clerk, one).case.state is State.READY for one in made)
    assert (gated.looks, gated.at_once) == (3, 0)
    assert [clerk.before(one.case.key) for one in made] == [None] * 3
    ready(clerk, send(clerk, gated, tmp_path, "R5 R6 R7"))
    clerk.close()


def test_what_waited_when_the_program_stopped_is_looked_at_when_it_starts(
    tmp_path: Path, clock: Clock, gated: GatedEyes, eyes: FakeEyes
) -> None:
    first = Disputes(tmp_path / "disputes", lambda: gated, clock)
    made = []
    for _ in range(3):
        made.append(send(first, gated, tmp_path, "R5 R6 R7"))
        clock.now += 1
    assert gated.looking.wait(PATIENCE_S)
    gated.may.set()
    first.close()
    left = [one for one in made if first.case(one.case.key).state is State.WAITING]
    for one in left:
        assert first.before(one.case.key) is not None
    eyes.known = gated.known
    second = Disputes(tmp_path / "disputes", lambda: eyes, clock, most_waiting=3)
    assert all(ready(second, one).case.state is State.READY for one in made)
    second.close()


def test_more_waiting_photos_than_the_line_takes_are_told_to_be_sent_again(
    tmp_path: Path, clock: Clock, gated: GatedEyes
) -> None:
    shelf = DisputeShelf(tmp_path / "disputes")
    first = Disputes(tmp_path / "disputes", lambda: gated, clock)
    made = [send(first, gated, tmp_path, "R5 R6 R7") for _ in range(3)]
    copies = tmp_path / "copies"
    shutil.copytree(tmp_path / "disputes", copies)
    gated.may.set()
    first.close()
    shutil.rmtree(tmp_path / "disputes")
    copies.rename(tmp_path / "disputes")
    gated.may.clear()
    second = Disputes(tmp_path / "disputes", lambda: gated, clock, most_waiting=2)
    cases = [shelf.load(one.case.key) for one in made]
    assert [case.why for case in cases if case.state is State.FAILED] == [RESTARTED]
    gated.may.set()
    second.close()


# --- how long -----------------------------------------------------------------------------------------------------


def test_a_dispute_is_let_go_by_its_age_with_its_picture(
    clerk: Disputes, eyes: FakeEyes, tmp_path: Path, clock: Clock
) -> None:
    old = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7"))
    clock.now += KEPT_DAYS * 86400 - 1
    assert clerk.case(old.case.key) == old.case
    clock.now += 2
    with pytest.raises(NoCaseError):
        clerk.case(old.case.key)
    young = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7"))
    assert [path.name for path in (tmp_path / "disputes").iterdir()] == [young.case.key]


def test_of_too_many_disputes_the_oldest_go(clerk: Disputes, eyes: FakeEyes, tmp_path: Path, clock: Clock) -> None:
    made = []
    for _ in range(4):
        made.append(ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7")))
        clock.now += 1
    stranger = tmp_path / "disputes" / "my own notes"
    stranger.mkdir()
    assert DisputeShelf(tmp_path / "disputes", most=2).let_go(clock) == 2
    left = {path.name for path in (tmp_path / "disputes").iterdir()}
    assert left == {made[2].case.key, made[3].case.key, stranger.name}


# --- pictures ---------------------------------------------------------------------------------------------------------


def test_what_is_kept_holds_no_metadata_and_is_no_larger_than_a_screen_needs(
    clerk: Disputes, eyes: FakeEyes, tmp_path: Path
) -> None:
    seen = table("R5 R6 R7", width=4000, height=3000)
    eyes.known.append(seen)
    picture = PilImage.fromarray(np.ascontiguousarray(paint(seen)[:, :, ::-1]))
    picture.putpixel((0, 0), (0, 0, 0))
    exif = PilImage.Exif()
    exif[0x010F] = "Phone of Ada"
    picture.save(tmp_path / "large.png", exif=exif)
    made = ready(clerk, clerk.open(saved(tmp_path / "large.png"), "large.png", "international"))
    kept = clerk.picture(made.case.key)
    assert b"Ada" not in kept
    assert pixels_of(kept).shape == (1800, LONGEST_KEPT_PX, 3)
    reading = made.case.reading
    assert reading is not None
    assert (reading.width, reading.height) == (LONGEST_KEPT_PX, 1800)
    x, y = reading.tiles[0].quad[0]
    assert (x, y) == pytest.approx((60 * 0.6, 40 * 0.6))


def test_the_annotated_picture_shows_the_corrected_ruling(clerk: Disputes, eyes: FakeEyes, tmp_path: Path) -> None:
    made = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7"))
    before = clerk.annotated(made.case)
    after = clerk.annotated(clerk.edit(made.case.key, made.word, 0, Name(0, parse_tile("K9"))))
    banners = [pixels_of(one)[8, -8] for one in (before, after)]
    assert banners[0][1] > banners[0][2]  # green
    assert banners[1][2] > banners[1][1]  # red


# --- the real eyes ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real() -> Eyes:
    return product_wiring().load_eyes()


@pytest.mark.parametrize("name", ["02_illegal_gap", "10_covered_tile", "18_macro"])
def test_the_referee_says_of_a_dispute_what_check_says_of_the_photo(tmp_path: Path, real: Eyes, name: str) -> None:
    photo = next(path for path in SAMPLES if path.stem == name)
    clerk = Disputes(tmp_path / "disputes", lambda: real)
    made = ready(clerk, clerk.open(saved(photo), photo.name, "international"))
    clerk.close()
    ruled, ruleset = clerk.ruled(made.case)
    checked = examine(photo, real, load_ruleset())
    ours = reading_fields(ruled.corrected.observation, ruled.ruling)
    theirs = reading_fields(checked.observation, checked.ruling)
    same = ("scene", "rules", "verdict", "sets", "loose", "findings", "notes")
    assert {key: ours[key] for key in same} == {key: theirs[key] for key in same}
    assert ruleset.name == "international"


def test_copies_are_let_go_as_photos_are(clerk: Disputes, eyes: FakeEyes, tmp_path: Path, clock: Clock) -> None:
    """Anybody who has the link may make one: the disk is not filled by that."""
    clerk._shelf = DisputeShelf(tmp_path / "disputes", most=3)
    last = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7"))
    for _ in range(8):
        clock.now += 1
        last = clerk.copy(last.case.key)
    assert len(list((tmp_path / "disputes").iterdir())) <= 4
    assert clerk.picture(last.case.key)


def test_a_dispute_that_goes_while_others_are_counted_is_no_trouble(
    clerk: Disputes, eyes: FakeEyes, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ready(clerk, send(clerk, eyes, tmp_path, "R5 R6 R7"))
    shelf = DisputeShelf(tmp_path / "disputes")
    folders = shelf._folders()
    monkeypatch.setattr(shelf, "_folders", lambda: folders)
    clerk.drop(made.case.key, made.word)
    shelf.let_go(clock)
    assert list((tmp_path / "disputes").iterdir()) == []
