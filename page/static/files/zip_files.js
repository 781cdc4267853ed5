// Several texts as one zip file, and back: the format's common part (APPNOTE.TXT 6.3.10, sections 4.3 and 4.4).

import { phrase } from "../texts.js";
import { crcOf, inflated } from "./compression.js";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF8 = 0x0800;
/** Bytes that a file may unpack to; no system's page is nearly as long. */
const MOST = 4_000_000;

function record(fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let place = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(place, value, true);
    else view.setUint32(place, value, true);
    place += width;
  }
  return bytes;
}

/** Zip file, as a Blob, of texts by name; nothing is compressed. */
export function zipOf(texts) {
  const parts = [];
  const entries = [];
  let offset = 0;
  for (const [name, text] of texts) {
    const path = new TextEncoder().encode(name);
    const bytes = new TextEncoder().encode(text);
    // no time: the same texts make the same file (1 January 1980)
    const common = [
      [2, 20], [2, UTF8], [2, 0], [2, 0], [2, 0x21], [4, crcOf(bytes)], [4, bytes.length], [4, bytes.length], [2, path.length], [2, 0],
    ];
    parts.push(record([[4, LOCAL], ...common]), path, bytes);
    entries.push(record([[4, CENTRAL], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), path);
    offset += 30 + path.length + bytes.length;
  }
  const size = entries.reduce((sum, one) => sum + one.length, 0);
  const end = record([[4, END], [2, 0], [2, 0], [2, texts.size], [2, texts.size], [4, size], [4, offset], [2, 0]]);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}

async function unpacked(bytes, method) {
  if (method === 0) return bytes;
  if (method !== 8) throw new Error(phrase("zip.packed"));
  const content = await inflated(bytes, MOST);
  if (content === null) throw new Error(phrase("zip.long"));
  return content;
}

/** Texts by name of a zip file's bytes (a Uint8Array); folders of names are left out. */
export async function textsOfZip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts = new Map();
  try {
    let end = bytes.length - 22;
    while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
    if (end < 0) throw new Error(phrase("zip.no-end"));
    let place = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
      if (view.getUint32(place, true) !== CENTRAL) throw new Error(phrase("zip.broken-list"));
      const [method, crc, packed] = [view.getUint16(place + 10, true), view.getUint32(place + 16, true), view.getUint32(place + 20, true)];
      const [path, extra, comment] = [28, 30, 32].map((at) => view.getUint16(place + at, true));
      const start = view.getUint32(place + 42, true);
      const name = new TextDecoder().decode(bytes.subarray(place + 46, place + 46 + path));
      const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
      if (!name.endsWith("/")) {
        if (from + packed > bytes.length) throw new Error(phrase("zip.cut-off"));
        const content = await unpacked(bytes.subarray(from, from + packed), method);
        if (crcOf(content) !== crc) throw new Error(phrase("zip.damaged", { file: name }));
        texts.set(name.split("/").at(-1), new TextDecoder("utf-8", { fatal: true }).decode(content));
      }
      place += 46 + path + extra + comment;
    }
  } catch (error) {
    throw new Error(phrase("zip.problem", {
      problem: error instanceof RangeError ? phrase("zip.cut-off") : error.message,
    }));
  }
  return texts;
}
