"""What was measured of a camera's picture, for the light meter: a bar, a word and, where it helps, a sentence each."""

from __future__ import annotations

import math

from referee.told import marked
from vision.inspection import LIMITS, Cause, Grade, Inspection, Measurement
from web.inspect_words import complaints, sentence
from web.report_json import Json
from web.tongue import say

NAMES = {
    Cause.UNLIKE_TILES: marked("Do they look like tiles?"),
    Cause.DRAWN: marked("Is it a real table?"),
    Cause.SMALL: marked("Size of the tiles"),
    Cause.SMALLEST: marked("Size of the farthest tiles"),
    Cause.BLURRED: marked("Sharpness"),
    Cause.MOVED: marked("Smear by movement"),
    Cause.DARK: marked("Brightness"),
    Cause.BURNT: marked("Too bright"),
    Cause.GLARE: marked("Highlights"),
    Cause.WASHED_OUT: marked("Numerals under highlights"),
    Cause.UNEVEN: marked("Evenness of the light"),
    Cause.SHADOWS: marked("Hard shadows"),
    Cause.CAST: marked("Colour of the light"),
    Cause.NO_COLOURS: marked("Colours in the picture"),
    Cause.INKS: marked("Colours told apart"),
    Cause.STEEP: marked("Height of the camera"),
    Cause.CUT: marked("Tiles at the picture's edge"),
    Cause.HIDDEN: marked("Covered tiles"),
    Cause.DOUBTFUL: marked("Tiles in doubt"),
    Cause.NOISY: marked("Noise"),
    Cause.FLICKER: marked("Flicker"),
    Cause.UNSTEADY: marked("Steadiness"),
}
ALWAYS = frozenset({
    Cause.SMALL, Cause.BLURRED, Cause.DARK, Cause.GLARE, Cause.UNEVEN, Cause.INKS, Cause.STEEP, Cause.DOUBTFUL,
    Cause.NOISY, Cause.FLICKER, Cause.UNSTEADY,
})  # fmt: skip
"""What is shown also where it is fine; all else only where it is not."""
GRADES = {Grade.FINE: marked("fine"), Grade.POOR: marked("poor"), Grade.BAD: marked("bad")}
NO_PICTURE = marked("The camera gives no picture yet.")
NO_TILES = marked("Lay some tiles on the table: the light is measured on them.")


def light_json(inspection: Inspection) -> Json:
    """``share`` is 1 for the best and 0 for the worst; a third and two thirds are where ``grade`` changes."""
    shown = [one for one in inspection.measurements if one.cause in NAMES]
    measures = [_measure(one) for one in shown if one.cause in ALWAYS or one.grade is not Grade.FINE]
    order = list(Grade)
    return {
        "grade": max((one.grade for one in inspection.measurements), key=order.index, default=Grade.FINE).value,
        "tiles": inspection.tiles,
        "trouble": "" if inspection.tiles else say(NO_TILES),
        "measures": measures,
        "sentences": [sentence(one) for one in complaints(inspection)],
    }


def no_light() -> Json:
    """There is no picture, or nothing was measured of it yet."""
    return {"grade": "", "tiles": None, "trouble": say(NO_PICTURE), "measures": [], "sentences": []}


def _measure(one: Measurement) -> Json:
    return {
        "cause": one.cause.value,
        "grade": one.grade.value,
        "words": say(GRADES[one.grade]),
        "share": round(goodness(one), 3),
        "text": say(NAMES[one.cause]),
    }


def goodness(one: Measurement) -> float:
    """How good a measured value is, from 0 to 1; ``Limits.bad`` lies at a third, ``Limits.poor`` at two thirds."""
    value, limits = max(one.value, 0.0), LIMITS[one.cause]
    if limits.bad < limits.poor:
        return _of_more(value, limits.poor, limits.bad)
    return _of_less(value, limits.poor, limits.bad)


def _of_more(value: float, poor: float, bad: float) -> float:
    """More is better."""
    if value > poor:
        return 1 - poor / value / 3
    return (1 + (value - bad) / (poor - bad)) / 3 if value > bad else value / bad / 3


def _of_less(value: float, poor: float, bad: float) -> float:
    """Less is better."""
    if value < poor:
        return 1 - value / poor / 3
    if value >= bad:
        return bad / value / 3
    return (2 - (value - poor) / (bad - poor)) / 3 if math.isfinite(bad) else (1 + poor / value) / 3
