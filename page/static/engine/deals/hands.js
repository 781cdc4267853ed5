// Hands as text, PBN (K52.AQ3.9876.KJ2) or BBO (SK52HAQ3D9876CKJ2): bridge/hands.py and bridge/cards.py.
// A hand is four holdings [clubs, diamonds, hearts, spades] of 13 bits, bit 12 the ace.

import { quoted } from "../errors.js";
import { CARDS } from "../places/shapes.js";

const RANKS = "23456789TJQKA";
const SUITS = { C: 0, D: 1, H: 2, S: 3, "♣": 0, "♦": 1, "♥": 2, "♠": 3 };
const SUIT_LETTER = /[SHDCshdc♠♥♦♣]/u;
const SUIT_PARTS = /([SHDCshdc♠♥♦♣])[.:]?([^SHDCshdc♠♥♦♣.,:;]*)[.,:;]*/uy;
const VOIDS = new Set(["", "-", "–", "—"]);

/** Text that is not a hand of 13 distinct cards. */
export class InvalidHand extends Error {}

/** Hand of a text; `cards` is how many it must have, null for any number. */
export function parseHand(written, cards = 13) {
  const text = written.trim();
  const parts = suitParts(text);
  const hand = parts === null ? parseLettered(text) : parseParts(parts, text);
  const held = hand.reduce((total, holding) => total + CARDS[holding], 0);
  if (cards !== null && held !== cards) {
    throw new InvalidHand(`expected ${cards} cards, got ${held} in hand ${quoted(text)}`);
  }
  return hand;
}

/** Parts of a hand without suit letters, by dots or blanks; null for any other text. */
function suitParts(text) {
  if (SUIT_LETTER.test(text)) return null;
  if (text.includes(".")) return text.split(".").map((part) => part.replace(/\s/gu, ""));
  const parts = text.split(/\s+/u);
  return parts.length === 4 ? parts : null;
}

function parseParts(parts, text) {
  if (parts.length !== 4) throw new InvalidHand(`expected four suits separated by dots (S.H.D.C), got ${quoted(text)}`);
  return parts.map((part) => (VOIDS.has(part) ? 0 : parseHolding(part, text))).reverse();
}

function parseLettered(text) {
  const hand = [null, null, null, null];
  const plain = text.replace(/\s/gu, "");
  let end = 0;
  SUIT_PARTS.lastIndex = 0;
  for (let match = SUIT_PARTS.exec(plain); match; match = SUIT_PARTS.exec(plain)) {
    const suit = SUITS[match[1].toUpperCase()];
    if (hand[suit] !== null) throw new InvalidHand(`suit ${quoted(match[1])} comes twice in hand ${quoted(text)}`);
    hand[suit] = VOIDS.has(match[2]) ? 0 : parseHolding(match[2], text);
    end = SUIT_PARTS.lastIndex;
  }
  if (end !== plain.length || !end) {
    throw new InvalidHand(`expected a hand such as 'K52.AQ3.9876.KJ2', got ${quoted(text)}`);
  }
  return hand.map((holding) => holding ?? 0);
}

function parseHolding(text, whole) {
  let holding = 0;
  for (const letter of text.replaceAll("10", "T")) {
    const rank = RANKS.indexOf(letter.toUpperCase());
    const wrong = rank < 0 ? `expected a rank of ${RANKS}, got ${quoted(letter)} in ${quoted(text)}`
      : (holding >> rank) & 1 ? `duplicate card: rank ${RANKS[rank]} comes twice in ${quoted(text)}` : "";
    if (wrong) throw new InvalidHand(`${wrong}, in hand ${quoted(whole)}`);
    holding |= 1 << rank;
  }
  return holding;
}

/** PBN text of a hand: spades, hearts, diamonds, clubs separated by dots. */
export function formatHand(hand) {
  return hand.map(formatHolding).reverse().join(".");
}

function formatHolding(holding) {
  return [...RANKS].filter((_, rank) => (holding >> rank) & 1).reverse().join("");
}
