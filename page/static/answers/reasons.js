// Conditions of a call in the page's words, and which calls come close.

import { boundsOf, distance, expressionTree, valuesOf } from "../engine/words/condition_trees.js";
import { conditionWords } from "../engine/words/condition_words.js";
import { hardest, isForWantOfOthers, nearestCalls } from "../engine/words/missing_words.js";
import { WORDS_PAGE } from "../engine/language/phrases.js";
import { callText, conditionText } from "../format.js";
import { state } from "../state.js";
import { ownSystem } from "../systems/own_systems.js";
import { listed, phrase } from "../texts.js";

/** A hand comes close that is three points short, or a point and a card. */
const CLOSE = 3;
/** Cards of a suit that a player thinks of bidding. */
const THOUGHT_OF = 4;

const DEFINITION = /^[ \t]*define +([^=\n]+?) *=/gm;
/** Suits that a definition is made for. */
const VARIABLE = /(?: o?[A-Za-z])+$/;

const WORDS = conditionWords({ phrase, listed, plain: conditionText });
const { wantedWords, handWords, missWords } = WORDS;

export { handWords, hardest, isForWantOfOthers, missWords, wantedWords };

let defined = { of: null, names: [] };

/** Names that the system chosen, if it is the user's own, defines itself: they need not mean what the shipped ones do. */
function ownNames() {
  const now = state();
  if (defined.of !== now) {
    const files = Object.entries(ownSystem(now.table)?.files ?? {}).filter(([name]) => name !== WORDS_PAGE);
    const found = files.flatMap(([, text]) => [...text.matchAll(DEFINITION)]);
    defined = { of: now, names: found.map(([, name]) => name.replace(VARIABLE, "")) };
  }
  return defined.names;
}

/** What a description of the system chosen says to players. */
export function descriptionWords(text) {
  return WORDS.descriptionWords(text, ownNames());
}

/** The calls that the reason of an answer names: nearest to the hand where its call is made for want of others. */
export function namedCalls({ candidates, default_pass: byDefault }) {
  return byDefault || isForWantOfOthers(candidates) ? nearestCalls(candidates, WORDS) : [];
}

/** The calls that a reason names and what is missing to them; empty if it names none. */
export function nearestText(answer) {
  return namedCalls(answer)
    .map(({ call, needs }) => phrase("call.needs", { call: callText(call), needs })).join(phrase("semicolon"));
}

/** Whether a bid's suit is too short for anybody to think of it: three cards where four are wanted, or fewer. */
function isFarSuit(call, condition) {
  const range = boundsOf(expressionTree(condition.expression));
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
    const off = missed.reduce((sum, each) => sum + distance(expressionTree(each.expression), valuesOf(each)), 0);
    if (!missed.length || missed.length > 2 || off > CLOSE || missed.some((each) => isFarSuit(one.call, each))) return;
    if (!best.has(one.call) || off < best.get(one.call).off) best.set(one.call, { candidate: one, missed, off });
  });
  return [...best.values()].sort((one, two) => one.off - two.off).slice(0, most);
}
