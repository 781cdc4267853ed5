// Deals in which every call of an auction is the one that the system makes, and what hands look like in them.

import { formatCall, formatCalls, PASS } from "./calls.js";
import { choose, HandValues } from "./choice.js";
import { contextAt, formatDeal, handsOf, SEATS, VULNERABILITIES } from "./deals.js";
import { POINTS, share } from "./knowledge.js";
import { inOneDeal } from "./one_deal.js";
import { paced } from "./pace.js";
import { shapeOf, TERMS } from "./terms.js";

const LIMIT_MS = 5000;
const MOST_TRIES = 500;
const MOST_SHAPES = 8;
const RANKS = "23456789TJQKA";
const SUITS = "CDHS";

/** Numbers of a seed, uniform below a bound: xorshift128 (Marsaglia, Xorshift RNGs, 2003). */
export function randomNumbers(seed) {
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
  const cell = shapeOf(hand) * POINTS + TERMS.get("HCP").value(hand);
  return (cells[cell >> 5] >>> (cell & 31) & 1) === 1;
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
  const expander = system.expander();
  const shown = expander.state(calls).knowledge.map((one) => one.cells);
  const relaxed = [];
  const steps = [[], [], [], []];
  calls.forEach((call, depth) => {
    const place = expander.place(calls.slice(0, depth));
    const seat = (dealer + depth) % 4;
    if (call === PASS || place.entries.some((entry) => entry.call === call)) {
      steps[seat].push({ place, call, context: contextAt(depth, dealer, vulnerability) });
    } else {
      relaxed.push(`call ${depth + 1}, ${formatCall(call)} by ${SEATS[seat]}: no line of the system makes this call`);
    }
  });
  const cellsOf = (seat) => shown[(seat - dealer + 4) % 4];
  const makes = (seat, hand) => (
    steps[seat].every(({ place, call, context }) => choose(place, hand, context).call === call)
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

function circumstancesOf(calls, { dealer, vulnerability }) {
  return {
    auction: formatCalls(calls).split(" ").filter(Boolean), dealer: SEATS[dealer],
    vulnerability: VULNERABILITIES[vulnerability],
  };
}

/** What the page reads of an answer of `POST /v1/interpret`; null where no deal was found. */
export async function interpretation(system, calls, isOver, question, tell) {
  const { dealer, vulnerability, known = {} } = question;
  const { hands, weights, report } = await sampleLayouts(system, calls, question, tell);
  if (!hands.length) return null;
  const expander = system.expander();
  const state = expander.state(calls);
  const bounds = inOneDeal(state.hulls);
  const chances = weights.map((one) => one / weights.length);
  const next = isOver ? null : (dealer + calls.length) % 4;
  return {
    ...circumstancesOf(calls, question), report, known: Object.keys(known),
    forced: state.forced, agreed: state.agreed,
    hands: Object.fromEntries([...SEATS].map((letter, seat) => {
      const position = (seat - dealer + 4) % 4;
      const picture = pictureOf(hands.map((deal) => deal[seat]), chances, state.agreed[position % 2]);
      const points = narrowed(state.knowledge[position].shown("HCP"), bounds[position].points);
      return [letter, { shown: { points }, ...picture }];
    })),
    next_player: isOver ? null : SEATS[next],
    next_calls: isOver ? [] : nextCalls(expander.place(calls), hands.map((deal) => deal[next]), chances,
      contextAt(calls.length, dealer, vulnerability)),
  };
}

/** Bounds narrowed by what the other hands leave; as they were where that excludes them. */
function narrowed([low, high], [least, most]) {
  const found = [Math.max(low, least), Math.min(high, most)];
  return found[0] <= found[1] ? found : [low, high];
}

/** Calls that may be made at a place, with the share of hands that make them, the likeliest first. */
function nextCalls(place, hands, chances, context) {
  const found = new Map();
  for (const { call, name } of place.entries) {
    const one = found.get(call) ?? { call: formatCall(call), name: "", chance: 0 };
    one.name ||= name;
    found.set(call, one);
  }
  if (!found.has(PASS)) found.set(PASS, { call: "P", name: "", chance: 0 });
  hands.forEach((hand, number) => { found.get(choose(place, hand, context).call).chance += chances[number]; });
  return [...found.values()].filter((one) => one.chance > 0 || one.call !== "P")
    .sort((one, two) => two.chance - one.chance);
}

function histogram(values, chances, size) {
  const found = new Array(size).fill(0);
  values.forEach((value, number) => { found[value] += chances[number]; });
  return found;
}

function summary(values, chances) {
  const mean = values.reduce((sum, value, number) => sum + value * chances[number], 0);
  return { mean, range: [Math.min(...values), Math.max(...values)] };
}

/** One hand over many deals: points, lengths, shapes, honours, stoppers, keycards. */
function pictureOf(hands, chances, agreed) {
  const values = hands.map((hand) => new HandValues(hand));
  const of = (term) => values.map((one) => one.get(term));
  const chance = (test) => hands.reduce((sum, hand, number) => sum + (test(hand, number) ? chances[number] : 0), 0);
  const bySuit = (make) => Object.fromEntries([..."SHDC"].map((suit) => [suit, make(suit, SUITS.indexOf(suit))]));
  const points = of("HCP");
  const counted = summary(points, chances);
  const lengths = bySuit((suit) => of(`SL_${suit}`));
  const shapes = new Map();
  hands.forEach((_, number) => {
    const shape = [..."SHDC"].map((suit) => lengths[suit][number]).join("=");
    shapes.set(shape, (shapes.get(shape) ?? 0) + chances[number]);
  });
  return {
    points: histogram(points, chances, POINTS), mean_points: counted.mean, points_range: counted.range,
    lengths: bySuit((suit) => histogram(lengths[suit], chances, 14)),
    mean_lengths: bySuit((suit) => summary(lengths[suit], chances).mean),
    length_ranges: bySuit((suit) => summary(lengths[suit], chances).range),
    shapes: [...shapes].sort((one, two) => two[1] - one[1]).slice(0, MOST_SHAPES),
    honours: bySuit((_, place) => Object.fromEntries([..."AKQJT"].map((rank) => (
      [rank, chance((hand) => hand[place] >> RANKS.indexOf(rank) & 1)])))),
    stoppers: bySuit((suit) => {
      const has = of(`Stopper_${suit}`);
      return chance((_, number) => has[number]);
    }),
    keycards: SUITS.includes(agreed ?? "-") ? histogram(of(`Keycards_${agreed}`), chances, 6) : null,
  };
}
