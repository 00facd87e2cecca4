"""The Flask application over a hall of tables: everything that answers requests is joined here."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException, SecurityError

from web.dashboard import api, texts
from web.dashboard.access import REFEREE_S, Access, access, add_headers, check_origin, csrf_token
from web.dashboard.asking import answer
from web.dashboard.hall import Hall
from web.dashboard.keys import Keys
from web.dashboard.pages import camera, count, desk, dispute, health, history, screen, seat, set_up, sign_in, start
from web.disputes.clerk import Disputes
from web.report_json import Json
from web.telling import say_whole
from web.version import VERSION

MOST_BYTES = 1_000_000
"""A request holds at most so much; views that take pictures allow more (``request.max_content_length``)."""
PAGES = (start, sign_in, desk, screen, seat, health, dispute, count, history, set_up, camera)
"""Each has a ``blueprint``."""
ONLY_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST = re.compile(r"(\[[^\]]*\]|[^:]*)(?::\d+)?")
"""A host with its port, which may be missing."""


def create_app(hall: Hall, keys: Keys, *, secure: bool = False, hosts: tuple[str, ...] = ()) -> Flask:
    """The application.  ``secure``: it is reached by TLS alone; ``hosts`` are the names it answers to, none: any."""
    app = Flask(__name__)
    app.extensions["hall"] = hall
    app.extensions["disputes"] = Disputes(hall.home / "disputes", hall.eyes, hall.wall, boxes=hall)
    app.extensions["access"] = gate = Access(keys)
    app.config.update(
        SECRET_KEY=gate.session_key,
        SESSION_COOKIE_NAME=gate.cookie_name,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=secure,
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=REFEREE_S),
        MAX_CONTENT_LENGTH=MOST_BYTES,
        MAX_FORM_MEMORY_SIZE=MOST_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=timedelta(hours=1),
    )
    if hosts:  # werkzeug's own list knows no [::1]
        app.before_request(partial(_check_host, frozenset(hosts)))
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    texts.init_app(app)
    app.register_blueprint(api.blueprint())
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    app.before_request(check_origin)
    app.after_request(add_headers)
    app.register_error_handler(HTTPException, _trouble)
    app.context_processor(_for_every_page)
    app.template_filter("whole")(say_whole)
    return app


def _check_host(hosts: frozenset[str]) -> None:
    """Before each request: a page of another name that leads here is none of ours.  Raises ``SecurityError``."""
    named = _HOST.fullmatch(request.host)
    if named is None or named[1].lower() not in hosts:
        raise SecurityError(f"{request.host} is none of our names.")


def _for_every_page() -> Json:
    return {"csrf_token": csrf_token, "is_referee": access().is_referee, "only_here": _only_here, "version": VERSION}


def _only_here() -> bool:
    """Whether this page was opened under a name that leads every other computer to itself."""
    named = _HOST.fullmatch(request.host)
    return named is not None and named[1].lower() in ONLY_HERE


def _trouble(error: HTTPException) -> Response:
    """What went wrong: a sentence for programs, a page for people."""
    status = error.code or 500
    if isinstance(error, SecurityError):  # no page can be made for a host that is not ours: its links would lead there
        return Response(f"{texts.wrong_host()}\n", status, mimetype="text/plain")
    sentence = texts.trouble(error)
    if request.path.startswith(f"{api.PREFIX}/") or request.accept_mimetypes.best == "application/json":
        response = answer({"error": sentence}, status)
    else:
        response = Response(render_template("trouble.html", sentence=sentence, status=status), status)
    for name, value in error.get_headers():
        if name.lower() in {"retry-after", "allow"}:
            response.headers[name] = value
    return response
