// What a system is about: the tags and names of its calls, each with places where they come, for practice.

import { formatCall, PASS } from "../deals/calls.js";
import { randomDeal } from "../places/cells.js";
import { contextAt, formatDeal } from "../deals/deals.js";
import { agreementsOf } from "./describing.js";
import { paced } from "../pace.js";
import { VULNERABILITIES } from "../deals/vulnerabilities.js";

const MOST_PLACES = 24;
const LIMIT_MS = 3000;
const DEALS = 500;
const SEED = 1;
const MOST_EXAMPLES = 4;

/**
 * Topics `{topic, calls, places, examples}` of the places that random deals come to, by name; only passes have none. Their
 * places are those where a deal chose such a call; where none did, those where one is offered.
 */
export async function topicsOf(system, tell) {
  const until = performance.now() + LIMIT_MS;
  const pace = paced(tell);
  const bidder = system.bidder();
  const seen = new Set();
  const topics = new Map();
  const chosen = new Map();
  for (let number = 0; number < DEALS && performance.now() < until; number += 1) {
    await pace(number);
    const hands = randomDeal(SEED, number);
    const { calls } = system.bidDeal(hands, 0, number % 4);
    for (let depth = 0; depth < calls.length; depth += 1) {
      const before = calls.slice(0, depth);
      const text = before.map(formatCall).join(" ");
      const place = bidder.place(before);
      const [made] = bidder.chosen(before, [hands[depth % 4]], contextAt(depth, 0, number % 4));
      for (const name of made ? namesOf(made) : []) {
        const places = chosen.get(name) ?? new Map();
        chosen.set(name, places);
        if (!places.has(text)) places.set(text, { before, hands, vulnerability: number % 4 });
      }
      if (seen.has(text)) continue;
      seen.add(text);
      for (const entry of place.entries) {
        for (const name of namesOf(entry)) {
          const topic = topics.get(name) ?? { topic: name, bids: false, made: new Set(), places: new Map() };
          topics.set(name, topic);
          topic.bids ||= entry.call !== PASS;
          topic.made.add(`${text} ${formatCall(entry.call)}`);
          topic.places.set(text, before);
        }
      }
    }
  }
  const passes = (calls) => calls.filter((call) => call === PASS).length;
  return [...topics.values()].filter((one) => one.bids)
    .sort((one, two) => (one.topic < two.topic ? -1 : 1))
    .map(({ topic, made, places }) => ({
      topic, calls: made.size,
      // of auctions of one length those with the most passes are commonest
      places: [...(chosen.has(topic) ? [...chosen.get(topic).values()].map((one) => one.before) : places.values())].sort((one, two) => one.length - two.length || passes(two) - passes(one))
        .slice(0, MOST_PLACES).map((calls) => calls.map(formatCall)),
      examples: [...(chosen.get(topic)?.values() ?? [])].slice(0, MOST_EXAMPLES).map(({ before, hands, vulnerability }) => ({
        deal: formatDeal(hands), dealer: "N", vulnerability: VULNERABILITIES[vulnerability], auction: before.map(formatCall),
      })),
    }));
}

/** Topics of an entry: its name and its tags. */
function namesOf(entry) {
  return [entry.name, ...agreementsOf(entry).filter((one) => one.startsWith("#"))].filter(Boolean);
}
