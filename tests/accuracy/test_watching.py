"""A watched table is read as fresh eyes read it, one frame after anything changed: rendered tables, real networks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import Kind, Observation
from vision.look import Eyes
from vision.render import effects
from vision.render.compose import Lighting, Placed
from vision.render.faces import BACK, SixNineMark, StyledBox, Symbol, judge_box
from vision.render.surfaces import wood
from vision.render.table import Shot, TableSpec, lay_out, photograph
from vision.watch import Watcher
from web.examine import tile_code

Image = NDArray[np.uint8]
SPEC = TableSpec((("R5", "R6", "R7", "R8"), ("B9", "K9", "O9"), ("K11", "K12", "K13"), ("O1", "O2", "O3")), ("B6", "J"))
GROUPS = (*SPEC.rows, *((code,) for code in SPEC.loose))
LAMP = Lighting()
NEAR = Shot(size_wh=(800, 450), tilt_deg=25, noise=0)
FAR = Shot(size_wh=(1024, 576), tilt_deg=40, fill=0.25, noise=0)


@dataclass(frozen=True, slots=True)
class Table:
    """A box laid out once; the same picture is taken of it however often, whatever lies on single tiles."""

    box: StyledBox
    placed: tuple[tuple[Placed, ...], ...]
    shot: Shot

    @classmethod
    def laid(cls, shot: Shot) -> Table:
        rng = np.random.default_rng(3)
        box = replace(judge_box(rng), symbol=Symbol.NONE, mark=SixNineMark.BAR, patchy=0.0)
        groups = lay_out(rng, box, list(GROUPS), SPEC, shot.size_wh[0] / shot.size_wh[1])
        return cls(box, tuple(tuple(group) for group in groups), shot)

    def with_tile(self, group: int, place: int, code: str, turn: float = 0.0) -> Table:
        """Another tile lies there, or the same one turned."""
        old = self.placed[group][place]
        way = np.cos(np.radians(turn))
        new = replace(old, code=code, right=old.right * way, up=old.up * way)
        row = (*self.placed[group][:place], new, *self.placed[group][place + 1 :])
        return replace(self, placed=(*self.placed[:group], row, *self.placed[group + 1 :]))

    def without_group(self, group: int) -> Table:
        return replace(self, placed=(*self.placed[:group], *self.placed[group + 1 :]))

    def picture(self) -> Image:
        tiles = [tile for row in self.placed for tile in row]
        return photograph(
            np.random.default_rng(4), self.box, tiles, [len(row) for row in self.placed], 4, self.shot, wood, LAMP
        ).scene.image


def taken(picture: Image, seed: int, gain: float = 1.0) -> Image:
    """A frame of a fair camera."""
    lit = np.clip(picture * np.float32(gain), 0, 255).astype(np.uint8)
    return effects.jpeg(effects.sensor_noise(lit, np.random.default_rng(seed), 2.0, coarse=True), 92)


def what_lies_where(observation: Observation) -> list[tuple[str, tuple[float, float]]]:
    """Codes with the place of each numeral's upper left corner, of a face-down tile its middle, in cells of 8 px."""
    tiles = [
        (tile_code(tile), tile.quad[0] if tile.kind is Kind.FACE else np.mean(tile.quad, axis=0))
        for tile in observation.tiles
    ]
    return sorted((code, (round(float(x) / 8), round(float(y) / 8))) for code, (x, y) in tiles)


def rows(observation: Observation) -> list[tuple[str, ...]]:
    codes = [tile_code(tile) for tile in observation.tiles]
    return sorted(tuple(codes[i] for i in row.tiles) for row in observation.rows)


def assert_same(watched: Observation, fresh: Observation) -> None:
    """The same tiles at the same places (within two cells) in the same rows."""
    one, other = what_lies_where(watched), what_lies_where(fresh)
    assert [code for code, _ in one] == [code for code, _ in other]
    assert rows(watched) == rows(fresh)
    for code in {code for code, _ in one}:
        here, there = ([place for name, place in tiles if name == code] for tiles in (one, other))
        assert np.abs(np.array(here) - np.array(there)).max() <= 2


@pytest.fixture(scope="module")
def eyes(real_eyes: Eyes) -> Eyes:
    """The networks alone: another opinion on a doubtful tile is no matter here."""
    return real_eyes.with_parts(replace(real_eyes.parts, second=None))


CHANGES: dict[str, Callable[[Table], Table]] = {
    "another number": lambda table: table.with_tile(0, 2, "R12"),
    "a 5 for a 6": lambda table: table.with_tile(0, 1, "R5"),
    "12 for 13": lambda table: table.with_tile(2, 2, "K12"),
    "another colour": lambda table: table.with_tile(1, 1, "B9"),
    "red for orange": lambda table: table.with_tile(3, 0, "R1"),
    "turned by 180°": lambda table: table.with_tile(4, 0, "B6", turn=180),
    "a joker for a number": lambda table: table.with_tile(0, 3, "J"),
    "turned face down": lambda table: table.with_tile(3, 2, BACK),
    "a loose tile taken": lambda table: table.without_group(5),
}


@pytest.mark.parametrize("shot", [NEAR, FAR], ids=["near", "far"])
def test_after_any_change_the_next_frame_is_read_as_fresh_eyes_read_it(eyes: Eyes, shot: Shot) -> None:
    """One watcher sees all changes, one after the other, each in a frame of its own and back again."""
    table = Table.laid(shot)
    plain = table.picture()
    watcher = Watcher(eyes)
    first = watcher.look(taken(plain, 1)).observation
    assert watcher.look(taken(plain, 2)).observation is first
    for seed, (name, change) in enumerate(CHANGES.items(), start=10):
        frame = taken(change(table).picture(), seed)
        watched, fresh = watcher.look(frame).observation, eyes.look(frame).observation
        assert what_lies_where(watched) != what_lies_where(first), name
        assert_same(watched, fresh)
    assert_same(watcher.look(taken(plain, 3)).observation, first)


def test_a_light_that_fades_slowly_hides_no_swap(eyes: Eyes) -> None:
    table = Table.laid(FAR)
    plain, swapped = table.picture(), table.with_tile(2, 1, "K10").picture()
    watcher = Watcher(eyes)
    first = watcher.look(taken(plain, 1)).observation
    for step in range(1, 9):
        sight = watcher.look(taken(plain, step, 1 - 0.05 * step))
        assert [code for code, _ in what_lies_where(sight.observation)] == [code for code, _ in what_lies_where(first)]
    frame = taken(swapped, 20, 0.6)
    watched = watcher.look(frame).observation
    assert "K10" in [code for code, _ in what_lies_where(watched)]
    assert_same(watched, eyes.look(frame).observation)
