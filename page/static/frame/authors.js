// The words of those who write systems, behind a switch that the browser remembers.

import { h } from "../dom.js";
import { phrase } from "../texts.js";

const KEY = "bidcascade.authors";

function remembered() {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

function turn(on) {
  document.documentElement.classList.toggle("for-authors", on);
}

/** Checkbox; what has the class `authors` is seen while it is on. */
export function authorsSwitch() {
  const box = h("input", {
    type: "checkbox", id: "authors-on", onchange: (event) => {
      turn(event.target.checked);
      try {
        if (event.target.checked) localStorage.setItem(KEY, "on");
        else localStorage.removeItem(KEY);
      } catch {
        // a browser that keeps nothing: it is off again next time
      }
    },
  });
  box.checked = remembered();
  turn(box.checked);
  return h("label", { class: "check authors-switch" }, box, " ", phrase("authors.switch"));
}
