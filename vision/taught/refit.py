"""The head of a taught box for the reader network at hand."""

from __future__ import annotations

from vision.model_store import Model
from vision.taught.box import BoxHead, Faces, TaughtBox


def needs_refit(box: TaughtBox, reader: str) -> bool:
    """Whether a box was taught to another reader network than the one with the SHA-256 ``reader``."""
    return box.head is None or box.reader != reader


def fitted_head(box: TaughtBox, model: Model, reader: str) -> BoxHead:
    """The box's own head, or one learned anew from its examples for the network ``model`` with the SHA-256 ``reader``.

    Raises ``ValueError`` for a deck of cards.
    """
    if box.faces is not Faces.TILES:
        raise ValueError(f"the box {box.name} holds {box.faces.value}, no tiles")
    if box.head is not None and not needs_refit(box, reader):
        return box.head
    from vision.taught.learn import learn  # noqa: PLC0415  the renderer: only when a box is learned

    return learn(box.examples, model)
