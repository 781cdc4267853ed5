// What cards are worth double dummy, in the midst of a play: the core's solver says it of every card that may be played.
// inference/double_dummy/protocol.py is the definition.

import { Core } from "../core.js";
import { quoted } from "../errors.js";

const STRAINS = "CDHSN";
const SUITS = "CDHS";
const RANKS = "23456789TJQKA";
const HAND = 13;

function numberOf(card) {
  const suit = SUITS.indexOf(card[0]);
  const rank = RANKS.indexOf(card[1]);
  if (card.length !== 2 || suit < 0 || rank < 0) throw new Error(`expected a card such as SA, got ${quoted(card)}`);
  return HAND * suit + rank;
}

function textOf(card) {
  return SUITS[card / HAND | 0] + RANKS[card % HAND];
}

/** The core with its solver, whose memory is kept for the next card. */
let core = null;

/**
 * What the cards of a position are worth: `tricks` of the side to play for each of 52, -1 where it may not be played,
 * and the `best` of these. The hands are lists of cards, what they hold still.
 */
function solved({ hands, strain, leader, trick }) {
  if (!STRAINS.includes(strain) || strain.length !== 1) throw new Error(`expected a strain of ${STRAINS}, got ${quoted(strain)}`);
  const holdings = hands.map((cards) => {
    const held = [0, 0, 0, 0];
    // a card that is there twice is missed by the count
    for (const card of cards.map(numberOf)) held[card / HAND | 0] |= 1 << card % HAND;
    return held;
  });
  core ??= new Core();
  const isFour = hands.length === 4 && trick.length < 4;
  const tricks = isFour ? core.solvePlays(holdings, STRAINS.indexOf(strain), leader, trick.map(numberOf)) : null;
  if (tricks === null) throw new Error("expected four hands of as many cards, no card in two of them");
  return { tricks, best: Math.max(...tricks), seat: (leader + trick.length) % 4 };
}

/** Tricks of North-South, of those of a seat's side and how many are left. */
function northSouth(seat, tricks, left) {
  return seat % 2 ? left - tricks : tricks;
}

/**
 * The first of `order`, cards that may be played, which is as good as any double dummy, and the tricks of North-South
 * from here on; of `hands`, four lists of cards such as SA, the `leader` of the trick (0-3 for N E S W) and the cards
 * of the `trick` on the table.
 */
export function cardToPlay({ order, ...position }) {
  const { tricks, best, seat } = solved(position);
  const card = order.find((one) => tricks[numberOf(one)] === best);
  return { card, tricks: northSouth(seat, best, position.hands[seat].length) };
}

/** Seat that wins a trick of four cards. */
function winnerOf(leader, trick, strain) {
  const beats = (card, top) => (card[0] === top[0] ? numberOf(card) > numberOf(top) : card[0] === strain);
  const best = trick.reduce((top, card) => (beats(card, top) ? card : top));
  return (leader + trick.indexOf(best)) % 4;
}

/**
 * What each card of a play cost double dummy: `{tricks, cards: [{loss, better}]}`, `tricks` of North-South in the whole
 * deal, `loss` tricks of the player's own side and, where it is one, a `better` card; `tell` hears of `cards` as they
 * come. `leader` made the opening lead.
 */
export async function reviewPlay({ hands, strain, leader, play }, tell = () => {}) {
  let position = { hands, strain, leader, trick: [] };
  const first = solved(position);
  const cards = [];
  for (const text of play) {
    const { tricks, best, seat } = cards.length ? solved(position) : first;
    const worth = tricks[numberOf(text)];
    if (worth < 0) throw new Error(`expected a card that may be played, got ${quoted(text)} as card ${cards.length + 1}`);
    cards.push({ loss: best - worth, better: worth < best ? textOf(tricks.indexOf(best)) : null });
    const trick = [...position.trick, text];
    const held = position.hands.map((one, owner) => (owner === seat ? one.filter((card) => card !== text) : one));
    const isOver = trick.length === 4;
    position = {
      hands: held, strain, leader: isOver ? winnerOf(position.leader, trick, strain) : position.leader,
      trick: isOver ? [] : trick,
    };
    await tell(cards.slice());
  }
  return { tricks: northSouth(first.seat, first.best, hands[0].length), cards };
}
