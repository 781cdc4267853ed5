// What the page asks of the engine by messages: {id, ask, given} is answered by {id, value} or {id, error}, on the
// way {id, progress}; an error of a text has its complaints. The same in a worker and, where there is none, beside the page.

import { answerOf } from "./answers.js";
import { cardToPlay, reviewPlay, usualCard } from "./deals/card_play.js";
import { hasCore, useCore } from "./core.js";
import { coreBytes } from "./core_source.js";
import { diffSystems } from "./bidding/diff.js";
import { solveDeal } from "./deals/double_dummy.js";
import { InvalidSystem } from "./errors.js";
import { optionRows, turned } from "./language/options.js";
import { outlineReader } from "./language/reader.js";
import { load } from "./load.js";
import { doubleMeanings } from "./places/double_meanings.js";
import { bidBothWays } from "./deals/match.js";

/** System of rows, as they are or as JSON, or of texts with the name of the main one. */
function systemOf({ rows, main, files, options, opponents }) {
  const others = opponents ? systemOf(opponents) : null;
  // a text that is being written may lose an option that was turned
  return load((typeof rows === "string" ? JSON.parse(rows) : rows) ?? main, { files, options, opponents: others, ignoreLacking: true });
}

/** Hand a system over to the core. */
function makeReady(system) {
  try {
    system.bidder().makeReady();
  } catch {
    // the first question fails in the same way, and is told
  }
}

/** What is known of the texts that were read last: options are turned on the same ones again and again. */
let lastOutline = { key: "", outline: null };

function outlineOf({ main, files }) {
  const key = JSON.stringify([main, files]);
  if (lastOutline.key !== key) lastOutline = { key, outline: outlineReader(main, new Map(Object.entries(files))) };
  return lastOutline.outline;
}

const toldOutline = (found) => ({ options: optionRows(found), chosen: found.chosen, files: found.files });

/** The fewest choices by which an option is on or off, all others as they would be with it; and the outline then. */
function turnOption({ name, on, options, ...texts }) {
  const outline = outlineOf(texts);
  const { optionWords, chosen } = outline(options);
  const held = (choices) => JSON.stringify([...outline(choices).options]);
  let choices = turned(chosen, optionWords, name, on);
  const wanted = held(choices);
  for (const one of Object.keys(choices)) {
    const { [one]: _, ...fewer } = choices;
    if (held(fewer) === wanted) choices = fewer;
  }
  return toldOutline(outline(choices));
}

/** What is wrong with a text as messages tell it; `where` is null of what has no place. */
function complaintsOf({ message, complaints }) {
  if (!complaints.length) return [{ where: null, message, advice: "" }];
  return complaints.map((one) => ({ where: one.where, message: one.message, advice: one.advice }));
}

/** A text is checked, then compared, and what it is compared with stays: the last ones are kept with their places. */
const MOST_CACHED = 2;
const cache = new Map();
/** Questions that the core is not needed for, or that wait for it themselves. */
const READING = new Set(["open", "outline", "turn"]);

function cachedSystem(request) {
  const key = JSON.stringify(request);
  const found = cache.get(key) ?? systemOf(request);
  cache.delete(key);
  cache.set(key, found);
  if (cache.size > MOST_CACHED) cache.delete(cache.keys().next().value);
  return found;
}

/**
 * Make a receiver of messages, which posts the answers; it holds the systems that were opened. `coreAddress` is where
 * the core is, unless the script has it in itself.
 */
export function receiver(post, coreAddress) {
  const systems = new Map();
  const core = hasCore() ? Promise.resolve() : useCore(coreBytes(coreAddress));
  // who asks is told
  core.catch(() => {});
  const running = new Set();

  const operations = {
    /** Load a system `{rows}` or `{main, files, options}` under a name: read while the core is compiled. */
    open: async ({ name, system }) => {
      // a text that was just checked need not be read again
      const opened = system.rows ? systemOf(system) : cachedSystem(system);
      systems.set(name, opened);
      await core;
      // questions come soon: made ready while the page hears that it is there
      setTimeout(() => makeReady(opened));
      return { name, title: opened.title };
    },
    answer: (question, tell) => answerOf(systems, question, tell),
    /** Options, those chosen and files of a system that was opened, `{name}`, or of texts `{main, files, options}`. */
    outline: ({ name, ...texts }) => {
      if (name === undefined) return toldOutline(outlineOf(texts)(texts.options));
      const { text, options } = systems.get(name);
      return { options, chosen: Object.fromEntries(text.chosen), files: text.files };
    },
    turn: turnOption,
    /** Complaints about texts `{main, files, options}`, none where they are a system; then what of it means two things. */
    check: (system) => {
      try {
        const { title, text, rules } = cachedSystem(system);
        return { complaints: [], title, meanings: doubleMeanings(text, rules.places) };
      } catch (error) {
        if (!(error instanceof InvalidSystem)) throw error;
        return { complaints: complaintsOf(error), meanings: [] };
      }
    },
    differences: ({ old, new: changed, deals, seed }, tell) => (
      diffSystems(cachedSystem(old), cachedSystem(changed), { deals, seed, tell })
    ),
    /** Deals that two texts bid otherwise where they play a match. */
    match: ({ first, second, ...chosen }, tell) => bidBothWays(cachedSystem(first), cachedSystem(second), { ...chosen, tell }),
    /** Tricks of all contracts of a deal, and par. */
    solve: (deal, tell) => solveDeal(deal, tell),
    /** A card as good as any double dummy, and tricks of North-South from there on. */
    card: (position) => cardToPlay(position),
    /** The card of the rules of thumb. */
    usual: (position) => usualCard(position),
    /** What each card of a play cost double dummy. */
    review: (play, tell) => reviewPlay(play, tell),
    cancel: (id) => { running.delete(id); },
  };

  return async ({ id, ask, given }) => {
    /** Say how far it is, and let other messages in. */
    const tell = async (progress) => {
      post({ id, progress });
      await new Promise((resolve) => { setTimeout(resolve); });
      if (!running.has(id)) throw new Error("cancelled");
    };
    running.add(id);
    try {
      if (!Object.hasOwn(operations, ask)) {
        throw new Error(`expected one of ${Object.keys(operations).join(", ")}, got ${ask}`);
      }
      if (!READING.has(ask)) await core;
      post({ id, value: await operations[ask](given, tell) });
    } catch (error) {
      const { message, kind, status, problem } = error;
      const complaints = error instanceof InvalidSystem ? complaintsOf(error) : undefined;
      post({ id, error: { message, kind, status, problem, complaints } });
    } finally {
      running.delete(id);
    }
  };
}
