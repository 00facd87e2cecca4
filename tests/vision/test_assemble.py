"""From network answers to tiles: how sure that a tile is there, which detections are one tile, and what a face says."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from referee.tiles import Joker
from vision.assemble import (
    MOST_READINGS,
    NEAR_A_FACE,
    SMALLEST_READING,
    Calibration,
    FaceReading,
    believable,
    doubted_alone,
    halves_of_one,
    inside_share,
    neighbours,
    plausible_sizes,
    presence,
    read_faces,
    supported,
    usual_size,
    without_doubles,
)
from vision.read import BACK, COLOUR_CLASSES, JOKER, NOTHING, NUMBER_CLASSES, UNREAD

Floats = NDArray[np.float64]
PLAIN = Calibration()
CLASSES = len(NUMBER_CLASSES)


def upright(x: float, y: float, width: float, height: float) -> Floats:
    """An upright quad with its centre at (x, y)."""
    half_w, half_h = width / 2, height / 2
    return np.array(
        [[x - half_w, y - half_h], [x + half_w, y - half_h], [x + half_w, y + half_h], [x - half_w, y + half_h]]
    )


def distribution(**shares: float) -> Floats:
    """Number classes (17,) with these shares; what is left goes to ``nothing``."""
    p = np.zeros(CLASSES)
    for name, share in shares.items():
        p[NUMBER_CLASSES.index(name.removeprefix("n"))] = share
    p[NOTHING] += 1 - p.sum()
    return p


# --- calibration ------------------------------------------------------------------------------------------------


def test_calibration_comes_from_the_manifest_and_bears_unknown_names() -> None:
    read = Calibration.of({"number_temperature": 1.7, "doubtful_below": 0.8, "a_number_of_a_later_version": 3.0})
    assert read == replace(PLAIN, number_temperature=1.7, doubtful_below=0.8)
    assert Calibration.of({}) == PLAIN


def test_calibration_survives_the_manifest() -> None:
    changed = replace(PLAIN, presence_bias=-0.5, present_from=0.2)
    assert Calibration.of(asdict(changed)) == changed


# --- presence ---------------------------------------------------------------------------------------------------

SHARES = st.floats(0.001, 0.999)


@given(scores=st.lists(SHARES, min_size=2, max_size=2), nothing=SHARES)
def test_a_surer_detector_never_makes_a_tile_less_present(scores: list[float], nothing: float) -> None:
    number_p = np.tile(distribution(n5=1 - nothing), (2, 1))
    low, high = presence(np.sort(scores), number_p, PLAIN)
    assert 0 < low <= high < 1
    if np.ptp(scores) > 0.01:
        assert low < high


@given(score=SHARES, shares=st.lists(SHARES, min_size=2, max_size=2))
def test_a_reader_that_sees_nothing_makes_a_tile_less_present(score: float, shares: list[float]) -> None:
    number_p = np.stack([distribution(n5=1 - share) for share in sorted(shares)])
    more, less = presence(np.full(2, score), number_p, PLAIN)
    assert 0 < less <= more < 1
    if np.ptp(shares) > 0.01:
        assert less < more


def test_presence_is_the_logistic_model_of_the_manifest() -> None:
    calibration = replace(PLAIN, presence_bias=0.4, presence_detector=2.0, presence_reader=0.5, presence_clarity=0.25)
    number_p = distribution(n5=0.6, n6=0.2)[None]
    evidence = 0.4 + 2 * np.log(0.9 / 0.1) - 0.5 * np.log(0.2 / 0.8) + 0.25 * np.log(0.6 / 0.4)
    assert presence(np.array([0.9]), number_p, calibration)[0] == pytest.approx(1 / (1 + np.exp(-evidence)))


def test_presence_bears_certainty_and_emptiness() -> None:
    extremes = presence(np.array([0.0, 1.0], np.float32), np.stack([distribution(), distribution(n5=1)]), PLAIN)
    assert np.isfinite(extremes).all()
    assert extremes[0] < 0.01
    assert extremes[1] > 0.99
    assert presence(np.zeros(0), np.zeros((0, CLASSES)), PLAIN).shape == (0,)


# --- sizes ------------------------------------------------------------------------------------------------------


def plausible(quads: list[Floats], number_p: list[Floats] | None = None, present: float = 0.99) -> list[bool]:
    answers = np.stack(number_p if number_p is not None else [distribution(n5=1)] * len(quads))
    return list(map(bool, plausible_sizes(np.stack(quads), answers, np.full(len(quads), present), PLAIN)))


def line_of(heights: list[float]) -> list[Floats]:
    return [upright(60 + 90 * k, 100, 0.7 * height, height) for k, height in enumerate(heights)]


@pytest.mark.parametrize("odd", [25.0, 140.0])
def test_a_tile_of_another_size_among_equal_ones_is_none(odd: float) -> None:
    assert plausible(line_of([60, 60, odd, 60, 60, 62])) == [True, True, False, True, True, True]


def test_a_blank_must_fit_more_closely_than_a_numeral() -> None:
    for height in (42.0, 84.0):
        quads = line_of([60, 60, height, 60, 60, 60])
        number_p = [distribution(n5=1)] * 6
        assert all(plausible(quads, number_p))
        for blank in ("back", "unread"):
            number_p[2] = distribution(**{blank: 1.0})
            assert plausible(quads, number_p) == [True, True, False, True, True, True]


def test_perspective_is_no_reason_to_doubt() -> None:
    """Ten rows from far to near, the last three times as high as the first."""
    quads = []
    for row in range(10):
        height = 30.0 + 6.5 * row
        quads += [
            upright(300 + column * height, row * 40 + row**2 * 4, 0.7 * height, height) for column in range(-3, 4)
        ]
    assert all(plausible(quads))
    assert plausible([*quads, upright(330, 5, 63, 90)])[-1] is False


def test_two_sure_tiles_are_no_measure() -> None:
    assert plausible(line_of([60, 20])) == [True, True]
    assert plausible(line_of([60, 60, 60, 20]), present=0.5) == [True] * 4


def test_the_usual_size_is_level_where_all_tiles_are_equal() -> None:
    rng = np.random.default_rng(1)
    centres, size = rng.uniform(0, 500, (12, 2)), np.full(12, 40.0)
    np.testing.assert_allclose(usual_size(centres, size, np.arange(12)), 40, rtol=1e-6)
    size[3] = 200
    np.testing.assert_allclose(usual_size(centres, size, np.arange(12))[:3], 40, rtol=0.05)


# --- blanks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["back", "unread"])
@pytest.mark.parametrize(
    ("present", "gap", "kept"),
    [(0.93, 5.0, True), (0.8, 5.0, False), (0.5, 5.0, False), (0.5, NEAR_A_FACE - 0.1, True)],
    ids=["sure", "likely but far from all faces", "weak and far from all faces", "weak beside a face"],
)  # fmt: skip
def test_a_weak_blank_counts_only_beside_a_face(blank: str, present: float, gap: float, kept: bool) -> None:
    quads = np.stack([upright(100, 100, 28, 40), upright(100 + 40 * gap, 100, 28, 40)])
    number_p = np.stack([distribution(n5=1), distribution(**{blank: 1.0})])
    score = np.array([0.9, 0.4])
    assert believable(neighbours(quads), score, number_p, np.array([0.9, present]), PLAIN).tolist() == [True, kept]


def test_a_weak_face_is_no_reason_to_believe_a_weak_blank() -> None:
    quads = np.stack([upright(100, 100, 28, 40), upright(130, 100, 28, 40)])
    number_p = np.stack([distribution(n5=1), distribution(back=1.0)])
    score = np.array([0.9, 0.9])
    assert believable(neighbours(quads), score, number_p, np.array([0.55, 0.55]), PLAIN).tolist() == [True, False]
    assert believable(neighbours(quads[1:]), score[1:], number_p[1:], np.array([0.93]), PLAIN).tolist() == [True]


@pytest.mark.parametrize(
    ("score", "gap", "nothing", "kept"),
    [(0.65, 1.0, 0.1, True), (0.3, 1.0, 0.1, False), (0.65, 5.0, 0.1, False), (0.65, 1.0, 0.8, False)],
    ids=["well seen", "hardly seen", "far from all faces", "the reader sees nothing"],
)
def test_what_was_well_seen_beside_a_face_is_never_dropped(
    score: float, gap: float, nothing: float, kept: bool
) -> None:
    """A tile of which nobody knows whether it is an 11 or a 1 was dropped once, and its group called illegal."""
    quads = np.stack([upright(100, 100, 28, 40), upright(100 + 40 * gap, 100, 28, 40)])
    unclear = distribution(n11=(1 - nothing) / 2, n1=(1 - nothing) / 2)
    number_p = np.stack([distribution(n5=1), unclear])
    seen = np.array([0.9, score])
    assert believable(neighbours(quads), seen, number_p, np.array([0.99, 0.1]), PLAIN).tolist() == [True, kept]


@pytest.mark.parametrize(
    ("score", "pitch", "kept"),
    [(0.6, 30, [True] * 5), (0.3, 30, [True] + [False] * 4), (0.6, 80, [True] + [False] * 4)],
    ids=["seen", "hardly seen", "apart"],
)
def test_a_row_of_tiles_that_hang_together_goes_unnoticed_at_no_place(
    score: float, pitch: int, kept: list[bool]
) -> None:
    """Of a row in tiny print, legible at one end alone, the rest was missed without a word."""
    quads = np.stack([upright(100 + pitch * k, 100, 28, 40) for k in range(5)])
    number_p = np.stack([distribution(n5=1)] + [distribution(n8=0.4, n9=0.3, n12=0.3)] * 4)
    scores, present = np.array([0.9] + [score] * 4), np.array([0.99] + [0.2] * 4)
    assert believable(neighbours(quads), scores, number_p, present, PLAIN).tolist() == kept
    order = np.array([3, 1, 4, 0, 2])
    again = believable(neighbours(quads[order]), scores[order], number_p[order], present[order], PLAIN)
    assert again.tolist() == [kept[k] for k in order]


@pytest.mark.parametrize(
    ("width", "others", "doubted"), [(60, 0, True), (28, 0, False), (60, 3, False)], ids=["wide", "upright", "a slant"]
)
def test_a_face_wider_than_high_is_doubted_where_nothing_shows_a_slant(
    width: float, others: int, doubted: bool
) -> None:
    """Print on a score pad was once surely a joker, as wide as one and a half times its height."""
    quads = np.stack([upright(300, 300, width, 40)] + [upright(100 * k, 100, 60, 40) for k in range(others)])
    number_p = np.stack([distribution(joker=1.0)] + [distribution(n5=1)] * others)
    after = doubted_alone(quads, number_p, np.full(1 + others, 0.999))
    assert bool(after[0] < PLAIN.doubtful_below + 0.01) is doubted
    turned = np.roll(quads, 2, axis=1)
    assert (doubted_alone(turned, number_p, np.full(1 + others, 0.999)) == after).all()


@pytest.mark.parametrize(
    ("clarity", "gap", "raised"),
    [(0.97, 1.0, True), (0.9, 1.0, False), (0.97, 5.0, False)],
    ids=["clear beside a face", "unclear", "far from all faces"],
)
def test_a_clear_face_beside_a_sure_one_is_there(clarity: float, gap: float, raised: bool) -> None:
    quads = np.stack([upright(100, 100, 28, 40), upright(100 + 40 * gap, 100, 28, 40)])
    number_p = np.stack([distribution(n5=1), distribution(n7=clarity)])
    present = np.array([0.9, 0.7])
    after = supported(neighbours(quads), number_p, present)
    assert bool(after[1] > 0.99) is raised
    assert (after >= present).all()


@pytest.mark.parametrize("turn", [0, 30, 90])
@pytest.mark.parametrize(("widths", "heights", "near"), [(1.05, 0.0, True), (0.0, 1.05, True), (1.9, 0.0, False)])
def test_a_neighbour_is_as_near_in_a_slanting_view_as_from_above(
    turn: int, widths: float, heights: float, near: bool
) -> None:
    """Seen at 70 degrees a tile is twice as wide as high; its neighbours in the row were taken for far ones."""
    angle = np.radians(turn)
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    quads = np.stack([upright(100, 100, 56, 24), upright(100 + 56 * widths, 100 + 24 * heights, 56, 24)]) @ rotation.T
    number_p = np.stack([distribution(n5=1), distribution(n11=0.5, n1=0.5)])
    score, present = np.array([0.9, 0.6]), np.array([0.99, 0.1])
    assert believable(neighbours(quads), score, number_p, present, PLAIN).tolist() == [True, near]


@pytest.mark.parametrize(
    ("faces", "clarity", "kept"), [(2, 0.9, False), (3, 0.9, True), (3, 0.76, False)], ids=["few", "enough", "unclear"]
)
def test_on_a_table_of_sure_faces_nothing_legible_goes_unnoticed(faces: int, clarity: float, kept: bool) -> None:
    """The far row of a slanting view was missed without a word, though it had been seen and read well."""
    quads = np.stack([upright(100 + 100 * k, 100, 28, 40) for k in range(faces)] + [upright(400, 400, 28, 40)])
    number_p = np.stack([distribution(n5=1)] * faces + [distribution(n11=clarity, n1=0.1)])
    score, present = np.array([0.9] * faces + [0.6]), np.array([0.99] * faces + [0.1])
    assert believable(neighbours(quads), score, number_p, present, PLAIN).tolist() == [True] * faces + [kept]
    assert plausible_sizes(quads, number_p, present, PLAIN).all()


def test_a_face_is_not_its_own_neighbour() -> None:
    quads = np.stack([upright(100, 100, 28, 40)])
    assert supported(neighbours(quads), np.stack([distribution(n5=1)]), np.array([0.7])).tolist() == [0.7]


# --- halves of one ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("apart", "pairs"), [(0.5, [[8, 9]]), (0.66, []), (1.0, [])], ids=["halves", "over", "beside"])
def test_two_halves_of_one_tile_are_no_two_tiles(apart: float, pairs: list[list[int]]) -> None:
    """An R11 seen aslant was found as two R1 side by side, and its run was called illegal."""
    tiles = [upright(100 + 100 * (k % 4), 100 + 300 * (k // 4), 28, 40) for k in range(8)]
    halves = [upright(250, 250, 14, 40), upright(250 + 28 * apart, 250, 14, 40)]
    quads = np.stack([*tiles, *halves])
    number_p = np.stack([distribution(n5=1)] * 8 + [distribution(n1=0.9)] * 2)
    first, second = np.array([0.99] * 8 + [0.9, 0.7]), np.array([0.99] * 8 + [0.7, 0.9])
    assert halves_of_one(quads, number_p, first).tolist() == pairs
    assert halves_of_one(quads, number_p, second).tolist() == [pair[::-1] for pair in pairs]
    assert not len(halves_of_one(quads[8:], number_p[8:], first[8:]))


# --- doubles ----------------------------------------------------------------------------------------------------


def common_share(one: Floats, other: Floats) -> float:
    """Common area of two upright quads over the smaller one's area."""
    sides = np.minimum(one[2], other[2]) - np.maximum(one[0], other[0])
    smaller = min(float(np.prod(quad[2] - quad[0])) for quad in (one, other))
    return float(np.prod(np.maximum(sides, 0))) / smaller


TILES = st.lists(
    st.tuples(st.integers(0, 120), st.integers(0, 120), st.integers(30, 40), st.floats(0.05, 0.99)), max_size=14
)


@given(tiles=TILES)
def test_no_two_kept_tiles_are_one_and_every_dropped_one_lies_on_a_surer_one(
    tiles: list[tuple[int, int, int, float]],
) -> None:
    quads = np.array([upright(x, y, 0.7 * height, height) for x, y, height, _ in tiles]).reshape(-1, 4, 2)
    present = np.array([p for *_, p in tiles])
    kept = without_doubles(quads, present).tolist()
    assert kept == sorted(set(kept))
    for k, i in enumerate(kept):
        assert all(common_share(quads[i], quads[j]) < 0.4 + 1e-3 for j in kept[:k])
    for i in set(range(len(tiles))) - set(kept):
        assert any(present[j] >= present[i] and common_share(quads[i], quads[j]) > 0.4 - 1e-3 for j in kept)


def test_the_surer_of_two_is_kept() -> None:
    quads = np.stack([upright(50, 50, 28, 40), upright(53, 52, 28, 40), upright(90, 50, 28, 40)])
    assert without_doubles(quads, np.array([0.5, 0.9, 0.2])).tolist() == [1, 2]
    assert without_doubles(quads, np.array([0.9, 0.5, 0.2])).tolist() == [0, 2]


def test_a_tile_found_upside_down_is_the_same_tile() -> None:
    quad = upright(50, 50, 28, 40)
    assert without_doubles(np.stack([quad, np.roll(quad, 2, axis=0)]), np.array([0.9, 0.8])).tolist() == [0]


# --- the picture's edge -----------------------------------------------------------------------------------------


@given(x=st.floats(-60, 260), y=st.floats(-60, 210), height=st.floats(20, 80))
def test_the_share_inside_is_that_of_the_area(x: float, y: float, height: float) -> None:
    quad = upright(x, y, 0.7 * height, height)
    low, high = np.maximum(quad[0], -0.5), np.minimum(quad[2], (199.5, 149.5))
    wanted = float(np.prod(np.maximum(high - low, 0))) / (0.7 * height**2)
    assert inside_share(quad[None], 200, 150)[0] == pytest.approx(wanted, abs=2e-3)


def test_no_tiles_have_no_shares() -> None:
    assert inside_share(np.zeros((0, 4, 2)), 200, 150).shape == (0,)


# --- faces ------------------------------------------------------------------------------------------------------


def read_face(number_p: Floats, colour_p: Floats, present: float, calibration: Calibration) -> FaceReading:
    return read_faces(number_p[None], colour_p[None], np.array([present]), calibration)[0]


def test_readings_multiply_number_and_colour() -> None:
    face = read_face(distribution(n6=0.7, n9=0.2, joker=0.1), np.array([0.9, 0.1, 0.0, 0.0]), 0.95, PLAIN)
    assert [(str(reading.tile), reading.p) for reading in face.readings] == [
        ("R6", 0.63), ("R9", 0.18), ("J", 0.1), ("B6", 0.07), ("B9", 0.02),
    ]  # fmt: skip
    assert face.confidence == pytest.approx(0.63 * 0.95, abs=1e-4)
    assert face.doubtful


def test_a_joker_has_no_colour() -> None:
    face = read_face(distribution(joker=0.98, n1=0.02), np.full(4, 0.25), 1.0, PLAIN)
    assert face.readings[0].tile.joker is Joker.REGULAR
    assert (face.confidence, face.doubtful) == (0.98, False)


@pytest.mark.parametrize("present", [0.91, 0.89])
def test_doubt_begins_where_calibration_says(present: float) -> None:
    face = read_face(distribution(n3=1), np.array([0, 0, 1.0, 0]), present, replace(PLAIN, doubtful_below=0.9))
    assert face.doubtful is (present < 0.9)


def test_a_hopeless_face_still_has_its_best_reading() -> None:
    face = read_face(distribution(n4=0.001), np.array([1.0, 0, 0, 0]), 0.5, PLAIN)
    assert [str(reading.tile) for reading in face.readings] == ["R4"]


@given(data=st.data())
def test_readings_are_sorted_probabilities(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    sharpness = data.draw(st.sampled_from([0.05, 0.3, 3.0]))
    number_p, colour_p = rng.dirichlet(np.full(CLASSES, sharpness)), rng.dirichlet(np.full(4, sharpness))
    face = read_face(number_p, colour_p, 1.0, PLAIN)
    shares = [reading.p for reading in face.readings]
    assert shares == sorted(shares, reverse=True)
    assert 1 <= len(shares) <= MOST_READINGS
    assert sum(shares) <= 1 + 1e-3
    assert all(share >= SMALLEST_READING for share in shares[1:])
    assert len({str(reading.tile) for reading in face.readings}) == len(shares)
    best = max(number_p[:JOKER].max() * colour_p.max(), number_p[JOKER])
    assert shares[0] == pytest.approx(best, abs=1e-4)
    first = face.readings[0].tile
    if first.joker is None:
        assert (str(first.number), str(first.colour)) == (
            NUMBER_CLASSES[int(number_p[:JOKER].argmax())], COLOUR_CLASSES[int(colour_p.argmax())]
        )  # fmt: skip


def test_backs_and_unread_faces_are_no_readings() -> None:
    face = read_face(distribution(back=0.5, unread=0.3, n2=0.1, n3=0.05), np.array([0, 1.0, 0, 0]), 1.0, PLAIN)
    assert [str(reading.tile) for reading in face.readings] == ["B2", "B3"]
    assert {BACK, UNREAD, NOTHING}.isdisjoint(range(JOKER + 1))


def test_what_the_edge_cuts_is_a_tile_only_where_the_detector_saw_it_well() -> None:
    score, present = np.array([0.6, 0.38, 0.6, 0.38, 0.6]), np.array([0.8, 0.95, 0.7, 0.7, 0.6])
    number_p = np.stack([distribution(unread=1.0)] * 4 + [distribution(n5=1)])
    alone = np.zeros((5, 5), np.bool_)
    told = (alone, score, number_p, present, PLAIN)
    assert believable(*told).tolist() == [False, True, False, False, True]
    assert believable(*told, np.ones(5, np.bool_)).tolist() == [True, False, False, False, True]
    assert believable(*told, np.arange(5) == 1).tolist() == [False, False, False, False, True]
