// What a player sees while bidding in a game: the own hand, the auction so far, the bidding box.

import { auctionTable } from "./auction_diagram.js";
import { makeBox } from "./bidding_box.js";
import { SEAT_NAMES, spokenCall } from "./calls.js";
import { pointsOf } from "./cards.js";
import { SIDE_NAMES } from "./deal_diagram.js";
import { byId, clear, freshId, h, notice } from "./dom.js";
import { callNode, handNode } from "./format.js";
import { keepsNothing, wasPutAside } from "./storage.js";
import { GAME as TEXTS } from "./texts.js";

export function say(text) {
  if (text) byId("live").textContent = text;
}

/** Diagram of an auction that leads nowhere; `more` stands behind the last call. */
export function plainAuction({ calls, dealer, vulnerability }, more = null, marked = -1) {
  return auctionTable(calls, dealer, vulnerability, TEXTS.auction, (index, call) => h(
    "span", { class: index === marked ? "place parting" : "place" },
    h("span", { "aria-hidden": "true" }, callNode(call)),
    h("span", { class: "hidden" }, `${spokenCall(call)}, ${SEAT_NAMES[(dealer + index) % 4]}`),
  ), more);
}

/** Table for one player; `show(calls, turn)` draws the auction, and the box where it is their turn. */
export function gameTable({ hand, dealer, vulnerability, seat }) {
  const label = freshId("turn");
  const auction = h("div", null);
  const turnLine = h("p", { class: "turn-line", id: label });
  const box = makeBox(label);
  const node = h(
    "div", { class: "game-table" },
    h("section", { class: "own-hand", "aria-label": TEXTS.yourHand(SEAT_NAMES[seat]) },
      h("h3", null, TEXTS.yourHand(SEAT_NAMES[seat]), h("span", { class: "points" }, `${pointsOf(hand)} HCP`)),
      handNode(hand),
      h("p", { class: "soft" }, `${TEXTS.dealer(SEAT_NAMES[dealer])}. ${TEXTS.vulnerable(SIDE_NAMES[vulnerability])}.`)),
    h("div", null, auction, turnLine, box.node),
  );
  const show = (calls, isTurn) => {
    clear(auction, plainAuction(
      { calls, dealer, vulnerability }, isTurn ? h("span", { class: "place here", "aria-hidden": "true" }, "?") : null,
    ));
    turnLine.textContent = isTurn ? TEXTS.yourTurn : TEXTS.waiting;
    turnLine.hidden = false;
    if (isTurn) box.show(calls);
    box.node.classList.toggle("asleep", !isTurn);
    box.node.inert = !isTurn;
  };
  const close = () => {
    turnLine.hidden = true;
    box.node.hidden = true;
  };
  return { node, show, close };
}

/** Notes about what the browser keeps. */
export function keepingNotes() {
  return [
    wasPutAside() && notice("info", TEXTS.setAside),
    keepsNothing() && notice("info", TEXTS.keepsNothing),
  ];
}

/** What went wrong, and a button to do it again; nothing that was done is lost. */
export function failure(error, again) {
  return h("div", { role: "alert" }, notice("error", error.message), h("p", null, h("button", {
    type: "button", class: "main", onclick: again,
  }, TEXTS.again)));
}

export function copyButton() {
  return h("button", {
    type: "button", onclick: async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        say(TEXTS.copied);
      } catch {
        say(TEXTS.copyByHand);
      }
    },
  }, TEXTS.copy);
}
