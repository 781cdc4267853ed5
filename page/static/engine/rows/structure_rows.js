// The structure of a system's text as rows of words for the core: systems/rows/structure_rows.py is the definition.

import { InvalidSystem } from "../errors.js";
import { LAST_RESORT } from "../places/contexts.js";
import { VARIABLES } from "../language/phrases.js";
import data from "./rows_data.js";
import { joined } from "./text_rows.js";

const MOST_VARIANTS = 1 << 20;
const HIDDEN_BY_NONE = -1;
const SECTIONS = [
  "groups", "lines", "written", "variants", "agreements", "steps", "tests", "branches", "groupLines", "opening", "moving",
  "lists",
];
const [WRITTEN_WORDS, VARIANT_WORDS, AGREEMENT_WORDS, STEP_WORDS, TEST_WORDS, BRANCH_WORDS] = [6, 3, 6, 3, 3, 4];

/** Rows of the structure of a text. What a line says is written once, however many places it stands at. */
export class StructureRows {
  #rows = Object.fromEntries(SECTIONS.map((name) => [name, []]));
  #agreements = new Map();
  #written = new Map();
  #firstVariants = [];
  #lines;

  /** `text` are the rows of what the text asks, which gives conditions and calls their numbers. */
  constructor(rules, text) {
    this.text = text;
    const { places } = rules;
    this.#lines = places.lines;
    const byTurn = (one, other) => {
      const [first, second] = [one.specificity, other.specificity];
      const at = first.findIndex((count, place) => count !== second[place]);
      return at < 0 ? one.lines[0].number - other.lines[0].number : second[at] - first[at];
    };
    this.groups = withBelow(topGroups(places)).sort(byTurn);
    this.numbers = new Map(this.groups.map((group, number) => [group, number]));
    this.#addLines();
    this.#addGroups();
    this.#rows.opening = this.#groupNumbers(places.opening);
    this.#rows.moving = this.#groupNumbers([...[...places.byLength.values()].flat(), ...places.anyLength]);
    this.#addBranch(rules.anywhere);
  }

  /** Line at its place and variant that have a number in the core. */
  variant(number) {
    let [low, high] = [0, this.#lines.length];
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (this.#firstVariants[middle] <= number) low = middle;
      else high = middle;
    }
    const placed = this.#lines[low];
    return [placed, placed.line.variants[number - this.#firstVariants[low]] ?? null];
  }

  /** All rows: what `Structure::read` of the core takes. */
  words() {
    return joined(data.structureFormat, SECTIONS.map((name) => this.#rows[name]));
  }

  #addGroups() {
    const specificities = new Map([[LAST_RESORT.join(), HIDDEN_BY_NONE]]);
    for (const group of this.groups) {
      const key = group.specificity.join();
      if (!specificities.has(key)) specificities.set(key, specificities.size - 1);
      this.#addGroup(group, specificities.get(key));
    }
  }

  #addGroup(group, specificity) {
    const rows = this.#rows;
    const firstLine = extended(rows.groupLines, group.lines.map((placed) => placed.number));
    const patterns = (calls) => this.#list(calls.map((call) => this.text.callPattern(call)));
    const steps = group.pattern?.steps ?? [];
    const firstStep = rows.steps.length / STEP_WORDS;
    for (const step of steps) rows.steps.push(Number(step.anyCalls), ...patterns(step.calls));
    const theirs = group.theirCall === null ? [0, -1] : patterns(group.theirCall.calls);
    const firstTest = this.#tests(group.tests);
    rows.groups.push(
      specificity, firstLine, group.lines.length, firstStep, group.pattern === null ? -1 : steps.length, ...theirs,
      firstTest, group.tests.length,
    );
  }

  /** Number of the first of some tests that are written. */
  #tests(tests) {
    const first = this.#rows.tests.length / TEST_WORDS;
    for (const { condition, names } of tests) {
      const number = this.text.condition(condition);
      this.#rows.tests.push(number, ...this.#list(names.map((name) => VARIABLES.indexOf(name))));
    }
    return first;
  }

  #addLines() {
    const { lines } = this.#rows;
    let count = 0;
    for (const { line, below } of this.#lines) {
      this.#firstVariants.push(count);
      count += line.variants.length || 1;
      let written = this.#written.get(line);
      if (written === undefined) this.#written.set(line, (written = this.#write(line)));
      lines.push(written);
      if (below.length) lines.push(...this.#list(this.#groupNumbers(below)));
      else lines.push(0, 0);
    }
    if (count >= MOST_VARIANTS) throw new InvalidSystem(`expected a system of at most ${MOST_VARIANTS} variants`);
  }

  /** Write what a line says; its number. */
  #write({ call, condition, agreements, variants }) {
    const { text } = this;
    const words = [];
    for (const one of variants) words.push(text.condition(one.condition), ...this.#said(one.agreements));
    const said = this.#said(agreements);
    const [pattern, conditionNumber] = [text.callPattern(call), text.condition(condition)];
    const first = extended(this.#rows.variants, words) / VARIANT_WORDS;
    return extended(this.#rows.written, [pattern, conditionNumber, ...said, first, variants.length]) / WRITTEN_WORDS;
  }

  #said(agreements) {
    return agreements.length ? this.#list(agreements.map((one) => this.#agreement(one))) : [0, 0];
  }

  #agreement(one) {
    let number = this.#agreements.get(one);
    if (number === undefined) {
      const { text } = this;
      const row = [
        text.text(one.kind), text.text(one.text), one.suit === null ? -1 : text.text(one.suit),
        one.call === null ? -1 : text.callPattern(one.call), text.condition(one.condition),
        one.kind === "tag" ? text.tag(one.text) : -1,
      ];
      number = extended(this.#rows.agreements, row) / AGREEMENT_WORDS;
      this.#agreements.set(one, number);
    }
    return number;
  }

  /** Write what applies everywhere, from a branch on; its number. */
  #addBranch({ groups, below }) {
    const children = [];
    for (const [test, branch] of below) {
      const number = this.#tests([test]);
      children.push(number, this.#addBranch(branch));
    }
    const [firstChild, words] = this.#list(children);
    this.#rows.branches.push(...this.#list(this.#groupNumbers(groups)), firstChild, words / 2);
    return this.#rows.branches.length / BRANCH_WORDS - 1;
  }

  #groupNumbers(groups) {
    return groups.map((group) => this.numbers.get(group));
  }

  /** Place of some numbers among the lists, and how many they are. */
  #list(numbers) {
    return [extended(this.#rows.lists, numbers), numbers.length];
  }
}

/** Groups that stand below no line. */
function topGroups({ opening, byLength, anyLength, anywhere }) {
  return [...opening, ...[...byLength.values()].flat(), ...anyLength, ...anywhere];
}

function extended(rows, more) {
  const first = rows.length;
  for (const one of more) rows.push(one);
  return first;
}

function withBelow(groups, found = []) {
  for (const group of groups) {
    found.push(group);
    for (const placed of group.lines) if (placed.below.length) withBelow(placed.below, found);
  }
  return found;
}
