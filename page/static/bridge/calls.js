// Calls as texts (P X XX 1C … 7N), and what the laws allow after an auction.

import { phrase } from "../texts.js";

export const STRAINS = ["C", "D", "H", "S", "N"];
export const LEVELS = [1, 2, 3, 4, 5, 6, 7];
export const SEATS = ["N", "E", "S", "W"];
export const SEAT_NAMES = SEATS.map((seat) => phrase(`seat.${seat}`));
const OTHER_WAYS = {
  PASS: "P", "-": "P", D: "X", DBL: "X", DOUBLE: "X", R: "XX", RD: "XX", RDBL: "XX",
  REDOUBLE: "XX",
};

/** A call as this page writes it, or null where the text is none. */
export function readCall(text) {
  let call = text.trim().toUpperCase().replace(/[!?*=$#]+.*$/u, "");
  call = call.replace("♣", "C").replace("♦", "D").replace("♥", "H").replace("♠", "S");
  call = OTHER_WAYS[call] ?? call;
  if (["P", "X", "XX"].includes(call)) return call;
  const bid = /^([1-7])(C|D|H|S|NT?)$/.exec(call);
  return bid ? bid[1] + bid[2][0] : null;
}

/** Calls of a text such as "1N-P-2C"; throws a sentence where one is none. */
export function readCalls(text) {
  return text.split(/[\s,\-–]+/u).filter(Boolean).map((part) => {
    const call = readCall(part);
    if (call === null) throw new Error(phrase("calls.none", { text: part }));
    return call;
  });
}

export function bidRank(call) {
  return STRAINS.indexOf(call[1]) + 5 * Number(call[0]);
}

export function isBid(call) {
  return /^[1-7]/.test(call);
}

/** A call in the letters that players write: "3NT". */
export function writtenCall(call) {
  return call.replace(/^([1-7])N$/, "$1NT");
}

/** What a screen reader says: "one spade", "three notrump", "pass". */
export function spokenCall(call) {
  if (!isBid(call)) return phrase(`spoken.${call}`);
  return phrase(`spoken.${call[1]}`, { number: Number(call[0]), level: phrase(`level.${call[0]}`) });
}

export function isOver(calls) {
  const passes = calls.length - 1 - calls.findLastIndex((call) => call !== "P");
  return calls.length >= 4 && passes >= 3;
}

/** Whether a call is legal after others; the index of a call is its distance from the dealer. */
export function isLegal(calls, call) {
  if (isOver(calls)) return false;
  if (call === "P") return true;
  const last = calls.findLastIndex((one) => one !== "P");
  const byOpponents = last >= 0 && (calls.length - last) % 2 === 1;
  if (call === "X") return byOpponents && isBid(calls[last]);
  if (call === "XX") return byOpponents && calls[last] === "X";
  const bid = calls.findLast(isBid);
  return bid === undefined || bidRank(call) > bidRank(bid);
}

/** Index of the first call that is not legal, or -1. */
export function firstIllegal(calls) {
  return calls.findIndex((call, index) => !isLegal(calls.slice(0, index), call));
}

const ALL_PASS = /(?:^|[\s,\-–])(?:AP|all\s*pass)[\s.!]*$/iu;

/** Calls as people write them down: also "(2H)" of the other side, "!" at an alerted one, "AP" or "all pass" at the end. */
export function readWrittenCalls(text) {
  const plain = text.replace(/[()]/gu, " ").replace(/(^|\s)!+(?=\s|$)/gu, "$1");
  const calls = readCalls(plain.replace(ALL_PASS, ""));
  if (ALL_PASS.test(plain)) while (!isOver(calls)) calls.push("P");
  return calls;
}

/** Contract of an auction that is over: {level, strain, risk, declarer} or null if passed out. */
export function contractOf(calls, dealer) {
  const last = calls.findLastIndex(isBid);
  if (last < 0) return null;
  const strain = calls[last][1];
  const first = calls.findIndex(
    (call, index) => isBid(call) && call[1] === strain && (last - index) % 2 === 0,
  );
  const risk = calls.slice(last).findLast((call) => call === "X" || call === "XX") ?? "";
  return { level: calls[last][0], strain, risk, declarer: (dealer + first) % 4 };
}
