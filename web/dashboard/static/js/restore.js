/* The table that is put back: then and now side by side, what goes where, ticked off as it is seen. */

import { draw, make, put, rebuild } from "./draw.js";
import { parseTiles, tile } from "./tiles.js";
import { say, sentence } from "./words.js";

const LEFTOVERS = {
  pool: sentence("Tiles whose place nobody remembers go to the pool."),
  rack: sentence("Tiles whose place nobody remembers go to the player's rack."),
  pool_and_draw: sentence("Tiles whose place nobody remembers go to the pool, and the player draws as many."),
};

/** Show the steps of a view; `pictures` are {now, then} addresses, `size` {width, height} of the live picture. */
export function showRestoring(view, pictures, size) {
  const part = document.getElementById("restore");
  const is_due = view.stage === "restore";
  const appears = is_due && part.hidden;
  part.hidden = !is_due;
  if (!is_due) return false;
  put(document.getElementById("leftovers"), say(LEFTOVERS[view.leftovers] ?? ""));
  const open = view.restoring.filter((step) => !step.done);
  pointed(document.getElementById("then"), pictures.then, size, say("The table as it was before"), open.map((step) => step.home), "home");
  pointed(document.getElementById("nowadays"), pictures.now, size, say("The table as it lies now"), open.map((step) => step.lies), "lies");
  rebuild(document.getElementById("steps"), view.restoring, () => steps(view.restoring));
  return appears;
}

function steps(restoring) {
  if (!restoring.length) return make("li", {}, say("The table is looked at as soon as it is still."));
  let number = 0;
  return restoring.map((step) => make("li", { "data-done": String(step.done) },
    make("span", { class: "tick", role: "img", "aria-label": step.done ? say("done") : say("to do") }, step.done ? "✓" : String(++number)),
    tile(parseTiles(step.tile)[0]), make("span", {}, step.text)));
}

function pointed(host, href, size, alt, quads, kind) {
  if (!href || !size) return host.replaceChildren();
  let image = host.querySelector("img");
  if (!image) {
    image = make("img", { alt });
    host.replaceChildren(image, draw("svg", { "aria-hidden": "true" }));
  }
  if (image.getAttribute("src") !== href) image.src = href;
  const overlay = host.querySelector("svg");
  overlay.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  rebuild(overlay, quads, () => quads.flatMap((quad, i) => (quad ? marked(quad, i + 1, kind, size.width) : [])));
}

function marked(quad, number, kind, width) {
  const [x, y] = [0, 1].map((axis) => quad.reduce((sum, corner) => sum + corner[axis], 0) / 4);
  const size = width / 45;
  return [draw("polygon", { class: kind, points: quad.map((corner) => corner.join(",")).join(" "), "vector-effect": "non-scaling-stroke" }),
    draw("circle", { cx: x, cy: y, r: size * 0.75 }),
    draw("text", { x, y: y + size * 0.35, "font-size": size }, String(number))];
}
