"""Records that are chained by hashes, so that one which was changed, left out, moved or put in shows.

A record is plain values.  Its file is its canonical text: keys in order, no blanks, ASCII.  ``hash`` is the SHA-256 of
the hash before it and of that text without ``hash``; files belong to a record by their own SHA-256, which it holds.
Nobody can tell from a chain alone that its last records were left out or written anew: whoever noted the last hash can.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]
BEGINNING = "0" * 64
"""What stands before the first record."""


class ChainError(ValueError):
    """A record that is not as it was written; one sentence's end."""


@dataclass(frozen=True, slots=True)
class Link:
    """Where a chain ends: the number of its last record (0: it has none) and that record's hash."""

    number: int = 0
    hash: str = BEGINNING


def canonical(record: Mapping[str, Any]) -> bytes:
    """The one text of a record.  Raises ``ValueError`` for what JSON has no word for."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def sealed(fields: Mapping[str, Any], last: Link) -> tuple[bytes, Link]:
    """The file of the record that follows ``last``, and where the chain ends with it."""
    record = {**fields, "number": last.number + 1, "previous": last.hash}
    link = Link(last.number + 1, _hash(record))
    return canonical({**record, "hash": link.hash}), link


def opened(data: bytes) -> Record:
    """A record from its file.  Raises ``ChainError`` where one byte of it is not what was written."""
    try:
        record = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError):
        raise ChainError("it is no record") from None
    if not isinstance(record, dict) or not isinstance(record.get("previous"), str):
        raise ChainError("it is no record")
    if type(record.get("number")) is not int or not isinstance(record.get("hash"), str):
        raise ChainError("it is no record")
    try:
        as_written = canonical(record)
        wanted = _hash({key: value for key, value in record.items() if key != "hash"})
    except (ValueError, RecursionError):  # not a number, brackets without end
        raise ChainError("it is no record") from None
    if record["hash"] != wanted:
        raise ChainError("its hash is another")
    if data != as_written:
        raise ChainError("it is not written as records are")
    return record


def link_of(record: Record) -> Link:
    """Where a chain ends that ends with this record."""
    return Link(record["number"], record["hash"])


def follows(record: Record, last: Link) -> bool:
    """Whether a record is the next one after ``last``."""
    return bool(record["number"] == last.number + 1 and record["previous"] == last.hash)


def _hash(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(str(record["previous"]).encode() + canonical(record)).hexdigest()
