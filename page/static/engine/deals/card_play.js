// What cards are worth double dummy, in the midst of a play, and which one is usual: the core's solver says it of every
// card that may be played, and the core has the rules of thumb. inference/double_dummy/abstract_solver.py and
// inference/card_play/rules_of_thumb.py are the definitions.

import { Core } from "../core.js";
import { quoted } from "../errors.js";

const STRAINS = "CDHSN";
const SUITS = "CDHS";
const RANKS = "23456789TJQKA";
const HAND = 13;
const ALL = (1 << HAND) - 1;

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

const NO_POSITION = "expected four hands of as many cards, no card in two of them";

/** Number of a strain, and holdings of cards. */
function readPosition({ hands, strain, trick }) {
  if (hands.length !== 4 || trick.length > 3) throw new Error(NO_POSITION);
  if (!STRAINS.includes(strain) || strain.length !== 1) throw new Error(`expected a strain of ${STRAINS}, got ${quoted(strain)}`);
  const holdings = hands.map((cards) => {
    const held = [0, 0, 0, 0];
    // a card that is there twice is missed by the count
    for (const card of cards.map(numberOf)) held[card / HAND | 0] |= 1 << card % HAND;
    return held;
  });
  core ??= new Core();
  return { strain: STRAINS.indexOf(strain), holdings };
}

/**
 * What the cards of a position are worth: `tricks` of the side to play for each of 52, -1 where it may not be played,
 * and the `best` of these. The hands are lists of cards, what they hold still.
 */
function solved(position) {
  const { leader, trick } = position;
  const { strain, holdings } = readPosition(position);
  const tricks = core.solvePlays(holdings, strain, leader, trick.map(numberOf));
  if (tricks === null) throw new Error(NO_POSITION);
  return { tricks, best: Math.max(...tricks), seat: (leader + trick.length) % 4 };
}

/** Numbers of the cards that may be played, the usual one first, of a position that `declarer` plays. */
function usualOrder(position) {
  const { leader, trick, declarer } = position;
  const { strain, holdings } = readPosition(position);
  const turn = (leader + trick.length) % 4;
  const gone = [0, 1, 2, 3].map((suit) => ALL & ~holdings.reduce((cards, one) => cards | one[suit], 0));
  // everybody sees dummy behind the opening lead, dummy's player declarer's hand
  const dummy = (declarer + 2) % 4;
  const seen = gone.some(Boolean) ? holdings[turn === dummy ? declarer : dummy] : [0, 0, 0, 0];
  const cards = core.usualCards({
    hand: holdings[turn], gone, other: seen, strain, declares: (turn - declarer) % 2 === 0, trick: trick.map(numberOf),
  });
  if (!cards.length) throw new Error(NO_POSITION);
  return cards;
}

/** The card that rules of thumb play from what the player sees; of a position as `cardToPlay` takes it. */
export function usualCard(position) {
  return { card: textOf(usualOrder(position)[0]) };
}

/** Tricks of North-South, of those of a seat's side and how many are left. */
function northSouth(seat, tricks, left) {
  return seat % 2 ? left - tricks : tricks;
}

/**
 * The most usual of the cards that are as good as any double dummy, and the tricks of North-South from here on; of
 * `hands`, four lists of cards such as SA, the `leader` of the trick and the `declarer` (0-3 for N E S W) and the cards of
 * the `trick` on the table.
 */
export function cardToPlay(position) {
  const { tricks, best, seat } = solved(position);
  const card = usualOrder(position).find((one) => tricks[one] === best);
  return { card: textOf(card), tricks: northSouth(seat, best, position.hands[seat].length) };
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
