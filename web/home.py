"""Where this computer's user keeps what tileref keeps: boxes, games, evidence.

``TILEREF_HOME`` names another folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


class HomeError(ValueError):
    """There is no folder to keep anything in; one sentence."""


def data_home() -> Path:
    """The folder of everything; it need not exist yet.  Raises ``HomeError``."""
    asked = os.environ.get("TILEREF_HOME")
    if asked:
        return Path(asked)
    try:
        home = Path.home()
    except RuntimeError as error:
        raise HomeError("There is no home folder to keep anything in: set TILEREF_HOME to a folder.") from error
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "tileref"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "tileref"
    data = os.environ.get("XDG_DATA_HOME") or ""
    # a relative path is to be ignored: freedesktop.org, Base Directory Specification
    return (Path(data) if Path(data).is_absolute() else home / ".local" / "share") / "tileref"


def games_file() -> Path:
    """The database of the games that nobody asked to keep elsewhere."""
    return data_home() / "games.db"


def evidence_folder() -> Path:
    """Where the evidence of all games lies, a folder each."""
    return data_home() / "evidence"
