// One call of a system with its reasons: service/system_bid.py is the definition.

import { formatCall } from "../deals/calls.js";
import { checkCandidates } from "../places/choice.js";
import { wordsOfCriteria } from "../words/criterion_words.js";
import { isForWantOfOthers, nearestCalls } from "../words/missing_words.js";
import { agreementsOf, descriptionOf } from "../words/describing.js";

/** Where a line stands, "sayc.bidding:12". */
export function whereText({ file, line }) {
  return `${file}:${line}`;
}

/**
 * What a hand bids at a place; entry numbers are those of compiled tables, and null here. With `lower`, what a condition
 * of the text becomes at the place, criteria have the phrases that they are made of, and a call that is made for want of
 * others comes with those nearest.
 */
export function answerFromSystem(place, hand, context, lower = null) {
  const checked = checkCandidates(place.entries, hand, context);
  const candidates = (lower ? checked.map((one) => withWords(one, lower)) : checked).map(candidateOf);
  const made = candidates.find((one) => one.holds);
  const nearest = lower && isForWantOfOthers(candidates) ? { nearest: nearestCalls(candidates) } : {};
  const common = { entry: null, candidates, forced: place.forced, ...nearest };
  if (made) {
    const { call, name, description, where, agreements } = made;
    return { call, name, description, where, agreements, default_pass: false, note: "", ...common };
  }
  const why = candidates.length ? "no line of the system holds" : "the system has no line here";
  const note = `pass by default: ${why}${place.forced ? ", though partner's call is forcing" : ""}`;
  return { call: "P", name: "", description: "", where: "", agreements: [], default_pass: true, note, ...common };
}

function candidateOf({ entry, holds, checks, takenBy }) {
  return {
    call: formatCall(entry.call), entry: null, name: entry.name, description: descriptionOf(entry),
    where: whereText(entry.where), holds, criteria: checks, agreements: agreementsOf(entry),
    taken_by: takenBy && labelOf(takenBy),
  };
}

/** Add the phrases of its line to the criteria of a candidate. */
function withWords(checked, lower) {
  const { entry } = checked;
  const found = wordsOfCriteria(entry, entry.program.rules.defines, lower);
  if (!found.size) return checked;
  const told = ({ text, expression }) => ({ text, expression: expression.text });
  return {
    ...checked,
    checks: checked.checks.map((check, number) => {
      const words = found.get(entry.criteria[number]);
      return words ? { ...check, words: words.map(told) } : check;
    }),
  };
}

/** Call, name and place of an entry, "1N Strong notrump (sayc.bidding:12)". */
function labelOf(entry) {
  const label = [formatCall(entry.call), entry.name].filter(Boolean).join(" ");
  return entry.where.line ? `${label} (${whereText(entry.where)})` : label;
}
