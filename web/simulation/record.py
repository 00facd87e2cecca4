"""A simulated game written down: a film, a folder of stills, and what is true of every turn.

Nobody referees here: the game goes on as the rule book says, and each ruling takes a moment.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2

from referee.ending import TurnEnd
from referee.notation import format_table
from referee.ruling import Verdict
from web.simulation.round import Attempt, PlannedTurn
from web.simulation.table import SimulatedTable, Stretch

RULING_S = 0.8
"""After a call everybody waits so long for the ruling."""
STILL_QUALITY = 92


class RecordError(OSError):
    """A film or a still cannot be written; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Played:
    """One turn as it was played: each attempt with when it was made, and when the table was put back."""

    turn: PlannedTurn
    attempts: tuple[tuple[Attempt, Stretch], ...]
    put_back: Stretch | None


def played(table: SimulatedTable, most_turns: int | None = None) -> Iterator[Played]:
    """Play a round by the truth alone, turn by turn."""
    turns = 0
    while not table.is_over and (most_turns is None or turns < most_turns):
        stretch: Stretch | None = table.next_turn(table.now + 0.2)
        turn = table.turn
        made: list[tuple[Attempt, Stretch]] = []
        while turn is not None and stretch is not None:
            made.append((turn.attempts[len(made)], stretch))
            stretch = table.mend(_over(stretch))
        if turn is None:
            return
        turns += 1
        yield Played(turn, tuple(made), table.put_back(_over(made[-1][1])))


def _over(stretch: Stretch) -> float:
    """When a stretch was ruled on."""
    return (stretch.still_at if stretch.called_at is None else stretch.called_at) + RULING_S


def as_json(table: SimulatedTable, one: Played) -> dict[str, object]:
    """What is true of a turn, times in seconds from the game's beginning."""
    turn, start = one.turn, table.started_at
    return {
        "turn": turn.number,
        "seat": turn.seat,
        "incident": turn.incident.value,
        "before": format_table(turn.before),
        "attempts": [
            {
                "shown": format_table(attempt.shown), "how": attempt.how.value, "verdict": attempt.verdict,
                "codes": list(attempt.codes), "begins": round(stretch.begins - start, 3),
                "still_at": round(stretch.still_at - start, 3),
                "called_at": None if stretch.called_at is None else round(stretch.called_at - start, 3),
            }
            for attempt, stretch in one.attempts
        ],
        "after": format_table(turn.after),
        "uncalled": None if turn.uncalled is None else {
            "next_seat": turn.uncalled.next_seat, "played": list(turn.uncalled.played),
        },
        "put_back_at": None if one.put_back is None else round(one.put_back.still_at - start, 3),
        "drew": turn.drew,
    }  # fmt: skip


def write_stills(table: SimulatedTable, folder: Path, most_turns: int | None = None) -> Iterator[Played]:
    """One still a turn (``turn7.jpg``), and before it one of the table put back.

    Beside them are ``truth.jsonl`` and ``calls.txt``, the orders with which ``tileref play`` goes through them.  A
    table that was called and mended in time is a still of its turn as well: letters tell them apart.
    Raises ``RecordError``.
    """
    waiting: list[float] = []
    orders: list[str] = []
    number = 0
    with (folder / "truth.jsonl").open("w", encoding="utf-8") as truth:
        for number, one in enumerate(played(table, most_turns), start=1):
            times = [*waiting, *(stretch.still_at + 0.1 for _, stretch in one.attempts)]
            for k, t in enumerate(times):
                letter = "" if len(times) == 1 else "abcdef"[k]
                _write(folder / f"turn{number}{letter}.jpg", table.frame_at(t).image)
            orders += [*(["next"] * (len(waiting) + (number > 1))), *_orders(one, table.rules.time_s)]
            waiting = [] if one.turn.put_back is None or one.put_back is None else [one.put_back.still_at + 0.1]
            truth.write(json.dumps(as_json(table, one)) + "\n")
            yield one
    if waiting:
        _write(folder / f"turn{number + 1}.jpg", table.frame_at(waiting[0]).image)
        orders.append("next")
    (folder / "calls.txt").write_text("\n".join([*orders, "view"]) + "\n", encoding="utf-8")


def _orders(one: Played, time_s: int) -> list[str]:
    """What the referee's assistant types in this turn, once its first still is shown."""
    missed = one.turn.uncalled
    if missed is not None:
        seats = zip((one.turn.seat, missed.next_seat), missed.played, strict=True)
        return [" ".join(["played", *(f"{seat + 1}={tiles}" for seat, tiles in seats)])]
    orders: list[str] = []
    for number, (attempt, _) in enumerate(one.attempts):
        orders += ["next"] if number else []
        rings = attempt.how is TurnEnd.TIME_UP and not number  # once it has rung, tidying is ended by a call
        orders.append(f"wait {time_s + 1}" if rings else "end")
    called = one.turn.last.how is not TurnEnd.TIME_UP
    return [*orders, "stands"] if called and one.turn.last.verdict == Verdict.ILLEGAL else orders


def write_film(table: SimulatedTable, file: Path, fps: float = 15.0, most_turns: int | None = None) -> Iterator[Played]:
    """The game as a film (mp4, avi); ``NAME.truth.jsonl`` beside it.  Raises ``RecordError``."""
    codec = cv2.VideoWriter.fourcc(*("MJPG" if file.suffix.lower() == ".avi" else "mp4v"))
    film = cv2.VideoWriter(str(file), codec, fps, table.size_wh)
    if not film.isOpened():
        raise RecordError(f"{file} cannot be written as a film: name an .mp4 or .avi file in a folder that is there.")
    number = 0
    try:
        with file.with_suffix(".truth.jsonl").open("w", encoding="utf-8") as truth:
            for one in played(table, most_turns):
                until = table.now + RULING_S
                while table.started_at + number / fps < until:
                    film.write(table.frame_at(table.started_at + number / fps).image)
                    number += 1
                truth.write(json.dumps(as_json(table, one)) + "\n")
                yield one
    finally:
        film.release()


def _write(file: Path, image: cv2.typing.MatLike) -> None:
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, STILL_QUALITY])
    if not done:
        raise RecordError(f"{file} cannot be encoded.")
    file.write_bytes(data.tobytes())
