// Alerts and announcements of a board's calls: a mark at the call, and the texts below.

import { SEAT_NAMES, spokenCall } from "../bridge/calls.js";
import { h } from "../dom.js";
import { callNode } from "../format.js";
import { phrase } from "../texts.js";

/** Text of a call's alert or announcement; empty where it has none. */
export function noteOf({ alerts, announcements }, place) {
  return announcements[place] || (alerts[place] ? phrase("boards.alerted") : "");
}

/** What a screen reader says behind a call. */
export function spokenNote(one, place) {
  const note = noteOf(one, place);
  return note && `, ${note}`;
}

/** Number of a call's note among those of the auction, for the eye only. */
export function noteMark(one, place) {
  const note = noteOf(one, place);
  if (!note) return null;
  const number = one.calls.slice(0, place + 1).filter((_, index) => noteOf(one, index)).length;
  return h("sup", { class: "note-mark", title: note, "aria-hidden": "true" }, number);
}

/** The texts, folded unless they are few. */
export function notesNode(one, name = "") {
  const noted = (one.calls ?? []).map((call, place) => [call, place]).filter(([, place]) => noteOf(one, place));
  if (!noted.length) return null;
  return h(
    "details", { class: "notes", open: !name },
    h("summary", null, phrase("boards.notes", { number: noted.length }),
      name && h("span", { class: "hidden" }, ` ${name}`)),
    h("ol", null, noted.map(([call, place]) => h(
      "li", null, h("span", { "aria-hidden": "true" }, callNode(call)),
      h("span", { class: "hidden" }, `${spokenCall(call)}, ${SEAT_NAMES[(one.dealer + place) % 4]}: `),
      ` ${noteOf(one, place)}`,
    ))),
  );
}
