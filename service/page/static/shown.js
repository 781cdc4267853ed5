// What every call has shown in words, and what each hand looks like over deals that fit.

import { get, post } from "./api.js";
import { SEAT_NAMES, SEATS, spokenCall } from "./calls.js";
import { SUIT_NAMES, SUITS } from "./cards.js";
import { lengthsChart, numbersTable, pointsChart } from "./charts.js";
import { busy, clear, h, notice, put } from "./dom.js";
import { callBars, callNode, callsNode, chips, percent, plural, range, suitNode } from "./format.js";
import { callsBefore, change, linkTo, placeAsked } from "./state.js";

const LAYOUTS = 500;

export const title = "Shown";

export function key(now) {
  return JSON.stringify([
    callsBefore(now), now.dealer, now.vulnerability, now.table, now.eyes,
    now.eyes && now.hands[SEATS.indexOf(now.eyes)],
  ]);
}

function callRow(one, index, now) {
  const seat = (now.dealer + one.player) % 4;
  return h(
    "li", { class: "shown-call" },
    h("div", { class: "shown-head" },
      h("a", { class: "call-link", href: linkTo({ at: index, view: "call" }), "aria-label": `${spokenCall(one.call)} by ${SEAT_NAMES[seat]}: the candidates there` },
        callNode(one.call)),
      h("span", { class: "soft" }, SEAT_NAMES[seat])),
    h("div", null,
      h("p", null, one.sentence),
      !one.known && h("p", { class: "miss" }, "The system has no line for this call."),
      chips(one.agreements),
      one.hand_types.length > 1 && h(
        "details", null, h("summary", null, plural(one.hand_types.length, "kind"), " of hand"),
        h("ul", { class: "kinds" }, one.hand_types.map((kind) => h(
          "li", null, h("strong", null, percent(kind.share)), ` ${kind.name || "no name"}: ${range(...kind.points)} points, `,
          SUITS.map((suit, place) => [place ? " " : "", suitNode(suit), range(...kind.lengths[suit])]),
          kind.where && h("span", { class: "where" }, kind.where),
        ))),
      )),
  );
}

function eyesChoice(now) {
  const options = [["", "Nobody (auction only)"], ...SEATS.map((seat, index) => [seat, SEAT_NAMES[index]])]
    .filter(([seat]) => !seat || now.hands[SEATS.indexOf(seat)]);
  return h(
    "p", { class: "row fields" }, h("span", { class: "field" },
      h("label", { for: "eyes" }, "Seen by"),
      h("select", { id: "eyes", onchange: (event) => change({ eyes: event.target.value }, { quiet: true }) },
        options.map(([seat, name]) => h("option", { value: seat, selected: seat === now.eyes }, name)))),
  );
}

function handCard(seat, hand, isKnown) {
  const who = SEAT_NAMES[SEATS.indexOf(seat)];
  return h(
    "section", { class: "hand-card", "aria-label": `${who}'s hand as shown` },
    h("h4", null, who, isKnown && h("span", { class: "badge" }, "known")),
    h("p", { class: "soft" }, `${range(...hand.points_range)} points, mean ${hand.mean_points.toFixed(1)}`),
    pointsChart(who, hand),
    lengthsChart(who, hand),
    hand.shapes.length > 0 && h("p", { class: "soft small" }, "Commonest: ",
      hand.shapes.slice(0, 3).map(([shape, chance]) => `${shape} ${percent(chance)}`).join(", ")),
    numbersTable(who, hand),
  );
}

function reportNode(report) {
  return h(
    "p", { class: "soft small" },
    `Counted over ${plural(report.accepted, "deal")} that fit (of ${plural(report.proposals, "deal")} tried, ${report.seconds.toFixed(2)} s).`,
    report.relaxed.length > 0 && ` Given up because too few deals fit: ${report.relaxed.join("; ")}.`,
    report.notes.length > 0 && ` ${report.notes.join("; ")}.`,
  );
}

function nextCalls(answer, now) {
  if (!answer.next_player || !answer.next_calls.length) return null;
  const who = SEAT_NAMES[SEATS.indexOf(answer.next_player)];
  const made = answer.next_calls.filter((one) => one.chance > 0);
  const never = answer.next_calls.filter((one) => one.chance === 0);
  return h(
    "section", null, h("h3", null, `What ${who} may call`),
    callBars(made.map(({ call, chance, name }) => ({ call, share: chance, name }))),
    never.length > 0 && h("p", { class: "soft small" }, "None of these hands makes ", never.map((one, index) => [index ? ", " : "", callNode(one.call)]), "."),
  );
}

async function showExplained(place, now, signal) {
  const name = now.table || (await get("/v1/tables", { signal })).tables[0].name;
  const auction = encodeURIComponent(callsBefore(now).join("-"));
  let explained;
  try {
    explained = await get(`/v1/tables/${encodeURIComponent(name)}/explain?auction=${auction}`, { signal });
  } catch (error) {
    if (signal.aborted) return;
    if (error.kind !== "no-system") throw error;
    clear(place, notice("info", "This table was not compiled from a system, so calls are not explained in words."));
    return;
  }
  if (signal.aborted) return;
  const facts = [
    explained.forced && "the next player may not pass",
    explained.game_forced && "forced to game",
    explained.agreed_suit && `${SUIT_NAMES[explained.agreed_suit]} agreed`,
  ].filter(Boolean);
  clear(
    place,
    explained.calls.length ? h("ol", { class: "shown-calls" }, explained.calls.map((one, index) => callRow(one, index, now)))
      : h("p", null, "Nobody has called yet. The charts show what hands look like before the auction."),
    facts.length > 0 && h("p", { class: "facts" }, facts.map((fact) => h("span", { class: "badge fair" }, fact))),
  );
}

export async function show(place, now, signal) {
  const words = h("div", null, busy("Explaining…"));
  const charts = h("div", null, busy("Dealing hands that fit…"));
  clear(
    place, h("h3", null, "What the calls have shown"),
    callsBefore(now).length > 0 && h("p", { class: "soft" }, callsNode(callsBefore(now))),
    words, h("h3", null, "The hands as far as known"), eyesChoice(now), charts,
  );
  const seat = SEATS.indexOf(now.eyes);
  const known = seat >= 0 && now.hands[seat] ? { [now.eyes]: now.hands[seat] } : {};
  const interpreted = post("/v1/interpret", { ...placeAsked(now), layouts: LAYOUTS, known }, { signal });
  // both are asked at once; what fails says so in its own place
  interpreted.catch(() => {});
  try {
    await showExplained(words, now, signal);
  } catch (error) {
    if (!signal.aborted) clear(words, notice("error", error.message));
  }
  let said = "";
  try {
    const answer = await interpreted;
    if (signal.aborted) return "";
    clear(
      charts,
      h("div", { class: "hand-cards" }, SEATS.map((one) => handCard(one, answer.hands[one], answer.known.includes(one)))),
      reportNode(answer.report),
    );
    put(charts, nextCalls(answer, now));
    said = SEATS.map((one, index) => (
      `${SEAT_NAMES[index]} ${range(...answer.hands[one].points_range)} points`
    )).join(", ");
  } catch (error) {
    if (!signal.aborted) clear(charts, notice("error", error.message));
  }
  return said;
}
