"""One picture in, one observation out: which tiles are told, of which kind, in which rows, and how doubtful."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Reading, Scene, SeenTile
from referee.tiles import parse_tile
from vision import look
from vision.assemble import NUMBERS, Calibration, inside_share
from vision.colour import Ink, ink_of
from vision.detect import Detections, Detector
from vision.look import (
    MOST_SECOND_READINGS,
    SECOND_READER_ABSENT,
    SECOND_READER_STOPPED,
    Eyes,
    Found,
    alike_notes,
    all_doubted_where_many_are,
    observe,
    with_joint_colours,
    with_quarter_turns,
    with_second_opinions,
)
from vision.model_store import Manifest, ModelEntry
from vision.read import COLOUR_CLASSES, FEATURES, NOTHING, NUMBER_CLASSES, Reader, Readings
from vision.rectify import rectify
from vision.second_reader import SecondReader, TooSlowError

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
WIDTH, HEIGHT = 800, 600
TALL, WIDE = 60.0, 42.0
PICTURE = np.random.default_rng(0).normal((60, 110, 160), 3, (HEIGHT, WIDTH, 3)).astype(np.uint8)
"""One tone, with the noise without which no photo is."""
CALIBRATION = Calibration()


@dataclass(frozen=True, slots=True)
class Laid:
    """A tile laid by hand: its code (``?`` a back, ``#`` unread, ``-`` nothing), place and the networks' certainty."""

    code: str
    x: float
    y: float = 300.0
    p: float = 0.97
    present: float = 0.99
    facing: float = 1.0
    turned: bool = False
    nothing: float = 0.0
    size: float = 1.0

    @property
    def quad(self) -> Floats:
        corners = np.array([[-WIDE, -TALL], [WIDE, -TALL], [WIDE, TALL], [-WIDE, TALL]]) * self.size / 2
        corners = corners + (self.x, self.y)
        return np.roll(corners, 2, axis=0) if self.turned else corners

    @property
    def number_p(self) -> Floats:
        name = {"J": "joker", "?": "back", "#": "unread", "-": "nothing"}.get(self.code, self.code[1:])
        p = np.full(len(NUMBER_CLASSES), (1 - self.p - self.nothing) / (len(NUMBER_CLASSES) - 1))
        p[NUMBER_CLASSES.index(name)] = self.p
        p[NOTHING] += self.nothing
        return p

    @property
    def colour_p(self) -> Floats:
        p = np.full(4, 0.005)
        p[COLOUR_CLASSES.index(self.code[0]) if self.code[0] in COLOUR_CLASSES else 0] = 0.985
        return p


def found(*tiles: Laid) -> Found:
    quads = np.array([tile.quad for tile in tiles], np.float32).reshape(-1, 4, 2)
    return Found(
        quads,
        np.array([tile.number_p for tile in tiles]).reshape(-1, len(NUMBER_CLASSES)),
        np.array([tile.colour_p for tile in tiles]).reshape(-1, 4),
        np.array([tile.present for tile in tiles], np.float64),
        np.array([tile.facing for tile in tiles], np.float32),
        inside_share(quads, WIDTH, HEIGHT),
    )


def row(codes: str, x: float = 100, y: float = 300) -> list[Laid]:
    return [Laid(code, x + k * (WIDE + 2), y) for k, code in enumerate(codes.split())]


def seen(*tiles: Laid, calibration: Calibration = CALIBRATION, on_rack: bool = False) -> Observation:
    return observe(WIDTH, HEIGHT, found(*tiles), calibration, on_rack)


def codes(observation: Observation) -> list[str]:
    return ["?" if tile.kind is Kind.BACK else str(tile.readings[0].tile) for tile in observation.tiles]


# --- observe ----------------------------------------------------------------------------------------------------


def test_an_empty_picture_shows_an_empty_scene() -> None:
    for on_rack in (False, True):
        observation = observe(WIDTH, HEIGHT, found(), CALIBRATION, on_rack, ("a_note",))
        assert observation == Observation(WIDTH, HEIGHT, Scene.EMPTY, notes=("a_note",))


def test_faces_come_with_readings_rows_and_loose_tiles() -> None:
    observation = seen(*row("R5 R6 R7"), Laid("K13", 500))
    assert (observation.width, observation.height, observation.scene) == (WIDTH, HEIGHT, Scene.TABLE)
    assert codes(observation) == ["R5", "R6", "R7", "K13"]
    assert [line.tiles for line in observation.rows] == [(0, 1, 2)]
    assert observation.rows[0].gaps == pytest.approx((2 / WIDE, 2 / WIDE), abs=0.01)
    assert observation.loose == (3,)
    assert observation.unread == ()
    for tile in observation.tiles:
        assert not tile.doubtful
        assert tile.confidence == pytest.approx(0.97 * 0.985 * 0.99, abs=1e-3)


def test_each_kind_of_tile_is_told_as_what_it_is() -> None:
    observation = seen(Laid("B9", 100), Laid("J", 250), Laid("?", 400), Laid("#", 550))
    assert codes(observation) == ["B9", "J", "?"]
    assert [tile.kind for tile in observation.tiles] == [Kind.FACE, Kind.FACE, Kind.BACK]
    assert observation.tiles[2].readings == ()
    assert observation.tiles[2].confidence == pytest.approx(0.97 * 0.99, abs=1e-4)
    assert observation.unread == (tuple((float(x), float(y)) for x, y in Laid("#", 550).quad),)


def test_doubt_follows_the_calibration() -> None:
    tiles = (Laid("B9", 100), Laid("?", 250), Laid("J", 400), Laid("K2", 550, p=0.6), Laid("?", 700, present=0.7))
    assert [tile.doubtful for tile in seen(*tiles).tiles] == [False, False, False, True, True]
    strict = replace(CALIBRATION, doubtful_below=0.98)
    assert [tile.doubtful for tile in seen(*tiles, calibration=strict).tiles] == [True] * 5


def test_the_chance_that_there_is_nothing_lowers_confidence_but_is_no_reading() -> None:
    """The tile was let in: what it says is the best of what a tile can say."""
    observation = seen(Laid("R5", 100, p=0.3, nothing=0.6))
    assert codes(observation) == ["R5"]
    assert observation.tiles[0].doubtful
    assert len(seen(Laid("#", 100, p=0.3, nothing=0.6)).unread) == 1


@pytest.mark.parametrize(
    ("inside", "tiles", "unread"), [(0.95, 1, 0), (0.85, 0, 1), (0.3, 0, 1), (0.15, 0, 0)],
    ids=["nearly whole", "cut", "mostly cut off", "fragment"],
)  # fmt: skip
@pytest.mark.parametrize("code", ["O4", "?", "#"])
def test_a_tile_that_the_edge_cuts_is_unread_and_a_fragment_is_nothing(
    code: str, inside: float, tiles: int, unread: int
) -> None:
    cut = Laid(code, -0.5 + WIDE * (inside - 0.5))
    observation = seen(cut)
    if code == "#":
        tiles, unread = 0, tiles + unread
    assert (len(observation.tiles), len(observation.unread)) == (tiles, unread)
    assert observation.scene is (Scene.TABLE if tiles + unread else Scene.EMPTY)


@pytest.mark.parametrize("note", [UNLIKE_TILES, DRAWN])
def test_on_what_is_no_table_of_tiles_nothing_is_sure(note: str) -> None:
    laid = [*row("R5 R6 R7"), Laid("?", 600)]
    observation = observe(WIDTH, HEIGHT, found(*laid), CALIBRATION, on_rack=False, notes=(note,))
    assert codes(observation) == ["R5", "R6", "R7", "?"]
    assert [tile.doubtful for tile in observation.tiles] == [True, True, True, False]
    assert all(tile.confidence < 0.8 for tile in observation.tiles[:3])


def test_an_unread_tile_is_told_where_it_touches_a_row() -> None:
    observation = seen(*row("R5 R6 R7"), Laid("#", 100 + 3 * (WIDE + 2)), Laid("#", 700, 100))
    assert len(observation.unread) == 2
    assert [line.unread_touching for line in observation.rows] == [(0,)]


def test_rows_read_from_the_side_that_their_sure_numerals_face() -> None:
    upside_down = [replace(tile, turned=True) for tile in row("R7 R6 R5")]
    assert codes(seen(*upside_down)) == ["R7", "R6", "R5"]
    assert [line.tiles for line in seen(*upside_down).rows] == [(2, 1, 0)]
    blind = [replace(tile, facing=0.1) for tile in upside_down[:2]]
    straight = replace(upside_down[2], turned=False)
    assert [line.tiles for line in seen(*blind, straight).rows] == [(0, 1, 2)]


def test_a_back_has_no_say_in_the_reading_direction() -> None:
    tiles = [*row("R7 R6"), replace(Laid("?", 100 + 2 * (WIDE + 2)), turned=True)]
    assert [line.tiles for line in seen(*tiles).rows] == [(0, 1, 2)]
    backs = [replace(tile, turned=True) for tile in row("? ?", x=100 + WIDE + 2)]
    assert [line.tiles for line in seen(Laid("R7", 100), *backs).rows] == [(0, 1, 2)]


def test_on_a_rack_only_touching_tiles_are_neighbours() -> None:
    apart = [Laid("R5", 100), Laid("R6", 100 + 1.02 * WIDE), Laid("R7", 100 + 2.2 * WIDE)]
    table, rack = seen(*apart), seen(*apart, on_rack=True)
    assert (table.scene, rack.scene) == (Scene.TABLE, Scene.RACK)
    assert [line.tiles for line in table.rows] == [(0, 1, 2)]
    assert [line.tiles for line in rack.rows] == [(0, 1)]


def test_a_picture_of_unread_tiles_alone_is_a_table() -> None:
    observation = seen(Laid("#", 100), Laid("#", 300))
    assert observation.scene is Scene.TABLE
    assert len(observation.unread) == 2


@given(data=st.data())
def test_every_tile_is_told_once_or_was_a_fragment(data: st.DataObject) -> None:
    kinds = st.sampled_from(["R1", "B13", "K7", "O4", "J", "?", "#"])
    place = st.tuples(kinds, st.integers(-40, WIDTH + 40), st.integers(-50, HEIGHT + 50), st.floats(0.4, 0.99))
    laid = [Laid(code, x, y, p) for code, x, y, p in data.draw(st.lists(place, max_size=12))]
    observation = seen(*laid)
    told = {tile.quad for tile in observation.tiles} | set(observation.unread)
    for tile in laid:
        low, high = np.maximum(tile.quad.min(axis=0), -0.5), np.minimum(tile.quad.max(axis=0), (WIDTH - 0.5, 599.5))
        inside = float(np.prod(np.maximum(high - low, 0))) / (WIDE * TALL)
        if abs(inside - 0.2) > 0.01:
            quad = tuple((round(float(x), 1), round(float(y), 1)) for x, y in tile.quad)
            assert (quad in told) is (inside > 0.2)
    assert (observation.scene is Scene.EMPTY) is (not told)
    for seen_tile in observation.tiles:
        assert 0 <= seen_tile.confidence <= 1
        assert seen_tile.doubtful or seen_tile.confidence >= CALIBRATION.doubtful_below


# --- second opinions --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandWritten(SecondReader):
    """Gives its opinions in turn, and remembers how many crops of which shape it was shown."""

    opinions: Sequence[int | None]
    shown: list[tuple[int, ...]] = field(default_factory=list)

    def read(self, crops: Sequence[Image]) -> list[int | None]:
        self.shown.extend(crop.shape for crop in crops)
        return list(self.opinions)[: len(crops)]


def torn(code: str, rival: int, x: float, share: float = 0.6, present: float = 0.99) -> tuple[Laid, Floats]:
    """A tile whose number hangs between its own and a rival."""
    tile = Laid(code, x, p=share, present=present)
    number_p = np.full(len(NUMBER_CLASSES), 0.001)
    number_p[int(code[1:]) - 1], number_p[rival - 1] = share, 1 - share - 0.015
    return tile, number_p / number_p.sum()


def asked(tiles: list[tuple[Laid, Floats]], opinions: Sequence[int | None]) -> tuple[Found, Found, HandWritten]:
    before = replace(found(*(tile for tile, _ in tiles)), number_p=np.stack([p for _, p in tiles]))
    second = HandWritten(opinions)
    return before, with_second_opinions(PICTURE, before, second, CALIBRATION), second


def test_agreement_makes_surer_disagreement_more_doubtful_and_silence_changes_nothing() -> None:
    tiles = [torn("R5", 8, 100), torn("B5", 8, 250), torn("K1", 7, 400)]
    before, after, second = asked(tiles, [5, 8, None])
    assert after.number_p[0, 4] > 0.95 > before.number_p[0, 4]
    assert after.number_p[1, 4] < 0.5 < before.number_p[1, 4]
    np.testing.assert_array_equal(after.number_p[2], before.number_p[2])
    np.testing.assert_array_equal(after.number_p.argmax(axis=1), before.number_p.argmax(axis=1))
    assert second.shown == [(96, 72, 3)] * 3


@pytest.mark.parametrize("opinion", [6, 9])
def test_no_opinion_tells_a_six_from_a_nine(opinion: int) -> None:
    """The crop was turned by the very facing that is in doubt."""
    before, after, _ = asked([torn("R6", 9, 100)], [opinion])
    assert after.number_p[0, 5] / after.number_p[0, 8] == pytest.approx(before.number_p[0, 5] / before.number_p[0, 8])
    assert after.number_p[0, [5, 8]].sum() > before.number_p[0, [5, 8]].sum()


def test_only_doubtful_numerals_are_asked_about() -> None:
    sure, doubtful = Laid("R5", 100), torn("B6", 9, 400)
    others = [Laid("J", 250, p=0.5), Laid("?", 550, p=0.5), Laid("#", 700, p=0.5)]
    tiles = [(sure, sure.number_p), *((tile, tile.number_p) for tile in others), doubtful]
    before, after, second = asked(tiles, [9])
    assert len(second.shown) == 1
    np.testing.assert_array_equal(after.number_p[:4], before.number_p[:4])
    assert after.number_p[4, 8] > before.number_p[4, 8]


def test_nobody_is_asked_without_doubt() -> None:
    before, after, second = asked([(Laid("R5", 100), Laid("R5", 100).number_p)], [6])
    assert after is before
    assert second.shown == []
    empty = found()
    assert with_second_opinions(PICTURE, empty, second, CALIBRATION) is empty


def test_with_many_doubts_the_surest_tiles_are_asked_about() -> None:
    count = MOST_SECOND_READINGS + 6
    tiles = [torn("R6", 9, 30 + 20 * k, present=0.5 + 0.4 * (k % 7) / 7) for k in range(count)]
    before, after, second = asked(tiles, [6] * count)
    assert len(second.shown) == MOST_SECOND_READINGS
    changed = (after.number_p != before.number_p).any(axis=1)
    assert changed.sum() == MOST_SECOND_READINGS
    assert before.present[changed].min() >= before.present[~changed].max()


@pytest.mark.parametrize("other", ["joker", "back", "unread"])
def test_no_opinion_makes_a_number_a_joker_a_back_or_unread(other: str) -> None:
    number_p = np.full(len(NUMBER_CLASSES), 0.01)
    number_p[4], number_p[NUMBER_CLASSES.index(other)] = 0.45, 0.4
    _, after, _ = asked([(Laid("R5", 100), number_p)], [8])
    assert after.number_p[0, 4] < 0.41
    assert after.number_p[0].argmax() == 4
    assert after.number_p[0, :NUMBERS].sum() == pytest.approx(number_p[:NUMBERS].sum())


@given(
    seed=st.integers(0, 10_000),
    opinions=st.lists(st.none() | st.integers(1, 13), min_size=5, max_size=5),
)
def test_no_opinion_replaces_a_reading(seed: int, opinions: list[int | None]) -> None:
    number_p = np.random.default_rng(seed).dirichlet(np.full(len(NUMBER_CLASSES), 0.3), 5)
    before = replace(found(*row("R1 R2 R3 R4 R5")), number_p=number_p)
    after = with_second_opinions(PICTURE, before, HandWritten(opinions), CALIBRATION)
    np.testing.assert_array_equal(after.number_p[:, :NOTHING].argmax(axis=1), number_p[:, :NOTHING].argmax(axis=1))
    np.testing.assert_allclose(after.number_p[:, :NUMBERS].sum(axis=1), number_p[:, :NUMBERS].sum(axis=1))
    np.testing.assert_array_equal(after.number_p[:, NUMBERS:], number_p[:, NUMBERS:])


# --- the whole --------------------------------------------------------------------------------------------------


class Finds(Detector):
    """Finds what it was told to find."""

    def __init__(self, tiles: Sequence[Laid]) -> None:
        self._tiles = tiles

    def find(self, image: Image) -> Detections:
        assert image is PICTURE
        there = found(*self._tiles)
        score = np.array([tile.present for tile in self._tiles], np.float32)
        return Detections(there.quads, score, scale=1.0)


class Tells(Reader):
    """Reads what it was told to read."""

    def __init__(self, tiles: Sequence[Laid]) -> None:
        self._tiles = tiles

    def read(self, image: Image, quads: NDArray[np.floating]) -> Readings:
        assert image is PICTURE
        told = found(*self._tiles)
        assert len(quads) == len(told)
        return Readings(
            told.number_p.astype(np.float32),
            told.colour_p.astype(np.float32),
            np.array([tile.turned for tile in self._tiles], np.bool_),
            told.facing_margin,
            told.quads,
            np.zeros((len(told), FEATURES), np.float32),
        )


def eyes(*tiles: Laid, second: SecondReader | None = None) -> Eyes:
    manifest = Manifest({"detector": ModelEntry("d.onnx", "ab" * 32, "7")}, {"unknown_to_this_version": 1.0})
    return Eyes(manifest, Finds(tiles), Tells(tiles), second)


class Rereads(Tells):
    """Reads again, this surely, and remembers what it was shown."""

    def __init__(self, p: float) -> None:
        super().__init__([Laid("B9", 0, p=p)])
        self.shown: list[Floats] = []

    def read(self, image: Image, quads: NDArray[np.floating]) -> Readings:
        self.shown.append(np.asarray(quads, np.float64))
        return super().read(image, quads)


@pytest.mark.parametrize(("p", "read"), [(0.99, "9"), (0.5, "6")], ids=["clearer", "less clear"])
def test_a_tile_read_from_its_side_is_read_again(p: float, read: str) -> None:
    tiles = row("R1 R2 R3 R4 R5 R6 R7 R8")
    tiles[5] = replace(tiles[5], p=0.7)
    readings = Tells(tiles).read(PICTURE, found(*tiles).quads)
    readings.quads[5] = np.roll(tiles[5].quad, 1, axis=0)
    again = Rereads(p)
    mended = with_quarter_turns(PICTURE, readings, again)
    assert [quads.tolist() for quads in again.shown] == [[np.roll(tiles[5].quad, 2, axis=0).tolist()]]
    names = [NUMBER_CLASSES[k] for k in mended.number_p.argmax(axis=1)]
    assert names == ["1", "2", "3", "4", "5", read, "7", "8"]
    assert len(mended) == len(readings)


def test_where_all_tiles_stand_upright_none_is_read_again() -> None:
    tiles = [*row("R1 R2 R3 R4 R5"), Laid("-", 600), Laid("J", 300, 420, turned=True)]
    readings = Tells(tiles).read(PICTURE, found(*tiles).quads)
    assert with_quarter_turns(PICTURE, readings, Rereads(0.99)) is readings


def test_the_stages_of_a_look_are_timed() -> None:
    sight = eyes(*row("R5 R6 R7")).look(PICTURE)
    assert list(sight.timing_ms) == ["detect", "read", "colour", "cover", "second_reader", "layout"]
    assert min(sight.timing_ms.values()) >= 0


def test_models_are_named_by_version_and_checksum() -> None:
    assert eyes().models == {"detector": "7 abababababab"}


def test_nothing_found_is_an_empty_scene() -> None:
    sight = eyes().look(PICTURE)
    assert sight.observation == Observation(WIDTH, HEIGHT, Scene.EMPTY, notes=(SECOND_READER_ABSENT,))


def test_an_absent_second_reader_is_noted() -> None:
    assert eyes(*row("R5 R6 R7")).look(PICTURE).observation.notes == (SECOND_READER_ABSENT,)
    present = eyes(*row("R5 R6 R7"), second=HandWritten([]))
    assert present.look(PICTURE).observation.notes == ()
    assert present.look(PICTURE, second_reader=False).observation.notes == ()


@dataclass(frozen=True, slots=True)
class Hangs(SecondReader):
    """Never answers in time; remembers how many crops it was shown each time."""

    asked: list[int] = field(default_factory=list)

    def read(self, crops: Sequence[Image]) -> list[int | None]:
        self.asked.append(len(crops))
        raise TooSlowError


def test_a_second_reader_that_hangs_is_asked_once() -> None:
    tiles, hanging = [*row("R5 R6 R7"), Laid("B6", 500, p=0.55)], Hangs()
    watching = eyes(*tiles, second=hanging)
    seen_by_both = [watching.look(PICTURE).observation for _ in range(3)]
    assert hanging.asked == [1]
    alone = eyes(*tiles).look(PICTURE).observation
    assert seen_by_both == [replace(alone, notes=(SECOND_READER_STOPPED,))] * 3


def test_inks_that_look_alike_are_noted() -> None:
    """Red and orange under a lamp that makes them nearly one: noted, and no colour of theirs stays sure."""
    tiles = row("R1 R2 R3 O4 O5 O6 B7 B8")
    inks = {"R": (35, 60, 200), "O": (35, 90, 205), "B": (170, 70, 30)}
    picture = np.full((HEIGHT, WIDTH, 3), 60, np.uint8)
    for tile in tiles:
        (left, top), _, (right, bottom), _ = tile.quad.astype(int).tolist()
        picture[top:bottom, left:right] = (225, 235, 240)
        picture[top + 10 : top + 32, left + 15 : right - 15] = inks[tile.code[0]]
    before = found(*tiles)
    ink = ink_of(rectify(picture, before.quads))
    after = with_joint_colours(before, ink, faint=False)
    assert alike_notes(after, ink) == ("red_like_orange",)
    assert (after.colour_p[:6].max(axis=1) < 0.8).all()
    assert (after.colour_p[6:].max(axis=1) > 0.9).all()
    apart = replace(after, colour_p=before.colour_p)
    wide = Ink(ink.lab + np.array([[0, 0, 30]] * 3 + [[0, 0, 0]] * 5), ink.share)
    assert alike_notes(apart, wide) == ()


def test_tiles_come_from_top_to_bottom_and_left_to_right() -> None:
    tiles = [Laid("R1", 500, 400), Laid("R2", 100, 400), Laid("R3", 300, 100), Laid("R4", 300, 250)]
    assert codes(eyes(*tiles).look(PICTURE).observation) == ["R3", "R4", "R2", "R1"]


def test_what_neither_network_believes_is_left_out() -> None:
    ghosts = [Laid("-", 500, 100, present=0.6), Laid("K4", 600, 500, p=0.2, nothing=0.7, present=0.1)]
    assert codes(eyes(*row("R5 R6 R7"), *ghosts).look(PICTURE).observation) == ["R5", "R6", "R7"]


@pytest.mark.parametrize(("code", "told"), [("K4", 4), ("?", 3), ("#", 3)])
def test_a_lonely_blank_needs_more_to_speak_for_it_than_a_face(code: str, told: int) -> None:
    faint = Laid(code, 600, p=0.5, nothing=0.4, present=0.6)
    observation = eyes(*row("R5 R6 R7"), faint).look(PICTURE).observation
    assert len(observation.tiles) + len(observation.unread) == told
    if told == 4:
        assert observation.tiles[-1].doubtful


def test_the_picture_tells_whether_the_faces_stand_on_a_rack(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what shows a number or a joker is asked about."""
    shown: list[Floats] = []

    def looks_like_one(image: Image, quads: Floats) -> bool:
        assert image is PICTURE
        shown.append(quads)
        return True

    monkeypatch.setattr(look, "shows_rack", looks_like_one)
    tiles = [*row("R5 J R7"), Laid("?", 300), Laid("#", 400)]
    assert eyes(*tiles).look(PICTURE).observation.scene is Scene.RACK
    np.testing.assert_array_equal(shown[0], found(*row("R5 J R7")).quads)


def test_a_thing_of_another_size_is_no_tile() -> None:
    tiny = replace(Laid("R9", 230, 400), size=0.3)
    assert codes(eyes(*row("R3 R4 R5 R6 R7"), tiny).look(PICTURE).observation) == ["R3", "R4", "R5", "R6", "R7"]


def test_a_tile_found_twice_is_told_once_as_the_surer_one() -> None:
    doubled = [*row("R5 R6 R7"), replace(row("R5 R6 R7")[1], code="R9", x=150, present=0.7, p=0.8)]
    assert codes(eyes(*doubled).look(PICTURE).observation) == ["R5", "R6", "R7"]


def test_the_second_reader_is_asked_unless_refused() -> None:
    tiles = [*row("R5 R6 R7"), Laid("B6", 500, p=0.55)]
    second = HandWritten([6])
    with_opinion = eyes(*tiles, second=second).look(PICTURE).observation
    assert len(second.shown) == 1
    without = eyes(*tiles, second=second).look(PICTURE, second_reader=False).observation
    assert len(second.shown) == 1
    assert with_opinion.tiles[3].confidence > without.tiles[3].confidence + 0.1
    assert codes(with_opinion) == codes(without) == ["R5", "R6", "R7", "B6"]


def test_the_same_picture_gives_the_same_observation() -> None:
    tiles = [*row("R5 R6 R7"), *row("? J K3", y=450), Laid("#", 600)]
    assert eyes(*tiles).look(PICTURE).observation == eyes(*tiles).look(PICTURE).observation


def test_colours_are_judged_over_the_whole_picture() -> None:
    """Six red tiles; of one the network says orange, but its ink is as red as that of the others."""
    picture = np.full((HEIGHT, WIDTH, 3), 60, np.uint8)
    tiles = row("R1 R2 R3 R4 R5 O6")
    for tile in tiles:
        (left, top), _, (right, bottom), _ = tile.quad.astype(int).tolist()
        picture[top:bottom, left:right] = (225, 235, 240)
        picture[top + 10 : top + 32, left + 15 : right - 15] = (40, 30, 190)
    before = found(*tiles)
    ink = ink_of(rectify(picture, before.quads))
    after = with_joint_colours(before, ink, faint=False)
    assert (after.colour_p[:5, 0] > 0.9).all()
    assert after.colour_p[5].max() < 0.75 < before.colour_p[5].max()
    np.testing.assert_array_equal(after.number_p, before.number_p)
    empty = found()
    assert len(with_joint_colours(empty, ink_of(rectify(picture, empty.quads)), faint=False)) == 0


def test_in_a_picture_without_colour_no_tile_keeps_a_sure_colour() -> None:
    before = found(*row("R1 B2 K3 O4"))
    after = with_joint_colours(before, ink_of(np.zeros((0, 64, 48, 3), np.uint8)), faint=True)
    assert (after.colour_p.max(axis=1) < 0.7).all()
    np.testing.assert_array_equal(after.colour_p.argmax(axis=1), before.colour_p.argmax(axis=1))


def test_many_doubts_in_one_picture_spare_no_tile() -> None:
    sure = SeenTile(
        ((0, 0), (1, 0), (1, 1), (0, 1)), Kind.FACE, (Reading(parse_tile("R1"), 0.99),), 0.99, doubtful=False
    )
    open_case = replace(sure, doubtful=True, confidence=0.5)
    back = SeenTile(sure.quad, Kind.BACK, (), 0.99, doubtful=False)
    few = (sure, sure, sure, open_case, back)
    many = (sure, open_case, open_case, back)
    assert all_doubted_where_many_are(few) == few
    doubted = all_doubted_where_many_are(many)
    assert [tile.doubtful for tile in doubted] == [True, True, True, False]
    assert [sum(reading.p for reading in tile.readings) <= 0.8 for tile in doubted[:3]] == [True] * 3
    assert [tile.readings[0].tile for tile in doubted[:3]] == [tile.readings[0].tile for tile in many[:3]]
