/* The sentences of scripts: a JSON catalogue that the server writes into the page (#words), English → the reader's
   language.  Names in braces are filled in; what is not in the catalogue is said in English. */

const told = document.getElementById("words");
const catalogue = told ? JSON.parse(told.textContent) : {};
const numbers = new Intl.NumberFormat(document.documentElement.lang || "en");

/** A number as the reader's language writes it. */
export const number = (value) => numbers.format(value).replace("-", "−");

/** The same with its sign. */
export const signed = (value) => (value > 0 ? `+${number(value)}` : number(value));

/** The sentence in the reader's language; `{name}` is replaced by `values.name`. */
export function say(sentence, values = {}) {
  const said = catalogue[sentence] || sentence;
  const shown = (value) => (typeof value === "number" ? number(value) : String(value));
  return said.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

/** A sentence that is said later, so that the catalogue holds it. */
export const sentence = (text) => text;
