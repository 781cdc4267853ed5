// Text of an expression to its tree: table/language/expressions.py and expression_grammar.py.

import { grouped, quoted } from "../errors.js";
import grammar from "./expression_grammar_data.js";
import {
  and, comparison, depthOf, InvalidExpression, LARGEST_NUMBER, negative, not, number, or, product, shape, sum, term,
  truth,
} from "./expressions.js";
import { cached } from "../cache.js";
import { Parser, UnexpectedInput } from "./lalr.js";

const LONGEST_TEXT = 10_000;
/** Levels of parentheses, `not` and minus signs an expression may have. */
const DEEPEST_NESTING = 64;

const PLAIN_ATOM = /^[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*(?:(<=|>=|==|!=|<|>)[ \t]*([0-9]{1,6}))?[ \t]*$/u;
const PLAIN_PAIR = /^[ \t]*([A-Za-z_][A-Za-z0-9_]*) (and|\+|-) ([A-Za-z_][A-Za-z0-9_]*)[ \t]*$/u;
const KEYWORDS = new Set(["and", "or", "not", "True", "False"]);

const READABLE = {
  NAME: "a term", NUMBER: "a number", SHAPE: "a hand pattern in quotes",
  COMPARATOR: "a comparison", PLUS: "'+'", MINUS: "'-'", STAR: "'*'",
  AND: "'and'", OR: "'or'", NOT: "'not'", TRUE: "True", FALSE: "False",
  LPAR: "'('", RPAR: "')'", AMPERSAND: "'and'", VBAR: "'or'", $END: "the end",
};
const STARTS_OPERAND = ["NAME", "NUMBER", "LPAR"];

/** Read one expression; whether its terms exist is asked later, when it is lowered. */
export function parseExpression(text) {
  if (text.length > LONGEST_TEXT) {
    throw new InvalidExpression(
      `expected an expression of at most ${grouped(LONGEST_TEXT)} characters, got ${grouped(text.length)}: `
      + `${quoted(text.slice(0, 40))}…`,
    );
  }
  return parsed(text);
}

const parsed = cached(1 << 14, (text) => {
  const plain = PLAIN_ATOM.exec(text);
  if (plain && !KEYWORDS.has(plain[1])) {
    const first = term(plain[1]);
    return plain[2] === undefined ? first : comparison(first, [[plain[2], number(2 * Number(plain[3]))]]);
  }
  const pair = PLAIN_PAIR.exec(text);
  if (pair && !KEYWORDS.has(pair[1]) && !KEYWORDS.has(pair[3])) {
    const [first, second] = [term(pair[1]), term(pair[3])];
    return pair[2] === "and" ? and([first, second]) : sum(first, [[pair[2], second]]);
  }
  return parseWithGrammar(text);
});

/** Read one expression without the short cut for plain texts like `TERM >= 15`. */
function parseWithGrammar(text) {
  checkNesting(deepestParenthesis(text), text);
  try {
    const expression = parser.parse(text, "start");
    checkNesting(depthOf(expression), text);
    return expression;
  } catch (error) {
    if (error instanceof UnexpectedInput) throw syntaxError(text, error);
    throw error;
  }
}

function checkNesting(depth, text) {
  if (depth > DEEPEST_NESTING) {
    throw new InvalidExpression(
      `expected at most ${DEEPEST_NESTING} levels of nesting, got ${depth}: ${quoted(text.slice(0, 40))}…`,
    );
  }
}

function deepestParenthesis(text) {
  let [depth, deepest] = [0, 0];
  for (const letter of text) {
    if (letter === "(") depth += 1;
    if (letter === ")") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

// --- the grammar -----------------------------------------------------------------------------------------------------

const pairs = (rest) => rest.flatMap((one, at) => (at % 2 ? [] : [[one.text, rest[at + 1]]]));

/** Turns what the grammar reduces into nodes, bottom up. */
class TreeBuilder {
  term(name) {
    return term(name.text);
  }

  number({ text, start }) {
    const [whole, part = ""] = text.split(".");
    const got = `got ${quoted(text.slice(0, 40))} at character ${start + 1}`;
    if (!/^5?0*$/u.test(part)) throw new InvalidExpression(`expected an integer or a half such as 2.5, ${got}`);
    if (whole.replace(/^0+/u, "").length > 6) {
      throw new InvalidExpression(`expected a number of at most ${grouped(LARGEST_NUMBER)}, ${got}`);
    }
    return number(2 * Number(whole) + Number(part.startsWith("5")));
  }

  shape({ text, start }) {
    const pattern = text.slice(1, -1).toUpperCase();
    const lengths = [...pattern].map((letter) => (/[0-9A-D]/u.test(letter) ? parseInt(letter, 16) : NaN));
    if (lengths.length !== 4 || lengths.reduce((total, cards) => total + cards, 0) !== 13) {
      throw new InvalidExpression(
        "expected a hand pattern of four lengths that sum to 13, such as '5332' "
        + `(A to D for 10 to 13), got ${text.slice(0, 40)} at character ${start + 1}`,
      );
    }
    const ordered = [...pattern].sort().reverse().join("");
    if (pattern !== ordered) {
      throw new InvalidExpression(
        `expected the longest suit first, ${quoted(ordered)}, got ${text} `
        + `at character ${start + 1}; for a suit use its length, such as SL_S == 5`,
      );
    }
    return shape(pattern);
  }

  true() {
    return truth(true);
  }

  false() {
    return truth(false);
  }

  negative(_minus, operand) {
    return negative(operand);
  }

  multiplied(...factors) {
    return product(factors);
  }

  added(first, ...rest) {
    return sum(first, pairs(rest));
  }

  compared(first, ...rest) {
    return comparison(first, pairs(rest));
  }

  denied(operand) {
    return not(operand);
  }

  both(...operands) {
    return and(operands);
  }

  either(...operands) {
    return or(operands);
  }
}

const parser = new Parser(grammar, new TreeBuilder());

// --- what is wrong ---------------------------------------------------------------------------------------------------

/** Say where it went wrong, what was expected there, and draw the line with a caret. */
function syntaxError(text, { position: stopped, expected: terminals, token }) {
  const position = stopped ?? text.trimEnd().length;
  const expected = new Set(terminals);
  const before = text.slice(0, position);
  if (before.split("(").length <= before.split(")").length) expected.delete("RPAR");
  const read = token?.text ?? String.fromCodePoint(text.codePointAt(position) ?? 0);
  const got = stopped === null ? "the end" : quoted([...read].slice(0, 40).join(""));
  const hint = text[position] === "=" ? "; a comparison for equality is written ==" : "";
  return new InvalidExpression(
    `expected ${listed(expected)} at character ${lettersIn(before) + 1}, got ${got}${hint}${caret(text, position)}`,
  );
}

function listed(expected) {
  if (STARTS_OPERAND.every((terminal) => expected.has(terminal))) return "an operand";
  const readable = [...new Set([...expected].map((terminal) => READABLE[terminal] ?? terminal))].sort();
  return readable.join(" or ") || "an expression";
}

function caret(text, position) {
  if (!text.trim()) return "";
  const start = text.lastIndexOf("\n", position - 1) + 1;
  const end = text.indexOf("\n", position);
  const line = text.slice(start, end < 0 ? text.length : end);
  const column = lettersIn(text.slice(start, position));
  const shownFrom = Math.max(0, column - 60);
  const shown = [...line].slice(shownFrom, shownFrom + 80).join("").replaceAll("\t", " ");
  return `\n  ${shown}\n  ${" ".repeat(column - shownFrom)}^`;
}

/** Letters of a text as Python counts them: signs of two units are one. */
const lettersIn = (text) => [...text].length;
