// The four hands around the table, with dealer and vulnerability.

import { SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { pointsOf } from "../bridge/cards.js";
import { byId, clear, h } from "../dom.js";
import { handNode } from "../format.js";
import { onlySeat } from "./hidden_hands.js";
import { isVulnerable, VULNERABILITIES } from "../bridge/seats.js";
import { change, isAtEnd, seatToCall, state } from "../state.js";
import { phrase } from "../texts.js";

export const SIDE_NAMES = Object.fromEntries(VULNERABILITIES.map((one) => [one, phrase(`sides.${one}`)]));

function seatNode(seat, now) {
  const only = onlySeat(now);
  const isHidden = only !== null && only !== seat && now.hands[seat] !== "";
  const hand = isHidden ? "" : now.hands[seat];
  const turn = !isAtEnd(now) && seatToCall(now) === seat;
  const vulnerable = isVulnerable(now.vulnerability, seat);
  return h(
    "section",
    { class: `seat ${SEATS[seat]}${turn ? " turn" : ""}`, "aria-label": phrase("deal.hand-of", { seat: SEAT_NAMES[seat] }) },
    h(
      "h3", null, SEAT_NAMES[seat],
      seat === now.dealer && h("abbr", { class: "dealer", title: phrase("deal.dealer-sign") }, phrase("auction.dealer-letter")),
      vulnerable && h("span", { class: "vul", title: phrase("deal.vulnerable") }, phrase("deal.vulnerable-sign")),
      hand && h("span", { class: "points" }, pointsOf(hand), h("abbr", { class: "unit", title: phrase("deal.points") }, phrase("deal.unit"))),
    ),
    hand ? handNode(hand)
      : h("p", { class: "unknown" }, phrase(isHidden ? "deal.hidden" : "deal.not-known")),
  );
}

function choice(id, label, value, options, set) {
  const select = h(
    "select", { id, onchange: (event) => set(event.target.value) },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
  );
  return h("span", { class: "field" }, h("label", { for: id }, label), select);
}

/** The hands of a position around the table. */
export function compassNode(now) {
  const center = h("div", { class: "center", "aria-hidden": "true" }, SEATS.map((seat, index) => h(
    "span",
    { class: `${seat}${isVulnerable(now.vulnerability, index) ? " vulnerable" : ""}` },
    seat,
  )));
  return h("div", { class: "compass" }, SEATS.map((_, seat) => seatNode(seat, now)), center);
}

export function showDeal() {
  const now = state();
  clear(
    byId("deal"),
    compassNode(now),
    h(
      "div", { class: "row fields" },
      choice(
        "dealer", phrase("deal.dealer"), SEATS[now.dealer], SEATS.map((seat, index) => [seat, SEAT_NAMES[index]]),
        (seat) => change({ dealer: SEATS.indexOf(seat) }),
      ),
      choice(
        "vulnerability", phrase("deal.sides"), now.vulnerability,
        Object.entries(SIDE_NAMES),
        (one) => change({ vulnerability: one }),
      ),
    ),
  );
}
