// The places of a system: its text taken apart into groups of lines, each with where it applies.
// systems/places/contexts.py is the definition.

import { phrasesOf } from "../language/joining.js";
import { AuctionPattern, fixedCall, fromFirstBid, seatOf, variablesOf } from "../language/patterns.js";

/** Counts as so many literal calls for a "foremost:" block: more than any auction has. */
const FOREMOST = 400;

/** Specificity of lines in a "general:" block, whatever headers stand inside it. */
const GENERAL = [0, 0, 0, 0];

/** Specificity of lines in a "last resort:" block: behind all others, and hidden by none. */
export const LAST_RESORT = [-1, 0, 0, 0];

/** A line of the text with a number of its own, and the groups under it: partner's answers. */
class PlacedLine {
  below = [];
  /** The group that it is of. */
  group = null;

  constructor(number, line) {
    this.number = number;
    this.line = line;
  }
}

/** One condition of a header, with the variables that it may bind. */
class HeaderTest {
  constructor(condition) {
    this.condition = condition;
    this.names = [...new Set(phrasesOf(condition).flatMap(variablesOf))].filter((name) => name !== "n");
  }
}

/** Groups of a system that do not stand below a line, and every line by number. */
export function placesOf(text) {
  const collector = new Collector();
  const groups = collector.groupsOf(text.blocks, FRAME);
  const byLength = new Map();
  for (const group of groups) {
    const length = group.pattern?.fixedLength ?? null;
    if (length !== null) byLength.set(length, [...(byLength.get(length) ?? []), group]);
  }
  return {
    opening: groups.filter((group) => group.opening),
    /** "after" groups by the number of calls from the first bid on. */
    byLength,
    /** "after" groups with … in them. */
    anyLength: groups.filter(({ pattern }) => pattern !== null && pattern.fixedLength === null),
    /** "when", "general", "foremost" and "last resort" groups. */
    anywhere: groups.filter((group) => group.pattern === null && !group.opening),
    lines: collector.lines,
  };
}

/** What the headers around a body have said so far. */
const FRAME = {
  pattern: null, theirCall: null, opening: false, facts: [], general: false, foremost: false, lastResort: false, literal: 0,
  classes: 0,
};

/** Walks the tree; numbers lines and groups in file order. */
class Collector {
  lines = [];
  #tests = new Map();

  groupsOf(body, frame) {
    const found = [];
    let run = [];
    const endRun = () => {
      if (run.length) found.push(this.#group(run, frame));
      run = [];
    };
    for (const item of body) {
      if (item.type === "Line") {
        run.push(item);
        continue;
      }
      endRun();
      for (const inner of frames(item, frame)) found.push(...this.groupsOf(item.body, inner));
    }
    endRun();
    return found;
  }

  #group(lines, frame) {
    const { theirCall, facts, opening } = frame;
    let { literal, classes } = frame;
    let pattern = null;
    if (frame.pattern !== null) {
      pattern = new AuctionPattern(frame.pattern, theirCall);
      ({ literal, classes } = pattern);
    } else if (theirCall !== null) {
      if (theirCall.calls.every((call) => fixedCall(call) !== undefined)) literal += 1;
      else classes += 1;
    }
    if (frame.foremost) literal += FOREMOST;
    let specificity = [literal, classes, sum(facts.map(countFacts)), 1];
    if (frame.general) specificity = GENERAL;
    if (frame.lastResort) specificity = LAST_RESORT;
    const placed = lines.map((line) => this.#placed(line, literal, classes));
    const tests = facts.flatMap((fact) => (fact.type === "AllOf" ? fact.parts : [fact]))
      .map((condition) => this.#test(condition));
    /** Lines that apply at the same places, in file order. `theirCall`, below a line, is RHO's call
     * in between, null for a pass; `tests` must all hold. */
    const group = { lines: placed, pattern, theirCall, opening, facts, tests, specificity };
    for (const one of placed) one.group = group;
    return group;
  }

  /** Test of a header's condition; the groups under a header share it. */
  #test(condition) {
    let found = this.#tests.get(condition);
    if (found === undefined) this.#tests.set(condition, (found = new HeaderTest(condition)));
    return found;
  }

  #placed(line, literal, classes) {
    const placed = new PlacedLine(this.lines.length, line);
    this.lines.push(placed);
    if (!line.below.length) return placed;
    const fixed = fixedCall(line.call) !== undefined;
    const frame = { ...FRAME, literal: literal + Number(fixed), classes: classes + Number(!fixed) };
    placed.below = this.groupsOf(line.below, frame);
    return placed;
  }
}

/** Frames that the body of a block stands under, one for each alternative of its header. */
function frames({ header }, frame) {
  const facts = header.condition === null ? frame.facts : [...frame.facts, header.condition];
  // an auction begins anew; how its lines stand to others stays
  const { general, foremost, lastResort } = frame;
  const around = { ...FRAME, general, foremost, lastResort };
  switch (header.kind) {
    case "after":
      return header.auctions.map((auction) => {
        const [pattern, seat] = fromFirstBid(auction);
        return { ...around, pattern, facts: seat === null ? facts : [...facts, seatOf(seat)] };
      });
    case "their call":
      return header.auctions.map(([theirCall]) => ({ ...frame, theirCall, facts }));
    case "opening":
      return [{ ...around, opening: true, facts }];
    default:
      return [{
        ...frame,
        facts,
        foremost: foremost || header.kind === "foremost",
        general: general || header.kind === "general",
        lastResort: lastResort || header.kind === "last resort",
      }];
  }
}

const NO_FACT = new Set(["vulnerable", "not vulnerable", "favourable", "unfavourable"]);

const sum = (counts) => counts.reduce((total, count) => total + count, 0);

/** Count the facts in a header's condition; of alternatives, the least. */
function countFacts(condition) {
  switch (condition.type) {
    case "Phrase":
      return NO_FACT.has(condition.kind) ? 0 : 1;
    case "NotThis":
      return countFacts(condition.part);
    case "AnyOf":
      return Math.min(...condition.parts.map(countFacts));
    default:
      return sum(condition.parts.map(countFacts));
  }
}
