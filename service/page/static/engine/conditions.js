// Conditions in words, lowered to expressions at one place of an auction.
// systems/conditions.py is the definition.
//
// Where a suit word means several suits, all of them must pass the test ("stopper in their suits");
// after "a" or "an" ("a major", "an unbid suit") one is enough. With no suit at all the words in
// the plural and "their suit" hold, the others do not.

import { InvalidSystem, quoted } from "./errors.js";
import { parseExpression } from "./expression_reader.js";
import { InvalidExpression, comparison, not, term } from "./expressions.js";
import {
  BUILT_IN, FALSE, TRUE, builtInShapes, compared, conjunction, disjunction, negation, shapeExpression, within,
} from "./formulas.js";
import { BOTH_HANDS, COUNTED, LENGTHS } from "./phrases.js";

/** Combined points for a contract on level 1 to 7. */
const POINTS_FOR_LEVEL = {
  suit: [16, 19, 22, 25, 28, 33, 37],
  notrump: [19, 22, 25, 28, 30, 33, 37],
};
const GAME_POINTS = 25;
const SLAM_POINTS = 33;
/** Definitions within definitions before a circle is assumed. */
export const DEEPEST_DEFINITION = 32;

const HONOURS = { ace: "A", king: "K", queen: "Q", jack: "J", ten: "T" };
const NOTHING = [];

/** Criteria that a condition becomes at a place; null where it cannot hold. */
export function criteriaOf(condition, scope) {
  if (condition === null) return NOTHING;
  const expression = lower(condition, scope);
  if (expression === TRUE) return NOTHING;
  if (expression === FALSE) return null;
  return expression.kind === "and" ? expression.operands : [expression];
}

/** Expression that a condition means at a place. Facts are truths and fold away, so that the result
 * is a truth itself where the hand does not matter. */
export function lower(condition, scope, depth = 0) {
  switch (condition.type) {
    case "AllOf":
      return joinedUntil(FALSE, conjunction, condition.parts, scope, depth);
    case "AnyOf":
      return joinedUntil(TRUE, disjunction, condition.parts, scope, depth);
    case "NotThis":
      return negation(lower(condition.part, scope, depth));
    default:
  }
  if (condition.kind === "named") return named(condition, scope, depth);
  const lowered = PHRASES.get(condition.kind);
  if (lowered === undefined) return scope.fact(condition) ? TRUE : FALSE;
  return lowered(condition, scope);
}

/** Join parts, none behind the one that decides. */
function joinedUntil(decisive, join, parts, scope, depth) {
  const found = [];
  for (const part of parts) {
    const expression = lower(part, scope, depth);
    if (expression === decisive) return decisive;
    found.push(expression);
  }
  return join(found);
}

// --- suits of a phrase ----------------------------------------------------------------------------

/** All of the tests of several suits, or one of them, as the word for the suits says. */
function join(word, parts) {
  if (word.startsWith("a ") || word.startsWith("an ")) return disjunction(parts);
  return parts.length || /^(their suits?$|every |both )/u.test(word) ? conjunction(parts) : FALSE;
}

/** Test of the letters of a phrase's one suit word. */
function each(test) {
  return (phrase, scope) => {
    if (phrase.suits.length !== 1) throw unusable(phrase, `one suit, got ${wordsText(phrase.suits)}`);
    const word = phrase.suits[0];
    const letters = scope.suits(word);
    // one test alone is what either way of joining makes of it
    if (letters.length === 1) return test(letters, phrase, scope);
    return join(word, Array.from(letters, (letter) => test(letter, phrase, scope)));
  };
}

function wordsText(words) {
  return `(${words.map(quoted).join(", ")}${words.length === 1 ? "," : ""})`;
}

function unusable(phrase, expected) {
  const { where } = phrase;
  const place = where?.line ? ` (${where.file}:${where.line})` : "";
  return new InvalidSystem(`${quoted(phrase.kind)}: expected ${expected}${place}`);
}

function rangeOf(phrase) {
  if (phrase.range === null) throw unusable(phrase, "a number, got none");
  return phrase.range;
}

// --- the hand -------------------------------------------------------------------------------------

/** Range of one number of the whole hand. */
const measure = (name) => (phrase) => within(name, rangeOf(phrase));

/** Range of a number of one suit. */
const inSuit = (stem) => each((letter, phrase) => within(`${stem}_${letter}`, rangeOf(phrase)));

/** Truth value of one suit. */
const flag = (stem) => each((letter) => term(`${stem}_${letter}`));

/** Ask for a fixed range of a suit's length: void, singleton, doubleton, shortness. */
const cards = (found) => each((letter) => within(`SL_${letter}`, found));

/** Compare a suit's length with a number of the whole hand. */
const lengthBeside = (operator, name) => each((letter) => terms(`SL_${letter}`, operator, name));

function terms(first, operator, second) {
  return comparison(term(first), [[operator, term(second)]]);
}

/** Ask for what players call a stopper: ace, guarded king, twice guarded queen, jack fourth. */
function stopper(letter) {
  return conjunction([term(`Likely_Stopper_${letter}`), compared(`HCP_${letter}`, ">=", 1)]);
}

/** Ace or void. */
function firstRoundControl(letter) {
  return disjunction([term(`C_${letter}A`), compared(`SL_${letter}`, "==", 0)]);
}

/** Ace, king, void or singleton: the second round of the suit is not lost. */
function secondRoundControl(letter) {
  return disjunction([compared(`Top2_${letter}`, ">=", 1), compared(`SL_${letter}`, "<=", 1)]);
}

const honourOf = each((letter, phrase) => term(`C_${letter}${HONOURS[phrase.text]}`));

function honour(phrase, scope) {
  if (!Object.hasOwn(HONOURS, phrase.text)) {
    throw unusable(phrase, `one of ${Object.keys(HONOURS).join(", ")}, got ${quoted(phrase.text)}`);
  }
  return honourOf(phrase, scope);
}

const pointsInSuit = inSuit("HCP");
const pointsOfHand = measure("HCP");
const length = inSuit("SL");

function suitLength(phrase, scope) {
  const wanted = rangeOf(phrase);
  const { suits } = phrase;
  if (suits.length === 1 && suits[0] === "a suit" && wanted.high === null && !wanted.also.length) {
    return compared("Longest_Suit", ">=", wanted.low);
  }
  return length(phrase, scope);
}

/** "longer" and "at least as long": first suit against the second, every pair of them. */
function lengthAgainst(operator) {
  return (phrase, scope) => {
    if (phrase.suits.length !== 2) throw unusable(phrase, `two suits, got ${wordsText(phrase.suits)}`);
    const [first, second] = phrase.suits;
    const others = [...scope.suits(second)];
    const againstAll = (letter) => {
      const tests = others.filter((other) => other !== letter)
        .map((other) => terms(`SL_${letter}`, operator, `SL_${other}`));
      return others.length ? join(second, tests) : TRUE;
    };
    return join(first, Array.from(scope.suits(first), againstAll));
  };
}

const longestOutsideTheirs = each((letter, phrase, scope) => {
  const theirs = scope.suits("their suits");
  const others = [..."CDHS"].filter((other) => other !== letter && !theirs.includes(other));
  return conjunction(others.map((other) => terms(`SL_${letter}`, ">=", `SL_${other}`)));
});

const TOP = [1, 2, 3, 4, 5].map((among) => inSuit(`Top${Math.max(among, 2)}`));

function topHonours(phrase, scope) {
  const among = phrase.of ?? 0;
  if (!(among >= 1 && among <= 5)) {
    throw unusable(phrase, `the top two, three, four or five, got ${phrase.of ?? "None"}`);
  }
  return TOP[among - 1](phrase, scope);
}

/** Rule of 20 and its kin (18 to 22): points and the two longest suits; of 15: and spades. */
function ruleOf(phrase) {
  const { count } = phrase;
  if (count === 15) return compared("Rule_Of_15", ">=", 15);
  if (count === null || count < 18 || count > 22) {
    throw unusable(phrase, `the rule of 15 or of 18 to 22, got ${count ?? "None"}`);
  }
  return compared("Rule_Of_20", ">=", count);
}

const readRaws = new Map();

function raw(phrase) {
  let found = readRaws.get(phrase.text);
  if (found === undefined) {
    try {
      found = conjunction([parseExpression(phrase.text)]);
    } catch (error) {
      if (!(error instanceof InvalidExpression)) throw error;
      const { file, line } = phrase.where;
      throw new InvalidSystem(`${file}:${line}: in {${phrase.text}}: ${error.message}`);
    }
    readRaws.set(phrase.text, found);
  }
  return found;
}

// --- shapes and definitions -----------------------------------------------------------------------

function shape(phrase) {
  try {
    return shapeExpression(phrase.text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const wanted = "four lengths of 13 cards such as 4=4=3=2 or 5-4-x-x";
    throw unusable(phrase, `${wanted}, got ${quoted(phrase.text)}`);
  }
}

/** Lower a defined name; its parameters take the phrase's suits, one letter at a time. */
function named(phrase, scope, depth) {
  const { text: name, suits } = phrase;
  const definition = scope.define(name);
  if (definition === undefined) {
    if (name === "unbalanced") return negation(builtInShapes("balanced"));
    if (!Object.hasOwn(BUILT_IN, name)) throw unusable(phrase, `a name that the system defines, got ${quoted(name)}`);
    return builtInShapes(name);
  }
  if (depth >= DEEPEST_DEFINITION) throw unusable(phrase, `a definition that does not use itself, got ${quoted(name)}`);
  if (definition.suits.length !== suits.length) {
    throw unusable(phrase, `${definition.suits.length} suits behind ${quoted(name)}, got ${suits.length}`);
  }
  const withParameters = (place, bound) => {
    if (place === suits.length) {
      return lower(definition.condition, place ? scope.withSuits(bound) : scope, depth + 1);
    }
    const parts = Array.from(
      scope.suits(suits[place]),
      (letter) => withParameters(place + 1, { ...bound, ...parameter(definition.suits[place], letter) }),
    );
    return join(suits[place], parts);
  };
  return withParameters(0, {});
}

/** Suit of a parameter, and of oM or om where the parameter is M or m. */
function parameter(name, letter) {
  const letters = { M: "HS", m: "CD" }[name] ?? "";
  if (!letters.includes(letter)) return { [name]: letter };
  return { [name]: letter, [`o${name}`]: letters.replace(letter, "") };
}

// --- both hands -----------------------------------------------------------------------------------

/** Range of a sum with partner's minimum, of `shown` where it is another term.
 *
 * Both ends of the range use it: "23-24 combined points" is the hand that invites a partner who may
 * have more. */
function combined(name, shown = name, end = 0) {
  return (phrase, scope) => within(name, rangeOf(phrase), scope.shown("partner", shown)[end]);
}

/** By letter, a test of that suit. */
function bySuit(test) {
  return Object.fromEntries([..."CDHS"].map((letter) => [letter, test(letter)]));
}

const COMBINED_LENGTH = bySuit((letter) => combined(`SL_${letter}`));

/** Test of the phrase's suit, else of the first of some roles that has one.
 *
 * Where none has, it is a test of the whole hand, or never holds. */
function inTrumps(ofSuit, roles, without = null) {
  const tests = bySuit(ofSuit);
  return (phrase, scope) => {
    const words = phrase.suits.length ? phrase.suits : roles;
    let letters = "";
    for (const word of words) {
      letters = scope.suits(word);
      if (letters) break;
    }
    if (without !== null && !letters && !phrase.suits.length) return without(phrase, scope);
    return join(words[0], Array.from(letters, (letter) => tests[letter](phrase, scope)));
  };
}

/** As many trumps together as tricks bid for: level + 6, partner's minimum counted. */
function law(phrase, scope) {
  const found = contractOf(phrase, scope);
  if (found === null) return FALSE;
  const [level, strain] = found;
  if (strain === "N") throw unusable(phrase, "a suit contract, got notrump");
  const [known] = scope.shown("partner", `SL_${strain}`);
  return compared(`SL_${strain}`, ">=", level + 6 - known);
}

/** Ask for the combined points of a contract by POINTS_FOR_LEVEL.
 *
 * In a suit with eight cards or more together support points count instead of HCP. Where three
 * cards make the fit, support points alone say it: with fewer they are HCP. */
function enoughPoints(phrase, scope) {
  const found = contractOf(phrase, scope);
  if (found === null) return FALSE;
  const [level, strain] = found;
  const [partner] = scope.shown("partner", "HCP");
  const needed = POINTS_FOR_LEVEL[strain === "N" ? "notrump" : "suit"][level - 1] - partner;
  const points = compared("HCP", ">=", needed);
  if (strain === "N") return points;
  const forFit = 8 - scope.shown("partner", `SL_${strain}`)[0];
  const withFit = compared(`Support_Points_${strain}`, ">=", needed);
  if (forFit <= 3) return withFit;
  return disjunction([points, conjunction([compared(`SL_${strain}`, ">=", forFit), withFit])]);
}

function contractOf(phrase, scope) {
  if (phrase.call === null) throw unusable(phrase, "a call, got none");
  return scope.bid(phrase.call);
}

/** Not even with partner's maximum are there the points. */
function remote(points) {
  return (phrase, scope) => compared("HCP", "<=", points - 1 - scope.shown("partner", "HCP")[1]);
}

const always = (expression) => () => expression;

const WE = term("Vul_We");
const THEY = term("Vul_They");

/** Phrases that the hand or the vulnerability decides; any other kind is a fact of the auction. */
export const PHRASES = new Map([
  ...COUNTED.filter((row) => !row.term.endsWith("_")).map((row) => [row.kind, measure(row.term)]),
  ...Array.from(LENGTHS, ([kind, found]) => [kind, cards(found)]),
  ...BOTH_HANDS.filter((row) => row.term).map((row) => [row.kind, combined(row.term)]),
  ...Object.entries({
    points: (phrase, scope) => (phrase.suits.length ? pointsInSuit : pointsOfHand)(phrase, scope),
    "support points": inTrumps((letter) => measure(`Support_Points_${letter}`), ["partner's suit", "our suit"]),
    // aces and the king of our suit; while there is none, aces
    keycards: inTrumps((letter) => measure(`Keycards_${letter}`), ["our suit"], measure("Aces")),
    length,
    support: length,
    "suit length": suitLength,
    shape,
    longer: lengthAgainst(">"),
    "at least as long": lengthAgainst(">="),
    longest: lengthBeside(">=", "Longest_Suit"),
    // the second longest suit is shorter only than a longest one that stands alone
    "strictly longest": lengthBeside(">", "Second_Suit"),
    "longest outside theirs": longestOutsideTheirs,
    "top honours": topHonours,
    honour,
    stopper: each(stopper),
    "partial stopper": flag("Partial_Stopper"),
    "two stoppers": flag("Two_Stoppers"),
    "first-round control": each(firstRoundControl),
    "second-round control": each(secondRoundControl),
    "rule of": ruleOf,
    "any hand": always(TRUE),
    raw,
    "combined points at best": combined("HCP", "HCP", 1),
    // own support points and partner's HCP; without a suit of ours, HCP alone
    "combined support points": inTrumps(
      (letter) => combined(`Support_Points_${letter}`, "HCP"), ["our suit", "partner's suit"], combined("HCP"),
    ),
    "combined keycards": inTrumps((letter) => combined(`Keycards_${letter}`), ["our suit"], combined("Aces")),
    "combined cards": each((letter, phrase, scope) => COMBINED_LENGTH[letter](phrase, scope)),
    law,
    "enough points": enoughPoints,
    "game is remote": remote(GAME_POINTS),
    "slam is remote": remote(SLAM_POINTS),
    vulnerable: always(WE),
    "not vulnerable": always(not(WE)),
    favourable: always(conjunction([not(WE), THEY])),
    unfavourable: always(conjunction([WE, not(THEY)])),
  }),
]);
