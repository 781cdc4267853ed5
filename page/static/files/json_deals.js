// Deals as JSON: lines of the command's .jsonl files, requests and answers of the API.
// loaders/text/json_deals.py is the definition.

import { SEATS, readCalls } from "../bridge/calls.js";
import { readDeal } from "../bridge/cards.js";
import { linBoards } from "./lin_boards.js";
import { readVulnerability } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const DEAL = /"deal"\s*:\s*"(?!")|"(?:deals|layouts)"\s*:\s*\[\s*"\s*[NESW0-4]/i;
const HEAD = 1 << 20;
const LISTS = ["deals", "layouts"];
const LIN_DEALERS = { S: "1", W: "2", N: "3", E: "4" };
const LIN_SIDES = { None: "o", NS: "n", EW: "e", Both: "b" };
const EXCERPT = 40;

/** Whether a text is JSON with a deal in it. */
export function isJsonDeals(text) {
  return /^\s*[{[]/.test(text.slice(0, HEAD)) && DEAL.test(text.slice(0, HEAD));
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** Deals in a value, in their order, each with what the objects around it say. */
function* dealsIn(value, around = {}) {
  if (Array.isArray(value)) {
    for (const one of value) yield* dealsIn(one, around);
    return;
  }
  if (!isObject(value)) return;
  const told = { dealer: value.dealer ?? around.dealer, vulnerability: value.vulnerability ?? around.vulnerability };
  if (typeof value.deal === "string") {
    yield { ...value, ...told };
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    const isList = LISTS.includes(name) && Array.isArray(inner);
    yield* dealsIn(isList ? inner.map((one) => (typeof one === "string" ? { deal: one } : one)) : inner, told);
  }
}

function linHand(hand) {
  return hand && ["S", "H", "D", "C"].map((suit, place) => suit + hand.split(".")[place]).join("");
}

/** LIN of a deal; throws a sentence. */
function linOf({ deal, dealer, vulnerability, auction, play }) {
  const { hands, dealer: first } = readDeal(deal);
  const seat = dealer === undefined ? SEATS[first] : String(dealer).toUpperCase();
  const sides = vulnerability === undefined ? "None" : readVulnerability(String(vulnerability));
  if (!(seat in LIN_DEALERS)) throw new Error(phrase("json.no-seat", { text: String(dealer) }));
  if (sides === null) throw new Error(phrase("json.no-sides", { text: String(vulnerability) }));
  const calls = readCalls(Array.isArray(auction) ? auction.join(" ") : String(auction ?? ""));
  const cards = Array.isArray(play) ? play.map(String) : [];
  return [
    `st||md|${LIN_DEALERS[seat]}${[2, 3, 0, 1].map((place) => linHand(hands[place])).join(",")}|sv|${LIN_SIDES[sides]}|`,
    ...calls.map((call) => `mb|${call}|`), "pg||", ...cards.map((card) => `pc|${card}|`), "pg||",
  ].join("");
}

function valueOf(text) {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: phrase("json.broken", { text: text.trim().slice(0, EXCERPT), problem: error.message }) };
  }
}

/** Values of a text: one a line, or one in all. */
function* valuesOf(text) {
  const lines = text.replace(/^\ufeff/, "").split("\n").filter((line) => line.trim());
  if (!lines.length || valueOf(lines[0]).problem) {
    yield valueOf(text.replace(/^\ufeff/, ""));
    return;
  }
  for (const line of lines) yield valueOf(line);
}

/** Boards and problems of a text of JSON. */
export function* jsonBoards(text) {
  let record = 0;
  for (const { value, problem } of valuesOf(text)) {
    if (problem) {
      record += 1;
      yield { problem, record };
      continue;
    }
    for (const deal of dealsIn(value)) {
      record += 1;
      try {
        for (const { board, problem: wrong } of linBoards(linOf(deal))) {
          if (!board) yield { problem: wrong, record };
          else yield { board: { ...board, number: Number.isInteger(deal.board) ? deal.board : null, event: deal.event ?? null, record } };
        }
      } catch (error) {
        yield { problem: error.message, record };
      }
    }
  }
}
