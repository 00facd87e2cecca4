/* This phone as a table's camera: each picture is sent when the one before has arrived, so that none waits in a queue
   and grows old; what the way costs is measured and told with the next one. */

import { ask } from "./session.js";
import { number, say } from "./words.js";

const WIDEST = 1920;
const QUALITY = 0.85;
const PAUSE_MS = 60;
const PAUSE_AFTER_TROUBLE_MS = 1500;
const PATIENCE_MS = 15000;

const place = document.getElementById("camera");
const table = place.dataset.table;
const picture = document.getElementById("camera-picture");
const begin = document.getElementById("camera-begin");
const end = document.getElementById("camera-end");
const state = document.getElementById("camera-state");
const trouble = document.getElementById("camera-trouble");
let may = place.dataset.may === "1";
let stream = null;
let lock = null;
let wayMs = 0;
let sent = 0;

/** The code behind the # is exchanged for a session, and leaves the address. */
async function takeCamera() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  try {
    await ask(`/tables/${table}/camera-session`, { method: "POST", body: { token } });
    may = true;
    state.textContent = "";
  } catch (error) {
    trouble.textContent = error.message;
  }
}

async function start() {
  trouble.textContent = "";
  if (!navigator.mediaDevices) {
    trouble.textContent = say("Browsers give their camera to pages with https:// alone: start the program with --tls.");
    return;
  }
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: "environment", width: { ideal: 1920 }, height: { ideal: 1080 } },
    });
  } catch {
    trouble.textContent = say("The browser gave no camera: allow it for this page, then begin again.");
    return;
  }
  picture.srcObject = stream;
  await picture.play();
  await stayAwake();
  begin.hidden = true;
  end.hidden = false;
  document.getElementById("camera-figures").hidden = false;
  state.textContent = say("The table sees what this phone sees.");
  send(stream);
}

/** The screen stays on.  Browsers end that when the page is out of sight: it is asked for anew when it is seen again. */
async function stayAwake() {
  lock = await navigator.wakeLock?.request("screen").catch(() => null);
  if (!stream) lock?.release(); // it was stopped meanwhile
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  lock?.release();
  stream = null;
  begin.hidden = false;
  end.hidden = true;
  state.textContent = say("This phone sends nothing now.");
}

async function send(running) {
  const canvas = document.createElement("canvas");
  while (stream === running) {
    try {
      await sendOne(canvas);
      trouble.textContent = "";
      await pause(PAUSE_MS);
    } catch (error) {
      trouble.textContent = error.message;
      await pause(PAUSE_AFTER_TROUBLE_MS);
    }
  }
}

async function sendOne(canvas) {
  const scale = Math.min(1, WIDEST / Math.max(picture.videoWidth, picture.videoHeight, 1));
  canvas.width = Math.round(picture.videoWidth * scale);
  canvas.height = Math.round(picture.videoHeight * scale);
  const takenAt = performance.now();
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const data = await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
  const leftAt = performance.now();
  const ageMs = Math.round(leftAt - takenAt + wayMs);
  const told = await ask(`/tables/${table}/frames?age_ms=${ageMs}`, { method: "POST", raw: data, signal: AbortSignal.timeout(PATIENCE_MS) });
  wayMs = (performance.now() - leftAt) / 2;
  sent += 1;
  document.getElementById("camera-sent").textContent = String(sent);
  document.getElementById("camera-late").textContent = `${number(ageMs)} ms`;
  document.getElementById("camera-dropped").textContent = number(told.dropped);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

begin.addEventListener("click", () => {
  if (may) start();
  else trouble.textContent = say("Scan the code of this table's camera: the referee shows it.");
});
end.addEventListener("click", stop);
document.addEventListener("visibilitychange", () => stream && !document.hidden && stayAwake());
await takeCamera();
