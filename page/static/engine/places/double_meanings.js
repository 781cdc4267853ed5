// Bids that mean two things at one place: systems/checking/double_meanings.py is the definition.

import { neverTogether } from "../language/held_facts.js";
import { phrasesOf } from "../language/joining.js";
import { auctionText } from "../language/legal_auctions.js";
import { bidCode, candidates, fixedCall, isVariable, matchCall } from "../language/patterns.js";
import { SUIT_WORDS } from "../language/phrases.js";
import { takesAll } from "../language/taken_hands.js";
import { passOf } from "../language/turns.js";
import { callText, conditionText, stepText } from "../language/wording.js";

const ARTIFICIAL = new Set(["artificial", "transfer", "relay", "puppet", "asks"]);
const VULNERABILITY = ["vulnerable", "not vulnerable", "favourable", "unfavourable"];
const CIRCUMSTANCES = [...VULNERABILITY, "seat"];
/** What headers may say that a call was, as lines agree it. */
const AGREED = [
  "artificial", "natural", "preemptive", "limited", "invitational", "sign-off", "takeout", "penalty", "forcing", "forcing to game",
];
const BALANCED = ["balanced", "semi-balanced"];
const LENGTHS = ["length", "suit length"];
const WORDS = Object.fromEntries(Object.entries(SUIT_WORDS).map(([word, letter]) => [letter, word]));
/** Cards by which a line shows the suit that it bids; next those of a long suit beside notrump. */
const SHOWN = 3;
const LONG = 5;

/**
 * Bids that two lines of one place give different meanings, in the order of the later lines: `{call, where, name, other,
 * otherName, answers, otherAnswers, both}`. `answers` and `otherAnswers` are written below the lines, or in blocks that name
 * what is agreed of one of them, `both` in blocks that do not; `{call, name, where}` each.
 */
export function doubleMeanings(text, places) {
  const spots = spotsOf(places);
  const together = new Map();
  for (const spot of spots) together.set(spot.key, [...together.get(spot.key) ?? [], spot]);
  const found = new Map();
  for (const all of together.values()) {
    const some = all.length > 1 ? all.filter(mayBeTwo) : [];
    some.forEach((other, number) => {
      for (const one of some.slice(number + 1)) {
        const key = JSON.stringify([one.line.where, other.line.where]);
        const call = oneCall(one, other);
        if (found.has(key) || !call || !differ(one, other, text.defines)) continue;
        if (neverTogether([...other.facts, ...one.facts], one.steps).length) continue;
        found.set(key, [one.number, other.number, {
          call, where: one.line.where, name: one.line.name, other: other.line.where, otherName: other.line.name,
          ...answersOf(one, other, spots),
        }]);
      }
    });
  }
  return [...found.values()].sort(([one, before], [two, behind]) => one - two || before - behind).map(([, , meaning]) => meaning);
}

/** Whether a line is a bid that leaves hands to other lines, and is not behind all of them. */
function mayBeTwo({ line, group }) {
  if (line.call.kind !== "bid" || !line.call.level || group.specificity[3] !== 1) return false;
  return conditionsOf(line).length > 0 && !takesAll(line);
}

/** Lines where they stand, in their order: `{line, group, steps, facts, key}`. */
function spotsOf({ opening, byLength, anyLength, anywhere }) {
  const found = [
    ...walk([...opening, ...[...byLength.values()].flat()], [], "", []),
    ...walk(anyLength, null, "", []),
    ...walk(anywhere, null, "anywhere", []),
  ];
  return found.sort((one, other) => one.number - other.number);
}

/** Lines of groups; `before` ends with our call, null where it may be any. */
function* walk(groups, before, above, facts) {
  for (const group of groups) {
    let [steps, auction] = [before, above];
    if (group.pattern !== null) ({ steps } = group.pattern);
    else if (before?.length) steps = [...before, group.theirCall ?? passOf(true)];
    else if (group.theirCall !== null) auction = `${above} ${stepText(group.theirCall)}`;
    if (steps !== null) auction = auctionText(steps);
    const own = group.facts.flatMap(partsOf);
    // who sat where the call above was made sits elsewhere now
    const kept = facts.filter((fact) => isOf(fact, VULNERABILITY));
    const others = [...own.filter((fact) => !isOf(fact, CIRCUMSTANCES)), ...facts.filter((fact) => !isOf(fact, VULNERABILITY))];
    const words = [...new Set(others.map(conditionText))].sort();
    // whether seats and vulnerability exclude each other is looked at by pairs
    const [literal, classes, , isSpecific] = group.specificity;
    for (const { number, line, below } of group.lines) {
      const key = JSON.stringify([auction, literal, classes, isSpecific, line.call.level, words]);
      yield { number, line, group, steps, facts: [...kept, ...own], key };
      const inner = steps && [...steps, { type: "AuctionStep", calls: [line.call], theirs: false, anyCalls: false }];
      yield* walk(below, inner, `below ${number}`, [...facts, ...own]);
    }
  }
}

const partsOf = (condition) => (condition.type === "AllOf" ? condition.parts : [condition]);
const isOf = (fact, kinds) => phrasesOf(fact).every(({ kind }) => kinds.includes(kind));

// ---------------------------------------------------------------------- one call
/** Call that two lines both make, as texts write it; empty for none. */
function oneCall(one, other) {
  const [first, second] = [callText(one.line.call), callText(other.line.call)];
  if (first === second) return first;
  const codes = codesOf(other);
  if (!codesOf(one).some((code) => codes.includes(code))) return "";
  return fixedCall(one.line.call) === undefined ? second : first;
}

/** Codes of a bid whose suit the auction does not decide. */
function codesOf({ line: { call }, steps, facts }) {
  const fixed = fixedCall(call);
  if (fixed !== undefined) return [fixed];
  const bound = (steps ?? []).some((step) => step.calls.some(({ strain }) => isVariable(strain)));
  const words = facts.flatMap((fact) => phrasesOf(fact).flatMap(({ suits }) => suits));
  if (bound || words.some(isVariable) || !isVariable(call.strain)) return [];
  return [...candidates(call.strain, {})].map((letter) => bidCode(call.level, letter));
}

// ---------------------------------------------------------------------- two meanings
/** Whether lines mean different things, as far as they say so. */
function differ({ line: one, steps }, { line: other }, defines) {
  const tags = tagsOf(other);
  if (one.name === other.name || tagsOf(one).some((tag) => tags.includes(tag))) return false;
  if (isArtificial(one) || isArtificial(other)) return true;
  // later in the auction a suit of a role is bid for many reasons, which no length tells
  const isFixed = [one, other].some(({ call }) => fixedCall(call) !== undefined);
  const isOpening = steps !== null && !steps.length;
  if (!isOpening && (one.call.strain === "NT" || !isFixed)) return false;
  const shows = new Shows(defines);
  return shows.whatNot(one, other) || shows.whatNot(other, one);
}

const agreementsOf = (line) => [line, ...line.variants].flatMap(({ agreements }) => agreements);
const tagsOf = (line) => agreementsOf(line).filter(({ kind }) => kind === "tag").map(({ text }) => text);
const isArtificial = (line) => agreementsOf(line).some(({ kind }) => ARTIFICIAL.has(kind));
const conditionsOf = (line) => [line, ...line.variants].map(({ condition }) => condition).filter((one) => one !== null);
const wordOf = (strain) => WORDS[strain] ?? strain;

/** What conditions say of lengths, with the names in them written out. */
class Shows {
  constructor(defines) {
    this.defines = defines;
  }

  /** Whether a line shows the suit that it bids and the other says nothing of its own; in notrump, whether it is balanced
   * and the other one has a long suit.
   */
  whatNot(line, other) {
    const suit = line.call.strain;
    if (suit === "NT") return this.line(line, isBalanced) && this.line(other, (one) => this.isLong(one));
    if (!this.line(line, (one) => this.least(one, wordOf(suit)) >= SHOWN)) return false;
    return !conditionsOf(other).some((one) => this.says(one, wordOf(other.call.strain)));
  }

  /** Whether all hands of a line have something that a condition may say. */
  line({ condition, variants }, holds) {
    if (condition !== null && holds(condition)) return true;
    return variants.length > 0 && variants.every((one) => one.condition !== null && holds(one.condition));
  }

  writtenOut(phrase, suit) {
    const define = phrase.kind === "named" ? this.defines.get(phrase.text) : undefined;
    if (define === undefined) return null;
    const place = phrase.suits.indexOf(suit);
    return [define.condition, define.suits[place] ?? suit];
  }

  /** Cards of a suit that every hand has, as far as lengths are written. */
  least(condition, suit) {
    if (condition.type === "AllOf") return Math.max(...condition.parts.map((part) => this.least(part, suit)));
    if (condition.type === "AnyOf") return Math.min(...condition.parts.map((part) => this.least(part, suit)));
    if (condition.type === "NotThis") return 0;
    const inner = this.writtenOut(condition, suit);
    if (inner !== null) return this.least(...inner);
    const { kind, suits, range } = condition;
    if (!LENGTHS.includes(kind) || !suits.includes(suit) || range === null) return 0;
    return Math.min(range.low, ...range.also);
  }

  /** Whether anything is said of a suit, or of the whole shape. */
  says(condition, suit) {
    return phrasesOf(condition).some((phrase) => {
      if (phrase.suits.includes(suit) || phrase.kind === "shape") return true;
      const inner = this.writtenOut(phrase, suit);
      return inner !== null && this.says(...inner);
    });
  }

  /** Whether every hand has a long suit. */
  isLong(condition) {
    if (condition.type === "AllOf") return condition.parts.some((part) => this.isLong(part));
    if (condition.type === "AnyOf") return condition.parts.every((part) => this.isLong(part));
    if (condition.type === "NotThis") return false;
    const inner = this.writtenOut(condition, "");
    if (inner !== null) return this.isLong(inner[0]);
    return LENGTHS.includes(condition.kind) && condition.range !== null && condition.range.low >= LONG;
  }
}

function isBalanced(condition) {
  return partsOf(condition).some(({ kind, text }) => kind === "named" && BALANCED.includes(text));
}

// ---------------------------------------------------------------------- answers
const answerOf = ({ call, name, where }) => ({ call: callText(call), name, where });

/** Answers to the first meaning, to the second and to both. */
function answersOf(one, other, spots) {
  const [answers, otherAnswers, both] = [new Map(), new Map(), new Map()];
  const keep = (found, line) => {
    const key = JSON.stringify(line.where);
    if (!found.has(key)) found.set(key, answerOf(line));
  };
  below(one.line.below).forEach((line) => keep(answers, line));
  below(other.line.below).forEach((line) => keep(otherAnswers, line));
  for (const { line, group } of behind(one, other, spots)) {
    const [first, second] = [one, other].map((spot) => isOfMeaning(spot.line, group.facts));
    if (first || second) keep(first && second ? both : first ? answers : otherAnswers, line);
  }
  return { answers: [...answers.values()], otherAnswers: [...otherAnswers.values()], both: [...both.values()] };
}

function below(body) {
  return body.flatMap((one) => (one.type === "Line" ? [one] : below(one.body)));
}

/** Lines of blocks of their own behind a call that two lines make. */
function behind(one, other, spots) {
  if (one.steps === null) return [];
  const before = auctionText(one.steps);
  return spots.filter(({ group, steps }) => (
    group.pattern !== null && steps?.length === one.steps.length + 2 && auctionText(steps.slice(0, -2)) === before
      && [one, other].some(({ line }) => isOneOf(line.call, steps.at(-2)))
  ));
}

/** Whether a line's call is what headers say that partner's last call was. */
function isOfMeaning(line, facts) {
  const agreed = new Set(agreementsOf(line).map(({ kind, text }) => (kind === "tag" ? `#${text}` : kind)));
  return facts.flatMap(partsOf).every(({ type, kind, who, text }) => {
    if (type !== "Phrase" || kind !== "last call" || who !== "partner") return true;
    return !(AGREED.includes(text) || text.startsWith("#")) || agreed.has(text);
  });
}

/** Whether a header's step stands for a call. */
function isOneOf(call, step) {
  const fixed = fixedCall(call);
  if (fixed === undefined) return step.calls.some((one) => callText(one) === callText(call));
  return step.calls.some((one) => matchCall(one, fixed, {}) !== null);
}
