/* A dialog that asks a few things before an act; resolves to what was told, null where nobody wants it any more. */

import { focusAgain, make } from "./draw.js";
import { say } from "./words.js";

export function askFor(dialog, { title, fields, yes }, view) {
  const before = document.activeElement;
  return new Promise((resolve) => {
    const inputs = fields.map((field) => [field, input(field, view)]);
    const form = make("form", { method: "dialog", class: "ask", submit: (event) => {
      event.preventDefault();
      done(Object.fromEntries(inputs.map(([field, made]) => [field.name, value(field, made)])));
    } },
    make("h2", { id: "ask-head" }, say(title)),
    make("div", { class: "fields" }, inputs.map(([field, made]) => make("div", {}, make("label", { for: made.id }, say(field.label)), made))),
    make("div", { class: "row" },
      make("button", { class: "button chief", type: "submit" }, say(yes)),
      make("button", { class: "button", type: "button", click: () => done(null) }, say("Never mind"))));

    function done(told) {
      dialog.onclose = null;
      dialog.close();
      focusAgain(before);
      resolve(told);
    }

    dialog.onclose = () => dialog.open || done(null); // open: this tells of another question, left a moment before
    dialog.replaceChildren(form);
    dialog.showModal();
    form.querySelector(fields.length && !fields.every((field) => field.empty) ? "input, select" : "button.chief").focus();
  });
}

function input({ name, kind, value: first = "", empty = false, most = 200 }, view) {
  const id = `ask-${name}`;
  if (kind === "seat") {
    return make("select", { id }, view.seats.map((seat, k) => make("option", { value: k, selected: k === first }, seat.name)));
  }
  const more = kind === "number" ? { type: "number", min: 0, max: 99, step: 1, inputmode: "numeric" } : { type: "text", maxlength: most };
  return make("input", { id, ...more, required: !empty, value: first, autocomplete: "off" });
}

function value({ kind, empty }, made) {
  if (kind === "text") return made.value.trim();
  return empty && made.value === "" ? null : Number(made.value);
}
