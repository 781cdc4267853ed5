// Playing a hand out: one declares, defends or looks on, and the others' cards are chosen.

import { readBoard, writeBoard } from "../boards/board_code.js";
import { lendCalls } from "../deal/bidding_box.js";
import { contractOf, firstIllegal, isOver, readCalls, SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { cardPlayer, choosers } from "./card_chooser.js";
import { followPlay } from "../bridge/card_play.js";
import { SUIT_NAMES } from "../bridge/cards.js";
import { SIDE_NAMES } from "../deal/deal_diagram.js";
import { busy, clear, h, notice, say } from "../dom.js";
import { cardsNode, contractNodes, contractText } from "../format.js";
import { copyButton, failure, keepingNotes, plainAuction } from "./game_table.js";
import { cardOfKey, playDiagram, spokenCard } from "./play_diagram.js";
import { resultNodes, showReview } from "./play_review.js";
import { change, linkTo, state } from "../state.js";
import { store, stored } from "../frame/storage.js";
import { phrase, phraseNodes } from "../texts.js";

const NAME = "play";
const WATCH = "watch";
const BETWEEN = "~";
const OWN_SEAT = 2;
/** For a trick to be seen, and a card of those that play by themselves. */
const TRICK_MS = 1200;
const CARD_MS = 300;

export function key(now) {
  return JSON.stringify([now.asked, now.table]);
}

/** What an address says of a play: the board, its auction, and the part that one takes, which may be left out. */
function writePlay(board, calls, role = "") {
  return [writeBoard(board), calls.join("-"), ...(role ? [role] : [])].join(BETWEEN);
}

/** Whether a position is a board whose auction ended in a contract. */
export function isPlayable({ hands, calls, dealer }) {
  return hands.every(Boolean) && isOver(calls) && contractOf(calls, dealer) !== null;
}

/** A button that leads to the play of a position; null where there is nothing to play. */
export function playButton(position, seat = OWN_SEAT) {
  if (!isPlayable(position)) return null;
  const asked = writePlay({ ...position, seat }, position.calls);
  return h("button", { type: "button", onclick: () => change({ view: "cards", table: position.table, asked }) }, phrase("play.out"));
}

/** Go to the play of a position at once, with the cards of a seat; declarer plays where that is dummy. */
export function playAs(position, seat) {
  const { declarer } = contractOf(position.calls, position.dealer);
  const role = SEATS[(seat - declarer) % 2 === 0 ? declarer : seat];
  change({ view: "cards", table: position.table, asked: writePlay({ ...position, seat }, position.calls, role) });
}

/** Play of a text; throws a sentence. */
function readPlay(text) {
  const [code, auction = "", role = ""] = text.split(BETWEEN);
  const board = readBoard(code);
  const calls = readCalls(auction);
  const contract = firstIllegal(calls) < 0 && isOver(calls) ? contractOf(calls, board.dealer) : null;
  if (!contract) throw new Error(phrase("play.no-contract"));
  if (role && role !== WATCH && !SEATS.includes(role)) throw new Error(phrase("game.link-broken", { problem: role }));
  return { ...board, calls, contract, role };
}

function isStored(value) {
  const board = readPlay(value.asked);
  return followPlay(value.play, board.hands, board.contract) !== null && value.chosen.length <= value.play.length
    && (value.claimed === null || Number.isInteger(value.claimed)) && typeof value.table === "string";
}

/** What was played of a board before. */
function playedOf(asked, table) {
  const found = stored(NAME, isStored);
  return found?.asked === asked && found.table === table ? found : { play: [], chosen: [], claimed: null };
}

function keepPlay({ asked, table, play, chosen, claimed }) {
  store(NAME, { asked, table, play, chosen, claimed });
}

/** Seats whose cards one plays. */
function ownSeats({ role, contract }) {
  if (role === WATCH) return [];
  const seat = SEATS.indexOf(role);
  return seat === contract.declarer ? [seat, (seat + 2) % 4] : [seat];
}

// --- keys -----------------------------------------------------------------------------------------

let keyTaker = null;
let suit = "";

/** A key of a game that is played with cards: whether it meant something. */
export function pressCardKey(name) {
  return keyTaker?.(name) ?? false;
}

function lendKeys(take) {
  keyTaker = take;
  suit = "";
}

// --- before ---------------------------------------------------------------------------------------

/** Without a board in the address: the play that is under way, else the deal of the page, else the last play. */
function showNothing(place) {
  const now = state();
  const found = stored(NAME, isStored);
  const isUnderWay = found && found.claimed === null && found.play.length < 52;
  const ofDeal = isPlayable(now) ? { asked: writePlay({ ...now, seat: OWN_SEAT }, now.calls) } : null;
  const ofStored = found && { asked: found.asked, table: found.table };
  const next = isUnderWay ? ofStored : ofDeal ?? ofStored;
  if (next) {
    change(next, { quiet: true });
    return;
  }
  clear(place, notice("info", phrase("play.nothing")), h("p", { class: "row" },
    h("a", { href: linkTo({ view: "call", asked: "" }) }, phrase("play.to-deal")),
    h("a", { href: linkTo({ view: "bid", asked: "" }) }, phrase("play.to-bid"))));
}

function showChoice(place, board, now) {
  const { contract, calls, seat } = board;
  const { declarer } = contract;
  const own = (seat - declarer) % 2 === 0 ? declarer : seat;
  const choices = [
    ["declare", declarer], ["defend-lead", (declarer + 1) % 4], ["defend", (declarer + 3) % 4],
  ].map(([what, one]) => [SEATS[one], phrase(`play.${what}`, { seat: SEAT_NAMES[one] }), one === own]);
  choices.push([WATCH, phrase("play.watch"), false]);
  clear(
    place, h("p", { class: "big" }, contractNodes(contract)),
    h("p", null, phrase("game.dealer", { seat: SEAT_NAMES[board.dealer], side: SIDE_NAMES[board.vulnerability] })),
    plainAuction(board), h("h3", null, phrase("play.choose")),
    h("div", { class: "row" }, choices.map(([role, text, isMain]) => h("button", {
      type: "button", class: isMain ? "main" : null, onclick: () => change({ asked: writePlay(board, calls, role), table: now.table }),
    }, text))),
  );
  return phrase("play.choose");
}

// --- the play -------------------------------------------------------------------------------------

const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const CHOOSER = "play-chooser";

function chooser() {
  const possible = choosers();
  const wished = stored(CHOOSER, (value) => typeof value === "string");
  return possible.includes(wished) ? wished : possible[0];
}

function chooserNode() {
  const hint = h("p", { class: "soft small" }, phrase(`play.others-${chooser()}`));
  const select = h("select", {
    id: "play-chooser", onchange: () => {
      store(CHOOSER, select.value);
      hint.textContent = phrase(`play.others-${select.value}`);
    },
  }, choosers().map((one) => h("option", { value: one, selected: one === chooser() }, phrase(`play.chooser-${one}`))));
  return [h("span", { class: "field" }, h("label", { for: "play-chooser" }, phrase("play.chooser")), select), hint];
}

class Game {
  constructor(board, now, place, signal) {
    Object.assign(this, board, { table: now.table, asked: now.asked, place, signal, own: ownSeats(board) });
    const { play, chosen, claimed } = playedOf(now.asked, now.table);
    Object.assign(this, { play: [...play], chosen: [...chosen], claimed });
    this.player = cardPlayer(signal);
    /** Cards that are asked for; another number means that what comes is too late. */
    this.turn = 0;
    this.isRunning = false;
  }

  get at() {
    return followPlay(this.play, this.hands, this.contract);
  }

  get isOver() {
    return this.claimed !== null || this.play.length === 52;
  }

  /** Tricks of declarer's side, when it is over. */
  get tricks() {
    return this.claimed ?? this.at.tricks;
  }

  isOwn(seat) {
    return this.own.includes(seat);
  }

  isSeen(seat) {
    const dummy = (this.contract.declarer + 2) % 4;
    if (this.role === WATCH || seat === SEATS.indexOf(this.role)) return true;
    return seat === dummy && this.play.length > 0;
  }

  /** Place of the last card that was one's own choice, or -1; one who looks on takes back any. */
  get lastDecision() {
    return this.chosen.findLastIndex(({ by }) => this.role === WATCH || by === "you");
  }

  /** Take the last own card back, and all that was played after it; what is thought of comes too late. */
  takeBack() {
    const index = this.lastDecision;
    this.turn += 1;
    this.isRunning = false;
    this.play.length = index;
    this.chosen.length = index;
    keepPlay(this);
  }

  add(card, chosen) {
    this.play.push(card);
    this.chosen.push(chosen);
    keepPlay(this);
  }
}

export async function show(place, now, signal) {
  if (!now.asked) {
    showNothing(place);
    return "";
  }
  let board;
  try {
    board = readPlay(now.asked);
  } catch (error) {
    clear(place, notice("error", error.message), h("p", null, h("a", { href: linkTo({ view: "bid", asked: "" }) }, phrase("play.to-bid"))));
    return error.message;
  }
  if (!board.role) return showChoice(place, board, now);
  signal.addEventListener("abort", () => {
    lendCalls(null);
    lendKeys(null);
  });
  const game = new Game(board, now, place, signal);
  if (game.isOver) showEnd(game);
  else run(game);
  return "";
}

/** Words of a trick's winner and of the last card. */
function playReport(game, seat, card) {
  const { done, trick } = game.at;
  const sentence = phrase("play.said", { seat: SEAT_NAMES[seat], card: spokenCard(card) });
  return trick.length || !done.length ? sentence : `${sentence} ${phrase("play.trick-won", { seat: SEAT_NAMES[done.at(-1).winner] })}`;
}

/** The play from here on: the frame is drawn once, the cards after each card. */
function run(game) {
  const { place, contract } = game;
  game.turn += 1;
  const scene = h("div", { class: "scene", tabindex: "-1" });
  const problem = h("div", null);
  const undo = h("button", { type: "button", onclick: () => takeBack() }, phrase("auction.undo"));
  const walking = game.role === WATCH ? [
    h("button", { type: "button", class: "main", onclick: () => playOn(1) }, phrase("play.next")),
    h("button", { type: "button", onclick: () => playOn(52) }, phrase("play.to-end")),
  ] : [];
  const claim = h("details", { class: "claim", ontoggle: () => claim.open && drawClaim() }, h("summary", null, phrase("play.claim")), h("div", null));
  clear(
    place, keepingNotes(),
    h("p", { class: "big" }, contractNodes(contract)),
    scene, problem,
    h("div", { class: "row" }, walking, undo, claim,
      h("a", { href: linkTo({ asked: writePlay(game, game.calls) }) }, phrase("play.other-part")), copyButton()),
    h("div", { class: "row fields" }, chooserNode()),
    h("details", null, h("summary", null, phrase("page.auction")), plainAuction(game)),
  );

  const draw = () => {
    const { at } = game;
    const hadFocus = scene.contains(document.activeElement) || document.activeElement === document.body;
    const isTurn = game.isOwn(at.turn) && !game.isRunning;
    const left = 13 - at.done.length;
    const last = at.done.at(-1);
    clear(
      scene,
      h("p", { class: "turn-line" }, phrase(
        isTurn ? "play.your-turn" : game.isRunning ? "play.thinking" : "play.waiting", { seat: SEAT_NAMES[at.turn] },
      ), h("span", { class: "soft" }, phrase("play.score", { own: at.tricks, other: at.done.length - at.tricks, left }))),
      playDiagram({
        at, contract, vulnerability: game.vulnerability, isSeen: (seat) => game.isSeen(seat),
        below: game.role === WATCH ? OWN_SEAT : SEATS.indexOf(game.role), take: isTurn ? take : null,
      }),
      last && h("p", { class: "soft small last-trick" }, phraseNodes("play.last", {
        cards: last.cards.map((card, index) => [
          index ? " " : "", h("span", { class: "holding" }, SEATS[(last.leader + index) % 4], " ", cardsNode([card])),
        ]),
        seat: SEAT_NAMES[last.winner],
      })),
    );
    undo.disabled = game.lastDecision < 0;
    for (const one of walking) one.disabled = game.isRunning;
    // a claim is about the cards as they lie now
    claim.open = false;
    claim.hidden = game.isRunning;
    if (hadFocus && isTurn) scene.querySelector(".card-button")?.focus();
    lendKeys((name) => {
      if (name === "Backspace") {
        takeBack();
        return true;
      }
      if (!isTurn) return false;
      if ("shdc".includes(name)) {
        suit = name.toUpperCase();
        say(phrase("play.suit-key", { suit: SUIT_NAMES[suit] }));
        return true;
      }
      const card = cardOfKey(name, suit, at.legal);
      if (!card) return false;
      take(card);
      return true;
    });
    lendCalls(null, takeBack);
  };

  function takeBack() {
    if (game.lastDecision < 0) return;
    game.takeBack();
    goOn();
  }

  function take(card) {
    const seat = game.at.turn;
    game.add(card, { by: "you", why: "" });
    say(playReport(game, seat, card));
    goOn();
  }

  /** Let the others play until it is one's turn. */
  async function goOn() {
    const { turn } = game;
    clear(problem);
    for (;;) {
      const { at } = game;
      if (game.isOver) {
        showEnd(game);
        return;
      }
      game.isRunning = game.role !== WATCH && !game.isOwn(at.turn);
      draw();
      if (!game.isRunning) {
        say(phrase(game.role === WATCH ? "play.waiting" : "play.your-turn", { seat: SEAT_NAMES[at.turn] }));
        return;
      }
      if (!await playOne(turn, at)) return;
    }
  }

  /** One card of somebody else; whether there is one. */
  async function playOne(turn, at) {
    try {
      const pause = wait(at.trick.length || !at.done.length ? CARD_MS : TRICK_MS);
      const { card, by, why } = await game.player.choose(game, at, chooser());
      await pause;
      if (game.signal.aborted || turn !== game.turn) return false;
      game.add(card, { by, why });
      say(playReport(game, at.turn, card));
      return true;
    } catch (error) {
      if (game.signal.aborted || turn !== game.turn) return false;
      game.isRunning = false;
      draw();
      clear(problem, failure(error, () => goOn()));
      say(error.message);
      return false;
    }
  }

  /** Some cards for one who looks on. */
  async function playOn(most) {
    const { turn } = game;
    for (let number = 0; number < most && !game.isOver; number += 1) {
      game.isRunning = true;
      draw();
      if (!await playOne(turn, game.at)) return;
    }
    game.isRunning = false;
    goOn();
  }

  function drawClaim() {
    const { at } = game;
    const left = 13 - at.done.length;
    const declares = game.role === WATCH || game.own.includes(contract.declarer);
    const status = h("div", { "aria-live": "polite" });
    const select = h("select", { id: "claim-tricks" }, Array.from({ length: left + 1 }, (_, number) => (
      h("option", { value: number, selected: number === left }, String(number)))));
    const accept = async () => {
      const own = Number(select.value);
      const wanted = declares ? own : left - own;
      clear(status, busy(phrase("play.claim-asking")));
      try {
        const found = await game.player.left(game, at);
        if (game.signal.aborted || !claim.open) return;
        if (declares ? wanted > found : wanted < found) {
          clear(status, notice("info", phrase("play.claim-refused")));
          return;
        }
        game.turn += 1;
        game.claimed = at.tricks + wanted;
        keepPlay(game);
        showEnd(game);
      } catch (error) {
        if (!game.signal.aborted) clear(status, notice("error", error.message));
      }
    };
    clear(claim.lastChild, h("div", { class: "row" },
      h("label", { for: "claim-tricks" }, phrase(declares ? "play.claim-declarer" : "play.claim-defender")), select,
      h("button", { type: "button", onclick: accept }, phrase("play.claim"))), status);
  }

  goOn();
}

// --- after ----------------------------------------------------------------------------------------

function showEnd(game) {
  const { place, contract, signal } = game;
  const review = h("div", null);
  lendKeys(null);
  const back = () => {
    if (game.claimed === null) game.takeBack();
    else game.claimed = null;
    keepPlay(game);
    run(game);
  };
  const anew = () => {
    Object.assign(game, { play: [], chosen: [], claimed: null });
    keepPlay(game);
    run(game);
  };
  clear(
    place, keepingNotes(),
    h("div", { class: "headline", tabindex: "-1" },
      h("p", { class: "big" }, resultNodes(game, game.tricks)),
      game.claimed !== null && h("p", { class: "soft" }, phrase("play.claimed")),
      h("div", { class: "row" },
        h("button", { type: "button", onclick: anew }, phrase("play.anew")),
        (game.claimed !== null || game.lastDecision >= 0) && h("button", { type: "button", onclick: back }, phrase("auction.undo")),
        h("a", { href: linkTo({ view: "bid", asked: "" }) }, phrase("play.to-bid")),
        h("a", { href: linkTo({
          view: "call", asked: "", hands: game.hands, dealer: game.dealer, vulnerability: game.vulnerability, calls: game.calls, at: null,
        }) }, phrase("bid.look")))),
    review,
  );
  say(phrase("play.over", { contract: contractText(contract), tricks: phrase("dummy.tricks", { number: game.tricks }) }));
  showReview(review, game, game.tricks, game.player, signal);
}
