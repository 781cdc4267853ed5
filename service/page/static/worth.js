// What an auction is worth: the service's statistics of all boards that begin so.

import { SUITS } from "./cards.js";
import { h, notice, table } from "./dom.js";
import { callBars, callNode, count, percent, plural, suitNode } from "./format.js";

const PLAYERS = ["dealer", "left of dealer", "dealer's partner", "right of dealer"];
const STRAINS = ["N", "S", "H", "D", "C"];

function signed(number, digits) {
  if (number === null || number === undefined) return null;
  return `${number > 0 ? "+" : ""}${number.toFixed(digits)}`.replace("-", "−");
}

function rangeText(one) {
  return [one.mean.toFixed(1), `${one.low}–${one.high}`, `${one.least}–${one.most}`];
}

function contractNode({ contract, is_own: isOwn }) {
  if (contract === "Pass") return "Passed out";
  return [callNode(contract.slice(0, 2)), contract.slice(2), isOwn ? "" : " of the opponents"];
}

/** Statistics as a row of `node_statistics`: numbers, contracts, tricks, hands, other calls. */
export function worthNodes(row, calls) {
  const whose = !calls.length || calls.length % 2 ? "of the dealer and partner" : "of the dealer's opponents";
  const numbers = [
    ["boards", count(row.boards)], ["of the place before", calls.length ? percent(row.share) : null],
    ["of all boards", percent(row.share_of_all)], ["par", signed(row.par, 0)],
    ["score, double dummy", signed(row.score, 0)], ["IMPs to par", signed(row.imps_par, 2)],
    ["score at the table", signed(row.table_score, 0)], ["IMPs to par at the table", signed(row.table_imps_par, 2)],
    ["IMPs to the other room", signed(row.table_imps_room, 2)],
    ["players did the same", row.humans_same === null ? null : percent(row.humans_same ?? 0)],
  ].filter(([, value]) => value !== null);
  return [
    h("p", { class: "soft small" }, `Tricks, par and scores are means, as those ${whose} see them.`),
    h("dl", { class: "tiles" }, numbers.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
    h("div", { class: "worth" }, row.contracts?.length > 0 && table(
      "Commonest contracts", ["Contract", "Share", ...(row.solved ? ["Score, double dummy"] : [])],
      row.contracts.map((one) => [contractNode(one), percent(one.share), ...(row.solved ? [signed(one.score, 0) ?? "–"] : [])]),
      { class: "numeric" },
    ),
    row.solved > 0 && table(
      `Mean tricks double dummy of ${plural(row.solved, "board")}`, ["Strain", "Own tricks", "Opponents'"],
      STRAINS.map((strain) => [
        strain === "N" ? "Notrump" : suitNode(strain), row[`tricks_${strain}`].toFixed(2), row[`other_tricks_${strain}`].toFixed(2),
      ]), { class: "numeric" },
    )),
    h("div", { class: "worth" }, PLAYERS.map((player, place) => table(
      `Hands of the ${player}`, [`${player[0].toUpperCase()}${player.slice(1)}`, "Mean", "Nine in ten", "All"],
      [["Points", ...rangeText(row[`HCP_${place + 1}`])], ...SUITS.map((suit) => [
        suitNode(suit), ...rangeText(row[`SL_${place + 1}_${suit}`]),
      ])], { class: "numeric" },
    ))),
    !row.solved && notice("info", "No board is solved double dummy: tricks and par are told when bidcascade archive solve has done that."),
    row.humans_instead?.length > 0 && [
      h("h4", null, "What the players called instead"),
      callBars(row.humans_instead.map(({ call, share }) => ({ call, share, name: "" }))),
    ],
  ];
}
