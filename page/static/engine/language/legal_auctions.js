// Whether an auction pattern stands for any legal auction, with all its variables:
// systems/language/auctions/legal_auctions.py.

import { DOUBLE, FIRST_BID, PASS, REDOUBLE } from "../deals/calls.js";
import { isVariable, letterOf, matchCall } from "./patterns.js";
import { callText, stepText } from "./wording.js";

/** Calls that are tried for one question; what needs more counts as possible. */
const MOST_TRIED = 20_000;
const ENDING = 3;

const between = (first, end) => Array.from({ length: end - first }, (_, number) => first + number);
const BIDS = between(FIRST_BID, FIRST_BID + 35);
const CODES_OF_KIND = new Map(Object.entries({
  pass: [PASS], double: [DOUBLE], redouble: [REDOUBLE], any: between(0, FIRST_BID + 35), "any bid": BIDS,
}));

/** What the laws ask of an auction so far; `last` is the last bid, 0 without one. */
const BEGINNING = { last: 0, ours: false, doubled: 0, passes: 0 };
const START = { calls: [], bindings: {}, state: BEGINNING };
const ANYWHERE = [0, ...BIDS].flatMap((last) => (last ? [0, 1, 2] : [0]).flatMap((doubled) => (
  [0, 1, 2].flatMap((passes) => [false, true].map((ours) => (
    { calls: [], bindings: {}, state: { last, ours, doubled, passes } }
  )))
)));

/** Whether nobody is to call any more. */
export const isOver = ({ state }) => state.passes === ENDING;

/** State of the auction after a call; null if the laws do not allow it. */
export function afterCall(state, code, theirs) {
  if (state.passes === ENDING) return null;
  // auctions begin with the first bid here
  if (code === PASS) return state.last ? { ...state, passes: state.passes + 1 } : null;
  const isOwn = state.ours !== theirs;
  if (code === DOUBLE) {
    return state.last && !state.doubled && !isOwn ? { ...state, doubled: 1, passes: 0 } : null;
  }
  if (code === REDOUBLE) return state.doubled === 1 && isOwn ? { ...state, doubled: 2, passes: 0 } : null;
  return code > state.last ? { last: code, ours: !theirs, doubled: 0, passes: 0 } : null;
}

/** All legal auctions of a pattern; null last where there are too many to try.
 *
 * Behind "…" an auction begins anew, in any state.
 */
export function* waysOf(steps) {
  let starts = [START];
  const gap = steps.findLastIndex((step) => step.anyCalls);
  if (gap >= 0) {
    steps = steps.slice(gap + 1);
    starts = ANYWHERE;
  }
  const left = [MOST_TRIED];
  for (const start of starts) {
    yield* ways(steps, 0, start, left);
    if (left[0] <= 0) {
      yield null;
      return;
    }
  }
}

/** Whether a pattern stands for a legal auction; unless `over`, for one that goes on. */
export function canBe(steps, over = true) {
  for (const way of waysOf(steps)) if (way === null || over || !isOver(way)) return true;
  return false;
}

function* ways(steps, number, way, left) {
  if (number === steps.length) {
    yield way;
    return;
  }
  const { calls, theirs } = steps[number];
  for (const one of calls) {
    const call = namesASuit(one) ? one : { ...one, strain: null }; // it may be any
    for (const code of codesOf(call, way.bindings)) {
      left[0] -= 1;
      if (left[0] <= 0) return;
      const state = afterCall(way.state, code, theirs);
      if (state === null) continue;
      const bindings = matchCall(call, code, way.bindings);
      if (bindings !== null) yield* ways(steps, number + 1, { calls: [...way.calls, code], bindings, state }, left);
    }
  }
}

/** Codes that a call's pattern may have, and perhaps some more. */
function codesOf({ kind, level }, bindings) {
  const fixed = CODES_OF_KIND.get(kind);
  if (fixed !== undefined) return fixed;
  const known = level || (level === 0 && bindings.n !== undefined ? Number(bindings.n) : null);
  if (known === null) return BIDS;
  const first = FIRST_BID + 5 * (known - 1) - (kind === "transfer" ? 1 : 0);
  return between(Math.max(first, FIRST_BID), first + 5);
}

/** Whether two patterns may stand for the same call, as far as their levels tell. */
export function mayBeOneCall(one, other) {
  const codes = codesOf(other, {});
  return codesOf(one, {}).some((code) => codes.includes(code));
}

/** Whether two patterns may stand for the same auction. */
export function mayBeOneAuction(one, other) {
  if ([...one, ...other].some((step) => step.anyCalls)) return true;
  return one.length === other.length && one.every(({ calls }, number) => (
    calls.some((a) => other[number].calls.some((b) => mayBeOneCall(a, b)))
  ));
}

// -------------------------------------------------------------------- what is wrong
/** Place, message and advice for what keeps a header's auction from coming up; null if it can. */
export function whyNever(steps) {
  for (const call of steps.flatMap((step) => step.calls)) {
    if (!namesASuit(call)) {
      return [
        call.where, `"${callText(call)}" names no suit in an auction`, 'write a suit or a variable, such as "2X"',
      ];
    }
  }
  if (!canBe(steps, false)) return why(steps);
  for (const [number, step] of steps.entries()) {
    for (const call of step.calls.length > 1 ? step.calls : []) {
      if (canBe([...steps.slice(0, number), { ...step, calls: [call] }, ...steps.slice(number + 1)], false)) continue;
      return [call.where, `${callText(call)} can never be made behind ${auctionText(steps.slice(0, number))}`, ""];
    }
  }
  return null;
}

function why(steps) {
  const number = steps.findIndex((_, at) => !canBe(steps.slice(0, at + 1)));
  // a pass that is put in has no place of its own
  const placeIn = (some) => [...some].reverse().flatMap(({ calls }) => calls).find(({ where }) => where?.line)?.where;
  if (number < 0) return [placeIn(steps), `the auction is over behind ${auctionText(steps)}`, "nobody is to call there"];
  const where = placeIn(steps.slice(0, number + 1)) ?? steps[number].calls[0].where;
  const before = steps.slice(0, number);
  const words = auctionText(before);
  if (!canBe(before, false)) return [where, `nothing can follow ${words}: three passes end the auction`, ""];
  return [where, whyNotACall(steps[number], words), ""];
}

/** Why a call cannot be made in an auction, in words. */
export function whyNotACall(step, before) {
  const said = {
    double: "there is no bid of the other side that is not doubled",
    redouble: "there is no double of the other side",
  }[step.calls[0].kind] ?? "no bid of it is enough";
  return `${stepText(step)} cannot follow ${before}: ${said}`;
}

/** Whether a call names no suit by its role, which takes what players have shown. */
function namesASuit({ strain }) {
  return strain === null || isVariable(strain) || letterOf(strain, {}) !== undefined;
}

/** An auction in words. */
export function auctionText(steps) {
  return steps.map(stepText).join(" ") || "the beginning";
}
