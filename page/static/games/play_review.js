// A board that was played: its result, what each card cost double dummy, tricks lost a card, and files of it.

import { contractParts, resultOf } from "../boards/board_facts.js";
import { boardShown } from "../boards/board_set.js";
import { savingButtons } from "../boards/board_saving.js";
import { reportNode } from "../answers/call_report.js";
import { SEAT_NAMES } from "../bridge/calls.js";
import { cardPlayer } from "./card_chooser.js";
import { followPlay } from "../bridge/card_play.js";
import { busy, clear, h, table } from "../dom.js";
import { valueNodes } from "../deal/double_dummy.js";
import { cardsNode } from "../format.js";
import { failure } from "./game_table.js";
import { spokenCard } from "./play_diagram.js";
import { phrase, phraseNodes } from "../texts.js";

const WAYS = ["lin", "pbn", "link"];

/** Contract as a text without its declarer. */
function contractWord({ level, strain, risk }) {
  return level + strain + risk;
}

/** The board with what was played, as files have it. */
function boardOf(game, tricks) {
  const { hands, dealer, vulnerability, calls, contract, play } = game;
  const result = resultOf({ contract: contractWord(contract), declarer: contract.declarer, tricks }, vulnerability);
  return { ...boardShown({ hands, dealer, vulnerability, calls }), ...result, play };
}

/** What became of it: contract, tricks, points. */
export function resultNodes(game, tricks) {
  const { contract } = game;
  const { score } = boardOf(game, tricks);
  return valueNodes({ contract: contractWord(contract) + "NESW"[contract.declarer], tricks, score });
}

function lossText(loss) {
  return phrase("play.cost", { number: loss });
}

/** Who chose a card, and why. */
function reasonNode(one) {
  const by = phrase(`play.by-${one.by}`);
  return one.why ? phrase("play.because", { by, why: one.why }) : phrase("play.chosen", { by });
}

/** One card: who played it, what it cost and, of a game of the page, who chose it and why, and a report. */
function cardNode(game, seat, index, review) {
  const card = game.play[index];
  const chosen = game.chosen && (game.chosen[index] ?? { by: "you", why: "" });
  const doubleDummy = review && { loss: review.loss, better: review.better };
  const { hands, dealer, vulnerability, calls, table: system } = game;
  return h("div", { class: "verdict" },
    h("p", null, h("strong", null, `${SEAT_NAMES[seat]}: `, cardsNode([card])), " ", chosen && reasonNode(chosen)),
    review && h("p", null, review.loss
      ? phraseNodes("play.better", { cost: lossText(review.loss), card: cardsNode([review.better]) })
      : phrase("play.cost-none")),
    chosen && reportNode("card", { hands, dealer, vulnerability, calls, table: system, play: game.play.slice(0, index) }, {
      chosen: card, by: SEAT_NAMES[seat], chosen_by: chosen.by, reason: chosen.why, double_dummy: doubleDummy ?? null,
    }));
}

/** All tricks; a card leads to what is said of it. */
function tricksTable(game, cards, pick) {
  const { done, leader, trick } = followPlay(game.play, game.hands, game.contract);
  const rows = trick.length ? [...done, { leader, cards: trick, winner: null }] : done;
  const seatOrder = [3, 0, 1, 2];
  return table(
    phrase("play.tricks"), [phrase("play.head-trick"), ...seatOrder.map((seat) => SEAT_NAMES[seat])],
    rows.map((row, number) => [
      String(number + 1),
      ...seatOrder.map((seat) => {
        const place = (seat - row.leader + 4) % 4;
        const card = row.cards[place];
        if (!card) return "";
        const index = 4 * number + place;
        const loss = cards[index]?.loss ?? 0;
        const marks = [place === 0 && phrase("play.led"), seat === row.winner && phrase("play.wins"), loss > 0 && `, ${lossText(loss)}`];
        return h("button", {
          type: "button", class: `quiet played${seat === row.winner ? " won" : ""}${loss ? " costly" : ""}`,
          "data-card": card, onclick: () => pick(seat, index),
        },
        h("span", { "aria-hidden": "true" }, cardsNode([card]), place === 0 && "›", loss > 0 && h("sub", null, `−${loss}`)),
        h("span", { class: "hidden" }, spokenCard(card), marks));
      }),
    ]),
    { class: "played-tricks" },
  );
}

/** Tricks that a side has lost, and a card. */
function lostText(cards, seats, who, number) {
  const own = cards.filter((_, index) => seats[index] % 2 === who % 2);
  const lost = own.reduce((sum, one) => sum + one.loss, 0);
  return phrase(`play.lost-${number}`, {
    number: lost, cards: own.length, each: own.length ? (lost / own.length).toFixed(2) : "0",
  });
}

/** Places for what the cards of a play cost, and `judge()`, which solves it and fills them. */
function cardPlaces(game, player, signal) {
  const { done, leader, trick } = followPlay(game.play, game.hands, game.contract);
  const seats = [...done, { leader, cards: trick }].flatMap((row) => row.cards.map((_, index) => (row.leader + index) % 4));
  const { declarer } = game.contract;
  const solved = h("div", { "aria-live": "polite" }, busy(phrase("play.reviewing", { number: 0, all: game.play.length })));
  const tricksPlace = h("div", null);
  const detail = h("div", { "aria-live": "polite" });
  let cards = [];
  let picked = null;
  const pick = (seat, index) => {
    picked = [seat, index];
    clear(detail, cardNode(game, seat, index, cards[index]));
  };
  const draw = () => clear(tricksPlace, game.play.length > 0 && [
    h("p", { class: "soft small" }, phrase(game.chosen ? "play.pick" : "play.pick-cost")), tricksTable(game, cards, pick),
  ]);
  draw();
  const ask = async () => {
    try {
      const found = await player.review(game, (some) => {
        clear(solved, busy(phrase("play.reviewing", { number: some.length, all: game.play.length })));
      });
      if (signal.aborted) return;
      ({ cards } = found);
      const best = declarer % 2 ? 13 - found.tricks : found.tricks;
      const costly = cards.flatMap((one, index) => (one.loss ? [index] : []));
      clear(
        solved, h("p", null, phrase("play.double-dummy", { number: best, seat: SEAT_NAMES[declarer] })),
        h("p", null, lostText(cards, seats, declarer, "declarer"), " ", lostText(cards, seats, declarer + 1, "defenders")),
        costly.length > 0 && h("ul", { class: "costly-cards" }, costly.map((index) => h("li", null, phraseNodes("play.costly", {
          trick: Math.floor(index / 4) + 1, seat: SEAT_NAMES[seats[index]], card: cardsNode([game.play[index]]),
          cost: lossText(cards[index].loss), better: cardsNode([cards[index].better]),
        })))),
      );
      draw();
      // what was chosen before it was known what it cost
      if (picked) pick(...picked);
    } catch (error) {
      if (!signal.aborted) clear(solved, failure(error, ask));
    }
  };
  return { solved, tricksPlace, detail, judge: ask };
}

/** Fill a place with what is to be said when the play is over. */
export async function showReview(place, game, tricks, player, signal) {
  const { solved, tricksPlace, detail, judge } = cardPlaces(game, player, signal);
  clear(
    place, h("h3", null, phrase("dummy.show")), solved, h("h3", null, phrase("play.tricks")), tricksPlace, detail,
    h("h3", null, phrase("boards.save")), h("div", { class: "row" }, savingButtons(() => [boardOf(game, tricks)], WAYS)),
  );
  await judge();
}

/** The play of a board of a file, for `showCosts`; null where there is none that can be followed. */
export function playedGame(one) {
  const contract = contractParts(one);
  if (!one.play.length || !contract || contract.declarer === null || !one.hands.every(Boolean)) return null;
  return followPlay(one.play, one.hands, contract) && { ...one, contract, chosen: null };
}

/** Fill a place with what each card of a board of a file cost. */
export async function showCosts(place, game, signal) {
  const { solved, tricksPlace, detail, judge } = cardPlaces(game, cardPlayer(signal), signal);
  clear(place, solved, tricksPlace, detail);
  await judge();
}
