// What the boards of the list are worth, worked out for those that are seen: par, what calls cost, and the play.

import { post } from "../api.js";
import { SEAT_NAMES } from "../bridge/calls.js";
import { dealKey } from "../bridge/deal_value.js";
import { SIDE_NAMES } from "../deal/deal_diagram.js";
import { parNodes, toParText } from "../deal/double_dummy.js";
import { busy, clear, h, put } from "../dom.js";
import { editionOf, solverEngine } from "../engine_client.js";
import { callNode, percent, signed } from "../format.js";
import { boardWorth } from "../games/board_values.js";
import { failure } from "../games/game_table.js";
import { linkTo, placeRequest } from "../state.js";
import { phrase, phraseNodes } from "../texts.js";

const STRAINS = 5;
/** So far from what is seen a board is solved, which will be seen next. */
const NEAR = "300px";
/** Tricks of all contracts and par of the boards that were solved. */
const solved = new Map();
const worths = new WeakMap();

/** What a board is worth; null where it is not solved. */
export function knownWorth(one) {
  const { tricks, par } = solved.get(dealKey(one)) ?? {};
  if (tricks && !worths.has(one)) worths.set(one, boardWorth(one, tricks, par));
  return worths.get(one) ?? null;
}

/** Whether a board can be solved and is not yet. */
export function isUnsolved(one) {
  return one.hands.every(Boolean) && !solved.has(dealKey(one));
}

/** Solves boards one after the other in an engine of its own, which ends with `signal`. */
export function boardSolver(signal) {
  let engine = null;
  signal.addEventListener("abort", () => engine?.end(), { once: true });
  return async (one, options) => {
    if (!isUnsolved(one)) return;
    engine ??= solverEngine();
    const { hands, dealer, vulnerability } = one;
    solved.set(dealKey(one), await engine.ask("solve", { hands, dealer, vulnerability }, options));
  };
}

// --- what is said of a board ----------------------------------------------------------------------

function sideOf(imps) {
  return SIDE_NAMES[imps < 0 ? "EW" : "NS"];
}

function othersText({ results, imps, matchpoints }) {
  if (results > 2) {
    return phrase("boards.matchpoints", {
      points: String(matchpoints), all: results - 1, share: percent(matchpoints / (results - 1)), imps: signed(imps, 1),
    });
  }
  return imps ? phrase("boards.other-table", { number: Math.abs(imps), side: sideOf(imps) }) : phrase("boards.same-result");
}

/** What the system calls at a place of a board, by the text that it had. */
const answers = new WeakMap();

async function systemCall(one, place, table, signal) {
  if (!answers.has(one)) answers.set(one, new Map());
  const known = answers.get(one);
  const key = [place, editionOf(table), table].join(" ");
  if (!known.has(key)) {
    const hand = one.hands[(one.dealer + place) % 4];
    known.set(key, (await post("/v1/bid", { hand, ...placeRequest({ ...one, at: place, table }) }, { signal })).call);
  }
  return known.get(key);
}

/** A call that cost something, as a link to its place, and what the system calls there. */
function costNode(one, place, loss, table, signal) {
  const { hands, dealer, vulnerability, calls } = one;
  const system = h("span", { class: "soft" });
  const call = calls[place];
  systemCall(one, place, table, signal).then((other) => put(system, " ", other === call
    ? phrase("boards.system-too") : phraseNodes("boards.system-other", { call: callNode(other) })),
  // no system knows the place, or none can be asked: what the call cost is said without it
  () => {});
  const link = h("a", { href: linkTo({ hands, dealer, vulnerability, calls, at: place, view: "call", asked: "" }) }, callNode(call));
  return h("li", null, phraseNodes("boards.call-cost", {
    number: loss, seat: SEAT_NAMES[(dealer + place) % 4], call: link, place: place + 1,
  }), system);
}

function costlyNode(one, { calls }, table, signal) {
  const costly = calls.flatMap((loss, place) => (loss ? [[place, loss]] : []));
  if (!costly.length) return h("p", null, phrase("boards.no-call-cost"));
  return h("ul", { class: "costly-calls" }, costly.map(([place, loss]) => costNode(one, place, loss, table, signal)));
}

function playText({ tricks, imps }) {
  const took = phrase(tricks > 0 ? "boards.play-more" : "boards.play-less", { number: Math.abs(tricks) });
  return imps ? phrase("boards.play-imps", { took, number: Math.abs(imps), side: sideOf(imps) }) : `${took}.`;
}

/** What the calls of a board cost and what the play won, as far as it is known. */
function worthNodes(one, compared, table, signal) {
  const worth = knownWorth(one);
  return [
    compared && h("p", null, othersText(compared)),
    worth && [
      h("p", null, parNodes(worth.par), phrase(worth.toPar === null ? "boards.par-alone" : "boards.to-par", {
        par: toParText(worth.toPar ?? 0),
      })),
      worth.calls && costlyNode(one, worth, table, signal),
      worth.play?.tricks ? h("p", null, playText(worth.play)) : null,
    ],
  ];
}

// --- those that are seen --------------------------------------------------------------------------

/**
 * Places of the list for what boards are worth. `place(one, compared)` makes one, `begin()` solves those that are seen
 * from now on, `clear()` forgets the places of a list that is drawn anew. All ends with `signal`.
 */
export function worthPlaces(solve, table, signal) {
  let places = [];
  let isBegun = false;
  let isRunning = false;
  const seen = new Set();
  const draw = ({ node, one, compared }, ...more) => clear(node, worthNodes(one, compared, table, signal), more);
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
    run();
  }, { rootMargin: NEAR });
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
  const begin = () => {
    isBegun = true;
    for (const { node, one } of places) if (isUnsolved(one)) observer.observe(node);
  };
  /** The first place that is seen and is not solved. */
  const next = () => places.find(({ node, one }) => seen.has(node) && isUnsolved(one));

  async function run() {
    if (isRunning) return;
    isRunning = true;
    try {
      for (let one = next(); one && !signal.aborted; one = next()) if (!await solveOne(one)) return;
    } finally {
      isRunning = false;
    }
  }

  /** Solve the board of a place, and draw all of its deal; whether it went well. */
  async function solveOne(place) {
    const bar = h("progress", { max: STRAINS, value: 0, "aria-label": phrase("dummy.solving") });
    draw(place, h("p", { class: "soft" }, busy(phrase("dummy.solving")).childNodes[0], phrase("dummy.solving"), " ", bar));
    try {
      await solve(place.one, { signal, progress: () => { bar.value += 1; } });
    } catch (error) {
      if (signal.aborted) return false;
      // what one could not be is none: who wants it asks again
      observer.disconnect();
      draw(place, failure(error, () => {
        draw(place);
        begin();
      }));
      return false;
    }
    if (signal.aborted) return false;
    const key = dealKey(place.one);
    places.filter(({ one }) => dealKey(one) === key).forEach((one) => {
      observer.unobserve(one.node);
      draw(one);
    });
    return true;
  }

  return {
    place(one, compared) {
      const node = h("div", { class: "board-worth small" });
      const mine = { node, one, compared };
      places.push(mine);
      draw(mine);
      if (isBegun && isUnsolved(one)) observer.observe(node);
      return node;
    },
    begin,
    clear() {
      observer.disconnect();
      seen.clear();
      places = [];
    },
  };
}
