"""Games that were played, for the referee: every turn with its pictures, ruled again, exported."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Blueprint, Response, redirect, render_template, request, send_file, url_for
from flask_babel import format_datetime
from werkzeug.exceptions import BadRequest, NotFound, ServiceUnavailable
from werkzeug.wrappers import Response as Answer

from referee.preset_files import load_ruleset, preset_names
from web.dashboard.access import access, need_referee
from web.dashboard.asking import answer, hall
from web.dashboard.history import History, HistoryError, NoGameError, again_json, game_json, pack_game
from web.dashboard.texts import local_time
from web.files import cause
from web.telling import say_whole
from web.tongue import say

PICTURE_KEPT_S = 86400

blueprint = Blueprint("history", __name__)


def history() -> History:
    """What was played here."""
    return History(hall().database, hall().evidence)


@blueprint.get("/history")
def page() -> Answer | str:
    """All games."""
    if not access().is_referee():
        return redirect(url_for("sign_in.page", next=url_for("history.page")), 303)
    with _sentences():
        games = [(one, "" if one.last_at is None else _when(one.last_at)) for one in history().games()]
    return render_template("history.html", games=games)


@blueprint.get("/history/<slug>")
def game(slug: str) -> Answer | str:
    """A game, to be stepped through."""
    if not access().is_referee():
        return redirect(url_for("sign_in.page", next=url_for("history.game", slug=slug)), 303)
    with _sentences():
        name = history().open(slug).name
    return render_template("history_game.html", slug=slug, name=name, presets=preset_names())


@blueprint.get("/history/<slug>/game.json")
def told(slug: str) -> Response:
    """What was kept of it."""
    need_referee()
    with _sentences():
        return answer(game_json(history().open(slug)))


@blueprint.get("/history/<slug>/again.json")
def again(slug: str) -> Response:
    """Every turn as other rules have it."""
    need_referee()
    rules = request.args.get("rules", "")
    if rules not in preset_names():
        raise BadRequest(say("There are no such rules here."))
    with _sentences():
        return answer(again_json(history().open(slug), load_ruleset(rules)))


@blueprint.get("/history/<slug>/pictures/<digest>.jpg")
def picture(slug: str, digest: str) -> Response:
    """A kept picture; its name is its hash, so it never changes."""
    need_referee()
    with _sentences():
        response = Response(history().picture(slug, digest), mimetype="image/jpeg")
    response.headers["Cache-Control"] = f"private, max-age={PICTURE_KEPT_S}, immutable"
    return response


@blueprint.get("/history/<slug>/evidence.zip")
def evidence(slug: str) -> Response:
    """Everything that was kept of a game, as one file."""
    need_referee()
    folder = tempfile.TemporaryDirectory(prefix="tileref-")
    try:
        target = Path(folder.name) / f"{slug}.zip"
        with _sentences():
            pack_game(history().open(slug), target)
            response = send_file(target, as_attachment=True)
    except BaseException:
        folder.cleanup()
        raise
    response.direct_passthrough = False  # with it nobody hears that the last byte was sent
    response.call_on_close(folder.cleanup)
    return response


def _when(at: float) -> str:
    return str(format_datetime(local_time(at), "medium", rebase=False))


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except NoGameError as error:
        raise NotFound(say("Nothing is kept under this name.")) from error
    except HistoryError as error:
        raise ServiceUnavailable(say_whole(error.told)) from error
    except OSError as error:
        raise ServiceUnavailable(say("The evidence cannot be packed: {cause}.", cause=cause(error))) from error
