// A board to bid as a short text for addresses, which does not show the cards to who reads it.

import { SEATS } from "../bridge/calls.js";
import { allCards, cardsOf, handOf } from "../bridge/cards.js";
import { VULNERABILITIES } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const VERSION = "1";
const BYTES = 14;

/** Who holds which card: two bits a card. */
export function allHands(hands) {
  const owners = new Map(hands.flatMap((hand, owner) => cardsOf(hand).map((card) => [card, owner])));
  const bytes = new Uint8Array(BYTES - 1);
  allCards().forEach((card, place) => { bytes[place >> 2] |= owners.get(card) << (2 * (place & 3)); });
  return bytes;
}

/** Four hands of such bytes. */
export function handsOf(bytes) {
  const cards = SEATS.map(() => []);
  allCards().forEach((card, place) => { cards[bytes[place >> 2] >> (2 * (place & 3)) & 3].push(card); });
  return cards.map(handOf);
}

/** Bytes as a text for addresses. */
export function textOf(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");
}

/** Bytes of such a text; null of what is none. */
export function bytesOf(text) {
  try {
    return [...atob(text.replaceAll("-", "+").replaceAll("_", "/"))].map((sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Text of a board: the version, then two bits a card for its owner, and dealer, sides, own seat. */
export function writeBoard({ hands, dealer, vulnerability, seat }) {
  const last = dealer | VULNERABILITIES.indexOf(vulnerability) << 2 | seat << 4;
  return VERSION + textOf([...allHands(hands), last]);
}

/** Board of a text; throws a sentence. */
export function readBoard(text) {
  if (!text.startsWith(VERSION)) throw new Error(phrase("game.link-version", { version: text.slice(0, 1) }));
  const broken = new Error(phrase("game.link-broken", { problem: phrase("game.no-board", { text: text.slice(0, 40) }) }));
  const bytes = bytesOf(text.slice(1));
  if (bytes?.length !== BYTES) throw broken;
  const hands = handsOf(bytes);
  const last = bytes[BYTES - 1];
  if (hands.some((hand) => cardsOf(hand).length !== 13) || last > 63) throw broken;
  return { hands, dealer: last & 3, vulnerability: VULNERABILITIES[last >> 2 & 3], seat: last >> 4 };
}
