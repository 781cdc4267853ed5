// The auctions of several systems on the deal, call by call side by side, and where they part.

import { get, post } from "../api.js";
import { contractOf, SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { writeDeal } from "../bridge/cards.js";
import { clear, h, keepFocus, notice, table } from "../dom.js";
import { callNode, callText, contractNodes, contractText } from "../format.js";
import { change, hasAllHands, linkTo } from "../state.js";
import { listed, phrase } from "../texts.js";

const MOST = 3;

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

/** Names of the tables that are compared: those of the address, else the table of the page and others. */
function chosenOf(now, names) {
  const requested = now.other.split(",");
  const chosen = names.filter((name) => requested.includes(name));
  if (chosen.length > 1) return chosen;
  // one alone stands beside the table of the page
  const first = now.table || names[0];
  const others = names.filter((name) => name !== first);
  return [first, ...(others.some((name) => requested.includes(name)) ? chosen : others)].slice(0, MOST);
}

/** Whether the systems that have agreed so far call differently at a place, one of them being `auctions[own]`. */
function partsAt(auctions, own, place) {
  const mine = auctions[own];
  const together = auctions.filter((calls) => { const at = partingOf(calls, mine); return at < 0 || at >= place; });
  return together.some((calls) => calls[place] !== mine[place]);
}

function choice(names, chosen) {
  return h("fieldset", { class: "row fields" }, h("legend", null, phrase("compare.choose")), names.map((name) => {
    const box = h("input", {
      type: "checkbox", id: `compare-${name}`, checked: chosen.includes(name),
      // two are the least there is to compare
      disabled: chosen.length < 3 && chosen.includes(name),
      onchange: () => change({
        other: names.filter((one) => (one === name ? box.checked : chosen.includes(one))).join(","),
      }, { quiet: true }),
    });
    return h("label", { class: "check field", for: box.id }, box, name);
  }));
}

/** A call of a system as a link to why it is made; nothing where its auction is over. */
function callCell(now, name, calls, place, parts) {
  if (place >= calls.length) return "";
  return h("a", {
    class: parts ? "place parting" : "place", href: linkTo({ table: name, calls, at: place, view: "call" }),
    "aria-label": phrase("compare.call", {
      call: callText(calls[place]), seat: SEAT_NAMES[(now.dealer + place) % 4], table: name,
    }),
  }, callNode(calls[place]));
}

function callsTable(now, names, auctions) {
  const rows = Array.from({ length: Math.max(...auctions.map((calls) => calls.length)) }, (_, place) => [
    SEAT_NAMES[(now.dealer + place) % 4],
    ...names.map((name, own) => callCell(now, name, auctions[own], place, partsAt(auctions, own, place))),
  ]);
  rows.push([
    phrase("compare.contract"),
    ...auctions.map((calls) => h("span", { class: "contract" }, contractNodes(contractOf(calls, now.dealer)))),
  ]);
  return table(phrase("compare.caption"), [phrase("compare.caller"), ...names], rows, { class: "compared" });
}

/** Where systems part first, with what each calls there, in a sentence. */
function partingText(now, names, auctions) {
  const partings = auctions.map((calls) => partingOf(auctions[0], calls)).filter((place) => place >= 0);
  if (!partings.length) return phrase("compare.same", { tables: listed(names) });
  const place = Math.min(...partings);
  const made = [...new Set(auctions.map((calls) => calls[place]))];
  return phrase("compare.part", {
    place: place + 1, seat: SEAT_NAMES[(now.dealer + place) % 4],
    calls: made.map((call) => phrase("compare.call-in", {
      call: call === undefined ? phrase("compare.nothing") : callText(call),
      tables: listed(names.filter((_, own) => auctions[own][place] === call)),
    })).join(phrase("comma")),
  });
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
  const chosen = chosenOf(now, names);
  const auctions = await Promise.all(chosen.map((name) => ownAuction(now, name, signal)));
  if (signal.aborted) return "";
  const text = partingText(now, chosen, auctions);
  const contracts = new Set(auctions.map((calls) => contractText(contractOf(calls, now.dealer))));
  const isSame = auctions.every((calls) => partingOf(calls, auctions[0]) < 0);
  keepFocus(place, () => clear(
    place, choice(names, chosen), h("p", { class: "big-text" }, text),
    !isSame && contracts.size === 1 && h("p", { class: "soft" }, phrase("compare.same-contract")),
    callsTable(now, chosen, auctions),
  ));
  return text;
}
