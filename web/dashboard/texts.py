"""The languages of the pages: which one a request wants, and what every page says where something went wrong."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path

from babel.numbers import get_decimal_symbol
from flask import Flask, g, request, session
from flask_babel import Babel, get_locale, get_translations, gettext
from werkzeug.exceptions import HTTPException

from web.tongue import spoken

LANGUAGES = {"en": "English", "pl": "Polski", "sk": "Slovenčina", "es": "Español", "uk": "Українська"}

_SAID = re.compile(r"""\b(?:say|sentence)\(\s*("(?:[^"\\\n]|\\.)*")""")


def init_app(app: Flask) -> None:
    """Give an application its languages: in each request ``say`` and ``gettext`` say the same."""
    Babel(app, default_locale="en", default_translation_directories="translations", locale_selector=language)
    app.before_request(_speak)
    app.teardown_request(_fall_silent)
    app.context_processor(
        lambda: {"languages": LANGUAGES, "language": str(get_locale()), "script_words": script_words}
    )


def _speak() -> None:
    """What this request is told is said in its language from here on."""
    g.speech = spoken(get_translations(), get_decimal_symbol(get_locale()))
    g.speech.__enter__()


def _fall_silent(_error: BaseException | None) -> None:
    """The thread goes on to other requests: nothing of this one's language stays, whatever became of it."""
    speech = g.pop("speech", None)
    if speech is not None:
        speech.__exit__(None, None, None)


@cache
def script_sentences() -> tuple[str, ...]:
    """Every sentence that a script of the pages says, as it stands in ``say("...")`` or ``sentence("...")``."""
    scripts = sorted((Path(__file__).parent / "static" / "js").glob("*.js"))
    return tuple(sorted({told for script in scripts for told in said_in(script.read_text(encoding="utf-8"))}))


def said_in(script: str) -> set[str]:
    """The sentences of one script."""
    return {json.loads(told) for told in _SAID.findall(script)}


def script_words() -> dict[str, str]:
    """Those sentences in the language of this request, where it has others."""
    return {told: said for told in script_sentences() if (said := str(gettext(told))) != told}


def language() -> str:
    """What this request wants: as it says (?lang=), as it was chosen before, or as the browser likes best."""
    for told in (request.args.get("lang"), session.get("language")):
        if told in LANGUAGES:
            return str(told)
    return request.accept_languages.best_match(list(LANGUAGES)) or "en"


def local_time(at: float) -> datetime:
    """A moment (seconds since the epoch) by the clock of this computer: the club has no other."""
    return datetime.fromtimestamp(at, UTC).astimezone()


def wrong_host() -> str:
    """What is said to whoever calls this program by a name that it does not have."""
    return str(gettext("This program answers under its own address alone."))


def trouble(error: HTTPException) -> str:
    """What went wrong, as one sentence; what werkzeug says by itself is said in our own words."""
    own = error.description
    if own and own != type(error).description:
        return own
    match error.code:
        case HTTPStatus.NOT_FOUND:
            return str(gettext("There is nothing at this address."))
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return str(gettext("This cannot be done at this address."))
        case HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return str(gettext("This is too large to be sent here."))
        case HTTPStatus.UNSUPPORTED_MEDIA_TYPE:
            return str(gettext("This is taken as JSON alone."))
        case HTTPStatus.INTERNAL_SERVER_ERROR:
            return str(gettext("The program has made a mistake; the game is not touched by it."))
        case _:
            return str(gettext("This request cannot be understood."))
