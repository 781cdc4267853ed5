// What the service answers to the page's questions, made by systems that are loaded here: the fields that the
// page reads, of the routes under service/api.

import { allowedAuctions } from "./bidding/allowed.js";
import { Auction, formatCall, parseCall, parseCalls, PASS, splitCalls } from "./deals/calls.js";
import { whereText } from "./bidding/bid_answer.js";
import { parseDeal, parseSeat, parseVulnerability, SEATS } from "./deals/deals.js";
import { agreementsOf, descriptionOf } from "./words/describing.js";
import { conventionCard } from "./words/convention_card.js";
import { parseHand } from "./deals/hands.js";
import { interpretation } from "./words/interpretation.js";
import { layoutsAnswer } from "./deals/layouts.js";
import { paced } from "./pace.js";
import { topicsOf } from "./words/topics.js";

const MOST_LAYOUTS = 10_000;

/** Kinds of problems: status and title as service/api/http/problems.py has them. */
const KINDS = {
  "not-found": [404, "There is nothing at this path"],
  "unknown-table": [404, "There is no bidding table of this name"],
  "no-such-deal": [422, "No deal meets what is known of it and asked of it"],
  "invalid-request": [422, "Something in the request is wrong"],
};

/** An error that is an answer: `kind`, `status`, and `problem` as the service's body has it. */
export class Problem extends Error {
  constructor(kind, detail, errors = []) {
    super(detail);
    this.kind = kind;
    const [status, title] = KINDS[kind];
    this.status = status;
    this.problem = { title, detail, errors };
  }
}

function fieldProblem(field, reason) {
  return new Problem("invalid-request", `${field}: ${reason}`, [{ field, reason }]);
}

/** Read one field of a question; what is wrong names it. */
function readField(read, value, field) {
  if (value === undefined || value === null) throw fieldProblem(field, "expected this field");
  if (typeof value !== "string") throw fieldProblem(field, "expected text");
  try {
    return read(value);
  } catch (error) {
    throw fieldProblem(field, error.message);
  }
}

/** An auction of a request: a list of calls, or one text of them. */
function readCalls(written = []) {
  const texts = typeof written === "string" ? splitCalls(written) : written;
  if (!Array.isArray(texts)) throw fieldProblem("auction", "expected a list");
  let auction = new Auction();
  texts.forEach((text, number) => {
    const field = `auction[${number}]`;
    const call = readField((one) => parseCall(one.trim()), text, field);
    auction = readField(() => auction.add(call), text, field);
  });
  return auction;
}

function circumstancesOf({ dealer = "N", vulnerability = "None" }, path = "") {
  return {
    dealer: readField(parseSeat, dealer, `${path}dealer`),
    vulnerability: readField(parseVulnerability, vulnerability, `${path}vulnerability`),
  };
}

function readNumber(value, field, most) {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw fieldProblem(field, `expected a whole number from 1 to ${most}`);
}

// --- routes ---------------------------------------------------------------------------------------

function bid(system, request) {
  const hand = readField(parseHand, request.hand, "hand");
  const circumstances = circumstancesOf(request);
  const auction = readCalls(request.auction);
  if (auction.isComplete) {
    throw fieldProblem("auction", `expected an auction that goes on, got '${auction.calls.map(formatCall).join(" ")}'`);
  }
  const { candidates, ...answer } = system.bid(hand, auction.calls, { ...circumstances, words: request.words === true });
  return request.candidates === true ? { ...answer, candidates } : answer;
}

async function auctions(system, request, tell, opponents) {
  if (!Array.isArray(request.deals)) throw fieldProblem("deals", "expected a list");
  const limit = readNumber(request.limit ?? 100, "limit", 1e6);
  const deals = request.deals.map((one, number) => {
    const hands = readField(parseDeal, one.deal, `deals[${number}].deal`);
    return { hands, ...circumstancesOf({ dealer: one.deal.trim()[0], ...one }, `deals[${number}].`) };
  });
  const pace = paced(tell);
  const results = [];
  for (const { hands, dealer, vulnerability } of deals) {
    await pace(results.length);
    if (request.mode === "first") {
      const { calls, entry } = system.bidDeal(hands, dealer, vulnerability, opponents);
      const auction = { calls, completed: true, variants: entry?.name ? [entry.name] : [] };
      results.push({ total: 1, truncated: false, auctions: [written(auction)] });
      continue;
    }
    const about = { dealer, vulnerability, limit };
    const { auctions: found, cut } = allowedAuctions(system.bidder(opponents), hands, about);
    // where a limit cut, one auction more was met
    const total = found.length + (cut === "limit");
    results.push({ total, truncated: cut !== null, cut, auctions: found.map(written) });
  }
  return { results };
}

function written({ calls, completed, variants }) {
  return { calls: calls.map(formatCall), completed, entry: null, variants };
}

function next(system, auction) {
  const { calls } = auction;
  const completed = auction.isComplete;
  const answer = { auction: calls.map(formatCall), entry: null, completed, forced: false, entries: [] };
  if (completed) return answer;
  const place = system.expand(calls);
  const variants = new Map();
  for (const entry of place.entries) variants.set(entry.call, [...(variants.get(entry.call) ?? []), variantOf(entry)]);
  if (!variants.has(PASS)) variants.set(PASS, [{ ...VARIANT, name: "Pass" }]);
  return {
    ...answer, forced: place.forced,
    entries: [...variants].map(([call, found]) => ({
      // how many calls go on is counted by compiled tables only
      call: formatCall(call), entry: null, completed: auction.add(call).isComplete, next: null, variants: found,
    })),
  };
}

const VARIANT = { name: "", description: "", criteria: [], rank: null, tags: [], where: "", count: null };

function variantOf(entry) {
  return {
    ...VARIANT, name: entry.name, description: descriptionOf(entry), criteria: entry.criteria.map((one) => one.text),
    rank: entry.rank, tags: agreementsOf(entry), where: whereText(entry.where),
  };
}

/** Questions about what hands may hold: the auction, and hands that are known. */
function aboutHands(request, count) {
  const known = Object.entries(request.known ?? {}).map(([letter, hand]) => [
    SEATS[readField(parseSeat, letter, `known.${letter}`)], readField(parseHand, hand, `known.${letter}`),
  ]);
  const cards = [0, 1, 2, 3].map((suit) => known.map(([, hand]) => hand[suit]));
  if (cards.some((held) => held.reduce((both, one) => both | one, 0) !== held.reduce((sum, one) => sum + one, 0))) {
    throw fieldProblem("known", "expected each card once");
  }
  const seed = request.seed ?? 0;
  if (!Number.isSafeInteger(seed) || seed < 0) throw fieldProblem("seed", "expected a whole number from 0");
  return { ...circumstancesOf(request), known: Object.fromEntries(known), count, seed };
}

function layouts(system, request, tell) {
  const count = readNumber(request.count ?? 100, "count", MOST_LAYOUTS);
  return layoutsAnswer(system, readCalls(request.auction).calls, aboutHands(request, count), tell);
}

async function interpret(system, request, tell) {
  const count = readNumber(request.layouts ?? 500, "layouts", MOST_LAYOUTS);
  const auction = readCalls(request.auction);
  const found = await interpretation(system, auction.calls, auction.isComplete, aboutHands(request, count), tell);
  if (!found) throw new Problem("no-such-deal", "no such deal found in time");
  return found;
}

function explain(system, auction, tell, query) {
  const circumstances = {
    dealer: readField(parseSeat, query.get("dealer") ?? "N", "dealer"),
    vulnerability: query.has("vulnerability") ? readField(parseVulnerability, query.get("vulnerability"), "vulnerability") : null,
  };
  const { auction: text, ...explanation } = system.explain(auction.calls, circumstances);
  return { ...explanation, auction: text.split(" ").filter(Boolean) };
}

async function topics(system, auction, tell) {
  return { topics: await topicsOf(system, tell) };
}

// --- the whole ------------------------------------------------------------------------------------

const card = (system, auction, tell) => conventionCard(system, tell);

const POSTS = { "/v1/bid": bid, "/v1/auctions": auctions, "/v1/layouts": layouts, "/v1/interpret": interpret };
const GETS = { next, explain, topics, card };

/** What the service would answer to `method path` with a body; `systems` are those loaded, by name. */
export async function answerOf(systems, { method, path, body }, tell) {
  const named = (name) => {
    const found = systems.get(name);
    if (!found) throw new Problem("unknown-table", `expected one of ${[...systems.keys()].join(", ")}, got '${name}'`);
    return found;
  };
  const [route, query = ""] = path.split("?");
  if (method === "POST" && Object.hasOwn(POSTS, route)) {
    const request = body ?? {};
    return POSTS[route](named(request.table), request, tell, request.opponents && named(request.opponents));
  }
  const [, name, what] = /^\/v1\/tables\/([^/]+)\/(\w+)$/.exec(route) ?? [];
  if (method !== "GET" || !Object.hasOwn(GETS, what ?? "")) {
    throw new Problem("not-found", `expected a question that the engine answers, got '${path}'`);
  }
  const fields = new URLSearchParams(query);
  const auction = fields.get("auction") ?? "";
  const read = readField((text) => Auction.of(parseCalls(text)), auction, "auction");
  return GETS[what](named(decodeURIComponent(name)), read, tell, fields);
}
