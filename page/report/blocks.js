// The blocks of a report: paragraphs, numbers, tables, lines of a text, boards. Texts become text nodes alone.

import { freshId, h } from "../dom.js";
import { cardSheet } from "../systems/card_sheet.js";
import { chartNode } from "./charts.js";

const SUITS = { "♠": "S", "♥": "H", "♦": "D", "♣": "C" };
const HANDS = ["North", "East", "South", "West"];
const CLASSES = { number: "n", decimal: "n", percent: "n", auction: "a", words: "w" };

/** A text with its signs of suits in colour. */
function coloured(text) {
  return text.split(/([♠♥♦♣])/u).map((part) => (part in SUITS ? h("span", { class: `suit ${SUITS[part]}` }, part) : part));
}

function link({ text, address }) {
  return h("a", { href: address }, text);
}

function cellNode(cell, kind) {
  if (typeof cell !== "string") return kind === "auction" ? h("a", { href: cell.address }, coloured(cell.text)) : link(cell);
  if (kind === "code" && cell) return h("code", null, cell);
  return kind === "auction" ? coloured(cell) : cell;
}

/** Wide tables are moved sideways inside their frame, by keyboard too. */
function tableNode({ caption, columns, rows, anchor }, id) {
  const name = anchor || id;
  const cell = (content, place) => {
    const { kind } = columns[place];
    const properties = { class: CLASSES[kind] };
    return place ? h("td", properties, cellNode(content, kind)) : h("th", { scope: "row", ...properties }, cellNode(content, kind));
  };
  return h("div", { class: "scroll", role: "region", tabindex: "0", "aria-labelledby": name }, h(
    "table", null, h("caption", { id: name }, caption),
    h("thead", null, h("tr", null, columns.map(({ head, kind }) => h("th", { scope: "col", class: CLASSES[kind] }, head)))),
    h("tbody", null, rows.map((cells) => h("tr", null, cells.map(cell)))),
  ));
}

function lineNode({ number, text, note, address }) {
  const content = text || "\u00a0";
  return h(
    "p", { id: `l${number}` }, h("a", { href: `#l${number}` }, number),
    h("code", null, address ? link({ text: content, address }) : content), note && h("span", null, coloured(note)),
  );
}

function handNode(hand, place) {
  const suits = Object.keys(SUITS);
  const held = hand
    ? hand.map((cards, suit) => [suit > 0 && h("br"), coloured(suits[suit]), ` ${cards || "–"}`])
    : "not known";
  return h("div", { class: HANDS[place][0].toLowerCase() }, h("h4", null, HANDS[place]), h("p", null, held));
}

function tricksNode(tricks) {
  const heads = ["NT", ...Object.keys(SUITS)];
  return h(
    "table", null, h("caption", null, "tricks, double dummy"),
    h("thead", null, h("tr", null, h("td"), heads.map((head) => h("th", { scope: "col" }, coloured(head))))),
    h("tbody", null, tricks.map(([declarer, ...counts]) => h(
      "tr", null, h("th", { scope: "row" }, declarer), counts.map((one) => h("td", null, one)),
    ))),
  );
}

function recordNode({ title, subtitle, hands, tricks, notes, address }) {
  return h(
    "article", null,
    h("h3", null, address ? link({ text: title, address }) : title, " ", h("span", { class: "soft" }, subtitle)),
    h("div", { class: "hands" }, hands.map(handNode)), tricks.length > 0 && tricksNode(tricks),
    notes.map((note) => h("p", null, coloured(note))),
  );
}

const DRAWN = {
  text: ({ text, soft }) => h("p", { class: soft ? "soft" : null }, text),
  links: ({ text, links }) => h("p", { class: "soft" }, text, links.map((one) => [" · ", link(one)])),
  numbers: ({ pairs }) => h("dl", { class: "tiles" }, pairs.map(([what, number]) => (
    h("div", null, h("dt", null, what), h("dd", null, number))
  ))),
  table: tableNode,
  chart: ({ caption, chart }) => h("figure", null, h("figcaption", null, caption), chartNode(chart, freshId("chart"))),
  source: ({ lines }) => h("div", { class: "source" }, lines.map(lineNode)),
  card: (card) => cardSheet(card),
  records: ({ records }) => h("div", { class: "records" }, records.map(recordNode)),
};

/** A block; a table without an anchor of its own has the id. */
export function blockNode(block, id) {
  return DRAWN[block.kind](block, id);
}
