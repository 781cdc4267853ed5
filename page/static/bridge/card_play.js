// The play of the cards: who wins a trick, what declarer took, what it scores.
// loaders/frames/play.py, inference/card_play/sight.py and bridge/scoring.py are the definitions.

import { cardsOf, handOf, RANKS } from "./cards.js";
import { isVulnerable } from "./seats.js";

/** Seat of each card. */
export function ownersOf(hands) {
  return new Map(hands.flatMap((hand, seat) => cardsOf(hand).map((card) => [card, seat])));
}

/** Place (0 led) of the card that wins a trick. */
export function trickWinner(cards, strain) {
  let best = 0;
  cards.forEach((card, place) => {
    const top = cards[best];
    if (card[0] === top[0] ? RANKS.indexOf(card[1]) < RANKS.indexOf(top[1]) : card[0] === strain) best = place;
  });
  return best;
}

/** Cards of some that may be played to a trick: of the suit led, if there is one (Law 44C). */
export function legalCards(cards, trick) {
  const followed = trick.length ? cards.filter((card) => card[0] === trick[0][0]) : [];
  return followed.length ? followed : cards;
}

/**
 * Where a play stands: `left` (hands as texts), `leader`, `trick` on the table, `turn`, `legal` cards, `tricks` that
 * declarer's side has won, and all `done` tricks, `{leader, cards, winner}`. Null where a card is not one that may be
 * played.
 */
export function followPlay(play, hands, { declarer, strain }) {
  const held = hands.map(cardsOf);
  const done = [];
  let leader = (declarer + 1) % 4;
  let trick = [];
  let tricks = 0;
  for (const card of play) {
    const seat = (leader + trick.length) % 4;
    if (!legalCards(held[seat], trick).includes(card)) return null;
    held[seat] = held[seat].filter((one) => one !== card);
    trick.push(card);
    if (trick.length < 4) continue;
    const winner = (leader + trickWinner(trick, strain)) % 4;
    done.push({ leader, cards: trick, winner });
    if ((winner - declarer) % 2 === 0) tricks += 1;
    leader = winner;
    trick = [];
  }
  const turn = (leader + trick.length) % 4;
  return { left: held.map(handOf), leader, trick, turn, legal: legalCards(held[turn], trick), tricks, done };
}

function penalty(down, times, vulnerable) {
  if (!times) return down * (vulnerable ? 100 : 50);
  const [first, less] = vulnerable ? [200, 0] : [100, 100 * Math.min(2, down - 1)];
  return (first + 300 * (down - 1) - less) * times;
}

/** Points for declarer's side. */
function pointsOf(level, strain, times, tricks, vulnerable) {
  const over = tricks - 6 - level;
  if (over < 0) return -penalty(-over, times, vulnerable);
  const each = strain === "C" || strain === "D" ? 20 : 30;
  const made = (level * each + (strain === "N" ? 10 : 0)) << times;
  const small = [500, 750];
  const slam = level === 6 ? small[Number(vulnerable)] : level === 7 ? 2 * small[Number(vulnerable)] : 0;
  return made + 50 * times + over * (times ? 100 * times * (vulnerable ? 2 : 1) : each)
    + (made < 100 ? 50 : vulnerable ? 500 : 300) + slam;
}

/** Score for North-South of a contract such as "4SX". */
export function scoreOf(contract, declarer, tricks, vulnerability) {
  const points = pointsOf(
    Number(contract[0]), contract[1], contract.length - 2, tricks, isVulnerable(vulnerability, declarer),
  );
  return declarer % 2 ? -points : points;
}

const IMP_STEPS = [
  20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000,
  3500, 4000,
];

/** IMPs for a difference in points, with its sign (Law 78B). */
export function impsOf(difference) {
  const amount = IMP_STEPS.filter((step) => step <= Math.abs(difference)).length;
  return difference < 0 ? -amount : amount;
}
