/* The sentences of scripts: a JSON catalogue that the server writes into the page (#words), English → the reader's
   language.  Names in braces are filled in; what is not in the catalogue is said in English. */

const told = document.getElementById("words");
const catalogue = told ? JSON.parse(told.textContent) : {};

/** The sentence in the reader's language; `{name}` is replaced by `values.name`. */
export function say(sentence, values = {}) {
  const said = catalogue[sentence] || sentence;
  return said.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A sentence that is said later, so that the catalogue holds it. */
export const sentence = (text) => text;
