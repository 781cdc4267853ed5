// Texts as Python writes and compares them.

/** A text in quotes as repr() writes it. */
export function repr(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replace(/[\\'"]|[^\P{C}\n\r\t]|[^\P{Z} ]|[\n\r\t]/gu, (letter) => {
    if (letter === "\\" || letter === quote) return `\\${letter}`;
    if (letter === "'" || letter === '"') return letter;
    return { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[letter] ?? escaped(letter.codePointAt(0));
  });
  return quote + inside + quote;
}

function escaped(code) {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** A whole number with commas between the thousands. */
export const grouped = (number) => number.toLocaleString("en-US");

/** The one of some words that looks most like a word, or null: difflib.get_close_matches(word, known, 1, cutoff). */
export function closestMatch(word, known, cutoff) {
  let best = null;
  let most = cutoff;
  for (const one of known) {
    const ratio = likeness(one, word);
    // of two that look alike the later in the alphabet
    if (ratio > most || (ratio === most && (best === null || one > best))) [best, most] = [one, ratio];
  }
  return best;
}

/** Twice the letters that match over all letters: difflib.SequenceMatcher(None, first, second).ratio(). */
function likeness(first, second) {
  const letters = first.length + second.length;
  return letters ? (2 * matching(first, second)) / letters : 1;
}

/** Letters in the longest common piece, the earliest there is, and in those left and right of it. */
function matching(first, second) {
  let [length, start, other] = [0, 0, 0];
  let before = [];
  for (let one = 0; one < first.length; one += 1) {
    const now = [];
    for (let two = 0; two < second.length; two += 1) {
      if (first[one] !== second[two]) continue;
      now[two] = (before[two - 1] ?? 0) + 1;
      if (now[two] > length) [length, start, other] = [now[two], one - now[two] + 1, two - now[two] + 1];
    }
    before = now;
  }
  if (!length) return 0;
  return length + matching(first.slice(0, start), second.slice(0, other))
    + matching(first.slice(start + length), second.slice(other + length));
}
