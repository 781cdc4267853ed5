// Calls as small integers, and what the laws allow: bridge/calls.py and bridge/auction.py are the
// definition. 0 pass, 1 double, 2 redouble, 3 … 37 the bids 1C … 7N.

import { quoted } from "../errors.js";

export const PASS = 0;
export const DOUBLE = 1;
export const REDOUBLE = 2;
export const FIRST_BID = 3;
export const LAST_BID = 37;
export const CALL_COUNT = 38;
export const STRAINS = "CDHSN";

const LEVELS = [1, 2, 3, 4, 5, 6, 7];
export const CALL_TEXTS = ["P", "X", "XX", ...LEVELS.flatMap((level) => [...STRAINS].map((strain) => level + strain))];

const CALL_BY_TEXT = new Map(CALL_TEXTS.map((text, call) => [text.toLowerCase(), call]));
for (const level of LEVELS) {
  [..."♣♦♥♠"].forEach((sign, strain) => CALL_BY_TEXT.set(level + sign, makeBid(level, strain)));
  CALL_BY_TEXT.set(`${level}nt`, makeBid(level, 4));
}
for (const [call, words] of [[PASS, "pass"], [DOUBLE, "d dbl double"], [REDOUBLE, "r rdbl rd redouble"]]) {
  for (const word of words.split(" ")) CALL_BY_TEXT.set(word, call);
}

/** Text or a code that is no call. */
export class InvalidCall extends Error {
  name = "InvalidCall";
}

/** A call that the auction does not allow. */
export class IllegalCall extends Error {
  name = "IllegalCall";
}

/** Code of a call: P, Pass, X, D, Dbl, XX, R, 1C … 7NT. */
export function parseCall(text) {
  const code = CALL_BY_TEXT.get(text.toLowerCase());
  if (code === undefined) {
    throw new InvalidCall(`expected a call (P, X, XX or 1C … 7N), got ${quoted(text)}`);
  }
  return code;
}

/** Text of a call code. */
export function formatCall(call) {
  checkCode(call);
  return CALL_TEXTS[call];
}

function checkCode(call) {
  if (!(Number.isInteger(call) && call >= 0 && call < CALL_COUNT)) {
    throw new InvalidCall(`expected a call code 0-37, got ${call}`);
  }
}

/** Code of a bid from its level (1-7) and strain (0-4 = C D H S N). */
export function makeBid(level, strain) {
  if (!(level >= 1 && level <= 7 && strain >= 0 && strain <= 4)) {
    throw new InvalidCall(`expected level 1-7 and strain 0-4, got ${level} and ${strain}`);
  }
  return FIRST_BID + 5 * (level - 1) + strain;
}

function checkedBid(call) {
  if (!(call >= FIRST_BID && call <= LAST_BID)) {
    throw new InvalidCall(`expected a bid (code ${FIRST_BID}-${LAST_BID}), got ${call}`);
  }
  return call - FIRST_BID;
}

/** Level 1-7 of a bid code. */
export function bidLevel(call) {
  return Math.floor(checkedBid(call) / 5) + 1;
}

/** Strain 0-4 (C D H S N) of a bid code. */
export function bidStrain(call) {
  return checkedBid(call) % 5;
}

/** Texts of calls, which are separated by blanks, commas or hyphens. */
export function splitCalls(text) {
  return text.split(/[\s,-]+/u).filter(Boolean);
}

/** Codes of calls: a text of them, or each as its text or code. */
export function parseCalls(calls) {
  const parts = typeof calls === "string" ? splitCalls(calls) : calls;
  return Array.from(parts, (call) => (typeof call === "string" ? parseCall(call) : call));
}

/** Text of several calls. */
export function formatCalls(calls, separator = " ") {
  return calls.map(formatCall).join(separator);
}

/** A legal auction, built call by call; instances never change. */
export class Auction {
  /** Fields follow from the calls: the last bid (0 before any) and its number (-1), 0 undoubled,
   * 1 doubled, 2 redoubled, and how many passes stand at the end. */
  constructor(calls = [], lastBid = 0, lastBidder = -1, doubling = 0, trailingPasses = 0) {
    this.calls = calls;
    this.lastBid = lastBid;
    this.lastBidder = lastBidder;
    this.doubling = doubling;
    this.trailingPasses = trailingPasses;
  }

  /** Auction of call codes; throws at the first illegal one. */
  static of(calls) {
    let auction = new Auction();
    for (const call of calls) auction = auction.add(call);
    return auction;
  }

  /** Whether three passes followed a call, or four opened. */
  get isComplete() {
    return this.trailingPasses === 4 || (this.trailingPasses === 3 && this.lastBid > 0);
  }

  /** Why a call may not be made now, or null if it may. */
  whyIllegal(call) {
    checkCode(call);
    if (this.isComplete) return "the auction is over";
    if (call === PASS) return null;
    const byLastBiddersSide = (this.calls.length - this.lastBidder) % 2 === 0;
    if (call === DOUBLE) {
      if (!this.lastBid) return "there is no bid to double";
      if (this.doubling === 2) return "the bid is redoubled already";
      if (byLastBiddersSide) return "the last bid is by the caller's own side";
      return this.doubling ? "the bid is doubled already" : null;
    }
    if (call === REDOUBLE) {
      if (this.doubling === 2) return "the bid is redoubled already";
      if (this.doubling === 0) return "there is no double to redouble";
      return byLastBiddersSide ? null : "the double is by the caller's own side";
    }
    return call <= this.lastBid ? `insufficient: not above ${formatCall(this.lastBid)}` : null;
  }

  /** Whether a call may be made now. */
  isLegal(call) {
    if (call > LAST_BID || call < FIRST_BID) return this.whyIllegal(call) === null;
    return call > this.lastBid && !this.isComplete;
  }

  /** Codes of all calls that may be made now, ascending. */
  legalCalls() {
    return Array.from({ length: CALL_COUNT }, (_, call) => call).filter((call) => this.isLegal(call));
  }

  /** The auction with one more call. */
  add(call) {
    const reason = this.whyIllegal(call);
    if (reason !== null) {
      const before = this.calls.length ? `after ${formatCalls(this.calls)}` : "as opening call";
      throw new IllegalCall(
        `call ${this.calls.length + 1}, '${formatCall(call)}', is illegal ${before}: ${reason}`,
      );
    }
    const calls = [...this.calls, call];
    if (call >= FIRST_BID) return new Auction(calls, call, this.calls.length);
    const doubling = call === PASS ? this.doubling : call;
    return new Auction(calls, this.lastBid, this.lastBidder, doubling, call === PASS ? this.trailingPasses + 1 : 0);
  }
}
