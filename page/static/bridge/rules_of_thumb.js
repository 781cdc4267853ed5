// Which card a player plays by rules of thumb, from what he sees. inference/card_play/rules_of_thumb.py is the definition.

import { legalCards, trickWinner } from "./card_play.js";
import { RANKS, SUITS } from "./cards.js";

const TEN = RANKS.indexOf("T");

/** Rank from the ace (0) down. */
function rankOf(card) {
  return RANKS.indexOf(card[1]);
}

/** Clubs first, as cards are numbered. */
const BY_NUMBER = [...SUITS].reverse();

function compare(one, other) {
  return BY_NUMBER.indexOf(one[0]) - BY_NUMBER.indexOf(other[0]) || rankOf(other) - rankOf(one);
}

/** Cards from the lowest, trumps last. */
function lowestFirst(cards, strain) {
  return [...cards].sort((one, other) => (
    Number(one[0] === strain) - Number(other[0] === strain) || rankOf(other) - rankOf(one) || compare(one, other)
  ));
}

function isMaster(card, unseen) {
  return !unseen.some((one) => one[0] === card[0] && rankOf(one) < rankOf(card));
}

/** The item of a list that is largest by some numbers, the first of equal ones. */
function largest(items, numbersOf) {
  const isMore = (one, other) => {
    const place = one.findIndex((number, index) => number !== other[index]);
    return place >= 0 && one[place] > other[place];
  };
  return items.reduce((best, one) => (isMore(numbersOf(one), numbersOf(best)) ? one : best));
}

function lead(cards, { strain, unseen, isStarted, declares }) {
  // highest first
  const suits = BY_NUMBER.map((suit) => cards.filter((card) => card[0] === suit).sort((one, other) => rankOf(one) - rankOf(other)));
  const trumps = suits[BY_NUMBER.indexOf(strain)] ?? [];
  if (declares && trumps.length && unseen.some((card) => card[0] === strain)) {
    return isMaster(trumps[0], unseen) ? trumps[0] : trumps.at(-1);
  }
  const plain = suits.filter((suit) => suit.length && suit !== trumps);
  const held = plain.length ? plain : suits.filter((suit) => suit.length);
  const masters = held.filter(([top]) => isStarted && isMaster(top, unseen));
  if (masters.length) return largest(masters, (suit) => [suit.length, BY_NUMBER.indexOf(suit[0][0])])[0];
  const best = largest(held, (suit) => [suit.length, -suit.reduce((sum, card) => sum + rankOf(card), 0)]);
  const [top, next] = best.map(rankOf);
  if (best.length <= 2 || (top <= TEN && next === top + 1)) return best[0];
  return best[3] ?? best.at(-1);
}

function follow(legal, trick, { strain, unseen }) {
  const ahead = trickWinner(trick, strain);
  const better = legal.filter((card) => trickWinner([...trick, card], strain) === trick.length);
  const partners = (trick.length - ahead) % 2 === 0;
  const holds = trick.length === 3 || isMaster(trick[ahead], unseen);
  const [low] = lowestFirst(legal, strain);
  if (!better.length || (partners && (holds || rankOf(trick[ahead]) <= TEN))) return low;
  if (trick.length === 3 || legal[0][0] !== trick[0][0]) return lowestFirst(better, strain)[0];
  if (trick.length === 1) return low;
  // of touching cards the lowest
  const [first, ...others] = lowestFirst(better, strain).reverse();
  return others.reduce((found, card) => (rankOf(card) === rankOf(found) + 1 ? card : found), first);
}

/**
 * Cards that may be played, the one that rules of thumb play first, then the lowest. `cards` are those in the hand,
 * `unseen` those that the player does not see and that were not played; `isStarted` when a card was played before.
 */
export function usualOrder(cards, trick, { strain, unseen, isStarted, declares }) {
  const legal = legalCards(cards, trick);
  const chosen = legal.length === 1 ? legal[0]
    : trick.length ? follow(legal, trick, { strain, unseen }) : lead(cards, { strain, unseen, isStarted, declares });
  return [chosen, ...lowestFirst(legal, strain).filter((card) => card !== chosen)];
}
