// A call or a card that looks wrong, written to a file for those who can mend it. Nothing is sent anywhere;
// report_boards.js reads it back.

import { SEATS } from "../bridge/calls.js";
import { writeDeal } from "../bridge/cards.js";
import { freshId, h, say, sayOn } from "../dom.js";
import { saveBlob } from "../frame/downloads.js";
import { digestOf } from "../engine_client.js";
import { FORMAT, VERSION } from "../files/report_boards.js";
import { phrase } from "../texts.js";

/** What stands in a report: `what` is "call" or "card", `about` tells of it, `words` are the person's. */
async function reportOf(what, board, about, words) {
  const { hands, dealer, vulnerability, calls, play = [], table } = board;
  return {
    format: FORMAT, version: VERSION, made: new Date().toISOString(), what,
    deal: writeDeal(hands), dealer: SEATS[dealer], vulnerability, auction: calls, play,
    system: await digestOf(table), ...about, words,
  };
}

/**
 * A button that opens a field, and saves it with `about` as a file. `board` has hands, dealer, vulnerability, calls,
 * table and, where cards were played, play: up to what the report is about.
 */
export function reportNode(what, board, about) {
  const id = freshId("report");
  const words = h("textarea", { id, rows: "3", "aria-describedby": `${id}-hint` });
  const save = async ({ currentTarget: button }) => {
    const report = await reportOf(what, board, about, words.value.trim());
    saveBlob(new Blob([`${JSON.stringify(report, null, 2)}\n`], { type: "application/json" }), `bidcascade-${what}.json`);
    sayOn(button, phrase("report.saved-short"), phrase("report.saved"));
  };
  const form = h("div", { class: "form", hidden: true },
    h("label", { for: id }, phrase(`report.words-${what}`)), words,
    h("p", { class: "soft small", id: `${id}-hint` }, phrase("report.hint")),
    h("p", null, h("button", { type: "button", class: "main", onclick: save }, phrase("report.save"))));
  const button = h("button", {
    type: "button", class: "quiet", "aria-expanded": "false", onclick: () => {
      form.hidden = !form.hidden;
      button.setAttribute("aria-expanded", String(!form.hidden));
      if (form.hidden) return;
      words.focus();
      say(phrase("report.hint"));
    },
  }, phrase(`report.${what}`));
  return h("div", { class: "report" }, h("p", null, button), form);
}
