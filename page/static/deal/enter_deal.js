// Entering a deal: paste anything, write hands, or pick cards from the pack.

import { SEAT_NAMES, SEATS, readWrittenCalls, firstIllegal, writtenCall } from "../bridge/calls.js";
import {
  cardsOf, completeHands, handOf, RANKS, readHand, SUIT_NAMES, shownCards, SUIT_SIGNS, SUITS, wholeHand,
  writeHand,
} from "../bridge/cards.js";
import { byId, clear, h, notice } from "../dom.js";
import { titleOf } from "../boards/board_facts.js";
import { kindOf, textOfFile } from "../files/board_files.js";
import { openingPlace } from "../boards/board_list.js";
import { boardSet, keepBoards, placeOf, readTexts, setOpened } from "../boards/board_set.js";
import { auctionProblem, describeBoard, readPasted } from "./pasting.js";
import { change, follow, GAMES, isAtEnd, linkTo, onChange, seatToCall, state } from "../state.js";
import { phrase } from "../texts.js";
import { onlyPageLink } from "../files/viewer_links.js";

let say = () => {};
let panel = null;

/** Take a board: hands that it has, and dealer, vulnerability and calls as far as it tells; `at` is the place in them. */
function take(one, at = null) {
  const now = state();
  if (one.hand && isAtEnd(now)) {
    // nobody calls any more: the hand opens a new auction of a deal that is not known
    change({ hands: SEATS.map((_, seat) => (seat === now.dealer ? one.hand : "")), calls: [], at: null, view: "call" });
    say(phrase("paste.new-hand", { seat: SEAT_NAMES[now.dealer] }));
    return;
  }
  if (one.hand) {
    const seat = seatToCall(now);
    // the other hands were of another deal
    const others = now.hands.map((hand, index) => (
      index !== seat && hand && !cardsOf(hand).some((card) => cardsOf(one.hand).includes(card)) ? hand : ""
    ));
    change({
      hands: completeHands(others.map((hand, index) => (index === seat ? one.hand : hand))),
      view: GAMES.includes(now.view) ? "call" : now.view,
    });
    say(phrase("paste.has-hand", { seat: SEAT_NAMES[seat] }));
    return;
  }
  change({
    hands: one.hands, dealer: one.dealer ?? 0, vulnerability: one.vulnerability ?? "None",
    calls: one.calls ?? [], at,
    view: ["call", "shown", "auctions", "compare", "lead"].includes(now.view) ? now.view : "call",
  });
  say(describeBoard(one));
}

/** Show one board, or the list of several. */
function open(boards) {
  if (boards.length === 1) {
    setOpened(0);
    take(boards[0]);
    return;
  }
  change({ view: "boards", asked: "" });
  say(phrase("boards.read", { number: boards.length }));
}

/** Show what a link of the page shows; throws a sentence about what of it cannot be read. */
function turnTo(link) {
  const complaints = follow(link);
  if (complaints.length) throw new Error(complaints.join(" "));
  say(phrase("paste.link-opened"));
}

/** A file of hands as people write them, or of one link of the page, as if its text were pasted. */
async function useOneText({ name, text, kind }, tell) {
  try {
    await usePasted(text, tell);
  } catch (error) {
    throw kind ? error : new Error(phrase("boards.no-file", { file: name }));
  }
}

/** Use a pasted text; throws a sentence where it cannot be read. `tell(number)` hears how far it is. */
export async function usePasted(text, tell) {
  const link = onlyPageLink(text);
  if (link !== null && kindOf(text) === "address") return turnTo(link);
  const found = await readPasted(text, { tell });
  if (found.boards[0].hand || !found.boards[0].calls) return take(found.boards[0]);
  keepBoards(found, [{ name: "", text: text.trim(), kind: found.kind }]);
  return open(found.boards);
}

/** Read files of boards, as many as can be read; throws a sentence where there is no board in them. */
export async function useFiles(files, tell) {
  const texts = [];
  const bad = [];
  for (const file of files) {
    try {
      texts.push(await textOfFile(file));
    } catch (error) {
      bad.push({ problem: error.message });
    }
  }
  const [only] = texts;
  if (files.length === 1 && only && (!only.kind || onlyPageLink(only.text) !== null)) return useOneText(only, tell);
  const known = texts.filter(({ kind }) => kind);
  bad.push(...texts.filter(({ kind }) => !kind).map(({ name }) => ({ problem: phrase("boards.no-file", { file: name }) })));
  const { boards, problems } = await readTexts(known, { tell });
  const all = [...bad, ...problems];
  if (!boards.length) {
    const names = texts.map(({ name }) => name).join(", ");
    const problem = all[0]?.problem ?? phrase(`paste.no-${only.kind}`);
    throw new Error(bad.length ? problem : phrase("boards.none-in", { files: names, problem }));
  }
  keepBoards({ boards, problems: all }, known);
  open(boards);
  const problem = boards.length === 1 && (all[0]?.problem ?? auctionProblem(boards[0]));
  if (problem) throw new Error(problem);
  return undefined;
}

/** Above the deal: which board of the list it is, and those beside it. */
export function showLeafing(now) {
  const { boards } = boardSet();
  const place = placeOf(now);
  const go = (by) => {
    const next = (place + by + boards.length) % boards.length;
    setOpened(next);
    take(boards[next], openingPlace(boards[next], now.table));
    byId(by > 0 ? "board-next" : "board-before").focus();
  };
  clear(byId("boards"), place >= 0 && boards.length > 1 && [
    h("button", { type: "button", id: "board-before", onclick: () => go(-1) }, phrase("enter.board-before")),
    h("button", { type: "button", id: "board-next", onclick: () => go(1) }, phrase("enter.board-next")),
    h("span", null, phrase("enter.board", { title: titleOf(boards[place]), place: place + 1, all: boards.length })),
    h("a", { href: linkTo({ view: "boards" }) }, phrase("boards.all")),
  ]);
}

function complain(field, place, message) {
  field.setAttribute("aria-invalid", "true");
  clear(place, notice("error", message));
}

// each form is `{node, follow(now, before)}`: what it shows of the deal follows where that changes

function pasteForm() {
  const problem = h("div", { id: "paste-problem", role: "alert" });
  const area = h("textarea", {
    id: "paste", rows: "4", spellcheck: "false", autocapitalize: "off",
    "aria-describedby": "paste-hint paste-problem",
  });
  const forgive = () => {
    area.removeAttribute("aria-invalid");
    clear(problem);
  };
  area.addEventListener("input", forgive);
  const use = async () => {
    forgive();
    try {
      await usePasted(area.value, (number) => clear(problem, phrase("boards.reading", { number })));
      area.value = "";
      close();
    } catch (error) {
      complain(area, problem, error.message);
      area.focus();
    }
  };
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) use();
  });
  const node = h(
    "div", { class: "form" },
    h("label", { for: "paste" }, phrase("enter.paste")),
    area,
    h("p", { class: "soft small", id: "paste-hint" },
      phrase("enter.paste-hint")),
    problem,
    h("div", { class: "row" },
      h("button", { type: "button", class: "main", onclick: use, id: "use-paste" }, phrase("enter.use-paste"))),
  );
  return { node, follow: () => {} };
}

function handsForm() {
  const now = state();
  const problem = h("div", { id: "hands-problem", role: "alert" });
  const fields = SEATS.map((seat, index) => h("input", {
    id: `hand-${seat}`, type: "text", value: shownCards(now.hands[index]), spellcheck: "false",
    autocomplete: "off", autocapitalize: "characters", placeholder: phrase("enter.form"),
    "aria-describedby": "hands-problem",
  }));
  const calls = h("input", {
    id: "calls-text", type: "text", value: now.calls.map(writtenCall).join(" "), spellcheck: "false",
    autocomplete: "off", "aria-describedby": "hands-problem",
  });
  const forgive = () => {
    clear(problem);
    [...fields, calls].forEach((field) => field.removeAttribute("aria-invalid"));
  };
  const follow = (next, before) => {
    forgive();
    fields.forEach((field, index) => {
      if (next.hands[index] !== before.hands[index]) field.value = shownCards(next.hands[index]);
    });
    if (next.calls.join() !== before.calls.join()) calls.value = next.calls.map(writtenCall).join(" ");
  };
  // what was wrong is mended, or is another thing now
  [...fields, calls].forEach((field) => field.addEventListener("input", forgive));
  const use = (event) => {
    event.preventDefault();
    forgive();
    let at = calls;
    try {
      const hands = fields.map((field) => {
        at = field;
        return field.value.trim() ? wholeHand(field.value) : "";
      });
      at = fields[0];
      const whole = completeHands(hands);
      at = calls;
      const made = readWrittenCalls(calls.value);
      const illegal = firstIllegal(made);
      if (illegal >= 0) throw new Error(phrase("enter.illegal", { call: writtenCall(made[illegal]), place: illegal + 1 }));
      change({ hands: whole, calls: made, at: null });
      close();
    } catch (error) {
      complain(at, problem, error.message);
      at.focus();
    }
  };
  const node = h(
    "form", { class: "form", onsubmit: use, novalidate: true },
    h("p", { class: "soft small" }, phrase("enter.write-hint")),
    h("div", { class: "hands-form" }, fields.map((field, index) => [
      h("label", { for: field.id }, SEAT_NAMES[index]), field,
    ]), h("label", { for: "calls-text" }, phrase("enter.calls")), calls),
    problem,
    h("div", { class: "row" },
      h("button", { type: "submit", class: "main" }, phrase("enter.use-hands")),
      h("button", { type: "button", onclick: () => { for (const field of fields) field.value = ""; } }, phrase("enter.empty"))),
  );
  return { node, follow };
}

function packForm() {
  const seat = h(
    "select", { id: "pack-seat" },
    SEATS.map((name, index) => h("option", { value: String(index), selected: index === seatToCall() }, SEAT_NAMES[index])),
  );
  const owner = new Map();
  const own = (hands) => hands.forEach((hand, index) => {
    if (hand) for (const card of cardsOf(hand)) owner.set(card, index);
  });
  own(state().hands);
  const counts = h("p", { class: "soft small", role: "status" });
  const buttons = new Map();
  const count = (index) => [...owner.values()].filter((one) => one === index).length;
  const show = () => {
    const chosen = Number(seat.value);
    for (const [card, button] of buttons) {
      const has = owner.get(card);
      button.setAttribute("aria-pressed", String(has === chosen));
      button.disabled = has !== undefined && has !== chosen;
      const small = button.lastChild;
      small.textContent = has === undefined || has === chosen ? "" : SEATS[has];
    }
    counts.textContent = SEATS.map((name, index) => `${SEAT_NAMES[index]} ${count(index)}`).join(", ");
  };
  const toggle = (card) => {
    const chosen = Number(seat.value);
    if (owner.get(card) === chosen) owner.delete(card);
    else if (count(chosen) < 13) owner.set(card, chosen);
    clear(problem);
    show();
  };
  const pack = h("div", { class: "pack" }, SUITS.map((suit) => h(
    "div", { class: "pack-suit", role: "group", "aria-label": SUIT_NAMES[suit] },
    h("span", { class: `suit ${suit}`, "aria-hidden": "true" }, SUIT_SIGNS[suit]),
    [...RANKS].map((rank) => {
      const button = h(
        "button",
        { type: "button", "aria-label": phrase("enter.card", { rank: shownCards(rank), suit: SUIT_NAMES[suit] }), onclick: () => toggle(suit + rank) },
        shownCards(rank), h("small", null, ""),
      );
      buttons.set(suit + rank, button);
      return button;
    }),
  )));
  const problem = h("div", { role: "alert" });
  const use = () => {
    clear(problem);
    try {
      const hands = SEATS.map((_, index) => {
        const cards = [...owner].filter(([, has]) => has === index).map(([card]) => card);
        return cards.length ? wholeHand(writeHand(readHand(handOf(cards)))) : "";
      });
      change({ hands: completeHands(hands) });
      close();
    } catch (error) {
      clear(problem, notice("error", error.message));
    }
  };
  seat.addEventListener("change", show);
  const form = h(
    "div", { class: "form" },
    h("div", { class: "row" }, h("label", { for: "pack-seat" }, phrase("enter.cards-of")), seat,
      h("button", { type: "button", onclick: () => { owner.clear(); clear(problem); show(); } }, phrase("enter.empty"))),
    pack, counts, problem,
    h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: use }, phrase("enter.use-cards"))),
  );
  show();
  const follow = (next, before) => {
    if (next.hands.join() === before.hands.join()) return;
    clear(problem);
    owner.clear();
    own(next.hands);
    show();
  };
  return { node: form, follow };
}

const FORMS = [["paste", pasteForm], ["write", handsForm], ["pick", packForm]];
let chosen = 0;
let shown = null;

function showPanel() {
  shown = FORMS[chosen][1]();
  clear(
    panel,
    h("div", { class: "row forms", role: "group", "aria-label": phrase("enter.how") }, FORMS.map(([name], index) => h(
      "button",
      {
        type: "button", "aria-pressed": String(index === chosen),
        onclick: () => { chosen = index; showPanel(); panel.querySelectorAll(".forms button")[index].focus(); },
      },
      phrase(`enter.${name}`),
    )), h("button", { type: "button", class: "quiet close", onclick: close }, phrase("page.close"))),
    shown.node,
  );
}

function close() {
  panel.hidden = true;
  byId("enter-button").setAttribute("aria-expanded", "false");
  byId("enter-button").focus();
}

/** Open the panel and go into its first field. */
export function openEntering() {
  panel.hidden = false;
  byId("enter-button").setAttribute("aria-expanded", "true");
  showPanel();
  panel.querySelector("textarea, input, select")?.focus();
}

export function buildEntering(announce) {
  say = announce;
  panel = h("div", { class: "enter", id: "enter-panel", hidden: true });
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  onChange((now, before) => !panel.hidden && shown.follow(now, before));
  clear(byId("enter"), h("div", { id: "boards", class: "row boards" }), panel);
  return h(
    "button",
    {
      type: "button", id: "enter-button", "aria-expanded": "false", "aria-controls": "enter-panel",
      onclick: () => (panel.hidden ? openEntering() : close()),
    },
    phrase("enter.open"),
  );
}
