// All auctions of a deal that the table allows, as a tree that folds.

import { post } from "../api.js";
import { contractOf, SEAT_NAMES, SEATS, spokenCall } from "../bridge/calls.js";
import { writeDeal } from "../bridge/cards.js";
import { clear, freshId, h, notice, put } from "../dom.js";
import { callNode, contractNodes, count } from "../format.js";
import { hasAllHands, linkTo } from "../state.js";
import { listed, phrase } from "../texts.js";

const LIMIT = 5000;
const SMALLER = 500;
const OPEN_LEVELS = 2;

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
      "aria-label": phrase("calls.by", {
        call: spokenCall(one.calls.at(-1)), seat: SEAT_NAMES[(now.dealer + one.calls.length - 1) % 4],
      }),
      title: listed(one.variants, "or"),
    },
    callNode(one.calls.at(-1)),
  );
  const line = h("span", { class: "run" }, run.map(link));
  const result = h("span", { class: "soft small" }, last.completed
    ? contractNodes(contractOf(last.calls, now.dealer)) : listed(last.variants, "or"));
  if (!last.children.length) {
    return h("li", { class: "leaf" }, h("span", { class: "twig", "aria-hidden": "true" }), line, result);
  }
  const id = freshId("branch");
  const list = h("ul", { id, hidden: true });
  let filled = false;
  const button = h("button", {
    type: "button", class: "toggle", "aria-expanded": "false", "aria-controls": id,
    "aria-label": phrase("tree.ways", { number: last.children.length, calls: last.calls.map(spokenCall).join(", ") }),
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
      h("span", { class: "soft small" }, last.complete ? phrase("tree.complete", { number: last.complete }) : "")), list,
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
    clear(place, notice("info", phrase("page.four-hands")));
    return phrase("page.four-hands-said");
  }
  const answer = await ask(now, signal);
  if (signal.aborted) return "";
  const [result] = answer.results;
  const root = treeOf(result.auctions);
  const text = phrase("tree.number", { number: result.total, complete: count(root.complete) });
  clear(
    place, h("h3", null, phrase("tree.title")),
    h("p", null, text, result.truncated && phrase("tree.first", { listed: count(result.auctions.length) })),
    root.children.length ? h("ul", { class: "tree" }, root.children.map((node) => nodeItem(node, now, 0)))
      : notice("info", phrase("tree.none")),
  );
  return text;
}
