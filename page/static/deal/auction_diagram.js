// The auction as players write it: a table W N E S. Each call leads to the place where it was made.

import { contractOf, isOver, SEAT_NAMES, SEATS, spokenCall } from "../bridge/calls.js";
import { boardShown } from "../boards/board_set.js";
import { noteMark, notesNode, spokenNote } from "../boards/call_notes.js";
import { byId, clear, h } from "../dom.js";
import { callNode, contractNodes } from "../format.js";
import { isVulnerable } from "../bridge/seats.js";
import { callsBefore, change, isAtEnd, linkTo, seatToCall, state } from "../state.js";
import { phrase, phraseNodes } from "../texts.js";

const COLUMNS = [3, 0, 1, 2];

/** Table of an auction; `cell(index, call)` makes what stands in a call's cell. */
export function auctionTable(calls, dealer, vulnerability, caption, cell, more = null) {
  const cells = [...Array((dealer + 1) % 4).fill(null), ...calls.map((call, index) => [call, index])];
  if (more) cells.push(more);
  const rows = [];
  for (let start = 0; start < cells.length || start === 0; start += 4) {
    rows.push(cells.slice(start, start + 4));
  }
  return h(
    "table", { class: "auction" },
    h("caption", { class: "hidden" }, caption),
    h("thead", null, h("tr", null, COLUMNS.map((seat) => h(
      "th",
      { scope: "col", class: isVulnerable(vulnerability, seat) ? "vulnerable" : null },
      h("span", { "aria-hidden": "true" }, SEATS[seat]),
      h("span", { class: "hidden" }, SEAT_NAMES[seat]),
      seat === dealer && h("abbr", { class: "dealer", title: phrase("deal.dealer-sign") }, phrase("auction.dealer-letter")),
      isVulnerable(vulnerability, seat) && h("span", { class: "hidden" }, " ", phrase("deal.vulnerable")),
    )))),
    h("tbody", null, rows.map((row) => h("tr", null, COLUMNS.map((_, column) => {
      const content = row[column];
      if (content === undefined || content === null) return h("td", null);
      return h("td", null, Array.isArray(content) ? cell(content[1], content[0]) : content);
    })))),
  );
}

export function showAuction() {
  const now = state();
  const before = callsBefore(now);
  const board = boardShown(now);
  const over = isOver(now.calls);
  const next = over ? null : h(
    "a",
    {
      class: now.at === null ? "place here" : "place", href: linkTo({ at: null }),
      "aria-current": now.at === null ? "step" : null, "aria-label": phrase("auction.next"),
    },
    "?",
  );
  const table = auctionTable(
    now.calls, now.dealer, now.vulnerability, phrase("auction.caption"),
    (index, call) => h(
      "a",
      {
        class: index === now.at ? "place here" : "place",
        href: linkTo({ at: index }),
        "aria-current": index === now.at ? "step" : null,
        "aria-label": phrase("calls.by", { call: spokenCall(call), seat: SEAT_NAMES[(now.dealer + index) % 4] })
          + spokenNote(board, index),
      },
      callNode(call), noteMark(board, index),
    ),
    next,
  );
  clear(
    byId("auction"), table, notesNode(board),
    over && h("p", { class: "contract" }, phraseNodes("auction.contract", { contract: contractNodes(contractOf(now.calls, now.dealer)) }),
      now.at !== null && [" · ", h("a", { href: linkTo({ at: null }) }, phrase("auction.to-end"))]),
    now.at !== null && h(
      "p", { class: "soft small" },
      phrase("auction.back", { seat: SEAT_NAMES[seatToCall(now)], place: before.length + 1 }),
    ),
  );
}

/** One call back or forward in the auction. */
export function step(by) {
  const now = state();
  const at = (now.at ?? now.calls.length) + by;
  if (at < 0 || at > now.calls.length) return false;
  change({ at: at === now.calls.length ? null : at }, { quiet: true });
  return true;
}

/** Take the last call back; where an earlier place is looked at, all calls from there on. */
export function takeBack() {
  const now = state();
  if (now.at !== null) change({ calls: now.calls.slice(0, now.at), at: null });
  else if (now.calls.length) change({ calls: now.calls.slice(0, -1), at: null });
}

export function whoIsNext() {
  return isAtEnd() ? phrase("auction.over") : phrase("auction.turn-said", { seat: SEAT_NAMES[seatToCall()] });
}
