/* The end of a round: every rack typed, photographed or shown to the camera; the sheet fills itself; players agree. */

import { askFor } from "./asking.js";
import { correct, setsOf } from "./correct.js";
import { make, put, rebuild } from "./draw.js";
import { askDispute, read, sendPhoto } from "./send_photo.js";
import { act, reach } from "./session.js";
import { parseTiles, tile } from "./tiles.js";
import { number, say, sentence, signed } from "./words.js";

const place = document.getElementById("count");
const state = document.getElementById("state");
const trouble = document.getElementById("trouble");
const dialog = document.getElementById("ask");
const { table } = place.dataset;
const referee = place.dataset.referee === "yes";
const announced = new Set();
const COLUMNS = [
  ["rack", sentence("Rack")], ["jokers", sentence("Jokers")], ["penalty", sentence("Penalty")], ["lost", sentence("Lost")],
  ["bonus", sentence("Bonus")], ["score", sentence("Score")], ["total", sentence("Total")],
];
const ALWAYS = new Set(["rack", "score", "total"]);
const EVERY_MS = 1500;
let told = null;

async function look() {
  const answer = await reach(`/tables/${table}/count.json?announced=${[...announced].join(",")}`, { cache: "no-store", headers: { Accept: "application/json" } });
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) return put(state, found.error ?? String(answer.status));
  told = found;
  show();
}

function show() {
  const open = told.seats.filter((one) => one.active && one.rack === null).length;
  put(state, told.counting ? (open ? say("Racks still to be shown: {count}.", { count: open }) : say("All racks were shown."))
    : told.between ? say("Round {number} is counted.", { number: told.round }) : say("The round goes on: racks are shown when it is over."));
  const rows = told.seats.map((one, seat) => ({ ...one, seat })).filter((one) => one.active && mine(one.seat));
  rebuild(document.getElementById("racks"), [told.counting, told.between, rows, [...announced]], () => rows.map(rack));
  rebuild(document.getElementById("scores"), [told.sheet, told.seats.map((one) => one.confirmed)], () => (told.sheet ? scores() : []));
  document.getElementById("sheet").hidden = !told.sheet;
  put(document.getElementById("sum"), told.sheet ? sum() : "");
  rebuild(document.getElementById("steps"), [told.counting, told.between, open, rows, [...announced]], steps);
}

const mine = (seat) => referee || told.seat === seat;

function rack(one) {
  const tiles = one.rack === null ? null : make("div", { class: "felt rack" }, parseTiles(one.rack).map((each) => tile(each)));
  const worth = one.rack === null ? say("By the log: {count} tiles.", { count: one.held })
    : say("{count} tiles, worth {worth}.", { count: parseTiles(one.rack).length, worth: one.worth });
  return make("li", { class: "panel", "data-seat": one.seat }, make("h2", {}, one.name), tiles, make("p", {}, worth),
    one.differs && make("p", { class: "notice" }, say("The log counts {count} tiles on this rack: count again, or take it as shown.", { count: one.held })),
    told.counting && showing(one), told.between && agreeing(one));
}

function showing(one) {
  const button = (text, click, key) => make("button", { class: "button", type: "button", click, "data-key": `${key}-${one.seat}` }, text);
  const photo = make("label", { class: "button photo" }, say("Photo of the rack"),
    make("input", { type: "file", accept: "image/*,.heic,.heif", "data-key": `photo-${one.seat}`, change: ({ target }) => photographed(one, target) }));
  const camera = referee && button(say("Show it to the table's camera"), () => done({ act: "ShowRack", seat: one.seat, tiles: null }), "camera");
  const opening = referee && !one.opened && make("label", { class: "check" },
    make("input", { type: "checkbox", checked: announced.has(one.seat), "data-key": `announced-${one.seat}`, change: ({ target }) => announce(one.seat, target.checked) }),
    say("announced an opening for the next turn"));
  return make("div", { class: "row" }, photo, button(say("Type the rack"), () => typed(one), "type"),
    button(say("The rack is empty"), () => done({ act: "ShowRack", seat: one.seat, tiles: [] }), "empty"), camera || null, opening || null);
}

function announce(seat, did) {
  if (did) announced.add(seat);
  else announced.delete(seat);
  look();
}

async function typed(one) {
  const fields = [{ name: "tiles", label: sentence("Tiles, such as R5 K10-12 J"), kind: "text", value: one.rack ?? "" }];
  const answer = await askFor(dialog, { title: one.name, fields, yes: sentence("This is the rack") }, {});
  if (!answer) return;
  const words = parseTiles(answer.tiles).map(({ codes }) => codes.join("/") || "?");
  await done({ act: "ShowRack", seat: one.seat, tiles: words });
}

async function photographed(one, input) {
  const [photo] = input.files;
  input.value = "";
  if (!photo) return;
  trouble.hidden = true;
  try {
    const progress = (text) => put(state, text);
    const address = await sendPhoto(photo, place.dataset.rules, progress, place.dataset.box);
    settle(one, address, await read(address, progress));
  } catch (error) {
    refuse(error);
  }
}

/** What was read on a photo of a rack, corrected until it is all certain. */
function settle(one, address, first) {
  let reading = first;
  const host = make("div", {});
  const open = make("p", { class: "notice", role: "status" });
  const take = make("button", { class: "button chief", type: "button", click: () => {
    dialog.close();
    done({ act: "ShowRack", seat: one.seat, tiles: setsOf(reading).flat().map(({ codes }) => codes[0]) });
  } }, say("This is the rack"));
  const send = (edit) => askDispute(address, "/edits", { after: reading.edits, edit }).then((answer) => noted(answer.reading));
  const correction = correct(host, { picture: { href: `${address}/picture.jpg`, alt: say("The photo of the rack") }, send, undo: () => send(null), ruled: false });
  function noted(next) {
    reading = next;
    const doubts = reading.tiles.filter((each) => each.doubtful || each.kind === "back").length + reading.unread.length;
    take.disabled = doubts > 0;
    open.hidden = doubts === 0;
    put(open, say("Tiles that must be made certain first: {count}. Tap them.", { count: doubts }));
    return reading;
  }
  dialog.replaceChildren(make("h2", { id: "ask-head" }, one.name), open, host, make("div", { class: "row" }, take,
    make("button", { class: "button", type: "button", click: () => dialog.close() }, say("Never mind"))));
  correction.show(noted(first));
  dialog.showModal();
}

function agreeing(one) {
  if (one.confirmed) return make("p", { class: "agreed" }, `✓ ${say("agrees with the scores")}`);
  return make("button", { class: "button chief", type: "button", "data-key": `agree-${one.seat}`, click: () => done({ act: "ConfirmScore", seat: one.seat }) },
    say("{name} agrees with the scores", { name: one.name }));
}

/** Columns in which something stands; a phone has no room for nothing. */
const columns = () => COLUMNS.filter(([key]) => ALWAYS.has(key) || told.sheet.rows.some((row) => row[key]));

function scores() {
  const head = make("tr", {}, make("th", { scope: "col" }, say("Player")), columns().map(([, title]) => make("th", { scope: "col" }, say(title))), make("th", { scope: "col" }, say("Place")));
  const rows = [...told.sheet.rows].sort((one, other) => one.place - other.place).map((row) => {
    const name = told.seats[row.seat].name;
    const won = told.sheet.winners.includes(row.seat);
    const cells = columns().map(([key]) => make("td", { "data-column": key }, key === "score" ? signed(row.score) : number(row[key])));
    return make("tr", { "data-seat": row.seat, class: won ? "won" : null }, make("th", { scope: "row" }, won ? `★ ${name}` : name), cells, make("td", {}, `${row.place}.`));
  });
  return [make("thead", {}, head), make("tbody", {}, rows)];
}

function sum() {
  const { zero_sum, comes_out, match_over } = told.sheet;
  return [
    zero_sum && (comes_out ? say("The scores sum to zero.") : say("The scores sum to something else than zero: count again.")),
    match_over && say("The match is over."),
    told.drafted && say("This is what counting the racks now would give."),
  ].filter(Boolean).join(" ");
}

function steps() {
  if (!referee) return [];
  const differs = told.seats.some((one) => one.active && one.differs);
  const step = (text, body, key) => make("button", { class: "button chief", type: "button", disabled: told.counting && !told.sheet, "data-key": key, click: () => done(body) }, text);
  if (told.counting) {
    const text = differs ? say("Count the racks as they were shown") : say("Count the round");
    return step(text, { act: "CountRound", announced: [...announced], as_shown: differs }, "count");
  }
  return told.between ? step(say("Next round"), { act: "NextRound" }, "next") : [];
}

async function done(body) {
  trouble.hidden = true;
  try {
    await act(table, body);
    if (body.act === "NextRound") return location.assign(place.dataset.desk); // who starts and the deal are told there
    await look();
  } catch (error) {
    refuse(error);
  }
}

function refuse(error) {
  put(trouble, error.message);
  trouble.hidden = false;
}

(async function follow() {
  if (!dialog.open) await look().catch(() => {});
  setTimeout(follow, document.hidden ? 4 * EVERY_MS : EVERY_MS);
})();
