// Archives: which boards had, or would have, an auction; what follows it; what it is worth.

import { get, isMissingRoute } from "../api.js";
import { boardItem } from "./archive_boards.js";
import { buildForm, firstQuestion, pathOf, readQuestion, withAuction } from "./archive_form.js";
import { readCalls } from "../bridge/calls.js";
import { busy, clear, h, keepFocus, notice } from "../dom.js";
import { fileLink } from "../frame/downloads.js";
import { callBars, count, trail } from "../format.js";
import { change, linkTo } from "../state.js";
import { phrase, phraseNodes } from "../texts.js";
import { valueNodes } from "./node_values.js";

const MOST_SHOWN = 100;
const FORMS = ["lin", "pbn", "parquet"];
const OF_THE_QUESTION = [400, 404, 422];

let panel = null;

export function key(now) {
  return now.asked;
}

/** Calls of the auction that is asked for, or null where it is a pattern. */
function callsOf(question) {
  try {
    return readCalls(question.get("auction") ?? "");
  } catch {
    return null;
  }
}

function boardsText(number) {
  return phrase("number.boards", { number });
}

function noneNode() {
  return [
    h("h2", null, phrase("help.archives")),
    notice("info", phrase("archives.none")),
    h("p", null, phraseNodes("archives.make", { jobs: h("a", { href: linkTo({ view: "jobs" }) }, phrase("help.jobs")) })),
    h("pre", null, "bidcascade archive add club boards.pbn\nbidcascade archive bid club sayc --all"),
  ];
}

function asker(text, path, signal, show) {
  const place = h("div", { "aria-live": "polite" });
  const ask = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    clear(place, busy(phrase("page.asking")));
    try {
      const answer = await get(path, { signal });
      if (!signal.aborted) clear(place, show(answer));
    } catch (error) {
      if (!signal.aborted) clear(place, notice("error", error.message));
    } finally {
      button.disabled = false;
    }
  };
  return [h("button", { type: "button", onclick: ask }, text), place];
}

function totalNode(found, question, signal) {
  const { total, boards } = found;
  if (total !== null) return h("p", { class: "big-text" }, phrase("archives.fit", { number: total }));
  const path = pathOf(question, "counts", { limit: null, seed: null, level: null });
  return [
    h("p", { class: "big-text" }, phrase("archives.more-fit", { boards: boardsText(boards.length) })),
    asker(phrase("archives.count"), path, signal, (answer) => h("p", null, phrase("archives.fit", { number: answer.total }))),
  ];
}

function filesNode(question) {
  const problem = h("div", { role: "alert" });
  const tell = (text) => clear(problem, notice("error", text));
  const links = h("span", { class: "row" });
  const bids = h("input", { type: "checkbox", id: "files-bids", onchange: offer });
  function offer() {
    const changes = bids.checked ? { bids: "true" } : {};
    clear(links, FORMS.map((format) => fileLink(
      pathOf(question, "boards", { ...changes, format }), phrase(`archives.${format}`), tell, `${question.get("archive")}.${format}`,
    )));
  }
  offer();
  return [
    h("p", { class: "row" }, phrase("archives.as-file", {
      boards: boardsText(Number(question.get("limit")) || MOST_SHOWN),
    }), links,
      question.has("by") && h("label", { class: "check field", for: bids.id }, bids, phrase("archives.with-bids", { who: question.get("by") }))),
    problem,
  ];
}

function placeNodes(node, calls, question, signal) {
  const here = (some) => linkTo({ asked: withAuction(question, some), view: "archives" });
  const about = { auction: calls.join(" "), by: question.get("by") };
  const query = new URLSearchParams({ archive: question.get("archive") });
  const ended = node.boards - node.next.reduce((sum, one) => sum + one.boards, 0);
  return h(
    "section", { class: "follows", "aria-label": phrase("archives.follows") }, h("h3", null, phrase("archives.follows")),
    trail(phrase("archives.place"), calls, here),
    h("p", { class: "soft small" }, phrase("archives.place-of", {
      boards: boardsText(node.boards), who: question.get("by") ?? phrase("archives.players"),
    })),
    node.next.length > 0 && callBars(node.next.map(({ call, boards }) => ({
      call, share: boards / node.boards, name: boardsText(boards), href: here([...calls, call]),
    }))),
    ended > 0 && h("p", { class: "soft small" }, phrase("archives.ended", { number: ended })),
    node.boards > 0 && asker(phrase("archives.worth"), pathOf(query, "nodes", { ...about, statistics: "true" }), signal, (answer) => (
      answer.statistics ? valueNodes(answer.statistics, calls)
        : notice("info", phrase("archives.too-few"))
    )),
  );
}

async function answerNodes(question, signal) {
  const calls = callsOf(question);
  const limit = Math.min(Number(question.get("limit")) || MOST_SHOWN, MOST_SHOWN);
  const requests = [get(pathOf(question, "boards", { limit }), { signal })];
  if (calls) {
    const of = new URLSearchParams([...question].filter(([name]) => ["archive", "auction", "by"].includes(name)));
    of.set("auction", calls.join(" "));
    requests.push(get(pathOf(of, "nodes"), { signal }));
  }
  const [found, node] = await Promise.all(requests);
  const { boards } = found;
  const text = found.total === null ? phrase("archives.more-fit", { boards: boardsText(boards.length) })
    : phrase("archives.said", { boards: boardsText(found.total) });
  return {
    text,
    nodes: [
      totalNode(found, question, signal),
      boards.length > 0 && filesNode(question),
      calls ? placeNodes(node, calls, question, signal)
        : h("p", { class: "soft small" }, phrase("archives.pattern")),
      boards.length > 0 && [
        h("h3", null, found.total === boards.length ? phrase("archives.boards")
          : phrase("archives.boards-some", { listed: count(boards.length) })),
        h("ul", { class: "board-items" }, boards.map((board) => boardItem(board, question.get("by"), calls?.length ?? 0))),
      ],
    ],
  };
}

export async function show(place, now, signal) {
  let archives;
  let damaged;
  try {
    ({ archives, damaged = {} } = await get("/v1/archives", { signal, fresh: true }));
  } catch (error) {
    if (!isMissingRoute(error)) throw error;
    clear(place, notice("info", phrase("archives.not-offered")));
    return "";
  }
  if (signal.aborted) return "";
  const broken = Object.entries(damaged).map(([name, reason]) => notice("error", phrase("archives.damaged", { archive: name, problem: reason })));
  if (!archives.length) {
    clear(place, noneNode(), broken);
    return phrase("archives.none-said");
  }
  if (!panel?.form.isConnected) {
    const answer = h("div", null, busy(phrase("page.asking")));
    panel = { ...buildForm(archives, (asked) => change({ asked })), answer };
    clear(place, h("h2", null, phrase("help.archives")), broken, panel.form, answer);
  }
  const question = now.asked ? readQuestion(now.asked) : firstQuestion(archives);
  panel.fill(question);
  try {
    const { nodes, text } = await answerNodes(question, signal);
    if (!signal.aborted) keepFocus(panel.answer, () => clear(panel.answer, nodes));
    return text;
  } catch (error) {
    if (signal.aborted || !OF_THE_QUESTION.includes(error.status)) throw error;
    // the question stays, to be put right
    clear(panel.answer, notice("error", error.message));
    return error.message;
  }
}
