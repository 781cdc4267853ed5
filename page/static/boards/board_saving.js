// Buttons that save boards as files and pictures, or copy their addresses.

import { titleOf } from "./board_facts.js";
import { linksText, linOf, pbnOf } from "./board_export.js";
import { pngBlob, svgText } from "./board_picture.js";
import { h, notice, say, sayOn } from "../dom.js";
import { saveBlob } from "../frame/downloads.js";
import { phrase } from "../texts.js";

const TEXT = { type: "text/plain;charset=utf-8" };

/** Name of a file without its ending. */
function stem(boards) {
  if (boards.length > 1) return "boards";
  return titleOf(boards[0]).toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

const WAYS = {
  lin: (boards) => saveBlob(new Blob([linOf(boards)], TEXT), `${stem(boards)}.lin`),
  pbn: (boards) => saveBlob(new Blob([pbnOf(boards)], TEXT), `${stem(boards)}.pbn`),
  link: async (boards, button) => {
    try {
      await navigator.clipboard.writeText(linksText(boards).trim());
      sayOn(button, phrase("page.copied"), phrase("save.copied", { number: boards.length }));
    } catch {
      // where the clipboard is forbidden they are a file
      saveBlob(new Blob([linksText(boards)], TEXT), `${stem(boards)}.txt`);
    }
  },
  svg: ([one]) => saveBlob(new Blob([svgText(one)], { type: "image/svg+xml" }), `${stem([one])}.svg`),
  png: async ([one]) => saveBlob(await pngBlob(one), `${stem([one])}.png`),
};

/** Buttons for the ways in which the boards that `chosen()` gives are saved; `name` says whose they are. */
export function savingButtons(chosen, ways, name = "") {
  return ways.map((way) => h(
    "button", {
      type: "button",
      onclick: async ({ currentTarget: button }) => {
        const row = button.parentNode;
        row.querySelector(".notice")?.remove();
        try {
          await WAYS[way](chosen(), button);
        } catch (error) {
          row.append(notice("error", error.message));
          say(error.message);
        }
      },
    },
    phrase(`save.${way}`), name && h("span", { class: "hidden" }, ` ${name}`),
  ));
}

export const ALL_WAYS = Object.keys(WAYS);
