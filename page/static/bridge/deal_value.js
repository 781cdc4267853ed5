// What auctions on a deal are worth and how far they are from each other and from par, from its table of tricks.
// engine/questions/deals/double_dummy.py is the definition.

import { contractOf, SEATS, STRAINS } from "./calls.js";
import { impsOf, scoreOf } from "./card_play.js";

/** Tells a deal with its dealer and vulnerability from all others. */
export function dealKey({ hands, dealer, vulnerability }) {
  return [dealer, vulnerability, ...hands].join();
}

function auctionValue(calls, { dealer, vulnerability }, tricks) {
  const contract = contractOf(calls, dealer);
  if (!contract) return { contract: "Pass", tricks: null, score: 0 };
  const { level, strain, risk, declarer } = contract;
  const bid = level + strain + risk;
  const taken = tricks[SEATS[declarer]][strain];
  const score = taken === null ? null : scoreOf(bid, declarer, taken, vulnerability);
  return { contract: bid + SEATS[declarer], tricks: taken, score };
}

/** What the service says of a deal and auctions on it that are over, as far as its tricks are known. */
export function dealValue(board, auctions, { tricks, par }) {
  const missing = SEATS.flatMap((declarer) => (
    STRAINS.filter((strain) => tricks[declarer][strain] === null).map((strain) => ({ declarer, strain }))
  ));
  const values = auctions.map((calls) => auctionValue(calls, board, tricks));
  const between = (one, other) => (one === null || other === null || other === undefined ? null : impsOf(one - other));
  return {
    tricks, par, missing, goes_on: missing.length > 0,
    auctions: values.map((one) => ({
      ...one, imps_to_par: between(one.score, par?.score), imps: values.map(({ score }) => between(one.score, score)),
    })),
  };
}
