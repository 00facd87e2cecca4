"""A reading of the table beside the last accepted one: what lies where it lay, what moved, what is new, what to ask.

The eyes report what they see; the table that was accepted last says what lay there.  Three things are known without a
rule of the game: a tile that was not moved is the tile that it was, tiles do not leave the table, and a box holds so
many copies of each.  Each is a probability and is weighed with those of the readings by Bayes' rule:

* an unmoved tile in doubt keeps the accepted reading where that is, all told, as sure as a sure reading
  (``STILL_THERE_P``).  A sure reading that differs is a question and never an event;
* a doubtful tile whose first reading is one that left its place, and that nobody else can be, is that tile
  (``STAYS_ON_TABLE_P``);
* readings count by how many of their copies are still out of sight (``LEAST_ERROR_P``).

The last two only confirm what the pixels say first.  What stays in doubt is asked, and an answer is final.  An answer
that names another tile than the one accepted there says that this was misread, or that the tiles were exchanged since:
``_Work._was_misread`` tells which.  Whether a set would be legal ranks the choices of a question and settles nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import prod

from referee.notation import NotedTable
from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Quad, Reading, Scene, SeenTile
from referee.places import apart_in_heights, boxes_meet, nearest_place, paired_places, with_tile
from referee.ruleset import RuleSet, box_faces
from referee.sets import judge_set
from referee.table import first_reading, plausible
from referee.tiles import Tile

STILL_THERE_P = 0.998
"""At a place where a tile was accepted and a tile lies, it is the same one with this probability.

A bound, no measurement: a joker exchanged in its place leads to another tile there about once in ten turns, among some
forty tiles that stay; exchanged tiles come to lie within ``SAME_PLACE`` in fewer than every fifth case."""
STILL_THERE_THOUGH_SEEN_ELSEWHERE_P = 0.9
"""The same where a further copy of the accepted tile has just come to the table: it may be this one, moved."""
STAYS_ON_TABLE_P = 0.998
"""A tile that left its place is somewhere on the table, and was found, with this probability: the detector misses
fewer than one in five hundred tiles that lie free, and nobody may take one away."""
SURE_P = 0.965
"""A reading is sure from this probability on; the eyes' own measure (``doubtful_below`` in models/manifest.toml)."""
LEAST_ERROR_P = 0.01
"""A tile that was read as sure is still another one with at least this probability, when copies are counted."""
SUSPECT_P = 0.002
"""A reading of a sure tile from this probability on is no chance: the eyes list none below."""
LEGAL_FACTOR = 4.0
"""A choice that would make the row legal ranks as if it were so many times as likely."""
MOST_MISSING = 1 / 3
"""With more of the accepted tiles unaccounted for, this is another table, or the camera sees another part of it."""


class QuestionCode(StrEnum):
    """Why a human is asked about a tile."""

    DOUBTFUL = "doubtful"
    """The eyes are not sure what it shows."""
    READS_OTHERWISE = "reads_otherwise"
    """It lies where a tile was accepted and reads as another, and the accepted one is nowhere else."""
    TOO_MANY_COPIES = "too_many_copies"
    """With it, more copies are on the table than the box holds."""
    NOT_SEEN = "not_seen"
    """A tile lay here, nothing is over the place, and it is nowhere on the table."""
    FACE_DOWN = "face_down"
    """It lies where a tile was accepted, and reads as face-down."""
    HIDDEN = "hidden"
    """It seems to lie in a set, or at its end, and shows no face: it may be none."""


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile of an accepted table; ``tile`` is None for a face-down one.

    ``read_as`` is what the eyes read first when it was accepted, where a human or the rules above said otherwise.
    ``unseen``: the eyes saw no face of it, and a human said what it is.
    """

    quad: Quad
    tile: Tile | None
    read_as: Tile | None = None
    unseen: bool = False


@dataclass(frozen=True, slots=True)
class AcceptedTable:
    """The table as it was last accepted, as it lay and as it is written."""

    tiles: tuple[PlacedTile, ...] = ()
    noted: NotedTable = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask: about the tile ``index`` of ``Reconciled.observation`` (None: nothing was found there).

    ``choices`` are the likeliest first, and never all that may be answered; ``read_as`` is what the eyes say first.
    """

    index: int | None
    quad: Quad
    choices: tuple[Tile, ...]
    why: QuestionCode
    read_as: Tile | None = None


@dataclass(frozen=True, slots=True)
class HumanAnswer:
    """What a human says lies at a place: a tile, a face-down tile (None), or ``gone``: no tile.

    ``read_as`` is what the eyes read there when the question was asked; where they surely read something else now,
    another tile lies there and the answer is spent.
    """

    quad: Quad
    tile: Tile | None
    gone: bool = False
    read_as: Tile | None = None


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The reading as far as it is settled.

    ``unmoved``, ``moved`` (from another place of the accepted table) and ``new`` hold the index of each face of the
    observation once.  ``missing`` are indices into ``AcceptedTable.tiles`` of tiles found nowhere.  ``corrections``:
    accepted tiles (their index) that a human has since said to be another tile: the accepted table was wrong.
    ``another_table``: too much of the accepted table is gone to ask about single tiles.  ``read_as`` (one per tile) is
    what the eyes said first.
    """

    observation: Observation
    questions: tuple[Question, ...] = ()
    unmoved: tuple[int, ...] = ()
    moved: tuple[int, ...] = ()
    new: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    corrections: tuple[tuple[int, Tile], ...] = ()
    another_table: bool = False
    read_as: tuple[Tile | None, ...] = ()


def answer_to(question: Question, tile: Tile | None, gone: bool = False) -> HumanAnswer:
    """What a human answers to a question: the tile, None for face-down, or ``gone`` where none lies there."""
    return HumanAnswer(question.quad, tile, gone, question.read_as)


def accept(reconciled: Reconciled, noted: NotedTable) -> AcceptedTable:
    """The table as it will be compared with next time; a tile that is still in doubt will be new then."""
    tiles = tuple(
        PlacedTile(seen.quad, first_reading(seen), None if read_as == first_reading(seen) else read_as, read_as is None)
        for seen, read_as in zip(reconciled.observation.tiles, reconciled.read_as, strict=True)
        if seen.kind is Kind.FACE and not seen.doubtful
    )
    return AcceptedTable(tiles, noted)


def reconcile(
    observation: Observation,
    last: AcceptedTable | None,
    answers: Sequence[HumanAnswer],
    ruleset: RuleSet,
    sure_from: float = SURE_P,
) -> Reconciled:
    """Settle a reading by the last accepted table, the census of the box and what humans answered.

    Quads of both speak of the same picture; where the camera moved, register first.  A picture of something else than
    a table is given back as it is.  The order of tiles, accepted tiles and faces never matters; a second time no tile
    changes.
    """
    if {UNLIKE_TILES, DRAWN} & set(observation.notes) or observation.scene is Scene.RACK:
        faces = tuple(i for i, seen in enumerate(observation.tiles) if seen.kind is Kind.FACE)
        return Reconciled(observation, new=faces, read_as=_first_readings(observation))
    last = last or AcceptedTable()
    once = _once(observation, last, answers, ruleset, sure_from, observation.tiles)
    read_as = once.read_as
    while True:  # what one tile was found to be may settle another; every time round fewer are left in doubt
        again = _once(once.observation, last, answers, ruleset, sure_from, observation.tiles)
        if again.observation == once.observation:
            return replace(again, read_as=read_as)
        once = again


def _once(
    observation: Observation,
    last: AcceptedTable,
    answers: Sequence[HumanAnswer],
    ruleset: RuleSet,
    sure_from: float,
    looked_at: tuple[SeenTile, ...],
) -> Reconciled:
    work = _Work(observation, last, ruleset, sure_from, looked_at)
    work.answered_by(answers)
    work.keep_what_lies_where_it_lay()
    work.follow_what_moved()
    work.count_copies()
    return work.result()


@dataclass
class _Work:
    """A reading while it is settled; ``tiles`` are those of the picture, each replaced as it is settled."""

    observation: Observation
    last: AcceptedTable
    ruleset: RuleSet
    sure_from: float
    looked_at: tuple[SeenTile, ...]
    """The tiles as the eyes gave them, before anything was settled."""
    read_as: tuple[Tile | None, ...] = field(init=False)
    tiles: list[SeenTile] = field(init=False)
    lay_there: dict[int, int] = field(init=False)
    """Index of each tile that lies where an accepted one lay → index of that."""
    answered: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    """Accepted tiles that a human said are no longer there."""
    corrections: dict[int, Tile] = field(default_factory=dict)
    unmoved: set[int] = field(default_factory=set)
    moved_from: dict[int, int] = field(default_factory=dict)
    """Index of each tile that came from another place → index of the accepted tile."""
    missing: set[int] = field(default_factory=set)
    why: dict[int, QuestionCode] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.read_as = _first_readings(self.observation)
        self.tiles = list(self.observation.tiles)
        self.lay_there = paired_places([seen.quad for seen in self.tiles], [placed.quad for placed in self.last.tiles])

    # --- what a human said ----------------------------------------------------------------------------------------

    def answered_by(self, answers: Sequence[HumanAnswer]) -> None:
        for answer in answers:
            place = nearest_place(answer.quad, [placed.quad for placed in self.last.tiles])
            index = nearest_place(answer.quad, [seen.quad for seen in self.tiles])
            if answer.gone:
                if place is not None and (index is None or self._is_another(index, place)):
                    self.gone.add(place)
            elif index is None:
                if place is not None and answer.tile is not None:
                    self._put_back(place, answer)
            elif not self._spent(index, answer):
                self._answer(index, answer)
        for index in self.answered & set(self.lay_there):
            place, tile = self.lay_there[index], self._face(index)
            accepted = self.last.tiles[place].tile
            if tile is not None and accepted not in {None, tile} and self._was_misread(index, place):
                self.corrections[place] = tile

    def _is_another(self, index: int, place: int) -> bool:
        """Whether another tile than the accepted one surely lies there."""
        return not self.tiles[index].doubtful and self._face(index) not in {None, self.last.tiles[place].tile}

    def _face(self, index: int) -> Tile | None:
        """The first reading of a tile that lies face up."""
        seen = self.tiles[index]
        return None if seen.kind is Kind.BACK else first_reading(seen)

    def _was_misread(self, index: int, place: int) -> bool:
        """Whether the tile that a human named lay there all the time, and was accepted as another one.

        Else it came to lie where the other one had lain, and that one left: where a further copy of that has come to
        the table, where a copy of this one has left another place, and where nobody takes one face for the other and
        the eyes were and are sure, as of a tile that replaces a joker: if that went to a rack, the ruling says so.
        """
        placed, now = self.last.tiles[place], self._face(index)
        was = placed.tile
        others = Counter(self._face(i) for i in range(len(self.tiles)) if i != index)
        before = Counter(one.tile for k, one in enumerate(self.last.tiles) if k != place)
        if others[was] > before[was] or (others[now] < before[now] and self._has_left(now, place)):
            return False
        seen = self.looked_at[index] if index < len(self.looked_at) else None
        if seen is None or seen.kind is Kind.BACK or seen.doubtful or placed.unseen or now == placed.read_as:
            return True  # the eyes tell nothing today, or told nothing then
        return was is None or now in _alike(was, self.ruleset) or _p_of(seen, was) >= SUSPECT_P

    def _has_left(self, tile: Tile | None, place: int) -> bool:
        """Whether a copy of a tile surely lies no more where it lay, at another place than this one."""
        left = self.gone | {k for i, k in self.lay_there.items() if self._is_another(i, k)}
        return any(self.last.tiles[k].tile == tile for k in left - {place})

    def _spent(self, index: int, answer: HumanAnswer) -> bool:
        """Whether another tile than the one asked about surely lies there now."""
        now, seen = self.read_as[index], self.observation.tiles[index]
        return not seen.doubtful and answer.read_as is not None and now not in {answer.read_as, answer.tile}

    def _answer(self, index: int, answer: HumanAnswer) -> None:
        seen = self.tiles[index]
        self.answered.add(index)
        if answer.tile is None:
            self.tiles[index] = replace(seen, kind=Kind.BACK, readings=(), confidence=1.0, doubtful=False,
                                        joker_open=False)  # fmt: skip
            return
        self.tiles[index] = _settled(seen, answer.tile, 1.0)

    def _put_back(self, place: int, answer: HumanAnswer) -> None:
        """A tile that the eyes miss lies where it lay."""
        assert answer.tile is not None  # noqa: S101  the caller asked
        quad = self.last.tiles[place].quad
        back = SeenTile(quad, Kind.FACE, (Reading(answer.tile, 1.0),), 1.0, doubtful=False)
        self.observation = with_tile(replace(self.observation, tiles=tuple(self.tiles)), back)
        self.tiles = list(self.observation.tiles)
        self.read_as = (*self.read_as, None)
        index = len(self.tiles) - 1
        self.lay_there[index] = place
        self.answered.add(index)

    # --- what lies where it lay -----------------------------------------------------------------------------------

    def keep_what_lies_where_it_lay(self) -> None:
        for index, place in self.lay_there.items():
            seen, accepted = self.tiles[index], self.last.tiles[place].tile
            if index in self.answered:
                if seen.kind is Kind.BACK or first_reading(seen) in {accepted, self.corrections.get(place)}:
                    self.unmoved.add(index)
            elif accepted is None:
                if seen.kind is Kind.BACK:
                    self.unmoved.add(index)
            elif seen.kind is Kind.BACK:
                self.why[index] = QuestionCode.FACE_DOWN
                self.unmoved.add(index)
            elif self._same_look(index, place):
                self.unmoved.add(index)
                if seen.doubtful or self.read_as[index] != accepted:
                    self.tiles[index] = _settled(seen, accepted, max(self.sure_from, _p_of(seen, accepted)))
        self._keep_doubtful()

    def _same_look(self, index: int, place: int) -> bool:
        """Whether the eyes say what they said when the tile was accepted."""
        seen, placed = self.tiles[index], self.last.tiles[place]
        if placed.tile is None:
            return False
        if seen.joker_open:
            return placed.tile.is_joker
        if placed.read_as is not None:
            return self.read_as[index] == placed.read_as or (not seen.doubtful and self.read_as[index] == placed.tile)
        return not seen.doubtful and self.read_as[index] == placed.tile

    def _keep_doubtful(self) -> None:
        """Tiles in doubt keep what was accepted, as far as that is sure all told."""
        open_places = {
            index: place
            for index, place in self.lay_there.items()
            if index not in self.unmoved | self.answered and self.last.tiles[place].tile is not None
        }
        come = Counter(
            self.read_as[i]
            for i, seen in enumerate(self.tiles)
            if seen.kind is Kind.FACE and not seen.doubtful and i not in self.unmoved
        )
        left = Counter(
            placed.tile
            for place, placed in enumerate(self.last.tiles)
            if place not in {self.lay_there[i] for i in self.unmoved} | set(open_places.values()) | self.gone
        )
        kept: dict[int, tuple[Tile, float]] = {}
        for index, place in open_places.items():
            accepted = self.last.tiles[place].tile
            if accepted is None:
                continue
            prior = STILL_THERE_THOUGH_SEEN_ELSEWHERE_P if come[accepted] > left[accepted] else STILL_THERE_P
            p = _believed(self.tiles[index], accepted, prior)
            if p >= self.sure_from:
                kept[index] = accepted, p
        for index, (accepted, p) in kept.items():
            self.unmoved.add(index)
            self.tiles[index] = _settled(self.tiles[index], accepted, p)

    # --- what moved, what is new, what is missing -----------------------------------------------------------------

    def follow_what_moved(self) -> None:
        left = self._left_places()
        fresh = [i for i, seen in enumerate(self.tiles) if seen.kind is Kind.FACE and i not in self.unmoved]
        paired = _followed({place: self.last.tiles[place] for place in left}, {i: self.tiles[i] for i in fresh})
        self.moved_from = {index: place for place, index in paired.items()}
        lain_on = {place: index for index, place in self.lay_there.items() if index not in self.unmoved}
        for place in left:
            index = lain_on.get(place)
            if place not in paired:
                self._unaccounted(place, index)
            elif index is not None and self._suspect(index, place):
                self.why[index] = QuestionCode.READS_OTHERWISE
        self._confirm_moved(left)

    def _left_places(self) -> list[int]:
        """Accepted faces that do not lie where they lay."""
        stayed = {self.lay_there[index] for index in self.unmoved} | self.gone
        return [k for k, placed in enumerate(self.last.tiles) if placed.tile is not None and k not in stayed]

    def _unaccounted(self, place: int, index: int | None) -> None:
        """An accepted tile is nowhere: whatever lies there may be it, or it was not seen, unless a human has told."""
        if index is not None and index in self.answered:
            return
        if index is not None and (index not in self.moved_from or self.tiles[index].doubtful):
            self.why[index] = QuestionCode.READS_OTHERWISE
        elif not any(boxes_meet(self.last.tiles[place].quad, region) for region in self.observation.unread):
            self.missing.add(place)

    def _suspect(self, index: int, place: int) -> bool:
        """Whether the tile may still be the accepted one though a copy of that came to lie elsewhere."""
        accepted, seen = self.last.tiles[place].tile, self.tiles[index]
        return accepted is not None and index not in self.answered and _p_of(seen, accepted) >= SUSPECT_P

    def _confirm_moved(self, left: Sequence[int]) -> None:
        """A doubtful tile is the one that left its place where it reads so first and no other tile can be it."""
        fresh = [i for i, seen in enumerate(self.tiles) if seen.kind is Kind.FACE and i not in self.unmoved]
        owed = Counter(self.last.tiles[place].tile for place in left)
        owed -= Counter(self.read_as[i] for i in fresh if not self.tiles[i].doubtful and i not in self.answered)
        owed -= Counter(first_reading(self.tiles[i]) for i in fresh if i in self.answered)
        doubtful = [i for i in fresh if self.tiles[i].doubtful and i not in self.answered]
        confirmed: dict[int, tuple[Tile, float]] = {}
        for i in doubtful:
            seen = self.tiles[i]
            first = first_reading(seen)
            rivals = sum(_allows(self.tiles[k], first) for k in doubtful)
            if 0 < rivals <= owed[first]:
                p = _believed(seen, first, STAYS_ON_TABLE_P)
                if p * _presence(seen) >= self.sure_from:
                    confirmed[i] = first, p * _presence(seen)
        confirmed |= self._jokers_of_open_kinds(left, [i for i in fresh if i not in self.answered])
        for i, (tile, p) in confirmed.items():
            self.tiles[i] = _settled(self.tiles[i], tile, p)

    def _jokers_of_open_kinds(self, left: Sequence[int], fresh: Sequence[int]) -> dict[int, tuple[Tile, float]]:
        """Jokers whose kinds no picture tells, where those that left their places leave only one answer."""
        still_open = [i for i in fresh if self.tiles[i].joker_open]
        owed = [tile for place in left if (tile := self.last.tiles[place].tile) is not None and tile.is_joker]
        if len(owed) != len(still_open) or len(set(owed)) != 1:
            return {}
        return dict.fromkeys(still_open, (owed[0], STAYS_ON_TABLE_P))

    # --- the census ----------------------------------------------------------------------------------------------

    def count_copies(self) -> None:
        """Doubtful tiles weighed by the copies that are still out of sight, until nothing more is settled."""
        while True:
            settled = {
                i: weighed
                for i, seen in enumerate(self.tiles)
                if seen.kind is Kind.FACE and seen.doubtful and not seen.joker_open and i not in self.why
                if (weighed := self._weighed(i)) is not None
            }
            if not settled:
                break
            for i, weighed in settled.items():
                self.tiles[i] = weighed
        for i in self._surplus():
            self.why.setdefault(i, QuestionCode.TOO_MANY_COPIES)

    def _weighed(self, index: int) -> SeenTile | None:
        """The tile sure of its first reading, where the copies that are in sight leave no doubt; else None."""
        seen = self.tiles[index]
        first = first_reading(seen)
        weights = self._copies_left(index)
        likely = {reading.tile: reading.p * weights[reading.tile] for reading in seen.readings}
        unlisted = max(0.0, 1.0 - sum(reading.p for reading in seen.readings))
        whole = sum(likely.values()) + unlisted
        p = _presence(seen) * likely[first] / whole if whole > 0 else 0.0
        return _settled(seen, first, p) if p >= self.sure_from else None

    def _copies_left(self, index: int) -> dict[Tile, float]:
        """For each reading of a tile: the share of its copies that no other tile surely is."""
        elsewhere: dict[Tile, list[float]] = {}
        for i, seen in enumerate(self.tiles):
            if i != index and seen.kind is Kind.FACE and not seen.doubtful:
                elsewhere.setdefault(first_reading(seen), []).append(seen.confidence)
        left = {}
        for reading in self.tiles[index].readings:
            held, copies = self.ruleset.held(reading.tile), elsewhere.get(reading.tile, [])
            wrong = max(LEAST_ERROR_P, 1 - prod(copies))
            left[reading.tile] = max(wrong, (held - len(copies)) / held) if held else LEAST_ERROR_P
        return left

    def _surplus(self) -> Iterator[int]:
        """Of each face that is there too often, the least sure tiles that no human has spoken for."""
        places: dict[Tile, list[int]] = {}
        for i, seen in enumerate(self.tiles):
            if seen.kind is Kind.FACE and not seen.joker_open:
                places.setdefault(first_reading(seen), []).append(i)
        for tile, copies in places.items():
            asked = sorted(
                (i for i in copies if i not in self.answered),
                key=lambda i: (not self.tiles[i].doubtful, i in self.unmoved, self.tiles[i].confidence,
                               self.tiles[i].quad),
            )  # fmt: skip
            excess = len(copies) - self.ruleset.held(tile)
            # an illegal row shows which of equally sure tiles is the likelier misreading; that is left to the human
            yield from asked[: max(0, excess)]

    # --- the end -------------------------------------------------------------------------------------------------

    def result(self) -> Reconciled:
        observation = replace(self.observation, tiles=tuple(self.tiles))
        faces = [i for i, seen in enumerate(self.tiles) if seen.kind is Kind.FACE]
        placed = sum(tile.tile is not None for tile in self.last.tiles)
        lost = len(self.missing) > max(3.0, MOST_MISSING * placed)
        questions = () if lost else tuple(sorted(self._questions(observation), key=lambda q: (q.quad[0][1], q.quad[0])))
        return Reconciled(
            observation,
            questions,
            tuple(i for i in faces if i in self.unmoved),
            tuple(i for i in faces if i in self.moved_from and i not in self.unmoved),
            tuple(i for i in faces if i not in self.moved_from and i not in self.unmoved),
            tuple(sorted(self.missing)),
            tuple(sorted(self.corrections.items())),
            lost,
            self.read_as,
        )

    def _questions(self, observation: Observation) -> Iterator[Question]:
        for i, seen in enumerate(self.tiles):
            code = self.why.get(i)
            if code is None and seen.kind is Kind.FACE and seen.doubtful and not seen.joker_open:
                code = QuestionCode.DOUBTFUL
            if code is not None and i not in self.answered:
                yield Question(i, seen.quad, self._choices(observation, i), code, self.read_as[i])
        for place in self.missing:
            placed = self.last.tiles[place]
            if placed.tile is not None:
                yield Question(None, placed.quad, (placed.tile,), QuestionCode.NOT_SEEN)

    def _choices(self, observation: Observation, index: int) -> tuple[Tile, ...]:
        """What the tile may be, the likeliest first; the accepted tile among them, and never only what is refused."""
        seen = self.tiles[index]
        place = self.lay_there.get(index)
        accepted = None if place is None else self.last.tiles[place].tile
        if seen.kind is Kind.BACK:
            return () if accepted is None else (accepted,)
        weights = self._copies_left(index)
        likely = {reading.tile: reading.p * weights[reading.tile] for reading in seen.readings}
        if accepted is not None:
            likely[accepted] = max(likely.get(accepted, 0.0), 0.5)
        if len(likely) == 1:
            likely |= dict.fromkeys(_alike(first_reading(seen), self.ruleset), LEAST_ERROR_P / 100)
        for tile in self._legal_in_row(observation, index, likely):
            likely[tile] *= LEGAL_FACTOR
        return tuple(sorted(likely, key=lambda tile: (-likely[tile], str(tile))))

    def _legal_in_row(self, observation: Observation, index: int, choices: Iterable[Tile]) -> list[Tile]:
        """The choices with which the tile's row would be a legal set, its other tiles taken as read."""
        row = next((row for row in observation.rows if index in row.tiles), None)
        if row is None or any(observation.tiles[i].kind is Kind.BACK for i in row.tiles):
            return []
        shown = {i: first_reading(observation.tiles[i]) for i in row.tiles}
        return [
            tile
            for tile in choices
            if judge_set([tile if i == index else shown[i] for i in row.tiles], self.ruleset).legal
        ]


def _first_readings(observation: Observation) -> tuple[Tile | None, ...]:
    return tuple(None if seen.kind is Kind.BACK else first_reading(seen) for seen in observation.tiles)


# --- single tiles -----------------------------------------------------------------------------------------------


def _settled(seen: SeenTile, tile: Tile, p: float) -> SeenTile:
    """The tile, sure of this reading."""
    p = min(1.0, p)
    if seen.readings and seen.readings[0] == Reading(tile, p) and not seen.doubtful:
        return seen
    return replace(seen, kind=Kind.FACE, readings=(Reading(tile, p),), confidence=p, doubtful=False, joker_open=False)


def _p_of(seen: SeenTile, tile: Tile) -> float:
    return next((reading.p for reading in seen.readings if reading.tile == tile), 0.0)


def _believed(seen: SeenTile, tile: Tile, prior: float) -> float:
    """The probability of a reading that had this probability before the look; the rest was open to any other."""
    here = _p_of(seen, tile)
    agrees, differs = prior * here, (1 - prior) * (1 - here)
    return agrees / (agrees + differs) if agrees else 0.0


def _presence(seen: SeenTile) -> float:
    """How sure it is that this is a tile at all."""
    return min(1.0, seen.confidence / seen.readings[0].p) if seen.readings and seen.readings[0].p > 0 else 0.0


def _allows(seen: SeenTile, tile: Tile) -> bool:
    return plausible(seen).allows(tile)


def _alike(tile: Tile, ruleset: RuleSet) -> list[Tile]:
    """Tiles of the box that are one feature away: the number in other inks, or the ink with other numbers."""
    return [
        other
        for other in box_faces()
        if other != tile and ruleset.held(other) and (other.number == tile.number or other.colour == tile.colour)
    ]


def _followed(left: Mapping[int, PlacedTile], fresh: Mapping[int, SeenTile]) -> dict[int, int]:
    """Accepted tile → the tile that it now is: as many as can be, sure readings and near ones first."""
    options = {
        place: sorted(
            (i for i, seen in fresh.items() if placed.tile is not None and _allows(seen, placed.tile)),
            key=lambda i, placed=placed: (
                fresh[i].doubtful,
                apart_in_heights(fresh[i].quad, placed.quad),
                fresh[i].quad,
            ),  # type: ignore[misc]
        )
        for place, placed in left.items()
    }
    taken: dict[int, int] = {}

    def find(place: int, tried: set[int]) -> bool:
        for i in options[place]:
            if i not in tried:
                tried.add(i)
                if i not in taken or find(taken[i], tried):
                    taken[i] = place
                    return True
        return False

    for place in sorted(options, key=lambda place: (left[place].quad, str(left[place].tile))):
        find(place, set())
    return {place: i for i, place in taken.items()}
