// The places of two systems against each other, worked out by the core: systems/auctions/bidder.py.

import { readState } from "../places/auction_reader.js";
import { Core, FAULTY_FIRST, FAULTY_OTHER, FINE, ILLEGAL, TOO_MANY_ENTRIES } from "../core.js";
import { contextAt, contextNumber } from "../deals/deals.js";
import { isEmpty } from "../places/cells.js";
import { InvalidSystem } from "../errors.js";
import { cached } from "../cache.js";
import { codeOf, Program } from "../rows/program.js";

const MOST_CACHED = 2000;
const WORDS_OF_ENTRY = 6;

/** Places of the players at positions 0 and 2, and at 1 and 3. What it has worked out lies in the core. */
export class Bidder {
  #rules;
  #opened = null;
  #at = [];
  #places = cached(MOST_CACHED, (key) => this.#workOut(callsOf(key)));
  #states = cached(MOST_CACHED, (key) => readState(this, callsOf(key)));

  constructor(dealerSide, otherSide = dealerSide) {
    this.#rules = [dealerSide, otherSide];
  }

  #open() {
    if (this.#opened === null) {
      const core = new Core();
      const [first, other] = this.#rules;
      const tags = new Map();
      const program = new Program(core, first, tags);
      const programs = [program, first === other ? program : new Program(core, other, tags)];
      this.#opened = { core, programs, bidder: core.bidder(programs[0].system, programs[1].system) };
    }
    return this.#opened;
  }

  /** Hand the systems over to the core, if they are not there; fails where the first question would. */
  makeReady() {
    this.#open();
  }

  /** Programs of the two sides. */
  get programs() {
    return this.#open().programs;
  }

  /** The same places by what calls mean at a vulnerability: lines that hold at another one alone say nothing. */
  at(dealer, vulnerability) {
    const [first, other] = [0, 1].map((step) => contextAt(step, dealer, vulnerability).vulWe);
    const key = Number(first) + 2 * Number(other);
    this.#at[key] ??= new BidderAt(this, (depth) => contextNumber(contextAt(depth, dealer, vulnerability)));
    return this.#at[key];
  }

  /** Seat and vulnerability of the player to call; null for any. */
  contextOf() {
    return null;
  }

  /** Do something with the core; what it could not do is said. Where it breaks it is opened anew. */
  #ask(work) {
    const opened = this.#open();
    let answer;
    try {
      answer = work(opened);
    } catch (error) {
      this.#opened = null;
      throw error;
    }
    switch (answer.outcome) {
      case FINE: return answer;
      case FAULTY_FIRST: throw opened.programs[0].error();
      case FAULTY_OTHER: throw opened.programs[1].error();
      case TOO_MANY_ENTRIES:
        throw new InvalidSystem(
          "expected at most 16,777,216 entries at one place; does a line stand for too many calls?",
        );
      case ILLEGAL: throw new RangeError("expected a legal auction");
      default: throw new RangeError(`expected an outcome of the core, got ${answer.outcome}`);
    }
  }

  #workOut(calls) {
    return this.#ask(({ core, bidder, programs }) => {
      const found = core.place(bidder, calls);
      if (found.outcome !== FINE) return found;
      const words = core.entries(bidder, found.place);
      const program = programs[calls.length % 2];
      const entries = [];
      let rank = -1;
      for (let at = 0; at < words.length; at += WORDS_OF_ENTRY) {
        const [number, ...row] = words.slice(at, at + WORDS_OF_ENTRY);
        rank += row.pop();
        entries.push(program.entry(number, row, rank));
      }
      return { ...found, calls, entries };
    });
  }

  /** What is known behind a legal auction, and the entries of the player to call, in the order in which they are tried. */
  place(calls) {
    return this.#places(String.fromCharCode(...calls));
  }

  /** What a legal auction has shown and agreed. */
  state(calls) {
    return this.#states(String.fromCharCode(...calls));
  }

  /** Expression that a condition of the text becomes behind calls, under bindings. */
  lowered(condition, calls, bindings) {
    const side = calls.length % 2;
    const { number } = this.#ask(({ core, bidder, programs }) => {
      const { outcome, place } = core.place(bidder, calls);
      if (outcome !== FINE) return { outcome };
      const found = core.lowered(bidder, place, programs[side].conditionNumber(condition), codeOf(bindings));
      return { outcome: found < 0 ? FAULTY_FIRST + side : FINE, number: found };
    });
    return this.programs[side].expression(number);
  }

  /** Entries that hands choose behind an auction that goes on; null for a pass by default. */
  chosen(calls, hands, context) {
    const { entries } = this.#ask(({ core, bidder }) => core.choose(bidder, calls, hands, contextNumber(context)));
    const program = this.programs[calls.length % 2];
    return entries.map((number) => (number < 0 ? null : program.entryNumbered(number)));
  }

  /** Calls of the auction of a deal, and the entry that made the last one, null for a pass by default. */
  bid(hands, dealer, vulnerability) {
    const { calls, entry } = this.#ask(({ core, bidder }) => core.bid(bidder, hands, dealer, vulnerability));
    return { calls, entry: entry < 0 ? null : this.programs[(calls.length - 1) % 2].entryNumbered(entry) };
  }

  /** Auctions `{calls, completed, entries}` that are allowed for a deal, and what cut the list: 0 if nothing did. */
  list(hands, bounds) {
    const { words } = this.#ask(({ core, bidder }) => core.list(bidder, hands, bounds));
    const [cut] = words;
    const auctions = [];
    for (let at = 1; at < words.length;) {
      const calls = Array.from(words.subarray(at + 1, at + 1 + words[at]));
      at += 1 + calls.length;
      const completed = words[at] === 1;
      const held = words.subarray(at + 2, at + 2 + words[at + 1]);
      at += 2 + held.length;
      const program = this.programs[(calls.length - 1) % 2];
      auctions.push({ calls, completed, entries: Array.from(held, (number) => program.entryNumbered(number)) });
    }
    return { auctions, cut };
  }
}

/** Reads the auctions of a bidder at one vulnerability. */
class BidderAt {
  #states = cached(MOST_CACHED, (key) => readState(this, callsOf(key)));
  #places = cached(MOST_CACHED, (key) => this.#held(callsOf(key)));

  constructor(bidder, contextOf) {
    this.bidder = bidder;
    this.contextOf = contextOf;
  }

  #held(calls) {
    const place = this.bidder.place(calls);
    const context = this.contextOf(calls.length);
    return { ...place, entries: place.entries.filter(({ constraint }) => !isEmpty(constraint.at(context).can)) };
  }

  place(calls) {
    return this.#places(String.fromCharCode(...calls));
  }

  state(calls) {
    return this.#states(String.fromCharCode(...calls));
  }

  lowered(condition, calls, bindings) {
    return this.bidder.lowered(condition, calls, bindings);
  }
}

function callsOf(key) {
  return Array.from(key, (letter) => letter.charCodeAt(0));
}
