// What hands look like in deals that fit an auction, and what the next player may call.

import { formatCall, PASS } from "../deals/calls.js";
import { contextAt, SEATS } from "../deals/deals.js";
import { circumstancesOf, sampleLayouts } from "../deals/layouts.js";
import { inOneDeal } from "../places/one_deal.js";
import { POINTS } from "../places/shapes.js";

const MOST_SHAPES = 8;
const RANKS = "23456789TJQKA";
const SUITS = "CDHS";

/** What the page reads of an answer of `POST /v1/interpret`; null where no deal was found. */
export async function interpretation(system, calls, isOver, question, tell) {
  const { dealer, vulnerability, known = {} } = question;
  const { hands, weights, report } = await sampleLayouts(system, calls, question, tell);
  if (!hands.length) return null;
  const bidder = system.bidder();
  const state = bidder.at(dealer, vulnerability).state(calls);
  const bounds = inOneDeal(state.knowledge.map((one) => one.hull));
  const chances = weights.map((one) => one / weights.length);
  const next = isOver ? null : (dealer + calls.length) % 4;
  return {
    ...circumstancesOf(calls, question), report, known: Object.keys(known),
    forced: state.forced, agreed: state.agreed,
    hands: Object.fromEntries([...SEATS].map((letter, seat) => {
      const position = (seat - dealer + 4) % 4;
      const picture = pictureOf(bidder.programs[0], hands.map((deal) => deal[seat]), chances, state.agreed[position % 2]);
      const known = state.knowledge[position];
      const points = narrowed(known.points, bounds[position].points);
      return [letter, { shown: { points, every_points: narrowed(known.hull.points, bounds[position].points) }, ...picture }];
    })),
    next_player: isOver ? null : SEATS[next],
    next_calls: isOver ? [] : nextCalls(bidder, calls, hands.map((deal) => deal[next]), chances,
      contextAt(calls.length, dealer, vulnerability)),
  };
}

/** Bounds narrowed by what the other hands leave; as they were where that excludes them. */
function narrowed([low, high], [least, most]) {
  const found = [Math.max(low, least), Math.min(high, most)];
  return found[0] <= found[1] ? found : [low, high];
}

/** Calls that may be made at a place, with the share of hands that make them, the likeliest first. */
function nextCalls(bidder, calls, hands, chances, context) {
  const found = new Map();
  for (const { call, name } of bidder.place(calls).entries) {
    const one = found.get(call) ?? { call: formatCall(call), name: "", chance: 0 };
    one.name ||= name;
    found.set(call, one);
  }
  if (!found.has(PASS)) found.set(PASS, { call: "P", name: "", chance: 0 });
  bidder.chosen(calls, hands, context).forEach((entry, number) => {
    found.get(entry?.call ?? PASS).chance += chances[number];
  });
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
function pictureOf(program, hands, chances, agreed) {
  const of = (term) => program.values(term, hands);
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
