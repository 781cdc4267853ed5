// Boards as LIN, PBN and addresses of a hand viewer, which the loaders read back equal.
// loaders/lin/lin_writer.py, pbn_writer.py and handviewer.py are the definitions.

import { outcomeOf, statusOf } from "./board_facts.js";
import { ownersOf } from "../bridge/card_play.js";
import { isOver, SEATS } from "../bridge/calls.js";
import { SUITS, suitsOf } from "../bridge/cards.js";

const VIEWER = "https://www.bridgebase.com/tools/handviewer.html";
const LIN_DEALERS = ["3", "4", "1", "2"];
const LIN_SIDES = { None: "o", NS: "n", EW: "e", Both: "b" };
const LIN_CALLS = { P: "p", X: "d", XX: "r" };
/** South first. */
const LIN_SEATS = [2, 3, 0, 1];
const LARGEST_NUMBER = 999_999;
/** No comment of PBN goes on beyond such a line. */
const TAG_LINE = /(?<![^\n])[ \t]*\[\s*[A-Za-z]\w*\s*"/g;

function clean(text) {
  return (text ?? "").replaceAll("|", "/").trim();
}

function linHand(hand) {
  const suits = suitsOf(hand);
  return hand && SUITS.map((suit) => suit + suits[suit]).join("");
}

/** What a match's result list says of a contract that the auction does not tell. */
function linResult({ calls, contract, declarer, number, room }) {
  if (!contract || number === null || !room || isOver(calls ?? [])) return "";
  if (contract !== "Pass" && declarer === null) return "";
  const entry = contract === "Pass" ? "PASS" : contract.slice(0, 2) + declarer + contract.slice(2).toLowerCase();
  return room === "open" ? `${entry},` : `,${entry}`;
}

function linNames(players) {
  if (!players) return ",,,";
  const spaced = (name) => clean(name).split(",").map((part) => part.trim()).join(", ");
  const names = LIN_SEATS.map((seat) => spaced(players[seat])).join(",");
  // for both tables where commas could mislead
  return names.split(",").length === 8 ? `${names},${names}` : names;
}

function linCalls({ calls, alerts, announcements, tail }) {
  const announced = (place) => (announcements[place] ? `an|${clean(announcements[place])}|` : "");
  return (calls ?? []).map((call, place) => (
    `mb|${LIN_CALLS[call] ?? call}${alerts[place] ? "!" : ""}|${announced(place)}`
  )).join("") + tail.map((call) => `mb|${call === null ? "#" : LIN_CALLS[call] ?? call}|`).join("");
}

function linBoard(one) {
  const number = one.number > 0 && one.number <= LARGEST_NUMBER ? one.number : null;
  const room = number && one.room;
  let text = room ? `qx|${room[0]}${number}|` : "";
  text += `st||md|${LIN_DEALERS[one.dealer]}${LIN_SEATS.map((seat) => linHand(one.hands[seat])).join(",")}|`;
  text += `sv|${LIN_SIDES[one.vulnerability]}|${number && !room ? `ah|Board ${number}|` : ""}\n`;
  text += one.commentary.map((remark) => `nt|${clean(remark)}|\n`).join("");
  text += `${linCalls(one)}pg||\n`;
  for (let start = 0; start < one.play.length; start += 4) {
    text += `${one.play.slice(start, start + 4).map((card) => `pc|${card}|`).join("")}pg||\n`;
  }
  return text + (one.tricks !== null && one.contract !== "Pass" ? `mc|${one.tricks}|pg||\n` : "");
}

/** LIN of boards. */
export function linOf(boards) {
  let names = linNames(null);
  let event = "";
  let written = "";
  return boards.map((one) => {
    const result = linResult(one);
    const ownEvent = clean(one.event).replace(/^[, ]+|[, ]+$/g, "");
    let text = "";
    if (ownEvent !== event || result || written) {
      text += `vg|${ownEvent},I,${one.number || 1},${one.number || 1},,0,,0|\n${result ? `rs|${result}|\n` : ""}`;
      [event, written] = [ownEvent, result];
    }
    const own = linNames(one.players);
    if (own !== names) text += `pn|${own}|pg||\n`;
    names = own;
    return text + linBoard(one);
  }).join("");
}

/** Address of a hand viewer that shows a board. */
function viewerLink(one) {
  const lin = encodeURIComponent(linOf([one]).replaceAll("|\n", "|"));
  return `${VIEWER}?lin=${lin.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}

export function linksText(boards) {
  return `${boards.map(viewerLink).join("\n")}\n`;
}

function tag(name, value) {
  const text = value.replace(/[\r\n]+/g, " ").replaceAll("\\", "\\\\").replaceAll("\"", "\\\"");
  // a bare number sign would repeat the value of the game before
  return `[${name} "${text.startsWith("#") ? "\\" : ""}${text}"]`;
}

function pbnRemark(remark) {
  const text = remark.trim();
  if (!text) return [];
  if (text.includes("}") && !/[\r\n]/.test(text)) return [`;${text}`];
  return [`{${text.replaceAll("}", "]").replace(TAG_LINE, (start) => start.replace("[", "("))}}`];
}

function pbnCall(call) {
  return call === "P" ? "Pass" : call.replace("N", "NT");
}

function pbnAuction(one) {
  const { calls, alerts, announcements, tail } = one;
  const numbers = new Map();
  const words = calls.map((call, place) => {
    const text = (announcements[place] ?? "").replace(/[\r\n]+/g, " ").trim();
    if (!text && !alerts[place]) return pbnCall(call);
    if (!numbers.has(text)) numbers.set(text, numbers.size + 1);
    return `${pbnCall(call)} =${numbers.get(text)}=`;
  });
  if (tail.length) words.push("^S", ...tail.map((call) => (call === null ? "#" : pbnCall(call))));
  else if (statusOf(one) === "unfinished") words.push("*");
  const rows = [];
  if (calls.some((_, place) => announcements[place] && !alerts[place])) {
    rows.push(tag("AlertedCalls", calls.map((_, place) => place + 1).filter((place) => alerts[place - 1]).join(" ")));
  }
  rows.push(tag("Auction", SEATS[one.dealer]));
  for (let start = 0; start < words.length; start += 4) rows.push(words.slice(start, start + 4).join(" "));
  return [...rows, ...[...numbers].map(([text, number]) => tag("Note", `${number}:${text}`))];
}

/** Rows of the play: columns are the seats from the opening leader on. */
function pbnPlay({ play, hands, declarer }) {
  const leader = (SEATS.indexOf(declarer) + 1) % 4;
  const owners = ownersOf(hands);
  const rows = [tag("Play", SEATS[leader])];
  for (let start = 0; start < play.length; start += 4) {
    const trick = play.slice(start, start + 4);
    const seats = trick.map((card) => owners.get(card));
    const row = ["-", "-", "-", "-"];
    trick.forEach((card, place) => { row[(seats[place] - leader + 4) % 4] = card; });
    // no columns where it was not played from these hands
    rows.push((new Set(seats).size < seats.length ? trick : row).join(" "));
  }
  return play.length < 52 ? [...rows, "*"] : rows;
}

function pbnBoard(one) {
  const { dealer, contract, declarer } = one;
  const calls = one.calls ?? [];
  const isPassed = contract === "Pass";
  const players = one.players ?? ["", "", "", ""];
  const bid = outcomeOf(calls, dealer)?.declarer ?? null;
  const isIrregular = declarer !== null && bid !== null && SEATS[bid] !== declarer;
  const deal = [0, 1, 2, 3].map((offset) => one.hands[(dealer + offset) % 4] || "-").join(" ");
  return [
    tag("Event", one.event ?? ""), tag("Site", ""), tag("Date", ""), tag("Board", String(one.number ?? "")),
    tag("West", players[3]), tag("North", players[0]), tag("East", players[1]), tag("South", players[2]),
    tag("Dealer", SEATS[dealer]), tag("Vulnerable", one.vulnerability === "Both" ? "All" : one.vulnerability),
    tag("Deal", `${SEATS[dealer]}:${deal}`), tag("Scoring", ""),
    tag("Declarer", isPassed ? "" : (isIrregular ? "^" : "") + (declarer ?? "?")),
    tag("Contract", contract === null ? "?" : contract.replace(/^(\d)N/, "$1NT")),
    tag("Result", one.tricks === null ? "" : String(one.tricks)),
    ...(one.room ? [tag("Room", one.room[0].toUpperCase() + one.room.slice(1))] : []),
    ...(one.score === null ? [] : [tag("Score", `NS ${one.score}`)]),
    ...one.commentary.flatMap(pbnRemark),
    ...(calls.length || one.tail.length ? pbnAuction({ ...one, calls }) : []),
    ...(contract && !isPassed && declarer !== null && one.play.length && one.hands.every(Boolean) ? pbnPlay(one) : []),
  ].join("\n");
}

/** PBN of boards. */
export function pbnOf(boards) {
  return `% PBN 2.1\n% EXPORT\n${boards.map((one) => `${pbnBoard(one)}\n\n`).join("")}`;
}
