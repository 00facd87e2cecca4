"""The secrets of a dashboard on disk: the referee's PIN as a hash, and the key that sessions are signed with."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from werkzeug.security import generate_password_hash

from web.files import cause

FOLDER, FILE = "dashboard", "access.json"
PIN_DIGITS = 6
SHORTEST_PIN, LONGEST_PIN = 4, 64


class KeysError(ValueError):
    """The secrets cannot be kept or used; one sentence."""


@dataclass(frozen=True, slots=True)
class Keys:
    """``secret`` signs; ``pin_hash`` is the PIN's, salted."""

    secret: bytes
    pin_hash: str


def new_pin() -> str:
    """A PIN that nobody can guess within an evening's tries."""
    return f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}}"


def keys_for(pin: str) -> Keys:
    """Fresh keys that are kept nowhere."""
    return Keys(secrets.token_bytes(32), generate_password_hash(pin))


def keys_at(home: Path, pin: str | None) -> tuple[Keys, str | None]:
    """The keys kept under a folder, made at the first start; and the PIN where it is new, to be told once.

    A ``pin`` that is told takes the place of the one before.  Raises ``KeysError``.
    """
    if pin is not None and not SHORTEST_PIN <= len(pin) <= LONGEST_PIN:
        raise KeysError(f"A PIN has {SHORTEST_PIN} to {LONGEST_PIN} letters or digits.")
    file = home / FOLDER / FILE
    kept = _read(file)
    if kept is not None and pin is None:
        return kept, None
    told = pin or new_pin()
    keys = Keys(secrets.token_bytes(32) if kept is None else kept.secret, generate_password_hash(told))
    _write(file, keys)
    return keys, told


def _read(file: Path) -> Keys | None:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return Keys(bytes.fromhex(data["secret"]), str(data["pin"]))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KeysError(f"{file} cannot be read: {cause(error)}.") from error
    except (ValueError, TypeError, KeyError) as error:
        raise KeysError(f"{file} is damaged: remove it, and the next start makes a new PIN.") from error


def _write(file: Path, keys: Keys) -> None:
    data = json.dumps({"secret": keys.secret.hex(), "pin": keys.pin_hash}).encode()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".part")
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # never readable for others
        with os.fdopen(handle, "wb") as opened:
            opened.write(data)
        draft.replace(file)
    except OSError as error:
        raise KeysError(f"{file} cannot be written: {cause(error)}.") from error
