// Why a call is not the system's with a hand, and which hands would make it.

import { get } from "./api.js";
import { SUITS } from "./cards.js";
import { busy, clear, h, notice } from "./dom.js";
import { callNode, conditionText, percent, range, suitNode, valueText } from "./format.js";
import { GAME as TEXTS } from "./texts.js";

const COMPARED = /^(?:(\d+) (<=?) )?([A-Za-z]\w*) (<=?|>=?|==) (\d+)$/;
const MOST_CARDS = 13;

/** What a condition wants, as players say it: `HCP >= 8` is "8+ points". */
export function wanted(expression) {
  const [, least, above, term, sign, number] = COMPARED.exec(expression) ?? [];
  if (!term) return conditionText(expression);
  const what = conditionText(term);
  const low = least === undefined ? null : Number(least) + (above === "<" ? 1 : 0);
  const bound = Number(number) + ({ "<": -1, ">": 1 }[sign] ?? 0);
  if (low !== null && sign.startsWith("<")) return TEXTS.between(low, bound, what);
  if (low !== null) return conditionText(expression);
  if (sign === "==") return TEXTS.exactly(bound, what);
  return sign.startsWith(">") ? TEXTS.atLeast(bound, what) : TEXTS.atMost(bound, what);
}

function missedNodes(criteria) {
  return criteria.map(({ expression, value }, place) => [
    place ? TEXTS.and : "", wanted(expression),
    typeof value === "boolean" || value === null || value === undefined ? "" : TEXTS.have(valueText(value)),
  ]);
}

/** Why a call is not the one of an answer of `/v1/bid`. */
export function reasonNodes(answer, call) {
  const meanings = answer.candidates.filter((one) => one.call === call);
  if (!meanings.length) return call === "P" ? null : TEXTS.noLine(callNode(call));
  const fitting = meanings.find((one) => one.holds);
  if (fitting) return TEXTS.alsoFits(callNode(call), fitting.name);
  const missed = meanings.map((one) => one.criteria.filter((condition) => !condition.holds));
  const nearest = missed.reduce((best, one, place) => (one.length < missed[best].length ? place : best), 0);
  return [TEXTS.wants(callNode(call), meanings[nearest].name), missedNodes(missed[nearest]), "."];
}

/** What the system's call says: its name and its description. */
export function saidNodes(answer) {
  const words = [answer.name, answer.default_pass ? TEXTS.byDefault : answer.description].filter(Boolean);
  return words.join(": ");
}

/** Every call of an auction with what it has shown; null where the table does not say. */
export async function explained(calls, tableName, signal) {
  const name = tableName || (await get("/v1/tables", { signal })).tables[0].name;
  try {
    return await get(
      `/v1/tables/${encodeURIComponent(name)}/explain?auction=${encodeURIComponent(calls.join("-"))}`, { signal },
    );
  } catch (error) {
    if (error.kind === "no-system") return null;
    throw error;
  }
}

function lengthNodes(lengths) {
  const told = SUITS.filter((suit) => lengths[suit][0] > 3 || lengths[suit][1] < 4);
  if (!told.length) return [", ", TEXTS.anyLength];
  return told.map((suit) => {
    const [low, high] = lengths[suit];
    return [", ", high === MOST_CARDS || high > 6 && low > 3 ? `${low}+` : range(low, high), " ", suitNode(suit)];
  });
}

/** Which hands would make the last call of an auction; asked for when it is unfolded. */
export function kindsNode(calls, tableName, signal) {
  const place = h("div", null);
  const load = async (event) => {
    if (!event.target.open || place.firstChild) return;
    clear(place, busy(TEXTS.explaining));
    try {
      const found = await explained(calls, tableName, signal);
      const last = found?.calls.at(-1);
      clear(place, !found ? h("p", null, TEXTS.noMeanings)
        : !last.known ? h("p", null, TEXTS.noSuchMeaning)
        : !last.hand_types.length ? h("p", null, TEXTS.noKinds)
        : h("ul", { class: "kinds" }, last.hand_types.slice(0, 6).map((kind) => h(
          "li", null, h("strong", null, percent(kind.share)), " ", kind.name && `${kind.name}: `,
          TEXTS.points(range(...kind.points)), lengthNodes(kind.lengths),
        ))));
    } catch (error) {
      if (!signal.aborted) clear(place, notice("error", error.message));
    }
  };
  return h("details", { ontoggle: load }, h("summary", null, TEXTS.kinds(callNode(calls.at(-1)))), place);
}
