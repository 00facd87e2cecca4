/* A player's phone: whose turn it is, the clock, what the player may do, and the last ruling. */

import { Clock } from "./clock.js";
import { put, rebuild } from "./draw.js";
import { follow } from "./poll.js";
import { act, ask } from "./session.js";
import { alarms, at, rulingParts, silence, wrongWith } from "./status.js";
import { say } from "./words.js";

const place = at("seat");
const state = at("seat-state");
const turn = at("seat-turn");
const ruled = at("seat-ruled");
const clock = new Clock(at("seat-left"));
const button = at("seat-end");
const starts = at("seat-clock");
const count = at("seat-count");
const alarm = alarms(at("seat-trouble"));
const table = place.dataset.table;
const EVERY_MS = 700;
let seat = place.dataset.seat === "" ? null : Number(place.dataset.seat);
let game = null; // the one in which this seat was taken
let said = null; // the last ruling: it stays when the next turn begins, not when it is taken back

/** The code behind the # is exchanged for a session, and leaves the address. */
async function takeSeat() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  try {
    seat = (await ask(`/tables/${table}/seat-session`, { method: "POST", body: { token } })).seat;
  } catch (error) {
    alarm("asked", error.message);
  }
}

function tell(news) {
  const { view, notices } = news;
  if ("view" in news) alarm("table", wrongWith(news));
  if (!view || seat === null) return;
  game ??= view.game;
  if (view.game !== game) { // another game began: its seats have other codes
    seat = null;
    [turn.hidden, ruled.hidden] = [true, true];
    put(state, say("Scan the code of your seat: the referee shows it."));
    return;
  }
  for (const { code, ruling } of notices) said = code === "undone" ? null : ruling ?? said;
  show(view);
  rebuild(at("seat-ruling"), said, () => rulingParts(said));
}

function show(view) {
  const [own, now] = [view.seats[seat], view.seats[view.seat]];
  const plays = view.phase === "play" && now;
  put(state, own?.name ?? "");
  put(at("seat-now"), !plays ? view.stage_words : view.seat === seat ? say("It is your turn.") : say("{name} is on turn.", { name: now.name }));
  put(at("seat-stage"), plays ? view.stage_words : "");
  clock.follow(view);
  turn.dataset.own = String(Boolean(plays) && view.seat === seat);
  [turn.hidden, ruled.hidden] = [false, false];
  count.hidden = !["count", "between"].includes(view.stage);
  starts.hidden = view.stage !== "ready" || view.clock_starter !== seat;
  button.hidden = view.seat !== seat || !["ready", "play", "fix"].includes(view.stage);
}

async function asked(what) {
  alarm("asked", "");
  await act(table, { act: what }).catch((error) => alarm("asked", error.message));
}

button.addEventListener("click", () => asked("CallTurnEnd"));
starts.addEventListener("click", () => asked("StartClock"));

await takeSeat();
follow(`/api/v1/tables/${table}/events`, tell, silence(alarm), EVERY_MS);
