"""The work of ``tileref replay``, ``export`` and ``verify``, and what a live table opens to keep its evidence."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.game.codec import LogError
from referee.game.events import Event
from referee.ruleset import RuleSet, differences
from referee.store import Store, StoreError, open_store
from web.evidence.again import TurnAgain, rule_again, turn_fields
from web.evidence.archive import check_packed, log_in, pack
from web.evidence.background import BackgroundKeeper
from web.evidence.check import Checked, Grade, check
from web.evidence.keeper import EvidenceKeeper
from web.evidence.record import RecordError, ruleset_of
from web.evidence.retention import let_go_as_set
from web.evidence.shelf import FolderShelf, Shelf, ShelfError, ZipShelf, folder_name
from web.evidence.turn import NoEvidence, SealedSink
from web.evidence.words import STATES, again_text, checked_text, sentence
from web.exit_status import CANNOT_TELL, ILLEGAL, OK, worst
from web.files import cause
from web.home import HomeError, data_home, evidence_folder, games_file
from web.output import print_result, print_trouble
from web.report_json import Json
from web.version import VERSION
from web.wiring import Eyes

ZIP = ".zip"
OF_GRADE = {Grade.CHANGED: ILLEGAL, Grade.WANTING: CANNOT_TELL, Grade.NOTE: OK}


class EvidenceError(ValueError):
    """What was asked of a game's evidence cannot be done; one sentence."""


@contextmanager
def evidence_of(
    game: str,
    store: Store | None,
    clock: Callable[[], float] = time.time,
    say: Callable[[str], None] = print_trouble,
) -> Iterator[SealedSink]:
    """What keeps the evidence of a game on this computer, behind its back; in the end it keeps what still waits.

    Old pictures are let go first, as the setting says.  Where there is no folder to keep anything in, that is said, and
    nothing is kept.
    """
    try:
        home, root = data_home(), evidence_folder()
    except HomeError as error:
        say(str(error))
        yield NoEvidence()
        return
    let_go_as_set(root, home, clock, say)
    keeper = EvidenceKeeper(root, game, store, clock, lambda told: say(str(told)))
    keeper.catch_up()
    with BackgroundKeeper(keeper) as sink:
        yield sink


def verify(asked: str, store: str | None, seal: str | None, *, as_json: bool) -> int:
    """Look through the evidence of a game or in a zip file, print what was found, return the exit status.

    Raises ``EvidenceError``, ``HomeError`` and ``OutputError``.
    """
    with _laid_out(asked, store) as (shelf, log), _sentences():
        checked = check_packed(shelf, seal=seal) if isinstance(shelf, ZipShelf) else check(shelf, log, seal=seal)
    print_result(json.dumps(_checked_fields(checked)) if as_json else checked_text(checked))
    return OF_GRADE[checked.grade]


def export(game: str, target: Path, store: str | None, *, replacing: bool) -> int:
    """Pack the evidence of a game into a zip file; the status is that of what was packed.

    Raises ``EvidenceError``, ``HomeError`` and ``OutputError``.
    """
    if target.exists() and not replacing:
        raise EvidenceError(f"{target} exists already: choose another file, or add --replace.")
    shelf, log = _folder(game, store)
    with _sentences():
        checked = check(shelf, log)
        try:
            pack(shelf, checked, log, target)
        except OSError as error:
            raise EvidenceError(f"{target} cannot be written: {cause(error)}.") from error
    print_result(checked_text(checked))
    return OF_GRADE[checked.grade]


def replay(
    asked: str, store: str | None, ruleset: RuleSet | None, load_eyes: Callable[[], Eyes] | None, *, as_json: bool
) -> int:
    """Rule again on every turn of a game and print where that differs, once the evidence was looked through.

    ``ruleset`` is None for the rules of the game, ``load_eyes`` for the readings that were kept.  Raises
    ``EvidenceError``, ``EyesError``, ``HomeError`` and ``OutputError``.
    """
    with _laid_out(asked, store) as (shelf, log), _sentences():
        checked = check_packed(shelf) if isinstance(shelf, ZipShelf) else check(shelf, log)
        eyes = None if load_eyes is None else load_eyes()
        turns = list(rule_again(shelf, checked.records, log, ruleset, eyes))
    rules = ruleset or _rules_of_game(checked)
    if as_json:
        print_result(json.dumps(_again_fields(checked, turns, rules, eyes)))
    else:
        print_result(again_text(checked, turns, "the rules of the game" if rules is None else rules.name))
    return worst([OF_GRADE[checked.grade], *map(_status, turns)])


def _status(turn: TurnAgain) -> int:
    return {True: ILLEGAL, False: OK, None: CANNOT_TELL}[turn.differs]


def _rules_of_game(checked: Checked) -> RuleSet | None:
    for record in checked.records:
        try:
            return ruleset_of(record)
        except (RecordError, ValueError):
            continue
    return None


@contextmanager
def _laid_out(asked: str, store: str | None) -> Iterator[tuple[Shelf, tuple[Event, ...] | None]]:
    """The evidence of a game, or in a file, and the game's log where it is at hand."""
    path = Path(asked)
    if not (asked.lower().endswith(ZIP) and (path.exists() or not _is_known(asked))):
        yield _folder(asked, store)
        return
    with _sentences():
        shelf = ZipShelf(path)
        try:
            yield shelf, log_in(shelf)[0]
        finally:
            shelf.close()


def _is_known(game: str) -> bool:
    return (evidence_folder() / folder_name(game)).is_dir()


def _folder(game: str, store: str | None) -> tuple[FolderShelf, tuple[Event, ...] | None]:
    """The folder of a game and its log; ``store`` is a database address, None for that of this computer."""
    if not _is_known(game):
        raise EvidenceError(f"Nothing was kept of a game called {game!r}.")
    shelf = FolderShelf(evidence_folder() / folder_name(game), game)
    if store is None and not games_file().is_file():
        return shelf, None
    try:
        opened = open_store(store or f"sqlite:///{games_file()}")
        try:
            log = opened.load(game)
        finally:
            opened.close()
    except (StoreError, LogError) as error:
        raise EvidenceError(f"{str(error).rstrip('.')}.") from error
    return shelf, log or (None if store is None else ())


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except ShelfError as error:
        raise EvidenceError(str(error)) from error


def _checked_fields(checked: Checked) -> Json:
    return {
        "game": checked.game,
        "state": STATES[checked.grade],
        "records": len(checked.records),
        "covers": checked.covered,
        "seal": checked.end.hash,
        "found": [
            {"code": one.code.value, "grade": one.grade.value, "where": one.where, "count": one.count,
             "message": sentence(one)}
            for one in checked.found
        ],
        "version": VERSION,
    }  # fmt: skip


def _again_fields(checked: Checked, turns: list[TurnAgain], rules: RuleSet | None, eyes: Eyes | None) -> Json:
    then = _rules_of_game(checked)
    return {
        "game": checked.game,
        "rules": None if rules is None else rules.name,
        "fingerprint": None if rules is None else rules.fingerprint,
        "switches": [] if then is None or rules is None else [one.key for one in differences(then, rules)],
        "evidence": _checked_fields(checked),
        "turns": [turn_fields(turn) for turn in turns],
        "differ": sum(turn.differs is True for turn in turns),
        "not_ruled": sum(turn.differs is None for turn in turns),
        "models": {} if eyes is None else dict(eyes.models),
        "version": VERSION,
    }
