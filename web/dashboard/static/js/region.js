/* Where the table lies in the camera's picture: four corners that are tapped, dragged or moved by keys, or found. */

import { draw, make, put } from "./draw.js";
import { ask } from "./session.js";
import { say, sentence } from "./words.js";

const INSET = 0.06; // where the corners wait before anybody has said anything
const STEP = 0.004;
const COARSE = 8;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const FOUND_BY = {
  clicks: sentence("The table lies between the four corners."),
  markers: sentence("The table was found by its four printed markers."),
  tiles: sentence("The table was found by the tiles that lie on it."),
  whole: sentence("The whole picture counts as the table."),
};

export class Region {
  #table;
  #at;
  #size = null;
  #corners = []; // parts of the picture's width and height
  #handles;
  #tapped = new Set();
  #told = null;
  #changed = false;

  constructor(table, at) {
    this.#table = table;
    this.#at = at;
    this.#handles = [0, 1, 2, 3].map((k) => this.#handle(k));
    at("region-frame").append(...this.#handles);
    at("region-frame").addEventListener("click", (event) => this.#tap(event));
    at("region-use").addEventListener("click", () => this.#send(this.#asked(), at("region-use")));
    for (const button of at("region").querySelectorAll("[data-find]")) {
      button.addEventListener("click", () => this.#send({ find: button.dataset.find }, button));
    }
  }

  /** The picture has so many pixels; corners are told in them. */
  sized(size) {
    if (this.#size?.width === size.width && this.#size?.height === size.height) return;
    this.#size = size;
    this.#at("region").hidden = false;
    this.look();
  }

  /** Ask where the table lies by now: a camera that is moved takes it along. */
  async look() {
    if (!this.#size || document.hidden) return;
    try {
      this.#tell(await ask(`/tables/${this.#table}/region`));
    } catch (error) {
      put(this.#at("region-trouble"), error.message);
    }
  }

  #tell(told) {
    const key = JSON.stringify(told);
    if (key === this.#told) return;
    this.#told = key;
    put(this.#at("region-state"), told.trouble || say(FOUND_BY[told.found_by] ?? ""));
    const flat = this.#at("region-flat");
    flat.hidden = !told.corners;
    if (told.corners) flat.querySelector("img").src = `/api/v1/tables/${this.#table}/region.jpg?at=${Date.now()}`;
    if (!this.#changed) this.#place(told);
  }

  #place(told) {
    const far = 1 - INSET;
    this.#corners = told.corners
      ? told.corners.map(([x, y]) => [x / told.width, y / told.height])
      : [[INSET, INSET], [far, INSET], [far, far], [INSET, far]];
    this.#tapped.clear();
    this.#at("region-frame").dataset.used = String(Boolean(told.corners));
    this.#draw();
  }

  #draw() {
    this.#at("region-use").disabled = !this.#changed;
    this.#corners.forEach(([x, y], k) => {
      const style = this.#handles[k].style;
      [style.insetInlineStart, style.insetBlockStart] = [x, y].map((part) => `${100 * Math.min(1, Math.max(0, part))}%`);
      const [across, down] = [x, y].map((part) => Math.round(100 * part));
      this.#handles[k].setAttribute("aria-label", say("Corner {number}: {across} % across, {down} % down", { number: k + 1, across, down }));
    });
    const outline = this.#at("region-outline");
    outline.setAttribute("viewBox", "0 0 1 1");
    const points = around(this.#corners).map((corner) => corner.join(",")).join(" ");
    outline.replaceChildren(draw("polygon", { points, "vector-effect": "non-scaling-stroke" }));
  }

  #move(k, x, y) {
    this.#corners[k] = [x, y].map((part) => Math.min(1, Math.max(0, part)));
    this.#tapped.add(k);
    this.#changed = true;
    this.#at("region-frame").dataset.used = "false";
    this.#draw();
  }

  #handle(k) {
    return make("button", {
      type: "button", class: "corner", "data-corner": k,
      keydown: (event) => this.#key(k, event),
      pointerdown: (event) => event.target.setPointerCapture(event.pointerId),
      pointermove: (event) => {
        if (event.target.hasPointerCapture(event.pointerId)) this.#move(k, ...this.#part(event));
      },
    }, String(k + 1));
  }

  #key(k, event) {
    const arrow = ARROWS[event.key];
    if (!arrow || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const step = STEP * (event.shiftKey ? COARSE : 1);
    const [x, y] = this.#corners[k];
    this.#move(k, x + arrow[0] * step, y + arrow[1] * step);
  }

  /** A tap brings the nearest corner that was not tapped yet; once all were, the nearest of all. */
  #tap(event) {
    if (event.target.closest(".corner") || !this.#corners.length) return;
    const [x, y] = this.#part(event);
    if (this.#tapped.size === this.#corners.length) this.#tapped.clear();
    const open = [0, 1, 2, 3].filter((k) => !this.#tapped.has(k));
    const away = (k) => Math.hypot(this.#corners[k][0] - x, this.#corners[k][1] - y);
    this.#move(open.reduce((best, k) => (away(k) < away(best) ? k : best)), x, y);
  }

  #part(event) {
    const box = this.#at("region-frame").getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  #asked() {
    const { width, height } = this.#size;
    return { corners: this.#corners.map(([x, y]) => [x * (width - 1), y * (height - 1)]), width, height };
  }

  async #send(body, button) {
    put(this.#at("region-trouble"), "");
    button.setAttribute("aria-busy", "true");
    try {
      const told = await ask(`/tables/${this.#table}/region`, { method: "POST", body });
      this.#changed = false;
      this.#told = null;
      this.#tell(told);
    } catch (error) {
      put(this.#at("region-trouble"), error.message);
    } finally {
      button.removeAttribute("aria-busy");
    }
  }
}

/** Corners in the order in which a line goes round them. */
function around(corners) {
  const [x, y] = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length);
  const angle = (corner) => Math.atan2(corner[1] - y, corner[0] - x);
  return [...corners].sort((one, other) => angle(one) - angle(other));
}
