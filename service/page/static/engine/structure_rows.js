// The structure of a system's text as rows of words for the core: systems/structure_rows.py is the definition.

import { InvalidSystem } from "./errors.js";
import { LAST_RESORT } from "./contexts.js";
import { fixedLetterOf, isVariable } from "./patterns.js";
import { VARIABLES } from "./phrases.js";
import data from "./rows_data.js";
import { joined, saidBy, topGroups } from "./text_rows.js";

const MOST_VARIANTS = 1 << 20;
const HIDDEN_BY_NONE = -1;
const STRAINS = "CDHSN";
const SECTIONS = [
  "groups", "lines", "variants", "steps", "tests", "branches", "groupLines", "opening", "moving", "lists",
];
const BOUND_BY_AGREEMENTS = [...VARIABLES, "n"];
const [STEP_WORDS, TEST_WORDS, BRANCH_WORDS] = [3, 3, 4];
const NO_TAGS = new Array(2 * data.tagWords).fill(0);
const SAYING_NOTHING = [0, 0, 0, 0, 0, ...NO_TAGS];

/** Rows of the structure of a text, and what they stand for: `groups` and `variants`, `[placed, variant]` by number. */
export class StructureRows {
  #rows = Object.fromEntries(SECTIONS.map((name) => [name, []]));
  #agreements = new Map();
  #lines = new Map();

  /** `text` are the rows of what the text asks, which gives conditions and calls their numbers. */
  constructor(rules, text) {
    this.text = text;
    const { places } = rules;
    const byTurn = (one, other) => {
      const [first, second] = [one.specificity, other.specificity];
      const at = first.findIndex((count, place) => count !== second[place]);
      return at < 0 ? one.lines[0].number - other.lines[0].number : second[at] - first[at];
    };
    this.groups = withBelow(topGroups(places)).sort(byTurn);
    this.numbers = new Map(this.groups.map((group, number) => [group, number]));
    this.variants = [];
    const specificities = new Map([[LAST_RESORT.join(), HIDDEN_BY_NONE]]);
    for (const group of this.groups) {
      const key = group.specificity.join();
      if (!specificities.has(key)) specificities.set(key, specificities.size - 1);
      this.#addGroup(group, specificities.get(key));
    }
    for (const placed of places.lines) this.#addLine(placed);
    this.#rows.opening = this.#groupNumbers(places.opening);
    this.#rows.moving = this.#groupNumbers([...[...places.byLength.values()].flat(), ...places.anyLength]);
    this.#addBranch(rules.anywhere);
    if (this.variants.length >= MOST_VARIANTS) {
      throw new InvalidSystem(`expected a system of at most ${MOST_VARIANTS} variants`);
    }
  }

  /** All rows: what `Structure::read` of the core takes. */
  words() {
    return joined(data.structureFormat, SECTIONS.map((name) => this.#rows[name]));
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

  #addLine(placed) {
    const { line } = placed;
    // a line that stands at several places is laid out once
    let known = this.#lines.get(line);
    if (known === undefined) this.#lines.set(line, (known = this.#laidOut(placed)));
    const [row, variants] = known;
    const first = this.variants.length;
    for (const variant of variants) this.#rows.variants.push(placed.number, ...variant);
    for (const variant of variantsOf(line)) this.variants.push([placed, variant]);
    const below = placed.below.length ? this.#list(this.#groupNumbers(placed.below)) : [0, 0];
    this.#rows.lines.push(...row, first, variants.length, ...below);
  }

  /** Words of a line, and of its variants, that are the same at all its places. */
  #laidOut({ line, fixedCall }) {
    const row = [fixedCall ?? -1, this.text.callPattern(line.call), this.text.condition(line.condition)];
    return [row, variantsOf(line).map((variant) => this.#variant(line, variant))];
  }

  #variant(line, variant) {
    const condition = this.text.condition(variant === null ? null : variant.condition);
    const said = saidBy(line, variant);
    if (!said.length) return [condition, ...SAYING_NOTHING];
    let kinds = 0;
    const tags = [...NO_TAGS];
    const promises = [];
    const agreed = [];
    for (const one of said) {
      const kind = data.agreementKinds.indexOf(one.kind);
      if (kind >= 0) kinds |= 1 << kind;
      if (one.kind === "tag") {
        const tag = this.text.tags.get(one.text);
        tags[tag >> 5] |= 1 << (tag & 31);
      }
      if (one.kind === "shows" && one.condition !== null) promises.push(this.text.condition(one.condition));
      const word = one.kind === "agrees" ? strainWord(one.suit) : null;
      if (word !== null) {
        const key = this.text.rules.keys.of(one);
        if (!this.#agreements.has(key)) this.#agreements.set(key, this.#agreements.size);
        agreed.push(this.#agreements.get(key), word);
      }
    }
    const [firstAgreed, words] = this.#list(agreed);
    return [condition, kinds, ...this.#list(promises), firstAgreed, words / 2, ...tags];
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

const variantsOf = (line) => (line.variants.length ? line.variants : [null]);

function extended(rows, more) {
  const first = rows.length;
  for (const one of more) rows.push(one);
  return first;
}

/** Number of a word for a strain in agreements: 0-4 C D H S NT, then the variables. */
function strainWord(word) {
  if (word === null) return null;
  if (isVariable(word)) return 5 + BOUND_BY_AGREEMENTS.indexOf(word);
  const letter = fixedLetterOf(word);
  return letter === undefined ? null : STRAINS.indexOf(letter);
}

function withBelow(groups, found = []) {
  for (const group of groups) {
    found.push(group);
    for (const placed of group.lines) if (placed.below.length) withBelow(placed.below, found);
  }
  return found;
}
