"""Writing files completely or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees half of it; when that fails, an older one stays whole.

    Raises ``OSError``.
    """
    handle, draft = tempfile.mkstemp(prefix=".tileref-", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(draft).chmod(0o644)  # mkstemp makes files for their owner alone
        Path(draft).replace(path)
    except OSError:
        Path(draft).unlink(missing_ok=True)
        raise


def cause(error: OSError | ValueError) -> str:
    """Why a file could not be used, as the end of a sentence."""
    return (getattr(error, "strerror", None) or str(error)).lower().rstrip(".")
