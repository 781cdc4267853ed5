// Reads what people paste: texts of boards (board_files.js), a PBN deal, four hands, one hand.

import { board, titleOf } from "./board_facts.js";
import { kindOf, LONGEST, readBoards } from "./board_files.js";
import { SEAT_NAMES } from "./calls.js";
import { completeHands, readDeal, wholeHand, within } from "./cards.js";
import { phrase } from "./texts.js";

/** Kinds of hands, the first that fits: its name, how it is known, how it is read. */
const KINDS = [
  ["deal", /^[NESW]\s*:/i, (text) => board(readDeal(text))],
  ["hands", /^(?:[^\n;]*[^\s;][^\n;]*[\n;]+){3}[^\n;]+$/, readLines],
  ["hand", /^/, (text) => board({ hand: wholeHand(text) })],
];

/** Boards of a text, and problems; throws a sentence that says what it was read as, and what is wrong with it. */
export async function readPasted(text, options) {
  const written = text.trim();
  if (!written) throw new Error(phrase("paste.empty"));
  if (written.length > LONGEST) throw new Error(phrase("paste.long"));
  const asWhat = (name) => (problem) => phrase("paste.problem", { kind: phrase(`paste.kind.${name}`), problem });
  const kind = kindOf(written);
  if (!kind) {
    const [name, , read] = KINDS.find(([, form]) => form.test(written));
    return { boards: [within(() => read(written), asWhat(name))], problems: [], kind: name };
  }
  const { boards, problems } = await readBoards(written, kind, options);
  const [only] = boards;
  const problem = boards.length === 1 && !problems.length ? auctionProblem(only)
    : !boards.length && (problems[0]?.problem ?? phrase(`paste.no-${kind}`));
  if (problem) throw new Error(asWhat(kind)(problem));
  return { boards, problems, kind };
}

/** What is wrong with the auction of a board, or an empty text. */
export function auctionProblem(one) {
  if (!one.tail.length) return "";
  const after = one.calls.length ? phrase("paste.illegal-after", { calls: one.calls.join(" ") })
    : phrase("paste.illegal-first");
  if (one.tail[0] === null) return phrase("boards.no-call", { where: after });
  return phrase("paste.illegal", { call: one.tail[0], where: after });
}

/** Four hands, or the four suits of one. */
function readLines(text) {
  const lines = text.split(/[\n;]+/).map((line) => line.trim());
  if (lines.join("").replace(/10/g, "T").replace(/[^AKQJT2-9]/gi, "").length < 26) {
    return board({ hand: wholeHand(lines.map((line) => line || "-").join(" ")) });
  }
  const hands = lines.map((line, index) => within(
    () => wholeHand(line), (problem) => phrase("paste.in-line", { line: index + 1, problem }),
  ));
  return board({ hands: completeHands(hands) });
}

export function describeBoard(one) {
  if (one.hand) return phrase("paste.one-hand");
  return phrase("paste.read", {
    title: one.number === null ? phrase("paste.deal") : titleOf(one),
    dealer: one.dealer === null ? "" : phrase("paste.read-dealer", { seat: SEAT_NAMES[one.dealer] }),
    calls: one.calls?.length ? phrase("paste.read-calls", { number: one.calls.length }) : "",
  });
}
