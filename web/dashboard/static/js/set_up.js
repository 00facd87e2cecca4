/* Setting a table up: names are remembered by this browser, a preset shows how it differs, the picture is live. */

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
  const input = line.querySelector("input");
  input.value = name;
  players.append(line);
  input.setAttribute("aria-label", say("Player {number}", { number: inputs().length }));
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
rules.addEventListener("change", () => {
  for (const list of place.querySelectorAll("[data-preset]")) list.hidden = list.dataset.preset !== rules.value;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  trouble.textContent = "";
  const names = inputs().map((input) => input.value.trim());
  const starter = document.getElementById("draw").checked ? null : 0;
  try {
    await ask(`/tables/${table}/game`, { method: "POST", body: { players: names, starter, rules: rules.value } });
    localStorage.setItem(KEPT, JSON.stringify(names));
    location.assign(`/tables/${table}/desk`);
  } catch (error) {
    trouble.textContent = error.message;
  }
});

let after = 0;
async function look() {
  try {
    const news = await ask(`/tables/${table}/events?after=${after}`);
    if (news) show(news);
  } catch (error) {
    document.getElementById("set-up-camera").textContent = error.message;
  }
  setTimeout(look, 700);
}

function show(news) {
  after = news.seq;
  const picture = document.getElementById("set-up-picture");
  if (news.picture) {
    picture.hidden = false;
    picture.src = `/api/v1/tables/${table}/picture.jpg?seq=${news.picture.number}`;
  }
  if ("view" in news) {
    document.getElementById("set-up-camera").textContent = news.trouble || news.view?.fault_words || news.view?.why_words || "";
  }
}
look();
