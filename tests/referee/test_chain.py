"""Records chained by hashes: what is changed shows, whatever it is."""

from __future__ import annotations

import hashlib
import json
import re
from math import isfinite
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.chain import BEGINNING, ChainError, Link, canonical, follows, link_of, opened, sealed

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text() | st.floats().filter(isfinite),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
FEW = settings(max_examples=50, deadline=None)
FIELDS = st.dictionaries(st.text(max_size=6).filter(lambda key: key not in {"hash", "number", "previous"}), VALUES)


@FEW
@given(FIELDS)
def test_a_record_is_read_as_it_was_written(fields: dict[str, Any]) -> None:
    data, link = sealed(fields, Link())
    record = opened(data)
    assert {key: record[key] for key in fields} == fields
    assert follows(record, Link())
    assert link_of(record) == link == Link(1, record["hash"])


@FEW
@given(FIELDS, st.data())
def test_one_byte_that_is_another_shows(fields: dict[str, Any], draw: st.DataObject) -> None:
    data, _ = sealed(fields, Link())
    at = draw.draw(st.integers(0, len(data) - 1))
    byte = draw.draw(st.integers(0, 255).filter(lambda value: value != data[at]))
    with pytest.raises(ChainError):
        opened(data[:at] + bytes([byte]) + data[at + 1 :])


@FEW
@given(FIELDS, st.data())
def test_a_byte_too_many_or_too_few_shows(fields: dict[str, Any], draw: st.DataObject) -> None:
    data, _ = sealed(fields, Link())
    at = draw.draw(st.integers(0, len(data) - 1))
    for changed in (data[:at] + data[at + 1 :], data[:at] + b" " + data[at:], data[:at], data + b"\n"):
        if changed != data:
            with pytest.raises(ChainError):
                opened(changed)


def test_the_next_record_follows_and_no_other() -> None:
    one, first = sealed({"turn": 1}, Link())
    two, second = sealed({"turn": 2}, first)
    other, _ = sealed({"turn": 9}, Link())
    assert follows(opened(two), first)
    assert not follows(opened(two), Link())
    assert not follows(opened(one), second)
    assert not follows(opened(other), first)


def test_the_hash_can_be_made_without_this_program() -> None:
    """As the README of an exported file tells it."""
    data, link = sealed({"game": "Friday", "turn": 1, "a": [1.5, None]}, Link())
    text = data.decode()
    without = re.sub(r'"hash":"[0-9a-f]{64}",', "", text)
    assert json.loads(text)["previous"] == BEGINNING
    assert hashlib.sha256((BEGINNING + without).encode()).hexdigest() == link.hash


@pytest.mark.parametrize(
    "data",
    [
        b"", b"null", b"[]", b"{}", b'{"hash":"","number":1}', b"\xff", b"[" * 100_000, b"9" * 10_000,
        b'{"hash":"","number":true,"previous":""}', b'{"hash":1,"number":1,"previous":""}',
        b'{"a":NaN,"hash":"","number":1,"previous":""}', b'{"a":1e999,"hash":"","number":1,"previous":""}',
    ],
)  # fmt: skip
def test_what_is_no_record_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(ChainError):
        opened(data)


def test_the_same_record_has_one_text() -> None:
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == b'{"a":"\\u00e9","b":1}'
    with pytest.raises(ValueError, match="JSON"):
        canonical({"a": float("nan")})
