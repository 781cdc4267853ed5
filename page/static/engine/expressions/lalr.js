// An LALR(1) parser with a contextual lexer, as lark's, over tables that table/language/grammar_tables.py makes.

import { BLANK } from "../language/blanks.js";

/** A word of a text: the name of its terminal, its letters, and the index at which it begins. */
export class Token {
  constructor(type, text, start) {
    this.type = type;
    this.text = text;
    this.start = start;
  }

  toString() {
    return this.text;
  }
}

/**
 * A text that does not read from `position` on, which is null where the text ends too early. `token` is the word
 * that cannot stand there, null where no word begins; `expected` is the set of terminals that could.
 */
export class UnexpectedInput extends Error {
  constructor(position, expected, token = null) {
    super(`unexpected ${token?.type ?? "character"} at ${position ?? "the end"}`);
    this.position = position;
    this.expected = expected;
    this.token = token;
  }
}

// where a text has none but these, \w and its like are the same in both languages, and read much faster
const PLAIN = /^[\x20-\x7e\t\n’–…“”—♠♥♦♣]*$/;
// what Python's \w, \d and \s are of all characters
const WIDE = [
  ["\\w", "\\p{L}\\p{N}_"],
  ["\\d", "\\p{Nd}"],
  ["\\s", BLANK],
];
const widened = (pattern) => WIDE.reduce((found, [short, long]) => found.replaceAll(short, long), pattern);

const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** Reads the terminals of one place: of those that fit, the first in the grammar's order. */
class Lexer {
  constructor(grammar, numbers) {
    this.patterns = grammar.patterns;
    this.keywords = new Map();
    for (const [number, words] of grammar.keywords) {
      const here = [...words].filter(([, word]) => numbers.includes(word));
      if (numbers.includes(number) && here.length) {
        this.keywords.set(number, new Map(here));
      }
    }
    const read = new Set([...this.keywords.values()].flatMap((words) => [...words.values()]));
    this.numbers = numbers.filter((number) => !read.has(number));
    this.expressions = [null, null];
  }

  /** Number and text of the terminal that begins at an index; null if none does. */
  read(text, index, wide) {
    const expression = (this.expressions[Number(wide)] ??= this.expression(wide));
    expression.lastIndex = index;
    const found = expression.exec(text);
    if (found === null) {
      return null;
    }
    let group = 1;
    while (found[group] === undefined) {
      group += 1;
    }
    const number = this.numbers[group - 1];
    return { number: this.keywords.get(number)?.get(found[0]) ?? number, text: found[0] };
  }

  expression(wide) {
    const source = this.numbers.map((number) => `(${this.patterns[number]})`).join("|");
    return new RegExp(wide ? widened(source) : source, wide ? "uy" : "y");
  }
}

/** Parser of one grammar; `builder` has a method for each name of a rule. */
export class Parser {
  constructor(data, builder) {
    this.builder = builder;
    this.starts = data.starts;
    this.names = data.terminals.map(([name]) => name);
    this.patterns = data.terminals.map(([, pattern]) => pattern);
    this.end = this.names.indexOf("$END");
    this.ignored = new Set(data.ignored);
    const keywords = (words) => Object.entries(words).map(([text, name]) => [text, this.names.indexOf(name)]);
    this.keywords = Object.entries(data.keywords).map(([name, words]) => [this.names.indexOf(name), keywords(words)]);
    const rules = data.rules.map(([symbol, size, method, layout, single]) => ({
      symbol, size, method: camelCase(method), layout: data.layouts[layout] ?? null, single: single === 1,
    }));
    this.states = data.states.map(([shifts, rule, before]) => {
      const next = new Map();
      for (let at = 0; at < shifts.length; at += 2) {
        next.set(shifts[at], shifts[at + 1]);
      }
      return { next, rule: rules[rule] ?? null, before: new Set(data.sets[before] ?? []), lexer: null };
    });
    this.lexers = new Map();
  }

  /** What the builder makes of a text; throws `UnexpectedInput` where it does not read. */
  parse(text, start) {
    const [first, last] = this.starts[start];
    const states = [this.states[first]];
    const values = [];
    const wide = !PLAIN.test(text);
    let index = 0;
    for (;;) {
      const { number, text: word } = this.next(text, index, wide, states, last);
      if (!this.ignored.has(number)) {
        const token = new Token(this.names[number], word, index);
        if (!this.feed(states, number, last, values, token)) {
          throw this.unexpected(token, terminals(states.at(-1), this.end), states, last);
        }
        if (number === this.end) {
          return values[0];
        }
      }
      index += word.length;
    }
  }

  next(text, index, wide, states, last) {
    if (index >= text.length) {
      return { number: this.end, text: "" };
    }
    const lexer = this.lexerOf(states.at(-1));
    const found = lexer.read(text, index, wide);
    if (found !== null) {
      return found;
    }
    const allowed = lexer.numbers.filter((number) => !this.ignored.has(number));
    // a word that could stand elsewhere
    const other = this.lexer([...this.names.keys()]).read(text, index, wide);
    if (other === null) {
      throw new UnexpectedInput(index, this.named(allowed));
    }
    throw this.unexpected(new Token(this.names[other.number], other.text, index), allowed, states, last);
  }

  /** Go on with a terminal: false if it cannot stand here. Without `values` nothing is built. */
  feed(states, number, last, values = null, token = null) {
    for (;;) {
      const { next, rule, before } = states.at(-1);
      if (before.has(number)) {
        states.length -= rule.size;
        if (values !== null) {
          values.push(this.built(rule, values.splice(values.length - rule.size)));
        }
        const state = states.at(-1).next.get(rule.symbol);
        states.push(this.states[state]);
        if (number === this.end && state === last) {
          return true;
        }
      } else if (next.has(number)) {
        states.push(this.states[next.get(number)]);
        values?.push(token);
        return true;
      } else {
        return false;
      }
    }
  }

  built({ method, layout, single }, parts) {
    let given = parts;
    if (layout !== null) {
      given = [];
      for (const part of layout) {
        if (Array.isArray(part)) {
          given.push(...parts[part[0]]);
        } else {
          given.push(part === null ? null : parts[part]);
        }
      }
    }
    if (method === "") {
      return given;
    }
    return single && given.length === 1 ? given[0] : this.builder[method](...given);
  }

  unexpected(token, expected, states, last) {
    // what truly goes on from here: the table alone allows some words a step longer
    const accepted = terminals(states.at(-1), this.end).filter((number) => this.feed([...states], number, last));
    const position = token.type === "$END" ? null : token.start;
    return new UnexpectedInput(position, this.named(accepted.length ? accepted : expected), token);
  }

  named(numbers) {
    return new Set(numbers.map((number) => this.names[number]));
  }

  lexerOf(state) {
    return (state.lexer ??= this.lexer(terminals(state, this.end)));
  }

  lexer(terminals) {
    const numbers = [...new Set([...terminals, ...this.ignored])]
      .filter((number) => number !== this.end)
      .sort((one, other) => one - other);
    const key = numbers.join();
    if (!this.lexers.has(key)) {
      this.lexers.set(key, new Lexer(this, numbers));
    }
    return this.lexers.get(key);
  }
}

const terminals = (state, end) => [...state.next.keys(), ...state.before].filter((number) => number <= end);
