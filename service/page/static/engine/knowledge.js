// What is known about one hand, the set of cells (shape, HCP) it may lie in: systems/knowledge.py.
//
// A cell is all hands with the same four lengths and the same HCP. A set of cells is a Uint32Array, bit
// shape * 38 + points; it is never changed after it is made.

import { quoted } from "./errors.js";
import { kept } from "./kept.js";
import { formOf, linear, literalsOf, termNamesIn, treeOf } from "./literals.js";
import { loweredTerm, loweredTruth } from "./lowering.js";
import { CARDS, HOLDINGS, LENGTHS, SUIT_LETTERS, TERMS } from "./terms.js";

export { LENGTHS };
export const SHAPES = LENGTHS.length;
export const POINTS = 38;

const CELLS = SHAPES * POINTS;
const CONTEXTS = 16;
const SUIT_POINTS = 11;
const ROWS = 14 * SUIT_POINTS;
const PAIR_POINTS = 2 * SUIT_POINTS - 1;
/** Values apart that a form may take for its distribution to be worked out. */
const WIDEST = 64;

const HIGH_CARDS = TERMS.get("HCP").bySuit[0];
/** Row of each holding: its length and its HCP. */
const ROW = new Uint8Array(HOLDINGS);
for (let holding = 0; holding < HOLDINGS; holding += 1) {
  ROW[holding] = CARDS[holding] * SUIT_POINTS + HIGH_CARDS[holding];
}

const TWO_LENGTHS = [];
for (let one = 0; one <= 13; one += 1) {
  for (let two = 0; one + two <= 13; two += 1) TWO_LENGTHS.push([one, two]);
}
const ONES = TWO_LENGTHS.map(([one]) => one);
const TWOS = TWO_LENGTHS.map(([, two]) => two);
const PAIR_NUMBER = new Map(TWO_LENGTHS.map((pair, number) => [String(pair), number]));
const MINORS = LENGTHS.map(([clubs, diamonds]) => PAIR_NUMBER.get(`${clubs},${diamonds}`));
const MAJORS = LENGTHS.map(([, , hearts, spades]) => PAIR_NUMBER.get(`${hearts},${spades}`));

// --- convolutions over the four suits: from functions of single suits to cells ---------------------------------------

/** Over the cells: the hands counted that the counts of each suit's rows make, or the least sum of their values. */
function overCells([clubs, diamonds, hearts, spades], counting) {
  const minors = joined(clubs, ONES, diamonds, TWOS, SUIT_POINTS, PAIR_POINTS, counting);
  const majors = joined(hearts, ONES, spades, TWOS, SUIT_POINTS, PAIR_POINTS, counting);
  return joined(minors, MINORS, majors, MAJORS, PAIR_POINTS, POINTS, counting);
}

/** By the sum of the points, what rows of two tables give joined; `width` numbers make a row. */
function joined(first, firstRows, second, secondRows, width, wide, counting) {
  const nothing = counting ? 0 : Infinity;
  const total = new Float64Array(firstRows.length * wide).fill(nothing);
  for (let row = 0; row < firstRows.length; row += 1) {
    const [left, right] = [firstRows[row] * width, secondRows[row] * width];
    for (let one = 0; one < width; one += 1) {
      const value = first[left + one];
      if (value === nothing) continue;
      const at = row * wide + one;
      for (let two = 0; two < width; two += 1) {
        const other = second[right + two];
        if (other === nothing) continue;
        if (counting) total[at + two] += value * other;
        else if (value + other < total[at + two]) total[at + two] = value + other;
      }
    }
  }
  return total;
}

const ALL_HOLDINGS = new Uint32Array(HOLDINGS / 32).fill(-1);

/** Count the hands of each cell whose four holdings are in sets of allowed ones. */
function countHands(allowed) {
  return overCells(allowed.map((holdings) => {
    const counts = new Float64Array(ROWS);
    for (let holding = 0; holding < HOLDINGS; holding += 1) {
      if (has(holdings, holding)) counts[ROW[holding]] += 1;
    }
    return counts;
  }), true);
}

/** Number of hands in each cell; they add up to 635,013,559,600. */
export const HANDS = countHands(Array(4).fill(ALL_HOLDINGS));

/** Least sum per cell of one value per suit, given the values of holdings times a sign. */
function least(suits, sign) {
  return overCells(suits.map((values) => {
    const rows = new Float64Array(ROWS).fill(Infinity);
    for (let holding = 0; holding < HOLDINGS; holding += 1) {
      const value = sign * values[holding];
      if (value < rows[ROW[holding]]) rows[ROW[holding]] = value;
    }
    return rows;
  }), false);
}

// --- sets of cells, of holdings or of contexts, a bit for each -------------------------------------------------------

function has(set, number) {
  return (set[number >> 5] >> (number & 31)) & 1;
}

/** Set of the numbers at which a list has anything but zero. */
function packed(values) {
  const set = new Uint32Array(Math.ceil(values.length / 32));
  for (let at = 0; at < values.length; at += 1) if (values[at] !== 0) set[at >> 5] |= 1 << (at & 31);
  return set;
}

export function intersect(one, two) {
  const found = new Uint32Array(one.length);
  for (let word = 0; word < found.length; word += 1) found[word] = one[word] & two[word];
  return found;
}

export function union(one, two) {
  const found = new Uint32Array(one.length);
  for (let word = 0; word < found.length; word += 1) found[word] = one[word] | two[word];
  return found;
}

/** What is in one set and not in another. */
export function without(one, two) {
  const found = new Uint32Array(one.length);
  for (let word = 0; word < found.length; word += 1) found[word] = one[word] & ~two[word];
  return found;
}

export function isEmpty(set) {
  return set.every((word) => word === 0);
}

export function sameCells(one, two) {
  return one === two || one.every((word, at) => word === two[at]);
}

/** Give the numbers of a set to a function. */
function each(set, visit) {
  for (let word = 0; word < set.length; word += 1) {
    for (let bits = set[word]; bits; bits &= bits - 1) visit(32 * word + lowest(bits));
  }
}

function countOf(set) {
  let count = 0;
  each(set, () => {
    count += 1;
  });
  return count;
}

const lowest = (bits) => 31 - Math.clz32(bits & -bits);
const highest = (bits) => 31 - Math.clz32(bits);

/** Every cell that some hand is in. */
export const EVERYTHING = packed(HANDS);
const NOTHING = new Uint32Array(EVERYTHING.length);
/** All that may be asked about by what decides it. */
const WHOLE = {
  cell: EVERYTHING, context: packed(new Float64Array(CONTEXTS).fill(1)),
  C: ALL_HOLDINGS, D: ALL_HOLDINGS, H: ALL_HOLDINGS, S: ALL_HOLDINGS,
};

/** Turn a set of cells into 0 and 1 for each cell. */
function toFlags(cells) {
  const flags = new Float64Array(CELLS);
  for (let cell = 0; cell < CELLS; cell += 1) flags[cell] = has(cells, cell);
  return flags;
}

const hulls = new WeakMap();
/** Lengths of each shape as bits of two numbers: clubs and diamonds, hearts and spades. */
const LENGTH_BITS = [0, 2].map((suit) =>
  Int32Array.from(LENGTHS, (lengths) => (1 << lengths[suit]) | (1 << (14 + lengths[suit + 1]))));

/** Smallest and largest HCP and lengths (C, D, H, S) in a set of cells. */
export function hull(cells) {
  let found = hulls.get(cells);
  if (found === undefined) hulls.set(cells, (found = spanned(cells)));
  return found;
}

function spanned(cells) {
  let [low, high, minors, majors] = [0, 0, 0, 0];
  for (let shape = 0; shape < SHAPES; shape += 1) {
    // the 38 bits of a shape: 32, and 6 behind them
    const at = shape * POINTS;
    const [word, shift] = [at >> 5, at & 31];
    const here = shift ? (cells[word] >>> shift) | (cells[word + 1] << (32 - shift)) : cells[word];
    const behind = ((cells[word + 1] >>> shift) | (shift > 26 ? cells[word + 2] << (32 - shift) : 0)) & 0x3f;
    if (here || behind) {
      low |= here;
      high |= behind;
      minors |= LENGTH_BITS[0][shape];
      majors |= LENGTH_BITS[1][shape];
    }
  }
  if (!minors) throw new RangeError("expected a set with at least one cell, got the empty set");
  const points = [low ? lowest(low) : 32 + lowest(high), high ? 32 + highest(high) : highest(low)];
  const suits = [minors & 0x3fff, minors >>> 14, majors & 0x3fff, majors >>> 14];
  return { points, lengths: suits.map((bits) => [lowest(bits), highest(bits)]) };
}

/** Share of the hands of `given` that lie in `cells`; 0 where `given` is empty. */
/** Whether all hands are balanced: no void or singleton, at most one doubleton. */
export function isBalanced(cells) {
  let isAny = false;
  for (let shape = 0; shape < SHAPES; shape += 1) {
    let hasHands = false;
    for (let cell = shape * POINTS; cell < (shape + 1) * POINTS && !hasHands; cell += 1) {
      hasHands = Boolean((cells[cell >> 5] >>> (cell & 31)) & 1);
    }
    if (!hasHands) continue;
    isAny = true;
    const lengths = [...LENGTHS[shape]];
    if (Math.min(...lengths) < 2 || lengths.filter((one) => one === 2).length > 1) return false;
  }
  return isAny;
}

export function share(cells, given = EVERYTHING) {
  const whole = handsIn(given);
  return whole && handsIn(intersect(cells, given)) / whole;
}

function handsIn(cells) {
  let hands = 0;
  each(cells, (cell) => {
    hands += HANDS[cell];
  });
  return hands;
}

// --- terms and linear forms ------------------------------------------------------------------------------------------

const NO_VALUES = new Float64Array(HOLDINGS);

/** Values of a linear form of terms taken apart: of the holdings of each suit, of the shapes and of the contexts. */
function formTables(form) {
  const suits = Array(4).fill(NO_VALUES);
  let lengths = new Float64Array(SHAPES);
  let contexts = new Float64Array(CONTEXTS);
  for (const [name, factor] of form) {
    const { bySuit, byLengths, byContext } = TERMS.get(name);
    bySuit.forEach((values, suit) => {
      suits[suit] = plus(suits[suit], values, factor);
    });
    lengths = plus(lengths, byLengths, factor);
    contexts = plus(contexts, byContext, factor);
  }
  return { suits, lengths, contexts };
}

function plus(total, values, factor) {
  if (values === null) return total;
  if (total === NO_VALUES && factor === 1) return values;
  const found = total.slice();
  for (let at = 0; at < found.length; at += 1) found[at] += factor * values[at];
  return found;
}

/**
 * What functions of the four holdings add up to where all follow from the numbers of cards and the same multiple of
 * the HCP: that multiple, and the rest by shape; else null.
 */
function sumsByShape(suits) {
  const [two, ace] = [1, 1 << 12];
  const perPoint = (suits[0][ace] - suits[0][two]) / HIGH_CARDS[ace];
  const byCards = suits.map((values) => restByCards(values, perPoint));
  if (byCards.includes(null)) return null;
  const sums = LENGTHS.map((lengths) => lengths.reduce((total, cards, suit) => total + byCards[suit][cards], 0));
  return { perPoint, sums };
}

/** What values of holdings have beyond a multiple of the HCP, by the number of cards; null if that varies. */
function restByCards(values, perPoint) {
  const found = new Float64Array(14);
  if (values === NO_VALUES) return perPoint ? null : found;
  for (let holding = 0; holding < HOLDINGS; holding += 1) {
    const [cards, rest] = [CARDS[holding], values[holding] - perPoint * HIGH_CARDS[holding]];
    // the lowest cards of their number come first
    if (holding === (1 << cards) - 1) found[cards] = rest;
    else if (found[cards] !== rest) return null;
  }
  return found;
}

/** Smallest and largest value of a linear form over the hands of each cell, and whether they are the same. */
const reach = kept(128, (form) => {
  const { suits, lengths, contexts } = formTables(form);
  const [first, last] = [Math.min(...contexts), Math.max(...contexts)];
  const known = sumsByShape(suits);
  if (known) {
    const bases = lengths.map((value, shape) => value + known.sums[shape]);
    const low = overShapes(bases, first, known.perPoint);
    const high = first === last ? low : overShapes(bases, last, known.perPoint);
    return { low, high, fixed: low === high };
  }
  const [low, high] = [least(suits, 1), least(suits, -1)];
  const [bottoms, tops] = [overShapes(lengths, first, 0), overShapes(lengths, last, 0)];
  let fixed = true;
  for (let cell = 0; cell < CELLS; cell += 1) {
    low[cell] += bottoms[cell];
    high[cell] = tops[cell] - high[cell];
    if (low[cell] !== high[cell] && HANDS[cell]) fixed = false;
  }
  return { low, high, fixed };
});

/** Values of the cells from one of each shape, a number for all and what each point adds. */
function overShapes(bases, added, perPoint) {
  const values = new Float64Array(CELLS);
  for (let shape = 0, cell = 0; shape < SHAPES; shape += 1) {
    for (let points = 0; points < POINTS; points += 1, cell += 1) {
      values[cell] = bases[shape] + added + perPoint * points;
    }
  }
  return values;
}

/**
 * Share of each cell's hands where a form lies between two values; null if it varies too widely.
 * Contexts (seat and vulnerability) count as equally frequent.
 */
function proportionBetween(form, low, high) {
  const { suits, lengths, contexts } = formTables(form);
  const bases = suits.map((values) => Math.min(...values));
  const widths = suits.map((values, suit) => Math.max(...values) - bases[suit] + 1);
  if (widths.reduce((total, width) => total + width - 1, 1) > WIDEST) return null;
  const counts = suits.map((values, suit) => {
    const rows = new Float64Array(ROWS * widths[suit]);
    values.forEach((value, holding) => {
      rows[ROW[holding] * widths[suit] + value - bases[suit]] += 1;
    });
    return rows;
  });
  const minors = distributed(counts[0], widths[0], counts[1], widths[1]);
  const majors = distributed(counts[2], widths[2], counts[3], widths[3]);
  const [one, two] = [widths[0] + widths[1] - 1, widths[2] + widths[3] - 1];
  // of each pair of lengths and points, the hands whose value is below 0, 1, 2 …
  const below = new Float64Array(TWO_LENGTHS.length * PAIR_POINTS * (two + 1));
  for (let row = 0; row < TWO_LENGTHS.length * PAIR_POINTS; row += 1) {
    for (let value = 0; value < two; value += 1) {
      const at = row * (two + 1) + value;
      below[at + 1] = below[at] + majors[row * two + value];
    }
  }
  const base = bases.reduce((total, value) => total + value, 0);
  const found = new Float64Array(CELLS);
  const clamped = (value) => Math.max(0, Math.min(two, value));
  for (const shift of new Set(contexts)) {
    const weight = contexts.filter((other) => other === shift).length / CONTEXTS;
    for (let shape = 0; shape < SHAPES; shape += 1) {
      const start = lengths[shape] + base + shift;
      for (let points = 0; points < PAIR_POINTS; points += 1) {
        for (let value = 0; value < one; value += 1) {
          const hands = weight * minors[(MINORS[shape] * PAIR_POINTS + points) * one + value];
          if (!hands) continue;
          const [from, to] = [clamped(low - start - value), clamped(high + 1 - start - value)];
          if (from >= to) continue;
          for (let more = 0; more < PAIR_POINTS && points + more < POINTS; more += 1) {
            const at = (MAJORS[shape] * PAIR_POINTS + more) * (two + 1);
            found[shape * POINTS + points + more] += hands * (below[at + to] - below[at + from]);
          }
        }
      }
    }
  }
  return found.map((hands, cell) => (HANDS[cell] ? hands / HANDS[cell] : 0));
}

/** Hands of two suits by their lengths, the sum of their points and the sum of their values. */
function distributed(first, width, second, other) {
  const wide = width + other - 1;
  const found = new Float64Array(TWO_LENGTHS.length * PAIR_POINTS * wide);
  TWO_LENGTHS.forEach(([one, two], pair) => {
    for (let left = 0; left < SUIT_POINTS * width; left += 1) {
      const hands = first[one * SUIT_POINTS * width + left];
      if (!hands) continue;
      const [points, value] = [Math.floor(left / width), left % width];
      for (let right = 0; right < SUIT_POINTS * other; right += 1) {
        const row = pair * PAIR_POINTS + points + Math.floor(right / other);
        found[row * wide + value + (right % other)] += hands * second[two * SUIT_POINTS * other + right];
      }
    }
  });
  return found;
}

const ranges = new WeakMap();

/** Smallest and largest value of a term in a set of cells; `QT` and `Playing_Tricks` count halves. */
export function termRange(cells, name) {
  if (!ranges.has(cells)) ranges.set(cells, new Map());
  const known = ranges.get(cells);
  if (!known.has(name)) known.set(name, rangeOf(cells, name));
  return known.get(name);
}

function rangeOf(cells, name) {
  if (isEmpty(cells)) {
    throw new RangeError(`expected a set with at least one cell for ${quoted(name)}, got the empty set`);
  }
  const lowered = loweredTerm(name);
  const form = linear(lowered.tree);
  if (form === null) return [lowered.low, lowered.high];
  const { low, high } = reach(formOf([...form.factors]));
  let [first, last] = [Infinity, -Infinity];
  each(cells, (cell) => {
    if (low[cell] < first) first = low[cell];
    if (high[cell] > last) last = high[cell];
  });
  return [first + form.constant, last + form.constant];
}

// --- trees, and what decides them: the cell, one suit, the context, or more ------------------------------------------

/** Tree of terms, with `and` and `or` of any number of operands. */
function wholeTree(expression) {
  if (expression.kind === "and" || expression.kind === "or") {
    return treeOf(expression.kind, ...expression.operands.map(wholeTree));
  }
  if (expression.kind === "not") return treeOf("not", wholeTree(expression.operand));
  return atomTree(expression);
}

const atomTree = kept(1 << 13, (expression) => loweredTruth(expression).tree);

/** What a term follows from, each alone: `cell`, a suit's letter, `context`. */
const deciders = kept(1024, (name) => {
  const { bySuit, byLengths, byContext } = TERMS.get(name);
  const suits = [...SUIT_LETTERS].filter((_, suit) => bySuit[suit] !== null);
  if (byContext !== null) return suits.length || byLengths !== null ? [] : ["context"];
  const found = byLengths !== null || suits.length > 1 ? [] : suits;
  const form = formOf([[name, 1]]);
  // two holdings of one suit and length that differ do so in some cell: the other suits make up for the points
  const fixed = found.length ? sumsByShape(formTables(form).suits) !== null : reach(form).fixed;
  return fixed ? [...found, "cell"] : found;
});

/** `cell`, `context` or a suit's letter; empty where it takes more. */
const decidedBy = kept(1 << 13, (tree) => {
  const sets = [...termNamesIn(tree)].map(deciders);
  const found = ["cell", ...SUIT_LETTERS, "context"].filter((one) => sets.every((set) => set.includes(one)));
  return found[0] ?? "";
});

/** Comparisons as bits: of less, of the same, of more. */
const OUTCOMES = { "<": 1, "<=": 3, "==": 2, "!=": 5, ">=": 6, ">": 4 };

const ARITHMETIC = {
  "+": (one, two) => one + two, "-": (one, two) => one - two, "*": (one, two) => one * two, neg: (one) => -one,
};

/** Set of the cells, of a suit's 8,192 holdings or of the 16 contexts where a tree holds. */
const whereHolds = kept(1 << 13, (tree, decider) => {
  const { operator, operands } = tree;
  const whole = WHOLE[decider];
  const parts = () => operands.map((operand) => whereHolds(operand, decider));
  if (operator === "not") return without(whole, parts()[0]);
  if (operator === "and") return parts().reduce(intersect);
  if (operator === "or") return parts().reduce(union);
  if (!(operator in OUTCOMES)) return intersect(packed(evaluated(tree, decider)), whole);
  const [left, right] = operands.map((operand) => evaluated(operand, decider));
  return intersect(compared(left, right, OUTCOMES[operator]), whole);
}, (tree, decider) => `${decider} ${tree.id}`);

/** Set of the numbers at which one list compares to another in one of some ways. */
function compared(left, right, outcomes) {
  const set = new Uint32Array(Math.ceil(left.length / 32));
  for (let at = 0; at < left.length; at += 1) {
    const outcome = left[at] < right[at] ? 1 : left[at] === right[at] ? 2 : 4;
    if (outcomes & outcome) set[at >> 5] |= 1 << (at & 31);
  }
  return set;
}

/** Values of a tree at all cells, holdings or contexts; truth values are 0 or 1. */
function evaluated(tree, decider) {
  const { operator, operands } = tree;
  if (operator === "term") {
    if (decider === "cell") return reach(formOf([[tree.name, 1]])).low;
    const { byContext, bySuit } = TERMS.get(tree.name);
    return decider === "context" ? byContext : bySuit[SUIT_LETTERS.indexOf(decider)];
  }
  const found = new Float64Array({ cell: CELLS, context: CONTEXTS }[decider] ?? HOLDINGS);
  if (operator === "int") return found.fill(tree.value);
  if (!(operator in ARITHMETIC)) {
    each(whereHolds(tree, decider), (at) => {
      found[at] = 1;
    });
    return found;
  }
  const [left, right = left] = operands.map((operand) => evaluated(operand, decider));
  return found.map((_, at) => ARITHMETIC[operator](left[at], right[at]));
}

// --- conjunctions ----------------------------------------------------------------------------------------------------

/** Parts that must hold together, sorted by what decides them. */
class Conjunction {
  cells = EVERYTHING;
  /** By a suit's letter, the set of the holdings that are left. */
  holdings = {};
  intervals = new Map();
  /** Each the conjunction of the denied alternatives. */
  disjunctions = [];
  /** Share of the contexts that satisfy what is asked of seat and vulnerability. */
  chance = 1;
  /** Parts that are not understood (products of terms over several suits). */
  unknown = 0;
}

function conjunctionOf(whole, positive) {
  const found = new Conjunction();
  const waiting = [[whole, positive]];
  while (waiting.length) {
    const [tree, wanted] = waiting.pop();
    const { operator, operands } = tree;
    const decider = decidedBy(tree);
    const narrowed = (set) => (wanted ? intersect : without)(set, whereHolds(tree, decider));
    if (decider === "cell") {
      found.cells = narrowed(found.cells);
    } else if (decider === "context") {
      found.chance *= countOf(narrowed(WHOLE.context)) / CONTEXTS;
    } else if (decider) {
      found.holdings[decider] = narrowed(found.holdings[decider] ?? WHOLE[decider]);
    } else if (operator === "not") {
      waiting.push([operands[0], !wanted]);
    } else if (operator === (wanted ? "and" : "or")) {
      for (const operand of operands) waiting.push([operand, wanted]);
    } else if (operator === "and" || operator === "or") {
      found.disjunctions.push(conjunctionOf(tree, !wanted));
    } else {
      addComparison(found, literalsOf(tree, wanted));
    }
  }
  return found;
}

function addComparison(found, literals) {
  if (literals === true) return;
  if (literals === false) {
    found.cells = NOTHING;
    return;
  }
  for (const { form, low, high, denied } of literals) {
    if (form) {
      const [least, most] = found.intervals.get(form) ?? [-Infinity, Infinity];
      found.intervals.set(form, [Math.max(low, least), Math.min(high, most)]);
    } else if (denied) {
      const alternative = new Conjunction();
      alternative.intervals.set(denied.form, [denied.low, denied.high]);
      found.disjunctions.push(alternative);
    } else {
      found.unknown += 1;
    }
  }
}

/** By number of cards, the HCP of the holdings of a set, as bits. */
function pointsOf(holdings) {
  const found = new Int32Array(14);
  for (let holding = 0; holding < HOLDINGS; holding += 1) {
    if (has(holdings, holding)) found[CARDS[holding]] |= 1 << HIGH_CARDS[holding];
  }
  return found;
}

/** Cells of the hands that four suits make whose points are known by their number of cards. */
function cellsOf([clubs, diamonds, hearts, spades]) {
  const added = (first, second) => TWO_LENGTHS.map(([one, two]) => {
    let found = 0;
    for (let bits = first[one]; bits; bits &= bits - 1) found |= second[two] << lowest(bits);
    return found;
  });
  const minors = added(clubs, diamonds);
  const majors = added(hearts, spades);
  const cells = new Uint32Array(EVERYTHING.length);
  for (let shape = 0; shape < SHAPES; shape += 1) {
    const more = majors[MAJORS[shape]];
    for (let bits = minors[MINORS[shape]]; bits; bits &= bits - 1) {
      const at = shape * POINTS + lowest(bits);
      cells[at >> 5] |= more << (at & 31);
      if (at & 31) cells[(at >> 5) + 1] |= more >>> (32 - (at & 31));
    }
  }
  return cells;
}

const ANY_POINTS = pointsOf(WHOLE.C);

function boundsOfHoldings(holdings) {
  const suits = [...SUIT_LETTERS];
  const can = cellsOf(suits.map((suit) => (holdings[suit] ? pointsOf(holdings[suit]) : ANY_POINTS)));
  const must = Object.entries(holdings).reduce((left, [suit, allowed]) => {
    const others = pointsOf(without(WHOLE[suit], allowed));
    return without(left, cellsOf(suits.map((one) => (one === suit ? others : ANY_POINTS))));
  }, EVERYTHING);
  return { can, must };
}

const boundsOfInterval = kept(4096, (form, low, high) => {
  const values = reach(form);
  const [can, must] = [new Uint32Array(EVERYTHING.length), new Uint32Array(EVERYTHING.length)];
  for (let cell = 0; cell < CELLS; cell += 1) {
    const [least, most] = [values.low[cell], values.high[cell]];
    if (least <= high && most >= low) can[cell >> 5] |= 1 << (cell & 31);
    if (least >= low && most <= high) must[cell >> 5] |= 1 << (cell & 31);
  }
  return { can: intersect(can, EVERYTHING), must: intersect(must, EVERYTHING) };
}, (...given) => given.join());

function boundsOf(found) {
  const parts = [...found.intervals].map(([form, [low, high]]) => boundsOfInterval(form, low, high));
  if (Object.keys(found.holdings).length) parts.push(boundsOfHoldings(found.holdings));
  for (const denied of found.disjunctions.map(boundsOf)) {
    parts.push({ can: without(EVERYTHING, denied.must), must: without(EVERYTHING, denied.can) });
  }
  const can = parts.reduce((cells, part) => intersect(cells, part.can), found.cells);
  const must = parts.reduce((cells, part) => intersect(cells, part.must), found.cells);
  return { can: found.chance ? can : NOTHING, must: found.unknown || found.chance < 1 ? NOTHING : must };
}

function proportionOf(found) {
  const result = toFlags(found.cells);
  const narrow = (factors) => {
    for (let cell = 0; cell < CELLS; cell += 1) result[cell] *= factors[cell];
  };
  if (Object.keys(found.holdings).length) {
    const allowed = [...SUIT_LETTERS].map((suit) => found.holdings[suit] ?? WHOLE[suit]);
    narrow(countHands(allowed).map((hands, cell) => (HANDS[cell] ? hands / HANDS[cell] : 0)));
  }
  for (const [form, [low, high]] of found.intervals) narrow(proportionOfInterval(form, low, high));
  for (const denied of found.disjunctions) narrow(proportionOf(denied).map((part) => 1 - part));
  return result.map((part) => part * found.chance * 0.5 ** found.unknown);
}

const proportionOfInterval = kept(64, (form, low, high) => {
  const { can, must } = boundsOfInterval(form, low, high);
  const decided = toFlags(must);
  if (sameCells(can, must)) return decided;
  const possible = toFlags(can);
  return proportionBetween(form, low, high) ?? decided.map((part, cell) => (part + possible[cell]) / 2);
}, (...given) => given.join());

// --- what callers ask ------------------------------------------------------------------------------------------------

/**
 * Cells where some hand (`can`), and where every hand (`must`), satisfies an expression.
 * What depends on seat or vulnerability `can` hold everywhere and `must` nowhere.
 */
export const bounds = kept(1 << 13, (expression) => boundsOf(conjunctionOf(wholeTree(expression), true)));

/** Share of each cell's hands that satisfy an expression; a part that is not understood counts one half. */
export const proportion = kept(64, (expression) => proportionOf(conjunctionOf(wholeTree(expression), true)));

/** Share of the hands of a set of cells that satisfy an expression; 0 for the empty set. */
export function shareOf(expression, cells) {
  const parts = proportion(expression);
  let [fitting, hands] = [0, 0];
  each(cells, (cell) => {
    fitting += HANDS[cell] * parts[cell];
    hands += HANDS[cell];
  });
  return hands && fitting / hands;
}
