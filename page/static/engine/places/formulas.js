// Expressions put together by code: systems/places/formulas.py. Comparisons whose outcome is known fold away at once;
// conjunction and disjunction flatten, drop what is always true (or false) and what comes twice.

import { quoted } from "../errors.js";
import { and, comparison, not, number, or, shape, term, truth } from "../expressions/expressions.js";
import { LENGTHS } from "./shapes.js";
import { TERMS } from "../expressions/vocabulary.js";

const COMPARE = {
  "<": (one, two) => one < two, "<=": (one, two) => one <= two, "==": (one, two) => one === two,
  "!=": (one, two) => one !== two, ">=": (one, two) => one >= two, ">": (one, two) => one > two,
};
const OPPOSITE = { "<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<=" };
/** Ranks of honours by name, as terms have them. */
export const TRUE = truth(true);
export const FALSE = truth(false);
/** Shapes by name, for systems that do not define them. */
export const BUILT_IN = {
  balanced: ["4-3-3-3", "4-4-3-2", "5-3-3-2"],
  "semi-balanced": ["4-3-3-3", "4-4-3-2", "5-3-3-2", "5-4-2-2", "6-3-2-2"],
};

// --- atoms -----------------------------------------------------------------------------------------------------------

/** Comparison of a term with a whole number; a truth where all hands agree on it. */
export function compared(name, operator, value) {
  const limits = TERMS.get(name);
  if (limits) {
    const [low, high] = limits;
    const outcome = COMPARE[operator](low, 2 * value);
    const depends = (operator === "==" || operator === "!=") && low < 2 * value && 2 * value < high;
    if (outcome === COMPARE[operator](high, 2 * value) && !depends) return truth(outcome);
  }
  return comparison(term(name), [[operator, number(2 * value)]]);
}

/** Whether a number is one that a range names. */
export function inRange(value, wanted) {
  if (wanted === null || wanted.also.includes(value)) return true;
  return wanted.low <= value && (wanted.high === null || value <= wanted.high);
}

/** Term in a range from which `shift`, what partner has already, is taken off. */
export function within(name, { low, high, also }, shift = 0) {
  let inside;
  if (high !== null && low === high) {
    inside = compared(name, "==", low - shift);
  } else {
    inside = low <= 0 ? TRUE : compared(name, ">=", low - shift);
    if (high !== null) inside = conjunction([inside, compared(name, "<=", high - shift)]);
  }
  return disjunction([inside, ...also.map((value) => compared(name, "==", value - shift))]);
}

// --- joining ---------------------------------------------------------------------------------------------------------

/** Join parts that must all hold: flat, without truths and repetitions. */
export function conjunction(parts) {
  return joined(and, "and", parts, TRUE, FALSE);
}

/** Join parts of which one must hold: flat, without falsehoods and repetitions. */
export function disjunction(parts) {
  return joined(or, "or", parts, FALSE, TRUE);
}

function joined(make, kind, parts, nothing, decisive) {
  const found = new Set();
  for (const part of parts) {
    if (part === decisive) return decisive;
    if (part === nothing) continue;
    if (part.kind === kind) part.operands.forEach((operand) => found.add(operand));
    else found.add(part);
  }
  const operands = [...found];
  if (operands.length < 2) return operands[0] ?? nothing;
  return make(operands);
}

/** Opposite of an expression: comparisons turned round, `and` and `or` exchanged. */
export function negation(expression) {
  switch (expression.kind) {
    case "truth": return truth(!expression.value);
    case "not": return expression.operand;
    case "and": return disjunction(expression.operands.map(negation));
    case "or": return conjunction(expression.operands.map(negation));
    case "comparison": {
      const lefts = [expression.first, ...expression.rest.map(([, operand]) => operand)];
      return disjunction(
        expression.rest.map(([operator, right], place) => comparison(lefts[place], [[OPPOSITE[operator], right]])),
      );
    }
    default: return not(expression);
  }
}

// --- shapes ----------------------------------------------------------------------------------------------------------

const PATTERNS = LENGTHS.filter((lengths) => lengths.every((cards, place) => !place || lengths[place - 1] >= cards));
const shapes = new Map();

/** Test of a shape in figures; `x` is any length, `5+` five or more. */
export function shapeExpression(text) {
  let found = shapes.get(text);
  if (found === undefined) shapes.set(text, (found = readShape(text)));
  return found;
}

function readShape(text) {
  const fields = text.replaceAll("=", "-").split("-").map(shapeField);
  if (fields.length !== 4) throw new RangeError(`expected four lengths, got ${quoted(text)}`);
  const least = fields.reduce((total, { low }) => total + low, 0);
  const most = fields.reduce((total, { high }) => total + (high ?? 13), 0);
  if (least > 13 || most < 13) throw new RangeError(`expected lengths that make 13 cards, got ${quoted(text)}`);
  if (text.includes("=")) return conjunction([..."SHDC"].map((letter, place) => within(`SL_${letter}`, fields[place])));
  // patterns, longest suit first, whose lengths fit the fields in some order
  const found = PATTERNS.filter((lengths) => fits(lengths, fields));
  return (found.length > 1 && box(found)) || disjunction(found.map((lengths) => {
    const digits = lengths.map((cards) => cards.toString(16).toUpperCase()).join("");
    return comparison(term("Pattern"), [["==", shape(digits)]]);
  }));
}

/** Whether the lengths fit the fields in some order. */
function fits(lengths, [field, ...fields]) {
  if (field === undefined) return true;
  return lengths.some((cards, place) => inRange(cards, field) && fits(lengths.filter((_, at) => at !== place), fields));
}

function shapeField(field) {
  if (field.toLowerCase() === "x") return { low: 0, high: null, also: [] };
  const [, digits, open] = /^([0-9]+)(\+?)$/u.exec(field) ?? [];
  if (digits === undefined) throw new RangeError(`expected a length such as 5, 5+ or x, got ${quoted(field)}`);
  return { low: Number(digits), high: open ? null : Number(digits), also: [] };
}

/** Say a set of patterns by bounds of the longest two suits, the fewest; null if that fails. */
function box(wanted) {
  const ends = [0, 1].map((place) => {
    const cards = wanted.map((lengths) => lengths[place]);
    return [Math.min(...cards), Math.max(...cards)];
  });
  const exact = () => {
    const inside = PATTERNS.filter(
      (lengths) => ends.every(([low, high], at) => low <= lengths[at] && lengths[at] <= high),
    );
    return inside.length === wanted.length && inside.every((lengths, at) => lengths === wanted[at]);
  };
  if (!exact()) return null;
  for (const place of [0, 1]) {
    for (const [end, widest] of [[0, 0], [1, 13]]) {
      const tight = ends[place][end];
      ends[place][end] = widest;
      if (!exact()) ends[place][end] = tight;
    }
  }
  return conjunction(["Longest_Suit", "Second_Suit"].map((name, place) => {
    const [low, high] = ends[place];
    return within(name, { low, high, also: [] });
  }));
}

const builtIn = new Map();

/** Test of the shapes that a name of BUILT_IN means. */
export function builtInShapes(name) {
  if (!builtIn.has(name)) builtIn.set(name, disjunction(BUILT_IN[name].map(shapeExpression)));
  return builtIn.get(name);
}
