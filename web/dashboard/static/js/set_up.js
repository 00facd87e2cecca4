/* Setting a table up: names are remembered by this browser, a preset shows how it differs, the picture is live. */

import { drawLight, followLight } from "./light.js";
import { Region } from "./region.js";
import { ask } from "./session.js";
import { say } from "./words.js";

const place = document.getElementById("set-up");
const table = place.dataset.table;
const form = document.getElementById("set-up-game");
const players = document.getElementById("players");
const rules = document.getElementById("rules");
const trouble = document.getElementById("set-up-trouble");
const KEPT = "tileref-players";
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

document.getElementById("player-more").addEventListener("click", () => {
  more();
  inputs().at(-1).focus();
});
document.getElementById("player-fewer").addEventListener("click", () => {
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

const anyway = document.getElementById("begin-anyway");
let begins = false; // whoever taps twice wants one game
form.addEventListener("submit", (event) => {
  event.preventDefault();
  begin(false);
});
anyway.addEventListener("click", () => begin(true));

async function begin(in_any_light) {
  if (begins) return;
  begins = true;
  trouble.textContent = "";
  anyway.hidden = true;
  const names = inputs().map((input) => input.value.trim());
  const starter = document.getElementById("draw").checked ? null : 0;
  try {
    const game = { players: names, starter, rules: rules.value, box: document.getElementById("box").value };
    await ask(`/tables/${table}/game`, { method: "POST", body: { ...game, anyway: in_any_light } });
    localStorage.setItem(KEPT, JSON.stringify(names));
    location.assign(`/tables/${table}/desk`);
  } catch (error) {
    trouble.textContent = error.message;
    anyway.hidden = !error.told?.anyway;
  } finally {
    begins = false;
  }
}

const at = (id) => document.getElementById(id);
const region = new Region(table, at);
followLight(table, () => true, (light) => {
  drawLight(light, { state: at("light-state"), sentences: at("light-sentences"), list: at("light") });
  region.look();
});

let after = 0;
let seen = false;
async function look() {
  try {
    const news = await ask(`/tables/${table}/events?after=${after}`);
    if (news) show(news);
  } catch (error) {
    tellCamera(error.message);
  }
  setTimeout(look, 700);
}

function show(news) {
  after = news.seq;
  if (news.picture) {
    at("set-up-picture").src = `/api/v1/tables/${table}/picture.jpg?seq=${news.picture.number}`;
    region.sized(news.picture);
    if (!seen) at("phone-code")?.removeAttribute("open"); // the phone is there
    seen = true;
  }
  if ("view" in news) tellCamera(news.trouble || news.view?.fault_words || news.view?.why_words || "");
}

function tellCamera(sentence) {
  at("set-up-camera").textContent = sentence;
  at("set-up-camera").hidden = !sentence;
}
look();
