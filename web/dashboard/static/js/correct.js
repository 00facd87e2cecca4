/* Correcting a reading: tap a tile in the picture (or in the list of sets), tap what it is, done.  Likely readings come
   first; tiles are added, removed and moved; every step can be taken back.  Whoever uses this module says where the
   picture is and how an edit is sent, and gets its reading back:

     const correction = correct(host, { picture: { href, alt }, send, undo, may: true });
     correction.show(reading);   // { width, height, tiles, sets, loose, unread, ids, unread_ids, codes, told, camera,
                                 //   jokers, faces, edits }: web/disputes/case_json.py

   With `ruled: false` nothing is said of what is legal: a rack is no table.  `send(edit)` and `undo()` return a promise of the next reading.  Edits: web/disputes/edits.py. */

import { draw, keepFocus, make } from "./draw.js";
import { nameOf, table, tile } from "./tiles.js";
import { say } from "./words.js";

const COLOURS = ["R", "B", "K", "O"];
const SUITS = { R: "H", O: "D", K: "S", B: "C" };
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const MOST_CHOICES = 6;
const NEAR_PX = 26;
const STATES = { true: "legal", false: "illegal", null: "unsure" };
const ICONS = { true: "✓", false: "✕", null: "?" };
const ZOOMS = [1, 1.6, 2.5, 4];

/** A code of the text notation as the box prints it: cards have suits and ranks. */
export function printed(code, faces) {
  const told = /^([RBKO])(\d+)$/.exec(code);
  return faces === "cards" && told ? SUITS[told[1]] + RANKS[told[2] - 1] : code;
}

export function correct(host, { picture, send, undo, may = true, ruled = true }) {
  let [reading, busy, mode, zoom] = [null, false, null, 0];
  const image = make("img", { class: "correct-picture", src: picture.href || null, alt: picture.alt });
  const overlay = draw("svg", { class: "correct-overlay", "aria-hidden": "true", preserveAspectRatio: "none", click: tapped });
  const stage = make("div", { class: "correct-stage" }, image, overlay);
  const frame = make("div", { class: "correct-frame", tabindex: "0", role: "region", "aria-label": picture.alt }, stage);
  const hint = make("p", { class: "notice correct-hint", role: "status", hidden: true });
  const trouble = make("p", { class: "notice grave correct-trouble", role: "alert", hidden: true });
  const tools = make("div", { class: "row correct-tools" });
  const list = make("div", { class: "felt correct-list" });
  const sheet = make("dialog", { class: "sheet", "aria-labelledby": "sheet-title", click: (event) => event.target === sheet && sheet.close() });
  host.replaceChildren(trouble, hint, frame, tools, list, sheet);

  // --- showing ----------------------------------------------------------------------------------------------------

  function show(next) {
    const had = host.contains(document.activeElement) ? document.activeElement.dataset : {};
    reading = next;
    overlay.setAttribute("viewBox", `0 0 ${reading.width} ${reading.height}`);
    overlay.style.setProperty("--line-px", `${linePx()}px`);
    overlay.replaceChildren(...outlines());
    list.replaceChildren(table(setsOf(reading), { legal: (i) => (ruled ? legalOf(reading, i) : undefined), each: (i, k, one) => button(one) }));
    tools.replaceChildren(...[...toolButtons()].filter(Boolean));
    if (had.tile !== undefined) keepFocus(list, `[data-tile="${had.tile}"]`);
    if (had.tool !== undefined) keepFocus(tools, `[data-tool="${had.tool}"]`);
  }

  /** How thick outlines are on this screen: a small tile must not drown in its own. */
  function linePx() {
    const widths = reading.tiles.map((one) => width(one.quad)).sort((one, other) => one - other);
    const shown = ((widths[widths.length >> 1] ?? 0) * overlay.clientWidth) / reading.width;
    return shown ? Math.min(3, Math.max(1.25, shown / 10)) : 3;
  }

  function outlines() {
    const state = ruled ? stateOfTiles(reading) : reading.tiles.map(() => "");
    const marks = reading.unread.map((quad) => polygon(quad, "unread"));
    reading.tiles.forEach((one, i) => {
      const kinds = [state[i], one.doubtful ? "doubtful" : "", reading.told.includes(reading.ids[i]) ? "told" : ""];
      marks.push(polygon(one.quad, kinds.filter(Boolean).join(" ")));
    });
    reading.tiles.forEach((one, i) => marks.push(codeOf(one, i)));
    const taken = [];
    if (ruled) reading.sets.forEach((set, i) => marks.push(badge(set, i, taken)));
    return marks;
  }

  /** The code of a tile at its foot, as the camera or somebody said it. */
  function codeOf(one, i) {
    const [x, y] = along(one.quad, 0.5, 0.86);
    const size = Math.max(width(one.quad) * 0.34, reading.width / 110);
    return draw("text", { class: "code", x, y: y + size * 0.36, "font-size": size, "stroke-width": size / 5 }, `${reading.codes[i]}${one.doubtful ? "?" : ""}`);
  }

  /** A set's number and verdict, beside it where no other one stands; `taken` are the places of those, and gets this one's. */
  function badge(set, i, taken) {
    const [first, last] = [set.tiles[0], set.tiles.at(-1)].map((at) => reading.tiles[at].quad);
    const size = Math.min(Math.max(width(first) * 0.5, reading.width / 70), reading.width / 18);
    const [x, y] = badgePlace(first, last, size, taken);
    taken.push([x, y]);
    return draw("g", { class: `badge ${STATES[set.legal]}` }, draw("circle", { cx: x, cy: y, r: size * 0.8 }),
      draw("text", { x, y: y + size * 0.34, "font-size": i < 9 ? size : 0.75 * size, "text-anchor": "middle" }, `${i + 1}${ICONS[set.legal]}`));
  }

  /** Before the first tile, after the last, above or below the first: wherever a badge covers no other one, and no tile. */
  function badgePlace(first, last, size, taken) {
    const [across, down] = [(0.9 * size) / width(first), (0.9 * size) / height(first)];
    const places = [along(first, -across, 0.5), along(last, 1 + across, 0.5), along(first, 0.5, -down), along(first, 0.5, 1 + down)]
      .map(([x, y]) => [within(x, size, reading.width), within(y, size, reading.height)]);
    const apart = places.filter(([x, y]) => taken.every(([a, b]) => Math.hypot(x - a, y - b) > 1.6 * size));
    return apart.find((at) => reading.tiles.every(({ quad }) => away(at, quad) > 0.6 * size)) ?? apart[0] ?? places[0];
  }

  function button(one) {
    const said = reading.told.includes(reading.ids[one.at]);
    const label = `${nameOf(reading.codes[one.at])}${reading.tiles[one.at].doubtful ? `, ${say("doubtful")}` : ""}${said ? `, ${say("corrected")}` : ""}`;
    return {
      tag: may ? "button" : "span", "aria-label": label, "data-tile": reading.ids[one.at], "data-told": said,
      ...(may && { click: () => picked({ tile: one.at }) }), focus: () => lit(one.at, true), blur: () => lit(one.at, false),
    };
  }

  function lit(at, on) {
    overlay.querySelectorAll("polygon")[reading.unread.length + at]?.classList.toggle("lit", on);
  }

  function* toolButtons() {
    const tool = (name, text, click, more = {}) => make("button", { class: "button", type: "button", "data-tool": name, click, ...more }, text);
    yield tool("closer", say("Closer"), () => zoomed(1), { disabled: zoom === ZOOMS.length - 1 });
    yield tool("farther", say("Farther"), () => zoomed(-1), { disabled: zoom === 0 });
    if (!may) return;
    yield tool("add", say("Add a missed tile"), () => ask("add"));
    for (const [i] of reading.unread.entries()) {
      yield tool(`covered-${i}`, say("Covered tile {number}", { number: i + 1 }), () => picked({ region: i }));
    }
    if (ruled && reading.findings.some((one) => ["rack", "unlike_tiles", "drawn"].includes(one.code))) {
      yield tool("table", say("This is a table"), () => said({ edit: "table" }));
    }
    yield tool("undo", say("Undo"), () => carry(undo), { disabled: !reading.edits, "data-undo": true });
  }

  function zoomed(step) {
    const middle = [frame.scrollLeft + frame.clientWidth / 2, frame.scrollTop + frame.clientHeight / 2].map((at) => at / ZOOMS[zoom]);
    zoom = Math.min(ZOOMS.length - 1, Math.max(0, zoom + step));
    stage.style.inlineSize = `${100 * ZOOMS[zoom]}%`;
    frame.scrollTo(middle[0] * ZOOMS[zoom] - frame.clientWidth / 2, middle[1] * ZOOMS[zoom] - frame.clientHeight / 2);
    show(reading);
  }

  // --- tapping ----------------------------------------------------------------------------------------------------

  function tapped(event) {
    if (!may || !reading) return;
    const box = overlay.getBoundingClientRect();
    const scale = reading.width / box.width;
    const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    if (mode?.wants === "place") return picker(say("Which tile lies here?"), (face) => said({ edit: "add", at, face }));
    const found = [...reading.tiles.entries()].map(([i, one]) => [away(at, one.quad), { tile: i }]);
    found.push(...reading.unread.map((quad, i) => [away(at, quad), { region: i }]));
    const nearest = found.sort(([one], [other]) => one - other)[0];
    if (nearest && nearest[0] <= NEAR_PX * scale) picked(nearest[1]);
  }

  function picked(what) {
    if (mode?.wants === "neighbour" && what.tile !== undefined) return beside(mode.tile, reading.ids[what.tile]);
    if (what.region !== undefined) return covered(what.region);
    mode = null;
    hint.hidden = true;
    tileSheet(what.tile);
  }

  function ask(wants, tile = null) {
    mode = wants === "add" ? { wants: "place" } : { wants: "neighbour", tile };
    hint.replaceChildren(
      wants === "add" ? say("Tap the place in the picture where the tile lies.") : say("Tap the tile beside which it belongs."), " ",
      make("button", { class: "button plain", type: "button", click: stop }, say("Never mind")),
    );
    hint.hidden = false;
    hint.scrollIntoView({ block: "nearest" });
  }

  function stop() {
    mode = null;
    hint.hidden = true;
  }

  // --- the sheet --------------------------------------------------------------------------------------------------

  function tileSheet(at) {
    const [id, one] = [reading.ids[at], reading.tiles[at]];
    const read = one.kind === "back" ? [] : [one.tile, ...one.alternatives.map(([code]) => code)];
    const seen = reading.camera.tiles[id];
    const ever = seen === undefined ? [] : [seen, ...reading.camera.alternatives[id]];
    const choices = [...new Set([...read, ...ever, ...read.slice(0, 1).flatMap(mistaken)])].filter((code) => code !== "?").slice(0, MOST_CHOICES);
    const name = (face) => said({ edit: "name", tile: id, face });
    const does = (text, edit, more = {}) => make("button", { class: "button", type: "button", click: () => said(edit), ...more }, text);
    const inSet = reading.sets.find((set) => set.tiles.includes(at));
    open(nameOf(reading.codes[at]), crop(one.quad), cameraSaid(id),
      make("div", { class: "row choices", role: "group", "aria-label": say("Likely readings") }, choices.map((code) => face(code, name))),
      make("details", {}, make("summary", { class: "button" }, say("Another tile")), keyboard(name)),
      make("div", { class: "sheet-more" },
        does(say("No tile lies here"), { edit: "remove", tile: id }, { class: "button grave" }),
        make("button", { class: "button", type: "button", click: () => { sheet.close(); ask("move", id); } }, say("Move to another set")),
        inSet && does(say("It lies alone"), { edit: "move", tile: id, beside: null }),
        inSet && inSet.tiles[0] !== at && does(say("A new set begins here"), { edit: "cut", tile: id }),
        missing(at, -1), missing(at, 1)));
  }

  function missing(at, side) {
    const text = side < 0 ? say("A tile is missing before it") : say("A tile is missing after it");
    const click = () => picker(text, (face) => said({ edit: "add", at: placeBeside(reading, at, side), face }));
    return make("button", { class: "button", type: "button", click }, text);
  }

  function beside(tile, other) {
    const name = nameOf(reading.codes[reading.ids.indexOf(other)]);
    stop();
    const moved = (after) => () => said({ edit: "move", tile, beside: other, after });
    open(say("Where does it belong?"), make("div", { class: "row" },
      make("button", { class: "button chief", type: "button", click: moved(false) }, say("Before {tile}", { tile: name })),
      make("button", { class: "button chief", type: "button", click: moved(true) }, say("After {tile}", { tile: name }))));
  }

  function covered(region) {
    const id = reading.unread_ids[region];
    open(say("A covered or cut tile"), crop(reading.unread[region]), keyboard((face) => said({ edit: "uncover", region: id, face })),
      make("button", { class: "button grave", type: "button", click: () => said({ edit: "clear", region: id }) }, say("No tile lies here")));
  }

  function picker(title, chosen) {
    stop();
    open(title, keyboard(chosen));
  }

  function open(title, ...parts) {
    const close = make("button", { class: "button plain sheet-close", type: "button", "aria-label": say("Close"), click: () => sheet.close() }, "✕");
    sheet.replaceChildren(make("div", { class: "row sheet-head" }, make("h2", { id: "sheet-title" }, title), close), ...parts.filter(Boolean));
    if (!sheet.open) sheet.showModal();
    sheet.querySelector(".choices .tile, .keyboard .tile, .chief")?.focus();
  }

  function cameraSaid(id) {
    const code = reading.camera.codes[id];
    if (code === undefined) return make("p", { class: "quiet" }, say("The camera did not see this tile."));
    return make("p", { class: "quiet" }, say("The camera read: {tile}.", { tile: nameOf(code) }));
  }

  function face(code, chosen) {
    return tile({ codes: code === "?" ? [] : [printed(code, reading.faces)], meaning: null }, { tag: "button", click: () => chosen(code) });
  }

  function keyboard(chosen) {
    const rows = COLOURS.map((colour) => make("div", { class: "keys" }, RANKS.map((_, i) => face(`${colour}${i + 1}`, chosen))));
    return make("div", { class: "keyboard" }, rows, make("div", { class: "keys" }, [...reading.jokers, "?"].map((code) => face(code, chosen))));
  }

  function crop(quad) {
    const [cx, cy] = along(quad, 0.5, 0.5);
    const reach = 0.8 * Math.hypot(quad[3][0] - quad[0][0], quad[3][1] - quad[0][1]);
    const turn = (-180 / Math.PI) * Math.atan2(quad[1][1] - quad[0][1], quad[1][0] - quad[0][0]);
    return draw("svg", { class: "crop", viewBox: `${cx - reach} ${cy - reach} ${2 * reach} ${2 * reach}`, role: "img", "aria-label": say("This tile in the picture") },
      draw("g", { transform: `rotate(${turn} ${cx} ${cy})` },
        draw("image", { href: picture.href, width: reading.width, height: reading.height, preserveAspectRatio: "none" })));
  }

  // --- saying -----------------------------------------------------------------------------------------------------

  const said = (edit) => carry(() => send(edit));

  async function carry(step) {
    if (busy) return;
    busy = true;
    sheet.close();
    stop();
    trouble.hidden = true;
    host.setAttribute("aria-busy", "true");
    try {
      show(await step());
    } catch (error) {
      trouble.textContent = error.message;
      trouble.hidden = false;
    } finally {
      busy = false;
      host.removeAttribute("aria-busy");
    }
  }

  return {
    show,
    /** Show `picture.href` as it is now. */
    look: () => image.setAttribute("src", picture.href),
    /** Whether somebody is in the middle of a correction: another reading would take the tile from under his finger. */
    get engaged() {
      return busy || sheet.open || mode !== null;
    },
  };
}

/** The sets of a reading, then its single tiles, as `table` of tiles.js draws them; `at` is each tile's index. */
export function setsOf(reading) {
  const one = (at) => {
    const { kind, doubtful, alternatives } = reading.tiles[at];
    const other = doubtful && alternatives.length ? [printed(alternatives[0][0], reading.faces)] : doubtful ? [reading.codes[at]] : [];
    return { codes: kind === "back" ? [] : [reading.codes[at], ...other], meaning: null, at };
  };
  return [...reading.sets.map((set) => set.tiles.map(one)), ...reading.loose.map((at) => [one(at)])];
}

/** Whether the drawn set number `i` is legal; undefined for face-down tiles beside the sets. */
export function legalOf(reading, i) {
  if (i < reading.sets.length) return reading.sets[i].legal;
  const at = reading.loose[i - reading.sets.length];
  if (reading.tiles[at].kind === "back") return undefined;
  return reading.tiles[at].doubtful || reading.verdict !== "illegal" ? null : false;
}

function stateOfTiles(reading) {
  const state = reading.tiles.map((one) => (one.kind === "back" ? "back" : "unsure"));
  reading.loose.forEach((at, i) => { if (legalOf(reading, reading.sets.length + i) === false) state[at] = "illegal"; });
  for (const set of reading.sets) for (const at of set.tiles) state[at] = STATES[set.legal];
  return state;
}

function polygon(quad, kind) {
  return draw("polygon", { class: kind, points: quad.map((corner) => corner.join(",")).join(" "), "vector-effect": "non-scaling-stroke" });
}

/** What a tile is most often mistaken for: its number in another colour, 6 and 9. */
function mistaken(code) {
  const told = /^([RBKO])(\d+)$/.exec(code);
  if (!told) return [];
  const turned = { 6: ["9"], 9: ["6"] }[told[2]] ?? [];
  return [...turned.map((number) => told[1] + number), ...COLOURS.map((colour) => colour + told[2])];
}

/** A point at shares of a quad's width and height. */
function along([a, b, c, d], across, down) {
  const mix = (one, other, share) => one.map((value, k) => value + share * (other[k] - value));
  return mix(mix(a, b, across), mix(d, c, across), down);
}

const within = (at, margin, end) => Math.min(Math.max(at, margin), end - margin);
const width = ([a, b]) => Math.hypot(b[0] - a[0], b[1] - a[1]);
const height = ([a, , , d]) => Math.hypot(d[0] - a[0], d[1] - a[1]);

/** How far a point lies from a quad: 0 inside it. */
function away([x, y], quad) {
  let inside = true;
  let nearest = Infinity;
  const sense = Math.sign(cross(quad[0], quad[1], quad[2]));
  quad.forEach((one, i) => {
    const other = quad[(i + 1) % 4];
    if (Math.sign(cross(one, other, [x, y])) === -sense) inside = false;
    nearest = Math.min(nearest, toSide([x, y], one, other));
  });
  return inside ? 0 : nearest;
}

const cross = ([ax, ay], [bx, by], [x, y]) => (bx - ax) * (y - ay) - (by - ay) * (x - ax);

function toSide([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const share = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - share * dx, y - ay - share * dy);
}

/** Where a tile lies that was missed before (-1) or after (1) another: between it and its neighbour, or beyond it. */
function placeBeside(reading, at, side) {
  const set = reading.sets.find((one) => one.tiles.includes(at))?.tiles ?? [at];
  const k = set.indexOf(at);
  const centre = (i) => along(reading.tiles[i].quad, 0.5, 0.5);
  const here = centre(at);
  const beside = set[k + side];
  if (beside !== undefined) return centre(beside).map((value, axis) => here[axis] + 0.45 * (value - here[axis]));
  const opposite = set[k - side];
  const way = opposite === undefined ? along(reading.tiles[at].quad, 0.5 + side, 0.5) : centre(opposite).map((value, axis) => 2 * here[axis] - value);
  return [Math.min(Math.max(way[0], 0), reading.width), Math.min(Math.max(way[1], 0), reading.height)];
}
