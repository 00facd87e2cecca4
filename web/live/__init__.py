"""A table that is refereed while it is played on: what the camera shows, the turn protocol, the log, the evidence.

``table`` joins them; it has no thread and no clock of its own, so a terminal, a dashboard and a simulation drive it
alike.  ``acts`` are what people ask of it, ``notices`` what it says, ``view`` what a screen shows.
"""
