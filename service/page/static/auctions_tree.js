// All auctions of a deal that the table allows, as a tree that folds.

import { post } from "./api.js";
import { contractOf, SEAT_NAMES, SEATS, spokenCall } from "./calls.js";
import { writeDeal } from "./cards.js";
import { clear, freshId, h, notice, put } from "./dom.js";
import { callNode, contractNodes, count, plural } from "./format.js";
import { hasAllHands, linkTo } from "./state.js";

const LIMIT = 5000;
const SMALLER = 500;
const OPEN_LEVELS = 2;

export const title = "All auctions";

export function key(now) {
  return JSON.stringify([now.hands, now.dealer, now.vulnerability, now.table]);
}

function treeOf(auctions) {
  const root = { calls: [], children: [], complete: 0, variants: [], completed: false };
  const places = new Map([["", root]]);
  for (const auction of auctions) {
    const parent = places.get(auction.calls.slice(0, -1).join(" ")) ?? root;
    const node = {
      calls: auction.calls, children: [], complete: 0, variants: auction.variants,
      completed: auction.completed,
    };
    parent.children.push(node);
    places.set(auction.calls.join(" "), node);
  }
  const sum = (node) => {
    node.complete = node.completed ? 1 : 0;
    for (const child of node.children) node.complete += sum(child);
    return node.complete;
  };
  sum(root);
  return root;
}

/** A node with all below it as long as there is only one way on. */
function runOf(node) {
  const run = [node];
  while (run.at(-1).children.length === 1) run.push(run.at(-1).children[0]);
  return run;
}

function nodeItem(node, now, depth) {
  const run = runOf(node);
  const last = run.at(-1);
  const link = (one) => h(
    "a",
    {
      href: linkTo({ calls: one.calls, at: null, view: "call" }), class: "place",
      "aria-label": `${spokenCall(one.calls.at(-1))} by ${SEAT_NAMES[(now.dealer + one.calls.length - 1) % 4]}`,
      title: one.variants.join(" or "),
    },
    callNode(one.calls.at(-1)),
  );
  const line = h("span", { class: "run" }, run.map(link));
  const told = h("span", { class: "soft small" }, last.completed
    ? contractNodes(contractOf(last.calls, now.dealer)) : last.variants.join(" or "));
  if (!last.children.length) {
    return h("li", { class: "leaf" }, h("span", { class: "twig", "aria-hidden": "true" }), line, told);
  }
  const id = freshId("branch");
  const list = h("ul", { id, hidden: true });
  let filled = false;
  const button = h("button", {
    type: "button", class: "toggle", "aria-expanded": "false", "aria-controls": id,
    "aria-label": `${plural(last.children.length, "way")} on after ${last.calls.map(spokenCall).join(", ")}`,
    onclick: () => open(list.hidden),
  });
  const open = (show) => {
    if (show && !filled) {
      put(list, last.children.map((child) => nodeItem(child, now, depth + 1)));
      filled = true;
    }
    list.hidden = !show;
    button.setAttribute("aria-expanded", String(show));
  };
  if (depth < OPEN_LEVELS) open(true);
  return h(
    "li", null, h("div", { class: "branch" }, button, line,
      h("span", { class: "soft small" }, last.complete ? `${count(last.complete)} complete` : "")), list,
  );
}

async function ask(now, signal) {
  const question = {
    deals: [{
      deal: writeDeal(now.hands), dealer: SEATS[now.dealer], vulnerability: now.vulnerability,
    }],
    mode: "all", limit: LIMIT, ...(now.table ? { table: now.table } : {}),
  };
  try {
    return await post("/v1/auctions", question, { signal });
  } catch (error) {
    // the service may have a lower limit of its own
    if (error.kind !== "limit-exceeded" && error.status !== 422) throw error;
    return post("/v1/auctions", { ...question, limit: SMALLER }, { signal });
  }
}

export async function show(place, now, signal) {
  if (!hasAllHands(now)) {
    clear(place, notice("info", "All four hands are needed. Deal hands, or enter a deal."));
    return "All four hands are needed.";
  }
  const answer = await ask(now, signal);
  if (signal.aborted) return "";
  const [result] = answer.results;
  const root = treeOf(result.auctions);
  const text = `${plural(result.total, "auction")} of this deal, ${count(root.complete)} of those listed complete.`;
  clear(
    place, h("h3", null, "All auctions that the table allows"),
    h("p", null, text, result.truncated && ` Only the first ${count(result.auctions.length)} are listed.`),
    root.children.length ? h("ul", { class: "tree" }, root.children.map((node) => nodeItem(node, now, 0)))
      : notice("info", "The table has no call for the first hand: it is a pass by default."),
  );
  return text;
}
