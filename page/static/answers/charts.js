// Small charts as SVG: points as a histogram, suit lengths as rows of bars.

import { SUIT_NAMES, SUIT_SIGNS, SUITS } from "../bridge/cards.js";
import { h, svg, table } from "../dom.js";
import { percent, range, suitNode } from "../format.js";
import { phrase } from "../texts.js";

const WIDTH = 240;
const HEIGHT = 84;
const ROW = 30;
const FEWEST = 14;
const WIDEST = 30;

function span(values) {
  const first = values.findIndex((value) => value > 0);
  const last = values.findLastIndex((value) => value > 0);
  return first < 0 ? [0, 0] : [first, last];
}

/**
 * Columns of `{share, text, tick, kind}`: what a column says is `text`, `tick` stands below it, `kind` is its class.
 * `range` marks the columns from one to before another.
 */
export function columnsChart(label, columns, range = null) {
  const most = Math.max(...columns.map(({ share }) => share));
  const step = WIDTH / columns.length;
  return svg(
    "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 18}`, role: "img", "aria-label": label, class: "chart" },
    svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: "axis" }),
    range && svg("line", { x1: range[0] * step, x2: range[1] * step, y1: HEIGHT + 1, y2: HEIGHT + 1, class: "shown-range" }),
    columns.map(({ share, text, kind = "" }, place) => {
      const height = Math.max(1, (HEIGHT - 8) * share / most);
      return share > 0 && svg("rect", {
        class: `bar ${kind}`, x: step * (place + 0.1), y: HEIGHT - height, width: step * 0.8, height, rx: 1.5,
      }, svg("title", null, text));
    }),
    columns.map(({ tick }, place) => (
      tick !== undefined && svg("text", { x: step * (place + 0.5), y: HEIGHT + 14, class: "tick" }, tick)
    )),
  );
}

/** Histogram of points, as wide as what was shown (`bounds`) where that is known. */
export function pointsChart(who, hand, bounds = null) {
  const counted = span(hand.points);
  const first = Math.min(counted[0], bounds?.[0] ?? counted[0]);
  const last = Math.max(counted[1], bounds && bounds[1] < WIDEST ? bounds[1] : counted[1]);
  // a narrow range stands in the middle of some others
  const room = Math.max(1, Math.ceil((FEWEST - (last - first)) / 2));
  const low = Math.max(0, first - room);
  const high = Math.min(37, Math.max(last + room, low + FEWEST));
  const every = high - low > 20 ? 5 : high - low > 12 ? 2 : 1;
  const columns = Array.from({ length: high - low + 1 }, (_, place) => {
    const points = low + place;
    const share = hand.points[points];
    return {
      share, text: phrase("chart.points", { points, share: percent(share) }),
      tick: points % every === 0 ? points : undefined,
    };
  });
  const label = phrase("chart.points-of", {
    who, range: range(...hand.points_range), mean: hand.mean_points.toFixed(1),
  });
  return columnsChart(label, columns, bounds && [Math.max(low, bounds[0]) - low, Math.min(high, bounds[1]) - low + 1]);
}

/** Lengths of the four suits, each a row of bars from 0 to the longest that comes up. */
export function lengthsChart(who, hand) {
  const longest = Math.max(7, ...SUITS.map((suit) => span(hand.lengths[suit])[1]));
  const left = 22;
  const right = 42;
  const step = (WIDTH - left - right) / (longest + 1);
  const rows = SUITS.map((suit, row) => {
    const base = (row + 1) * ROW - 6;
    const chances = hand.lengths[suit];
    const most = Math.max(...chances);
    return svg(
      "g", { class: `suit-row ${suit}` },
      svg("text", { x: 2, y: base - 2, class: "sign" }, SUIT_SIGNS[suit]),
      svg("line", { x1: left, x2: WIDTH - right, y1: base, y2: base, class: "axis" }),
      chances.slice(0, longest + 1).map((chance, length) => chance > 0 && svg("rect", {
        class: "bar", x: left + step * (length + 0.1), width: step * 0.8, rx: 1.5,
        y: base - Math.max(1, (ROW - 10) * chance / most),
        height: Math.max(1, (ROW - 10) * chance / most),
      }, svg("title", null, phrase("chart.length", { length, suit: SUIT_NAMES[suit], share: percent(chance) })))),
      svg("text", { x: WIDTH, y: base - 2, class: "number" }, range(...hand.length_ranges[suit])),
    );
  });
  const ticks = Array.from({ length: longest + 1 }, (_, length) => (longest < 10 || length % 2 === 0) && svg(
    "text", { x: left + step * (length + 0.5), y: 4 * ROW + 8, class: "tick" }, length,
  ));
  const lengths = SUITS.map((suit) => `${range(...hand.length_ranges[suit])} ${SUIT_NAMES[suit]}`).join(", ");
  return svg(
    "svg", { viewBox: `0 0 ${WIDTH} ${4 * ROW + 12}`, role: "img", "aria-label": phrase("chart.lengths-of", { who, lengths }), class: "chart" },
    rows, ticks,
  );
}

function heads(...names) {
  return names.map((name) => phrase(`chart.head-${name}`));
}

/** The same numbers as a table, for those who do not see charts. */
export function numbersTable(who, hand) {
  const [low, high] = span(hand.points);
  const points = [];
  for (let one = low; one <= high; one += 1) if (hand.points[one] > 0) points.push([one, percent(hand.points[one])]);
  return h(
    "details", { class: "numbers" }, h("summary", null, phrase("chart.numbers"),
      h("span", { class: "hidden" }, phrase("chart.numbers-of", { who }))),
    table(phrase("chart.points-caption", { who }), heads("points", "chance"), points),
    table(
      phrase("chart.suits-caption", { who }), heads("suit", "mean", "range", "ace", "king", "queen", "stopper"),
      SUITS.map((suit) => [
        [suitNode(suit), h("span", { class: "hidden" }, SUIT_NAMES[suit])],
        hand.mean_lengths[suit].toFixed(1),
        range(...hand.length_ranges[suit]), percent(hand.honours[suit].A),
        percent(hand.honours[suit].K), percent(hand.honours[suit].Q), percent(hand.stoppers[suit]),
      ]),
    ),
    hand.keycards && table(phrase("chart.keycards-caption", { who }), heads("keycards", "chance"),
      hand.keycards.map((chance, count) => [count, percent(chance)]).filter((_, count) => hand.keycards[count] > 0)),
  );
}
