// Hands as people print them: a newspaper's diagram, or a hand a line; with dealer, vulnerability and number.

import { board, dealerBy, vulnerabilityBy } from "../boards/board_facts.js";
import { SEATS } from "../bridge/calls.js";
import { completeHands, handOfSeat, plainSuits, SUITS, SUIT_SIGNS, wholeHand, within } from "../bridge/cards.js";
import { readVulnerability } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const SEAT = "north|south|east|west|[nesw]";
const SIDES = "(?:both|all|no(?:ne|body|-?one)|neither|nil|love|everybody|n(?:orth)?[ /&-]{0,3}(?:and )?s(?:outh)?|e(?:ast)?[ /&-]{0,3}(?:and )?w(?:est)?)";
const DANGER = "(?:vulnerab(?:le|ility)|vuln?\\b\\.?|game\\b)";
const ARE = "(?:sides? )?(?:(?:is|are|was|were) )?";
/** What stands around hands: a pattern, and what of a board it tells. */
const FACTS = [
  [/\b(?:board|brd|bd|deal|hand)\b *(?:no\.?|number|#)? *[:.#]? *(\d{1,4})\b/i, (number) => ({ number: Number(number) })],
  [new RegExp(`\\b(${SEAT}) +(?:is +)?(?:the +)?(?:dealer|deals|dlr)\\b(?! *[:=])`, "i"), (seat) => ({ dealer: seatOf(seat) })],
  [new RegExp(`\\b(?:dealer|dlr)\\b *[:.=-]? *(${SEAT})\\b`, "i"), (seat) => ({ dealer: seatOf(seat) })],
  [/\b(game) +all\b/i, () => ({ vulnerability: "Both" })],
  [new RegExp(`(?<![a-z])(${SIDES}) *${ARE}(?:${DANGER}(?! *[:=])|all\\b)`, "i"), (sides) => ({ vulnerability: sidesOf(sides) })],
  [new RegExp(`\\b${DANGER} *[:.=-]? *(${SIDES})(?![a-z])`, "i"), (sides) => ({ vulnerability: sidesOf(sides) })],
];
/** Points of a hand, and the mark of the dealer at his name. */
const POINTS = /\(?\b\d{1,2}\s*(?:hcp|pts|points?)\b\)?/gi;
const DEALER_MARK = new RegExp(`\\b(${SEAT})\\b\\s*(?:\\((?:d|dlr|dealer)\\)|\\[d\\]|\\*)`, "i");
const IN_BRACKETS = /\([^)\n]*\)/g;
const LABEL = new RegExp(`^\\s*(${SEAT})(?![a-z])\\s*((?:[:)=|-]|\\.(?=\\s))*)\\s*`, "i");
const CARDS = "[AKQJTX2-9]+(?![A-Za-z0-9])";
/** A suit and its cards, where suits have their signs and where they have letters. */
const [SIGNED, LETTERED] = ["[♠♥♦♣]", "(?<![A-Za-z])[SHDC](?=[\\s:.,=)-]|[AKQJTX2-9]+(?![A-Za-z0-9])|$)"]
  .map((suit) => new RegExp(`(${suit})[ :.=)]*(?:- *(?=[AKQJTX2-9]))?((?:[ ,]*${CARDS})+|-)?`, "gi"));
/** Cards without a sign: single blanks stand between cards, more of them between hands. */
const COLUMN = new RegExp(`(?<!\\S)(?:${CARDS}(?: ${CARDS})*|-)(?!\\S)`, "gi");
const NAMES = new RegExp(`(?<![A-Za-z'’])(?:${SEAT})(?![A-Za-z])`, "gi");
/** So many cards in a line are a hand, and no suit or deal. */
const HAND_LEAST = 10;
const HAND_MOST = 20;
/** Words beside the names above hands. */
const HEAD_WORDS = 2;
const TAB = "        ";

function seatOf(name) {
  return SEATS.indexOf(name[0].toUpperCase());
}

/** Sides of words such as "N-S", "neither", "Love"; null of none. */
function sidesOf(text) {
  const word = text.toLowerCase();
  if (/^(?:both|all|every)/.test(word)) return "Both";
  if (/^(?:no(?!rth)|ne|nil|love)/.test(word)) return "None";
  return readVulnerability(/^n/.test(word) ? "NS" : "EW");
}

/** A text without what it tells of the board around the hands, and that. */
function withoutFacts(text) {
  const facts = {};
  let rest = text.replace(/\r\n?/g, "\n").replaceAll("\t", TAB).replace(/[\u00a0\u2000-\u200a]/g, " ");
  const take = (pattern, read) => {
    rest = rest.replace(pattern, (whole, ...groups) => {
      Object.assign(facts, { ...read(groups[0]), ...facts });
      return " ".repeat(whole.length);
    });
  };
  for (const [pattern, read] of FACTS) take(pattern, read);
  const mark = DEALER_MARK.exec(rest);
  if (mark) {
    facts.dealer ??= seatOf(mark[1]);
    rest = rest.replace(DEALER_MARK, (_, seat) => seat);
  }
  return { facts, rest: plainSuits(rest.replace(POINTS, " ").replace(IN_BRACKETS, " ")) };
}

function cardsIn(text) {
  const words = text.replace(/[A-Za-z]{2,}/g, (word) => (/^[AKQJTSHDC]+$/i.test(word) ? word : " "));
  return (words.match(/[AKQJT2-9]/gi) ?? []).length;
}

/** How many words in a line are neither names nor cards. */
function wordsIn(line) {
  const rest = line.replace(NAMES, " ").replace(new RegExp(`(?<![A-Za-z])[SHDC]?${CARDS}`, "gi"), " ");
  return (rest.match(/[A-Za-z]{2,}/g) ?? []).length;
}

/** Holdings of a line, each with its suit, or null where no sign says it. */
function holdingsOf(line, form) {
  const prose = wordsIn(line) > 0;
  const all = [...line.matchAll(form)].map(({ 0: text, 1: sign, 2: cards = "", index }) => (
    form === COLUMN ? { suit: null, cards: text, at: index, length: text.length }
      : { suit: signedSuit(sign), cards, at: index, length: text.length }
  ));
  if (form === COLUMN) return prose ? [] : all;
  // "4♠" is a bid
  const found = all.filter(({ at, cards }) => cards || !/[1-7] ?$/.test(line.slice(0, at)));
  const filled = found.filter(({ cards }) => cards);
  if (prose && filled.every(({ cards }) => cardsIn(cards) < 2)) return [];
  // the South of a compass between the columns is no spade
  const isColumns = filled.length > 0 && filled.every(({ suit }) => suit === filled[0].suit);
  return found.filter(({ suit, cards }) => cards || form === SIGNED || !isColumns || suit === filled[0].suit);
}

function signedSuit(sign) {
  return SUITS.find((suit) => SUIT_SIGNS[suit] === sign) ?? sign.toUpperCase();
}

/** Name at the beginning of a line that holds a hand, and the rest. */
function labelled(line, form) {
  const match = LABEL.exec(line);
  if (!match) return { seat: null, rest: line };
  let rest = line.slice(match[0].length);
  // no spades, and no dash behind the name
  if (form === COLUMN && match[2] === "-" && [/ {2,}/, / +/].some((gap) => rest.trim().split(gap).length === SUITS.length - 1)) rest = `-  ${rest}`;
  // "S AQ4 H KJ3 D K876 C Q52" begins with a suit
  const suits = new Set(holdingsOf(rest, form).map(({ suit }) => suit));
  if (form === LETTERED && /^s$/i.test(match[1]) && suits.size && !suits.has("S")) return { seat: null, rest: line };
  return { seat: seatOf(match[1]), rest };
}

/** Whether a line holds a whole hand, or what is meant to be one. */
function isHandLine(line, form) {
  const { rest } = labelled(line, form);
  const number = cardsIn(rest);
  if (number < HAND_LEAST || number > HAND_MOST) return false;
  if (form !== COLUMN) {
    const suits = holdingsOf(rest, form).map(({ suit }) => suit);
    return new Set(suits).size === suits.length || suits.length > SUITS.length;
  }
  return rest.includes(".") || rest.includes("/") || rest.trim().split(/ {2,}/).length !== 2;
}

/** Lines with something in them; hands behind each other in one are taken apart at their names. */
function linesOf(text) {
  const names = holdingForm(text) === SIGNED ? SEAT : "north|south|east|west|[new]";
  const before = new RegExp(`(?<=\\s)(?=(?:${names})(?![A-Za-z]))`, "i");
  const lines = text.split("\n").filter((line) => line.trim());
  return (lines.length > 1 ? lines : text.split(";")).flatMap((line) => (cardsIn(line) > HAND_MOST ? line.split(before) : line))
    .filter((line) => line.trim());
}

/** How holdings are written in a text. */
function holdingForm(text) {
  if (/[♠♥♦♣]/.test(text)) return SIGNED;
  return (text.match(/(?<![A-Za-z])[SHDC][ :.=)-]*[AKQJT2-9]/gi) ?? []).length > 3 ? LETTERED : COLUMN;
}

/** How hands are written in a text: "hands" (one a line), "diagram", or null where they are not. */
export function formOf(text) {
  const { rest } = withoutFacts(text);
  const form = holdingForm(rest);
  const lines = linesOf(rest);
  const whole = lines.filter((line) => isHandLine(line, form)).length;
  const parts = lines.filter((line) => !isHandLine(line, form) && holdingsOf(line, form).length).length;
  if (whole > 1 && whole >= parts) return "hands";
  if (whole === 1 && !parts) return labelled(lines.find((line) => isHandLine(line, form)), form).seat === null ? null : "hands";
  return parts > 2 ? "diagram" : null;
}

/** Board of hands by seat; what was not told of dealer and sides follows from a number. */
function boardOf(bySeat, { number = null, dealer = null, vulnerability = null }) {
  const hands = completeHands(SEATS.map((_, seat) => bySeat.get(seat) ?? ""));
  return board({
    hands, number, dealer: dealer ?? (number === null ? null : dealerBy(number)),
    vulnerability: vulnerability ?? (number === null ? null : vulnerabilityBy(number)),
  });
}

function addHand(bySeat, seat, hand) {
  if (bySeat.has(seat)) throw new Error(phrase("paste.seat-twice", { seat: phrase(`seat.${SEATS[seat]}`) }));
  bySeat.set(seat, hand);
}

/** Hands of which each has a line, by name or clockwise. */
export function readLines(text) {
  const { facts, rest } = withoutFacts(text);
  const form = holdingForm(rest);
  const all = linesOf(rest);
  const lines = all.length === SEATS.length ? all : all.filter((line) => isHandLine(line, form));
  const bySeat = new Map();
  // two hands without names are those of partners
  const step = lines.length === 2 && lines.every((line) => labelled(line, form).seat === null) ? 2 : 1;
  let last = -step;
  lines.forEach((line, index) => {
    const { seat, rest: written } = labelled(line, form);
    last = seat ?? (last + step) % SEATS.length;
    const hand = within(() => wholeHand(written), (problem) => phrase("paste.in-line", { line: index + 1, problem }));
    addHand(bySeat, last, hand);
  });
  return boardOf(bySeat, facts);
}

/** Names in a line outside its holdings, with their places. */
function namesIn(line, holdings) {
  let left = line;
  for (const { at, length } of holdings) left = left.slice(0, at) + " ".repeat(length) + left.slice(at + length);
  return [...left.matchAll(NAMES)].map((match) => ({ seat: seatOf(match[0]), at: match.index, word: match[0] }));
}

/** A name in front of a holding; single letters between columns are a compass. */
function nameBefore(names, line, holdings, index) {
  const from = index ? holdings[index - 1].at : -1;
  const found = names.findLast(({ at }) => at > from && at < holdings[index].at);
  if (!found) return null;
  const after = line.slice(found.at + found.word.length, holdings[index].at);
  const isFirst = !line.slice(0, found.at).trim();
  return found.word.length > 1 || isFirst || /^\s?[:.=)]/.test(after) || after.length < 2 ? found.seat : null;
}

function nearest(hands, at) {
  return hands.reduce((best, one) => (Math.abs(one.at - at) < Math.abs(best.at - at) ? one : best));
}

/** Hands of the lines of a diagram, in the order in which they begin: {suits, seat, group}. */
function handsOf(lines, form) {
  const all = [];
  let open = [];
  let heads = [];
  let groups = 0;
  const isLettered = form === LETTERED && lines.some((line) => /^ *[new] *:? *$/i.test(line));
  const begin = (holdings, names, line) => {
    groups += 1;
    open = holdings.map(({ at }, index) => {
      const head = heads.length === holdings.length ? heads[index].seat : null;
      return { suits: {}, at, group: groups, seat: nameBefore(names, line, holdings, index) ?? head };
    });
    heads = [];
    all.push(...open);
  };
  for (const line of lines) {
    if (all.length === SEATS.length && all.every(isWhole)) break;
    // an S alone is a name, or no spades behind one
    const holdings = isLettered && !heads.length && /^ *s *:? *$/i.test(line) ? [] : holdingsOf(line, form);
    const names = namesIn(line, holdings);
    if (!holdings.length) {
      // beside a name there may be that of a player, but no sentence
      if (wordsIn(line) > HEAD_WORDS) continue;
      if (names.length) heads = names;
      // a name begins another hand, a compass between the columns does not
      if (names.some(({ word }) => word.length > 1) || (names.length && open.some(({ seat }) => seat !== null))) open = [];
      continue;
    }
    const next = (hand) => SUITS[Object.keys(hand.suits).length];
    const lacks = (hand, suit) => hand && (form === COLUMN ? next(hand) !== undefined : !Object.hasOwn(hand.suits, suit));
    const isColumns = form === COLUMN || holdings.every(({ suit }) => suit === holdings[0].suit);
    if (isColumns) {
      let owners = open.length === holdings.length ? open : open.length ? holdings.map(({ at }) => nearest(open, at)) : [];
      const fits = owners.length === new Set(owners).size && owners.every((hand, index) => lacks(hand, holdings[index].suit));
      if (!owners.length || !fits || names.some(({ word }) => word.length > 1)) {
        begin(holdings, names, line);
        owners = open;
      }
      holdings.forEach(({ suit, cards }, index) => { owners[index].suits[suit ?? next(owners[index])] = cards; });
    } else {
      holdings.forEach((holding, index) => {
        if (open.length !== 1 || !lacks(open[0], holding.suit)) {
          const named = nameBefore(names, line, holdings, index);
          begin([holding], [], line);
          open[0].seat = named ?? open[0].seat;
        }
        open[0].suits[holding.suit] = holding.cards;
      });
    }
  }
  return all;
}

function isWhole({ suits }) {
  return cardsIn(Object.values(suits).join(" ")) === 13;
}

function textOf({ suits }) {
  return SUITS.map((suit) => `${SUIT_SIGNS[suit]}${(suits[suit] ?? "").replace(/[\s,-]/g, "") || "-"}`).join(" ");
}

/** Seats of hands without names: as printed around the table, side by side, or clockwise from North. */
function seatsOf(hands) {
  const sizes = hands.map(({ group }) => hands.filter((one) => one.group === group).length);
  if (hands.length === 4 && sizes.join("") === "1221") return [0, 3, 1, 2];
  if (hands.length === 2) return sizes[0] === 2 ? [3, 1] : [0, 2];
  return hands.map((_, index) => index);
}

/** The hands of a newspaper's diagram, or the suits of one hand in a line each. */
export function readDiagram(text) {
  const { facts, rest } = withoutFacts(text);
  const hands = handsOf(linesOf(rest), holdingForm(rest)).slice(0, SEATS.length);
  const isNamed = hands.some(({ seat }) => seat !== null);
  if (hands.length === 1 && !isNamed) return board({ hand: wholeHand(textOf(hands[0])) });
  const free = seatsOf(hands).filter((seat) => !hands.some((one) => one.seat === seat));
  const bySeat = new Map();
  for (const one of hands) {
    const seat = one.seat ?? free.shift() ?? SEATS.findIndex((_, other) => !bySeat.has(other));
    addHand(bySeat, seat, handOfSeat(textOf(one), seat));
  }
  return boardOf(bySeat, facts);
}
