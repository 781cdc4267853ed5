// Conditions that no hand can meet, as far as the words tell: systems/language/checks/contradictions.py.

import { isDecided, neverTogether } from "./held_facts.js";
import { phrasesOf } from "./joining.js";
import { KINDS, LENGTHS, SUIT_WORDS, VARIABLES } from "./phrases.js";
import { conditionText } from "./wording.js";

/** Words that stand for one suit, the same one each time. */
const ONE_SUIT = new Set([
  ...Object.keys(SUIT_WORDS), ...VARIABLES, "RHO's suit", "LHO's suit", "partner's suit", "my suit", "our suit",
  "trumps",
]);
const GROUPS = [Object.keys(SUIT_WORDS), ["M", "oM", "m", "om"]];
/** Kinds of which a hand has one number: two ranges of it must meet. */
const COUNTED = new Set(["points", "length", "seat"]);
for (const { kind, measure } of KINDS.values()) {
  if (measure === "MEASURE" || measure === "COMBINED") COUNTED.add(kind);
}
const MOST = 80;
const JOINING = 'a comma joins what stands on both sides of "or": write "(a and b) or (c and d)", '
  + "or either/or lines";

/** Places, messages and advice for what a condition contradicts itself in. */
export function contradictions(condition, known = []) {
  if (condition.type === "Phrase") return between([condition], known);
  if (condition.type === "AnyOf") {
    return condition.parts.flatMap((part) => (
      [...contradictions(part, known), ...besideFacts(part, known)].map(([where, message]) => (
        [where, `this alternative can never be: ${message}`, JOINING]
      ))
    ));
  }
  if (condition.type === "NotThis") return [];
  const own = condition.parts.filter((part) => part.type === "Phrase");
  const all = [...known, ...own];
  return [
    ...between(own, known),
    ...condition.parts.flatMap((part) => {
      if (part.type === "Phrase") return [];
      return part.type === "NotThis" ? denied(part.part, all) : contradictions(part, all);
    }),
  ];
}

/** What vulnerability and seat refuse of an alternative, where others must hold beside it. */
function besideFacts(part, known) {
  const facts = known.filter(isDecided);
  if (!facts.length || !isDecided(part) || neverTogether(facts, null).length) return [];
  const [first, ...others] = neverTogether([part, ...facts], null);
  if (first === undefined) return [];
  const words = [...others, first].map(conditionText).join(" and ");
  return [[phrasesOf(part)[0].where, `nothing is ${words}`, ""]];
}

function denied(part, known) {
  if (part.type !== "Phrase" || !known.some((phrase) => withoutPlaces(phrase) === withoutPlaces(part))) return [];
  const words = conditionText(part);
  return [[part.where, `no hand has both ${words} and not ${words}`, ""]];
}

/** Text that phrases share that are equal but for where they stand. */
function withoutPlaces(phrase) {
  return JSON.stringify(phrase, (name, value) => (name === "where" ? undefined : value));
}

function between(own, known) {
  const ranges = new Map();
  const found = [];
  [...known, ...own].forEach((phrase, number) => {
    const [kind, range] = counted(phrase);
    if (kind === null) return;
    let values = valuesOf(range, KINDS.get(phrase.kind).halves ? 0.5 : 1);
    if (!values.length) return; // an empty range was complained of when it was read
    const key = JSON.stringify([kind, phrase.suits]);
    const before = ranges.get(key);
    if (before !== undefined) {
      const both = before.values.filter((value) => values.includes(value));
      if (!both.length && number >= known.length) {
        found.push(disagree(before.phrase, phrase));
        return;
      }
      if (both.length) values = both;
    }
    ranges.set(key, { kind, values, phrase });
  });
  const lengths = [...ranges.values()].filter(({ kind }) => kind === "length");
  for (const group of GROUPS) {
    const cards = lengths.filter(({ phrase }) => group.includes(phrase.suits[0]))
      .reduce((sum, { values }) => sum + Math.min(...values), 0);
    if (cards > 13 && own.length) {
      found.push([own.at(-1).where, `these suits have ${cards} cards together, a hand has 13`, ""]);
    }
  }
  return found;
}

/** What a phrase counts and its range, where two of a kind can contradict each other. */
function counted({ kind, range, suits }) {
  if (suits.length === 1 && !ONE_SUIT.has(suits[0])) return [null];
  if (LENGTHS.has(kind)) return ["length", LENGTHS.get(kind)];
  return COUNTED.has(kind) && range !== null ? [kind, range] : [null];
}

function valuesOf({ low, high, also }, step) {
  const values = new Set(also);
  for (let value = low; value <= (high ?? MOST); value += step) values.add(value);
  return [...values];
}

function disagree(first, second) {
  const who = first.kind === "seat" ? "nobody sits in" : "no hand has";
  return [
    second.where, `${who} ${conditionText(first)} and ${conditionText(second)}`, 'did you mean "or" between them',
  ];
}
