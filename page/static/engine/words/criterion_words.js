// Phrases of a line beside the formulas that they became: systems/words/criterion_words.py is the definition.

import { InvalidSystem } from "../errors.js";
import { operandsOf, termsOf } from "../expressions/expressions.js";
import { phrasesOf } from "../language/joining.js";
import { letterOf } from "../language/patterns.js";
import { KINDS, OF_CARDS, OTHER, PLAYERS_WORDS, SAID_BY_WORDS, WORDS_PAGE } from "../language/phrases.js";
import { callText, conditionText } from "../language/wording.js";
import { conjunction, disjunction, negation } from "../places/formulas.js";
import { boundCondition, SUIT_NAMES } from "./describing.js";

const DEEPEST = 32;

/**
 * Phrases `{text, expression}` that criteria of an entry are made of, by criterion; none for what formulas say.
 * `lower(condition, bindings)` gives what a condition becomes at the entry's place.
 */
export function wordsOfCriteria(entry, defines, lower) {
  entry.phrases ??= phrasesOfEntry(entry, new Phrases(defines, lower, entry.criteria, SAID_BY_WORDS));
  return entry.phrases;
}

/** Phrases by the criteria of an entry that they are part of. */
function phrasesOfEntry(entry, walk) {
  const found = new Map();
  if (entry.condition !== null) {
    for (const words of walk.of(entry.condition, entry.bindings)) {
      for (const criterion of criteriaWith(words.expression, entry.criteria)) {
        const known = found.get(criterion) ?? [];
        found.set(criterion, known);
        if (!known.some((one) => one.text === words.text && one.expression === words.expression)) known.push(words);
      }
    }
  }
  return found;
}

/** Words for the honours of suits that an entry asks for, beside points and cards of suits. */
export function honoursOf(entry, defines, lower) {
  const walk = new Phrases(defines, lower, entry.criteria, new Set([...SAID_BY_WORDS, ...OF_CARDS]));
  return [...phrasesOfEntry(entry, walk)]
    .map(([criterion, some]) => honoursText(criterion, some.filter(isOfHonours))).filter(Boolean);
}

const isOfHonours = ({ expression }) => [...termsOf(expression)].every((name) => /^(?:Top|C_)/.test(name));

/** Words for a criterion that is phrases, one or several joined by "or"; else empty. */
function honoursText(criterion, some) {
  const isPartOf = (one, whole) => whole.kind === "and" && whole.operands.includes(one);
  const own = some.find(({ expression }) => expression === criterion || isPartOf(criterion, expression));
  if (own) return own.text;
  let left = criterion.kind === "or" ? [...criterion.operands] : [];
  const texts = [];
  for (const { expression, text } of some) {
    const parts = expression.kind === "or" ? expression.operands : [expression];
    const isWhole = criterion.kind === "or" && parts.every((part) => criterion.operands.includes(part));
    const rest = left.filter((one) => !(isWhole && parts.includes(one)) && !isPartOf(expression, one));
    if (rest.length < left.length) {
      texts.push(text);
      left = rest;
      if (!left.length) return texts.join(" or ");
    }
  }
  return "";
}

/** Walks a condition and the definitions that it names. */
class Phrases {
  #kinds;
  #defines;
  #lower;
  #criteria;

  /** `kinds` are those whose words are told where they stand by themselves. */
  constructor(defines, lower, criteria, kinds) {
    this.#kinds = kinds;
    this.#defines = defines;
    this.#lower = lower;
    this.#criteria = criteria;
  }

  /** Phrases that are told by their words; `denied` is whether they stand behind "not". */
  of(condition, bindings, denied = false, depth = 0) {
    switch (condition.type) {
      case "AllOf": case "AnyOf": return condition.parts.flatMap((part) => this.of(part, bindings, denied, depth));
      case "NotThis": return this.of(condition.part, bindings, !denied, depth);
      default:
    }
    if (condition.kind === "named" && this.#defines.has(condition.text)) {
      return this.#named(condition, bindings, denied, depth);
    }
    return this.#kinds.has(condition.kind) ? this.#told(condition, bindings, denied) : [];
  }

  /** Words of a name where players have some, else of what it is made of. */
  #named(phrase, bindings, denied, depth) {
    const define = this.#defines.get(phrase.text);
    let told = [];
    if (playersWords(define) || this.#isOfCards(define)) {
      told = this.#told(phrase, bindings, denied);
      if (told.some((one) => criteriaWith(one.expression, this.#criteria).length)) return told;
    }
    const letters = phrase.suits.map((word) => letterOf(word, bindings));
    if (depth === DEEPEST || letters.length !== define.suits.length || letters.includes(undefined)) return told;
    const inner = { ...bindings };
    define.suits.forEach((name, place) => {
      delete inner[OTHER[name]];
      inner[name] = letters[place];
    });
    return [...told, ...this.of(define.condition, inner, denied, depth + 1)];
  }

  /** Whether a definition looks at cards of its one suit alone. */
  #isOfCards({ suits, condition }, depth = 0) {
    return suits.length === 1 && depth < DEEPEST && phrasesOf(condition).every((one) => (
      one.suits.length === 1 && one.suits[0] === suits[0]
      && (OF_CARDS.has(one.kind)
        || (one.kind === "named" && this.#defines.has(one.text) && this.#isOfCards(this.#defines.get(one.text), depth + 1)))
    ));
  }

  /** Words of a phrase; where its suit is a role, those of each suit that it stands for. */
  #told(phrase, bindings, denied) {
    let expression;
    try {
      expression = this.#lower(phrase, bindings);
    } catch (error) {
      // beside what decided the condition it was not lowered
      if (error instanceof InvalidSystem) return [];
      throw error;
    }
    if (denied) expression = negation(expression);
    if (expression.kind === "truth") return [];
    const bound = boundCondition(phrase, bindings);
    const isRole = phrase.suits.length === 1 && letterOf(phrase.suits[0], bindings) === undefined;
    const parts = isRole ? bySuit(expression) : new Map([["", expression]]);
    return [...parts].map(([letter, part]) => ({
      text: this.#text(letter ? { ...bound, suits: [SUIT_NAMES[letter]] } : bound, denied), expression: part,
    }));
  }

  /** Words of a phrase as players say them, else as the text has them, with their article. */
  #text(phrase, denied) {
    const words = phrase.kind === "named" ? playersWords(this.#defines.get(phrase.text)) : PLAYERS_WORDS.get(phrase.kind);
    if (words && !(denied && words.startsWith("the "))) {
      const told = words.replace("{suit}", phrase.suits.join("")).replace("{call}", phrase.call === null ? "" : callText(phrase.call));
      if (!denied) return told;
      return told.startsWith("a ") ? `no ${told.slice(2)}` : `not ${told}`;
    }
    if (denied) return conditionText({ type: "NotThis", part: phrase });
    const hasArticle = KINDS.get(phrase.kind).deniedByNo && phrase.kind !== "two stoppers";
    return `${hasArticle ? "a " : ""}${conditionText(phrase)}`;
  }
}

function playersWords({ name, where }) {
  return where.file === WORDS_PAGE ? PLAYERS_WORDS.get(name) : undefined;
}

/** Suit of a term; empty where it has none. */
function suitOf(term) {
  const last = term.slice(term.lastIndexOf("_") + 1);
  if (term.startsWith("C_")) return last[0];
  return last !== term && last in SUIT_NAMES ? last : "";
}

/** Parts of an expression by the suits that they speak of; whole, for no suit, where one has not one. */
function bySuit(expression) {
  const found = new Map();
  for (const part of expression.operands ?? [expression]) {
    const suits = new Set([...termsOf(part)].map(suitOf));
    const suit = suits.size === 1 ? [...suits][0] : "";
    found.set(suit, [...found.get(suit) ?? [], part]);
  }
  if (found.has("")) return new Map([["", expression]]);
  const join = expression.kind === "and" ? conjunction : disjunction;
  return new Map([...found].map(([suit, parts]) => [suit, join(parts)]));
}

/** Those of some criteria, which must all hold, that an expression is part of. */
function criteriaWith(part, criteria) {
  if (part.kind === "and" && part.operands.every((one) => criteria.includes(one))) return part.operands;
  return criteria.filter((one) => hasPart(one, part));
}

function hasPart(whole, part) {
  if (whole === part) return true;
  const isJoined = whole.kind === part.kind && (part.kind === "and" || part.kind === "or");
  if (isJoined && part.operands.every((one) => whole.operands.includes(one))) return true;
  return operandsOf(whole).some((one) => hasPart(one, part));
}
