// What the page asks of the engine by messages: {id, ask, given} is answered by {id, value} or {id, error}, on the
// way {id, progress}. The same in a worker and, where there is none, beside the page.

import { answerOf } from "./answers.js";
import { randomDeal } from "./deals.js";
import { diffSystems } from "./diff.js";
import { InvalidSystem } from "./errors.js";
import { load } from "./index.js";
import { bidBothWays } from "./match.js";

/** System of rows, as they are or as JSON, or of texts with the name of the main one. */
function systemOf({ rows, main, files, options, opponents }) {
  return load((typeof rows === "string" ? JSON.parse(rows) : rows) ?? main, { files, options, opponents: opponents ? systemOf(opponents) : null });
}

/** A text is checked, then compared, and what it is compared with stays: the last ones are kept with their places. */
const KEPT = 2;
const kept = new Map();

function keptSystemOf(told) {
  const key = JSON.stringify(told);
  const found = kept.get(key) ?? systemOf(told);
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return found;
}

/** The first question, which comes at once, does not wait for it. */
const WARM_AFTER_MS = 1000;
const WARM_DEALS = 5;
const WARM_SEED = 7;

/** Bid some deals, a call at a time: what terms are worth is tabled, and the browser has compiled the engine. */
export async function warmUp(system) {
  for (let number = 0; number < WARM_DEALS; number += 1) {
    const calls = system.callsOf(randomDeal(WARM_SEED, number), 0, number % 4);
    while (!calls.next().done) await new Promise((resolve) => { setTimeout(resolve); });
  }
}

/** Make a receiver of messages, which posts the answers; it holds the systems that were opened. */
export function receiver(post) {
  const systems = new Map();
  const running = new Set();

  const operations = {
    /** Load a system `{rows}` or `{main, files, options}` under a name. */
    open: ({ name, system }) => {
      systems.set(name, systemOf(system));
      // a text of one's own may have no end
      if (system.rows) setTimeout(() => warmUp(systems.get(name)), WARM_AFTER_MS);
      return { name, title: systems.get(name).title };
    },
    answer: (question, tell) => answerOf(systems, question, tell),
    /** Complaints about texts `{main, files, options}`, none where they are a system. */
    check: (system) => {
      try {
        return { complaints: [], title: keptSystemOf(system).title };
      } catch (error) {
        if (!(error instanceof InvalidSystem)) throw error;
        const complaints = error.complaints.map(({ where, message, advice }) => ({ where, message, advice }));
        return { complaints: complaints.length ? complaints : [{ where: null, message: error.message, advice: "" }] };
      }
    },
    differences: ({ old, new: changed, deals, seed }, tell) => (
      diffSystems(keptSystemOf(old), keptSystemOf(changed), { deals, seed, tell })
    ),
    /** Deals that two texts bid otherwise where they play a match. */
    match: ({ first, second, ...chosen }, tell) => bidBothWays(keptSystemOf(first), keptSystemOf(second), { ...chosen, tell }),
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
      post({ id, value: await operations[ask](given, tell) });
    } catch (error) {
      const { message, kind, status, problem } = error;
      post({ id, error: { message, kind, status, problem } });
    } finally {
      running.delete(id);
    }
  };
}
