"""The census of a box laid out before play: which tiles are missing, which are too many."""

from __future__ import annotations

from dataclasses import dataclass

from referee.observation import Kind, Observation
from referee.ruleset import RuleSet, box_faces
from referee.tiles import Tile


@dataclass(frozen=True, slots=True)
class FaceCount:
    """One face of the box: how many copies were surely seen, and how many the box holds."""

    tile: Tile
    seen: int
    held: int

    @property
    def difference(self) -> int:
        """Copies too many (positive) or missing (negative)."""
        return self.seen - self.held


@dataclass(frozen=True, slots=True)
class BoxCount:
    """The census of one picture.

    ``faces`` counts every face of the box by sure readings alone, in the order of the box; ``doubtful`` and
    ``face_down`` are indices into ``Observation.tiles``, ``unread`` is the number of covered or cut tiles.  Those
    three may hold what is missing, so ``missing`` is final only when all three are empty (``certain``).
    ``open_jokers``, of the doubtful ones, are surely jokers of kinds that the picture does not tell: with any of
    them jokers are counted together, and none of a single kind is missing.
    """

    faces: tuple[FaceCount, ...]
    doubtful: tuple[int, ...]
    face_down: tuple[int, ...]
    open_jokers: tuple[int, ...]
    unread: int
    held: int
    """How many tiles the whole box holds."""

    @property
    def empty(self) -> bool:
        """Whether no tile was seen at all: the picture does not show the box, and says nothing about it."""
        return self.certain and not self.seen

    @property
    def missing(self) -> tuple[FaceCount, ...]:
        """The faces of which too few were surely seen; none where no tile was seen at all."""
        if self.empty:
            return ()
        counted = (face for face in self.faces if not (self.open_jokers and face.tile.is_joker))
        return tuple(face for face in counted if face.difference < 0)

    @property
    def surplus(self) -> tuple[FaceCount, ...]:
        """The faces of which more were surely seen than the box holds."""
        return tuple(face for face in self.faces if face.difference > 0)

    @property
    def jokers_seen(self) -> int:
        """How many tiles are surely jokers, of whatever kinds."""
        return len(self.open_jokers) + sum(face.seen for face in self.faces if face.tile.is_joker)

    @property
    def jokers_held(self) -> int:
        """How many jokers the box holds."""
        return sum(face.held for face in self.faces if face.tile.is_joker)

    @property
    def seen(self) -> int:
        """How many tiles were surely read."""
        return sum(face.seen for face in self.faces)

    @property
    def certain(self) -> bool:
        """Whether every tile in the picture was surely read."""
        return not self.doubtful and not self.face_down and not self.unread

    @property
    def complete(self) -> bool | None:
        """Whether the box is whole; None when unread, doubtful or face-down tiles, or no tiles, leave it open."""
        if self.empty:
            return None
        if self.surplus or (self.open_jokers and self.jokers_seen > self.jokers_held):
            return False
        lacking = -sum(face.difference for face in self.missing)
        if self.open_jokers:
            lacking += self.jokers_held - self.jokers_seen
        if lacking == 0:
            return True if self.certain else None
        unknown = len(self.doubtful) - len(self.open_jokers) + len(self.face_down) + self.unread
        return None if lacking <= unknown else False


def count_box(observation: Observation, ruleset: RuleSet) -> BoxCount:
    """Count the tiles of one picture against the rule set's box.

    Only sure readings are counted; doubtful and face-down tiles are listed apart.
    """
    sure: dict[Tile, int] = {}
    for seen in observation.tiles:
        if seen.kind is Kind.FACE and not seen.doubtful:
            tile = seen.readings[0].tile
            sure[tile] = sure.get(tile, 0) + 1
    faces = tuple(FaceCount(tile, sure.get(tile, 0), ruleset.held(tile)) for tile in box_faces())
    return BoxCount(
        faces=tuple(face for face in faces if face.seen or face.held),
        doubtful=tuple(i for i, seen in enumerate(observation.tiles) if seen.kind is Kind.FACE and seen.doubtful),
        open_jokers=tuple(i for i, seen in enumerate(observation.tiles) if seen.joker_open),
        face_down=tuple(i for i, seen in enumerate(observation.tiles) if seen.kind is Kind.BACK),
        unread=len(observation.unread),
        held=ruleset.box_size,
    )
