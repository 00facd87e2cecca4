/* A dispute: waits for its photo to be looked at, shows the ruling with its reasons, has it corrected and shared. */

import { correct } from "./correct.js";
import { make, put } from "./draw.js";
import { askDispute, read } from "./send_photo.js";
import { say, sentence } from "./words.js";

const place = document.getElementById("dispute");
const state = document.getElementById("state");
const base = `/dispute/${place.dataset.key}`;
const may = place.dataset.may === "yes";
const rules = document.getElementById("rules");
const VERDICTS = { legal: sentence("Legal"), illegal: sentence("Illegal"), cannot_tell: sentence("Cannot tell") };
const BECAUSE = {
  legal: sentence("All sets are in order."), illegal: sentence("Something on this table is against the rules."),
  cannot_tell: sentence("Something on this table must be made certain first."),
};
let [correction, edits] = [null, 0];

const ask = (path, body) => askDispute(base, path, body);

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
  put(camera, say("{verdict} by the camera alone. Corrections: {count}.", { count: reading.edits, verdict: say(VERDICTS[reading.camera.verdict]) }));
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
  try {
    const told = await (may ? ask("/rules", { rules: wanted }) : ask(`/case.json?rules=${encodeURIComponent(wanted)}`));
    if (rules.value !== wanted) return; // others were chosen meanwhile
    state.hidden = true;
    correction.show(shown(told));
  } catch (error) {
    put(state, error.message);
    state.hidden = false;
  }
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

read(base, (told) => put(state, told)).then(begin).catch((error) => put(state, error.message));
