// Whether facts about an auction can hold where a header says that they do: systems/language/checks/held_facts.py.

import { FIRST_BID, PASS, bidLevel } from "../deals/calls.js";
import { isVariable, letterOf, matchCall } from "./patterns.js";
import { phrasesOf } from "./joining.js";
import { isOver, waysOf } from "./legal_auctions.js";

const MOST_TABLES = 1024;
const WHO = { me: [0], I: [0], LHO: [1], partner: [2], RHO: [3], we: [0, 2], they: [1, 3] };
const SIDES = [false, true].flatMap((we) => [false, true].map((they) => [we, they]));

/** One way that things may stand when a player is to call; `calls` is null where any may. */
class Table {
  constructor(calls, position, bindings, [weVulnerable, theyVulnerable]) {
    Object.assign(this, { calls, position, bindings, weVulnerable, theyVulnerable });
  }

  /** Numbers of the calls that players have made. */
  by(who) {
    const positions = WHO[who].map((step) => (this.position + step) % 4);
    return [...this.calls.keys()].filter((number) => positions.includes(number % 4));
  }

  /** Number of the call that opened, -1 before. */
  get opening() {
    return this.calls.findIndex((call) => call !== PASS);
  }
}

/** Whether calls, seats and vulnerability decide anything about a condition. */
export function isDecided(condition) {
  return phrasesOf(condition).some(({ kind }) => DECIDED.has(kind));
}

/** Facts that cannot hold at a place, as few as say it; none if all may.
 *
 * `steps` are the auction from the first bid on, passes put in; null where it may be any.
 */
export function neverTogether(facts, steps) {
  const parts = facts.flatMap((fact) => (fact.type === "AllOf" ? fact.parts : [fact]))
    .filter(isDecided);
  if (!parts.length) return [];
  const all = [];
  for (const table of tables(steps)) {
    all.push(table);
    if (all.length > MOST_TABLES || parts.every((part) => holds(part, table) !== false)) return [];
  }
  if (!all.length) return [];
  for (let count = 1; count < parts.length; count += 1) {
    for (const some of combinations(parts, count)) {
      if (all.every((table) => some.some((part) => holds(part, table) === false))) return some;
    }
  }
  return parts;
}

function* combinations(parts, count, start = 0) {
  if (!count) {
    yield [];
    return;
  }
  for (let at = start; at <= parts.length - count; at += 1) {
    for (const rest of combinations(parts, count - 1, at + 1)) yield [parts[at], ...rest];
  }
}

function* tables(steps) {
  const unknown = [0, 1, 2, 3].flatMap((seat) => SIDES.map((sides) => new Table(null, seat, {}, sides)));
  if (steps === null || steps.some((step) => step.anyCalls)) {
    yield* unknown;
    return;
  }
  for (const way of waysOf(steps)) {
    if (way === null) {
      // which are too many: not one of them is told
      yield* unknown;
      continue;
    }
    if (isOver(way)) continue;
    for (let front = 0; front < 4; front += 1) {
      const calls = [...Array(front).fill(PASS), ...way.calls];
      for (const sides of SIDES) yield new Table(calls, calls.length % 4, way.bindings, sides);
    }
  }
}

// -------------------------------------------------------------------- three values
/** Whether a condition holds; null if that is not decided here. */
function holds(condition, table) {
  if (condition.type === "Phrase") return DECIDED.get(condition.kind)?.(condition, table) ?? null;
  if (condition.type === "NotThis") {
    const held = holds(condition.part, table);
    return held === null ? null : !held;
  }
  const found = condition.parts.map((part) => holds(part, table));
  if (condition.type === "AnyOf") return anyOf(found);
  return found.includes(false) ? false : found.includes(null) ? null : true;
}

function anyOf(found) {
  return found.includes(true) ? true : found.includes(null) ? null : false;
}

const ofCalls = (decide) => (phrase, table) => (table.calls === null ? null : decide(phrase, table));

/** Whether a call is one that a phrase names; null if that takes a variable that is free. */
function is({ call }, { calls, bindings }, number) {
  const { strain, level } = call;
  if (strain !== null && !isVariable(strain) && letterOf(strain, {}) === undefined) return null;
  if (matchCall(call, calls[number], bindings) === null) return false;
  return (strain !== null && letterOf(strain, bindings) === undefined) || level === 0 ? null : true;
}

function opened(phrase, table) {
  const number = table.opening;
  if (number < 0 || !table.by(phrase.who || "we").includes(number)) return false;
  return phrase.call === null ? true : is(phrase, table, number);
}

function bid(phrase, table) {
  const made = table.by(phrase.who || "we");
  if (phrase.suits.length) return made.some((number) => table.calls[number] !== PASS) ? null : false;
  if (phrase.call === null) return made.some((number) => table.calls[number] >= FIRST_BID);
  return anyOf(made.map((number) => is(phrase, table, number)));
}

function notBid(phrase, table) {
  const found = bid(phrase, table);
  return found === null ? null : !found;
}

function onlyPassed(phrase, table) {
  const made = table.by(phrase.who || "partner");
  return made.length > 0 && made.every((number) => table.calls[number] === PASS);
}

function lastCall(phrase, table) {
  const who = phrase.who || "partner";
  const each = { we: ["me", "partner"], they: ["LHO", "RHO"] }[who] ?? [who];
  const made = each.flatMap((one) => table.by(one).slice(-1));
  if (phrase.call === null) return made.length ? null : false;
  return anyOf(made.map((number) => is(phrase, table, number)));
}

function hasCalled(phrase, table) {
  return table.by(phrase.who || "partner").length ? null : false;
}

function passedHand(phrase, table) {
  const first = table.opening < 0 ? table.calls.length : table.opening;
  return WHO[phrase.who || "me"].some((step) => (table.position + step) % 4 < first);
}

function balancing(_, { calls, opening }) {
  return opening >= 0 && calls.at(-1) === PASS && calls.at(-2) === PASS && calls.at(-3) !== PASS;
}

function contested(_, { calls }) {
  return [0, 1].every((side) => calls.some((call, number) => number % 2 === side && call !== PASS));
}

function level(phrase, { calls }) {
  const last = calls.findLast((call) => call >= FIRST_BID);
  return within(last === undefined ? 0 : bidLevel(last), phrase.range);
}

function lastBid(phrase, table) {
  // so steps are written: a line for each strain that the last bid may have
  if (phrase.call !== null && phrase.call.level === 0) return null;
  const number = table.calls.findLastIndex((call) => call >= FIRST_BID);
  if (number < 0 || (phrase.who !== null && !table.by(phrase.who).includes(number))) return false;
  const named = phrase.call === null ? true : is(phrase, table, number);
  return named === false || !phrase.text ? named : null;
}

function within(value, wanted) {
  if (wanted === null || wanted.also.includes(value)) return true;
  return wanted.low <= value && (wanted.high === null || value <= wanted.high);
}

const DECIDED = new Map(Object.entries({
  vulnerable: (_, table) => table.weVulnerable,
  "not vulnerable": (_, table) => !table.weVulnerable,
  favourable: (_, table) => table.theyVulnerable && !table.weVulnerable,
  unfavourable: (_, table) => table.weVulnerable && !table.theyVulnerable,
  seat: (phrase, table) => within(table.position + 1, phrase.range),
  opened: ofCalls(opened),
  "nobody opened": ofCalls((_, table) => table.opening < 0),
  "only passed": ofCalls(onlyPassed),
  bid: ofCalls(bid),
  "not bid": ofCalls(notBid),
  "last call": ofCalls(lastCall),
  "has called": ofCalls(hasCalled),
  "passed hand": ofCalls(passedHand),
  balancing: ofCalls(balancing),
  contested: ofCalls(contested),
  uncontested: ofCalls((phrase, table) => !contested(phrase, table)),
  level: ofCalls(level),
  "last bid": ofCalls(lastBid),
  "nth call": ofCalls((phrase, { calls }) => Math.floor(calls.length / 4) + 1 === phrase.count),
}));
