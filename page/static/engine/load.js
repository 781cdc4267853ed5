// Systems of their texts, or of rows that Python wrote.

import { readSystem, readText } from "./language/reader.js";
import { systemOfRows } from "./language/rows.js";
import { System } from "./bidding/system.js";

const FILE = /^[^\n]+\.bidding$/u;

/**
 * A system of its text, of the name of one of the `files`, or of rows that Python wrote.
 *
 * `files` are the texts that it may include, by name; `opponents` is the system of the other side. Options that the text
 * lacks are an error unless `ignoreLacking`.
 */
export function load(source, { files = {}, options = {}, opponents = null, name = "system.bidding", ignoreLacking = false } = {}) {
  if (Array.isArray(source)) return new System(systemOfRows(source), opponents);
  if (typeof source !== "string") throw new TypeError("expected a system's text, the name of a file, or rows");
  const texts = new Map(files instanceof Map ? files : Object.entries(files));
  const isFile = FILE.test(source) && texts.has(source);
  const chosen = { options, ignoreLacking };
  const text = isFile ? readSystem(source, texts, chosen) : readText(source, { ...chosen, name, files: texts });
  return new System(text, opponents);
}
