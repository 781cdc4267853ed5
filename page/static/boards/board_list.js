// The boards that were pasted or dropped: what was bid and played, beside it what the system bids.

import { get, post } from "../api.js";
import { auctionPart, handLine, playedNodes } from "../archives/archive_boards.js";
import { statusOf, titleOf } from "./board_facts.js";
import { asksLoss, chosenBoards, readRequest, SIDES, SORTS, writeRequest } from "./board_filter.js";
import { ALL_WAYS, savingButtons } from "./board_saving.js";
import { boardSet, forgetBoards } from "./board_set.js";
import { boardSolver, isUnsolved, knownWorth, worthPlaces } from "./board_worth.js";
import { noteMark, notesNode } from "./call_notes.js";
import { contractOf, isOver, SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { shownCards, SUIT_NAMES, writeDeal } from "../bridge/cards.js";
import { partingOf } from "../answers/compare.js";
import { busy, byId, clear, h, keepFocus, notice, put, say } from "../dom.js";
import { editionOf } from "../engine_client.js";
import { contractNodes, suitNode } from "../format.js";
import { auctionProblem } from "../deal/pasting.js";
import { comparedResults } from "../games/board_values.js";
import { playedGame, showCosts } from "../games/play_review.js";
import { handoutRow } from "../games/handout.js";
import { questionsOfBoards } from "../games/handout_maker.js";
import { bidToEnd, questionsOf, writeSet } from "../games/practice_sets.js";
import { change, linkTo, state } from "../state.js";
import { count, phrase } from "../texts.js";

const PAGE = 50;
const MOST_PROBLEMS = 100;

/** What the system bids on a board, by table and the text that it had. */
const bids = new Map();
let chosen = new Set();
let chosenOf = 0;
let tellChosen = () => {};
let openFiles = () => {};
let openField = () => {};
/** Whether the fields for player, side and loss are unfolded. */
let isFiltering = false;

/** `open(files)` reads files that were chosen, `paste()` opens the field to paste into. */
export function useOpening(open, paste) {
  openFiles = open;
  openField = paste;
}

export function key(now) {
  return JSON.stringify([boardSet().version, now.asked, now.table]);
}

function dealOf({ hands, dealer, vulnerability }) {
  return { deal: writeDeal(hands), dealer: SEATS[dealer], vulnerability };
}

function bidsOf(table) {
  const edition = editionOf(table);
  if (bids.get(table)?.edition !== edition) bids.set(table, { edition, auctions: new WeakMap() });
  return bids.get(table).auctions;
}

function bidOf(one, table) {
  return bidsOf(table).get(one) ?? null;
}

/** Ask for what the system bids on boards, all in one question. */
async function bidBoards(boards, table, signal) {
  const wanted = boards.filter((one) => one.hands.every(Boolean) && !bidOf(one, table));
  if (!wanted.length) return;
  const { results } = await post("/v1/auctions", {
    deals: wanted.map(dealOf), mode: "first", ...(table ? { table } : {}),
  }, { signal });
  wanted.forEach((one, place) => bidsOf(table).set(one, results[place].auctions[0]?.calls ?? []));
}

/** Place where the table's auction and the system's part, or -1; what was never bid does not part. */
function partOf(one, bid) {
  const calls = one.calls ?? [];
  if (!bid || !calls.length) return -1;
  const parting = partingOf(calls, bid);
  return parting === calls.length && statusOf(one) !== "complete" ? -1 : parting;
}

/** Place at which a board is opened: where its auction and the system's part, if that is known; null is the end. */
export function openingPlace(one, table, calls = one.calls ?? []) {
  const parting = partOf(one, bidOf(one, table));
  return parting >= 0 && parting < calls.length ? parting : null;
}

/** What is folded at a board; it is made when it is opened, as a page has many. */
function folded(summary, name, make) {
  const details = h("details", { class: "notes", ontoggle: () => {
    if (details.childElementCount === 1) put(details, make());
  } }, h("summary", null, summary, h("span", { class: "hidden" }, ` ${name}`)));
  return details;
}

function playNode(one, name, signal) {
  const { play } = one;
  const game = playedGame(one);
  const costs = h("div", null);
  const judge = h("button", {
    type: "button", "aria-label": phrase("boards.judge-label", { name }), onclick: () => showCosts(costs, game, signal),
  }, phrase("boards.judge"));
  const tricks = play.flatMap((_, start) => (start % 4 ? [] : [play.slice(start, start + 4)]));
  const cardNode = (card) => h("span", { class: "holding" }, suitNode(card[0]),
    h("span", { class: "hidden" }, SUIT_NAMES[card[0]]), shownCards(card[1]));
  return play.length > 0 && folded(phrase("boards.play", { number: play.length }), name, () => [h(
    "ol", { class: "tricks-played" },
    tricks.map((cards) => h("li", null, cards.map((card, place) => [place ? " " : "", cardNode(card)]))),
  ), game && [h("p", null, judge), costs]]);
}

function remarksNode({ commentary }, name) {
  return commentary.length > 0 && folded(phrase("boards.remarks", { number: commentary.length }), name, () => h(
    "ul", null, commentary.map((remark) => h("li", null, remark)),
  ));
}

function systemPart(one, name, who, bid, address, isRequested) {
  if (!one.hands.every(Boolean)) return h("p", { class: "soft small" }, phrase("boards.unknown-hands"));
  if (!bid) return isRequested && h("div", null, busy(phrase("boards.bidding")));
  return auctionPart(
    "bid-by", who, name, bid, one.dealer, one, partOf(one, bid),
    contractNodes(contractOf(bid, one.dealer)), address(bid),
  );
}

function item({ one, index: place, compared }, who, table, isRequested, worths, signal) {
  const name = titleOf(one);
  const bid = bidOf(one, table);
  const parting = partOf(one, bid);
  const address = (calls) => linkTo({
    hands: one.hands, dealer: one.dealer, vulnerability: one.vulnerability, calls,
    at: openingPlace(one, table, calls), view: "call", asked: "",
  });
  const box = h("input", {
    type: "checkbox", checked: chosen.has(place),
    onchange: () => {
      if (box.checked) chosen.add(place);
      else chosen.delete(place);
      tellChosen();
    },
  });
  const players = (one.players ?? []).map((player, seat) => player && `${SEATS[seat]} ${player}`)
    .filter(Boolean).join(", ");
  const problem = auctionProblem(one);
  return h(
    "li", { class: "board-item" },
    h("div", { class: "job-head" },
      h("h4", null, h("label", { class: "check" }, box, " ", name),
        parting >= 0 && h("span", { class: "badge fair" }, phrase("boards.parts"))),
      h("span", { class: "soft small" }, phrase("boards.facts", {
        who: SEAT_NAMES[one.dealer], side: phrase(`sides.${one.vulnerability}`),
      }))),
    players && h("p", { class: "small" }, players),
    h("div", { class: "board-parts" },
      h("ul", { class: "hand-lines" }, one.hands.map(handLine)),
      one.calls?.length ? auctionPart(
        "at-table", null, name, one.calls, one.dealer, one, parting, playedNodes(one), address(one.calls),
        (index) => noteMark(one, index),
      ) : h(
        "div", null, h("p", { class: "soft small" }, phrase("boards.no-auction")),
        h("p", { class: "contract" }, playedNodes(one)),
        h("p", { class: "small" }, h("a", {
          href: address([]), "aria-label": phrase("boards.open-label", { name }),
        }, phrase("archives.open"))),
      ),
      systemPart(one, name, who, bid, address, isRequested)),
    worths.place(one, compared),
    problem && notice("error", problem),
    h("div", { class: "board-more" }, notesNode(one, name), playNode(one, name, signal), remarksNode(one, name),
      practiceNode(one, name, table, signal),
      folded(phrase("boards.save"), name, () => (
        h("div", { class: "row" }, savingButtons(() => [one], ALL_WAYS, name))
      ))),
    one.event && h("p", { class: "soft small" }, one.event),
  );
}

/** What leads to practice: a link, or a button where the auction is to be bid to its end before. */
function practiceNode(one, name, table, signal) {
  const board = { ...one, calls: one.calls ?? [] };
  const about = { "aria-label": phrase("boards.practise-label", { name }) };
  const place = (calls) => ({ view: "practice", asked: writeSet(name, questionsOf({ ...board, calls })) });
  if (isOver(board.calls)) return h("a", { ...about, href: linkTo(place(board.calls)) }, phrase("boards.practise"));
  const said = h("div", { "aria-live": "polite" });
  const start = async () => {
    button.disabled = true;
    clear(said, busy(phrase("practice.dealing")));
    try {
      const calls = await bidToEnd(board, table, signal);
      // the list may have been drawn anew meanwhile
      if (!signal.aborted) change(place(calls));
    } catch (error) {
      if (!signal.aborted) clear(said, notice("error", error.message));
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button", { ...about, type: "button", onclick: start }, phrase("boards.practise"));
  return [button, said];
}

function problemsNode(problems) {
  if (!problems.length) return null;
  return h(
    "details", { class: "notice error" },
    h("summary", null, phrase("boards.problems", { number: problems.length })),
    h("ul", null, problems.slice(0, MOST_PROBLEMS).map(({ problem, record, number = null, room, file }) => h(
      "li", null, file && `${file}, `, record !== undefined && `${titleOf({ record, number, room })}: `, problem,
    ))),
    problems.length > MOST_PROBLEMS && h("p", null, phrase("boards.more-problems", {
      number: problems.length - MOST_PROBLEMS,
    })),
  );
}

function fileButton() {
  const input = h("input", {
    type: "file", id: "boards-files", multiple: true, accept: ".lin,.pbn,.txt,.html,.json,.jsonl", hidden: true,
    onchange: () => openFiles([...input.files]),
  });
  const choose = () => input.click();
  const button = h("button", { type: "button", class: "main", onclick: choose }, phrase("boards.choose-files"));
  return [input, button];
}

function pager(pages, request, place) {
  const { page } = request;
  if (pages < 2) return null;
  const to = (number, text) => (number < 1 || number > pages ? h("span", { class: "soft" }, text)
    : h("a", { href: linkTo({ asked: writeRequest({ ...request, page: number }) }) }, text));
  return h("nav", { class: "row pager", "aria-label": phrase(`boards.pages-${place}`) },
    to(page - 1, phrase("boards.page-before")), h("span", null, phrase("boards.page", { page, pages })),
    to(page + 1, phrase("boards.page-next")));
}

/** What is done with all boards that wait for it: a row in the list of tools, by its name. */
function restRow(name, ...children) {
  return h("span", { class: "row", id: `boards-${name}` }, children);
}

/** A choice of the list; what is chosen goes into the address. */
function choice(id, label, values, chosen, textOf, ask) {
  return h("span", { class: "field" }, h("label", { for: id }, label), h(
    "select", { id, onchange: ({ target }) => ask(target.value) },
    values.map((value) => h("option", { value, selected: value === chosen }, textOf(value))),
  ));
}

/** Which boards are shown, in which order, and whose losses and results are meant. */
function choices(request, all) {
  const ask = (changes) => change({ asked: writeRequest({ ...request, ...changes, page: 1 }) });
  const names = [...new Set(all.flatMap(({ players }) => players ?? []).filter(Boolean))].sort();
  const sorts = SORTS.filter((one) => one !== "others" || request.sort === one || comparedOf(all).some(Boolean));
  const sides = SIDES.filter((one) => one !== "own" || request.side === one || request.player);
  const least = h("input", {
    id: "boards-least", type: "number", min: 0, max: 48, value: request.least, inputmode: "numeric",
    onchange: () => ask({ least: Number(least.value) }),
  });
  const player = h("input", {
    id: "boards-player", type: "search", list: "boards-players", autocomplete: "off", spellcheck: "false", value: request.player,
    onchange: () => ask({ player: player.value.trim() }),
  });
  return [
    choice("boards-which", phrase("boards.show"), ["all", "part"], request.isParted ? "part" : "all",
      (name) => phrase(`boards.show-${name}`), (name) => ask({ isParted: name === "part" })),
    choice("boards-sort", phrase("boards.sort"), sorts, request.sort, (name) => phrase(`boards.sort-${name}`), (sort) => ask({ sort })),
    h("details", {
      class: "notes", open: isFiltering || Boolean(request.player || request.side !== SIDES[0] || request.least),
      ontoggle: ({ target }) => { isFiltering = target.open; },
    },
      h("summary", null, phrase("boards.filter")),
      h("div", { class: "row fields" },
        names.length > 0 && h("span", { class: "field" }, h("label", { for: player.id }, phrase("boards.player")), player,
          h("datalist", { id: "boards-players" }, names.map((value) => h("option", { value })))),
        choice("boards-side", phrase("boards.side"), sides, request.side, (name) => phrase(`boards.side-${name}`),
          (side) => ask({ side })),
        h("span", { class: "field" }, h("label", { for: least.id }, phrase("boards.least")), least))),
  ];
}

/** Tools for all boards: which are shown, rows for those that wait for something, and saving. */
function tools(request, shown, rest, who, signal) {
  const { boards } = boardSet();
  const which = () => (chosen.size ? [...chosen].sort((one, two) => one - two).map((place) => boards[place]) : shown);
  const label = h("span", { class: "soft" });
  tellChosen = () => {
    label.textContent = phrase(chosen.size ? "boards.saving-chosen" : "boards.saving", { number: which().length });
  };
  tellChosen();
  return [
    h("div", { class: "row fields" },
      choices(request, boards),
      rest),
    h("div", { class: "row" }, label, savingButtons(which, ["lin", "pbn", "link"], phrase("boards.of-list"))),
    who && handoutRow(phrase("boards.of-list"), async (size, ...about) => (
      { topic: phrase("help.boards"), questions: await questionsOfBoards(which().slice(0, size), ...about) }
    ), who, signal),
  ];
}

/** A field to paste into is at the deal: a phone pastes nowhere else. */
function pasteButton() {
  return h("button", {
    type: "button", onclick: () => {
      change({ view: "call", asked: "" });
      openField();
    },
  }, phrase("enter.open"));
}

function nothing(place) {
  clear(place, h("h3", null, phrase("help.boards")), h("p", null, phrase("boards.none")), h("div", { class: "row" }, fileButton(), pasteButton()),
    problemsNode(boardSet().problems));
  return phrase("boards.none");
}

function forget() {
  forgetBoards();
  // what was told of their files is over too
  byId("messages").replaceChildren();
  change({ asked: "" }, { quiet: true });
  document.querySelector("#view button.main")?.focus();
}

let compared = { version: -1, results: [] };

/** Each board against the others of its deal. */
function comparedOf(boards) {
  const { version } = boardSet();
  if (compared.version !== version) compared = { version, results: comparedResults(boards) };
  return compared.results;
}

export async function show(place, now, signal) {
  const { boards, problems, names, isStored, version } = boardSet();
  if (chosenOf !== version) chosen = new Set();
  chosenOf = version;
  if (!boards.length) return nothing(place);
  const { table } = now;
  const request = readRequest(now.asked);
  let who = table;
  let problem = null;
  /** Rows that say how far it is with all boards, while they are bid or solved: they stay where the list is drawn anew. */
  const running = { rest: null, unsolved: null };
  const solve = boardSolver(signal);
  const worths = worthPlaces(solve, table, signal);
  const unbid = () => boards.filter((one) => one.hands.every(Boolean) && !bidOf(one, table));
  const unsolved = () => boards.filter(isUnsolved);
  const all = {
    rest: {
      left: unbid, size: PAGE, label: "boards.bidding", stop: "boards.stop", said: "boards.bid-said", focus: "boards-which",
      step: async (some, own) => {
        await bidBoards(some, table, own);
        problem = null;
      },
    },
    unsolved: {
      left: unsolved, size: 1, label: "boards.solving", stop: "boards.stop-solving", said: "boards.solved-said",
      focus: "boards-sort", step: ([one], own) => solve(one, { signal: own }),
    },
  };
  const rowOf = (name, text) => {
    const number = all[name].left().length;
    return running[name] ?? (number > 0 && restRow(name, h("button", {
      type: "button", onclick: () => doAll(name, all[name], draw, (row) => { running[name] = row; }, signal),
    }, phrase(text, { number }))));
  };
  const draw = () => {
    const results = comparedOf(boards);
    const found = chosenBoards(boards.map((one, index) => ({
      one, index, isParted: partOf(one, bidOf(one, table)) >= 0, worth: knownWorth(one), compared: results[index],
    })), request);
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    const page = Math.min(request.page, pages);
    const shown = found.slice(PAGE * (page - 1), PAGE * page);
    const number = found.length;
    worths.clear();
    clear(
      place, h("div", { class: "job-head" }, h("h3", null, phrase("boards.head", { number: boards.length }),
        h("span", { class: "soft small" }, ` ${names.filter(Boolean).join(", ")}`)),
        h("div", { class: "row" }, fileButton(),
          h("button", { type: "button", onclick: forget }, phrase("boards.forget")))),
      !isStored && notice("info", phrase("boards.not-kept")),
      problemsNode(problems),
      problem && notice("error", problem),
      tools(request, found.map(({ one }) => one), [
        rowOf("rest", "boards.bid-rest"), asksLoss(request) && rowOf("unsolved", "boards.solve-rest"),
      ], who, signal),
      request.isParted && h("p", { class: "soft" }, phrase("boards.parted", {
        number, known: count(boards.filter((one) => bidOf(one, table)).length),
      })),
      asksLoss(request) && h("p", { class: "soft" }, phrase("boards.solved", {
        number: boards.filter(knownWorth).length, all: count(boards.length),
      })),
      (request.player || request.least > 0) && h("p", { class: "soft", role: "status" }, phrase("boards.found", { number })),
      pager(pages, { ...request, page }, "top"),
      h("ol", { class: "board-items" }, shown.map((row) => item(row, who, table, !problem, worths, signal))),
      pager(pages, { ...request, page }, "bottom"),
    );
    return shown;
  };
  const redraw = () => keepFocus(place, draw);
  let shown = [];
  keepFocus(place, () => { shown = draw(); });
  try {
    who ||= (await get("/v1/tables", { signal })).tables[0].name;
    await bidBoards(shown.map(({ one }) => one), table, signal);
  } catch (error) {
    if (signal.aborted) return "";
    problem = error.message;
  }
  if (signal.aborted) return "";
  redraw();
  worths.begin();
  const parted = boards.filter((one) => partOf(one, bidOf(one, table)) >= 0).length;
  return phrase("boards.said", { number: boards.length, parted });
}

/** Do something with all boards that are left, some at a time, and say how far it is. */
async function doAll(name, { left, size, label, stop: stopText, said, focus, step }, draw, show, signal) {
  let waiting = left();
  const all = waiting.length;
  const bar = h("progress", { max: all, value: 0, "aria-label": phrase(label) });
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort());
  const button = h("button", { type: "button", onclick: () => stop.abort() }, phrase(stopText));
  const row = restRow(name, bar, button);
  show(row);
  draw();
  button.focus();
  let problem = null;
  try {
    while (waiting.length) {
      await step(waiting.slice(0, size), stop.signal);
      stop.signal.throwIfAborted();
      waiting = waiting.slice(size);
      bar.value = all - waiting.length;
    }
  } catch (error) {
    if (!stop.signal.aborted) problem = error.message;
  }
  show(null);
  if (signal.aborted || state().view !== "boards") return;
  draw();
  if (problem) byId(`boards-${name}`).append(notice("error", problem));
  byId(focus).focus();
  say(phrase(said, { number: all - left().length }));
}
