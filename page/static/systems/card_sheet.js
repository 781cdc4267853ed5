// A convention card as two pages: on the screen as wide as that is, on paper a sheet each.

import { h } from "../dom.js";

const SUITS = { "♠": "S", "♥": "H", "♦": "D", "♣": "C" };
/** Calls of so many letters have a row of their own. */
const WIDE = 12;
/** Sizes of letters on paper, in points: the largest one by which a page holds its lines. */
const LARGEST = 9;
const SMALLEST = 4;
const STEP = 0.25;

/** A text with its signs of suits in colour. */
function coloured(text) {
  return text.split(/([♠♥♦♣])/u).map((part) => (part in SUITS ? h("span", { class: `suit ${SUITS[part]}` }, part) : part));
}

function lineNode(line, linkOf) {
  const { call, points, words } = line;
  const address = line.auction && linkOf?.(line);
  const shown = coloured(call);
  return h("li", { class: ["card-row", !call && "card-remark", call.length > WIDE && "card-wide"].filter(Boolean).join(" ") },
    call && h("span", { class: "card-call" }, address ? h("a", { class: "place", href: address.href, "aria-label": address.label }, shown) : shown),
    call && h("span", { class: "card-points" }, points.replaceAll("-", "–")),
    h("span", { class: "card-words" }, coloured(words)));
}

function partNode({ heading, lines }, linkOf) {
  const groups = [];
  for (const line of lines) {
    if (groups.at(-1)?.after !== line.after) groups.push({ after: line.after, lines: [] });
    groups.at(-1).lines.push(line);
  }
  return h("section", { class: "card-part" }, h("h3", null, heading), groups.map(({ after, lines: some }) => [
    after && h("h4", null, coloured(after)), h("ul", { class: "card-rows" }, some.map((line) => lineNode(line, linkOf))),
  ]));
}

function fits(page) {
  return page.scrollWidth <= page.clientWidth && page.scrollHeight <= page.clientHeight;
}

/** Letters of a size by which each page holds its lines; the sheet is measured as it stands on paper. */
function fit(sheet) {
  const measured = sheet.cloneNode(true);
  measured.classList.add("measured");
  measured.inert = true;
  document.body.append(measured);
  const set = (page, size) => page.style.setProperty("--card-size", `${size}pt`);
  const pages = [...sheet.children];
  [...measured.children].forEach((page, number) => {
    let size = LARGEST;
    for (set(page, size); size > SMALLEST && !fits(page); set(page, size)) size -= STEP;
    set(pages[number], size);
  });
  measured.remove();
}

/** The pages of a card `{title, sections}`; `linkOf(line)` gives `{href, label}` of where a line leads, on the screen. */
export function cardSheet({ title, sections }, linkOf) {
  const sheet = h("div", { class: "card-sheet" }, [1, 2].map((number) => h(
    "div", { class: "card-page" },
    h("p", { class: "card-title" }, h("b", null, title), h("span", null, `${number}/2`)),
    h("div", { class: "card-parts" }, sections.filter(({ page }) => page === number).map((one) => partNode(one, linkOf))),
  )));
  fit(sheet);
  return sheet;
}
