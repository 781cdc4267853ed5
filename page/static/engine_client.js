// Owns the engine that bids in the browser: a worker, or this thread where there is none. It knows which systems are
// loaded and which questions the engine answers, and starts it anew where it is stuck.

import { ApiError, forgetAnswers, get, isOffline, request, sentenceOf } from "./api.js";
import { SERVED } from "./engine/core_source.js";
import { ownScript } from "./frame/own_scripts.js";
import { phrase } from "./texts.js";

const MOST_QUIET_MS = 20_000;
const MOST_GIVEN_UP_MS = 3000;
const LOOK_MS = 1000;
/** What the engine answers although the service could. */
const SOONER = /^(?:\/v1\/bid|\/v1\/auctions|\/v1\/tables\/[^/]+\/explain\?.*)$/;
const ANSWERED = /^(?:\/v1\/(?:bid|auctions|layouts|interpret)|\/v1\/tables\/[^/]+\/(?:next|explain|topics|card)(?:\?.*)?)$/;

// --- messages -------------------------------------------------------------------------------------

const waiting = new Map();
/** Systems as they were opened, to be opened again. */
const given = new Map();
let engine = null;
let number = 0;
let lastHeard = 0;
/** When a question was given up that the engine may still be at; 0 when it was heard of since. */
let givenUp = 0;
let watch = 0;
/** Why nothing can be bid here at all, as a key of texts_en.js. */
let missing = "";
let tellMissing = () => {};

/** `tell(text)` hears once that this browser bids nothing: the service does, where there is one. */
export function onNoEngine(tell) {
  tellMissing = tell;
}

function hearMissing({ status }) {
  if (missing) return;
  missing = isOffline() ? "engine.missing-here" : status === "version" ? "engine.old" : "engine.missing";
  tellMissing(phrase(missing));
}

/** An engine in a worker: what it says goes to `hear`; `fail` is told where it cannot be loaded. */
function workerEngine(hear, fail) {
  // the joined script says where its own is: in itself, or beside it
  const source = globalThis.bidcascadeEngineSource;
  const worker = source
    ? new Worker(ownScript(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))))
    : new Worker(ownScript(globalThis.bidcascadeEngineScript ?? "/static/engine/worker.js"), { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail();
  };
  return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
}

/** An engine beside the page; `fail` is told of an error where it cannot be loaded. */
function pageEngine(hear, fail) {
  const loaded = import("./engine/operations.js").then(({ receiver }) => receiver(hear, SERVED));
  loaded.catch(fail);
  // a new task for each, so that the page is drawn in between
  return { post: (message) => setTimeout(async () => (await loaded)(message)), end: () => {} };
}

// where a worker cannot be loaded, what has been asked is answered here
const inWorker = () => workerEngine(hear, () => begin(here));
const here = () => pageEngine(hear, (error) => [...waiting.keys()].forEach((id) => hear({ id, error })));

/** Start the engine with what is open and asked. */
function begin(how) {
  engine?.end();
  try {
    engine = how();
  } catch {
    engine = here();
  }
  lastHeard = performance.now();
  givenUp = 0;
  for (const [name, system] of given) engine.post({ id: 0, ask: "open", given: { name, system } });
  for (const { message } of waiting.values()) engine.post(message);
}

function hear({ id, value, error, progress }) {
  lastHeard = performance.now();
  givenUp = 0;
  const one = waiting.get(id);
  if (!one) return;
  one.heard = lastHeard;
  if (progress !== undefined) {
    one.progress?.(progress);
    return;
  }
  waiting.delete(id);
  if (error) one.reject(errorOf(error));
  else one.resolve(value);
}

/** What an engine's error is to the page; that of a text has `complaints`. */
function errorOf(error) {
  if (error.kind === "no-core") {
    hearMissing(error);
    return new Error(phrase(missing));
  }
  if (!error.problem) return Object.assign(new Error(error.message), { complaints: error.complaints ?? [] });
  return new ApiError(sentenceOf(error.status, error.problem), error.status, error.kind);
}

/** End an engine that says nothing any more; the question that it hangs on fails, the others are asked again. */
function look() {
  if (!waiting.size) {
    clearInterval(watch);
    watch = 0;
  } else if (givenUp && performance.now() - givenUp > MOST_GIVEN_UP_MS) {
    begin(inWorker);
  } else if (performance.now() - lastHeard > MOST_QUIET_MS) {
    const [id, stuck] = [...waiting].reduce((one, other) => (other[1].heard < one[1].heard ? other : one));
    waiting.delete(id);
    stuck.reject(new Error(phrase("engine.slow")));
    begin(inWorker);
  }
}

function ask(what, about, { signal, progress } = {}) {
  signal?.throwIfAborted();
  if (!engine) begin(inWorker);
  number += 1;
  const message = { id: number, ask: what, given: about };
  if (!waiting.size) lastHeard = performance.now();
  watch ||= setInterval(look, LOOK_MS);
  return new Promise((resolve, reject) => {
    waiting.set(message.id, { message, resolve, reject, progress, heard: performance.now() });
    signal?.addEventListener("abort", () => {
      if (!waiting.delete(message.id)) return;
      engine.post({ id: 0, ask: "cancel", given: message.id });
      givenUp ||= performance.now();
      reject(signal.reason);
    }, { once: true });
    engine.post(message);
  });
}

/**
 * An engine of its own for what takes long, so that the other one goes on bidding: `ask(what, about, options)` as above,
 * until it is ended.
 */
export function solverEngine() {
  const pending = new Map();
  let solver = null;
  let last = 0;
  const hearSolver = ({ id, value, error, progress }) => {
    const one = pending.get(id);
    if (!one) return;
    if (progress !== undefined) {
      one.progress?.(progress);
      return;
    }
    pending.delete(id);
    if (error) one.reject(errorOf(error));
    else one.resolve(value);
  };
  const fail = (error) => [...pending.keys()].forEach((id) => hearSolver({ id, error }));
  const startHere = () => {
    solver = pageEngine(hearSolver, fail);
    for (const { message } of pending.values()) solver.post(message);
  };
  try {
    solver = workerEngine(hearSolver, startHere);
  } catch {
    startHere();
  }
  return {
    ask(what, about, { signal, progress } = {}) {
      signal?.throwIfAborted();
      last += 1;
      const message = { id: last, ask: what, given: about };
      return new Promise((resolve, reject) => {
        pending.set(message.id, { message, resolve, reject, progress });
        signal?.addEventListener("abort", () => {
          if (!pending.delete(message.id)) return;
          solver.post({ id: 0, ask: "cancel", given: message.id });
          reject(signal.reason);
        }, { once: true });
        solver.post(message);
      });
    },
    end: () => solver.end(),
  };
}

/** Solve a deal double dummy, `{tricks, par}`; `progress` hears of the table as it fills. The work ends with `signal`. */
export async function solveDeal({ hands, dealer, vulnerability }, options) {
  const solver = solverEngine();
  try {
    return await solver.ask("solve", { hands, dealer, vulnerability }, options);
  } finally {
    solver.end();
  }
}

// --- systems --------------------------------------------------------------------------------------

/** Names, titles and digests of the systems in the folder, where the page is one. */
const inFolder = isOffline() ? JSON.parse(document.documentElement.dataset.offline) : [];
// nobody else answers: it starts while the page is drawn
if (isOffline()) begin(inWorker);
const opened = new Map();
/** Systems of the service or the folder that the engine has. */
const ready = new Set();
/** How often the texts of systems of one's own changed, by name. */
const editions = new Map();
/** Where systems of one's own are kept: their names, the texts of one, `{main, files}`, what it was made from. */
let stored = { names: () => [], textsOf: () => null, baseOf: () => "" };
let usual = inFolder[0]?.name ?? null;

/** Run a script of the folder. */
function folderScript(path) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = ownScript(path);
    script.onload = resolve;
    script.onerror = () => reject(new Error(phrase("engine.no-file", { file: script.src })));
    document.head.append(script);
  });
}

/** Tables of the folder's solved deals, ten bytes a deal in base 64; empty where it has none. */
export async function folderTables() {
  if (!document.documentElement.dataset.solved) return "";
  if (!globalThis.bidcascadeSolvedDeals) await folderScript("solved-deals.js");
  return globalThis.bidcascadeSolvedDeals;
}

/** Themes `{name, title, practises, deals}` of the folder, a code a deal; none where it has none. */
export async function folderThemes() {
  if (!("themes" in document.documentElement.dataset)) return [];
  if (!globalThis.bidcascadeThemes) await folderScript("themes.js");
  return globalThis.bidcascadeThemes;
}

async function systemFile(name) {
  if (!isOffline()) return get(`/v1/tables/${encodeURIComponent(name)}/system`);
  if (!inFolder.some((one) => one.name === name)) {
    throw new ApiError(phrase("engine.no-table", { name }), 404, "unknown-table");
  }
  if (!globalThis.bidcascadeSystems?.[name]) {
    await folderScript(`systems/${encodeURIComponent(name)}.js`);
  }
  return globalThis.bidcascadeSystems[name];
}

async function openAs(name, system) {
  await ask("open", { name, system });
  given.set(name, system);
}

/** `{names(), textsOf(name), baseOf(name)}` tell of the systems that the browser keeps: they are there before anything is asked. */
export function useStored(where) {
  stored = where;
}

function isOwn(name) {
  return !ready.has(name) && stored.names().includes(name);
}

/** The system that the service knows where one of one's own is played: what that was made from. */
export function servedName(name) {
  return isOwn(name) ? stored.baseOf(name) : name;
}

/** Load a system of the service, the folder or one's own; fails where there is none of this name. */
export function openSystem(name) {
  if (!opened.has(name)) {
    const task = (async () => {
      if (isOwn(name)) {
        await openAs(name, await stored.textsOf(name));
        return;
      }
      const { rows, opponents } = await systemFile(name);
      const other = opponents === null || opponents === name ? null : { rows: (await systemFile(opponents)).rows };
      await openAs(name, { rows, opponents: other });
      ready.add(name);
    })();
    opened.set(name, task);
    // a table that is no system stays one; what failed otherwise is tried again
    task.catch((error) => error.status !== 404 && opened.get(name) === task && opened.delete(name));
  }
  return opened.get(name);
}

/** SHA-256 of a text in hexadecimal; null where the browser works none out. */
async function sha256(text) {
  const bytes = await globalThis.crypto?.subtle?.digest("SHA-256", new TextEncoder().encode(text));
  return bytes ? [...new Uint8Array(bytes)].map((one) => one.toString(16).padStart(2, "0")).join("") : null;
}

/** What tells a system from all others: `{name, digest, own}`; of one's own the digest is that of its texts. */
export async function digestOf(name) {
  const { tables } = await get("/v1/tables");
  const found = tables.find((one) => one.name === name) ?? tables[0];
  if (!isOwn(found.name)) return { name: found.name, digest: found.digest ?? null, own: false };
  const { main, files, options } = await stored.textsOf(found.name);
  const sorted = (some) => Object.keys(some).sort().map((key) => [key, some[key]]);
  return { name: found.name, digest: await sha256(JSON.stringify([main, sorted(files), sorted(options ?? {})])), own: true };
}

/** Names of all systems, the default one first, and whether one of a name is one's own: `{first, names, own}`. */
export async function systemsThere(name, signal) {
  const names = (await get("/v1/tables", { signal })).tables.map((one) => one.name);
  return { first: names[0], names, own: isOwn(name) };
}

/** Names of the systems that there are, one's own left out. */
export async function systemNames() {
  if (isOffline()) return inFolder.map((one) => one.name);
  return (await get("/v1/tables")).tables.filter((one) => one.system !== null && !one.own).map((one) => one.name);
}

/** Texts of a system by file name, and which of them is the main one. */
export async function systemOf(name) {
  const { texts } = await systemFile(name);
  return { main: Object.keys(texts)[0], texts };
}

let tellSystems = () => {};

/** `tell()` hears that there are other systems of one's own than before. */
export function onSystems(tell) {
  tellSystems = tell;
}

/** Tell that there are other systems of one's own than before. */
export async function ownChanged() {
  forgetAnswers();
  await tellSystems();
}

/** Bid no more with the text that a system of one's own had: the next question reads it as it is kept. */
export function closeOwn(name) {
  editions.set(name, editionOf(name) + 1);
  given.delete(name);
  if (opened.delete(name)) forgetAnswers();
}

/** Number of the text that a system has: what another one bid says nothing of it. */
export function editionOf(name) {
  return editions.get(name) ?? 0;
}

/** Options `{name, title, about, on, within}` of a system as it is played, those `chosen`, and names of its files. */
export async function outlineOf(name) {
  await openSystem(name);
  return ask("outline", { name });
}

/** The same of texts `{main, files, options}`, in which something may be wrong. */
export function outlineOfTexts(texts) {
  return ask("outline", texts);
}

/** Turn an option of texts on or off, `{main, files, options, name, on}`: the outline then, with the choices for it. */
export function turnOption(question) {
  return ask("turn", question);
}

/** Complaints about texts `{main, files, options}`, and bids of theirs with two `meanings`. */
export function checkSystem(texts, signal) {
  return ask("check", texts, { signal });
}

/** What a change does: `{old, new, deals, seed}` are bid; `progress` hears how many deals are done. */
export function changesOf(question, options) {
  return ask("differences", question, options);
}

/** Deals that two texts bid otherwise in a match: `{first, second, seed, begin, deals}`; `progress` as above. */
export function matchOf(question, options) {
  return ask("match", question, options);
}

/** Load the engine with the systems of some tables, the default one first. */
export async function loadEngine(names) {
  [usual] = names;
  for (const name of new Set(names)) {
    try {
      await openSystem(name);
    } catch {
      // a table of no system, or no engine: the service answers
    }
  }
}

// --- questions ------------------------------------------------------------------------------------

async function tablesAnswer(signal) {
  const described = (name, title, isOwn) => ({ name, system: title, source: name, reload_errors: [], own: isOwn });
  const answer = isOffline() ? {
    tables: inFolder.map(({ name, title, digest }) => ({ ...described(name, title, false), digest })),
  }
    : await (await request("/v1/tables", { signal })).json();
  const mine = stored.names().map((name) => described(name, name, true));
  return { ...answer, tables: [...answer.tables, ...mine] };
}

/** The engine's answer to a question of the page; undefined where the service is to answer. */
export async function engineAnswer(method, path, body, signal) {
  if (path === "/v1/tables") return tablesAnswer(signal);
  const inPath = /^\/v1\/tables\/([^/]+)\//.exec(path);
  const name = inPath ? decodeURIComponent(inPath[1]) : body?.table ?? usual;
  const alone = isOffline() || isOwn(name);
  if (isOffline() && !isOwn(name) && /\/topics$/.test(path)) {
    // found from many more deals than a browser bids in a moment
    const { topics } = await systemFile(name);
    if (topics) return { topics };
  }
  if (!ANSWERED.test(path) || body?.simulate || name === null) return undefined;
  if (missing && !alone) return undefined;
  if (alone) await openSystem(name);
  else if (!ready.has(name) || !SOONER.test(path) || body?.mode === "all") {
    // the service answers this one; the next may find the system here
    if (engine && !opened.has(name)) openSystem(name).catch(() => {});
    return undefined;
  }
  try {
    return await ask("answer", { method, path, body: body && { ...body, table: name } }, { signal });
  } catch (error) {
    if (alone || error instanceof ApiError || signal?.aborted) throw error;
    return undefined;
  }
}
