"""Signing in as the referee, and out again."""

from __future__ import annotations

from flask import Blueprint, render_template

from web.dashboard.asking import hall

blueprint = Blueprint("sign_in", __name__)


@blueprint.get("/sign-in")
def page() -> str:
    """Where the PIN is typed; a demonstration shows it."""
    return render_template("sign_in.html", pin_shown=hall().pin_shown)
