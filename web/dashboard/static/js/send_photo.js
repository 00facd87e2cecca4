/* Sends a photo to be looked at, and follows it until it was read. */

import { reach, Unreached } from "./session.js";
import { say } from "./words.js";

const LARGEST = 60_000_000;
const ASK_MS = 700;
const PATIENCE_MS = 15000;
const csrf = () => document.querySelector('meta[name="csrf"]').content;

/** Send a photo; a promise of the address of its page.  `progress(sentence)` hears how far it is; `box` is a taught one. */
export function sendPhoto(photo, rules, progress, box = "") {
  return new Promise((resolve, reject) => {
    if (photo.size > LARGEST) return reject(new Error(say("{name} is larger than the 60 MB that are taken here.", { name: photo.name })));
    const body = new FormData();
    body.append("rules", rules);
    body.append("box", box);
    body.append("photo", photo);
    const asked = new XMLHttpRequest();
    asked.open("POST", "/dispute");
    asked.setRequestHeader("Accept", "application/json");
    asked.setRequestHeader("X-CSRF-Token", csrf());
    asked.responseType = "json";
    asked.upload.addEventListener("progress", ({ loaded, total }) => {
      progress(say("The photo is being sent: {percent} %", { percent: Math.round((100 * loaded) / total) }));
    });
    asked.addEventListener("load", () => {
      if (asked.status === 201) resolve(asked.response.address);
      else reject(new Error(asked.response?.error ?? String(asked.status)));
    });
    asked.addEventListener("error", () => reject(new Error(say("The photo did not arrive: is the network still there?"))));
    asked.send(body);
  });
}

/** Ask something of the dispute at an address, JSON in and out; throws what cannot be done as one sentence, Unreached where
    nobody answers. */
export async function askDispute(address, path, body) {
  const sent = body === undefined ? { signal: AbortSignal.timeout(PATIENCE_MS) } : {
    method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf() },
  };
  const answer = await reach(address + path, { cache: "no-store", ...sent, headers: { Accept: "application/json", ...sent.headers } });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.error ?? String(answer.status));
  return told;
}

/** Wait until the photo at an address was looked at; its reading, or an error with the sentence why not.  A request that is
    lost ends nothing: it is made again. */
export async function read(address, progress) {
  for (;;) {
    const told = await askDispute(address, "/case.json").catch((error) => {
      if (!(error instanceof Unreached)) throw error;
      return { lost: error.message };
    });
    if (told.state === "ready") return told.reading;
    if (told.state === "failed") throw new Error(told.why);
    if (told.before === null) throw new Error(say("This photo was not looked at: send it once more."));
    progress(told.lost ?? (told.before ? say("Photos before this one: {count} …", { count: told.before }) : say("The referee looks at the photo …")));
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
}
