// Boards of PBN. loaders/pbn/pbn.py and pbn_columns.py are the definition.

import {
  board, dealerBy, outcomeOf, playRemark, readerRemark, resultOf, vulnerabilityBy,
} from "../boards/board_facts.js";
import { isOver, SEATS } from "../bridge/calls.js";
import { declarerTricks, ownersOf } from "../bridge/card_play.js";
import { readDeal } from "../bridge/cards.js";
import { gamesOf } from "./pbn_games.js";
import {
  omittedPasses, readAuction, readContract, readPlay, readResult, readScore, readSeat,
} from "./pbn_sections.js";
import { travellersOf } from "./pbn_travellers.js";
import { readVulnerability } from "../bridge/seats.js";
import { phrase } from "../texts.js";

/** What tags must say, if they say anything. */
const WORDS = {
  Dealer: (text) => readSeat(text) >= 0,
  Vulnerable: (text) => readVulnerability(text.trim()) !== null,
  Contract: (text) => readContract(text) !== null,
  Declarer: (text) => readSeat(text) >= 0,
  Result: (text) => readResult(text, 0, "1C") !== null,
  Score: (text) => readScore(text, 0) !== null,
};
const ROOMS = { open: "open", Open: "open", OPEN: "open", closed: "closed", Closed: "closed", CLOSED: "closed" };

function readNumber(text) {
  const numbers = text.match(/\d+/g) ?? [];
  return numbers.length === 1 && numbers[0].length <= 9 ? Number(numbers[0]) || null : null;
}

/** Seat of the first call; rows may be padded up to it from the seat named or from West. */
function openerOf(padding, dealer, named) {
  return padding && [named, (named + padding) % 4, (3 + padding) % 4].includes(dealer) ? dealer : named;
}

/** Whether a tag says anything: what is not known is left out or written as `?` or `-`. */
function says(text) {
  return text.replace(/^[ \t^?*\-#]+/, "") !== "";
}

/** What of the tags says something but not what it should. */
function unread(tags) {
  return Object.entries(WORDS).filter(([name, isRead]) => tags.has(name) && !isRead(tags.get(name)) && says(tags.get(name)))
    .map(([name]) => readerRemark(name, tags.get(name).trim()));
}

function playersOf(tag) {
  const names = ["North", "East", "South", "West"].map((seat) => tag(seat).replace(/^(?:\?|-+)$/, ""));
  return names.some(Boolean) ? names : null;
}

/** Play section of a game as far as it can be followed, and remarks about one that cannot. */
function playSection(game, hands) {
  const written = game.sections.get("Play") ?? "";
  if (hands.every(Boolean)) return { section: written, unfollowed: [] };
  const cards = written.replace(/[ \t\r\n]+/g, " ").replace(/^ | $/g, "");
  return { section: "", unfollowed: /[0-9A-Za-z]/.test(cards) ? [playRemark(cards)] : [] };
}

/** Contract and declarer in words, as far as they are known. */
function contractText(contract, declarer) {
  const seat = declarer >= 0 && contract !== "Pass" ? phrase("boards.by-seat", { seat: SEATS[declarer] }) : "";
  return `${contract ?? ""} ${seat}`.trim();
}

/** Remark about tags of another contract than that of the auction, or null; a lost double alone makes none. */
function otherContract(tags, made) {
  const isOtherBid = tags.contract && tags.contract.slice(0, 2) !== made.contract.slice(0, 2);
  const isOtherSeat = made.contract !== "Pass" && tags.declarer >= 0 && tags.declarer !== made.declarer;
  if (!isOtherBid && !isOtherSeat) return null;
  const expected = phrase("boards.expected-auction", { contract: contractText(made.contract, made.declarer) });
  return phrase("boards.told", { expected, text: contractText(tags.contract, tags.declarer) });
}

/** Calls, contract, declarer and cards of a game, remarks about them, and whether the tags tell of another contract. */
function playedOf(game, section, hands, opener, { calls, notes, tail }) {
  const tag = (name) => game.tags.get(name) ?? "";
  const owners = ownersOf(hands);
  const told = { contract: readContract(tag("Contract")), declarer: readSeat(tag("Declarer")) };
  let { contract, declarer } = told;
  let leader = readSeat(tag("Play"));
  const isIrregular = tag("Declarer").startsWith("^") && declarer >= 0;
  let outcome = outcomeOf(calls, opener);
  if (outcome) {
    if (!isIrregular) {
      const omitted = omittedPasses(calls, outcome, contract, declarer, leader);
      calls = [...Array(omitted).fill("P"), ...calls];
      notes = [...Array(omitted).fill([]), ...notes];
      outcome = outcomeOf(calls, opener);
      declarer = outcome.declarer ?? -1;
    }
    contract = outcome.contract;
  }
  if (contract === "Pass") declarer = -1;
  if (declarer >= 0) leader = (declarer + 1) % 4;
  const other = isOver(calls) && !tail.length ? otherContract(told, { contract, declarer }) : null;
  const remarks = other ? [other] : [];
  let play = [];
  let tricks = null;
  if (contract && contract !== "Pass" && leader >= 0) {
    const read = readPlay(section, owners, leader, contract[1]);
    play = read.played;
    if (read.unread) remarks.push(readerRemark("Play", read.unread));
    if (declarer >= 0) tricks = declarerTricks(play, owners, declarer, contract[1]);
  }
  if (contract && contract !== "Pass" && !other) tricks ??= readResult(tag("Result"), declarer, contract);
  declarer = declarer < 0 ? null : declarer;
  return { calls, notes, contract, declarer, play, tricks, remarks, isOther: other !== null };
}

/** Alerts and announcements: a call that refers to a note is alerted, the note's text is announced. */
function notesOf(game, calls, notes) {
  const announcements = notes.map((numbers) => (
    numbers.map((number) => game.notes.get(number)).filter(Boolean).join("; ")
  ));
  if (!game.tags.has("AlertedCalls")) return { announcements, alerts: notes.map((numbers) => numbers.length > 0) };
  // our writer's tag for alerts that are not simply the calls with a note
  const places = new Set(game.tags.get("AlertedCalls").split(/\s+/).filter((word) => /^\d+$/.test(word)).map(Number));
  return { announcements, alerts: calls.map((_, place) => places.has(place + 1)) };
}

function boardOf(game, { hands, dealer: firstHand }) {
  const tag = (name) => game.tags.get(name) ?? "";
  const number = readNumber(tag("Board"));
  const named = game.sections.has("Auction") ? readSeat(tag("Auction")) : -1;
  let dealer = readSeat(tag("Dealer"));
  if (dealer < 0) dealer = named >= 0 ? named : number && !says(tag("Dealer")) ? dealerBy(number) : firstHand;
  const auction = readAuction(game.sections.get("Auction") ?? "");
  const opener = openerOf(auction.padding, dealer, named >= 0 ? named : dealer);
  const word = tag("Vulnerable").trim();
  const sides = word ? readVulnerability(word) : null;
  const isKnown = sides !== null || !says(word);
  const vulnerability = sides ?? (isKnown ? vulnerabilityBy(number) : "None");
  const { section, unfollowed } = playSection(game, hands);
  const played = playedOf(game, section, hands, opener, auction);
  const result = resultOf(played, isKnown ? vulnerability : null);
  const event = tag("Event");
  return board({
    hands, number, vulnerability, record: game.number, tail: auction.tail, room: ROOMS[tag("Room")] ?? null,
    // the auction's seats are those of its opener
    dealer: played.calls.length ? opener : dealer,
    calls: played.calls, ...notesOf(game, played.calls, played.notes), play: played.play, ...result,
    score: (played.isOther ? null : readScore(tag("Score"), played.declarer ?? -1)) ?? result.score,
    commentary: [...game.comments, ...unread(game.tags), ...unfollowed, ...played.remarks], players: playersOf(tag),
    event: event === "?" ? null : event || null,
  });
}

/** Each board of PBN text as {board}, or {problem, record, number} where it cannot be used. */
export function* pbnBoards(text) {
  for (const game of gamesOf(text)) {
    if (game.foreign !== undefined) {
      const line = game.foreign.split("\n")[0].slice(0, 60);
      yield { problem: phrase("boards.no-tag", { text: line }), record: game.number, number: null };
      continue;
    }
    const number = readNumber(game.tags.get("Board") ?? "");
    const refused = (problem, record) => ({ problem, record, number, room: null });
    const deal = game.tags.get("Deal") ?? "";
    let hands;
    try {
      if (["", "?", "-"].includes(deal.trim())) throw new Error(phrase("boards.no-deal"));
      hands = readDeal(deal);
    } catch (error) {
      yield refused(error.message, game.number);
      for (const place of game.travellers.keys()) yield refused(error.message, game.firstTraveller + place);
      continue;
    }
    yield { board: boardOf(game, hands) };
    for (const traveller of travellersOf(game)) {
      yield traveller.problem ? refused(traveller.problem, traveller.number) : { board: boardOf(traveller, hands) };
    }
  }
}
