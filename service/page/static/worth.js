// What an auction is worth: the service's statistics of all boards that begin so.

import { SUITS } from "./cards.js";
import { h, notice, table } from "./dom.js";
import { callBars, callNode, count, percent, suitNode } from "./format.js";
import { phrase, phraseNodes } from "./texts.js";

const PLAYERS = ["dealer", "left", "partner", "right"];
const STRAINS = ["N", "S", "H", "D", "C"];

function signed(number, digits) {
  if (number === null || number === undefined) return null;
  return `${number > 0 ? "+" : ""}${number.toFixed(digits)}`.replace("-", "−");
}

function rangeText(one) {
  return [one.mean.toFixed(1), `${one.low}–${one.high}`, `${one.least}–${one.most}`];
}

function contractNode({ contract, is_own: isOwn }) {
  if (contract === "Pass") return phrase("contract.passed");
  const told = [callNode(contract.slice(0, 2)), contract.slice(2)];
  return isOwn ? told : phraseNodes("worth.of-opponents", { contract: told });
}

/** Statistics as a row of `node_statistics`: numbers, contracts, tricks, hands, other calls. */
export function worthNodes(row, calls) {
  const whose = !calls.length || calls.length % 2 ? "dealer" : "opponents";
  const numbers = [
    ["boards", count(row.boards)], ["share", calls.length ? percent(row.share) : null],
    ["share-of-all", percent(row.share_of_all)], ["par", signed(row.par, 0)],
    ["score", signed(row.score, 0)], ["imps-par", signed(row.imps_par, 2)],
    ["table-score", signed(row.table_score, 0)], ["table-imps-par", signed(row.table_imps_par, 2)],
    ["table-imps-room", signed(row.table_imps_room, 2)],
    ["humans-same", row.humans_same === null ? null : percent(row.humans_same ?? 0)],
  ].filter(([, value]) => value !== null);
  const heads = row.solved ? ["contract", "share", "score"] : ["contract", "share"];
  return [
    h("p", { class: "soft small" }, phrase(`worth.means-${whose}`)),
    h("dl", { class: "tiles" }, numbers.map(([name, value]) => h("div", null, h("dt", null, phrase(`worth.${name}`)), h("dd", null, value)))),
    h("div", { class: "worth" }, row.contracts?.length > 0 && table(
      phrase("worth.contracts"),
      heads.map((head) => phrase(`worth.head-${head}`)),
      row.contracts.map((one) => [contractNode(one), percent(one.share), ...(row.solved ? [signed(one.score, 0) ?? "–"] : [])]),
      { class: "numeric" },
    ),
    row.solved > 0 && table(
      phrase("worth.tricks", { boards: phrase("number.boards", { number: row.solved }) }),
      ["strain", "own", "other"].map((head) => phrase(`worth.head-${head}`)),
      STRAINS.map((strain) => [
        strain === "N" ? phrase("worth.notrump") : suitNode(strain), row[`tricks_${strain}`].toFixed(2), row[`other_tricks_${strain}`].toFixed(2),
      ]), { class: "numeric" },
    )),
    h("div", { class: "worth" }, PLAYERS.map((player, place) => table(
      phrase("worth.hands", { who: phrase(`worth.${player}`) }),
      [player, "mean", "most", "all"].map((head) => phrase(`worth.head-${head}`)),
      [[phrase("worth.points"), ...rangeText(row[`HCP_${place + 1}`])], ...SUITS.map((suit) => [
        suitNode(suit), ...rangeText(row[`SL_${place + 1}_${suit}`]),
      ])], { class: "numeric" },
    ))),
    !row.solved && notice("info", phrase("worth.not-solved")),
    row.humans_instead?.length > 0 && [
      h("h4", null, phrase("worth.instead")),
      callBars(row.humans_instead.map(({ call, share }) => ({ call, share, name: "" }))),
    ],
  ];
}
