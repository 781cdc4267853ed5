// The text of a system, to be read and changed; what is wrong with it, and what a change does to hands.

import { get, isOffline, post } from "../api.js";
import { randomDealer, randomHands, randomVulnerability } from "../bridge/cards.js";
import { busy, byId, clear, h, keepFocus, notice, say } from "../dom.js";
import { fileLink, saveBlob } from "../frame/downloads.js";
import {
  changesOf, checkSystem, openSystem, outlineOf, outlineOfTexts, systemOf, systemNames, turnOption,
} from "../engine_client.js";
import { copyButton } from "../games/game_table.js";
import { callNode, callsNode, count, handInLine, signed } from "../format.js";
import { forgetOwn, freshName, keepOwn, ownSystem, ownSystems, systemOfFiles } from "./own_systems.js";
import { withOptions } from "./saved_texts.js";
import { change, hasAllHands, linkTo, state } from "../state.js";
import { storesNothing } from "../frame/storage.js";
import { meaningsNode, notesOf, ordered, rowsOf } from "./double_meanings.js";
import { mostBoards, playMatch } from "./system_match.js";
import { textEditor } from "./text_editor.js";
import { listed, phrase } from "../texts.js";
import { zipOf } from "../files/zip_files.js";

const PAUSE_MS = 350;
const FOLDER = "bidcascade-page.zip";
/** Deals that are bid while one types, and on request. */
const FEW = 200;
const MANY = 10_000;
const MOST_CHANGES = 40;
/** Those that are seen at once; what can be done next stands below them. */
const SEEN_CHANGES = 8;
const SEED = 1;
/** Boards of a match, and of what is added to it. */
const MATCH = 2000;
/** Deals that the service bids to say what stands out. */
const CHECKED = 2000;
const KINDS = ["gap", "strong-pass", "double-claim", "double-meaning", "dead-line", "unreached-line", "asymmetry", "long-condition"];
const TICK_MS = 500;
/** Why work ends whose text is no longer there: nothing is said of it. */
const CHANGED = new DOMException("", "AbortError");

/** Numbers of what was drawn, by the system that the header names: a copy that is made while one types is not drawn anew. */
const drawings = new Map();
let lastDrawing = 0;

export function key({ table }) {
  if (!drawings.has(table)) drawings.set(table, lastDrawing += 1);
  return String(drawings.get(table));
}

/** Choose a system, here and in the header. */
function turnToSystem(table) {
  clear(byId("messages"));
  drawings.delete(table);
  change({ table });
}

/** Let the header name a copy from now on in place of what it was made of; nothing is drawn anew. */
function turnToCopy(table, from) {
  if (state().table !== from) return;
  drawings.set(table, drawings.get(from));
  drawings.delete(from);
  change({ table }, { quiet: true });
}

export async function show(place, now, signal) {
  const [names, { tables }] = await Promise.all([systemNames(), get("/v1/tables")]);
  if (signal.aborted) return "";
  const chosen = now.table || tables[0].name;
  const own = ownSystem(chosen);
  const base = own ? own.base : chosen;
  const problem = h("div", { "aria-live": "polite" });
  const tell = (error) => clear(problem, notice("error", error.message));
  /** What went wrong before says nothing of the text any more. */
  const forgive = () => problem.querySelector(".error") && clear(problem);
  const reportNotStored = () => storesNothing() && clear(problem, notice("info", phrase("systems.not-kept")));
  const work = h("div", null);
  const choice = h("div", null);
  // a system that is changed for the first time stands in the list at once
  const renamed = (name) => clear(choice, choiceNode(name, names, base, tell));
  renamed(own ? own.name : base);
  const reportError = (sentence) => clear(problem, notice("error", sentence));
  const folder = !isOffline() && h("p", { class: "soft" }, phrase("systems.folder"), " ", fileLink("/page.zip", phrase("systems.folder-link"), reportError, FOLDER));
  clear(place, h("p", null, phrase("systems.intro")), choice, problem, work);
  reportNotStored();
  if (!own && !names.includes(chosen)) {
    clear(problem, notice("info", phrase("systems.no-text", { name: chosen })));
    return phrase("systems.no-text", { name: chosen });
  }
  const system = own || { name: "", base, main: "", files: {}, options: {} };
  const { main, texts } = await systemOf(base);
  if (signal.aborted) return "";
  // without an engine there is no outline, and the text can be read all the same
  const outline = outlineOf(base).catch(() => ({ options: [], chosen: {}, files: Object.keys(texts) }));
  const isAlone = Boolean(system.main) && !Object.hasOwn(texts, system.main);
  const old = isAlone ? null : { main, files: texts, options: {} };
  editing(work, { ...system, main: system.main || main, options: system.options ?? {} }, texts, old, { signal, tell, forgive, reportNotStored, renamed, names, table: now.table, outline });
  // behind the text, which would move it
  if (folder) place.append(folder);
  return phrase("systems.said", { name: system.name || base });
}

// --- which system -----------------------------------------------------------------------------------

function choiceNode(current, names, base, tell) {
  const options = (label, some) => some.length > 0 && h("optgroup", { label }, some.map((name) => (
    h("option", { value: name, selected: name === current }, name)
  )));
  const open = async (event) => {
    try {
      const system = await systemOfFiles([...event.target.files], base);
      keepOwn(system);
      turnToSystem(system.name);
    } catch (error) {
      tell(error);
    }
  };
  const file = h("input", { type: "file", id: "system-files", multiple: true, accept: ".bidding,.zip", onchange: open });
  return h(
    "div", { class: "row fields" },
    h("span", { class: "field" }, h("label", { for: "system-choice" }, phrase("systems.choice")),
      h("select", { id: "system-choice", onchange: (event) => turnToSystem(event.target.value) },
        options(phrase("systems.shipped"), names), options(phrase("systems.own"), ownSystems().map((one) => one.name)))),
    h("span", { class: "field" }, h("label", { for: "system-files" }, phrase("systems.open")), file),
  );
}

// --- the text ---------------------------------------------------------------------------------------

/** `old` is what changes are told against; null for a text of its own: as it was opened, or first without a mistake. */
function editing(place, system, texts, old, { signal, tell, forgive, reportNotStored, renamed, names, table, outline }) {
  const files = { ...texts, ...system.files };
  // what the reader says of the text as it is; of one's own it is read first
  let told = { options: [], chosen: system.options, files: system.name ? [system.main] : Object.keys(texts) };
  // pages of the base that a text of its own does not include are not its
  const named = () => [...new Set([...told.files, ...Object.keys(system.files)])];
  let page = system.main;
  const complaints = h("ul", { class: "complaints", "aria-label": phrase("systems.complaints"), "aria-live": "polite" });
  const switches = h("details", { class: "switches" });
  const twice = h("ul", { class: "meanings", "aria-label": phrase("double.title") });
  const taken = h("div", { "aria-live": "polite" });
  const few = h("div", { "aria-live": "polite" });
  const many = h("div", null);
  const better = h("div", { "aria-live": "polite" });
  const odd = h("div", { "aria-live": "polite" });
  const opponents = h("select", { id: "system-opponents" }, h("option", { value: "" }, phrase("systems.themselves")),
    names.map((name) => h("option", { value: name }, name)));
  const pages = h("select", { id: "system-page", onchange: () => turnTo(pages.value) });
  const editor = textEditor(phrase("systems.text"), typed);
  let waiting = 0, clicks = 0;
  let running = null;
  const first = whole();
  signal.addEventListener("abort", () => {
    clearTimeout(waiting);
    running?.abort();
  });

  function showPages() {
    clear(pages, named().sort((one, other) => (other === system.main) - (one === system.main) || one.localeCompare(other))
      .map((name) => h("option", { value: name, selected: name === page },
        files[name] === texts[name] ? name : phrase("systems.page-changed", { name }))));
  }

  function turnTo(name, line, column) {
    page = name;
    pages.value = name;
    editor.show(files[name]);
    mark();
    if (line) editor.goTo(line, column);
  }

  /** The text as it is now, with the options that were turned. */
  function whole() {
    return { main: system.main, files: { ...files }, options: system.options };
  }

  function typed() {
    files[page] = editor.text();
    changed();
  }

  function showSwitches() {
    const { options } = told;
    switches.hidden = !options.length;
    keepFocus(switches, () => clear(switches,
      h("summary", null, phrase("systems.options"), h("span", { class: "soft" }, phrase("systems.options-on", { on: count(options.filter(({ on }) => on).length), all: count(options.length) }))),
      h("p", { class: "soft" }, phrase("systems.options-note")),
      switchesNode(options, turn)));
  }

  const isCopied = Boolean(system.name);
  /** What the base is played with, which a copy of it begins with. */
  const started = outline.then((base) => {
    if (old) old.options = base.chosen;
    if (isCopied) return;
    system.options = { ...base.chosen, ...system.options };
    if (system.name) {
      keepOwn({ ...system });
      return;
    }
    told = base;
    first.options = base.chosen;
    if (signal.aborted) return;
    showPages();
    showSwitches();
  });

  async function readOutline() {
    await started;
    told = await outlineOfTexts(whole());
    if (signal.aborted) return;
    showPages();
    showSwitches();
  }

  /** Clicks are done one behind the other: each goes on from the choices of the one before. */
  let turning = Promise.resolve();
  function turn({ name, title }, on) {
    turning = turning.then(async () => {
      await started;
      told = await turnOption({ ...whole(), name, on });
      system.options = told.chosen;
      changed();
      say(phrase(on ? "systems.option-on" : "systems.option-off", { title }));
    }).catch((error) => {
      showSwitches();
      tell(error);
    });
  }

  function changed() {
    const wasOwn = Boolean(system.name);
    if (!wasOwn) system.name = freshName(system.base);
    system.files = Object.fromEntries(Object.entries(files).filter(([name, text]) => text !== texts[name]));
    keepOwn({ ...system });
    forgive();
    reportNotStored();
    // it is the chosen one from now on; nothing is drawn anew under the writer's hands
    if (!wasOwn) turnToCopy(system.name, table);
    forgetting.hidden = false;
    if (!wasOwn) renamed(system.name);
    showPages();
    showSwitches();
    // what stands there was found out about the text before
    running?.abort(CHANGED);
    [found, meanings] = [[], []];
    for (const place of [twice, many, better, odd]) clear(place);
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      waiting = 0;
      check();
    }, PAUSE_MS);
  }

  async function opened(mine) {
    const { complaints: wrong } = await checkSystem(first, mine);
    return wrong.length ? whole() : first;
  }

  let found = [];
  let meanings = [];
  function mark() {
    editor.mark(found.filter((one) => one.where?.file === page).map((one) => one.where), notesOf(meanings, page));
    clear(twice, meaningsNode(meanings, page, { goTo: ({ file, line, column }) => turnTo(file, line, column), takeOut }));
  }

  /** Take a line out with what stands below it; until something else is taken out it may be put back. */
  function takeOut({ file, line }, name) {
    turnTo(file);
    const lines = files[file].split("\n");
    const { from, to } = rowsOf(files[file], line);
    const rows = lines.slice(from - 1, to);
    editor.replace(from, to, "");
    editor.goTo(from, 1);
    const back = () => {
      turnTo(file);
      editor.replace(from, from - 1, `${rows.join("\n")}\n`);
      editor.goTo(from, 1);
      clear(taken);
    };
    clear(taken, notice("info", phrase("double.taken", { name, number: rows.length }), " ", h("button", { type: "button", onclick: back }, phrase("double.back"))));
  }

  function showComplaints(some) {
    found = some;
    mark();
    clear(complaints, found.map(({ where, message, advice }) => h("li", null,
      where && [h("button", { type: "button", class: "quiet", onclick: () => turnTo(where.file in files ? where.file : page, where.line, where.column) },
        phrase("systems.where", where)), " "], message, advice && h("span", { class: "soft" }, phrase("systems.advice", { advice })))));
    if (found.length) say(wrongText());
  }

  function wrongText() {
    return phrase("systems.wrong", { number: found.length });
  }

  /** What is said where work ended before its time; what is wrong with the text stands with the text. */
  function endNode(error, mine, stopped = phrase("systems.stopped")) {
    if (mine.aborted) return mine.reason !== CHANGED && notice("info", stopped);
    if (!error.complaints?.length) return notice("error", error.message);
    showComplaints(error.complaints);
    return notice("error", wrongText());
  }

  async function check() {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const comparing = busy(phrase("systems.comparing", { deals: count(FEW) }));
    try {
      await readOutline();
      const checked = await checkSystem(whole(), mine.signal);
      if (mine.signal.aborted) return;
      meanings = ordered(checked.meanings, files, old?.files);
      showComplaints(checked.complaints);
      if (found.length) clear(few);
      else {
        if (!few.firstChild) clear(few, comparing);
        old ??= await opened(mine.signal);
        await compare(FEW, few, mine.signal);
      }
    } catch (error) {
      if (mine.signal.aborted) return;
      const end = endNode(error, mine.signal);
      clear(few, !found.length && end);
    } finally {
      comparing.remove();
    }
  }

  async function compare(deals, where, mine) {
    const question = { old: old ?? first, new: whole(), deals, seed: SEED };
    const bar = h("progress", { max: String(deals), value: "0", "aria-label": phrase("systems.bidding") });
    if (deals === MANY) clear(where, h("p", { class: "row" }, bar, h("button", { type: "button", onclick: () => running?.abort() }, phrase("systems.stop"))));
    const answer = await changesOf(question, { signal: mine, progress: (done) => { bar.value = done; } });
    if (!mine.aborted) clear(where, changesNode(answer));
  }

  /** Let what was clicked begin, and end what is under way; null where something else has begun since.
   *
   * A check of what was typed just before comes first: it would end what begins now.
   */
  async function begun() {
    clicks += 1;
    const click = clicks;
    if (waiting) {
      clearTimeout(waiting);
      waiting = 0;
      await check();
    }
    if (waiting || click !== clicks) return null;
    running?.abort();
    running = new AbortController();
    return running;
  }

  async function compareMany() {
    const mine = await begun();
    if (mine === null) return;
    try {
      await compare(MANY, many, mine.signal);
    } catch (error) {
      clear(many, endNode(error, mine.signal));
    }
  }

  /** Whether the changed text wins IMPs: both play the same boards, and what is known so far is shown. */
  async function isBetter(goOn = null) {
    const mine = await begun();
    if (mine === null) return;
    if (found.length) {
      clear(better, notice("error", wrongText()));
      return;
    }
    const most = await mostBoards();
    if (most === 0) {
      clear(better, notice("info", phrase("systems.better-no-deals")));
      return;
    }
    const match = goOn ?? { first: whole(), second: old ?? first, imps: [] };
    const begin = goOn?.boards ?? 0;
    match.boards = Math.min(begin + MATCH, most ?? Infinity);
    const bar = h("progress", { max: String(match.boards - begin), value: "0", "aria-label": phrase("systems.playing") });
    const time = h("span", { class: "soft" });
    const soFar = h("div", null);
    const began = performance.now();
    let summary = goOn?.summary ?? null;
    const tellTime = () => {
      const gone = (performance.now() - began) / 1000, done = (summary?.boards ?? begin) - begin;
      const left = done ? gone / done * (match.boards - begin - done) : null;
      clear(time, phrase("systems.better-done", { done: count(begin + done), all: count(match.boards) }), " ",
        phrase(left === null ? "systems.better-time" : "systems.better-times", { gone: Math.round(gone), left: Math.ceil(left ?? 0) }));
    };
    const clock = setInterval(tellTime, TICK_MS);
    tellTime();
    clear(better, h("p", { class: "row" }, bar, phrase("systems.playing"), time,
      h("button", { type: "button", onclick: () => mine.abort() }, phrase("systems.stop"))), soFar);
    let wrong = null;
    try {
      for await (summary of playMatch({ ...match, begin }, mine.signal)) {
        bar.value = summary.boards - begin;
        tellTime();
        clear(soFar, matchNode(summary));
      }
    } catch (error) {
      wrong = endNode(error, mine.signal, phrase("systems.better-stopped", { boards: boardsText(summary?.boards ?? 0) }));
    } finally {
      clearInterval(clock);
    }
    if (mine.signal.reason === CHANGED) return;
    const isWhole = summary?.boards === match.boards && match.boards < (most ?? Infinity);
    const further = () => isBetter({ ...match, boards: summary.boards, summary });
    clear(better, wrong, summary && matchNode(summary),
      !wrong && isWhole && h("p", null, h("button", { type: "button", onclick: further }, phrase("systems.better-further", { boards: boardsText(MATCH) }))));
    if (summary && !wrong) say(verdictOf(summary));
  }

  /** What the service finds odd where it bids random deals with the text: gaps, lines that nothing takes and more. */
  async function standsOut() {
    const mine = await begun();
    if (mine === null) return;
    // the service names the main text by the field that it came in
    const ofService = ({ file, line, column, message, advice }) => ({
      where: { file: file === "system" ? system.main : file, line, column }, message, advice,
    });
    clear(odd, h("p", { class: "row" }, busy(phrase("systems.checking")), h("button", { type: "button", onclick: () => mine.abort() }, phrase("systems.stop"))));
    try {
      await readOutline();
      const pages = Object.fromEntries(told.files.filter((name) => name !== system.main).map((name) => [name, files[name]]));
      const { complaints: wrong, result } = await post("/v1/systems/check", {
        system: { text: files[system.main], pages, options: told.chosen }, deals: CHECKED, seed: SEED,
        ...(opponents.value ? { opponents: { table: opponents.value } } : {}),
      }, { signal: mine.signal });
      if (mine.signal.aborted) throw mine.signal.reason;
      clear(odd, result ? findingsNode(result) : endNode({ complaints: wrong.map(ofService) }, mine.signal));
    } catch (error) {
      clear(odd, endNode(error, mine.signal));
    }
  }

  const savePage = () => saveBlob(new Blob([files[page]], { type: "text/plain" }), page);
  const saveAll = () => saveBlob(zipOf(withOptions(new Map(named().map((name) => [name, files[name]])), whole().options)), `${system.name || system.base}.zip`);

  async function use() {
    try {
      const name = system.name || system.base;
      if (found.length) throw new Error(wrongText());
      if (system.name) await openSystem(name);
      // who has turned to another view meanwhile stays there
      if (signal.aborted) return;
      // who came straight here has no deal yet
      const deal = hasAllHands() ? {} : { hands: randomHands(), dealer: randomDealer(), vulnerability: randomVulnerability(), calls: [], at: null };
      change({ ...deal, view: "call", asked: "" });
    } catch (error) {
      const isOfText = error.complaints?.length > 0;
      if (isOfText) showComplaints(error.complaints);
      tell(isOfText ? new Error(wrongText()) : error);
    }
  }

  const forget = () => {
    forgetOwn(system.name);
    turnToSystem(system.base);
  };
  const button = (name, onclick, main) => h("button", { type: "button", onclick, id: `system-${name}`, class: main && "main" }, phrase(`systems.${name}`));
  const forgetting = button("forget", forget);
  forgetting.hidden = !system.name;
  clear(
    place,
    h("div", { class: "row" }, h("span", { class: "field" }, h("label", { for: "system-page" }, phrase("systems.page")), pages),
      button("use", use, true), button("save-page", savePage), button("save-all", saveAll),
      copyButton(), forgetting),
    switches, editor.node, complaints, taken, twice, few,
    h("p", { class: "row" }, button("many", compareMany), button("better", () => isBetter())), many, better,
    !isOffline() && h("div", { class: "row fields" },
      h("span", { class: "field" }, h("label", { for: "system-opponents" }, phrase("systems.opponents")), opponents), button("check", standsOut)),
    odd,
  );
  showPages();
  showSwitches();
  turnTo(page);
  if (system.name) check();
}

/** Switches with the options' titles and a line of what they are; those within another option stand below it. */
function switchesNode(options, turn) {
  const around = ({ within }) => Object.keys(within).filter((name) => options.some((one) => one.name === name)).at(-1) ?? "";
  const below = (outer) => {
    const some = options.filter((one) => around(one) === outer);
    return some.length > 0 && h("ul", null, some.map((one) => h("li", null, h("label", null,
      h("input", { type: "checkbox", name: `option-${one.name}`, checked: one.on, onchange: (event) => turn(one, event.target.checked) }),
      h("span", null, h("b", null, one.title), " ", h("span", { class: "soft" }, one.about),
        within(one) && h("span", { class: "soft" }, ` (${within(one)})`))), below(one.name))));
  };
  const titleOf = (name) => options.find((one) => one.name === name)?.title ?? name;
  const within = (one) => listed(Object.entries(one.within).map(([name, on]) => phrase(on ? "systems.with" : "systems.without", { title: titleOf(name) })));
  return below("");
}

// --- what a change does --------------------------------------------------------------------------------

function changesNode({ deals, changed, changes }) {
  if (!changed) return notice("info", phrase("systems.no-change", { deals: count(deals) }));
  const rest = changes.slice(SEEN_CHANGES, MOST_CHANGES);
  return [
    h("p", null, phrase("systems.changed", { changed: count(changed), deals: count(deals), share: (100 * changed / deals).toFixed(1) })),
    changesList(changes.slice(0, SEEN_CHANGES)),
    rest.length > 0 && h("details", null, h("summary", null, phrase("systems.rest", { number: rest.length })), changesList(rest)),
    changes.length > MOST_CHANGES && h("p", { class: "soft" }, phrase("systems.more", { number: changes.length - MOST_CHANGES })),
  ];
}

/** Places where calls change, with hands; a click opens one as a deal. */
function changesList(some) {
  return h("ul", { class: "changes" }, some.map((one) => h(
    "li", null,
    h("p", null, one.calls.length ? callsNode(one.calls) : phrase("systems.opening"), ": ", callOf(one.old), " → ", callOf(one.new),
      h("span", { class: "soft" }, phrase("systems.deals", { number: one.deals }))),
    h("p", { class: "soft small" }, phrase("systems.rules", { old: one.old_rule, new: one.new_rule })),
    one.examples.map((example) => h("a", { class: "example", href: linkToExample(one, example) }, handInLine(example.hands[(example.dealer + one.calls.length) % 4]))),
  )));
}

function boardsText(number) {
  return phrase("number.boards", { number });
}

function verdictOf({ differs, low, high }) {
  if (!differs) return phrase("systems.better-same");
  return phrase(low > 0 ? "systems.better-yes" : high < 0 ? "systems.better-no" : "systems.better-open");
}

/** Text of the service with calls as texts write them. */
function inLetters(text) {
  return text.replace(/\b([1-7])N\b/g, "$1NT");
}

/** What stands out, most deals first within a kind. */
function findingsNode({ deals, findings, findings_total: all }) {
  const counts = { deals: count(deals) };
  if (!all) return notice("info", phrase("systems.nothing-odd", counts));
  const kinds = new Map(KINDS.map((kind) => [kind, findings.filter((one) => one.kind.replace(" ", "-") === kind)]));
  return [
    h("p", null, phrase("systems.odd", { ...counts, number: all })),
    KINDS.filter((kind) => kinds.get(kind).length).map((kind) => h("details", null,
      h("summary", null, phrase(`systems.kind-${kind}`), h("span", { class: "soft" }, ` ${count(kinds.get(kind).length)}`)),
      h("ul", null, kinds.get(kind).map((one) => h("li", null, inLetters(one.text),
        one.deals > 0 && h("span", { class: "soft" }, phrase("systems.deals", { number: one.deals })),
        one.examples.length > 0 && h("p", { class: "soft small" }, inLetters(one.examples.join("; ")))))))),
  ];
}

/** IMPs a board of a changed text against the old one, with the interval, and what they were counted on. */
function matchNode(summary) {
  const { boards, differs, value, low, high } = summary;
  const counts = { boards: boardsText(boards), differs: count(differs) };
  if (!differs) return notice("info", phrase("systems.better-none", counts));
  const interval = low === null ? "" : phrase("simulation.interval", { low: signed(low, 3), high: signed(high, 3) });
  return [
    h("p", { class: "big" }, verdictOf(summary)),
    h("p", null, phrase("systems.better-imps", { imps: signed(value, 3), interval })),
    h("p", { class: "soft" }, phrase("systems.better-how", counts)),
  ];
}

function callOf(call) {
  return call === null ? phrase("systems.end") : callNode(call);
}

function linkToExample({ calls }, { hands, dealer, vulnerability }) {
  return linkTo({ view: "call", asked: "", hands, dealer, vulnerability, calls, at: null });
}
