"""A live table as JSON: one contract for the pages and for other programs.

Spectators are told everything but racks as they were shown, questions, and where tiles lie in the picture.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

import click

from referee.observation import Quad
from referee.ruleset import RuleSet
from web.camera_words import code_sentence
from web.dashboard.read_json import read_json
from web.dashboard.running import Said, Snapshot, runs
from web.live.notice_json import ruling_fields
from web.live.notices import LiveRuling, Notice, NoticeCode, TileQuestion
from web.live.view import LiveView, RestoreView, SeatView
from web.live.words import STAGES, Words, waiting_words
from web.report_json import Json
from web.telling import say_whole
from web.tongue import say

FOR_REFEREE = frozenset({NoticeCode.ASK, NoticeCode.RACK, NoticeCode.RACK_UNREAD, NoticeCode.REFUSED})
"""What spectators are not told."""


def table_json(snapshot: Snapshot, after: int, *, referee: bool) -> Json | None:
    """What is new since a number that was told before (0: everything); None: nothing.

    ``view`` is there where it changed; ``picture`` names the live picture, which the referee alone may see; ``referee``
    says whether this was told to the referee, whose session may have ended.
    """
    if snapshot.seq < after:  # a number of another program: begin anew
        after = 0
    if snapshot.seq == after:
        return None
    fresh = [said for said in snapshot.notices if said.seq > after]
    words = _words(snapshot)
    found: Json = {"seq": snapshot.seq, "referee": referee}
    if snapshot.view_seq > after or not after:
        found["trouble"] = say_whole(snapshot.trouble)
        made_at = None if snapshot.ended else snapshot.made_at
        view = view_json(snapshot.view, words, made_at, referee=referee) if snapshot.view else None
        found["view"] = view
        if view is not None and referee:
            view["former"] = snapshot.former is not None
    found["notices"] = notices_json(fresh, words, referee=referee) if words else []
    if referee and snapshot.picture is not None:
        width, height = snapshot.picture.size_wh
        found["picture"] = {"number": snapshot.picture.number, "width": width, "height": height}
    return found


def _words(snapshot: Snapshot) -> Words | None:
    return None if snapshot.ruleset is None else words_for(snapshot.ruleset, snapshot.view)


def words_for(ruleset: RuleSet, view: LiveView | None) -> Words:
    """The words of a game."""
    words = Words(ruleset)
    words.names = tuple(seat.name for seat in view.seats) if view else ()
    return words


def view_json(view: LiveView, words: Words | None, made_at: float | None, *, referee: bool) -> Json:
    """Everything that a screen shows; ``made_at`` is when the view was made (``time.monotonic``), None at a table that
    has stopped: its clock stands.

    Quads are [[x, y] × 4] in the pixels of the live picture: top left, top right, bottom right, bottom left of the
    upright numeral.  Times are seconds.
    """
    gone = time.monotonic() - made_at if made_at is not None and runs(view) else 0.0
    found: Json = {
        "game": view.game,
        "rules": view.rules,
        "phase": view.phase.value,
        "stage": view.stage.value,
        "stage_words": say(STAGES[view.stage]),
        "round": view.round,
        "turn": view.turn,
        "seat": view.seat,
        "seats": [_seat_json(seat, referee=referee) for seat in view.seats],
        "pool": view.pool,
        "table": view.table,
        "lying": view.lying,
        "sees": view.sees,
        "why": view.why,
        "why_words": waiting_words(view.why),
        "called": view.called,
        "paused": view.paused,
        "runs": made_at is not None and runs(view),
        "left_s": _left(view.left_s, gone),
        "tidy_left_s": _left(view.tidy_left_s, gone),
        "clock_starter": view.clock_starter,
        "ruling": None if view.ruling is None else ruling_json(view.ruling, words, referee=referee),
        "fault": view.fault,
        "fault_words": code_sentence(view.fault),
        "trouble": say_whole(view.trouble),
        "points": [list(points) for points in view.points],
        "drawing": list(view.drawing),
        "order": list(view.order),
    }
    if referee:
        found["leftovers"] = view.leftovers.value
        found["questions"] = [question_json(question, words) for question in view.questions]
        found["read"] = None if view.read is None else read_json(view.read, words)
        found["restoring"] = [_step_json(step, words) for step in view.restoring]
    return found


def _seat_json(seat: SeatView, *, referee: bool) -> Json:
    found: Json = {
        "name": seat.name,
        "rack": seat.rack,
        "opened": seat.opened,
        "active": seat.active,
        "total": seat.total,
    }
    if referee:
        found["shown"] = None if seat.shown is None else [str(tile) for tile in seat.shown]
    return found


def ruling_json(ruling: LiveRuling, words: Words | None, *, referee: bool = True) -> Json:
    """A ruling; ``reasons`` are the findings in sentences with their weights, the gravest first.

    ``costs`` is what it costs the player, in words.
    """
    found: Json = {
        **ruling_fields(ruling),
        "after": list(ruling.after),
        "before": list(ruling.before),
        "findings": [
            {"code": finding.code.value, "severity": finding.severity.value, "tiles": list(finding.tiles)}
            for finding in ruling.findings
        ],
        "costs": [] if words is None else list(words.costs(ruling)),
        "reasons": [] if words is None else [
            {"severity": severity.value, "text": plain(sentence)} for severity, sentence in words.reasons(ruling)
        ],
    }
    if referee:
        found["quads"] = [quad_json(quad) for quad in ruling.quads]
    return found


def question_json(question: TileQuestion, words: Words | None) -> Json:
    """A question about one tile; ``choices`` are in notation, the likeliest first."""
    return {
        "number": question.number,
        "quad": quad_json(question.quad),
        "kind": question.kind.value,
        "choices": [str(tile) for tile in question.choices],
        "text": "" if words is None else plain(words.question(question)),
    }


def notices_json(notices: Iterable[Said], words: Words, *, referee: bool) -> list[Json]:
    """What was said, with its sentences, the oldest first."""
    return [
        {"seq": said.seq, **notice_json(said.notice, words, referee=referee)}
        for said in notices
        if referee or said.notice.code not in FOR_REFEREE
    ]


def notice_json(notice: Notice, words: Words, *, referee: bool = True) -> Json:
    """One notice; which fields it has is said at its code (``web.live.notices``)."""
    found: Json = {
        "code": notice.code.value,
        "at": round(notice.at, 3),
        "seat": notice.seat,
        "text": [plain(line) for line in words.lines(notice)],
        "numbers": list(notice.numbers),
        "tiles": [str(tile) for tile in notice.tiles],
        "seconds": None if notice.seconds is None else round(notice.seconds, 3),
    }
    if notice.ruling is not None:
        found["ruling"] = ruling_json(notice.ruling, words, referee=referee)
    if referee and notice.questions:
        found["questions"] = [question_json(question, words) for question in notice.questions]
    return found


def quad_json(quad: Quad) -> list[list[float]]:
    """Four corners, to a tenth of a pixel."""
    return [[round(float(x), 1), round(float(y), 1)] for x, y in quad]


def plain(line: str) -> str:
    """A line for a terminal as a sentence: no colours, no columns."""
    return re.sub(r"\s{2,}", " ", click.unstyle(line)).strip()


def _step_json(step: RestoreView, words: Words | None) -> Json:
    return {
        "kind": step.kind.value,
        "tile": str(step.tile),
        "done": step.done,
        "lies": None if step.lies is None else quad_json(step.lies),
        "home": None if step.home is None else quad_json(step.home),
        "home_set": step.home_set,
        "text": "" if words is None else words.step_sentence(step),
    }


def _left(seconds: float | None, gone: float) -> float | None:
    return None if seconds is None else round(max(0.0, seconds - gone), 2)
