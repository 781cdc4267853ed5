// A system of one's own as letters of a link, and back: its sum, and its texts as deflated JSON.

import { phrase } from "../texts.js";
import { bytesOf, crcOf, deflated, inflated, lettersOf } from "../files/compression.js";

/** Begins the letters: what a later page writes otherwise begins otherwise. */
const EDITION = "1.";
/** Bytes of text that a link carries. */
export const MOST_TEXT = 60_000;
/** Bytes of its JSON, which writes line ends and quotes with two letters; and letters, where nothing could be deflated. */
const MOST_BYTES = 2 * MOST_TEXT + 4000;
const MOST_LETTERS = 100_000;
const MOST_NAME = 80;
const FILE = /^[^/\\\p{C}]+\.bidding$/u;
/** Bytes of the sum. */
const SUM = 4;

const bytesOfText = (text) => new TextEncoder().encode(text);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isName = (value) => typeof value === "string" && value.trim() === value && value.length > 0 && value.length <= MOST_NAME
  && !/\p{C}/u.test(value);

/** Number that tells texts `{main, files}` from others. */
export function sumOf({ main, files }) {
  return crcOf(bytesOfText(JSON.stringify([main, Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1))])));
}

function isSystem(value) {
  if (!isObject(value) || !isObject(value.files) || !isObject(value.options)) return false;
  const { name, base, main, files, options, whole } = value;
  return isName(name) && isName(base) && [main, ...Object.keys(files)].every((one) => isName(one) && FILE.test(one))
    && Object.values(files).every((one) => typeof one === "string")
    && Object.entries(options).every(([one, is]) => isName(one) && typeof is === "boolean") && Number.isInteger(whole);
}

/**
 * Letters of a system `{name, base, main, files, options}`; `whole` is the sum of all its texts, the base's too. Null
 * where it is too long for a link.
 */
export async function lettersOfSystem({ name, base, main, files, options = {} }, whole) {
  const length = Object.values(files).reduce((sum, text) => sum + bytesOfText(text).length, 0);
  const bytes = bytesOfText(JSON.stringify({ name, base, main, files, options, whole }));
  if (length > MOST_TEXT || bytes.length > MOST_BYTES) return null;
  const sum = new Uint8Array(SUM);
  new DataView(sum.buffer).setUint32(0, crcOf(bytes));
  const packed = await deflated(bytes);
  return EDITION + lettersOf(new Uint8Array([...sum, ...packed]));
}

/** The system of letters, with `whole`; throws a sentence where they are damaged, or nothing that the page wrote. */
export async function systemOfLetters(letters) {
  if (letters.length > MOST_LETTERS) throw new Error(phrase("arriving.long"));
  if (!letters.startsWith(EDITION)) throw new Error(phrase(/^\d+\./.test(letters) ? "arriving.edition" : "arriving.damaged"));
  const all = bytesOf(letters.slice(EDITION.length));
  if (all === null || all.length < SUM) throw new Error(phrase("arriving.damaged"));
  let bytes = null;
  try {
    bytes = await inflated(all.subarray(SUM), MOST_BYTES);
  } catch {
    throw new Error(phrase("arriving.damaged"));
  }
  if (bytes === null) throw new Error(phrase("arriving.long"));
  if (crcOf(bytes) !== new DataView(all.buffer).getUint32(0)) throw new Error(phrase("arriving.damaged"));
  let found = null;
  try {
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // told below
  }
  if (!isSystem(found)) throw new Error(phrase("arriving.no-system"));
  const { name, base, main, files, options, whole } = found;
  return { name, base, main, files, options, whole };
}
