"""What a live table remembers of what it saw: a value, each step gives the next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from referee.joker_kinds import with_joker_kinds
from referee.located import Located, locate
from referee.notation import parse_table
from referee.observation import Observation, Quad
from referee.pointed import Pointed
from referee.recall import Recalled, moved_words, still_holding
from referee.reconcile import AcceptedTable, HumanAnswer, accept
from referee.ruleset import RuleSet
from web.evidence.turn import Shot
from web.live.pointed import as_pointed, still_due, still_meant
from web.live.reading import Reading, read_table

Where = Callable[[Quad], Quad]


@dataclass(frozen=True, slots=True)
class Memory:
    """What was seen, and where the table of the log lies.

    ``accepted`` is the table that the next look is compared with (None: nobody knows where its tiles lie, and its sets
    are looked for), ``accepted_before`` the one before the last turn.  ``home`` is where its sets lay, ``former`` the
    picture of it.  ``answers`` are what humans said of tiles since, ``pointed`` what they said of places; ``recalled``
    is what the log knows of both and the next look tells whether it holds.  ``reading`` is the still table as it was
    read last, ``read_from`` what that was made of.
    """

    accepted: AcceptedTable | None = None
    accepted_before: AcceptedTable | None = None
    home: Located | None = None
    former: Shot | None = None
    answers: tuple[HumanAnswer, ...] = ()
    pointed: tuple[Pointed, ...] = ()
    recalled: Recalled | None = None
    reading: Reading | None = None
    read_from: object = None

    def read(
        self, observation: Observation, times: tuple[float, float], standing: str, ruleset: RuleSet, shot: Shot | None
    ) -> Memory:
        """With the reading of a still table; one that shows nothing new is not worked out again.

        ``times`` are when its last frame was captured, and since when nothing moved; ``standing`` is the table of the
        log, in notation; ``shot`` is the frame.
        """
        if self.recalled is not None:
            answered = self._answered_before(self.recalled, observation, standing, ruleset)
            return answered.read(observation, times, standing, ruleset, shot)
        looked = self._read_anew(observation, times, standing, ruleset, shot)
        if looked.reading is None:
            return looked
        seen = replace(looked.reading.seen, captured_at=times[0], still_since=times[1])
        return replace(looked, reading=replace(looked.reading, seen=seen))

    def _answered_before(self, said: Recalled, observation: Observation, standing: str, ruleset: RuleSet) -> Memory:
        """With the human words of the log that hold for a still table."""
        seen = with_joker_kinds(observation, ruleset)
        holding = still_holding(said, seen, parse_table(standing))
        pointed = (*still_meant(seen, said.pointed), *self.pointed)
        return replace(self, answers=(*holding, *self.answers), pointed=pointed, recalled=None)

    def _read_anew(
        self, observation: Observation, times: tuple[float, float], standing: str, ruleset: RuleSet, shot: Shot | None
    ) -> Memory:
        observation = as_pointed(observation, self.pointed)
        what = replace(observation, taken_at=None), self.answers, standing
        if self.reading is not None and (*what, id(self.accepted)) == self.read_from:
            return self
        reading = read_table(observation, self.accepted, self.answers, standing, ruleset, times, self.home)
        if self.accepted is not None:
            return replace(self, reading=reading, read_from=(*what, id(self.accepted)))
        return replace(
            self,
            reading=reading,
            read_from=(*what, id(reading.accepted)),
            accepted=reading.accepted,
            home=reading.located,
            former=self.former or (shot if reading.seen.untouched else None),
        )

    def accepting(self, reading: Reading, standing: str, shot: Shot | None) -> Memory:
        """With what was read as the table of the log from now on."""
        table = parse_table(standing)
        home = locate(table, reading.observation)
        due = () if shot is None or shot.seen is None else still_due(shot.seen, self.pointed)
        accepted = accept(reading.reconciled, table)
        return replace(self, home=home, accepted=accepted, former=shot, answers=(), pointed=due)

    def answered(self, answer: HumanAnswer) -> Memory:
        """With one more answer."""
        return replace(self, answers=(*self.answers, answer))

    def told(self, word: Pointed) -> Memory:
        """With one more word about a place."""
        return replace(self, pointed=(*self.pointed, word))

    def untold(self) -> Memory:
        """Without the last word about a place."""
        return replace(self, pointed=self.pointed[:-1])

    def recalling(self, said: Recalled) -> Memory:
        """With what the log knows of human words, to be held against the next look; nothing else was said."""
        return replace(self, answers=(), pointed=(), recalled=said)

    def unplaced(self) -> Memory:
        """Where the sets lie is looked at afresh."""
        return replace(self, accepted=None)

    def turned(self) -> Memory:
        """A turn is over: the table accepted now is the one before the last turn."""
        return replace(self, accepted_before=self.accepted)

    def turned_back(self) -> Memory:
        """The last turn is taken back."""
        if self.accepted_before is None:
            return self
        return replace(self, accepted=self.accepted_before, accepted_before=None)

    def shifted(self, where: Where | None) -> Memory:
        """After the camera was moved; ``where`` None: nobody knows where anything lies now."""
        unread = replace(self, read_from=None)
        if where is None or self.accepted is None:
            return replace(unread, accepted=None, accepted_before=None, home=None, pointed=(), recalled=None)
        home = self.home
        if home is not None:
            quads = tuple(None if quad is None else where(quad) for quad in home.quads)
            home = Located(_shifted(home.accepted, where), quads)
        return replace(
            unread,
            accepted=_shifted(self.accepted, where),
            accepted_before=None if self.accepted_before is None else _shifted(self.accepted_before, where),
            home=home,
            answers=tuple(replace(answer, quad=where(answer.quad)) for answer in self.answers),
            pointed=moved_words(self.pointed, where),
            recalled=None if self.recalled is None else self.recalled.moved(where),
        )


def of_empty_table(shot: Shot | None) -> Memory:
    """What is remembered when a round begins: nothing lies there, and what is seen is looked at afresh."""
    return Memory(accepted=AcceptedTable(), former=shot)


def _shifted(table: AcceptedTable, where: Where) -> AcceptedTable:
    return AcceptedTable(tuple(replace(tile, quad=where(tile.quad)) for tile in table.tiles), table.noted)
