// Par of a deal, what auctions on it are worth and how far they are from each other, from its table of tricks.
// inference/double_dummy/par.py and engine/questions/double_dummy.py are the definitions.

import { contractOf, SEATS, STRAINS } from "./calls.js";
import { impsOf, scoreOf } from "./card_play.js";

const BIDS = [1, 2, 3, 4, 5, 6, 7].flatMap((level) => STRAINS.map((strain) => ({ level, strain })));

/** Of two scores of North-South the one that a seat would rather have. */
function better(seat, one, other) {
  return seat % 2 ? Math.min(one, other) : Math.max(one, other);
}

/** Points of North-South by bid and declarer; what goes down is doubled. */
function finalScores(tricks, vulnerability) {
  return BIDS.map(({ level, strain }) => SEATS.map((seat, declarer) => {
    const taken = tricks[seat][strain];
    return scoreOf(`${level}${strain}${taken < level + 6 ? "X" : ""}`, declarer, taken, vulnerability);
  }));
}

/** Score of par, and the value of each bid by each declarer if the auction goes on from it without a fault. */
function played(final, dealer) {
  const best = [-Infinity, Infinity, -Infinity, Infinity];
  const opened = [];
  for (let bid = BIDS.length - 1; bid >= 0; bid -= 1) {
    opened[bid] = final[bid].map((score, declarer) => {
      let value = score;
      for (const passes of [2, 1, 0]) {
        const actor = (declarer + 1 + passes) % 4;
        value = better(actor, value, best[actor]);
      }
      return value;
    });
    opened[bid].forEach((value, seat) => { best[seat] = better(seat, best[seat], value); });
  }
  let score = 0;
  for (const passes of [3, 2, 1, 0]) {
    const seat = (dealer + passes) % 4;
    score = better(seat, score, best[seat]);
  }
  return { score, opened };
}

/** Par as the service writes it, `{score, contracts}`, of tricks by declarer and strain. */
export function parOf(tricks, dealer, vulnerability) {
  const final = finalScores(tricks, vulnerability);
  const { score, opened } = played(final, dealer);
  const contracts = [];
  // whether a side has a higher contract that is worth more to it
  const gains = [false, false];
  for (let bid = BIDS.length - 1; bid >= 0 && score !== 0; bid -= 1) {
    const { level, strain } = BIDS[bid];
    const declarers = new Map();
    SEATS.forEach((seat, declarer) => {
      const isPar = final[bid][declarer] === score && opened[bid][declarer] === score;
      if (!isPar || gains[1 - declarer % 2]) return;
      const taken = tricks[seat][strain];
      declarers.set(taken, (declarers.get(taken) ?? "") + seat);
    });
    for (const [taken, seats] of declarers) {
      const over = taken - 6 - level;
      contracts.push(`${level}${strain}${over < 0 ? "X" : ""}-${seats}${over === 0 ? "=" : over > 0 ? `+${over}` : over}`);
    }
    final[bid].forEach((value, declarer) => {
      gains[declarer % 2] ||= declarer % 2 ? value < score : value > score;
    });
  }
  return { score, contracts };
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
export function dealValue(board, auctions, tricks) {
  const missing = SEATS.flatMap((declarer) => (
    STRAINS.filter((strain) => tricks[declarer][strain] === null).map((strain) => ({ declarer, strain }))
  ));
  const par = missing.length ? null : parOf(tricks, board.dealer, board.vulnerability);
  const values = auctions.map((calls) => auctionValue(calls, board, tricks));
  const between = (one, other) => (one === null || other === null || other === undefined ? null : impsOf(one - other));
  return {
    tricks, par, missing, goes_on: missing.length > 0,
    auctions: values.map((one) => ({
      ...one, imps_to_par: between(one.score, par?.score), imps: values.map(({ score }) => between(one.score, score)),
    })),
  };
}
