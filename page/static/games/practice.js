// Practice: ten hands of a topic one after the other, each with what the system calls and why.

import { reasonText } from "../answers/answer_call.js";
import { get, post } from "../api.js";
import { lendCalls } from "../deal/bidding_box.js";
import { isLegal, SEATS, spokenCall } from "../bridge/calls.js";
import { busy, busyBar, clear, h, notice, say, table } from "../dom.js";
import { callNode, callsNode, handInLine } from "../format.js";
import { copyButton, failure, gameTable, keepingNotes } from "./game_table.js";
import { handoutOf, handoutRow, hasSystem } from "./handout.js";
import { makeSet, readSet, topicQuestions, topicsOf, topicText, writeSet } from "./practice_sets.js";
import { makeThemeSet, themeQuestions, themesOf } from "./practice_themes.js";
import { isRequested, levelsOf } from "./practice_topics.js";
import { answered, missedHands } from "./repetition.js";
import { change, linkTo, placeRequest } from "../state.js";
import { store, stored } from "../frame/storage.js";
import { ownSystem } from "../systems/own_systems.js";
import { phrase, phraseNodes } from "../texts.js";
import { fitsToo, kindsNode, whyNode } from "../answers/why.js";

const NAME = "practice";
/** Topics that are seen at once. */
const LINES = 12;
const LEVELS = ["first", "conventions", "names"];
let lastTopic = "#stayman";
let lastTheme = "stayman";

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
  const found = stored(NAME, isProgress);
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
  if (!await hasSystem(set, place, now, signal)) return "";
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
  if (signal.aborted) return "";
  const topics = h("div", { "aria-live": "polite" });
  const themes = h("div");
  clear(place, keepingNotes(), h("p", null, phrase("practice.intro")), topics, goOnNode(now), themes, repetitionNode(now, tableName));
  await Promise.all([showTopics(topics, tableName, signal), showThemes(themes, tableName, signal)]);
  return "";
}

async function showThemes(place, tableName, signal) {
  const themes = await themesOf(signal);
  if (!signal.aborted) clear(place, themesNode(themes, tableName, signal));
}

/** Topics to choose from; of a system that nobody has practised they are looked for first. */
async function showTopics(place, tableName, signal) {
  const finding = busyBar(phrase("practice.finding"), phrase("practice.finding-label"));
  clear(place, finding.node);
  const groups = await topicsOf(tableName, signal, finding.tell, ownSystem(tableName)?.base ?? null);
  if (signal.aborted) return;
  // what is chosen here is no news
  place.removeAttribute("aria-live");
  const known = groups.flat();
  if (!known.some((one) => one.topic === lastTopic)) lastTopic = known[0]?.topic ?? "";
  const problem = h("div", { "aria-live": "polite" });
  const levels = levelsOf(groups);
  const select = h("select", { id: "topic", size: String(LINES) });
  const found = h("p", { class: "soft small", role: "status" });
  const list = () => {
    const filtered = levels.map((level) => level.filter((one) => isRequested(one, filter.value.trim())));
    clear(select, filtered.map((level, place) => level.length > 0 && h(
      "optgroup", { label: phrase(`practice.${LEVELS[place]}`) }, level.map(({ topic }) => h("option", { value: topic }, topicText(topic))),
    )));
    const left = filtered.flat();
    select.value = (left.find((one) => one.topic === lastTopic) ?? left[0])?.topic ?? "";
    button.disabled = !left.length;
    found.textContent = filter.value.trim() ? phrase("practice.found", { number: left.length, all: known.length }) : "";
  };
  const filter = h("input", { id: "topic-filter", type: "search", autocomplete: "off", spellcheck: "false", oninput: list });
  const start = async () => {
    lastTopic = select.value;
    button.disabled = true;
    clear(problem, busy(phrase("practice.dealing")));
    try {
      const asked = await makeSet(known.find((one) => one.topic === lastTopic), tableName, signal);
      if (!signal.aborted) change({ asked });
    } catch (error) {
      if (!signal.aborted) clear(problem, notice("error", error.message));
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button", { type: "button", class: "main", id: "ten-hands", onclick: start }, phrase("practice.start"));
  const handout = handoutRow(phrase("handout.of-topic"), async (size, ...about) => {
    lastTopic = select.value;
    const one = known.find(({ topic }) => topic === lastTopic);
    return { topic: topicText(lastTopic), questions: await topicQuestions(one, ...about, size) };
  }, tableName, signal);
  clear(
    place, known.length > 0 ? h("div", { class: "form topics" }, h("label", { for: "topic-filter" }, phrase("practice.filter")), filter, found,
      h("label", { for: "topic" }, phrase("practice.topic")), select, h("p", null, button), handout)
      : notice("info", phrase("practice.no-topics")),
    problem,
  );
  if (known.length) list();
}

/** Themes to choose from, whatever the system names. */
function themesNode(themes, tableName, signal) {
  const heading = h("h3", null, phrase("practice.themes"));
  if (!themes.length) return h("section", null, heading, h("p", null, phrase("practice.themes-need-service")));
  const problem = h("div", { "aria-live": "polite" });
  const practised = h("p", { class: "soft", role: "status" });
  const chosen = () => themes.find((one) => one.name === select.value);
  const tell = () => {
    lastTheme = select.value;
    practised.textContent = chosen().practises;
  };
  const select = h("select", { id: "theme", onchange: tell }, themes.map(({ name, title: text }) => h("option", { value: name }, text)));
  const start = async () => {
    button.disabled = true;
    clear(problem, busy(phrase("practice.dealing")));
    try {
      const asked = await makeThemeSet(chosen(), tableName, signal);
      if (!signal.aborted) change({ asked });
    } catch (error) {
      if (!signal.aborted) clear(problem, notice("error", error.message));
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button", { type: "button", id: "ten-deals", onclick: start }, phrase("practice.ten-deals"));
  const handout = handoutRow(phrase("handout.of-theme"), async (size, ...about) => (
    { topic: chosen().title, questions: await themeQuestions(chosen(), ...about, size) }
  ), tableName, signal);
  if (themes.some((one) => one.name === lastTheme)) select.value = lastTheme;
  tell();
  return h("section", null, heading, h("p", null, phrase("practice.themes-intro")),
    h("div", { class: "form" }, h("label", { for: "theme" }, phrase("practice.theme")), select, practised, h("p", null, button), handout), problem);
}

/** Link to the set that was left before its end. */
function goOnNode(now) {
  const last = stored(NAME, isProgress);
  if (!last || last.table !== now.table) return null;
  const { topic, questions } = readSet(last.code);
  if (last.answers.length === questions.length) return null;
  return h("p", null, h("a", { href: linkTo({ asked: last.code }) }, phrase("practice.go-on", { topic, done: last.answers.length, all: questions.length })));
}

function repetitionNode(now, tableName) {
  const { all, due } = missedHands(tableName);
  const ask = (hands) => () => change({ asked: writeSet(phrase("practice.repetition"), hands.slice(0, 10)) });
  return h(
    "section", null, h("h3", null, phrase("practice.repetition")),
    h("p", null, all.length ? phrase("practice.missed", { number: all.length, due: due.length }) : phrase("practice.none-missed")),
    all.length > 0 && h("div", { class: "row" },
      due.length > 0 && h("button", { type: "button", onclick: ask(due) }, phrase("practice.repeat-due")),
      h("button", { type: "button", onclick: ask(all) }, phrase("practice.repeat-all"))),
    h("p", { class: "soft small" }, phrase("practice.comes-again")),
  );
}

// --- one hand after the other -------------------------------------------------------------------

function goOn(game) {
  if (game.answers.length === game.questions.length) showHow(game);
  else showQuestion(game);
}

function progressText(game, number) {
  return phrase("practice.progress", { topic: game.topic, hand: number, all: game.questions.length });
}

function showQuestion(game) {
  const { scene, questions, answers, signal } = game;
  const question = questions[answers.length];
  const { calls, dealer, vulnerability, hand } = question;
  const seat = (dealer + calls.length) % 4;
  const bidding = gameTable({ hand, dealer, vulnerability, seat });
  const verdict = h("div", { "aria-live": "polite" });
  const hadFocus = scene.contains(document.activeElement);
  clear(scene, keepingNotes(), h("h3", null, progressText(game, answers.length + 1)), bidding.node, verdict);
  const judge = async (call) => {
    lendCalls(null);
    bidding.show(calls, false);
    bidding.close();
    clear(verdict, busy(phrase("practice.checking")));
    try {
      const answer = await post("/v1/bid", { hand, ...placeRequest({ ...question, at: null, table: game.table }), candidates: true, words: true }, { signal });
      if (signal.aborted) return;
      const fits = fitsToo(answer, call, hand);
      answers.push({ call, right: answer.call, ...(fits && { fits }) });
      store(NAME, { code: game.code, table: game.table, answers });
      answered(question, game.tableName, isGood(answers.at(-1)));
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
  say(phrase("practice.asked", { progress: progressText(game, answers.length + 1), calls: calls.map(spokenCall).join(", ") }));
}

/** Whether nothing is wrong with an answer: it is the system's call, or another one that the hand fits. */
function isGood({ call, right, fits = false }) {
  return fits || call === right;
}

function showVerdict(game, place, answer, calls) {
  const call = calls.at(-1);
  const isRight = call === answer.call;
  const said = isRight ? "practice.right" : game.answers.at(-1).fits ? "practice.fits" : "practice.wrong";
  const number = game.answers.length;
  const next = h("button", { type: "button", class: "main", onclick: () => goOn(game) },
    phrase(number === game.questions.length ? "practice.finish" : "practice.next"));
  const verdict = phraseNodes(said, { call: callNode(call), right: callNode(answer.call) });
  clear(
    place,
    h("div", { class: `verdict${isRight ? " right" : ""}` },
      h("p", { class: "big-text" }, verdict),
      h("p", null, answer.name && h("strong", null, answer.name, ": "), reasonText(answer)),
      !isRight && [whyNode(answer, call), kindsNode({ ...game.questions[number - 1], calls, at: null, table: game.table }, game.signal)]),
    h("p", { class: "row" }, next, h("a", { href: lookAt(game, number - 1) }, phrase("practice.look", { hand: number }))),
  );
  next.focus();
  say(phrase(said, { call: spokenCall(call), right: spokenCall(answer.call) }));
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
  const isRight = (place) => isGood(answers[place]);
  const fitting = answers.filter((one) => one.fits).length;
  const missed = questions.filter((_, place) => !isRight(place));
  const done = phrase("practice.done", { right: questions.length - missed.length, all: questions.length });
  const anew = () => {
    store(NAME, { code: game.code, table: game.table, answers: [] });
    answers.length = 0;
    goOn(game);
  };
  const printed = async () => {
    const asked = await handoutOf(topic, questions, game.tableName);
    if (!game.signal.aborted) change({ view: "handout", asked });
  };
  clear(
    scene, keepingNotes(), h("h3", null, topic),
    h("p", { class: "big", id: "how-many" }, done),
    fitting > 0 && h("p", { class: "soft" }, phrase("practice.fitting", { number: fitting })),
    h("div", { class: "row" },
      h("button", { type: "button", class: "main", onclick: () => change({ asked: "" }) }, phrase("practice.other")),
      missed.length > 0 && h("button", {
        type: "button", onclick: () => change({ asked: writeSet(topic, missed) }),
      }, phrase("practice.repeat-all")),
      h("button", { type: "button", onclick: anew }, phrase("practice.same")), copyButton(),
      h("button", { type: "button", onclick: printed }, phrase("handout.make"))),
    table(topic, ["hand", "auction", "you", "system"].map((head) => phrase(`practice.${head}`)), questions.map((one, place) => [
      h("a", { href: lookAt(game, place), "aria-label": phrase("practice.look", { hand: place + 1 }) }, handInLine(one.hand)),
      one.calls.length ? callsNode(one.calls) : phrase("practice.opening"),
      callNode(answers[place].call),
      h("span", { class: isRight(place) ? "met" : "missed" }, callNode(answers[place].right)),
    ]), { class: "how" }),
    h("p", { class: "soft small" }, phrase("practice.comes-again")),
  );
  scene.focus();
  say(done);
}
