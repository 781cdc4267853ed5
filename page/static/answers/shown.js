// What every call has shown in words, and what each hand looks like over deals that fit.

import { post } from "../api.js";
import { SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { lengthsChart, numbersTable, pointsChart } from "./charts.js";
import { busy, clear, h, notice, put } from "../dom.js";
import { callBars, callNode, callsNode, percent, pointsText, range } from "../format.js";
import { explained, meaningsNode } from "./meanings.js";
import { callsBefore, change, placeRequest } from "../state.js";
import { phrase } from "../texts.js";

const LAYOUTS = 500;

export function key(now) {
  return JSON.stringify([
    callsBefore(now), now.dealer, now.vulnerability, now.table, now.eyes,
    now.eyes && now.hands[SEATS.indexOf(now.eyes)],
  ]);
}

function eyesChoice(now) {
  const options = [["", phrase("shown.eyes-nobody")], ...SEATS.map((seat, index) => [seat, SEAT_NAMES[index]])]
    .filter(([seat]) => !seat || now.hands[SEATS.indexOf(seat)]);
  return h(
    "p", { class: "row fields" }, h("span", { class: "field" },
      h("label", { for: "eyes" }, phrase("shown.eyes")),
      h("select", { id: "eyes", onchange: (event) => change({ eyes: event.target.value }, { quiet: true }) },
        options.map(([seat, name]) => h("option", { value: seat, selected: seat === now.eyes }, name)))),
  );
}

function handCard(seat, hand, isKnown) {
  const who = SEAT_NAMES[SEATS.indexOf(seat)];
  const counted = { range: range(...hand.points_range), mean: hand.mean_points.toFixed(1) };
  const { points, every_points: every } = hand.shown;
  const bounds = isKnown ? "" : pointsText(points);
  const light = every && every[0] < points[0] ? phrase("shown.light", { least: every[0] }) : "";
  return h(
    "section", { class: "hand-card", "aria-label": phrase("shown.hand", { who }) },
    h("h4", null, who, isKnown && h("span", { class: "badge" }, phrase("shown.known"))),
    h("p", { class: "soft" }, bounds ? phrase("shown.points", { bounds: bounds + light, ...counted }) : phrase("shown.points-only", counted)),
    pointsChart(who, hand, bounds ? every ?? points : null),
    lengthsChart(who, hand),
    hand.shapes.length > 0 && h("p", { class: "soft small" }, phrase("shown.commonest"),
      hand.shapes.slice(0, 3).map(([shape, chance]) => `${shape} ${percent(chance)}`).join(", ")),
    numbersTable(who, hand),
  );
}

function reportNode(report) {
  return h(
    "p", { class: "soft small" },
    phrase("shown.counted", {
      deals: phrase("shown.deals", { number: report.accepted }), tried: phrase("shown.tried", { number: report.proposals }),
      seconds: report.seconds.toFixed(2),
    }),
    report.relaxed.length > 0 && phrase("shown.relaxed", { what: report.relaxed.join("; ") }),
    report.notes.length > 0 && ` ${report.notes.join("; ")}.`,
  );
}

function nextCalls(answer) {
  if (!answer.next_player || !answer.next_calls.length) return null;
  const who = SEAT_NAMES[SEATS.indexOf(answer.next_player)];
  const made = answer.next_calls.filter((one) => one.chance > 0);
  const never = answer.next_calls.filter((one) => one.chance === 0);
  return h(
    "section", null, h("h3", null, phrase("shown.next", { who })),
    callBars(made.map(({ call, chance, name }) => ({ call, share: chance, name }))),
    never.length > 0 && h("p", { class: "soft small" }, phrase("shown.never"), never.map((one, index) => [index ? ", " : "", callNode(one.call)]), "."),
  );
}

async function showExplained(place, now, signal) {
  const explanation = await explained(now, signal);
  if (signal.aborted) return;
  if (!explanation) {
    clear(place, notice("info", phrase("meanings.none")));
    return;
  }
  const facts = [
    explanation.forced && phrase("shown.forced"),
    explanation.game_forced && phrase("shown.game"),
    explanation.agreed_suit && phrase("shown.agreed", { suit: phrase(`suit.${explanation.agreed_suit}`) }),
  ].filter(Boolean);
  clear(
    place, explanation.calls.length ? meaningsNode(explanation.calls, now) : h("p", null, phrase("shown.nobody-called")),
    facts.length > 0 && h("p", { class: "facts" }, facts.map((fact) => h("span", { class: "badge fair" }, fact))),
  );
}

export async function show(place, now, signal) {
  const words = h("div", null, busy(phrase("meanings.asking")));
  const charts = h("div", null, busy(phrase("shown.dealing")));
  const head = callsBefore(now).length > 0 && h("p", { class: "soft" }, callsNode(callsBefore(now)));
  clear(place, h("h3", null, phrase("shown.title")), head, words);
  const seat = SEATS.indexOf(now.eyes);
  const known = seat >= 0 && now.hands[seat] ? { [now.eyes]: now.hands[seat] } : {};
  const interpreted = post("/v1/interpret", { ...placeRequest(now), layouts: LAYOUTS, known }, { signal });
  // both are asked at once; what fails says so in its own place
  interpreted.catch(() => {});
  try {
    await showExplained(words, now, signal);
  } catch (error) {
    if (!signal.aborted) clear(words, notice("error", error.message));
  }
  if (signal.aborted) return "";
  // only now, so that the words move nothing when they come
  put(place, h("h3", null, phrase("shown.hands")), eyesChoice(now), charts);
  let said = "";
  try {
    const answer = await interpreted;
    if (signal.aborted) return "";
    clear(
      charts,
      h("div", { class: "hand-cards" }, SEATS.map((one) => handCard(one, answer.hands[one], answer.known.includes(one)))),
      reportNode(answer.report),
    );
    put(charts, nextCalls(answer));
    said = SEATS.map((one, index) => (
      phrase("shown.said", { who: SEAT_NAMES[index], range: range(...answer.hands[one].points_range) })
    )).join(", ");
  } catch (error) {
    if (!signal.aborted) clear(charts, notice("error", error.message));
  }
  return said;
}
