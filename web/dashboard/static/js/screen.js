/* The spectators' screen: who is on turn, the clock, the table as tiles, the scores, the last ruling.  It shows what
   everybody at the table may know, and nothing can be done here. */

import { Clock } from "./clock.js";
import { make, put, rebuild } from "./draw.js";
import { follow } from "./poll.js";
import { alarms, at, silence, verdict, wrongWith } from "./status.js";
import { parseTable, table as drawn } from "./tiles.js";
import { say, signed } from "./words.js";

const EVERY_MS = 800;
const MOST_REASONS = 2;
const TILES = [9, 8, 7, 6, 5, 4.4, 3.9, 3.5, 3.1, 2.8, 2.5, 2.2, 1.9, 1.6, 1.4, 1.2, 1].map((size) => `${size}rem`);
const SCALES = [1, 0.92, 0.85, 0.78, 0.72, 0.66, 0.6, 0.55, 0.5];
const place = at("screen");
const clock = new Clock(at("clock"));
const alarm = alarms(at("trouble"));
let said = null; // the last ruling with whose turn it was: it stays when the next turn begins, not when it is taken back
let game = null; // nor when another game begins

function tell(news) {
  if ("view" in news) alarm("table", wrongWith(news));
  if (news.view) {
    if (news.view.game !== game) [game, said] = [news.view.game, null];
    show(news.view);
  }
  for (const { code, ruling, seat } of news.notices) said = code === "undone" ? null : ruling ? { ruling, seat } : said;
  if (news.view) showRuling(news.view);
}

function show(view) {
  const seat = view.seats[view.seat];
  put(at("who"), view.phase === "play" && seat ? seat.name : view.stage_words);
  put(at("stage"), [view.phase === "play" ? view.stage_words : "", view.paused ? say("paused") : "", say("round {round}", { round: view.round })].filter(Boolean).join(" · "));
  clock.follow(view);
  const laid = view.why || view.lying === null ? view.table : view.lying;
  if (rebuild(at("laid"), laid, () => drawn(parseTable(laid)))) fitTable();
  place.style.setProperty("--rows", view.seats.length);
  const is_new = rebuild(at("scores"), [view.seats.map(({ name, rack, total, active }) => [name, rack, total, active]), view.seat], () => scores(view));
  if (is_new) fitRuling();
  put(at("pool"), say("Pool: {count} tiles", { count: view.pool }));
}

function scores(view) {
  return view.seats.map((seat, k) => make("li", { "data-turn": String(k === view.seat && view.phase === "play"), "data-active": String(seat.active) },
    make("span", { class: "name" }, seat.name),
    make("span", { class: "rack" }, say("{count} tiles", { count: seat.rack })),
    make("span", { class: "points" }, signed(seat.total), make("span", { class: "visually-hidden" }, say("points")))));
}

function showRuling(view) {
  const is_new = rebuild(at("ruling"), said, () => {
    if (!said) return make("p", { class: "quiet" }, say("Nothing was ruled on yet."));
    return [make("p", { class: "row" }, verdict(said.ruling.verdict), make("span", {}, view.seats[said.seat]?.name ?? "")),
      ...said.ruling.reasons.slice(0, MOST_REASONS).map((one) => make("p", { class: "why" }, one.text))];
  });
  if (is_new) fitRuling();
}

/** What an element holds as large as its place leaves room for. */
function fit(element, property, sizes) {
  for (const size of sizes) {
    element.style.setProperty(property, size);
    if (element.scrollHeight <= element.clientHeight + 1) return;
  }
}

const fitTable = () => fit(at("laid"), "--tile", TILES);
const fitRuling = () => fit(at("ruling").parentElement, "--scale", SCALES);

new ResizeObserver(fitTable).observe(at("laid"));
window.addEventListener("resize", fitRuling);
follow(`/api/v1/tables/${place.dataset.table}/events`, tell, silence(alarm), EVERY_MS);
