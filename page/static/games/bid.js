// Bidding with the system: one sees the own hand, the system bids the three others.

import { reasonText } from "../answers/answer_call.js";
import { post } from "../api.js";
import { readBoard, writeBoard } from "../boards/board_code.js";
import { lendCalls } from "../deal/bidding_box.js";
import { contractOf, isLegal, isOver, SEAT_NAMES, SEATS, spokenCall } from "../bridge/calls.js";
import { randomDealer, randomHands, randomVulnerability, writeDeal } from "../bridge/cards.js";
import { ownAuction, partingOf } from "../answers/compare.js";
import { compassNode } from "../deal/deal_diagram.js";
import { busy, clear, h, notice, put, say } from "../dom.js";
import { solvedInParts, solvedNodes, valueNodes } from "../deal/double_dummy.js";
import { callsOf, showEvening, storeCalls, storeValue, unfinished } from "./evening.js";
import { callNode, contractNodes, contractText } from "../format.js";
import { copyButton, failure, gameTable, keepingNotes, plainAuction, showMeanings } from "./game_table.js";
import { isPlayable, playAs, playButton } from "./play.js";
import { change, linkTo, placeRequest } from "../state.js";
import { store, stored } from "../frame/storage.js";
import { phrase, phraseNodes } from "../texts.js";
import { fitsToo, kindsNode, whyNode } from "../answers/why.js";

const OWN_SEAT = 2;

export function key(now) {
  return JSON.stringify([now.asked, now.table]);
}

function newBoard() {
  return { hands: randomHands(), dealer: randomDealer(), vulnerability: randomVulnerability(), seat: OWN_SEAT };
}

function isSwitch(value) {
  return typeof value === "boolean";
}

/** Deals of which the system bids some at once, and how often, until one has a call for the player. */
const AT_ONCE = 20;
const TRIES = 10;
const ACTING = "bid-acting";
/** Whether the cards are played when the auction is over, before all hands are seen. */
const PLAYING = "bid-playing";
let note = "";

/** A new board; where it is wished, one on which the system has a call other than pass for the player. */
async function boardToBid(table, signal) {
  note = "";
  if (!stored(ACTING, isSwitch)) return newBoard();
  for (let tries = 0; tries < TRIES; tries += 1) {
    const boards = Array.from({ length: AT_ONCE }, newBoard);
    const answer = await post("/v1/auctions", {
      deals: boards.map(({ hands, dealer, vulnerability }) => ({ deal: writeDeal(hands), dealer: SEATS[dealer], vulnerability })),
      mode: "first", ...(table ? { table } : {}),
    }, { signal });
    const found = boards.find(({ dealer, seat }, place) => (
      answer.results[place].auctions[0]?.calls.some((call, index) => (dealer + index) % 4 === seat && call !== "P")
    ));
    if (found) return found;
  }
  note = phrase("bid.none-to-act", { number: TRIES * AT_ONCE });
  return newBoard();
}

async function nextBoard(table, signal, quiet = false) {
  const board = await boardToBid(table, signal);
  if (!signal.aborted) change({ asked: writeBoard(board) }, { quiet });
}

/** A switch that the browser keeps. */
function switchNode(name, text) {
  const box = h("input", { type: "checkbox", id: name, onchange: () => store(name, box.checked) });
  box.checked = stored(name, isSwitch) ?? false;
  return h("label", { class: "check" }, box, " ", text);
}

/** A board as a position of the page, with some calls. */
function positionOf(board, calls, table) {
  return { hands: board.hands, dealer: board.dealer, vulnerability: board.vulnerability, calls, at: null, table };
}

/** The call and the reasons of the system at one place of a board. */
function systemAt(board, calls, table, signal) {
  const hand = board.hands[(board.dealer + calls.length) % 4];
  return post("/v1/bid", { hand, ...placeRequest(positionOf(board, calls, table)), candidates: true, words: true }, { signal });
}

export async function show(place, now, signal) {
  if (!now.asked) {
    const code = unfinished(now.table);
    if (code) change({ asked: code }, { quiet: true });
    else await nextBoard(now.table, signal, true);
    return "";
  }
  let board;
  try {
    board = readBoard(now.asked);
  } catch (error) {
    clear(place, notice("error", error.message), h("p", null, h("button", {
      type: "button", class: "main", onclick: () => nextBoard(now.table, signal),
    }, phrase("bid.deal-new"))));
    return error.message;
  }
  const calls = callsOf(now.asked, now.table);
  signal.addEventListener("abort", () => lendCalls(null));
  const scene = h("div", { tabindex: "-1", class: "scene" });
  const evening = h("section", null);
  const dealt = h("div", null);
  const next = async () => {
    clear(dealt, busy(phrase("bid.dealing")));
    try {
      await nextBoard(now.table, signal);
    } catch (error) {
      if (!signal.aborted) clear(dealt, failure(error, next));
    }
  };
  clear(place, h("p", { class: "soft" }, phrase("bid.intro")), dealt, scene, h("p", { class: "row" }, switchNode(ACTING, phrase("bid.acting")), switchNode(PLAYING, phrase("bid.playing"))), evening);
  if (note) put(dealt, notice("info", note));
  note = "";
  const game = { board, calls, table: now.table, code: now.asked, scene, evening, signal, next };
  if (isOver(calls)) showEnd(game);
  else bid(game);
  showEvening(evening);
  return "";
}

/** Index of the player's last call, or -1. */
function lastOwn({ board, calls }) {
  return calls.findLastIndex((_, index) => (board.dealer + index) % 4 === board.seat);
}

/** Take the player's last call back, and all that was called after it. */
function takeBack(game) {
  const last = lastOwn(game);
  if (last < 0) return;
  game.calls.length = last;
  storeCalls(game.code, game.table, game.calls);
  bid(game);
  game.scene.focus();
}

/** Let the others call until it is the player's turn or the auction is over. */
async function bid(game) {
  const { board, calls, scene, signal } = game;
  const undo = h("button", { type: "button", onclick: () => takeBack(game) }, phrase("auction.undo"));
  const deal = h("button", { type: "button", onclick: game.next }, phrase("bid.deal-new"));
  const table = gameTable({ ...board, hand: board.hands[board.seat] }, [undo, deal]);
  const problem = h("div", null);
  const meanings = h("div", null);
  // the links in it must not show what the others hold
  const hands = board.hands.map((hand, seat) => (seat === board.seat ? hand : ""));
  const tellMeanings = () => unfold.open
    && showMeanings(meanings, positionOf({ ...board, hands }, [...calls], game.table), signal);
  const unfold = h("details", { ontoggle: (event) => event.target === unfold && tellMeanings() },
    h("summary", null, phrase("meanings.title")), meanings);
  const notes = h("div", null, keepingNotes());
  clear(scene, notes, table.node, problem, unfold);
  const seatToCall = () => (board.dealer + calls.length) % 4;

  const made = (call) => {
    calls.push(call);
    storeCalls(game.code, game.table, calls);
    if (!notes.firstChild) put(notes, keepingNotes());
    tellMeanings();
  };

  const goOn = async () => {
    const said = [];
    clear(problem);
    lendCalls(null);
    undo.disabled = true;
    try {
      while (!isOver(calls) && seatToCall() !== board.seat) {
        table.show(calls, false);
        const seat = SEAT_NAMES[seatToCall()];
        const answer = await systemAt(board, calls, game.table, signal);
        if (signal.aborted) return;
        made(answer.call);
        said.push(phrase("bid.called", { seat, call: spokenCall(answer.call) }));
      }
    } catch (error) {
      if (signal.aborted) return;
      put(problem, failure(error, goOn));
      say(error.message);
      return;
    }
    if (isOver(calls)) {
      const position = positionOf(board, calls, game.table);
      if (stored(PLAYING, isSwitch) && isPlayable(position)) {
        playAs(position, board.seat);
        return;
      }
      showEnd(game);
      showEvening(game.evening);
      if (document.activeElement === document.body) scene.focus();
      return;
    }
    table.show(calls, true);
    undo.disabled = lastOwn(game) < 0;
    lendCalls((call) => {
      if (!isLegal(calls, call)) return false;
      made(call);
      goOn();
      return true;
    }, () => takeBack(game));
    say(phrase("bid.turn", { calls: said.join(" ") }));
  };
  goOn();
}

/** All hands, what was called and what the system calls, the result on request. */
function showEnd(game) {
  const { board, calls, scene, signal } = game;
  const position = positionOf(board, [...calls], game.table);
  const contract = contractOf(calls, board.dealer);
  const turns = h("div", null, busy(phrase("meanings.asking")));
  const meanings = h("div", null);
  const result = h("div", { "aria-live": "polite" });
  lendCalls(null, () => takeBack(game));
  const ask = async () => {
    clear(result, busy(phrase("dummy.solving")));
    try {
      await showResult(game, position, result);
      showEvening(game.evening);
    } catch (error) {
      if (!signal.aborted) clear(result, failure(error, ask));
    }
  };
  const anew = () => {
    calls.length = 0;
    bid(game);
  };
  clear(
    scene, keepingNotes(),
    h("div", { class: "headline" },
      h("p", { class: "big" }, phraseNodes("bid.contract", { contract: h("span", null, contractNodes(contract)) })),
      h("div", { class: "row" },
        h("button", { type: "button", class: "main", onclick: game.next }, phrase("bid.next")),
        playButton(position, board.seat),
        h("button", { type: "button", onclick: anew }, phrase("bid.anew")),
        lastOwn(game) >= 0 && h("button", { type: "button", onclick: () => takeBack(game) }, phrase("auction.undo")),
        copyButton(),
        h("a", { href: linkTo({ ...position, view: "call", asked: "" }) }, phrase("bid.look")))),
    h("div", { class: "sides" },
      h("section", null, compassNode(position)),
      h("section", null, plainAuction(position), h("h3", null, phrase("dummy.show")), result)),
    h("section", null, h("h3", null, phrase("bid.turns")), turns),
    h("section", null, h("h3", null, phrase("meanings.title")), meanings),
  );
  clear(result, h("p", { class: "soft" }, phrase("bid.result-hint")),
    h("button", { type: "button", onclick: ask }, phrase("bid.result")));
  say(phrase("bid.over", { contract: contractText(contract) }));
  showTurns(game, turns);
  showMeanings(meanings, position, signal);
}

/** Every own call with that of the system, and why. */
async function showTurns(game, place) {
  const { board, signal } = game;
  const calls = [...game.calls];
  const own = calls.map((_, index) => index).filter((index) => (board.dealer + index) % 4 === board.seat);
  try {
    const answers = await Promise.all(own.map((index) => systemAt(board, calls.slice(0, index), game.table, signal)));
    if (signal.aborted) return;
    const agreed = own.filter((index, turn) => calls[index] === answers[turn].call).length;
    storeValue(game.code, game.table, { agreed: [agreed, own.length] });
    showEvening(game.evening);
    clear(
      place, !own.length && h("p", { class: "soft" }, phrase("bid.no-turns")),
      own.length > 0 && agreed === own.length && h("p", null, phrase("bid.all-agree")),
      h("ol", { class: "own-calls" }, own.map((index, turn) => (
        turnNode(positionOf(board, calls.slice(0, index + 1), game.table), answers[turn], signal)
      ))),
    );
  } catch (error) {
    if (!signal.aborted) clear(place, failure(error, () => showTurns(game, place)));
  }
}

function turnNode(position, answer, signal) {
  const call = position.calls.at(-1);
  const agrees = call === answer.call;
  const fits = fitsToo(answer, call, position.hands[(position.dealer + position.calls.length - 1) % 4]);
  const system = agrees ? h("span", { class: "met" }, phrase("bid.agrees"))
    : h("span", { class: fits ? "soft" : "missed" },
      phraseNodes(fits ? "bid.fits" : "bid.instead", { call: callNode(answer.call) }));
  return h(
    "li", { class: "own-call" }, h("p", null, callNode(call), " ", system),
    h("p", { class: agrees ? "soft" : null }, answer.name && h("strong", null, answer.name, ": "), reasonText(answer)),
    !agrees && [whyNode(answer, call), kindsNode(position, signal)],
  );
}

function swingText(imps) {
  if (imps === 0) return phrase("bid.swing-none");
  return phrase(imps > 0 ? "bid.swing-won" : "bid.swing-lost", { number: Math.abs(imps) });
}

/** Double dummy: the contract, that of the system's own auction, IMPs between them, par. */
async function showResult({ board, table, code, signal }, position, place) {
  const own = await ownAuction(position, table, signal);
  for await (const solved of solvedInParts(board, [position.calls, own], signal)) {
    if (signal.aborted) return;
    if (solved.auctions[0].imps[1] === null) clear(place, solvedNodes(solved));
    else showSwing({ board, table, code }, position, own, solved, place);
  }
}

function showSwing({ board, table, code }, position, own, solved, place) {
  const [mine, theirs] = solved.auctions;
  // those of North-South, and never minus nothing
  const imps = (board.seat % 2 ? -mine.imps[1] : mine.imps[1]) || 0;
  storeValue(code, table, { imps });
  const parting = partingOf(own, position.calls);
  clear(
    place,
    h("p", { class: "big-text" }, swingText(imps)),
    h("p", null, phraseNodes("bid.yours", { worth: valueNodes(mine) })),
    parting < 0 ? h("p", null, phrase("bid.same-auction")) : [
      h("p", null, phraseNodes("bid.systems", { worth: valueNodes(theirs) })),
      h("details", null, h("summary", null, phrase("bid.system-auction")),
        plainAuction({ ...position, calls: own }, null, parting)),
    ],
    solvedNodes(solved),
  );
}
