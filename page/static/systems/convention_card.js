// The convention card of a system, as its text says it, to be looked at and printed; and its options.

import { get } from "../api.js";
import { clear, h, notice } from "../dom.js";
import { outlineOf } from "../engine_client.js";
import { linkTo } from "../state.js";
import { phrase } from "../texts.js";
import { cardSheet } from "./card_sheet.js";

export function key(now) {
  return now.table;
}

/** Where a line leads: the place of its first call in the book. */
function placeOfLine({ call, auction }) {
  return { href: linkTo({ view: "book", calls: auction.split(" "), at: null }), label: phrase("card.look", { call }) };
}

/** Options of the text: which are played, and which could be. */
async function showOptions(place, tableName, signal) {
  const { options } = await outlineOf(tableName).catch(() => ({ options: [] }));
  if (signal.aborted) return;
  place.hidden = !options.length;
  const list = (head, some) => some.length > 0 && [h("h4", null, head), h("ul", { class: "card-options" }, some.map(({ title: words, about }) => h("li", null,
    h("b", null, words), about && h("span", { class: "soft" }, " ", about))))];
  clear(place, h("h3", null, phrase("card.options")), list(phrase("card.played"), options.filter(({ on }) => on)),
    list(phrase("card.not-played"), options.filter(({ on }) => !on)),
    h("p", null, h("a", { href: linkTo({ view: "systems" }) }, phrase("card.turn"))));
}

export async function show(place, now, signal) {
  const { tables } = await get("/v1/tables", { signal });
  const one = tables.find((candidate) => candidate.name === (now.table || tables[0].name));
  if (!one) throw new Error(phrase("page.no-table-choose", { table: now.table }));
  const name = one.system ?? one.name;
  let card = null;
  try {
    card = await get(`/v1/tables/${encodeURIComponent(one.name)}/card`, { signal });
  } catch (error) {
    if (error.kind !== "no-system") throw error;
  }
  if (signal.aborted) return "";
  const options = h("section", { class: "card-beside", hidden: true });
  clear(
    place, h("h2", null, name),
    h("p", { class: "row card-beside" },
      card && h("button", { type: "button", onclick: () => globalThis.print() }, phrase("card.print")),
      h("a", { href: linkTo({ view: "book", calls: [], at: null }) }, phrase("help.book")),
      h("a", { href: linkTo({ view: "systems" }) }, phrase("card.text"))),
    card ? cardSheet(card, placeOfLine) : notice("info", phrase("card.none")),
    options,
  );
  showOptions(options, one.name, signal);
  return phrase("card.said", { system: name });
}
