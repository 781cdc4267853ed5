// Conditions in the words of players: what a call wants, what the hand has, how far it is off.

import { shownCards, SUIT_SIGNS } from "../bridge/cards.js";
import { conditionText } from "../format.js";
import { listed, phrase } from "../texts.js";

const NUMBER = /^([A-Za-z]\w*) (>=|<=|==|!=|<|>) (\d+(?:\.\d+)?)$/;
const TWO = /^([A-Za-z]\w*) (>=|<=|<|>) ([A-Za-z]\w*)$/;
const BETWEEN = /^(\d+) <= ([A-Za-z]\w*) <= (\d+)$/;
const BALANCED = ["4333", "4432", "5332"];
const SEMI = [...BALANCED, "5422", "6322"];
/** Conditions of one suit, written with X for it, that have a name; and how to say that it is not so. */
const NAMED = [
  [/^Top3_X >= 2 or Top5_X >= 3 or C_XA or C_XK$/, (suit) => phrase("decent-suit", { suit }), "lack.decent"],
  [/^Top3_X >= 2 or Top5_X >= 3$/, (suit) => phrase("good-suit", { suit }), "lack.good"],
  [/^C_XA or C_XK and SL_X >= 2 or C_XQ and SL_X >= 3(?: or C_XJ and C_XT and SL_X >= 4| or C_XJ and SL_X >= 4)?$/,
    (suit) => phrase("a", { what: phrase("stopper", { suit }) }), "lack.none"],
  [/^C_XA or SL_X == 0$/, (suit) => phrase("first-control", { suit }), "lack.none"],
  [/^C_XA or C_XK or C_XQ$/, (suit) => phrase("a", { what: phrase("honour", { suit }) }), "lack.none"],
];
const OR = "or";
const FAR = 2;
const CARD_OFF = 1.6;
/** A hand comes close that is three points short, or a point and a card. */
const CLOSE = 3;
/** Cards of a suit that a player thinks of bidding. */
const THOUGHT_OF = 4;

function suitName(suit) {
  return phrase(`suit.${suit}`);
}

/** What is counted, for a number of it: "points", "spades", "of the top 3 hearts". */
function counted(term, number) {
  const [, stem, suit] = /^(.*?)_([SHDC])$/.exec(term) ?? [null, term, ""];
  if (/^Top\d$/.test(stem)) return phrase("tops", { number: stem[3], suit: suitName(suit) });
  if (stem === "Longest_Suit") return phrase("long-suit");
  if (stem === "SL") return phrase(`count.${term}`, { number });
  if (stem === "HCP" && suit) return phrase("count.HCP-in", { number, suit: suitName(suit) });
  if (/^(?:HCP|Support_Points|Total_Points|Losers|QT|Playing_Tricks|Controls|Aces|Kings|Queens)$/.test(stem)) {
    return phrase(`count.${stem}`, { number, suit: suit && suitName(suit) });
  }
  return null;
}

function atLeast(term, low) {
  return phrase("plus", { number: low, what: counted(term, 2) });
}

/** A term between bounds, of which one may be missing; null where it has no words. */
function bounded(term, low, high) {
  const rule = /^Rule_Of_(\d+)$/.exec(term);
  if (rule) {
    const text = phrase("rule", { number: rule[1] });
    return low === null ? phrase("not", { what: text }) : text;
  }
  if (counted(term, 2) === null) return null;
  const [, tops] = /^Top(\d)_/.exec(term) ?? [];
  if (tops && low === Number(tops)) return phrase("all-tops", { what: counted(term, 2) });
  if (low !== null && low === high) {
    return low === 0 ? phrase("no", { what: counted(term, 2) }) : phrase("exactly", { number: low, what: counted(term, low) });
  }
  if (high === null) return atLeast(term, low);
  if (low === null) return high === 0 ? phrase("no", { what: counted(term, 2) }) : phrase("most", { number: high, what: counted(term, high) });
  return phrase("between", { low, high, what: counted(term, 2) });
}

/** Bounds of a test of one number: {term, low, high}, or null. */
function boundsOf(expression) {
  const range = BETWEEN.exec(expression);
  if (range) return { term: range[2], low: Number(range[1]), high: Number(range[3]) };
  const [, term, sign, text] = NUMBER.exec(expression) ?? [];
  if (!term || sign === "!=") return null;
  const number = Number(text);
  // half tricks are counted, too: only whole terms go one further
  const step = term === "QT" || term === "Playing_Tricks" ? 0.5 : 1;
  if (sign === "==") return { term, low: number, high: number };
  if (sign === ">=" || sign === ">") return { term, low: sign === ">" ? number + step : number, high: null };
  return { term, low: null, high: sign === "<" ? number - step : number };
}

/** Parts between a word that stands outside all brackets. */
function split(expression, word) {
  const parts = [];
  let depth = 0;
  let begin = 0;
  for (const match of expression.matchAll(/[()]|\s(?:and|or)\s/g)) {
    if (match[0] === "(") depth += 1;
    else if (match[0] === ")") depth -= 1;
    else if (!depth && match[0] === ` ${word} `) {
      parts.push(expression.slice(begin, match.index));
      begin = match.index + match[0].length;
    }
  }
  return [...parts, expression.slice(begin)].map(bare);
}

/** Without brackets around the whole. */
function bare(text) {
  const trimmed = text.trim();
  if (!trimmed.startsWith("(")) return trimmed;
  let depth = 0;
  for (let place = 0; place < trimmed.length; place += 1) {
    depth += { "(": 1, ")": -1 }[trimmed[place]] ?? 0;
    if (!depth) return place === trimmed.length - 1 ? bare(trimmed.slice(1, -1)) : trimmed;
  }
  return trimmed;
}

function shapesWords(parts) {
  const shapes = parts.map((part) => /^Pattern == '(\d{4})'$/.exec(part)?.[1]);
  if (shapes.includes(undefined)) return null;
  const same = (others) => shapes.length === others.length && others.every((one) => shapes.includes(one));
  if (same(BALANCED)) return phrase("a", { what: phrase("balanced") });
  if (same(SEMI)) return phrase("a", { what: phrase("semi-balanced") });
  return listed(shapes.map((shape) => phrase("shape", { shape })), "or");
}

function shortnessWords(parts) {
  const tests = parts.map((part) => /^SL_[SHDC] (==|<=) ([01])$/.exec(part));
  if (parts.length !== 4 || tests.includes(null)) return null;
  return phrase(tests.every((one) => one[2] === "0") ? "a-void" : "a-shortness");
}

function atomWords(expression) {
  const negated = /^not (.*)$/.exec(expression);
  if (negated) {
    const text = words(bare(negated[1])).replace(/^an? /, "");
    return phrase(/^(?:Vul_|\()/.test(negated[1]) ? "not" : "no", { what: text });
  }
  const range = boundsOf(expression);
  if (range) return bounded(range.term, range.low, range.high);
  const unequal = NUMBER.exec(expression);
  if (unequal) {
    if (unequal[3] === "0") return bounded(unequal[1], 1, null);
    return counted(unequal[1], 2) && phrase("not-number", { number: unequal[3], what: counted(unequal[1], 2) });
  }
  const two = TWO.exec(expression);
  if (two) return comparedWords(two);
  const shape = /^Pattern (==|!=) '(\d{4})'$/.exec(expression);
  if (shape) {
    const text = phrase("shape", { shape: shape[2] });
    return shape[1] === "==" ? text : phrase("not", { what: text });
  }
  const card = /^C_([SHDC])([AKQJT2-9])$/.exec(expression);
  if (card) return phrase("card", { card: SUIT_SIGNS[card[1]] + shownCards(card[2]) });
  const stopper = /Stoppers?_([SHDC])$/.exec(expression);
  if (stopper) return phrase("a", { what: phrase("stopper", { suit: suitName(stopper[1]) }) });
  if (expression === "Balanced") return phrase("a", { what: phrase("balanced") });
  if (expression === "Vul_We") return phrase("we-vulnerable");
  if (expression === "Vul_They") return phrase("they-vulnerable");
  return null;
}

function comparedWords([, first, sign, second]) {
  const name = (term) => /^SL_[SHDC]$/.test(term) && suitName(term.at(-1));
  const one = name(first);
  if (!one) return null;
  if (second === "Longest_Suit") return phrase(sign === ">=" ? "longest" : "not-longest", { one });
  const other = name(second);
  if (!other) return null;
  return phrase({ ">=": "as-long", ">": "longer", "<=": "no-longer", "<": "shorter" }[sign], { one, other });
}

/** A condition of one suit that has a name: {text, lack}. */
function namedTest(expression) {
  const suits = new Set([...expression.matchAll(/_([SHDC])[AKQJT2-9]?\b/g)].map((match) => match[1]));
  if (suits.size !== 1) return null;
  const pattern = expression.replace(/_[SHDC](?=[AKQJT2-9]?\b)/g, "_X");
  const found = NAMED.find(([form]) => form.test(pattern));
  return found ? { text: found[1](suitName([...suits][0])), lack: phrase(found[2]) } : null;
}

/** An expression as players say it; what has no words is written plainly. */
export function words(expression) {
  const named = namedTest(expression);
  if (named) return named.text;
  const either = split(expression, "or");
  if (either.length > 1) return shapesWords(either) ?? shortnessWords(either) ?? eitherWords(either);
  const all = split(expression, "and");
  if (all.length > 1) return listed(wantedParts(all));
  return atomWords(bare(expression)) ?? conditionText(expression);
}

/** Alternatives, the plain ones first; where one has an "and" or "or" in it a comma keeps them apart. */
function eitherWords(either) {
  const parts = [...new Set(namedFirst(either).map(words))];
  const isMixed = (part) => part.includes(phrase("and")) || part.includes(phrase("or"));
  const ordered = [...parts.filter((part) => !isMixed(part)), ...parts.filter(isMixed)];
  return ordered.length > 2 || ordered.some(isMixed) ? ordered.join(phrase("comma-or")) : listed(ordered, "or");
}

/** What of an expression is open where terms of the vulnerability are known: a text, or true or false. */
function settled(expression, values) {
  const whole = bare(expression);
  const either = split(whole, "or");
  const all = either.length > 1 ? either : split(whole, "and");
  if (all.length === 1) {
    const negated = /^not (.*)$/.exec(whole);
    if (!negated) return /^Vul_(?:We|They)$/.test(whole) && whole in values ? values[whole] : whole;
    const inner = settled(negated[1], values);
    // what was settled in part is written as it was
    return typeof inner === "boolean" ? !inner : whole;
  }
  const [word, decides] = either.length > 1 ? ["or", true] : ["and", false];
  const parts = all.map((one) => settled(one, values)).filter((one) => one !== !decides);
  if (parts.includes(decides)) return decides;
  if (!parts.length) return !decides;
  return parts.length === 1 ? parts[0] : parts.map((one) => (split(one, "or").length > 1 ? `(${one})` : one)).join(` ${word} `);
}

/** A condition without what the vulnerability has decided; null where that decides all of it. */
function open(condition) {
  const { expression } = condition;
  if (!expression.includes("Vul_")) return condition;
  const found = settled(expression, valuesOf(condition));
  return typeof found === "string" ? { ...condition, expression: found } : null;
}

/** Parts joined by "and"; where one has an "or" in it that would run into its neighbours, by semicolons. */
function joinedParts(parts) {
  const isMixed = parts.some((part) => part.includes(phrase("comma-or"))
    || (part.includes(phrase("and")) && part.includes(phrase("or"))));
  return isMixed && parts.length > 1 ? parts.join(phrase("semicolon")) : listed(parts);
}

/** Alternatives, of which the first ones are one where they have a name together. */
function namedFirst(either) {
  for (let number = either.length - 1; number > 1; number -= 1) {
    const first = either.slice(0, number).join(` ${OR} `);
    if (namedTest(first)) return [first, ...either.slice(number)];
  }
  return either;
}

/** What several expressions want together: bounds of one term are one part. */
function wantedParts(expressions) {
  const parts = expressions.flatMap((one) => (split(one, "or").length > 1 ? [one] : split(one, "and")));
  const bounds = new Map();
  const found = [];
  const add = (key, part) => {
    const known = bounds.get(key);
    if (!known) {
      bounds.set(key, part);
      found.push(part);
      return;
    }
    if (part.low !== null) known.low = known.low === null ? part.low : Math.max(known.low, part.low);
    if (part.high !== null) known.high = known.high === null ? part.high : Math.min(known.high, part.high);
  };
  const rest = withoutVoids(withoutPatterns(parts, found), found);
  for (const part of rest) {
    const range = boundsOf(part);
    if (range && bounded(range.term, range.low, range.high)) add(range.term, range);
    else found.push(part);
  }
  return [...new Set(found.map((one) => (
    typeof one === "string" ? words(one) : one.text ?? bounded(one.term, one.low, one.high)
  )))];
}

/** No balanced pattern is "an unbalanced hand". */
function withoutPatterns(parts, found) {
  const denied = BALANCED.map((shape) => `Pattern != '${shape}'`);
  if (!denied.every((one) => parts.includes(one))) return parts;
  found.push({ text: phrase("unbalanced") });
  return parts.filter((one) => !denied.includes(one));
}

/** A card of every suit is "no void". */
function withoutVoids(parts, found) {
  const denied = ["C", "D", "H", "S"].map((suit) => `SL_${suit} != 0`);
  if (!denied.every((one) => parts.includes(one))) return parts;
  found.push({ text: phrase("no-void") });
  return parts.filter((one) => !denied.includes(one));
}

/** Values of a condition by term. */
function valuesOf(condition) {
  const { expression, value } = condition;
  if (value !== null && typeof value === "object") return value;
  const [term] = /[A-Z]\w*/.exec(expression) ?? [];
  return term && value !== undefined ? { [term]: value } : {};
}

function hasWords(term, value) {
  if (term === "Pattern") return phrase("a", { what: phrase("shape", { shape: value }) });
  if (typeof value !== "number" || /^(?:Rule_Of_|Longest_Suit)/.test(term)) return null;
  const what = counted(term, value);
  if (what === null) return null;
  return value === 0 ? phrase("no", { what: counted(term, 2) }) : phrase("exactly", { number: value, what });
}

/** What call wants, in words: of conditions with or without values. */
export function wantedWords(conditions) {
  const undecided = conditions.map(open).filter(Boolean);
  return joinedParts(wantedParts((undecided.length ? undecided : conditions).map((one) => one.expression)));
}

/** A description of a system's text; formulas in it are told in words. */
export function descriptionWords(text) {
  return text.replace(/\{([^{}]+)\}/g, (_, expression) => words(expression));
}

/** What the hand has of what is asked for. */
export function handWords(conditions) {
  const values = Object.assign({}, ...conditions.map(valuesOf));
  const found = Object.entries(values).filter(([term]) => /^(?:HCP|SL_[SHDC]|Support_Points_[SHDC])$/.test(term));
  return listed(found.map(([term, value]) => hasWords(term, value)));
}

/** What of a missed condition the hand has: "you have 12"; of alternatives the one that it comes closest to. */
function lackWords(condition) {
  const values = valuesOf(condition);
  const either = split(bare(condition.expression), "or");
  // alternatives of one test each are told in one
  const missed = either.length > 1 && !namedTest(bare(condition.expression)) && either.every((one) => boundsOf(one))
    ? either : missedParts(condition.expression, values);
  const [first] = missed;
  const named = namedTest(first);
  if (missed.length === 1 && named) return named.lack;
  if (missed.length === 1 && /^\w*Stoppers?_[SHDC]$/.test(first)) return phrase("lack.none");
  const range = boundsOf(first);
  const isAlone = first === bare(condition.expression);
  if (missed.length === 1 && range && typeof values[range.term] === "number") {
    const rule = ruleWords(range.term, values[range.term]);
    return phrase("you-have", { has: rule ?? (isAlone ? String(values[range.term]) : hasWords(range.term, values[range.term])) });
  }
  const terms = new Set(missed.flatMap((part) => part.match(/[A-Z]\w*/g) ?? []));
  const found = Object.entries(values).filter(([term]) => terms.has(term) && !term.startsWith("Top"))
    .map(([term, value]) => ruleWords(term, value) ?? hasWords(term, value)).filter(Boolean);
  return found.length ? phrase("you-have", { has: listed(found) }) : phrase("you-lack");
}

/** What a hand has by the rule of 20 or 15. */
function ruleWords(term, value) {
  const rule = /^Rule_Of_(\d+)$/.exec(term);
  return rule && phrase("has-rule", { value, number: rule[1] });
}

/** Parts that values do not meet, all of which must be met; of alternatives those of the nearest. */
function missedParts(expression, values) {
  const whole = bare(expression);
  if (namedTest(whole)) return [whole];
  const either = namedFirst(split(whole, "or"));
  if (either.length > 1) {
    const off = either.map((one) => distance(one, values));
    return missedParts(either[off.indexOf(Math.min(...off))], values);
  }
  const all = split(whole, "and");
  if (all.length === 1) return [whole];
  const missed = all.filter((one) => distance(one, values) > 0);
  return missed.length ? missed.flatMap((one) => missedParts(one, values)) : [whole];
}

/** A missed condition: {wanted, has}. */
export function missWords(condition) {
  const test = open(condition) ?? condition;
  return { wanted: words(test.expression), has: lackWords(test) };
}

/** Missed conditions without those that another of them asks more of: 3+ clubs beside 4+ clubs. */
export function hardest(conditions) {
  const ranges = conditions.map((one) => boundsOf(one.expression));
  const asksMore = (one, other) => (one.low ?? -1) >= (other.low ?? -1) && (one.high ?? Infinity) <= (other.high ?? Infinity);
  return conditions.filter((_, place) => !ranges.some((one, other) => (
    other !== place && one && ranges[place] && one.term === ranges[place].term && asksMore(one, ranges[place])
    // of equal ones the first stays
    && (!asksMore(ranges[place], one) || other < place)
  )));
}

/** How far values are from an expression: points, and cards that count for more. */
function distance(expression, values) {
  const either = split(expression, "or");
  if (either.length > 1) return Math.min(...either.map((one) => distance(one, values)));
  const all = split(expression, "and");
  if (all.length > 1) return all.reduce((sum, one) => sum + distance(one, values), 0);
  const weight = (term) => (/^(?:HCP|Support_Points_[SHDC]|Total_Points|Losers|Rule_Of_\d+)$/.test(term) ? 1 : CARD_OFF);
  const range = boundsOf(expression);
  if (range && typeof values[range.term] === "number") {
    const value = values[range.term];
    return weight(range.term) * Math.max(0, (range.low ?? value) - value, value - (range.high ?? value));
  }
  const two = TWO.exec(expression);
  if (two) {
    const apart = values[two[1]] - values[two[3]];
    const off = { ">=": -apart, ">": 1 - apart, "<=": apart, "<": apart + 1 }[two[2]];
    return CARD_OFF * Math.max(0, off);
  }
  return values[expression] === true ? 0 : FAR;
}

/** Whether a bid's suit is too short for anybody to think of it: three cards where four are wanted, or fewer. */
function isFarSuit(call, condition) {
  const range = boundsOf(condition.expression);
  if (range?.term !== `SL_${call[1]}` || range.low === null) return false;
  const has = valuesOf(condition)[range.term];
  return has < range.low && has < THOUGHT_OF;
}

/** Candidates that the hand nearly makes, the closest first, one of each call that does not fit. */
export function closeCalls(candidates, made, most) {
  const best = new Map();
  const fitting = new Set(candidates.filter((one) => one.holds).map((one) => one.call)).add(made);
  candidates.forEach((one) => {
    if (one.holds !== false || fitting.has(one.call)) return;
    const missed = hardest(one.criteria.filter((criterion) => criterion.holds === false));
    const off = missed.reduce((sum, each) => sum + distance(each.expression, valuesOf(each)), 0);
    if (!missed.length || missed.length > 2 || off > CLOSE || missed.some((each) => isFarSuit(one.call, each))) return;
    if (!best.has(one.call) || off < best.get(one.call).off) best.set(one.call, { candidate: one, missed, off });
  });
  return [...best.values()].sort((one, two) => one.off - two.off).slice(0, most);
}
