// A system in the core, and the objects of its text that the core's numbers stand for: systems/auctions/program.py.

import { InvalidSystem, invalidSystem } from "../errors.js";
import * as make from "../expressions/expressions.js";
import { loweringMessage } from "../expressions/lowering_errors.js";
import { VARIABLES } from "../language/phrases.js";
import { dependsOnContext, PlaceEntry } from "../places/places.js";
import { StructureRows } from "./structure_rows.js";
import { expressionOf, TextRows } from "./text_rows.js";

const STRAINS = "CDHSN";
const PLACES = [...VARIABLES, "n"];
const [CONDITION, EXPRESSION, CONSTRAINTS, BINDINGS] = [1, 2, 3, 4];

export class Program {
  #text;
  #structure;
  #expressions = new Map();
  #numbers = new Map();
  #names;
  #constraints = new Map();
  #entries = new Map();

  /** `tags` are numbers of tags so far, shared by systems that play each other. */
  constructor(core, rules, tags) {
    this.core = core;
    this.rules = rules;
    this.#text = new TextRows(rules, tags);
    this.#structure = new StructureRows(rules, this.#text);
    const words = this.#structure.words();
    this.system = core.open(this.#text.words(), words);
    if (this.system === null) throw new InvalidSystem("expected a system within the core's numbers");
    this.#names = new Map(this.#text.names.map((name, number) => [name, number]));
  }

  /** Error that stands for what could not be learned last. */
  error() {
    const [fault, ...about] = this.core.problem(this.system);
    switch (Number(fault)) {
      case CONDITION: return this.#text.error(...about.map(Number));
      case EXPRESSION: return this.#errorIn(...about);
      case CONSTRAINTS: return new InvalidSystem(`expected at most ${1 << 22} different conditions`);
      case BINDINGS: return new InvalidSystem(`expected at most ${1 << 16} bindings of variables`);
      default: return new InvalidSystem("expected a place that can be worked out");
    }
  }

  /** Error of an expression that means nothing, with the place where it is written. */
  #errorIn(kind, number, low, high) {
    const expression = this.expression(Number(number));
    const message = loweringMessage(Number(kind), expression, low, high);
    const phrase = this.#text.rawPhrase(expression);
    if (!phrase) return new InvalidSystem(message);
    return invalidSystem([{ where: phrase.where, message: `in {${phrase.text}}: ${message}`, lineText: "", caret: "", advice: "" }]);
  }

  /** Expression that has a number in the core. */
  expression(number) {
    let found = this.#expressions.get(number);
    if (found === undefined) {
      const words = this.core.expression(this.system, number);
      found = expressionOf(words, this.#text.names, (operand) => this.expression(operand), make);
      this.#expressions.set(number, found);
      this.#numbers.set(found, number);
    }
    return found;
  }

  /** Number of an expression that the core gave. */
  numberOf(expression) {
    return this.#numbers.get(expression);
  }

  /** Number of a name of the text. */
  nameNumber(name) {
    return this.#names.get(name);
  }

  /** Number of a condition of the text. */
  conditionNumber(condition) {
    return this.#text.condition(condition);
  }

  /** Criteria that must all hold, by their number, and where they can and must hold. */
  #constraint(number) {
    const program = this;
    let found = this.#constraints.get(number);
    if (found === undefined) {
      const { core, system } = this;
      let criteria = null;
      let dependent = null;
      found = {
        get criteria() { return criteria ??= core.criteria(system, number).map((one) => program.expression(one)); },
        get can() { return core.cells(system, number, false); },
        get must() { return core.cells(system, number, true); },
        /** Share of each cell's hands that meet them. */
        get proportion() { return core.proportion(system, number); },
        /** Whether seat or vulnerability may decide what they ask. */
        get dependsOnContext() { return dependent ??= this.criteria.some(dependsOnContext); },
        /** The same where seat and vulnerability are those of a context; null is any. */
        at(context) {
          if (context === null || !this.dependsOnContext) return this;
          return {
            get can() { return core.cellsAt(system, number, false, context); },
            get must() { return core.cellsAt(system, number, true, context); },
            get proportion() { return core.proportion(system, number, context); },
          };
        },
      };
      this.#constraints.set(number, found);
    }
    return found;
  }

  /** Entry by its number and words: call, variant, constraint, bindings; its rank at a place. */
  entry(number, [call, variant, constraint, bindings], rank) {
    const key = keyOf(number, rank);
    let found = this.#entries.get(key);
    if (found === undefined) {
      found = new PlaceEntry(this, number, call, rank, this.#structure.variant(variant), this.#constraint(constraint), bindingsOf(bindings));
      this.#entries.set(key, found);
    }
    return found;
  }

  /** Entry by its number alone. */
  entryNumbered(number) {
    return this.#entries.get(keyOf(number, 0)) ?? this.entry(number, this.core.entry(this.system, number), 0);
  }

  // --- hands --------------------------------------------------------------------------------------

  #checked(found) {
    if (found === null) throw this.error();
    return found;
  }

  /** Whether an expression that the core gave holds for a hand. */
  holds(expression, hand, context) {
    return this.#checked(this.core.holds(this.system, this.numberOf(expression), hand, context));
  }

  /** What a name of the text is worth for a hand: `[value, boolean, scale]`. */
  value(name, hand, context) {
    return this.#checked(this.core.value(this.system, this.nameNumber(name), hand, context));
  }

  /** Values of a term for hands that are nowhere. */
  values(term, hands) {
    return this.core.values(this.system, this.nameNumber(term), hands);
  }
}

function keyOf(number, rank) {
  return number * 1024 + rank;
}

/** Bindings that are packed in a number, 3 bits a variable. */
function bindingsOf(code) {
  const found = {};
  PLACES.forEach((name, place) => {
    const value = code >> 3 * place & 7;
    if (value) found[name] = name === "n" ? String(value) : STRAINS[value - 1];
  });
  return found;
}

/** Pack bindings in a number, as `bindingsOf` reads them. */
export function codeOf(bindings) {
  return Object.entries(bindings).reduce((code, [name, value]) => (
    code | (name === "n" ? Number(value) : STRAINS.indexOf(value) + 1) << 3 * PLACES.indexOf(name)
  ), 0);
}
