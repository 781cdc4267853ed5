// Boards of PBN, as the core reads them: kernels/core/files/pbn_boards.hpp.

import { board, playRemark, readerRemark, resultOf, vulnerabilityBy } from "../boards/board_facts.js";
import { SEATS } from "../bridge/calls.js";
import { readDeal } from "../bridge/cards.js";
import { readVulnerability } from "../bridge/seats.js";
import { callTexts, cardTexts, contractText, coreFor, handTexts, known, ROOMS } from "./file_core.js";
import { phrase } from "../texts.js";

const SHOWN = 60;
/** Limits of loaders/limits.py, which the core keeps to. */
const LIMITS = { tokens: 20_000, letters: 1 << 20 };

/** What is wrong with a deal that the core has refused, as a sentence. */
function whyNoDeal(deal) {
  try {
    readDeal(deal);
  } catch (error) {
    return error.message;
  }
  return phrase("paste.deal-form", { text: deal });
}

function noResult(text) {
  return phrase("boards.no-result", { text: text.trim().slice(0, SHOWN) });
}

/** Why a record is none: `PbnRecordKind` of the core, from the second on. */
const PROBLEMS = [
  (text) => phrase("boards.no-tag", { text: text.split("\n")[0].slice(0, SHOWN) }),
  () => phrase("boards.no-deal"), whyNoDeal,
  () => phrase("boards.long-game", { number: LIMITS.letters }),
  () => phrase("boards.many-tags", { number: LIMITS.tokens }),
  (text, got) => phrase("boards.long-value", { tag: text, number: got }),
  noResult, noResult, noResult,
];

/** Contract and declarer in words, as far as they are known. */
function contractWords(code, declarer) {
  const contract = codeText(code) ?? "";
  const seat = declarer >= 0 && code !== 0 ? phrase("boards.by-seat", { seat: SEATS[declarer] }) : "";
  return `${contract} ${seat}`.trim();
}

function codeText(code) {
  return contractText(code > 0 ? Math.floor(code / 3) : code, code % 3);
}

/** Remark about tags of another contract than that of the auction. */
function otherContract(record) {
  const contract = contractWords(record.contract, record.declarer);
  const text = contractWords(record.toldContract, record.toldDeclarer);
  return phrase("boards.told", { expected: phrase("boards.expected-auction", { contract }), text });
}

function unread(name) {
  return (text) => readerRemark(name, text);
}

/** Comments by their kinds: `PbnCommentKind` of the core. What is null is none. */
const COMMENTS = [
  (text) => text, (text) => readerRemark("brace", `{${text}`), unread("Dealer"),
  (text) => (readVulnerability(text) === null ? readerRemark("Vulnerable", text) : null),
  unread("Contract"), unread("Declarer"), unread("Result"), unread("Score"), playRemark,
  (text, record) => otherContract(record), unread("Play"), unread("Multiplicity"),
];

function boardOf(record) {
  const [sides, event, ...names] = record.texts.slice(0, 6);
  const notes = 6 + record.calls.length;
  const comments = record.comments.map((kind, place) => COMMENTS[kind](record.texts[notes + place], record));
  const players = names.map((name, seat) => (record.pairs >> seat & 1 ? phrase("boards.pair", { number: name }) : name));
  const number = known(record.board);
  const read = sides ? readVulnerability(sides) : null;
  const isKnown = read !== null || !record.saysSides;
  const vulnerability = read ?? (isKnown ? vulnerabilityBy(number) : "None");
  const result = resultOf({
    contract: codeText(record.contract), declarer: known(record.declarer), tricks: known(record.tricks),
  }, isKnown ? vulnerability : null);
  return board({
    record: record.number, number, room: ROOMS[record.room] ?? null, hands: handTexts(record.hands),
    dealer: record.dealer, vulnerability, calls: callTexts(record.calls), alerts: record.alerts,
    announcements: record.texts.slice(6, notes), tail: callTexts(record.tail), play: cardTexts(record.cards), ...result,
    score: record.hasScore ? record.score : result.score, commentary: comments.filter((text) => text !== null),
    players: players.some(Boolean) ? players : null, event: event || null,
  });
}

/** Each board of PBN text as {board}, or {problem, record, number, room} where there is none. The core must be ready. */
export function* pbnBoards(text) {
  for (const record of coreFor(text).readPbn(text)) {
    if (record.kind === 0) {
      yield { board: boardOf(record) };
    } else {
      const problem = PROBLEMS[record.kind - 1](record.texts[0], record.got);
      yield { problem, record: record.number, number: known(record.board), room: null };
    }
  }
}
