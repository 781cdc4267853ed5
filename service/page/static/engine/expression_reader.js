// Text of an expression to its tree: table/language/expressions.py.

import { and, comparison, InvalidExpression, number, sum, term } from "./expressions.js";

const PLAIN_ATOM = /^[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*(?:(<=|>=|==|!=|<|>)[ \t]*([0-9]{1,6}))?[ \t]*$/u;
const PLAIN_PAIR = /^[ \t]*([A-Za-z_][A-Za-z0-9_]*) (and|\+|-) ([A-Za-z_][A-Za-z0-9_]*)[ \t]*$/u;
const KEYWORDS = new Set(["and", "or", "not", "True", "False"]);

export function parseExpression(text) {
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
  throw new InvalidExpression("not yet");
}
