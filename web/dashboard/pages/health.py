"""For those who look after the program: whether all is well, and figures for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from flask import Blueprint, Response

from referee.told import marked, telling
from web.camera_words import code_sentence
from web.dashboard.asking import answer, hall
from web.dashboard.running import RunningTable, Snapshot
from web.telling import say_whole
from web.tongue import say
from web.version import VERSION

LONGEST_LOOK_S = 30.0
"""A table that obeys nobody for so long hangs: no look takes as long."""

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """200 where all is well, else 503 with the causes in words; ``remarks`` keep nobody from playing."""
    causes = [cause for table in hall().tables.values() for cause in _causes(table)]
    webhook = hall().webhook
    trouble = None if webhook is None else webhook.trouble
    remarks = [] if trouble is None else [say_whole(telling("The webhook takes no events: {cause}.", cause=trouble))]
    answered = {"well": not causes, "causes": causes, "remarks": remarks, "version": VERSION}
    return answer(answered, 503 if causes else 200)


def _causes(table: RunningTable) -> Iterator[str]:
    snapshot = table.snapshot
    view = snapshot.view
    told = [say_whole(snapshot.trouble)] if snapshot.trouble else []
    silent_s = time.monotonic() - table.heard_at
    if silent_s > LONGEST_LOOK_S and not snapshot.ended:
        again = marked("It has not answered for {seconds} s: start the program again, the game goes on.")
        told.append(say(again, seconds=round(silent_s)))
    if snapshot.ended and not told:
        told.append(say("It is closed."))
    if view is not None and view.fault:
        told.append(code_sentence(view.fault))
    if view is not None and view.trouble:
        told.append(say_whole(view.trouble))
    yield from (say("Table {name}: {cause}", name=table.name, cause=cause) for cause in told)


@blueprint.get("/metrics")
def metrics() -> Response:
    """Figures of each table, in the text format of Prometheus."""
    return Response("\n".join([*_lines(), ""]), mimetype="text/plain; version=0.0.4")


_FIGURES: tuple[tuple[str, str, str, Callable[[Snapshot], int]], ...] = (
    ("tileref_frames_seen_total", "counter", "Frames that were looked at.", lambda one: one.seen),
    ("tileref_frames_dropped_total", "counter", "Frames that nobody looked at.", lambda one: one.dropped),
    ("tileref_table_up", "gauge", "1 while the table is played on.", lambda one: int(not one.ended)),
    ("tileref_camera_fault", "gauge", "1 while something is wrong with the camera.",
     lambda one: int(one.view is not None and bool(one.view.fault))),
    ("tileref_store_trouble", "gauge", "1 while the game cannot be written.",
     lambda one: int(one.view is not None and bool(one.view.trouble))),
    ("tileref_turn", "gauge", "The turn of the round.", lambda one: 0 if one.view is None else one.view.turn),
    ("tileref_rulings_total", "counter", "Turns that were ruled on.", lambda one: one.rulings),
)  # fmt: skip


def _lines() -> Iterator[str]:
    tables = hall().tables
    yield "# HELP tileref_info The program's version."
    yield "# TYPE tileref_info gauge"
    yield f'tileref_info{{version="{VERSION}"}} 1'
    for name, kind, text, figure in _FIGURES:
        yield f"# HELP {name} {text}"
        yield f"# TYPE {name} {kind}"
        for table in tables.values():
            yield f'{name}{{table="{table.name}"}} {figure(table.snapshot)}'
