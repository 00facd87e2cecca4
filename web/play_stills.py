"""A folder of stills over several runs of a game: none is used twice, and one that is no good is said to be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from vision.feeds import StillsFeed
from vision.inspection import Image
from web.files import cause, write_whole
from web.inspect_words import complaints, sentence
from web.live.gate import inspected
from web.live.table import LiveTable
from web.output import print_trouble, printable
from web.tongue import say


class StillsPlace:
    """Where a game stands in its folder; kept in ``file`` as turn → name of the still on which it was ruled.

    A file that cannot be read or written costs no game: the folder is then gone through from its first still.
    """

    def __init__(self, file: Path, live: LiveTable, feed: StillsFeed) -> None:
        self._file, self._live, self._feed = file, live, feed
        self._stills = _read(file)
        self._turn = live.state.turn

    def go_on(self) -> None:
        """Pass over the stills that were ruled on already."""
        name = self._stills.get(str(self._turn)) if self._turn else None
        if name is not None and self._feed.pass_turn_of(name):
            print_trouble(f"The game goes on behind {printable(name)}.")

    def note(self) -> None:
        """Keep in mind on which still the last turn was ruled, where one was."""
        turn, still = self._live.state.turn, self._feed.still
        ruled, self._turn = turn > self._turn, turn
        if not ruled or still is None:
            return
        self._stills = {**self._stills, str(turn): still.name}
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file, json.dumps(self._stills).encode())
        except OSError as error:
            print_trouble(f"{self._file} cannot be written: {cause(error)}.")


class StillsGate:
    """Says once of each still that is not good enough to rule on what is worst about it; the game goes on with it."""

    def __init__(self, live: LiveTable, feed: StillsFeed) -> None:
        self._live, self._feed = live, feed
        self._image: Image | None = None
        """The picture that was looked over last."""

    def note(self) -> None:
        """Look over the present still, where it was looked at and not looked over yet."""
        frame, seen, still = self._live.frame, self._live.seen, self._feed.still
        if frame is None or seen is None or still is None or frame.image is self._image:
            return
        self._image = frame.image
        inspection = inspected([frame.image], seen)
        if not inspection.go:
            why = sentence(complaints(inspection)[0])
            print_trouble(
                say("{still} is not good enough to rule on surely. {why}", still=printable(still.name), why=why)
            )


def _read(file: Path) -> Mapping[str, str]:
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(turn): str(name) for turn, name in told.items()} if isinstance(told, dict) else {}
