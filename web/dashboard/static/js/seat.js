/* A player's phone: whose turn it is, and what the player may do. */

import { follow } from "./poll.js";
import { act, ask } from "./session.js";
import { at, showTrouble, silence } from "./status.js";

const EVERY_MS = 700;
const place = at("seat");
const button = at("seat-end");
const starts = at("seat-clock");
const trouble = at("seat-trouble");
const table = place.dataset.table;
let seat = place.dataset.seat === "" ? null : Number(place.dataset.seat);

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
  const own = view.seats[seat];
  at("seat-state").textContent = own ? `${own.name} · ${view.seats[view.seat].name}: ${view.stage_words}` : "";
  at("seat-count").hidden = !["count", "between"].includes(view.stage);
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
