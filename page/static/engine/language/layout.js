// Lines of a file: joined where one goes on below, without comments, with their indentation:
// systems/language/reading/layout.py.

import { grouped, quoted } from "../errors.js";
import { leftStripped, rightStripped, stripped } from "./blanks.js";

/** Steps of indentation a file may have; no auction is that long. */
const DEEPEST = 60;
/** Characters a line may have. */
export const LONGEST_LINE = 10_000;

const CODE = /^(?:[^"-]+|"[^"]*"|-(?!-)|"(?=[^"]*$))*/u;
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2028\u2029\u2060\ufeff]/;
/** Signs that turn the direction of what follows: it would be read as something else (UAX 9). */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const EACH_UNSEEN = new RegExp(`${UNSEEN.source}|${TURNING.source}`, "g");
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/u;
const EACH_FOREIGN_DIGIT = new RegExp(FOREIGN_DIGIT, "gu");
const QUOTED = /"[^"]*"/g;
const GOES_ON = /(?:,|(?<![\p{L}\p{N}_])(?:or|and))$/u;
const PARTS = /"[^"]*"|--[^\n]*|#[\p{L}\p{N}_-]+|(?!_)[\p{L}\p{N}_]+/gu;

const lengthOf = (text) => {
  let length = 0;
  for (const _ of text) {
    length += 1;
  }
  return length;
};

/**
 * A statement's text, and where each piece of it stands: from index `start` on at `line` and `column`; of a
 * `fixed` piece all of it does.
 */
export class LogicalLine {
  constructor(text, indent, file, pieces) {
    this.text = text;
    this.indent = indent;
    this.file = file;
    this.pieces = pieces;
  }

  /** Place in the file of an index into the text; columns count characters. */
  where(position = 0) {
    const { start, line, column, fixed } = this.pieces.findLast((one) => one.start <= position) ?? this.pieces.at(-1);
    const behind = fixed ? 0 : lengthOf(this.text.slice(start, position));
    return { type: "Where", file: this.file, line, column: column + behind };
  }

  /** Replace words, a Map, outside quotes, tags and remarks. */
  withWords(words) {
    const pieces = [];
    let text = "";
    let done = 0;
    const add = (start, end, value, fixed) => {
      if (start === end) {
        return;
      }
      const { line, column } = this.where(start);
      pieces.push({ start: text.length, line, column, fixed });
      if (!fixed) {
        const within = this.pieces.filter((one) => start < one.start && one.start < end);
        pieces.push(...within.map((one) => ({ ...one, start: text.length + one.start - start })));
      }
      text += value;
    };
    for (const { 0: word, index } of this.text.matchAll(PARTS)) {
      const value = words.get(word);
      if (value !== undefined) {
        add(done, index, this.text.slice(done, index), false);
        done = index + word.length;
        add(index, done, value, true);
      }
    }
    add(done, this.text.length, this.text.slice(done), false);
    return new LogicalLine(text, this.indent, this.file, pieces.length ? pieces : this.pieces);
  }
}

/** Logical lines of a file; `complain(where, message, advice)` hears what is wrong. */
export function logicalLines(lines, file, complain) {
  const found = [];
  let number = 0;
  while (number < lines.length) {
    number += 1;
    if (isComment(lines[number - 1])) {
      continue;
    }
    let text = readable(lines[number - 1], number, file, complain);
    let all = stripped(text);
    if (!all) {
      continue;
    }
    const indent = indentOf(text);
    const pieces = [{ start: 0, line: number, column: indent + 1, fixed: false }];
    let code = codeOf(all);
    while (
      GOES_ON.test(rightStripped(code)) && number < lines.length
      && !isComment(lines[number]) && indentOf(lines[number]) > indent
    ) {
      number += 1;
      text = readable(lines[number - 1], number, file, complain);
      code = `${rightStripped(code)} `;
      pieces.push({ start: code.length, line: number, column: indentOf(text) + 1, fixed: false });
      all = code + stripped(text);
      if (lengthOf(all) > LONGEST_LINE) {
        // each line that goes on is looked at together with all before it
        complain(
          { type: "Where", file, line: number, column: 1 },
          `a line has at most ${grouped(LONGEST_LINE)} characters, those it goes on in counted`,
          "use define or either/or lines",
        );
        all = "";
      }
      code = codeOf(all);
    }
    if (all) {
      found.push(new LogicalLine(all, indent, file, pieces));
    }
  }
  return found;
}

function isComment(text) {
  const code = stripped(text);
  return code === "" || code.startsWith("--");
}

const indentOf = (text) => text.length - leftStripped(text).length;

/** A line without its remark; two dashes within quotes begin none. */
export const codeOf = (text) => CODE.exec(text)[0];

/** Complain of characters that a line may not have, and put blanks for them. */
function readable(line, number, file, complain) {
  let text = line.replaceAll("\u00a0", " ");
  const code = codeOf(text);
  const read = text;
  const at = (index) => ({ type: "Where", file, line: number, column: lengthOf(read.slice(0, index)) + 1 });
  if (code.includes("\t")) {
    complain(at(code.indexOf("\t")), "a tab stands here", "use blanks: how wide a tab is depends on who reads it");
    text = withoutTabs(text);
  }
  // a remark that turns what is behind it is no remark to who reads it
  const unseen = UNSEEN.exec(code) ?? TURNING.exec(text);
  if (unseen !== null) {
    complain(at(unseen.index), `a character that cannot be seen stands here (${quoted(unseen[0])})`, "take it out");
    text = text.replace(EACH_UNSEEN, " ");
  }
  const foreign = FOREIGN_DIGIT.exec(code.replace(QUOTED, (found) => " ".repeat(found.length)));
  if (foreign !== null) {
    complain(
      at(foreign.index),
      `a digit of another script stands here (${quoted(foreign[0])})`,
      "numbers are written with 0 to 9",
    );
    text = text.replace(EACH_FOREIGN_DIGIT, "0");
  }
  const length = lengthOf(text);
  if (length > LONGEST_LINE) {
    complain(
      { type: "Where", file, line: number, column: 1 },
      `a line has at most ${grouped(LONGEST_LINE)} characters, this one has ${grouped(length)}`,
      "end it with a comma and go on below",
    );
    return "";
  }
  return text;
}

/** Blanks for tabs, up to the next column that four divides. */
function withoutTabs(text) {
  let found = "";
  let column = 0;
  for (const sign of text) {
    const written = sign === "\t" ? " ".repeat(4 - (column % 4)) : sign;
    found += written;
    // as Python counts: a line that begins within it begins at column 0
    column = sign === "\n" || sign === "\r" ? 0 : column + written.length - (sign.length - 1);
  }
  return found;
}

/** Logical lines by their indentation: a list of `{line, below}`. */
export function treeOf(lines, complain) {
  const top = [];
  const open = []; // indentation of a body, and the body
  for (const line of lines) {
    const item = { line, below: [] };
    if (open.length === 0) {
      if (line.indent) {
        complain(line.where(), "the first line is indented", "begin it at the left edge");
      }
      open.push([line.indent, top]);
    } else if (line.indent > open.at(-1)[0]) {
      if (open.length > DEEPEST) {
        complain(line.where(), `lines are indented more than ${DEEPEST} steps deep`, "");
        continue;
      }
      open.push([line.indent, open.at(-1)[1].at(-1).below]);
    } else {
      let left = open.at(-1);
      while (open.length > 1 && line.indent < open.at(-1)[0]) {
        left = open.pop();
      }
      if (line.indent < open.at(-1)[0]) { // the first line was indented
        open[open.length - 1] = [line.indent, top];
      } else if (line.indent > open.at(-1)[0]) {
        complain(
          line.where(),
          `this line is indented by ${line.indent}, no line above it is`,
          `indent it by ${open.at(-1)[0]} or ${left[0]}, as the lines that it goes with`,
        );
        open.push(left);
      }
    }
    open.at(-1)[1].push(item);
  }
  return top;
}
