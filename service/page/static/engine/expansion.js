// From a place in an auction to its entries, in the order in which they are tried.
// systems/expansion.py is the definition.

import { PASS } from "./calls.js";
import { criteriaOf, lower } from "./conditions.js";
import { LAST_RESORT, placesOf } from "./contexts.js";
import { and } from "./expressions.js";
import { PlaceScope } from "./facts.js";
import { TRUE } from "./formulas.js";
import { EVERYTHING, bounds, intersect, isEmpty, union, without } from "./knowledge.js";
import { matchCall, patternCalls } from "./patterns.js";
import { Knowledge, Meaning, State } from "./state.js";

// --- equality by value ----------------------------------------------------------------------------

const keys = new WeakMap();

/** Text that two parts of a tree share if they say the same, wherever they stand. */
function keyOf(part) {
  let key = keys.get(part);
  if (key === undefined) {
    key = JSON.stringify(part, (name, value) => (name === "where" ? undefined : value));
    keys.set(part, key);
  }
  return key;
}

function bindingsKey(bindings) {
  return Object.keys(bindings).sort().map((name) => `${name}=${bindings[name]}`).join();
}

// --- places ---------------------------------------------------------------------------------------

/** One hand type of one call at a place: a line, or one of its variants, with suits. */
class PlaceEntry {
  #expression = null;

  /** `rank` is the number of the line's turn among the lines of the place, from 0; variants of a
   * line and the calls that one line makes (2M) share it. All `criteria` must hold. */
  constructor(call, rank, line, variant, criteria, bindings) {
    this.call = call;
    this.rank = rank;
    /** The line, as contexts.js placed it. */
    this.line = line;
    this.variant = variant;
    this.criteria = criteria;
    this.bindings = bindings;
    /** Description and agreements in words, kept by describing.js when they were asked for. */
    this.said = null;
  }

  /** Of the line, as players call it; of the variant where the line has none. */
  get name() {
    return this.line.line.name || this.kind;
  }

  /** Of the variant, where the line has variants: what kind of hand makes the call. */
  get kind() {
    return this.variant?.name ?? "";
  }

  get where() {
    return (this.variant ?? this.line.line).where;
  }

  get agreements() {
    const { agreements } = this.line.line;
    return this.variant?.agreements.length ? [...agreements, ...this.variant.agreements] : agreements;
  }

  /** As written, for a description in words; null for any hand. */
  get condition() {
    const parts = [this.line.line.condition, this.variant?.condition ?? null].filter((one) => one !== null);
    return parts.length === 2 ? { type: "AllOf", parts } : parts[0] ?? null;
  }

  get specificity() {
    return this.line.group.specificity;
  }

  /** All criteria as one expression. */
  get expression() {
    this.#expression ??= allCriteria(this.criteria);
    return this.#expression;
  }
}

function allCriteria(criteria) {
  if (criteria.length > 1) return and(criteria);
  return criteria[0] ?? TRUE;
}

/** A system made ready for expansion: its places and definitions. */
export class Rules {
  constructor(text) {
    this.text = text;
    this.title = text.title;
    this.places = placesOf(text);
    this.defines = text.defines;
    this.anywhere = new Branch();
    for (const group of this.places.anywhere) {
      let branch = this.anywhere;
      for (const test of group.tests) branch = branch.under(test);
      branch.groups.push(group);
    }
  }
}

/** Groups under the same headers, and what further headers lead to: each is tested once. */
class Branch {
  groups = [];
  /** Pairs of a test and the branch behind it. */
  below = [];
  #byCondition = new Map();

  under(test) {
    const key = keyOf(test.condition);
    let branch = this.#byCondition.get(key);
    if (branch === undefined) {
      branch = new Branch();
      this.#byCondition.set(key, branch);
      this.below.push([test, branch]);
    }
    return branch;
  }
}

/** What was worked out for auctions, by their keys; the latest ones asked for, `keep` at least. */
class Kept {
  #keep;
  #latest = new Map();
  #before = new Map();

  constructor(keep) {
    this.#keep = keep;
  }

  get(key) {
    let found = this.#latest.get(key);
    if (found === undefined) {
      found = this.#before.get(key);
      if (found !== undefined) this.put(key, found);
    }
    return found;
  }

  put(key, found) {
    if (this.#latest.size >= this.#keep) {
      this.#before = this.#latest;
      this.#latest = new Map();
    }
    this.#latest.set(key, found);
    return found;
  }
}

/** Places of two systems against each other. It keeps what it has worked out, the states and places
 * asked for last. */
export class Expander {
  #states;
  #places;

  /** Rules of the players at positions 0 and 2, and at 1 and 3. */
  constructor(dealerSide, otherSide = dealerSide, { keep = 5_000 } = {}) {
    this.sides = [dealerSide, otherSide];
    this.#states = new Kept(keep);
    this.#places = new Kept(keep);
  }

  /** State after a legal auction. */
  state(calls) {
    return this.#state(String.fromCharCode(...calls));
  }

  /** Entries after a legal auction that goes on: {calls, entries, forced, cells}. */
  place(calls) {
    return this.#place(String.fromCharCode(...calls));
  }

  /** By the auction's key: a letter for each call. */
  #state(key) {
    return this.#states.get(key) ?? this.#states.put(key, this.#workOut(key));
  }

  #workOut(key) {
    if (key === "") return State.start();
    const before = key.slice(0, -1);
    const state = this.#state(before);
    return state.after(...this.meaning(state, this.#place(before).entries, key.charCodeAt(before.length)));
  }

  #place(key) {
    const found = this.#places.get(key);
    if (found !== undefined) return found;
    const state = this.#state(key);
    return this.#places.put(key, {
      calls: state.calls,
      entries: entriesOf(this.sides[state.position % 2], state),
      forced: state.forced,
      cells: state.knowledge[state.position].cells,
    });
  }

  /** Meaning of a call at a place, and what the caller has then shown altogether. */
  meaning(state, entries, call) {
    const rules = this.sides[state.position % 2];
    const before = state.knowledge[state.position];
    const possible = before.cells;
    // hands that an earlier line certainly takes
    const taken = new Uint32Array(possible.length);
    const alternatives = [];
    const uses = [];
    const agreements = [];
    const said = new Set();
    const terms = [];
    let shown = null;
    let loose = null;
    const last = entries.findLastIndex((entry) => entry.call === call);
    for (let number = 0; number < (last < 0 ? entries.length : last + 1); number += 1) {
      const entry = entries[number];
      if (entry.call !== call) {
        addCertain(taken, entry.criteria);
        continue;
      }
      const { expression } = entry;
      const { can } = bounds(expression);
      const cells = intersect(can, without(possible, taken));
      loose = loose === null ? can : union(loose, can);
      if (uses.at(-1)?.[0] !== entry.line) uses.push([entry.line, entry.bindings]);
      for (const agreement of entry.agreements) {
        const key = keyOf(agreement);
        if (said.has(key)) continue;
        said.add(key);
        agreements.push(agreement);
      }
      terms.push(narrowed(termBounds(expression), promise(entry, state, rules)));
      if (!isEmpty(cells)) {
        shown = shown === null ? cells : union(shown, cells);
        alternatives.push({ name: entry.name, kind: entry.kind, where: entry.where, cells, expression });
      }
    }
    if (!uses.length) {
      // a pass by default denies every line; of another unknown call nothing is known
      const left = call === PASS ? without(possible, taken) : possible;
      const cells = isEmpty(left) ? possible : left;
      return [new Meaning(call, [], [], [], call === PASS), new Knowledge(cells, before.terms)];
    }
    if (shown === null) {
      // nobody who keeps to the system makes this call: take it at face value
      shown = intersect(loose, possible);
      if (isEmpty(shown)) shown = isEmpty(loose) ? possible : loose;
    }
    return [
      new Meaning(call, uses, agreements, alternatives),
      new Knowledge(shown, narrowed(before.terms, hullOf(terms))),
    ];
  }
}

/** All entries of a place in order, without those that a more specific context hides. */
function entriesOf(rules, state) {
  const start = new PlaceScope(state, rules.defines, {});
  const lines = [];
  const take = (group, scope, criteria) => {
    for (const placed of group.lines) lines.push({ placed, scope, criteria });
  };
  const from = (branch, scope, criteria) => {
    for (const group of branch.groups) take(group, scope, criteria);
    for (const [test, below] of branch.below) {
      for (const [bound, more] of passed(test, scope, criteria)) from(below, bound, more);
    }
  };
  from(rules.anywhere, start, []);
  forGroups(rules.places, state, (group, bindings) => {
    let found = [[start.under(bindings), []]];
    for (const test of group.tests) found = found.flatMap(([scope, criteria]) => passed(test, scope, criteria));
    for (const [scope, criteria] of found) take(group, scope, criteria);
  });
  lines.sort((one, other) => one.placed.order - other.placed.order);
  const owners = new Map();
  const entries = [];
  let rank = 0;
  for (const { placed, scope, criteria } of lines) {
    let made = false;
    for (const [call, bindings] of callsOf(placed, scope)) {
      const owner = owners.get(call);
      // else a call that means more than a player holds would leave him with none at all
      const isHidden = owner !== undefined && !sameCounts(owner, placed.group.specificity);
      if (isHidden && placed.group.specificity !== LAST_RESORT) continue;
      const bound = scope.under(bindings);
      const own = criteriaOf(placed.line.condition, bound);
      if (own === null) continue;
      for (const variant of placed.line.variants.length ? placed.line.variants : [null]) {
        const needs = variant === null ? [] : criteriaOf(variant.condition, bound);
        // a line that cannot hold here (its facts fail) hides nothing
        if (needs === null) continue;
        owners.set(call, placed.group.specificity);
        made = true;
        entries.push(new PlaceEntry(call, rank, placed, variant, [...criteria, ...own, ...needs], bindings));
      }
    }
    if (made) rank += 1;
  }
  return entries;
}

function sameCounts(one, other) {
  return one === other || one.every((count, index) => count === other[index]);
}

/** Legal calls that a line's pattern makes here, ascending: pairs of a call and its bindings. */
function callsOf(placed, scope) {
  const { auction } = scope.state;
  if (placed.fixedCall !== undefined) {
    return auction.isLegal(placed.fixedCall) ? [[placed.fixedCall, scope.bindings]] : [];
  }
  return patternCalls(placed.line.call, scope.bindings, auction.lastBid, scope);
}

/** Groups that may apply, with the bindings that their place gives. */
function forGroups(places, state, take) {
  const { calls } = state;
  if (state.opening === null) {
    for (const group of places.opening) take(group, {});
  } else {
    const since = calls.slice(state.opening);
    for (const group of places.byLength.get(since.length) ?? []) {
      for (const bindings of group.pattern.matches(since)) take(group, bindings);
    }
    for (const group of places.anyLength) {
      // ways through … count once
      const seen = new Set();
      for (const bindings of group.pattern.matches(since)) {
        const key = bindingsKey(bindings);
        if (seen.has(key)) continue;
        seen.add(key);
        take(group, bindings);
      }
    }
  }
  if (calls.length < 2) return;
  for (const [placed, bound] of state.meanings.at(-2).uses) {
    for (const group of placed.below) {
      const found = belowBindings(group, bound, calls.at(-1));
      if (found !== null) take(group, found);
    }
  }
}

/** Bindings of a group below a line after RHO's call; null where it does not apply. */
function belowBindings(group, bindings, theirCall) {
  if (group.theirCall === null) return theirCall === PASS ? bindings : null;
  for (const pattern of group.theirCall.calls) {
    const found = matchCall(pattern, theirCall, bindings);
    if (found !== null) return found;
  }
  return null;
}

/** Scopes under whose bindings a test holds, with what the hand must meet for it. */
function passed(test, scope, above) {
  const found = [];
  for (const bindings of test.bound(scope.bindings)) {
    const bound = scope.under(bindings);
    const criteria = criteriaOf(test.condition, bound);
    if (criteria !== null) found.push([bound, criteria.length ? [...above, ...criteria] : above]);
  }
  return found;
}

// --- cells ----------------------------------------------------------------------------------------

const musts = new WeakMap();

/** Cells where every hand satisfies an expression, null for none. */
function mustOf(expression) {
  let found = musts.get(expression);
  if (found === undefined) {
    const { must } = bounds(expression);
    found = isEmpty(must) ? null : must;
    musts.set(expression, found);
  }
  return found;
}

/** Add to a set the cells where every hand meets all criteria, `bounds(expression).must` of an entry.
 *
 * They are those where every hand meets each of them, and the same criteria come at many places. */
function addCertain(taken, criteria) {
  const parts = criteria.map(mustOf);
  if (parts.includes(null)) return;
  const [first = EVERYTHING, ...others] = parts;
  for (let word = 0; word < taken.length; word += 1) {
    let certain = first[word];
    for (let part = 0; part < others.length; part += 1) certain &= others[part][word];
    taken[word] |= certain;
  }
}

// --- bounds of terms ------------------------------------------------------------------------------

const HIGH = 127;
const IN_CELLS = new Set(["HCP", "SL_C", "SL_D", "SL_H", "SL_S", "Balanced"]);
const CONTEXT = new Set(["Vul_We", "Vul_They", "Seat"]);
const NO_BOUNDS = new Map();

/** Bounds that "shows 12+ points" puts on terms, whatever the hand needs for the call.
 *
 * A hand of ten points that opens by the rule of 20 is worth what it promises: partner adds his
 * points to twelve. */
function promise(entry, state, rules) {
  let found = NO_BOUNDS;
  for (const agreement of entry.agreements) {
    if (agreement.kind !== "shows" || agreement.condition === null) continue;
    const shown = lower(agreement.condition, new PlaceScope(state, rules.defines, entry.bindings));
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
  if (bound === null || CONTEXT.has(name) || (!promised && IN_CELLS.has(name))) return NO_BOUNDS;
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
