"""A language that nobody speaks: every letter of a sentence is another, and what is filled in stays as it is.

What still has letters of English words when it reaches a page was never said in a language, so nobody can read it who
has no English.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from string import Formatter

from babel.support import NullTranslations
from flask import Flask
from flask_babel import get_babel

LETTER = "ж"
_PERCENT = re.compile(r"(%\(\w+\)[sd]|%%)")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]+")
_TILES = re.compile(r"\b(?:[RBKOHDSC]\d+|[RBKOHDSC]?J[DCM]?|(?:10|[2-9AJQK])[HDSC]|[HDSC](?:10|[2-9AJQK]))\b")
_RULES = re.compile(r"\[\w+ = [^\]]*\]|\(\w+_\w+\)")
"""A switch of the rules as a preset file writes it."""


class Disguise(NullTranslations):
    """Says everything in that language."""

    def gettext(self, message: str) -> str:
        return disguised(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return disguised(msgid1 if n == 1 else msgid2)

    ugettext = gettext
    ungettext = ngettext


def speaking(app: Flask, catalogue: gettext.NullTranslations) -> Flask:
    """The application, where Ukrainian is what this catalogue says."""
    with app.app_context():
        get_babel().instance.domain_instance.cache["uk", "messages"] = catalogue
    return app


def disguised(sentence: str) -> str:
    """The sentence with other letters."""
    if _PERCENT.search(sentence):
        parts = _PERCENT.split(sentence)
        return "".join(part if k % 2 else _other(part) for k, part in enumerate(parts))
    found = ""
    for text, name, spec, change in Formatter().parse(sentence):
        found += _other(text).replace("{", "{{").replace("}", "}}")
        if name is not None:
            found += "{" + name + (f"!{change}" if change else "") + (f":{spec}" if spec else "") + "}"
    return found


def _other(text: str) -> str:
    return re.sub(r"[A-Za-z]", LETTER, text)


def english(text: str, *allowed: str) -> list[str]:
    """The words that are left of English: no tiles, no switches of rules, nothing of what is allowed."""
    for name in sorted(allowed, key=len, reverse=True):
        text = text.replace(name, " ")
    return _WORD.findall(_TILES.sub(" ", _RULES.sub(" ", text)))


TOLD = frozenset({
    "text", "stage_words", "why_words", "fault_words", "message", "sentence", "state_words", "words", "costs",
    "trouble", "error", "found", "why",
})  # fmt: skip
"""The fields of JSON that pages show as they are."""


def told(data: object, field: str = "") -> Iterator[tuple[str, str]]:
    """Every text of an answer that a page shows, with its field."""
    match data:
        case dict():
            for name, value in data.items():
                yield from told(value, str(name))
        case list():
            for value in data:
                yield from told(value, field)
        case str() if field in TOLD or " " in data:
            yield field, data


class Page(HTMLParser):
    """What a page shows and reads out, before its scripts run."""

    SHOWN = frozenset({"alt", "title", "aria-label", "placeholder", "data-alt"})
    SILENT = frozenset({"script", "style", "option", "code"})
    """What nobody translates."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._silent = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self.SILENT
        self.texts += [value for name, value in attrs if name in self.SHOWN and value]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self.SILENT

    def handle_data(self, data: str) -> None:
        if not self._silent and data.strip():
            self.texts.append(data.strip())
