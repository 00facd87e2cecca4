"""A game's evidence as one zip file: the same evidence always gives the same bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from referee.game.codec import LogError, decode_log, encode_log
from referee.game.events import Event
from web.evidence.check import Checked, Code, Found, check
from web.evidence.shelf import HEAD, LOG, README, RULINGS, Shelf, ZipShelf, is_draft
from web.evidence.words import README as README_TEXT
from web.evidence.words import rulings_text, version_told
from web.files import DRAFT_PREFIX, DRAFT_SUFFIX
from web.version import VERSION

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can tell: nobody's clock is in the file."""
_FROM_UNIX, _ORDINARY_FILE = 3, 0o100644 << 16


def pack(shelf: Shelf, checked: Checked, log: Sequence[Event] | None, target: Path) -> None:
    """Write a game's evidence, as far as it is its own, into a zip file.  Raises ``OSError`` and ``ShelfError``.

    What was changed is packed as it is: whoever verifies the file is told what this one would be told.
    """
    draft = target.with_name(f"{DRAFT_PREFIX}{target.name}{DRAFT_SUFFIX}")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_STORED) as packed:
            texts = {README: README_TEXT.encode(), RULINGS: _bytes(rulings_text(checked))}
            texts |= {} if log is None else {LOG: encode_log(log).encode()}
            theirs = [file for file in shelf.files() if file not in texts and _is_kept(file)]
            for file in sorted((*texts, *theirs)):
                packed.writestr(_entry(file), texts[file] if file in texts else shelf.read(file))
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def check_packed(shelf: ZipShelf, *, seal: str | None = None) -> Checked:
    """Look through a zip file that ``pack`` wrote.  Raises ``ShelfError``."""
    files = shelf.files()
    log, trouble = log_in(shelf)
    checked = check(shelf, log, seal=seal)
    found = [*checked.found, *trouble, *_words(shelf, files, checked)]
    return replace(checked, found=tuple(found))


def _words(shelf: ZipShelf, files: Sequence[str], checked: Checked) -> Iterator[Found]:
    """Whether the texts for people say what this program would say of these records."""
    written = {file: shelf.read(file) if file in files else b"" for file in (RULINGS, README)}
    if version_told(written[RULINGS]) not in {None, VERSION}:
        yield Found(Code.WORDS_OF_OTHERS, RULINGS)
        return
    for file, text in ((RULINGS, rulings_text(checked)), (README, README_TEXT)):
        if written[file] != _bytes(text):
            yield Found(Code.WORDS_CHANGED, file)


def log_in(shelf: ZipShelf) -> tuple[tuple[Event, ...] | None, tuple[Found, ...]]:
    """The log in a zip file, None where it holds none, and what is wrong with it."""
    if LOG not in shelf.files():
        return None, ()
    try:
        return decode_log(shelf.read(LOG).decode()), ()
    except (LogError, UnicodeDecodeError):
        return None, (Found(Code.LOG_CHANGED, LOG),)


def _bytes(text: str) -> bytes:
    """A text as UTF-8; half of a pair of codes, which a forged record may hold, is written as what it is."""
    return text.encode(errors="backslashreplace")


def _is_kept(file: str) -> bool:
    return file == HEAD or (file.startswith(("records/", "pictures/")) and not is_draft(file))


def _entry(file: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(file, _LONG_AGO)
    entry.create_system, entry.external_attr = _FROM_UNIX, _ORDINARY_FILE
    return entry
