"""A pool of fresh samples in shared memory: generator processes write, the trainer draws, nobody waits for long.

Each sample is drawn a few times while it is in the pool.  When the generators are slow the trainer draws the same
samples again, up to a limit; when the trainer is slow the generators pause.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np
from numpy.typing import NDArray

SampleSource = Callable[[np.random.Generator], Iterator[Any]]
"""Given a seeded generator, yields records that fit the pool's dtype for ever."""

GUARD = 64
"""The oldest samples, which a generator may be overwriting, are never drawn."""
PAUSE_S = 0.02


class SamplePool:
    """A ring of ``capacity`` records of one numpy dtype, shared among processes."""

    def __init__(self, dtype: np.dtype[Any], capacity: int, most_uses: float, least_uses: float) -> None:
        self._memory = SharedMemory(create=True, size=capacity * dtype.itemsize)
        self._context = multiprocessing.get_context("spawn")
        self._written = self._context.Value("q", 0)
        self._drawn = self._context.Value("q", 0)
        self._records: NDArray[Any] = np.ndarray((capacity,), dtype, self._memory.buf)
        self._dtype, self._capacity = dtype, capacity
        self._most_uses, self._least_uses = most_uses, least_uses
        self._processes: list[Any] = []

    def start(self, source: SampleSource, seeds: list[int]) -> None:
        """Start one generator process for each seed; ``source`` must be importable."""
        for seed in seeds:
            arguments = (
                source, seed, self._memory.name, self._dtype, self._capacity, self._written, self._drawn,
                self._least_uses, os.getpid(),
            )  # fmt: skip
            process = self._context.Process(target=fill, args=arguments, daemon=True)
            process.start()
            self._processes.append(process)

    @property
    def written(self) -> int:
        """Samples made so far."""
        return int(self._written.value)

    def draw(self, count: int, rng: np.random.Generator, at_least: int) -> NDArray[Any]:
        """``count`` random records, once there are ``at_least`` and none was used too often on average."""
        while self.written < at_least or self._drawn.value + count > self._most_uses * self.written:
            if not any(process.is_alive() for process in self._processes):
                raise RuntimeError("all sample generators have ended")
            time.sleep(PAUSE_S)
        newest = self.written
        oldest = max(0, newest - self._capacity + GUARD)
        with self._drawn.get_lock():
            self._drawn.value += count
        return self._records[rng.integers(oldest, newest, count) % self._capacity]

    def close(self) -> None:
        """End the generators and give the memory back."""
        for process in self._processes:
            process.terminate()
            process.join()
        self._records = np.zeros(0, self._dtype)
        self._memory.close()
        self._memory.unlink()


def fill(
    source: SampleSource,
    seed: int,
    memory_name: str,
    dtype: np.dtype[Any],
    capacity: int,
    written: Any,
    drawn: Any,
    least_uses: float,
    parent: int,
) -> None:
    """The life of a generator process: make samples until the trainer is gone."""
    import cv2

    cv2.setNumThreads(1)
    memory = SharedMemory(memory_name)
    records: NDArray[Any] = np.ndarray((capacity,), dtype, memory.buf)
    for record in source(np.random.default_rng(seed)):
        while written.value > capacity / 2 and drawn.value < least_uses * (written.value - capacity / 2):
            if os.getppid() != parent:
                return
            time.sleep(PAUSE_S)
        if os.getppid() != parent:
            return
        with written.get_lock():
            slot = written.value % capacity
            records[slot] = record
            written.value += 1
