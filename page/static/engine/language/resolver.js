// Makes lines and blocks of statements, options chosen, conventions put in place: systems/language/reading/resolver.py.

import { grouped, nearest } from "../errors.js";
import { SHIPPED_CONVENTIONS } from "./phrases.js";
import { parseConditions } from "./parser.js";
import { inTurn } from "./turns.js";

/** Lines that a system may have, those of conventions counted wherever they are used. */
const MOST_STATEMENTS = 100_000;

const didYouMean = (near, otherwise = "") => (near ? `did you mean "${near}"` : otherwise);

/** Puts conventions in place and options aside, and makes lines and blocks of statements. */
export class Resolver {
  /** Definitions by name. */
  defines = new Map();
  /** What options that are off keep out, and conventions that nothing uses. */
  aside = [];
  #used = new Set();
  #count = 0;

  constructor(sources) {
    this.sources = sources;
    this.complain = sources.complain;
  }

  /** Lines and blocks of a body; variants are left to the line that they belong to. */
  body(items, parent, using) {
    const found = [];
    for (const item of items) {
      this.#count += 1;
      if (this.#count > MOST_STATEMENTS) {
        if (this.#count === MOST_STATEMENTS + 1) {
          this.complain(
            item.where, `a system has at most ${grouped(MOST_STATEMENTS)} lines, conventions put in place`,
          );
        }
        break;
      }
      const { statement } = item;
      if (statement.type === "Line") found.push(...this.#line(statement, item, using));
      else if (statement.type === "HeaderStatement") found.push(this.#block(statement, item, parent, using));
      else if (statement.type === "OptionStatement") found.push(...this.#option(statement, item, parent, using));
      else if (statement.type === "UseStatement") found.push(...this.#use(statement, item, parent, using));
      else if (statement.type === "Define") this.#define(statement, parent);
      else if (statement.type === "Variant" && parent?.statement.type !== "Line") {
        this.complain(
          item.where, `"${firstWord(statement)}" begins a hand type of a call, and no call stands above`,
          "indent it under its call",
        );
      }
    }
    return found;
  }

  /** A line; none if all hand types of its call are those of options that are off. */
  #line(line, item, using) {
    const variants = this.#variants(item.below);
    if (!variants.length && line.condition === null && hasTypes(item.below)) {
      this.body(item.below, item, using);
      return [];
    }
    if (variants.length && line.condition !== null) {
      this.complain(
        variants[0].where, "the call above has conditions of its own already",
        "move them into each of the hand types",
      );
    }
    return [{ ...line, variants, below: this.body(item.below, item, using) }];
  }

  /** Hand types below a call, those of options that are on among them. */
  #variants(items) {
    return items.flatMap(({ statement, below }) => {
      if (statement.type === "Variant") return [statement];
      if (statement.type !== "OptionStatement") return [];
      const found = this.#variants(below);
      if (this.sources.options.get(statement.name) !== statement.without) return found;
      this.aside.push(...found);
      return [];
    });
  }

  #block({ header, remark, word }, item, parent, using) {
    if (!item.hadBelow) {
      this.complain(header.where, "nothing stands below this header", "indent its lines under it");
    }
    if (parent?.statement.type === "Line" && (header.kind === "opening" || header.kind === "after")) {
      this.complain(
        header.where, `"${word}" cannot stand below a call`,
        "begin it at the left edge, or leave it away: what is below a call follows it",
      );
    }
    const settled = header.kind !== "after" ? header : {
      ...header, auctions: header.auctions.map((auction) => inTurn(auction, word, this.complain)),
    };
    return { type: "Block", header: settled, body: this.body(item.below, item, using), remark };
  }

  #option({ name, where, without }, item, parent, using) {
    const value = this.sources.options.get(name);
    if (value === undefined) {
      const near = nearest(name, this.sources.options.keys());
      this.complain(where, `there is no option "${name}"`, didYouMean(near, `begin a block "option ${name}:"`));
      return [];
    }
    const found = this.body(item.below, parent, using);
    if (value !== without) return found;
    this.aside.push(...found);
    return [];
  }

  #define(define, parent) {
    const { name, suits, where } = define;
    if (parent !== null) this.complain(where, '"define" stands at the left edge, in no block');
    const parsed = parseConditions([name, ...suits].join(" ")).condition;
    const isFree = parsed?.kind === "named" && parsed.text === name && parsed.suits.join() === suits.join();
    if (!isFree) {
      this.complain(
        where, `"${name}" cannot be a name: its words mean something already`,
        "take another word, or put one in front of it",
      );
    }
    const known = this.defines.get(name)?.where;
    if (known === undefined || this.sources.comesFirst(name, where, known, "defined")) this.defines.set(name, define);
  }

  // -------------------------------------------------------------------- conventions
  #use(statement, item, parent, using) {
    const { name, where } = statement;
    const convention = this.sources.conventions.get(name);
    if (convention === undefined) {
      this.complain(
        where, `there is no convention "${name}"`,
        SHIPPED_CONVENTIONS.has(name)
          ? `it stands in a page that comes along: include "${SHIPPED_CONVENTIONS.get(name)}"`
          : didYouMean(nearest(name, this.sources.conventions.keys())),
      );
      return [];
    }
    if (using.includes(name)) {
      const chain = [...using.slice(using.indexOf(name)), name].join(" -> ");
      this.complain(where, `a convention uses itself: ${chain}`);
      return [];
    }
    this.#used.add(name);
    this.sources.nothingBelow(item);
    const words = this.#words(statement, convention);
    if (words === null) return [];
    const used = words.size ? `as used in ${where.file}:${where.line}` : "";
    const items = convention.body.map((raw) => this.sources.item(raw, words, { used })).filter((one) => one !== null);
    for (const found of items) {
      if (found.statement.type === "Variant") {
        this.complain(found.where, "a hand type stands below its call, not in a convention alone");
      }
    }
    return this.body(items, parent, [...using, name]);
  }

  /** Value of each parameter; null where one is missing. */
  #words(use, convention) {
    const { parameters } = convention.statement;
    const names = parameters.map((parameter) => parameter.name);
    const words = new Map(parameters.filter((one) => one.value !== null).map((one) => [one.name, one.value]));
    for (const { name, value, where } of use.parameters) {
      if (!names.includes(name)) {
        const near = nearest(name, names) || names.join(", ");
        this.complain(where, `"${use.name}" has no parameter "${name}"`, didYouMean(near, "it has none"));
      } else if (value === null) {
        this.complain(where, `"${name}" has no value here`, `write it behind the name, such as "${name} 10"`);
        if (!words.has(name)) words.set(name, name);
      } else {
        words.set(name, value);
      }
    }
    const missing = names.filter((name) => !words.has(name));
    if (!missing.length) return words;
    this.complain(
      use.where, `"${use.name}" needs a value for ${missing.map((name) => `"${name}"`).join(", ")}`,
      `write "use ${use.name}(${missing.map((name) => `${name} …`).join(", ")})"`,
    );
    return null;
  }

  /** Read conventions that nothing uses for what is wrong in them, where they can be. */
  readUnused() {
    for (const [name, { statement: { parameters }, body }] of this.sources.conventions) {
      if (this.#used.has(name) || !parameters.every(({ value }) => value)) continue;
      const words = new Map(parameters.map((parameter) => [parameter.name, parameter.value]));
      if (words.size !== parameters.length) continue;
      const items = body.map((raw) => this.sources.item(raw, words)).filter((one) => one !== null);
      this.aside.push(...this.body(items, null, [name]));
    }
  }
}

/** Whether hand types of a call stand below it, or would if an option were on. */
function hasTypes(items) {
  return items.some(({ statement: { type }, below }) => (
    type === "Variant" || (type === "OptionStatement" && hasTypes(below))
  ));
}

function firstWord({ name }) {
  return name ? `${name}:` : "either";
}
