"""How long pictures are kept.  Records stay: they are small, and the chain needs them.

The setting is ``evidence.toml`` beside the evidence, each key of which may be left out:

    days = 365             # pictures older than this are let go; without it they stay
    most_megabytes = 10000 # of all games together the oldest are let go beyond this; without it there is no limit
    keep_disputed = true   # those of turns that a referee was asked about, or ruled on otherwise, stay all the same
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from referee.chain import Record
from referee.ruling import Verdict
from web.evidence.check import Grade, check
from web.evidence.keeper import EvidenceKeeper
from web.evidence.record import pictures_of
from web.evidence.shelf import FolderShelf, ShelfError, folder_name, picture_file
from web.evidence.turn import Occasion
from web.files import cause
from web.output import print_trouble

SETTING = "evidence.toml"
DAY_S = 86400.0
MEGABYTE = 1_000_000
_DISPUTES = frozenset(one.value for one in (Occasion.ANSWER, Occasion.OVERRIDE, Occasion.UNDO, Occasion.CORRECTION))


class RetentionError(ValueError):
    """The setting cannot be used; one sentence."""


@dataclass(frozen=True, slots=True)
class Retention:
    """What may be let go: pictures older than ``days``, the oldest beyond ``most_bytes``; None sets no limit."""

    days: float | None = None
    most_bytes: int | None = None
    keep_disputed: bool = True


@dataclass(frozen=True, slots=True)
class _Kept:
    """A picture that lies in a folder: its game, when a record last named it, its size."""

    game: str
    digest: str
    at: float
    size: int
    disputed: bool


def retention_set(home: Path) -> Retention:
    """The setting, or no limit where there is none.  Raises ``RetentionError``."""
    path = home / SETTING
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return Retention()
    except OSError as error:
        raise RetentionError(f"{path} cannot be read: {cause(error)}.") from error
    except ValueError as error:  # no TOML, no UTF-8
        raise RetentionError(f"{path} cannot be used: {error}.") from error
    for key, value in told.items():
        _check_setting(path, key, value)
    most = told.get("most_megabytes")
    return Retention(
        days=told.get("days"),
        most_bytes=None if most is None else int(most * MEGABYTE),
        keep_disputed=told.get("keep_disputed", True),
    )


def _check_setting(path: Path, key: str, value: object) -> None:
    if key not in {"days", "most_megabytes", "keep_disputed"}:
        raise RetentionError(f"{path}: {key} is no setting: expected days, most_megabytes or keep_disputed.")
    if key == "keep_disputed":
        if not isinstance(value, bool):
            raise RetentionError(f"{path}: {key} = {value!r} is not allowed: expected true or false.")
    elif isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
        raise RetentionError(f"{path}: {key} = {value!r} is not allowed: expected a number that is not negative.")


def let_go(
    root: Path, retention: Retention, clock: Callable[[], float], say: Callable[[str], None] = print_trouble
) -> int:
    """Let go of what the setting does not keep, in the evidence of all games; how many pictures went.

    A game whose records were changed is left as it is: nobody deletes from what may be asked about.
    """
    if retention.days is None and retention.most_bytes is None:
        return 0
    kept = [picture for folder in _folders(root) for picture in _pictures_in(folder)]
    old, beyond = _too_old(kept, retention, clock()), _too_many(kept, retention)
    gone: dict[str, set[str]] = {}
    for picture in (*old, *beyond):
        gone.setdefault(picture.game, set()).add(picture.digest)
    done = 0
    for game, digests in gone.items():
        why = f"days {retention.days}, most bytes {retention.most_bytes}, keep disputed {retention.keep_disputed}"
        try:
            keeper = EvidenceKeeper(root, game, clock=clock, say=lambda told: say(str(told)))
            keeper.let_go(sorted(digests), why)
            done += len(digests)
        except (OSError, ShelfError) as error:
            why = cause(error) if isinstance(error, OSError) else str(error).rstrip(".")
            say(f"Old pictures of {game} cannot be let go: {why}.")
    return done


def let_go_as_set(
    root: Path, home: Path, clock: Callable[[], float], say: Callable[[str], None] = print_trouble
) -> None:
    """Before tables are opened: let go of what the setting under ``home`` does not keep.

    Where the setting cannot be used, that is said and everything stays.
    """
    try:
        let_go(root, retention_set(home), clock, say)
    except RetentionError as error:
        say(f"{str(error).rstrip('.')}; nothing is let go.")


def _folders(root: Path) -> Sequence[Path]:
    try:
        return sorted(path for path in root.iterdir() if path.is_dir())
    except OSError:  # there is no evidence yet
        return ()


def _pictures_in(folder: Path) -> Iterable[_Kept]:
    """The pictures of a game that may be let go; none where its records are not as they were written."""
    try:
        checked = check(FolderShelf(folder, ""), None, pictures=False)
    except ShelfError:
        return
    if checked.grade is Grade.CHANGED or folder_name(checked.game) != folder.name:
        return
    last: dict[str, float] = {}
    disputed: set[str] = set()
    of_turn: set[str] = set()
    for record in checked.records:
        named = _named(record)
        last |= dict.fromkeys(named, float(record["written_at"]))
        if record["occasion"] == Occasion.TURN.value:
            of_turn = named
        if (record.get("ruling") or {}).get("verdict") == Verdict.CANNOT_TELL.value:
            disputed |= named
        if record["occasion"] in _DISPUTES:
            disputed |= named | of_turn
    for digest, at in last.items():
        path = folder / picture_file(digest)
        if path.is_file():
            yield _Kept(checked.game, digest, at, path.stat().st_size, digest in disputed)


def _named(record: Record) -> set[str]:
    return {str(picture["sha256"]) for picture in pictures_of(record).values() if picture.get("kept") is True}


def _may_go(picture: _Kept, retention: Retention) -> bool:
    return not (picture.disputed and retention.keep_disputed)


def _too_old(kept: Iterable[_Kept], retention: Retention, now: float) -> list[_Kept]:
    if retention.days is None:
        return []
    since = now - retention.days * DAY_S
    return [picture for picture in kept if picture.at < since and _may_go(picture, retention)]


def _too_many(kept: Sequence[_Kept], retention: Retention) -> list[_Kept]:
    """The oldest, until what stays is small enough."""
    if retention.most_bytes is None:
        return []
    too_much = sum(picture.size for picture in kept) - retention.most_bytes
    gone: list[_Kept] = []
    for picture in sorted(kept, key=lambda one: (one.at, one.digest)):
        if too_much <= 0:
            break
        if _may_go(picture, retention):
            gone.append(picture)
            too_much -= picture.size
    return gone
