// What an auction has shown and agreed, read call by call: systems/auctions/auction_reader.py and state.py. What is possible
// comes from the core; what calls meant is put together here.

import { Auction, PASS } from "../deals/calls.js";
import { hull, intersect, isEmpty, union, without } from "./cells.js";
import { CONTEXT_TERMS } from "./places.js";

/** What one hand has shown: possible cells, and a Map of bounds of terms such as Aces beyond them. */
class Knowledge {
  constructor(cells, terms) {
    this.cells = cells;
    this.terms = terms;
  }

  /** Bounds of points and lengths. */
  get hull() {
    return hull(this.cells);
  }

  /** Least and most points that were shown. */
  get points() {
    const found = this.hull.points;
    const known = this.terms.get("HCP");
    if (known === undefined) return found;
    const narrowed = [Math.max(found[0], known[0]), Math.min(found[1], known[1])];
    return narrowed[0] <= narrowed[1] ? narrowed : found;
  }
}

/** What is known behind a legal auction. `meanings` are those of its calls: `uses` are the lines that make the call
 * there, pairs of a placed line and bindings; none for a call of which the system knows nothing, and for a pass by
 * default. An alternative is {name, kind, where, cells, constraint, expression}. */
export function readState(bidder, calls) {
  const { forced, gameForced, agreed, cells } = bidder.place(calls);
  const position = calls.length % 4;
  const common = {
    calls, position, forced, gameForced,
    agreed: agreed.map((suit) => (suit ? "CDHSN"[suit - 1] : null)),
    isOver: Auction.of(calls).isComplete,
  };
  if (!calls.length) {
    return { ...common, meanings: [], knowledge: cells.map((one) => new Knowledge(one, NO_BOUNDS)) };
  }
  const before = bidder.state(calls.slice(0, -1));
  const { meaning, terms, shown } = read(bidder, before, calls.at(-1));
  const caller = before.position;
  // where no context is given the core has worked out the same
  const known = bidder.contextOf(0) === null
    ? cells : before.knowledge.map((one, at) => (at === caller ? shown : one.cells));
  return {
    ...common,
    meanings: [...before.meanings, meaning],
    knowledge: known.map((one, at) => new Knowledge(one, at === caller ? terms : before.knowledge[at].terms)),
  };
}

/** Meaning of a call, and the bounds of terms that its player has then shown altogether. */
function read(bidder, state, call) {
  const { entries } = bidder.place(state.calls);
  const before = state.knowledge[state.position];
  const possible = before.cells;
  // hands that an earlier line certainly takes
  let left = possible;
  const alternatives = [];
  const uses = [];
  const agreements = [];
  const said = new Set();
  const terms = [];
  const context = bidder.contextOf(state.calls.length);
  let shown = null;
  let loose = null;
  const last = entries.findLastIndex((entry) => entry.call === call);
  for (const entry of last < 0 ? [] : entries.slice(0, last + 1)) {
    if (entry.call !== call) {
      left = without(left, entry.constraint.at(context).must);
      continue;
    }
    const { can } = entry.constraint.at(context);
    const cells = intersect(can, left);
    loose = loose ? union(loose, can) : can;
    if (uses.at(-1)?.[0] !== entry.line) uses.push([entry.line, entry.bindings]);
    for (const agreement of entry.agreements) {
      const key = entry.program.rules.keys.of(agreement);
      if (said.has(key)) continue;
      said.add(key);
      agreements.push(agreement);
    }
    terms.push(narrowed(termBounds(entry.expression), promise(bidder, entry, state)));
    if (isEmpty(cells)) continue;
    shown = shown ? union(shown, cells) : cells;
    const { name, kind, where, constraint, expression } = entry;
    alternatives.push({ name, kind, where, cells, constraint: constraint.at(context), expression });
  }
  if (!uses.length) {
    const meaning = { call, uses, agreements, alternatives, known: call === PASS };
    // a pass by default denies every line; of another unknown call nothing is known
    for (const entry of call === PASS ? entries : []) left = without(left, entry.constraint.at(context).must);
    return { meaning, terms: before.terms, shown: isEmpty(left) ? possible : left };
  }
  if (shown === null) {
    // nobody who keeps to the system makes this call: it is taken at face value
    const both = intersect(loose, possible);
    shown = [both, loose, possible].find((one) => !isEmpty(one));
  }
  const meaning = { call, uses, agreements, alternatives, known: true };
  return { meaning, terms: narrowed(before.terms, hullOf(terms)), shown };
}

// --- bounds of terms ------------------------------------------------------------------------------

const HIGH = 127;
const IN_CELLS = new Set(["HCP", "SL_C", "SL_D", "SL_H", "SL_S", "Balanced"]);
const NO_BOUNDS = new Map();

/** Bounds that "shows 12+ points" puts on terms, whatever the hand needs for the call.
 *
 * A hand of ten points that opens by the rule of 20 is worth what it promises: partner adds his
 * points to twelve. */
function promise(bidder, entry, state) {
  let found = NO_BOUNDS;
  for (const agreement of entry.agreements) {
    if (agreement.kind !== "shows" || agreement.condition === null) continue;
    const shown = bidder.lowered(agreement.condition, state.calls, entry.bindings);
    found = narrowed(found, termBounds(shown, true));
  }
  return found;
}

/** Bounds that an expression puts on single terms, those in cells only if promised. */
function termBounds(expression, promised = false) {
  switch (expression.kind) {
    case "and":
      return expression.operands.reduce((found, operand) => narrowed(found, termBounds(operand, promised)), NO_BOUNDS);
    case "or":
      return hullOf(expression.operands.map((operand) => termBounds(operand, promised)));
    case "term":
      return tracked(expression, [1, HIGH], promised);
    case "not":
      return expression.operand.kind === "term" ? tracked(expression.operand, [0, 0], promised) : NO_BOUNDS;
    case "comparison": {
      const { first, rest } = expression;
      if (first.kind !== "term" || rest.length !== 1 || rest[0][1].kind !== "number") return NO_BOUNDS;
      return tracked(first, endsOf(rest[0][0], Math.floor(rest[0][1].halves / 2)), promised);
    }
    default:
      return NO_BOUNDS;
  }
}

function endsOf(sign, value) {
  switch (sign) {
    case ">=": return [value, HIGH];
    case ">": return [value + 1, HIGH];
    case "<=": return [0, value];
    case "<": return [0, value - 1];
    case "==": return [value, value];
    default: return null;
  }
}

function tracked({ name }, bound, promised) {
  if (bound === null || CONTEXT_TERMS.has(name) || (!promised && IN_CELLS.has(name))) return NO_BOUNDS;
  return new Map([[name, bound]]);
}

/** Both bounds hold; where they exclude each other the later one counts. */
function narrowed(first, second) {
  if (!second.size) return first;
  const found = new Map(first);
  for (const [name, later] of second) {
    const [low, high] = found.get(name) ?? later;
    const both = [Math.max(low, later[0]), Math.min(high, later[1])];
    found.set(name, both[0] <= both[1] ? both : later);
  }
  return found;
}

/** Bounds that hold whichever alternative it is. */
function hullOf(alternatives) {
  const found = new Map();
  for (const name of alternatives[0]?.keys() ?? []) {
    const ends = alternatives.map((one) => one.get(name));
    if (ends.includes(undefined)) continue;
    found.set(name, [Math.min(...ends.map(([low]) => low)), Math.max(...ends.map(([, high]) => high))]);
  }
  return found;
}
