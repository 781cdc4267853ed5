// Charts of a report as SVG: bars, bars in parts, dots with an interval.
//
// Lengths across are per cent of the width and text has its own size, so a chart is as readable on a phone as on a
// wide screen. Every chart has a title, a description and its values as text; nothing is told by colour alone.

import { h, svg } from "../dom.js";

const ROW = 42;
const FOOT = 18;

function percent(share) {
  return `${(100 * share).toFixed(2)}%`;
}

function textNode(text, x, y, kind) {
  return text && svg("text", { class: kind, x, y }, text);
}

/** The note stands at the right end of the line above the bar, the label at the left. */
function labelNodes({ label, note }, top) {
  return [textNode(label, "0%", top + 14, "label"), textNode(note, "100%", top + 14, "small end")];
}

function barNode(begin, length, top, kind) {
  return length > 0 && svg("rect", {
    class: kind, x: percent(begin), y: top + 20, width: percent(Math.min(length, 1)), height: 14,
  });
}

function lineNode(kind, [x1, x2], [y1, y2]) {
  return svg("line", { class: kind, x1, x2, y1, y2 });
}

function bars({ rows }) {
  const full = Math.max(0, ...rows.map(({ value }) => value)) || 1;
  return rows.map((row, place) => [labelNodes(row, place * ROW), barNode(0, row.value / full, place * ROW, "c1")]);
}

function stacks({ rows, whole }) {
  const sum = (parts) => parts.reduce((one, other) => one + other, 0);
  const longest = Math.max(0, ...rows.map(({ parts }) => sum(parts))) || 1;
  return rows.map((row, place) => {
    const full = whole ? sum(row.parts) || 1 : longest;
    let begin = 0;
    return [labelNodes(row, place * ROW), row.parts.map((part, number) => {
      begin += part;
      return barNode((begin - part) / full, part / full, place * ROW, `c${number + 1}`);
    })];
  });
}

function intervals({ rows, low, high, ends, middle }) {
  const height = rows.length * ROW + FOOT;
  const across = (value) => {
    // a little room on both sides, so that the dots at the ends are whole
    const share = Math.min(Math.max((value - low) / (high - low), 0), 1);
    return percent(middle === null ? share : share * 0.98 + 0.01);
  };
  return [
    middle !== null && lineNode("grid", [across(middle), across(middle)], [FOOT, height - FOOT]),
    rows.map((row, place) => {
      const y = place * ROW + 27;
      return [
        labelNodes(row, place * ROW), lineNode("grid", ["0%", "100%"], [y, y]),
        lineNode("l1", [across(row.low), across(row.high)], [y, y]),
        svg("circle", { class: "c1", cx: across(row.value), cy: y, r: 5 }),
      ];
    }),
    textNode(ends[0], "0%", height - 4, "small"), textNode(ends[1], "100%", height - 4, "small end"),
  ];
}

const DRAWN = { bars, stacks, intervals };

/** A chart, its ids made of a name; of parts with what their colours mean above it. */
export function chartNode(chart, name) {
  const { kind, title, spoken, series, rows } = chart;
  const drawn = svg(
    "svg", {
      class: "chart", role: "img", width: "100%", height: rows.length * ROW + (kind === "intervals" ? FOOT : 0),
      "aria-labelledby": `${name}-title ${name}-description`,
    },
    svg("title", { id: `${name}-title` }, title), svg("desc", { id: `${name}-description` }, spoken), DRAWN[kind](chart),
  );
  return series ? [h("ul", { class: "legend" }, series.map((one, place) => (
    h("li", null, h("span", { class: `key k${place + 1}` }), one)
  ))), drawn] : drawn;
}
