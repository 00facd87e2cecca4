"""Disputed tables in the JSON interface: a photo in, its ruling out, and corrections."""

from __future__ import annotations

import shutil
from pathlib import Path

from flask import Response, request

from referee.preset_files import DEFAULT_PRESET
from web.dashboard.asking import answer
from web.dashboard.disputing import (
    LARGEST_PHOTO,
    disputes,
    edited,
    kept_picture,
    remember,
    ruled_by,
    ruling_drawn,
    sentences,
    told,
    word_of,
)
from web.disputes.clerk import Opened


def open_dispute() -> Response:
    """Take a photo in; it is looked at as soon as those before it were."""
    request.max_content_length = LARGEST_PHOTO

    def save(path: Path) -> None:
        with path.open("wb") as file:
            shutil.copyfileobj(request.stream, file)

    with sentences():
        rules = request.args.get("rules", DEFAULT_PRESET)
        name, box = request.args.get("name", ""), request.args.get("box", "")
        return _begun(disputes().open(save, name, rules, box))


def _begun(opened: Opened) -> Response:
    remember(opened)
    return answer({"key": opened.case.key, **told(opened.case)}, 201)


def dispute(key: str) -> Response:
    """How far a dispute is, and its ruling once there is one; ``rules`` asks for that by other rules."""
    with sentences():
        return answer(told(disputes().case(key), request.args.get("rules")))


def edit_dispute(key: str) -> Response:
    """Correct what was read, or take the last correction back."""
    return answer(edited(key))


def choose_dispute_rules(key: str) -> Response:
    """Rule by other rules from now on."""
    return answer(ruled_by(key))


def copy_dispute(key: str) -> Response:
    """Go on in a copy of one's own."""
    with sentences():
        return _begun(disputes().copy(key))


def drop_dispute(key: str) -> Response:
    """Let go of one's own dispute now, its picture too."""
    with sentences():
        disputes().drop(key, word_of(key))
    return Response(status=204)


def dispute_picture(key: str) -> Response:
    """The picture as it is kept, in whose pixels a ruling tells places."""
    return kept_picture(key)


def dispute_ruling(key: str) -> Response:
    """The picture with the ruling drawn on it."""
    return ruling_drawn(key)
