// Two systems bid the same deals both ways, as at the tables of a team match: workshop/boards/compare.py is the definition.

import { CALL_TEXTS } from "./calls.js";
import { randomDeal } from "../places/cells.js";
import { formatDeal } from "./deals.js";
import { paced } from "../pace.js";
import { VULNERABILITIES } from "./vulnerabilities.js";

/** Dealer and vulnerability go round as on numbered boards. */
const CYCLE = 16;

/**
 * Random deals of a seed, from one on, whose auctions differ: `{number, deal, dealer, vulnerability, auctions}`. The
 * first auction is that where the first system sits North-South, the second where it sits East-West.
 */
export async function bidBothWays(first, second, { seed, begin = 0, deals, tell }) {
  const pace = paced(tell);
  const differing = [];
  for (let number = begin; number < begin + deals; number += 1) {
    await pace(number - begin);
    const hands = randomDeal(seed, number);
    const place = number % CYCLE;
    const dealer = place % 4, vulnerability = (place + (place >> 2)) % 4;
    const [one, other] = [[first, second], [second, first]].map(([ours, theirs]) => {
      const [dealing, waiting] = dealer % 2 ? [theirs, ours] : [ours, theirs];
      return dealing.bidDeal(hands, dealer, vulnerability, waiting).calls.map((call) => CALL_TEXTS[call]);
    });
    if (one.join() !== other.join()) {
      differing.push({ number, deal: formatDeal(hands), dealer, vulnerability: VULNERABILITIES[vulnerability], auctions: [one, other] });
    }
  }
  return differing;
}
