// Systems of one's own: what was changed of a system that comes with the page, or files that were opened.

import { closeOwn, ownChanged, systemOf, useStored } from "../engine_client.js";
import { store, stored } from "../frame/storage.js";
import { phrase } from "../texts.js";
import { textsOfZip } from "../files/zip_files.js";

const NAME = "systems";
const SUFFIX = ".bidding";
/** Characters that all opened files may have; the longest shipped system has a tenth of it. */
const MOST = 2_000_000;

function isText(value) {
  return typeof value === "string";
}

function isOwn(value) {
  return Array.isArray(value) && value.every((one) => isText(one.name) && isText(one.base) && isText(one.main)
    && Object.entries(one.files).flat().every(isText) && Object.values(one.options ?? {}).every((is) => typeof is === "boolean"));
}

/**
 * All own systems: `{name, base, main, files, options}`; files are those that differ from the base's, by name, options
 * those that were turned.
 */
export function ownSystems() {
  return stored(NAME, isOwn) ?? [];
}

export function ownSystem(name) {
  return ownSystems().find((one) => one.name === name) ?? null;
}

export function keepOwn(system) {
  const others = ownSystems().filter((one) => one.name !== system.name);
  const isNew = others.length === ownSystems().length;
  store(NAME, [system, ...others]);
  closeOwn(system.name);
  if (isNew) ownChanged();
}

export function forgetOwn(name) {
  store(NAME, ownSystems().filter((one) => one.name !== name));
  closeOwn(name);
  ownChanged();
}

/** A name that no own system has. */
export function freshName(stem) {
  const names = new Set(ownSystems().map((one) => one.name));
  const first = phrase("systems.own-name", { name: stem });
  for (let number = 2; ; number += 1) {
    const name = number === 2 ? first : `${first} ${number}`;
    if (!names.has(name)) return name;
  }
}

/** What the engine reads: the main file's name, all texts by name (the base's with the changes), and options. */
export async function wholeText({ base, main, files, options }) {
  const { texts } = await systemOf(base);
  return { main, files: { ...texts, ...files }, options };
}

useStored({
  names: () => ownSystems().map((one) => one.name),
  textsOf: (name) => wholeText(ownSystem(name)),
  baseOf: (name) => ownSystem(name)?.base ?? "",
});

/** Own system of files (of a file field or a drop), not kept yet; throws a sentence. */
export async function systemOfFiles(chosen, base) {
  const texts = new Map();
  for (const file of chosen) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (/\.zip$/i.test(file.name)) for (const [name, text] of await textsOfZip(bytes)) texts.set(name, text);
    else texts.set(file.name, new TextDecoder().decode(bytes));
  }
  for (const name of texts.keys()) if (!name.endsWith(SUFFIX)) texts.delete(name);
  if (!texts.size) throw new Error(phrase("systems.no-file", { suffix: SUFFIX }));
  if ([...texts.values()].reduce((sum, text) => sum + text.length, 0) > MOST) throw new Error(phrase("systems.too-long"));
  // the file that says what system it is, or one that the base has not; a page of the base alone changes it
  const { main: whole, texts: pages } = await systemOf(base);
  const names = [...texts.keys()];
  const main = names.find((name) => /^\s*system\b/mu.test(texts.get(name)))
    ?? names.find((name) => !Object.hasOwn(pages, name)) ?? whole;
  const stem = (texts.has(main) ? main : names[0]).slice(0, -SUFFIX.length);
  return { name: freshName(stem), base, main, files: Object.fromEntries(texts) };
}
