"""The JSON lines that other programs read; ``tileref check --json`` is a contract, its fields and their order too."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from referee.census import BoxCount, FaceCount
from referee.changes import Change, TableChanges
from referee.findings import Finding
from referee.observation import Observation, Quad, SeenTile
from referee.ruling import JudgedSet, TableRuling
from referee.sets import SetKind
from web.examine import Examined, alternatives, tile_code
from web.messages import NOTE_MESSAGES, message
from web.tongue import say
from web.version import VERSION

Json = dict[str, object]


def ruling_line(examined: Examined) -> str:
    """The ruling on one photo.  ``findings`` holds all of them, the table's own, then those of each set; ``notes`` are
    about the picture as a whole."""
    reading = reading_fields(examined.observation, examined.ruling)
    return _line({"photo": str(examined.path), **reading, **_provenance(examined)})


def reading_fields(seen: Observation, ruling: TableRuling) -> Json:
    """What was seen in one picture and the ruling on that table by itself."""
    codes = tuple(tile_code(tile) for tile in seen.tiles)
    return {
        "width": seen.width,
        "height": seen.height,
        "scene": seen.scene.value,
        "rules": ruling.rules,
        "tiles": [_tile(tile) for tile in seen.tiles],
        "sets": [_set(judged, codes) for judged in ruling.sets],
        "loose": list(ruling.loose),
        "unread": [_quad(quad) for quad in seen.unread],
        "verdict": ruling.verdict.value,
        "findings": _findings(ruling.all_findings, codes),
        "notes": [{"code": note, "message": say(NOTE_MESSAGES.get(note, note))} for note in seen.notes],
    }


def changes_line(before: Examined, after: Examined, changes: TableChanges) -> str:
    """What changed between two photos; tile and set numbers are indices into the rulings of the two photos."""
    return _line({
        "before": str(before.path),
        "after": str(after.path),
        "added": [_change(change) for change in changes.added],
        "moved": [_change(change) for change in changes.moved],
        "taken": [_change(change) for change in changes.taken],
        "kept": changes.kept,
        "findings": _findings(changes.findings, before.codes),
    })  # fmt: skip


def count_line(examined: Examined, count: BoxCount) -> str:
    """The census of one photo."""
    return _line({
        "photo": str(examined.path),
        "rules": examined.ruling.rules,
        "complete": count.complete,
        "empty": count.empty,
        "seen": count.seen,
        "held": count.held,
        "missing": [_face(face) for face in count.missing],
        "surplus": [_face(face) for face in count.surplus],
        "jokers": {"seen": count.jokers_seen, "held": count.jokers_held},
        "doubtful": [_tile(examined.observation.tiles[i]) for i in count.doubtful],
        "face_down": len(count.face_down),
        "unread": count.unread,
        **_provenance(examined),
    })  # fmt: skip


def _line(fields: Json) -> str:
    return json.dumps(fields, allow_nan=False)


def _provenance(examined: Examined) -> Json:
    timing: Mapping[str, float] = {stage: round(float(spent), 1) for stage, spent in examined.timing_ms.items()}
    return {"timing_ms": timing, "version": VERSION, "models": dict(examined.models)}


def _tile(tile: SeenTile) -> Json:
    return {
        "tile": tile_code(tile),
        "kind": tile.kind.value,
        "quad": _quad(tile.quad),
        "confidence": round(float(tile.confidence), 4),
        "doubtful": tile.doubtful,
        "alternatives": [[code, round(float(p), 4)] for code, p in alternatives(tile)],
        "facing": tile.facing,
    }


def _quad(quad: Quad) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in quad]


def _set(judged: JudgedSet, codes: Sequence[str]) -> Json:
    return {
        "tiles": list(judged.tiles),
        "kind": None if judged.kind is SetKind.NONE else judged.kind.value,
        "value": judged.value,
        "legal": judged.legal,
        "findings": _findings(judged.findings, codes),
        "parts": [list(part) for part in judged.parts],
    }


def _findings(findings: Sequence[Finding], codes: Sequence[str]) -> list[Json]:
    return [
        {"code": finding.code.value, "message": message(finding, codes), "tiles": list(finding.tiles)}
        for finding in findings
    ]


def _change(change: Change) -> Json:
    return {
        "tile": str(change.tile),
        "before": change.before,
        "after": change.after,
        "before_set": change.before_set,
        "after_set": change.after_set,
        "doubtful": change.doubtful or bool(change.joker_kinds),
    }


def _face(face: FaceCount) -> Json:
    return {"tile": str(face.tile), "seen": face.seen, "held": face.held}
