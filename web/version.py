"""The program's version: the one place that says it (the wheel, ``--version`` and every ruling read it here)."""

VERSION = "0.1.0"
