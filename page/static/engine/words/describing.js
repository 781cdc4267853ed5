// Entries in words: the condition of a line with the suits that it means at its place.
// systems/words/describing.py is the definition.

import { allOf } from "../language/joining.js";
import { conditionText } from "../language/wording.js";
import { isVariable, letterOf } from "../language/patterns.js";
import { FACTS, SUIT_WORDS } from "../language/phrases.js";
import data from "../rows/rows_data.js";

export const SUIT_NAMES = Object.fromEntries(Object.entries(SUIT_WORDS).map(([word, letter]) => [letter, word]));

/** Kind and condition of an entry as a player reads them; empty where it asks nothing. */
export function descriptionOf(entry) {
  return wordsOf(entry).description;
}

/** Agreements of an entry as texts, #tags with their sign. */
export function agreementsOf(entry) {
  return wordsOf(entry).agreements;
}

/** Words of an entry; made once, for they are the same for every hand. */
function wordsOf(entry) {
  if (entry.words === null) {
    const condition = entry.condition === null ? null : withoutFacts(entry.condition);
    const text = condition === null ? "" : conditionText(boundCondition(condition, entry.bindings));
    const kind = entry.kind === entry.name ? "" : entry.kind;
    entry.words = {
      description: [kind, text].filter(Boolean).join(": "),
      agreements: entry.agreements.map((one) => agreementWords(one, entry.bindings)),
    };
  }
  return entry.words;
}

/** Keep what a condition asks of the hand, not what the auction has decided already. */
function withoutFacts(condition) {
  if (condition.type === "AllOf") {
    const parts = condition.parts.map(withoutFacts).filter((part) => part !== null);
    return parts.length ? allOf(parts) : null;
  }
  const inner = condition.type === "NotThis" ? condition.part : condition;
  const isFact = inner.type === "Phrase" && FACTS.has(inner.kind) && !Object.hasOwn(data.standsFor, inner.kind);
  return isFact ? null : condition;
}

/** Words of one agreement, with its suits in place. */
export function agreementWords(agreement, bindings) {
  const { kind, text, condition, suit } = agreement;
  if (kind === "tag") return `#${text}`;
  if (condition !== null) return `${kind} ${conditionText(boundCondition(condition, bindings))}`;
  if (suit !== null) return `${kind} ${boundSuit(suit, bindings)}`;
  return `${kind} ${text}`.trim();
}

/** Replace the variables of a condition by the suits that they are bound to. */
export function boundCondition(condition, bindings) {
  switch (condition.type) {
    case "AllOf":
    case "AnyOf":
      return { ...condition, parts: condition.parts.map((part) => boundCondition(part, bindings)) };
    case "NotThis":
      return { ...condition, part: boundCondition(condition.part, bindings) };
    default:
      return {
        ...condition,
        suits: condition.suits.map((word) => boundSuit(word, bindings)),
        call: condition.call === null ? null : boundCall(condition.call, bindings),
      };
  }
}

function boundSuit(word, bindings) {
  return (isVariable(word) && SUIT_NAMES[letterOf(word, bindings)]) || word;
}

function boundCall(call, bindings) {
  let { strain, level } = call;
  if (isVariable(strain)) {
    const letter = letterOf(strain, bindings) ?? strain;
    strain = letter === "N" ? "NT" : letter;
  }
  if (level === 0 && "n" in bindings) level = Number(bindings.n);
  return { ...call, level, strain };
}
