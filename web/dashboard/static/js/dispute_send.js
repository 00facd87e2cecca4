/* A photo is sent as soon as it was taken or chosen; how far that is, and what cannot be done, is said on the spot. */

import { say } from "./words.js";

const form = document.getElementById("send");
const sending = document.getElementById("sending");
const trouble = document.getElementById("trouble");
const LARGEST = 60_000_000;

function refuse(sentence) {
  sending.textContent = "";
  trouble.textContent = sentence;
  trouble.hidden = !sentence;
  for (const input of form.querySelectorAll("[type=file]")) {
    input.value = "";
    input.disabled = false;
  }
}

function send(photo) {
  if (photo.size > LARGEST) return refuse(say("{name} is larger than the 60 MB that are taken here.", { name: photo.name }));
  const body = new FormData();
  body.append("rules", form.elements.rules.value);
  body.append("photo", photo);
  for (const input of form.querySelectorAll("[type=file]")) input.disabled = true;
  trouble.hidden = true;
  const asked = new XMLHttpRequest();
  asked.open("POST", form.action);
  asked.setRequestHeader("Accept", "application/json");
  asked.setRequestHeader("X-CSRF-Token", form.elements.csrf.value);
  asked.responseType = "json";
  asked.upload.addEventListener("progress", ({ loaded, total }) => {
    sending.textContent = say("The photo is being sent: {percent} %", { percent: Math.round((100 * loaded) / total) });
  });
  asked.addEventListener("load", () => {
    if (asked.status === 201) location.assign(asked.response.address);
    else refuse(asked.response?.error ?? String(asked.status));
  });
  asked.addEventListener("error", () => refuse(say("The photo did not arrive: is the network still there?")));
  asked.send(body);
}

form.addEventListener("change", ({ target }) => target.type === "file" && target.files.length && send(target.files[0]));
