"""A taught box survives its file unchanged; whatever else is given for one is refused in one sentence."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from referee.tiles import Joker, parse_tile
from vision.colour import ANY_BOX
from vision.taught.box import BoxHead, Faces, TaughtBox, strip_of
from vision.taught.box_file import LARGEST_FILE, BoxFileError, from_bytes, to_bytes
from vision.taught.examples import Example
from vision.taught.lens import WHOLE_FACE, Lens
from vision.taught.others import tiles_of_others

CODES = ("R1", "B13", "K6", "O9", "J", "JM")


def some_box(**changes: Any) -> TaughtBox:
    rng = np.random.default_rng(4)
    crops = tiles_of_others(len(CODES), rng)
    examples = tuple(Example(parse_tile(code), crop) for code, crop in zip(CODES, crops, strict=True))
    head = BoxHead(
        lens=Lens(0.24, 1.8, 1.25, -0.15),
        kinds=(Joker.REGULAR, Joker.MIRROR),
        numbers=rng.normal(size=(385, 17)),
        colours=rng.normal(size=(385, 4)),
        jokers=rng.normal(size=(193, 3)),
        number_temperature=1.2,
        colour_temperature=1.0,
        joker_temperature=2.5,
        mistaken_numbers=rng.uniform(0.01, 1, (17, 17)),
        mistaken_colours=rng.uniform(0.01, 1, (4, 4)),
        inks=ANY_BOX,
    )
    box = TaughtBox("club-box", tuple(e.tile for e in examples), strip_of(examples), reader="ab" * 32, head=head)
    return replace(box, **changes)


BOX = some_box()
DATA = to_bytes(BOX)


def rewritten(change: Callable[[dict[str, bytes]], None]) -> bytes:
    """The file with its members changed."""
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def described(**changes: Any) -> bytes:
    """The file with its description changed."""

    def change(members: dict[str, bytes]) -> None:
        members["box.json"] = json.dumps({**json.loads(members["box.json"]), **changes}).encode()

    return rewritten(change)


def head_changed(**changes: Any) -> bytes:
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        head = json.loads(archive.read("box.json"))["head"]
    return described(head={**head, **changes})


def with_member(name: str, data: bytes) -> bytes:
    return rewritten(lambda members: members.__setitem__(name, data))


def test_a_box_comes_back_as_it_was() -> None:
    read = from_bytes(DATA)
    assert (read.name, read.tiles, read.strip, read.faces, read.reader) == (
        BOX.name, BOX.tiles, BOX.strip, Faces.TILES, BOX.reader,
    )  # fmt: skip
    assert read.fingerprint == BOX.fingerprint
    assert read.head is not None
    assert BOX.head is not None
    assert (read.head.lens, read.head.kinds) == (BOX.head.lens, BOX.head.kinds)
    for name in ("numbers", "colours", "jokers", "mistaken_numbers", "mistaken_colours"):
        np.testing.assert_allclose(getattr(read.head, name), getattr(BOX.head, name), rtol=1e-6)
    np.testing.assert_allclose(read.head.inks.spread, ANY_BOX.spread, rtol=1e-6)
    assert read.head.joker_temperature == 2.5
    assert to_bytes(read) == DATA
    for before, after in zip(BOX.examples, read.examples, strict=True):
        np.testing.assert_array_equal(before.crop, after.crop)


def test_a_box_of_cards_or_without_a_head_comes_back_too() -> None:
    read = from_bytes(to_bytes(some_box(head=None, reader="", faces=Faces.CARDS)))
    assert (read.head, read.reader, read.faces) == (None, "", Faces.CARDS)


def test_a_box_of_the_format_before_is_learned_anew() -> None:
    read = from_bytes(described(format=1))
    assert (read.head, read.fingerprint) == (None, BOX.fingerprint)


def test_the_whole_face_needs_no_second_look() -> None:
    assert BOX.head is not None
    head = replace(BOX.head, lens=WHOLE_FACE, numbers=BOX.head.numbers[192:], colours=BOX.head.colours[192:])
    read = from_bytes(to_bytes(replace(BOX, head=head))).head
    assert read is not None
    np.testing.assert_allclose(read.numbers, head.numbers, rtol=1e-6)
    with pytest.raises(BoxFileError, match="damaged"):
        from_bytes(to_bytes(replace(BOX, head=replace(BOX.head, lens=WHOLE_FACE))))


def test_the_fingerprint_is_of_the_examples_alone() -> None:
    assert some_box(name="other", head=None).fingerprint == BOX.fingerprint
    assert some_box(tiles=BOX.tiles[::-1]).fingerprint != BOX.fingerprint


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_truncated_file_is_refused(share: float) -> None:
    with pytest.raises(BoxFileError, match=r"^It is no taught box, or not a whole one: it cannot be unpacked\.$"):
        from_bytes(DATA[: int(share * len(DATA))])


def test_flipped_bytes_are_noticed_or_harmless() -> None:
    rng = np.random.default_rng(7)
    for place in rng.integers(0, len(DATA), 60):
        spoilt = bytearray(DATA)
        spoilt[place] ^= int(rng.integers(1, 256))
        try:
            assert from_bytes(bytes(spoilt)).fingerprint == BOX.fingerprint
        except BoxFileError as error:
            assert str(error).count(".") == 1  # noqa: PT017  one sentence


@pytest.mark.parametrize("data", [b"", b"R1 R2 R3", b"\xff\xd8\xff\xe0 a photo", b"PK\x03\x04" + b"\0" * 60])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(BoxFileError, match=r"cannot be unpacked\.$"):
        from_bytes(data)


def test_other_archives_are_refused() -> None:
    with pytest.raises(BoxFileError, match="holds other files"):
        from_bytes(with_member("../evil.py", b"import os"))
    with pytest.raises(BoxFileError, match="holds other files"):
        from_bytes(rewritten(lambda members: members.__delitem__("head.bin")))


def test_another_format_is_named() -> None:
    with pytest.raises(BoxFileError, match=r"^It is a taught box of format 7, .* reads formats 1 and 2 alone\.$"):
        from_bytes(described(format=7))
    with pytest.raises(BoxFileError, match="names no format"):
        from_bytes(described(format="new"))
    with pytest.raises(BoxFileError, match="names no format"):
        from_bytes(with_member("box.json", b"[1, 2]"))
    with pytest.raises(BoxFileError, match="cannot be read"):
        from_bytes(with_member("box.json", b'{"format": 1'))


def test_a_file_that_unpacks_to_too_much_is_refused() -> None:
    for name in ("head.bin", "box.json", "examples.jpg"):
        bomb = with_member(name, b"\0" * (LARGEST_FILE + 1))
        assert len(bomb) < LARGEST_FILE
        with pytest.raises(BoxFileError, match="too large"):
            from_bytes(bomb)
    with pytest.raises(BoxFileError, match="too large"):
        from_bytes(DATA + b"\0" * LARGEST_FILE)


def test_a_picture_that_unpacks_to_too_much_is_refused() -> None:
    """The JPEG's header promises 65 500 pixels each way."""
    header = bytearray(BOX.strip)
    at = header.index(b"\xff\xc0") + 5
    header[at : at + 4] = b"\xff\xdc\xff\xdc"
    with pytest.raises(BoxFileError, match="damaged"):
        from_bytes(with_member("examples.jpg", bytes(header)))


@pytest.mark.parametrize(
    "data",
    [
        described(tiles=["R1", "R77"]),
        described(tiles="R1"),
        described(tiles=[str(tile) for tile in BOX.tiles] * 20),
        described(name=""),
        described(name=7),
        described(faces="dominoes"),
        described(reader=None),
        head_changed(kinds=["J", "J"]),
        head_changed(kinds=["J"]),
        head_changed(lens=[0.3, 0.0, 1.0, 0.0]),
        head_changed(lens=[0.3, float("nan"), 1.0, 0.0]),
        head_changed(temperatures=[0, 1, 1]),
        head_changed(temperatures=[1, 1]),
        with_member("head.bin", b"\0" * 12),
        with_member("head.bin", b"\0" * 7),
        with_member("examples.jpg", b"no picture"),
        with_member("examples.jpg", strip_of(BOX.examples * 10)),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_are_refused(data: bytes) -> None:
    with pytest.raises(BoxFileError, match=r"^It is a taught box, but damaged: its parts do not fit together\.$"):
        from_bytes(data)


def test_numbers_that_are_none_are_refused() -> None:
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        numbers = np.frombuffer(archive.read("head.bin"), "<f4").copy()
    numbers[5] = np.nan
    with pytest.raises(BoxFileError, match="damaged"):
        from_bytes(with_member("head.bin", numbers.tobytes()))
