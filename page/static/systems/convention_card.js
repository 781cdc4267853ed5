// The convention card of a system: openings, responses, overcalls, doubles, conventions, as its text says them.

import { get } from "../api.js";
import { bidRank, isBid, spokenCall } from "../bridge/calls.js";
import { busy, clear, h, notice } from "../dom.js";
import { outlineOf } from "../engine_client.js";
import { callNode, callsNode, callText } from "../format.js";
import { topicsOf, topicText } from "../games/practice_sets.js";
import { linkTo } from "../state.js";
import { meaningNodes, placeOf } from "./system_book.js";
import { phrase, phraseNodes } from "../texts.js";

/** Openings whose responses the card has; others have theirs where they are forcing. */
const RESPONDED = ["1N", "1S", "1D", "2C", "2N"];
const OVERCALLED = [["1D"], ["1S"], ["1N"], ["2S"]];
/** Places where doubles differ: of one and two suits, after partner's call, of what they raise, notrump and preempts. */
const DOUBLED = [["1H"], ["1D", "1S"], ["1S", "2H", "2S"], ["1H", "P", "2H"], ["1H", "P", "P"], ["1N"], ["2H"], ["4S"], ["1H", "X"], ["1N", "X"]];
/** Higher bids are where the strength of both hands is known: every system has them. */
const HIGHEST = "4S";
const MOST_MEANINGS = 3;

export const title = phrase("help.card");

export function key(now) {
  return now.table;
}

function isOfCard(call) {
  return !isBid(call) || bidRank(call) <= bidRank(HIGHEST);
}

/** What stands in a row: some meanings of a call, of each name one. */
function meaningsOf(entry) {
  const all = entry.variants.filter((one) => one.name || one.description || one.criteria.length);
  const isFirst = (one) => all.find(({ name }) => name === one.name) === one;
  const ordered = [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))];
  return ordered.slice(0, MOST_MEANINGS).map((one) => h("p", null, meaningNodes(one)))
    .concat(ordered.length > MOST_MEANINGS ? h("p", { class: "soft small" }, phrase("card.more", { number: ordered.length - MOST_MEANINGS })) : []);
}

function rowNode(calls, entry, shown) {
  return h("li", { class: "card-row" },
    h("a", { class: "place", href: linkTo({ view: "book", calls: [...calls, entry.call], at: null }), "aria-label": phrase("card.look", { call: spokenCall(entry.call) }) },
      shown ?? callNode(entry.call)),
    h("div", null, meaningsOf(entry)));
}

function listNode(calls, entries) {
  const sorted = [...entries].sort((one, other) => (isBid(one.call) ? bidRank(one.call) : 0) - (isBid(other.call) ? bidRank(other.call) : 0));
  return h("ul", { class: "card-rows" }, sorted.map((entry) => rowNode(calls, entry)));
}

function part(head, calls, entries) {
  return entries.length > 0 && h("section", { class: "card-part" }, h("h3", null, head), listNode(calls, entries));
}

/** Bids of a place that belong on a card. */
function bidsOf(entries) {
  return entries.filter(({ call }) => isBid(call) && isOfCard(call));
}

function respondedTo(openings) {
  const isArtificial = ({ variants }) => variants.some(({ tags }) => tags.some((tag) => ["artificial", "forcing"].includes(tag)));
  return bidsOf(openings).filter((one) => RESPONDED.includes(one.call) || isArtificial(one)).map(({ call }) => call)
    .sort((one, other) => bidRank(one) - bidRank(other));
}

async function showConventions(place, tableName, signal) {
  try {
    const [tagged] = await topicsOf(tableName, signal);
    if (signal.aborted) return;
    clear(place, tagged.length ? h("ul", { class: "card-conventions" }, tagged.map(({ topic, places }) => h("li", null,
      h("a", { href: linkTo({ view: "book", calls: places[0], at: null }) }, topicText(topic)),
      places[0].length > 0 && h("span", { class: "soft small" }, " ", phraseNodes("card.first-place", { calls: callsNode(places[0]) })),
    ))) : h("p", { class: "soft" }, phrase("practice.no-topics")));
  } catch (error) {
    if (!signal.aborted) clear(place, notice("info", error.kind === "no-system" ? phrase("practice.no-topics") : error.message));
  }
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
  const at = (calls) => placeOf(one.name, calls, signal);
  const openings = await at([]);
  const [responses, overcalls, doubles] = await Promise.all([
    respondedTo(openings).map((call) => [call, "P"]), OVERCALLED, DOUBLED,
  ].map((places) => Promise.all(places.map(async (calls) => [calls, await at(calls)]))));
  if (signal.aborted) return "";
  const conventions = h("div", { "aria-live": "polite" }, busy(phrase("card.looking")));
  const options = h("section", { class: "card-part", hidden: true });
  clear(
    place, h("h2", null, one.system ?? one.name),
    h("p", { class: "row" }, h("span", { class: "soft" }, phrase("card.intro")),
      h("a", { href: linkTo({ view: "book", calls: [], at: null }) }, phrase("help.book")),
      h("a", { href: linkTo({ view: "systems" }) }, phrase("card.text"))),
    h("div", { class: "card-parts" },
      part(phrase("card.openings"), [], bidsOf(openings)),
      responses.map(([calls, entries]) => part(phrase("card.responses", { call: callText(calls[0]) }), calls, bidsOf(entries))),
      overcalls.map(([calls, entries]) => part(phrase("card.overcalls", { call: callText(calls[0]) }), calls, bidsOf(entries))),
      h("section", { class: "card-part" }, h("h3", null, phrase("card.doubles")),
        h("ul", { class: "card-rows" }, doubles.flatMap(([calls, entries]) => (
          entries.filter(({ call }) => call.startsWith("X")).map((entry) => rowNode(calls, entry, callsNode([...calls, entry.call])))
        )))),
      h("section", { class: "card-part" }, h("h3", null, phrase("card.conventions")), conventions),
      options),
  );
  showConventions(conventions, one.name, signal);
  showOptions(options, one.name, signal);
  return phrase("card.said", { system: one.system ?? one.name });
}
