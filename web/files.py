"""Writing files completely or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

DRAFT_PREFIX, DRAFT_SUFFIX = ".tileref-", ".part"
"""What a file is called before it is whole; what a crash leaves behind has such a name."""


def write_whole(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file so that nobody ever sees half of it; when that fails, an older one stays whole.

    ``private``: for its owner alone.  Raises ``OSError``.
    """
    handle, draft = tempfile.mkstemp(prefix=DRAFT_PREFIX, suffix=DRAFT_SUFFIX, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if not private:
            Path(draft).chmod(0o644)  # mkstemp makes files for their owner alone
        Path(draft).replace(path)
    except OSError:
        Path(draft).unlink(missing_ok=True)
        raise


def write_durable(path: Path, data: bytes, *, replacing: bool = False, settled: bool = True) -> None:
    """Write a file so that it is whole or absent even when the power fails; ``replacing`` an older one or refusing to.

    With ``settled`` it lasts once this returns, else once ``settle_folder`` does.  Raises ``FileExistsError`` and
    ``OSError``.
    """
    handle, draft = tempfile.mkstemp(prefix=DRAFT_PREFIX, suffix=DRAFT_SUFFIX, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)  # mkstemp makes files for their owner alone
        if replacing:
            Path(draft).replace(path)
        else:
            _name_once(Path(draft), path)
    except OSError:
        Path(draft).unlink(missing_ok=True)
        raise
    if settled:
        settle_folder(path.parent)


def _name_once(draft: Path, path: Path) -> None:
    """Give a file its name, unless another has it."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:  # a memory card knows no second names: two that write at once are then not told apart
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        draft.replace(path)
    else:
        draft.unlink()


def settle_folder(folder: Path) -> None:
    """Make the names of new files last through a power failure, where the system can."""
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def cause(error: OSError | ValueError) -> str:
    """Why a file could not be used, as the end of a sentence."""
    return (getattr(error, "strerror", None) or str(error)).lower().rstrip(".")
