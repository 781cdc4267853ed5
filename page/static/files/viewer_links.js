// Addresses of hand viewers and of the page, and calls of a viewer in pages of hand records, as LIN.
// loaders/lin/handviewer.py is the definition.

import { readerRemark } from "../boards/board_facts.js";
import { textOfBytes } from "./file_text.js";
import { pageBoards, pageLinks } from "./page_links.js";

const LIN_PARAMETER = /(?:[?&;]|\\u0026)lin=(?:[ \t+]|%20)*([^&\s"'<>]+)/gi;
const BAR = /\||%7C/gi;
const BARE_PART = /[^&\s"'<>]*/y;
const QUOTED_PARTS = { "\"": /(?:[^&\r\n"]|&(?=[ \t]))*/y, "'": /(?:[^&\r\n']|&(?=[ \t]))*/y };
const WORDS = "[^|%&\\r\\n]*(?:(?:%(?!7[Cc])|&(?=[ \\t]))[^|%&\\r\\n]*)*";
const SAID_END = "(?:\\||%7[Cc])(?=[A-Za-z]{2}(?:\\||%7[Cc])|[\\s\"'<>)\\],.;&]|$)";
/** From what would end a bare link to the bar that ends the value it stands in, with a token or no more behind it. */
const SAID = new RegExp(`[&\\s"'<>]${WORDS}${SAID_END}`, "y");
/** The same of what people say, over the ends of a few lines. */
const SAID_ON_LINES = new RegExp(`(?:\\r\\n|[&\\s"'<>])${WORDS}(?:\\r?\\n${WORDS}){0,2}${SAID_END}`, "y");
const NEXT_TOKEN = /[ \t]+(?=[A-Za-z]{2}(?:\||%7[Cc]))/y;
/** The end of a line within a link that a mail has wrapped: no board begins behind it. */
const NEXT_LINE = /\r?\n[ \t]*(?=(?!pn|pw|qx|vg|rs|rh|st|md|https?)[a-z]{2}(?:\||%7C))/iy;
const TEXT_VALUE = /(?:an|nt|ah|pn)(?:\||%7C)[^|%]*$/i;
const OPENING = /[ \t\n\r"'<>]/;
const LONGEST_ADDRESS = 1000;
const LONGEST_TEXT = 1000;
const BRACKETS = { ")": "(", "]": "[", "}": "{" };
const POPUP = /popuplin\(\s*(\\?['"]|&#0?39;|&#x27;|&quot;|&apos;)/g;
const ADDRESS = /(["']?)(?:https?:)?\/\/[^\s"'<>?]{0,200}\?/g;
const HAND = /(?:^|[&;])[nesw]=[^&]/;
const CALL = /[1-7](?:NT?|[CDHS])|PASS|P|XX|X|DBL|D|RDBL|RD|R/iy;
const CARD = /[SHDC](?:10|[AKQJT2-9])/iy;
const DEALERS = { s: "1", w: "2", n: "3", e: "4" };
const CONTRACT_ONLY = /^-[1-7](?:NT?|[CDHS])X{0,2}[NESW]?$/i;
const TWICE = /^[^%]*(?:%25(?:u[0-9a-f]{4}|[0-9a-f]{2})[^%]*)+$/i;
const ENTITIES = { quot: "\"", apos: "'", amp: "&", lt: "<", gt: ">" };

/** Text of a percent-encoded value; `+` stands for a blank. */
function unquoted(value) {
  // a link that was put into another one, as a shortener does, is escaped twice
  const once = TWICE.test(value) ? value.replaceAll("%25", "%") : value;
  // beside blanks that were left as they are, so was a plus
  let given = once.includes(" ") ? once : once.replaceAll("+", " ");
  if (/%u[0-9a-f]{4}/i.test(given)) {
    // older pages wrote %u0142 beside %F3 of Latin-1
    given = given.replace(/%(?:u([0-9a-f]{4})|([0-9a-f]{2}))/gi, (_, wide, narrow) => (
      String.fromCharCode(parseInt(wide ?? narrow, 16))
    ));
    return textOfBytes(new TextEncoder().encode(given));
  }
  const bytes = new TextEncoder().encode(given);
  const found = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at] === 37 ? String.fromCharCode(...bytes.subarray(at + 1, at + 3)) : "";
    if (/^[0-9a-f]{2}$/i.test(code)) {
      found.push(parseInt(code, 16));
      at += 2;
    } else {
      found.push(bytes[at]);
    }
  }
  return textOfBytes(new Uint8Array(found));
}

/** Text of HTML with its entities resolved. */
function unescaped(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(quot|apos|amp|lt|gt));/gi, (_, number, hex, name) => (
    name ? ENTITIES[name.toLowerCase()] : String.fromCodePoint(Math.min(number ?? parseInt(hex, 16), 0x10ffff))
  ));
}

function* popupsOf(text) {
  let end = 0;
  const pattern = new RegExp(POPUP);
  for (;;) {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (!match) return;
    const start = pattern.lastIndex;
    const line = text.indexOf("\n", start);
    end = line < 0 ? text.length : line;
    const closing = text.slice(start, end).indexOf(`${match[1]})`);
    if (closing >= 0) end = start + closing;
    const value = unescaped(text.slice(start, end)).replaceAll("\\'", "'");
    yield { start: match.index, lin: unquoted(value), isPopup: true };
  }
}

/** Start and query of each address that has one. */
function* queriesOf(text) {
  const beginning = text.length - text.trimStart().length;
  const pattern = new RegExp(ADDRESS);
  let end = 0;
  for (;;) {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (!match) return;
    const start = pattern.lastIndex;
    if (match[1]) {
      end = text.indexOf(match[1], start);
      end = end < 0 ? text.length : end;
      yield { start: match.index, query: unescaped(text.slice(start, end)) };
      continue;
    }
    end = text.indexOf("\n", start);
    end = end < 0 ? text.length : end;
    const line = text.slice(start, end);
    if (match.index !== beginning || line.includes("://")) {
      const bare = line.search(/[\s"'<>]/);
      if (bare >= 0) end = start + bare;
    }
    const query = withoutStops(text.slice(start, end).trimEnd());
    yield { start: match.index, query: query.replaceAll("&amp;", "&") };
  }
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}

/** LIN of what stands in the brackets that open at a place, which may hold others, and where they end. */
function enclosed(text, start, closing) {
  const key = closing === "}" ? "nt" : "an";
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    depth += Number(text[at] === text[start]) - Number(text[at] === closing);
    if (!depth) {
      const said = oneLine(text.slice(start + 1, at));
      return [said ? `${key}|${said}|` : "", at + 1];
    }
  }
  const said = oneLine(text.slice(start + 1));
  const expected = closing === "}" ? "brace-at-end" : "parenthesis-at-end";
  return [`${key}|${said}|nt|${readerRemark(expected, text[start] + said)}|`, text.length];
}

/**
 * LIN of pieces one behind the other, with remarks in braces between them; `read(piece, end)` gives a piece's LIN and
 * where it ends, `wrong(at)` that of what is no piece: nothing is read behind it.
 */
function linOfPieces(text, pattern, read, wrong) {
  let lin = "";
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    let said = "";
    let found;
    if (" \t\r\n,?".includes(text[at])) {
      at += 1;
    } else if (text[at] === "{") {
      [said, at] = enclosed(text, at, "}");
    } else if ((found = pattern.exec(text))) {
      [said, at] = read(found[0], at + found[0].length);
    } else {
      return lin + wrong(at);
    }
    lin += said;
  }
  return lin;
}

/** LIN of an auction: `!` and `*` alert, parentheses explain, braces hold remarks. */
function auctionLin(written) {
  // a contract and a leader only
  if (CONTRACT_ONLY.test(written)) return `nt|${readerRemark("a", written)}|`;
  const text = written.replace(/^-+/, "");
  let isDoubled = false;
  return linOfPieces(text, CALL, (piece, end) => {
    let call = piece.toUpperCase();
    let at = end;
    // the first of three, a double and a redouble
    if (call === "XX" && !isDoubled) {
      call = "X";
      at -= 1;
    }
    isDoubled = ["X", "D", "DBL"].includes(call) || (isDoubled && call[0] === "P");
    let [alert, explained] = ["", ""];
    while ("!*(".includes(text[at] ?? " ")) {
      if (text[at] === "(") {
        [explained, at] = enclosed(text, at, ")");
      } else {
        alert = "!";
        at += 1;
      }
    }
    return [`mb|${call}${alert}|${explained}`, at];
  }, (at) => `mb|${text[at]}|`);
}

function playLin(text) {
  return linOfPieces(text, CARD, (card, end) => [`pc|${card}|`, end], (at) => `pc|${text.slice(at, at + 2)}|`);
}

/** LIN of an address whose parameters are hands, auction and so on. */
function parametersLin(query) {
  const values = new Map();
  for (const part of query.split("#")[0].split("&")) {
    const [name, ...value] = part.split("=");
    // a bar would end the LIN value
    const text = unquoted(value.join("=")).replaceAll("|", "/");
    if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), text);
  }
  const get = (name) => values.get(name) ?? "";
  const names = [..."swne"].map((seat) => oneLine(get(`${seat}n`).replaceAll(",", " ")));
  const number = get("b").trim();
  const sides = get("v").trim().toLowerCase();
  const seat = get("d").trim();
  const isGiven = /[^?-]/.test(seat);
  const dealer = DEALERS[seat.charAt(0).toLowerCase()];
  return [
    names.some(Boolean) ? `pn|${names.join(",")}|` : "",
    // a comma would shift the hands
    // a word that names no seat does not leave it to the board's number
    `md|${dealer ?? (isGiven ? "3" : "")}`,
    [..."swne"].map((seat) => get(seat).trim().replaceAll(",", "/")).join(","), "|",
    number ? `ah|Board ${number}|` : "",
    sides ? `sv|${sides}|` : "",
    isGiven && !dealer ? `nt|${readerRemark("d", seat)}|` : "",
    auctionLin(get("a").trim()), playLin(get("p")), "pg||",
  ].join("");
}

function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A bare link without what ends the sentence or the brackets that it stands in. */
function withoutStops(text) {
  // exclamation marks and stars stay: they alert a call
  const surplus = new Map(Object.entries(BRACKETS).map(([closing, opening]) => (
    [closing, text.split(closing).length - text.split(opening).length]
  )));
  let end = text.length;
  for (let last; end && (".,;:?".includes(last = text[end - 1]) || surplus.get(last) > 0); end -= 1) {
    if (surplus.has(last)) surplus.set(last, surplus.get(last) - 1);
  }
  return text.slice(0, end);
}

/** What goes on behind the sign that would end the LIN of a bare link. */
function moreBehind(text, start, end, inValue) {
  if (!inValue) return matchAt("\r\n".includes(text[end]) ? NEXT_LINE : NEXT_TOKEN, text, end);
  const isText = TEXT_VALUE.test(text.slice(Math.max(start, end - LONGEST_TEXT), end));
  return matchAt(isText ? SAID_ON_LINES : SAID, text, end);
}

/** Where the LIN of a link ends: people's names and explanations have blanks and apostrophes. */
function linEnd(text, match, beginning) {
  let end = match.index + match[0].length;
  const start = end - match[1].length;
  if (!" \t\r\n&\"'<>".includes(text[end] ?? "#")) return end;
  let opening = match.index;
  while (opening > 0 && match.index - opening < LONGEST_ADDRESS && !OPENING.test(text[opening - 1])) opening -= 1;
  const quote = text[opening - 1];
  if (quote in QUOTED_PARTS) {
    const [value] = matchAt(QUOTED_PARTS[quote], text, start);
    const after = text[start + value.length];
    if (after === quote || after === "&") return start + value.length;
  }
  const bars = (from, to) => (text.slice(from, to).match(BAR) ?? []).length;
  let count = bars(start, end);
  while (end < text.length) {
    const more = moreBehind(text, start, end, count % 2);
    if (!more || more[0].includes("://") || more[0].includes("lin=")) break;
    const from = end;
    end += more[0].length;
    end += matchAt(BARE_PART, text, end)[0].length;
    count += bars(from, end);
  }
  if (count % 2 && opening <= beginning && TEXT_VALUE.test(text.slice(start, end))) {
    // the text begins with it: what is said of the last call goes on to the end of the line
    const [line] = text.slice(end).split("\n", 1);
    if (!/[|&]|:\/\//.test(line)) end += line.trimEnd().length;
  }
  return end;
}

/** LIN of each link in a text, in their order. */
export function linksOf(text) {
  const beginning = text.length - text.trimStart().length;
  const links = [...text.matchAll(LIN_PARAMETER)].map((match) => {
    const end = linEnd(text, match, beginning);
    const start = match.index + match[0].length - match[1].length;
    const value = text.slice(start, end).replace(/(?<![ \t])[ \t]*\r?\n[ \t]*/g, " ");
    return { start: match.index, lin: unquoted("&\"'".includes(text[end] ?? " ") ? value : withoutStops(value)) };
  });
  links.push(...popupsOf(text));
  for (const { start, query } of queriesOf(text)) {
    if (HAND.test(query) && !`&${query}`.match(LIN_PARAMETER)) links.push({ start, lin: parametersLin(query) });
  }
  for (const { start, query, hasBoard } of pageLinks(text)) {
    if (hasBoard) links.push(...pageBoards(query).map((lin) => ({ start, lin })));
  }
  links.sort((one, other) => one.start - other.start);
  // a call beside a link of the same board is left out
  return links.filter(({ lin, isPopup }, place) => {
    const before = links[place - 1];
    return !(isPopup && before && !before.isPopup && before.lin === lin);
  }).map(({ lin }) => lin);
}

/** Parameters of a link of the page that is all that a text has of links; null where there is none, or more. */
export function onlyPageLink(text) {
  const [link, ...others] = pageLinks(text);
  if (!link || others.length) return null;
  return linksOf(text).length === (link.hasBoard ? pageBoards(link.query).length : 0) ? link.query : null;
}

/** Place of the first link in a text that leads to a board or a place of the page; Infinity where there is none. */
export function firstLink(text) {
  const places = [new RegExp(LIN_PARAMETER), new RegExp(POPUP)].map((pattern) => pattern.exec(text)?.index ?? -1);
  for (const { start, query } of queriesOf(text)) {
    if (HAND.test(query)) {
      places.push(start);
      break;
    }
  }
  places.push(...pageLinks(text).map(({ start }) => start));
  return Math.min(...places.filter((place) => place >= 0), Infinity);
}
