"""How well playing cards are read: decks taught from one photo, then read on other photos.

    python -m tests.measure.cards [--decks 6] [--seed 1] [--tilt 35] [--keep FOLDER]

Each deck is drawn, laid out by suit, photographed and taught through the same code as a real one; then tables are
photographed on other surfaces, under other lamps and from other sides.  One line for each way of laying cards: of the
cards with an index in sight how many were read rightly, how many were read wrongly, missed or invented without a flag
(silent), how many were flagged; then how many sets were found whole, and the commonest silent errors.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Observation, Quad
from tests.measure.families import FAIR_LIGHT, Tally
from tests.measure.judge_tables import random_legal_rows
from vision.cards.deck import Deck as TaughtDeck
from vision.cards.deck import DeckError, learn
from vision.cards.laid_out import corner_examples, read_laid_out
from vision.cards.look import CardEyes
from vision.render import effects
from vision.render.cards import APART, CardSpec, Deck, laid_out_by_suit, random_deck, render_cards
from vision.render.compose import RenderedTile
from vision.render.faces import BACK
from vision.render.scene import random_lighting
from vision.render.surfaces import brushed, carpet, cloth, marble, plain, stone, stripes, wood
from vision.render.table import RenderedTable, Shot
from vision.taught.laid_out import NotLaidOutError
from web.examine import tile_code

Image = NDArray[np.uint8]

SURFACES = (wood, cloth, plain, marble, carpet, stone, stripes, brushed)
GUIDE_ORDER = "RBKO"


@dataclass(frozen=True, slots=True)
class Way:
    """One way of laying cards on a table."""

    name: str
    steps: tuple[float, ...] = (APART,)
    fan_deg: float = 0.0
    column: bool = False


WAYS = (
    Way("lying apart"),
    Way("overlapping by three quarters", (0.27, 0.3, 0.34)),
    Way("overlapping by half", (0.5, 0.45, 0.55)),
    Way("in columns", (0.36, 0.4), column=True),
    Way("in fans", (0.3, 0.34), fan_deg=6.0),
)


@dataclass(slots=True)
class CardTally:
    """Counts of one way: cards, and sets found whole and with nothing else in them."""

    cards: Tally = field(default_factory=Tally)
    sets: int = 0
    sets_right: int = 0

    def line(self, name: str) -> str:
        """One line of the table."""
        return f"{self.cards.line(name)}  sets {self.sets_right}/{self.sets}"


def taught(rng: np.random.Generator, deck: Deck) -> TaughtDeck:
    """The deck as one photo teaches it; raises ``DeckError`` or ``NotLaidOutError``."""
    shot = Shot((2400, 1800), float(rng.uniform(0, 15)), float(rng.choice([0, 180, 90, 4])), 50, noise=0.3)
    surface = SURFACES[int(rng.integers(4))]
    table = render_cards(rng, deck, laid_out_by_suit(suits=GUIDE_ORDER), shot, surface, FAIR_LIGHT, in_order=True)
    image = effects.jpeg(table.scene.image, 88)
    return learn(corner_examples(image, read_laid_out(image)))


def photo_of(rng: np.random.Generator, deck: Deck, way: Way, tilt: float) -> RenderedTable:
    """A table of legal sets laid in one way, and a loose card."""
    rows = tuple(row[:7] for row in random_legal_rows(rng, 4))
    spec = CardSpec(rows, ("R13",), way.steps, tuple(float(v) for v in rng.choice([0, 90, 180, 30], 3)), way.fan_deg,
                    column=way.column)  # fmt: skip
    shot = Shot((2000, 1500), float(rng.uniform(0, tilt)), float(rng.normal(0, 15)), 50, noise=0.5)
    surface = SURFACES[int(rng.integers(len(SURFACES)))]
    return render_cards(rng, deck, spec, shot, surface, random_lighting(rng))


def compared(table: RenderedTable, seen: Observation) -> CardTally:
    """What was seen against the truth; a card is meant by what lies in the middle of its part in sight."""
    tally = CardTally()
    tiles = table.scene.tiles
    of_card: dict[int, list[int]] = {}
    for k, card in enumerate(seen.tiles):
        of_card.setdefault(_uppermost(tiles, np.mean(card.quad, axis=0)), []).append(k)
    unread = {_uppermost(tiles, np.mean(quad, axis=0)) for quad in seen.unread}
    unread |= {number for number, tile in enumerate(tiles) if _index_within(tiles, number, tile, seen.unread)}
    codes = [tile_code(card) for card in seen.tiles]
    for number, tile in enumerate(tiles):
        mine = of_card.pop(number, [])
        excused = number in unread or any(seen.tiles[k].doubtful for k in mine)
        right = [codes[k] for k in mine] == [tile.code]
        if not tile.legible or tile.code == BACK:
            if mine and not right and not excused:
                _error(tally, f"hidden {tile.code}>{'+'.join(codes[k] for k in mine)}")
            continue
        tally.cards.tiles += 1
        tally.cards.right += right
        tally.cards.flagged += excused
        if not right and not excused:
            _error(tally, f"{tile.code}>{'+'.join(codes[k] for k in mine) or 'missed'}")
    for k in of_card.pop(-1, []):
        if not seen.tiles[k].doubtful:
            _error(tally, f"nothing>{codes[k]}")
    found = Counter(tuple(sorted(codes[k] for k in row.tiles)) for row in seen.rows)
    for row in table.rows:
        tally.sets += 1
        tally.sets_right += found[tuple(sorted(tiles[k].code for k in row))] > 0
    return tally


def _error(tally: CardTally, what: str) -> None:
    tally.cards.silent += 1
    tally.cards.errors[what] += 1


def _index_within(tiles: tuple[RenderedTile, ...], number: int, tile: RenderedTile, quads: tuple[Quad, ...]) -> bool:
    """Whether an index of a card is in sight and lies in a place told as unread, such as one around a whole row."""
    quad = tile.quad.astype(np.float64)
    for corner in (0, 2):
        across, down = quad[(1, 3)[corner // 2]] - quad[corner], quad[(3, 1)[corner // 2]] - quad[corner]
        spot = quad[corner] + 0.1 * across + 0.12 * down
        if _uppermost(tiles, spot) == number and any(
            cv2.pointPolygonTest(np.array(place, np.float32), (float(spot[0]), float(spot[1])), False) >= 0
            for place in quads
        ):
            return True
    return False


def _uppermost(tiles: tuple[RenderedTile, ...], spot: NDArray[np.floating]) -> int:
    """The card that is seen at a place, −1 for the table."""
    for number in range(len(tiles) - 1, -1, -1):
        if cv2.pointPolygonTest(tiles[number].quad, (float(spot[0]), float(spot[1])), False) >= 0:
            return number
    return -1


@click.command()
@click.option("--decks", default=6, show_default=True, help="So many decks, each taught from one photo.")
@click.option("--seed", default=1, show_default=True)
@click.option("--tilt", default=35.0, show_default=True, help="Largest tilt of the camera in degrees.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the pictures in this folder.")
def main(decks: int, seed: int, tilt: float, keep: Path | None) -> None:
    """Print the table of ways."""
    cv2.setNumThreads(1)
    tallies = {way.name: CardTally() for way in WAYS}
    for number in range(decks):
        rng = np.random.default_rng([seed, number])
        deck = random_deck(rng)
        try:
            eyes = CardEyes(taught(rng, deck), {})
        except (DeckError, NotLaidOutError) as error:
            click.echo(f"deck {number}: not learned ({error})")
            continue
        for way in WAYS:
            table = photo_of(rng, deck, way, tilt)
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(keep / f"{number}_{way.name.replace(' ', '_')}.png"), table.scene.image)
            one = compared(table, eyes.look(table.scene.image).observation)
            total = tallies[way.name]
            total.cards.add(one.cards)
            total.sets += one.sets
            total.sets_right += one.sets_right
        click.echo(f"deck {number}: {sum(t.cards.right for t in tallies.values())} of "
                   f"{sum(t.cards.tiles for t in tallies.values())} right so far", err=True)  # fmt: skip
    for name, tally in tallies.items():
        click.echo(tally.line(name))


if __name__ == "__main__":
    main()
