// What is missing to the calls nearest to a hand, where a line makes its call for want of others:
// systems/words/missing_words.py is the definition.

import { boundsOf, distance, expressionTree, FAR, missedParts, openTree, termParts, treeOf, valuesOf } from "./condition_trees.js";
import { ENGLISH } from "./condition_words.js";

const MOST_NEAREST = 3;
/** A call that is missed by so much more than the nearest one is not thought of. */
const FURTHER = 6;

/** Whether the call made asks for nothing that a hand must have: at most so much, or any hand. */
export function isForWantOfOthers(candidates) {
  const made = candidates.find((one) => one.holds);
  return !made || made.criteria.map(openTree).every((tree) => tree === null || asksNothing(tree));
}

/**
 * The other calls that are tried before the one that a hand makes and are missed by least, `{call, name, needs, missing}`;
 * `needs` says all that is missing, `missing` has `{expression, wanted, has}` in the words given.
 */
export function nearestCalls(candidates, { missWords, needsWords } = ENGLISH) {
  const found = candidates.findIndex((one) => one.holds);
  const own = candidates[found]?.call ?? "P";
  const best = new Map();
  candidates.slice(0, found < 0 ? candidates.length : found).forEach((one, order) => {
    const missed = hardest(one.criteria.filter((each) => !each.holds));
    if (one.call === own || !missed.length) return;
    const off = missed.reduce((sum, each) => sum + distance(expressionTree(each.expression), valuesOf(each)), 0);
    const near = { one, missed, order, isFar: missed.some(isFar), cost: off + FAR * (missed.length - 1) };
    if (!best.has(one.call) || compare(near, best.get(one.call)) < 0) best.set(one.call, near);
  });
  const ordered = [...best.values()].sort(compare);
  const chosen = [];
  for (const near of ordered) {
    if (near.isFar !== ordered[0].isFar || near.cost > ordered[0].cost + FURTHER) break;
    if (!chosen.some((before) => asksMore(near, before))) chosen.push(near);
  }
  return chosen.slice(0, MOST_NEAREST).map(({ one, missed }) => {
    const missing = missed.map((each) => ({ expression: each.expression, ...missWords(each) }));
    return { call: one.call, name: one.name, needs: needsWords(missing), missing };
  });
}

function compare(one, two) {
  return one.isFar - two.isFar || one.cost - two.cost || one.order - two.order;
}

/** Missed conditions without those that another of them says or asks more of: 3+ clubs beside 4+ clubs. */
export function hardest(conditions) {
  const trees = conditions.map(treeOf);
  const ranges = trees.map(boundsOf);
  const asksMoreOf = (one, other) => (one.low ?? -1) >= (other.low ?? -1) && (one.high ?? Infinity) <= (other.high ?? Infinity);
  return conditions.filter((_, place) => !ranges.some((one, other) => (
    other !== place && one && ranges[place] && one.term === ranges[place].term && asksMoreOf(one, ranges[place])
    // of equal ones the first stays
    && (!asksMoreOf(ranges[place], one) || other < place)
  )) && !trees.slice(0, place).some((one) => one.kind === "phrase" && one.words === trees[place].words));
}

/** Whether a tree is met by hands that have little enough. */
function asksNothing(node) {
  if (node.kind === "phrase") return asksNothing(node.meaning);
  if (node.kind === "and" || node.kind === "or") return node.operands.every(asksNothing);
  const range = boundsOf(node);
  if (!range) return false;
  // many losers are little
  return range.term === "Losers" ? range.high === null : !range.low;
}

/** Whether a suit is two cards too short, so that nobody thinks of it. */
function isFar(condition) {
  const range = boundsOf(expressionTree(condition.expression));
  if (!range || range.low === null || termParts(range.term).stem !== "SL") return false;
  const has = valuesOf(condition)[range.term];
  return typeof has === "number" && range.low - has > 1;
}

/** Whether a call misses all that a nearer one misses, and as much of it. */
function asksMore(near, before) {
  const mine = partsMissed(near);
  return partsMissed(before).every(({ part, values }) => mine.some((one) => isAsMuch(one.part, part, values)));
}

function partsMissed({ missed }) {
  return missed.flatMap((condition) => {
    const values = valuesOf(condition);
    return missedParts(expressionTree(condition.expression), values).map((part) => ({ part, values }));
  });
}

function isAsMuch(one, other, values) {
  if (one === other) return true;
  const [mine, known] = [one, other].map(boundsOf);
  if (!mine || !known || mine.term !== known.term || typeof values[known.term] !== "number") return false;
  if (known.low !== null && values[known.term] < known.low) return mine.low !== null && mine.low >= known.low;
  return known.high !== null && mine.high !== null && mine.high <= known.high;
}
