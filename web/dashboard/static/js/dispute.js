/* A dispute: waits for its photo to be looked at, shows the ruling with its reasons, has it corrected and shared. */

import { correct } from "./correct.js";
import { make, put } from "./draw.js";
import { say } from "./words.js";

const place = document.getElementById("dispute");
const state = document.getElementById("state");
const base = `/dispute/${place.dataset.key}`;
const may = place.dataset.may === "yes";
const csrf = document.querySelector('meta[name="csrf"]').content;
const rules = document.getElementById("rules");
const VERDICTS = { legal: "Legal", illegal: "Illegal", cannot_tell: "Cannot tell" };
const BECAUSE = {
  legal: "All sets are in order.", illegal: "Something on this table is against the rules.",
  cannot_tell: "Something on this table must be made certain first.",
};
const ASK_MS = 700;
let [correction, edits] = [null, 0];

async function ask(path, body) {
  const sent = body === undefined ? {} : {
    method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
  };
  const answer = await fetch(base + path, { cache: "no-store", ...sent, headers: { Accept: "application/json", ...sent.headers } });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.error ?? String(answer.status));
  return told;
}

async function look() {
  let told;
  try {
    told = await ask("/case.json");
  } catch (error) {
    put(state, error.message);
    return setTimeout(look, 4 * ASK_MS);
  }
  if (told.state === "ready") return begin(told.reading);
  if (told.state === "failed") return put(state, told.why);
  if (told.before === null) return put(state, say("This photo was not looked at: send it once more."));
  put(state, told.before ? say("Photos before this one: {count} …", { count: told.before }) : say("The referee looks at the photo …"));
  setTimeout(look, ASK_MS);
}

function begin(reading) {
  state.hidden = true;
  document.getElementById("ruled").hidden = false;
  const send = (edit) => ask("/edits", { after: edits, edit }).then(shown);
  correction = correct(document.getElementById("correct"), {
    picture: { href: `${base}/picture.jpg`, alt: place.dataset.alt }, send, undo: () => send(null), may,
  });
  correction.show(shown({ reading }));
}

/** Show a ruling; the reading that it is about. */
function shown({ reading }) {
  edits = reading.edits;
  const verdict = document.getElementById("verdict");
  verdict.dataset.verdict = reading.verdict;
  put(verdict, say(VERDICTS[reading.verdict]));
  put(document.getElementById("because"), say(BECAUSE[reading.verdict]));
  document.getElementById("reasons").replaceChildren(...reading.said.map(reason));
  const camera = document.getElementById("camera-said");
  camera.hidden = !reading.edits;
  put(camera, say("Corrections: {count}. By the camera alone: {verdict}.", { count: reading.edits, verdict: say(VERDICTS[reading.camera.verdict]) }));
  return reading;
}

function reason(one) {
  const where = one.set === null ? null : make("strong", {}, `${say("Set {number}", { number: one.set + 1 })}: `);
  const rule = one.rule ? make("span", { class: "quiet small rule" }, ` ${one.rule}`) : null;
  return make("li", { "data-severity": one.severity }, where, one.sentence, rule);
}

rules.addEventListener("change", async () => {
  if (!correction) return;
  const wanted = rules.value;
  const told = await (may ? ask("/rules", { rules: wanted }) : ask(`/case.json?rules=${encodeURIComponent(wanted)}`));
  correction.show(shown(told));
});

document.getElementById("share").addEventListener("click", async () => {
  const link = document.getElementById("link");
  const said = document.getElementById("shared");
  try {
    if (navigator.share) await navigator.share({ url: link.value, title: document.title });
    else {
      await navigator.clipboard.writeText(link.value);
      put(said, say("The link is copied."));
    }
  } catch {
    link.select(); // an address without TLS may copy nothing by itself: the link is marked for the hand to copy
    put(said, say("Copy the marked link."));
  }
});

look();
