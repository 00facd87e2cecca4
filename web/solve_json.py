"""The JSON object of ``tileref solve --json``: its fields and their order are a contract."""

from __future__ import annotations

import json

from referee.cards import face_code
from referee.notation import format_table
from referee.sets import judge_set
from referee.solver.plays import Play
from web.given import written
from web.solve_report import Solution
from web.solve_text import note_sentence
from web.version import VERSION

Json = dict[str, object]


def solution_line(solution: Solution) -> str:
    """The whole answer.  ``sets`` is the table after the play, null where there is none."""
    rules, opening = solution.ruleset, solution.opening
    return json.dumps(
        {
            "found": solution.found.value,
            "rules": rules.name,
            "fingerprint": rules.fingerprint,
            "table": format_table(solution.table.noted, faces=rules.faces),
            "rack": written(solution.rack.places, rules),
            "aim": solution.aim.value,
            **_play(solution.play, solution),
            "left": [face_code(tile, rules.faces) for tile in solution.left],
            "sets": _sets(solution),
            "opened": solution.opened,
            "opening": None if opening is None else opening.value,
            "opening_needed": rules.open_points,
            "opens": solution.opens,
            "freer": None if solution.freer is None else _play(solution.freer, solution),
            "notes": [{"code": note.value, "message": note_sentence(note, solution)} for note in solution.notes],
            "photos": _photos(solution),
            "version": VERSION,
            "models": {**solution.table.models, **solution.rack.models},
        },
        allow_nan=False,
    )


def _play(play: Play | None, solution: Solution) -> Json:
    faces = solution.ruleset.faces
    laid = [] if play is None else [face_code(tile, faces) for tile in play.laid]
    return {"laid": laid, "value": 0 if play is None else play.value}


def _sets(solution: Solution) -> list[Json] | None:
    if solution.play is None:
        return None
    sets: list[Json] = []
    for origin, places in solution.after:
        ruling = judge_set([place.readings[0] for place in places], solution.ruleset)
        text = written(places, solution.ruleset)
        sets.append({"text": text, "kind": ruling.kind.value, "value": ruling.value, "origin": origin.value})
    return sets


def _photos(solution: Solution) -> Json:
    given = {"table": solution.table.path, "rack": solution.rack.path}
    return {name: str(path) for name, path in given.items() if path is not None}
