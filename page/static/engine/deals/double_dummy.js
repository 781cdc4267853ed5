// Tricks of all contracts of a deal, all hands seen, and its par: the core's solver, a strain at a time.
// inference/double_dummy/par.py says what par is.

import { Core } from "../core.js";
import { parseHand } from "./hands.js";
import { VULNERABILITIES } from "./vulnerabilities.js";

export const STRAINS = ["N", "S", "H", "D", "C"];
const SEATS = ["N", "E", "S", "W"];
const CORE_STRAINS = "CDHSN";

function contractText([level, strain, declarers, tricks]) {
  const over = tricks - 6 - level;
  const seats = SEATS.filter((_, seat) => declarers >> seat & 1).join("");
  return `${level}${CORE_STRAINS[strain]}${over < 0 ? "X" : ""}-${seats}${over === 0 ? "=" : over > 0 ? `+${over}` : over}`;
}

/** Par as the service writes it, `{score, contracts}`, of tricks by declarer and strain and the dealer, 0-3 for N E S W. */
export function parOf(tricks, dealer, vulnerability, core = new Core()) {
  const table = SEATS.flatMap((seat) => Array.from(CORE_STRAINS, (strain) => tricks[seat][strain]));
  const found = core.par(table, dealer, VULNERABILITIES.indexOf(vulnerability));
  if (found === null) throw new Error(`expected 0-13 tricks of each contract, a dealer and a vulnerability, got ${table}`);
  return { score: found.score, contracts: found.contracts.map(contractText) };
}

/**
 * Solve a deal, hands N, E, S, W: `{tricks: {N: {N: 8, …}, …}, par}`. `tell` hears of the same after each strain: tricks
 * that are not solved yet are null, and so is par.
 */
export async function solveDeal({ hands, dealer, vulnerability }, tell = () => {}) {
  const held = hands.map((hand) => (typeof hand === "string" ? parseHand(hand) : hand));
  // the solver's memory goes with the instance
  const core = new Core();
  if (held.length !== SEATS.length || !core.takeDeal(held)) throw new Error("expected four hands of 13 cards, no card in two of them");
  const tricks = Object.fromEntries(SEATS.map((seat) => [seat, Object.fromEntries(STRAINS.map((strain) => [strain, null]))]));
  let par = null;
  for (const [place, strain] of STRAINS.entries()) {
    const solved = core.solveStrain(CORE_STRAINS.indexOf(strain));
    SEATS.forEach((seat, declarer) => { tricks[seat][strain] = solved[declarer]; });
    if (place === STRAINS.length - 1) par = parOf(tricks, dealer, vulnerability, core);
    await tell(structuredClone({ tricks, par }));
  }
  return { tricks, par };
}
