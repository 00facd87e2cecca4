"""Where logs are kept: one table of events in SQLite or PostgreSQL.

The one part of this floor that is not pure: it talks to a database, through SQLAlchemy, and brings its tables up to
date, through alembic.  No rule module knows it.
"""

from __future__ import annotations

from referee.store.errors import StaleVersionError, StoreError
from referee.store.sql import SqlStore, Store, carry_out, load_state, open_store

__all__ = ["SqlStore", "StaleVersionError", "Store", "StoreError", "carry_out", "load_state", "open_store"]
