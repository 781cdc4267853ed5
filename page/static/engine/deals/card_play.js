// What cards are worth double dummy in the midst of a play. The core's solver answers at the beginning of a trick; the
// cards of the trick under way are tried here, on top of it. inference/double_dummy/protocol.py is the definition.

import { Core } from "../core.js";
import { quoted } from "../errors.js";

const STRAINS = "CDHSN";
const SUITS = "CDHS";
const RANKS = "23456789TJQKA";
const MOST_CACHED = 4000;

function numberOf(card) {
  const suit = SUITS.indexOf(card[0]);
  const rank = RANKS.indexOf(card[1]);
  if (card.length !== 2 || suit < 0 || rank < 0) throw new Error(`expected a card such as SA, got ${quoted(card)}`);
  return 13 * suit + rank;
}

function textOf(card) {
  return SUITS[card / 13 | 0] + RANKS[card % 13];
}

/** Place of the card that wins a trick. */
function winnerOf(trick, trumps) {
  let best = 0;
  trick.forEach((card, place) => {
    const [suit, top] = [card / 13 | 0, trick[best] / 13 | 0];
    if (suit === top ? card > trick[best] : suit === trumps) best = place;
  });
  return best;
}

/** Hands without the gaps between cards that are out, and a text that those have alike which are so the same. */
function closedUp(hands) {
  const owners = [[], [], [], []];
  const seats = new Int8Array(52).fill(-1);
  hands.forEach((cards, seat) => { for (const card of cards) seats[card] = seat; });
  seats.forEach((seat, card) => { if (seat >= 0) owners[card / 13 | 0].push(seat); });
  const holdings = hands.map((_, seat) => owners.map((suit) => (
    suit.reduce((held, owner, rank) => (owner === seat ? held | 1 << rank : held), 0)
  )));
  return { key: owners.map((suit) => suit.join("")).join("."), holdings };
}

/** A deal with its trumps: hands as sorted lists of cards; positions are what these hold still, leader and trick. */
class PlaySolver {
  #strain;
  /** Tricks of North-South by who leads, of hands at the beginning of a trick. */
  #endings = new Map();
  #values = new Map();

  constructor(strain) {
    this.#strain = STRAINS.indexOf(strain);
    if (this.#strain < 0) throw new Error(`expected a strain of ${STRAINS}, got ${quoted(strain)}`);
  }

  /** Position of hands as lists of cards such as SA, what they hold still; those on the table are none of them. */
  position(hands, leader, trick) {
    const held = hands.map((cards) => cards.map(numberOf).sort((one, other) => one - other));
    const table = trick.map(numberOf);
    const count = held.map((cards, seat) => cards.length + Number((seat - leader + 4) % 4 < table.length));
    const all = [...held.flat(), ...table];
    if (held.length !== 4 || count.some((one) => one !== count[0]) || new Set(all).size < all.length || !count[0]) {
      throw new Error("expected four hands of as many cards, no card in two of them");
    }
    return { hands: held, leader, trick: table };
  }

  #turn({ leader, trick }) {
    return (leader + trick.length) % 4;
  }

  legal(position) {
    const cards = position.hands[this.#turn(position)];
    const led = position.trick.length ? position.trick[0] / 13 | 0 : -1;
    const followed = cards.filter((card) => (card / 13 | 0) === led);
    return followed.length ? followed : cards;
  }

  /** Position behind a card, and the tricks that North-South have won with it. */
  after(position, card) {
    const seat = this.#turn(position);
    const hands = position.hands.map((cards, owner) => (owner === seat ? cards.filter((one) => one !== card) : cards));
    const trick = [...position.trick, card];
    if (trick.length < 4) return { next: { hands, leader: position.leader, trick }, won: 0 };
    const leader = (position.leader + winnerOf(trick, this.#strain)) % 4;
    return { next: { hands, leader, trick: [] }, won: 1 - leader % 2 };
  }

  /** Tricks of North-South from the beginning of a trick on. */
  #ending({ hands, leader }) {
    const count = hands[0].length;
    if (count === 0) return 0;
    if (count === 1) {
      const trick = [0, 1, 2, 3].map((place) => hands[(leader + place) % 4][0]);
      return 1 - (leader + winnerOf(trick, this.#strain)) % 2;
    }
    const { key, holdings } = closedUp(hands);
    let found = this.#endings.get(key);
    if (!found) {
      // the memory of a solver goes with its instance
      const core = new Core();
      const tricks = core.solveStrain(core.solver(holdings), this.#strain);
      found = [0, 1, 2, 3].map((first) => {
        const declarer = (first + 3) % 4;
        return declarer % 2 ? count - tricks[declarer] : tricks[declarer];
      });
      if (this.#endings.size >= MOST_CACHED) this.#endings.clear();
      this.#endings.set(key, found);
    }
    return found[leader];
  }

  /** Cards that may be played, of those that touch one; what is likely to be best stands first. */
  #choices(position) {
    const { hands, trick } = position;
    const seat = this.#turn(position);
    const others = new Set([...hands.flatMap((cards, owner) => (owner === seat ? [] : cards)), ...trick]);
    const legal = this.legal(position);
    const different = legal.filter((card, place) => {
      const above = legal[place + 1];
      if (above === undefined || (above / 13 | 0) !== (card / 13 | 0)) return true;
      for (let one = card + 1; one < above; one += 1) if (others.has(one)) return true;
      return false;
    });
    if (!trick.length) return different.reverse();
    const wins = (card) => winnerOf([...trick, card], this.#strain) === trick.length;
    // the cheapest card that wins, then the lowest
    return [...different.filter(wins), ...different.filter((card) => !wins(card))];
  }

  /** Whether North-South take so many tricks from here on. */
  reaches(position, need) {
    const { hands, trick } = position;
    if (need <= 0) return true;
    // the trick under way is one of them
    if (need > hands[(position.leader + 3) % 4].length) return false;
    if (!trick.length) return this.#ending(position) >= need;
    return this.#someReaches(position, need);
  }

  #someReaches(position, need) {
    const isOurs = this.#turn(position) % 2 === 0;
    return this.#choices(position).some((card) => {
      const { next, won } = this.after(position, card);
      return this.reaches(next, need - won) === isOurs;
    }) === isOurs;
  }

  /** Tricks of North-South from a position on, `hint` those of one before. */
  value(position, hint = null) {
    if (!position.trick.length) return this.#ending(position);
    const key = `${position.hands.join("|")} ${position.leader} ${position.trick}`;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    let value = hint ?? this.#before(position);
    while (this.reaches(position, value + 1)) value += 1;
    while (!this.reaches(position, value)) value -= 1;
    if (this.#values.size >= MOST_CACHED) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }

  /** What the position before the last card of the trick is worth. */
  #before({ hands, leader, trick }) {
    const card = trick.at(-1);
    const seat = (leader + trick.length - 1) % 4;
    const held = hands.map((cards, owner) => (owner === seat ? [...cards, card].sort((one, other) => one - other) : cards));
    return this.value({ hands: held, leader, trick: trick.slice(0, -1) });
  }

  /** The first card of an order that is as good as any, for who is to play. */
  best(position, order, value = this.value(position)) {
    const isOurs = this.#turn(position) % 2 === 0;
    return order.find((card) => {
      const { next, won } = this.after(position, card);
      return isOurs ? this.reaches(next, value - won) : !this.reaches(next, value - won + 1);
    });
  }
}

/** What was worked out serves for the next card. */
let latest = null;

function solverOf(strain) {
  if (latest?.strain !== strain) latest = { strain, solver: new PlaySolver(strain) };
  return latest.solver;
}

/**
 * The first of `order`, cards that may be played, which is as good as any double dummy, and the tricks of North-South
 * from here on; of `hands`, four lists of cards such as SA, the `leader` of the trick (0-3 for N E S W) and the cards
 * of the `trick` on the table.
 */
export function cardToPlay({ hands, strain, leader, trick, order }) {
  const solver = solverOf(strain);
  const position = solver.position(hands, leader, trick);
  const value = solver.value(position);
  return { card: textOf(solver.best(position, order.map(numberOf), value)), tricks: value };
}

/**
 * What each card of a play cost double dummy: `{tricks, cards: [{loss, better}]}`, `tricks` of North-South in the whole
 * deal, `loss` tricks of the player's own side and, where it is one, a `better` card; `tell` hears of `cards` as they
 * come. `leader` made the opening lead.
 */
export async function reviewPlay({ hands, strain, leader, play }, tell = () => {}) {
  const solver = solverOf(strain);
  let position = solver.position(hands, leader, []);
  let value = solver.value(position);
  const tricks = value;
  const cards = [];
  for (const text of play) {
    const card = numberOf(text);
    const legal = solver.legal(position);
    if (!legal.includes(card)) throw new Error(`expected a card that may be played, got ${quoted(text)} as card ${cards.length + 1}`);
    const { next, won } = solver.after(position, card);
    // nobody gains by a card of his own
    const left = legal.length === 1 ? value - won : solver.value(next, value - won);
    const isOurs = (position.leader + position.trick.length) % 2 === 0;
    const loss = isOurs ? value - won - left : left - (value - won);
    cards.push({ loss, better: loss > 0 ? textOf(solver.best(position, legal, value)) : null });
    [position, value] = [next, left];
    await tell(cards.slice());
  }
  return { tricks, cards };
}
