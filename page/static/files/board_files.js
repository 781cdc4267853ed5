// Reads files and texts of boards: LIN, PBN, addresses of hand viewers and of the page, JSON, printed deals, reports of
// a call or card. Long ones do not hold the page up.

import { readyForFiles } from "./file_core.js";
import { isBinary, textOfBytes } from "./file_text.js";
import { isJsonDeals, jsonBoards } from "./json_deals.js";
import { linBoards } from "./lin_boards.js";
import { pbnBoards } from "./pbn_boards.js";
import { isPrinted, printedBoards } from "./printed_deals.js";
import { isReport, reportBoards } from "./report_boards.js";
import { phrase } from "../texts.js";
import { firstLink, linksOf } from "./viewer_links.js";

export const MOST_BOARDS = 20_000;
export const LONGEST = 48_000_000;
const SLICE_MS = 40;
/** How far behind a token the link begins that may hold it. */
const PAST_TOKEN = 256;
const LIN_TOKEN = new RegExp(
  "(?:^|[|\\s\\xbf])(?:vg|rs|pn|pw|qx|md|sv|mb|an|nt|at|pc|mc|pg|ah|st|rh|bt|tu|mn|bn|ob|em|va|ha|hc)[ \\t]*\\|", "i",
);
const PBN_TAG = /^[ \t]*\[\s*[A-Za-z]\w*\s+"|\[\s*Deal\s+"|^%[ \t]*PBN/im;

/** "address", "pbn", "lin", "json", "printed" or "report"; null if a text is none of them. */
export function kindOf(text) {
  if (isReport(text)) return "report";
  const token = text.search(LIN_TOKEN);
  const link = firstLink(token < 0 ? text : text.slice(0, token + PAST_TOKEN));
  const isPbn = (head) => PBN_TAG.test(head);
  if (link < Infinity && (token < 0 || link < token) && !isPbn(text.slice(0, link))) return "address";
  // either kind may quote the other in a remark: what comes first counts
  const isLin = token >= 0 && !/^\s*[<{[]/.test(text);
  if (isPbn(isLin ? text.slice(0, token + 1) : text)) return "pbn";
  if (isLin) return "lin";
  if (isJsonDeals(text)) return "json";
  if (isPrinted(text)) return "printed";
  return /^\s*https?:\/\/\S*$/i.test(text) ? "address" : null;
}

function* linkBoards(text) {
  let records = 0;
  for (const lin of linksOf(text)) {
    let last = 0;
    for (const one of linBoards(lin)) {
      last = (one.board ?? one).record;
      if (one.board) one.board.record += records;
      else one.record += records;
      yield one;
    }
    records += last;
  }
}

const READERS = {
  address: linkBoards, pbn: pbnBoards, lin: linBoards, json: jsonBoards, printed: printedBoards, report: reportBoards,
};
/** Kinds that the core reads; addresses and JSON are made LIN. */
const BY_CORE = ["address", "pbn", "lin", "json"];

/** Let the page do what waits. */
function breath() {
  return new Promise((resolve) => { setTimeout(resolve, 0); });
}

/** All that a generator gives, a slice of time at once; `tell(number)` hears how many there are. */
async function inSlices(found, { signal, tell = () => {} } = {}) {
  const all = [];
  let end = performance.now() + SLICE_MS;
  for (const one of found) {
    all.push(one);
    if (all.length >= MOST_BOARDS) break;
    if (performance.now() < end) continue;
    tell(all.length);
    await breath();
    signal?.throwIfAborted();
    end = performance.now() + SLICE_MS;
  }
  return all;
}

/**
 * Boards and problems of a text of a kind; those over the most that are kept are counted as a problem. Throws a sentence
 * where this browser reads none of the kind.
 */
export async function readBoards(text, kind, options) {
  if (BY_CORE.includes(kind)) await readyForFiles();
  const found = await inSlices(READERS[kind](text), options);
  const boards = found.filter((one) => one.board).map((one) => one.board);
  const problems = found.filter((one) => one.problem);
  if (found.length >= MOST_BOARDS) problems.push({ problem: phrase("boards.most", { number: MOST_BOARDS }) });
  return { boards, problems };
}

/** Text of a file of boards and its kind, null for hands as people write them. Throws a sentence that names the file. */
export async function textOfFile(file) {
  const refuse = (name) => new Error(phrase(name, { file: file.name, size: Math.round(LONGEST / 1e6) }));
  if (file.size > LONGEST) throw refuse("boards.too-long");
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (isBinary(bytes)) throw refuse("boards.binary");
  const text = textOfBytes(bytes);
  if (!text.trim()) throw refuse("boards.empty-file");
  return { name: file.name, text, kind: kindOf(text) };
}
