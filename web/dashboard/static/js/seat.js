/* A player's phone: whose turn it is, and what he may do himself. */

import { follow } from "./poll.js";
import { act, ask } from "./session.js";
import { at, showTrouble, silence } from "./status.js";
import { say } from "./words.js";

const place = at("seat");
const state = at("seat-state");
const button = at("seat-end");
const starts = at("seat-clock");
const count = at("seat-count");
const trouble = at("seat-trouble");
const table = place.dataset.table;
const EVERY_MS = 700;
let seat = place.dataset.seat === "" ? null : Number(place.dataset.seat);
let game = null; // the one in which this seat was taken

/** The code behind the # is exchanged for a session, and leaves the address. */
async function takeSeat() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  try {
    seat = (await ask(`/tables/${table}/seat-session`, { method: "POST", body: { token } })).seat;
  } catch (error) {
    showTrouble(trouble, error.message);
  }
}

function tell({ view }) {
  if (!view || seat === null) return;
  game ??= view.game;
  if (view.game !== game) { // another game began: its seats have other codes
    seat = null;
    [button.hidden, starts.hidden, count.hidden] = [true, true, true];
    state.textContent = say("Scan the code of your seat: the referee shows it.");
    return;
  }
  const own = view.seats[seat];
  state.textContent = own ? `${own.name} · ${view.seats[view.seat].name}: ${view.stage_words}` : "";
  count.hidden = !["count", "between"].includes(view.stage);
  starts.hidden = view.stage !== "ready" || view.clock_starter !== seat;
  button.hidden = view.seat !== seat || !["ready", "play", "fix"].includes(view.stage);
}

async function asked(what) {
  showTrouble(trouble, "");
  await act(table, { act: what }).catch((error) => showTrouble(trouble, error.message));
}

button.addEventListener("click", () => asked("CallTurnEnd"));
starts.addEventListener("click", () => asked("StartClock"));

await takeSeat();
follow(`/api/v1/tables/${table}/events`, tell, silence(trouble), EVERY_MS);
