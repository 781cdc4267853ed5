// What a change of a system's text does, on the same deals bid by both texts: systems/checking/diff.py is the definition.

import { formatCall } from "../deals/calls.js";
import { whereText } from "./bid_answer.js";
import { randomDeal } from "../places/cells.js";
import { formatHand } from "../deals/hands.js";
import { paced } from "../pace.js";
import { VULNERABILITIES } from "../deals/vulnerabilities.js";

const EXAMPLES = 2;

/** Places where two systems part: `{deals, changed, changes}`, most deals first; now and then awaits `tell(done)`. */
export async function diffSystems(old, changed, { deals = 1000, seed = 2026, tell } = {}) {
  const parted = new Map();
  const pace = paced(tell);
  for (let number = 0; number < deals; number += 1) {
    await pace(number);
    const hands = randomDeal(seed, number);
    const [mine, other] = [old, changed].map((system) => system.bidDeal(hands, 0, number % 4).calls);
    const same = mine.findIndex((call, place) => call !== other[place]);
    if (same < 0) continue;
    const calls = mine.slice(0, same);
    const [before, now] = [mine[same], other[same]];
    const key = `${calls},${before},${now}`;
    const found = parted.get(key) ?? { calls, old: before, new: now, deals: 0, examples: [] };
    parted.set(key, found);
    found.deals += 1;
    if (found.examples.length < EXAMPLES) {
      found.examples.push({ hands: hands.map(formatHand), dealer: 0, vulnerability: VULNERABILITIES[number % 4] });
    }
  }
  const changes = [...parted.values()].sort((one, two) => two.deals - one.deals).map((one) => ({
    calls: one.calls.map(formatCall), old: formatCall(one.old), new: formatCall(one.new),
    old_rule: ruleText(old, one.calls, one.old), new_rule: ruleText(changed, one.calls, one.new),
    deals: one.deals, examples: one.examples,
  }));
  return { deals, changed: changes.reduce((sum, one) => sum + one.deals, 0), changes };
}

/** Rules of a place that make a call. */
function ruleText(system, calls, call) {
  const rules = system.expand(calls).entries.filter((entry) => entry.call === call)
    .map((entry) => `${entry.name} (${whereText(entry.where)})`);
  return [...new Set(rules)].join(" or ") || "no line fits";
}
