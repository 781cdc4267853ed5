// The core, compiled to WebAssembly: its functions over arrays of JavaScript. kernels/core/browser.cpp says what each
// one answers. A module is compiled once; each pair of systems has an instance, and so its memory, of its own.

import version from "./core_version.js";

/** What was worked out, or why not: `Outcome` of kernels/core/places/bidder.hpp. */
export const FINE = 0;
export const FAULTY_FIRST = 1;
export const FAULTY_OTHER = 2;
export const TOO_MANY_ENTRIES = 3;
export const ILLEGAL = 4;
const MOST_CALLS = 320;
/** Hands that are asked about at once. */
const MOST_HANDS = 1 << 10;

/** The browser has no WebAssembly, or its bytes are not those of these scripts: nobody bids here. */
export class NoCore extends Error {
  constructor(message, status = "missing") {
    super(message);
    this.name = "NoCore";
    /** "missing", or "version" where the bytes are those of other scripts. */
    this.status = status;
    this.kind = "no-core";
  }
}

let compiled = null;

/** Whether `useCore` was called. */
export function hasCore() {
  return compiled !== null;
}

/** Compile the core's bytes, or what a request for them gives. */
export async function useCore(source) {
  if (typeof WebAssembly !== "object") throw new NoCore("this browser has no WebAssembly");
  let module;
  try {
    module = await WebAssembly.compile(await source);
  } catch (error) {
    throw new NoCore(`the engine's core does not start: ${error.message}`);
  }
  checkVersion(new Core(module));
  compiled = module;
}

function checkVersion(core) {
  const found = core.version;
  if (found === version) return;
  throw new NoCore(`expected version ${version} of the engine's core, got ${found}: load the page anew`, "version");
}

/** One instance. Numbers that it takes and gives are addresses in its memory, or numbers of rows there. */
export class Core {
  #exports;
  /** Words of answers; where calls and hands are written. */
  #out;
  #calls;
  #hands;

  constructor(module = compiled) {
    if (module === null) throw new NoCore("the engine's core was not loaded");
    try {
      this.#exports = new WebAssembly.Instance(module, { core: { no_memory: outOfMemory } }).exports;
      this.#out = this.#exports.core_allocate(4 * (MOST_CALLS + 16));
      this.#calls = this.#exports.core_allocate(MOST_CALLS);
      this.#hands = this.#exports.core_allocate(12 * MOST_HANDS);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new NoCore(`the engine's core does not start: ${error.message}`);
    }
  }

  get version() {
    const half = (which) => (this.#exports.core_version(which) >>> 0).toString(16).padStart(8, "0");
    return half(1) + half(0);
  }

  // Arrays move when the memory grows: a view lives as long as nothing is asked.

  #words(address, count) {
    return new Int32Array(this.#exports.memory.buffer, address, count);
  }

  #put(words) {
    const address = this.#exports.core_allocate(4 * words.length);
    this.#words(address, words.length).set(words);
    return address;
  }

  #putCalls(calls) {
    new Uint8Array(this.#exports.memory.buffer, this.#calls, MOST_CALLS).set(calls);
    return calls.length;
  }

  #putHands(hands) {
    const words = this.#words(this.#hands, 2 * hands.length);
    hands.forEach(([clubs, diamonds, hearts, spades], place) => {
      words[2 * place] = clubs | diamonds << 13 | hearts << 26;
      words[2 * place + 1] = hearts >> 6 | spades << 7;
    });
    return this.#hands;
  }

  #list(name, ...given) {
    const count = this.#exports[name](...given, this.#out);
    return Array.from(this.#words(this.#words(this.#out, 1)[0], count));
  }

  // --- systems ------------------------------------------------------------------------------------

  /** Open a system of its rows; null if they are none. */
  open(text, structure) {
    const [first, second] = [this.#put(text), this.#put(structure)];
    const system = this.#exports.core_open(first, text.length, second, structure.length);
    this.#exports.core_release(first, 4 * text.length);
    this.#exports.core_release(second, 4 * structure.length);
    return system || null;
  }

  /** Why something could not be learned: a fault, and four whole numbers, which may be large. */
  problem(system) {
    this.#exports.core_problem(system, this.#out);
    return Array.from(new BigInt64Array(this.#exports.memory.buffer, this.#out, 5));
  }

  /** Words of an expression. */
  expression(system, number) {
    return this.#list("core_expression", system, number);
  }

  /** Expressions that a constraint asks for. */
  criteria(system, constraint) {
    return this.#list("core_criteria", system, constraint);
  }

  /** Cells where some hand, or where every hand, meets a constraint. */
  cells(system, constraint, must) {
    return this.#set(this.#exports.core_cells(system, constraint, Number(must)));
  }

  /** The same in one context, a number of `contextNumber`. */
  cellsAt(system, constraint, must, context) {
    return this.#set(this.#exports.core_cells_at(system, constraint, Number(must), context));
  }

  #set(address) {
    const words = this.#exports.core_set_words();
    return new Uint32Array(this.#exports.memory.buffer.slice(address, address + 4 * words));
  }

  get everything() {
    return this.#set(this.#exports.core_everything());
  }

  /** Number of hands in each cell. */
  get hands() {
    const address = this.#exports.core_hands();
    return new Float64Array(this.#exports.memory.buffer.slice(address, address + 8 * CELLS));
  }

  /** Share of each cell's hands that meet a constraint, in one context if it is given. */
  proportion(system, constraint, context = -1) {
    const address = this.#exports.core_allocate(8 * CELLS);
    this.#exports.core_proportion(system, constraint, context, address);
    const found = new Float64Array(this.#exports.memory.buffer.slice(address, address + 8 * CELLS));
    this.#exports.core_release(address, 8 * CELLS);
    return found;
  }

  /** Least and most points, and cards of each suit, in a set of cells. */
  hull(cells) {
    const address = this.#put(cells);
    this.#exports.core_hull(address, this.#out);
    this.#exports.core_release(address, 4 * cells.length);
    const ends = new Uint8Array(this.#exports.memory.buffer, this.#out, 10);
    return [0, 2, 4, 6, 8].map((at) => [ends[at], ends[at + 1]]);
  }

  /** Whether an expression holds for a hand; null with a problem. */
  holds(system, expression, hand, context) {
    const found = this.#exports.core_holds(system, expression, this.#putHands([hand]), context);
    return found < 0 ? null : found === 1;
  }

  /** What a name is worth for a hand, `[value, boolean, scale]`; null with a problem. */
  value(system, name, hand, context) {
    const isFound = this.#exports.core_value(system, name, this.#putHands([hand]), context, this.#out);
    return isFound ? Array.from(this.#words(this.#out, 3)) : null;
  }

  /** Values of a term for hands that are nowhere. */
  values(system, term, hands) {
    return inParts(hands, (some) => {
      const out = this.#hands + 8 * MOST_HANDS;
      this.#exports.core_values(system, term, this.#putHands(some), some.length, out);
      return this.#words(out, some.length);
    });
  }

  // --- places -------------------------------------------------------------------------------------

  /** Places of two systems against each other. */
  bidder(first, other) {
    return this.#exports.core_bidder(first, other);
  }

  /** Work out the place behind calls: an outcome, and what is known there. */
  place(bidder, calls) {
    const outcome = this.#exports.core_place(bidder, this.#calls, this.#putCalls(calls), this.#out);
    if (outcome !== FINE) return { outcome };
    const [place, forced, ...more] = this.#words(this.#out, 10);
    return {
      outcome, place, forced: forced === 1, gameForced: [more[0] === 1, more[1] === 1], agreed: more.slice(2, 4),
      cells: more.slice(4).map((address) => this.#set(address)),
    };
  }

  /** Entries of a place that was worked out last: number, call, variant, constraint, bindings, whether a rank begins. */
  entries(bidder, place) {
    return this.#list("core_entries", bidder, place);
  }

  /** Number of the expression that a condition becomes at a place that was worked out last; -1 with a problem. */
  lowered(bidder, place, condition, bindings) {
    return this.#exports.core_lowered(bidder, place, condition, bindings);
  }

  /** Entries that hands choose behind calls, -1 for a pass by default: an outcome and these. */
  choose(bidder, calls, hands, context) {
    const count = this.#putCalls(calls);
    let outcome = FINE;
    const entries = inParts(hands, (some) => {
      const out = this.#hands + 8 * MOST_HANDS;
      outcome ||= this.#exports.core_choose(
        bidder, this.#calls, count, this.#putHands(some), some.length, context, out,
      );
      return this.#words(out, some.length);
    });
    return { outcome, entries };
  }

  /** Words of an entry: call, variant, constraint, bindings. */
  entry(system, number) {
    this.#exports.core_entry(system, number, this.#out);
    return Array.from(this.#words(this.#out, 4));
  }

  // --- deals --------------------------------------------------------------------------------------

  /** Hands of one deal of a seed, both whole numbers from 0: the same as deal_hands has it. */
  deal(seed, number) {
    this.#exports.core_deal(seed % 2 ** 32, Math.floor(seed / 2 ** 32), number, this.#out);
    const words = new Uint32Array(this.#exports.memory.buffer, this.#out, 8);
    return [0, 2, 4, 6].map((at) => holdingsOf(words[at], words[at + 1]));
  }

  /** Take in a deal of hands N, E, S, W to be solved double dummy; whether it is one. */
  takeDeal(hands) {
    return this.#exports.core_take_deal(this.#putHands(hands)) === 1;
  }

  /** Tricks of declarers N, E, S, W in a strain, C D H S N, of the deal that was taken in. */
  solveStrain(strain) {
    this.#exports.core_solve_strain(strain, this.#out);
    const table = new Int8Array(this.#exports.memory.buffer, this.#out, 20);
    return [0, 1, 2, 3].map((declarer) => table[5 * declarer + strain]);
  }

  /**
   * Tricks of the side to play, from the trick under way on, for each of 52 cards, -1 where it may not be played; null
   * where it is no position.
   */
  solvePlays(hands, strain, leader, trick) {
    const tricks = () => new Int8Array(this.#exports.memory.buffer, this.#out, 52);
    tricks().fill(-1);
    const isOne = this.#exports.core_solve_plays(
      this.#putHands(hands), strain, leader, this.#calls, this.#putCalls(trick), this.#out,
    );
    return isOne ? tricks().slice() : null;
  }

  /**
   * Par of a table of tricks, at 5 * declarer + strain: the score of North-South, and contracts `[level, strain, declarers,
   * tricks]`, a bit for each declarer; null if it is no table.
   */
  par(tricks, dealer, vulnerability) {
    new Int8Array(this.#exports.memory.buffer, this.#calls, 20).set(tricks);
    const count = this.#exports.core_par(this.#calls, dealer, vulnerability, this.#out);
    if (count < 0) return null;
    const [score] = this.#words(this.#out, 1);
    const bytes = new Uint8Array(this.#exports.memory.buffer, this.#out + 4, 4 * count);
    return { score, contracts: Array.from({ length: count }, (_, place) => Array.from(bytes.subarray(4 * place, 4 * place + 4))) };
  }

  /**
   * Cards that a player may play, the one of the rules of thumb first, then the lowest; of his `hand`, the cards `gone` and
   * those in the `other` hand that he sees, and the cards of the `trick` on the table. None where that is no position.
   */
  usualCards({ hand, gone, other, strain, declares, trick }) {
    const count = this.#exports.core_usual_cards(
      this.#putHands([hand, gone, other]), strain, Number(declares), this.#calls, this.#putCalls(trick), this.#out,
    );
    return Array.from(new Uint8Array(this.#exports.memory.buffer, this.#out, count));
  }

  /** Bid a deal of hands N, E, S, W: an outcome, the calls, and the last call's entry. */
  bid(bidder, hands, dealer, vulnerability) {
    const outcome = this.#exports.core_bid(bidder, this.#putHands(hands), dealer, vulnerability, this.#out);
    if (outcome !== FINE) return { outcome };
    const [entry, count] = this.#words(this.#out, 2);
    return { outcome, entry, calls: Array.from(this.#words(this.#out + 8, count)) };
  }

  /** Auctions that are allowed for a deal: an outcome, and words as `core_list` has them. */
  list(bidder, hands, { dealer, vulnerability, limit, places }) {
    const outcome = this.#exports.core_list(
      bidder, this.#putHands(hands), dealer, vulnerability, limit, places, this.#out, this.#out + 4,
    );
    if (outcome !== FINE) return { outcome };
    const [address, count] = this.#words(this.#out, 2);
    return { outcome, words: this.#words(address, count).slice() };
  }

  // --- files --------------------------------------------------------------------------------------

  /**
   * Read a LIN text as far as there are no more than `most` boards: rows of 64 bits of boards and of records that are
   * none, and what lies behind one another of all boards, as kernels/core/files/lin.hpp has them; `text` as it was read.
   */
  readLin(written, { most, tokens, longest }) {
    const text = new TextEncoder().encode(written);
    const room = this.#exports.core_lin_room(text.length, most);
    const block = this.#exports.core_allocate(room);
    new Uint8Array(this.#exports.memory.buffer, block, text.length).set(text);
    this.#exports.core_read_lin(block, text.length, most, tokens, longest, this.#out);
    const [boards, rejects, calls, announced, tail, cards, remarked, ...at] = this.#words(this.#out, 16);
    const rows = (address, count) => this.#words(address, 2 * count).slice();
    const bytes = (address, count) => new Uint8Array(this.#exports.memory.buffer, address, count).slice();
    const found = {
      text, boards: rows(at[0], LIN_BOARD * boards), rejects: rows(at[1], LIN_REJECT * rejects),
      calls: bytes(at[2], calls), alerts: bytes(at[3], calls), announcements: bytes(at[4], announced),
      announcementEnds: rows(at[5], calls), tail: bytes(at[6], tail), play: bytes(at[7], cards),
      commentary: bytes(at[8], remarked),
    };
    this.#exports.core_release(block, room);
    return found;
  }

  /**
   * Records of a PBN text, one after the other: fields of `PbnRecord` of kernels/core/files/pbn_boards.hpp, what lies
   * beside them, and `texts`.
   */
  *readPbn(written) {
    const text = new TextEncoder().encode(written);
    const room = Math.max(1, text.length);
    const start = this.#exports.core_allocate(room);
    new Uint8Array(this.#exports.memory.buffer, start, text.length).set(text);
    const reader = this.#exports.core_open_pbn(start, text.length);
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    try {
      while (this.#exports.core_next_pbn(reader, this.#out)) yield this.#pbnRecord(decoder);
    } finally {
      this.#exports.core_close_pbn(reader);
      this.#exports.core_release(start, room);
    }
  }

  #pbnRecord(decoder) {
    const [at, calls, alerts, tail, cards, comments, ends, words] = this.#words(this.#out, 8);
    const row = this.#words(at, PBN_HANDS + 8);
    const record = Object.fromEntries(PBN_FIELDS.map((name, place) => [name, row[place]]));
    const bytes = (address, count) => new Uint8Array(this.#exports.memory.buffer, address, count);
    let last = 0;
    const texts = Array.from(this.#words(ends, record.texts), (end) => {
      const start = last;
      last = end;
      return start === end ? "" : decoder.decode(bytes(words + start, end - start));
    });
    return {
      ...record, texts, hands: [0, 2, 4, 6].map((half) => holdingsOf(row[PBN_HANDS + half], row[PBN_HANDS + half + 1])),
      calls: Array.from(bytes(calls, record.calls)), alerts: Array.from(bytes(alerts, record.calls), Boolean),
      tail: Array.from(bytes(tail, record.tail)), cards: Array.from(bytes(cards, record.cards)),
      comments: Array.from(bytes(comments, record.comments)),
    };
  }
}

const CELLS = 560 * 38;
/** Columns of a board of LIN, and of a record that is none. */
export const LIN_BOARD = 30;
export const LIN_REJECT = 7;
/** Words of a record of PBN, and where its hands begin. */
const PBN_FIELDS = [
  "kind", "number", "board", "room", "dealer", "saysSides", "contract", "declarer", "tricks", "hasScore", "score",
  "toldContract", "toldDeclarer", "pairs", "expected", "got", "calls", "tail", "cards", "comments", "texts",
];
const PBN_HANDS = 22;

/** Holdings C D H S of a hand of two halves. */
export function holdingsOf(low, high) {
  return [low & 0x1fff, low >>> 13 & 0x1fff, low >>> 26 | (high & 0x7f) << 6, high >>> 7 & 0x1fff];
}

function inParts(hands, work) {
  const found = [];
  for (let start = 0; start < hands.length; start += MOST_HANDS) {
    found.push(...work(hands.slice(start, start + MOST_HANDS)));
  }
  return found;
}

function outOfMemory(bytes) {
  throw new RangeError(`the engine has no memory left, ${(bytes >>> 0).toLocaleString("en-US")} bytes were asked for`);
}
