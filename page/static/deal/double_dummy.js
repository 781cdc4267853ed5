// Tricks of all contracts and par of a deal, when somebody asks for them.

import { isOffline, post } from "../api.js";
import { SEAT_NAMES, SEATS, STRAINS } from "../bridge/calls.js";
import { SUIT_NAMES, writeDeal } from "../bridge/cards.js";
import { SIDE_NAMES } from "./deal_diagram.js";
import { busy, byId, clear, h, keepFocus, notice, table } from "../dom.js";
import { solveDeal } from "../engine_client.js";
import { bidNodes, callNode, readContract, suitNode } from "../format.js";
import { dealKey, dealValue } from "../bridge/deal_value.js";
import { hasAllHands, isAtEnd } from "../state.js";
import { listed, phrase, phraseNodes } from "../texts.js";

/** A deal solved, with some auctions on it that are over. */
function solve({ hands, dealer, vulnerability }, auctions, signal) {
  return post("/v1/double-dummy", {
    deal: { deal: writeDeal(hands), dealer: SEATS[dealer], vulnerability }, auctions,
  }, { signal });
}

function strainNode(strain) {
  if (strain === "N") return h("abbr", { title: phrase("dummy.notrump") }, phrase("calls.notrump"));
  return [suitNode(strain), h("span", { class: "hidden" }, SUIT_NAMES[strain])];
}

function pointsText(score) {
  if (score === 0) return phrase("dummy.no-points");
  return phrase("dummy.points", { number: Math.abs(score), side: SIDE_NAMES[score < 0 ? "EW" : "NS"] });
}

function outcomeText(over) {
  if (over === 0) return phrase("dummy.made");
  return phrase(over > 0 ? "dummy.over" : "dummy.down", { number: Math.abs(over) });
}

/** Par contract "4SX-EW-1": the bid, doubled or not, declarers, and what comes of it. */
function parContract(text) {
  const [, bid, doubled, declarers, result] = /^(\d[CDHSN])(X?)-([NESW]+)(.+)$/.exec(text);
  return phraseNodes("dummy.par-contract", {
    bid: callNode(bid), doubled: doubled && phrase("dummy.doubled"),
    who: listed([...declarers].map((seat) => SEAT_NAMES[SEATS.indexOf(seat)]), "or"),
    outcome: outcomeText(result === "=" ? 0 : Number(result)),
  });
}

/** An auction's contract: bid, declarer, tricks, points. */
export function valueNodes(value) {
  if (value.contract === "Pass") return [phrase("contract.passed-spoken")];
  const { level, strain, risk, declarer } = readContract(value.contract);
  return phraseNodes("dummy.worth", {
    bid: bidNodes(level + strain + risk), who: SEAT_NAMES[declarer],
    tricks: phrase("dummy.tricks", { number: value.tricks }),
    outcome: outcomeText(value.tricks - 6 - Number(level)), points: pointsText(value.score),
  });
}

/** What IMPs of North-South against par say. */
export function toParText(imps) {
  if (imps === 0) return phrase("dummy.as-par");
  return phrase("dummy.better", { number: Math.abs(imps), side: SIDE_NAMES[imps < 0 ? "EW" : "NS"] });
}

/** Par with its contracts in a sentence. */
export function parNodes({ score, contracts }) {
  const all = contracts.map((one, place) => [place ? phrase("dummy.par-next") : "", parContract(one)]);
  return phraseNodes("dummy.par", {
    points: pointsText(score), contracts: all.length ? all : phrase("contract.passed-spoken"),
  });
}

/** Table of tricks, and par below it. */
export function solvedNodes({ tricks, par, missing, goes_on: goesOn }) {
  const strains = [...STRAINS].reverse();
  return [
    table(
      phrase("dummy.caption"), [phrase("dummy.declarer"), ...strains.map(strainNode)],
      ["N", "S", "E", "W"].map((seat) => [SEAT_NAMES[SEATS.indexOf(seat)], ...strains.map((strain) => tricks[seat][strain] ?? "…")]),
      { class: "numeric tricks" },
    ),
    par ? h("p", null, parNodes(par)) : h("p", null, phrase(goesOn ? "dummy.goes-on" : "dummy.missing", { number: missing.length })),
  ];
}

/** What is shown below the auction: `{hands, key, nodes, isOpen(), toggle(), tell(auctions)}`; null of a deal not known. */
let panel = null;
/** Ends the work on the deal that was shown. */
let solving = new AbortController();

/** The same without a service: solved here, a strain at a time. */
async function* solvedHere(board, auctions, signal) {
  const ending = new AbortController();
  signal?.addEventListener("abort", () => ending.abort(signal.reason), { once: true });
  const parts = [];
  let wake = () => {};
  let failure = null;
  const hear = (part) => {
    parts.push(part);
    wake();
  };
  solveDeal(board, { signal: ending.signal, progress: hear }).catch((error) => {
    failure = error;
    wake();
  });
  try {
    for (let isWhole = false; !isWhole;) {
      if (!parts.length && !failure) await new Promise((resolve) => { wake = resolve; });
      if (!parts.length) throw failure;
      const solved = dealValue(board, auctions, parts.shift());
      yield solved;
      isWhole = !solved.goes_on;
    }
  } finally {
    // whoever looks no more ends the work
    ending.abort();
  }
}

/** What is known of a deal, and again as more is: a hard one takes several requests. */
export async function* solvedInParts(board, auctions, signal) {
  if (isOffline()) {
    yield* solvedHere(board, auctions, signal);
    return;
  }
  for (;;) {
    const solved = await solve(board, auctions, signal);
    yield solved;
    if (!solved.goes_on) return;
  }
}

/** The button with what it opens, for a deal; `auctions` on it are over. */
function makePanel(now, auctions) {
  let current = auctions;
  /** What was solved last. */
  let found = null;
  const tricks = h("div", null);
  const worth = h("div", null);
  const answer = h("div", { id: "double-dummy-answer", "aria-live": "polite" }, tricks, worth);
  const isOpen = () => button.getAttribute("aria-expanded") === "true";
  const drawWorth = () => {
    const [value] = found?.par ? dealValue(now, current, found).auctions : [];
    clear(worth, value && h("p", null, phraseNodes("dummy.contract", {
      worth: valueNodes(value), par: toParText(value.imps_to_par),
    })));
  };
  const toggle = async () => {
    button.setAttribute("aria-expanded", String(!isOpen()));
    button.textContent = phrase(isOpen() ? "dummy.hide" : "dummy.show");
    clear(tricks, isOpen() && busy(phrase("dummy.solving")));
    solving.abort();
    found = null;
    drawWorth();
    if (!isOpen()) return;
    solving = new AbortController();
    const { signal } = solving;
    try {
      for await (const solved of solvedInParts(now, [], signal)) {
        if (signal.aborted) return;
        found = solved;
        clear(tricks, solvedNodes(solved));
        drawWorth();
      }
    } catch (error) {
      if (!signal.aborted) clear(tricks, notice("error", error.message));
    }
  };
  const button = h("button", {
    type: "button", "aria-expanded": "false", "aria-controls": "double-dummy-answer", onclick: toggle,
  }, phrase("dummy.show"));
  const tell = (others) => {
    if (JSON.stringify(others) === JSON.stringify(current)) return;
    current = others;
    drawWorth();
  };
  return { hands: now.hands.join(), key: dealKey(now), nodes: [button, answer], isOpen, toggle, tell };
}

/**
 * Below the auction of the page: a button first, so that nobody is told too early. What is open stays open while calls
 * are made, and where it `stays` for another deal too.
 */
export function showDoubleDummy(now, stays = false) {
  const auctions = isAtEnd(now) && now.at === null ? [now.calls] : [];
  if (panel?.key === dealKey(now)) {
    panel.tell(auctions);
    return;
  }
  solving.abort();
  const place = byId("double-dummy");
  if (!hasAllHands(now)) {
    panel = null;
    clear(place);
    return;
  }
  const goesOn = panel !== null && panel.isOpen() && (stays || panel.hands === now.hands.join());
  panel = makePanel(now, auctions);
  keepFocus(place, () => clear(place, panel.nodes));
  if (goesOn) panel.toggle();
}
