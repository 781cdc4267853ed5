// Reads a bidding system to a tree: systems/language/reader.py. All that is wrong is found in one go.

import { InvalidSystem, invalidSystem } from "../errors.js";
import { checkSystem, counts } from "./checks.js";
import { phrasesOf } from "./joining.js";
import { parseConditions } from "./parser.js";
import { placed } from "./placing.js";
import { Resolver } from "./resolver.js";
import { fileName, Sources, whereIn } from "./sources.js";
import { withoutSteps } from "./steps.js";

const NOWHERE = whereIn("", 0, 0);
const BUILT_IN = {
  balanced: "4-3-3-3 or 4-4-3-2 or 5-3-3-2",
  "semi-balanced": "4-3-3-3 or 4-4-3-2 or 5-3-3-2 or 5-4-2-2 or 6-3-2-2",
  unbalanced: "not balanced",
};

/** Conditions that stand alone; names are not looked up. */
export function parseCondition(text, { file, line, column } = NOWHERE) {
  const start = Math.max(column, 1);
  const locate = (position) => whereIn(file, line, start + [...text.slice(0, position)].length);
  const { wrong, condition } = parseConditions(text);
  if (!wrong.length && condition !== null) return placed(condition, locate);
  const sources = new Sources();
  sources.lines.set(file, [...Array(Math.max(line - 1, 0)).fill(""), " ".repeat(start - 1) + text]);
  for (const { position, message, advice } of wrong) sources.complain(locate(position), message, advice);
  if (!wrong.length) sources.complain(locate(0), "these words are in quotes: they test nothing");
  throw invalidSystem(sources.complaints);
}

let builtIn = null;

/** What balanced, semi-balanced and unbalanced mean, unless a system's text does. */
function builtInDefines() {
  builtIn ??= new Map(Object.entries(BUILT_IN).map(([name, text]) => [
    name, { type: "Define", name, suits: [], condition: parseCondition(text), where: NOWHERE },
  ]));
  return builtIn;
}

/**
 * A system from a file; `files` has the text of each by name, `options` those to be set. With `ignoreLacking` those that
 * the text lacks are left out.
 */
export function readSystem(name, files, { options = {}, ignoreLacking = false } = {}) {
  const sources = new Sources(files);
  return systemOf(sources, sources.readFile(files.has(name) ? name : fileName(name)), options, ignoreLacking);
}

/** A system from its text, called `name` in messages; it may include `files`. */
export function readText(text, { name = "<text>", files = new Map(), options = {}, ignoreLacking = false } = {}) {
  const sources = new Sources(files);
  return systemOf(sources, sources.readText(text, name), options, ignoreLacking);
}

/**
 * Options and files of a text that need not be right, for choices of options: `outline(options)` is
 * `{options, optionWords, chosen, files}`; `chosen` are those of the `options` that the text has, none where they go
 * against each other. The files are also those of the other side's system.
 */
export function outlineReader(name, files) {
  const sources = new Sources(files);
  let items = [];
  wrongAside(() => {
    items = sources.readFile(name);
    sources.chooseConventions();
  });
  const { opponents } = sources;
  const theirs = opponents === null || opponents === name || sources.files.includes(opponents)
    ? [] : outlineReader(opponents, new Map([...files].filter(([one]) => one !== name)))({}).files;
  return (options) => {
    let chosen = sources.thoseThere(options);
    if (!wrongAside(() => sources.chooseOptions(items, chosen))) {
      chosen = {};
      sources.chooseOptions(items, chosen);
    }
    return {
      options: sources.held, optionWords: sources.optionWords, chosen, files: [...new Set([...sources.files, ...theirs])],
    };
  };
}

/** Whether something is done to the end; what is wrong in a text is told elsewhere. */
function wrongAside(work) {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof InvalidSystem) return false;
    throw error;
  }
}

function systemOf(sources, items, options, ignoreLacking) {
  if (!items.length && !sources.conventionList.length && !sources.complaints.length) {
    sources.complain(
      whereIn([...sources.lines.keys()][0], 1), "the text has no line of a system",
      'begin with a block, such as "opening:" and calls below it, or with an include',
    );
  }
  sources.chooseConventions();
  const chosen = ignoreLacking ? sources.thoseThere(options) : options;
  sources.chooseOptions(items, chosen);
  const resolver = new Resolver(sources);
  const body = resolver.body(items, null, []);
  resolver.readUnused();
  sources.checkOptions();
  for (const { type, where } of body) {
    if (type === "Block") continue;
    sources.complain(
      where, "a call stands in a block, this one is below nothing",
      'begin a block above it, such as "opening:" or "after 1NT:"',
    );
  }
  const defines = new Map([...builtInDefines(), ...resolver.defines]);
  const system = {
    type: "SystemText",
    title: sources.title,
    prose: sources.prose,
    defines,
    blocks: withoutSteps(body.filter(({ type }) => type === "Block"), sources.complain)
      .map((block) => settled(block, defines)),
    options: sources.held,
    files: sources.files,
    opponents: sources.opponents,
    optionWords: sources.optionWords,
    chosen: new Map(Object.entries(chosen)),
  };
  checkSystem(system, resolver.aside, sources);
  if (!sources.complaints.length) return system;
  const order = new Map([...sources.lines.keys()].map((file, number) => [file, number]));
  const keys = ({ where }) => [order.get(where.file) ?? 0, where.line, where.column];
  throw invalidSystem(sources.complaints.sort((one, other) => {
    const others = keys(other);
    return keys(one).map((key, number) => key - others[number]).find((difference) => difference) ?? 0;
  }));
}

// ---------------------------------------------------------------------- what calls show
/** A block or line with what its calls `shows` and `denies` read as conditions, where it is one.
 *
 * With a number it is meant as one, and unknown names in it are complained of.
 */
function settled(found, defines) {
  if (found.type === "Block") return { ...found, body: found.body.map((one) => settled(one, defines)) };
  return {
    ...withSettled(found, defines),
    variants: found.variants.map((variant) => withSettled(variant, defines)),
    below: found.below.map((one) => settled(one, defines)),
  };
}

function withSettled(said, defines) {
  return { ...said, agreements: said.agreements.map((agreement) => settledAgreement(agreement, defines)) };
}

function settledAgreement(agreement, defines) {
  const { kind, text, where } = agreement;
  if (kind !== "shows" && kind !== "denies") return agreement;
  const { wrong, condition } = parseConditions(text);
  if (wrong.length || condition === null) return agreement;
  const isUnknown = (phrase) => phrase.kind === "named" && !defines.has(phrase.text);
  if (!counts(agreement) && phrasesOf(condition).some(isUnknown)) return agreement;
  const start = where.column + kind.length + 1;
  const locate = (position) => whereIn(where.file, where.line, start + [...text.slice(0, position)].length);
  return { ...agreement, condition: placed(condition, locate) };
}
