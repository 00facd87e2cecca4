"""Which way up a tile lies, and what that means for a 6 and a 9.

A 6 turned round is a 9, so their shape alone never tells them apart: the rest of the face does, by where the numeral
stands on it, by an imprint, a dot or a bar.  That is what the network's facing rests on, so a 6 is as sure as its
facing is, and never surer than the facing of the other 6s and 9s of the same box.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SIX, NINE = 5, 8
"""Columns of the number classes."""
_TYPICAL = 1.5
"""A box prints all its 6s and 9s alike: none has a facing surer than this many times the typical one (as a logit)."""
_TOLD, _ENOUGH = 2.0, 3
"""Where so many have a typical facing of this log odds, something tells the 6s of this box from its 9s …"""
_SURER = 1.6
"""… and each facing is surer than it seems alone, where the network must reckon with boxes that have nothing of it."""
_SUREST = 1 - 1e-6
_STILL_FIRST = 1 - 1e-6


def facing_logit(margin: NDArray[np.floating]) -> Floats:
    """Log odds (N,) that tiles lie as they were taken to, from facing margins (N,) of 0 (unknown) to 1 (sure)."""
    return np.asarray(2 * np.arctanh(np.clip(margin.astype(np.float64), 0, _SUREST)), np.float64)


def six_or_nine(number_p: NDArray[np.floating], facing_margin: NDArray[np.floating]) -> Floats:
    """Number probabilities (N, 17) in which a 6 is a 9, and a 9 a 6, at least as probably as its facing is wrong.

    ``facing_margin`` (N,) says how surely the facing of each tile is known, as ``Readings.upside_margin`` does.  The
    first reading of a tile stays the first, and what neither a 6 nor a 9 is does not change.
    """
    result = number_p.astype(np.float64)
    first = result.argmax(axis=1)
    turnable = np.flatnonzero((first == SIX) | (first == NINE))
    if not len(turnable):
        return result
    sure = facing_logit(facing_margin[turnable])
    typical = float(np.median(sure))
    sure = np.minimum(sure, _TYPICAL * typical)
    if typical >= _TOLD and len(sure) >= _ENOUGH:
        sure = _SURER * sure
    wrong = 1 / (1 + np.exp(sure))
    own, other = first[turnable], SIX + NINE - first[turnable]
    both = result[turnable, own] + result[turnable, other]
    open_p = np.maximum(result[turnable, other], wrong * both * _STILL_FIRST)
    rest = result[turnable].copy()
    rest[np.arange(len(turnable)), own] = rest[np.arange(len(turnable)), other] = 0
    # what was likelier than any third number stays so
    open_p = np.minimum(open_p, np.maximum(both - rest.max(axis=1) / _STILL_FIRST, result[turnable, other]))
    result[turnable, other], result[turnable, own] = open_p, both - open_p
    return result
