"""How alembic runs the steps: on the connection, and in the transaction, of who asks for it.  Executed by alembic."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
