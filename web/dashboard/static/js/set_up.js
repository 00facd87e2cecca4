/* Setting a table up: names are remembered by this browser, a preset shows how it differs, the picture is live. */

import { drawLight, followLight } from "./light.js";
import { follow } from "./poll.js";
import { Region } from "./region.js";
import { ask } from "./session.js";
import { at, showTrouble, silence } from "./status.js";
import { say } from "./words.js";

const place = at("set-up");
const table = place.dataset.table;
const form = at("set-up-game");
const players = at("players");
const rules = at("rules");
const trouble = at("set-up-trouble");
const KEPT = "tileref-players";
const EVERY_MS = 700;
const FEWEST = 2;
const MOST = 8;

const inputs = () => [...players.querySelectorAll("input")];

function remembered() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}

function more(name = "") {
  if (inputs().length >= MOST) return;
  const line = players.lastElementChild.cloneNode(true);
  const number = inputs().length + 1;
  const input = line.querySelector("input");
  input.value = name;
  input.setAttribute("aria-label", say("Player {number}", { number }));
  const [up, down] = line.querySelectorAll("[data-move]");
  up.setAttribute("aria-label", say("Move seat {number} up", { number }));
  down.setAttribute("aria-label", say("Move seat {number} down", { number }));
  players.append(line);
}

if (inputs().every((input) => !input.value)) {
  remembered().slice(0, MOST).forEach((name, k) => {
    if (k < inputs().length) inputs()[k].value = name;
    else more(name);
  });
}

at("player-more").addEventListener("click", () => {
  more();
  inputs().at(-1).focus();
});
at("player-fewer").addEventListener("click", () => {
  if (inputs().length > FEWEST) players.lastElementChild.remove();
});
players.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (!button) return;
  const from = [...players.children].indexOf(button.closest("li"));
  const to = from + Number(button.dataset.move);
  if (to < 0 || to >= inputs().length) return;
  const [one, other] = [inputs()[from], inputs()[to]];
  [one.value, other.value] = [other.value, one.value];
  players.children[to].querySelector(`[data-move="${button.dataset.move}"]`).focus();
});
rules.addEventListener("change", () => {
  for (const list of place.querySelectorAll("[data-preset]")) list.hidden = list.dataset.preset !== rules.value;
});

const anyway = at("begin-anyway");
let begins = false; // whoever taps twice wants one game
form.addEventListener("submit", (event) => {
  event.preventDefault();
  begin(false);
});
anyway.addEventListener("click", () => begin(true));

async function begin(anyLight) {
  if (begins) return;
  begins = true;
  trouble.textContent = "";
  anyway.hidden = true;
  const names = inputs().map((input) => input.value.trim());
  const starter = at("draw").checked ? null : 0;
  try {
    const game = { players: names, starter, rules: rules.value, box: at("box").value };
    await ask(`/tables/${table}/game`, { method: "POST", body: { ...game, anyway: anyLight } });
    localStorage.setItem(KEPT, JSON.stringify(names));
    location.assign(`/tables/${table}/desk`);
  } catch (error) {
    trouble.textContent = error.message;
    anyway.hidden = !error.told?.anyway;
  } finally {
    begins = false;
  }
}

const region = new Region(table, at);
followLight(table, () => true, (light) => {
  drawLight(light, { state: at("light-state"), sentences: at("light-sentences"), list: at("light") });
  region.look();
});

let seen = false;
function show(news) {
  if (news.picture) {
    at("set-up-picture").src = `/api/v1/tables/${table}/picture.jpg?seq=${news.picture.number}`;
    region.sized(news.picture);
    if (!seen) at("phone-code")?.removeAttribute("open"); // the phone is there
    seen = true;
  }
  if ("view" in news) showTrouble(at("set-up-camera"), news.trouble || news.view?.fault_words || news.view?.why_words || "");
}
follow(`/api/v1/tables/${table}/events`, show, silence(at("set-up-camera")), EVERY_MS);
