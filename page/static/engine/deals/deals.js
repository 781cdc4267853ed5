// Seats, vulnerability and deals as text, random deals by number: bridge/seats.py, bridge/deals.py and
// kernels/dealing.py are the definition.

import { quoted } from "../errors.js";
import { formatHand, parseHand } from "./hands.js";
import { sidesOf } from "./vulnerabilities.js";

export const SEATS = "NESW";
const SEAT_NAMES = ["north", "east", "south", "west"];
const RANKS = "23456789TJQKA";

/** A deal, seat or vulnerability that is none. */
export class InvalidDeal extends Error {
  name = "InvalidDeal";
}

/** Seat 0-3 of N, w, North. */
export function parseSeat(text) {
  const word = text.trim().toLowerCase();
  const seat = SEAT_NAMES.findIndex((name) => word === name || word === name[0]);
  if (seat < 0) throw new InvalidDeal(`expected a seat (N, E, S or W), got ${quoted(text)}`);
  return seat;
}

/** Vulnerability 0-3 (bit 0 North-South, bit 1 East-West) in the spellings of LIN, PBN and people. */
export function parseVulnerability(text) {
  const word = text.trim(), sides = sidesOf(word);
  if (sides === null || !word) throw new InvalidDeal(`expected a vulnerability (None, NS, EW or Both), got ${quoted(text)}`);
  return sides;
}

/** Seat and vulnerability of the player to call at a depth, as terms ask for them. */
export function contextAt(depth, dealer, vulnerability) {
  const side = (dealer + depth) % 2;
  return { seat: depth % 4 + 1, vulWe: vulnerability >> side & 1, vulThey: vulnerability >> (1 - side) & 1 };
}

/** Hands N, E, S, W of a PBN deal; one may be left out as a hyphen. */
export function parseDeal(text) {
  const trimmed = text.trim();
  if (trimmed[1] !== ":") {
    throw new InvalidDeal(`expected a deal such as 'N:hand hand hand hand', got ${quoted(trimmed)}`);
  }
  const first = parseSeat(trimmed[0]);
  const parts = trimmed.slice(2).split(/\s+/).filter(Boolean);
  if (parts.length !== 4) {
    throw new InvalidDeal(`expected four hands after ${quoted(trimmed.slice(0, 2))}, got ${parts.length}`);
  }
  const hands = [];
  parts.forEach((part, offset) => { hands[(first + offset) % 4] = part === "-" ? null : parseHand(part); });
  const given = hands.filter(Boolean);
  const rest = [0, 1, 2, 3].map((suit) => given.reduce((left, hand) => {
    const both = hand[suit] & ~left;
    const card = both && "CDHS"[suit] + RANKS[31 - Math.clz32(both & -both)];
    if (card) throw new InvalidDeal(`duplicate card: ${card} is in two hands`);
    return left & ~hand[suit];
  }, 0x1fff));
  if (!given.length) throw new InvalidDeal("expected a known hand, got four unknown ones");
  if (given.length < 3) throw new InvalidDeal(`expected at most one unknown hand, got ${4 - given.length}`);
  return hands.map((hand) => hand ?? rest);
}

/** Number of a context among the 16. */
export function contextNumber({ seat, vulWe, vulThey }) {
  return seat - 1 + 4 * vulWe + 8 * vulThey;
}

/** PBN text of four hands, North's first. */
export function formatDeal(hands) {
  return `N:${hands.map(formatHand).join(" ")}`;
}

/** Four hands of cards in the order in which they were dealt, thirteen for each; a card is 13 suit + rank. */
export function handsOf(cards) {
  const hands = [0, 1, 2, 3].map(() => [0, 0, 0, 0]);
  cards.forEach((card, place) => { hands[place / 13 | 0][card / 13 | 0] |= 1 << card % 13; });
  return hands;
}
