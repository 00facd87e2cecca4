"""The part of the JSON interface that speaks of a table's camera: where the table lies, how good the picture is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response
from werkzeug.exceptions import BadRequest, Conflict, NotFound

from referee.protocol import RULING
from vision.region import RegionError, TableRegion
from web.dashboard.access import need_referee
from web.dashboard.asking import ACT_TIMEOUT_S, answer, reached, sent_json, table_called
from web.dashboard.light_json import light_json, no_light
from web.dashboard.picture import jpeg_of
from web.dashboard.running import RunningTable, Snapshot
from web.inspect_words import complaints, sentence
from web.play_region import MARKERS, TILES, WHOLE
from web.report_json import Json
from web.telling import say_whole, told_by
from web.tongue import say

if TYPE_CHECKING:
    from vision.frames import Frame
    from vision.inspection import Inspection
    from web.dashboard.table_camera import TableCamera

FOUND = (TILES, MARKERS, WHOLE)
"""What may be asked for instead of four corners."""
LARGEST_SIDE = 100_000
LARGEST_PLACE = 1_000_000
WIDEST_FLAT_PX = 1000


def region(table: str) -> Response:
    """Where the table lies in the camera's picture; ``corners`` null: all of it."""
    need_referee()
    running = table_called(table)
    camera = _camera(running)
    return answer(_region_json(camera.region, camera.trouble, running.snapshot.frame))


def find_region(table: str) -> Response:
    """Say where the table lies, by four corners in any order, or have it found; from now on, and kept."""
    need_referee()
    running = table_called(table)
    corners, find = _asked(sent_json())
    camera, frame = _camera(running), _frame(running)
    height, width = frame.image.shape[:2]
    try:
        if corners is None:
            found = camera.places.found(find, frame.image)
        else:
            points, size = corners
            found = TableRegion.from_points(points, *size).scaled_to(width, height)
    except RegionError as error:
        if corners is None:
            raise Conflict(say_whole(told_by(error))) from error
        raise BadRequest(say_whole(told_by(error))) from error
    with reached():
        running.call(lambda: camera.place(found, frame), ACT_TIMEOUT_S)
    camera.places.keep(found, frame.image)
    return answer(_region_json(found, "", frame))


def flat_table(table: str) -> Response:
    """The table as it is understood: seen from above, without what lies around it."""
    need_referee()
    running = table_called(table)
    place, frame = _camera(running).region, _frame(running)
    if place is None:
        raise NotFound(say("The whole picture is the table."))
    try:
        flat = place.flatten(frame.image)
    except RegionError as error:
        raise Conflict(say("The camera's picture has another size now: set the table's place again.")) from error
    return Response(jpeg_of(flat, WIDEST_FLAT_PX), mimetype="image/jpeg")


def light(table: str) -> Response:
    """How good the picture is; what was measured last where a turn is being ruled on."""
    need_referee()
    running = table_called(table)
    camera, snapshot = running.camera, running.snapshot
    if camera is None or snapshot.frame is None:
        return answer(no_light())
    measured = camera.meter.reading(snapshot.frame.image, camera.region, busy=_is_ruling(snapshot))
    return answer(no_light() if measured is None else light_json(measured))


def refused_picture(inspection: Inspection) -> Response:
    """That no game begins with such a picture, unless the referee says so."""
    why = " ".join(sentence(one) for one in complaints(inspection))
    text = say("The picture is not good enough to rule on. {why} Mend it, or begin all the same.", why=why)
    return answer({"error": text, "anyway": True}, 409)


def _is_ruling(snapshot: Snapshot) -> bool:
    return snapshot.view is not None and snapshot.view.stage in RULING


def _camera(running: RunningTable) -> TableCamera:
    """Raises ``Conflict`` where there is none."""
    if running.camera is None:
        raise Conflict(say("This table has no camera to set up just now."))
    return running.camera


def _frame(running: RunningTable) -> Frame:
    frame = running.snapshot.frame
    if frame is None:
        raise Conflict(say("The camera gives no picture yet: try again in a moment."))
    return frame


def _region_json(place: TableRegion | None, trouble: str, frame: Frame | None) -> Json:
    if place is not None:
        width, height = place.width, place.height
    elif frame is not None:
        height, width = frame.image.shape[:2]
    else:
        width = height = 0
    return {
        "width": width,
        "height": height,
        "corners": None if place is None else [[round(float(x), 1), round(float(y), 1)] for x, y in place.corners],
        "found_by": "whole" if place is None else place.found_by.value,
        "trouble": say(trouble),
    }


def _asked(sent: object) -> tuple[tuple[list[tuple[float, float]], tuple[int, int]] | None, str]:
    """Four corners with the size of the picture in which they lie, or how the table is to be found.

    Raises ``BadRequest``.
    """
    if isinstance(sent, dict) and sent.keys() == {"find"} and sent["find"] in FOUND:
        return None, str(sent["find"])
    if isinstance(sent, dict) and sent.keys() == {"corners", "width", "height"}:
        corners, size = sent["corners"], (sent["width"], sent["height"])
        is_size = all(type(side) is int and 0 < side <= LARGEST_SIDE for side in size)
        if is_size and isinstance(corners, list) and len(corners) == 4 and all(map(_is_point, corners)):
            return ([(float(x), float(y)) for x, y in corners], size), ""
    raise BadRequest(
        say("The table's place is told by four corners with the picture's size, or by what it is found by.")
    )


def _is_point(point: object) -> bool:
    return (
        isinstance(point, list)
        and len(point) == 2
        and all(type(one) in {int, float} and abs(one) <= LARGEST_PLACE for one in point)  # no number is not
    )
