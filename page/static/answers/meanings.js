// What each call of an auction meant, as its player would say it; passes that say the same are folded.

import { get } from "../api.js";
import { SEAT_NAMES, SEATS, spokenCall } from "../bridge/calls.js";
import { SUITS } from "../bridge/cards.js";
import { h } from "../dom.js";
import { callNode, chips, isReported, percent, pointsText, range, suitNode } from "../format.js";
import { callsBefore, linkTo } from "../state.js";
import { listed, phrase } from "../texts.js";

/** What the service tells about every call up to the place; null for a table of no system. */
export async function explained(now, signal) {
  const name = now.table || (await get("/v1/tables", { signal })).tables[0].name;
  const about = new URLSearchParams({
    auction: callsBefore(now).join("-"), dealer: SEATS[now.dealer], vulnerability: now.vulnerability,
  });
  try {
    return await get(`/v1/tables/${encodeURIComponent(name)}/explain?${about}`, { signal });
  } catch (error) {
    if (error.kind === "no-system") return null;
    throw error;
  }
}

function seatName(one, now) {
  return SEAT_NAMES[(now.dealer + one.player) % 4];
}

function callHead(one, index, now) {
  const seat = seatName(one, now);
  return h("div", { class: "shown-head" },
    h("a", {
      class: "call-link", href: linkTo({ ...now, at: index, view: "call", asked: "" }),
      "aria-label": phrase("meanings.link", { call: spokenCall(one.call), seat }),
    }, callNode(one.call)),
    h("span", { class: "soft" }, seat));
}

function callRow(one, index, now) {
  return h(
    "li", { class: "shown-call" }, callHead(one, index, now),
    h("div", null,
      h("p", null, one.sentence),
      !one.known && h("p", { class: "miss" }, phrase("meanings.unknown")),
      chips(one.agreements.filter((agreement) => agreement.startsWith("#"))),
      one.hand_types.length > 1 && kindsNode(one.hand_types)),
  );
}

/** Calls of which none is agreed: said once for all of them. */
function unknownRow(rows, now) {
  return h("li", { class: "shown-call" },
    h("div", null, rows.map(({ one, index }) => callHead(one, index, now))),
    h("p", { class: "miss" }, phrase("meanings.unknown-run", { number: rows.length })));
}

/** Rows in runs: those that the system has no line for are one, whatever passes stand between. */
function inRuns(rows) {
  const runs = [];
  let open = null;
  for (const row of rows) {
    if (row.one.known) {
      runs.push([row]);
      if (row.one.call !== "P") open = null;
    } else if (open) {
      open.push(row);
    } else {
      open = [row];
      runs.push(open);
    }
  }
  return runs;
}

function kindsNode(kinds) {
  return h(
    "details", null, h("summary", null, phrase("meanings.kinds", { number: kinds.filter(({ share }) => isReported(share)).length })),
    h("ul", { class: "kinds" }, kinds.filter(({ share }) => isReported(share)).map((kind) => h(
      "li", null, h("strong", null, percent(kind.share)),
      phrase("meanings.kind", { name: kind.name || phrase("call.no-name"), points: pointsText(kind.points) || phrase("why.any-points") }),
      SUITS.map((suit, place) => [place ? " " : "", suitNode(suit), range(...kind.lengths[suit])]),
      kind.where && h("span", { class: "where" }, kind.where),
    ))),
  );
}

/** Name of a pass that other passes have as well, else null. */
function sameName(one) {
  return one.call === "P" && one.agreements.length === 0 ? one.sentence.split(": ")[0] : null;
}

export function meaningsNode(calls, now) {
  const rows = calls.map((one, index) => ({ one, index, name: sameName(one) }));
  const names = [...new Set(rows.map((row) => row.name))]
    .filter((name) => name && rows.filter((row) => row.name === name).length > 1);
  const asList = (some) => h("ol", { class: "shown-calls" }, inRuns(some).map((run) => (
    run.length > 1 ? unknownRow(run, now) : callRow(run[0].one, run[0].index, now)
  )));
  return [
    asList(rows.filter((row) => !names.includes(row.name))),
    names.map((name) => {
      const folded = rows.filter((row) => row.name === name);
      const who = listed([...new Set(folded.map(({ one }) => seatName(one, now)))]);
      return h("details", { class: "folded" },
        h("summary", null, phrase("meanings.folded", { name, number: folded.length, who })), asList(folded));
    }),
  ];
}
