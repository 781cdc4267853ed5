// What a system's text asks, as rows of words for the core: systems/rows/text_rows.py is the definition, to the word.

import { grouped, InvalidSystem, quoted } from "../errors.js";
import { parseExpression } from "../expressions/expression_reader.js";
import { contains, InvalidExpression } from "../expressions/expressions.js";
import { BUILT_IN, builtInShapes, conjunction, negation, shapeExpression, within } from "../places/formulas.js";
import { KINDS, VARIABLES } from "../language/phrases.js";
import data from "./rows_data.js";
import { ALIASES, isTag, TERMS } from "../expressions/vocabulary.js";

const NO_BOUND = 1 << 30;
const LARGEST_NUMBER = 1 << 28;
const FORMS = [
  "truth", "term", "number", "shape", "negative", "product", "sum", "comparison", "not", "and", "or",
];
export const SIGNS = ["<", "<=", "==", "!=", ">=", ">", "+", "-"];
const FIRST_SIGN = 2;
const [FORMULA, TAG, UNKNOWN] = [0, 1, 2];
const CALL_KINDS = [...data.bidKinds, "pass", "double", "redouble", "any", "any bid"];
const REASONS = ["", "not bound", "refused", "circle", "too long", "no suit", "bad value"];
const CONDITION_WORDS = 3;
const COMPLAINT_WITHOUT_PLACE = 4;
const ANY_RANGE = { low: 0, high: null, also: [] };

const standing = new Map();

/** Expression that a phrase is wherever it stands; null where the core makes it at a place. */
function standsFor(phrase) {
  const { kind, text, where, range } = phrase;
  if (KINDS.get(kind)?.halves) {
    if (range === null) throw new InvalidSystem(unusable(phrase, "a number, got none"));
    return within(KINDS.get(kind).term, range);
  }
  switch (kind) {
    case "raw":
      try {
        return conjunction([parseExpression(text)]);
      } catch (error) {
        if (!(error instanceof InvalidExpression)) throw error;
        throw new InvalidSystem(`${where.file}:${where.line}: in {${text}}: ${error.message}`);
      }
    case "shape":
      try {
        return shapeExpression(text);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        const wanted = "four lengths of 13 cards such as 4=4=3=2 or 5-4-x-x";
        throw new InvalidSystem(unusable(phrase, `${wanted}, got ${quoted(text)}`));
      }
    case "named":
      if (text === "unbalanced") return negation(builtInShapes("balanced"));
      return Object.hasOwn(BUILT_IN, text) ? builtInShapes(text) : null;
    default:
      if (!Object.hasOwn(data.standsFor, kind)) return null;
      if (!standing.has(kind)) standing.set(kind, parseExpression(data.standsFor[kind]));
      return standing.get(kind);
  }
}

/** Texts as Python writes a tuple of them. */
function listed(texts) {
  return `(${texts.join(", ")}${texts.length === 1 ? "," : ""})`;
}

/** A number of a phrase; one that is too large stays so. */
function numberOf(number) {
  if (number === null) return NO_BOUND;
  return Math.max(-LARGEST_NUMBER - 1, Math.min(number, LARGEST_NUMBER + 1));
}

/** Rows of one type, their words one behind the other. */
class Section {
  words = [];
  #numbers = new Map();

  /** Number of a row, the same for equal ones. */
  add(...row) {
    const key = row.join();
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(key, number);
      this.words.push(...row);
    }
    return number;
  }
}

/** Words of sections behind a mark and their places. */
export function joined(mark, sections) {
  const places = [sections.length + 2];
  sections.forEach((words, number) => places.push(places[number] + words.length));
  const words = new Int32Array(places.at(-1));
  words[0] = mark;
  words.set(places, 1);
  sections.forEach((section, number) => words.set(section, places[number]));
  return words;
}

/** Rows of what a text asks; conditions and call patterns have numbers among them. */
export class TextRows {
  /** Names by number: terms, then what else expressions of the text name. */
  names = [...TERMS.keys()];
  #wordList = [];
  #phraseList = [];
  #sections;
  #lists = [];
  #nameNumbers;
  #wordNumbers = new Map();
  #subjects = new Set();
  #textNumbers = new Map();
  #byIdentity = new Map();
  #expressions = new Map();
  #patterns = new Map();
  #messages = new Map();
  #defineNumbers;

  /** `tags` are numbers of tags so far, which systems that play each other share; new ones are added. */
  constructor(rules, tags = new Map()) {
    this.rules = rules;
    this.tags = tags;
    this.#nameNumbers = new Map(this.names.map((name, number) => [name, number]));
    this.#sections = Object.fromEntries(
      ["names", "expressions", "texts", "words", "patterns", "phrases", "conditions", "defines"]
        .map((name) => [name, new Section()]),
    );
    this.#defineNumbers = new Map([...rules.defines.keys()].map((name, number) => [name, number]));
    this.#addDefines();
  }

  #addDefines() {
    for (const define of this.rules.defines.values()) {
      const parameters = define.suits.map((one) => VARIABLES.indexOf(one)).filter((one) => one >= 0);
      if (parameters.length !== define.suits.length || parameters.length > VARIABLES.length) {
        throw new InvalidSystem(
          `expected variables as parameters of ${quoted(define.name)}, got ${listed(define.suits.map(quoted))}`,
        );
      }
      const first = this.#list(parameters);
      // no subject by itself: a line's condition that is equal has messages of its own
      const condition = this.#condition(define.condition);
      this.#sections.defines.words.push(condition, first, parameters.length);
    }
  }

  // --- conditions ---------------------------------------------------------------------------------

  /** Number of a condition, -1 for null, which is any hand. The core takes those that say the same for one. */
  condition(condition) {
    if (condition === null) return -1;
    const number = this.#condition(condition);
    this.#subjects.add(number);
    return number;
  }

  /** Write a condition, once for each object: messages tell the places of its phrases. */
  #condition(condition) {
    let number = this.#byIdentity.get(condition);
    if (number !== undefined) return number;
    let row;
    switch (condition.type) {
      case "AllOf":
      case "AnyOf": {
        const numbers = condition.parts.map((part) => this.#condition(part));
        row = [Number(condition.type === "AnyOf"), this.#list(numbers), numbers.length];
        break;
      }
      case "NotThis":
        row = [2, this.#condition(condition.part), 1];
        break;
      default:
        row = [3, this.#phrase(condition), 1];
    }
    const { words } = this.#sections.conditions;
    number = words.length / CONDITION_WORDS;
    words.push(...row);
    this.#byIdentity.set(condition, number);
    return number;
  }

  #phrase(phrase) {
    const number = this.#phraseList.push(phrase) - 1;
    this.#say(phrase, number);
    return number;
  }

  /** Write what a phrase says; -1 where it has no such part. */
  #say(phrase, number) {
    const { kind, who, text, suits, range, count, of, call } = phrase;
    const define = kind === "named" ? this.#defineNumbers.get(text) ?? -1 : -1;
    let expression = -1;
    let pattern = -1;
    let meant = null;
    try {
      if (define < 0) meant = standsFor(phrase);
      if (meant !== null) expression = this.expression(meant);
      if (call !== null) pattern = this.callPattern(call);
    } catch (error) {
      if (!(error instanceof InvalidSystem)) throw error;
      this.#messages.set(number, error.message);
    }
    let bounds = [0, 0, NO_BOUND, 0, 0];
    if (range !== null && meant === null) {
      const also = this.#list(range.also.map(numberOf));
      bounds = [1, numberOf(range.low), numberOf(range.high), also, range.also.length];
    }
    this.#sections.phrases.words.push(
      this.text(kind), who === null ? -1 : this.text(who), this.text(text),
      this.#list(suits.map((one) => this.word(one))), suits.length, ...bounds, numberOf(count), numberOf(of), pattern,
      this.#requestedTag(phrase), define, expression, Number(this.#messages.has(number)),
    );
  }

  /** Error that the core's failure to lower a condition stands for. */
  error(reason, number, word) {
    const phrase = this.#phraseList[number];
    let message;
    switch (REASONS[reason]) {
      case "not bound":
        message = `expected a suit or a variable that a call binds, got ${quoted(this.#wordList[word])}`;
        break;
      case "refused":
        message = this.#messages.get(number) ?? this.#complaint(phrase, word);
        break;
      case "too long":
        message = "expected a condition of fewer parts, with its definitions written out";
        break;
      case "no suit":
        message = `expected a suit, got ${quoted(this.#wordList[word])}`;
        break;
      default:
        message = REASONS[reason] === "circle" && phrase
          ? unusable(phrase, `a definition that does not use itself, got ${quoted(phrase.text)}`)
          : "expected a condition of the text, bindings and answers of a place";
    }
    return new InvalidSystem(message);
  }

  /** The first phrase in braces with an expression in it; undefined where there is none. */
  rawPhrase(expression) {
    return this.#phraseList.find(({ kind, text }) => kind === "raw" && contains(parseExpression(text), expression));
  }

  /** Words of the core's complaint about a phrase. */
  #complaint(phrase, number) {
    const { kind, text, suits, range, count, of, who } = phrase;
    const { low, high, also } = range ?? ANY_RANGE;
    const large = [count, low, high, ...also].find((one) => Math.abs(one ?? 0) > LARGEST_NUMBER);
    const values = {
      suits: () => listed(suits.map(quoted)), behind: () => suits.length, text: () => quoted(text),
      who: () => (who === null ? "None" : quoted(who)), of: () => of ?? "None", count: () => count ?? "None",
      also: () => listed(also.map(String)), wanted: () => this.rules.defines.get(text)?.suits.length ?? 0,
      number: () => grouped(large ?? 0),
    };
    const expected = data.complaints[number].replace(/\{(\w+)\}/gu, (_, name) => values[name]());
    return number === COMPLAINT_WITHOUT_PLACE ? `${quoted(kind)}: expected ${expected}` : unusable(phrase, expected);
  }

  // --- words, calls, expressions ------------------------------------------------------------------

  #requestedTag({ kind, text }) {
    const isTag = text.startsWith("#") && (kind === "last call" || kind === "last bid");
    return isTag || kind === "has called" ? this.tag(text.replace(/^#/u, "")) : -1;
  }

  /** Number of a tag. */
  tag(tag) {
    if (!this.tags.has(tag)) this.tags.set(tag, this.tags.size);
    return this.tags.get(tag);
  }

  /** Number of a text. */
  text(text) {
    let number = this.#textNumbers.get(text);
    if (number === undefined) {
      number = this.#textNumbers.size;
      this.#textNumbers.set(text, number);
      const signs = Array.from(text, (sign) => sign.codePointAt(0));
      this.#sections.texts.words.push(this.#list(signs), signs.length);
    }
    return number;
  }

  /** Number of a suit word. */
  word(word) {
    let number = this.#wordNumbers.get(word);
    if (number === undefined) {
      number = this.#wordList.length;
      this.#wordNumbers.set(word, number);
      this.#wordList.push(word);
      this.#sections.words.words.push(this.text(word));
    }
    return number;
  }

  /** Number of a call pattern, the same for equal ones. */
  callPattern(pattern) {
    let number = this.#byIdentity.get(pattern);
    if (number === undefined) {
      const { kind, level, strain } = pattern;
      const key = `${kind} ${level} ${strain}`;
      number = this.#patterns.get(key);
      if (number === undefined) {
        const row = [CALL_KINDS.indexOf(kind), level ?? -1, strain === null ? -1 : this.word(strain)];
        this.#patterns.set(key, (number = this.#sections.patterns.add(...row)));
      }
      this.#byIdentity.set(pattern, number);
    }
    return number;
  }

  /** Number of a name of an expression: terms first, then what is made of them. */
  name(name) {
    let number = this.#nameNumbers.get(name);
    if (number === undefined) {
      const row = this.#meaning(name);
      number = this.names.length;
      this.#nameNumbers.set(name, number);
      this.names.push(name);
      this.#sections.names.words.push(...row);
    }
    return number;
  }

  /** Kind of a name that is no term, and the number of the formula that it stands for. */
  #meaning(name) {
    if (isTag(name)) return [TAG, -1];
    if (!Object.hasOwn(ALIASES, name)) return [UNKNOWN, -1];
    return [FORMULA, this.expression(parseExpression(ALIASES[name]))];
  }

  /** Number of an expression; its operands have smaller ones. */
  expression(expression) {
    let number = this.#expressions.get(expression);
    if (number === undefined) {
      const parts = this.#wordsOf(expression);
      number = this.#sections.expressions.add(FORMS.indexOf(expression.kind), this.#list(parts), parts.length);
      this.#expressions.set(expression, number);
    }
    return number;
  }

  #wordsOf(expression) {
    switch (expression.kind) {
      case "truth": return [Number(expression.value)];
      case "term": return [this.name(expression.name)];
      case "number": return [expression.halves];
      case "shape": return [parseInt(expression.pattern, 16)];
      case "negative": case "not": return [this.expression(expression.operand)];
      case "product": return expression.factors.map((one) => this.expression(one));
      case "sum": case "comparison": {
        const words = [this.expression(expression.first)];
        for (const [sign, operand] of expression.rest) words.push(signNumber(sign), this.expression(operand));
        return words;
      }
      default: return expression.operands.map((one) => this.expression(one));
    }
  }

  /** Place of some numbers among the lists. */
  #list(numbers) {
    const first = this.#lists.length;
    for (const number of numbers) this.#lists.push(number);
    return first;
  }

  /** All rows: what `Text::read` of the core takes. */
  words() {
    if (this.tags.size > 64 * data.tagWords) {
      throw new InvalidSystem(`expected at most ${64 * data.tagWords} tags, got ${this.tags.size}`);
    }
    const tracked = data.tracked.map((term) => this.name(term));
    const { defines, ...own } = this.#sections;
    return joined(data.format, [
      [...TERMS.values()].flat(), tracked, ...Object.values(own).map((section) => section.words), [...this.#subjects],
      defines.words, this.#lists,
    ]);
  }
}

const signNumber = (sign) => SIGNS.indexOf(sign) + FIRST_SIGN;

function unusable({ kind, where }, expected) {
  const place = where.line ? ` (${where.file}:${where.line})` : "";
  return `${quoted(kind)}: expected ${expected}${place}`;
}

/** Expression of the core's words; `operand` gives one by its number, `make` has a maker for each form. */
export function expressionOf([form, ...words], names, operand, make) {
  switch (FORMS[form]) {
    case "truth": return make.truth(Boolean(words[0]));
    case "term": return make.term(names[words[0]]);
    case "number": return make.number(words[0]);
    case "shape": return make.shape(words[0].toString(16).toUpperCase().padStart(4, "0"));
    case "negative": return make.negative(operand(words[0]));
    case "not": return make.not(operand(words[0]));
    case "sum": case "comparison": {
      const rest = [];
      for (let at = 1; at < words.length; at += 2) rest.push([SIGNS[words[at] - FIRST_SIGN], operand(words[at + 1])]);
      return make[FORMS[form]](operand(words[0]), rest);
    }
    default: return make[FORMS[form]](words.map(operand));
  }
}
