"""A table that is refereed while it is played on: what the camera shows, the turn protocol, the log, the evidence.

``table`` is the door: it has no thread and no clock of its own, so a terminal, a dashboard and a simulation drive it
alike.  ``acts`` are what people ask of it, ``notices`` what it says, ``view`` what a screen shows; ``game`` is what is
known between two of them.  What happens then stands in

- ``rounds``: who plays, the deal, the racks, the score;
- ``judging``: the call of a turn's end and its ruling; ``answering``: what humans say of doubtful tiles;
- ``correcting``: what they correct though nobody asked; ``pointed``: what they said by pointing, found again later;
- ``restoring``: a table that is put back;
- ``refereeing``: what the referee rules, takes back and tells;
- ``timekeeping``: the clock; ``course``: from one turn to the next.

``sight`` → ``memory`` and ``reading`` (what lies there, as far as it may be ruled on) → ``judging`` → ``rulings`` (as
they are shown) is the way of a frame; ``log`` writes what was decided, ``showing`` makes the view.  ``looking`` says
what becomes of a frame wherever a table is driven, and ``gate`` and ``care`` look after its camera.  ``play`` with
``keys``, ``script``, ``words``, ``sheet`` and ``pictures`` is a game at a terminal, ``notice_json`` the same for
programs.
"""
