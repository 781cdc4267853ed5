// Conditions in the words of players: what a call wants, what the hand has, how far it is off. A phrase of the system's
// text comes with its condition; what has none is told by its tree. systems/words/condition_words.py is the definition.

import texts from "./condition_words_data.js";
import { termsOf } from "../expressions/expressions.js";
import { DESCRIBED } from "../language/phrases.js";
import {
  boundsOf, comparisonOf, expressionTree, missedParts, openTree, partsOf, ruleNumber, termParts, treeOf, valuesOf,
} from "./condition_trees.js";

const BALANCED = ["4333", "4432", "5332"];
const SEMI = [...BALANCED, "5422", "6322"];
const SUIT_COUNT = 4;
const COUNTED = new Set([
  "HCP", "Support_Points", "Total_Points", "Losers", "QT", "Playing_Tricks", "Controls", "Aces", "Kings", "Queens", "Keycards",
]);
/** Bounds of a short suit that have a name, whichever suit it is. */
const SHORT = { "0-0": "a-void", "-0": "a-void", "1-1": "a-singleton", "-1": "a-shortness", "2-2": "a-doubleton" };
/** What is missing, by the first word of a phrase. */
const LACKS = { a: "lack.none", no: "lack.one", not: "lack.not", the: "lack.neither" };
const AGAINST = { ">=": "as-long", ">": "longer", "<=": "no-longer", "<": "shorter" };
const SUIT_SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };

const shownCards = (cards) => cards.replaceAll("T", "10");

/**
 * Words of conditions in a language: `phrase(name, parts)` and `listed(parts, last)` as the page's texts.js has them, and
 * `plain(text)` for an expression that has no words.
 */
export function conditionWords({ phrase, listed, plain }) {
  // --- single tests ---------------------------------------------------------------------------------

  function suitName(suit) {
    return phrase(`suit.${suit}`);
  }

  /** Number in the name of a term such as Top3; null for other terms. */
  function topOf({ stem }) {
    return stem.length === 4 && stem.startsWith("Top") ? stem[3] : null;
  }

  /** What is counted, for a number of it: "points", "spades", "of the top 3 hearts"; null where it has no words. */
  function counted(term, number) {
    const { stem, suit } = termParts(term);
    const top = topOf({ stem });
    if (top) return phrase("tops", { number: top, suit: suitName(suit) });
    if (stem === "Longest_Suit") return phrase("long-suit");
    if (stem === "SL") return phrase(`count.${term}`, { number });
    if (stem === "HCP" && suit) return phrase("count.HCP-in", { number, suit: suitName(suit) });
    return COUNTED.has(stem) ? phrase(`count.${stem}`, { number, suit: suit && suitName(suit) }) : null;
  }

  /** That there is nothing of what is counted. */
  function none(term) {
    return phrase(topOf(termParts(term)) ? "none" : "no", { what: counted(term, 2) });
  }

  /** A term between bounds, of which one may be missing; null where it has no words. */
  function bounded({ term, low, high }) {
    const rule = ruleNumber(term);
    if (rule !== null) {
      const text = phrase("rule", { number: rule });
      return low === null ? phrase("not", { what: text }) : text;
    }
    const what = counted(term, 2);
    if (what === null) return null;
    const top = topOf(termParts(term));
    if (top && low === Number(top)) return phrase("all-tops", { what });
    if (low !== null && low === high) return low === 0 ? none(term) : phrase("exactly", { number: low, what: counted(term, low) });
    if (high === null) return phrase("plus", { number: low, what });
    if (low === null) return high === 0 ? none(term) : phrase("most", { number: high, what: counted(term, high) });
    return phrase("between", { low, high, what });
  }

  function isStopper(stem) {
    return stem.split("_").at(-1).startsWith("Stopper");
  }

  function termWords(name) {
    const { stem, suit, rank } = termParts(name);
    if (rank) return phrase("card", { card: SUIT_SIGNS[suit] + shownCards(rank) });
    if (suit && isStopper(stem)) return phrase("a", { what: phrase("stopper", { suit: suitName(suit) }) });
    if (name === "Balanced") return phrase("a", { what: phrase("balanced") });
    if (name === "Vul_We") return phrase("we-vulnerable");
    return name === "Vul_They" ? phrase("they-vulnerable") : null;
  }

  /** A comparison that is no range of one number; null where it has no words. */
  function comparedWords(node) {
    const { term, sign, number, shape, other } = comparisonOf(node) ?? {};
    if (term === undefined) return null;
    if (shape !== undefined) {
      const text = phrase("shape", { shape });
      return sign === "==" ? text : phrase("not", { what: text });
    }
    if (number !== undefined) {
      if (number === 0) return bounded({ term, low: 1, high: null });
      return counted(term, number) && phrase("not-number", { number, what: counted(term, number) });
    }
    const [one, two] = [term, other].map(termParts);
    if (one.stem !== "SL" || !AGAINST[sign]) return null;
    if (other === "Longest_Suit") return phrase(sign === ">=" ? "longest" : "not-longest", { one: suitName(one.suit) });
    return two.stem === "SL" ? phrase(AGAINST[sign], { one: suitName(one.suit), other: suitName(two.suit) }) : null;
  }

  function deniedWords(operand) {
    const isWhole = operand.kind === "and" || operand.kind === "or" || (operand.kind === "term" && operand.name.startsWith("Vul_"));
    const text = wordsOf(operand);
    const [article, ...rest] = text.split(" ");
    return phrase(isWhole ? "not" : "no", { what: article === "a" || article === "an" ? rest.join(" ") : text });
  }

  // --- whole trees ----------------------------------------------------------------------------------

  /** A tree as players say it; what has no words is written plainly. */
  function wordsOf(node) {
    const plainly = () => plain(node.text);
    switch (node.kind) {
      case "phrase": return node.words;
      case "or": return shapesWords(node.operands) ?? anySuitWords(node.operands) ?? cardsWords(node.operands) ?? eitherWords(node.operands);
      case "and": return listed(wantedParts(node.operands));
      case "not": return deniedWords(node.operand);
      case "term": return termWords(node.name) ?? plainly();
      default: {
        const range = boundsOf(node);
        return (range ? bounded(range) : comparedWords(node)) ?? plainly();
      }
    }
  }

  /** Hand patterns of which a hand has one. */
  function shapesWords(parts) {
    const tests = parts.map((part) => comparisonOf(part));
    if (!tests.every((one) => one?.shape !== undefined && one.sign === "==")) return null;
    const shapes = tests.map(({ shape }) => shape);
    const same = (others) => shapes.length === others.length && others.every((one) => shapes.includes(one));
    if (same(BALANCED)) return phrase("a", { what: phrase("balanced") });
    if (same(SEMI)) return phrase("a", { what: phrase("semi-balanced") });
    return listed(shapes.map((shape) => phrase("shape", { shape })), "or");
  }

  /** One short suit, whichever it is. */
  function anySuitWords(parts) {
    const ranges = parts.map(boundsOf);
    if (parts.length !== SUIT_COUNT || !ranges.every((one) => one && termParts(one.term).stem === "SL")) return null;
    const lengths = new Set(ranges.map(({ low, high }) => `${low ?? ""}-${high ?? ""}`));
    const name = lengths.size === 1 ? SHORT[[...lengths][0]] : undefined;
    return name && new Set(ranges.map(({ term }) => term)).size === SUIT_COUNT ? phrase(name) : null;
  }

  /** Cards of one suit of which a hand has one: "the ♥A, ♥K or ♥Q". */
  function cardsWords(parts) {
    const cards = parts.map(({ kind, name }) => (kind === "term" ? termParts(name) : {}));
    if (!cards.every(({ rank, suit }) => rank && suit === cards[0].suit)) return null;
    return phrase("card", { card: listed(cards.map(({ suit, rank }) => SUIT_SIGNS[suit] + shownCards(rank)), "or") });
  }

  /** Alternatives, the plain ones first; where one has an "and" or "or" in it a comma keeps them apart. */
  function eitherWords(operands) {
    const ranges = operands.map(oneRange);
    const isTold = (_, place) => !ranges.some((one) => one && ranges[place] && isWider(one, ranges[place]));
    const parts = [...new Set(operands.filter(isTold).map(wordsOf))];
    const isMixed = (part) => part.includes(phrase("and")) || part.includes(phrase("or"));
    const ordered = [...parts.filter((part) => !isMixed(part)), ...parts.filter(isMixed)];
    return ordered.length > 2 || ordered.some(isMixed) ? ordered.join(phrase("comma-or")) : listed(ordered, "or");
  }

  /** Bounds of a tree that asks for nothing but a range of one term; else null. */
  function oneRange(node) {
    const ranges = partsOf(node, "and").map(boundsOf);
    return ranges.every((one) => one && one.term === ranges[0].term) ? ranges.reduce(narrowed) : null;
  }

  /** Whether a range has all of another range of its term, and more. */
  function isWider(one, two) {
    const [[low, high], [from, to]] = [one, two].map((range) => [range.low ?? -1, range.high ?? Infinity]);
    return one.term === two.term && (low !== from || high !== to) && low <= from && from <= to && to <= high;
  }

  /** Parts joined by "and"; where one has an "or" in it that would run into its neighbours, by semicolons. */
  function joinedParts(parts) {
    const isMixed = parts.some((part) => part.includes(phrase("comma-or"))
      || (part.includes(phrase("and")) && part.includes(phrase("or"))));
    return isMixed && parts.length > 1 ? parts.join(phrase("semicolon")) : listed(parts);
  }

  /** What several trees want together: bounds of one term are one part. */
  function wantedParts(nodes) {
    const parts = nodes.flatMap((one) => partsOf(one, "and"));
    const bounds = new Map();
    const found = [];
    for (const part of withoutVoids(withoutPatterns(parts, found), found)) {
      const range = boundsOf(part);
      if (!range || bounded(range) === null) {
        found.push(wordsOf(part));
        continue;
      }
      const known = bounds.get(range.term);
      if (!known) {
        bounds.set(range.term, range);
        found.push(range);
        continue;
      }
      Object.assign(known, narrowed(known, range));
    }
    return [...new Set(found.map((one) => (typeof one === "string" ? one : bounded(one))))];
  }

  function narrowed(one, two) {
    const [lows, highs] = ["low", "high"].map((end) => [one[end], two[end]].filter((bound) => bound !== null));
    return { term: one.term, low: lows.length ? Math.max(...lows) : null, high: highs.length ? Math.min(...highs) : null };
  }

  /** No balanced pattern is "an unbalanced hand". */
  function withoutPatterns(parts, found) {
    const denied = (part) => {
      const { shape, sign } = comparisonOf(part) ?? {};
      return sign === "!=" && BALANCED.includes(shape);
    };
    if (new Set(parts.filter(denied)).size !== BALANCED.length) return parts;
    found.push(phrase("unbalanced"));
    return parts.filter((part) => !denied(part));
  }

  /** A card of every suit is "no void". */
  function withoutVoids(parts, found) {
    const denied = (part) => {
      const { term, sign, number } = comparisonOf(part) ?? {};
      return sign === "!=" && number === 0 && termParts(term).stem === "SL";
    };
    if (new Set(parts.filter(denied)).size !== SUIT_COUNT) return parts;
    found.push(phrase("no-void"));
    return parts.filter((part) => !denied(part));
  }

  /** What call wants, in words: of conditions with or without values. */
  function wantedWords(conditions) {
    const undecided = conditions.map(openTree).filter(Boolean);
    return joinedParts(wantedParts(undecided.length ? undecided : conditions.map(treeOf)));
  }

  /** A description of a system's text as players read it; formulas in its braces are told in words. `ownNames` mean what they say. */
  function descriptionWords(text, ownNames = []) {
    const [start, ...braced] = DESCRIBED.filter(({ name }) => !ownNames.includes(name)).reduce(described, text).split("{");
    return start + braced.map((part) => {
      const end = part.indexOf("}");
      const words = end < 1 ? null : formulaWords(part.slice(0, end));
      return words === null ? `{${part}` : words + part.slice(end + 1);
    }).join("");
  }

  /** A description with players' words for one form of the texts' words. */
  function described(text, { form, words }) {
    return text.replace(form, (...found) => {
      const { start, denied, ...parts } = found.at(-1);
      const told = words.replace(/\{(\w+)\}/g, (_, name) => parts[name]);
      return start + (denied ? deniedText(told) : told);
    });
  }

  function deniedText(told) {
    const [first, ...rest] = told.split(" ");
    if (first === "not") return rest.join(" ");
    return first === "a" ? phrase("no", { what: rest.join(" ") }) : phrase("not", { what: told });
  }

  /** A formula in words; null for what is none, as prose of a table may have in braces. */
  function formulaWords(text) {
    const tree = expressionTree(text);
    return tree.kind === "text" ? null : wordsOf(tree);
  }

  // --- what the hand has ----------------------------------------------------------------------------

  function hasWords(term, value) {
    if (term === "Pattern") return phrase("a", { what: phrase("shape", { shape: value }) });
    if (typeof value !== "number" || term === "Longest_Suit") return null;
    const rule = ruleNumber(term);
    if (rule !== null) return phrase("has-rule", { value, number: rule });
    const what = counted(term, value);
    if (what === null) return null;
    return value === 0 ? none(term) : phrase("exactly", { number: value, what });
  }

  /** What the hand has of what is asked for. */
  function handWords(conditions) {
    const values = Object.assign({}, ...conditions.map(valuesOf));
    const isTold = (term) => {
      const { stem, suit } = termParts(term);
      return term === "HCP" || (suit && (stem === "SL" || stem === "Support_Points"));
    };
    return listed(Object.entries(values).filter(([term]) => isTold(term)).map(([term, value]) => hasWords(term, value)));
  }

  /** That a hand has not what a phrase of the text asks for; null where numbers tell. */
  function phraseLack({ words, meaning }) {
    const isOfCards = [...termsOf(meaning)].every((term) => {
      const { stem, suit, rank } = termParts(term);
      return rank || topOf({ stem }) !== null || isStopper(stem) || ((stem === "HCP" || stem === "SL") && suit);
    });
    if (!isOfCards) return null;
    const [first] = words.split(" ");
    return first in LACKS ? phrase(LACKS[first]) : phrase("lack.meant", { meant: wordsOf(meaning) });
  }

  /** What of a missed tree the hand has: "you have 12"; of alternatives the one that it comes closest to. */
  function lackWords(node, values) {
    // alternatives of one test each are told in one
    const missed = node.kind === "or" && node.operands.every(boundsOf) ? node.operands : missedParts(node, values);
    const [first] = missed;
    if (missed.length === 1) {
      const lack = first.kind === "phrase" ? phraseLack(first) : null;
      if (lack) return lack;
      if (first.kind === "term" && isStopper(termParts(first.name).stem)) return phrase("lack.none");
      const range = boundsOf(first);
      if (range && typeof values[range.term] === "number") {
        const value = values[range.term];
        const isAlone = first === node && ruleNumber(range.term) === null;
        const has = isAlone ? String(value) : hasWords(range.term, value);
        if (has !== null) return phrase("you-have", { has });
      }
    }
    const terms = new Set(missed.flatMap((part) => [...termsOf(part.meaning ?? part)]));
    const found = Object.entries(values).filter(([term]) => terms.has(term) && topOf(termParts(term)) === null)
      .map(([term, value]) => hasWords(term, value)).filter(Boolean);
    return found.length ? phrase("you-have", { has: listed(found) }) : phrase("you-lack");
  }

  /** A missed condition: {wanted, has}. */
  function missWords(condition) {
    const tree = openTree(condition) ?? treeOf(condition);
    return { wanted: wordsOf(tree), has: lackWords(tree, valuesOf(condition)) };
  }

  /** What is missing in a line: "12+ points (you have 6)". */
  function needsWords(missing) {
    return listed(missing.map((one) => phrase("missed", one)));
  }

  return { wantedWords, descriptionWords, handWords, missWords, needsWords };
}

function englishPhrase(name, parts = {}) {
  const [one, many = one] = texts[name].split("|");
  return ("number" in parts && Number(parts.number) !== 1 ? many : one).replace(/\{(\w+)\}/g, (_, part) => parts[part]);
}

function englishList(parts, last = "and") {
  if (parts.length < 2) return parts.join("");
  return parts.slice(0, -1).join(englishPhrase("comma")) + englishPhrase(last) + parts.at(-1);
}

/** Words as the Python package says them. */
export const ENGLISH = conditionWords({ phrase: englishPhrase, listed: englishList, plain: (text) => text });
