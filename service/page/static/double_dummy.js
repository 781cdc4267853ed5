// Tricks of all contracts and par of a deal, when somebody asks for them.

import { post } from "./api.js";
import { SEAT_NAMES, SEATS, STRAINS } from "./calls.js";
import { SUIT_NAMES, writeDeal } from "./cards.js";
import { SIDE_NAMES } from "./deal_diagram.js";
import { busy, byId, clear, h, notice, table } from "./dom.js";
import { callNode, suitNode } from "./format.js";
import { hasAllHands, isAtEnd } from "./state.js";
import { DOUBLE_DUMMY as TEXTS } from "./texts.js";

/** A deal solved, with some auctions on it that are over. */
export function solve(deal, auctions, signal) {
  const { hands, dealer, vulnerability } = deal;
  return post("/v1/double-dummy", {
    deal: { deal: writeDeal(hands), dealer: SEATS[dealer], vulnerability }, auctions,
  }, { signal });
}

function strainNode(strain) {
  if (strain === "N") return h("abbr", { title: TEXTS.notrump }, "NT");
  return [suitNode(strain), h("span", { class: "hidden" }, SUIT_NAMES[strain])];
}

function sideOf(score) {
  return SIDE_NAMES[score < 0 ? "EW" : "NS"];
}

function outcome(over) {
  if (over === 0) return TEXTS.made;
  return over > 0 ? TEXTS.over(over) : TEXTS.down(-over);
}

/** Par contract "4SX-EW-1": the bid, doubled or not, declarers, and what comes of it. */
function parContract(text) {
  const [, bid, doubled, declarers, result] = /^(\d[CDHSN])(X?)-([NESW]+)(.+)$/.exec(text);
  const names = [...declarers].map((seat) => SEAT_NAMES[SEATS.indexOf(seat)]);
  return [
    callNode(bid), doubled && TEXTS.doubled, TEXTS.by, names.join(TEXTS.or), ", ",
    outcome(result === "=" ? 0 : Number(result)),
  ];
}

/** Sentence of an auction's contract: bid, declarer, tricks, points. */
export function worthNodes(worth) {
  if (worth.contract === "Pass") return [TEXTS.passedOut];
  const [, bid, risk, declarer] = /^(\d[CDHSN])(X*)([NESW])$/.exec(worth.contract);
  return [
    callNode(bid), risk, TEXTS.by, SEAT_NAMES[SEATS.indexOf(declarer)], ": ", TEXTS.tricks(worth.tricks),
    ", ", outcome(worth.tricks - 6 - Number(bid[0])), ", ", TEXTS.points(worth.score, sideOf(worth.score)),
  ];
}

/** Table of tricks, and par below it. */
export function solvedNodes({ tricks, par }) {
  const strains = [...STRAINS].reverse();
  return [
    table(
      TEXTS.caption, [TEXTS.declarer, ...strains.map(strainNode)],
      ["N", "S", "E", "W"].map((seat) => [SEAT_NAMES[SEATS.indexOf(seat)], ...strains.map((strain) => tricks[seat][strain])]),
      { class: "numeric tricks" },
    ),
    h("p", null, TEXTS.par, TEXTS.points(par.score, sideOf(par.score)), " (",
      par.contracts.length ? par.contracts.map((one, place) => [place ? "; " : "", parContract(one)]) : TEXTS.passedOut, ")"),
  ];
}

let shownKey = null;

/** Under the deal of the page: a button first, so that nobody is told too early. */
export function showDoubleDummy(now) {
  const auctions = isAtEnd(now) && now.at === null ? [now.calls] : [];
  const key = JSON.stringify([now.hands, now.dealer, now.vulnerability, auctions]);
  if (key === shownKey) return;
  shownKey = key;
  const place = byId("double-dummy");
  if (!hasAllHands(now)) {
    clear(place);
    return;
  }
  const answer = h("div", { id: "double-dummy-answer", "aria-live": "polite" });
  const ask = async (event) => {
    const button = event.currentTarget;
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? TEXTS.hide : TEXTS.show;
    clear(answer, open && busy(TEXTS.solving));
    if (!open) return;
    const mine = () => answer.isConnected && button.getAttribute("aria-expanded") === "true";
    try {
      const solved = await solve(now, auctions);
      const [worth] = solved.auctions;
      if (mine()) {
        clear(answer, solvedNodes(solved), worth && h("p", null, TEXTS.contract, worthNodes(worth), ": ",
          TEXTS.toPar(worth.imps_to_par, SIDE_NAMES.NS), "."));
      }
    } catch (error) {
      if (mine()) clear(answer, notice("error", error.message));
    }
  };
  clear(place, h("button", {
    type: "button", class: "quiet", "aria-expanded": "false", "aria-controls": "double-dummy-answer", onclick: ask,
  }, TEXTS.show), answer);
}
