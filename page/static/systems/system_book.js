// The book of a system: its calls place by place, a search in them, and for authors what is odd about it.

import { get } from "../api.js";
import { SEAT_NAMES, spokenCall } from "../bridge/calls.js";
import { busy, clear, h, notice, put, table } from "../dom.js";
import { callNode, callsNode, chips, conditionText, count, trail } from "../format.js";
import { descriptionWords, wantedWords } from "../answers/reasons.js";
import { callsBefore, isAtEnd, linkTo } from "../state.js";
import { phrase } from "../texts.js";

const MOST_PLACES = 150;
const MOST_FOUND = 100;
const DEEPEST = 6;

export function key(now) {
  return JSON.stringify([now.table, callsBefore(now)]);
}

function nextPath(name, calls) {
  return `/v1/tables/${encodeURIComponent(name)}/next?auction=${encodeURIComponent(calls.join("-"))}`;
}

/** What a meaning wants of a hand, in words. */
function meaningWords(one) {
  return one.description ? descriptionWords(one.description) : wantedWords(one.criteria.map((expression) => ({ expression })));
}

/** A meaning in a line: its name and what it wants. */
export function meaningNodes(one) {
  const text = meaningWords(one);
  return [one.name && h("strong", null, one.name), one.name && text && ": ", text];
}

/** Calls of a place, each with its meanings; none where the system does not have it. */
export async function placeOf(name, calls, signal) {
  try {
    return (await get(nextPath(name, calls), { signal })).entries;
  } catch (error) {
    if (error.kind !== "unknown-auction") throw error;
    return [];
  }
}

function variantNodes(one) {
  return [
    h("p", { class: "name" }, one.name || "", one.count !== null && h("span", { class: "badge" }, phrase("book.times", { number: one.count }))),
    h("p", { class: "description" }, meaningWords(one)),
    one.criteria.length > 0 && h("p", { class: "soft small authors" }, one.criteria.map(conditionText).join(" · ")),
    chips(one.tags),
    one.where && h("p", { class: "where" }, one.where),
  ];
}

function entryNode(entry, calls) {
  return h(
    "li", { class: "candidate" },
    h("div", { class: "candidate-head" },
      h("a", {
        class: "call-button", href: linkTo({ calls: [...calls, entry.call], at: null, view: "book" }),
        "aria-label": phrase("book.go-on", { call: spokenCall(entry.call) }),
      }, callNode(entry.call)),
      h("div", { class: "candidate-text" }, entry.variants.map((one) => h("div", { class: "variant" }, variantNodes(one)))),
      h("div", { class: "candidate-side" },
        entry.completed ? h("span", { class: "badge" }, phrase("book.end"))
          : h("span", { class: "soft small" }, entry.next ? phrase("number.calls", { number: entry.next }) : ""))),
  );
}

function matches(entry, wanted) {
  return entry.variants.some((one) => (
    [entry.call, one.name, one.where, meaningWords(one), ...one.criteria, ...one.criteria.map(conditionText), ...one.tags]
      .join(" ").toLowerCase().includes(wanted)
  ));
}

/** Walk the table from a place, breadth first, and hand over each entry that matches. */
async function search(name, start, wanted, signal, { found, progress }) {
  let places = [start];
  let looked = 0;
  let hits = 0;
  let refused = 0;
  for (let depth = 0; depth < DEEPEST && places.length; depth += 1) {
    const below = [];
    for (const calls of places) {
      if (looked >= MOST_PLACES || hits >= MOST_FOUND) return { looked, hits, refused, whole: false };
      signal.throwIfAborted();
      looked += 1;
      progress(looked, hits);
      let entries = [];
      try {
        entries = (await get(nextPath(name, calls), { signal })).entries;
      } catch (error) {
        if (signal.aborted || error.kind !== "unknown-auction") throw error;
        refused += 1;
      }
      for (const entry of entries) {
        const here = [...calls, entry.call];
        if (matches(entry, wanted)) {
          hits += 1;
          found(here, entry);
        }
        if (entry.next !== 0 && !entry.completed) below.push(here);
      }
    }
    places = below;
  }
  return { looked, hits, refused, whole: !places.length };
}

function placesText(number) {
  return phrase("number.places", { number });
}

function searchForm(name, calls, viewSignal) {
  const field = h("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false", maxlength: "200" });
  const status = h("p", { class: "soft", role: "status" });
  const list = h("ol", { class: "found" });
  let running = null;
  const stop = h("button", { type: "button", hidden: true, onclick: () => running?.abort() }, phrase("book.stop"));
  const start = async (event) => {
    event.preventDefault();
    running?.abort();
    const wanted = field.value.trim().toLowerCase();
    clear(list);
    if (!wanted) {
      status.textContent = phrase("book.what");
      field.focus();
      return;
    }
    const mine = new AbortController();
    running = mine;
    viewSignal.addEventListener("abort", () => mine.abort(), { once: true });
    stop.hidden = false;
    try {
      const result = await search(name, calls, wanted, mine.signal, {
        progress: (looked, hits) => { status.textContent = phrase("book.searching", { places: placesText(looked), found: count(hits) }); },
        found: (here, entry) => put(list, h(
          "li", null, h("a", { href: linkTo({ calls: here, at: here.length - 1, view: "book" }) }, callsNode(here)),
          " ", entry.variants.map((one) => one.name || descriptionWords(one.description)).filter(Boolean).join(phrase("or")),
        )),
      });
      status.textContent = phrase(result.whole ? "book.found" : "book.found-part", {
        found: count(result.hits), places: placesText(result.looked),
      });
    } catch (error) {
      if (mine.signal.aborted) status.textContent = viewSignal.aborted ? "" : phrase("book.stopped");
      else clear(status, error.message);
    } finally {
      if (running === mine) stop.hidden = true;
    }
  };
  return h(
    "form", { class: "search", onsubmit: start, role: "search" },
    h("label", { for: "search" }, phrase(calls.length ? "book.search-here" : "book.search")),
    h("div", { class: "row" }, field, h("button", { type: "submit", class: "main" }, phrase("book.search")), stop),
    status, list,
  );
}

function numbersNode(one) {
  const facts = [
    ["entries", one.entries], ["openings", one.openings], ["variants", one.variants],
    ["described", one.described], ["undescribed", one.undescribed_entries], ["completed", one.completed],
  ];
  return h("dl", { class: "tiles" }, facts.map(([name, value]) => h("div", null, h("dt", null, phrase(`book.${name}`)), h("dd", null, count(value)))));
}

function lintNode(name, signal) {
  const place = h("div", { "aria-live": "polite" });
  const look = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    clear(place, busy(phrase("book.looking")));
    try {
      const report = await get(`/v1/tables/${encodeURIComponent(name)}/lint?examples=5`, { signal });
      if (signal.aborted) return;
      const findings = Object.entries(report.findings).filter(([, one]) => one.count);
      clear(place, h("p", null, phrase("book.looked", { number: report.entries })), findings.length ? table(
        phrase("book.findings"), ["finding", "count", "examples"].map((head) => phrase(`book.head-${head}`)),
        findings.map(([, one]) => [
          one.meaning, count(one.count),
          h("ul", { class: "plain small" }, one.examples.map((example) => h(
            "li", null, example.auction ?? "", example.detail ? ` ${example.detail}` : "",
          ))),
        ]),
      ) : h("p", null, phrase("book.nothing-odd")));
    } catch (error) {
      if (!signal.aborted) clear(place, notice("error", error.message));
    } finally {
      button.disabled = false;
    }
  };
  return [h("button", { type: "button", onclick: look }, phrase("book.look")), place];
}

export async function show(place, now, signal) {
  const { tables } = await get("/v1/tables", { signal });
  const one = tables.find((candidate) => candidate.name === (now.table || tables[0].name));
  if (!one) throw new Error(phrase("page.no-table-choose", { table: now.table }));
  const calls = callsBefore(now);
  const over = isAtEnd(now);
  let answer = null;
  let problem = null;
  try {
    answer = over ? null : await get(nextPath(one.name, calls), { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    problem = error;
  }
  if (signal.aborted) return "";
  clear(
    place,
    h("h2", null, one.system ?? one.name),
    h("p", { class: "soft authors" }, one.source),
    one.reload_errors.map((text) => notice("error", phrase("book.not-reloaded", { problem: text }))),
    trail(phrase("book.place"), calls, (some) => linkTo({ calls: some, at: null })),
    over && notice("info", phrase("book.over")),
    problem && notice("error", problem.message),
    searchForm(one.name, calls, signal),
    answer && [
      h("h3", null, phrase(calls.length ? "book.calls-here" : "book.calls-open", { number: answer.entries.length }),
        answer.forced && h("span", { class: "badge fair" }, phrase("book.forced"))),
      h("ol", { class: "candidates" }, answer.entries.map((entry) => entryNode(entry, calls))),
    ],
    // systems are not counted out
    (one.entries ?? null) !== null && h("section", { class: "authors" }, h("h3", null, phrase("book.numbers")),
      numbersNode(one), lintNode(one.name, signal)),
  );
  const seat = SEAT_NAMES[(now.dealer + calls.length) % 4];
  return answer ? phrase("book.said", { calls: phrase("number.calls", { number: answer.entries.length }), seat, table: one.name }) : "";
}
