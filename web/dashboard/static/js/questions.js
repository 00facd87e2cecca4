/* Questions about doubtful tiles: the tile in the picture, its choices with the keys that take them. */

import { draw, make, rebuild } from "./draw.js";
import { centre } from "./live_edits.js";
import { parseTiles, tile } from "./tiles.js";
import { say, sentence } from "./words.js";

const ASKED = {
  doubtful: sentence("Which tile is this?"),
  changed: sentence("This tile was not moved and reads otherwise now: which is it?"),
  missing: sentence("This tile lay here and is not seen: is it there?"),
  hidden: sentence("Does a tile lie here that cannot be read? Then show its face."),
  copies: sentence("There are more copies than the box holds: which tile is this?"),
};
export const MOST_CHOICES = 9;

/** Show the questions of a view; `answer(question, tile)` takes one, `tile` null: none lies there. */
export function showQuestions(view, picture, answer) {
  const part = document.getElementById("questions");
  const asked = view.questions ?? [];
  part.hidden = !asked.length;
  const named = asked.map((one) => [one.number, one.choices, one.kind, one.quad]);
  const list = document.getElementById("questions-list");
  rebuild(list, [named, picture.size], () => asked.map((one) => question(one, picture, answer)));
  if (!view.why) for (const image of list.querySelectorAll("image")) image.setAttribute("href", picture.href);
}

function question(one, picture, answer) {
  const choice = (key, code) => make("button", {
    type: "button", class: "choice", "data-key": `${one.number}-${key}`, click: () => answer(one, code),
  }, code === null ? make("span", {}, say("No tile")) : tile(parseTiles(code)[0]), make("kbd", { "aria-hidden": "true" }, String(key)));
  return make("div", { class: "question", role: "group", "aria-label": say("Question {number}", { number: one.number + 1 }) },
    crop(one.quad, picture), make("p", {}, make("strong", {}, `${one.number + 1}. `), say(ASKED[one.kind] ?? ASKED.doubtful)),
    one.choices.slice(0, MOST_CHOICES).map((code, k) => choice(k + 1, code)), choice(0, null));
}

function crop(quad, { href, size }) {
  if (!href || !size) return null;
  const [cx, cy] = centre(quad);
  const reach = 0.9 * Math.hypot(quad[3][0] - quad[0][0], quad[3][1] - quad[0][1]);
  const turn = (-180 / Math.PI) * Math.atan2(quad[1][1] - quad[0][1], quad[1][0] - quad[0][0]);
  return draw("svg", { class: "crop", viewBox: `${cx - reach} ${cy - reach} ${2 * reach} ${2 * reach}`, role: "img", "aria-label": say("This tile in the picture") },
    draw("g", { transform: `rotate(${turn} ${cx} ${cy})` }, draw("image", { href, width: size.width, height: size.height, preserveAspectRatio: "none" })));
}
