import { act, ask } from "./session.js";

const place = document.getElementById("seat");
const state = document.getElementById("seat-state");
const button = document.getElementById("seat-end");
const starts = document.getElementById("seat-clock");
const trouble = document.getElementById("seat-trouble");
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
    trouble.textContent = error.message;
  }
}

let after = 0;
async function look() {
  try {
    const news = await ask(`/tables/${table}/events?after=${after}`);
    if (news) after = news.seq;
    const view = news?.view;
    if (view && seat !== null) {
      const own = view.seats[seat];
      state.textContent = own ? `${own.name} · ${view.seats[view.seat].name}: ${view.stage_words}` : "";
      document.getElementById("seat-count").hidden = !["count", "between"].includes(view.stage);
      starts.hidden = view.stage !== "ready" || view.clock_starter !== seat;
      button.hidden = view.seat !== seat || !["ready", "play", "fix"].includes(view.stage);
    }
  } finally {
    setTimeout(look, 700);
  }
}

async function asked(what) {
  trouble.textContent = "";
  await act(table, { act: what }).catch((error) => { trouble.textContent = error.message; });
}

button.addEventListener("click", () => asked("CallTurnEnd"));
starts.addEventListener("click", () => asked("StartClock"));

await takeSeat();
look();
