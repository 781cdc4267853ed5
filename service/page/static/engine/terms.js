// The terms of the bidding language, from the tables that kernels/terms.py gives (profile gib): a value is the sum
// of functions of the four holdings, of the lengths and of the context.

import data from "./terms_data.js";

export const HOLDINGS = 1 << 13;
export const SUIT_LETTERS = "CDHS";

/** Lengths (clubs, diamonds, hearts, spades) of the 560 shapes. */
export const LENGTHS = [];
/** Number of a shape by clubs + 14 * diamonds + 196 * hearts. */
const SHAPE_AT = new Int16Array(14 ** 3);
for (let clubs = 0; clubs <= 13; clubs += 1) {
  for (let diamonds = 0; clubs + diamonds <= 13; diamonds += 1) {
    for (let hearts = 0; clubs + diamonds + hearts <= 13; hearts += 1) {
      SHAPE_AT[clubs + 14 * diamonds + 196 * hearts] = LENGTHS.length;
      LENGTHS.push([clubs, diamonds, hearts, 13 - clubs - diamonds - hearts]);
    }
  }
}

/** Number of cards of each holding. */
export const CARDS = new Uint8Array(HOLDINGS);
for (let holding = 1; holding < HOLDINGS; holding += 1) CARDS[holding] = CARDS[holding >> 1] + (holding & 1);

/** Number of the shape of a hand of 13 cards. */
export function shapeOf([clubs, diamonds, hearts]) {
  return SHAPE_AT[CARDS[clubs] + 14 * CARDS[diamonds] + 196 * CARDS[hearts]];
}

/** Number of a context among the 16. */
function contextNumber({ seat, vulWe, vulThey }) {
  return seat - 1 + 4 * vulWe + 8 * vulThey;
}

const tabulated = [];

/** Values of a function of one suit over the 8,192 holdings. */
function suitTable(number) {
  return (tabulated[number] ??= tabulate(...data.suits[number]));
}

function tabulate(single, digits) {
  const known = Float64Array.from(digits, (digit) => parseInt(digit, 36));
  const others = 14 - CARDS[single];
  // where the values of each set of single cards begin
  const begins = new Int32Array(HOLDINGS);
  let held = 0;
  for (let begin = 0; begin < digits.length; begin += others) {
    begins[held] = begin;
    held = (held - single) & single;
  }
  const values = new Float64Array(HOLDINGS);
  for (let holding = 0; holding < HOLDINGS; holding += 1) {
    values[holding] = known[begins[holding & single] + CARDS[holding & ~single]];
  }
  return values;
}

class Term {
  #suits;
  #tables = null;
  constructor([name, low, high, boolean, suits, lengths, contexts]) {
    this.name = name;
    this.low = low;
    this.high = high;
    this.boolean = Boolean(boolean);
    /** 2 where the value counts halves. */
    this.scale = data.halves.includes(name) ? 2 : 1;
    this.byLengths = lengths === null ? null : Float64Array.from(data.lengths[lengths]);
    this.byContext = contexts === null ? null : Float64Array.from(data.contexts[contexts]);
    this.#suits = suits;
  }

  /** What each suit gives, by its holding; null where a suit has no part in the term. */
  get bySuit() {
    return (this.#tables ??= this.#suits.map((number) => (number === null ? null : suitTable(number))));
  }

  value(hand, context) {
    let total = this.byContext === null ? 0 : this.byContext[contextNumber(context)];
    if (this.byLengths !== null) total += this.byLengths[shapeOf(hand)];
    this.bySuit.forEach((table, suit) => {
      if (table !== null) total += table[hand[suit]];
    });
    return total;
  }
}

/** All terms by name, in the order of the catalogue. */
export const TERMS = new Map(data.terms.map((row) => [row[0], new Term(row)]));
export const ALIASES = data.aliases;
