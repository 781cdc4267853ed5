// Practice: ten hands of a topic one after the other, each with what the system calls and why.

import { get, post } from "./api.js";
import { lendCalls } from "./bidding_box.js";
import { isLegal, SEATS, spokenCall } from "./calls.js";
import { busy, clear, h, notice, table } from "./dom.js";
import { callNode, callsNode, callText } from "./format.js";
import { copyButton, failure, gameTable, keepingNotes, say } from "./game_table.js";
import { makeSet, readSet, topicsOf, topicText, writeSet } from "./practice_sets.js";
import { kindsNode, reasonNodes, saidNodes } from "./reasons.js";
import { answered, missedHands } from "./repetition.js";
import { change, linkTo, placeAsked } from "./state.js";
import { keep, kept } from "./storage.js";
import { PRACTICE as TEXTS } from "./texts.js";

export const title = TEXTS.title;

const NAME = "practice";
let lastTopic = "#stayman";

export function key(now) {
  return JSON.stringify([now.asked, now.table]);
}

function isProgress(value) {
  const { questions } = readSet(value.code);
  return typeof value.table === "string" && value.answers.length <= questions.length
    && value.answers.every(({ call, right }) => typeof call === "string" && typeof right === "string");
}

/** Answers of the set that was worked on last. */
function progressOf(code, tableName) {
  const found = kept(NAME, isProgress);
  return found?.code === code && found.table === tableName ? found.answers : [];
}

async function nameOfTable(now, signal) {
  return now.table || (await get("/v1/tables", { signal })).tables[0].name;
}

export async function show(place, now, signal) {
  signal.addEventListener("abort", () => lendCalls(null));
  if (!now.asked) return showChoice(place, now, signal);
  let set;
  try {
    set = readSet(now.asked);
  } catch (error) {
    const said = notice("error", error.message);
    await showChoice(place, now, signal);
    place.prepend(said);
    return error.message;
  }
  const scene = h("div", { tabindex: "-1", class: "scene" });
  clear(place, scene);
  const game = {
    ...set, code: now.asked, table: now.table, tableName: await nameOfTable(now, signal), scene, signal,
    answers: [...progressOf(now.asked, now.table)],
  };
  if (signal.aborted) return "";
  goOn(game);
  return "";
}

// --- the choice ---------------------------------------------------------------------------------

async function showChoice(place, now, signal) {
  const tableName = await nameOfTable(now, signal);
  const groups = await topicsOf(tableName, signal);
  if (signal.aborted) return "";
  const known = groups.flat();
  if (!known.some((one) => one.topic === lastTopic)) lastTopic = known[0]?.topic ?? "";
  const problem = h("div", { "aria-live": "polite" });
  const select = h("select", { id: "topic" }, [TEXTS.conventions, TEXTS.calls].map((label, group) => (
    groups[group].length > 0 && h("optgroup", { label }, groups[group].map(({ topic }) => (
      h("option", { value: topic, selected: topic === lastTopic }, topicText(topic))
    )))
  )));
  const start = async () => {
    lastTopic = select.value;
    button.disabled = true;
    clear(problem, busy(TEXTS.dealing));
    try {
      const asked = await makeSet(known.find((one) => one.topic === lastTopic), tableName, signal);
      if (!signal.aborted) change({ asked });
    } catch (error) {
      if (!signal.aborted) clear(problem, notice("error", error.message));
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button", { type: "button", class: "main", id: "ten-hands", onclick: start }, TEXTS.start);
  clear(
    place, keepingNotes(), h("p", null, TEXTS.intro),
    known.length > 0 ? h("div", { class: "row fields" }, h("span", { class: "field" }, h("label", { for: "topic" }, TEXTS.topic), select), button)
      : notice("info", TEXTS.noTopics),
    problem, goOnNode(now), repetitionNode(now, tableName),
  );
  return "";
}

/** Link to the set that was left before its end. */
function goOnNode(now) {
  const last = kept(NAME, isProgress);
  if (!last || last.table !== now.table) return null;
  const { topic, questions } = readSet(last.code);
  if (last.answers.length === questions.length) return null;
  return h("p", null, h("a", { href: linkTo({ asked: last.code }) }, TEXTS.goOn(topic, last.answers.length, questions.length)));
}

function repetitionNode(now, tableName) {
  const { all, due } = missedHands(tableName);
  const ask = (hands) => () => change({ asked: writeSet(TEXTS.repetition, hands.slice(0, 10)) });
  return h(
    "section", null, h("h3", null, TEXTS.repetition),
    h("p", null, all.length ? TEXTS.missed(all.length, due.length) : TEXTS.noMissed),
    all.length > 0 && h("div", { class: "row" },
      due.length > 0 && h("button", { type: "button", onclick: ask(due) }, TEXTS.repeatDue),
      h("button", { type: "button", onclick: ask(all) }, TEXTS.repeatAll)),
    h("p", { class: "soft small" }, TEXTS.kept),
  );
}

// --- one hand after the other -------------------------------------------------------------------

function goOn(game) {
  if (game.answers.length === game.questions.length) showHow(game);
  else showQuestion(game);
}

function progressLine(game, number) {
  return h("h3", { class: "progress" }, TEXTS.progress(game.topic, number, game.questions.length));
}

function showQuestion(game) {
  const { scene, questions, answers, signal } = game;
  const question = questions[answers.length];
  const { calls, dealer, vulnerability, hand } = question;
  const seat = (dealer + calls.length) % 4;
  const bidding = gameTable({ hand, dealer, vulnerability, seat });
  const verdict = h("div", { "aria-live": "polite" });
  const hadFocus = scene.contains(document.activeElement);
  clear(scene, keepingNotes(), progressLine(game, answers.length + 1), bidding.node, verdict);
  const judge = async (call) => {
    lendCalls(null);
    bidding.show(calls, false);
    bidding.close();
    clear(verdict, busy(TEXTS.checking));
    try {
      const answer = await post("/v1/bid", { hand, ...placeAsked({ ...question, at: null, table: game.table }) }, { signal });
      if (signal.aborted) return;
      answers.push({ call, right: answer.call });
      keep(NAME, { code: game.code, table: game.table, answers });
      answered(question, game.tableName, call === answer.call);
      showVerdict(game, verdict, answer, [...calls, call]);
    } catch (error) {
      if (!signal.aborted) clear(verdict, failure(error, () => judge(call)));
    }
  };
  bidding.show(calls, true);
  lendCalls((call) => {
    if (!isLegal(calls, call)) return false;
    judge(call);
    return true;
  });
  if (hadFocus) scene.focus();
  const spoken = calls.map(spokenCall).join(", ");
  say(`${TEXTS.progress(game.topic, answers.length + 1, questions.length)}. ${spoken}`);
}

function showVerdict(game, place, answer, calls) {
  const call = calls.at(-1);
  const isRight = call === answer.call;
  const said = saidNodes(answer);
  const reason = isRight ? null : reasonNodes(answer, call);
  const isLast = game.answers.length === game.questions.length;
  const next = h("button", { type: "button", class: "main", onclick: () => goOn(game) }, isLast ? TEXTS.finish : TEXTS.next);
  clear(
    place,
    h("div", { class: `verdict${isRight ? " right" : ""}` },
      h("p", { class: "big-text" }, isRight ? [TEXTS.right, callNode(call)]
        : [TEXTS.wrong[0], callNode(call), TEXTS.wrong[1], callNode(answer.call), "."]),
      said && h("p", null, said), reason && h("p", null, reason),
      !isRight && kindsNode(calls, game.table, game.signal)),
    h("p", { class: "row" }, next, h("a", { href: lookAt(game, game.answers.length - 1) }, TEXTS.looks(game.answers.length))),
  );
  next.focus();
  say(isRight ? TEXTS.saidRight : TEXTS.saidWrong(spokenCall(answer.call)));
}

/** Address of a question among the candidates of the deal's page. */
function lookAt({ questions }, place) {
  const { calls, dealer, vulnerability, hand } = questions[place];
  const seat = (dealer + calls.length) % 4;
  return linkTo({
    view: "call", asked: "", calls, dealer, vulnerability, at: null,
    hands: SEATS.map((_, one) => (one === seat ? hand : "")),
  });
}

function showHow(game) {
  const { scene, questions, answers, topic } = game;
  const right = answers.filter((one) => one.call === one.right).length;
  const anew = () => {
    keep(NAME, { code: game.code, table: game.table, answers: [] });
    game.answers.length = 0;
    goOn(game);
  };
  const missed = questions.filter((_, place) => answers[place].call !== answers[place].right);
  clear(
    scene, keepingNotes(), h("h3", null, topic),
    h("p", { class: "big", id: "how-many" }, TEXTS.done(right, answers.length)),
    right === answers.length && h("p", null, TEXTS.perfect),
    h("div", { class: "row" },
      h("button", { type: "button", class: "main", onclick: () => change({ asked: "" }) }, TEXTS.others),
      missed.length > 0 && h("button", {
        type: "button", onclick: () => change({ asked: writeSet(topic, missed) }),
      }, TEXTS.repeatAll),
      h("button", { type: "button", onclick: anew }, TEXTS.again), copyButton()),
    table(topic, TEXTS.heads, questions.map((one, place) => [
      one.hand.replaceAll("T", "10"), one.calls.length ? callsNode(one.calls) : TEXTS.opening,
      callNode(answers[place].call),
      answers[place].call === answers[place].right ? h("span", { class: "met" }, callText(answers[place].right))
        : h("span", { class: "missed" }, callNode(answers[place].right)),
      h("a", { href: lookAt(game, place), "aria-label": TEXTS.looks(place + 1) }, TEXTS.look),
    ])),
    h("p", { class: "soft small" }, TEXTS.kept),
  );
  scene.focus();
  say(TEXTS.done(right, answers.length));
}
