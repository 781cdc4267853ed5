// Keys that work anywhere on the page. They can be switched off (WCAG 2.1.4).

import { byId, clear, h, table } from "../dom.js";
import { step, takeBack } from "../deal/auction_diagram.js";
import { makeCall, takeGameBack } from "../deal/bidding_box.js";
import { openEntering } from "../deal/enter_deal.js";
import { readCall, spokenCall, STRAINS } from "../bridge/calls.js";
import { pressCardKey } from "../games/play.js";
import { GAMES, state, VIEWS } from "../state.js";
import { phrase } from "../texts.js";

const KEY = "bidcascade.shortcuts";
const KEYS = [
  [phrase("help.key-bid"), "bid"], ["P", "pass"], ["X", "double"], ["R", "redouble"],
  [phrase("help.key-card"), "card"], [phrase("help.key-back"), "back"], [phrase("help.key-arrows"), "arrows"], ["B", "call"], ["A", "auction"],
  ["N", "new"], ["E", "enter"], ["W", "words"], ["?", "help"],
];
const WAIT_MS = 2500;
let level = "";
let timer = 0;

function areOn() {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

function setOn(on) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // a browser that keeps nothing: they are on again next time
  }
}

function isWriting(target) {
  return target instanceof Element
    && target.closest("input, textarea, select, [contenteditable], dialog") !== null;
}

function forget() {
  level = "";
  clearTimeout(timer);
}

function tryCall(call, say) {
  if (!makeCall(call)) say(phrase("auction.illegal", { call: spokenCall(call) }));
}

export function buildShortcuts({ say, deal, systemCall, systemAuction, help, words }) {
  const calls = { p: () => tryCall("P", say), r: () => tryCall("XX", say), x: () => makeCall("XX") || tryCall("X", say), w: words, "?": help };
  const actionsOfDeal = {
    ...calls, ArrowLeft: () => step(-1), ArrowRight: () => step(1), Backspace: takeBack,
    n: deal, b: systemCall, a: systemAuction, e: openEntering,
  };
  const actionsOfGame = { ...calls, Backspace: takeGameBack };
  addEventListener("keydown", (event) => {
    if (!areOn() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isWriting(event.target)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (state().view === "cards" && pressCardKey(name)) {
      event.preventDefault();
      return;
    }
    if (/^[1-7]$/.test(name) && state().view !== "cards") {
      forget();
      level = name;
      timer = setTimeout(forget, WAIT_MS);
      say(phrase("auction.strain", { level: name }));
      event.preventDefault();
      return;
    }
    if (level && STRAINS.includes(name.toUpperCase())) {
      const call = readCall(level + name);
      forget();
      event.preventDefault();
      tryCall(call, say);
      return;
    }
    forget();
    const { view } = state();
    const action = (view === "cards" ? { w: words, "?": help } : GAMES.includes(view) ? actionsOfGame : actionsOfDeal)[name];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

export function fillHelp() {
  const box = h("input", { type: "checkbox", id: "shortcuts-on", onchange: (event) => setOn(event.target.checked) });
  box.checked = areOn();
  clear(
    byId("help-text"),
    h("p", null, phrase("help.intro")),
    h("h3", null, phrase("help.views")),
    h("dl", { class: "help-views" }, VIEWS.map((view) => [
      h("dt", null, phrase(`help.${view}`)), h("dd", null, phrase(`help.${view}-text`)),
    ])),
    h("p", null, h("label", { class: "check" }, box, " ", phrase("help.shortcuts"))),
    table(phrase("help.shortcuts"), [phrase("help.key"), phrase("help.does")], KEYS.map(([name, does]) => (
      [h("kbd", null, name), phrase(`help.does-${does}`)]
    ))),
  );
}
