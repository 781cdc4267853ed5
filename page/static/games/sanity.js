// What no pair wants to see in an auction of its own: workshop/boards/sanity.py is the definition, for both sides at once.

import { contractOf } from "../bridge/calls.js";

const GAME_POINTS = 26;
const SLAM_POINTS = 33;
const OPENING_POINTS = 12;
const MANY_CALLS = 20;
const GAME_LEVEL = { C: 5, D: 5, H: 4, S: 4, N: 3 };
const POINTS = { A: 4, K: 3, Q: 2, J: 1 };

const pointsOf = (hand) => [...hand].reduce((sum, card) => sum + (POINTS[card] ?? 0), 0);
const lengthsOf = (hand) => Object.fromEntries(hand.split(".").map((cards, place) => ["SHDC"[place], cards.length]));

/** Names of what a side (0 North-South, 1 East-West) shows; `hands` are four texts, the auction is over. */
export function signsOf({ hands, dealer, calls }, side) {
  const contract = contractOf(calls, dealer);
  const own = [hands[side], hands[side + 2]];
  const points = own.map(pointsOf).reduce((one, other) => one + other);
  const [first, second] = own.map(lengthsOf);
  const fit = (suit) => first[suit] + second[suit];
  const declares = contract !== null && contract.declarer % 2 === side;
  const level = contract ? Number(contract.level) : 0;
  const isGame = contract && level >= GAME_LEVEL[contract.strain], isSlam = level >= 6;
  const stopped = contract === null || declares;
  const aces = own.join("").split("A").length - 1;
  return Object.entries({
    "below-game": points >= GAME_POINTS && (fit("H") >= 8 || fit("S") >= 8) && stopped && !isGame,
    "below-slam": points >= SLAM_POINTS && stopped && !isSlam,
    "undoubled": points >= GAME_POINTS && !stopped && contract.risk === "",
    "five-trumps": declares && contract.strain !== "N" && fit(contract.strain) <= 5,
    "six-trumps": declares && contract.strain !== "N" && fit(contract.strain) === 6,
    "void": declares && level === 3 && contract.strain === "N" && own.some((hand) => hand.split(".").includes("")),
    "passed-out": contract === null && own.some((hand) => pointsOf(hand) >= OPENING_POINTS),
    "two-aces": declares && isSlam && contract.risk === "" && aces <= 2,
    "many-calls": calls.length > MANY_CALLS,
  }).filter(([, shown]) => shown).map(([name]) => name);
}

/** What may be the best there was, seen from one hand: it does not make an auction unfit to be taught. */
const MAY_BE_BEST = new Set(["six-trumps", "void", "many-calls"]);

/** Whether an auction may be taught to a side: nothing is shown of what no pair wants to see. */
export function mayBeTaught(board, side) {
  return signsOf(board, side).every((sign) => MAY_BE_BEST.has(sign));
}
