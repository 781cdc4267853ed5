// Deals in which every call of an auction is the one that the system makes.

import { formatCall, formatCalls, PASS } from "./calls.js";
import { has, share } from "../places/cells.js";
import { contextAt, formatDeal, handsOf, SEATS } from "./deals.js";
import { paced } from "../pace.js";
import { POINTS, pointsOf, shapeOf } from "../places/shapes.js";
import { VULNERABILITIES } from "./vulnerabilities.js";

const LIMIT_MS = 5000;
const MOST_TRIES = 500;

/** Numbers of a seed, uniform below a bound: xorshift128 (Marsaglia, Xorshift RNGs, 2003). */
function randomNumbers(seed) {
  let [x, y, z, w] = [123456789, 362436069 ^ seed, 521288629 ^ Math.floor(seed / 2 ** 32), 88675123];
  const below = (bound) => {
    const t = x ^ x << 11;
    [x, y, z] = [y, z, w];
    w = w ^ w >>> 19 ^ t ^ t >>> 8;
    return Math.floor((w >>> 0) / 2 ** 32 * bound);
  };
  // seeds that differ little begin alike
  for (let number = 0; number < 20; number += 1) below(2);
  return below;
}

/** Whether the cells of what was shown have a hand. */
function isShown(cells, hand) {
  return has(cells, shapeOf(hand) * POINTS + pointsOf(hand));
}

/**
 * Deals that fit an auction: `{hands, weights, report}`; hands at seats that are `known` stay as they are.
 *
 * Hands are drawn one after the other, the most narrowly shown first, each as one of those of a fixed number
 * of tries that make the player's own calls; how many did is the deal's weight, which makes the sample fair.
 */
export async function sampleLayouts(system, calls, { dealer, vulnerability, known = {}, count, seed = 0 }, tell) {
  const started = performance.now();
  const pace = paced(tell);
  const bidder = system.bidder();
  const shown = bidder.state(calls).knowledge.map((one) => one.cells);
  const relaxed = [];
  const steps = [[], [], [], []];
  calls.forEach((call, depth) => {
    const before = calls.slice(0, depth);
    const seat = (dealer + depth) % 4;
    if (call === PASS || bidder.place(before).entries.some((entry) => entry.call === call)) {
      steps[seat].push({ before, call, context: contextAt(depth, dealer, vulnerability) });
    } else {
      relaxed.push(`call ${depth + 1}, ${formatCall(call)} by ${SEATS[seat]}: no line of the system makes this call`);
    }
  });
  const cellsOf = (seat) => shown[(seat - dealer + 4) % 4];
  const makes = (seat, hand) => (
    steps[seat].every(({ before, call, context }) => (
      (bidder.chosen(before, [hand], context)[0]?.call ?? PASS) === call))
  );
  const deck = Array.from({ length: 52 }, (_, card) => card)
    .filter((card) => Object.values(known).every((hand) => !(hand[card / 13 | 0] >> card % 13 & 1)));
  const order = [0, 1, 2, 3].filter((seat) => !known[SEATS[seat]])
    .map((seat) => ({ seat, part: share(cellsOf(seat)) })).sort((one, two) => one.part - two.part)
    // the last hand is what is left
    .map(({ seat, part }, turn, { length }) => (
      { seat, tries: turn === length - 1 ? 1 : Math.min(MOST_TRIES, Math.ceil(3 / part)) }));
  const notes = SEATS.split("").filter((letter, seat) => known[letter] && !makes(seat, known[letter]))
    .map((letter) => `${letter} would not have made all of these calls`);
  const below = randomNumbers(seed);
  const layouts = [];
  const weights = [];
  let proposals = 0;

  /** Put thirteen cards of a hand in their place; its weight, 0 where no try fits. */
  const draw = (seat, begin, tries) => {
    let fitting = 0;
    let chosen = null;
    for (let number = 0; number < tries; number += 1) {
      for (let place = begin; place < begin + 13; place += 1) {
        const other = place + below(deck.length - place);
        [deck[place], deck[other]] = [deck[other], deck[place]];
      }
      const cards = deck.slice(begin, begin + 13);
      const [hand] = handsOf(cards);
      if (!isShown(cellsOf(seat), hand) || !makes(seat, hand)) continue;
      fitting += 1;
      if (below(fitting) === 0) chosen = { cards, hand };
    }
    if (!chosen) return null;
    const taken = new Set(chosen.cards);
    const rest = deck.slice(begin).filter((card) => !taken.has(card));
    [...chosen.cards, ...rest].forEach((card, place) => { deck[begin + place] = card; });
    return { hand: chosen.hand, weight: fitting / tries };
  };

  while (layouts.length < count && performance.now() - started < LIMIT_MS) {
    await pace(layouts.length);
    proposals += 1;
    const hands = SEATS.split("").map((letter) => known[letter] ?? null);
    let weight = 1;
    for (const [turn, { seat, tries }] of order.entries()) {
      const drawn = draw(seat, 13 * turn, tries);
      weight *= drawn?.weight ?? 0;
      if (!drawn) break;
      hands[seat] = drawn.hand;
    }
    if (!weight) continue;
    layouts.push(hands);
    weights.push(weight);
  }
  const total = weights.reduce((sum, one) => sum + one, 0);
  const squares = weights.reduce((sum, one) => sum + one * one, 0);
  return {
    hands: layouts, weights: weights.map((one) => one * weights.length / total),
    report: {
      proposals, accepted: layouts.length, acceptance: proposals ? layouts.length / proposals : 0,
      effective_size: squares ? total ** 2 / squares : 0, relaxed, notes, seed,
      stopped_because: layouts.length < count ? "time" : "count", seconds: (performance.now() - started) / 1000,
    },
  };
}

/** What `POST /v1/layouts` answers. */
export async function layoutsAnswer(system, calls, question, tell) {
  const { hands, weights, report } = await sampleLayouts(system, calls, question, tell);
  return {
    ...circumstancesOf(calls, question), report,
    layouts: hands.map((deal, number) => ({ deal: formatDeal(deal), weight: weights[number] })),
  };
}

/** The question's auction, dealer and vulnerability, as answers tell them. */
export function circumstancesOf(calls, { dealer, vulnerability }) {
  return {
    auction: formatCalls(calls).split(" ").filter(Boolean), dealer: SEATS[dealer],
    vulnerability: VULNERABILITIES[vulnerability],
  };
}
