/* A game that was played: stepped through by arrow keys, every turn with its pictures and its ruling, then and by other
   rules. */

import { correct } from "./correct.js";
import { make, put } from "./draw.js";
import { reach } from "./session.js";
import { parseTable, parseTiles, table, tile } from "./tiles.js";
import { say, sentence, signed } from "./words.js";

const place = document.getElementById("history");
const { base } = place.dataset;
const state = document.getElementById("state");
const list = document.getElementById("turns");
const page = document.getElementById("turn");
const rules = document.getElementById("rules");
const VERDICTS = { legal: sentence("Legal"), illegal: sentence("Illegal"), cannot_tell: sentence("Cannot tell") };
const PICTURES = { before: sentence("Before the turn"), bell: sentence("At the bell"), after: sentence("As it was ruled on") };
const DEEDS = {
  removed: sentence("no tile lies there"), added: sentence("a tile lies there"), moved: sentence("it belongs to another set"),
  cut: sentence("another set begins here"), uncovered: sentence("the covered tile is known"), cleared: sentence("it is no covered tile"),
};
let [records, at, again, players] = [[], 0, {}, []];

async function ask(path) {
  const answer = await reach(base + path, { headers: { Accept: "application/json" } });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.error ?? String(answer.status));
  return told;
}

async function begin() {
  const told = await ask("/game.json");
  records = told.records;
  players = told.players;
  put(state, say("{state} · records: {count} · seal {seal}", { state: told.state_words, count: records.length, seal: told.seal || "–" }));
  state.classList.toggle("notice", told.changed);
  state.classList.toggle("grave", told.changed);
  document.getElementById("found-all").hidden = !told.found.length;
  document.getElementById("found").replaceChildren(...told.found.map((text) => make("li", {}, text)));
  document.getElementById("book").hidden = !records.length;
  const asked = records.findIndex((one) => `#${one.number}` === location.hash);
  if (records.length) show(asked < 0 ? 0 : asked);
}

function show(next) {
  at = Math.min(records.length - 1, Math.max(0, next));
  const record = records[at];
  history.replaceState(null, "", `#${record.number}`);
  list.replaceChildren(...records.map(entry));
  list.querySelector('[aria-current="true"]').scrollIntoView({ block: "nearest" });
  page.replaceChildren(...turn(record).flat().filter(Boolean));
}

function entry(record, i) {
  const verdict = record.decided?.verdict ?? record.verdict;
  const now = again[record.number];
  const marks = [verdict && chip(verdict, true), now?.differs && make("span", { class: "otherwise" }, say("otherwise"))];
  return make("li", {}, make("button", { type: "button", class: "entry", "aria-current": i === at ? "true" : null, click: () => show(i) },
    make("span", {}, title(record)), marks.filter(Boolean)));
}

const title = (record) => (record.occasion === "turn" ? say("Turn {number}: {player}", { number: record.turn ?? "?", player: record.player ?? "?" }) : record.words);

const chip = (verdict, small = false) => make("span", { class: `verdict${small ? " small" : ""}`, "data-verdict": verdict }, say(VERDICTS[verdict] ?? verdict));

function turn(record) {
  const when = new Date(record.at * 1000).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "medium" });
  return [
    make("h2", {}, title(record)),
    make("p", { class: "quiet" }, [record.round && say("Round {number}", { number: record.round }), when, record.rules].filter(Boolean).join(" · ")),
    record.verdict && make("p", { class: "row" }, chip(record.verdict), costs(record)),
    record.decided && make("p", { class: "row" }, say("The referee ruled:"), chip(record.decided.verdict), record.decided.reason),
    findings(record.findings),
    byOthers(again[record.number]),
    record.scored && scores(record.scored),
    record.said.length ? make("ul", {}, record.said.map((word) => make("li", {}, human(word)))) : null,
    record.table === null || record.table === undefined || (record.reading && record.pictures.after?.kept) ? null : make("div", { class: "felt" }, table(parseTable(record.table))),
    ...Object.entries(record.pictures).sort(([one], [other]) => order(one) - order(other)).map(([name, one]) => picture(record, name, one)),
  ];
}

function scores({ points, racks, winners }) {
  const rows = points.map((gained, seat) => make("tr", {}, make("th", { scope: "row" }, `${winners.includes(seat) ? "★ " : ""}${players[seat] ?? seat + 1}`),
    make("td", {}, signed(gained)),
    make("td", { class: "shown" }, parseTiles(racks[seat] ?? "").map((one) => tile(one)))));
  return make("table", { class: "scored" }, make("thead", {}, make("tr", {}, [say("Player"), say("Score"), say("Rack")].map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, rows));
}

const order = (name) => { const place = Object.keys(PICTURES).indexOf(name); return place < 0 ? 9 : place; };

function costs({ draw, points }) {
  const parts = [draw ? say("draws {count}", { count: draw }) : "", points ? say("loses {count} points", { count: points }) : ""];
  return parts.filter(Boolean).join(", ");
}

function findings(all) {
  const grave = all.filter((one) => one.message);
  if (!grave.length) return null;
  return make("ul", { class: "reasons" }, grave.map((one) => make("li", { "data-severity": one.severity }, one.message,
    one.switch ? make("span", { class: "quiet small" }, ` (${one.switch})`) : null)));
}

function byOthers(turn) {
  if (!turn) return null;
  if (!turn.now) return make("p", { class: "notice" }, say("By {rules} it cannot be ruled on again: {why}", { rules: rules.value, why: turn.why ?? "" }));
  return make("section", { class: turn.differs ? "notice" : "quiet" },
    make("p", { class: "row" }, say("By {rules}:", { rules: rules.value }), chip(turn.now.verdict), costs(turn.now), turn.differs ? "" : say("the same")),
    turn.differs ? findings(turn.now.findings) : null);
}

function human(word) {
  const read = word.read ?? say("no tile");
  if (word.did) return say("A human: {did}; the camera read {read}.", { did: say(DEEDS[word.did] ?? word.did), read });
  return say("A human said {said}; the camera read {read}.", { said: word.said, read });
}

function picture(record, name, one) {
  const caption = say(PICTURES[name] ?? name);
  if (!one.kept) return make("p", { class: "quiet" }, `${caption}: ${say("this picture is not kept.")}`);
  const href = `${base}/pictures/${one.sha256}.jpg`;
  if (name !== "after" || !record.reading) {
    return make("figure", {}, make("figcaption", {}, caption), make("img", { src: href, alt: caption, loading: "lazy" }));
  }
  const host = make("div", {});
  correct(host, { picture: { href, alt: caption }, may: false }).show(asReading(record.reading));
  return make("figure", {}, make("figcaption", {}, caption), host);
}

/** The reading of a record, as correct.js shows it: nobody corrects it any more. */
function asReading(reading) {
  const codes = reading.tiles.map((one) => one.tile);
  const ids = codes.map((_, i) => i);
  return { ...reading, ids, codes, unread_ids: reading.unread.map((_, i) => i), told: [], edits: 0, faces: "tiles", jokers: [],
    camera: { codes, tiles: codes, alternatives: reading.tiles.map((one) => one.alternatives.map(([code]) => code)), verdict: reading.verdict } };
}

rules.addEventListener("change", async () => {
  const said = document.getElementById("again");
  const wanted = rules.value;
  again = {};
  try {
    if (wanted) {
      put(said, say("Every turn is ruled on again …"));
      const told = await ask(`/again.json?rules=${encodeURIComponent(wanted)}`);
      if (rules.value !== wanted) return; // others were chosen meanwhile
      again = told.turns;
      const differ = Object.values(again).filter((one) => one.differs).length;
      put(said, say("Turns ruled otherwise: {count} of {all}.", { count: differ, all: Object.keys(again).length }));
    } else put(said, "");
  } catch (error) {
    if (rules.value === wanted) put(said, error.message);
  }
  show(at);
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("select, input, textarea, .correct-frame") || event.ctrlKey || event.altKey || event.metaKey) return;
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: records.length - 1 }[event.key];
  if (to === undefined || !records.length) return;
  event.preventDefault();
  show(to);
});

begin().catch((error) => put(state, error.message));
