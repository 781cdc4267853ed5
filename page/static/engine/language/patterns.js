// Calls and auctions as patterns, such as 2M, "cheapest X" or "1m (P) 1M"; the core finds what they stand for.
// systems/language/auctions/patterns.py is the definition.
//
// Calls are codes, suits are letters (notrump is N), bindings a plain object from suit variable to
// letter, and from n to a level's digit.

import { DOUBLE, FIRST_BID, LAST_BID, PASS, REDOUBLE, STRAINS, bidLevel, bidStrain, makeBid } from "../deals/calls.js";
import { filled, isPass, passOf } from "./turns.js";
import { OTHER, VARIABLES } from "./phrases.js";

const SAME_RANK = { H: "S", S: "H", C: "D", D: "C" };
const FIXED = new Map(Object.entries({
  C: "C", D: "D", H: "H", S: "S", NT: "N", N: "N", clubs: "C", diamonds: "D", hearts: "H", spades: "S",
}));
const CALL_OF_KIND = new Map(Object.entries({ pass: PASS, double: DOUBLE, redouble: REDOUBLE }));
const IS_VARIABLE = new Set(VARIABLES);

/** Code of a bid. */
export function bidCode(level, strain) {
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

/** Suit variables of a phrase in order of appearance; n for a level. */
export function variablesOf(phrase) {
  const words = [...phrase.suits];
  if (phrase.call !== null) words.push(phrase.call.strain, phrase.call.level === 0 ? "n" : null);
  return [...new Set(words.filter((word) => word === "n" || isVariable(word)))];
}

/** Code of the call that a pattern stands for whatever the auction; undefined if that varies. */
export function fixedCall({ kind, level, strain }) {
  if (kind === "bid" && level && FIXED.has(strain)) return bidCode(level, FIXED.get(strain));
  return CALL_OF_KIND.get(kind);
}

const CLASSES = { M: "HS", oM: "HS", m: "CD", om: "CD" };

/** Letters that an unbound variable may take beside those that are bound. */
export function candidates(variable, bindings) {
  const taken = Object.entries(bindings).filter(([name]) => name !== "n").map(([, letter]) => letter);
  return CLASSES[variable] ?? [..."CDHS"].filter((letter) => !taken.includes(letter)).join("");
}

/** Bindings under which a call is one that a pattern stands for; null if it is none.
 *
 * Kinds that depend on the last bid match by strain, or for `transfer` by the bid just below.
 */
export function matchCall({ kind, level, strain }, call, bindings) {
  if (kind === "any") return bindings;
  const fixed = CALL_OF_KIND.get(kind);
  if (fixed !== undefined) return call === fixed ? bindings : null;
  if (call < FIRST_BID) return null;
  if (kind === "any bid") return bindings;
  if (kind === "transfer") {
    if (call === LAST_BID) return null;
    call += 1;
  }
  const own = bidLevel(call);
  if (level === 0 && bindings.n === undefined) bindings = { ...bindings, n: `${own}` };
  else if (level !== null && own !== (level || Number(bindings.n))) return null;
  const letter = STRAINS[bidStrain(call)];
  if (kind === "game" && own !== (letter === "N" ? 3 : "HS".includes(letter) ? 4 : 5)) return null;
  if (strain === null) return bindings;
  const known = letterOf(strain, bindings);
  if (known !== undefined) return known === letter ? bindings : null;
  if (!isVariable(strain) || !candidates(strain, bindings).includes(letter)) return null;
  return { ...bindings, [strain]: letter };
}

/** Steps without the passes that would be filled in. */
function withoutUnderstood(written) {
  const kept = [];
  written.forEach((step, number) => {
    const before = kept.at(-1);
    const behind = written[number + 1];
    const isTurn = before !== undefined && !before.anyCalls && before.theirs !== step.theirs;
    const isUnderstood = behind ? !behind.anyCalls && behind.theirs === before?.theirs : step.theirs;
    if (!(isTurn && isUnderstood && isPass(step))) kept.push(step);
  });
  return kept;
}

/** Auction of a header without the passes in front, and the seat that they put the player in.
 *
 * The seat is from 1, and null where no passes stand in front: then it does not matter.
 */
export function fromFirstBid(written) {
  if (!written.length || !isPass(written[0])) return [written, null];
  const { steps } = new AuctionPattern(written);
  const front = steps.findIndex((step) => !isPass(step));
  return [front < 0 ? [] : steps.slice(front), (steps.length % 4) + 1];
}

/** Fact that the player to call sits in a seat. */
export const seatOf = (seat) => ({
  type: "Phrase", kind: "seat", range: { type: "Range", low: seat, high: seat, also: [] }, suits: [], count: null,
  of: null, who: null, call: null, text: "", where: null,
});

/** A pattern with the passes that it implies put in; its last step is RHO's call. */
export class AuctionPattern {
  /** `theirCall` takes the place of the pass behind our last call. */
  constructor(written, theirCall = null) {
    const kept = withoutUnderstood(written);
    const steps = filled(kept);
    const said = kept.filter((step) => !step.anyCalls);
    const last = steps.at(-1);
    if (last && !last.anyCalls && !last.theirs) {
      steps.push(theirCall ?? passOf(true));
      if (theirCall) said.push(theirCall);
    }
    const isFixed = ({ calls }) => calls.length === 1 && fixedCall(calls[0]) !== undefined;
    this.steps = steps;
    /** Calls that were written, without passes that are understood: fixed ones and others. */
    this.literal = said.filter(isFixed).length;
    this.classes = said.length - this.literal;
    /** Number of calls it matches, null if … stands in it. */
    this.fixedLength = steps.some((step) => step.anyCalls) ? null : steps.length;
  }
}
