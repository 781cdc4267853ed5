// Places of a system: the entries that a text makes there, and the text itself made ready. systems/places/places.py.

import { placesOf } from "./contexts.js";
import { and, termsOf } from "../expressions/expressions.js";
import { TRUE } from "./formulas.js";
import { Keys } from "../keys.js";

/** Terms of the deal and the auction, not of the hand. */
export const CONTEXT_TERMS = new Set(["Vul_We", "Vul_They", "Seat"]);

/** Whether seat or vulnerability may decide what an expression asks of a hand. */
export function dependsOnContext(expression) {
  return [...termsOf(expression)].some((name) => CONTEXT_TERMS.has(name));
}

/** One hand type of one call at a place: a line, or one of its variants, with suits. */
export class PlaceEntry {
  #expression = null;

  /** `rank` is the number of the line's turn among the lines of the place, from 0; variants of a
   * line and the calls that one line makes (2M) share it. `constraint` has the criteria, which must all hold. */
  constructor(program, number, call, rank, [line, variant], constraint, bindings) {
    this.program = program;
    /** The core's number: the same line, call and suits. */
    this.number = number;
    this.call = call;
    this.rank = rank;
    /** The line, as contexts.js placed it. */
    this.line = line;
    this.variant = variant;
    this.constraint = constraint;
    this.bindings = bindings;
    /** Description and agreements in words, kept by describing.js when they were asked for. */
    this.words = null;
    /** Phrases by criterion, kept by criterion_words.js when they were asked for. */
    this.phrases = null;
  }

  get criteria() {
    return this.constraint.criteria;
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
    this.#expression ??= this.criteria.length > 1 ? and(this.criteria) : this.criteria[0] ?? TRUE;
    return this.#expression;
  }
}

/** A system made ready: its places and definitions. */
export class Rules {
  constructor(text) {
    this.text = text;
    this.title = text.title;
    this.places = placesOf(text);
    this.defines = text.defines;
    this.keys = new Keys();
    this.anywhere = new Branch(this.keys);
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
  #keys;
  #byCondition = new Map();

  constructor(keys) {
    this.#keys = keys;
  }

  under(test) {
    const key = this.#keys.of(test.condition);
    let branch = this.#byCondition.get(key);
    if (branch === undefined) {
      branch = new Branch(this.#keys);
      this.#byCondition.set(key, branch);
      this.below.push([test, branch]);
    }
    return branch;
  }
}
