/* Elements made by hand: no text ever becomes markup. */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes and children (strings become text; null is left out). */
export function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for an SVG element. */
export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Show `text` in an element, touching the page only where it changes. */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Rebuild an element's children when what they were made of changed; the focus stays on what has the same `data-key`,
    or at this place of the page where there is no such thing any more. */
export function rebuild(element, made_of, build) {
  const key = JSON.stringify(made_of);
  if (element.dataset.madeOf === key) return false;
  const had = element.contains(document.activeElement) ? document.activeElement.closest("[data-key]")?.dataset.key : null;
  element.dataset.madeOf = key;
  element.replaceChildren(...[build()].flat().filter(Boolean));
  if (had) keepFocus(element, `[data-key="${CSS.escape(had)}"]`);
  return true;
}

/** The focus that a dialog took is back: on what had it, or on what stands there by now in its place. */
export function focusAgain(before) {
  const now = document.activeElement;
  if (now !== document.body && !now?.closest("dialog:not([open])")) return; // in a dialog that was left it is nowhere
  const name = ["key", "tile", "tool"].find((one) => before?.dataset?.[one] !== undefined);
  if (name) keepFocus(document.getElementById("main"), `[data-${name}="${CSS.escape(before.dataset[name])}"]`);
}

/** Focus what a selector finds in a part of the page; else the part itself, so that nobody begins at the top again. */
export function keepFocus(part, selector) {
  part.querySelector(selector)?.focus();
  for (const place of [part, document.getElementById("main")]) {
    if (part.contains(document.activeElement) || place.contains(document.activeElement)) return;
    if (!place.hasAttribute("tabindex")) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }
}
