"""Playing cards of our own drawing: decks of many styles, laid out by suit or played in overlapping rows.

Codes are those of tiles, as everywhere below the front desk: R hearts, O diamonds, K spades, B clubs, 1 to 13 for ace
to king, J the joker, ? the back.  Ranks come from installed fonts; suit signs, pips and court figures are drawn here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.render.compose import Lighting, Placed, lying
from vision.render.faces import BACK
from vision.render.fonts import JUDGE_FONTS, NumeralShape, available_fonts, numeral_mask, word_mask
from vision.render.jokers import JokerFace, joker_mask
from vision.render.palettes import Bgr, from_hsv
from vision.render.surfaces import Surface
from vision.render.table import RenderedTable, Shot, photograph

Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.float32]
Points = npt.NDArray[np.float64]

SUITS = "ROKB"
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
APART = 1.07
"""Step from card to card, in card widths, where they lie side by side."""
LEGIBLE_SHARE = 0.97
"""A card is legible when so much of one of its two indices is uncovered and inside the picture."""
_CLEARANCE = 0.22
_SIGN_PX = 160
_PIP_HEIGHT = 0.13
_COLUMN = {1: (0.5,), 2: (0.17, 0.83), 3: (0.17, 0.5, 0.83), 4: (0.17, 0.39, 0.61, 0.83)}
_PIPS: dict[int, tuple[int, tuple[float, ...]]] = {
    1: (0, (0.5,)), 2: (0, (0.17, 0.83)), 3: (0, (0.17, 0.5, 0.83)), 4: (2, ()), 5: (2, (0.5,)), 6: (3, ()),
    7: (3, (0.335,)), 8: (3, (0.335, 0.665)), 9: (4, (0.5,)), 10: (4, (0.28, 0.72)),
}  # fmt: skip
"""Pips of a rank: so many in each outer column, and where those of the middle column stand."""


@dataclass(frozen=True, slots=True)
class Deck:
    """One deck's style; lengths are shares of the card's height. It is a ``Box`` as the renderer knows it."""

    font: str | None
    inks: dict[str, Bgr]
    """Ink of each suit, by its colour letter."""
    rank_height: float = 0.095
    sign_height: float = 0.075
    index_x: float = 0.075
    """Middle of the index from the left edge."""
    index_y: float = 0.045
    """Upper end of the rank."""
    gap: float = 0.018
    """Between rank and suit sign."""
    widest_rank: float = 0.10
    body: Bgr = (250.0, 251.0, 252.0)
    pips: bool = True
    joker: JokerFace | None = None
    """A drawing in the joker's corner; None: the word, letters one below the other."""
    seed: int = 0
    aspect: float = 0.70
    thickness: float = 0.006
    side: Bgr = (225.0, 228.0, 230.0)

    def face(
        self, code: str, height_px: int, rng: np.random.Generator, light: tuple[float, float] = (0.0, 0.0)
    ) -> tuple[Image, Image]:
        """The card as BGR uint8 (h, w, 3) with alpha uint8 (h, w)."""
        del rng, light  # a card is flat, and all cards of a deck are printed alike
        face, alpha = _printed(_Key(self), code)
        size = (max(4, round(height_px * self.aspect)), height_px)
        return (
            np.asarray(cv2.resize(face, size, interpolation=cv2.INTER_AREA), np.uint8),
            np.asarray(cv2.resize(alpha, size, interpolation=cv2.INTER_AREA), np.uint8),
        )

    def numeral_area(self, code: str) -> tuple[float, float, float, float]:
        """The upper left index: left, top, right, bottom as shares of the face."""
        lower = self.index_y + self.rank_height + self.gap + self.sign_height
        if code == "J":
            lower = self.index_y + 5 * 0.62 * self.rank_height if self.joker is None else self.index_y + 0.13
        half = self.widest_rank / 2 / self.aspect
        return max(0.0, self.index_x / self.aspect - half), self.index_y, self.index_x / self.aspect + half, lower


@dataclass(frozen=True)
class _Key:
    """A deck that can be a key: its inks in order."""

    deck: Deck

    def __hash__(self) -> int:
        deck = self.deck
        return hash((deck.font, deck.seed, deck.rank_height, deck.sign_height, deck.index_x, deck.joker))


def random_deck(rng: np.random.Generator) -> Deck:
    """A deck as shops sell them: small, ordinary or large indices, two or four inks, word or picture on the joker."""
    fonts = available_fonts(JUDGE_FONTS)
    red = from_hsv(rng.uniform(-6, 8), rng.uniform(0.8, 0.97), rng.uniform(0.68, 0.85))
    black = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.04, 0.16))
    inks = {"R": red, "O": red, "K": black, "B": black}
    if rng.random() < 0.25:
        inks |= {"O": from_hsv(rng.uniform(205, 222), 0.9, 0.75), "B": from_hsv(rng.uniform(120, 150), 0.85, 0.48)}
    large = rng.random() < 0.3
    rank = float(rng.uniform(0.13, 0.17) if large else rng.uniform(0.075, 0.105))
    return Deck(
        font=fonts[int(rng.integers(len(fonts)))] if fonts else None,
        inks=inks,
        rank_height=rank,
        sign_height=rank * float(rng.uniform(0.7, 0.95)),
        index_x=0.03 + 0.46 * rank + float(rng.uniform(0, 0.012)),
        index_y=float(rng.uniform(0.035, 0.05)),
        gap=float(rng.uniform(0.014, 0.024)),
        widest_rank=rank * 0.92,
        body=from_hsv(rng.uniform(30, 60), rng.uniform(0, 0.07), rng.uniform(0.93, 1.0)),
        pips=bool(rng.random() < 0.85),
        joker=JokerFace(str(rng.choice(["star", "crown"]))) if rng.random() < 0.3 else None,
        seed=int(rng.integers(1 << 30)),
        aspect=float(rng.choice([0.65, 0.70, 0.716])),
    )


@dataclass(frozen=True, slots=True)
class CardSpec:
    """What lies on the table. A row is a list of codes from left to right (or, in columns, downwards).

    ``steps`` are the ways from card to card of each row in card widths, cycled: ``APART`` side by side, 0.25 so that
    each card leaves a quarter of the one below in sight.  ``facings`` turn the rows clockwise in degrees, cycled;
    ``fan_deg`` turns each card against the one before.  ``column``: rows are laid downwards, steps in card heights.
    """

    rows: tuple[tuple[str, ...], ...]
    loose: tuple[str, ...] = ()
    steps: tuple[float, ...] = (APART,)
    facings: tuple[float, ...] = (0.0,)
    fan_deg: float = 0.0
    messy: float = 1.0
    column: bool = False


def laid_out_by_suit(decks: int = 1, jokers: int = 2, suits: str = SUITS) -> CardSpec:
    """Whole decks as one lays them out to be learned: a row for each suit, ace to king, the jokers last."""
    rows = [tuple(f"{suit}{rank}" for rank in range(1, 14)) for _ in range(decks) for suit in suits]
    return CardSpec((*rows, ("J",) * jokers) if jokers else tuple(rows), steps=(1.12,), messy=0.6)


def render_cards(
    rng: np.random.Generator,
    deck: Deck,
    spec: CardSpec,
    shot: Shot,
    surface: Surface,
    lighting: Lighting,
    in_order: bool = False,
    hands: tuple[tuple[float, float], ...] = (),
) -> RenderedTable:
    """Lay the cards out, photograph them and say where everything is.

    ``in_order``: one row under the other, as a deck is laid out, instead of anyhow.  A tile of the scene is legible
    when one of its card's indices is.
    """
    groups = [*spec.rows, *((code,) for code in spec.loose)]
    placed = _lay_out(rng, deck, groups, spec, shot.size_wh[0] / shot.size_wh[1], in_order)
    flat = [replace(card, layer=k) for k, card in enumerate(card for group in placed for card in group)]
    table = photograph(rng, deck, flat, [len(group) for group in placed], len(spec.rows), shot, surface, lighting,
                       hands=hands)  # fmt: skip
    quads = [tile.quad for tile in table.scene.tiles]  # in layers: what comes later lies on what came before
    tiles = tuple(
        replace(tile, legible=_legible(deck, tile.code, quads[k], quads[k + 1 :], shot.size_wh))
        for k, tile in enumerate(table.scene.tiles)
    )
    return replace(table, scene=replace(table.scene, tiles=tiles))


def _legible(
    deck: Deck, code: str, quad: npt.NDArray[np.float32], above: list[npt.NDArray[np.float32]], size_wh: tuple[int, int]
) -> bool:
    """Whether one of a card's two indices lies in the picture and under none of the cards ``above`` it."""
    left, upper, right, lower = deck.numeral_area(code)
    x, y = (axis.ravel() for axis in np.meshgrid(np.linspace(left, right, 9), np.linspace(upper, lower, 9)))
    to_picture = cv2.getPerspectiveTransform(np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32), quad)
    near = [other for other in above if np.linalg.norm(other.mean(0) - quad.mean(0)) < np.ptp(quad, axis=0).sum()]
    for corner in (np.stack([x, y], 1), np.stack([1 - x, 1 - y], 1)):
        points = cv2.perspectiveTransform(corner[None].astype(np.float32), to_picture)[0]
        shown = ((points >= 0) & (points < size_wh)).all(axis=1)
        for other in near:
            inside = [cv2.pointPolygonTest(other, (float(px), float(py)), False) >= 0 for px, py in points]
            shown &= ~np.array(inside)
        if shown.mean() >= LEGIBLE_SHARE:
            return True
    return False


def _lay_out(
    rng: np.random.Generator,
    deck: Deck,
    groups: list[tuple[str, ...]],
    spec: CardSpec,
    picture_aspect: float,
    in_order: bool,
) -> list[list[Placed]]:
    """Every group as a row that touches no other, shelf by shelf; ``in_order``: one row a shelf, flush left."""
    shapes = [_row(rng, deck, group, number, spec) for number, group in enumerate(groups)]
    sizes = []
    for shape in shapes:
        corners = np.concatenate([card.corners(deck.aspect, 0.0)[:, :2] for card in shape])
        sizes.append((corners.min(0), corners.max(0)))
    extents = np.array([high - low for low, high in sizes]) + _CLEARANCE
    widest = float(extents[:, 0].max())
    line = widest if in_order else max(widest, 1.05 * float(np.sqrt(extents.prod(axis=1).sum() * picture_aspect)))
    x, y, deepest = 0.0, 0.0, 0.0
    result: list[list[Placed]] = [[] for _ in groups]
    for number in range(len(groups)) if in_order else rng.permutation(len(groups)).tolist():
        wide, deep = extents[number]
        if x > 0 and (in_order or x + wide > line):
            x, y, deepest = 0.0, y + deepest, 0.0
        move = np.append(np.array([x, y]) - sizes[number][0], 0.0)
        result[number] = [replace(card, centre=card.centre + move) for card in shapes[number]]
        x, deepest = x + wide, max(deepest, deep)
    everything = np.array([card.centre for group in result for card in group])
    middle = np.append((everything.min(0) + everything.max(0))[:2] / 2, 0.0)
    return [[replace(card, centre=card.centre - middle) for card in group] for group in result]


def _row(rng: np.random.Generator, deck: Deck, codes: tuple[str, ...], number: int, spec: CardSpec) -> list[Placed]:
    turn = spec.facings[number % len(spec.facings)] + spec.messy * float(np.clip(rng.normal(0, 1.5), -3, 3))
    step = spec.steps[number % len(spec.steps)]
    cards: list[Placed] = []
    spot = np.zeros(2)
    for k, code in enumerate(codes):
        angle = turn + spec.fan_deg * (k - (len(codes) - 1) / 2) + spec.messy * float(rng.normal(0, 0.7))
        way = np.radians(angle + (90 if spec.column else 0))
        along = np.array([np.cos(way), np.sin(way)])
        across = np.array([-along[1], along[0]])
        length = step * (1.0 if spec.column else deck.aspect)
        if k:
            uneven = 1 + spec.messy * float(np.clip(rng.normal(0, 0.05), -0.12, 0.12)) if step < 1 else 1.0
            spot = spot + along * length * uneven
        slip = across * spec.messy * float(np.clip(rng.normal(0, 0.012), -0.03, 0.03))
        cards.append(lying(code, float(spot[0] + slip[0]), float(spot[1] + slip[1]), angle))
    return cards


# --- print ------------------------------------------------------------------------------------------------------

_PRINT_PX = 560


@lru_cache(maxsize=256)
def _printed(key: _Key, code: str) -> tuple[Image, Image]:
    """A card's face as BGR uint8 (560, w, 3) with alpha."""
    deck = key.deck
    height, width = _PRINT_PX, round(_PRINT_PX * deck.aspect)
    canvas = np.broadcast_to(np.asarray(deck.body, np.float32), (height, width, 3)).copy()
    if code == BACK:
        _print_back(canvas, deck)
    else:
        half = canvas.copy()
        _print_index(half, deck, code)
        _print_middle(half, deck, code)
        canvas = np.minimum(half, half[::-1, ::-1])  # a card looks the same from both sides
        _print_centre(canvas, deck, code)
    alpha = np.zeros((height, width), np.uint8)
    radius = round(0.035 * height)
    cv2.rectangle(alpha, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(alpha, (x, y), radius, 255, -1, cv2.LINE_AA)
    rim = alpha - cv2.erode(alpha, np.ones((7, 7), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    canvas *= 1 - 0.28 * (rim[..., None].astype(np.float32) / 255)  # a cut edge takes the light otherwise
    return np.clip(canvas, 0, 255).astype(np.uint8), alpha


def _print_index(canvas: Mask, deck: Deck, code: str) -> None:
    height = canvas.shape[0]
    x, y = deck.index_x * height, deck.index_y * height
    if code == "J":
        ink = deck.inks["K"] if deck.seed % 2 else deck.inks["R"]
        if deck.joker is not None:
            _stamp(canvas, joker_mask(deck.joker, deck.seed), x, y + 0.065 * height, 0.13 * height, ink)
            return
        tall = 0.56 * deck.rank_height * height
        for k, letter in enumerate("JOKER"):
            mask = word_mask(deck.font, letter)
            _stamp(canvas, mask, x, y + tall * (0.5 + 1.1 * k), tall, ink, deck.widest_rank * height)
        return
    ink = deck.inks[code[0]]
    rank = RANKS[int(code[1:]) - 1]
    mask = numeral_mask(NumeralShape(deck.font), rank)[8:-8, 8:-8]
    tall = deck.rank_height * height
    _stamp(canvas, mask, x, y + tall / 2, tall, ink, deck.widest_rank * height)
    sign = deck.sign_height * height
    _stamp(canvas, suit_sign(code[0]), x, y + tall + deck.gap * height + sign / 2, sign, ink)


def _print_middle(canvas: Mask, deck: Deck, code: str) -> None:
    height, width = canvas.shape[:2]
    if code == "J":
        drawing = joker_mask(JokerFace.CLOWN, deck.seed)
        _stamp(canvas, drawing, width / 2, 0.34 * height, 0.3 * height, from_hsv(deck.seed % 360, 0.8, 0.6))
        return
    suit, rank = code[0], int(code[1:])
    if rank > 10:
        _print_court(canvas, deck, suit, rank)
    elif deck.pips and rank > 1:
        column, tall = _column(deck, code)
        outer, middle = _PIPS[rank]
        spots = [(x, y) for x in (column, 1 - column) for y in _COLUMN.get(outer, ())] + [(0.5, y) for y in middle]
        for x, y in spots:
            if y < 0.5:  # the lower ones stand on their heads: the card is turned and printed again
                _stamp(canvas, suit_sign(suit), x * width, y * height, tall * height, deck.inks[suit])


def _print_centre(canvas: Mask, deck: Deck, code: str) -> None:
    """What stands in the middle, the same way up from either side: the ace's sign, the pips of the middle line."""
    height, width = canvas.shape[:2]
    rank = 11 if code == "J" else int(code[1:])
    if rank > 10:
        return
    outer, middle = _PIPS[rank]
    if rank == 1 or not deck.pips:
        spots, tall = [0.5], 0.26
    else:
        column, tall = _column(deck, code)
        spots = [x for x in (column, 1 - column) if 0.5 in _COLUMN.get(outer, ())] + [0.5 for y in middle if y == 0.5]
    for x in spots:
        _stamp(canvas, suit_sign(code[0]), x * width, height / 2, tall * height, deck.inks[code[0]])


def _column(deck: Deck, code: str) -> tuple[float, float]:
    """Middle of the left column of pips in card widths, clear of the index, and the height of a pip."""
    free = deck.numeral_area(code)[2] + 0.035
    tall = min(_PIP_HEIGHT, 0.4 * (0.5 - free) * deck.aspect + 0.035)
    return max(0.30, free + 0.5 * tall / deck.aspect), tall


def _print_court(canvas: Mask, deck: Deck, suit: str, rank: int) -> None:
    """A framed half figure in the deck's inks: crown, head, gown and a sign of its suit."""
    height, width = canvas.shape[:2]
    rng = np.random.default_rng([deck.seed, ord(suit), rank])
    left, top = round(max(0.2, deck.numeral_area(f"{suit}{rank}")[2] + 0.02) * width), round(0.1 * height)
    frame = (left, top), (width - left, height - top)
    cv2.rectangle(canvas, *frame, (140.0, 90.0, 40.0), 2, cv2.LINE_AA)
    tints = [from_hsv(h, 0.85, v) for h, v in ((220, 0.6), (45, 0.95), (2, 0.8), (0, 0.1))]
    for _ in range(9):  # the folds of the gown
        spots = np.array([left + 6, 0.26 * height]) + rng.random((3, 2)) * (width - 2 * left - 12, 0.23 * height)
        cv2.fillPoly(canvas, [np.round(spots).astype(np.int32)], tints[int(rng.integers(4))], cv2.LINE_AA)
    head = (width // 2, round(0.22 * height))
    cv2.circle(canvas, head, round(0.06 * height), (170.0, 205.0, 240.0), -1, cv2.LINE_AA)
    cv2.circle(canvas, head, round(0.06 * height), (30.0, 30.0, 30.0), 2, cv2.LINE_AA)
    if rank > 11:
        _stamp(canvas, joker_mask(JokerFace.CROWN, deck.seed % 97 + rank), width / 2, 0.145 * height, 0.08 * height,
               tints[1])  # fmt: skip
    _stamp(canvas, suit_sign(suit), left + 0.09 * width, top + 0.07 * height, 0.09 * height, deck.inks[suit])


def _print_back(canvas: Mask, deck: Deck) -> None:
    height, width = canvas.shape[:2]
    ink = np.asarray(from_hsv(deck.seed % 360, 0.8, 0.6), np.float32)
    rim = round(0.045 * height)
    y, x = np.mgrid[0 : height - 2 * rim, 0 : width - 2 * rim].astype(np.float32)
    share = 0.55 + 0.45 * np.sign(np.sin((x + y) / 9.0) * np.sin((x - y) / 9.0))
    inner = canvas[rim : height - rim, rim : width - rim]
    inner += (ink - inner) * share[..., None]


def _stamp(canvas: Mask, mask: Mask, x: float, y: float, tall: float, ink: Bgr, widest: float = np.inf) -> None:
    """Print ``mask`` with its middle at (x, y), ``tall`` pixels high and at most ``widest`` wide."""
    wide = max(2, round(min(mask.shape[1] * tall / mask.shape[0], widest)))
    fitted = cv2.resize(mask, (wide, max(2, round(tall))), interpolation=cv2.INTER_AREA)
    top, left = round(y - fitted.shape[0] / 2), round(x - wide / 2)
    top, left = max(0, top), max(0, left)
    patch = canvas[top : top + fitted.shape[0], left : left + wide]
    share = fitted[: patch.shape[0], : patch.shape[1], None]
    patch += (np.asarray(ink, np.float32) - patch) * share


@lru_cache(maxsize=4)
def suit_sign(suit: str) -> Mask:
    """The sign of a suit (R heart, O diamond, K spade, B club) as a tight float32 mask, 0 to 1."""
    canvas = np.zeros((2 * _SIGN_PX, 2 * _SIGN_PX), np.uint8)
    unit = _SIGN_PX
    if suit == "O":
        _fill(canvas, np.array([[0, -1.0], [0.78, 0], [0, 1.0], [-0.78, 0]]) * 0.9)
    elif suit == "R":
        _fill(canvas, _heart())
    elif suit == "K":
        _fill(canvas, _heart() * (1, -0.85) - (0, 0.12))
        _fill(canvas, _stem())
    else:
        for x, y in ((0.0, -0.45), (-0.42, 0.16), (0.42, 0.16)):
            cv2.circle(canvas, (round(unit * (1 + x)), round(unit * (1 + y))), round(0.4 * unit), 255, -1, cv2.LINE_AA)
        _fill(canvas, _stem())
    ys, xs = np.nonzero(canvas > 40)
    tight = canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    return np.asarray(tight, np.float32) / 255.0


def _heart() -> Points:
    t = np.linspace(0, 2 * np.pi, 120)
    x = 16 * np.sin(t) ** 3
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    return np.stack([x, y], 1) / 18.5


def _stem() -> Points:
    return np.array([[-0.06, -0.1], [0.06, -0.1], [0.12, 0.55], [0.36, 0.9], [-0.36, 0.9], [-0.12, 0.55]])


def _fill(canvas: npt.NDArray[np.uint8], points: Points) -> None:
    cv2.fillPoly(canvas, [np.round((points + 1) * _SIGN_PX).astype(np.int32)], 255, cv2.LINE_AA)
