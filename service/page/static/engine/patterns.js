// Calls and auctions as patterns: what 2M, "cheapest X" or "1m (P) 1M" stand for here.
// systems/patterns.py is the definition.
//
// Calls are codes, suits are letters (notrump is N), bindings a plain object from suit variable to
// letter, and from n to a level's digit. Bindings never change after they are made. A scope answers
// which suits a role means: `suits(word)`, a text of letters.

import {
  DOUBLE, FIRST_BID, LAST_BID, PASS, REDOUBLE, STRAINS, bidLevel, bidStrain, makeBid,
} from "./calls.js";
import { OTHER, VARIABLES } from "./phrases.js";

const CLASSES = { M: "HS", oM: "HS", m: "CD", om: "CD" };
const SAME_RANK = { H: "S", S: "H", C: "D", D: "C" };
const FIXED = new Map(Object.entries({
  C: "C", D: "D", H: "H", S: "S", NT: "N", N: "N", clubs: "C", diamonds: "D", hearts: "H", spades: "S",
}));
const CALL_OF_KIND = new Map(Object.entries({ pass: PASS, double: DOUBLE, redouble: REDOUBLE }));
const JUMPS = new Map(Object.entries({ cheapest: 0, jump: 1, "double jump": 2 }));
const IS_VARIABLE = new Set(VARIABLES);

/** Strain letter C D H S N of a bid's code. */
export function strainOf(call) {
  return STRAINS[bidStrain(call)];
}

/** Code of a bid. */
function bidCode(level, strain) {
  return makeBid(level, STRAINS.indexOf(strain));
}

/** Whether a suit word is a variable that bindings may give a letter. */
export function isVariable(word) {
  return IS_VARIABLE.has(word);
}

/** Letter of a suit word or bound variable; undefined for an unbound variable or a role. */
export function letterOf(word, bindings) {
  const fixed = FIXED.get(word);
  if (fixed !== undefined) return fixed;
  if (!IS_VARIABLE.has(word)) return undefined;
  return bindings[word] ?? SAME_RANK[bindings[OTHER[word]]];
}

/** Letters that an unbound variable may take beside those that are bound. */
export function candidates(variable, bindings) {
  const letters = CLASSES[variable];
  if (letters !== undefined) return letters;
  let free = "CDHS";
  for (const name in bindings) if (name !== "n") free = free.replace(bindings[name], "");
  return free;
}

/** All ways to bind those of some variables that are still open. */
export function allBindings(names, bindings, from = 0) {
  let number = from;
  while (number < names.length && letterOf(names[number], bindings) !== undefined) number += 1;
  if (number === names.length) return [bindings];
  const found = [];
  for (const letter of candidates(names[number], bindings)) {
    found.push(...allBindings(names, { ...bindings, [names[number]]: letter }, number + 1));
  }
  return found;
}

/** Suit variables of a phrase in order of appearance; n for a level. */
export function variablesOf(phrase) {
  const words = [...phrase.suits];
  if (phrase.call !== null) words.push(phrase.call.strain, phrase.call.level === 0 ? "n" : null);
  return [...new Set(words.filter((word) => word === "n" || isVariable(word)))];
}

/** Bindings under which a call is one that the pattern stands for; null if there are none. */
export function matchCall(pattern, call, bindings) {
  const { kind } = pattern;
  if (kind === "any") return bindings;
  const fixed = CALL_OF_KIND.get(kind);
  if (fixed !== undefined) return call === fixed ? bindings : null;
  if (call < FIRST_BID) return null;
  if (kind === "any bid") return bindings;
  let bid = call;
  if (kind === "transfer") {
    if (call === LAST_BID) return null;
    bid += 1;
  }
  const level = bidLevel(bid);
  const strain = strainOf(bid);
  let bound = bindings;
  if (pattern.level === 0 && !("n" in bindings)) bound = { ...bindings, n: String(level) };
  else if (pattern.level !== null && level !== (pattern.level || Number(bindings.n))) return null;
  if (kind === "game" && level !== gameLevel(strain)) return null;
  if (pattern.strain === null) return bound;
  const known = letterOf(pattern.strain, bound);
  if (known !== undefined) return known === strain ? bound : null;
  if (!isVariable(pattern.strain) || !candidates(pattern.strain, bound).includes(strain)) return null;
  return { ...bound, [pattern.strain]: strain };
}

/** Level of game: 3 in notrump, 4 in a major, 5 in a minor. */
export function gameLevel(strain) {
  if (strain === "N") return 3;
  return strain === "H" || strain === "S" ? 4 : 5;
}

/** Lowest level of a strain over the last bid (0 for none); 8 if there is none. */
export function cheapestLevel(lastBid, strain) {
  if (lastBid < FIRST_BID) return 1;
  const level = bidLevel(lastBid);
  return bidCode(level, strain) > lastBid ? level : level + 1;
}

/** Code of the call that a pattern stands for whatever the auction; undefined if that varies. */
export function fixedCall({ kind, level, strain }) {
  if (kind === "bid" && level && FIXED.has(strain)) return bidCode(level, FIXED.get(strain));
  return CALL_OF_KIND.get(kind);
}

/** Level and strain of a bid's pattern whose variables are bound; null if there is none. */
export function resolve(call, bindings, lastBid, scope) {
  if (call.strain === null) return null;
  let strain = letterOf(call.strain, bindings);
  if (strain === undefined) {
    const letters = scope.suits(call.strain);
    if (letters.length !== 1) return null;
    [strain] = letters;
  }
  return resolveIn(strain, call, bindings, lastBid);
}

/** The same in a strain that is known. */
function resolveIn(strain, { kind, level: written }, bindings, lastBid) {
  let level = written ?? 0;
  if (JUMPS.has(kind)) level = cheapestLevel(lastBid, strain) + JUMPS.get(kind);
  else if (kind === "game") level = gameLevel(strain);
  else if (written === 0) {
    if (!("n" in bindings)) return null;
    level = Number(bindings.n);
  }
  if (kind === "transfer") {
    const code = bidCode(level, strain) - 1;
    return code < FIRST_BID ? null : [bidLevel(code), strainOf(code)];
  }
  return level >= 1 && level <= 7 ? [level, strain] : null;
}

/** Bids above the last one that a pattern makes, ascending: pairs of a call and its bindings. */
export function patternCalls(pattern, bindings, lastBid, scope) {
  if (pattern.strain === null) return [];
  const found = new Map();
  const add = (call, bound) => {
    if (call > lastBid && !found.has(call)) found.set(call, bound);
  };
  for (const bound of allBindings(isVariable(pattern.strain) ? [pattern.strain] : [], bindings)) {
    const letter = letterOf(pattern.strain, bound);
    for (const strain of letter ?? scope.suits(pattern.strain)) {
      if (pattern.level === 0 && !("n" in bound)) {
        for (let level = cheapestLevel(lastBid, strain); level < 8; level += 1) {
          add(bidCode(level, strain), { ...bound, n: String(level) });
        }
        continue;
      }
      const bid = resolveIn(strain, pattern, bound, lastBid);
      if (bid !== null) add(bidCode(...bid), bound);
    }
  }
  return found.size > 1 ? [...found].sort((one, other) => one[0] - other[0]) : [...found];
}

const passOf = (theirs) => ({
  type: "AuctionStep",
  calls: [{ type: "CallPattern", kind: "pass", level: null, strain: null, where: null }],
  theirs,
  anyCalls: false,
});

/** A pattern with the passes that it implies put in; its last step is RHO's call. */
export class AuctionPattern {
  /** `theirCall` takes the place of the pass behind our last call. */
  constructor(written, theirCall = null) {
    const steps = [];
    for (const step of written) {
      const before = steps.at(-1);
      if (before && !step.anyCalls && !before.anyCalls && step.theirs === before.theirs) {
        steps.push(passOf(!step.theirs));
      }
      steps.push(step);
    }
    const said = written.filter((step) => !step.anyCalls);
    const last = steps.at(-1);
    if (last && !last.anyCalls && !last.theirs) {
      steps.push(theirCall ?? passOf(true));
      if (theirCall) said.push(theirCall);
    }
    const isFixed = ({ calls }) => calls.length === 1 && fixedCall(calls[0]) !== undefined;
    this.steps = steps;
    /** Calls that were written: fixed ones and others. */
    this.literal = said.filter(isFixed).length;
    this.classes = said.length - this.literal;
    /** Number of calls it matches, null if … stands in it. */
    this.fixedLength = steps.some((step) => step.anyCalls) ? null : steps.length;
  }

  /** All bindings under which the pattern is this auction (leading passes taken off). */
  matches(calls) {
    const found = [];
    matchFrom(this.steps, 0, calls, 0, {}, found);
    return found;
  }
}

function matchFrom(steps, step, calls, start, bindings, found) {
  if (step === steps.length) {
    if (start === calls.length) found.push(bindings);
  } else if (steps[step].anyCalls) {
    for (let next = start; next <= calls.length; next += 1) {
      matchFrom(steps, step + 1, calls, next, bindings, found);
    }
  } else if (start < calls.length) {
    for (const pattern of steps[step].calls) {
      const bound = matchCall(pattern, calls[start], bindings);
      if (bound !== null) matchFrom(steps, step + 1, calls, start + 1, bound, found);
    }
  }
}
