// What a place of an auction answers: facts ("they bid X", "forced" …), suits, what was shown.
// systems/facts.py is the definition. Suits are texts of letters, such as "HS".

import { FIRST_BID, PASS, bidLevel } from "./calls.js";
import { InvalidSystem, quoted } from "./errors.js";
import { inRange } from "./formulas.js";
import { cheapestLevel, letterOf, matchCall, resolve } from "./patterns.js";
import { KINDS } from "./phrases.js";

const SUITS = "CDHS";
const STEPS = { me: [0], I: [0], LHO: [1], partner: [2], RHO: [3], we: [0, 2], they: [1, 3] };
/** Positions by a word for players, then by the position of the player to call. */
const POSITIONS = Object.fromEntries(Object.entries(STEPS).map(([who, steps]) => [
  who, [0, 1, 2, 3].map((position) => steps.map((step) => (position + step) % 4)),
]));
const ANY_NUMBER = { low: 0, high: null, also: [] };

/** Scope of `lower` (conditions.js) at one place, under bindings of suit variables. */
export class PlaceScope {
  #defines;
  #extra;

  /** `extra` are the letters of a definition's parameters. */
  constructor(state, defines, bindings, extra = null) {
    this.state = state;
    this.#defines = defines;
    this.bindings = bindings;
    this.#extra = extra;
  }

  /** Scope of the same place under other bindings. */
  under(bindings) {
    return bindings === this.bindings && this.#extra === null
      ? this : new PlaceScope(this.state, this.#defines, bindings);
  }

  /** Positions of a word for players, seen from the player to call. */
  positions(who) {
    return POSITIONS[who][this.state.position];
  }

  /** Letters of a suit word, variable or role; may be empty. */
  suits(word) {
    const letters = this.#extra?.[word] ?? letterOf(word, this.bindings) ?? this.state.role(word, roleSuits);
    if (letters === null) {
      throw new InvalidSystem(`expected a suit or a variable that a call binds, got ${quoted(word)}`);
    }
    return letters;
  }

  /** Least and greatest value of a term that a player has shown. */
  shown(who, term) {
    return this.state.knowledge[this.positions(who)[0]].shown(term);
  }

  /** Whether a fact about the auction holds; all its variables are bound. */
  fact(phrase) {
    return FACTS[phrase.kind](phrase, this);
  }

  /** Level and strain of a bid's pattern here; null if it is no bid or none is left. */
  bid(call) {
    return resolve(call, this.bindings, this.state.auction.lastBid, this);
  }

  /** Definition of a name, if the system has one. */
  define(name) {
    return this.#defines.get(name);
  }

  /** Scope inside a definition: its parameters mean these suits. */
  withSuits(bound) {
    return new PlaceScope(this.state, this.#defines, this.bindings, { ...this.#extra, ...bound });
  }
}

// --- suits by their role --------------------------------------------------------------------------

/** Letters of a suit that is named by its role in the auction; null for no role. */
function roleSuits(word, state) {
  const [mine, lho, partner, rho] = [0, 1, 2, 3].map((step) => state.suits[(state.position + step) % 4]);
  switch (word) {
    case "their suit":
    case "their suits":
      return lettersOf(SUITS, (suit) => rho.includes(suit) || lho.includes(suit));
    case "RHO's suit":
      return rho;
    case "LHO's suit":
      return lho;
    case "partner's suit":
      return partner.slice(-1);
    case "my suit":
      return mine.slice(-1);
    case "our suit":
    case "trumps":
      return ourSuit(state, mine, partner);
    default:
  }
  let among = SUITS;
  if (word.includes("major")) among = "HS";
  else if (word.includes("minor")) among = "CD";
  if (word.includes("unbid")) return lettersOf(among, (suit) => isUnbid(suit, state));
  const named = ["a suit", "every suit", "a major", "both majors", "a minor", "both minors"];
  return named.includes(word) ? among : null;
}

function lettersOf(among, test) {
  return [...among].filter(test).join("");
}

function isUnbid(suit, state) {
  return !state.suits.some((named) => named.includes(suit));
}

/** Suit that is trumps as far as we know: agreed, a known fit, partner's last, my last. */
function ourSuit(state, mine, partner) {
  const side = state.position % 2;
  const agreed = state.agreed[side];
  if (agreed !== null) return agreed;
  let most = 0;
  let longest = "";
  for (const suit of SUITS) {
    const cards = state.fit(side, suit);
    if (cards >= most) {
      most = cards;
      longest = suit;
    }
  }
  return most >= 8 ? longest : partner.slice(-1) || mine.slice(-1);
}

// --- facts ----------------------------------------------------------------------------------------

/** Whether one of the calls that the phrase's players, else `who`, have made passes a test. */
function someMade(phrase, scope, who, test) {
  const positions = scope.positions(phrase.who || who);
  const { length } = scope.state.calls;
  for (let number = 0; number < length; number += 1) {
    if (positions.includes(number % 4) && test(number)) return true;
  }
  return false;
}

function letters(phrase, scope) {
  return phrase.suits.map((word) => scope.suits(word)).join("");
}

function passedHand(phrase, scope) {
  const { state } = scope;
  const first = state.opening ?? state.calls.length;
  return scope.positions(phrase.who || "me").some((position) => position < first);
}

/** Whether a call is one that the phrase's pattern stands for. */
function isCall(phrase, scope, number) {
  return matchCall(phrase.call, scope.state.calls[number], scope.bindings) !== null;
}

function opened(phrase, scope) {
  const number = scope.state.opening;
  if (number === null || !scope.positions(phrase.who || "we").includes(number % 4)) return false;
  return phrase.call === null || isCall(phrase, scope, number);
}

function bid(phrase, scope) {
  const { state } = scope;
  if (phrase.call !== null) return someMade(phrase, scope, "we", (number) => isCall(phrase, scope, number));
  if (phrase.suits.length) {
    const positions = scope.positions(phrase.who || "we");
    return phrase.suits.some((word) => {
      const strains = word === "NT" || word === "notrump" ? "N" : scope.suits(word);
      return [...strains].some((letter) => positions.some((position) => state.namedBy(position, letter)));
    });
  }
  return someMade(phrase, scope, "we", (number) => state.calls[number] >= FIRST_BID);
}

function onlyPassed(phrase, scope) {
  return someMade(phrase, scope, "partner", () => true)
    && !someMade(phrase, scope, "partner", (number) => scope.state.calls[number] !== PASS);
}

function lastCall(phrase, scope) {
  return scope.positions(phrase.who || "partner").some((position) => {
    const number = scope.state.lastCallOf(position);
    return number !== null && isSaid(phrase, scope, number);
  });
}

function isSaid(phrase, scope, number) {
  if (phrase.call !== null) return isCall(phrase, scope, number);
  if (phrase.text.startsWith("#")) return hasTag(phrase, scope, number);
  return scope.state.deeds[number].has(phrase.text);
}

function hasTag({ text }, scope, number) {
  return scope.state.meanings[number].tags.has(text.startsWith("#") ? text.slice(1) : text);
}

function hasCalled(phrase, scope) {
  return someMade(phrase, scope, "partner", (number) => hasTag(phrase, scope, number));
}

function unbid(phrase, scope) {
  return [...letters(phrase, scope)].every((letter) => isUnbid(letter, scope.state));
}

function fourthSuit(phrase, scope) {
  const { state } = scope;
  const ours = new Set(scope.positions("we").flatMap((position) => [...state.suits[position]]));
  const suit = scope.suits(phrase.suits[0]);
  return ours.size === 3 && suit.length === 1 && isUnbid(suit, state);
}

function fit(phrase, scope) {
  const side = scope.state.position % 2;
  const wanted = phrase.count || 8;
  return [...(letters(phrase, scope) || SUITS)].some((letter) => scope.state.fit(side, letter) >= wanted);
}

function lastBid(phrase, scope) {
  const { lastBid: bidMade, lastBidder: number } = scope.state.auction;
  if (bidMade < FIRST_BID) return false;
  if (phrase.call !== null && !isCall(phrase, scope, number)) return false;
  if (phrase.text && phrase.text !== "#" && !hasTag(phrase, scope, number)) return false;
  return phrase.who === null || scope.positions(phrase.who).includes(number % 4);
}

/** Whether the phrase's players, else partner, have shown of the terms that it names what a test asks. */
function someBounds(phrase, scope, test) {
  const term = KINDS.get(phrase.text || "points").term.replace(/_+$/u, "");
  const terms = phrase.suits.length ? [...letters(phrase, scope)].map((letter) => `${term}_${letter}`) : [term];
  const wanted = phrase.range ?? ANY_NUMBER;
  return scope.positions(phrase.who || "partner").some(
    (position) => terms.some((one) => test(scope.state.knowledge[position].shown(one), wanted)),
  );
}

function hasShown(phrase, scope) {
  return someBounds(phrase, scope, (shown, { low, high }) => (
    shown[0] >= low && (high === null || shown[1] <= high)
  ));
}

function mayHave(phrase, scope) {
  return someBounds(phrase, scope, (shown, { low, high }) => (
    shown[1] >= low && (high === null || shown[0] <= high)
  ));
}

function ranksAbove(phrase, scope) {
  const [first, second] = phrase.suits.map((word) => [...scope.suits(word)]);
  // letters of suits rank as in the alphabet
  return first.length > 0 && second.length > 0 && first.every((one) => second.every((other) => one > other));
}

function sameSuit(phrase, scope) {
  const [first, second] = phrase.suits.map((word) => scope.suits(word));
  return [...first].some((letter) => second.includes(letter));
}

/** "2X is available" / "cheapest X is at most the 2-level". */
function available(phrase, scope) {
  const { call } = phrase;
  if (call === null || call.strain === null) return false;
  const wanted = phrase.range ?? { ...ANY_NUMBER, high: call.level };
  const jump = { jump: 1, "double jump": 2 }[call.kind] ?? 0;
  return [...(letterOf(call.strain, scope.bindings) ?? scope.suits(call.strain))].some(
    (strain) => inRange(cheapestLevel(scope.state.auction.lastBid, strain) + jump, wanted),
  );
}

const isContested = ({ state }) => state.contested[0] && state.contested[1];

/** What each kind of fact asks; the kinds are the catalogue's. */
export const FACTS = {
  "passed hand": passedHand,
  opened,
  "nobody opened": (phrase, { state }) => state.opening === null,
  "only passed": onlyPassed,
  bid,
  "not bid": (phrase, scope) => !bid(phrase, scope),
  "last call": lastCall,
  "has called": hasCalled,
  unbid,
  "fourth suit": fourthSuit,
  fit,
  forced: (phrase, { state }) => state.forced,
  "game forced": (phrase, { state }) => state.gameForced[state.position % 2],
  balancing: (phrase, { state }) => state.opening !== null && state.auction.trailingPasses === 2,
  contested: (phrase, scope) => isContested(scope),
  uncontested: (phrase, scope) => !isContested(scope),
  level: (phrase, { state }) => {
    const last = state.auction.lastBid;
    return inRange(last >= FIRST_BID ? bidLevel(last) : 0, phrase.range);
  },
  "last bid": lastBid,
  "has shown": hasShown,
  "may have": mayHave,
  "ranks above": ranksAbove,
  "same suit": sameSuit,
  available,
  "nth call": (phrase, { state }) => Math.floor(state.calls.length / 4) + 1 === phrase.count,
  seat: (phrase, { state }) => inRange(state.position + 1, phrase.range),
  "game reached": (phrase, { state }) => state.gameReached,
};
