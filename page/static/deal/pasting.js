// Reads what people paste: texts of boards (board_files.js), a PBN deal, hands in lines or as a diagram, one hand.

import { board, titleOf } from "../boards/board_facts.js";
import { kindOf, LONGEST, readBoards } from "../files/board_files.js";
import { SEAT_NAMES, writtenCall } from "../bridge/calls.js";
import { readDeal, wholeHand, within } from "../bridge/cards.js";
import { formOf, readDiagram, readLines } from "../files/hand_texts.js";
import { phrase } from "../texts.js";

/** Kinds of hands, the first that fits: its name, how it is known, how it is read. */
const KINDS = [
  ["deal", isDeal, (text) => board(readDeal(text))],
  ["hands", (text) => formOf(text) === "hands", readLines],
  ["diagram", (text) => formOf(text) === "diagram", readDiagram],
  ["hand", () => true, (text) => board({ hand: wholeHand(text) })],
];
/** Addresses that say nothing of the deal that they lead to. */
const ELSEWHERE = [
  ["paste.short-link", /(?:^|[/\s.])(?:tinyurl\.com|bit\.ly|t\.co|is\.gd|goo\.gl|ow\.ly|cutt\.ly|rb\.gy|buff\.ly|t\.ly|v\.gd|shorturl\.at|tiny\.cc)\/\S/i],
  ["paste.fetched-link", /[?&]myhand=|\/myhands\/|fetchlin\.php/i],
];

/** A PBN deal has several hands after its first seat, in a row. */
function isDeal(text) {
  const [, rest] = /^[NESW]\s*:([^]*)$/i.exec(text) ?? [];
  if (rest === undefined || /\n\s*(?:north|east|south|west|[nesw])\s*[:.)=]/i.test(rest)) return false;
  const parts = rest.trim().split(/\s+/);
  return parts.length > 1 && parts.filter((one) => /\.|^-$/.test(one)).length * 2 > parts.length;
}

/** Throw what to do with an address that says nothing of the deal itself. */
function hint(text) {
  const [name] = ELSEWHERE.find(([, pattern]) => pattern.test(text)) ?? [];
  if (name) throw new Error(phrase(name));
}

/** Boards of a text, and problems; throws a sentence that says what it was read as, and what is wrong with it. */
export async function readPasted(text, options) {
  const written = text.trim();
  if (!written) throw new Error(phrase("paste.empty"));
  if (written.length > LONGEST) throw new Error(phrase("paste.long"));
  const asWhat = (name) => (problem) => phrase("paste.problem", { kind: phrase(`paste.kind.${name}`), problem });
  const kind = kindOf(written);
  if (!kind) {
    const [name, , read] = KINDS.find(([, isKind]) => isKind(written));
    if (name === "hand") hint(written);
    return { boards: [within(() => read(written), asWhat(name))], problems: [], kind: name };
  }
  const { boards, problems } = await readBoards(written, kind, options);
  if (!boards.length && kind === "address") hint(written);
  const [only] = boards;
  const problem = boards.length === 1 && !problems.length ? auctionProblem(only)
    : !boards.length && (problems[0]?.problem ?? phrase(`paste.no-${kind}`));
  if (problem) throw new Error(asWhat(kind)(problem));
  return { boards, problems, kind };
}

/** What is wrong with the auction of a board, or an empty text. */
export function auctionProblem(one) {
  if (!one.tail.length) return "";
  const after = one.calls.length ? phrase("paste.illegal-after", { calls: one.calls.map(writtenCall).join(" ") })
    : phrase("paste.illegal-first");
  if (one.tail[0] === null) return phrase("boards.no-call", { where: after });
  return phrase("paste.illegal", { call: writtenCall(one.tail[0]), where: after });
}

export function describeBoard(one) {
  if (one.hand) return phrase("paste.one-hand");
  return phrase("paste.read", {
    title: one.number === null ? phrase("paste.deal") : titleOf(one),
    dealer: one.dealer === null ? "" : phrase("paste.read-dealer", { seat: SEAT_NAMES[one.dealer] }),
    calls: one.calls?.length ? phrase("paste.read-calls", { number: one.calls.length }) : "",
  });
}
