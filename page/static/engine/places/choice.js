// What a hand is worth for the criteria of entries: systems/places/choice.py and table/language/explain.py. A hand is four
// holdings, clubs first. Which call is made is the core's answer (bidder.js).

import { contextNumber } from "../deals/deals.js";
import { termsOf } from "../expressions/expressions.js";
import { isTag } from "../expressions/vocabulary.js";

/**
 * Check a hand against one expression of a program. `value` is that of the expression's term; where it names several,
 * each value by name; null where it names none.
 */
function explainOne(program, expression, hand, context) {
  const names = [...termsOf(expression)];
  const shown = Object.fromEntries(names.map((name) => [name, termValueShown(program, name, hand, context)]));
  return {
    expression: expression.text,
    value: names.length > 1 ? shown : shown[names[0]] ?? null,
    holds: program.holds(expression, hand, context),
  };
}

/** Value of a term as a player reads it: quick tricks in halves, a pattern as text; null for a tag. */
function termValueShown(program, name, hand, context) {
  if (isTag(name)) return null;
  const [value, boolean, scale] = program.value(name, hand, context);
  if (name === "Pattern") return value.toString(16).toUpperCase();
  return boolean ? value !== 0 : value / scale;
}

/** Test every entry of a place on a hand, in order; `takenBy` is the earlier one that makes the call instead. */
export function checkCandidates(entries, hand, context) {
  const number = contextNumber(context);
  const known = new Map();
  const check = (program, expression) => {
    let found = known.get(expression);
    if (found === undefined) known.set(expression, (found = explainOne(program, expression, hand, number)));
    return found;
  };
  let taker = null;
  return entries.map((entry) => {
    const checks = entry.criteria.map((expression) => check(entry.program, expression));
    const good = checks.every((one) => one.holds);
    const found = { entry, holds: good, checks, takenBy: good ? taker : null };
    if (good) taker ??= entry;
    return found;
  });
}
