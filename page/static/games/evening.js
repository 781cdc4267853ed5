// The boards of an evening: the one that is being bid, and those that are finished, with the score.

import { contractOf, firstIllegal, isOver } from "../bridge/calls.js";
import { clear, h, table } from "../dom.js";
import { contractNodes } from "../format.js";
import { readBoard } from "../boards/board_code.js";
import { linkTo } from "../state.js";
import { store, stored } from "../frame/storage.js";
import { phrase } from "../texts.js";

const NAME = "evening";
const MOST_BOARDS = 100;
const EMPTY = { current: null, boards: [] };

function isAuction(calls) {
  return Array.isArray(calls) && calls.every((call) => typeof call === "string") && firstIllegal(calls) < 0;
}

function isBoard(one) {
  if (typeof one?.code !== "string" || typeof one.table !== "string" || !isAuction(one.calls)) return false;
  readBoard(one.code);
  return true;
}

function isEvening(value) {
  return (value.current === null || isBoard(value.current)) && value.boards.every((one) => (
    isBoard(one) && isOver(one.calls) && (one.imps === null || Number.isInteger(one.imps))
    && (one.agreed === null || one.agreed.length === 2)
  ));
}

function evening() {
  return stored(NAME, isEvening) ?? EMPTY;
}

function isSame(one, code, tableName) {
  return one?.code === code && one.table === tableName;
}

/** Code of the board that is not finished yet, or null. */
export function unfinished(tableName) {
  const { current } = evening();
  return current?.table === tableName ? current.code : null;
}

/** Calls that were made on a board, of this evening or under way. */
export function callsOf(code, tableName) {
  const { current, boards } = evening();
  const found = [current, ...boards].find((one) => isSame(one, code, tableName));
  return [...(found?.calls ?? [])];
}

/** Keep what was called so far; a board whose auction is over joins those of the evening. */
export function storeCalls(code, tableName, calls) {
  const { current, boards } = evening();
  const board = { code, table: tableName, calls: [...calls] };
  if (!isOver(calls)) {
    store(NAME, { current: board, boards });
    return;
  }
  const known = boards.find((one) => isSame(one, code, tableName));
  const same = known?.calls.join() === calls.join();
  const finished = { ...board, imps: same ? known.imps : null, agreed: same ? known.agreed : null };
  store(NAME, {
    current: isSame(current, code, tableName) ? null : current,
    boards: known ? boards.map((one) => (one === known ? finished : one)) : [...boards, finished].slice(-MOST_BOARDS),
  });
}

/** Keep what a finished board was worth: `imps` against the system, or `agreed` of all own calls. */
export function storeValue(code, tableName, value) {
  const { current, boards } = evening();
  store(NAME, { current, boards: boards.map((one) => (isSame(one, code, tableName) ? { ...one, ...value } : one)) });
}

function impsText(imps, name = "evening.imps") {
  return phrase(name, { sign: imps > 0 ? "+" : imps < 0 ? "−" : "", number: Math.abs(imps) });
}

function boardCells(one, place) {
  const [agreed, all] = one.agreed ?? [];
  return [
    h("a", { href: linkTo({ view: "bid", asked: one.code, table: one.table }) }, phrase("evening.board", { board: place + 1 })),
    contractNodes(contractOf(one.calls, readBoard(one.code).dealer)),
    one.agreed ? phrase("evening.agreed", { agreed, all }) : "–",
    one.imps === null ? phrase("evening.not-asked") : impsText(one.imps, "evening.swing"),
  ];
}

/** List the evening's boards with the score. */
export function showEvening(place) {
  const { boards, current } = evening();
  const counted = boards.filter((one) => one.imps !== null);
  const total = counted.reduce((sum, one) => sum + one.imps, 0);
  const begin = () => {
    if (!confirm(phrase("evening.sure"))) return;
    store(NAME, { current, boards: [] });
    showEvening(place);
  };
  clear(
    place, h("h3", null, phrase("evening.title")),
    boards.length ? [
      h("p", { id: "evening-score" }, counted.length
        ? phrase("evening.score", { number: counted.length, imps: impsText(total) })
        : phrase("evening.unscored", { number: boards.length })),
      table(phrase("evening.title"), ["board", "contract", "agreed", "imps"].map((head) => phrase(`evening.head-${head}`)),
        boards.map(boardCells).reverse()),
      h("p", null, h("button", { type: "button", class: "quiet", onclick: begin }, phrase("evening.anew"))),
    ] : h("p", { class: "soft" }, phrase("evening.none")),
  );
}
