// Options of a text: which of them hold, what they are called, and what they depend on: systems/language/reading/options.py.

import { InvalidSystem, nearest, quoted } from "../errors.js";
import { split } from "./blanks.js";
import { parseStatement } from "./parser.js";

/** Places of options that are looked at, those in conventions counted wherever they are used. */
const MOST_PLACES = 10_000;
const NOTHING = new Map();
const STARTS = ["option ", "without option ", "use "];

/** An option's lines, or a convention that is used (`uses`), with what stands below. */
function nodeOf(statement, below, hasLines) {
  if (statement?.type === "OptionStatement") {
    return [{ name: statement.name, isOn: !statement.without, below, hasLines, uses: false }];
  }
  if (statement?.type === "UseStatement") return [{ name: statement.name, isOn: true, below: [], hasLines: false, uses: true }];
  return below;
}

/** Options and uses of conventions among statements. */
export function nodesOf(items) {
  return items.flatMap(({ statement, below, hadBelow }) => nodeOf(statement, nodesOf(below), hadBelow));
}

/** The same in the body of a convention, which is read where it is used. */
export function rawNodes(items) {
  return items.flatMap(({ line: { text }, below }) => {
    const statement = STARTS.some((start) => text.startsWith(start)) ? parseStatement(text).statement : null;
    return nodeOf(statement, rawNodes(below), below.length > 0);
  });
}

/** Places of options in the order of the text, `{name, around}`; `bodies` are those of conventions by name. */
export function placesOf(nodes, bodies) {
  const matters = new Set([...bodies.keys()].filter((name) => hasOptions(name, bodies)));
  const found = [];
  const walk = (some, around, using) => {
    for (const { name, isOn, below, hasLines, uses } of some) {
      if (found.length >= MOST_PLACES) return;
      if (uses) {
        if (matters.has(name) && !using.includes(name)) walk(bodies.get(name), around, [...using, name]);
        continue;
      }
      if (hasLines) found.push({ name, around });
      walk(below, [...around, [name, isOn]], using);
    }
  };
  walk(nodes, [], []);
  return found;
}

function hasOptions(name, bodies) {
  const seen = new Set([name]);
  for (const here of seen) {
    for (const node of flat(bodies.get(here) ?? [])) {
      if (!node.uses) return true;
      seen.add(node.name);
    }
  }
  return false;
}

function flat(nodes) {
  return nodes.flatMap((node) => [node, ...flat(node.below)]);
}

// ---------------------------------------------------------------------- what the text says
/**
 * Which options the text has on, and what it calls them: `{values, words}` of statements in the order in which they were
 * read. Who includes a file has the say over what stands in it; of several statements that are left the last one says
 * whether the option is on, and the first one what it is called.
 */
export function statedOptions(statements, included) {
  const byName = new Map();
  for (const one of statements) {
    if (byName.has(one.name)) byName.get(one.name).push(one);
    else byName.set(one.name, [one]);
  }
  const values = new Map();
  const words = new Map();
  for (const [name, some] of byName) {
    const deciding = havingTheSay(some.filter((one) => one.default !== null), included);
    values.set(name, deciding.at(-1)?.default ?? false);
    const withTitle = some.filter((one) => one.title);
    const titled = withTitle.length ? withTitle : some.filter((one) => one.remark);
    const [telling] = [...havingTheSay(titled, included), ...some];
    words.set(name, {
      type: "OptionWords", title: telling.title || titleOf(name), about: telling.remark, within: new Map(), where: some[0].where,
    });
  }
  return { values, words };
}

function havingTheSay(statements, included) {
  const files = [...new Set(statements.map(({ where }) => where.file))];
  const under = new Set(files.filter((file) => files.some((other) => other !== file && included(other).has(file))));
  return statements.filter(({ where }) => !under.has(where.file));
}

/** A title made of a name that has none. */
function titleOf(name) {
  const [first = "", ...others] = split(name.replace(/[-_]/g, " ")).join(" ");
  return first.toUpperCase() + others.join("");
}

// ---------------------------------------------------------------------- what is chosen
/**
 * Values of all options where some are chosen; one that is turned on turns those on (or off) within which its lines
 * stand. Throws InvalidSystem if there is no such option, or those around it are chosen otherwise.
 */
export function chosenValues(stated, places, chosen) {
  const values = new Map(stated);
  for (const [name, value] of Object.entries(chosen)) {
    if (!stated.has(name)) {
      const near = nearest(name, stated.keys());
      const there = [...stated.keys()].sort().join(", ") || "none";
      throw new InvalidSystem(
        `expected an option of the system (${there}), got ${quoted(name)}` + (near && `; did you mean ${quoted(near)}`),
      );
    }
    values.set(name, value);
  }
  const fixed = new Map(Object.entries(chosen));
  const around = new Map();
  for (const place of places) around.set(place.name, [...(around.get(place.name) ?? []), place.around]);
  const turnedOn = Object.keys(chosen).filter((one) => chosen[one]).sort();
  for (const name of turnedOn) {
    const ways = around.get(name) ?? [[]];
    if (ways.some((way) => counts(way, values))) continue;
    for (const [other, isOn] of ways.find((way) => mayCount(way, fixed)) ?? []) {
      values.set(other, isOn);
      fixed.set(other, isOn);
    }
  }
  for (const name of turnedOn) {
    const ways = around.get(name) ?? [[]];
    if (ways.some((way) => counts(way, values))) continue;
    // a place that wants an option both on and off is none
    const possible = ways.filter((way) => mayCount(way, NOTHING)).flat();
    const against = possible.find(([other, isOn]) => (values.get(other) ?? false) !== isOn);
    if (against === undefined) continue;
    const [other, isOn] = against;
    throw new InvalidSystem(
      `expected option ${quoted(other)} ${word(isOn)}, got it ${word(!isOn)}: `
        + `option ${quoted(name)}, which is on, stands within it`,
    );
  }
  return values;
}

const word = (isOn) => (isOn ? "on" : "off");

function counts(around, values) {
  return around.every(([name, isOn]) => (values.get(name) ?? false) === isOn);
}

function mayCount(around, fixed) {
  const needed = new Map(around);
  return around.every(([name, isOn]) => (fixed.get(name) ?? isOn) === isOn && needed.get(name) === isOn);
}

/** Which options hold, of all that the text has. */
export function heldOptions(values, places) {
  const reached = new Map();
  for (const { name, around } of places) reached.set(name, (reached.get(name) ?? false) || counts(around, values));
  return new Map([...values].map(([name, isOn]) => [name, isOn && (reached.get(name) ?? true)]));
}

/** The options that each one's lines stand in; none where some stand by themselves. */
export function withinOf(places) {
  const found = new Map();
  for (const { name, around } of places) {
    if (!found.has(name) || !around.length) found.set(name, new Map(around));
  }
  return found;
}

/** All of the options of a text `{options, optionWords}`: `{name, title, about, on, within}` each. */
export function optionRows({ options, optionWords }) {
  return [...optionWords].map(([name, { title, about, within }]) => (
    { name, title, about, on: options.get(name), within: Object.fromEntries(within) }
  ));
}

/** Choices where an option is turned on or off: those are left out that it makes impossible. */
export function turned(chosen, words, name, isOn) {
  const needed = new Map(isOn ? words.get(name)?.within : []).set(name, isOn);
  const agrees = (one) => [...needed].every(([other, wanted]) => (words.get(one)?.within.get(other) ?? wanted) === wanted);
  const kept = Object.entries(chosen).filter(([one, value]) => !value || agrees(one))
    .map(([one, value]) => [one, needed.get(one) ?? value]);
  return { ...Object.fromEntries(kept), [name]: isOn };
}
