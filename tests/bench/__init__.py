"""Speed and memory: ``make bench`` runs ``python -m tests.bench``."""
