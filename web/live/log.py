"""The log of a live game: what was decided is written at once, or kept until the store takes it again.

Nothing is ever decided on top of events that are not written: whoever asks for more is told why it has to wait.
"""

from __future__ import annotations

from collections.abc import Callable

from referee.game.codec import LogError
from referee.game.commands import Command
from referee.game.decide import GameError, check_rules, decide
from referee.game.events import Event
from referee.game.state import replay
from referee.ruleset import RuleSet
from referee.store import StaleVersionError, Store, StoreError, load_state
from referee.told import NOTHING, telling

RETRY_S = 1.0
"""A store that takes nothing is tried again after so many seconds."""


class GoneOnError(GameError):
    """Another program has written to this game."""


class GameLog:
    """One game of a store: its state, and the events that the store has not taken yet.

    Raises ``GameError`` where the game is played by other rules, ``StoreError`` and ``LogError`` where it cannot be
    read.
    """

    def __init__(self, store: Store, game: str, ruleset: RuleSet, clock: Callable[[], float]) -> None:
        self._store, self.game, self._ruleset, self._clock = store, game, ruleset, clock
        self.state = load_state(store, game)
        check_rules(self.state, ruleset)
        self._unwritten: tuple[Event, ...] = ()
        self._tried_at = 0.0
        self.trouble = NOTHING
        """Why the store takes nothing, one sentence; nothing while it does."""

    @property
    def is_written(self) -> bool:
        """Whether the store has everything."""
        return not self._unwritten

    def carry_out(self, *commands: Command) -> tuple[Event, ...]:
        """Decide on commands, one after the other, and write what they lead to: all of it or nothing.

        Raises ``GameError`` where the game cannot carry one out, or earlier events are not written yet.
        """
        if not self.is_written and not self.write(at_once=True):
            raise GameError.of(self.trouble)
        state, events = self.state, list[Event]()
        for command in commands:
            decided = decide(state, command, self._ruleset)
            events += decided
            state = replay(decided, state)
        self.state, self._unwritten = state, tuple(events)
        self.write(at_once=True)
        return tuple(events)

    def write(self, *, at_once: bool = False) -> bool:
        """Write what is not written yet, and say whether everything is now.

        Raises ``GoneOnError`` where another program wrote first: ``state`` is then what the store has.
        """
        if self.is_written:
            return True
        now = self._clock()
        if not at_once and now - self._tried_at < RETRY_S:
            return False
        self._tried_at = now
        try:
            self._append()
        except (StoreError, LogError) as error:
            self.trouble = telling("the game cannot be written, and goes on when it can: {cause}", cause=error.told)
            return False
        self._unwritten, self.trouble = (), NOTHING
        return True

    def _append(self) -> None:
        seen = self.state.version - len(self._unwritten)
        try:
            self._store.append(self.game, seen, self._unwritten)
        except StaleVersionError:
            # a connection that broke at the very end may have kept what we wrote
            kept = self._store.load(self.game, after=seen)
            if kept != self._unwritten:
                self.state, self._unwritten, self.trouble = load_state(self._store, self.game), (), NOTHING
                raise GoneOnError("another program has written to this game: it goes on from there") from None
