// A handout as a short text for addresses: up to 64 hands, whole deals where they are known, and the name of the system.
// It does not show the cards to who reads it.

import { allHands, bytesOf, handsOf, textOf } from "../boards/board_code.js";
import { firstIllegal, isOver, LEVELS, SEATS, STRAINS } from "../bridge/calls.js";
import { allCards, cardsOf, handOf } from "../bridge/cards.js";
import { VULNERABILITIES } from "../bridge/seats.js";
import { phrase } from "../texts.js";

export const HANDOUT_VERSION = "2";
export const MOST_HANDS = 64;
const MOST_LETTERS = 80;
/** What a system is: one that comes with the page, or one's own, whose text the link does not carry. */
const KINDS = ["shipped", "own"];
const CALLS = ["P", "X", "XX", ...LEVELS.flatMap((level) => STRAINS.map((strain) => `${level}${strain}`))];
const WHOLE = 16;
const DEAL_BYTES = 13;
const HAND_BYTES = 7;

function handBytes(hand) {
  const held = new Set(cardsOf(hand));
  const bytes = new Uint8Array(HAND_BYTES);
  allCards().forEach((card, place) => { bytes[place >> 3] |= Number(held.has(card)) << (place & 7); });
  return bytes;
}

function handOfBytes(bytes) {
  return handOf(allCards().filter((_, place) => bytes[place >> 3] >> (place & 7) & 1));
}

function itemBytes({ calls, dealer, vulnerability, hand, hands }) {
  const head = dealer | VULNERABILITIES.indexOf(vulnerability) << 2 | (hands ? WHOLE : 0);
  return [head, calls.length, ...calls.map((call) => CALLS.indexOf(call)), ...(hands ? allHands(hands) : handBytes(hand))];
}

/** Text of a handout: its topic, the system's name and whether that is one's own, and hands with the calls before theirs. */
export function writeHandout({ topic, system, isOwn, questions }) {
  const plain = (text) => text.replaceAll("!", "").slice(0, MOST_LETTERS);
  const bytes = questions.slice(0, MOST_HANDS).flatMap(itemBytes);
  return [HANDOUT_VERSION, plain(topic), plain(system), KINDS[Number(isOwn)], textOf(bytes)].join("!");
}

/** The next hand of some bytes: `{question, size}`; null where it is none. */
function itemAt(bytes, at) {
  const [head, count] = bytes.slice(at, at + 2);
  const size = head & WHOLE ? DEAL_BYTES : HAND_BYTES;
  const cards = at + 2 + count;
  if (head >= 2 * WHOLE || cards + size > bytes.length) return null;
  const calls = bytes.slice(at + 2, cards).map((one) => CALLS[one]);
  const dealer = head & 3;
  const about = { calls, dealer, vulnerability: VULNERABILITIES[head >> 2 & 3] };
  if (!calls.every(Boolean) || firstIllegal(calls) >= 0 || isOver(calls)) return null;
  const packed = bytes.slice(cards, cards + size);
  const hands = head & WHOLE ? handsOf(packed) : null;
  const hand = hands ? hands[(dealer + count) % SEATS.length] : handOfBytes(packed);
  if ((hands ?? [hand]).some((one) => cardsOf(one).length !== 13)) return null;
  return { question: { ...about, hand, ...(hands && { hands }) }, end: cards + size };
}

/** Handout of a text: `{topic, system, isOwn, questions}`; throws a sentence that names the hand at fault. */
export function readHandout(text) {
  const broken = (name, parts) => new Error(phrase("game.link-broken", { problem: phrase(`practice.${name}`, parts) }));
  const [version, topic, system, kind, code, ...more] = text.split("!");
  if (version !== HANDOUT_VERSION) throw new Error(phrase("game.link-version", { version: version.slice(0, 20) }));
  const bytes = code && KINDS.includes(kind) && system && !more.length ? bytesOf(code) : null;
  if (!bytes) throw broken("no-handout");
  const questions = [];
  for (let at = 0; at < bytes.length;) {
    if (questions.length === MOST_HANDS) throw broken("too-many", { most: MOST_HANDS });
    const found = itemAt(bytes, at);
    if (!found) throw broken("bad-item", { hand: questions.length + 1 });
    questions.push(found.question);
    at = found.end;
  }
  if (!questions.length) throw broken("no-hands");
  return { topic: topic.slice(0, MOST_LETTERS), system, isOwn: kind === "own", questions };
}
