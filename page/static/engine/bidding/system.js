// A bidding system made ready to bid: systems/system.py is the definition.

import { Auction, CALL_TEXTS, formatCalls, IllegalCall, parseCalls } from "../deals/calls.js";
import { answerFromSystem } from "./bid_answer.js";
import { Bidder } from "./bidder.js";
import { contextAt, parseSeat, parseVulnerability } from "../deals/deals.js";
import { explainPlaces } from "../words/explanation.js";
import { parseHand } from "../deals/hands.js";
import { optionRows } from "../language/options.js";
import { Rules } from "../places/places.js";

const handOf = (hand) => (typeof hand === "string" ? parseHand(hand) : hand);
const seatOf = (dealer) => (typeof dealer === "string" ? parseSeat(dealer) : dealer);
const sidesOf = (sides) => (typeof sides === "string" ? parseVulnerability(sides) : sides);

/** A system of a text that was read; `opponents` is what the other side plays, the same unless given. */
export class System {
  #bidders = new WeakMap();

  constructor(text, opponents = null) {
    this.text = text;
    this.title = text.title;
    this.rules = new Rules(text);
    this.opponents = opponents ?? this;
  }

  /** Options of the text in its order, and whether they hold: `{name, title, about, on, within}` each. */
  get options() {
    return optionRows(this.text);
  }

  /** Places of this system, played by the dealer's side if `first`, against another. */
  bidder(opponents = this.opponents, first = true) {
    const cached = this.#bidders.get(opponents) ?? [];
    this.#bidders.set(opponents, cached);
    const key = first || opponents === this ? 0 : 1;
    const [one, two] = key ? [opponents, this] : [this, opponents];
    cached[key] ??= new Bidder(one.rules, two.rules);
    return cached[key];
  }

  /** Entries after an auction that goes on, in the order in which they are tried. */
  expand(auction = []) {
    const calls = parseCalls(auction);
    if (Auction.of(calls).isComplete) {
      throw new IllegalCall(`expected an auction that goes on, got '${formatCalls(calls)}'`);
    }
    return this.bidder(this.opponents, calls.length % 2 === 0).place(calls);
  }

  /** The call for a hand and why, with all candidates: what `POST /v1/bid` answers. With `words` criteria tell the phrases of their line. */
  bid(hand, auction = [], { dealer = 0, vulnerability = 0, words = false } = {}) {
    const place = this.expand(auction);
    const { calls } = place;
    const bidder = this.bidder(this.opponents, calls.length % 2 === 0);
    return answerFromSystem(
      place, handOf(hand), contextAt(calls.length, seatOf(dealer), sidesOf(vulnerability)),
      words ? (condition, bindings) => bidder.lowered(condition, calls, bindings) : null,
    );
  }

  /** Every line that may follow, tested on a hand. */
  candidates(hand, auction = [], circumstances = {}) {
    return this.bid(hand, auction, circumstances).candidates;
  }

  /** Calls of the auction that four hands N, E, S, W bid, to its end; the dealer's side plays this system. */
  auction(hands, { dealer = 0, vulnerability = 0, opponents = this.opponents } = {}) {
    return this.bidDeal(hands.map(handOf), seatOf(dealer), sidesOf(vulnerability), opponents)
      .calls.map((call) => CALL_TEXTS[call]);
  }

  /** Codes of the auction of a deal, and the entry that made the last call (null for a pass by default). */
  bidDeal(hands, dealer, vulnerability, opponents = this.opponents) {
    return this.bidder(opponents).bid(hands, dealer, vulnerability);
  }

  /** What every call of an auction has shown: what `GET /v1/tables/{name}/explain` answers. */
  explain(auction = [], { dealer = 0, vulnerability = null } = {}) {
    const calls = parseCalls(auction);
    const bidder = this.bidder(this.opponents, calls.length % 2 === 0);
    return explainPlaces(bidder, calls, seatOf(dealer), vulnerability === null ? null : sidesOf(vulnerability));
  }
}
