// The names that an expression may use, without terms of the user's own: table/language/vocabulary.py.

import { nearest, quoted } from "../errors.js";
import { termsOf, UnknownTerm } from "./expressions.js";
import data from "../rows/rows_data.js";

/** Least and greatest value of each term, in halves, by its name; in the order of their numbers. */
export const TERMS = new Map(data.terms.map(([name, ...limits]) => [name, limits]));
/** Formulas by name. */
export const ALIASES = data.aliases;
const TAG = /^(?:Forcing(_[A-Za-z0-9]+)*|Opponents_Cannot_Play_Undoubled_Below_[1-7](C|D|H|S|NT?))$/u;
const COMPASS = /^(?:(.+)_[NEW](?:_([CDHS]))?|(.+)_S_([CDHS]))$/u;
const NAMES = [...TERMS.keys(), ...Object.keys(ALIASES)];
const BY_LOWER = new Map(NAMES.map((name) => [name.toLowerCase(), name]));

/** Whether a name is a remark about the auction, never a test of a hand. */
export function isTag(name) {
  return TAG.test(name);
}

/** Throw where an expression names a term that there is not. */
export function checkNames(expression) {
  for (const name of termsOf(expression)) {
    if (!NAMES.includes(name) && !isTag(name)) throw unknownTerm(name);
  }
}

export function unknownTerm(name) {
  return new UnknownTerm(`unknown term ${quoted(name)}${suggestion(name)}`);
}

function suggestion(name) {
  const compass = COMPASS.exec(name.slice(0, 100));
  if (compass) {
    const suit = compass[2] ?? compass[4];
    const own = (compass[1] ?? compass[3]) + (suit ? `_${suit}` : "");
    if (NAMES.includes(own) || isTag(own)) {
      return `; a term is about the bidder's own hand, write ${quoted(own)}`;
    }
  }
  const near = nearest(name.slice(0, 100).toLowerCase(), BY_LOWER.keys(), 0.6);
  return near && `; did you mean ${quoted(BY_LOWER.get(near))}?`;
}
