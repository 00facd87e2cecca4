"""Alembic's folder: ``env.py`` runs the steps in ``versions``."""
