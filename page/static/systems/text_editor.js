// A field for the text of a system: coloured, with what is wrong marked where it stands.

import { colours } from "./bidding_text.js";
import { clear, h, put } from "../dom.js";

/** What stands below a header goes a step in. */
const HEADER = /:\s*(?:--.*)?$/;
const STEP = "  ";

/** Row and column, from 1, of a place in a text. */
function whereIs(text, place) {
  const before = text.slice(0, place).split("\n");
  return { line: before.length, column: before.at(-1).length + 1 };
}

/** Place in a text of a row and a column, from 1. */
export function placeOf(text, line, column) {
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return start + Math.min(column - 1, (lines[line - 1] ?? "").length);
}

function coloured(pieces) {
  return pieces.map(([kind, text]) => (kind ? h("span", { class: kind }, text) : text));
}

/** A line whose word at a column is marked; behind its end a blank is. */
function marked(line, column) {
  const [word] = /^(?:[\p{L}\p{N}_'’-]+|.|$)/u.exec(line.slice(column - 1));
  const end = column - 1 + word.length;
  return [coloured(colours(line.slice(0, column - 1))), h("span", { class: "wrong" }, word || " "), coloured(colours(line.slice(end)))];
}

/**
 * Editor: `{node, text(), show(text), mark(places, notes), goTo(line, column), replace(from, to, text)}`; `changed()`
 * hears of typing. Notes `{line, column, text}` stand behind their lines.
 */
export function textEditor(label, changed) {
  const shades = h("pre", { class: "shades", "aria-hidden": "true" });
  const numbers = h("pre", { class: "numbers", "aria-hidden": "true" });
  const field = h("textarea", {
    "aria-label": label, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
    oninput: () => { [wrong, notes] = [[], []]; draw(); changed(); },
    onscroll: () => { shades.scrollTo(field.scrollLeft, field.scrollTop); numbers.scrollTo(0, field.scrollTop); },
    onkeydown: indent,
  });
  const node = h("div", { class: "text-editor" }, numbers, h("div", { class: "sheet" }, shades, field));
  let wrong = [];
  let notes = [];

  // Tab leaves the field, as everywhere; Enter keeps the indentation, and goes one step in below a header
  function indent(event) {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { line, column } = whereIs(field.value, field.selectionStart);
    const before = field.value.split("\n")[line - 1].slice(0, column - 1);
    const [blanks] = /^ */.exec(before);
    // as typing does, so that it can be undone
    document.execCommand("insertText", false, `\n${blanks}${HEADER.test(before) ? STEP : ""}`);
  }

  function draw() {
    const lines = field.value.split("\n");
    clear(numbers, lines.map((_, index) => `${index + 1}\n`).join(""));
    clear(shades);
    lines.forEach((line, index) => {
      const here = wrong.find((one) => one.line === index + 1);
      const aside = notes.filter((one) => one.line === index + 1).map(({ text }) => h("span", { class: "aside" }, `  ← ${text}`));
      put(shades, here ? marked(line, here.column) : coloured(colours(line)), aside, "\n");
    });
  }

  return {
    node,
    text: () => field.value,
    show(text) {
      field.value = text;
      [wrong, notes] = [[], []];
      draw();
      field.scrollTo(0, 0);
    },
    mark(places, asides = []) {
      wrong = places;
      notes = asides;
      draw();
      field.setAttribute("aria-invalid", String(places.length > 0));
    },
    /** Put a text in place of rows, as typing does: so that it can be undone. */
    replace(from, to, text) {
      const start = placeOf(field.value, from, 1);
      field.focus();
      field.setSelectionRange(start, Math.min(placeOf(field.value, to + 1, 1), field.value.length));
      document.execCommand(text ? "insertText" : "delete", false, text);
    },
    goTo(line, column) {
      const place = placeOf(field.value, line, column);
      field.focus();
      field.setSelectionRange(place, place);
      field.scrollTo(0, Math.max(0, (line - 4) * Number.parseFloat(getComputedStyle(field).lineHeight)));
    },
  };
}
