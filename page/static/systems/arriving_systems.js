// Systems that come with a link, or as dropped files: kept here under a name that is free, and chosen.

import { get } from "../api.js";
import { textsOfZip } from "../files/zip_files.js";
import { storesNothing } from "../frame/storage.js";
import { phrase } from "../texts.js";
import { keepOwn, ownSystem, systemOfFiles, wholeText } from "./own_systems.js";
import { sumOf, systemOfLetters } from "./system_links.js";

const FIELD = "system";
/** Fields of a link that name systems, by commas where they may be several. */
const NAMING = ["table", "with"];
/** Systems that one link brings. */
const MOST = 4;

const isSystemFile = (name) => name.endsWith(".bidding");
const partsOf = (fragment) => fragment.replace(/^#/, "").split("&").filter(Boolean);
const fieldOf = (part) => [...new URLSearchParams(part)][0] ?? ["", ""];

/** Whether a link carries systems. */
export function carriesSystems(fragment) {
  return partsOf(fragment).some((part) => fieldOf(part)[0] === FIELD);
}

const sorted = (some) => Object.entries(some ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
const contentOf = ({ base, main, files, options }) => JSON.stringify([base, main, sorted(files), sorted(options)]);

/** The name under which a system is kept that came from elsewhere: nothing that is there is written over. */
function nameOf(system, served) {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? system.name : `${system.name} ${number}`;
    const here = ownSystem(name);
    if (served.includes(name)) continue;
    if (!here || contentOf(here) === contentOf(system)) return name;
  }
}

async function keepArrived(letters, served) {
  const { whole, ...system } = await systemOfLetters(letters);
  if (!served.includes(system.base)) throw new Error(phrase("arriving.no-base", { name: system.name, base: system.base }));
  const name = nameOf(system, served);
  const isNew = !ownSystem(name);
  if (isNew) keepOwn({ ...system, name });
  const notes = [];
  if (isNew) notes.push(phrase(name === system.name ? "arriving.here" : "arriving.renamed", { name, old: system.name }));
  if (sumOf(await wholeText({ ...system, name })) !== whole) notes.push(phrase("arriving.other-pages", { name, base: system.base }));
  if (isNew && storesNothing()) notes.push(phrase("systems.not-kept"));
  return { old: system.name, name, notes };
}

/**
 * Keep the systems that a link carries: the `fragment` that shows the rest of it with them, `notes` of what came and
 * `complaints` of what could not be read, one at most. Nothing throws.
 */
export async function takeIn(fragment) {
  const parts = partsOf(fragment);
  const carried = parts.map(fieldOf).filter(([field]) => field === FIELD);
  const notes = [];
  const complaints = [];
  const names = new Map();
  let served = [];
  try {
    served = (await get("/v1/tables")).tables.filter((one) => !one.own).map((one) => one.name);
    if (carried.length > MOST) throw new Error(phrase("arriving.many", { number: MOST }));
    for (const [, letters] of carried) {
      const one = await keepArrived(letters, served);
      names.set(one.old, one.name);
      notes.push(...one.notes);
    }
  } catch (error) {
    complaints.push(error.message);
  }
  // a name whose system did not come says nothing more
  const isHere = (name) => !complaints.length || served.includes(name) || [...names.values()].includes(name);
  const kept = parts.flatMap((part) => {
    const [field, value] = fieldOf(part);
    if (field === FIELD) return [];
    if (!NAMING.includes(field)) return [part];
    const some = value.split(",").map((name) => names.get(name) ?? name).filter(isHere);
    return some.length ? [`${field}=${encodeURIComponent(some.join(","))}`] : [];
  });
  const [first] = names.values();
  if (first && !kept.some((part) => part.startsWith("table="))) kept.push(`table=${encodeURIComponent(first)}`);
  return { fragment: `#${kept.join("&")}`, notes, complaints };
}

/** The system that dropped files are, kept and not yet chosen; null where they are something else. */
export async function systemDropped(files, table) {
  const holdsTexts = async (file) => {
    if (isSystemFile(file.name)) return true;
    if (!/\.zip$/i.test(file.name)) return false;
    const bytes = new Uint8Array(await file.arrayBuffer());
    return [...(await textsOfZip(bytes).catch(() => new Map())).keys()].some(isSystemFile);
  };
  for (const file of files) if (!await holdsTexts(file)) return null;
  const { tables } = await get("/v1/tables");
  const system = await systemOfFiles(files, ownSystem(table)?.base ?? (table || tables[0].name));
  keepOwn(system);
  return system;
}
