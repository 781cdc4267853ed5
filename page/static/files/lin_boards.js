// Boards of LIN, the format of Bridge Base Online. loaders/lin/lin_reference.py is the definition.

import {
  board, dealerBy, outcomeOf, playRemark, readerRemark, resultOf, vulnerabilityBy,
} from "../boards/board_facts.js";
import { bidRank, isLegal, SEATS } from "../bridge/calls.js";
import { completeHands, countedHand, handOfSeat, RANKS, shownCards, SUIT_NAMES } from "../bridge/cards.js";
import { declarerTricks, ownersOf } from "../bridge/card_play.js";
import { readVulnerability } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const AROUND = /^[ \t\r\n\v\f]+|[ \t\r\n\v\f]+$/g;
/** Keys recognised in either case; any other key must be two small letters. */
const DEAL_KEYS = new Set([
  "md", "mb", "an", "pn", "pw", "qx", "sv", "nt", "at", "pc", "mc", "pg", "ah", "vg", "rs", "st",
  "up",
]);
const ROOMS = { o: "open", c: "closed" };
const CALL = new RegExp(
  "([ \\t\\r\\n\\v\\f?,]+)|([!*])|([1-7])(?:(N)T?|([CDHS]))|(PASS|P)|(DOUBLE|DBL|D)|(XX)|(X)|(REDOUBLE|RDBL|RD|R)",
  "iy",
);
const CARD = /[ \t\r\n\v\f]*([CDHS])(10|[AKQJT2-9])[ \t\r\n\v\f]*/iy;
const BOARD = /^(?:board)?[ \t#.:]*([oc]?)([0-9]{1,6})(?![0-9a-z])/i;
const RESULT = /^([1-7])(C|D|H|S|NT?)([NESW])(X{0,2})(=|[+-][0-9]{1,2})?$/i;

function isBlank(letter) {
  return letter === " " || (letter >= "\t" && letter <= "\r");
}

function strip(text) {
  return text.replace(AROUND, "");
}

/** Hand of a part of an md value: suit letters in any order, ranks too. */
function linHand(text) {
  const suits = { S: "", H: "", D: "", C: "" };
  const seen = new Set();
  let suit = null;
  for (const letter of text.toUpperCase().replaceAll("10", "T")) {
    if (isBlank(letter) || letter === "-") continue;
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
  const sorted = Object.entries(suits).map(([one, ranks]) => (
    [one, [...ranks].sort((high, low) => RANKS.indexOf(high) - RANKS.indexOf(low)).join("")]
  ));
  return suit && sorted.some(([, ranks]) => ranks) ? countedHand(Object.fromEntries(sorted), text) : "";
}

/** Hands and dealer of an md value: South first, then clockwise; dealer 1 is South. Throws a sentence. */
function readMd(value) {
  const text = strip(value);
  const dealer = "1234".indexOf(text.charAt(0) || " ");
  const parts = (/^[0-4]/.test(text) ? text.slice(1) : text).split(",");
  if (parts.slice(4).some(strip)) throw new Error(phrase("paste.four-hands", { hands: parts.length }));
  const hands = ["", "", "", ""];
  parts.slice(0, 4).forEach((part, index) => {
    const seat = (2 + index) % 4;
    hands[seat] = handOfSeat(part, seat, linHand);
  });
  const whole = completeHands(hands);
  if (!whole.some(Boolean)) throw new Error(phrase("boards.no-hand"));
  return { hands: whole, dealer: dealer < 0 ? null : (2 + dealer) % 4 };
}

/**
 * Calls of an mb value, each with its alert; what is no call is null and ends the value. `-` before the first call of
 * a board stands for a seat before dealer's.
 */
function readMb(text, isFirst) {
  const calls = [];
  CALL.lastIndex = isFirst ? /^[ \t\r\n\v\f?,-]*/.exec(text)[0].length : 0;
  while (CALL.lastIndex < text.length) {
    const match = CALL.exec(text);
    const [, blank, alert, level, notrump, suit, pass, double, redouble, x] = match ?? [];
    if (blank) continue;
    if (!match || (alert && !calls.length)) return [...calls, [null, false]];
    if (alert) calls.at(-1)[1] = true;
    else if (level) calls.push([level + (notrump ?? suit).toUpperCase(), false]);
    else if (pass) calls.push(["P", false]);
    else if (double || x) calls.push(["X", false]);
    else calls.push(["XX", false]);
  }
  return calls;
}

/** Cards of a pc value; null ends them where the text is none. */
function readPc(text) {
  const cards = [];
  const written = strip(text);
  let end = 0;
  while (end < written.length) {
    CARD.lastIndex = end;
    const match = CARD.exec(written);
    if (!match) return [...cards, null];
    cards.push(match[1].toUpperCase() + match[2].toUpperCase().replace("10", "T"));
    end = CARD.lastIndex;
  }
  return cards;
}

function readNumber(text, digits) {
  const number = strip(text);
  return /^[0-9]+$/.test(number) && number.length <= digits ? Number(number) : null;
}

/** Board number and room of a qx or ah value. */
function readBoard(text) {
  const match = BOARD.exec(strip(text));
  if (!match || Number(match[2]) === 0) return { number: null, room: null };
  return { number: Number(match[2]), room: ROOMS[match[1].toLowerCase()] ?? null };
}

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

/** Event and first board of a vg value, which has seven fields behind the title and segment. */
function splitVg(text) {
  const fields = text.split(",");
  const trim = (one) => one.replace(/^[ \t\r\n\v\f,]+|[ \t\r\n\v\f,]+$/g, "");
  if (fields.length < 8) return { event: trim(text), firstBoard: null };
  return { event: trim(fields.slice(0, -7).join(",")), firstBoard: readNumber(fields.at(-6), 6) };
}

/** Contract, declarer and tricks of an rs entry, or null. */
function readResult(text) {
  const entry = strip(text);
  if (/^p(ass)?$/i.test(entry)) return { contract: "Pass", declarer: null, tricks: null };
  const match = RESULT.exec(entry);
  if (!match) return null;
  const [, level, strain, seat, risk, over] = match;
  const tricks = over ? Number(level) + 6 + (over === "=" ? 0 : Number(over)) : null;
  if (tricks !== null && (tricks < 0 || tricks > 13)) return null;
  return {
    contract: (level + strain[0] + risk).toUpperCase(), declarer: SEATS.indexOf(seat.toUpperCase()), tricks,
  };
}

/** Key, value and start of each token; what is none is skipped. */
function* tokensOf(text) {
  let at = 0;
  while (at < text.length) {
    while (at < text.length && isBlank(text[at])) at += 1;
    if (text.startsWith("%%", at)) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      continue;
    }
    const bar = text.indexOf("|", at);
    if (bar < 0) return;
    const key = bar - at > 40 ? "" : text.slice(at, bar).trimEnd();
    if (key.length === 2 && (/^[a-z]{2}$/.test(key) || DEAL_KEYS.has(key.toLowerCase()))) {
      const end = text.indexOf("|", bar + 1);
      yield [key.toLowerCase(), text.slice(bar + 1, end < 0 ? text.length : end), at];
      at = end < 0 ? text.length : end + 1;
    } else {
      at = bar + 1;
    }
  }
}

function newRecord(lasting, record) {
  return {
    ...lasting, record, hands: null, dealer: null, problem: null, inHeader: true, calls: [], alerts: [],
    announcements: [], tail: [], play: [], isPlayBroken: false, unreadCards: null, claim: null, unreadClaim: null,
    commentary: [],
  };
}

function isFresh({ calls, tail, play, isPlayBroken }) {
  return !(calls.length || tail.length || play.length || isPlayBroken);
}

function addCalls(record, value) {
  for (const [call, alert] of readMb(value, !record.calls.length && !record.tail.length)) {
    if (record.tail.length || call === null || !isLegal(record.calls, call)) {
      record.tail.push(call);
    } else {
      record.calls.push(call);
      record.alerts.push(alert);
      record.announcements.push("");
    }
  }
}

/** What the result list of a match says of a board. */
function listedResult({ number, room, firstBoard, results }) {
  if (!number || !room || firstBoard === null) return null;
  const place = 2 * (number - firstBoard) + (room === "closed" ? 1 : 0);
  return place >= 0 && place < results.length ? readResult(results[place]) : null;
}

/** Contract and tricks: by the auction and the cards, else as they are listed. */
function played(record, dealer) {
  const found = outcomeOf(record.calls, dealer) ?? { contract: null, declarer: null };
  let tricks = record.claim;
  const hasBid = (one) => one.contract !== null && one.contract !== "Pass";
  if (hasBid(found) && !record.isPlayBroken) {
    tricks = declarerTricks(record.play, ownersOf(record.hands), found.declarer, found.contract[1]) ?? tricks;
  }
  if (found.contract === "Pass" || (hasBid(found) && tricks !== null)) return { ...found, tricks };
  const listed = listedResult(record);
  if (!listed) return { ...found, tricks };
  if (!hasBid(found)) return { ...listed, tricks: tricks ?? listed.tricks };
  const isSame = hasBid(listed) && bidRank(listed.contract) === bidRank(found.contract)
    && listed.declarer === found.declarer;
  return { ...found, tricks: isSame ? listed.tricks : tricks };
}

function finished(record) {
  const { number, room, hands, calls, alerts, announcements, tail } = record;
  const dealer = record.dealer ?? dealerBy(number);
  const isGiven = !["", "?"].includes(record.sides);
  const read = isGiven ? readVulnerability(record.sides) : vulnerabilityBy(number);
  const vulnerability = read ?? "None";
  const isFollowed = hands.every(Boolean);
  const play = isFollowed ? record.play : [];
  const commentary = [...record.commentary];
  if (!read) commentary.push(readerRemark("sv", record.sides));
  if (record.unreadCards !== null) commentary.push(readerRemark("pc", record.unreadCards));
  if (record.unreadClaim !== null) commentary.push(readerRemark("mc", record.unreadClaim));
  if (!isFollowed && record.play.length) commentary.push(playRemark(record.play.join(" ")));
  return board({
    number, room, hands, calls, alerts, announcements, tail, commentary, play, dealer, vulnerability,
    record: record.record, ...resultOf(played(record, dealer), read),
    players: record.names && roomNames(record.names, room), event: record.event || null,
  });
}

/** Each board of LIN text as {board}, or {problem, record, number, room} where there are no hands. */
export function* linBoards(text) {
  const lasting = {
    names: null, event: null, firstBoard: null, results: [], number: null, room: null, sides: "",
  };
  let record = null;
  let count = 0;
  const close = () => (record.hands ? { board: finished(record) } : {
    problem: record.problem ?? phrase("boards.no-md"), record: record.record, number: record.number, room: record.room,
  });
  for (const [key, value] of tokensOf(text)) {
    const owner = record?.inHeader ? record : null;
    const hasMd = record && (record.hands || record.problem);
    if (key === "qx" || key === "md") {
      if (key === "md" && hasMd && isFresh(record) && !value.includes(",")) continue;
      if (key === "qx" || !record || hasMd || !isFresh(record)) {
        if (record) yield close();
        count += 1;
        record = newRecord(lasting, count);
        Object.assign(lasting, { number: null, room: null, sides: "" });
        if (key === "qx") Object.assign(record, readBoard(value), { sides: "" });
      }
      if (key === "qx") continue;
      record.inHeader = true;
      try {
        Object.assign(record, readMd(value));
      } catch (error) {
        record.problem = error.message;
      }
    } else if (key === "pn" || key === "pw") {
      for (const one of [lasting, owner]) if (one) one.names = splitNames(value);
    } else if (key === "vg") {
      for (const one of [lasting, owner]) if (one) Object.assign(one, splitVg(value), { results: [] });
    } else if (key === "rs") {
      for (const one of [lasting, owner]) if (one) one.results = value.split(",");
    } else if (key === "sv") {
      (owner ?? lasting).sides = strip(value);
    } else if (key === "ah") {
      const found = readBoard(value);
      if (found.number === null) continue;
      if (owner) Object.assign(owner, { number: found.number, room: owner.room ?? found.room });
      else Object.assign(lasting, found);
    } else if (record) {
      addToken(record, key, value);
    }
  }
  if (record) yield close();
}

/** Add what a token tells of the board that it belongs to. */
function addToken(record, key, value) {
  const text = strip(value);
  if (key === "an") {
    const remark = strip(value.replace(/[\r\n]/g, ""));
    const last = record.announcements.length - 1;
    if (!remark || record.tail.length) return;
    if (last < 0) record.commentary.push(remark);
    else record.announcements[last] += record.announcements[last] ? `; ${remark}` : remark;
  } else if (key === "nt" || key === "at") {
    if (text) record.commentary.push(text);
  } else if (["mb", "pc", "mc", "pg", "up"].includes(key)) {
    record.inHeader = false;
    if (key === "mb") addCalls(record, value);
    else if (key === "mc") takeClaim(record, value);
    else if (key !== "pg" && record.isPlayBroken) breakPlay(record, value);
    else if (key === "pc") {
      const cards = readPc(value);
      const isBroken = cards.at(-1) === null;
      record.play.push(...(isBroken ? cards.slice(0, -1) : cards));
      if (isBroken) breakPlay(record, value);
    } else if (key === "up") {
      const takenBack = readNumber(value, 2);
      // which cards stand is not known from here on
      if (takenBack === null) breakPlay(record, value);
      else record.play.length = Math.max(0, record.play.length - takenBack);
    }
  }
}

/** The words of a value; null if it is empty or "?". */
function wordsOf(value) {
  const words = strip(value);
  return words === "" || words === "?" ? null : words;
}

/** Note a pc or up value from which on the cards played are not known. */
function breakPlay(record, value) {
  record.isPlayBroken = true;
  record.unreadCards ??= wordsOf(value);
}

function takeClaim(record, value) {
  const claim = readNumber(value, 2);
  if (claim !== null && claim <= 13) record.claim = claim;
  else record.unreadClaim ??= wordsOf(value);
}
