"""The catalogues of each language but English: ``messages.po`` for people and ``messages.mo`` for the program."""

from __future__ import annotations

import gettext
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tests.languages.gathering import ROOT, Id, Sentence
from web.dashboard.texts import LANGUAGES

FOLDER = ROOT / "web" / "dashboard" / "translations"
OTHERS = tuple(code for code in LANGUAGES if code != "en")
"""What is translated into."""
PLURALS = {
    "pl": "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);",
    "sk": "nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);",
    "es": "nplurals=2; plural=(n != 1);",
    "uk": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);",
}
"""The forms of each language for whole numbers, as it writes them from one to many."""
_NEVER = datetime(2000, 1, 1, tzinfo=UTC)
"""A catalogue changes where its sentences do, not with the day."""
_LEFT_OUT = tuple(
    f'"{name}:'.encode()
    for name in ("POT-Creation-Date", "PO-Revision-Date", "Generated-By", "Project-Id-Version", "Language-Team",
                 "Report-Msgid-Bugs-To", "Last-Translator")
)  # fmt: skip
"""Lines of the head that say when and by what it was made."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """What a catalogue lacks: sentences that it does not have, that nobody says any more, that are not translated."""

    missing: tuple[Id, ...]
    stale: tuple[Id, ...]
    empty: tuple[Id, ...]


def po_file(language: str, folder: Path = FOLDER) -> Path:
    """Where translators write."""
    return folder / language / "LC_MESSAGES" / "messages.po"


def mo_file(language: str, folder: Path = FOLDER) -> Path:
    """What the program reads."""
    return po_file(language, folder).with_suffix(".mo")


def read(language: str, folder: Path = FOLDER) -> Catalog:
    """The catalogue of a language; an empty one where there is none yet."""
    file = po_file(language, folder)
    if not file.exists():
        return Catalog(locale=language)
    with file.open("rb") as source:
        return read_po(source, locale=language)


def messages(catalogue: Catalog) -> Iterator[Message]:
    """All entries but the head."""
    return (message for message in catalogue if message.id)


def key(message: Message) -> Id:
    """What an entry translates."""
    return message.id if isinstance(message.id, str) else (message.id[0], message.id[1])


def forms(message: Message) -> tuple[str, ...]:
    """Its translation, each form of it."""
    told = (message.string,) if isinstance(message.string, str) else message.string
    return tuple(told or ("",))


def lacking(catalogue: Catalog, wanted: Sequence[Sentence]) -> Lacking:
    """How a catalogue differs from what is said."""
    said = dict.fromkeys(sentence.id for sentence in wanted)
    there = {key(message): message for message in messages(catalogue)}
    return Lacking(
        missing=tuple(told for told in said if told not in there),
        stale=tuple(told for told in there if told not in said),
        empty=tuple(told for told, message in there.items() if told in said and not is_translated(message)),
    )


def is_translated(message: Message) -> bool:
    """Whether an entry can be said: every form of it is there, and nobody doubts it."""
    return all(forms(message)) and not message.fuzzy


def renewed(old: Catalog, wanted: Sequence[Sentence]) -> Catalog:
    """A catalogue with exactly these sentences; what was translated stays."""
    new = _blank(str(old.locale))
    files: dict[Id, list[str]] = {}
    for sentence in wanted:
        files.setdefault(sentence.id, []).append(sentence.file)
    known = {key(message): message for message in messages(old)}
    for told, where in files.items():
        before = known.get(told)
        entry = new.add(
            told,
            before.string if before is not None and not before.fuzzy else None,
            locations=[(file, 1) for file in sorted(set(where))],
            user_comments=before.user_comments if before is not None else (),
        )
        entry.flags &= {"python-brace-format"} if "{" in str(told) else set()
    return new


def _blank(language: str) -> Catalog:
    """A catalogue without sentences."""
    head = f"# tileref in {LANGUAGES[language]}: python -m tests.languages update"
    made = Catalog(locale=language, fuzzy=False, header_comment=head, creation_date=_NEVER, revision_date=_NEVER)
    made.mime_headers = [("Plural-Forms", PLURALS[language])]
    return made


def written(catalogue: Catalog) -> bytes:
    """The text of ``messages.po``."""
    text = io.BytesIO()
    write_po(text, catalogue, width=0, sort_output=True, include_lineno=False)
    return b"".join(line for line in text.getvalue().splitlines(keepends=True) if not line.startswith(_LEFT_OUT))


def compiled(catalogue: Catalog) -> bytes:
    """The bytes of ``messages.mo``: what is translated, the rest is said in English."""
    sayable = _blank(str(catalogue.locale))
    for message in filter(is_translated, messages(catalogue)):
        sayable.add(message.id, message.string)
    data = io.BytesIO()
    write_mo(data, sayable)
    return data.getvalue()


def spoken_by(data: bytes) -> dict[object, str]:
    """What a compiled catalogue says, without its head, which names the program that made it."""
    table = vars(gettext.GNUTranslations(io.BytesIO(data)))["_catalog"]
    return {told: said for told, said in table.items() if told}


def update(language: str, wanted: Sequence[Sentence], folder: Path = FOLDER) -> Lacking:
    """Bring both files of a language up to date; what they lack now."""
    catalogue = renewed(read(language, folder), wanted)
    file = po_file(language, folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(written(catalogue))
    data = compiled(catalogue)
    compiled_file = mo_file(language, folder)
    if not compiled_file.exists() or spoken_by(compiled_file.read_bytes()) != spoken_by(data):
        compiled_file.write_bytes(data)
    return lacking(catalogue, wanted)
