// Which calls cannot follow in an auction pattern, as far as literal calls tell: systems/language/auctions/sequences.py.
//
// A sequence: `lowest` and `highest` are the codes of the least and the greatest call that the last bid
// can be (0: no bid), `ours` whether we made it, `doubled` 0, 1 or 2; each null where it is unknown.

import { FIRST_BID, formatCall } from "../deals/calls.js";

const STRAINS = {
  C: [0, 0], D: [1, 1], H: [2, 2], S: [3, 3], NT: [4, 4], M: [2, 3], oM: [2, 3], m: [0, 1], om: [0, 1],
};
const ANY_SUIT = [0, 3];

/** Auction without calls. */
export const BEGINNING = { lowest: 0, ours: null, doubled: 0, highest: 0 };
/** Auction of which nothing is known. */
export const UNKNOWN = { lowest: null, ours: null, doubled: null, highest: null };

/** Lowest and highest code that a bid's pattern can be; null where the auction decides. */
export function bounds({ kind, level, strain }) {
  if ((kind !== "bid" && kind !== "transfer") || !level || strain === null) return null;
  const first = FIRST_BID + 5 * (level - 1) - (kind === "transfer" ? 1 : 0);
  return (STRAINS[strain] ?? ANY_SUIT).map((suit) => first + suit);
}

/** Auction after one more call; a call of null is one of several. */
export function afterCall(sequence, call, theirs) {
  if (call === null || call.kind === "any") return UNKNOWN;
  if (call.kind === "pass") return sequence;
  if (call.kind === "double" || call.kind === "redouble") {
    const doubled = sequence.doubled === null ? null : call.kind === "double" ? 1 : 2;
    return { ...sequence, doubled };
  }
  const [lowest, highest] = bounds(call) ?? [null, null];
  return { lowest, ours: !theirs, doubled: 0, highest };
}

/** Whether a call of ours is known to be legal, whatever the variables are. */
export function isAllowed({ lowest, ours, doubled, highest }, call) {
  if (call.kind === "pass") return true;
  if (call.kind === "double") return Boolean(lowest) && doubled === 0 && ours === false;
  if (call.kind === "redouble") return Boolean(lowest) && doubled === 1 && ours === true;
  const found = bounds(call);
  return found !== null && highest !== null && found[0] > highest;
}

/** Message and advice if a literal call cannot follow; null if it can, or if nobody knows. */
export function whyNot({ lowest, ours, doubled }, call, theirs) {
  if (lowest === null) return null;
  const isOwn = ours !== null && ours !== theirs;
  if (call.kind === "bid") return whyTooLow(lowest, bounds(call));
  if (call.kind === "double") {
    if (lowest === 0) return ["there is no bid to be doubled", ""];
    if (doubled) return ["Double cannot follow: the bid is doubled already", ""];
    if (isOwn) return [`Double cannot follow: ${theirs ? "their" : "our"} own side's bid`, ""];
  }
  if (call.kind === "redouble" && doubled !== null) {
    if (doubled !== 1) return ["Redouble cannot follow: there is no double", ""];
    if (ours === theirs) return ["Redouble cannot follow: it is their own double", ""];
  }
  return null;
}

function whyTooLow(lowest, found) {
  if (found === null || found[0] !== found[1] || found[0] > lowest) return null;
  const strain = (found[0] - FIRST_BID) % 5;
  const bidStrain = (lowest - FIRST_BID) % 5;
  const level = Math.floor((lowest - FIRST_BID) / 5) + (strain <= bidStrain ? 2 : 1);
  const read = bidText(found[0]);
  const advice = level <= 7 ? `the next bid in that strain is ${level}${read.slice(1)}` : "";
  return [`${read} is not enough over ${bidText(lowest)}`, advice];
}

function bidText(code) {
  return formatCall(code).replace("N", "NT");
}
