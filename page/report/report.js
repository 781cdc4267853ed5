// A report in one file: draws what its JSON says. Lies in the folder of the page's modules when it is bundled.

import { byId, h, put } from "../dom.js";
import { blockNode } from "./blocks.js";

const { title, subtitle, sections } = JSON.parse(byId("report").textContent);

function sectionNode({ heading, anchor, blocks }) {
  return h("section", { class: "card", "aria-labelledby": anchor }, h("h2", { id: anchor }, heading),
    blocks.map((block, place) => blockNode(block, `${anchor}-t${place + 1}`)));
}

put(
  document.body,
  h("header", { class: "top" }, h("h1", null, title), h("p", { class: "soft" }, subtitle)),
  h("nav", { class: "sections", "aria-label": "Sections" }, h("ul", null, sections.map(({ heading, anchor }) => (
    h("li", null, h("a", { href: `#${anchor}` }, heading))
  )))),
  h("main", { class: "report" }, sections.map(sectionNode)),
);
// where the address leads is there only now
if (location.hash) location.replace(location.hash);
