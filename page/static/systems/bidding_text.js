// Colours of a system's text: what each piece of a line is, for the editor. It finds no faults; the engine does.

const PIECES = [
  ["remark", /--.*/y],
  ["quoted", /"[^"]*"/y],
  ["raw", /\{[^{}]*\}/y],
  ["tag", /#[\p{L}][\p{L}\p{N}_-]*/uy],
  ["call", /(?:[1-7n](?:NT|[CDHSMmXYZW♣♦♥♠]|oM|om)|Pass|Double|Redouble)(?![\w+])/y],
  ["number", /\d+(?:\s*[-–]\s*\d+|\+)?(?![\w=])/y],
  ["joining", /(?:either|or|and|not)(?![\w'’-])/y],
];
const OPENERS = /^(?:opening|after|over|when|general|foremost|last resort|system|include|convention|use|without|option|opponents|define)(?![\w'’-])/;
/** Name of a line: between the equals sign, or `either`, and the colon. */
const NAME = /^(\s*(?:[^"=:]*?=|either|or)\s*)(\p{Lu}[^:;="{}]*?)(?=\s*(?::|;|--|$))/u;

function piecesOf(text) {
  const found = [];
  let plain = "";
  const put = (kind, piece) => {
    if (plain) found.push(["", plain]);
    plain = "";
    if (piece) found.push([kind, piece]);
  };
  for (let place = 0; place < text.length;) {
    const isInWord = /[\p{L}\p{N}_'’=-]/u.test(text[place - 1] ?? "");
    const hit = PIECES.find(([kind, pattern]) => {
      pattern.lastIndex = place;
      return !(isInWord && kind !== "remark") && pattern.test(text);
    });
    if (hit) {
      put(hit[0], text.slice(place, hit[1].lastIndex));
      place = hit[1].lastIndex;
    } else {
      plain += text[place];
      place += 1;
    }
  }
  put();
  return found;
}

/** Pieces `[kind, text]` of one line, in order; joined they are the line. Plain text has the kind "". */
export function colours(line) {
  const indent = /^\s*/.exec(line)[0];
  const rest = line.slice(indent.length);
  const start = indent ? [["", indent]] : [];
  const opener = OPENERS.exec(rest);
  if (opener) return [...start, ["header", opener[0]], ...piecesOf(rest.slice(opener[0].length))];
  const named = NAME.exec(rest);
  if (!named) return [...start, ...piecesOf(rest)];
  return [...start, ...piecesOf(named[1]), ["name", named[2]], ...piecesOf(rest.slice(named[0].length))];
}
