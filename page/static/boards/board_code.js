// A board to bid as a short text for addresses, which does not show the cards to who reads it.

import { SEATS } from "../bridge/calls.js";
import { allCards, cardsOf, handOf } from "../bridge/cards.js";
import { VULNERABILITIES } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const VERSION = "1";
const BYTES = 14;

/** Text of a board: the version, then two bits a card for its owner, and dealer, sides, own seat. */
export function writeBoard({ hands, dealer, vulnerability, seat }) {
  const owners = new Map(hands.flatMap((hand, owner) => cardsOf(hand).map((card) => [card, owner])));
  const bytes = new Uint8Array(BYTES);
  allCards().forEach((card, place) => { bytes[place >> 2] |= owners.get(card) << (2 * (place & 3)); });
  bytes[BYTES - 1] = dealer | VULNERABILITIES.indexOf(vulnerability) << 2 | seat << 4;
  const text = btoa(String.fromCharCode(...bytes));
  return VERSION + text.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");
}

/** Board of a text; throws a sentence. */
export function readBoard(text) {
  if (!text.startsWith(VERSION)) throw new Error(phrase("game.link-version", { version: text.slice(0, 1) }));
  const broken = new Error(phrase("game.link-broken", { problem: phrase("game.no-board", { text: text.slice(0, 40) }) }));
  let bytes;
  try {
    bytes = atob(text.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    bytes = "";
  }
  if (bytes.length !== BYTES) throw broken;
  const cards = SEATS.map(() => []);
  allCards().forEach((card, place) => {
    cards[bytes.charCodeAt(place >> 2) >> (2 * (place & 3)) & 3].push(card);
  });
  const last = bytes.charCodeAt(BYTES - 1);
  if (cards.some((hand) => hand.length !== 13) || last > 63) throw broken;
  return {
    hands: cards.map(handOf), dealer: last & 3, vulnerability: VULNERABILITIES[last >> 2 & 3],
    seat: last >> 4,
  };
}
