// Conditions of a call as trees: bounds of what they count, what of them a hand misses, and how far it is off.
// systems/words/condition_trees.py is the definition.

import { InvalidExpression, termsOf } from "../expressions/expressions.js";
import { parseExpression } from "../expressions/expression_reader.js";

const SUITS = "SHDC";
const FLIPPED = { ">=": "<=", "<=": ">=", ">": "<", "<": ">", "==": "==", "!=": "!=" };
/** Distance of what is there or not, such as a stopper. */
export const FAR = 2;
const CARD_OFF = 1.6;
const STRENGTH = new Set(["HCP", "Support_Points", "Total_Points", "Losers"]);
/** What is counted in halves, too. */
const HALVES = new Set(["QT", "Playing_Tricks"]);
const RULE = "Rule_Of_";

/** A term in parts: what it is of, its suit and the rank of a card; empty where it has none. */
export function termParts(name) {
  const parts = name.split("_");
  const last = parts.at(-1);
  if (parts.length > 1 && SUITS.includes(last)) return { stem: parts.slice(0, -1).join("_"), suit: last, rank: "" };
  if (parts[0] === "C" && last.length === 2) return { stem: "C", suit: last[0], rank: last[1] };
  return { stem: name, suit: "", rank: "" };
}

/** Number that a term such as Rule_Of_20 has in its name, null for others. */
export function ruleNumber(name) {
  return name.startsWith(RULE) ? name.slice(RULE.length) : null;
}

// --- trees ----------------------------------------------------------------------------------------

/** Tree of an expression; what is none, as a table or an older service may say, is a node of the kind "text". */
export function expressionTree(text) {
  try {
    return parseExpression(text);
  } catch (error) {
    if (error instanceof InvalidExpression) return { kind: "text", text };
    throw error;
  }
}

/**
 * Tree of a condition `{expression, words}`; phrases of its line stand in it for what they became, as nodes of the kind
 * "phrase" with their `words` and their `meaning`.
 */
export function treeOf({ expression, words = [] }) {
  const whole = expressionTree(expression);
  const phrases = words.map(({ text, expression: meant }) => (
    { kind: "phrase", words: text, meaning: expressionTree(meant), text: meant }
  ));
  // one of several conditions that a phrase became stands for it
  const around = phrases.find(({ meaning }) => meaning.kind === "and" && meaning.operands.includes(whole));
  if (around) return around;
  // the longest first: "decent" is "good" or an honour
  return withPhrases(whole, phrases.sort((one, other) => other.text.length - one.text.length));
}

function withPhrases(node, phrases) {
  const found = phrases.find(({ meaning }) => meaning === node);
  if (found) return found;
  if (node.kind === "not") {
    const operand = withPhrases(node.operand, phrases);
    return operand === node.operand ? node : { kind: "not", operand, text: node.text };
  }
  if (node.kind !== "and" && node.kind !== "or") return node;
  let operands = [...node.operands];
  for (const one of phrases) {
    const parts = one.meaning.kind === node.kind ? one.meaning.operands : [];
    if (!parts.length || !parts.every((part) => operands.includes(part))) continue;
    operands[operands.indexOf(parts[0])] = one;
    operands = operands.filter((part) => !parts.includes(part));
  }
  operands = operands.map((part) => withPhrases(part, phrases));
  return joined(node.kind, operands);
}

/** Operands joined by "and" or "or"; one alone is itself. */
function joined(kind, operands) {
  return operands.length === 1 ? operands[0] : { kind, operands, text: operands.map(({ text }) => text).join(` ${kind} `) };
}

/** Parts that are joined by "and" or "or", else the node alone. */
export function partsOf(node, kind) {
  return node.kind === kind ? node.operands : [node];
}

/** Values of a condition by term. */
export function valuesOf({ expression, value }) {
  if (value !== null && typeof value === "object") return value;
  const [term] = termsOf(expressionTree(expression));
  return term && value !== undefined ? { [term]: value } : {};
}

/** What is open of a tree where values say who is vulnerable: a tree, or true or false. */
export function settled(node, values) {
  if (node.kind === "term") return node.name.startsWith("Vul_") && node.name in values ? values[node.name] : node;
  if (node.kind === "not") {
    const inner = settled(node.operand, values);
    // what was settled in part is written as it was
    return typeof inner === "boolean" ? !inner : node;
  }
  if (node.kind !== "and" && node.kind !== "or") return node;
  const decides = node.kind === "or";
  const parts = node.operands.map((one) => settled(one, values)).filter((one) => one !== !decides);
  if (parts.includes(decides)) return decides;
  if (!parts.length) return !decides;
  return parts.every((one, place) => one === node.operands[place]) && parts.length === node.operands.length
    ? node : joined(node.kind, parts);
}

/** Tree of a condition without what the vulnerability has decided; null where that decides all of it. */
export function openTree(condition) {
  const found = settled(treeOf(condition), valuesOf(condition));
  return typeof found === "boolean" ? null : found;
}

// --- comparisons ----------------------------------------------------------------------------------

/** Comparisons `[term, sign, operand]` of a tree; none where it is no comparison of a term. */
function comparisonsOf(node) {
  if (node.kind !== "comparison") return [];
  const operands = [node.first, ...node.rest.map(([, operand]) => operand)];
  return node.rest.map(([sign, right], place) => {
    const left = operands[place];
    return left.kind === "term" ? [left.name, sign, right] : right.kind === "term" ? [right.name, FLIPPED[sign], left] : [null];
  });
}

/** One comparison of a term with a number, `{term, sign, number}`, or with a term, `{term, sign, other}`; else null. */
export function comparisonOf(node) {
  const [[term, sign, operand] = [null], ...more] = comparisonsOf(node);
  if (term === null || more.length) return null;
  if (operand.kind === "number") return { term, sign, number: operand.halves / 2 };
  if (operand.kind === "shape") return { term, sign, shape: operand.pattern };
  return operand.kind === "term" ? { term, sign, other: operand.name } : null;
}

/** Bounds of a test of one number: `{term, low, high}` with null for none, or null. */
export function boundsOf(node) {
  const found = comparisonsOf(node);
  if (!found.length || found.length > 2) return null;
  const range = { term: found[0][0], low: null, high: null };
  for (const [term, sign, operand] of found) {
    if (term === null || term !== range.term || operand.kind !== "number" || sign === "!=") return null;
    const bound = operand.halves / 2;
    const step = HALVES.has(term) ? 0.5 : 1;
    if (sign === "==" || sign === ">=" || sign === ">") range.low = sign === ">" ? bound + step : bound;
    if (sign === "==" || sign === "<=" || sign === "<") range.high = sign === "<" ? bound - step : bound;
  }
  return range;
}

// --- what is missing ------------------------------------------------------------------------------

/** Parts that values do not meet, all of which must be met; of alternatives those of the nearest. */
export function missedParts(node, values) {
  if (node.kind === "or") {
    const off = node.operands.map((one) => distance(one, values));
    return missedParts(node.operands[off.indexOf(Math.min(...off))], values);
  }
  if (node.kind !== "and") return [node];
  const missed = node.operands.filter((one) => distance(one, values) > 0);
  return missed.length ? missed.flatMap((one) => missedParts(one, values)) : [node];
}

/** How far values are from a tree: points, and cards that count for more. */
export function distance(node, values) {
  switch (node.kind) {
    case "phrase": return distance(node.meaning, values);
    case "or": return Math.min(...node.operands.map((one) => distance(one, values)));
    case "and": return node.operands.reduce((sum, one) => sum + distance(one, values), 0);
    case "not": return distance(node.operand, values) ? 0 : FAR;
    case "term": return values[node.name] === true ? 0 : FAR;
    default: return comparedDistance(node, values);
  }
}

function comparedDistance(node, values) {
  const range = boundsOf(node);
  if (range && typeof values[range.term] === "number") {
    const value = values[range.term];
    return weight(range.term) * Math.max(0, (range.low ?? value) - value, value - (range.high ?? value));
  }
  const { term, sign, other, shape, number: unequal } = comparisonOf(node) ?? {};
  if (other !== undefined && typeof values[term] === "number" && typeof values[other] === "number") {
    const apart = values[term] - values[other];
    const off = { ">=": -apart, ">": 1 - apart, "<=": apart, "<": apart + 1, "==": Math.abs(apart), "!=": Number(!apart) }[sign];
    return CARD_OFF * Math.max(0, off);
  }
  if (values[term] === undefined) return FAR;
  const isMet = (values[term] === (shape ?? unequal)) === (sign === "==");
  return isMet ? 0 : FAR;
}

function weight(term) {
  const { stem, suit } = termParts(term);
  return (STRENGTH.has(stem) && (stem === "Support_Points" || !suit)) || ruleNumber(term) !== null ? 1 : CARD_OFF;
}
