"""An inspection names the fault that a picture has, and no other; the tiles are known, so no network is asked."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Quad, Reading, Scene, SeenTile
from referee.tiles import Colour, parse_tile
from tests.measure.families import Family, photo_of
from tests.measure.limits import defocused, exposed, glaring, greyed, moved, shaded, tinted, uneven
from vision.inspection import LIMITS, Cause, Grade, Inspection, Limits, inspect, inspect_frames
from vision.look import COLOURS_TOO_FAINT
from vision.render import effects
from vision.render.compose import RenderedTile

Image = NDArray[np.uint8]


def quad_of(corners: NDArray[np.floating]) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d


def seen(image: Image, tiles: tuple[RenderedTile, ...], doubtful: int = 0, notes: tuple[str, ...] = ()) -> Observation:
    """The observation of eyes that read everything but what the edge cuts."""
    height, width = image.shape[:2]
    inside = [bool((tile.quad >= 0).all() and (tile.quad < (width, height)).all()) for tile in tiles]
    faces = tuple(
        SeenTile(quad_of(tile.quad), Kind.FACE, (Reading(parse_tile(tile.code), 0.99),), 0.99, k < doubtful)
        for k, (tile, whole) in enumerate(zip(tiles, inside, strict=True))
        if whole
    )
    cut = tuple(quad_of(tile.quad) for tile, whole in zip(tiles, inside, strict=True) if not whole)
    scene = Scene.TABLE if tiles else Scene.EMPTY
    return Observation(width, height, scene, faces, (), tuple(range(len(faces))), cut, notes=notes)


@cache
def rendered(tilt_deg: float = 10.0, tile_px: float = 60.0) -> tuple[Image, tuple[RenderedTile, ...]]:
    """A well lit table of 20 to 30 tiles in all four colours."""
    family = Family("inspected", tilt_deg=tilt_deg, tile_px=tile_px, sets=5, noise=0.0, jpeg_quality=92)
    return photo_of(family, 2, 3)


def spoilt(image: Image) -> Inspection:
    return inspect(image, seen(image, rendered()[1]))


def found(inspection: Inspection) -> dict[Cause, Grade]:
    """What is not fine."""
    return {one.cause: one.grade for one in inspection.measurements if one.grade is not Grade.FINE}


def value(inspection: Inspection, cause: Cause) -> float:
    (measured,) = [one.value for one in inspection.measurements if one.cause is cause]
    return measured


def test_a_good_picture_has_no_fault() -> None:
    image, tiles = rendered()
    inspection = inspect(image, seen(image, tiles))
    assert found(inspection) == {}
    assert inspection.go
    assert inspection.tiles == len(tiles) >= 12
    assert value(inspection, Cause.SMALL) == pytest.approx(60, rel=0.15)
    assert value(inspection, Cause.SMALLEST) <= value(inspection, Cause.SMALL)
    assert value(inspection, Cause.STEEP) == pytest.approx(10, abs=8)


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda image: defocused(image, 0.09), Cause.BLURRED),
        (lambda image: moved(image, 0.28), Cause.MOVED),
        (lambda image: exposed(image, 0.04), Cause.DARK),
        (lambda image: exposed(image, 1.9), Cause.BURNT),
        (lambda image: shaded(image, 0.5), Cause.SHADOWS),
        (lambda image: tinted(image, 0.9), Cause.CAST),
        (lambda image: greyed(image, 0.97), Cause.INKS),
    ],
    ids=["defocus", "motion", "darkness", "overexposure", "shadows", "tint", "no colour"],
)
def test_each_fault_is_named_and_forbids_play(spoil, cause: Cause) -> None:  # type: ignore[no-untyped-def]
    inspection = spoilt(spoil(rendered()[0]))
    assert found(inspection).get(cause) is Grade.BAD
    assert not inspection.go


def test_light_that_falls_off_is_poor_but_no_reason_to_stop() -> None:
    inspection = spoilt(uneven(rendered()[0], 0.03))
    assert found(inspection)[Cause.UNEVEN] is Grade.POOR
    assert inspection.go


def test_glare_on_numerals() -> None:
    image, tiles = glaring(0.4, 0, 3)
    inspection = inspect(image, seen(image, tiles))
    assert found(inspection)[Cause.GLARE] is Grade.BAD
    assert found(inspection)[Cause.WASHED_OUT] is Grade.BAD
    assert 0.25 * len(tiles) <= value(inspection, Cause.WASHED_OUT) <= 0.45 * len(tiles)


def test_a_numeral_washed_out_wholly_counts_though_it_is_taken_for_a_face_down_tile() -> None:
    image, tiles = glaring(0.15, 0, 3)
    observation = seen(image, tiles)
    lost = round(0.15 * len(tiles))
    backs = [SeenTile(tile.quad, Kind.BACK, (), 0.9, doubtful=False) for tile in observation.tiles[:lost]]
    loose = tuple(range(len(tiles)))
    blind = Observation(
        observation.width, observation.height, Scene.TABLE, (*backs, *observation.tiles[lost:]), (), loose
    )
    assert value(inspect(image, blind), Cause.WASHED_OUT) >= 1


def test_a_tilted_table() -> None:
    image, tiles = rendered(tilt_deg=70.0)
    inspection = inspect(image, seen(image, tiles))
    assert value(inspection, Cause.STEEP) == pytest.approx(70, abs=5)
    assert found(inspection)[Cause.STEEP] in {Grade.POOR, Grade.BAD}


def test_small_tiles() -> None:
    image, tiles = rendered(tile_px=10.0)
    inspection = inspect(image, seen(image, tiles))
    assert found(inspection)[Cause.SMALL] is Grade.BAD
    assert value(inspection, Cause.SMALL) == pytest.approx(10, rel=0.15)


def test_a_table_that_is_not_wholly_in_view() -> None:
    image, tiles = rendered()
    left = float(np.median([tile.quad[:, 0].mean() for tile in tiles]))
    part = np.ascontiguousarray(image[:, round(left) :])
    shifted = tuple(
        RenderedTile(t.code, t.quad - np.array([round(left), 0], np.float32), t.visible, t.legible) for t in tiles
    )
    shown = tuple(tile for tile in shifted if tile.quad[:, 0].max() > 8)
    inspection = inspect(part, seen(part, shown))
    assert value(inspection, Cause.CUT) >= 1
    assert found(inspection)[Cause.CUT] is Grade.BAD
    assert Cause.HIDDEN not in found(inspection)


def test_a_covered_tile_in_the_middle_is_no_cut_one() -> None:
    image, tiles = rendered()
    whole = seen(image, tiles)
    covered = Observation(
        whole.width,
        whole.height,
        Scene.TABLE,
        whole.tiles[1:],
        (),
        tuple(range(len(tiles) - 1)),
        (whole.tiles[0].quad,),
    )
    assert found(inspect(image, covered)) == {Cause.HIDDEN: Grade.POOR}


def test_the_nearest_inks_are_named() -> None:
    image, tiles = rendered()
    inspection = inspect(image, seen(image, tiles))
    (inks,) = [one for one in inspection.measurements if one.cause is Cause.INKS]
    assert inks.pair is not None
    assert set(inks.pair) <= set(Colour)
    assert inks.value > LIMITS[Cause.INKS].poor
    paler = next(one for one in spoilt(greyed(image, 0.6)).measurements if one.cause is Cause.INKS)
    assert paler.value < inks.value


def test_doubt_of_the_eyes_counts() -> None:
    image, tiles = rendered()
    assert found(inspect(image, seen(image, tiles, doubtful=1))) == {Cause.DOUBTFUL: Grade.POOR}
    assert not inspect(image, seen(image, tiles, doubtful=len(tiles) // 2)).go


def test_what_the_eyes_note_of_the_whole_picture_counts() -> None:
    image, tiles = rendered()
    for note, cause in (
        (UNLIKE_TILES, Cause.UNLIKE_TILES), (DRAWN, Cause.DRAWN), (COLOURS_TOO_FAINT, Cause.NO_COLOURS),
    ):  # fmt: skip
        assert found(inspect(image, seen(image, tiles, notes=(note,)))) == {cause: Grade.BAD}


@pytest.mark.parametrize(("level", "cause"), [(4, Cause.DARK), (255, Cause.BURNT), (120, None)])
def test_a_picture_without_tiles_still_says_what_it_can(level: int, cause: Cause | None) -> None:
    image = np.full((300, 400, 3), level, np.uint8)
    inspection = inspect(image, seen(image, ()))
    assert not inspection.go
    assert found(inspection) == {Cause.NO_TILES: Grade.BAD} | ({cause: Grade.BAD} if cause else {})


def test_every_cause_has_limits_that_rise_or_fall() -> None:
    assert set(LIMITS) == set(Cause)
    assert [Limits(2, 4).grade(value) for value in (1, 2, 3.9, 4)] == ["fine", "poor", "poor", "bad"]
    assert [Limits(4, 2).grade(value) for value in (5, 4, 2.1, 2)] == ["fine", "poor", "poor", "bad"]


# --- cameras ----------------------------------------------------------------------------------------------------


def filmed(image: Image, count: int = 5, noise: float = 1.0) -> list[Image]:
    rng = np.random.default_rng(4)
    return [effects.sensor_noise(image, rng, noise, coarse=False) for _ in range(count)]


def over_time(frames: list[Image]) -> dict[Cause, Grade]:
    inspection = inspect_frames(frames, seen(frames[-1], rendered()[1]))
    asked = (Cause.NOISY, Cause.FLICKER, Cause.UNSTEADY)
    assert [one.cause for one in inspection.measurements[-3:]] == list(asked)
    return {cause: grade for cause, grade in found(inspection).items() if cause in asked}


def test_a_steady_camera() -> None:
    assert over_time(filmed(rendered()[0])) == {}


def test_noise_flicker_and_movement_are_told_apart() -> None:
    image = rendered()[0]
    assert over_time(filmed(image, noise=45.0)) == {Cause.NOISY: Grade.BAD}
    flickering = [
        np.asarray(np.clip(frame * share, 0, 255), np.uint8)
        for frame, share in zip(filmed(image), (1, 0.8, 1, 0.8, 1), strict=True)
    ]
    assert over_time(flickering) == {Cause.FLICKER: Grade.BAD}
    shift = np.array([[1, 0, 0], [0, 1, 14]], np.float32)
    shaken = filmed(image)
    shaken[2] = np.asarray(
        cv2.warpAffine(shaken[2], shift, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    assert over_time(shaken) == {Cause.UNSTEADY: Grade.BAD}


def test_one_frame_says_nothing_about_time() -> None:
    image, tiles = rendered()
    observation = seen(image, tiles)
    assert inspect_frames([image], observation) == inspect(image, observation)
