/* How good the camera's picture is: asked for while somebody looks at the page, and not otherwise, as it costs time. */

import { make, put, rebuild } from "./draw.js";
import { ask } from "./session.js";
import { say, sentence } from "./words.js";

const EVERY_MS = 1500;
const SLOW_MS = 6000;
const STATES = {
  fine: sentence("The picture is good enough to rule on."),
  poor: sentence("The picture is good enough to rule on, but better light helps."),
  bad: sentence("The picture is not good enough to rule on."),
};

/** Calls `show(light)` again and again while `wanted()` and the page is seen. */
export function followLight(table, wanted, show) {
  async function look() {
    let wait = EVERY_MS;
    if (!document.hidden && wanted()) {
      try {
        show(await ask(`/tables/${table}/light`));
      } catch {
        wait = SLOW_MS; // what else the page asks tells why nobody answers
      }
    }
    setTimeout(look, wait);
  }
  look();
}

/** The meter: a bar and a word for each measure; the sentences say what helps. */
export function drawLight(light, { state, sentences, list }) {
  put(state, light.trouble || say(STATES[light.grade] ?? ""));
  state.dataset.grade = light.trouble ? "" : light.grade;
  rebuild(sentences, light.sentences, () => light.sentences.map((text) => make("li", {}, text)));
  if (list) rebuild(list, light.measures, () => light.measures.map(bar));
}

const bar = (one) => make("li", { "data-grade": one.grade },
  make("span", {}, one.text),
  make("meter", { min: 0, max: 1, low: 0.334, high: 0.666, optimum: 1, value: one.share, "aria-label": one.text }),
  make("span", { class: "grade" }, one.words));
