// The tree of a system from rows that Python made: systems/language/kept_texts.py. Needs no parser.

import CLASSES from "./tree_data.js";

const OTHER_VERSION = "these rows are of another version of the engine";

function readerOf(type, objects) {
  if (type === null) return (part) => part;
  if (type === "object") return (part) => objects.at(part);
  const read = readerOf(type.map === undefined ? type.list : type.map, objects);
  if (type.map === undefined) return (part) => part.map(read);
  return (part) => new Map(part.map(([name, value]) => [name, read(value)]));
}

function camelCase(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

function nameOf(path) {
  return path.split(/[\\/]/).at(-1);
}

/** The tree that `rows_of_tree` wrote; the last row is the whole text. */
export function systemOfRows(rows) {
  const objects = [null];
  const makers = CLASSES.map(([type, fields]) => [
    type, fields.map(([name, told]) => [camelCase(name), readerOf(told, objects)]),
  ]);
  for (const row of rows) {
    const [type, fields] = makers[row[0]] ?? [];
    if (fields?.length !== row.length - 1) throw new Error(OTHER_VERSION);
    const made = { type };
    fields.forEach(([name, read], index) => { made[name] = read(row[index + 1]); });
    objects.push(made);
  }
  const text = objects.at(-1);
  if (text?.type !== "SystemText") throw new Error(OTHER_VERSION);
  // Python's paths, where files lie on a server, are names here, as the reader makes them
  text.files = text.files.map(([path]) => nameOf(path));
  if (text.opponents !== null) text.opponents = nameOf(text.opponents);
  return text;
}
