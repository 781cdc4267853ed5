// The core as the reader of files: one instance for all that the page reads.

import { Core, hasCore, useCore } from "../engine/core.js";
import { coreBytes, SERVED } from "../engine/core_source.js";
import { CALL_TEXTS } from "../engine/deals/calls.js";
import { formatHand } from "../engine/deals/hands.js";
import { RANKS } from "../bridge/cards.js";
import { phrase } from "../texts.js";

/** Letters of a text whose memory is given back as soon as it is read. */
const LARGE = 1 << 20;
const UNREADABLE = 255;
const CARDS = [..."CDHS"].flatMap((suit) => [...RANKS].reverse().map((rank) => suit + rank));
/** Rooms by their numbers. */
export const ROOMS = ["open", "closed"];

let loading = null;
let core = null;

/** Make the core ready that reads. Throws a sentence. */
export async function readyForFiles() {
  if (hasCore()) return;
  try {
    await (loading ??= useCore(coreBytes(SERVED)));
  } catch (error) {
    loading = null;
    throw new Error(phrase(error.status === "version" ? "boards.old-core" : "boards.no-core"));
  }
}

/** The core, which must be ready, for a text; one that has read a long one is not used again. */
export function coreFor(text) {
  const own = core ?? new Core();
  core = text.length > LARGE ? null : own;
  return own;
}

export const known = (number) => (number < 0 ? null : number);

/** Cards as texts. */
export function cardTexts(cards) {
  return Array.from(cards, (card) => CARDS[card]);
}

/** Calls as texts, null where there is something else. */
export function callTexts(calls) {
  return Array.from(calls, (call) => (call === UNREADABLE ? null : CALL_TEXTS[call]));
}

/** Hands of holdings as texts; those that are not known are empty. */
export function handTexts(hands) {
  return hands.map((hand) => (hand.some(Boolean) ? formatHand(hand) : ""));
}

/** Contract of a call's number and how it was doubled, null where it is not known. */
export function contractText(call, doubling) {
  if (call <= 0) return call < 0 ? null : "Pass";
  return CALL_TEXTS[call] + ["", "X", "XX"][doubling];
}
