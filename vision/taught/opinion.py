"""What the reader network says of crops, as a taught box listens to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.model_store import Model
from vision.read import FEATURES, JOKER, in_parts, white_balanced
from vision.taught.fit import with_one

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the network says of N crops: logits (N, 17) and (N, 4), and features (N, F) with a one behind them.

    F is 193, or 385 where the features are those of two looks.
    """

    numbers: Floats
    colours: Floats
    inputs: Floats

    def with_whole(self, whole: Opinions) -> Opinions:
        """These opinions through a lens, completed by those on the whole faces.

        A lens is made for numerals, and of jokers and of what is no tile shows only a part.  So the whole face says
        whether it is a joker, and no face at all is what shows none either way.  The features of both follow each
        other, the whole faces' first.
        """
        numbers, of_whole = _log_probabilities(self.numbers), _log_probabilities(whole.numbers)
        numbers[:, JOKER] = of_whole[:, JOKER]
        numbers[:, JOKER + 1 :] = np.minimum(numbers[:, JOKER + 1 :], of_whole[:, JOKER + 1 :])
        return Opinions(numbers, self.colours, np.column_stack([whole.inputs[:, :FEATURES], self.inputs]))


def _log_probabilities(logits: Floats) -> Floats:
    """Logits (N, K) shifted so that their powers sum to 1 in each row."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float64)


def opinions_of(model: Model, crops: NDArray[np.uint8]) -> Opinions:
    """What the network says of crops uint8 (N, 64, 48, 3) BGR as they are; N may be 0."""
    numbers, colours, _, _, features = in_parts(model, len(crops), lambda part: white_balanced(crops[part]))
    return Opinions(numbers.astype(np.float64), colours.astype(np.float64), with_one(features))
