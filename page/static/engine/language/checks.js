// What a system's tree says that cannot be: systems/language/checks.py.

import { grouped, nearest } from "../errors.js";
import { parseExpression } from "../expression_reader.js";
import { InvalidExpression } from "../expressions.js";
import { COUNTED, FACTS, KINDS, OTHER, SHIPPED_DEFINES, VARIABLES, WORDS_OF_TERMINALS, WORDS_PAGE } from "../phrases.js";
import { checkNames } from "../vocabulary.js";
import { contradictions } from "./contradictions.js";
import { phrasesOf } from "./joining.js";
import { namesIn, parseConditions } from "./parser.js";
import { rewording } from "./rewordings.js";
import { afterCall, BEGINNING, UNKNOWN, whyNot } from "./sequences.js";
import { placeKey } from "./sources.js";
import { LANGUAGE_WORDS } from "./suggestions.js";

/** Definitions within one another that conditions are read through. */
const DEEPEST_DEFINITION = 32;
/** Conditions that a definition may have with all names in it written out. */
const LONGEST_DEFINITION = 10_000;
/** Variables that a definition is shown with. */
const OF_A_DEFINE = ["X", "Y", "Z", "W"];

/** How a count begins, such as that of `5+ hearts`. */
const COUNT = /(?<![\p{L}\p{N}_])[0-9]+(?:\+|-[0-9])/gu;
/** Calls whose level the auction decides. */
const RELATIVE = ["cheapest", "jump", "double jump"];
/** First words of what is said of a call. */
const SAYING = ["agrees", "asks", "shows", "denies"];

/** Complain of all that a system's tree says and cannot be.
 *
 * Of what is put aside only the names are looked up: what stands around it is not known.
 */
export function checkSystem(system, aside, sources) {
  const checker = new Checker(system.defines, sources);
  checker.checkDefines();
  for (const block of system.blocks) checker.block(block, new Set(), UNKNOWN, false);
  checker.names(aside);
}

/** Whether `shows` or `denies` names a number, and so is meant as a condition. */
export function counts({ kind, text }) {
  return (kind === "shows" || kind === "denies") && /\p{Nd}/u.test(text);
}

class Checker {
  constructor(defines, { complain, bare }) {
    this.defines = defines;
    this.complain = complain;
    this.bare = bare;
    this.words = [...LANGUAGE_WORDS, ...[...defines.keys()].flatMap((name) => name.split(" "))];
  }

  // -------------------------------------------------------------------- walking
  /** Check what stands in a block or below a line; `inside` an auction that has begun.
   *
   * `headed`: whether by `opening` or an auction.
   */
  body(body, bound, sequence, inside, headed = false) {
    for (const found of body) {
      if (found.type === "Block") this.block(found, bound, sequence, inside, headed);
      else this.line(found, bound, sequence);
    }
  }

  block({ header, body }, bound, sequence, inside, headed = false) {
    const heads = header.kind === "opening" || header.kind === "after";
    if (heads && headed) {
      this.complain(
        header.where, "this auction stands within another one, which it takes the place of",
        'write the whole of it in one header, such as "after 1C 1D:"',
      );
    }
    if (header.kind === "their call" && !inside) {
      this.complain(
        header.where, "a call of theirs stands below a call of ours", 'for their opening write "over (…):"',
      );
      sequence = UNKNOWN;
    }
    const steps = header.auctions.flat();
    bound = new Set([...bound, ...variables(steps.flatMap((step) => step.calls))]);
    if (header.condition !== null) {
      for (const phrase of phrasesOf(header.condition)) {
        if (FACTS.has(phrase.kind)) variablesOf(phrase).forEach((variable) => bound.add(variable));
      }
      this.condition(header.condition, bound);
    }
    this.body(body, bound, this.below(header, sequence), inside || header.kind === "after", headed || heads);
  }

  /** Auction so far below a header; unknown where its alternatives differ. */
  below(header, sequence) {
    if (header.kind === "opening") return BEGINNING;
    if (header.kind !== "after" && header.kind !== "their call") return sequence;
    const start = header.kind === "their call" ? sequence : BEGINNING;
    const found = header.auctions.map((auction) => this.steps(auction, start));
    return found.length === 1 ? found[0] : UNKNOWN;
  }

  steps(auction, sequence) {
    for (const { calls, theirs, anyCalls } of auction) {
      if (anyCalls) {
        sequence = UNKNOWN;
        continue;
      }
      const wrong = calls.find((call) => whyNot(sequence, call, theirs) !== null);
      if (wrong !== undefined) this.complain(wrong.where, ...whyNot(sequence, wrong, theirs));
      sequence = afterCall(sequence, calls.length === 1 && wrong === undefined ? calls[0] : null, theirs);
    }
    return sequence;
  }

  line(line, bound, sequence) {
    bound = new Set([...bound, ...variables([line.call])]);
    const reason = whyNot(sequence, line.call, false);
    if (reason !== null) this.complain(line.call.where, ...reason);
    const said = [line, ...line.variants];
    for (const meaning of said) {
      if (meaning.condition === null) continue;
      this.condition(meaning.condition, bound);
      this.nameBefore(meaning);
    }
    for (const { agreements } of said) {
      for (const agreement of agreements) this.agreement(agreement, bound);
    }
    if (line.condition === null && !line.variants.length && line.name) this.nameAlone(line);
    const after = reason === null ? afterCall(sequence, line.call, false) : UNKNOWN;
    this.body(line.below, bound, after, true);
  }

  nameAlone({ name, quoted, where }) {
    const small = name.replace(/^./u, (first) => first.toLowerCase());
    if (this.defines.has(small)) {
      this.complain(
        where, `"${name}" is read as the name of the call, with no condition`, `for the condition write "${small}"`,
      );
    } else if (!quoted && this.bare.has(placeKey(where))) {
      this.complain(
        where, `"${name}" has no condition, so that any hand would make the call`,
        `say which hands do, such as "${name}: 12+ points", or write "any hand"`,
      );
    }
  }

  /** Complain of a colon that stands behind conditions, which so become part of the name. */
  nameBefore({ name, where }) {
    for (const { index } of name.matchAll(COUNT)) {
      const written = name.slice(index);
      if (!this.reads(written)) continue;
      const before = name.slice(0, index).replace(/^[, ]+|[, ]+$/g, "");
      this.complain(
        where, `"${written}" stands before the colon, in the name, where it tests nothing`,
        `write the colon sooner: "${before}: …"`,
      );
      return;
    }
  }

  reads(written) {
    return namesIn(written, "conditions")?.every((one) => this.defines.has(one)) ?? false;
  }

  /** Look up the names in conditions, and no more. */
  names(found) {
    for (const one of found) {
      const { condition } = one.type === "Block" ? one.header : one;
      for (const phrase of condition === null ? [] : phrasesOf(condition)) {
        if (phrase.kind === "named") this.named(phrase);
        else if (phrase.kind === "raw") this.raw(phrase);
      }
      if (one.type === "Block") this.names(one.body);
      else if (one.type === "Line") this.names([...one.variants, ...one.below]);
    }
  }

  // -------------------------------------------------------------------- names and variables
  /** Check the names and variables of a condition, and that a hand can meet it. */
  condition(condition, bound) {
    for (const phrase of phrasesOf(condition)) {
      if (phrase.kind === "named") this.named(phrase);
      else if (phrase.kind === "has shown" || phrase.kind === "may have") this.shown(phrase);
      else if (phrase.kind === "raw") this.raw(phrase);
      else if (phrase.kind === "available" && phrase.range !== null) this.atALevel(phrase);
      this.bound(variablesOf(phrase), bound, phrase.where);
    }
    for (const found of contradictions(condition)) this.complain(...found);
  }

  agreement(agreement, bound) {
    const { kind, text, call, suit, condition, where } = agreement;
    if (call !== null) this.bound(variables([call]), bound, where);
    if (suit !== null) this.bound(variablesIn([suit]), bound, where);
    if (condition !== null) {
      this.condition(condition, bound);
    } else if (counts(agreement)) {
      for (const fault of parseConditions(text).wrong.slice(0, 1)) {
        this.complain(where, `"${kind} ${text}" promises nothing: ${fault.message}`, fault.advice);
      }
    }
  }

  bound(used, bound, where) {
    for (const variable of [...used].sort()) {
      if (bound.has(variable) || bound.has(OTHER[variable])) continue;
      this.complain(
        where, `no call, header or line above says which suit "${variable}" is`, advice(variable, bound),
      );
    }
  }

  named(phrase) {
    const define = this.defines.get(phrase.text);
    if (define === undefined) {
      this.unknown(phrase);
    } else if (define.suits.length !== phrase.suits.length) {
      const wanted = `${define.suits.length} suit${define.suits.length === 1 ? "" : "s"}`;
      this.complain(
        phrase.where, `"${phrase.text}" is defined with ${wanted}, I read ${phrase.suits.length}`,
        `write it like "${[define.name, ...define.suits].join(" ")}"`,
      );
    }
  }

  shown({ text, suits, where }) {
    const { shown, term } = KINDS.get(text);
    if (shown && (!term.endsWith("_") || suits.length)) return;
    const counted = COUNTED.filter((row) => row.shown).map((row) => row.kind);
    this.complain(
      where, `what a player has shown of ${text} is not kept`, shown ? "name the suit" : `it is of ${counted.join(", ")}`,
    );
  }

  /** Complain of an expression that does not parse, or names what there is not.
   *
   * Whether it tests a hand is known where it is lowered.
   */
  raw({ text, where }) {
    try {
      checkNames(parseExpression(text));
    } catch (error) {
      if (!(error instanceof InvalidExpression)) throw error;
      this.complain(where, `in {${text}}: ${error.message.split("\n")[0]}`);
    }
  }

  atALevel({ call, where }) {
    if (call === null || RELATIVE.includes(call.kind)) return;
    this.complain(
      where, "only the cheapest bid and jumps have a level that the auction decides",
      'write "cheapest X is at most the 2-level", or "2X is available"',
    );
  }

  unknown({ text, suits, where }) {
    if (WORDS_OF_TERMINALS.get("AGREEMENT").includes(text) || SAYING.includes(text.split(" ")[0])) {
      const clause = [text, ...suits].join(" ");
      this.complain(
        where, `"${clause}" is said of the call, not of the hand`, `write it behind a semicolon: "; ${clause}"`,
      );
      return;
    }
    const words = text.split(" ");
    for (let count = words.length - 1; count > 0; count -= 1) {
      const first = words.slice(0, count).join(" ");
      const rest = words.slice(count).join(" ");
      if (!this.defines.has(first) || !this.defines.has(rest)) continue;
      this.complain(where, `two conditions without a comma: "${text}"`, `write "${first}, ${rest}"`);
      return;
    }
    const isShipped = SHIPPED_DEFINES.includes(text);
    const found = isShipped ? null : rewording([text, ...suits].join(" "), (written) => this.reads(written));
    if (found !== null) {
      this.complain(where, `"${found.words}" is no condition`, found.advice);
      return;
    }
    const near = nearest(text, this.defines.keys()) ||
      (words.length === 1 && nearest(text, this.words.filter((word) => word !== text)));
    const define = `"define ${[text, ...OF_A_DEFINE.slice(0, suits.length)].join(" ")} = …"`;
    const written = `write 'include "${WORDS_PAGE}"' at the left edge, or your own ${define}`;
    const isNear = near && !isShipped;
    this.complain(
      where, `"${text}"?${isNear ? ` did you mean "${near}"` : " I do not know these words"}`,
      isShipped ? written : near ? "" : `say what they mean: ${define}, or put them in quotes`,
    );
  }

  // -------------------------------------------------------------------- definitions
  /** Check definitions: their variables, that none needs itself, what they grow to. */
  checkDefines() {
    const uses = new Map();
    for (const { name, suits, condition } of this.defines.values()) {
      this.condition(condition, new Set(suits));
      const named = phrasesOf(condition).filter(({ kind }) => kind === "named").map(({ text }) => text);
      uses.set(name, named.filter((text) => this.defines.has(text)));
    }
    const { order, circle } = ordered(uses);
    if (circle === null) {
      this.growth(order, uses);
      return;
    }
    const [first, ...others] = circle;
    this.complain(
      this.defines.get(first).where, `"${first}" is defined by itself: ${[first, ...others, first].join(" -> ")}`,
      "say in one of them what it means in other words",
    );
  }

  /** Check what definitions become once those within them are written out; `order` has each behind those it uses. */
  growth(order, uses) {
    const deep = new Map();
    const long = new Map();
    for (const name of order) {
      const used = uses.get(name);
      const { condition, where } = this.defines.get(name);
      deep.set(name, 1 + used.reduce((most, part) => Math.max(most, deep.get(part)), 0));
      if (deep.get(name) === DEEPEST_DEFINITION + 1) {
        this.complain(
          where, `"${name}" is made of ${deep.get(name)} definitions one within another, `
            + `at most ${DEEPEST_DEFINITION} are read`, "write one of them out",
        );
      }
      const own = phrasesOf(condition).length - used.length;
      const length = used.reduce((sum, part) => sum + long.get(part), own);
      if (length > LONGEST_DEFINITION && used.every((part) => long.get(part) <= LONGEST_DEFINITION)) {
        this.complain(
          where, `"${name}" has more than ${grouped(LONGEST_DEFINITION)} conditions once the names in it `
            + "are written out", "use fewer names in it",
        );
      }
      long.set(name, Math.min(length, LONGEST_DEFINITION + 1));
    }
  }
}

/** Names behind those that they use; or a circle of them, each behind one that it is used by. */
function ordered(uses) {
  const users = new Map();
  const usersOf = (name) => users.get(name) ?? users.set(name, []).get(name);
  for (const [name, used] of uses) {
    usersOf(name);
    used.forEach((part) => usersOf(part).push(name));
  }
  const seen = new Set();
  const done = [];
  for (const start of users.keys()) {
    if (seen.has(start)) continue;
    seen.add(start);
    const path = [[start, users.get(start).values()]];
    while (path.length) {
      const [name, rest] = path.at(-1);
      const { value: next, done: isLast } = rest.next();
      if (isLast) {
        done.push(name);
        path.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        path.push([next, users.get(next).values()]);
      } else {
        const names = path.map(([one]) => one);
        const place = names.indexOf(next);
        if (place >= 0) return { order: null, circle: [next, ...names.slice(place + 1).reverse()] };
      }
    }
  }
  return { order: done.reverse(), circle: null };
}

const variablesIn = (words) => new Set(words.filter((word) => VARIABLES.includes(word)));
const variables = (calls) => variablesIn(calls.map((call) => call.strain));
const variablesOf = ({ call, suits }) => variablesIn(call === null ? suits : [...suits, call.strain]);

function advice(variable, bound) {
  if (bound.size) return `here the suits are ${[...bound].sort().join(", ")}`;
  if (variable in OTHER) return `write the call as "2${variable}", or name the suit`;
  return `write the call as "2${variable}", put it under "when they bid ${variable}:", or name it`;
}
