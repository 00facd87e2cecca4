/* Single keys: acts by their letters, questions by two digits, ? for the list.  Whoever does not want them switches them
   off; they never work while something is typed or asked. */

import { make } from "./draw.js";
import { say } from "./words.js";

const TWO_KEYS_MS = 4000;
const KEPT = "keys";

export function listen({ acts, view, want, answer }) {
  const help = document.getElementById("help");
  const on = document.getElementById("keys-on");
  let first = null;
  let first_at = 0;

  on.checked = kept() !== "off";
  on.addEventListener("change", () => keep(on.checked ? "on" : "off"));
  document.getElementById("help-button").addEventListener("click", open);
  help.querySelector("[data-close]").addEventListener("click", () => help.close());

  function open() {
    const lines = new Map();
    for (const one of acts) lines.set(one.key, [...(lines.get(one.key) ?? []), say(one.text)]);
    lines.get("e").push(say("the space bar too"));
    const rows = [...lines, ["1 2", [say("Question 1 is choice 2")]], ["1 0", [say("Question 1: no tile lies there")]], ["?", [say("This list")]]];
    document.getElementById("help-keys").replaceChildren(...rows.flatMap(([key, texts]) =>
      [make("dt", {}, make("kbd", {}, key.toUpperCase())), make("dd", {}, texts.join(" / "))]));
    help.showModal();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || typing(event.target) || document.querySelector("dialog[open]")) return;
    if (event.key === "?") return open();
    if (!on.checked || !view()) return;
    const pressed = keyOf(event);
    if (/^\d$/.test(pressed)) return digit(Number(pressed));
    const isControl = event.target.closest("button, a, summary, [role=button]");
    const key = pressed === " " && !isControl ? "e" : pressed;
    const one = acts.find((act) => act.key === key && act.when(view()));
    if (!one) return;
    event.preventDefault();
    want(one);
  });

  function digit(number) {
    const asked = view().questions ?? [];
    const is_second = first !== null && performance.now() - first_at < TWO_KEYS_MS;
    if (!is_second) {
      first = asked.find((question) => question.number === number - 1) ?? null;
      first_at = performance.now();
      return;
    }
    const question = asked.find((one) => one.number === first.number);
    first = null;
    if (!question || number > question.choices.length) return;
    answer(question, number ? question.choices[number - 1] : null);
  }
}

/** The letter (small) or digit of a key: what it types; where that is neither, as on a Cyrillic keyboard or among Slovak
    digits, what stands at its place on most keyboards. */
function keyOf(event) {
  const typed = event.key.toLowerCase();
  if (/^[a-z\d]$/.test(typed) || event.getModifierState("AltGraph")) return typed;
  const [, letter, figure] = /^(?:Key([A-Z])|Digit(\d))$/.exec(event.code) ?? [];
  if (figure && event.shiftKey) return typed; // a sign, where digits are typed without Shift
  return letter?.toLowerCase() ?? figure ?? typed;
}

function typing(target) {
  if (target.closest?.("dialog:not([open])")) return false; // left a moment ago: the focus is still on its way back
  return target.matches?.("input:not([type=checkbox]), textarea, select") ?? false;
}

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function keep(value) {
  try {
    localStorage.setItem(KEPT, value);
  } catch {
    // it holds for this page
  }
}
