// Expressions as trees, and their canonical text: table/language/expression_tree.py.
// Nodes are made once: equal means ===.

export const LARGEST_NUMBER = 999_999;

/** An expression that does not parse or cannot be used. */
export class InvalidExpression extends Error {}
/** A term that the vocabulary lacks. */
export class UnknownTerm extends InvalidExpression {}

const BINDING = {
  or: 0, and: 1, not: 2, comparison: 3, sum: 4, product: 5, negative: 6, term: 7, number: 7, truth: 7, shape: 7,
};

class Expression {
  #text = null;
  constructor(kind, id, fields) {
    this.kind = kind;
    this.id = id;
    Object.assign(this, fields);
    Object.freeze(this);
  }

  /** One space round operators, `and`/`or`, no parenthesis too many. */
  get text() {
    return (this.#text ??= written(this));
  }

  toString() {
    return this.text;
  }
}

const known = new Map();

/** The node of that kind and key, made if there is none yet. */
function node(kind, key, fields) {
  const whole = `${kind} ${key}`;
  let found = known.get(whole);
  if (found === undefined) known.set(whole, (found = new Expression(kind, known.size, fields)));
  return found;
}

const ids = (nodes) => nodes.map((one) => one.id).join();
const chainKey = (first, rest) => `${first.id}${rest.map(([operator, operand]) => operator + operand.id).join("")}`;

export const term = (name) => node("term", name, { name });
/** A number that is not negative, kept doubled because quick tricks come in halves. */
export const number = (halves) => node("number", halves, { halves });
export const truth = (value) => node("truth", value, { value });
/** A hand pattern, longest suit first: 5332; A to D for 10 to 13. */
export const shape = (pattern) => node("shape", pattern, { pattern });
export const negative = (operand) => node("negative", operand.id, { operand });
export const product = (factors) => node("product", ids(factors), { factors });
/** A first operand, then [+ or -, operand] at least once. */
export const sum = (first, rest) => node("sum", chainKey(first, rest), { first, rest });
/** HCP >= 15, or the chain 15 <= HCP <= 17, which means both. */
export const comparison = (first, rest) => node("comparison", chainKey(first, rest), { first, rest });
export const not = (operand) => node("not", operand.id, { operand });
export const and = (operands) => node("and", ids(operands), { operands });
export const or = (operands) => node("or", ids(operands), { operands });

function written(one) {
  switch (one.kind) {
    case "term": return one.name;
    case "number": return `${Math.floor(one.halves / 2)}${one.halves % 2 ? ".5" : ""}`;
    case "truth": return one.value ? "True" : "False";
    case "shape": return `'${one.pattern}'`;
    case "negative": return `-${within(one.operand, BINDING.negative)}`;
    case "product": return one.factors.map((factor) => within(factor, BINDING.negative)).join(" * ");
    case "sum": return chain(one, BINDING.product);
    case "comparison": return chain(one, BINDING.sum);
    case "not": return `not ${within(one.operand, BINDING.not)}`;
    case "and": return one.operands.map((operand) => within(operand, BINDING.not)).join(" and ");
    default: return one.operands.map((operand) => within(operand, BINDING.and)).join(" or ");
  }
}

/** Text of an operand, in parentheses where it binds less tightly than its place asks. */
function within(operand, least) {
  return BINDING[operand.kind] < least ? `(${operand.text})` : operand.text;
}

function chain({ first, rest }, least) {
  const parts = rest.map(([operator, operand]) => ` ${operator} ${within(operand, least)}`);
  return within(first, least) + parts.join("");
}

/** Direct operands, left to right; none for a term or constant. */
export function operandsOf(expression) {
  switch (expression.kind) {
    case "negative": case "not": return [expression.operand];
    case "product": return expression.factors;
    case "and": case "or": return expression.operands;
    case "sum": case "comparison": return [expression.first, ...expression.rest.map(([, operand]) => operand)];
    default: return [];
  }
}

/** Names of the terms in an expression, left to right, each once. */
export function termsOf(expression, found = new Set()) {
  if (expression.kind === "term") found.add(expression.name);
  for (const operand of operandsOf(expression)) termsOf(operand, found);
  return found;
}

/** Whether an expression is another one or part of it. */
export function contains(whole, part) {
  return whole === part || operandsOf(whole).some((operand) => contains(operand, part));
}

/** Levels of the tree; a term or constant is one level. */
export function depthOf(expression) {
  let deepest = 0;
  const waiting = [[expression, 1]];
  while (waiting.length) {
    const [one, depth] = waiting.pop();
    deepest = Math.max(deepest, depth);
    for (const operand of operandsOf(one)) waiting.push([operand, depth + 1]);
  }
  return deepest;
}
