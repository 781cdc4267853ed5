// Hands as texts S.H.D.C, PBN deals, and random deals.

import { SEATS, SEAT_NAMES } from "./calls.js";
import { listed, phrase } from "../texts.js";

export const SUITS = ["S", "H", "D", "C"];
export const SUIT_SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
export const SUIT_NAMES = Object.fromEntries(SUITS.map((suit) => [suit, phrase(`suit.${suit}`)]));
export const RANKS = "AKQJT98765432";
const WHITE_SIGNS = { "♤": "♠", "♡": "♥", "♢": "♦", "♧": "♣" };
const POINTS = { A: 4, K: 3, Q: 2, J: 1 };

/** Cards as the page shows them: a ten is 10; texts for files and addresses have T. */
export function shownCards(cards) {
  return cards.replaceAll("T", "10");
}

/** A text with one sign for each suit, a dash for each void and T for each ten, however they are written. */
export function plainSuits(text) {
  return text.replace(/[\ufe0e\ufe0f]/g, "").replace(/[♤♡♢♧]/g, (sign) => WHITE_SIGNS[sign])
    .replace(/!([SHDC])/gi, (_, suit) => SUIT_SIGNS[suit.toUpperCase()])
    .replace(/\b(spade|heart|diamond|club)s?\b/gi, (word) => SUIT_SIGNS[word[0].toUpperCase()])
    .replace(/(?<![A-Za-z])([SHDC]?)(?:void|none|nil)\b/gi, "$1-").replace(/[-–—−]+/gu, "-").replace(/10/g, "T");
}

/** What stands between suits without signs. */
const BETWEEN_SUITS = [".", "/", "|", ",", ";"];

function suitParts(written) {
  const between = BETWEEN_SUITS.find((sign) => written.includes(sign));
  if (between) return written.split(between);
  const wide = written.split(/\s{2,}|\t/);
  return wide.length === SUITS.length ? wide : written.split(/\s+/);
}

/** Suits of a hand from whatever a person writes; throws a sentence where it is no hand. */
export function readHand(text) {
  let written = plainSuits(text.trim()).toUpperCase();
  for (const [suit, sign] of Object.entries(SUIT_SIGNS)) written = written.replaceAll(sign, suit);
  const suits = { S: "", H: "", D: "", C: "" };
  const plain = written.replace(/\s/g, "");
  if (/^(?:[SHDC][.:=)]*[AKQJTX2-9-]*[.,:;|/]*)+$/u.test(plain)) {
    // letters before the cards: SK52HAQ3D9876CKJ2, in any order, and dots between
    const seen = new Set();
    for (const [, suit, cards] of plain.matchAll(/([SHDC])([^SHDC]*)/g)) {
      if (seen.has(suit)) throw new Error(phrase("boards.suit-twice", { suit: SUIT_NAMES[suit], text: text.trim() }));
      seen.add(suit);
      suits[suit] = cards.replace(/[^AKQJTX2-9]/gu, "");
    }
  } else {
    const parts = suitParts(written);
    if (parts.length !== 4) {
      throw new Error(
        phrase("paste.hand-form", { text: text.trim(), parts: parts.length }),
      );
    }
    SUITS.forEach((suit, index) => {
      suits[suit] = parts[index].replace(/\s/g, "").replace(/^-$/u, "");
    });
  }
  for (const [suit, cards] of Object.entries(suits)) {
    for (const rank of cards) {
      if (!RANKS.includes(rank)) throw new Error(phrase("paste.no-card", { rank: shownCards(rank), suit: SUIT_NAMES[suit], text: text.trim() }));
      if (cards.indexOf(rank) !== cards.lastIndexOf(rank)) {
        throw new Error(phrase("paste.twice", { rank: shownCards(rank), suit: SUIT_NAMES[suit], text: text.trim() }));
      }
    }
    suits[suit] = [...cards].sort((one, two) => RANKS.indexOf(one) - RANKS.indexOf(two)).join("");
  }
  return suits;
}

export function writeHand(suits) {
  return SUITS.map((suit) => suits[suit]).join(".");
}

/** Hand of 13 cards in its one way of writing. */
export function wholeHand(text) {
  return countedHand(readHand(text), text);
}

/** Hand of some suits, which must have 13 cards; `text` is where they were read. */
export function countedHand(suits, text) {
  const count = cardsOf(writeHand(suits)).length;
  if (count !== 13) {
    const read = SUITS.map((suit) => SUIT_SIGNS[suit] + (shownCards(suits[suit]) || "–")).join(" ");
    throw new Error(phrase("paste.hand-count", { text: text.trim(), cards: count, read }));
  }
  return writeHand(suits);
}

export function suitsOf(hand) {
  const parts = hand.split(".");
  return Object.fromEntries(SUITS.map((suit, index) => [suit, parts[index] ?? ""]));
}

/** Cards as SA, SK …  */
export function cardsOf(hand) {
  const suits = suitsOf(hand);
  return SUITS.flatMap((suit) => [...suits[suit]].map((rank) => suit + rank));
}

export function handOf(cards) {
  const suits = { S: "", H: "", D: "", C: "" };
  const sorted = [...cards].sort((one, two) => RANKS.indexOf(one[1]) - RANKS.indexOf(two[1]));
  for (const card of sorted) suits[card[0]] += card[1];
  return writeHand(suits);
}

export function pointsOf(hand) {
  return cardsOf(hand).reduce((sum, card) => sum + (POINTS[card[1]] ?? 0), 0);
}

export function allCards() {
  return SUITS.flatMap((suit) => [...RANKS].map((rank) => suit + rank));
}

/** Four hands checked against each other; a fourth one is worked out. Throws a sentence. */
export function completeHands(hands) {
  const owner = new Map();
  hands.forEach((hand, seat) => {
    for (const card of cardsOf(hand)) {
      if (owner.has(card)) {
        const both = listed([...new Set([SEATS[owner.get(card)], SEATS[seat]])]);
        throw new Error(phrase("paste.two-hands", { card: SUIT_SIGNS[card[0]] + shownCards(card[1]), both }));
      }
      owner.set(card, seat);
    }
  });
  const missing = hands.flatMap((hand, seat) => (hand ? [] : [seat]));
  if (missing.length !== 1) return hands;
  const rest = handOf(allCards().filter((card) => !owner.has(card)));
  return hands.map((hand, seat) => (seat === missing[0] ? rest : hand));
}

/** What a function returns; what it complains of is told with the place where that was. */
export function within(read, tell) {
  try {
    return read();
  } catch (error) {
    throw new Error(tell(error.message));
  }
}

export function handOfSeat(text, seat, read = wholeHand) {
  return within(() => read(text), (problem) => phrase("paste.seat", { seat: SEAT_NAMES[seat], problem }));
}

/** Hands of a PBN deal, and the seat that comes first in it; unknown hands are empty. Throws a sentence. */
export function readDeal(text) {
  const match = /^([NESW])\s*:\s*(.*)$/is.exec(text.trim());
  if (!match) throw new Error(phrase("paste.deal-form", { text }));
  const first = SEATS.indexOf(match[1].toUpperCase());
  const parts = match[2].trim().split(/\s+/);
  if (parts.length !== 4) throw new Error(phrase("paste.four-hands", { hands: parts.length }));
  const hands = ["", "", "", ""];
  parts.forEach((part, index) => {
    const seat = (first + index) % 4;
    if (part !== "-" && part !== "...") hands[seat] = handOfSeat(part, seat);
  });
  if (!hands.some(Boolean)) throw new Error(phrase("boards.no-hand"));
  return { hands: completeHands(hands), dealer: first };
}

/** PBN deal N:… … … … from North on. */
export function writeDeal(hands) {
  return `N:${hands.map((hand) => hand || "-").join(" ")}`;
}

/** Random whole number below a bound, every one equally likely. */
function randomBelow(bound) {
  const limit = 2 ** 32 - (2 ** 32 % bound);
  const word = new Uint32Array(1);
  do crypto.getRandomValues(word); while (word[0] >= limit);
  return word[0] % bound;
}

/** Four random hands; every deal is equally likely. */
export function randomHands() {
  const cards = allCards();
  for (let last = cards.length - 1; last > 0; last -= 1) {
    const other = randomBelow(last + 1);
    [cards[last], cards[other]] = [cards[other], cards[last]];
  }
  return SEATS.map((_, seat) => handOf(cards.slice(13 * seat, 13 * seat + 13)));
}

export function randomDealer() {
  return randomBelow(4);
}

export function randomVulnerability() {
  return ["None", "NS", "EW", "Both"][randomBelow(4)];
}
