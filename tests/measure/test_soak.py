"""A soak fails where something leaks, is lost or is not named, and not for a spike."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.measure.soak_figures import (
    Handles,
    Named,
    Rest,
    Sample,
    Soaked,
    handles,
    live_mb,
    memory_mb,
    size_mb,
    slope_per_h,
)

HANDLES = Handles(files=14, sockets=1, databases=0, threads=4, tasks=10)
SAMPLE = Sample(
    wall_s=0, game_s=0, breaks_s=0, rss_mb=500, peak_mb=700, files=16, sockets=2, databases=1, threads=5, tasks=11,
    disk_mb=1, games=2, sittings=3, turns=9, rulings=8, frames_looked_at=90, frames_dropped=40, frames_shown=130,
    connections=4, faults=1,
)  # fmt: skip


def soaked(memory: list[float], **told: object) -> Soaked:
    """A soak of a sample a minute with this memory, and nothing else amiss but what is told."""
    samples = [
        replace(SAMPLE, wall_s=60.0 * k, game_s=300.0 * k, rss_mb=one) for k, one in enumerate(memory, 1)
    ]  # fmt: skip
    rests = tuple(Rest(one.wall_s, 300.0, 70.0) for one in samples[::8])
    good = Soaked(tuple(samples), (HANDLES, HANDLES), rests, (Named("cable", 0.4, True),), ())
    return replace(good, **told)  # type: ignore[arg-type]


def flat(minutes: int = 40) -> list[float]:
    """Memory that goes up and down with the games, and up while the program warms up."""
    rng = np.random.default_rng(1)
    return [500 - 200 / k + 12 * float(rng.standard_normal()) for k in range(1, minutes + 1)]


def test_a_program_that_holds_passes() -> None:
    assert soaked(flat()).faults() == []
    spiked = flat()
    spiked[30] += 400
    assert soaked(spiked).faults() == []
    assert any(line.startswith("memory: ") for line in soaked(flat()).lines())


@pytest.mark.parametrize("mb_a_minute", [3.0, 9.0])
def test_memory_that_creeps_up_fails(mb_a_minute: float) -> None:
    (fault,) = soaked([one + mb_a_minute * k for k, one in enumerate(flat())]).faults()
    assert fault.startswith("memory grows by")


def test_memory_that_is_held_from_game_to_game_fails() -> None:
    kept = tuple(Rest(480.0 * k, 300.0 + 20 * k + 2 * (k % 2), 70.0) for k in range(6))
    (fault,) = soaked(flat(), at_rest=kept).faults()
    assert fault.startswith("memory between games grows by")
    held = tuple(Rest(480.0 * k, 300.0 + 65 * (k % 2), 70.0 + 3 * k) for k in range(6))
    (fault,) = soaked(flat(), at_rest=held).faults()
    assert fault.startswith("what is held between games grows by")


def test_what_the_allocator_keeps_for_later_is_not_held() -> None:
    """One rest in two takes tens of MB more, of which nobody holds anything."""
    rests = tuple(Rest(240.0 * k, 190.0 + 65 * (k % 3 == 1) + 2 * k, 70.0 + 0.1 * k) for k in range(10))
    assert soaked(flat(), at_rest=rests).faults() == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the books are those of glibc")
def test_what_is_held_is_in_the_books_until_it_is_let_go() -> None:
    before = live_mb()
    large = np.ones(5_000_000)
    small = [str(number) for number in range(200_000)]
    assert live_mb() - before > 0.9 * (large.nbytes + 50 * len(small)) / 2**20
    del large, small
    assert live_mb() - before < 5


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ({"rested": (HANDLES, replace(HANDLES, files=15))}, "left open after the last sitting, files: 14 → 15"),
        ({"rested": (HANDLES, replace(HANDLES, threads=5))}, "left open after the last sitting, threads: 4 → 5"),
        ({"named": (Named("black", None, False),)}, "a camera that was black was never named"),
        ({"named": (Named("silent", 1.0, False),)}, "a camera that was silent never came back"),
        ({"troubles": ("the log holds another game",)}, "the log holds another game"),
        ({"rested": (HANDLES,)}, "too short to tell: it takes three samples after the warm-up, and two sittings"),
    ],
)
def test_what_is_not_as_it_was_fails(told: dict[str, object], fault: str) -> None:
    assert soaked(flat(), **told).faults() == [fault]


def test_an_evening_that_is_too_short_fails() -> None:
    slow = soaked(flat())
    slow = replace(slow, samples=tuple(replace(one, game_s=one.wall_s) for one in slow.samples))
    assert slow.faults() == ["only 40 minutes of game time in 40"]


def test_the_slope_is_that_of_most_samples() -> None:
    times = [60.0 * k for k in range(30)]
    values = [2.0 * t / 3600 for t in times]
    values[7] += 1000
    assert slope_per_h(times, values) == pytest.approx(2.0)
    assert slope_per_h([0.0], [5.0]) == 0.0


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted on Linux alone")
def test_what_is_open_is_counted(tmp_path: Path) -> None:
    before, waits = handles(), threading.Event()
    with (tmp_path / "games.db").open("wb") as file:
        file.write(b"x" * 2_000_000)
        file.flush()
        thread = threading.Thread(target=waits.wait, daemon=True)
        thread.start()
        more = handles().over(before)
        waits.set()
        thread.join()
    assert f"files: {before.files} → {before.files + 1}" in more
    assert f"databases: {before.databases} → {before.databases + 1}" in more
    assert any(one.startswith("threads: ") for one in more)
    assert size_mb(tmp_path) == pytest.approx(2.0)
    now, most = memory_mb()
    assert 10 < now <= most
