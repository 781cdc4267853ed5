// Hands that a question is about and that are hidden until it is answered: of an opening lead, all but the leader's.

import { contractOf } from "../bridge/calls.js";
import { callsBefore, isAtEnd } from "../state.js";

/** The question whose answer was seen last. */
let answered = null;

function questionOf(now) {
  return JSON.stringify([now.hands, callsBefore(now), now.dealer, now.vulnerability]);
}

/** The only seat whose hand is seen, or null where none is hidden. */
export function onlySeat(now) {
  if (now.view !== "lead" || !isAtEnd(now) || answered === questionOf(now)) return null;
  const contract = contractOf(callsBefore(now), now.dealer);
  const leader = contract && (contract.declarer + 1) % 4;
  return contract && now.hands[leader] ? leader : null;
}

/** From now on all hands of this question are seen. */
export function openHands(now) {
  answered = questionOf(now);
}
