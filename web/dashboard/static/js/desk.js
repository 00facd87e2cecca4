/* The referee's desk: shows what the table says, and asks of it what the referee wants. */

import { askFor } from "./asking.js";
import { Clock } from "./clock.js";
import { correct } from "./correct.js";
import { ACTS } from "./desk_acts.js";
import { make, put, rebuild } from "./draw.js";
import { listen } from "./desk_keys.js";
import { drawLight, followLight } from "./light.js";
import { acting, centre } from "./live_edits.js";
import { follow } from "./poll.js";
import { showQuestions } from "./questions.js";
import { showRestoring } from "./restore.js";
import { act as ask, reach } from "./session.js";
import { alarms, at, logLine, rulingParts, seatRows, showTrouble, silence } from "./status.js";
import { say } from "./words.js";

const MOST_LINES = 60;
const DOUBLE_MS = 500;
const place = document.getElementById("desk");
const table = place.dataset.table;
const base = `/api/v1/tables/${table}`;
const clock = new Clock(at("clock"));
const alarm = alarms(at("trouble"));
const picture = { href: "", alt: at("correct").dataset.alt, size: null, number: 0, loading: false };
const pressed = new Map(); // act → when it was pressed last
let view = null;
let leaves = false; // to sign in again
let shown = null; // the reading that the picture shows: corrections are told by its places

const correction = correct(at("correct"), { picture, send: (edit) => corrected(acting(edit, shown)), undo: () => corrected({ act: "TakeBackCorrection" }), may: true });
const desk = {
  toTiles: () => at("correct").querySelector(".correct-list button")?.focus(),
  toCount: () => location.assign(place.dataset.count),
  toRestore: () => at("restore").focus(),
};

// --- what is said ---------------------------------------------------------------------------------------------------

function tell(news) {
  if (!news.referee) return signIn();
  const refused = view && news.notices.findLast((notice) => notice.code === "refused");
  if (refused) alarm("refused", refused.text.join(" "));
  if (news.picture) renew(news.picture);
  if (news.view) show(news.view);
  if ("view" in news) alarm("table", news.trouble);
  for (const notice of news.notices) {
    at("log").prepend(logLine(notice));
    while (at("log").children.length > MOST_LINES) at("log").lastElementChild.remove();
  }
}

/** The referee's session is over: what spectators are told is no desk. */
function signIn() {
  if (!leaves) location.assign(place.dataset.signIn);
  leaves = true;
}

function show(next) {
  view = next;
  place.dataset.stage = view.stage;
  const seat = view.seats[view.seat];
  put(at("who"), view.phase === "play" && seat ? seat.name : view.stage_words);
  put(at("stage"), [say("round {round}, turn {turn}", { round: view.round, turn: view.turn + 1 }), view.phase === "play" ? view.stage_words : "", view.paused ? say("paused") : ""].filter(Boolean).join(" · "));
  clock.follow(view);
  showTrouble(at("camera"), [view.fault_words, view.trouble].filter(Boolean).join(" "));
  at("no-game").hidden = view.seats.length > 0;
  put(at("unseen"), view.why ? say("Not read just now: {why}.", { why: view.why_words }) : view.read ? say("Tap a tile to correct it.") : say("The table has not come to rest yet."));
  at("correct").classList.toggle("stale", Boolean(view.why));
  rebuild(at("ruling"), [view.ruling, view.seats.map((one) => one.name)], () => rulingParts(view.ruling));
  rebuild(at("seats"), [view.seats, view.seat, view.stage], () => seatRows(view));
  put(at("pool"), say("Pool: {count} tiles", { count: view.pool }));
  showQuestions(view, picture, answer);
  rebuild(at("chief-acts"), keyed("chief"), () => buttons("chief"));
  rebuild(at("restore-acts"), keyed("restore"), () => buttons("restore"));
  rebuild(at("acts"), keyed(undefined), () => buttons(undefined));
  rebuild(at("rare-acts"), keyed("rare"), () => buttons("rare"));
  if (showRestoring(view, pictures(), picture.size)) at("restore").scrollIntoView({ block: "nearest" });
  showReading();
}

function showReading() {
  if (!view?.read || correction.engaged || picture.href === "") return;
  if (shown !== view.read) correction.show((shown = view.read));
}

function pictures() {
  return { now: picture.href, then: view.former && picture.href && `${base}/former.jpg?turn=${view.round}-${view.turn}-${view.stage}` };
}

/** The newest picture, put on the page when it is there whole; one that is late is passed over. */
function renew({ number, width, height }) {
  picture.size = { width, height };
  if (picture.loading || number === picture.number) return;
  picture.loading = true;
  const image = new Image();
  const href = `${base}/picture.jpg?seq=${number}`;
  image.onload = () => {
    Object.assign(picture, { href, number, loading: false });
    correction.look();
    if (view) {
      showRestoring(view, pictures(), picture.size);
      showQuestions(view, picture, answer);
    }
    showReading();
  };
  image.onerror = () => (picture.loading = false);
  image.src = href;
}

// --- what is asked --------------------------------------------------------------------------------------------------

const isShown = (one) => !(one.hides && !one.when(view)) && !(one.turns && ACTS.find((other) => other.id === one.turns).when(view));
const placed = (where) => ACTS.filter((one) => one.place === where && isShown(one));
const keyed = (where) => placed(where).map((one) => [one.id, one.when(view)]);

function buttons(where) {
  return placed(where).map((one) => make("button", {
    type: "button", class: `button${one.chief ? " chief" : ""}${one.grave ? " grave" : ""}`, "data-key": one.id,
    "aria-disabled": !one.when(view) && "true", "aria-keyshortcuts": one.key.toUpperCase(), click: () => want(one),
  }, make("span", {}, say(one.text)), make("kbd", { "aria-hidden": "true" }, one.key.toUpperCase())));
}

async function want(one) {
  if (!view || !one.when(view)) return;
  if (one.go) return one.go(desk);
  if (!one.ask) return isDouble(one) || send(one.make(view, {}));
  const asked = one.ask(view);
  const turn = turnOf(view);
  const told = await askFor(at("ask"), asked, view);
  if (told === null) return;
  const names = asked.fields.some(({ kind }) => kind === "seat");
  if (one.when(view) && (names || turn === turnOf(view))) await send(one.make(view, told));
  else alarm("refused", say("The game has gone on meanwhile: nothing was done."));
}

/** A double press is one: by the second the turn may be another player's. */
function isDouble({ id }) {
  const before = pressed.get(id) ?? -Infinity;
  pressed.set(id, performance.now());
  return performance.now() - before < DOUBLE_MS;
}

const turnOf = (view) => `${view.game} ${view.round} ${view.turn}`;

async function send(act) {
  alarm("refused", "");
  try {
    await ask(table, act);
  } catch (error) {
    alarm("refused", error.message);
    throw error;
  } finally {
    look();
  }
}

const answer = (question, tile) => send({ act: "AnswerTile", question: question.number, tile, at: centre(question.quad) }).catch(() => {});

/** A correction, and the reading as it is then. */
async function corrected(act) {
  await ask(table, act);
  const answered = await reach(`${base}/events?after=0`, { cache: "no-store" }).then((response) => response.json());
  show(answered.view);
  look();
  return (shown = view.read ?? shown);
}

const look = follow(`${base}/events`, tell, silence(alarm));
followLight(table, () => view && !view.seats.length, (light) => drawLight(light, { state: at("light-state"), sentences: at("light-sentences") }));
listen({ acts: ACTS, view: () => view, want: (one) => want(one).catch(() => {}), answer });
