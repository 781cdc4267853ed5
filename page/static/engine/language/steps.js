// Calls that count from the last bid, `step 1` and `cheapest suit`, as bids in a strain: systems/language/tree/steps.py.

import { grouped } from "../errors.js";
import { callPattern } from "./call_builder.js";
import { allOf } from "./joining.js";

const STRAINS = ["C", "D", "H", "S", "NT"];
const NO_BID = "";
/** Bids of a strain by level, for the first to fifth step, the next five and those behind. */
const KINDS = ["cheapest", "jump", "double jump"];

/** Lines that a system may have, those that steps make counted. */
const MOST_MADE = 100_000;

/** Blocks with bids for all steps. */
export function withoutSteps(blocks, complain) {
  const steps = new Steps(complain);
  return blocks.map((one) => steps.block(one, null));
}

/** Puts bids in place of steps, and counts the lines that it makes. */
class Steps {
  #made = 0;

  constructor(complain) {
    this.complain = complain;
  }

  block(found, last) {
    return { ...found, body: this.#body(found.body, lastBelow(found.header, last)) };
  }

  #body(found, last) {
    return found.flatMap((one) => (one.type === "Block" ? [this.block(one, last)] : this.#lines(one, last)));
  }

  /** Lines that a line stands for. */
  #lines(line, last) {
    const { call } = line;
    this.#made += 1;
    if (this.#made > MOST_MADE) {
      if (this.#made === MOST_MADE + 1) {
        const most = `a system has at most ${grouped(MOST_MADE)} lines, five for a step over any bid`;
        this.complain(call.where, most, "say which bid it is over");
      }
      return [];
    }
    if (call.kind !== "step" && call.kind !== "cheapest suit") {
      return [line.below.length ? { ...line, below: this.#body(line.below, strainOf(call, last)) } : line];
    }
    if (last === NO_BID) {
      this.complain(call.where, "a step counts from the last bid, and nobody has bid", 'write a bid: "1C"');
      return [];
    }
    return (last === null ? STRAINS : [last]).map((strain) => {
      const bid = bidOver(call, strain);
      const found = { ...line, call: bid, below: this.#body(line.below, bid.strain) };
      return last === null ? onCondition(found, strain) : found;
    });
  }
}

/** Bid that a step is over a bid of some strain. */
function bidOver({ kind, level, where }, last) {
  let steps = level || 1;
  if (kind === "cheapest suit" && last === "S") steps = 2; // notrump is no suit
  const strain = STRAINS[(STRAINS.indexOf(last) + steps) % STRAINS.length];
  return callPattern(KINDS[Math.min(Math.floor((steps - 1) / STRAINS.length), KINDS.length - 1)], null, strain, where);
}

/** Line that holds only where the last bid has a strain. */
function onCondition(line, strain) {
  const { where } = line.call;
  const fact = {
    type: "Phrase", kind: "last bid", range: null, suits: [], count: null, of: null, who: null,
    call: callPattern("bid", 0, strain, where), text: "", where,
  };
  const given = ({ condition }) => (condition === null ? fact : allOf([fact, condition]));
  if (!line.variants.length) return { ...line, condition: given(line) };
  return { ...line, variants: line.variants.map((one) => ({ ...one, condition: given(one) })) };
}

// ---------------------------------------------------------------------- the last bid
const theOne = (found) => (new Set(found).size === 1 ? found[0] : null);

/** Strain of the last bid where the lines below a header apply; empty for no bid, null if it is not known. */
function lastBelow({ kind, auctions }, last) {
  if (kind === "opening") return NO_BID;
  if (kind !== "after" && kind !== "their call") return last;
  const start = kind === "their call" ? last : NO_BID;
  return theOne(auctions.map((auction) => auction.reduce(
    (before, { calls, anyCalls }) => (anyCalls ? null : theOne(calls.map((call) => strainOf(call, before)))), start,
  )));
}

/** Strain of the last bid after a call. */
function strainOf({ kind, strain }, last) {
  if (["pass", "double", "redouble"].includes(kind)) return last;
  if (!STRAINS.includes(strain)) return null;
  return kind === "transfer" ? STRAINS.at(STRAINS.indexOf(strain) - 1) : strain;
}
