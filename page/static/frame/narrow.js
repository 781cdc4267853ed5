// On a narrow screen the answer stands above the 38 calls of the bidding box, for eyes, keyboard and readers alike.

import { byId, put } from "../dom.js";

/** Where deal and answer stand beside each other: styles/base.css has the same width. */
const WIDE = matchMedia("(min-width: 62rem)");

/** Whether the box has its place below the answer. */
function isBelow() {
  return !WIDE.matches;
}

/** Put the box, with what stands below it, where the width of the screen has it. */
export function placeBox() {
  const calls = byId("calls");
  const place = byId(isBelow() ? "box-below" : "box-beside");
  byId("box-below").hidden = !isBelow() || byId("board").hidden;
  if (calls.parentElement === place) return;
  const focused = calls.contains(document.activeElement) ? document.activeElement : null;
  put(place, calls);
  focused?.focus();
}

/**
 * Keep the box under the finger that calls: auction and answer above it grow and shrink with each call, and not every
 * browser holds what is seen in its place.
 */
function holdBox() {
  const calls = byId("calls");
  let top = 0;
  const look = () => { top = calls.getBoundingClientRect().top; };
  const hold = new ResizeObserver(() => {
    if (isBelow() && calls.contains(document.activeElement)) scrollBy({ top: calls.getBoundingClientRect().top - top, behavior: "instant" });
    look();
  });
  addEventListener("scroll", look, { passive: true });
  calls.addEventListener("focusin", look);
  for (const id of ["board", "answer"]) hold.observe(byId(id));
}

export function buildPlaces() {
  WIDE.addEventListener("change", placeBox);
  placeBox();
  holdBox();
}
