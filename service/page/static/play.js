// Play against the system: one sees the own hand, the system bids the three others.

import { post } from "./api.js";
import { readBoard, writeBoard } from "./board_code.js";
import { lendCalls } from "./bidding_box.js";
import { contractOf, isLegal, isOver, SEAT_NAMES, spokenCall } from "./calls.js";
import { randomDealer, randomHands, randomVulnerability } from "./cards.js";
import { ownAuction } from "./compare.js";
import { compassNode } from "./deal_diagram.js";
import { busy, clear, h, notice, put } from "./dom.js";
import { solve, solvedNodes, worthNodes } from "./double_dummy.js";
import { callsOf, keepCalls, keepWorth, showEvening, unfinished } from "./evening.js";
import { callNode, contractNodes, contractText } from "./format.js";
import { copyButton, failure, gameTable, keepingNotes, plainAuction, say } from "./game_table.js";
import { showMeanings } from "./meanings.js";
import { kindsNode, reasonNodes, saidNodes } from "./reasons.js";
import { change, linkTo, placeAsked } from "./state.js";
import { GAME, PLAY as TEXTS } from "./texts.js";

export const title = TEXTS.title;

const OWN_SEAT = 2;

export function key(now) {
  return JSON.stringify([now.asked, now.table]);
}

function newBoard() {
  return writeBoard({
    hands: randomHands(), dealer: randomDealer(), vulnerability: randomVulnerability(), seat: OWN_SEAT,
  });
}

function nextBoard() {
  change({ asked: newBoard() });
}

/** A board as a position of the page, with some calls. */
function positionOf(board, calls, table) {
  return { hands: board.hands, dealer: board.dealer, vulnerability: board.vulnerability, calls, at: null, table };
}

/** The call and the reasons of the system at one place of a board. */
function systemAt(board, calls, table, signal) {
  const hand = board.hands[(board.dealer + calls.length) % 4];
  return post("/v1/bid", { hand, ...placeAsked(positionOf(board, calls, table)) }, { signal });
}

export async function show(place, now, signal) {
  if (!now.asked) {
    change({ asked: unfinished(now.table) ?? newBoard() }, { quiet: true });
    return "";
  }
  let board;
  try {
    board = readBoard(now.asked);
  } catch (error) {
    clear(place, notice("error", error.message), h("p", null, h("button", {
      type: "button", class: "main", onclick: nextBoard,
    }, TEXTS.dealNew)));
    return error.message;
  }
  const calls = callsOf(now.asked, now.table);
  signal.addEventListener("abort", () => lendCalls(null));
  const scene = h("div", { tabindex: "-1", class: "scene" });
  const evening = h("section", null);
  clear(place, h("p", { class: "soft" }, TEXTS.intro), scene, evening);
  const game = { board, calls, table: now.table, code: now.asked, scene, evening, signal };
  if (isOver(calls)) showEnd(game);
  else bid(game);
  showEvening(evening);
  return "";
}

/** Let the others call until it is the player's turn or the auction is over. */
async function bid(game) {
  const { board, calls, scene, signal } = game;
  const table = gameTable({ ...board, hand: board.hands[board.seat] });
  const problem = h("div", null);
  const meanings = h("div", null);
  const unfold = h("details", { ontoggle: () => unfold.open && showMeanings(meanings, { ...game, dealer: board.dealer }, signal) },
    h("summary", null, GAME.meanings), meanings);
  const notes = h("div", null, keepingNotes());
  clear(scene, notes, table.node, problem, unfold);
  const seatToCall = () => (board.dealer + calls.length) % 4;

  const made = (call) => {
    calls.push(call);
    keepCalls(game.code, game.table, calls);
    clear(notes, keepingNotes());
    if (unfold.open) showMeanings(meanings, { ...game, dealer: board.dealer }, signal);
  };

  const goOn = async () => {
    clear(problem);
    const said = [];
    lendCalls(null);
    try {
      while (!isOver(calls) && seatToCall() !== board.seat) {
        table.show(calls, false);
        const who = SEAT_NAMES[seatToCall()];
        const answer = await systemAt(board, calls, game.table, signal);
        if (signal.aborted) return;
        made(answer.call);
        said.push(`${who}: ${spokenCall(answer.call)}`);
      }
    } catch (error) {
      if (signal.aborted) return;
      put(clear(problem), failure(error, goOn));
      say(error.message);
      return;
    }
    if (isOver(calls)) {
      showEnd(game);
      showEvening(game.evening);
      return;
    }
    table.show(calls, true);
    lendCalls((call) => {
      if (!isLegal(calls, call)) return false;
      made(call);
      goOn();
      return true;
    });
    say(TEXTS.turn(said.join(", ")));
  };
  goOn();
}

/** All hands, what was called and what the system calls, the result on request. */
function showEnd(game) {
  const { board, calls, scene, signal } = game;
  const position = positionOf(board, calls, game.table);
  const contract = contractOf(calls, board.dealer);
  const turns = h("div", null, busy(GAME.explaining));
  const meanings = h("div", null);
  const result = h("div", { "aria-live": "polite" });
  const hadFocus = scene.contains(document.activeElement);
  lendCalls(null);
  const ask = async () => {
    clear(result, busy(TEXTS.results));
    try {
      await showResult(game, result);
      showEvening(game.evening);
    } catch (error) {
      if (!signal.aborted) clear(result, failure(error, ask));
    }
  };
  clear(
    scene, keepingNotes(),
    h("div", { class: "headline" }, h("p", { class: "big" }, TEXTS.contract, contractNodes(contract)),
      h("div", { class: "row" },
        h("button", { type: "button", class: "main", onclick: nextBoard }, TEXTS.next),
        h("button", { type: "button", onclick: () => { calls.length = 0; bid(game); } }, TEXTS.anew),
        copyButton(),
        h("a", { href: linkTo({ ...position, view: "call", asked: "" }) }, TEXTS.look))),
    h("div", { class: "sides" },
      h("section", null, compassNode(position)),
      h("section", null, plainAuction(position),
        h("h3", null, TEXTS.results), result)),
    h("section", null, h("h3", null, TEXTS.yourTurns), turns),
    h("section", null, h("h3", null, GAME.meanings), meanings),
  );
  clear(result, h("p", { class: "soft" }, TEXTS.resultHint),
    h("button", { type: "button", onclick: ask }, TEXTS.result));
  if (hadFocus) scene.focus();
  say(TEXTS.over(contractText(contract)));
  showTurns(game, turns);
  showMeanings(meanings, { ...game, dealer: board.dealer }, signal);
}

async function showTurns(game, place) {
  const { board, calls, signal } = game;
  const own = calls.map((_, index) => index).filter((index) => (board.dealer + index) % 4 === board.seat);
  try {
    const answers = await Promise.all(own.map((index) => systemAt(board, calls.slice(0, index), game.table, signal)));
    if (signal.aborted) return;
    const agreed = own.filter((index, turn) => calls[index] === answers[turn].call).length;
    keepWorth(game.code, game.table, { agreed: [agreed, own.length] });
    showEvening(game.evening);
    clear(
      place, !own.length && h("p", { class: "soft" }, TEXTS.noTurns),
      own.length > 0 && agreed === own.length && h("p", null, TEXTS.allAsSystem),
      h("ol", { class: "turns" }, own.map((index, turn) => turnNode(calls.slice(0, index + 1), answers[turn], game))),
    );
  } catch (error) {
    if (!signal.aborted) clear(place, failure(error, () => showTurns(game, place)));
  }
}

function turnNode(calls, answer, { table, signal }) {
  const call = calls.at(-1);
  const said = saidNodes(answer);
  if (call === answer.call) {
    return h("li", { class: "turn" }, callNode(call), " ", h("span", { class: "met" }, TEXTS.as), said && h("p", { class: "soft" }, said));
  }
  const reason = reasonNodes(answer, call);
  return h(
    "li", { class: "turn" }, callNode(call), " ", h("span", { class: "missed" }, TEXTS.instead, callNode(answer.call)),
    said && h("p", null, callNode(answer.call), ": ", said), reason && h("p", null, reason), kindsNode(calls, table, signal),
  );
}

/** Double dummy: the contract, that of the system's own auction, IMPs between them, par. */
async function showResult({ board, calls, table, code, signal }, place) {
  const own = await ownAuction(positionOf(board, [], table), table, signal);
  const solved = await solve(board, [calls, own], signal);
  if (signal.aborted) return;
  const [mine, theirs] = solved.auctions;
  const imps = (board.seat % 2 ? -1 : 1) * mine.imps[1] || 0;
  keepWorth(code, table, { imps });
  clear(
    place,
    h("p", { class: "big-text" }, TEXTS.imps(imps)),
    h("p", null, TEXTS.yours, worthNodes(mine), "."),
    own.join() === calls.join() ? h("p", null, TEXTS.sameAuction) : [
      h("p", null, TEXTS.systems, worthNodes(theirs), "."),
      h("details", null, h("summary", null, TEXTS.theirs), plainAuction(
        positionOf(board, own, table), null, own.findIndex((call, index) => call !== calls[index]),
      )),
    ],
    solvedNodes(solved),
  );
}
