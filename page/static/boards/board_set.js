// The boards that were pasted or dropped. They stay in the tab: in its session storage, else in memory.

import { board, outcomeOf, resultOf } from "./board_facts.js";
import { readBoards } from "../files/board_files.js";

const NAME = "bidcascade.boards";

let set = { boards: [], problems: [], names: [], isStored: true, version: 0 };
let places = new Map();
let opened = -1;

export function boardSet() {
  return set;
}

function keyOf({ hands, dealer }) {
  return `${dealer} ${hands.join(" ")}`;
}

function use(found, texts, isStored) {
  set = {
    boards: found.boards, problems: found.problems, names: texts.map(({ name }) => name), isStored,
    version: set.version + 1,
  };
  opened = -1;
  places = new Map();
  found.boards.forEach((one, place) => {
    const key = keyOf(one);
    if (places.has(key)) places.get(key).push(place);
    else places.set(key, [place]);
  });
}

/** Let these be the boards; `texts` are {name, text, kind}, from which they are read again after a reload. */
export function keepBoards(found, texts) {
  let isStored = true;
  try {
    sessionStorage.setItem(NAME, JSON.stringify(texts));
  } catch {
    isStored = false;
    dropStored();
  }
  use(found, texts, isStored);
}

function dropStored() {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // a browser that keeps nothing
  }
}

export function forgetBoards() {
  dropStored();
  use({ boards: [], problems: [] }, [], true);
}

/** Boards and problems of several texts, one behind the other. */
export async function readTexts(texts, options) {
  const all = { boards: [], problems: [] };
  for (const { name, text, kind } of texts) {
    const { boards, problems } = await readBoards(text, kind, options);
    const source = texts.length > 1 ? { file: name } : {};
    boards.forEach((one) => all.boards.push(one));
    problems.forEach((one) => all.problems.push({ ...one, ...source }));
  }
  return all;
}

/** Read what the tab has kept; resolves with whether there was anything. */
export async function restoreBoards() {
  let texts = null;
  try {
    texts = JSON.parse(sessionStorage.getItem(NAME));
    if (!texts?.length) return false;
    const found = await readTexts(texts);
    // boards that came meanwhile are newer
    if (set.version) return false;
    use(found, texts, true);
    return true;
  } catch {
    // of another version of the page, or a browser that keeps nothing
    dropStored();
    return false;
  }
}

function commonCalls(one, calls) {
  const parting = calls.findIndex((call, place) => call !== one.calls?.[place]);
  return parting < 0 ? calls.length : parting;
}

/** Place in the list of the board that a state shows, or -1. Two tables have one deal: the auction tells. */
export function placeOf(now) {
  let [best, most] = [-1, -1];
  for (const place of places.get(keyOf(now)) ?? []) {
    const common = commonCalls(set.boards[place], now.calls);
    if (common > most || (common === most && place === opened)) [best, most] = [place, common];
  }
  return best;
}

export function setOpened(place) {
  opened = place;
}

/** The board that a state shows, with what came with it of alerts, announcements, play and result. */
export function boardShown(now) {
  const { hands, dealer, vulnerability, calls } = now;
  const found = set.boards[placeOf(now)];
  const common = found ? commonCalls(found, calls) : 0;
  const facts = { hands, dealer, vulnerability, calls };
  if (found && common === calls.length && common === found.calls.length) return { ...found, ...facts };
  const outcome = outcomeOf(calls, dealer) ?? { contract: null, declarer: null };
  const { number = null, room = null, players = null, event = null } = found ?? {};
  return board({
    ...facts, number, room, players, event, ...resultOf({ ...outcome, tricks: null }, vulnerability),
    alerts: calls.map((_, place) => place < common && found.alerts[place]),
    announcements: calls.map((_, place) => (place < common ? found.announcements[place] : "")),
  });
}
