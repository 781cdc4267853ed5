// What a system's tree says that cannot be: systems/language/checks/checks.py.

import { grouped, nearest } from "../errors.js";
import { parseExpression } from "../expressions/expression_reader.js";
import { InvalidExpression } from "../expressions/expressions.js";
import { AuctionPattern, fromFirstBid, seatOf } from "./patterns.js";
import {
  COUNTED, FACTS, KIND_OF_WORDS, KINDS, OTHER, SHIPPED_DEFINES, VARIABLES, WORDS_OF_TERMINALS, WORDS_PAGE,
} from "./phrases.js";
import { checkNames } from "../expressions/vocabulary.js";
import { contradictions } from "./contradictions.js";
import { isDecided, neverTogether } from "./held_facts.js";
import { phrasesOf } from "./joining.js";
import { auctionText, canBe, mayBeOneAuction, mayBeOneCall, whyNever, whyNotACall } from "./legal_auctions.js";
import { namesIn, parseConditions } from "./parser.js";
import { rewording } from "./rewordings.js";
import { writtenComparison } from "./suggestions.js";
import { afterCall, BEGINNING, isAllowed, UNKNOWN, whyNot } from "./sequences.js";
import { placeKey, whereIn } from "./sources.js";
import { LANGUAGE_WORDS } from "./suggestions.js";
import { takesAll } from "./taken_hands.js";
import { isPass, passOf } from "./turns.js";
import { callText, conditionText } from "./wording.js";

/** Definitions within one another that conditions are read through. */
const DEEPEST_DEFINITION = 32;
/** Conditions that a definition may have with all names in it written out. */
const LONGEST_DEFINITION = 10_000;
/** Variables that a definition is shown with. */
const OF_A_DEFINE = ["X", "Y", "Z", "W"];

/** How a count begins, such as that of `5+ hearts`. */
const COUNT = /(?<![\p{L}\p{N}_])[0-9]+(?:\+|-[0-9])/gu;
/** Words for what is counted, behind its number. */
const MEASURED = ["MEASURE", "SUIT_MEASURE"].flatMap((terminal) => [...KIND_OF_WORDS.get(terminal).keys()]);
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
  for (const block of system.blocks) checker.block(block, new Set(), UNKNOWN, ANYWHERE, false);
  checker.names(aside);
  checker.finish();
}

/** Whether `shows` or `denies` names a number, and so is meant as a condition. */
export function counts({ kind, text }) {
  return (kind === "shows" || kind === "denies") && /\p{Nd}/u.test(text);
}

/** Where lines stand: the auctions, from the first bid on, each with a call of theirs at its end (null where
 * it may be any); facts and phrases that the headers around say; their kinds; whether something is wrong with it.
 */
const ANYWHERE = { auctions: null, facts: [], hand: [], kinds: [], said: false };
const SAID = { ...ANYWHERE, said: true };
const NOWHERE = whereIn("", 0, 0);
const VULNERABILITY = ["vulnerable", "not vulnerable", "favourable", "unfavourable"];

const partsOf = (condition) => (condition.type === "AllOf" ? condition.parts : [condition]);

/** Whether a line may hide a call at the place of another one, as it is more specific. */
function mayHide({ line, place: { kinds, auctions }, body }, call, other) {
  if (body === other.body || kinds.includes("general") || kinds.includes("last resort")) return false;
  if (!mayBeOneCall(line.call, call)) return false;
  const there = other.place.auctions;
  // facts alone are more specific than no more than the opening
  if (auctions === null) return kinds.includes("foremost") || there.every((auction) => !auction.length);
  return auctions.some((one) => there.some((two) => mayBeOneAuction(one, two)));
}

/** Whether a line stands above another one in its file, which conventions may leave open. */
function standsAbove(first, later) {
  return first.where.file === later.where.file && first.where.line < later.where.line;
}

/** Place of what stands below a line: partner is to call, behind their pass. */
function belowLine(line, { auctions, facts, said }, reason) {
  if (reason !== null || said) return SAID;
  const kept = facts.filter((fact) => phrasesOf(fact).every(({ kind }) => VULNERABILITY.includes(kind)));
  const step = { type: "AuctionStep", calls: [line.call], theirs: false, anyCalls: false };
  const isOpening = auctions?.length === 1 && !auctions[0].length;
  if (isOpening && line.call.kind === "pass") return { ...ANYWHERE, facts: kept };
  return { ...ANYWHERE, facts: kept, auctions: auctions?.map((one) => [...one, step, passOf(true)]) ?? null };
}

/** Message and advice if a call can be made in none of the auctions that a line stands in, else null. */
function whyNeverMade(call, sequence, { auctions }) {
  if (!auctions?.length) return null;
  // only behind a pass of ours may nobody be to call
  const goesOn = auctions.some((one) => one.length < 2 || !isPass(one.at(-2)));
  if (goesOn && isAllowed(sequence, call)) return null;
  const step = { type: "AuctionStep", calls: [call], theirs: false, anyCalls: false };
  if (auctions.some((auction) => canBe([...auction, step]))) return null;
  const before = auctionText(auctions[0]);
  if (!canBe(auctions[0], false)) return [`nothing can follow ${before}: three passes end the auction`, ""];
  return [whyNotACall(step, before), ""];
}

/** Place, message and advice if facts cannot hold together with what the headers around say, else null. */
function neverHolds(condition, place) {
  if (!isDecided(condition)) return null;
  const alternatives = place.auctions?.length ? place.auctions : [null];
  const found = [];
  for (const auction of alternatives) {
    found.push(neverTogether([...place.facts, condition], auction));
    if (!found.at(-1).length) return null;
  }
  const own = partsOf(condition);
  const last = found[0].findLast((part) => own.includes(part)) ?? own.at(-1);
  const words = found[0].map((part) => `"${conditionText(part)}"`).join(" and ");
  const together = found[0].length > 1 ? " together" : "";
  const [first] = alternatives;
  const when = first === null ? "" : first.length ? ` after ${auctionText(first)}` : " at the opening";
  return [phrasesOf(last)[0].where, `${words} can never hold${together}${when}`, ""];
}

class Checker {
  constructor(defines, { complain, complaints, bare }) {
    this.defines = defines;
    this.complain = complain;
    this.complaints = complaints;
    /** What can never come up where it stands, by its place; and what can. */
    this.never = new Map();
    this.possible = new Set();
    /** Lines where they stand; those of them that others take the hands of. */
    this.stands = [];
    this.taken = [];
    this.bare = bare;
    this.words = [...LANGUAGE_WORDS, ...[...defines.keys()].flatMap((name) => name.split(" "))];
  }

  /** Complain of what can never come up, wherever its text is used, as in a convention. */
  finish() {
    for (const [key, complaint] of this.never) if (!this.possible.has(key)) this.complain(...complaint);
    const taken = new Map();
    const keyOf = ({ where }) => placeKey(where);
    for (const { line, other, standing } of this.taken) {
      if (this.stands.some((one) => mayHide(one, other.call, standing))) continue;
      taken.set(keyOf(line), [line.where, other]);
    }
    const uses = (lines, key) => lines.filter(({ line }) => keyOf(line) === key).length;
    for (const [key, [where, other]] of taken) {
      // noted once for each use: one that is not taken is enough
      if (uses(this.stands, key) !== uses(this.taken, key)) continue;
      const name = other.name ? ` ${other.name}` : "";
      this.complain(
        where, `this line is never bid: any hand makes ${callText(other.call)}${name} in line ${other.where.line}, before it`,
        "write it before that line",
      );
    }
  }

  /** Note whether something can come up where it is used. */
  note(where, number, complaint) {
    const key = `${placeKey(where)} ${number}`;
    if (complaint === null) this.possible.add(key);
    else if (!this.never.has(key)) this.never.set(key, complaint);
  }

  // -------------------------------------------------------------------- walking
  /** Check what stands in a block or below a line; `inside` an auction that has begun.
   *
   * `headed`: whether by `opening` or an auction.
   */
  body(body, bound, sequence, place, inside, headed = false) {
    const before = [];
    for (const found of body) {
      if (found.type === "Block") this.block(found, bound, sequence, place, inside, headed);
      else this.line(found, bound, sequence, place, before);
    }
  }

  block({ header, body }, bound, sequence, place, inside, headed = false) {
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
      place = SAID;
    }
    const steps = header.auctions.flat();
    bound = new Set([...bound, ...variables(steps.flatMap((step) => step.calls))]);
    const before = this.complaints.length;
    const below = this.below(header, sequence);
    place = this.placeBelow(header, place, this.complaints.length > before);
    place = { ...place, kinds: [...place.kinds, header.kind] };
    if (header.condition !== null) {
      for (const phrase of phrasesOf(header.condition)) {
        if (FACTS.has(phrase.kind)) variablesOf(phrase).forEach((variable) => bound.add(variable));
      }
      place = this.under(header.condition, bound, place);
    }
    this.body(body, bound, below, place, inside || header.kind === "after", headed || heads);
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
      if (wrong !== undefined) {
        const [message, advice] = whyNot(sequence, wrong, theirs);
        const isOurs = wrong.kind === "double" && sequence.ours && !theirs;
        this.complain(wrong.where, message, isOurs ? 'a double of theirs stands in parentheses: "(Double)"' : advice);
      }
      sequence = afterCall(sequence, calls.length === 1 && wrong === undefined ? calls[0] : null, theirs);
    }
    return sequence;
  }

  /** Place below a header; complains of auctions that no legal one is. */
  placeBelow(header, place, said) {
    if (header.kind === "opening") return { ...place, auctions: [[]] };
    if (header.kind !== "after" && header.kind !== "their call") return place;
    if (said) return SAID;
    if (header.kind === "their call") return this.theirCall(header, place);
    const auctions = [];
    let { facts } = place;
    for (const [number, written] of header.auctions.entries()) {
      const [auction, seat] = fromFirstBid(written);
      const { steps } = new AuctionPattern(auction);
      const never = whyNever(steps);
      this.note(header.where, number, never);
      if (never !== null) return SAID;
      auctions.push(steps);
      if (seat !== null && header.auctions.length === 1) facts = [...facts, seatOf(seat)];
    }
    return { ...place, auctions, facts };
  }

  /** Place with a call of theirs in place of their pass. */
  theirCall({ where, auctions }, place) {
    if (place.auctions === null) return place;
    const found = [];
    for (const auction of place.auctions) {
      if (!auction.length || !isPass(auction.at(-1))) {
        this.complain(
          where, "the auction above ends with a call of theirs already",
          "write the whole of it in one header at the left edge",
        );
        return SAID;
      }
      for (const [number, [step]] of auctions.entries()) {
        const steps = [...auction.slice(0, -1), step];
        const never = whyNever(steps);
        this.note(where, number, never);
        if (never === null) found.push(steps);
      }
    }
    return found.length ? { ...place, auctions: found } : SAID;
  }

  /** Check the condition of a header, and put it to the facts of the place. */
  under(condition, bound, place) {
    if (!this.canHold(condition, bound, place)) return SAID;
    // facts but that of a seat contradict no hand
    const hand = partsOf(condition).filter(({ type, kind }) => type === "Phrase" && (kind === "seat" || !FACTS.has(kind)));
    return { ...place, facts: [...place.facts, condition], hand: [...place.hand, ...hand] };
  }

  /** Check a condition, and that it can hold together with what the headers around say. */
  canHold(condition, bound, place) {
    const before = this.complaints.length;
    this.condition(condition, bound);
    if (this.complaints.length > before) return false;
    if (place.said) return true;
    const known = place.hand.length ? contradictions(condition, place.hand)[0] : undefined;
    const complaint = known ?? neverHolds(condition, place);
    this.note(phrasesOf(condition)[0]?.where ?? NOWHERE, 0, complaint);
    return complaint === null;
  }

  line(line, bound, sequence, place, before) {
    bound = new Set([...bound, ...variables([line.call])]);
    let reason = whyNot(sequence, line.call, false);
    if (reason !== null) {
      this.complain(line.call.where, ...reason);
    } else if (!place.said) {
      reason = whyNeverMade(line.call, sequence, place);
      this.note(line.call.where, -1, reason === null ? null : [line.call.where, ...reason]);
    }
    const said = [line, ...line.variants];
    for (const meaning of said) {
      if (meaning.condition === null) continue;
      this.canHold(meaning.condition, bound, place);
      this.nameBefore(meaning);
    }
    for (const { agreements } of said) {
      for (const agreement of agreements) this.agreement(agreement, bound);
    }
    if (line.condition === null && !line.variants.length && line.name) this.nameAlone(line);
    if (!place.said) {
      const standing = { line, place, body: before };
      this.stands.push(standing);
      const other = place.auctions === null ? undefined : before.find((one) => standsAbove(one, line));
      if (other !== undefined) this.taken.push({ line, other, standing });
      if (reason === null && takesAll(line) && isAllowed(sequence, line.call)) before.push(line);
    }
    if (!line.below.length) return;
    const after = reason === null ? afterCall(sequence, line.call, false) : UNKNOWN;
    this.body(line.below, bound, after, belowLine(line, place, reason), true);
  }

  nameAlone({ name, quoted, where }) {
    const small = name.replace(/^./u, (first) => first.toLowerCase());
    if (this.defines.has(small)) {
      this.complain(
        where, `"${name}" is read as the name of the call, with no condition`, `for the condition write "${small}"`,
      );
    } else if (!quoted && writtenComparison(name)) {
      this.complain(where, `"${name}" is not written here`, `write "${writtenComparison(name)}"`);
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
    const [measure] = MEASURED.filter((one) => text.endsWith(` ${one}`)).sort((one, other) => other.length - one.length);
    const advice = measure ? `begin with a number, such as "2+ ${measure}"`
      : `say what they mean: ${define}, or put them in quotes`;
    this.complain(
      where, `"${text}"?${isNear ? ` did you mean "${near}"` : " I do not know these words"}`,
      isShipped ? written : near ? "" : advice,
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
