// Tricks of all contracts of a deal, all hands seen: the core's solver, a strain at a time.

import { Core } from "../core.js";
import { parseHand } from "./hands.js";

export const STRAINS = ["N", "S", "H", "D", "C"];
const SEATS = ["N", "E", "S", "W"];
const CORE_STRAINS = "CDHSN";

/**
 * Tricks by declarer and strain, `{N: {N: 8, …}, …}`, of hands N, E, S, W; `tell` hears of the table after each
 * strain, null where it is not solved yet.
 */
export async function solveDeal(hands, tell = () => {}) {
  const held = hands.map((hand) => (typeof hand === "string" ? parseHand(hand) : hand));
  // the solver's memory goes with the instance
  const core = new Core();
  if (held.length !== SEATS.length || !core.takeDeal(held)) throw new Error("expected four hands of 13 cards, no card in two of them");
  const table = Object.fromEntries(SEATS.map((seat) => [seat, Object.fromEntries(STRAINS.map((strain) => [strain, null]))]));
  for (const strain of STRAINS) {
    const tricks = core.solveStrain(CORE_STRAINS.indexOf(strain));
    SEATS.forEach((seat, declarer) => { table[seat][strain] = tricks[declarer]; });
    await tell(structuredClone(table));
  }
  return table;
}
