// Links of the page in a text, and the boards in them as LIN. loaders/lin/page_links.py is the definition.

import { readBoard } from "../boards/board_code.js";
import { SEATS } from "../bridge/calls.js";
import { SUITS } from "../bridge/cards.js";
import { HANDOUT_VERSION, MOST_HANDS, readHandout } from "../games/handout_code.js";
import { readVulnerability } from "../bridge/seats.js";

const NAMES = "[nesw]|dealer|vul|auction|at|table|view|eyes|with|ask";
const START = new RegExp(`#(?=(?:${NAMES})=)|(?<encoded>(?:#|%23)(?=(?:${NAMES})%3D))`, "gi");
const BARE = /[^\s"'<>]*/y;
const BARE_ENCODED = /[^\s"'<>&]*/y;
/** The rest of a link that a mail has broken: a line of nothing else. */
const NEXT_LINE = /\r?\n[> \t]*((?:[\w.!+-]*[&=%~])+[\w.!+-]*)(?=[ \t]*(?:[\r\n]|$))/y;
const HAS_PLACE = /(?:^|&)(?:[nesw]|ask|dealer|auction)=[^&]/i;
const HAS_BOARD = /(?:^|&)(?:[nesw]|ask)=[^&]/i;
const LAST_HAND = /(?:^|&)[nesw]=([^&]*)$/i;
const STOPS = /[.,;:?!)\]}]+$/;
const DEALERS = { S: "1", W: "2", N: "3", E: "4" };
const SIDES = { None: "o", NS: "n", EW: "e", Both: "b" };
const MOST_LINES = 20;

function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A link without what ends the sentence or the brackets that it stands in. */
function withoutStops(query) {
  const kept = query.replace(STOPS, "");
  // the stops of a hand without clubs are its own
  const hand = LAST_HAND.exec(kept);
  const lacking = hand ? 3 - (hand[1].match(/\./g) ?? []).length : 0;
  return lacking > 0 ? kept + /^\.*/.exec(query.slice(kept.length, kept.length + lacking))[0] : kept;
}

function unquoted(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Links of the page in a text, as `{start, query, hasBoard}`. */
export function pageLinks(text) {
  const links = [];
  const start = new RegExp(START);
  for (let match; (match = start.exec(text));) {
    const isEncoded = match.groups.encoded !== undefined;
    let [query] = matchAt(isEncoded ? BARE_ENCODED : BARE, text, start.lastIndex);
    let end = start.lastIndex + query.length;
    let lines = isEncoded ? 0 : MOST_LINES;
    for (let more; lines > 0 && (more = matchAt(NEXT_LINE, text, end)); lines -= 1) {
      query += more[1];
      end += more[0].length;
    }
    if (isEncoded) query = unquoted(query);
    query = withoutStops(query.replaceAll("&amp;", "&"));
    start.lastIndex = Math.max(end, start.lastIndex);
    if (HAS_PLACE.test(query)) links.push({ start: match.index, query, hasBoard: HAS_BOARD.test(query) });
  }
  return links;
}

function linHand(hand) {
  const suits = hand.split(".");
  // what is no hand is told by the reader of LIN; a comma would shift the hands
  return suits.length === SUITS.length ? SUITS.map((suit, place) => suit + suits[place]).join("") : hand.replaceAll(",", "/");
}

function linOf([north, east, south, west], dealer, sides, auction) {
  const calls = auction.split("-").filter(Boolean).map((call) => `mb|${call}|`).join("");
  const word = SIDES[readVulnerability(sides.trim())] ?? sides.trim().toLowerCase();
  // as the page: North deals where no seat is named
  return `md|${DEALERS[dealer] ?? "3"}${[south, west, north, east].map(linHand).join(",")}|sv|${word}|${calls}pg||`;
}

/** Boards of a handout: whole deals or a hand each, with the calls before its own. */
function handoutBoards(asked) {
  try {
    return readHandout(asked).questions.map(({ calls, dealer, vulnerability, hand, hands }) => {
      const seat = (dealer + calls.length) % 4;
      return linOf(hands ?? SEATS.map((_, place) => (place === seat ? hand : "")), SEATS[dealer], vulnerability, calls.join("-"));
    });
  } catch {
    return [];
  }
}

/** Boards of a practice set: a hand each, with the calls before its own. */
function questionsOf(asked) {
  if (asked.startsWith(`${HANDOUT_VERSION}!`)) return handoutBoards(asked);
  const [version, , ...questions] = asked.split("!");
  if (version !== "1") return [];
  return questions.slice(0, MOST_HANDS).flatMap((question) => {
    const [auction, dealer = "", sides = "", hand = ""] = question.split("~");
    if (!(dealer in DEALERS)) return [];
    const seat = (SEATS.indexOf(dealer) + auction.split("-").filter(Boolean).length) % 4;
    return [linOf(SEATS.map((_, place) => (place === seat ? hand : "")), dealer, sides, auction)];
  });
}

function gameOf(asked) {
  const [code, auction = ""] = asked.split("~");
  try {
    const { hands, dealer, vulnerability } = readBoard(code);
    return linOf(hands, SEATS[dealer], vulnerability, auction);
  } catch {
    // the reader of LIN says of what is no code that it is no hand
    return linOf(["", "", asked, ""], "N", "None", auction);
  }
}

/** Boards of a link's parameters, as LIN. */
export function pageBoards(query) {
  const fields = new URLSearchParams(query);
  const values = new Map();
  for (const [name, value] of fields) {
    // a bar would end the LIN value
    if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), value.replaceAll("|", "/"));
  }
  const get = (name, other = "") => values.get(name) ?? other;
  const asked = get("ask");
  if (asked && ["practice", "handout"].includes(get("view"))) return questionsOf(asked);
  if (asked && ["bid", "play", "cards"].includes(get("view"))) return [gameOf(asked)];
  const hands = ["n", "e", "s", "w"].map((seat) => get(seat));
  return hands.some(Boolean) ? [linOf(hands, get("dealer", "N").toUpperCase(), get("vul", "None"), get("auction"))] : [];
}
