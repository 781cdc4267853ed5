// Boards of an archive: the hands, what was bid at the table, and what a system bids beside it.

import { auctionTable } from "../deal/auction_diagram.js";
import { contractOf, isOver, readCalls, SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { pointsOf, readDeal, shownCards, SUIT_NAMES, SUITS, suitsOf } from "../bridge/cards.js";
import { partingOf } from "../answers/compare.js";
import { h } from "../dom.js";
import { bidNodes, callNode, contractNodes, suitNode } from "../format.js";
import { linkTo } from "../state.js";
import { phrase, phraseNodes } from "../texts.js";

export function handLine(hand, seat) {
  const suits = suitsOf(hand);
  return h(
    "li", null, h("abbr", { title: SEAT_NAMES[seat] }, SEATS[seat]),
    h("span", { class: "holdings" }, SUITS.map((suit) => h("span", null, suitNode(suit),
      h("span", { class: "hidden" }, SUIT_NAMES[suit]), shownCards(suits[suit]) || "—"))),
    h("span", { class: "soft small" }, pointsOf(hand)),
  );
}

/** Contract and tricks of a board as it was played: "3NT by South +1". */
export function playedNodes(board) {
  const { contract, declarer, tricks, score } = board;
  if (!contract) return null;
  if (contract === "Pass") return contractNodes(null);
  if (!declarer) return bidNodes(contract);
  const isKnown = (number) => number !== undefined && number !== null;
  const over = isKnown(tricks) ? tricks - 6 - Number(contract[0]) : null;
  const nodes = contractNodes({
    level: contract[0], strain: contract[1], risk: contract.slice(2), declarer: SEATS.indexOf(declarer),
  });
  return [
    over === null ? nodes : phraseNodes(over ? "archives.over" : "archives.made", {
      contract: nodes, over: `${over > 0 ? "+" : "−"}${Math.abs(over)}`,
    }),
    isKnown(score) && h("span", { class: "soft" }, phrase("archives.score", { score: String(score).replace("-", "−") })),
  ];
}

/**
 * An auction on a board; `kind` names what is said of it: at the table, or bid by `who`.
 * `mark(index)` is what stands behind a call.
 */
export function auctionPart(kind, who, name, calls, dealer, board, parting, ending, href, mark = () => null) {
  const part = phrase(`archives.${kind}`, { who });
  return h(
    "div", { role: "group", "aria-label": phrase("archives.part", { board: name, part }) },
    h("p", { class: "soft small" }, phrase(`archives.${kind}-title`, { who })),
    auctionTable(calls, dealer, board.vulnerability, phrase("archives.auction", { board: name, part }), (index, call) => h(
      "span", { class: index === parting ? "place parting" : "place" }, callNode(call), mark(index),
    )),
    h("p", { class: "contract" }, ending),
    h("p", { class: "small" }, h("a", { href, "aria-label": phrase("archives.open-label", { board: name, part }) }, phrase("archives.open"))),
  );
}

/** A board as a row of `board_dicts` tells of it; `who` bids, and `at` is the call that is asked about. */
export function boardItem(board, who, at) {
  const name = board.board === undefined ? phrase("archives.deal", { id: board.id }) : phrase("paste.board", { number: String(board.board) });
  const { hands } = readDeal(board.deal);
  const dealer = SEATS.indexOf(board.dealer);
  const made = board.auction ? readCalls(board.auction) : [];
  const bid = board.bid === undefined ? null : readCalls(board.bid);
  const parting = bid && board.auction ? partingOf(made, bid) : -1;
  const address = (calls) => linkTo({
    hands, dealer, vulnerability: board.vulnerability, calls, at: Math.min(at, calls.length), view: "call",
  });
  const players = (board.players ?? []).slice(0, 4)
    .map((player, seat) => player && `${SEATS[seat]} ${player}`).filter(Boolean).join(", ");
  return h(
    "li", { class: "board-item" },
    h("div", { class: "job-head" },
      h("h4", null, name, board.class && h("span", { class: "badge fair" }, board.class)),
      board.link && h("a", { class: "small", href: board.link, target: "_blank", rel: "noreferrer" },
        phrase("archives.viewer"), h("span", { class: "hidden" }, phrase("archives.viewer-of", { board: name })))),
    h("div", { class: "board-parts" },
      h("ul", { class: "hand-lines" }, hands.map(handLine)),
      auctionPart("at-table", null, name, made, dealer, board, parting, playedNodes(board), address(made)),
      bid && auctionPart("bid-by", who, name, bid, dealer, board, parting,
        isOver(bid) && contractNodes(contractOf(bid, dealer)), address(bid))),
    h("p", { class: "soft small" }, [players, board.event, board.source].filter(Boolean).join(" · ")),
  );
}
