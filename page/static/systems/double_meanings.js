// Bids that a text gives two meanings, beside the text: where the other one stands, whose the answers are, and a button
// that takes the old line out.

import { h } from "../dom.js";
import { listed, phrase } from "../texts.js";

/** Answers that are shown of one meaning. */
const MOST_ANSWERS = 6;

const isHeld = (text) => text.trim() !== "" && !text.trim().startsWith("--");
const depthOf = (text) => text.length - text.trimStart().length;

/** The new line of two first: one that the old texts do not have, else the later one. */
export function ordered(found, files, old) {
  const isOld = ({ file, line }) => (old?.[file] ?? "").split("\n").includes((files[file] ?? "").split("\n")[line - 1]);
  return found.map((one) => (!isOld(one.other) && isOld(one.where) ? {
    ...one, where: one.other, name: one.otherName, other: one.where, otherName: one.name,
    answers: one.otherAnswers, otherAnswers: one.answers,
  } : one));
}

/**
 * Rows `{from, to}` of a text, from 1, that go with a line: what stands below it, and headers that nothing would stand
 * below any more.
 */
export function rowsOf(text, line) {
  const lines = text.split("\n");
  let [from, to] = [line, line];
  const depth = depthOf(lines[line - 1]);
  for (let row = line + 1; row <= lines.length; row += 1) {
    if (!isHeld(lines[row - 1])) continue;
    if (depthOf(lines[row - 1]) <= depth) break;
    to = row;
  }
  const next = lines.slice(to).find(isHeld);
  for (let row = from - 1; row > 0; row -= 1) {
    const here = lines[row - 1];
    if (!isHeld(here)) continue;
    const isEmptied = depthOf(here) < depthOf(lines[from - 1]) && (next === undefined || depthOf(next) <= depthOf(here));
    if (!isEmptied) break;
    from = row;
  }
  return { from, to };
}

/** Notes for the lines of a page: `{line, column, text}`. */
export function notesOf(found, page) {
  return found.filter(({ where }) => where.file === page).map(({ where, call, other, otherName }) => ({
    ...where, text: phrase("double.aside", { call, name: otherName || call, where: placeText(other, page) }),
  }));
}

function placeText({ file, line }, page) {
  return file === page ? phrase("double.line", { line }) : phrase("systems.where", { file, line });
}

/** List of what means two things; `goTo(where)` shows a line, `takeOut(where, name)` takes it out. */
export function meaningsNode(found, page, { goTo, takeOut }) {
  const place = (where) => h("button", { type: "button", class: "quiet", onclick: () => goTo(where) }, placeText(where, page));
  const answers = (some, key, name) => some.length > 0 && h("p", { class: "soft small" }, phrase(key, { name }), " ",
    some.slice(0, MOST_ANSWERS).map(({ call, where }, number) => [number > 0 && phrase("comma"), call, " (", place(where), ")"]),
    some.length > MOST_ANSWERS && phrase("double.more", { number: some.length - MOST_ANSWERS }));
  return found.map((one) => {
    const [name, old] = [one.name || one.call, one.otherName || one.call];
    return h("li", null,
      h("p", null, place(one.where), ": ", phrase("double.also", { call: one.call, name, old }), " ", place(one.other), "."),
      answers(one.answers, "double.answers", name), answers(one.otherAnswers, "double.answers", old),
      answers(one.both, "double.answers-both", listed([name, old])),
      h("p", null, h("button", { type: "button", onclick: () => takeOut(one.other, old) }, phrase("double.take-out", { name: old })),
        " ", h("span", { class: "soft small" }, phrase("double.or"))));
  });
}
