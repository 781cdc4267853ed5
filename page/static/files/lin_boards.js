// Boards of LIN, the format of Bridge Base Online, as the core reads them: kernels/core/files/lin.hpp.

import { board, playRemark, readerRemark, resultOf } from "../boards/board_facts.js";
import { completeHands, countedHand, handOfSeat, RANKS, shownCards, SUIT_NAMES, SUITS } from "../bridge/cards.js";
import { readVulnerability, VULNERABILITIES } from "../bridge/seats.js";
import { holdingsOf, LIN_BOARD, LIN_REJECT } from "../engine/core.js";
import { callTexts, cardTexts, contractText, coreFor, handTexts, known, ROOMS } from "./file_core.js";
import { phrase } from "../texts.js";

/** Boards that are read of a text; tokens and bytes of a record, as loaders/limits.py has them. */
const LIMITS = { most: 20_000, tokens: 20_000, longest: 1 << 20 };
const AROUND = /^[ \t\r\n\v\f]+|[ \t\r\n\v\f]+$/g;
const BLANK = /[ \t\r\n\v\f-]/;

function strip(text) {
  return text.replace(AROUND, "");
}

// --- what is wrong with hands ---------------------------------------------------------------------

/** Hand of a part of an md value: suit letters in any order, ranks too. */
function linHand(text) {
  const suits = { S: "", H: "", D: "", C: "" };
  const seen = new Set();
  let suit = null;
  for (const letter of text.toUpperCase().replaceAll("10", "T")) {
    if (BLANK.test(letter)) continue;
    if (letter in suits) {
      if (seen.has(letter)) throw new Error(phrase("boards.suit-twice", { suit: SUIT_NAMES[letter], text }));
      seen.add(letter);
      suit = letter;
    } else if (!suit || !RANKS.includes(letter)) {
      throw new Error(suit ? phrase("paste.no-card", { rank: shownCards(letter), suit: SUIT_NAMES[suit], text })
        : phrase("boards.hand-form", { text }));
    } else if (suits[suit].includes(letter)) {
      throw new Error(phrase("paste.twice", { rank: shownCards(letter), suit: SUIT_NAMES[suit], text }));
    } else {
      suits[suit] += letter;
    }
  }
  for (const one of SUITS) suits[one] = [...RANKS].filter((rank) => suits[one].includes(rank)).join("");
  return Object.values(suits).some(Boolean) ? countedHand(suits, text) : "";
}

/** What is wrong with an md value that the core has refused, as a sentence. */
function whyNoDeal(value) {
  const parts = strip(value).replace(/^[0-4]/, "").split(",");
  if (parts.slice(4).some(strip)) return phrase("paste.four-hands", { hands: parts.length });
  const hands = ["", "", "", ""];
  try {
    parts.slice(0, 4).forEach((part, place) => {
      const seat = (2 + place) % 4;
      hands[seat] = handOfSeat(part, seat, linHand);
    });
    completeHands(hands);
  } catch (error) {
    return error.message;
  }
  return phrase("boards.no-hand");
}

/** Why a record is none: `LinProblem` of the core. */
const PROBLEMS = [
  () => phrase("boards.no-md"), whyNoDeal,
  () => phrase("boards.many-tokens", { number: LIMITS.tokens }), () => phrase("boards.long-record", { size: LIMITS.longest }),
];

// --- values ---------------------------------------------------------------------------------------

/** Names of a pn value: four or eight, South first. A name may hold a comma with a blank behind it. */
function splitNames(text) {
  let names = text.split(",");
  if (names.length !== 4 && names.length !== 8) names = text.replace(/[ \t\r\n\v\f,]+$/, "").split(/,(?! )/);
  const wanted = names.length <= 4 ? 4 : 8;
  return [...names.map(strip), ...Array(wanted).fill("")].slice(0, wanted);
}

/** Names of North, East, South, West in a room. */
function roomNames(names, room) {
  const first = room === "closed" && names.length === 8 ? 4 : 0;
  const [south, west, north, east] = names.slice(first, first + 4).map((name) => name.replace(/^-+$/, ""));
  return south || west || north || east ? [north, east, south, west] : null;
}

/** Rows of 64 bits, of which the low halves are numbers, one after the other. */
function* rowsOf(words, columns) {
  for (let start = 0; start < words.length; start += 2 * columns) {
    const row = (column) => words[start + 2 * column];
    row.hand = (column) => holdingsOf(row(column), words[start + 2 * column + 1]);
    yield row;
  }
}

/** A function of where a value begins, which serves all boards behind it: it is worked out once. */
function once(work) {
  let [last, found] = [null, null];
  return (start, end) => {
    if (start < 0) return null;
    if (start !== last) [last, found] = [start, work(start, end)];
    return found;
  };
}

/** Each board of what the core has read. */
function* boardsOf(found) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const textOf = (bytes, start, end) => decoder.decode(bytes.subarray(start, end));
  const namesAt = once((start, end) => splitNames(textOf(found.text, start, end)));
  const eventAt = once((start, end) => textOf(found.text, start, end) || null);
  const ends = [...rowsOf(found.announcementEnds, 1)].map((row) => row(0));
  const remarks = textOf(found.commentary).split("|");
  let [calls, tail, play, remark] = [0, 0, 0, 0];
  for (const row of rowsOf(found.boards, LIN_BOARD)) {
    /** The part of the text whose start a column has, null where there is none. */
    const part = (column) => (row(column) < 0 ? null : textOf(found.text, row(column), row(column + 1)));
    const before = [calls, tail, play, remark];
    [calls, tail, play, remark] = [20, 21, 22, 23].map(row);
    const hands = handTexts([2, 3, 4, 5].map(row.hand));
    const isFollowed = hands.every(Boolean);
    const cards = cardTexts(found.play.subarray(before[2], play));
    const sides = part(24);
    const read = sides === null ? VULNERABILITIES[row(7)] : readVulnerability(sides);
    const room = ROOMS[row(9)] ?? null;
    const names = namesAt(row(16), row(17));
    const commentary = remarks.slice(before[3], remark);
    if (!read) commentary.push(readerRemark("sv", sides));
    for (const [key, column] of [["pc", 26], ["mc", 28]]) {
      const unread = part(column);
      if (unread !== null) commentary.push(readerRemark(key, unread));
    }
    if (!isFollowed && cards.length) commentary.push(playRemark(cards.join(" ")));
    yield {
      board: board({
        record: row(1), number: known(row(8)), room, hands, dealer: row(6), vulnerability: read ?? "None",
        calls: callTexts(found.calls.subarray(before[0], calls)), tail: callTexts(found.tail.subarray(before[1], tail)),
        alerts: Array.from(found.alerts.subarray(before[0], calls), Boolean),
        announcements: ends.slice(before[0], calls).map((end, place) => (
          textOf(found.announcements, ends[before[0] + place - 1] ?? 0, end)
        )),
        commentary, play: isFollowed ? cards : [],
        ...resultOf({
          contract: contractText(row(10), row(11)), declarer: known(row(12)), tricks: known(row(13)),
        }, read),
        players: names && roomNames(names, room), event: eventAt(row(18), row(19)),
      }),
    };
  }
}

function* problemsOf(found) {
  const decoder = new TextDecoder();
  for (const row of rowsOf(found.rejects, LIN_REJECT)) {
    const quoted = row(2) === 1 ? decoder.decode(found.text.subarray(row(3), row(4))) : "";
    yield { problem: PROBLEMS[row(2)](quoted), record: row(1), number: known(row(5)), room: ROOMS[row(6)] ?? null };
  }
}

/**
 * Each board of LIN text as {board}, or {problem, record, number, room} where there are no hands. The core must be
 * ready.
 */
export function* linBoards(text) {
  const found = coreFor(text).readLin(text, LIMITS);
  const problems = problemsOf(found);
  let next = problems.next();
  for (const one of boardsOf(found)) {
    for (; !next.done && next.value.record < one.board.record; next = problems.next()) yield next.value;
    yield one;
  }
  for (; !next.done; next = problems.next()) yield next.value;
}
