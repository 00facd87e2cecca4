/* Rulings, players and what happened, as parts of a page. */

import { make } from "./draw.js";
import { parseTiles, tile } from "./tiles.js";
import { say, sentence, signed } from "./words.js";

const VERDICTS = { legal: sentence("legal"), illegal: sentence("illegal"), cannot_tell: sentence("cannot tell") };

const WEIGHTS = { fault: sentence("fault"), doubt: sentence("doubt"), note: sentence("note") };

const RULED = ["ruled", "overruled", "fix"];

export const at = (id) => document.getElementById(id);

/** A sentence of alarm, hidden where there is none. */
export function showTrouble(element, sentence) {
  if (element.textContent !== sentence) element.textContent = sentence;
  element.hidden = !sentence;
}

/** Alarms of several kinds in one element: `tell(kind, sentence)` changes those of its own kind, and hides no others. */
export function alarms(element) {
  const told = new Map();
  return (kind, sentence) => {
    told.set(kind, sentence);
    showTrouble(element, [...new Set(told.values())].filter(Boolean).join(" "));
  };
}

/** Tells that the table does not answer, and stops telling it when it does. */
export const silence = (tell) => (error) => tell("silence", error ? say("The table does not answer; it is asked again and again.") : "");

/** What a table says is wrong: with its camera, with its log, with itself. */
export const wrongWith = ({ view, trouble }) => [view?.fault_words, view?.trouble, trouble].filter(Boolean).join(" ");

/** A ruling: the verdict as a word, what was laid, the sentences. */
export function rulingParts(ruling) {
  if (!ruling) return make("p", { class: "quiet" }, say("Nothing was ruled on yet."));
  return [
    make("p", { class: "row" }, verdict(ruling.verdict),
      ruling.by === "machine" ? null : make("span", {}, say("the referee's ruling")),
      ruling.final || ruling.verdict !== "illegal" ? null : make("span", { class: "quiet" }, say("not final: it may be mended"))),
    ruling.laid.length ? make("p", { class: "row laid-row" }, make("span", {}, say("laid")), ruling.laid.map((code) => tile(parseTiles(code)[0]))) : null,
    consequences(ruling),
    ruling.reasons.length ? make("ul", { class: "sentences" }, ruling.reasons.map(reason)) : null,
  ].filter(Boolean);
}

export function verdict(word) {
  return make("span", { class: "verdict", "data-verdict": word }, say(VERDICTS[word] ?? word));
}

function reason({ severity, text }) {
  return make("li", { "data-severity": severity }, make("span", { class: "visually-hidden" }, `${say(WEIGHTS[severity] ?? severity)}: `), text);
}

function consequences({ costs, opening, verdict: word }) {
  const parts = [opening !== null && word === "legal" ? say("opening: {points} points", { points: opening }) : "", ...costs].filter(Boolean);
  return parts.length ? make("p", {}, parts.join(" · ")) : null;
}

/** The rows of the players' table. */
export function seatRows(view) {
  return view.seats.map((seat, k) => make("tr", { "data-turn": String(k === view.seat && view.phase === "play"), "data-active": String(seat.active) },
    make("th", { scope: "row" }, seat.name), make("td", {}, String(seat.rack)),
    make("td", {}, seat.opened ? "✓" : "–", make("span", { class: "visually-hidden" }, seat.opened ? say("yes") : say("no"))),
    make("td", {}, signed(seat.total))));
}

/** One thing that happened. */
export function logLine(notice) {
  const ruled = RULED.includes(notice.code) && notice.ruling;
  const lines = ruled ? [notice.text[0], ...notice.ruling.reasons.map((one) => one.text)] : notice.text;
  return make("li", {}, lines.map((line) => make("p", {}, line)));
}
