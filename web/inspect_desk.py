"""The work of ``tileref inspect``: each photo or camera looked at once, and what was measured said in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from vision.feeds import looked_at
from vision.grabbers import HTTP
from vision.inspection import Grade, Inspection, Measurement, inspect, inspect_frames
from vision.intake import PhotoError, find_photos, read_photo
from vision.sources import SourceError, is_source, read_frames, shown_name
from web.exit_status import BAD_INPUT, NO_GO, OK, worst
from web.inspect_words import complaints, figures, sentence
from web.lines import labelled
from web.output import print_result, print_trouble, printable
from web.version import VERSION
from web.wiring import Eyes, Wiring

FRAMES = 8
"""So many frames of a camera show its noise, its flicker and whether it stands still."""
WARM_UP = 8
"""So many frames before them let a camera find exposure and focus."""
_COLOURS = {Grade.BAD: "red", Grade.POOR: "yellow", Grade.FINE: None}


@dataclass(frozen=True, slots=True)
class Inspected:
    """A photo (``frames`` is 0) or a camera by the name it was given, and what was measured."""

    name: str
    frames: int
    inspection: Inspection
    models: tuple[tuple[str, str], ...]


def inspect_given(names: Sequence[str], wiring: Wiring, *, as_json: bool) -> int:
    """Inspect each of ``names`` (photos, folders, cameras), print the answers, return the exit status.

    Raises ``EyesError`` when the networks cannot be loaded and ``OutputError`` when nobody reads.
    """
    statuses: list[int] = []
    eyes: Eyes | None = None
    for name in _each(names):
        if isinstance(name, PhotoError):
            print_trouble(str(name))
            statuses.append(BAD_INPUT)
            continue
        eyes = eyes or wiring.load_eyes()
        try:
            inspected = _inspected(name, eyes)
        except (PhotoError, SourceError) as error:
            print_trouble(str(error))
            statuses.append(BAD_INPUT)
        else:
            print_result(_json(inspected) if as_json else _text(inspected))
            statuses.append(OK if inspected.inspection.go else NO_GO)
    return worst(statuses)


def _each(names: Sequence[str]) -> Iterator[str | PhotoError]:
    """The names with folders replaced by the photos in them, and what holds none."""
    for name in names:
        if is_source(name):
            yield name
            continue
        found = find_photos([Path(name)])
        yield from found.failures
        yield from map(str, found.photos)


def _inspected(name: str, eyes: Eyes) -> Inspected:
    """Raises ``PhotoError`` and ``SourceError``."""
    models = tuple(eyes.models.items())
    if not is_source(name):
        image = read_photo(Path(name)).image
        return Inspected(name, 0, inspect(image, eyes.look(image).observation), models)
    frames = looked_at(name, FRAMES, WARM_UP) if HTTP.match(name) else read_frames(name, FRAMES, WARM_UP)
    inspection = inspect_frames(frames, eyes.look(frames[-1]).observation)
    return Inspected(shown_name(name), len(frames), inspection, models)


def _text(inspected: Inspected) -> str:
    inspection = inspected.inspection
    word = click.style("GO", fg="green", bold=True) if inspection.go else click.style("NO-GO", fg="red", bold=True)
    over = f", {inspected.frames} frame{'' if inspected.frames == 1 else 's'}" if inspected.frames else ""
    name = printable(click.format_filename(inspected.name))
    lines = [f"{name}: {word} ({inspection.tiles} tile{'' if inspection.tiles == 1 else 's'}{over})"]
    lines += [_complaint(one) for one in complaints(inspection)]
    lines.append(labelled("measured", figures(inspection)))
    return "\n".join(lines)


def _complaint(measurement: Measurement) -> str:
    label = click.style(f"{measurement.grade.value:<15}", fg=_COLOURS[measurement.grade])
    return labelled(label, sentence(measurement))


def _json(inspected: Inspected) -> str:
    inspection = inspected.inspection
    return json.dumps(
        {
            "input": inspected.name,
            "kind": "camera" if inspected.frames else "photo",
            "frames": inspected.frames or 1,
            "width": inspection.width,
            "height": inspection.height,
            "go": inspection.go,
            "tiles": inspection.tiles,
            "measurements": [
                {
                    "cause": one.cause.value,
                    "value": round(one.value, 3),
                    "grade": one.grade.value,
                    **({"inks": [colour.value for colour in one.pair]} if one.pair else {}),
                }
                for one in inspection.measurements
            ],
            "advice": [
                {"cause": one.cause.value, "grade": one.grade.value, "message": sentence(one)}
                for one in complaints(inspection)
            ],
            "version": VERSION,
            "models": dict(inspected.models),
        },
        allow_nan=False,
    )
