// The call that a system makes with a hand, and why not the others: systems/choice.py and
// table/language/explain.py. A hand is four holdings, clubs first.

import { termsOf } from "./expressions.js";
import { kept } from "./kept.js";
import { COMPARE } from "./literals.js";
import { loweredTerm, loweredTruth } from "./lowering.js";
import { TERMS } from "./terms.js";
import { isTag } from "./vocabulary.js";

const PASS = 0;

/** Values of terms for one hand, each worked out when it is first asked for. */
export class HandValues {
  #known = new Map();
  constructor(hand, context = { seat: 1, vulWe: 0, vulThey: 0 }) {
    this.hand = hand;
    this.context = context;
  }

  get(name) {
    let value = this.#known.get(name);
    if (value === undefined) this.#known.set(name, (value = TERMS.get(name).value(this.hand, this.context)));
    return value;
  }
}

/** Tree and terms of an expression: one place asks for few, over and over. */
const lowered = kept(1 << 14, (expression) => ({
  tree: loweredTruth(expression).tree, names: [...termsOf(expression)],
}));

/** Value of a tree for a hand; a truth value is 0 or 1. */
function evaluate({ operator, operands, name, value }, values) {
  if (operator === "term") return values.get(name);
  if (operator === "int") return value;
  const left = evaluate(operands[0], values);
  if (operator === "not") return Number(left === 0);
  if (operator === "neg") return -left;
  if (operator === "and") return Number(left !== 0 && evaluate(operands[1], values) !== 0);
  if (operator === "or") return Number(left !== 0 || evaluate(operands[1], values) !== 0);
  const right = evaluate(operands[1], values);
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  return operator === "*" ? left * right : Number(COMPARE[operator](left, right));
}

/** Whether an expression holds for a hand. */
export function holds(expression, values) {
  return evaluate(lowered(expression).tree, values) !== 0;
}

/**
 * Check a hand against one expression. `value` is that of the expression's term; where it names several, each value by
 * name; null where it names none.
 */
export function explainOne(expression, values) {
  const { names } = lowered(expression);
  const shown = Object.fromEntries(names.map((name) => [name, termValueShown(name, values)]));
  return {
    expression: expression.text,
    value: names.length > 1 ? shown : shown[names[0]] ?? null,
    holds: holds(expression, values),
  };
}

/** Value of a term as a player reads it: quick tricks in halves, a pattern as text; null for a tag. */
function termValueShown(name, values) {
  if (isTag(name)) return null;
  const { tree, boolean, scale } = loweredTerm(name);
  const value = evaluate(tree, values);
  if (name === "Pattern") return value.toString(16).toUpperCase();
  return boolean ? Boolean(value) : value / scale;
}

/** Whether a hand meets all criteria of an entry. */
export function fits(entry, values) {
  return entry.criteria.every((expression) => holds(expression, values));
}

/** Take the first entry of a place that holds; none holds: pass. */
export function choose(place, hand, context) {
  const values = new HandValues(hand, context);
  const entry = place.entries.find((one) => fits(one, values)) ?? null;
  return { call: entry?.call ?? PASS, entry, forced: place.forced };
}

/** Test every entry of a place on a hand, in order; `takenBy` is the earlier one that makes the call instead. */
export function checkCandidates(entries, hand, context) {
  const values = new HandValues(hand, context);
  let taker = null;
  return entries.map((entry) => {
    const checks = entry.criteria.map((expression) => explainOne(expression, values));
    const good = checks.every((check) => check.holds);
    const found = { entry, holds: good, checks, takenBy: good ? taker : null };
    if (good) taker ??= entry;
    return found;
  });
}
