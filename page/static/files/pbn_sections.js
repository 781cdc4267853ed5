// The auction and play sections of PBN and the tags about them. loaders/pbn/pbn_sections.py is the definition.

import { isLegal, isOver, readCall, SEATS } from "../bridge/calls.js";
import { trickWinner } from "../bridge/card_play.js";
import { RANKS } from "../bridge/cards.js";

const TOKEN = /=[ \t]*\d+[ \t]*=(?!\d)|=\d*=?|\$\d+|\^(?:[A-Za-z]|\d+)?|[!?]+|[*+]+|-|[^\s=$^!?*+-]+|./g;
/** What tokens begin with that are no call and no card. */
const MARKS = "=$^!?*+-";
const CONTRACT = /^([1-7])(NT|[CDHSN])(XX|X|D|R|\*\*?)?$/i;
/** A call without anything behind it. */
const CALL = /^(?:P|PASS|X|D|DBL|DOUBLE|XX|R|RD|RDBL|REDOUBLE|[1-7](?:NT?|[CDHS♣♦♥♠]))$/i;
const SCORE = /^(NS|EW)?\s*([+-]?\d+)(?:\s+(?:NS|EW)\s*[+-]?\d+)?$/i;
/** The digits are those of LIN. */
const SEAT_WORDS = { NORTH: 0, EAST: 1, SOUTH: 2, WEST: 3, 1: 2, 2: 3, 3: 0, 4: 1 };

/** Tokens of a section, and the place of the last that is a call, a card or none of PBN's. */
function tokensOf(text) {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => token.trim());
  return { tokens, last: tokens.findLastIndex((token) => !MARKS.includes(token[0])) };
}

/** Legal calls of an auction section, the numbers of their notes, what follows them, and `-` before them. */
export function readAuction(text) {
  const calls = [];
  const notes = [];
  const tail = [];
  let padding = 0;
  let isSkipped = false;
  let isAll = false;
  const { tokens, last } = tokensOf(text);
  for (const [place, token] of tokens.entries()) {
    const first = token[0];
    const word = token.toLowerCase();
    if ("$!?".includes(first)) continue;
    if ("*+".includes(first) && place > last) break;
    const isIrregularity = /^\^[a-z]$/i.test(token);
    if ("=^*+".includes(first) && !isIrregularity) {
      // a note, or an alert of programs that write none
      if (tail.length) continue;
      const number = token.replace(/[=^*+ \t]/g, "");
      if (notes.length && (number || first !== "=")) notes.at(-1).push(number);
      if (notes.length || first === "=") continue;
    }
    if (isIrregularity) {
      isSkipped = word === "^s";
    } else if (first === "-") {
      // this player's call is not there: what follows, if anything, is out of place
      if (calls.length || tail.length) isSkipped = true;
      else padding += 1;
    } else if (word === "all" && !isAll) {
      isAll = true;
    } else if (["ap", "ac", "allpass"].includes(word) || (isAll && word === "pass")) {
      while (!tail.length && !isOver(calls)) {
        calls.push("P");
        notes.push([]);
      }
      break;
    } else {
      const call = CALL.test(token) ? readCall(token) : null;
      if (call !== null && !isSkipped && !tail.length && isLegal(calls, call)) {
        calls.push(call);
        notes.push([]);
      } else {
        tail.push(call);
        if (call === null) break;
      }
    }
  }
  return { calls, notes, tail, padding };
}

/** A Contract tag as "4SX" or "Pass"; null if it is neither. */
export function readContract(text) {
  const written = text.trim().replace(/^\^+/, "").replaceAll(" ", "");
  if (["pass", "p", "passed", "ap", "allpass", "passedout", "passout"].includes(written.toLowerCase())) return "Pass";
  const match = CONTRACT.exec(written);
  if (!match) return null;
  const risk = (match[3] ?? "").toUpperCase();
  return match[1] + match[2][0].toUpperCase() + ({ R: "XX", D: "X", "*": "X", "**": "XX" }[risk] ?? risk);
}

/** Seat of a tag's value, or -1. */
export function readSeat(text) {
  const written = text.trim().replace(/^\^+/, "").toUpperCase();
  return SEAT_WORDS[written] ?? (written.length === 1 ? SEATS.indexOf(written) : -1);
}

/** Tricks of declarer from a Result tag, or null; "+1" counts from the contract. */
export function readResult(text, declarer, contract) {
  const written = text.trim().replace(/^\^+/, "").toUpperCase();
  const side = written.slice(0, 2);
  if (/^(?:=|[+-]\d{1,2})$/.test(written)) {
    if (!contract || contract === "Pass") return null;
    const relative = Number(contract[0]) + 6 + Number(written.replace("=", "0"));
    return relative >= 0 && relative <= 13 ? relative : null;
  }
  let tricks = /^\d+$/.test(written) ? Number(written) : 99;
  if (side === "NS" || side === "EW") {
    if (declarer < 0) return null;
    tricks = Number(/^\d+/.exec(written.slice(2).trim().replace(/^\^+/, ""))?.[0] ?? 99);
    if (tricks <= 13 && (side === "EW") !== (declarer % 2 === 1)) tricks = 13 - tricks;
  }
  return tricks <= 13 ? tricks : null;
}

/** Score for North-South from a Score tag, or null; a bare number is from the view of declarer. */
export function readScore(text, declarer) {
  const match = SCORE.exec(text.trim().replace(/^\^+/, ""));
  if (!match || match[2].length > 7) return null;
  const value = Number(match[2]);
  if (!value) return 0;
  if (match[1]) return match[1].toUpperCase() === "NS" ? value : -value;
  if (declarer < 0) return null;
  return declarer % 2 ? -value : value;
}

/** How many opening passes an auction leaves out, where tags and leader prove it. */
export function omittedPasses(calls, outcome, contract, declarer, playLeader) {
  if (
    declarer < 0 || playLeader !== (declarer + 1) % 4 || outcome.contract === "Pass" || !contract
    || outcome.contract.slice(0, 2) !== contract.slice(0, 2) || calls[0] === "P"
  ) return 0;
  return (declarer - outcome.declarer + 4) % 4;
}

function readCard(token) {
  const card = token[0].toUpperCase() + (token.slice(1) === "10" ? "T" : token.slice(1).toUpperCase());
  return /^[CDHS]$/.test(card[0]) && card.length === 2 && RANKS.includes(card[1]) ? card : null;
}

/**
 * Cards in the order played, and the section from a token that is no card on ("" if none is): rows are tricks, columns
 * the seats from the opening leader on.
 */
export function readPlay(text, owners, openingLeader, strain) {
  const played = [];
  let unread = "";
  const seen = new Set();
  let leader = openingLeader;
  let trick = [];
  let row = [];
  let columns = 0;
  const finish = () => {
    const cards = [0, 1, 2, 3].map((offset) => trick[(leader + offset) % 4]);
    const missing = cards.findIndex((card) => card === undefined);
    played.push(...(missing < 0 ? cards : cards.slice(0, missing)));
    if (missing >= 0) return false;
    leader = (leader + trickWinner(cards, strain)) % 4;
    return true;
  };
  const { tokens, last } = tokensOf(text);
  for (const [place, token] of tokens.entries()) {
    const first = token[0];
    if ("*+".includes(first) && place > last) break;
    if ("=$!?^*+".includes(first)) continue;
    if (first !== "-") {
      const card = readCard(token);
      const owner = owners.get(card);
      if (owner === undefined) {
        unread = tokens.slice(place).join(" ");
        break;
      }
      row.push(card);
      if (seen.has(card) || trick[owner]) {
        // these are other hands
        if (!played.length) return { played: row, unread: "" };
        break;
      }
      seen.add(card);
      trick[owner] = card;
    }
    columns += 1;
    if (columns === 4) {
      if (!finish()) return { played, unread: "" };
      trick = [];
      columns = 0;
    }
  }
  finish();
  return { played, unread };
}
