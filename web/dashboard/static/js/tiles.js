/* Tiles, racks and tables from the text notation: `R5 J=R6 R7-9 | K10 B10 O10`, doubtful `R6/R9`, face-down `?`; cards
   `HA-4 | S7 J D7`. */

import { draw, make } from "./draw.js";
import { say, sentence } from "./words.js";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const NAMES = {
  R: sentence("red {number}"), B: sentence("blue {number}"), K: sentence("black {number}"), O: sentence("orange {number}"),
  H: sentence("{number} of hearts"), D: sentence("{number} of diamonds"), S: sentence("{number} of spades"), C: sentence("{number} of clubs"),
};
const JOKERS = {
  J: sentence("joker"), JD: sentence("double joker"), JC: sentence("colour-change joker"), JM: sentence("mirror joker"),
};
const SUITS = { H: "♥", D: "♦", S: "♠", C: "♣" };

/** The tiles of a set or rack: [{codes: ["R6", "R9"], meaning: "R6" | null}], `codes` empty for a face-down tile. */
export function parseTiles(text) {
  return text.split(/\s+/).filter(Boolean).flatMap(parseWord);
}

/** The sets of a table, each as `parseTiles` gives it. */
export function parseTable(text) {
  return text.split("|").map(parseTiles).filter((tiles) => tiles.length);
}

function parseWord(word) {
  if (word === "?") return [{ codes: [], meaning: null }];
  const span = /^([A-Za-z])(\d+|[AJQK])-(\d+|[AJQK])$/.exec(word);
  if (span) return spanned(span);
  const [codes, meaning = null] = word.split("=");
  return [{ codes: codes.split("/"), meaning }];
}

function spanned([, colour, first, last]) {
  const isCard = [first, last].some((rank) => /[AJQK]/.test(rank));
  const at = (rank) => (isCard ? RANKS.indexOf(rank) + 1 : Number(rank));
  const [from, to] = [at(first), at(last)];
  const step = from < to ? 1 : -1;
  const tiles = [];
  for (let number = from; number !== to + step; number += step) {
    tiles.push({ codes: [`${colour}${isCard ? RANKS[number - 1] : number}`], meaning: null });
  }
  return tiles;
}

/** What a code is called: "red 5", "joker". */
export function nameOf(code) {
  if (code === "?" || !code) return say("face-down tile");
  if (code in JOKERS) return say(JOKERS[code]);
  return say(NAMES[code[0]] ?? "{number}", { number: code.slice(1) });
}

/** What a tile is called: "red 6 or red 9", "joker for red 6". */
export function tileName({ codes, meaning }) {
  if (!codes.length) return nameOf("?");
  if (codes.length > 1) return say("{first} or {second}, doubtful", { first: nameOf(codes[0]), second: nameOf(codes[1]) });
  return meaning ? say("{joker} for {tile}", { joker: nameOf(codes[0]), tile: nameOf(meaning) }) : nameOf(codes[0]);
}

/** A tile as it looks.  `tag` "button" makes one to press; `more` are further attributes. */
export function tile(one, { tag = "span", ...more } = {}) {
  const doubtful = one.codes.length > 1;
  const label = tileName(one);
  const named = tag === "button" ? { type: "button", "aria-label": label } : { role: "img", "aria-label": label };
  return make(tag, { class: `tile${doubtful ? " doubtful" : ""}`, ...named, ...more }, face(one, doubtful));
}

function face(one, doubtful) {
  const parts = one.codes.length ? shown(one.codes[0], one.meaning) : [draw("rect", { class: "back", x: 2, y: 2, width: 60, height: 82, rx: 9 })];
  const plate = [draw("rect", { class: "edge", x: 2, y: 6, width: 60, height: 80, rx: 9 }),
    draw("rect", { class: "face", x: 2, y: 2, width: 60, height: 81, rx: 9 })];
  const doubt = doubtful ? [draw("circle", { class: "doubt", cx: 54, cy: 10, r: 12 }),
    draw("text", { class: "doubt-mark", x: 54, y: 16.5, "font-size": 18 }, "?")] : [];
  return draw("svg", { viewBox: "0 0 64 88", "aria-hidden": "true", focusable: "false" }, ...(one.codes.length ? plate : []), ...parts, ...doubt);
}

function shown(code, meaning) {
  if (code in JOKERS) return joker(code, meaning);
  const [ink, number] = [code[0], code.slice(1)];
  const text = draw("text", { class: "numeral", "data-ink": ink, x: 32, y: 46, "font-size": number.length > 1 ? 40 : 46 }, number);
  return [text, mark(ink, 32, 66, 9)];
}

function joker(code, meaning) {
  const points = Array.from({ length: 10 }, (_, k) => {
    const [reach, turn] = [k % 2 ? 8.5 : 21, (Math.PI * k) / 5 - Math.PI / 2];
    return `${(32 + reach * Math.cos(turn)).toFixed(1)},${(33 + reach * Math.sin(turn)).toFixed(1)}`;
  });
  const below = meaning ? [draw("text", { class: "numeral", "data-ink": meaning[0], x: 26, y: 77, "font-size": 22 }, meaning.slice(1)),
    mark(meaning[0], 47, 69.5, 6)] : [draw("text", { class: "numeral joker-star", x: 32, y: 76, "font-size": 20 }, code)];
  return [draw("polygon", { class: "joker-star", points: points.join(" ") }), ...below];
}

/** The mark of a colour: red ●, blue ■, black ▲, orange ◆; cards have their suits. */
export function mark(ink, x, y, r) {
  if (ink in SUITS) return draw("text", { class: "numeral", "data-ink": ink, x, y: y + r, "font-size": 3 * r }, SUITS[ink]);
  const at = { "data-ink": ink };
  if (ink === "R") return draw("circle", { ...at, cx: x, cy: y, r });
  if (ink === "B") return draw("rect", { ...at, x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8 });
  if (ink === "K") return draw("polygon", { ...at, points: `${x},${y - r} ${x + r * 1.1},${y + r * 0.85} ${x - r * 1.1},${y + r * 0.85}` });
  return draw("polygon", { ...at, points: `${x},${y - r * 1.2} ${x + r * 1.2},${y} ${x},${y + r * 1.2} ${x - r * 1.2},${y}` });
}

const WORDS = { true: sentence("legal"), false: sentence("illegal"), null: sentence("cannot tell") };
const ICONS = { true: "✓", false: "✕", null: "?" };

/** A table of sets, drawn as it is read.  `legal(i)` is true, false, null or undefined (not ruled on) for set i;
    `each(i, k, tile)` gives the options of one tile. */
export function table(sets, { legal = () => undefined, each = () => ({}) } = {}) {
  if (!sets.length) return make("p", { class: "laid-empty" }, say("Nothing lies on the table."));
  return make("ul", { class: "laid" }, sets.map((tiles, i) => {
    const ruled = legal(i);
    const badge = ruled === undefined ? null : make("span", { class: "badge" }, `${i + 1} ${ICONS[ruled]} ${say(WORDS[ruled])}`);
    const drawn = tiles.map((one, k) => tile(one, each(i, k, one)));
    return make("li", { class: "set", "data-legal": ruled === undefined ? null : String(ruled) }, badge, drawn);
  }));
}
