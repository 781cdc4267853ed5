// What a player sees while bidding in a game: the own hand, the auction so far, the bidding box.

import { auctionTable } from "../deal/auction_diagram.js";
import { makeBox } from "../deal/bidding_box.js";
import { SEAT_NAMES, spokenCall } from "../bridge/calls.js";
import { pointsOf } from "../bridge/cards.js";
import { SIDE_NAMES } from "../deal/deal_diagram.js";
import { busy, byId, clear, freshId, h, notice, sayOn } from "../dom.js";
import { callNode, handNode } from "../format.js";
import { explained, meaningsNode } from "../answers/meanings.js";
import { storesNothing, wasPutAside } from "../frame/storage.js";
import { saveSystem, sharedAddress } from "../systems/shared_links.js";
import { phrase } from "../texts.js";

/** Diagram of an auction that leads nowhere; `more` stands behind the last call. */
export function plainAuction({ calls, dealer, vulnerability }, more = null, marked = -1) {
  return auctionTable(calls, dealer, vulnerability, phrase("game.auction"), (index, call) => h(
    "span", { class: index === marked ? "place parting" : "place" },
    h("span", { "aria-hidden": "true" }, callNode(call)),
    h("span", { class: "hidden" }, phrase("game.call-by", { call: spokenCall(call), seat: SEAT_NAMES[(dealer + index) % 4] })),
  ), more);
}

/** What one player sees, `tools` above the box; `show(calls, isTurn)` draws the auction, and lights the box for the player. */
export function gameTable({ hand, dealer, vulnerability, seat }, tools = null) {
  const label = freshId("turn");
  const auction = h("div", null);
  const turnLine = h("p", { class: "turn-line", id: label });
  const box = makeBox(label);
  const title = phrase("game.your-hand", { seat: SEAT_NAMES[seat] });
  const node = h(
    "div", { class: "game-table" },
    h("section", { class: "own-hand", "aria-label": title },
      h("h3", null, title, h("span", { class: "points" }, phrase("game.points", { number: pointsOf(hand) }))),
      handNode(hand),
      h("p", { class: "soft" }, phrase("game.dealer", { seat: SEAT_NAMES[dealer], side: SIDE_NAMES[vulnerability] }))),
    h("div", null, auction, h("div", { class: "row turn-row" }, turnLine, tools), box.node),
  );
  // while the others call the box is asleep, and loses the focus
  let hadFocus = false;
  const show = (calls, isTurn) => {
    hadFocus ||= box.node.contains(document.activeElement);
    const next = isTurn ? h("span", { class: "place here", "aria-hidden": "true" }, "?") : null;
    clear(auction, plainAuction({ calls, dealer, vulnerability }, next));
    turnLine.textContent = phrase(isTurn ? "game.your-call" : "game.waiting");
    box.node.classList.toggle("asleep", !isTurn);
    box.node.inert = !isTurn;
    if (!isTurn) return;
    box.show(calls);
    if (hadFocus && document.activeElement === document.body) box.node.querySelector("[tabindex='0']").focus();
    hadFocus = false;
  };
  const close = () => {
    turnLine.hidden = true;
    box.node.hidden = true;
  };
  return { node, show, close };
}

/** Fill a place with what the calls of a position meant. */
export async function showMeanings(place, position, signal) {
  if (!position.calls.length) {
    clear(place, h("p", { class: "soft" }, phrase("game.nobody-called")));
    return;
  }
  if (!place.firstChild) clear(place, busy(phrase("meanings.asking")));
  try {
    const explanation = await explained(position, signal);
    if (signal.aborted) return;
    clear(place, explanation ? meaningsNode(explanation.calls, position) : notice("info", phrase("meanings.none")));
  } catch (error) {
    if (!signal.aborted) clear(place, notice("error", error.message));
  }
}

/** Notes about what the browser keeps. */
export function keepingNotes() {
  return [
    wasPutAside() && notice("info", phrase("game.set-aside")),
    storesNothing() && notice("info", phrase("game.keeps-nothing")),
  ];
}

/** What went wrong, and a button to do it again; nothing that was done is lost. */
export function failure(error, again) {
  return h("div", { role: "alert" }, notice("error", error.message), h("p", null, h("button", {
    type: "button", class: "main", onclick: again,
  }, phrase("game.again"))));
}

/** What is said of a link that was copied; one to this computer leads nowhere elsewhere. */
export function copiedText({ protocol, hostname, host }) {
  if (protocol === "file:") return phrase("game.copied-file");
  const isHere = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname);
  return isHere ? phrase("game.copied-local", { host }) : phrase("game.copied");
}

/** What is said where a system is too long for the link: it goes as a file. */
function tooLongNode(system) {
  return notice("info", phrase("share.too-long", { name: system.name }), " ",
    h("button", { type: "button", onclick: () => saveSystem(system) }, phrase("share.save")));
}

/** Tell that a link was copied, what it is good for, and what did not go along. */
export function tellCopied(button, tooLong = []) {
  const message = copiedText(location);
  const isElsewhere = message === phrase("game.copied");
  sayOn(button, phrase(isElsewhere ? "page.copied" : "page.copied-here"), message);
  if (!isElsewhere || tooLong.length) clear(byId("messages"), !isElsewhere && notice("info", message), tooLong.map(tooLongNode));
}

export function copyButton(properties = {}) {
  const button = h("button", {
    ...properties, type: "button", onclick: async () => {
      try {
        const { address, tooLong } = await sharedAddress();
        await navigator.clipboard.writeText(address);
        tellCopied(button, tooLong);
      } catch {
        sayOn(button, phrase("game.copy-by-hand"), phrase("game.copy-by-hand"));
      }
    },
  }, phrase("game.copy"));
  return button;
}
