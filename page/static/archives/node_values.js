// What an auction is worth: the service's statistics of all boards that begin so.

import { SUITS } from "../bridge/cards.js";
import { columnsChart } from "../answers/charts.js";
import { h, notice, table } from "../dom.js";
import { bidNodes, bidText, callBars, callNode, callText, count, percent, signed, suitNode } from "../format.js";
import { phrase, phraseNodes } from "../texts.js";

const PLAYERS = ["dealer", "left", "partner", "right"];
const STRAINS = ["N", "S", "H", "D", "C"];
const FEW_TRICKS = 2;
const MOST_HUNDREDS = 10;

function rangeText(one) {
  return [one.mean.toFixed(1), `${one.low}–${one.high}`, `${one.least}–${one.most}`];
}

function contractNode({ contract, is_own: isOwn }) {
  if (contract === "Pass") return phrase("contract.passed");
  const nodes = bidNodes(contract);
  return isOwn ? nodes : phraseNodes("worth.of-opponents", { contract: nodes });
}

function chart(name, columns) {
  if (!columns.length) return null;
  const title = phrase(`worth.${name}`);
  const summary = columns.filter(({ share }) => share > 0).map(({ text }) => text).join(", ");
  return h("figure", null, h("figcaption", null, title), columnsChart(`${title}: ${summary}`, columns));
}

function contractsChart(contracts) {
  return chart("contracts", contracts.map((one) => {
    const { contract, is_own: isOwn, share } = one;
    const tick = contract === "Pass" ? phrase("calls.pass") : bidText(contract);
    const whose = isOwn === false ? phrase("worth.of-opponents", { contract: tick }) : tick;
    const text = phrase("worth.column", { what: whose, share: percent(share) });
    return { share, tick, kind: isOwn === false ? "against" : "", text };
  }));
}

function overText(over) {
  return over === 0 ? phrase("worth.just-made") : signed(over, 0);
}

/** Tricks above and below the contract, all from the worst to the best that came up. */
function resultsChart(results) {
  const shares = new Map(results.map(({ over, share }) => [over, share]));
  const low = Math.min(-FEW_TRICKS, ...shares.keys());
  const high = Math.max(FEW_TRICKS, ...shares.keys());
  return chart("results", results.length ? Array.from({ length: high - low + 1 }, (_, place) => {
    const over = low + place;
    const share = shares.get(over) ?? 0;
    return {
      share, tick: overText(over), kind: over < 0 ? "against" : "",
      text: phrase("worth.column", { what: overText(over), share: percent(share) }),
    };
  }) : []);
}

/** Par in hundreds of points; what is beyond a thousand stands in the outermost columns. */
function parsChart(pars) {
  const shares = Array(2 * MOST_HUNDREDS + 1).fill(0);
  for (const { par, share } of pars) {
    const hundreds = Math.sign(par) * Math.min(MOST_HUNDREDS, Math.round(Math.abs(par) / 100));
    shares[MOST_HUNDREDS + hundreds] += share;
  }
  return chart("pars", pars.length ? shares.map((share, place) => {
    const points = 100 * (place - MOST_HUNDREDS);
    const isLast = Math.abs(points) === 100 * MOST_HUNDREDS;
    const what = phrase(isLast ? "worth.about-most" : "worth.about", { points: signed(points, 0) });
    return {
      share, kind: points < 0 ? "against" : "", tick: points % 500 === 0 && !isLast ? signed(points, 0) : undefined,
      text: phrase("worth.column", { what, share: percent(share) }),
    };
  }) : []);
}

/** The numbers of the charts, for those who do not see them. */
function chartNumbers(results, pars) {
  if (!results.length && !pars.length) return null;
  const numbers = (caption, head, rows) => rows.length > 0 && table(
    phrase(caption), [phrase(head), phrase("worth.head-share")],
    rows.sort(([one], [other]) => one - other).map(([, text, share]) => [text, percent(share)]),
    { class: "numeric" },
  );
  return h(
    "details", { class: "numbers" }, h("summary", null, phrase("chart.numbers")),
    h("div", { class: "node-values" },
      numbers("worth.results", "worth.head-over", results.map(({ over, share }) => [over, overText(over), share])),
      numbers("worth.pars", "worth.par", pars.map(({ par, share }) => [par, signed(par, 0), share]))),
  );
}

/** Statistics as a row of `node_statistics`: numbers, contracts, tricks, hands, other calls. */
export function valueNodes(row, calls) {
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
  const { contracts = [], results = [], pars = [] } = row;
  return [
    h("p", { class: "soft small" }, phrase(`worth.means-${whose}`)),
    h("dl", { class: "tiles" }, numbers.map(([name, value]) => h("div", null, h("dt", null, phrase(`worth.${name}`)), h("dd", null, value)))),
    h("div", { class: "value-charts" }, contractsChart(contracts), resultsChart(results), parsChart(pars)),
    chartNumbers(results, pars),
    h("div", { class: "node-values" }, contracts.length > 0 && table(
      phrase("worth.contracts"),
      heads.map((head) => phrase(`worth.head-${head}`)),
      contracts.map((one) => [contractNode(one), percent(one.share), ...(row.solved ? [signed(one.score, 0) ?? "–"] : [])]),
      { class: "numeric" },
    ),
    row.solved > 0 && table(
      phrase("worth.tricks", { boards: phrase("number.boards", { number: row.solved }) }),
      ["strain", "own", "other"].map((head) => phrase(`worth.head-${head}`)),
      STRAINS.map((strain) => [
        strain === "N" ? phrase("worth.notrump") : suitNode(strain), row[`tricks_${strain}`].toFixed(2), row[`other_tricks_${strain}`].toFixed(2),
      ]), { class: "numeric" },
    )),
    h("div", { class: "node-values" }, PLAYERS.map((player, place) => table(
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
