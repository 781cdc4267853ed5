// The best opening lead over deals that agree with the auction.

import { isMissingRoute, post } from "../api.js";
import { contractOf, SEAT_NAMES, SEATS, spokenCall } from "../bridge/calls.js";
import { cardsOf } from "../bridge/cards.js";
import { busyBar, byId, clear, h, keepFocus, notice, table } from "../dom.js";
import { servedName } from "../engine_client.js";
import { cardsNode, contractNodes, percent } from "../format.js";
import { openHands } from "../deal/hidden_hands.js";
import { showDeal } from "../deal/deal_diagram.js";
import { cardRows } from "../games/play_diagram.js";
import { callsBefore, isAtEnd, linkTo, placeRequest } from "../state.js";
import { phrase, phraseNodes } from "../texts.js";

const SCORINGS = ["tricks", "set", "matchpoints", "imps"];
const LAYOUTS = 60;
const MORE = 4;
const MOST_LAYOUTS = 1000;
let scoring = "tricks";

export function key(now) {
  return JSON.stringify([now.hands, callsBefore(now), now.dealer, now.vulnerability, now.table]);
}

/** Below so many layouts that differ, two leads are not told apart. */
const FEWEST_DIFFERENT = 6;

/** What the card that a person would lead is worth beside the best. */
function verdictNode(answer, card) {
  const { leads, layouts } = answer;
  const place = leads.findIndex((one) => one.cards.includes(card));
  const one = leads[place];
  if (!one) return null;
  const isRight = card === answer.card;
  const isAsGood = place === 0 || one.differs < FEWEST_DIFFERENT || one.behind <= (one.behind_error ?? Infinity);
  const parts = {
    card: cardsNode([card]), place: place + 1, of: leads.length, set: percent(one.set), tricks: one.tricks.toFixed(2),
    layouts: phrase("number.layouts", { number: layouts.solved }), best: cardsNode([answer.card]),
  };
  return h("p", { class: `verdict${isAsGood ? " right" : ""}` },
    phraseNodes(isRight ? "lead.yours-right" : isAsGood ? "lead.yours-as-good" : "lead.yours-behind", parts));
}

/** Why the lead of an answer is made. */
function reasonNode({ card, leads, layouts, is_partners: isPartners }) {
  const one = leads.find(({ cards }) => cards.includes(card));
  return one && h("p", null, phraseNodes("lead.reason", {
    card: cardsNode([card]), set: percent(one.set), tricks: one.tricks.toFixed(2),
    layouts: phrase("number.layouts", { number: layouts.solved }),
  }), isPartners && phrase("lead.partners"));
}

/** "call 7, 3D by S: …" in words. */
function naturalText(text) {
  const [, call, seat] = /^call \d+, (\S+) by (.):/.exec(text);
  return phrase("lead.natural-bid", { call: spokenCall(call), seat: SEAT_NAMES[SEATS.indexOf(seat)] });
}

function answerNodes(answer, findMore, own) {
  const found = answer.layouts;
  // deals that time was too short for, or that are none, do not come by asking for more
  const more = Math.min(MORE * found.asked, MOST_LAYOUTS);
  const canMore = !answer.decided && found.solved === found.asked && more > found.asked;
  return [
    own && verdictNode(answer, own),
    h("p", { class: "big" }, phraseNodes("lead.card", { card: cardsNode([answer.card]) })),
    reasonNode(answer),
    !answer.decided && h("p", null, phraseNodes("lead.undecided", {
      layouts: phrase("number.layouts", { number: found.solved }),
      cards: answer.undecided.map((card, place) => [place ? ", " : "", cardsNode([card])]),
    }), canMore && h("button", { type: "button", onclick: () => findMore(more) }, phrase("lead.more", { deals: more }))),
    table(
      phrase("lead.caption"),
      ["lead", "tricks", "set", "matchpoints", "imps", "behind", "best"].map((head) => phrase(`lead.head-${head}`)),
      answer.leads.map((one) => [
        cardsNode(one.cards), one.tricks.toFixed(2), percent(one.set), percent(one.matchpoints),
        one.imps.toFixed(2).replace("-", "−"),
        one.behind ? `${one.behind.toFixed(2)}${one.behind_error ? ` ± ${one.behind_error.toFixed(2)}` : ""}` : "–",
        percent(one.best_share),
      ]),
      { class: "numeric" },
    ),
    h("p", { class: "soft small" },
      phrase("lead.solved", {
        layouts: phrase("number.layouts", { number: found.solved }), seconds: (answer.elapsed_ms / 1000).toFixed(1),
      }),
      found.relaxed.length > 0 && phrase("lead.relaxed", { what: found.relaxed.join("; ") }),
      found.natural.length > 0 && phrase("lead.natural", { what: found.natural.map(naturalText).join("; ") })),
  ];
}

/** The hand, of which a card is chosen before the answer is asked for; `chosen()` is that card, or null. */
function choiceOf(hand) {
  let own = null;
  const rows = cardRows(hand, cardsOf(hand), (card) => {
    own = own === card ? null : card;
    for (const button of rows.querySelectorAll(".card-button")) button.setAttribute("aria-pressed", String(button.dataset.card === own));
  });
  for (const button of rows.querySelectorAll(".card-button")) button.setAttribute("aria-pressed", "false");
  return { node: h("div", { role: "group", "aria-label": phrase("lead.yours") }, h("p", null, phrase("lead.yours")), rows), chosen: () => own };
}

export async function show(place, now, signal) {
  const calls = callsBefore(now);
  if (!isAtEnd(now)) {
    clear(place, notice("info", phrase("lead.not-over")));
    return "";
  }
  const contract = contractOf(calls, now.dealer);
  if (contract === null) {
    clear(place, notice("info", phrase("lead.passed-out")));
    return "";
  }
  const leader = (contract.declarer + 1) % 4;
  const hand = now.hands[leader];
  const seat = SEAT_NAMES[leader];
  const head = h("p", { class: "big" }, contractNodes(contract), h("span", { class: "name" }, phrase("lead.leader", { seat })));
  if (!hand) {
    clear(place, head, notice("info", phrase("lead.no-hand", { seat })));
    return "";
  }
  const result = h("div", { "aria-live": "polite" });
  const served = servedName(now.table);
  const select = h("select", { id: "lead-scoring", onchange: (event) => { scoring = event.target.value; } },
    SCORINGS.map((name) => h("option", { value: name, selected: name === scoring }, phrase(`lead.by-${name}`))));
  const find = async (layouts) => {
    button.disabled = true;
    const solving = busyBar(phrase("lead.solving"), phrase("lead.solving-label"));
    const soFar = h("div");
    clear(result, solving.node, soFar);
    // what comes until the last answer is seen, and not read out each time
    result.setAttribute("aria-busy", "true");
    const tell = (answer) => {
      if (signal.aborted) return;
      solving.tell(answer.layouts.solved, answer.layouts.asked);
      clear(soFar, answerNodes(answer, find, choice.chosen()));
      openHands(now);
      keepFocus(byId("deal"), showDeal);
    };
    try {
      const answer = await post("/v1/leads", {
        hand, ...placeRequest({ ...now, table: served }), scoring, layouts, budget_ms: 12_000,
      }, { signal, tell });
      if (signal.aborted) return;
      // one that is remembered was told before
      if (!soFar.firstChild) tell(answer);
      clear(result, ...answerNodes(answer, find, choice.chosen()));
    } catch (error) {
      if (signal.aborted) return;
      clear(result, notice("error", isMissingRoute(error)
        ? phrase("lead.not-offered") : error.message));
    } finally {
      button.disabled = false;
      result.removeAttribute("aria-busy");
    }
  };
  const choice = choiceOf(hand);
  const button = h("button", { type: "button", class: "main", onclick: () => find(LAYOUTS) }, phrase("lead.find"));
  clear(
    place, head, choice.node,
    h("div", { class: "row fields" }, h("span", { class: "field" }, h("label", { for: "lead-scoring" }, phrase("lead.judged")), select), button),
    served !== now.table && notice("info", phrase("lead.by-base", { own: now.table, base: served })),
    result,
    h("p", { class: "soft small" }, h("a", { href: linkTo({ view: "shown", at: null, eyes: SEATS[leader] }) },
      phrase("lead.shown", { seat }))),
  );
  return phrase("lead.said", { seat });
}
