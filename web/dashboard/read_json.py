"""A reading of the live table as JSON, as ``correct.js`` shows it: the same fields as for a disputed photo."""

from __future__ import annotations

from web.disputes.case_json import codes_of, jokers_of
from web.examine import FACE_DOWN_CODE
from web.live.view import ReadView
from web.live.words import Words
from web.report_json import Json, reading_fields

MOST_CHOICES = 8


def read_json(read: ReadView, words: Words | None) -> Json:
    """The contract of ``tileref check --json`` on the table as it lies, and what ``web.disputes.case_json`` adds.

    Quads are in the pixels of the live picture.  Tiles are numbered as they stand in ``tiles``: the numbers hold for
    this reading alone.  ``choices`` holds for each tile what it may be, the likeliest first.
    """
    seen = read.observation
    choices = [[str(tile) for tile in some[:MOST_CHOICES]] for some in read.choices]
    told = [i for i, tile in enumerate(seen.tiles) if tile.confidence >= 1.0 and len(tile.readings) <= 1]
    found: Json = {
        **reading_fields(seen, read.ruling),
        "ids": list(range(len(seen.tiles))),
        "unread_ids": list(range(len(seen.unread))),
        "told": told,
        "choices": choices,
        "edits": read.corrections,
    }
    if words is not None:
        codes = list(codes_of(seen, words.ruleset))
        found["codes"] = codes
        found["jokers"] = jokers_of(words.ruleset)
        found["faces"] = words.ruleset.faces.value
        first = [some[0] if some else FACE_DOWN_CODE for some in choices]
        found["camera"] = {"codes": codes, "tiles": first, "alternatives": [some[1:] for some in choices]}
    return found
