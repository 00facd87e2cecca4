"""Several looks at one still table become one reading.

Tiles of the looks are matched by position.  Each tile's readings are pooled: the mean of their logarithms, weighed as
so many independent looks as they are worth.  Frames of one still table share light, blur and print, and err alike: with
a correlation of ``CORRELATION`` k looks are worth k / (1 + (k - 1) · CORRELATION), never more than 1.25.

The rule that nothing is made surer than it was seen: a tile is sure only where more than half of all looks were sure of
that very reading and none was sure of another, and its confidence is never above that of the best single look which
read it so.  Where looks disagree, doubt remains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Quad, Reading, Row, SeenTile
from referee.tiles import Tile
from vision.detect import tile_heights

Floats = NDArray[np.float64]

SAME_TILE = 0.3
"""Sightings whose centres are nearer than this, in tile heights, are of one tile; two tiles are never so near."""
CORRELATION = 0.8
"""Of what two frames of one still table say wrongly; see above."""
LEAST_SEEN = 0.25
"""What is seen in a smaller share of the looks is nothing."""
UNLISTED = 1e-4
"""Probability of a reading that a look does not list: half of what the least listed has, over all other faces."""
MOST_READINGS = 8
"""So many readings are listed, as the eyes list them ..."""
SMALLEST_READING = 0.002
"""... from this probability on."""


@dataclass(slots=True)
class _Track:
    """One place: what each look saw there, by the number of the look; an unread region is a bare quad."""

    quad: Quad
    seen: dict[int, SeenTile] = field(default_factory=dict)
    unread: dict[int, Quad] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many looks saw something here."""
        return len(self.seen.keys() | self.unread.keys())


def fuse(looks: Sequence[Observation]) -> Observation:
    """One reading of a table that was still over all looks, pictures of one size; one look is returned as it is.

    Raises ``ValueError`` for none.
    """
    if len(looks) == 1:
        return looks[0]
    if not looks:
        raise ValueError("there is no look to fuse")
    return _fused_looks(looks, [track for track in _tracks(looks) if track.count >= LEAST_SEEN * len(looks)])[0]


def contested(looks: Sequence[Observation]) -> Observation:
    """One reading of at least two looks that go on contradicting each other: in whatever they differ is in doubt.

    That are tiles which some look did not see, read otherwise or put beside another neighbour.  What a single look saw
    is in doubt too: nobody can tell that it is not there.
    """
    fused, shown = _fused_looks(looks, _tracks(looks))
    moved = _moved_in_rows(looks, shown)
    tiles = tuple(
        replace(seen, doubtful=seen.doubtful or k in moved or _is_contested(shown[k], len(looks)))
        for k, seen in enumerate(fused.tiles)
    )
    return replace(fused, tiles=tiles)


def _fused_looks(looks: Sequence[Observation], kept: Sequence[_Track]) -> tuple[Observation, list[_Track]]:
    """The looks as one, of what they saw at some places; and the place of each of its tiles."""
    unread = [track for track in kept if len(track.unread) > len(track.seen)]
    shown = [track for track in kept if len(track.unread) <= len(track.seen)]
    tiles = [_fused(track, len(looks)) for track in shown]
    rows, loose, unplaced = _layout(looks, shown, unread)
    for i in unplaced:  # whether it belongs to a row is open
        tiles[i] = replace(tiles[i], doubtful=True)
    scene = Counter(look.scene for look in looks).most_common(1)[0][0]
    fused = Observation(
        width=looks[-1].width,
        height=looks[-1].height,
        scene=scene,
        tiles=tuple(tiles),
        rows=rows,
        loose=loose,
        unread=tuple(_median_quad(list(track.unread.values())) for track in unread),
        taken_at=looks[-1].taken_at,
        notes=_notes(looks),
    )
    return fused, shown


def doubts(observation: Observation) -> bool:
    """Whether another look might help: something is doubtful, or covered, and this is a table of tiles."""
    if {UNLIKE_TILES, DRAWN} & set(observation.notes):
        return False
    return bool(observation.unread) or any(seen.doubtful for seen in observation.tiles)


def contradicts(look: Observation, told: Observation) -> bool:
    """Whether a look says something that the reading told before does not leave open.

    That is another number of tiles or covered ones, tiles elsewhere, other rows, or for any place another reading than
    was told; where the reading told is in doubt, one that it does not list.  A reading that was told as sure is not
    contradicted by a look that reads the same with doubt.
    """
    if len(look.tiles) != len(told.tiles) or len(look.unread) != len(told.unread):
        return True
    tracks = _tracks((told, look))
    if any(len(track.seen) == 1 or len(track.unread) == 1 for track in tracks):
        return True
    for track in tracks:
        if track.seen and _says(track.seen[1]) != _says(track.seen[0]):
            before = track.seen[0]
            if not before.doubtful or _says(track.seen[1]) not in {reading.tile for reading in before.readings}:
                return True
    return _structure(told, tracks, 0) != _structure(look, tracks, 1)


# --- which sightings are of one tile ------------------------------------------------------------------------------


def _tracks(looks: Sequence[Observation]) -> list[_Track]:
    """The places at which any look saw anything, in the order of the first looks."""
    tracks: list[_Track] = []
    for number, look in enumerate(looks):
        quads = [*(seen.quad for seen in look.tiles), *look.unread]
        which = _matched(quads, tracks)
        for i, quad in enumerate(quads):
            track = which[i]
            if track is None:
                track = _Track(quad)
                tracks.append(track)
            if i < len(look.tiles):
                track.seen[number] = look.tiles[i]
            else:
                track.unread[number] = quad
    return tracks


def _matched(quads: Sequence[Quad], tracks: Sequence[_Track]) -> list[_Track | None]:
    """The track of each quad; each track is given once, to the nearest."""
    which: list[_Track | None] = [None] * len(quads)
    if not quads or not tracks:
        return which
    corners = np.array(quads, np.float32)
    places = np.array([track.quad for track in tracks], np.float32)
    apart = np.linalg.norm(corners.mean(axis=1)[:, None] - places.mean(axis=1)[None], axis=2)
    apart /= np.maximum(tile_heights(places), 1e-6)[None]
    used: set[int] = set()
    for flat in np.argsort(apart, axis=None, kind="stable").tolist():
        i, k = divmod(flat, len(tracks))
        if apart[i, k] >= SAME_TILE:
            break
        if which[i] is None and k not in used:
            which[i] = tracks[k]
            used.add(k)
    return which


# --- one tile -----------------------------------------------------------------------------------------------------


def _says(seen: SeenTile) -> Tile | None:
    """The first reading; None for a face-down tile."""
    return seen.readings[0].tile if seen.readings else None


def _is_contested(track: _Track, looks: int) -> bool:
    """Whether some look saw no tile at a place, or another one than the rest."""
    return len(track.seen) < looks or len({_says(seen) for seen in track.seen.values()}) > 1


def _fused(track: _Track, looks: int) -> SeenTile:
    faces = [seen for seen in track.seen.values() if seen.kind is Kind.FACE]
    backs = [seen for seen in track.seen.values() if seen.kind is Kind.BACK]
    if len(backs) > len(faces):
        confidence = float(np.mean([seen.confidence for seen in backs])) * len(backs) / looks
        sure = sum(not seen.doubtful for seen in backs) > looks / 2 and not any(not seen.doubtful for seen in faces)
        return SeenTile(_median_quad([seen.quad for seen in backs]), Kind.BACK, (), round(confidence, 4), not sure)
    readings, confidence = _pooled(faces, looks)
    first = readings[0].tile
    alike = [seen for seen in faces if _says(seen) == first] or faces
    agree = sum(not seen.doubtful for seen in faces if _says(seen) == first)
    against = any(not seen.doubtful and _says(seen) != first for seen in track.seen.values())
    facings = [seen.facing for seen in alike if seen.facing is not None]
    return SeenTile(
        quad=_median_quad([seen.quad for seen in alike]),
        kind=Kind.FACE,
        readings=readings,
        confidence=confidence,
        doubtful=against or agree <= looks / 2,
        joker_open=any(seen.joker_open for seen in alike),
        facing=float(np.median(facings)) if facings else None,
    )


def _pooled(faces: Sequence[SeenTile], looks: int) -> tuple[tuple[Reading, ...], float]:
    """Readings of one face over its looks, and the confidence in the first."""
    listed = sorted({reading.tile for seen in faces for reading in seen.readings}, key=str)
    p = np.full((len(faces), len(listed) + 1), UNLISTED)
    for k, seen in enumerate(faces):
        for reading in seen.readings:
            p[k, listed.index(reading.tile)] = max(reading.p, UNLISTED)
        p[k, -1] = max(1.0 - sum(reading.p for reading in seen.readings), UNLISTED)
    worth = len(faces) / (1 + (len(faces) - 1) * CORRELATION)
    pooled = worth * np.log(p).mean(axis=0)
    pooled = np.exp(pooled - pooled.max())
    pooled /= pooled.sum()
    order = sorted(range(len(listed)), key=lambda i: (-pooled[i], str(listed[i])))
    best = order[0]
    # what one look justifies is the most that all of them do
    pooled[best] = max(min(pooled[best], p[:, best].max()), *pooled[order[1:2]], 0.0)
    first = listed[best]
    presence = float(np.mean([min(1.0, seen.confidence / seen.readings[0].p) for seen in faces]))
    read_so = [seen.confidence for seen in faces if _says(seen) == first]
    confidence = min(float(pooled[best]) * presence, max(read_so, default=1.0)) * len(faces) / looks
    readings = tuple(
        Reading(listed[i], round(float(pooled[i]), 4))
        for k, i in enumerate(order[:MOST_READINGS])
        if not k or pooled[i] > SMALLEST_READING
    )
    return readings, round(float(confidence), 4)


def _median_quad(quads: Sequence[Quad]) -> Quad:
    """The median corner by corner, of the quads that begin at the same corner as the first."""
    corners = np.array(quads, np.float64)
    side = float(np.linalg.norm(corners[0, 1] - corners[0, 0]))
    alike = corners[np.linalg.norm(corners[:, 0] - corners[0, 0], axis=1) < max(side, 1e-6) / 2]
    a, b, c, d = ((round(float(x), 1), round(float(y), 1)) for x, y in np.median(alike, axis=0))
    return a, b, c, d


# --- the table ----------------------------------------------------------------------------------------------------


def _layout(
    looks: Sequence[Observation], shown: Sequence[_Track], unread: Sequence[_Track]
) -> tuple[tuple[Row, ...], tuple[int, ...], tuple[int, ...]]:
    """Rows, tiles lying alone, and of these the ones that the look with the rows did not see.

    The rows are those of most of the looks that saw the most tiles; in a tie fewer rows, for what is joined wrongly
    is doubted and what is parted wrongly is not.
    """
    most = max((sum(k in track.seen for track in shown) for k in range(len(looks))), default=0)
    whole = [k for k in range(len(looks)) if sum(k in track.seen for track in shown) == most]
    structures = {k: _structure(looks[k], shown, k) for k in whole}
    votes = Counter(structures.values())
    best = min(whole, key=lambda k: (-votes[structures[k]], len(structures[k]), k))
    alike = [k for k in whole if structures[k] == structures[best]]
    rows = []
    for members in structures[best]:
        gaps = np.median([_gaps(looks[k], shown, k, members) for k in alike], axis=0)
        touching = tuple(number for number, track in enumerate(unread) if _touches(looks, track, shown[members[0]]))
        rows.append(Row(members, tuple(float(gap) for gap in gaps), touching))
    placed = {i for row in rows for i in row.tiles}
    loose = tuple(i for i in range(len(shown)) if i not in placed)
    return tuple(rows), loose, tuple(i for i in loose if best not in shown[i].seen)


def _structure(look: Observation, tracks: Sequence[_Track], number: int) -> tuple[tuple[int, ...], ...]:
    """The rows of a look as numbers of tracks, sorted; what fell out of a row leaves the rest together."""
    where = {id(track.seen[number]): k for k, track in enumerate(tracks) if number in track.seen}
    rows = (tuple(where[id(look.tiles[i])] for i in row.tiles if id(look.tiles[i]) in where) for row in look.rows)
    return tuple(sorted(row for row in rows if len(row) > 1))


def _moved_in_rows(looks: Sequence[Observation], shown: Sequence[_Track]) -> set[int]:
    """The numbers of the tracks whose neighbours are others in some look than in another.

    Those beside a tile that some look missed do not count: the gap that it leaves may part a row.
    """
    beside: list[set[tuple[int, ...]]] = [set() for _ in shown]
    for number, look in enumerate(looks):
        near: dict[int, tuple[int, ...]] = {}
        for row in _structure(look, shown, number):
            for place, k in enumerate(row):
                near[k] = (*row[max(place - 1, 0) : place], *row[place + 1 : place + 2])
        for k, neighbours in enumerate(beside):
            neighbours.add(near.get(k, ()))
    missed = {k for k, track in enumerate(shown) if len(track.seen) < len(looks)}
    return {k for k, others in enumerate(beside) if len(others) > 1 and not missed & set().union(*others)}


def _gaps(look: Observation, shown: Sequence[_Track], number: int, members: Sequence[int]) -> list[float]:
    """The gaps of a row as one look saw it; where a tile fell out of it, its width is a gap."""
    seen = shown[members[0]].seen[number]
    row = next(row for row in look.rows if any(look.tiles[i] is seen for i in row.tiles))
    wanted = {id(shown[k].seen[number]) for k in members}
    gaps: list[float] = []
    width = 0.0
    for place, i in enumerate(row.tiles):
        if id(look.tiles[i]) in wanted:
            if len(gaps) < len(members) - 1 and place and wanted & {id(look.tiles[k]) for k in row.tiles[:place]}:
                gaps.append(width + (row.gaps[place - 1] if row.gaps else 0.0))
            width = 0.0
        elif place and row.gaps:
            width += 1.0 + row.gaps[place - 1]
    return gaps


def _touches(looks: Sequence[Observation], unread: _Track, member: _Track) -> bool:
    """Whether an unread region touched the row of a tile in at least half of the looks that saw both."""
    both = sorted(unread.unread.keys() & member.seen.keys())
    touched = 0
    for k in both:
        row = next((row for row in looks[k].rows if any(looks[k].tiles[i] is member.seen[k] for i in row.tiles)), None)
        touched += row is not None and any(looks[k].unread[i] is unread.unread[k] for i in row.unread_touching)
    return bool(touched) and touched >= len(both) / 2


def _notes(looks: Sequence[Observation]) -> tuple[str, ...]:
    """What more than half of the looks noted, in the order of the last one that did."""
    votes = Counter(note for look in looks for note in dict.fromkeys(look.notes))
    named = dict.fromkeys(note for look in reversed(looks) for note in look.notes)
    return tuple(note for note in named if votes[note] > len(looks) / 2)
