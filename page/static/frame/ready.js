// The state "getting ready": how far the service is, in a corner where it moves nothing else.

import { request } from "../api.js";
import { h } from "../dom.js";
import { phrase } from "../texts.js";

const AGAIN_MS = 2000;
let note = null;

function tell(text, done, all) {
  note ??= document.querySelector("header").appendChild(h("div", { class: "ready", id: "ready" }));
  note.replaceChildren(
    h("span", null, text), h("progress", { "aria-label": phrase("ready.label"), max: String(all || 1), value: all ? String(done) : null }),
  );
}

function done() {
  note?.remove();
  note = null;
}

/** Tell that tables are being loaded, in the corner and where one waits for an answer. The sentence is to be read out. */
export function tellLoading() {
  const text = phrase("ready.loading");
  tell(text, 0, 0);
  for (const waiting of document.querySelectorAll(".busy")) {
    waiting.querySelector(".ready-text")?.remove();
    waiting.append(h("span", { class: "ready-text soft" }, ` ${text}`));
  }
  return text;
}

/** Tell that answers take longer, until they do not. */
export async function tellWarming() {
  for (;;) {
    const { warm, warmed, tables } = await (await request("/readyz")).json();
    if (warm) break;
    tell(phrase("ready.warming", { done: warmed, all: tables.length }), warmed, tables.length);
    await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
  }
  done();
}
