// Expressions lowered to trees of the kernels' terms: table/language/lowering.py.

import { grouped, quoted } from "./errors.js";
import { parseExpression } from "./expression_reader.js";
import { InvalidExpression, term as termNode, termsOf } from "./expressions.js";
import { COMPARE, intTree, MIRRORED, OPPOSITE, termTree, treeOf } from "./literals.js";
import { ALIASES, TERMS } from "./terms.js";
import { isTag, unknownTerm } from "./vocabulary.js";

const LONGEST_POSTFIX = 500;
const LARGEST_VALUE = 2 ** 31 - 1;

/** Tree of an expression as a truth value; a tag on its own (see isTag) holds always. */
export function loweredTruth(expression) {
  if (expression.kind === "term" && isTag(expression.name)) return constant(1, { boolean: true });
  return asTruth(lower(expression));
}

const termsKnown = new Map();

/** Tree of a term with its unit (`scale` is 2 for halves) and bounds. */
export function loweredTerm(name) {
  let found = termsKnown.get(name);
  if (found === undefined) termsKnown.set(name, (found = lowerTerm(name)));
  return found;
}

function lowerTerm(name) {
  const known = TERMS.get(name);
  if (known) {
    const { scale, low, high, boolean } = known;
    return { tree: termTree(name), size: 1, scale, low, high, boolean };
  }
  if (Object.hasOwn(ALIASES, name)) return lower(parseExpression(ALIASES[name]));
  if (isTag(name)) {
    throw new InvalidExpression(
      `expected a term, got ${quoted(name)}, a remark about the auction that can only stand on its own`,
    );
  }
  throw unknownTerm(name);
}

/** Tree of an expression together with the bounds of its value. */
function lower(expression) {
  switch (expression.kind) {
    case "term":
      if (expression.name === "Pattern") {
        throw new InvalidExpression(
          "expected Pattern in a comparison with a shape in quotes, such as Pattern == '5332'",
        );
      }
      return loweredTerm(expression.name);
    case "number":
      return expression.halves % 2 ? constant(expression.halves, { scale: 2 }) : constant(expression.halves / 2);
    case "truth": return constant(Number(expression.value), { boolean: true });
    case "shape":
      throw new InvalidExpression(
        `expected Pattern == ${expression} or Pattern != ${expression}, got ${expression} on its own`,
      );
    case "negative": return negated(lower(expression.operand));
    case "product": return multiplied(expression, expression.factors.map(lower));
    case "sum":
      return expression.rest.reduce(
        (total, [sign, operand]) => added(total, sign, lower(operand)), lower(expression.first),
      );
    case "comparison": return compared(expression);
    case "not": return denied(lower(expression.operand));
    default: return joined(expression.operands.map(lower), expression.kind);
  }
}

function constant(value, { boolean = false, scale = 1 } = {}) {
  return { tree: intTree(value), size: 1, scale, low: value, high: value, boolean };
}

/** The value where the tree is one constant, else null. */
const valueOf = ({ tree }) => (tree.operator === "int" ? tree.value : null);

function checked(lowered) {
  if (lowered.size > LONGEST_POSTFIX) {
    throw new InvalidExpression(
      `expected an expression of at most ${grouped(LONGEST_POSTFIX)} operations, `
      + `got ${grouped(lowered.size)} after its terms were written out`,
    );
  }
  if (lowered.low < -LARGEST_VALUE || lowered.high > LARGEST_VALUE) {
    throw new InvalidExpression(
      `expected values within ±${grouped(LARGEST_VALUE)}, `
      + `got a part that reaches ${grouped(lowered.low)} to ${grouped(lowered.high)}`,
    );
  }
  return lowered;
}

function scaled(lowered, scale) {
  if (lowered.scale === scale) return lowered;
  const value = valueOf(lowered);
  if (value !== null) return constant(2 * value, { scale: 2 });
  return made("*", [lowered, constant(2)], { low: 2 * lowered.low, high: 2 * lowered.high, scale: 2 });
}

function sameUnit(left, right) {
  const scale = Math.max(left.scale, right.scale);
  return [scaled(left, scale), scaled(right, scale)];
}

function negated(operand) {
  const value = valueOf(operand);
  if (value !== null) return constant(-value, { scale: operand.scale });
  return made("neg", [operand], { low: -operand.high, high: -operand.low });
}

function added(first, sign, second) {
  const [left, right] = sameUnit(first, second);
  const [low, high] = sign === "+" ? [right.low, right.high] : [-right.high, -right.low];
  if (valueOf(left) !== null && valueOf(right) !== null) {
    return checked(constant(left.low + low, { scale: left.scale }));
  }
  return made(sign, [left, right], { low: left.low + low, high: left.high + high });
}

function multiplied(expression, factors) {
  if (factors.some(({ scale }) => scale === 2)) {
    throw new InvalidExpression(
      `expected no product with quick tricks or halves, got ${quoted(expression.text.slice(0, 80))}`,
    );
  }
  return factors.reduce((product, factor) => {
    // may be more than a number holds exactly
    const [ends, others] = [product, factor].map(({ low, high }) => [BigInt(low), BigInt(high)]);
    const corners = ends.flatMap((left) => others.map((right) => left * right));
    const [low, , , high] = corners.sort((one, two) => (one < two ? -1 : 1));
    if (valueOf(product) === null || valueOf(factor) === null) return made("*", [product, factor], { low, high });
    checked({ size: 1, low, high });
    return constant(Number(low));
  });
}

/** Turn a number into a truth value: whether it differs from zero. */
function asTruth(lowered) {
  const value = valueOf(lowered);
  if (value !== null) return constant(Number(value !== 0), { boolean: true });
  return lowered.boolean ? lowered : test("!=", lowered, constant(0));
}

function made(operator, operands, { low, high, scale = operands[0].scale, boolean = false }) {
  const tree = treeOf(operator, ...operands.map((operand) => operand.tree));
  const size = operands.reduce((total, operand) => total + operand.size, 1);
  checked({ size, low, high });
  return { tree, size, scale, low: Number(low), high: Number(high), boolean };
}

function test(operator, ...operands) {
  return made(operator, operands, { low: 0, high: 1, scale: 1, boolean: true });
}

function denied(lowered) {
  const operand = asTruth(lowered);
  const value = valueOf(operand);
  if (value !== null) return constant(Number(!value), { boolean: true });
  const { operator, operands } = operand.tree;
  if (operator in OPPOSITE) return { ...operand, tree: treeOf(OPPOSITE[operator], ...operands) };
  // its operand is a truth value already
  if (operator === "not") return { ...operand, tree: operands[0], size: operand.size - 1 };
  return test("not", operand);
}

function joined([first, ...rest], operator) {
  return rest.reduce((left, right) => test(operator, left, asTruth(right)), asTruth(first));
}

function compared(expression) {
  const operands = [expression.first, ...expression.rest.map(([, operand]) => operand)];
  if (operands.some((operand) => operand.kind === "shape" || operand === PATTERN)) return comparedPattern(expression);
  const lowered = operands.map(lower);
  if (
    lowered.some(({ scale }) => scale === 2)
    && ![...termsOf(expression)].some((name) => loweredTerm(name).scale === 2)
  ) {
    throw new InvalidExpression(
      `expected a half only beside quick tricks, got ${quoted(expression.text.slice(0, 80))}`,
    );
  }
  const tests = expression.rest.map(([operator], place) => tested(lowered[place], operator, lowered[place + 1]));
  return joined(tests, "and");
}

const PATTERN = termNode("Pattern");

function comparedPattern(expression) {
  const [[operator, second], ...more] = expression.rest;
  const found = [[expression.first, second], [second, expression.first]]
    .find(([one, other]) => one === PATTERN && other.kind === "shape");
  if (!found || more.length || !["==", "!="].includes(operator)) {
    throw new InvalidExpression(
      "expected Pattern == or != a shape in quotes, such as Pattern == '5332', "
      + `got ${quoted(expression.text.slice(0, 80))}`,
    );
  }
  return test(operator, loweredTerm("Pattern"), constant(parseInt(found[1].pattern, 16)));
}

function tested(first, written, second) {
  const exchanged = valueOf(first) !== null && valueOf(second) === null;
  const operator = exchanged ? MIRRORED[written] : written;
  let [left, right] = exchanged ? [second, first] : [first, second];
  const truth = valueOf(right);
  if (left.boolean && right.boolean && truth !== null && (operator === "==" || operator === "!=")) {
    return (operator === "==") === Boolean(truth) ? left : denied(left);
  }
  [left, right] = sameUnit(left, right);
  const [one, two] = [valueOf(left), valueOf(right)];
  if (one !== null && two !== null) return constant(Number(COMPARE[operator](one, two)), { boolean: true });
  return test(operator, left, right);
}
