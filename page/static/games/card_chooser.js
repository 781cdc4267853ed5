// Cards of those whom nobody plays at the page: the service's, which sees what the player sees; the engine's double dummy,
// all four hands seen, or by rules of thumb. inference/card_play/ says how the service chooses.

import { get, isOffline, post } from "../api.js";
import { SEATS } from "../bridge/calls.js";
import { cardsOf, shownCards, SUIT_SIGNS } from "../bridge/cards.js";
import { servedName, solverEngine } from "../engine_client.js";
import { percent } from "../format.js";
import { phrase } from "../texts.js";

const LEAD_LAYOUTS = 40;
const LEAD_MS = 4000;
/** Calls and sides as `GET /play` reads them. */
const PAIRS = { P: "--", X: "Db", XX: "Rd" };
const MARKS = { None: "", NS: "@v", EW: "@V", Both: "@v@V" };

/** Who may choose cards here. */
export function choosers() {
  return isOffline() ? ["solver", "thumb"] : ["service", "solver", "thumb"];
}

/** Cards in a sentence as the page shows them. */
function cardsInWords(text) {
  return text.replace(/\b([SHDC])([AKQJT2-9])\b/g, (_, suit, rank) => SUIT_SIGNS[suit] + shownCards(rank));
}

async function servedLead({ hands, dealer, vulnerability, calls, table }, { turn }, signal) {
  const name = servedName(table);
  const answer = await post("/v1/leads", {
    hand: hands[turn], auction: calls, dealer: SEATS[dealer], vulnerability, layouts: LEAD_LAYOUTS, budget_ms: LEAD_MS,
    scoring: "imps", ...(name ? { table: name } : {}),
  }, { signal });
  const found = answer.leads.find((one) => one.cards.includes(answer.card));
  const why = found ? phrase("play.why-lead", {
    set: percent(found.set), tricks: found.tricks.toFixed(2),
    layouts: phrase("number.layouts", { number: answer.layouts.solved }),
  }) : "";
  return { card: answer.card, by: "layouts", why };
}

async function servedCard(game, at, signal) {
  if (!game.play.length) return servedLead(game, at, signal);
  const { hands, dealer, vulnerability, calls, table, contract, play } = game;
  const dummy = (contract.declarer + 2) % 4;
  const seat = at.turn === dummy ? contract.declarer : at.turn;
  const name = servedName(table);
  const query = new URLSearchParams({
    hand: hands[seat], dummy: hands[dummy], seat: SEATS[seat], dealer: SEATS[dealer], vul: MARKS[vulnerability],
    ctx: calls.map((call) => PAIRS[call] ?? call).join(""), played: play.join(""), ...(name ? { table: name } : {}),
  });
  const answer = await get(`/play?${query}`, { signal });
  if (!answer.card) throw new Error(answer.message);
  const byThumb = answer.who === "rules of thumb";
  const reasons = [byThumb ? "" : answer.why, ...(answer.notes ?? [])].filter(Boolean).map(cardsInWords);
  return { card: answer.card, by: byThumb ? "thumb" : "layouts", why: reasons.join("; ") };
}

/** A position as the engine reads it. */
function positionOf({ contract }, { left, leader, trick }) {
  return { hands: left.map(cardsOf), strain: contract.strain, declarer: contract.declarer, leader, trick };
}

/** One who chooses cards and solves plays until `signal` ends it. */
export function cardPlayer(signal) {
  let engine = null;
  signal.addEventListener("abort", () => engine?.end(), { once: true });
  const solver = () => {
    engine ??= solverEngine();
    return engine;
  };
  return {
    /** `{card, by, why}` for who is to play; `at` is what followPlay tells. */
    choose: async (game, at, by) => {
      if (at.legal.length === 1) return { card: at.legal[0], by: "only", why: "" };
      if (by === "service") return servedCard(game, at, signal);
      const { card } = await solver().ask(by === "thumb" ? "usual" : "card", positionOf(game, at), { signal });
      return { card, by, why: "" };
    },
    /** Tricks that declarer's side still takes double dummy. */
    left: async (game, at) => {
      const position = positionOf(game, at);
      const { tricks } = await solver().ask("card", position, { signal });
      // the trick on the table is one of them
      const count = Math.max(...position.hands.map((cards) => cards.length));
      return position.declarer % 2 ? count - tricks : tricks;
    },
    /** What each card cost; `progress` hears of the first ones. */
    review: ({ hands, contract, play }, progress) => solver().ask("review", {
      hands: hands.map(cardsOf), strain: contract.strain, leader: (contract.declarer + 1) % 4, play,
    }, { signal, progress }),
  };
}
