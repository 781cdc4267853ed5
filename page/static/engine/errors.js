// Complaints about a system's text: systems/language/errors.py.

/** Complaints that a message shows; the others are counted. */
const MOST_SHOWN = 50;
const WIDEST = 100;
const NEAR = 0.7;
/** A word of so many letters is compared without those that are all over it, as Python's difflib does. */
const LONG = 200;

/** A text of a bidding system that cannot be used, with all complaints: where, message, line, caret, advice. */
export class InvalidSystem extends Error {
  constructor(message, complaints = []) {
    super(message);
    this.name = "InvalidSystem";
    this.complaints = complaints;
  }
}

/** A complaint, with its line and caret from the lines of the file. */
export function complaintAt(where, message, lines, advice = "") {
  let line = [...(lines[where.line - 1] ?? "")];
  let column = Math.max(where.column - 1, 0);
  if (line.length > WIDEST) {
    const start = Math.max(0, Math.min(column - WIDEST / 2, line.length - WIDEST));
    line = line.slice(start, start + WIDEST);
    column -= start;
  }
  const lineText = line.join("").replaceAll("\t", " ").replace(UNPRINTABLE, "?").trimEnd();
  return { where, message, lineText, caret: `${" ".repeat(Math.min(column, WIDEST))}^`, advice };
}

const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/gu;

/** A complaint as a message shows it. */
function complaintText({ where, message, lineText, caret, advice }) {
  const shown = lineText.trim() ? `\n  ${lineText}\n  ${caret}` : "";
  const place = where.line ? `${where.file}:${where.line}` : where.file;
  return `${place ? `${place}: ` : ""}${message}${advice ? ` (${advice})` : ""}${shown}`;
}

/** One error that carries all complaints, in the order of the files. */
export function invalidSystem(complaints) {
  const found = [...new Map(complaints.map((one) => [JSON.stringify(one), one])).values()];
  const shown = found.slice(0, MOST_SHOWN).map(complaintText);
  if (found.length > MOST_SHOWN) shown.push(`and ${found.length - MOST_SHOWN} more`);
  return new InvalidSystem(shown.join("\n"), found);
}

/** A text as Python's messages quote it. */
export function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/(?! )[\p{C}\p{Z}\\'"]/gu, (sign) => {
    if (sign === "\\" || sign === quote) return `\\${sign}`;
    if (sign === "'" || sign === '"') return sign;
    const code = sign.codePointAt(0);
    const short = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    if (short) return short;
    const [letter, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return `\\${letter}${code.toString(16).padStart(width, "0")}`;
  });
  return quote + escaped + quote;
}

/** A whole number as messages write it, with commas between the thousands. */
export const grouped = (number) => number.toLocaleString("en-US");

// ---------------------------------------------------------------------- misspelt words
/** The known word that a misspelt one is likely to be, `least` or more like it; empty if none is near. */
export function nearest(word, known, least = NEAR) {
  const letters = [...word];
  const rare = letters.length < LONG ? null : rareOf(letters);
  let best = "";
  let most = least;
  for (const other of known) {
    const its = [...other];
    const all = its.length + letters.length;
    if (2 * Math.min(its.length, letters.length) < most * all) continue;
    const share = all === 0 ? 1 : (2 * alike(its, letters, rare)) / all;
    if (share > most || (share === most && other > best)) [best, most] = [other, share];
  }
  return best;
}

function rareOf(letters) {
  const counts = new Map();
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const most = Math.floor(letters.length / 100) + 1;
  return new Set([...counts].filter(([, count]) => count <= most).map(([letter]) => letter));
}

/** Letters in common: of the longest stretch that both have, and of what is before and behind it in both. */
function alike(one, other, rare) {
  let [size, start, otherStart] = [0, 0, 0];
  let ending = [];
  one.forEach((letter, index) => {
    const next = [];
    if (rare?.has(letter) ?? true) {
      other.forEach((its, place) => {
        if (its !== letter) return;
        const found = (ending[place - 1] ?? 0) + 1;
        next[place] = found;
        if (found > size) [size, start, otherStart] = [found, index + 1 - found, place + 1 - found];
      });
    }
    ending = next;
  });
  while (start > 0 && otherStart > 0 && one[start - 1] === other[otherStart - 1]) {
    [size, start, otherStart] = [size + 1, start - 1, otherStart - 1];
  }
  while (start + size < one.length && one[start + size] === other[otherStart + size]) size += 1;
  if (size === 0) return 0;
  return size + alike(one.slice(0, start), other.slice(0, otherStart), rare)
    + alike(one.slice(start + size), other.slice(otherStart + size), rare);
}
