// Why an expression cannot be tested on a hand, in words: table/language/lowering.py. The core finds out.

import { grouped, quoted } from "../errors.js";
import { unknownTerm } from "./vocabulary.js";

const LONGEST_POSTFIX = 500;
const LARGEST_VALUE = 2 ** 31 - 1;
/** Kinds of errors: `LoweringErrors` of kernels/core/hands/lowering.hpp. */
const KINDS = [
  "", "unknown term", "tag within", "pattern alone", "shape alone", "pattern compared", "half alone",
  "half multiplied", "too long", "too large",
];

/** What is wrong with an expression, whose size or bounds are `low` and `high`. */
export function loweringMessage(kind, expression, low, high) {
  const got = quoted(expression.text.slice(0, 80));
  switch (KINDS[kind]) {
    case "unknown term": return unknownTerm(expression.name).message;
    case "tag within":
      return `expected a term, got ${quoted(expression.name)}, a remark about the auction that can only stand on its own`;
    case "pattern alone":
      return "expected Pattern in a comparison with a shape in quotes, such as Pattern == '5332'";
    case "shape alone":
      return `expected Pattern == ${expression} or Pattern != ${expression}, got ${expression} on its own`;
    case "pattern compared":
      return `expected Pattern == or != a shape in quotes, such as Pattern == '5332', got ${got}`;
    case "half alone": return `expected a half only beside quick tricks, got ${got}`;
    case "half multiplied": return `expected no product with quick tricks or halves, got ${got}`;
    case "too long":
      return `expected an expression of at most ${grouped(LONGEST_POSTFIX)} operations, `
        + `got ${grouped(low)} after its terms were written out`;
    case "too large":
      return `expected values within ±${grouped(LARGEST_VALUE)}, `
        + `got a part that reaches ${grouped(low)} to ${grouped(high)}`;
    default: return `expected an expression that a hand can be tested by, got ${got}`;
  }
}
