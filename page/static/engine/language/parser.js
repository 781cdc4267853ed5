// Reads one logical line: systems/language/grammar/grammar.py. Places are indexes into the line's text.

import { cached } from "../cache.js";
import { Parser, UnexpectedInput } from "../expressions/lalr.js";
import data from "./grammar_data.js";
import { phrasesOf } from "./joining.js";
import { TreeBuilder } from "./tree_builder.js";
import { explain } from "./suggestions.js";

/** Parentheses and `not` that a line may have. */
const DEEPEST_NESTING = 40;
const NESTING = /\(|(?<![\p{L}\p{N}_])not(?![\p{L}\p{N}_])/gu;
const MOST_CACHED = 1 << 14;

const builder = new TreeBuilder();
const parser = new Parser(data, builder);

/** Whatever a text is to the builder, what is wrong in it, and what the parser stopped at. */
function read(text, start) {
  const deep = [...text.matchAll(NESTING)][DEEPEST_NESTING];
  if (deep !== undefined) {
    const message = `a line has at most ${DEEPEST_NESTING} parentheses and "not"`;
    return { found: null, wrong: [{ position: deep.index, message, advice: "use define or either/or lines" }] };
  }
  builder.faults = [];
  try {
    return { found: parser.parse(text, start), wrong: builder.faults };
  } catch (error) {
    if (!(error instanceof UnexpectedInput)) {
      throw error;
    }
    return { found: null, wrong: builder.faults, error };
  }
}

/** Names in a text that reads; null if it does not. */
export function namesIn(text, start) {
  const { found, wrong } = read(text, start);
  if (found === null || wrong.length) return null;
  const condition = start === "conditions" ? found[0] : null;
  return phrasesOf(condition).filter(({ kind }) => kind === "named").map((phrase) => phrase.text);
}

function parsed(text, start) {
  const { found, wrong, error } = read(text, start);
  return { found, wrong: error === undefined ? wrong : [...wrong, explain(text, error, namesIn)] };
}

/** A logical line: its statement, null where it does not parse, and faults `{position, message, advice}`. */
export const parseStatement = cached(MOST_CACHED, (text) => {
  const { found, wrong } = parsed(text, "statement");
  return { statement: found, wrong };
});

/** Conditions alone, as they stand behind a name. */
export const parseConditions = cached(MOST_CACHED, (text) => {
  const { found, wrong } = parsed(text, "conditions");
  return { condition: found === null ? null : found[0], wrong };
});
