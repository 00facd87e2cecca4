"""What was handed in as a table or a rack: a text in the notation, or a photo that is looked at.

Every input that cannot be used is an ``InputError`` of one sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.cards import face_code
from referee.notation import (
    HIDDEN,
    LocatedNotationError,
    NotedTable,
    Place,
    Places,
    format_set,
    parse_rack,
    parse_table,
)
from referee.observation import Observation
from referee.ruleset import RuleSet
from referee.ruling import JudgedSet, TableRuling, Verdict, judge_table
from referee.set_ruling import JokerMeaning
from referee.sets import judge_set
from referee.switches import Faces
from referee.tiles import Joker, Tile
from web.examine import Examined, examine
from web.messages import NOTE_MESSAGES
from web.noting import noted_from, rack_from, seen_from, sure_tiles, without_pool
from web.output import print_trouble
from web.wiring import Eyes, Wiring

LONGEST_QUOTE = 60
"""A sentence quotes no more characters than this of a text that is at fault."""


class InputError(ValueError):
    """An input cannot be used; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class GivenTable:
    """A table as text, as it was seen, and the ruling on it by itself.

    ``tile_at`` holds for each place of ``noted`` in reading order the index of its tile in the observation, None for
    a covered tile.  ``path`` is the photo, None for a text.
    """

    noted: NotedTable
    observation: Observation
    ruling: TableRuling
    tile_at: tuple[int | None, ...]
    path: Path | None = None
    models: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> Places:
        """All places in reading order."""
        return tuple(place for places in self.noted for place in places)

    @property
    def certain(self) -> bool:
        """Whether every tile was surely read."""
        return all(len(place.readings) == 1 for place in self.places)

    @property
    def tiles(self) -> tuple[tuple[Tile, ...], ...]:
        """The sets of a table that is ``certain``."""
        return tuple(tuple(sure_tiles(places)) for places in self.noted)


@dataclass(frozen=True, slots=True)
class GivenRack:
    """A rack, and the photo that shows it (None for a text)."""

    places: Places
    path: Path | None = None
    models: Mapping[str, str] = field(default_factory=dict)

    @property
    def certain(self) -> bool:
        """Whether every tile was surely read."""
        return all(len(place.readings) == 1 for place in self.places)

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tiles that were surely read."""
        return tuple(sure_tiles(self.places))


def over_held(places: Iterable[Place], ruleset: RuleSet) -> dict[Tile, int]:
    """The tiles of which more were surely read than the box holds, with how many."""
    seen = Counter(sure_tiles(places))
    return {tile: count for tile, count in seen.items() if count > ruleset.held(tile)}


class Inputs:
    """Reads what one command was given; the networks are loaded with the first photo.

    The methods raise ``InputError``, and ``EyesError`` when the networks cannot be loaded.
    """

    def __init__(self, wiring: Wiring, ruleset: RuleSet) -> None:
        self._wiring = wiring
        self._ruleset = ruleset
        self._eyes: Eyes | None = None
        self._said: set[str] = set()

    def table(self, option: str, given: str) -> GivenTable:
        """The table that ``option`` was given."""
        if not names_photo(given):
            return self._written(option, given)
        examined = self._examined(given)
        noted, tile_at = noted_from(examined.observation, examined.ruling)
        return GivenTable(noted, examined.observation, examined.ruling, tile_at, examined.path, examined.models)

    def empty_table(self) -> GivenTable:
        """A table on which nothing lies yet."""
        return self._written("", "")

    def rack(self, option: str, given: str) -> GivenRack:
        """The rack that ``option`` was given."""
        if names_photo(given):
            examined = self._examined(given)
            return GivenRack(rack_from(examined.observation), examined.path, examined.models)
        try:
            places = parse_rack(given, self._ruleset.faces)
        except LocatedNotationError as error:
            raise InputError(_located(option, error) + _other_faces(given, self._ruleset)) from error
        if any(not place.readings for place in places):
            raise InputError(f"{option}: a rack that is told has no unknown tile, so '{HIDDEN}' cannot stand there.")
        self.check_box({option: [places]})
        return GivenRack(tuple(replace(place, meaning=None) for place in places))

    def check_box(self, parts: Mapping[str, Iterable[Sequence[Place]]]) -> None:
        """Refuse texts that together hold a tile more often than the box does."""
        places = [place for sets in parts.values() for one in sets for place in one]
        # not even a doubtful tile can be one that the box does not hold
        foreign = {tile: 1 for place in places for tile in place.readings if not self._ruleset.held(tile)}
        for tile, count in {**foreign, **over_held(places, self._ruleset)}.items():
            code, held = face_code(tile, self._ruleset.faces), self._ruleset.held(tile)
            box = f"the box of {self._ruleset.name} holds {held or 'none'}"
            raise InputError(f"{' and '.join(parts)}: {code} stands there {times(count)}, and {box}.")

    def _written(self, option: str, text: str) -> GivenTable:
        try:
            noted = parse_table(text, self._ruleset.faces)
        except LocatedNotationError as error:
            raise InputError(_located(option, error) + _other_faces(text, self._ruleset)) from error
        _check_meanings(option, noted, self._ruleset)
        self.check_box({option: noted})
        observation = seen_from(noted)
        sets, tile_at = without_pool(noted)
        ruling = _as_written(judge_table(observation, self._ruleset), sets, self._ruleset)
        return GivenTable(sets, observation, ruling, tile_at)

    def _examined(self, name: str) -> Examined:
        from vision.intake import PhotoError  # noqa: PLC0415  numpy and Pillow: only when a photo is read

        if self._eyes is None:
            self._eyes = self._wiring.load_eyes()
        try:
            examined = examine(Path(name), self._eyes, self._ruleset)
        except PhotoError as error:
            raise InputError(str(error)) from error
        for note in examined.observation.notes:
            if note in NOTE_MESSAGES and note not in self._said:
                self._said.add(note)
                print_trouble(NOTE_MESSAGES[note])
        return examined


def names_photo(given: str) -> bool:
    """Whether a word means a photo: there is such a file, or it ends like the name of a picture."""
    if not given.strip():
        return False
    try:
        if Path(given).exists():
            return True
    except (OSError, ValueError):  # longer than any name, or a null byte: no file can be called so
        return False
    if "." not in given:  # no text in the notation holds a dot
        return False
    from vision.intake import PHOTO_SUFFIXES  # noqa: PLC0415  numpy and Pillow

    return Path(given).suffix.lower() in PHOTO_SUFFIXES


def written(places: Sequence[Place], ruleset: RuleSet) -> str:
    """A set or rack in the notation of the rules' box."""
    return format_set(places, faces=ruleset.faces)


def _other_faces(text: str, ruleset: RuleSet) -> str:
    """A hint where the text speaks of cards and the rules of tiles, or the other way round; else nothing."""
    other = next(faces for faces in Faces if faces is not ruleset.faces)
    try:
        parse_table(text, other)
    except LocatedNotationError:
        return ""
    return f' That is the notation of {other.value}, which rules with faces = "{other.value}" speak.'


def _located(option: str, error: LocatedNotationError) -> str:
    """What is wrong in a text and where, without quoting a text of thousands of tiles."""
    whole = f" (character {error.position + 1} of {error.text!r})"
    problem = str(error).removesuffix(whole)
    if len(error.text) <= LONGEST_QUOTE:
        return f"{option}: {problem}{whole}."
    if len(problem) > 4 * LONGEST_QUOTE:  # one endless word
        problem = f"{problem[:LONGEST_QUOTE]}… cannot be read"
    return f"{option}: {problem} (character {error.position + 1})."


def _check_meanings(option: str, noted: NotedTable, ruleset: RuleSet) -> None:
    """Refuse a meaning written for a special joker: it stands for more than one tile, or for none."""
    for place in (place for places in noted for place in places if place.meaning is not None):
        if place.readings[0].joker is not Joker.REGULAR:
            word = written([place], ruleset)
            raise InputError(f"{option}: {word} says too little: what a special joker means follows from its place.")


def times(count: int) -> str:
    """``once``, ``twice``, ``3 times``."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _as_written(ruling: TableRuling, noted: NotedTable, ruleset: RuleSet) -> TableRuling:
    """The ruling where jokers mean what was written: such a set is legal only with these meanings."""
    sets = []
    written_sets = (places for places in noted if len(places) > 1)
    for judged, places in zip(ruling.sets, written_sets, strict=True):
        meant = any(place.meaning is not None for place in places)
        sure = all(len(place.readings) == 1 for place in places)
        sets.append(_as_meant(judged, places, ruleset) if meant and sure and judged.legal else judged)
    if tuple(sets) == ruling.sets:
        return ruling
    illegal = any(judged.legal is False for judged in sets)
    return replace(ruling, sets=tuple(sets), verdict=Verdict.ILLEGAL if illegal else ruling.verdict)


def _as_meant(judged: JudgedSet, places: Places, ruleset: RuleSet) -> JudgedSet:
    meant = judge_set([place.meaning or place.readings[0] for place in places], ruleset)
    stands_for = {judged.tiles[at]: place.meaning for at, place in enumerate(places) if place.meaning is not None}
    known = {meaning.place: meaning for meaning in judged.meanings}
    meanings = tuple(
        JokerMeaning(at, stands_for[at], (stands_for[at],)) if at in stands_for else known[at]
        for at in judged.tiles
        if at in stands_for or at in known
    )
    findings = tuple(replace(one, tiles=tuple(judged.tiles[i] for i in one.tiles)) for one in meant.findings)
    return replace(judged, legal=meant.legal, value=meant.value, kind=meant.kind, meanings=meanings, findings=findings)
