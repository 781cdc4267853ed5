// A board of a file: what it was, what was bid with alerts and announcements, what was played.
// The columns are those of loaders/frames/frame.py; hands, calls and cards are texts.

import { contractOf, isOver, SEATS } from "../bridge/calls.js";
import { scoreOf } from "../bridge/card_play.js";
import { boardDealer, boardVulnerability } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const EMPTY = {
  hand: null, hands: null, dealer: null, vulnerability: null, number: null, room: null, record: 1,
  calls: null, alerts: [], announcements: [], tail: [], commentary: [],
  contract: null, declarer: null, tricks: null, score: null, play: [], players: null, event: null,
};

const EXCERPT = 60;

/** Remark about something that a board says and that could not be taken as it stands. loaders/frames/frame.py defines it. */
export function readerRemark(expected, text) {
  const letters = [...text];
  const shown = letters.length <= EXCERPT ? text : `${letters.slice(0, EXCERPT).join("")}…`;
  return phrase("boards.told", { expected: phrase(`boards.expected-${expected}`), text: shown });
}

/** Remark about the play of a board with unknown hands, which is left out: cards cannot be followed through them. */
export function playRemark(cards) {
  return readerRemark("play", cards);
}

/** Board of some facts; the rest is empty. */
export function board(facts) {
  return { ...EMPTY, ...facts };
}

export function titleOf(one) {
  if (one.number === null) return phrase("boards.deal", { number: String(one.record) });
  if (!one.room) return phrase("paste.board", { number: String(one.number) });
  return phrase(`boards.title-${one.room}`, { number: String(one.number) });
}

/** "complete", "unfinished", "illegal" or "none". */
export function statusOf({ calls, tail }) {
  if (tail.length) return "illegal";
  if (!calls?.length) return "none";
  return isOver(calls) ? "complete" : "unfinished";
}

/** Contract as a text ("4SX", "Pass") and the declarer's seat (or null) of an auction; null if it goes on. */
export function outcomeOf(calls, dealer) {
  if (!isOver(calls)) return null;
  const contract = contractOf(calls, dealer);
  if (!contract) return { contract: "Pass", declarer: null };
  return { contract: contract.level + contract.strain + contract.risk, declarer: contract.declarer };
}

/** The same as contractOf gives it. */
export function contractParts({ contract, declarer }) {
  if (!contract || contract === "Pass") return null;
  return {
    level: contract[0], strain: contract[1], risk: contract.slice(2),
    declarer: typeof declarer === "string" ? SEATS.indexOf(declarer) : declarer,
  };
}

/** Dealer by the number of a board, else North. */
export function dealerBy(number) {
  return number ? boardDealer(number) : 0;
}

export function vulnerabilityBy(number) {
  return number ? boardVulnerability(number) : "None";
}

/** Columns of what was played: contract, declarer, tricks and score as far as they follow; null sides: no score. */
export function resultOf({ contract, declarer, tricks }, vulnerability) {
  if (contract === "Pass") return { contract, declarer: null, tricks: null, score: 0 };
  const isScored = contract && declarer !== null && tricks !== null && vulnerability !== null;
  return {
    contract, declarer: declarer === null ? null : SEATS[declarer], tricks,
    score: isScored ? scoreOf(contract, declarer, tricks, vulnerability) : null,
  };
}
