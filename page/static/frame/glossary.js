// What the words of the answers mean: a short list for players, from every view.

import { byId, clear, h } from "../dom.js";
import { phrase } from "../texts.js";

const LIST = [
  "points", "total", "support", "combined", "stopper", "honour", "losers", "tricks", "controls", "keycards", "rule",
  "balanced", "agreement", "forcing", "invitational", "limited", "sign-off", "artificial", "preemptive", "takeout",
  "vulnerable", "possible", "simulation", "double-dummy", "par", "imps", "matchpoints",
];

function fill() {
  clear(byId("words-text"), LIST.map((name) => [
    h("dt", null, phrase(`word.${name}`)), h("dd", null, phrase(`word.${name}-text`)),
  ]));
}

/** Build the dialog of the words; gives what opens it. */
export function buildGlossary() {
  const dialog = byId("words-dialog");
  const open = () => {
    fill();
    dialog.showModal();
    byId("words-title").focus();
  };
  byId("words-button").addEventListener("click", open);
  byId("words-close").addEventListener("click", () => dialog.close());
  return open;
}
