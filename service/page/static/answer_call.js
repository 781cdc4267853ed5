// The call for the hand at the place that is looked at: every candidate with its conditions.

import { get, post } from "./api.js";
import { makeCall } from "./bidding_box.js";
import { contractOf, SEAT_NAMES, spokenCall } from "./calls.js";
import { clear, h, notice, put, table } from "./dom.js";
import {
  callNode, chips, conditionText, contractNodes, contractText, percent, plural, valueText,
} from "./format.js";
import { callsBefore, isAtEnd, linkTo, placeAsked, seatToCall } from "./state.js";

const LAYOUTS = 300;
const FILTERS = [
  ["all", "All", () => true],
  ["hold", "Hold", (one) => one.holds],
  ["near", "Miss one", (one) => !one.holds && missed(one).length === 1],
];
let filter = "all";

export const title = "Call";

export function key(now) {
  const before = callsBefore(now);
  const seat = seatToCall(now);
  return JSON.stringify([
    now.hands[seat], before, now.dealer, now.vulnerability, now.table,
    now.at === null ? null : now.calls[now.at], isAtEnd(now),
  ]);
}

function missed(candidate) {
  return candidate.criteria.filter((one) => !one.holds);
}

function criteriaTable(criteria) {
  if (!criteria.length) return h("p", { class: "soft" }, "No condition: every hand.");
  return table(
    "Conditions", ["Condition", "This hand", ""],
    criteria.map((one) => [
      h("span", { title: one.expression }, conditionText(one.expression)),
      "value" in one ? valueText(one.value) : "",
      "holds" in one && h("span", { class: one.holds ? "met" : "missed" }, one.holds ? "met" : "missed"),
    ]),
    { class: "criteria" },
  );
}

function badge(candidate, made) {
  if (made) return h("span", { class: "badge good" }, "made");
  if (candidate.taken_by) return h("span", { class: "badge fair" }, "holds");
  if (candidate.holds === true) return h("span", { class: "badge fair" }, "holds");
  if (candidate.holds === false) {
    return h("span", { class: "badge" }, `misses ${missed(candidate).length} of ${candidate.criteria.length}`);
  }
  return null;
}

function shortMiss(candidate) {
  const list = missed(candidate);
  if (candidate.holds !== false || !list.length) return null;
  const first = list.slice(0, 2).map((one) => `${conditionText(one.expression)} (has ${valueText(one.value)})`);
  const more = list.length > 2 ? ` and ${list.length - 2} more` : "";
  return h("p", { class: "miss" }, `Misses ${first.join("; ")}${more}`);
}

function candidateNode(candidate, made, actual) {
  // what is far from being made is one line that unfolds
  const far = candidate.holds === false && missed(candidate).length > 1 && !actual;
  const words = [
    candidate.description && h("p", { class: "description" }, candidate.description),
    shortMiss(candidate),
    candidate.taken_by && h("p", { class: "miss" }, `Taken by the earlier line ${candidate.taken_by}`),
    chips(candidate.agreements ?? candidate.tags),
  ];
  return h(
    "li",
    { class: `candidate${made ? " made" : candidate.holds ? " holds" : ""}` },
    h(
      "div", { class: "candidate-head" },
      h(
        "button",
        {
          type: "button", class: "call-button", onclick: () => makeCall(candidate.call),
          "aria-label": `make the call ${spokenCall(candidate.call)}`,
        },
        callNode(candidate.call),
      ),
      h("div", { class: "candidate-text" },
        h("p", { class: "name" }, candidate.name || (candidate.description ? "" : "No name"),
          actual && h("span", { class: "badge actual" }, "in this auction")),
        !far && words, unfolding(candidate, far && words)),
      h("div", { class: "candidate-side" }, badge(candidate, made),
        h("span", {
          class: "frequency", "data-frequency": `${candidate.call} ${candidate.name}`,
        })),
    ),
  );
}

function unfolding(candidate, words) {
  return h(
    "details", null,
    h("summary", null, plural(candidate.criteria.length, "condition"),
      candidate.where && h("span", { class: "where" }, candidate.where)),
    words, criteriaTable(candidate.criteria),
  );
}

function isMade(answer, index) {
  if (answer.default_pass || answer.simulation) return false;
  return index === answer.candidates.findIndex((one) => one.holds);
}

function simulationNode(simulation) {
  if (!simulation) return null;
  return h(
    "section", { class: "simulation" },
    h("h3", null, "By simulation"),
    h("p", { class: "soft" },
      `${plural(simulation.layouts.used, "layout")}, judged by ${simulation.scoring}, tricks by ${simulation.tricks_by}.`),
    table(
      "Calls by simulation", ["Call", "Worth", "Behind", "Best in", "Contracts"],
      simulation.candidates.map((one) => [
        callNode(one.call), one.mean.toFixed(2), one.behind ? one.behind.toFixed(2) : "–",
        percent(one.best_share),
        one.contracts.slice(0, 3).map((part) => `${part.contract} ${percent(part.share)}`).join(", "),
      ]),
    ),
  );
}

function listNode(candidates, isMadeAt, actual) {
  const list = h("ol", { class: "candidates", "aria-label": "Candidates in order of priority" });
  const buttons = h("div", { class: "row filters", role: "group", "aria-label": "Which candidates" });
  const show = () => {
    const test = FILTERS.find(([name]) => name === filter)[2];
    clear(list, candidates.map((one, index) => (
      test(one) && candidateNode(one, isMadeAt(index), one.call === actual)
    )));
    if (!list.children.length) put(list, h("li", { class: "soft" }, "None of the candidates."));
    clear(buttons, FILTERS.map(([name, text, matches]) => h(
      "button",
      {
        type: "button", "aria-pressed": String(name === filter),
        onclick: () => {
          filter = name;
          show();
          buttons.querySelector("[aria-pressed=true]").focus();
        },
      },
      `${text} ${candidates.filter(matches).length}`,
    )));
    showFrequencies(list);
  };
  show();
  return [buttons, list];
}

let frequencies = new Map();

function showFrequencies(place) {
  for (const node of place.querySelectorAll("[data-frequency]")) {
    const chance = frequencies.get(node.getAttribute("data-frequency"));
    node.textContent = chance === undefined ? "" : `${percent(chance)} of hands`;
  }
}

async function loadFrequencies(place, now, signal) {
  try {
    const answer = await post("/v1/interpret", { ...placeAsked(now), layouts: LAYOUTS }, { signal });
    if (signal.aborted) return;
    frequencies = new Map(answer.next_calls.map((one) => [`${one.call} ${one.name}`, one.chance]));
    showFrequencies(place);
  } catch {
    // how often a call is made is an extra: without it the answer still stands
  }
}

function headline(seat, answer, actual, simulate) {
  const words = answer.note || (answer.default_pass
    ? "No candidate holds: a pass by default." : answer.description);
  return h(
    "div", { class: "headline" },
    h("p", { class: "big" }, `${SEAT_NAMES[seat]}: `, callNode(answer.call),
      answer.name && h("span", { class: "name" }, answer.name)),
    words && h("p", null, words),
    h("p", { class: "facts" },
      answer.forced === true && h("span", { class: "badge fair" }, "partner's call is forcing"),
      answer.forced === false && h("span", { class: "badge" }, "not forced"),
      answer.where && h("span", { class: "where" }, answer.where)),
    chips(answer.agreements),
    actual && actual !== answer.call && h("p", { class: "notice" },
      "In this auction the call was ", callNode(actual), "."),
    h("div", { class: "row" }, actual !== answer.call && h("button", {
      type: "button", class: "main", onclick: () => makeCall(answer.call),
    }, "Make this call"),
    !answer.simulation && h("button", { type: "button", onclick: simulate }, "Try by simulation")),
  );
}

async function showWithoutHand(place, now, signal) {
  const seat = seatToCall(now);
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
    notice("info", `${SEAT_NAMES[seat]}'s hand is not known, so these are the calls without checks. `
      + "Deal or enter hands to see which one is made."),
    h("ol", { class: "candidates" }, candidates.map((one) => (
      candidateNode(one, false, now.at !== null && now.calls[now.at] === one.call)))),
  );
  loadFrequencies(place, now, signal);
  return `${SEAT_NAMES[seat]}'s hand is not known; ${plural(candidates.length, "call")} to choose from.`;
}

/** Show the answer; the sentence that it gives is read out. */
export async function show(place, now, signal) {
  frequencies = new Map();
  if (isAtEnd(now)) {
    const contract = contractOf(callsBefore(now), now.dealer);
    clear(place, h("div", { class: "headline" },
      h("p", { class: "big" }, contractNodes(contract)),
      h("p", null, "The auction is over. Choose a call in the diagram to see why it was made."),
      h("p", { class: "row" }, contract && h("a", { href: linkTo({ view: "lead" }) }, "Best lead"),
        h("a", { href: linkTo({ view: "shown", at: null }) }, "What the hands have shown"))));
    return `The auction is over: ${contractText(contract)}.`;
  }
  const seat = seatToCall(now);
  const hand = now.hands[seat];
  if (!hand) return showWithoutHand(place, now, signal);
  const asked = { hand, ...placeAsked(now) };
  const simulated = async (event) => {
    event.target.disabled = true;
    event.target.textContent = "Simulating…";
    try {
      const answer = await post("/v1/bid", { ...asked, simulate: { layouts: 100, budget_ms: 5000 } }, { signal });
      if (!signal.aborted) render(answer);
    } catch (error) {
      if (signal.aborted) return;
      event.target.disabled = false;
      event.target.textContent = "Try by simulation";
      event.target.after(notice("error", error.message));
    }
  };
  const actual = now.at === null ? null : now.calls[now.at];
  const render = (answer) => clear(
    place, headline(seat, answer, actual, simulated),
    simulationNode(answer.simulation),
    h("h3", null, "Candidates, first that holds is made"),
    listNode(answer.candidates, (index) => isMade(answer, index), actual),
  );
  const answer = await post("/v1/bid", asked, { signal });
  if (signal.aborted) return "";
  render(answer);
  loadFrequencies(place, now, signal);
  return `${SEAT_NAMES[seat]}: ${spokenCall(answer.call)}${answer.name ? `, ${answer.name}` : ""}. `
    + `${plural(answer.candidates.length, "candidate")}, `
    + `${answer.candidates.filter((one) => one.holds).length} hold.`;
}

