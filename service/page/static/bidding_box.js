// The bidding box: 38 calls, of which the legal ones can be made.

import { isLegal, isOver, LEVELS, SEAT_NAMES, spokenCall, STRAINS } from "./calls.js";
import { byId, clear, h } from "./dom.js";
import { callNode } from "./format.js";
import { callsBefore, change, linkTo, seatToCall, state } from "./state.js";

const GRID = LEVELS.map((level) => STRAINS.map((strain) => `${level}${strain}`));
const OTHERS = ["P", "X", "XX"];
const buttons = new Map();
let last = "P";

/** Make a call at the place that is looked at; later calls are dropped unless it is the one made. */
export function makeCall(call) {
  const now = state();
  const before = callsBefore(now);
  if (!isLegal(before, call)) return false;
  const same = now.at !== null && now.calls[now.at] === call;
  if (same) change({ at: now.at + 1 });
  else change({ calls: [...before, call], at: null });
  return true;
}

function press(call) {
  last = call;
  if (!makeCall(call)) return;
  // the button may have gone dark under the finger: the focus stays in the box
  if (document.activeElement === document.body || document.activeElement === buttons.get(call)) {
    focusNear(call);
  }
}

function focusNear(call) {
  const button = buttons.get(call);
  if (!button.disabled) button.focus();
  else [...buttons.values()].find((one) => !one.disabled)?.focus();
}

function makeButton(call) {
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
}

/** Only one button is reached by Tab; arrow keys lead to the others. */
function setStop(call) {
  last = call;
  for (const [name, button] of buttons) button.tabIndex = name === call ? 0 : -1;
}

function move(event, call) {
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
}

export function buildBox() {
  clear(
    byId("box"),
    h("p", { class: "turn-line", id: "turn" }),
    h(
      "div", { class: "box", id: "calls-box", role: "group", "aria-labelledby": "turn-text" },
      // what is called most often stands where a phone shows it at once
      h("div", { class: "others" }, OTHERS.map(makeButton)),
      h("div", { class: "bids" }, GRID.map((row) => row.map(makeButton))),
    ),
  );
}

/** The fragment of the address holds the state, so a link within the page must not change it. */
export function goToAnswer(event) {
  event.preventDefault();
  byId("answer").focus();
  byId("answer").scrollIntoView();
}

export function showBox() {
  const before = callsBefore();
  const over = isOver(before);
  const hadFocus = [...buttons.values()].includes(document.activeElement);
  const made = state().at === null ? null : state().calls[state().at];
  for (const [call, button] of buttons) {
    button.disabled = !isLegal(before, call);
    button.classList.toggle("made", call === made);
  }
  // what cannot be used any more only takes room
  byId("calls-box").hidden = over;
  clear(byId("turn"), h("span", { id: "turn-text" }, over ? "The auction is over." : `${SEAT_NAMES[seatToCall()]} to call`),
    h("a", { class: "to-answer", href: linkTo({}), onclick: goToAnswer }, "to the answer"));
  const stop = !buttons.get(last).disabled ? last
    : [...buttons.keys()].find((call) => !buttons.get(call).disabled && call !== "P") ?? "P";
  setStop(stop);
  if (hadFocus && buttons.get(stop).disabled === false) buttons.get(stop).focus();
}
