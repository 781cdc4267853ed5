// What results of boards are worth: against the other results of the deal, and against par.

import { contractParts, statusOf } from "../boards/board_facts.js";
import { SEATS } from "../bridge/calls.js";
import { impsOf, scoreOf } from "../bridge/card_play.js";
import { dealKey } from "../bridge/deal_value.js";
import { callLosses } from "./call_losses.js";

/**
 * Each board of a list against the others of its deal: `{results, imps, matchpoints}` of North-South, or null where
 * there is no other result. `results` counts all, `imps` is the mean against each of the others, `matchpoints` are one
 * for each other result that is worse and a half for each that is as good.
 */
export function comparedResults(boards) {
  const scores = new Map();
  const keys = boards.map((one) => (one.score === null || !one.hands.every(Boolean) ? null : dealKey(one)));
  keys.forEach((key, place) => {
    if (key === null) return;
    if (scores.has(key)) scores.get(key).push(boards[place].score);
    else scores.set(key, [boards[place].score]);
  });
  return boards.map(({ score }, place) => {
    const all = scores.get(keys[place]) ?? [];
    const others = all.length - 1;
    if (others < 1) return null;
    const differences = all.map((other) => score - other);
    // it is among them itself, and as good as itself
    const imps = differences.reduce((sum, difference) => sum + impsOf(difference), 0) / others;
    const points = differences.reduce((sum, difference) => sum + (Math.sign(difference) + 1) / 2, 0) - 0.5;
    return { results: all.length, imps, matchpoints: points };
  });
}

/**
 * A board whose `tricks` of all contracts and `par`, `{score, contracts}`, are known: `par`, `toPar` the IMPs of its
 * result against par, `calls` the IMPs that each call cost its side, `lost` those by side, `play` `{tricks, imps}` that
 * declarer's side won by the play against double dummy. IMPs are North-South's but for what is lost; null is what cannot
 * be said.
 */
export function boardWorth(one, tricks, par) {
  const against = (score) => impsOf(score - par.score);
  const calls = statusOf(one) === "complete" ? callLosses(one, tricks) : null;
  const lost = calls && [0, 1].map((side) => (
    calls.reduce((sum, loss, place) => sum + ((one.dealer + place) % 2 === side ? loss : 0), 0)
  ));
  const contract = contractParts(one);
  let play = null;
  if (contract && contract.declarer !== null && one.tricks !== null && one.score !== null) {
    const { level, strain, risk, declarer } = contract;
    const taken = tricks[SEATS[declarer]][strain];
    const solved = scoreOf(level + strain + risk, declarer, taken, one.vulnerability);
    play = { tricks: one.tricks - taken, imps: against(one.score) - against(solved) };
  }
  return { par, toPar: one.score === null ? null : against(one.score), calls, lost, play };
}
