// What is known at a place of an auction: who has shown what, and what is agreed.
// systems/state.py is the definition. A state belongs to an auction, not to hands; it never changes.

import { Auction, DOUBLE, FIRST_BID, PASS, bidLevel } from "./calls.js";
import { EVERYTHING, hull, termRange } from "./knowledge.js";
import { cheapestLevel, gameLevel, letterOf, strainOf } from "./patterns.js";

const SUITS = "CDHS";
/** Cards of a suit that a player must have shown for it to count as shown without being named. */
const NATURAL_LENGTH = 4;

/** What one hand has shown: possible cells, and a Map of bounds of terms such as Aces beyond them. */
export class Knowledge {
  #hull = null;
  #ranges = new Map();

  constructor(cells = EVERYTHING, terms = new Map()) {
    this.cells = cells;
    this.terms = terms;
  }

  /** Bounds of points and lengths. */
  get hull() {
    this.#hull ??= hull(this.cells);
    return this.#hull;
  }

  /** Least and greatest value of a term. */
  shown(term) {
    let found = this.#ranges.get(term);
    if (found === undefined) {
      found = this.#range(term);
      const known = this.terms.get(term);
      if (known !== undefined) {
        const narrowed = [Math.max(found[0], known[0]), Math.min(found[1], known[1])];
        if (narrowed[0] <= narrowed[1]) found = narrowed;
      }
      this.#ranges.set(term, found);
    }
    return found;
  }

  #range(term) {
    if (term === "HCP") return this.hull.points;
    return term.startsWith("SL_") ? this.hull.lengths[SUITS.indexOf(term[3])] : termRange(this.cells, term);
  }
}

/** What a call meant where it was made: agreements and hand types of its lines.
 *
 * `uses` are the lines that make the call there, pairs of a placed line and bindings; none for a
 * call of which the system knows nothing, and for a pass by default. An alternative is
 * {name, kind, where, cells, expression}. */
export class Meaning {
  #tags = null;

  constructor(call, uses = [], agreements = [], alternatives = [], known = true) {
    this.call = call;
    this.uses = uses;
    this.agreements = agreements;
    this.alternatives = alternatives;
    this.known = known;
    /** Whether the call says nothing about the strain it names. */
    this.isArtificial = this.says("artificial", "relay", "transfer", "puppet");
  }

  /** Whether an agreement of one of these kinds was made: forcing, artificial …. */
  says(...kinds) {
    return this.agreements.some(({ kind }) => kinds.includes(kind));
  }

  /** Tags of its lines, without #. */
  get tags() {
    this.#tags ??= new Set(this.agreements.filter(({ kind }) => kind === "tag").map(({ text }) => text));
    return this.#tags;
  }
}

/** Everything that is known before a call, by position or by side (position mod 2). */
export class State {
  #forced = null;
  #roles = new Map();

  constructor(auction, knowledge, meanings, deeds, suits, agreed, gameForced) {
    /** Calls so far; position p is the player p places behind the dealer. */
    this.auction = auction;
    this.knowledge = knowledge;
    this.meanings = meanings;
    /** Of each call, the words of `describeCall`. */
    this.deeds = deeds;
    /** Suits that each player has named or otherwise shown, in order. */
    this.suits = suits;
    /** The suit that a side agreed last. */
    this.agreed = agreed;
    this.gameForced = gameForced;
    const { calls, lastBid } = auction;
    this.calls = calls;
    /** Position of the player to call, 0 the dealer. */
    this.position = calls.length % 4;
    const opening = calls.findIndex((call) => call !== PASS);
    /** Number of the call that opened, null before. */
    this.opening = opening < 0 ? null : opening;
    /** By side, whether it has bid, doubled or redoubled. */
    this.contested = [0, 1].map((side) => calls.some((call, number) => call !== PASS && number % 2 === side));
    /** Whether the last bid is game or higher. */
    this.gameReached = lastBid >= FIRST_BID && bidLevel(lastBid) >= gameLevel(strainOf(lastBid));
  }

  /** State before the first call. */
  static start() {
    const nothing = new Knowledge();
    return new State(
      new Auction(), [nothing, nothing, nothing, nothing], [], [], ["", "", "", ""], [null, null], [false, false],
    );
  }

  /** Bounds of points and lengths by position. */
  get hulls() {
    return this.knowledge.map((known) => known.hull);
  }

  /** Number of a position's last call, null if it has not called. */
  lastCallOf(position) {
    const last = this.calls.length - 1;
    const number = last - ((last - position + 4) % 4);
    return number >= 0 ? number : null;
  }

  /** Whether the player has bid the strain naturally, or is known to hold it. */
  namedBy(position, strain) {
    if (this.suits[position].includes(strain)) return true;
    return strain === "N" && this.calls.some((call, number) => (
      number % 4 === position && call >= FIRST_BID && strainOf(call) === "N" && !this.meanings[number].isArtificial
    ));
  }

  /** Cards of a suit that a side is known to hold together. */
  fit(side, suit) {
    const index = SUITS.indexOf(suit);
    return this.knowledge[side].hull.lengths[index][0] + this.knowledge[side + 2].hull.lengths[index][0];
  }

  /** Whether the player to call may not pass: partner's call was forcing and RHO passed. */
  get forced() {
    this.#forced ??= this.#isForced();
    return this.#forced;
  }

  #isForced() {
    const { calls } = this;
    if (calls.length < 2 || calls.at(-1) !== PASS) return false;
    const side = this.position % 2;
    const last = this.meanings.at(-2);
    const toGame = last.says("forcing to game");
    if (last.says("forcing") || (toGame && last.isArtificial && last.call >= FIRST_BID)) return true;
    if (this.gameReached || (last.call === DOUBLE && last.says("penalty"))) return false;
    return toGame || (this.gameForced[side] && this.contested[side]);
  }

  /** What a word means here, worked out by `find` when it is asked for the first time. */
  role(word, find) {
    let found = this.#roles.get(word);
    if (found === undefined) {
      found = find(word, this);
      this.#roles.set(word, found);
    }
    return found;
  }

  /** The state behind a call of the player to act. */
  after(meaning, knowledge) {
    const { position } = this;
    const side = position % 2;
    const deed = describeCall(this, meaning);
    const suits = suitsShown(this.suits[position], meaning, knowledge);
    const agreed = agreedSuit(meaning, deed) ?? this.agreed[side];
    const forced = this.gameForced[side] || meaning.says("forcing to game");
    return new State(
      this.auction.add(meaning.call), this.knowledge.with(position, knowledge), [...this.meanings, meaning],
      [...this.deeds, deed], this.suits.with(position, suits), this.agreed.with(side, agreed),
      this.gameForced.with(side, forced),
    );
  }
}

/** Words that may follow "last call was": what the call is, said and was beside those before.
 *
 * A reverse is a second suit, bid without a jump at the two level, that ranks above the player's
 * first one, so that a preference goes to the three level. */
function describeCall(state, meaning) {
  const { call } = meaning;
  const words = new Set(meaning.agreements.map(({ kind }) => kind));
  words.delete("natural");
  if (words.has("forcing to game")) words.add("forcing");
  if (meaning.isArtificial) words.add("artificial");
  if (call < FIRST_BID) return words.add(["pass", "double", "redouble"][call]);
  words.add("bid");
  if (!meaning.isArtificial) words.add("natural");
  const strain = strainOf(call);
  const jump = bidLevel(call) - cheapestLevel(state.auction.lastBid, strain);
  if (jump >= 1) words.add("jump");
  if (jump >= 2) words.add("double jump");
  if (strain === "N") return words.add("notrump");
  words.add("suit");
  const [own, lho, partner, rho] = [0, 1, 2, 3].map((step) => state.suits[(state.position + step) % 4]);
  if (partner.includes(strain)) {
    words.add("raise");
    if (jump) words.add("jump raise");
  } else if ((lho + rho).includes(strain)) {
    words.add("cue-bid");
  } else if (!own.includes(strain)) {
    words.add("new suit");
    if (jump) words.add("jump shift");
    // letters of suits rank as in the alphabet
    else if (bidLevel(call) === 2 && own && [...own].every((suit) => suit < strain)) words.add("reverse");
  }
  return words;
}

function suitsShown(before, meaning, knowledge) {
  const { call } = meaning;
  let shown = before;
  if (call >= FIRST_BID && !meaning.isArtificial && !`${shown}N`.includes(strainOf(call))) shown += strainOf(call);
  if (meaning.uses.length && call !== PASS) {
    knowledge.hull.lengths.forEach(([least], index) => {
      if (least >= NATURAL_LENGTH && !shown.includes(SUITS[index])) shown += SUITS[index];
    });
  }
  return shown;
}

function agreedSuit(meaning, deed) {
  for (const agreement of meaning.agreements.toReversed()) {
    if (agreement.kind !== "agrees" || agreement.suit === null) continue;
    for (const [, bindings] of meaning.uses) {
      const letter = letterOf(agreement.suit, bindings);
      if (letter !== undefined) return letter;
    }
  }
  return deed.has("raise") && !meaning.isArtificial ? strainOf(meaning.call) : null;
}
