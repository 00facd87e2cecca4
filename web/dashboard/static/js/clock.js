/* A clock that goes on by itself between two answers of the server, and stands still when it is told to. */

import { put } from "./draw.js";
import { say } from "./words.js";

const LOW_S = 10;

/** The clock in `element`: `follow(view)` shows what a table says of its time. */
export class Clock {
  constructor(element) {
    this.element = element;
    this.left = null;
    this.runs = false;
    this.since = performance.now();
    this.low = false;
    setInterval(() => this.show(), 200);
    this.show();
  }

  follow(view) {
    this.left = view.stage === "tidy" ? view.tidy_left_s : view.left_s; // in seconds, null: no limit
    this.runs = view.runs;
    this.since = performance.now();
    this.show();
  }

  get now() {
    if (this.left === null) return null;
    return Math.max(0, this.left - (this.runs ? (performance.now() - this.since) / 1000 : 0));
  }

  show() {
    const left = this.now;
    put(this.element, left === null ? "–" : clockText(left));
    this.element.setAttribute("aria-label", left === null ? say("no limit of time") : say("{seconds} seconds left", { seconds: Math.ceil(left) }));
    const state = left === null ? "none" : left <= 0 ? "over" : left <= LOW_S ? "low" : "plenty";
    if (this.element.dataset.state !== state) this.element.dataset.state = state;
    const still = left !== null && !this.runs ? "true" : "false";
    if (this.element.dataset.still !== still) this.element.dataset.still = still;
  }
}

/** Seconds as m:ss; a begun second is shown until it is over. */
export function clockText(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
