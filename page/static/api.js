// Asks the service. Its problems become sentences; where it wants a key, the person is asked.

import { phrase } from "./texts.js";

const KEY = "bidcascade.key";
const KEEP_MS = 60_000;
const MOST_CACHED = 200;
const MOST_WAITS = 90;
const WAIT_MS = 1000;

const cache = new Map();
let askForKey = null;
let waitingForKey = null;
let tellWaiting = null;
let engine = null;
/** What the service calls a table is on the page a system. */
const OWN_WORDS = ["unknown-table", "unknown-auction", "no-system"];

/** An answer that is an error, as a sentence for people. */
export class ApiError extends Error {
  constructor(message, status, kind) {
    super(message);
    this.status = status;
    this.kind = kind;
  }
}

/** `ask(wrong)` shows the dialog for the key and resolves with it, or with null if given up. */
export function useKeyDialog(ask) {
  askForKey = ask;
}

/** `tell(times)` hears that the service is not ready yet. */
export function useWaitingNote(tell) {
  tellWaiting = tell;
}

/** `answer(method, path, body, signal)` gives the engine's answer, undefined where the service is to answer. */
export function useEngine(answer) {
  engine = answer;
}

/** Whether the page is a folder of files without a service. */
export function isOffline() {
  return document.documentElement.dataset.offline !== undefined;
}

export function storedKey() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

export function storeKey(key) {
  try {
    if (key) sessionStorage.setItem(KEY, key);
    else sessionStorage.removeItem(KEY);
  } catch {
    // a browser that keeps nothing: the key is asked for again
  }
}

export function authorization() {
  const key = storedKey();
  return key ? { Authorization: `Bearer ${key}` } : {};
}

function sentence(text) {
  // a line with a mark under the place needs letters of one width; the sentence names the place
  const trimmed = text.replace(/\n.*\n *\^\s*$/, "").trim();
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function kindOf(problem) {
  return String(problem?.type ?? "").split(":").pop();
}

/** Sentence about an answer with an error status. */
export function sentenceOf(status, problem, retryAfter) {
  if (status === 429) {
    const when = retryAfter ? phrase("service.busy-seconds", { seconds: retryAfter }) : phrase("service.busy-moment");
    return phrase("service.busy", { when });
  }
  if (status === 504) return phrase("service.slow");
  if (!problem?.title) return phrase("service.error", { status });
  const kind = kindOf(problem);
  const title = OWN_WORDS.includes(kind) ? phrase(`problem.${kind}`) : problem.title;
  const reasons = (problem.errors ?? []).map((one) => `${one.field}: ${one.reason}`);
  const detail = reasons.length ? reasons.join("; ") : problem.detail ?? "";
  return `${sentence(title)} ${detail ? sentence(detail) : ""}`.trim();
}

async function errorOf(response) {
  let problem = null;
  try {
    problem = await response.json();
  } catch {
    // not one of the service's own answers, as from a proxy
  }
  const text = sentenceOf(response.status, problem, response.headers.get("retry-after"));
  return new ApiError(text, response.status, kindOf(problem));
}

/** Whether the service is still getting ready, so that what took too long is worth asking again. */
async function isWarming() {
  try {
    return (await (await fetch("/readyz", { headers: { Accept: "application/json" } })).json()).warm === false;
  } catch {
    return false;
  }
}

async function newKey(used) {
  if (storedKey() !== used) return true;
  waitingForKey ??= Promise.resolve(askForKey?.(used !== "") ?? null).finally(() => {
    waitingForKey = null;
  });
  const key = await waitingForKey;
  if (key) storeKey(key);
  return Boolean(key);
}

/** Ask and return the response; throws ApiError. What `goesOn` when it took too long is asked for again. */
export async function request(path, { method = "GET", body, headers = {}, signal, goesOn = false } = {}) {
  if (isOffline()) throw new ApiError(phrase("service.needed"), 0, "needs-service");
  for (let waits = 0; ;) {
    const used = storedKey();
    let response;
    try {
      response = await fetch(path, {
        method, body, signal, credentials: "same-origin",
        headers: { Accept: "application/json", ...headers, ...authorization() },
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiError(phrase("service.unreachable"), 0, "unreachable");
    }
    if (response.ok) return response;
    if (response.status === 401 && await newKey(used)) {
      signal?.throwIfAborted();
      continue;
    }
    const error = await errorOf(response);
    // tables are still being loaded, or not at full speed: the service answers as soon as they are
    const isComing = error.kind === "not-ready" || (error.kind === "timeout" && (goesOn || await isWarming()));
    if (!isComing || waits >= MOST_WAITS) throw error;
    waits += 1;
    if (error.kind === "not-ready") tellWaiting?.(waits);
    await new Promise((resolve) => { setTimeout(resolve, WAIT_MS); });
    signal?.throwIfAborted();
  }
}

async function remembered(name, ask) {
  const found = cache.get(name);
  if (found && performance.now() - found.time < KEEP_MS) return found.value;
  const value = await ask();
  cache.delete(name);
  cache.set(name, { value, time: performance.now() });
  if (cache.size > MOST_CACHED) cache.delete(cache.keys().next().value);
  return value;
}

/** Ask what was asked before anew. */
export function forgetAnswers() {
  cache.clear();
}

/** Hand over the bytes of an answer as they come; an answer that breaks off is an error, and no whole one. */
export async function eachPart(response, take) {
  try {
    for (const reader = response.body.getReader(); ;) {
      const { value, done } = await reader.read();
      if (done) break;
      take(value);
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(phrase("service.unreachable"), 0, "unreachable");
  }
}

/** The last line of an answer in lines of JSON; `tell(line)` hears each as it comes. */
async function lastLine(response, tell) {
  const decoder = new TextDecoder();
  let begun = "";
  let last;
  await eachPart(response, (bytes) => {
    const lines = (begun + decoder.decode(bytes, { stream: true })).split("\n");
    begun = lines.pop();
    for (const line of lines) {
      last = JSON.parse(line);
      tell(last);
    }
  });
  return last;
}

async function answered(method, path, value, { signal, goesOn, tell }) {
  const found = await engine?.(method, path, value, signal);
  if (found !== undefined) return found;
  const body = value && JSON.stringify(value);
  const headers = value ? { "Content-Type": "application/json" } : {};
  if (tell) headers.Accept = "application/jsonl";
  const response = await request(path, { method, body, headers, signal, goesOn });
  return tell ? lastLine(response, tell) : response.json();
}

/**
 * JSON of a GET; answers are remembered for a minute unless `fresh`. What `goesOn` there is asked for again. Where the service
 * answers in lines, `tell(line)` hears each, and the last one is the answer.
 */
export function get(path, { signal, fresh = false, goesOn = false, tell } = {}) {
  const ask = () => answered("GET", path, undefined, { signal, goesOn, tell });
  return fresh ? ask() : remembered(path, ask);
}

/** JSON of a POST with JSON; the same question is not asked twice in a minute. `tell` is as for `get`. */
export function post(path, value, { signal, tell } = {}) {
  return remembered(`${path} ${JSON.stringify(value)}`, () => answered("POST", path, value, { signal, tell }));
}

/** Whether this service has a route. A key may be needed: then it has it. */
export async function isOffered(path) {
  try {
    // no dialog for the key only to find out whether there is a page
    const response = await fetch(path, { headers: { Accept: "application/json", ...authorization() } });
    return response.status !== 404;
  } catch {
    return false;
  }
}

/** Whether an error means that this service has no such route. */
export function isMissingRoute(error) {
  return error instanceof ApiError && error.status === 404 && error.kind === "not-found";
}
