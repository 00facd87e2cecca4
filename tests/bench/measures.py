"""What both halves of the bench measure with: a percentile, and the memory of a process."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_STATUS = Path("/proc/self/status")


def p99(values: Sequence[float]) -> float:
    """The 99th percentile: of 50 or 100 values the largest, of 200 the second largest."""
    return sorted(values)[len(values) * 99 // 100]


def own_peak_mb() -> float:
    """Peak resident memory of this process, in MB.

    Linux is asked itself: there ``getrusage`` of a new process begins with what its parent held.
    """
    if _STATUS.is_file():
        status = dict(line.split(":", 1) for line in _STATUS.read_text(encoding="utf-8").splitlines())
        return int(status["VmHWM"].split()[0]) / 1024
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return resident / (1024 * 1024 if sys.platform == "darwin" else 1024)


def peak_mb_of(code: str) -> float:
    """Peak resident memory of a fresh Python process that runs this code, in MB."""
    code += "\nfrom tests.bench.measures import own_peak_mb\nprint(own_peak_mb())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)
