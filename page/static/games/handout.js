// A handout: hands of a set on one page, the answers on another, for paper, files and a class.

import { reasonText } from "../answers/answer_call.js";
import { handLine } from "../archives/archive_boards.js";
import { savingButtons } from "../boards/board_saving.js";
import { contractOf, SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { pointsOf } from "../bridge/cards.js";
import { SIDE_NAMES } from "../deal/deal_diagram.js";
import { busy, clear, freshId, h, notice, say, sayOn } from "../dom.js";
import { systemsThere } from "../engine_client.js";
import { callNode, callsNode, contractNodes, handNode } from "../format.js";
import { tellCopied } from "./game_table.js";
import { MOST_HANDS, writeHandout } from "./handout_code.js";
import { answersOf, boardsOf } from "./handout_maker.js";
import { readSet } from "./practice_sets.js";
import { change, fragmentOf, linkTo } from "../state.js";
import { phrase } from "../texts.js";

/** What is on the screen and on paper. */
const PARTS = ["both", "hands", "answers"];
let part = "both";
let wanted = 12;

export function key(now) {
  return now.asked;
}

// --- the way here -----------------------------------------------------------------------------

/** Text of a handout with the name of the system, which a link to another page carries. */
export async function handoutOf(topic, questions, tableName) {
  const { own } = await systemsThere(tableName);
  return writeHandout({ topic, system: tableName, isOwn: own, questions });
}

/** How many hands, and a button that makes a handout of them: `make(size, tableName, signal)` gives `{topic, questions}`. */
export function handoutRow(name, make, tableName, signal) {
  const id = freshId("hands");
  const hidden = () => h("span", { class: "hidden" }, ` ${name}`);
  const problem = h("span", { "aria-live": "polite" });
  const size = () => Math.min(MOST_HANDS, Math.max(1, Math.round(Number(input.value)) || 1));
  const input = h("input", {
    id, type: "number", min: "1", max: String(MOST_HANDS), value: String(wanted), onchange: () => { input.value = String(wanted = size()); },
  });
  const start = async () => {
    button.disabled = true;
    clear(problem, busy(phrase("practice.dealing")));
    try {
      const { topic, questions } = await make(size(), tableName, signal);
      const asked = await handoutOf(topic, questions, tableName);
      if (!signal.aborted) change({ view: "handout", asked });
    } catch (error) {
      if (!signal.aborted) clear(problem, notice("error", error.message));
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button", { type: "button", onclick: start }, phrase("handout.make"), hidden());
  return h("p", { class: "row handout-row" }, h("label", { for: id }, phrase("handout.hands"), hidden()), input, button, problem);
}

/** Whether a set is of a system that this page has; what is missing is told in `place`. The page turns to the set's system. */
export async function hasSystem(set, place, now, signal) {
  if (!set.system) return true;
  const { first, names } = await systemsThere(set.system, signal);
  if (signal.aborted) return false;
  if (!names.includes(set.system)) {
    clear(place, h("h3", null, set.topic),
      notice("error", phrase(set.isOwn ? "handout.own-system" : "handout.no-system", { system: set.system })),
      h("p", null, h("a", { href: linkTo({ view: "systems", asked: "" }) }, phrase("group.systems"))));
    return false;
  }
  if ((now.table || first) === set.system) return true;
  change({ table: set.system === first ? "" : set.system }, { quiet: true });
  return false;
}

// --- the two sheets ---------------------------------------------------------------------------

function headNode({ calls, dealer, vulnerability }, place) {
  const seat = SEAT_NAMES[(dealer + calls.length) % SEATS.length];
  return h("p", { class: "handout-head" }, h("strong", null, `${place + 1}. `), phrase("handout.facts", {
    seat, dealer: SEAT_NAMES[dealer], side: SIDE_NAMES[vulnerability],
  }));
}

function questionNode(one, place) {
  return h("li", { class: "handout-hand" }, headNode(one, place), handNode(one.hand),
    h("p", null, phrase("game.points", { number: pointsOf(one.hand) }), " · ",
      one.calls.length ? callsNode(one.calls) : phrase("practice.opening")),
    h("p", { class: "blank" }, phrase("handout.your-call"), " ", h("span", { class: "line" })));
}

function dealNode({ hands, dealer }, auction) {
  return [
    h("ul", { class: "hand-lines" }, hands.map(handLine)),
    auction?.length > 0 && h("p", { class: "small" }, callsNode(auction), " – ", contractNodes(contractOf(auction, dealer))),
  ];
}

function answerNode(one, answer, place) {
  return h("li", { class: "handout-hand" }, headNode(one, place),
    h("p", null, h("strong", { class: "big-text" }, callNode(answer.call)), answer.name && ` ${answer.name}: `, !answer.name && " ", reasonText(answer)),
    one.hands && dealNode(one, answer.auction));
}

function sheet(name, heading, items) {
  return h("section", { class: `handout-sheet ${name}`, "aria-label": heading }, h("h3", null, heading), h("ol", null, items));
}

// --- the view ---------------------------------------------------------------------------------

/** Address for a class: the set in practice, whatever deal this page shows. */
export function classLink(asked) {
  const address = new URL(location.href);
  address.hash = fragmentOf({
    hands: ["", "", "", ""], dealer: 0, vulnerability: "None", calls: [], at: null, table: "", view: "practice", eyes: "", other: "", asked,
  });
  return address.href;
}

function linkButton(asked) {
  const button = h("button", {
    type: "button", onclick: async () => {
      try {
        await navigator.clipboard.writeText(classLink(asked));
        tellCopied(button);
      } catch {
        sayOn(button, phrase("handout.copy-by-hand"), phrase("handout.copy-by-hand"));
      }
    },
  }, phrase("handout.copy"));
  return button;
}

function partChoice(sheets) {
  const id = freshId("part");
  const select = h("select", {
    id, onchange: () => {
      part = select.value;
      show();
    },
  }, PARTS.map((one) => h("option", { value: one, selected: one === part }, phrase(`handout.part-${one}`))));
  const show = () => { sheets.dataset.part = part; };
  show();
  return h("span", { class: "field" }, h("label", { for: id }, phrase("handout.show")), select);
}

export async function show(place, now, signal) {
  if (!now.asked) {
    clear(place, notice("info", phrase("handout.none")), h("p", null, h("a", { href: linkTo({ view: "practice", asked: "" }) }, phrase("help.practice"))));
    return "";
  }
  let set;
  try {
    set = readSet(now.asked);
  } catch (error) {
    clear(place, notice("error", error.message));
    return error.message;
  }
  if (!await hasSystem(set, place, now, signal)) return "";
  const { topic, questions } = set;
  const tableName = set.system ?? (await systemsThere("", signal)).first;
  const waiting = h("p", { class: "busy" }, phrase("handout.answering", { done: 0, all: questions.length }));
  clear(place, h("h3", null, topic), waiting);
  const answers = await answersOf(questions, tableName, signal, (done) => {
    waiting.textContent = phrase("handout.answering", { done, all: questions.length });
  });
  if (signal.aborted) return "";
  const sheets = h("div", { class: "handout-sheets" },
    sheet("hands", phrase("handout.of", { topic }), questions.map(questionNode)),
    sheet("answers", phrase("handout.answers-of", { topic, system: tableName }), questions.map((one, number) => answerNode(one, answers[number], number))));
  clear(place,
    h("div", { class: "handout-tools" },
      h("div", { class: "row fields" }, partChoice(sheets),
        h("button", { type: "button", class: "main", onclick: () => print() }, phrase("handout.print")), linkButton(now.asked),
        h("a", { href: linkTo({ view: "practice" }) }, phrase("handout.practise"))),
      h("div", { class: "row" }, savingButtons(() => boardsOf(topic, questions), ["pbn", "lin"], phrase("handout.of-sheet"))),
      set.isOwn && notice("info", phrase("handout.own-note", { system: set.system }))),
    sheets);
  const said = phrase("handout.said", { number: questions.length, topic });
  say(said);
  return said;
}
