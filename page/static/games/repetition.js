// Hands that were missed come again: soon, and later and later the more often they were right.

import { store, stored } from "../frame/storage.js";
import { readQuestion, writeQuestion } from "./practice_sets.js";

const NAME = "missed";
const MOST = 200;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** How long after an answer a hand comes again, by how often it was right in a row. */
export const WAITS = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 21 * DAY];

function isMissed(value) {
  return value.every((one) => {
    readQuestion(one.question);
    return typeof one.table === "string" && Number.isFinite(one.due) && one.step in WAITS;
  });
}

function all() {
  return stored(NAME, isMissed) ?? [];
}

/** Hands of a table that were missed: all of them, and those whose time has come. */
export function missedHands(tableName, time = Date.now()) {
  const mine = all().filter((one) => one.table === tableName).sort((one, other) => one.due - other.due);
  const read = (list) => list.map((one) => readQuestion(one.question));
  return { all: read(mine), due: read(mine.filter((one) => one.due <= time)) };
}

/** Take an answer into account: who was right often enough is done with a hand. */
export function answered(question, tableName, isRight, time = Date.now()) {
  const text = writeQuestion(question);
  const before = all();
  const known = before.find((one) => one.question === text && one.table === tableName);
  if (!known && isRight) return;
  const rest = before.filter((one) => one !== known);
  const step = isRight ? known.step + 1 : 0;
  // the oldest go where there are too many
  if (step in WAITS) rest.push({ question: text, table: tableName, step, due: time + WAITS[step] });
  store(NAME, rest.slice(-MOST));
}
