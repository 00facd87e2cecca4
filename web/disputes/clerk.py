"""Takes photos of disputed tables in, has them looked at one after another, and keeps what people say of them.

The one door to this package for pages.  All methods may be called from any thread.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Protocol

from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import RuleSet, RuleSetError
from referee.told import telling
from web.disputes.case import Case, Ruled, State, edited, rule, undone
from web.disputes.edits import Edit, EditError
from web.disputes.photo import UnusableError, annotated, check_upload, look_at, shown_name
from web.disputes.shelf import PICTURE, UPLOAD, DisputeShelf, NoCaseError
from web.disputes.waiting import MOST_WAITING, FullError, WaitingLine
from web.files import cause, write_whole
from web.telling import told_by
from web.version import VERSION
from web.wiring import Eyes, EyesError

_LOG = logging.getLogger(__name__)

RESTARTED = telling("The program was started anew before this photo was looked at: send it again.")


@cache
def preset(name: str) -> RuleSet:
    """The rules of a preset that comes with the program.  Raises ``RuleSetError``.

    Never those of a file: strangers ask by name here, and what a file holds is none of their business.
    """
    if name not in preset_names():
        raise RuleSetError("there is no such preset")
    return load_ruleset(name)


class NotYoursError(Exception):
    """Who asks did not make this dispute, so he may look at it and not correct it."""


class NoBoxError(Exception):
    """No box of this name was taught here."""


class OvertakenError(Exception):
    """Somebody corrected the dispute since it was looked at."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A new dispute and the secret word that lets its maker correct it; only its hash is kept."""

    case: Case
    word: str


class TaughtBoxes(Protocol):
    """The boxes that were taught on this computer."""

    def box_names(self) -> tuple[str, ...]:
        """Those at hand, none where they cannot be looked for."""

    def eyes_for_box(self, name: str) -> Eyes:
        """Eyes that know one, kept until it is taught anew.  Raises ``EyesError``."""


class Disputes:
    """The disputes of this computer."""

    def __init__(
        self,
        root: Path,
        load_eyes: Callable[[], Eyes],
        clock: Callable[[], float] = time.time,
        most_waiting: int = MOST_WAITING,
        boxes: TaughtBoxes | None = None,
    ) -> None:
        self._shelf = DisputeShelf(root)
        self._load_eyes = load_eyes
        self._clock = clock
        self._boxes = boxes
        self._eyes: Eyes | None = None
        self._writing = Lock()
        self._line = WaitingLine(self._look, most_waiting)
        self._take_up_waiting()

    @property
    def kept_days(self) -> float:
        """How long a dispute is kept."""
        return self._shelf.days

    def close(self) -> None:
        """End once the photo in hand was looked at."""
        self._line.close()

    def boxes(self) -> tuple[str, ...]:
        """The taught boxes whose tiles a photo may be said to show."""
        return () if self._boxes is None else self._boxes.box_names()

    def open(self, save: Callable[[Path], None], name: str, rules: str, box: str = "") -> Opened:
        """Take a photo in: ``save`` writes it to a path.

        Raises ``UnusableError``, ``FullError``, ``RuleSetError`` and ``NoBoxError`` for rules and boxes that there are
        not, and ``OSError``.
        """
        preset(rules)
        if box and box not in self.boxes():
            raise NoBoxError
        self._line.check_room()
        self._shelf.let_go(self._clock)
        key, word = secrets.token_urlsafe(18), secrets.token_urlsafe(18)
        folder = self._shelf.make(key)
        case = Case(key, _hash(word), self._clock(), shown_name(name), rules, program=VERSION, box=box)
        try:
            save(folder / UPLOAD)
            check_upload(folder / UPLOAD, case.photo)
            self._shelf.keep(case)
            self._line.add(key)
        except BaseException:
            self._shelf.drop(key)
            raise
        return Opened(case, word)

    def case(self, key: str) -> Case:
        """Raises ``NoCaseError``."""
        case = self._shelf.load(key)
        if case.at < self._clock() - self._shelf.days * 86400:
            raise NoCaseError(key)
        return case

    def before(self, key: str) -> int | None:
        """How many photos are looked at before this one; None where it does not wait."""
        return self._line.before(key)

    def may_edit(self, case: Case, word: str) -> bool:
        """Whether a word is the one that its maker was given."""
        return hmac.compare_digest(case.editor, _hash(word))

    def ruled(self, case: Case, rules: str | None = None) -> tuple[Ruled, RuleSet]:
        """The ruling on a case that is ready, by its own rules or others.  Raises ``RuleSetError``."""
        ruleset = preset(case.rules if rules is None else rules)
        return rule(case, ruleset), ruleset

    def edit(self, key: str, word: str, after: int, edit: Edit | None) -> Case:
        """Add an edit to the ``after`` that there are; None takes the last one back.

        Raises ``NoCaseError``, ``NotYoursError``, ``OvertakenError``, ``EditError`` and ``OSError``.
        """
        with self._writing:
            case = self._own(key, word)
            if len(case.edits) != after:
                raise OvertakenError
            changed = undone(case) if edit is None else edited(case, edit, preset(case.rules))
            self._shelf.keep(changed)
        return changed

    def choose_rules(self, key: str, word: str, rules: str) -> Case:
        """Rule by other rules from now on.  Raises as ``edit`` does, and ``RuleSetError``."""
        preset(rules)
        with self._writing:
            changed = replace(self._own(key, word), rules=rules)
            self._shelf.keep(changed)
        return changed

    def copy(self, key: str) -> Opened:
        """A dispute of one's own with what another one says so far.  Raises ``NoCaseError``, ``EditError``."""
        case = self.case(key)
        if case.state is not State.READY:
            raise EditError("The photo was not looked at yet.")
        self._shelf.let_go(self._clock)  # whoever copies again and again fills no disk
        new, word = secrets.token_urlsafe(18), secrets.token_urlsafe(18)
        folder = self._shelf.make(new)
        copied = replace(case, key=new, editor=_hash(word), at=self._clock())
        try:
            (folder / PICTURE).write_bytes(self.picture(key))
            self._shelf.keep(copied)
        except BaseException:
            self._shelf.drop(new)
            raise
        return Opened(copied, word)

    def drop(self, key: str, word: str) -> None:
        """Let go of one's own dispute, its picture too.  Raises ``NoCaseError`` and ``NotYoursError``."""
        with self._writing:
            self._own(key, word)
            self._shelf.drop(key)

    def picture(self, key: str) -> bytes:
        """The picture that is kept, as JPEG.  Raises ``NoCaseError``."""
        try:
            return (self._shelf.folder(key) / PICTURE).read_bytes()
        except FileNotFoundError as error:
            raise NoCaseError(key) from error

    def annotated(self, case: Case) -> bytes:
        """The picture with the ruling drawn on it, as JPEG.  Raises ``NoCaseError``."""
        ruled, _ = self.ruled(case)
        return annotated(self.picture(case.key), case, ruled.corrected.observation, ruled.ruling)

    def _own(self, key: str, word: str) -> Case:
        case = self.case(key)
        if not self.may_edit(case, word):
            raise NotYoursError
        return case

    def _look(self, key: str) -> None:
        """Look at the photo of a dispute, and write what came of it."""
        try:
            case = self._shelf.load(key)
            upload = self._shelf.folder(key) / UPLOAD
            try:
                looked = look_at(upload, case.photo, self._eyes_for(case.box))
                write_whole(upload.with_name(PICTURE), looked.picture)
                case = replace(case, state=State.READY, reading=looked.reading, models=looked.models)
            except (UnusableError, EyesError) as error:
                case = replace(case, state=State.FAILED, why=told_by(error))
            except OSError as error:
                why = telling("The photo cannot be kept: {cause}.", cause=cause(error))
                case = replace(case, state=State.FAILED, why=why)
            except Exception:  # noqa: BLE001  the line must go on, whatever one photo does
                _LOG.exception("A disputed photo could not be looked at.")
                case = replace(case, state=State.FAILED, why=telling("{path} could not be looked at.", path=case.photo))
            self._shelf.keep(case)
            upload.unlink(missing_ok=True)
        except (NoCaseError, OSError):
            return  # let go meanwhile, or the disk is full: whoever waits is told by the next start

    def _eyes_for(self, box: str) -> Eyes:
        """The eyes of all photos, or those that know a box as it is taught by now."""
        if box and self._boxes is not None:
            return self._boxes.eyes_for_box(box)
        if self._eyes is None:
            self._eyes = self._load_eyes()
        return self._eyes

    def _take_up_waiting(self) -> None:
        """Go on with what waited when the program stopped, the oldest first."""
        waiting = [case for case in self._shelf.cases() if case.state is State.WAITING]
        for case in sorted(waiting, key=lambda one: one.at):
            try:
                self._line.add(case.key)
            except FullError:
                self._shelf.keep(replace(case, state=State.FAILED, why=RESTARTED))


def _hash(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()
