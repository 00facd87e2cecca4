/* A photo is sent as soon as it was taken or chosen; how far that is, and what cannot be done, is said on the spot. */

import { put } from "./draw.js";
import { sendPhoto } from "./send_photo.js";

const form = document.getElementById("send");
const sending = document.getElementById("sending");
const trouble = document.getElementById("trouble");
const inputs = form.querySelectorAll("[type=file]");

form.addEventListener("change", async ({ target }) => {
  if (target.type !== "file" || !target.files.length) return;
  trouble.hidden = true;
  const [photo] = target.files;
  for (const input of inputs) input.disabled = true;
  try {
    location.assign(await sendPhoto(photo, form.elements.rules.value, (sentence) => put(sending, sentence), form.elements.box?.value));
  } catch (error) {
    put(sending, "");
    put(trouble, error.message);
    trouble.hidden = false;
  }
  for (const input of inputs) {
    input.value = "";
    input.disabled = false;
  }
});
