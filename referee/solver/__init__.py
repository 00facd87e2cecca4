"""The exact solver: what can be laid, and how."""
