// From trees of the kernels' terms to literals, intervals of linear forms and opaque truth values:
// kernels/lowering.py and kernels/intervals.py.

/** Stands for no bound; no value of a term comes near it. */
const UNBOUNDED = 2 ** 40;

export const COMPARE = {
  "<": (one, two) => one < two, "<=": (one, two) => one <= two, "==": (one, two) => one === two,
  "!=": (one, two) => one !== two, ">=": (one, two) => one >= two, ">": (one, two) => one > two,
};
/** Comparisons with their sides exchanged. */
export const MIRRORED = { "<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<" };
/** Comparisons that hold where others do not. */
export const OPPOSITE = { "<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<=" };

// --- trees: { operator, operands }, { operator: "term", name } and { operator: "int", value }; equal means === -------

const trees = new Map();

function made(key, fields) {
  let found = trees.get(key);
  if (found === undefined) trees.set(key, (found = { id: trees.size, ...fields }));
  return found;
}

export const termTree = (name) => made(name, { operator: "term", name, operands: [] });
export const intTree = (value) => made(value, { operator: "int", value, operands: [] });
export const treeOf = (operator, ...operands) =>
  made(`${operator} ${operands.map(({ id }) => id).join()}`, { operator, operands });

/** Names of the terms in a tree. */
export function termNamesIn(tree, found = new Set()) {
  if (tree.operator === "term") found.add(tree.name);
  for (const operand of tree.operands) termNamesIn(operand, found);
  return found;
}

// --- linear forms ----------------------------------------------------------------------------------------------------

const forms = new Map();

/** Form of [term, factor] pairs, sorted by term; made once. */
export function formOf(pairs) {
  const key = pairs.join();
  let found = forms.get(key);
  if (found === undefined) forms.set(key, (found = pairs));
  return found;
}

/** Factors of a tree's value by term, sorted, and its constant; null if it is not linear. */
export function linear(tree) {
  const { operator, operands } = tree;
  if (operator === "int") return { factors: new Map(), constant: tree.value };
  if (operator === "term") return { factors: new Map([[tree.name, 1]]), constant: 0 };
  if (!["+", "-", "*", "neg"].includes(operator)) return null;
  const [left, right] = operands.map(linear);
  if (left === null || right === null) return null;
  if (operator === "neg") return combined([left, -1]);
  if (operator !== "*") return combined([left, 1], [right, operator === "+" ? 1 : -1]);
  if (left.factors.size && right.factors.size) return null;
  return left.factors.size ? combined([left, right.constant]) : combined([right, left.constant]);
}

/** Sum of [form, scale] pairs. */
function combined(...parts) {
  const factors = new Map();
  let constant = 0;
  for (const [part, scale] of parts) {
    for (const [name, factor] of part.factors) factors.set(name, (factors.get(name) ?? 0) + scale * factor);
    constant += scale * part.constant;
  }
  const sorted = [...factors].filter(([, factor]) => factor).sort(([one], [two]) => (one < two ? -1 : 1));
  return { factors: new Map(sorted), constant };
}

const gcd = (one, two) => (two ? gcd(two, one % two) : Math.abs(one));

/** Literals of a comparison of linear sides; a boolean if constant; null if not linear. */
function comparisonLiterals(operator, left, right) {
  const difference = linear(treeOf("-", left, right));
  if (difference === null) return null;
  let bound = -difference.constant;
  let pairs = [...difference.factors];
  if (!pairs.length) return COMPARE[operator](0, bound);
  let compared = operator;
  if (pairs[0][1] < 0) {
    pairs = pairs.map(([name, factor]) => [name, -factor]);
    bound = -bound;
    compared = MIRRORED[operator];
  }
  // 14 * HCP <= 10 is HCP <= 0: one form for all multiples
  const divisor = pairs.reduce((common, [, factor]) => gcd(common, factor), 0);
  const form = formOf(pairs.map(([name, factor]) => [name, factor / divisor]));
  const ends = leftBy(compared === "!=" ? "==" : compared, bound);
  const interval = { form, low: Math.ceil(ends[0] / divisor), high: Math.floor(ends[1] / divisor) };
  const empty = interval.low > interval.high;
  if (operator === "!=") return empty || [{ denied: interval }];
  return !empty && [interval];
}

/** Numbers that a comparison with a value leaves; `!=` leaves all. */
function leftBy(operator, value) {
  const low = [">", ">=", "=="].includes(operator) ? value + (operator === ">") : -UNBOUNDED;
  const high = ["<", "<=", "=="].includes(operator) ? value - (operator === "<") : UNBOUNDED;
  return [low, high];
}

/**
 * Literals of a comparison, or of a number as a truth value, or of their negation: intervals `{ form, low, high }`,
 * `{ denied: interval }` and `{ opaque: tree }`; a boolean for what does not depend on the hand.
 */
export function literalsOf(tree, positive) {
  const { operator, operands } = tree;
  const lowered = operator in COMPARE
    ? comparisonLiterals(positive ? operator : OPPOSITE[operator], ...operands)
    // a number used as a truth value: it holds where it is not zero
    : comparisonLiterals(positive ? "!=" : "==", tree, intTree(0));
  return lowered ?? [{ opaque: tree }];
}
