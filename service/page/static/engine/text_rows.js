// What a system's text asks, as rows of words for the core: systems/text_rows.py is the definition, to the word.

import { InvalidSystem, quoted } from "./errors.js";
import { parseExpression } from "./expression_reader.js";
import { contains, InvalidExpression } from "./expressions.js";
import { BUILT_IN, builtInShapes, conjunction, HONOURS, negation, shapeExpression } from "./formulas.js";
import { phrasesOf } from "./language/joining.js";
import { fixedLetterOf, isVariable, JUMPS } from "./patterns.js";
import { KINDS, VARIABLES } from "./phrases.js";
import data from "./rows_data.js";
import { ALIASES, isTag, TERMS } from "./vocabulary.js";

const NO_BOUND = 1 << 30;
const LARGEST_NUMBER = 1 << 28;
const STRAINS = "CDHSN";
const FORMS = [
  "truth", "term", "number", "shape", "negative", "product", "sum", "comparison", "not", "and", "or",
];
export const SIGNS = ["<", "<=", "==", "!=", ">=", ">", "+", "-"];
const FIRST_SIGN = 2;
const [FORMULA, TAG, UNKNOWN] = [0, 1, 2];
const [FIXED, VARIABLE, SUITS, ROLE, OTHER] = [0, 1, 2, 3, 4];
const [NO_OPERANDS, OF_SUITS, OF_STRAIN] = [0, 1, 2];
const CALL_KINDS = [...data.bidKinds, "pass", "double", "redouble", "any", "any bid"];
/** Low and high word of a bit for each call, and for each bid. */
const EVERY_CALL = [-1, 63];
const EVERY_BID = [-8, 63];
const STEPS = { me: [0], I: [0], LHO: [1], partner: [2], RHO: [3], we: [0, 2], they: [1, 3] };
const REASONS = ["", "not bound", "refused", "circle", "too long", "no suit", "bad value"];

/** A phrase asks for what does not exist; the message says what was expected. */
class Refused extends Error {}

const NOTHING = [];

// --- the table of phrases -------------------------------------------------------------------------

const read = new Map();

/** Operation of a kind that the table has. */
function tabled(kind) {
  let found = read.get(kind);
  if (found === undefined && Object.hasOwn(data.phrases, kind)) {
    const { expression, ...rest } = data.phrases[kind];
    found = expression === undefined ? rest : { ...rest, expression: parseExpression(expression) };
    read.set(kind, found);
  }
  return found;
}

const always = (expression) => ({ name: "always", expression });
const measure = (term) => ({ name: "measure", term, counts: true, at_once: true });
const inSuit = (stem) => ({ name: "in suit", stem, suits: 1, counts: true });

function suitLength({ range, suits }) {
  if (range === null) return measure("Longest_Suit");
  const isAny = suits.length === 1 && suits[0] === "a suit";
  return isAny && range.high === null && !range.also.length ? measure("Longest_Suit") : inSuit("SL_?");
}

function topHonours({ of }) {
  const among = of ?? 0;
  if (among < 1 || among > 5) throw new Refused(`the top two, three, four or five, got ${of ?? "None"}`);
  return inSuit(`Top${Math.max(among, 2)}_?`);
}

function honour({ text }) {
  if (!Object.hasOwn(HONOURS, text)) throw new Refused(`one of ${Object.keys(HONOURS).join(", ")}, got ${quoted(text)}`);
  return { name: "flag", stem: `C_?${HONOURS[text]}`, suits: 1 };
}

function ruleOf({ count }) {
  const from = (low) => ({ low, high: null, also: [] });
  if (count === 15) return { name: "measure", term: "Rule_Of_15", range: from(15) };
  if (count === null || count < 18 || count > 22) {
    throw new Refused(`the rule of 15 or of 18 to 22, got ${count ?? "None"}`);
  }
  return { name: "measure", term: "Rule_Of_20", range: from(count) };
}

function raw({ text, where }) {
  try {
    return always(conjunction([parseExpression(text)]));
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error;
    throw new InvalidSystem(`${where.file}:${where.line}: in {${text}}: ${error.message}`);
  }
}

function shape({ text }) {
  try {
    return always(shapeExpression(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Refused(`four lengths of 13 cards such as 4=4=3=2 or 5-4-x-x, got ${quoted(text)}`);
  }
}

/** Operations that depend on more than the kind of a phrase. */
const OPERATIONS = {
  points: ({ suits }) => (suits.length ? inSuit("HCP_?") : measure("HCP")),
  "suit length": suitLength,
  "top honours": topHonours,
  honour,
  "rule of": ruleOf,
  raw,
  shape,
};

/** Operation of a name that the system does not define. */
function builtIn({ text }) {
  if (text === "unbalanced") return always(negation(builtInShapes("balanced")));
  if (!Object.hasOwn(BUILT_IN, text)) throw new Refused(`a name that the system defines, got ${quoted(text)}`);
  return always(builtInShapes(text));
}

/** Whether a kind of phrase asks for a fact of the auction, and nothing of the hand. */
export function isFact(kind) {
  return KINDS.has(kind) && kind !== "named" && !Object.hasOwn(OPERATIONS, kind) && !Object.hasOwn(data.phrases, kind);
}

// --- facts ----------------------------------------------------------------------------------------

const NO_BITS = [0, 0];

function question(kind, parts = {}) {
  return {
    kind, who: 0, count: 0, low: 0, high: 0, also: NO_BITS, calls: NO_BITS, number: 0, negated: false,
    operands: NO_OPERANDS, ofPattern: false, ...parts,
  };
}

/** Low and high word of a bit for each number below 64. */
function bitsOf(numbers) {
  const halves = [0, 0];
  for (const number of numbers) halves[number >> 5] |= 1 << (number & 31);
  return halves;
}

/** Ask for a number in a range. */
function within(asked, range) {
  const { low, high, also } = range ?? { low: 0, high: null, also: [] };
  if (!also.every((value) => value >= 0 && value < 64)) {
    throw new Refused(`further values from 0 to 63, got ${listed(also.map(String))}`);
  }
  return { ...asked, low, high: high ?? data.widest, also: bitsOf(also) };
}

function rowOf({ kind, who, count, low, high, also, calls, number, negated, operands, ofPattern }) {
  return [
    data.questions.indexOf(kind), who, count, low, high, ...also, ...calls, number, Number(negated), operands,
    Number(ofPattern),
  ];
}

/** Bits of positions relative to the player to call; all of them for nobody in particular. */
function whoOf(word) {
  if (word === null) return 15;
  if (!Object.hasOwn(STEPS, word)) throw new Refused(`one of ${Object.keys(STEPS).join(", ")}, got ${quoted(word)}`);
  return STEPS[word].reduce((bits, step) => bits | 1 << step, 0);
}

/** Texts as Python writes a tuple of them. */
function listed(texts) {
  return `(${texts.join(", ")}${texts.length === 1 ? "," : ""})`;
}

function oneSuit({ kind, suits }) {
  if (suits.length !== 1) {
    throw new InvalidSystem(`${quoted(kind)}: expected one suit, got ${listed(suits.map(quoted))}`);
  }
}

const withoutSign = (tag) => (tag.startsWith("#") ? tag.slice(1) : tag);

/** Question of a fact; `tags` gives the number of a tag. */
function factOf(phrase, tags) {
  const { kind, text, call, suits, count, range, who } = phrase;
  const ofPattern = call !== null;
  switch (kind) {
    case "passed hand": return question(kind, { who: whoOf(who ?? "me") });
    case "opened": return question(kind, { who: whoOf(who ?? "we"), calls: EVERY_CALL, ofPattern });
    case "only passed": return question(kind, { who: whoOf(who ?? "partner") });
    case "bid":
    case "not bid": {
      const bits = whoOf(who ?? "we");
      const negated = kind === "not bid";
      if (call === null && suits.length) {
        oneSuit(phrase);
        return question("named", { who: bits, operands: OF_SUITS, negated });
      }
      return question("made", { who: bits, calls: EVERY_BID, negated, ofPattern });
    }
    case "last call": return lastCall(phrase, tags);
    case "has called": {
      const number = tags(withoutSign(text));
      return question(kind, { who: whoOf(who ?? "partner"), number });
    }
    case "unbid":
    case "fourth suit":
      oneSuit(phrase);
      return question(kind, { operands: OF_SUITS });
    case "fit": return question(kind, { operands: OF_SUITS, count: count || 8 });
    case "contested":
    case "uncontested": return question("contested", { negated: kind === "uncontested" });
    case "level":
    case "seat": return within(question(kind), range);
    case "last bid": {
      const name = withoutSign(text);
      const parts = { who: whoOf(who), calls: EVERY_CALL, ofPattern, count: Number(name !== ""), number: tags(name) };
      return question(kind, parts);
    }
    case "has shown":
    case "may have": return shownOf(phrase);
    case "ranks above":
    case "same suit": return question(kind, { operands: OF_SUITS });
    case "available": {
      if (call === null || call.strain === null) return question(kind);
      const asked = question(kind, { operands: OF_STRAIN, number: JUMPS.get(call.kind) ?? 0 });
      return within(asked, range ?? { low: 0, high: call.level, also: [] });
    }
    case "nth call":
      if (count !== null) return question(kind, { count });
      break;
    case "nobody opened": case "forced": case "game forced": case "balancing": case "game reached":
      return question(kind);
    default:
  }
  throw new Refused(`a phrase of the catalogue, got ${quoted(text)}`);
}

function lastCall({ who: word, text, call }, tags) {
  const who = whoOf(word ?? "partner");
  if (call !== null) return question("last call", { who, ofPattern: true });
  const fixed = ["pass", "double", "redouble"].indexOf(text);
  if (fixed >= 0) return question("last call", { who, calls: bitsOf([fixed]) });
  if (text.startsWith("#")) return question("last call's tag", { who, number: tags(text.slice(1)) });
  if (data.callWords.includes(text)) {
    return question("last call in words", { who, number: data.callWords.indexOf(text) });
  }
  const names = text === "forcing" ? ["forcing", "forcing to game"] : [text];
  const kinds = names.map((name) => data.agreementKinds.indexOf(name)).filter((kind) => kind >= 0);
  return question("last call's kinds", { who, number: kinds.reduce((bits, kind) => bits | 1 << kind, 0) });
}

function shownOf(phrase) {
  const who = whoOf(phrase.who ?? "partner");
  let term = (KINDS.get(phrase.text || "points")?.term ?? "").replace(/_+$/u, "");
  const hasSuit = phrase.suits.length > 0;
  if (hasSuit) {
    oneSuit(phrase);
    term += "_C";
  }
  const number = data.tracked.indexOf(term);
  if (number < 0) throw new Refused(`what a player can show, got ${quoted(phrase.text)}`);
  const parts = { who, count: Number(hasSuit), operands: hasSuit ? OF_SUITS : NO_OPERANDS, number };
  return within(question(phrase.kind, parts), phrase.range);
}

// --- rows -----------------------------------------------------------------------------------------

/** Words of a phrase, in their order; -1 where it has no such part. */
class PhraseRow {
  operation = data.operations.indexOf("refused");
  fault = 0;
  firstSuit = 0;
  suits = 0;
  low = 0;
  high = NO_BOUND;
  firstAlso = 0;
  also = 0;
  term = -1;
  stem = -1;
  secondStem = -1;
  comparison = -1;
  shownTerm = -1;
  isCombined = 0;
  atBest = 0;
  withoutTerm = -1;
  firstRole = 0;
  roles = 0;
  pattern = -1;
  points = 0;
  target = -1;

  writeTo(words) {
    words.push(
      this.operation, this.fault, this.firstSuit, this.suits, this.low, this.high, this.firstAlso, this.also, this.term,
      this.stem, this.secondStem, this.comparison, this.shownTerm, this.isCombined, this.atBest, this.withoutTerm,
      this.firstRole, this.roles, this.pattern, this.points, this.target,
    );
  }
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
  #listPlaces = new Map();
  #nameNumbers;
  #wordNumbers = new Map();
  #conditions = new Map();
  #phraseNumbers = new Map();
  #stems = new Map();
  #byIdentity = new Map();
  #phrasesByIdentity = new Map();
  #expressions = new Map();
  #patterns = new Map();
  #messages = new Map();
  #defineNumbers;

  /** `tags` are numbers of tags, where systems that play each other share them. */
  constructor(rules, tags = tagsOf([rules])) {
    this.rules = rules;
    this.tags = tags;
    this.#nameNumbers = new Map(this.names.map((name, number) => [name, number]));
    this.#sections = Object.fromEntries(
      ["names", "expressions", "stems", "words", "patterns", "questions", "phrases", "conditions", "defines"]
        .map((name) => [name, new Section()]),
    );
    this.#defineNumbers = new Map([...rules.defines.keys()].map((name, number) => [name, number]));
    this.#addDefines();
    this.#addLines();
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

  #addLines() {
    const { places } = this.rules;
    for (const line of writtenLines(places)) {
      for (const variant of line.variants.length ? line.variants : [null]) {
        this.condition(variant === null ? null : variant.condition);
        for (const { condition } of saidBy(line, variant)) this.condition(condition);
      }
      this.callPattern(line.call);
      this.condition(line.condition);
    }
    for (const { tests, pattern, theirCall } of [...topGroups(places), ...places.lines.flatMap((one) => one.below)]) {
      for (const test of tests) this.condition(test.condition);
      for (const step of pattern?.steps ?? []) for (const call of step.calls) this.callPattern(call);
      for (const call of theirCall?.calls ?? []) this.callPattern(call);
    }
  }

  // --- conditions ---------------------------------------------------------------------------------

  /** Number of a condition, the same for equal ones; -1 for null, which is any hand. */
  condition(condition) {
    if (condition === null) return -1;
    let number = this.#byIdentity.get(condition);
    if (number === undefined) {
      const key = this.rules.keys.of(condition);
      number = this.#conditions.get(key);
      if (number === undefined) this.#conditions.set(key, (number = this.#condition(condition)));
      this.#byIdentity.set(condition, number);
    }
    return number;
  }

  /** Write a condition; parts that stand at different places stay apart, for messages. */
  #condition(condition) {
    let form;
    let numbers;
    switch (condition.type) {
      case "AllOf":
      case "AnyOf":
        form = Number(condition.type === "AnyOf");
        numbers = condition.parts.map((part) => this.#condition(part));
        break;
      case "NotThis":
        [form, numbers] = [2, [this.#condition(condition.part)]];
        break;
      default:
        [form, numbers] = [3, [this.#phrase(condition)]];
    }
    const first = this.#list(numbers);
    return this.#sections.conditions.add(form, first, numbers.length);
  }

  #phrase(phrase) {
    let number = this.#phrasesByIdentity.get(phrase);
    if (number === undefined) this.#phrasesByIdentity.set(phrase, (number = this.#phraseAt(phrase, phrase.where)));
    return number;
  }

  #phraseAt(phrase, { file, line, column }) {
    const key = `${this.rules.keys.of(phrase)} ${line}:${column} ${file}`;
    let number = this.#phraseNumbers.get(key);
    if (number === undefined) {
      const row = new PhraseRow();
      [row.firstSuit, row.suits] = this.#words(phrase.suits);
      number = this.#phraseList.length;
      this.#phraseNumbers.set(key, number);
      this.#phraseList.push(phrase);
      const message = unlessRefused(phrase, () => this.#layOut(phrase, row));
      if (message) this.#messages.set(number, message);
      row.writeTo(this.#sections.phrases.words);
    }
    return number;
  }

  /** Write the parts of a phrase; what is wrong with it at some places, if anything is. */
  #layOut(phrase, row) {
    const { kind } = phrase;
    if (kind === "named" && this.#defineNumbers.has(phrase.text)) return this.#layOutNamed(phrase, row);
    if (kind !== "named" && isFact(kind)) return this.#layOutFact(phrase, row);
    const operation = kind === "named" ? builtIn(phrase) : OPERATIONS[kind]?.(phrase) ?? tabled(kind);
    if (operation === undefined) return this.#layOutFact(phrase, row);
    const message = checked(phrase, operation);
    row.fault = Number(message !== "" && operation.name !== "law");
    if (operation.term) row.term = this.name(operation.term);
    if (operation.shown) row.shownTerm = this.name(operation.shown);
    if (operation.without) row.withoutTerm = this.name(operation.without);
    row.stem = this.#stem(operation.stem);
    row.secondStem = this.#stem(operation.second);
    row.comparison = operation.comparison ? signNumber(operation.comparison) : -1;
    row.isCombined = Number(operation.combined ?? false);
    row.atBest = Number(operation.at_best ?? false);
    [row.firstRole, row.roles] = this.#words(operation.roles ?? NOTHING);
    row.points = operation.points ?? 0;
    if (operation.calls && phrase.call !== null) row.pattern = this.callPattern(phrase.call);
    if (operation.expression !== undefined) row.target = this.expression(operation.expression);
    this.#layOutRange(operation.range ?? (operation.counts ? phrase.range : null), row);
    row.operation = data.operations.indexOf(operation.name);
    return message;
  }

  #layOutNamed(phrase, row) {
    row.operation = data.operations.indexOf("named");
    row.target = this.#defineNumbers.get(phrase.text);
    const [wanted, got] = [this.rules.defines.get(phrase.text).suits.length, phrase.suits.length];
    row.fault = Number(wanted !== got);
    return wanted === got ? "" : unusable(phrase, `${wanted} suits behind ${quoted(phrase.text)}, got ${got}`);
  }

  #layOutFact(phrase, row) {
    let words;
    const message = unlessRefused(phrase, () => {
      const asked = factOf(phrase, (tag) => this.tags.get(tag) ?? -1);
      words = rowOf(asked);
      checkNumbers(asked.count, asked.low, asked.high);
      return "";
    });
    if (phrase.call !== null) row.pattern = this.callPattern(phrase.call);
    if (message) {
      // suits, and the strain of what is available, are looked up before
      const hasStrain = phrase.call !== null && phrase.call.strain !== null;
      words = rowOf(question("forced", { operands: phrase.kind === "available" && hasStrain ? OF_STRAIN : NO_OPERANDS }));
    }
    row.fault = Number(message !== "");
    row.target = this.#sections.questions.add(...words);
    row.operation = data.operations.indexOf("fact");
    return message;
  }

  #layOutRange(range, row) {
    if (range === null) return;
    checkNumbers(range.low, range.high ?? 0, ...range.also);
    row.low = range.low;
    row.high = range.high ?? NO_BOUND;
    [row.firstAlso, row.also] = [this.#list(range.also), range.also.length];
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
        message = this.#messages.get(number);
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

  // --- words, calls, expressions ------------------------------------------------------------------

  /** Number of a suit word. */
  word(word) {
    let number = this.#wordNumbers.get(word);
    if (number === undefined) {
      number = this.#wordList.length;
      this.#wordNumbers.set(word, number);
      this.#wordList.push(word);
      let join = 0;
      if (/^an? /u.test(word)) join = 2;
      else if (/^(?:their suits?$|every |both )/u.test(word)) join = 1;
      this.#sections.words.words.push(...meaningOf(word), join, Number(word === "NT" || word === "notrump"));
    }
    return number;
  }

  #words(words) {
    const numbers = words.map((one) => this.word(one));
    return [this.#list(numbers), numbers.length];
  }

  /** Number of a call pattern, the same for equal ones. */
  callPattern(pattern) {
    let number = this.#byIdentity.get(pattern);
    if (number === undefined) {
      const key = this.rules.keys.of(pattern);
      number = this.#patterns.get(key);
      if (number === undefined) {
        const { kind, level, strain } = pattern;
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

  #stem(stem) {
    if (!stem) return -1;
    let number = this.#stems.get(stem);
    if (number === undefined) {
      number = this.#sections.stems.add(...[..."CDHS"].map((letter) => this.name(stem.replace("?", letter))));
      this.#stems.set(stem, number);
    }
    return number;
  }

  /** Place of some numbers among the lists. */
  #list(numbers) {
    const key = numbers.length === 1 ? numbers[0] : numbers.join();
    let place = this.#listPlaces.get(key);
    if (place === undefined) {
      place = this.#lists.length;
      this.#listPlaces.set(key, place);
      this.#lists.push(...numbers);
    }
    return place;
  }

  /** All rows: what `Text::read` of the core takes. */
  words() {
    const tracked = data.tracked.map((term) => this.name(term));
    const own = Object.values(this.#sections).map((section) => section.words);
    return joined(data.format, [[...TERMS.values()].flat(), tracked, ...own, this.#lists]);
  }
}

const signNumber = (sign) => SIGNS.indexOf(sign) + FIRST_SIGN;

/** What is wrong with a phrase that is laid out, "" for nothing. */
function unlessRefused(phrase, layOut) {
  try {
    return layOut();
  } catch (error) {
    if (error instanceof Refused) return unusable(phrase, error.message);
    if (error instanceof InvalidSystem) return error.message;
    throw error;
  }
}

/** Whether a phrase has the parts that its operation needs. */
function checked(phrase, { name, suits, calls, counts, at_once: atOnce }) {
  if (suits !== undefined && suits !== phrase.suits.length) {
    const expected = `${suits === 1 ? "one suit" : "two suits"}, got ${listed(phrase.suits.map(quoted))}`;
    if (name !== "longest outside theirs") throw new Refused(expected);
    return unusable(phrase, expected);
  }
  if (calls && phrase.call === null) throw new Refused("a call, got none");
  if (name === "law") return unusable(phrase, "a suit contract, got notrump");
  if (!counts || phrase.range !== null) return "";
  if (atOnce) throw new Refused("a number, got none");
  return unusable(phrase, "a number, got none");
}

/** Kind of a suit word, and its strain, its suits or the number of its role. */
function meaningOf(word) {
  if (isVariable(word)) return [VARIABLE, VARIABLES.indexOf(word)];
  const letter = fixedLetterOf(word);
  if (letter !== undefined) return [FIXED, STRAINS.indexOf(letter) + 1];
  if (Object.hasOwn(data.static, word)) {
    return [SUITS, [...data.static[word]].reduce((sum, one, place) => sum + (STRAINS.indexOf(one) + 1 << 3 * place), 0)];
  }
  return Object.hasOwn(data.roles, word) ? [ROLE, data.roles[word]] : [OTHER, 0];
}

function checkNumbers(...numbers) {
  for (const number of numbers) {
    if (number < -LARGEST_NUMBER || number > LARGEST_NUMBER) {
      const grouped = (value) => value.toLocaleString("en-US");
      throw new Refused(`numbers up to ${grouped(LARGEST_NUMBER)}, got ${grouped(number)}`);
    }
  }
}

function unusable({ kind, where }, expected) {
  const place = where.line ? ` (${where.file}:${where.line})` : "";
  return `${quoted(kind)}: expected ${expected}${place}`;
}

// --- the whole text -------------------------------------------------------------------------------

/** Groups that stand below no line. */
export function topGroups({ opening, byLength, anyLength, anywhere }) {
  return [...opening, ...[...byLength.values()].flat(), ...anyLength, ...anywhere];
}

/** Lines as the text has them, each once however many places it stands at. */
export function writtenLines(places) {
  return new Set(places.lines.map((placed) => placed.line));
}

/** Agreements of a line and of one of its variants. */
export function saidBy(line, variant) {
  return variant === null ? line.agreements : [...line.agreements, ...variant.agreements];
}

/** Every condition of a text: of headers, lines, agreements and definitions; each once. */
function conditionsOf({ places, defines }) {
  const found = new Set();
  const groups = topGroups(places);
  while (groups.length) {
    const group = groups.pop();
    for (const fact of group.facts) found.add(fact);
    for (const placed of group.lines) groups.push(...placed.below);
  }
  for (const line of writtenLines(places)) {
    const parts = [line, ...line.variants];
    for (const { condition } of parts) if (condition !== null) found.add(condition);
    for (const { agreements } of parts) {
      for (const { condition } of agreements) if (condition !== null) found.add(condition);
    }
  }
  for (const define of defines.values()) found.add(define.condition);
  return found;
}

const ASKS_TAG = new Set(["last call", "last bid", "has called"]);

/** Numbers for the tags of systems that play each other. */
export function tagsOf(systems) {
  const found = new Map();
  const add = (tag) => { if (!found.has(tag)) found.set(tag, found.size); };
  for (const rules of systems) {
    for (const condition of conditionsOf(rules)) {
      for (const { kind, text } of phrasesOf(condition)) if (ASKS_TAG.has(kind) && text[0] === "#") add(text.slice(1));
    }
  }
  for (const rules of systems) {
    for (const line of writtenLines(rules.places)) {
      for (const variant of [null, ...line.variants]) {
        for (const { kind, text } of (variant ?? line).agreements) if (kind === "tag") add(text);
      }
    }
  }
  if (found.size > 64 * data.tagWords) {
    throw new InvalidSystem(`expected at most ${64 * data.tagWords} tags, got ${found.size}`);
  }
  return found;
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
