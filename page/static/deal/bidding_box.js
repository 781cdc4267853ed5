// The bidding box: 38 calls, of which the legal ones can be made.

import { isLegal, isOver, LEVELS, SEAT_NAMES, spokenCall, STRAINS } from "../bridge/calls.js";
import { byId, clear, h } from "../dom.js";
import { callNode } from "../format.js";
import { callsBefore, change, GAMES, linkTo, seatToCall, state } from "../state.js";
import { phrase } from "../texts.js";

const GRID = LEVELS.map((level) => STRAINS.map((strain) => `${level}${strain}`));
const OTHERS = ["P", "X", "XX"];
let deals = null;
let taker = null;
let backTaker = null;

/** Make a call at the place that is looked at; later calls are dropped unless it is the one made. */
export function makeCall(call) {
  const now = state();
  // where a game is played its calls are not those of the deal on the other page
  if (GAMES.includes(now.view)) return taker?.(call) ?? false;
  const before = callsBefore(now);
  if (!isLegal(before, call)) return false;
  const same = now.at !== null && now.calls[now.at] === call;
  if (same) change({ at: now.at + 1 });
  else change({ calls: [...before, call], at: null });
  return true;
}

/** `take(call)` hears the calls of a game, `back()` that the last is taken back; null where it is nobody's turn. */
export function lendCalls(take, back = null) {
  taker = take;
  backTaker = back;
}

/** Take the last own call of a game back. */
export function takeGameBack() {
  backTaker?.();
}

/** A box of 38 calls; `label` is the id of what names it. */
export function makeBox(label, properties = {}) {
  const buttons = new Map();
  let last = "P";

  const press = (call) => {
    last = call;
    if (!makeCall(call)) return;
    // the button may have gone dark under the finger: the focus stays in the box
    if (document.activeElement === document.body || document.activeElement === buttons.get(call)) {
      focusNear(call);
    }
  };

  const focusNear = (call) => {
    const button = buttons.get(call);
    if (!button.disabled) button.focus();
    else [...buttons.values()].find((one) => !one.disabled)?.focus();
  };

  /** Only one button is reached by Tab; arrow keys lead to the others. */
  const setStop = (call) => {
    last = call;
    for (const [name, button] of buttons) button.tabIndex = name === call ? 0 : -1;
  };

  const move = (event, call) => {
    const step = {
      ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
    }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const rows = [OTHERS, ...GRID];
    let row = rows.findIndex((one) => one.includes(call));
    let column = rows[row].indexOf(call);
    for (;;) {
      row += step[0];
      column += step[1];
      const name = rows[row]?.[Math.min(column, rows[row].length - 1)];
      if (!name || column < 0 || column >= 5) return;
      const button = buttons.get(name);
      if (!button.disabled) {
        button.focus();
        return;
      }
      // nothing to the right in the first row
      if (step[1] && column >= rows[row].length) return;
    }
  };

  const makeButton = (call) => {
    const button = h(
      "button",
      {
        type: "button", class: `bid ${call[1] ?? ""}`, "aria-label": spokenCall(call),
        "data-call": call, onclick: () => press(call),
      },
      callNode(call),
    );
    button.addEventListener("focus", () => setStop(call));
    button.addEventListener("keydown", (event) => move(event, call));
    buttons.set(call, button);
    return button;
  };

  const node = h(
    "div", { class: "box", role: "group", "aria-labelledby": label, ...properties },
    // what is called most often stands where a phone shows it at once
    h("div", { class: "others" }, OTHERS.map(makeButton)),
    h("div", { class: "bids" }, GRID.map((row) => row.map(makeButton))),
  );

  /** Light what is legal after some calls; `made` is the call that was made there. */
  const show = (before, made = null) => {
    const over = isOver(before);
    const hadFocus = node.contains(document.activeElement);
    for (const [call, button] of buttons) {
      button.disabled = !isLegal(before, call);
      button.classList.toggle("made", call === made);
    }
    // what cannot be used any more only takes room
    node.hidden = over;
    const stop = !buttons.get(last).disabled ? last
      : [...buttons.keys()].find((call) => !buttons.get(call).disabled && call !== "P") ?? "P";
    setStop(stop);
    if (hadFocus && buttons.get(stop).disabled === false) buttons.get(stop).focus();
  };

  return { node, show };
}

export function buildBox() {
  deals = makeBox("turn-text", { id: "calls-box" });
  clear(byId("box"), h("p", { class: "turn-line", id: "turn" }), deals.node);
}

/** The fragment of the address holds the state, so a link within the page must not change it. */
export function goToAnswer(event) {
  event.preventDefault();
  byId("answer").focus();
  byId("answer").scrollIntoView();
}

/** Where the box stands below the answer. */
function goToBox(event) {
  event.preventDefault();
  byId("calls").scrollIntoView();
  byId("calls-box").querySelector("[tabindex='0']").focus({ preventScroll: true });
}

export function showBox() {
  const before = callsBefore();
  const over = isOver(before);
  deals.show(before, state().at === null ? null : state().calls[state().at]);
  clear(byId("turn"), h("span", { id: "turn-text" }, over ? phrase("auction.over") : phrase("auction.turn", { seat: SEAT_NAMES[seatToCall()] })),
    h("a", { class: "to-answer", href: linkTo({}), onclick: goToAnswer }, phrase("auction.to-answer")));
  clear(byId("to-box"), !over && h("a", { href: linkTo({}), onclick: goToBox }, phrase("auction.to-box")));
}
