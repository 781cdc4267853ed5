// The page's texts by name, with their parts filled in. Another language is another file here.

import { LANGUAGE, TEXTS } from "./texts_en.js";

export { LANGUAGE };

const NUMBERS = new Intl.NumberFormat(LANGUAGE);
const PLURALS = new Intl.PluralRules(LANGUAGE);
/** Forms of a text by number stand in this order, as far as the language tells them apart. */
const FORMS = ["zero", "one", "two", "few", "many", "other"]
  .filter((form) => PLURALS.resolvedOptions().pluralCategories.includes(form));

/** A number with the language's marks. */
export function count(number) {
  return NUMBERS.format(number);
}

/** Text of a name with its parts filled in; a `number` chooses among its forms. */
export function phrase(name, parts = {}) {
  return phraseNodes(name, parts).join("");
}

/** The same as a list, so that a part may be an element. */
export function phraseNodes(name, parts = {}) {
  const text = TEXTS[name];
  if (text === undefined) throw new Error(`There is no text “${name}”.`);
  const forms = text.split("|");
  const { number } = parts;
  const chosen = "number" in parts ? FORMS.indexOf(PLURALS.select(Number(number))) : 0;
  const filled = typeof number === "number" ? { ...parts, number: count(number) } : parts;
  return (forms[chosen] ?? forms.at(-1)).split(/\{([\w-]+)\}/).map((part, place) => (place % 2 ? filled[part] : part));
}

/** A list as people say it: "a, b and c". */
export function listed(parts, last = "and") {
  if (parts.length < 2) return parts.join("");
  return parts.slice(0, -1).join(phrase("comma")) + phrase(last) + parts.at(-1);
}

/** Put the texts into what is written in the page's file itself; where they are the same nothing moves. */
export function fillPage() {
  document.documentElement.lang = LANGUAGE;
  for (const node of document.querySelectorAll("[data-phrase]")) {
    const text = phrase(node.dataset.phrase);
    if (node.textContent !== text) node.textContent = text;
  }
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", phrase(node.dataset.label));
}
