"""Pictures that show no table of number tiles: other games, print, screens, bare rooms; each from a seed.

Whoever holds a camera referee over the wrong thing must be told so.  Things on a table are drawn flat, then seen
aslant by a camera with its faults; what comes from a screen stays as a computer draws it.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render import effects, surfaces
from vision.render.clutter import keyboard
from vision.render.fonts import JUDGE_FONTS, available_fonts, word_mask
from vision.render.palettes import JUDGE_PALETTES, from_hsv

Image = NDArray[np.uint8]
Picture = Callable[[np.random.Generator], Image]

WIDTH, HEIGHT = 1200, 900
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
WORDS = "the table is read from above and every tile that lies on it has a number and one of four colours".split()
SYMBOLS = "DejaVuSans"
"""The font that has suits and chessmen."""
RED, BLACK, WHITE, GREY = (40, 30, 200), (25, 25, 25), (250, 250, 250), (190, 190, 190)


def write(
    picture: Image, text: str, centre: tuple[float, float], height: float, ink: object, font: str | None = None
) -> None:
    """Print a word, its middle at ``centre`` (x, y); what reaches outside is left out."""
    mask = word_mask(font, text)
    size = (max(1, round(mask.shape[1] * height / mask.shape[0])), max(1, round(height)))
    share = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
    left, top = round(centre[0] - size[0] / 2), round(centre[1] - size[1] / 2)
    if left < 0 or top < 0 or left + size[0] > picture.shape[1] or top + size[1] > picture.shape[0]:
        return
    patch = picture[top : top + size[1], left : left + size[0]]
    patch[:] = (patch + (np.asarray(ink, np.float32) - patch) * share[..., None]).astype(np.uint8)


def card(picture: Image, x: float, y: float, width: float, height: float, colour: object, round_px: float = 8) -> None:
    """A rectangle with round corners, its middle at x, y, and a little shadow."""
    colour = [float(value) for value in np.asarray(colour)]
    for shift, tone in ((3, [0.35 * value for value in colour]), (0, colour)):
        inset = round_px
        corners = [(x - width / 2 + inset, y - height / 2 + inset), (x + width / 2 - inset, y + height / 2 - inset)]
        (left, top), (right, bottom) = [(round(a + shift), round(b + shift)) for a, b in corners]
        cv2.rectangle(picture, (left, top), (right, bottom), tone, -1)
        cv2.rectangle(picture, (left, top), (right, bottom), tone, round(2 * inset), cv2.LINE_AA)


def surface(rng: np.random.Generator) -> Image:
    """A bare table top."""
    kinds = surfaces.JUDGE_SURFACES + surfaces.TRAINING_SURFACES
    flat = kinds[int(rng.integers(len(kinds)))](rng, 700)
    return np.ascontiguousarray(cv2.resize(flat, (WIDTH, WIDTH), interpolation=cv2.INTER_CUBIC)[:HEIGHT])


def seen_aslant(flat: Image, rng: np.random.Generator, thing_px: float) -> Image:
    """A photo of what lies flat, uint8 (H, W, 3) BGR."""
    height, width = flat.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    lean = rng.uniform(0, 0.12) * width
    moved = corners + np.array([[lean, 0], [-lean, 0], [0, 0], [0, 0]], np.float32) + rng.normal(0, 8, (4, 2))
    homography = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    photo = cv2.warpPerspective(flat, homography, (width, height), borderMode=cv2.BORDER_REFLECT)
    field = effects.light_field(rng, height, width, 0.3)[..., None] * rng.uniform(0.7, 1.0)
    lit = np.clip(photo * field, 0, 255).astype(np.uint8)
    noisy = effects.sensor_noise(lit, rng, rng.uniform(1, 4), bool(rng.random() < 0.5))
    return effects.jpeg(effects.camera_look(noisy, rng, thing_px, 0.5), int(rng.integers(60, 95)))


def font(rng: np.random.Generator) -> str | None:
    installed = available_fonts(JUDGE_FONTS)
    return str(rng.choice(list(installed))) if installed else None


def spots(rng: np.random.Generator, width: float, height: float, gap: float) -> list[tuple[float, float]]:
    """Middles of things laid out in loose lines over most of the picture."""
    return [
        (float(x + rng.normal(0, 0.02) * width), float(y + rng.normal(0, 0.02) * height))
        for y in np.arange(60 + height / 2, HEIGHT - 40 - height / 2, height * (1 + gap))
        for x in np.arange(60 + width / 2, WIDTH - 40 - width / 2, width * (1 + gap))
        if rng.random() < 0.75
    ]


def bare_table(rng: np.random.Generator) -> Image:
    return seen_aslant(surface(rng), rng, 60)


def bare_room(rng: np.random.Generator) -> Image:
    """Walls, a floor, a window and furniture, out of focus as a camera left on its stand sees them."""
    picture = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    picture[:] = np.asarray(from_hsv(rng.uniform(20, 60), 0.1, rng.uniform(0.4, 0.9))).astype(np.uint8)
    picture[HEIGHT * 2 // 3 :] = surface(rng)[: HEIGHT - HEIGHT * 2 // 3]
    for _ in range(int(rng.integers(4, 12))):
        x, y = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
        tone = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.7), rng.uniform(0.1, 1))
        card(picture, x, y, rng.uniform(40, 400), rng.uniform(40, 400), tone)
    return seen_aslant(np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.8, 4)), np.uint8), rng, 60)


def page(rng: np.random.Generator) -> Image:
    """A printed page with numbers in its text."""
    picture, face = np.full((HEIGHT, WIDTH, 3), 244, np.uint8), font(rng)
    size = float(rng.uniform(14, 34))
    for y in np.arange(60, HEIGHT - 60, size * 1.7):
        words = [str(rng.choice(WORDS)) if rng.random() < 0.7 else str(rng.integers(1, 200)) for _ in range(30)]
        write_line(picture, words, 60, float(y), size, BLACK, face)
    return seen_aslant(picture, rng, 60)


def write_line(
    picture: Image, words: list[str], left: float, y: float, size: float, ink: object, face: str | None
) -> None:
    """Words side by side from ``left`` to the margin."""
    x = left
    for word in words:
        width = word_mask(face, word).shape[1] * size / word_mask(face, word).shape[0]
        if x + width > picture.shape[1] - 40:
            return
        write(picture, word, (x + width / 2, y), size, ink, face)
        x += width + 0.6 * size


def calendar(rng: np.random.Generator) -> Image:
    """A month on paper: numbers in a grid."""
    picture, face = np.full((HEIGHT, WIDTH, 3), 246, np.uint8), font(rng)
    wide, high = 150, 130
    for day in range(31):
        x, y = 90 + wide * (day % 7 + 0.5), 80 + high * (day // 7 + 0.5)
        cv2.rectangle(picture, (round(x - wide / 2), round(y - high / 2)), (round(x + wide / 2), round(y + high / 2)),
                      GREY, 2)  # fmt: skip
        write(picture, str(day + 1), (x, y), 46, RED if day % 7 == 6 else BLACK, face)
    return seen_aslant(picture, rng, 60)


def dominoes(rng: np.random.Generator) -> Image:
    picture = surface(rng)
    high = float(rng.uniform(110, 170))
    for x, y in spots(rng, high / 2, high, 0.12):
        card(picture, x, y, high / 2 - 4, high - 4, (225, 235, 240))
        cv2.line(picture, (round(x - high / 5), round(y)), (round(x + high / 5), round(y)), GREY, 2)
        for half in (-1, 1):
            for pip in rng.permutation(9)[: int(rng.integers(0, 7))]:
                column, row = pip % 3 - 1, pip // 3 - 1
                middle = (round(x + column * high / 8), round(y + half * high / 4 + row * high / 8))
                cv2.circle(picture, middle, round(high / 26), BLACK, -1, cv2.LINE_AA)
    return seen_aslant(picture, rng, high)


def chess(rng: np.random.Generator) -> Image:
    picture, side = surface(rng), 100
    tones = (from_hsv(30, 0.3, 0.9), from_hsv(25, 0.6, rng.uniform(0.3, 0.6)))
    for row in range(8):
        for column in range(8):
            x, y = 200 + column * side, 40 + row * side
            cv2.rectangle(picture, (x, y), (x + side, y + side), tones[(row + column) % 2], -1)
            if rng.random() < 0.45:
                man, ink = str(rng.choice(list("♚♛♜♝♞♟"))), BLACK if row < 4 else WHITE
                write(picture, man, (x + side / 2, y + side / 2), 66, ink, SYMBOLS)
    return seen_aslant(picture, rng, side)


def playing_cards(rng: np.random.Generator) -> Image:
    picture, face = surface(rng), font(rng)
    high = float(rng.uniform(150, 230))
    wide = high * 0.7
    for x, y in spots(rng, wide, high, 0.1):
        suit = str(rng.choice(list("♥♦♣♠")))
        rank = str(rng.choice("A 2 3 4 5 6 7 8 9 10 J Q K".split()))
        ink = RED if suit in "♥♦" else BLACK
        card(picture, x, y, wide - 6, high - 6, WHITE)
        for way in (-1, 1):
            write(picture, rank, (x + way * wide * 0.36, y + way * high * 0.39), high * 0.12, ink, face)
            write(picture, suit, (x + way * wide * 0.36, y + way * high * 0.26), high * 0.1, ink, SYMBOLS)
        write(picture, suit, (x, y), high * 0.3, ink, SYMBOLS)
    return seen_aslant(picture, rng, high)


def letter_tiles(rng: np.random.Generator) -> Image:
    picture, face = surface(rng), font(rng)
    side = float(rng.uniform(55, 95))
    for x, y in spots(rng, side, side, 0.06):
        card(picture, x, y, side - 2, side - 2, from_hsv(40, rng.uniform(0.12, 0.4), 0.92))
        write(picture, str(rng.choice(list(LETTERS))), (x, y), side * 0.5, BLACK, face)
        write(
            picture, str(rng.choice([1, 2, 3, 4, 8, 10])), (x + side * 0.33, y + side * 0.33), side * 0.17, BLACK, face
        )
    return seen_aslant(picture, rng, side)


def mahjong(rng: np.random.Generator) -> Image:
    """Tiles of a tile's shape with circles, sticks or strokes in red, green and blue."""
    picture = surface(rng)
    high = float(rng.uniform(80, 130))
    wide = high * 0.74
    inks = (RED, from_hsv(140, 0.8, 0.5), from_hsv(225, 0.8, 0.5), BLACK)
    for x, y in spots(rng, wide, high, 0.08):
        card(picture, x, y, wide - 3, high - 3, (228, 238, 242))
        kind, many = int(rng.integers(3)), int(rng.integers(1, 10))
        columns = 1 if many < 4 else 2 if many < 7 else 3
        for k in range(many):
            ink = inks[int(rng.integers(len(inks)))]
            a = round(x + (k % columns - (columns - 1) / 2) * wide * 0.27)
            b = round(y + (k // columns - (-(-many // columns) - 1) / 2) * high * 0.26)
            if kind == 0:
                cv2.circle(picture, (a, b), round(high * 0.1), ink, 3, cv2.LINE_AA)
                cv2.circle(picture, (a, b), round(high * 0.04), ink, -1, cv2.LINE_AA)
            elif kind == 1:
                cv2.line(picture, (a, round(b - high * 0.09)), (a, round(b + high * 0.09)), ink, round(high * 0.05))
            else:
                ends = np.round(rng.normal([x, y], high * 0.17, (2, 2))).astype(int).tolist()
                cv2.line(picture, tuple(ends[0]), tuple(ends[1]), ink, round(high * 0.05), cv2.LINE_AA)
    return seen_aslant(picture, rng, high)


def keyboards(rng: np.random.Generator) -> Image:
    picture = surface(rng)
    for y in range(60, HEIGHT - 250, 270):
        board = keyboard(rng)
        board = np.asarray(cv2.resize(board, None, fx=2.2, fy=2.2, interpolation=cv2.INTER_CUBIC), np.uint8)
        part = picture[y : y + board.shape[0], 80 : 80 + board.shape[1]]
        part[:] = board[: part.shape[0], : part.shape[1]]
    return seen_aslant(picture, rng, 80)


def keypad(rng: np.random.Generator) -> Image:
    """A pocket calculator or a telephone: large keys with digits."""
    picture, face = surface(rng), font(rng)
    card(picture, 600, 450, 560, 820, from_hsv(rng.uniform(0, 360), 0.2, rng.uniform(0.1, 0.9)), 20)
    key = np.asarray(from_hsv(40, rng.uniform(0, 0.2), rng.uniform(0.85, 1)))
    for number in range(12):
        x, y = 420 + 180 * (number % 3), 190 + 170 * (number // 3)
        card(picture, x, y, 120, 130, key, 12)
        write(picture, str(number + 1) if number < 9 else "*0#"[number - 9], (x, y), 60, BLACK, face)
    return seen_aslant(picture, rng, 120)


def dice(rng: np.random.Generator) -> Image:
    picture, side = surface(rng), float(rng.uniform(60, 110))
    for x, y in spots(rng, side, side, 1.2):
        card(picture, x, y, side, side, WHITE, 14)
        for pip in rng.permutation(9)[: int(rng.integers(1, 7))]:
            middle = (round(x + (pip % 3 - 1) * side / 4), round(y + (pip // 3 - 1) * side / 4))
            cv2.circle(picture, middle, round(side / 11), BLACK, -1, cv2.LINE_AA)
    return seen_aslant(picture, rng, side)


def screen_of_text(rng: np.random.Generator) -> Image:
    """A browser or an editor, pixel by pixel."""
    dark = rng.random() < 0.4
    picture = np.full((HEIGHT, WIDTH, 3), 30 if dark else 255, np.uint8)
    picture[:70] = from_hsv(rng.uniform(0, 360), 0.4, 0.7)
    face, size = font(rng), float(rng.uniform(14, 24))
    for y in np.arange(110, HEIGHT - 30, size * 1.8):
        words = [str(rng.choice(WORDS)) if rng.random() < 0.8 else str(rng.integers(1, 99)) for _ in range(25)]
        tone = from_hsv(rng.uniform(0, 360), 0.7, 0.8) if rng.random() < 0.2 else WHITE if dark else BLACK
        write_line(picture, words, 40, float(y), size, tone, face)
    return picture


def screen_of_keys(rng: np.random.Generator) -> Image:
    """A calculator on a phone's screen."""
    picture, face = np.full((HEIGHT, 600, 3), 245, np.uint8), font(rng)
    write(picture, "1234", (450, 90), 80, BLACK, face)
    for number in range(12):
        x, y = 110 + 190 * (number % 3), 260 + 165 * (number // 3)
        card(picture, x, y, 150, 130, from_hsv(210, 0.05, 0.9), 14)
        write(picture, "789456123.0="[number], (x, y), 55, BLACK, face)
    return picture


def screen_of_the_game(rng: np.random.Generator) -> Image:
    """Our own game played on a computer: the tiles are readable, but no table was photographed."""
    picture, face = np.empty((HEIGHT, WIDTH, 3), np.uint8), font(rng)
    picture[:] = np.asarray(from_hsv(rng.uniform(0, 360), rng.uniform(0.2, 0.7), rng.uniform(0.2, 0.6))).astype(
        np.uint8
    )
    palette, high = JUDGE_PALETTES[int(rng.integers(len(JUDGE_PALETTES)))], float(rng.uniform(60, 100))
    wide = high * 0.72
    for y in np.arange(100, HEIGHT - high, high * 1.5):
        first, colour, x = int(rng.integers(1, 9)), str(rng.choice(list("RBKO"))), float(rng.uniform(80, 200))
        for number in range(first, first + int(rng.integers(3, 6))):
            card(picture, x, float(y), wide - 4, high - 4, palette.body, high * 0.08)
            write(picture, str(number), (x, float(y) - high * 0.15), high * 0.36, palette.ink(colour), face)
            cv2.circle(picture, (round(x), round(y + high * 0.25)), round(high * 0.1), palette.ink(colour), 2)
            x += wide
    return picture


KINDS: dict[str, Picture] = {
    "bare table": bare_table, "bare room": bare_room, "page": page, "calendar": calendar, "dominoes": dominoes,
    "chess": chess, "playing cards": playing_cards, "letter tiles": letter_tiles, "mahjong": mahjong,
    "keyboards": keyboards, "keypad": keypad, "dice": dice, "screen of text": screen_of_text,
    "screen of keys": screen_of_keys, "screen of the game": screen_of_the_game,
}  # fmt: skip
