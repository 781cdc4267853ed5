// The tree of a system from rows that Python made: systems/language/text_cache.py. Needs no parser.

import CLASSES from "./tree_data.js";

const OTHER_VERSION = "these rows are of another version of the engine";

function nameOf(path) {
  return path.split(/[\\/]/).at(-1);
}

/** The tree that `rows_of_tree` wrote; the last row is the whole text. */
export function systemOfRows(rows) {
  const objects = [null];
  const at = (part) => objects.at(part);
  for (const row of rows) {
    const [, count, make] = CLASSES[row[0]] ?? [];
    if (count !== row.length - 1) throw new Error(OTHER_VERSION);
    objects.push(make(row, at));
  }
  const text = objects.at(-1);
  if (text?.type !== "SystemText") throw new Error(OTHER_VERSION);
  // Python's paths, where files lie on a server, are names here, as the reader makes them
  text.files = text.files.map(([path]) => nameOf(path));
  if (text.opponents !== null) text.opponents = nameOf(text.opponents);
  return text;
}
