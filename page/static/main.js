// Puts the page together: state in the address, the parts of the deal, and one answer at a time.

import * as answerCall from "./answers/answer_call.js";
import {
  get, isOffline, post, storedKey, storeKey, useEngine, useKeyDialog, useWaitingNote,
} from "./api.js";
import * as archives from "./archives/archives.js";
import { showAuction, takeBack, whoIsNext } from "./deal/auction_diagram.js";
import * as auctionsTree from "./answers/auctions_tree.js";
import { authorsSwitch } from "./frame/authors.js";
import * as bid from "./games/bid.js";
import * as boardList from "./boards/board_list.js";
import { ALL_WAYS, savingButtons } from "./boards/board_saving.js";
import { boardShown, placeOf, restoreBoards } from "./boards/board_set.js";
import { buildBox, goToAnswer, makeCall, showBox } from "./deal/bidding_box.js";
import { randomDealer, randomHands, randomVulnerability } from "./bridge/cards.js";
import * as compare from "./answers/compare.js";
import { showDeal } from "./deal/deal_diagram.js";
import { busy, byId, clear, h, keepFocus, notice, put, say } from "./dom.js";
import { showDoubleDummy } from "./deal/double_dummy.js";
import { engineAnswer, loadEngine, onNoEngine, onSystems } from "./engine_client.js";
import { buildEntering, openEntering, showLeafing, useFiles, usePasted } from "./deal/enter_deal.js";
import { copyButton } from "./games/game_table.js";
import * as conventionCard from "./systems/convention_card.js";
import * as handout from "./games/handout.js";
import * as jobs from "./answers/jobs.js";
import * as lead from "./answers/lead.js";
import { carriesSystems, systemDropped, takeIn } from "./systems/arriving_systems.js";
import { ownSystem } from "./systems/own_systems.js";
import * as play from "./games/play.js";
import * as practice from "./games/practice.js";
import { buildGlossary } from "./frame/glossary.js";
import { buildPlaces, placeBox } from "./frame/narrow.js";
import { DEAL_VIEWS, findOffered, showNavigation } from "./frame/navigation.js";
import { tellLoading, tellWarming } from "./frame/ready.js";
import { buildShortcuts, fillHelp } from "./frame/shortcuts.js";
import * as shown from "./answers/shown.js";
import {
  begin, change, fragmentOf, GAMES, hasAllHands, isAtEnd, LED_TO, linkTo, onChange, placeRequest, seatToCall, state,
  useTakingIn,
} from "./state.js";
import * as systemBook from "./systems/system_book.js";
import * as systems from "./systems/systems.js";
import { fillPage, phrase } from "./texts.js";

const VIEWS = {
  call: answerCall, shown, auctions: auctionsTree, compare, lead, book: systemBook, card: conventionCard, boards: boardList, bid,
  cards: play, practice, handout, systems, archives, jobs,
};
/** Views without a deal beside them. */
const ALONE = ["card", "boards", ...GAMES, ...LED_TO, "systems", "archives", "jobs"];
const SLOW_MS = 200;
/** The first answer is drawn by then. */
const REST_MS = 300;

let running = null;
let viewing = Promise.resolve();
let shownKey = null;

function tell(kind, text) {
  const message = notice(kind, text, " ", h("button", {
    type: "button", class: "quiet", "aria-label": phrase("page.close-message"), onclick: () => message.remove(),
  }, "✕"));
  message.setAttribute("role", "alert");
  clear(byId("messages"), message);
}

/** Make room for a view: the deal beside it, or it alone, and what it is. */
function showFrame() {
  const now = state();
  const alone = ALONE.includes(now.view);
  byId("board").hidden = alone;
  placeBox();
  byId("main").className = `view-${now.view}`;
  byId("main").classList.toggle("alone", alone);
  const about = phrase(`help.${now.view}-text`);
  if (byId("about-text").textContent === about) return;
  byId("about-text").textContent = about;
  byId("about").open = false;
}

async function showView() {
  const now = state();
  const view = VIEWS[now.view];
  const key = `${now.view} ${view.key(now)}`;
  if (key === shownKey) return;
  shownKey = key;
  running?.abort();
  const mine = new AbortController();
  running = mine;
  const place = byId("view");
  if (place.dataset.view !== now.view) clear(place);
  const before = place.firstChild;
  const slow = setTimeout(() => {
    // a view that has begun to show its answer goes on by itself
    if (!place.firstChild) put(place, busy(phrase("page.asking")));
    else if (place.firstChild === before) place.classList.add("stale");
  }, SLOW_MS);
  place.setAttribute("aria-busy", "true");
  try {
    say(await view.show(place, now, mine.signal));
  } catch (error) {
    if (mine.signal.aborted) return;
    shownKey = null;
    clear(place, notice("error", error.message), h("p", null, h("button", {
      type: "button", onclick: showView,
    }, phrase("page.again"))));
    say(error.message);
  } finally {
    clearTimeout(slow);
    if (running === mine) {
      place.dataset.view = now.view;
      place.classList.remove("stale");
      place.removeAttribute("aria-busy");
    }
  }
}

function showTable() {
  const select = byId("table-choice");
  select.value = state().table || select.options[0]?.value;
}

/** Whether there is a system; one that is only on its way into the choice is there. */
function hasTable(name) {
  const names = [...byId("table-choice").options].map(({ value }) => value);
  return !name || !names.length || names.includes(name) || ownSystem(name) !== null;
}

/** Turn from a system that there is not to the one that goes unnamed. */
function leaveTable(complaints) {
  const { table } = state();
  const [{ value: other }] = byId("table-choice").options;
  const isText = state().view === "systems";
  const message = isText ? phrase("systems.not-here", { name: table, other }) : phrase("page.no-table", { table, other });
  change({ table: "" }, { quiet: true });
  tell("error", [...complaints, message].join(" "));
}

function showAll(now, before, complaints, notes = []) {
  if (!hasTable(now.table)) {
    leaveTable(complaints);
    return;
  }
  // what was wrong before says nothing of what is shown now
  if (fragmentOf(now) !== fragmentOf(before) && byId("messages").querySelector(".error")) clear(byId("messages"));
  if (complaints.length) tell("error", [...complaints, ...notes].join(" "));
  else if (notes.length) tell("info", notes.join(" "));
  showNavigation();
  showFrame();
  keepFocus(byId("boards"), () => showLeafing(now));
  keepFocus(byId("deal"), showDeal);
  // it stays open from board to board of a file; a deal that is new is not told
  showDoubleDummy(now, placeOf(before) >= 0 && placeOf(now) >= 0);
  keepFocus(byId("auction"), showAuction);
  showBox();
  showTools();
  showTable();
  viewing = showView();
}

function deal() {
  change({
    hands: randomHands(), dealer: randomDealer(), vulnerability: randomVulnerability(), calls: [], at: null,
    view: DEAL_VIEWS.includes(state().view) && state().view !== "lead" ? state().view : "call",
  });
  say(phrase("page.new-deal-said", { turn: whoIsNext() }));
}

/** Do something that asks the service; what goes wrong is told above. */
async function ask(work) {
  byId("messages").replaceChildren();
  try {
    await work();
  } catch (error) {
    tell("error", error.message);
  }
}

function systemCall() {
  return ask(async () => {
    const now = state();
    if (isAtEnd(now)) throw new Error(phrase("auction.over-back"));
    const hand = now.hands[seatToCall(now)];
    if (!hand) throw new Error(phrase("auction.no-hand"));
    const answer = await post("/v1/bid", { hand, ...placeRequest(now) });
    if (state() === now) makeCall(answer.call);
  });
}

function systemAuction() {
  return ask(async () => {
    const now = state();
    if (!hasAllHands(now)) throw new Error(phrase("auction.no-hands"));
    const calls = await compare.ownAuction(now, now.table, undefined);
    if (state() !== now) return;
    change({ calls, at: null });
  });
}

function showTools() {
  const now = state();
  const place = byId("auction-tools");
  if (!place.childElementCount) {
    put(
      place,
      h("button", { type: "button", id: "system-call", onclick: systemCall }, phrase("auction.system-call")),
      h("button", { type: "button", id: "system-auction", class: "main", onclick: systemAuction }, phrase("auction.system-auction")),
      h("button", { type: "button", id: "take-back", onclick: takeBack }, phrase("auction.undo")),
      h("button", { type: "button", id: "clear-auction", onclick: () => change({ calls: [], at: null }) }, phrase("auction.clear")),
    );
  }
  byId("take-back").disabled = !now.calls.length;
  byId("clear-auction").disabled = !now.calls.length;
}

function buildTools() {
  put(
    byId("deal-tools"),
    h("button", { type: "button", class: "main", id: "new-deal", onclick: deal }, phrase("page.new-deal")),
    buildEntering(say),
    copyButton({ id: "share" }),
  );
  addEventListener("paste", (event) => {
    if (event.target instanceof Element && event.target.closest("input, textarea")) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim()) return;
    event.preventDefault();
    read(() => usePasted(text, tellReading));
  });
  // files may be dropped anywhere on the page
  addEventListener("dragover", (event) => {
    if ([...event.dataTransfer.items].some(({ kind }) => kind === "file")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    const files = [...event.dataTransfer.files];
    if (!files.length) return;
    event.preventDefault();
    openFiles(files);
  });
  boardList.useOpening(openFiles, openEntering);
  put(byId("saving"), h("details", { class: "notes" }, h("summary", null, phrase("boards.save")),
    h("div", { class: "row" }, savingButtons(() => [boardShown(state())], ALL_WAYS))));
}

/** Say how many boards of a long text were read so far. */
function tellReading(number) {
  clear(byId("messages"), busy(phrase("boards.reading", { number })));
}

function read(work) {
  return ask(async () => {
    await work();
    byId("messages").replaceChildren();
  });
}

function openFiles(files) {
  return read(async () => {
    const system = await systemDropped(files, state().table);
    if (system) change({ table: system.name, view: "systems", asked: "" });
    else await useFiles(files, tellReading);
  });
}

/** Offer the tables that there are, those of one's own too. */
async function showTables() {
  const { tables } = await get("/v1/tables");
  const select = byId("table-choice");
  const names = tables.map((one) => one.name);
  clear(select, tables.map((one) => h("option", { value: one.name }, one.name)));
  if (hasTable(state().table)) showTable();
  else leaveTable([]);
  select.onchange = () => change({ table: select.value === names[0] ? "" : select.value });
  return names;
}

async function loadTables() {
  let names = [];
  await ask(async () => { names = await showTables(); });
  onSystems(showTables);
  await findOffered();
  if (isOffline()) return;
  // when the first answer stands there and nothing else is to be done: until then the service answers
  const idle = globalThis.requestIdleCallback ?? ((work) => work());
  const load = () => names.length && loadEngine([names[0], state().table || names[0]]);
  viewing.then(() => setTimeout(() => idle(load), REST_MS));
  await tellWarming();
}

function buildKeyDialog() {
  const dialog = byId("key-dialog");
  const input = byId("key-input");
  const forgetButton = byId("forget-key");
  forgetButton.hidden = !storedKey();
  forgetButton.addEventListener("click", () => {
    storeKey("");
    location.reload();
  });
  useKeyDialog((wrong) => new Promise((resolve) => {
    byId("key-text").textContent = phrase(wrong ? "key.wrong" : "key.needed");
    input.value = "";
    let key = null;
    byId("key-form").onsubmit = () => { key = input.value.trim(); };
    byId("key-cancel").onclick = () => dialog.close();
    dialog.addEventListener("close", () => {
      forgetButton.hidden = !key;
      resolve(key);
    }, { once: true });
    dialog.showModal();
    input.focus();
  }));
}

function buildHelp() {
  const dialog = byId("help-dialog");
  const open = () => {
    fillHelp();
    dialog.showModal();
    // the first thing that takes the focus of itself is far below
    byId("help-title").focus();
  };
  byId("help-button").addEventListener("click", open);
  byId("help-close").addEventListener("click", () => dialog.close());
  return open;
}

fillPage();
byId("skip").addEventListener("click", goToAnswer);
buildKeyDialog();
useWaitingNote((times) => {
  const text = tellLoading();
  if (times === 1) say(text);
});
put(byId("authors"), authorsSwitch());
buildTools();
buildBox();
buildPlaces();
buildShortcuts({ say, deal, systemCall, systemAuction, help: buildHelp(), words: buildGlossary() });
useEngine(engineAnswer);
onNoEngine((text) => tell("info", text));
onChange(showAll);
useTakingIn({ carries: carriesSystems, takeIn });
if (!location.hash) change({ hands: randomHands(), dealer: randomDealer(), vulnerability: randomVulnerability() }, { quiet: true });
begin();
restoreBoards().then((any) => any && showAll(state(), state(), []));
document.documentElement.classList.remove("starting");
loadTables();
