"""What ``tileref inspect`` says: a sentence and a piece of advice for each thing that is not as it should be."""

from __future__ import annotations

from referee.switches import Faces
from vision.inspection import Cause, Grade, Inspection, Measurement
from web.messages import COLOUR_NAMES, listed
from web.tongue import marked, say

SENTENCES: dict[Cause, str] = {
    Cause.NO_TILES: marked("No tiles were found. Point the camera at the table, and light it."),
    Cause.UNLIKE_TILES: marked(
        "What lies here does not look like tiles with numbers: another game, print, or a box unknown to the referee."
    ),
    Cause.DRAWN: marked("This is a drawing, a screenshot or a photo of a screen, not a photo of a table."),
    Cause.SMALL: marked("The tiles are small: {value:.0f} pixels high. Come nearer, or use a camera with more pixels."),
    Cause.SMALLEST: marked(
        "The farthest tiles are small: {value:.0f} pixels high. Come nearer, or look from higher up."
    ),
    Cause.BLURRED: marked("The picture is blurred. Hold still, clean the lens, and let the camera focus on the tiles."),
    Cause.MOVED: marked("The picture is smeared: the camera or the table moved. Hold still, or give more light."),
    Cause.DARK: marked("It is dark. Give the table more light."),
    Cause.BURNT: marked("It is too bright: {value:.0f} % is burnt out. Use less light or a shorter exposure."),
    Cause.GLARE: marked(
        "Highlights lie on {value:.0f} % of the tiles. Move the lamp aside, or look from another side."
    ),
    Cause.WASHED_OUT: marked(
        "Numerals washed out by highlights: {value:.0f}. Move the lamp aside, or look from another side."
    ),
    Cause.UNEVEN: marked("The light is uneven: some tiles are {value:.1f} times as bright as others. Use two lamps."),
    Cause.SHADOWS: marked("Hard shadows lie across {value:.0f} % of the tiles. Move the lamp, or soften it."),
    Cause.CAST: marked("The light is strongly coloured. Use a white lamp, or daylight."),
    Cause.NO_COLOURS: marked("The picture shows hardly any colour. Switch the camera to colour, and give white light."),
    Cause.INKS: marked("{pair} hardly differ in this light. Use a white lamp, or daylight, and not too little of it."),
    Cause.STEEP: marked("The table is seen too much from the side: {value:.0f} degrees. Look from higher up."),
    Cause.CUT: marked(
        "The picture's edge cuts tiles: {value:.0f}. Step back, or move the camera until all tiles are in view."
    ),
    Cause.HIDDEN: marked("Tiles that cannot be read: {value:.0f}. Take away what covers them, hands too."),
    Cause.DOUBTFUL: marked("{value:.0f} % of the tiles stay doubtful."),
    Cause.NOISY: marked("The camera's picture is noisy. Give the table more light."),
    Cause.FLICKER: marked(
        "The brightness flickers by {value:.0f} %. Use another lamp, or set the camera to 50 or 60 Hz."
    ),
    Cause.UNSTEADY: marked(
        "The camera is not steady, or something moves. Fix the camera, and keep hands off the table."
    ),
}

FIGURES: tuple[tuple[Cause, str], ...] = (
    (Cause.SMALL, "tiles {value:.0f} px high"), (Cause.SMALLEST, "smallest {value:.0f} px"),
    (Cause.BLURRED, "blur {value:.1f} % of that"), (Cause.DARK, "brightness {value:.0f} of 255"),
    (Cause.GLARE, "glare on {value:.0f} %"), (Cause.UNEVEN, "light uneven ×{value:.1f}"),
    (Cause.CAST, "colour cast ×{value:.1f}"), (Cause.INKS, "nearest inks {value:.0f} apart"),
    (Cause.STEEP, "tilt {value:.0f}°"), (Cause.CUT, "cut {value:.0f}"), (Cause.DOUBTFUL, "doubtful {value:.0f} %"),
    (Cause.NOISY, "noise {value:.1f}"), (Cause.FLICKER, "flicker {value:.1f} %"),
    (Cause.UNSTEADY, "movement {value:.1f} % of a tile"),
)  # fmt: skip
"""What of a picture is named in numbers, on a terminal alone."""

_ONLY_GRAVER = {Cause.SMALLEST: Cause.SMALL, Cause.GLARE: Cause.WASHED_OUT, Cause.MOVED: Cause.BLURRED}
"""The first says nothing new where the second is as bad."""


def complaints(inspection: Inspection) -> list[Measurement]:
    """What is not as it should be, the worst first."""
    by_cause = {one.cause: one.grade for one in inspection.measurements}
    order = list(Grade)
    found = [
        one
        for one in inspection.measurements
        if one.grade is not Grade.FINE
        and order.index(by_cause.get(_ONLY_GRAVER.get(one.cause, one.cause), Grade.FINE)) <= _most(one, order)
    ]
    return sorted(found, key=lambda one: -order.index(one.grade))


def _most(one: Measurement, order: list[Grade]) -> int:
    """The gravest grade of the covering cause beside which this one is still said."""
    return order.index(one.grade) - (1 if one.cause in _ONLY_GRAVER else 0)


def sentence(measurement: Measurement) -> str:
    """What is wrong, and what helps."""
    names = [say(COLOUR_NAMES[Faces.TILES][colour.value]) for colour in measurement.pair or ()]
    pair = listed(names).capitalize()
    return say(SENTENCES[measurement.cause], value=measurement.value, pair=pair)


def figures(inspection: Inspection) -> str:
    """The measured numbers of a picture, in one line."""
    values = {one.cause: one.value for one in inspection.measurements}
    return ", ".join(text.format(value=values[cause]) for cause, text in FIGURES if cause in values)
