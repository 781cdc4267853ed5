// What is shown, kept in the address: a deal with its auction can be shared as a link.

import { firstIllegal, isOver, readCalls, SEATS, writtenCall } from "./bridge/calls.js";
import { completeHands, wholeHand } from "./bridge/cards.js";
import { readVulnerability } from "./bridge/seats.js";
import { phrase } from "./texts.js";

/** Views with deals of their own, which the person does not see in whole. */
export const GAMES = ["bid", "practice", "cards"];
/** Views with hands of their own and no place among the pages: another view leads to them. */
export const LED_TO = ["handout"];
export const VIEWS = ["call", "shown", "auctions", "compare", "lead", "book", "card", "boards", ...GAMES, ...LED_TO, "systems", "archives", "jobs"];
/** Names that addresses of views had before. */
const OLD_VIEWS = { table: "book", play: "bid" };

const EMPTY = {
  hands: ["", "", "", ""], dealer: 0, vulnerability: "None", calls: [], at: null, table: "",
  view: "call", eyes: "", other: "", asked: "",
};

let current = { ...EMPTY };
const listeners = [];

export function state() {
  return current;
}

/** Calls before the place that is looked at. */
export function callsBefore(one = current) {
  return one.at === null ? one.calls : one.calls.slice(0, one.at);
}

/** Seat that calls at the place that is looked at. */
export function seatToCall(one = current) {
  return (one.dealer + callsBefore(one).length) % 4;
}

export function hasAllHands(one = current) {
  return one.hands.every(Boolean);
}

export function isAtEnd(one = current) {
  return isOver(callsBefore(one));
}

/** What a question about the place that is looked at tells of it; the default table goes unnamed. */
export function placeRequest(one = current) {
  return {
    auction: callsBefore(one), dealer: SEATS[one.dealer], vulnerability: one.vulnerability,
    ...(one.table ? { table: one.table } : {}),
  };
}

/** Fragment of an address that shows a state. */
export function fragmentOf(one) {
  const parts = [];
  const add = (name, value) => {
    if (value !== "") parts.push(`${name}=${encodeURIComponent(value)}`);
  };
  one.hands.forEach((hand, seat) => add(SEATS[seat].toLowerCase(), hand));
  add("dealer", SEATS[one.dealer]);
  add("vul", one.vulnerability);
  add("auction", one.calls.join("-"));
  if (one.at !== null) add("at", String(one.at));
  add("table", one.table);
  if (one.view !== EMPTY.view) add("view", one.view);
  add("eyes", one.eyes);
  add("with", one.other);
  add("ask", one.asked);
  return `#${parts.join("&")}`;
}

/** Address of the current state with some changes, for links. */
export function linkTo(changes) {
  return fragmentOf(changed(changes));
}

function changed(changes) {
  const next = { ...current, ...changes };
  if (next.at !== null && next.at >= next.calls.length) next.at = null;
  return next;
}

/** State of a fragment, with sentences about what could not be read in it. */
export function readFragment(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const next = { ...EMPTY };
  const complaints = [];
  const attempt = (read) => {
    try {
      read();
    } catch (error) {
      complaints.push(phrase("link.broken", { problem: error.message }));
    }
  };
  attempt(() => {
    next.hands = completeHands(SEATS.map((seat) => {
      const hand = fields.get(seat.toLowerCase());
      return hand ? wholeHand(hand) : "";
    }));
  });
  const dealer = SEATS.indexOf((fields.get("dealer") ?? "N").toUpperCase());
  if (dealer >= 0) next.dealer = dealer;
  else complaints.push(phrase("link.no-dealer"));
  const vulnerability = readVulnerability((fields.get("vul") ?? "").trim());
  if (vulnerability) next.vulnerability = vulnerability;
  else complaints.push(phrase("link.no-vulnerability"));
  attempt(() => {
    const calls = readCalls(fields.get("auction") ?? "");
    const illegal = firstIllegal(calls);
    next.calls = illegal < 0 ? calls : calls.slice(0, illegal);
    if (illegal >= 0) throw new Error(phrase("link.illegal", { call: writtenCall(calls[illegal]) }));
  });
  const at = fields.get("at");
  if (/^\d+$/.test(at ?? "") && Number(at) < next.calls.length) next.at = Number(at);
  if (fields.get("table")) next.table = fields.get("table");
  const view = OLD_VIEWS[fields.get("view")] ?? fields.get("view");
  if (VIEWS.includes(view)) next.view = view;
  else if (view) complaints.push(phrase("link.no-view"));
  if (SEATS.includes(fields.get("eyes"))) next.eyes = fields.get("eyes");
  if (fields.get("with")) next.other = fields.get("with");
  if (fields.get("ask")) next.asked = fields.get("ask");
  // older addresses name the system of that view so
  if (next.view === "systems" && next.asked) Object.assign(next, { table: next.asked, asked: "" });
  return { next, complaints };
}

export function onChange(listener) {
  listeners.push(listener);
}

function tell(before, complaints = [], notes = []) {
  for (const listener of listeners) listener(current, before, complaints, notes);
}

let takesIn = { carries: () => false, takeIn: null };

/**
 * `carries(fragment)` tells links that bring something along, which `takeIn(fragment)` keeps: then `{fragment, notes,
 * complaints}` of what is left are there.
 */
export function useTakingIn(how) {
  takesIn = how;
}

/** Change the state; `quiet` replaces the entry in the browser's history. */
export function change(changes, { quiet = false } = {}) {
  const before = current;
  current = changed(changes);
  const fragment = fragmentOf(current);
  if (fragment !== location.hash) {
    if (quiet) history.replaceState(null, "", fragment);
    else history.pushState(null, "", fragment);
  }
  tell(before);
}

/** Turn to what a link of the page shows, as if the browser had opened it; gives sentences about what of it is wrong. */
export function follow(query) {
  const { complaints } = readFragment(query);
  if (`#${query}` !== location.hash) history.pushState(null, "", `#${query}`);
  readAddress();
  return complaints;
}

let lastRead = null;

function readAddress() {
  // following a link tells both popstate and hashchange
  if (location.hash === lastRead && fragmentOf(current) === location.hash) return;
  lastRead = location.hash;
  if (takesIn.carries(location.hash)) takeIn(location.hash);
  else show(location.hash);
}

function show(fragment, told = { complaints: [], notes: [] }) {
  const before = current;
  const { next, complaints } = readFragment(fragment);
  current = next;
  tell(before, [...told.complaints, ...complaints], told.notes);
}

async function takeIn(hash) {
  const told = await takesIn.takeIn(hash);
  // who has gone on meanwhile stays there
  if (location.hash !== hash) return;
  history.replaceState(null, "", told.fragment);
  lastRead = location.hash;
  show(told.fragment, told);
}

/** Begin with what the address says, and follow it from now on. */
export function begin() {
  addEventListener("hashchange", readAddress);
  addEventListener("popstate", readAddress);
  readAddress();
}
