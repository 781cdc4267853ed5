// The auctions of two systems on the deal, side by side, and where they part.

import { get, post } from "./api.js";
import { auctionTable } from "./auction_diagram.js";
import { contractOf, SEAT_NAMES, SEATS } from "./calls.js";
import { writeDeal } from "./cards.js";
import { clear, h, notice } from "./dom.js";
import { callNode, callText, contractNodes, contractText } from "./format.js";
import { change, hasAllHands, linkTo } from "./state.js";
import { phrase } from "./texts.js";

export const title = phrase("compare.title");

export function key(now) {
  return JSON.stringify([now.hands, now.dealer, now.vulnerability, now.table, now.other]);
}

/** Calls of the auction that a table bids on the deal. */
export async function ownAuction(now, table, signal) {
  const answer = await post("/v1/auctions", {
    deals: [{ deal: writeDeal(now.hands), dealer: SEATS[now.dealer], vulnerability: now.vulnerability }],
    mode: "first", ...(table ? { table } : {}),
  }, { signal });
  return answer.results[0].auctions[0]?.calls ?? [];
}

/** Index of the first call that two auctions do not have in common, or -1. */
export function partingOf(one, two) {
  for (let place = 0; place < Math.max(one.length, two.length); place += 1) {
    if (one[place] !== two[place]) return place;
  }
  return -1;
}

function side(name, calls, now, parting) {
  return h(
    "section", { class: "side", "aria-label": name }, h("h3", null, name),
    auctionTable(calls, now.dealer, now.vulnerability, phrase("compare.auction-of", { table: name }), (index, call) => h(
      "a",
      {
        class: index === parting ? "place parting" : "place",
        href: linkTo({ table: name, calls, at: index, view: "call" }),
        "aria-label": phrase("compare.call", {
          call: callText(call), seat: SEAT_NAMES[(now.dealer + index) % 4], table: name,
        }),
      },
      callNode(call),
    )),
    h("p", { class: "contract" }, contractNodes(contractOf(calls, now.dealer))),
  );
}

export async function show(place, now, signal) {
  const names = (await get("/v1/tables", { signal })).tables.map((one) => one.name);
  if (signal.aborted) return "";
  if (names.length < 2) {
    clear(place, notice("info", phrase("compare.one-table")));
    return "";
  }
  if (!hasAllHands(now)) {
    clear(place, notice("info", phrase("page.four-hands")));
    return phrase("page.four-hands-said");
  }
  const first = now.table || names[0];
  const second = now.other && now.other !== first ? now.other : names.find((name) => name !== first);
  const auctions = await Promise.all([first, second].map((name) => ownAuction(now, name, signal)));
  if (signal.aborted) return "";
  const parting = partingOf(...auctions);
  const same = parting < 0;
  const who = SEAT_NAMES[(now.dealer + parting) % 4];
  const contracts = auctions.map((calls) => contractText(contractOf(calls, now.dealer)));
  const text = same ? phrase("compare.same", { one: first, other: second })
    : phrase("compare.part", {
      place: parting + 1, seat: who, one: first, other: second,
      first: callText(auctions[0][parting]), second: callText(auctions[1][parting]),
    });
  const select = h(
    "select",
    { id: "compare-with", onchange: (event) => change({ other: event.target.value }, { quiet: true }) },
    names.filter((name) => name !== first).map((name) => h("option", { value: name, selected: name === second }, name)),
  );
  clear(
    place,
    h("p", { class: "row fields" }, h("span", { class: "field" },
      h("label", { for: "compare-with" }, phrase("compare.with", { table: first })), select)),
    h("p", { class: "big-text" }, text),
    !same && contracts[0] === contracts[1] && h("p", { class: "soft" }, phrase("compare.same-contract")),
    h("div", { class: "sides" },
      side(first, auctions[0], now, parting), side(second, auctions[1], now, parting)),
  );
  return text;
}
