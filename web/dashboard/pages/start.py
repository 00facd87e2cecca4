"""The first page: which tables there are, and what to do next."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from web.dashboard.asking import hall
from web.dashboard.texts import LANGUAGES

blueprint = Blueprint("start", __name__)


@blueprint.get("/")
def page() -> str:
    """The tables."""
    return render_template("start.html", tables=list(hall().tables.values()), demo=bool(hall().pin_shown))


@blueprint.post("/language")
def choose_language() -> Response:
    """Another language for this browser, then back to where it was chosen."""
    wanted = request.form.get("language", "")
    if wanted not in LANGUAGES:
        raise BadRequest
    session["language"] = wanted
    return redirect(_own_path(request.form.get("back", "")), 303)


def _own_path(asked: str) -> str:
    """An address of this site; the first page for any other."""
    return asked if asked.startswith("/") and not asked.startswith(("//", "/\\")) else url_for("start.page")
