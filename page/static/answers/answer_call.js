// The call for the hand at the place that is looked at: why it is made, what came close, all else folded.

import { get, isOffline, post } from "../api.js";
import { makeCall } from "../deal/bidding_box.js";
import { contractOf, SEAT_NAMES, spokenCall } from "../bridge/calls.js";
import { busy, busyBar, clear, h, notice, put, table } from "../dom.js";
import {
  callNode, callText, chips, conditionText, contractNodes, contractText, percent, readContract, signed, valueText,
} from "../format.js";
import { reportNode } from "./call_report.js";
import { servedName } from "../engine_client.js";
import { explained, meaningsNode } from "./meanings.js";
import { closeCalls, descriptionWords, handWords, hardest, missWords, namedCalls, nearestText, wantedWords } from "./reasons.js";
import { playButton } from "../games/play.js";
import { callsBefore, isAtEnd, linkTo, placeRequest, seatToCall, state } from "../state.js";
import { listed, phrase, phraseNodes } from "../texts.js";

const LAYOUTS = 300;
/** So many decide, and not the time that they take; the first few are shown while the others are tried. */
const SIMULATED = 100;
const SIMULATED_FIRST = 10;
const MOST_CLOSE = 3;
const MOST_LATER = 2;
const FILTERS = [
  ["all", () => true],
  ["hold", (one) => one.holds],
  ["near", (one) => !one.holds && missed(one).length === 1],
];
let filter = "all";

export function key(now) {
  const before = callsBefore(now);
  const seat = seatToCall(now);
  return JSON.stringify([
    now.hands[seat], before, now.dealer, now.vulnerability, now.table,
    now.at === null ? null : now.calls[now.at], isAtEnd(now),
  ]);
}

function missed(candidate) {
  return hardest(candidate.criteria.filter((one) => one.holds === false));
}

// --- the call that is made ------------------------------------------------------------------------

/** Index of the candidate that is made, or -1. */
function madeIndex(answer) {
  if (answer.default_pass || answer.simulation) return -1;
  return answer.candidates.findIndex((one) => one.holds);
}

/** Why the call of an answer of `/v1/bid` is made, in a sentence. */
export function reasonText(answer) {
  const call = callText(answer.call);
  if (answer.default_pass) {
    if (!answer.candidates.length) return phrase("call.no-line");
    const calls = nearestText(answer);
    const reason = phrase(answer.forced ? "call.default-forced" : "call.default");
    return calls ? `${reason} ${phrase("call.default-nearest", { calls })}` : reason;
  }
  const made = answer.candidates[madeIndex(answer)];
  if (!made) return phrase("call.simulated");
  const calls = nearestText(answer);
  const nearest = calls && phrase("call.nearest", { call, calls });
  if (!made.criteria.length) return nearest || phrase("call.any-hand", { call });
  const wanted = wantedWords(made.criteria);
  const has = handWords(made.criteria);
  const fits = has ? phrase("call.fits", { has, call, wanted }) : phrase("call.fits-plainly", { call, wanted });
  return nearest ? `${fits} ${nearest}` : fits;
}

function headline(seat, answer, actual, simulate) {
  // the service knows no system of one's own
  const { table: played } = state();
  const isServed = servedName(played) === played;
  return h(
    "div", { class: "headline" },
    h("p", { class: "big" }, `${SEAT_NAMES[seat]}: `, callNode(answer.call),
      answer.name && h("span", { class: "name" }, answer.name)),
    h("p", { class: "reason" }, reasonText(answer)),
    answer.forced === true && h("p", { class: "facts" }, h("span", { class: "badge fair" }, phrase("call.forcing"))),
    chips(answer.agreements),
    h("p", { class: "facts authors" },
      answer.description, answer.note && ` ${answer.note}`,
      answer.forced === false && h("span", { class: "badge" }, phrase("authors.not-forced")),
      answer.where && h("span", { class: "where" }, answer.where)),
    actual && actual !== answer.call && h("p", { class: "notice" }, phraseNodes("call.actual", { call: callNode(actual) }),
      actual !== "P" && !answer.candidates.some((one) => one.call === actual) && [" ", phraseNodes("why.no-meaning", { call: callNode(actual) })]),
    h("div", { class: "row" }, actual !== answer.call && h("button", {
      type: "button", class: "main", onclick: () => makeCall(answer.call),
    }, phrase("call.make")),
    !answer.simulation && !isOffline() && isServed && h("button", { type: "button", onclick: simulate }, phrase("call.simulate"))),
  );
}

// --- what came close ------------------------------------------------------------------------------

function nameNode(candidate) {
  return candidate.name && h("span", { class: "soft" }, phrase("call.name-after", { name: candidate.name }));
}

function closeNode({ candidate, missed: some }) {
  const [first, ...others] = some.map(missWords);
  return h("li", null,
    phraseNodes("call.wants", { call: callNode(candidate.call), ...first }),
    others.map((one) => phrase("call.wants-next", one)), nameNode(candidate));
}

function closeSection(answer) {
  // the reason stands above, with what is missing to the calls that it names
  const named = new Set(answer.simulation ? [] : namedCalls(answer).map(({ call }) => call));
  const close = closeCalls(answer.candidates.filter(({ call }) => !named.has(call)), answer.call, MOST_CLOSE);
  const later = answer.candidates
    .filter((one, index, all) => one.taken_by && one.call !== answer.call && one.criteria.length
      && all.findIndex((other) => other.taken_by && other.call === one.call) === index)
    .slice(0, MOST_LATER);
  if (named.size && !close.length && !later.length) return null;
  return h(
    "section", { class: "close-calls" }, h("h3", null, phrase("call.close")),
    close.length + later.length ? h("ul", null, close.map(closeNode), later.map((one) => h(
      "li", null, phraseNodes("call.later", { call: callNode(one.call), made: callNode(answer.call) }), nameNode(one),
    ))) : h("p", { class: "soft" }, phrase("call.nothing-close")),
  );
}

// --- all that may be called -----------------------------------------------------------------------

function criteriaTable(criteria) {
  if (!criteria.length) return h("p", { class: "soft" }, phrase("conditions.none"));
  return table(
    phrase("conditions.table"), [phrase("conditions.table"), phrase("conditions.hand"), ""],
    criteria.map((one) => [
      h("span", { title: one.expression }, conditionText(one.expression)),
      "value" in one ? valueText(one.value) : "",
      "holds" in one && h("span", { class: one.holds ? "met" : "missed" }, phrase(one.holds ? "conditions.met" : "conditions.missed")),
    ]),
    { class: "criteria" },
  );
}

function badge(candidate, made) {
  if (made) return h("span", { class: "badge good" }, phrase("badge.made"));
  if (candidate.holds === true) return h("span", { class: "badge fair" }, phrase("badge.fits"));
  return candidate.holds === false && h("span", { class: "badge authors" },
    phrase("badge.misses", { missed: missed(candidate).length, number: candidate.criteria.length }));
}

function candidateNode(candidate, made, actual, chosen = null) {
  const some = missed(candidate);
  const misses = listed(some.slice(0, 2).map((one) => phrase("call.miss", missWords(one))));
  return h(
    "li",
    { class: `candidate${made ? " made" : candidate.holds ? " holds" : ""}` },
    h(
      "div", { class: "candidate-head" },
      h(
        "button",
        {
          type: "button", class: "call-button", onclick: () => makeCall(candidate.call),
          "aria-label": phrase("call.make-spoken", { call: spokenCall(candidate.call) }),
        },
        callNode(candidate.call),
      ),
      h("div", { class: "candidate-text" },
        h("p", { class: "name" }, candidate.name || (candidate.description ? "" : phrase("call.no-name")),
          actual && h("span", { class: "badge actual" }, phrase("call.in-auction"))),
        candidate.description && h("p", { class: "description" }, descriptionWords(candidate.description)),
        candidate.holds === false && misses && h("p", { class: "miss" }, phrase("call.misses", { misses })),
        candidate.taken_by && [
          h("p", { class: "miss" }, phraseNodes("call.taken", { call: callNode(chosen) })),
          h("p", { class: "miss authors" }, phrase("authors.taken", { line: candidate.taken_by })),
        ],
        chips(candidate.agreements ?? candidate.tags),
        h("details", { class: "authors" },
          h("summary", null, phrase("conditions.number", { number: candidate.criteria.length }),
            candidate.where && h("span", { class: "where" }, candidate.where)),
          criteriaTable(candidate.criteria))),
      h("div", { class: "candidate-side" }, badge(candidate, made),
        h("span", {
          class: "frequency", "data-frequency": `${candidate.call} ${candidate.name}`,
        })),
    ),
  );
}

function listNode(answer, actual) {
  const { candidates } = answer;
  const made = madeIndex(answer);
  const list = h("ol", { class: "candidates", "aria-label": phrase("call.all-label") });
  const buttons = h("div", { class: "row filters", role: "group", "aria-label": phrase("filter.label") });
  const show = () => {
    const test = FILTERS.find(([name]) => name === filter)[1];
    clear(list, candidates.map((one, index) => (
      test(one) && candidateNode(one, index === made, one.call === actual, answer.call)
    )));
    if (!list.children.length) put(list, h("li", { class: "soft" }, phrase("filter.none")));
    clear(buttons, FILTERS.map(([name, matches]) => h(
      "button",
      {
        type: "button", "aria-pressed": String(name === filter),
        onclick: () => {
          filter = name;
          show();
          buttons.querySelector("[aria-pressed=true]").focus();
        },
      },
      phrase(`filter.${name}`, { number: candidates.filter(matches).length }),
    )));
    showFrequencies(list);
  };
  show();
  return [buttons, list];
}

/** The folded rest; its list is made when it is opened. */
function allNode(answer, actual) {
  if (!answer.candidates.length) return null;
  const place = h("div", null);
  return h(
    "details",
    {
      class: "all-calls",
      ontoggle: (event) => event.target === place.parentElement && event.target.open
        && !place.firstChild && put(place, listNode(answer, actual)),
    },
    h("summary", null, phrase("call.all", { number: answer.candidates.length })), place,
  );
}

function simulationNode(simulation) {
  if (!simulation) return null;
  const { layouts } = simulation;
  // as far behind as chance alone may put it
  const alike = simulation.candidates.filter((one) => one.call !== simulation.best && one.behind <= (one.behind_error ?? Infinity));
  return h(
    "section", { class: "simulation" },
    h("h3", null, phrase("simulation.title")),
    h("p", { class: "soft" },
      phraseNodes("simulation.how", {
        layouts: phrase("number.layouts", { number: layouts.used }), call: callNode(simulation.compared_with),
        scoring: phrase(`simulation.by-${simulation.scoring}`), by: phrase(/^double/.test(simulation.tricks_by) ? "simulation.by-double-dummy" : "simulation.by-table"),
      }),
      simulation.stopped_because === "time" && ` ${phrase("simulation.in-time", layouts)}`),
    table(
      phrase("simulation.caption"),
      ["call", "worth", "behind", "best", "contracts"].map((head) => phrase(`simulation.${head}`)),
      simulation.candidates.map((one) => [
        callNode(one.call), [signed(one.mean, 2), one.low !== null && h("span", { class: "soft" }, phrase("simulation.interval", {
          low: signed(one.low, 2), high: signed(one.high, 2),
        }))],
        one.behind ? `${one.behind.toFixed(2)}${one.behind_error ? ` ± ${one.behind_error.toFixed(2)}` : ""}` : "–",
        percent(one.best_share),
        one.contracts.slice(0, 3).map((part, index) => [index ? ", " : "", contractNodes(readContract(part.contract)), ` ${percent(part.share)}`]),
      ]),
    ),
    alike.length > 0 && h("p", null, phraseNodes("simulation.alike", {
      best: callNode(simulation.best), calls: alike.map(({ call }, index) => [index ? ", " : "", callNode(call)]),
    })),
  );
}

let frequencies = new Map();

function showFrequencies(place) {
  for (const node of place.querySelectorAll("[data-frequency]")) {
    const chance = frequencies.get(node.getAttribute("data-frequency"));
    node.textContent = chance === undefined ? "" : phrase("call.frequency", { share: percent(chance) });
  }
}

async function loadFrequencies(place, now, signal) {
  try {
    const answer = await post("/v1/interpret", { ...placeRequest(now), layouts: LAYOUTS }, { signal });
    if (signal.aborted) return;
    frequencies = new Map(answer.next_calls.map((one) => [`${one.call} ${one.name}`, one.chance]));
    showFrequencies(place);
  } catch {
    // how often a call is made is an extra: without it the answer still stands
  }
}

// --- places without a hand or without a call ------------------------------------------------------

async function showWithoutHand(place, now, signal) {
  const seat = SEAT_NAMES[seatToCall(now)];
  const name = now.table || (await get("/v1/tables", { signal })).tables[0].name;
  const auction = callsBefore(now).join("-");
  const answer = await get(
    `/v1/tables/${encodeURIComponent(name)}/next?auction=${encodeURIComponent(auction)}`, { signal },
  );
  if (signal.aborted) return "";
  const candidates = answer.entries.flatMap((entry) => entry.variants.map((one) => ({
    call: entry.call, name: one.name, description: one.description, where: one.where,
    criteria: one.criteria.map((expression) => ({ expression })), tags: one.tags,
  })));
  clear(
    place,
    notice("info", phrase("call.unknown", { seat })),
    h("ol", { class: "candidates" }, candidates.map((one) => (
      candidateNode(one, false, now.at !== null && now.calls[now.at] === one.call)))),
  );
  loadFrequencies(place, now, signal);
  return phrase("call.unknown-said", { seat, number: candidates.length });
}

async function showEnd(place, now, signal) {
  const contract = contractOf(callsBefore(now), now.dealer);
  const meanings = h("div", null, busy(phrase("meanings.asking")));
  clear(place, h("div", { class: "headline" },
    h("p", { class: "big" }, contractNodes(contract)),
    h("p", null, phrase("end.look")),
    h("p", { class: "row" }, playButton({ ...now, calls: callsBefore(now) }), contract && h("a", { href: linkTo({ view: "lead" }) }, phrase("end.lead")),
      h("a", { href: linkTo({ view: "shown", at: null }) }, phrase("end.shown")))),
  h("h3", null, phrase("meanings.title")), meanings);
  try {
    const explanation = await explained(now, signal);
    if (signal.aborted) return "";
    clear(meanings, explanation ? meaningsNode(explanation.calls, now) : notice("info", phrase("meanings.none")));
  } catch (error) {
    if (signal.aborted) return "";
    clear(meanings, notice("error", error.message));
  }
  return phrase("end.said", { contract: contractText(contract) });
}

/** Show the answer; the sentence that it gives is read out. */
export async function show(place, now, signal) {
  frequencies = new Map();
  if (isAtEnd(now)) return showEnd(place, now, signal);
  const seat = seatToCall(now);
  const hand = now.hands[seat];
  if (!hand) return showWithoutHand(place, now, signal);
  const request = { hand, ...placeRequest(now), candidates: true, words: true };
  const simulated = async (event) => {
    event.target.disabled = true;
    event.target.textContent = phrase("call.simulating");
    const trying = busyBar(phrase("call.trying", { number: SIMULATED }), phrase("call.trying-label"));
    const soFar = h("div", { id: "simulated-so-far" }, h("div", { role: "status" }, trying.node));
    place.firstChild.after(soFar);
    const ask = (layouts) => post("/v1/bid", { ...request, simulate: { layouts } }, { signal });
    try {
      const first = await ask(SIMULATED_FIRST);
      if (signal.aborted) return;
      trying.tell(SIMULATED_FIRST, SIMULATED);
      put(soFar, simulationNode(first.simulation));
      const answer = await ask(SIMULATED);
      if (!signal.aborted) render(answer);
    } catch (error) {
      if (signal.aborted) return;
      soFar.remove();
      event.target.disabled = false;
      event.target.textContent = phrase("call.simulate");
      event.target.after(notice("error", error.message));
    }
  };
  const actual = now.at === null ? null : now.calls[now.at];
  const render = (answer) => clear(
    place, headline(seat, answer, actual, simulated),
    simulationNode(answer.simulation), closeSection(answer), allNode(answer, actual),
    reportNode("call", { ...now, calls: callsBefore(now) }, {
      chosen: answer.call, by: SEAT_NAMES[seat], chosen_by: answer.simulation ? "simulation" : "system", reason: reasonText(answer), answer,
    }),
  );
  const answer = await post("/v1/bid", request, { signal });
  if (signal.aborted) return "";
  render(answer);
  loadFrequencies(place, now, signal);
  return phrase("call.said", {
    seat: SEAT_NAMES[seat], call: spokenCall(answer.call), name: answer.name ? `, ${answer.name}` : "",
    reason: reasonText(answer),
    looked: phrase("call.looked", {
      number: answer.candidates.length, fit: answer.candidates.filter((one) => one.holds).length,
    }),
  });
}
