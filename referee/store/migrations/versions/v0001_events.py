"""The table of events.  Databases made before there were steps have it already, and keep it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the table where it is missing."""
    op.create_table(
        "events",
        sa.Column("game", sa.String(100), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
        if_not_exists=True,
    )
