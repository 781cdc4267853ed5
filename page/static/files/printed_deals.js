// Deals as the program dealer prints them, and deals among words as the commands print them.
// loaders/text/printed_deals.py and hand_text.py are the definitions.

import { board } from "../boards/board_facts.js";
import { SEATS } from "../bridge/calls.js";
import { allCards, cardsOf, completeHands, readDeal, wholeHand } from "../bridge/cards.js";
import { phrase } from "../texts.js";

const RANK = "[AKQJT2-9]";
const HAND = `(?:${RANK}*\\.){3}${RANK}*`;
const NAMED = new RegExp(`(?<![A-Z])([NESW])[ \\t]+(${HAND})(?![.\\w])`, "gi");
const ONE_LINE = new RegExp(`(?<![A-Z])[NESW][ \\t]+${HAND}(?:[ \\t]+[NESW][ \\t]+${HAND}){3}(?![.\\w])`, "i");
const HAND_LINE = new RegExp(`^[ \\t]*([NESW])[ \\t]+(${HAND})[ \\t]*$`, "i");
const SUIT_LINE = new RegExp(`^(?:${RANK}|-)(?: +(?:${RANK}|-))* *$`);
const HOLDING = new RegExp(`-(?: |$)|(?:${RANK}(?: |$))+`, "y");
const HEADING = /^\s*(North|East|South|West) hands:\s*$/;
const NUMBERS = /^\s*\d+\.(?:\s+\d+\.)*\s*$/;
const VALUE = /^\s*-?\d+(?:\.\d+)?\s*$/;
const END = /^(?:Generated [\d,]+ hands|Drew [\d,]+ hands that may meet the condition|Produced [\d,]+ hands|Initial random seed \d+|Time needed [\d. ]+sec)/m;
const AMONG_WORDS = new RegExp(`(?<![\\w.])[NESW]:(?:${HAND}|-)(?: (?:${HAND}|-)){3}(?![.\\w])`);
/** The rule below the head of a table that a command prints. */
const RULE = /^\s*─[─ ]*$/;
const WIDTH = 20;
const FULL_COLUMN = WIDTH / 2;
const LONGEST = 160;
const SUIT = 13;
/** Ways to divide four lines that are tried: of hands there are a few. */
const MOST_WAYS = 4096;
const HEAD = 1 << 16;
const MOST_DETAIL = 40;

/** Ways to divide a line from a place on into so many holdings. */
function* divided(line, place, count) {
  if (!count) {
    if (!line.slice(place).trim()) yield [];
    return;
  }
  HOLDING.lastIndex = place;
  const held = HOLDING.exec(line);
  if (!held) return;
  const cards = held[0].trim().split(" ").filter(Boolean);
  for (let size = Math.min(cards.length, SUIT); size > 0; size -= 1) {
    // a holding ends with its column, or runs over it and ends anywhere
    if (size < cards.length && size < FULL_COLUMN) return;
    const holding = cards.slice(0, size).join("").replaceAll("-", "");
    if (size === cards.length && count === 1) {
      yield [holding];
      continue;
    }
    for (const rest of divided(line, Math.max(place + WIDTH, place + 2 * size), count - 1)) yield [holding, ...rest];
  }
}

function firstOf(values, most) {
  const found = [];
  for (const one of values) {
    found.push(one);
    if (found.length >= most) break;
  }
  return found;
}

function handOr(text) {
  try {
    return wholeHand(text);
  } catch {
    return null;
  }
}

/** Hands of four lines, each of them so many holdings of a suit; null where they are none. */
function columnsOf(lines, count) {
  if (lines.some((line) => line.length > LONGEST)) return null;
  const ways = lines.map((line) => firstOf(divided(line, 0, count), MOST_WAYS));
  if (ways.reduce((number, some) => number * some.length, 1) > MOST_WAYS) return null;
  const choices = ways.reduce((found, some) => found.flatMap((suits) => some.map((one) => [...suits, one])), [[]]);
  for (const suits of choices) {
    const hands = Array.from({ length: count }, (_, place) => handOr(suits.map((holdings) => holdings[place]).join(".")));
    if (hands.every(Boolean)) return hands;
  }
  return null;
}

/** Hands that hold no card twice, the fourth one worked out; null of others. */
function dealOr(hands) {
  try {
    return completeHands(hands);
  } catch {
    return null;
  }
}

function isWhole(hands) {
  return new Set(hands.flatMap(cardsOf)).size === allCards().length;
}

/** Deals of sheets, each with the hands of a seat by their numbers. */
class Sheets {
  seat = null;
  #open = new Map();
  #done = [];

  add(number, hand, line) {
    const known = this.#open.get(number)?.hands[this.seat];
    // the numbers begin anew with other deals
    if (known && known !== hand) this.#close();
    if (!this.#open.has(number)) this.#open.set(number, { line, hands: ["", "", "", ""] });
    this.#open.get(number).hands[this.seat] = hand;
  }

  #close() {
    for (const { line, hands } of this.#open.values()) this.#done.push({ line, hands: dealOr(hands) ?? hands });
    this.#open.clear();
  }

  deals() {
    this.#close();
    return this.#done;
  }
}

/** Deals `{line, hands}` of a text's lines, and the lines that are no records of their own. */
function printedOf(lines) {
  const deals = [];
  const taken = new Set();
  const sheets = new Sheets();
  const takeLines = (at, size) => { for (let line = at; line < at + size; line += 1) taken.add(line); };
  const addNamed = (at, named) => {
    const hands = dealOr(SEATS.map((seat) => named.get(seat) ?? ""));
    if (hands && [...named.values()].every(Boolean)) deals.push({ line: at, hands });
    return hands !== null && [...named.values()].every(Boolean);
  };
  const takeCompact = (at) => {
    const named = new Map();
    let size = 0;
    for (let match; size < 4 && (match = HAND_LINE.exec(lines[at + size] ?? "")); size += 1) {
      const seat = match[1].toUpperCase();
      if (named.has(seat)) break;
      named.set(seat, handOr(match[2]));
    }
    // one hand alone is no deal
    if (size < 2 || !addNamed(at, named)) return 1;
    // the value of printcompact
    if (VALUE.test(lines[at + size] ?? "")) size += 1;
    takeLines(at, size);
    return size;
  };
  const takeColumns = (at) => {
    const numbers = NUMBERS.test(lines[at]) ? lines[at].trim().split(/\s+/) : [];
    const first = at + (numbers.length ? 1 : 0);
    const block = lines.slice(first, first + 4);
    if (block.length < 4 || !block.every((line) => SUIT_LINE.test(line))) return 1;
    if (numbers.length && sheets.seat !== null) {
      const hands = columnsOf(block, numbers.length);
      if (!hands) return 1;
      hands.forEach((hand, place) => sheets.add(numbers[place], hand, first + place));
    } else {
      const whole = columnsOf(block, 4);
      const pair = whole || numbers.length ? null : columnsOf(block, 2);
      const hands = whole && isWhole(whole) ? whole : pair && dealOr(["", pair[1], "", pair[0]]);
      if (!hands) return 1;
      deals.push({ line: first, hands });
    }
    const size = first + 4 - at;
    takeLines(at, size);
    return size;
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    const one = ONE_LINE.exec(line);
    const heading = HEADING.exec(line);
    if (one) {
      const named = new Map([...one[0].matchAll(NAMED)].map(([, seat, cards]) => [seat.toUpperCase(), handOr(cards)]));
      if (named.size === SEATS.length && addNamed(at, named)) taken.add(at);
      at += 1;
    } else if (HAND_LINE.test(line)) {
      at += takeCompact(at);
    } else if (heading) {
      sheets.seat = SEATS.indexOf(heading[1][0]);
      taken.add(at);
      at += 1;
    } else {
      at += takeColumns(at);
    }
  }
  return { deals: [...deals, ...sheets.deals()], taken };
}

function linesOf(text) {
  return text.split(/\r\n?|[\n\f]/);
}

/** Board of a PBN deal among words, which may name dealer and vulnerability. */
function amongWords(line) {
  const found = AMONG_WORDS.exec(line);
  if (!found) return null;
  const words = line.slice(found.index + found[0].length);
  const seat = /\bdealer ([NESW])\b/.exec(words)?.[1] ?? found[0][0];
  try {
    const { hands } = readDeal(found[0]);
    return { hands, dealer: SEATS.indexOf(seat), vulnerability: /\bvulnerable (None|NS|EW|Both)\b/.exec(words)?.[1] ?? "None" };
  } catch (error) {
    return { problem: error.message };
  }
}

/** Whether a text holds several deals so, or one as a program prints it; one alone is read as people write it. */
export function isPrinted(text) {
  const head = text.slice(0, HEAD);
  const lines = linesOf(head);
  const among = lines.filter((line) => AMONG_WORDS.test(line));
  if (among.length > 1 || (among.length === 1 && AMONG_WORDS.exec(among[0])[0] !== text.trim())) return true;
  const { deals } = printedOf(lines);
  return deals.length > 1 || END.test(text);
}

/** Boards and problems of a text of printed deals. */
export function* printedBoards(text) {
  const lines = linesOf(text);
  const { deals, taken } = printedOf(lines);
  const hasEnd = END.test(text);
  const found = new Map(deals.map(({ line, hands }) => [line, { hands, dealer: 0, vulnerability: "None" }]));
  const unread = new Map();
  let hasAnswers = false;
  lines.forEach((line, at) => {
    if (taken.has(at) || !line.trim() || line.trim().startsWith("#")) return;
    // auctions below a deal, as the command of that name prints them
    if (hasAnswers && line.startsWith("  ")) return;
    const told = amongWords(line);
    hasAnswers = told !== null && !told.problem;
    if (hasAnswers) found.set(at, told);
    else if (RULE.test(line)) unread.delete(at - 1);
    else if (!hasEnd) unread.set(at, told?.problem ?? phrase("printed.no-deal", { line: at + 1, text: line.trim().slice(0, MOST_DETAIL) }));
  });
  for (const at of [...found.keys(), ...unread.keys()].sort((one, other) => one - other)) {
    if (found.has(at)) {
      const facts = found.get(at);
      yield { board: board({ ...facts, calls: [], record: at + 1 }) };
    } else {
      yield { problem: unread.get(at), record: at + 1 };
    }
  }
}
