// What each call of an auction cost, all hands seen: what the auction was worth before it and behind it.
// An auction is worth what it ends in where everybody goes on without a fault, as in inference/double_dummy/par.py.

import { isBid, isLegal, isOver, LEVELS, SEATS, STRAINS } from "../bridge/calls.js";
import { impsOf, scoreOf } from "../bridge/card_play.js";

const BIDS = LEVELS.flatMap((level) => STRAINS.map((strain) => `${level}${strain}`));

/** Of two scores of North-South the one that a seat would rather have. */
function better(seat, one, other) {
  return seat % 2 ? Math.min(one, other) : Math.max(one, other);
}

/** Who declares a strain for either side: the first who bid it. */
function declarersOf(calls, dealer) {
  const declarers = [{}, {}];
  calls.forEach((call, place) => {
    const seat = (dealer + place) % 4;
    if (isBid(call)) declarers[seat % 2][call[1]] ??= seat;
  });
  return declarers;
}

/** By seat what it gets at best where it bids on, above each bid; the last row is above none. Going down is doubled. */
function worthOfBids(declarers, vulnerability, tricks) {
  const best = SEATS.map((_, seat) => (seat % 2 ? Infinity : -Infinity));
  const above = Array(BIDS.length + 1);
  for (let bid = BIDS.length - 1; bid >= 0; bid -= 1) {
    const [level, strain] = BIDS[bid];
    above[bid] = [...best];
    const values = SEATS.map((_, seat) => {
      const declarer = declarers[seat % 2][strain] ?? seat;
      const taken = tricks[SEATS[declarer]][strain];
      const value = scoreOf(BIDS[bid] + (taken < Number(level) + 6 ? "X" : ""), declarer, taken, vulnerability);
      return [3, 2, 1].reduce((found, passes) => better((seat + passes) % 4, found, above[bid][(seat + passes) % 4]), value);
    });
    values.forEach((value, seat) => { best[seat] = better(seat, best[seat], value); });
  }
  above[BIDS.length] = best;
  return above;
}

/** Points of North-South that an auction ends in, if everybody goes on from here without a fault. */
function worthOfAuction(calls, { dealer, vulnerability }, tricks) {
  const last = calls.findLastIndex(isBid);
  const declarers = declarersOf(calls, dealer);
  const onward = worthOfBids(declarers, vulnerability, tricks).at(last < 0 ? -1 : BIDS.indexOf(calls[last]));
  const scoreBehind = (all) => {
    if (last < 0) return 0;
    const [, strain] = calls[last];
    const declarer = declarers[(dealer + last) % 2][strain];
    const risk = all.slice(last).findLast((call) => call === "X" || call === "XX") ?? "";
    return scoreOf(calls[last] + risk, declarer, tricks[SEATS[declarer]][strain], vulnerability);
  };
  const worth = (all) => {
    if (isOver(all)) return scoreBehind(all);
    const seat = (dealer + all.length) % 4;
    return ["P", "X", "XX"].filter((call) => isLegal(all, call))
      .reduce((found, call) => better(seat, found, worth([...all, call])), onward[seat]);
  };
  return worth(calls);
}

/**
 * IMPs that each call of an auction cost its side against par. What the calls of the sides cost is, one against the
 * other, what the contract is worth against par. `tricks` are those of all contracts, by declarer and strain.
 */
export function callLosses({ calls, dealer, vulnerability }, tricks) {
  const worth = calls.map((_, place) => worthOfAuction(calls.slice(0, place), { dealer, vulnerability }, tricks));
  worth.push(worthOfAuction(calls, { dealer, vulnerability }, tricks));
  // before the first call an auction is worth par
  const imps = worth.map((score) => impsOf(score - worth[0]));
  return calls.map((_, place) => {
    const gain = imps[place + 1] - imps[place];
    return (dealer + place) % 2 ? gain : 0 - gain;
  });
}
