// The tree in words again, as a system's text writes it: systems/language/words/wording.py.

import { KINDS, SUIT_WORDS, template } from "./phrases.js";

const ORDINALS = ["", "first", "second", "third", "fourth"];
const SEATS = ["", "1st", "2nd", "3rd", "4th"];
const SUIT_OF_LETTER = Object.fromEntries(Object.entries(SUIT_WORDS).map(([word, letter]) => [letter, word]));
const POSSESSIVE = { me: "my", partner: "partner's", RHO: "RHO's", LHO: "LHO's" };
const OWNERS = { ...POSSESSIVE, me: "mine", we: "ours", they: "theirs" };
const VERBS = { pass: "passed", double: "doubled", redouble: "redoubled" };
const WITHOUT_ARTICLE = new Set([
  "notrump", "forcing", "forcing to game", "artificial", "invitational", "limited", "natural",
  "preemptive", "takeout", "penalty",
]);
const ANY = { type: "Range", low: 0, high: null, also: [] };
const ANY_SEAT = { ...ANY, low: 1 };

// ---------------------------------------------------------------------- calls
/** A call pattern. */
export function callText(call) {
  if (call.kind === "bid" || call.kind === "transfer") {
    if (call.level === null) return "notrump";
    const bid = `${call.level || "n"}${call.strain}`;
    return call.kind === "transfer" ? `transfer to ${bid}` : bid;
  }
  if (call.strain === null) {
    return call.kind.startsWith("any") ? call.kind : call.kind[0].toUpperCase() + call.kind.slice(1);
  }
  const strain = SUIT_OF_LETTER[call.strain] ?? call.strain;
  return call.kind === "game" ? `game in ${strain}` : `${call.kind} ${strain}`;
}

/** One step of an auction pattern. */
export function stepText(step) {
  if (step.anyCalls) return "…";
  const calls = step.calls.map(callText).join("/");
  return step.theirs ? `(${calls})` : calls;
}

/** A header, with its colon. */
export function headerText(header) {
  const auctions = header.auctions.map((steps) => steps.map(stepText).join(" ")).join(" or ");
  const condition = header.condition === null ? "" : conditionText(header.condition);
  if (header.kind === "when") return `when ${condition}:`;
  let start = header.kind === "their call" ? auctions : header.kind;
  if (header.kind === "after") start = `after ${auctions}`;
  return condition ? `${start}, ${condition}:` : `${start}:`;
}

// ---------------------------------------------------------------------- agreements
/** An agreement. */
export function agreementText(agreement) {
  const { kind, text } = agreement;
  if (kind === "tag") return `#${text}`;
  if (agreement.call !== null) return `${kind} to ${callText(agreement.call)}`;
  if (agreement.suit !== null) return `${kind} ${agreement.suit}`;
  if (kind === "asks" || kind === "shows" || kind === "denies") return `${kind} ${text}`;
  return text ? `${kind} "${text}"` : kind;
}

// ---------------------------------------------------------------------- conditions
/** A condition, so that reading it gives the same tree. */
export function conditionText(condition) {
  if (condition.type === "AllOf") return condition.parts.map(alternatives).join(", ");
  return alternatives(condition);
}

function alternatives(condition) {
  return condition.type === "AnyOf" ? condition.parts.map(both).join(" or ") : both(condition);
}

function both(condition) {
  return condition.type === "AllOf" ? condition.parts.map(atom).join(" and ") : atom(condition);
}

function atom(condition) {
  if (condition.type === "NotThis") return negated(condition.part);
  return condition.type === "Phrase" ? phraseText(condition) : `(${conditionText(condition)})`;
}

function negated(part) {
  if (part.type !== "Phrase") return `not ${atom(part)}`;
  if (part.kind === "vulnerable") return "not (vulnerable)";
  if (part.kind === "same suit") return `${part.suits[0]} is not ${part.suits[1]}`;
  if (part.kind === "last call") return lastCall(part, "not ");
  if (part.kind === "fit") return `no ${fit(part)}`;
  if (part.kind === "suit length" && part.range?.high === null) {
    return `no ${part.range.low}-card ${withoutArticle(part.suits[0])}`;
  }
  return `${KINDS.get(part.kind).deniedByNo ? "no" : "not"} ${phraseText(part)}`;
}

/** A range. */
export function rangeText({ low, high, also }) {
  if (also.length) return [low, ...also].join(" or ");
  if (high === null) return `${low}+`;
  if (low === high) return `${low}`;
  return low === 0 ? `at most ${high}` : `${low}-${high}`;
}

/** Whether what is counted is one, or one at most. */
function isOne(range) {
  return range !== null && range.low <= 1 && range.high === 1 && !range.also.length;
}

/** A phrase, in the first form of its row in the catalogue. */
function phraseText(phrase) {
  const writer = WRITERS[phrase.kind];
  if (writer !== undefined) return writer(phrase);
  const row = KINDS.get(phrase.kind);
  const { range, who } = phrase;
  const [suit = "", other = ""] = phrase.suits;
  const isMany = who === null || who === "me" || who === "we" || who === "they";
  const words = template(row, isOne(range) ? 1 : null);
  const fields = {
    range: rangeOf(phrase),
    suit: suit === row.default ? "" : suit,
    other,
    call: phrase.call === null ? "" : callText(phrase.call),
    who: nameOf(phrase),
    owner: OWNERS[who] ?? "",
    has: isMany ? "have" : "has",
    am: nameOf(phrase) === "I" ? "am" : isMany ? "are" : "is",
    text: phrase.text,
    count: phrase.count,
  };
  if (words.includes("{counted}")) fields.counted = phraseText({ ...phrase, kind: phrase.text, who: null, text: "" });
  return words.replace(/\[([^\][]*\{(\w+)\})\]/g, (_, part, name) => (fields[name] ? part : ""))
    .replace(/\{\{|\}\}|\{(\w+)\}/g, (sign, name) => (name === undefined ? sign[0] : fields[name]));
}

function nameOf({ who }) {
  return who === null || who === "me" ? "I" : who;
}

function rangeOf({ range }) {
  return rangeText(range ?? ANY);
}

function withoutArticle(suit) {
  return suit.replace(/^a /, "");
}

function carded({ low, high }) {
  if (high === null) return `${low}+-card`;
  return low === high ? `${low}-card` : `${low}-${high}-card`;
}

function length(phrase) {
  const [suit] = phrase.suits;
  const text = rangeOf(phrase);
  if (text === "0" && suit in SUIT_WORDS) return `no ${suit}`;
  if (isOne(phrase.range) && suit in SUIT_WORDS) return `${text} ${suit.replace(/s$/, "")}`;
  return `${text}${suit.includes(" ") ? " in " : " "}${suit}`;
}

function topHonours(phrase) {
  const { low, high } = phrase.range ?? ANY;
  const count = high === null ? low : low === high ? `exactly ${low}` : rangeOf(phrase);
  return `${count} of the top ${phrase.of} in ${phrase.suits[0]}`;
}

function seat(phrase) {
  const { low, high, also } = phrase.range ?? ANY_SEAT;
  const first = [];
  for (let one = low; one <= (high ?? 4); one += 1) first.push(SEATS[one]);
  first.push(...also.map((one) => SEATS[one]));
  const last = first.pop();
  return first.length ? `${first.join(", ")} or ${last} seat` : `${last} seat`;
}

function bid(phrase) {
  const words = `${nameOf(phrase)} bid`;
  if (phrase.suits.length) return `${words} ${phrase.suits[0]}`;
  if (phrase.call !== null) return `${words} ${callText(phrase.call)}`;
  return phrase.who === "RHO" || phrase.who === "LHO" ? `${nameOf(phrase)} has bid` : words;
}

function lastCall(phrase, negation = "") {
  const { call, text, who } = phrase;
  const verb = call === null ? undefined : VERBS[call.kind];
  if (verb !== undefined && (!negation || who === "we" || who === "they")) {
    return `${negation}${nameOf(phrase)} ${verb}`;
  }
  const words = `${POSSESSIVE[who ?? "me"]} last call was ${negation}`;
  if (verb !== undefined) return `${words}a ${call.kind}`;
  if (call !== null) return words + callText(call);
  return `${words}${WITHOUT_ARTICLE.has(text) || text.startsWith("#") ? "" : "a "}${text}`;
}

function fit(phrase) {
  return `${phrase.count}-card fit${phrase.suits.length ? ` in ${phrase.suits[0]}` : ""}`;
}

function level({ low, high }) {
  if (high === null) return `at least the ${low}-level`;
  return `at ${low === high ? "the" : "most the"} ${high}-level`;
}

/** What the words of the catalogue's row alone do not say. */
const WRITERS = {
  length,
  "suit length": (phrase) => `${carded(phrase.range ?? ANY)} ${withoutArticle(phrase.suits[0])}`,
  "top honours": topHonours,
  named: (phrase) => [phrase.text, ...phrase.suits].join(" "),
  seat,
  bid,
  "last call": lastCall,
  fit: (phrase) => `we have ${phrase.count === 8 || phrase.count === 11 ? "an" : "a"} ${fit(phrase)}`,
  level: (phrase) => level(phrase.range ?? ANY),
  available: ({ call, range }) => `${callText(call)} is ${range === null ? "available" : level(range)}`,
  "nth call": (phrase) => `my ${ORDINALS[phrase.count || 1]} call`,
};
