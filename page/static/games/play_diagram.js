// Four hands around a trick, the player's own below; what nobody may see is a number of cards.

import { SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { cardsOf, RANKS, shownCards, SUIT_NAMES, SUITS, suitsOf } from "../bridge/cards.js";
import { h } from "../dom.js";
import { cardsNode, suitNode } from "../format.js";
import { isVulnerable } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const SIDES = ["below", "left", "above", "right"];

/** What a screen reader says of a card: "queen of hearts". */
export function spokenCard(card) {
  return phrase("spoken-card", { rank: phrase(`rank.${card[1]}`), suit: SUIT_NAMES[card[0]] });
}

function cardButton(card, take) {
  return h("button", {
    type: "button", class: "card-button", "data-card": card, "aria-label": spokenCard(card), onclick: () => take(card),
  }, shownCards(card[1]));
}

/** Arrow keys move among the cards that may be played; Tab reaches one of them. */
function useArrows(node) {
  const buttons = [...node.querySelectorAll(".card-button")];
  buttons.forEach((button, place) => {
    button.tabIndex = place ? -1 : 0;
    button.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const next = buttons[place + step];
      if (!next) return;
      for (const one of buttons) one.tabIndex = one === next ? 0 : -1;
      next.focus();
    });
  });
  return node;
}

/** A hand whose cards of `legal` are buttons that `take(card)` hears of. */
export function cardRows(hand, legal, take) {
  const suits = suitsOf(hand);
  return useArrows(h("dl", { class: "hand" }, SUITS.map((suit) => h(
    "div", null,
    h("dt", null, suitNode(suit), h("span", { class: "hidden" }, SUIT_NAMES[suit])),
    h("dd", null, suits[suit] ? [...suits[suit]].map((rank) => (
      legal.includes(suit + rank) ? cardButton(suit + rank, take) : h("span", { class: "rank" }, shownCards(rank))
    )) : "—"),
  ))));
}

function seatNode(seat, side, { at, contract, vulnerability, isSeen, take }) {
  const count = cardsOf(at.left[seat]).length;
  const role = seat === contract.declarer ? "declarer" : seat === (contract.declarer + 2) % 4 ? "dummy" : null;
  const isTurn = count > 0 && at.turn === seat;
  return h(
    "section", {
      class: `seat play-seat ${side}${isTurn ? " turn" : ""}`,
      "aria-label": phrase("play.hand-of", { seat: SEAT_NAMES[seat], number: count }),
    },
    h("h3", null, SEAT_NAMES[seat], role && h("span", { class: "points" }, phrase(`play.${role}`)),
      isVulnerable(vulnerability, seat) && h("span", { class: "vul", title: phrase("deal.vulnerable") }, phrase("deal.vulnerable-sign"))),
    isSeen(seat) ? cardRows(at.left[seat], isTurn && take ? at.legal : [], take)
      : h("p", { class: "unknown" }, phrase("play.cards", { number: count })),
  );
}

/** The trick on the table, else the last one, whose winner is marked. */
function trickNode({ at, below }) {
  const last = at.done.at(-1);
  const [leader, cards, winner] = at.trick.length || !last ? [at.leader, at.trick, null] : [last.leader, last.cards, last.winner];
  return h("ul", { class: "trick", "aria-label": phrase(winner === null ? "play.trick" : "play.last-trick") },
    cards.map((card, place) => {
      const seat = (leader + place) % 4;
      return h("li", { class: `${SIDES[(seat - below + 4) % 4]}${seat === winner ? " won" : ""}` },
        h("span", { class: "hidden" }, `${SEAT_NAMES[seat]}: `), cardsNode([card]),
        seat === winner && h("span", { class: "hidden" }, phrase("play.wins")));
    }));
}

/**
 * Diagram of a play. `at` is what followPlay tells, `below` the seat that is drawn below, `isSeen(seat)` whether its
 * cards are open, and `take(card)` hears of a card; null where it is not the player's turn.
 */
export function playDiagram(options) {
  return h("div", { class: "play-diagram" }, SEATS.map((_, seat) => (
    seatNode(seat, SIDES[(seat - options.below + 4) % 4], options))), trickNode(options));
}

/** Cards of some that a key means: of a suit, or of a rank where `suit` is known or there is one card of it. */
export function cardOfKey(key, suit, cards) {
  const rank = key === "0" || key === "1" ? "T" : key.toUpperCase();
  if (!RANKS.includes(rank)) return null;
  const found = cards.filter((card) => card[1] === rank && (!suit || card[0] === suit));
  return found.length === 1 ? found[0] : null;
}
