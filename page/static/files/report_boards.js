// The board of a report that call_report.js has written, read back.

import { board, outcomeOf, resultOf } from "../boards/board_facts.js";
import { followPlay } from "../bridge/card_play.js";
import { contractOf, firstIllegal, readCalls, SEATS } from "../bridge/calls.js";
import { readDeal } from "../bridge/cards.js";
import { readVulnerability } from "../bridge/seats.js";
import { phrase } from "../texts.js";

export const FORMAT = "bidcascade report";
export const VERSION = 1;

/** Whether a text begins as a report does. */
export function isReport(text) {
  return text.slice(0, 200).replace(/\s/g, "").startsWith(`{"format":"${FORMAT.replace(" ", "")}"`);
}

function readReport(text) {
  const { version, deal, dealer, vulnerability, auction, play, words } = JSON.parse(text);
  if (version !== VERSION) throw new Error(phrase("report.version", { version }));
  const first = SEATS.indexOf(dealer);
  const sides = readVulnerability(String(vulnerability));
  if (first < 0 || sides === null || ![auction, play].every(Array.isArray)) throw new Error(phrase("report.broken"));
  const { hands } = readDeal(String(deal));
  const calls = readCalls(auction.join(" "));
  if (firstIllegal(calls) >= 0) throw new Error(phrase("report.broken"));
  const outcome = outcomeOf(calls, first) ?? { contract: null, declarer: null };
  const contract = contractOf(calls, first);
  const isPlayed = outcome.contract !== null && contract !== null && hands.every(Boolean);
  if (play.length && !(isPlayed && followPlay(play.map(String), hands, contract))) throw new Error(phrase("report.broken"));
  return board({
    hands, dealer: first, vulnerability: sides, calls, alerts: calls.map(() => false), announcements: calls.map(() => ""),
    commentary: words ? [String(words)] : [], play, ...resultOf({ ...outcome, tricks: null }, sides),
  });
}

/** What a report is about: `{board}`, or `{problem, record}`. */
export function* reportBoards(text) {
  try {
    yield { board: readReport(text) };
  } catch (error) {
    yield { problem: error instanceof SyntaxError ? phrase("report.broken") : error.message, record: 1 };
  }
}
