// Why a call is not the system's with a hand, and which hands would make it.

import { pointsOf, SUITS } from "../bridge/cards.js";
import { busy, clear, h, notice } from "../dom.js";
import { callNode, isReported, percent, pointsText, range, suitNode } from "../format.js";
import { explained } from "./meanings.js";
import { hardest, missWords } from "./reasons.js";
import { listed, phrase, phraseNodes } from "../texts.js";

const MOST_KINDS = 6;
const MOST_CARDS = 13;

function missedOf(meaning) {
  return hardest(meaning.criteria.filter((one) => one.holds === false));
}

const AT_MOST = /^(?:HCP|Total_Points) <= /;
const SHOWN = /^shows (\d+)-(\d+) points$/;

/** Whether the strength that a meaning shows ends somewhere, and a hand lies within. */
function isWithin({ criteria, agreements }, hand) {
  const [, low, high] = agreements.map((one) => SHOWN.exec(one)).find(Boolean) ?? [];
  if (high) return pointsOf(hand) >= Number(low) && pointsOf(hand) <= Number(high);
  return criteria.some(({ expression }) => AT_MOST.test(expression));
}

/**
 * Whether a hand fits another call than the answer's by its meaning, whose strength must end somewhere: an invitation on
 * eight points or more has the hand of a game too, which the line of the game before it has taken.
 */
export function fitsToo(answer, call, hand) {
  return call !== answer.call && answer.candidates.some((one) => one.call === call && one.holds && isWithin(one, hand));
}

function whyNot(answer, call) {
  const meanings = answer.candidates.filter((one) => one.call === call);
  const called = callNode(call);
  if (!meanings.length) return call === "P" ? null : phraseNodes("why.no-meaning", { call: called });
  const nameOf = (one) => (one.name ? phrase("call.name-after", { name: one.name }) : "");
  const fitting = meanings.find((one) => one.holds);
  // the pass that closes a place fits every hand
  if (fitting && call === "P") return null;
  if (fitting) {
    return phraseNodes("why.fits-too", { call: called, name: nameOf(fitting), made: callNode(answer.call) });
  }
  const nearest = meanings.reduce((best, one) => (missedOf(one).length < missedOf(best).length ? one : best));
  return phraseNodes("why.wants", {
    call: called, name: nameOf(nearest),
    misses: listed(missedOf(nearest).map((one) => phrase("call.miss", missWords(one))), "and"),
  });
}

/** Why a call is not the one of an answer of `/v1/bid`; null where there is nothing to say. */
export function whyNode(answer, call) {
  const text = whyNot(answer, call);
  return text && h("p", null, text);
}

function lengthNodes(lengths) {
  const suits = SUITS.filter((suit) => lengths[suit][0] > 3 || lengths[suit][1] < 4);
  if (!suits.length) return [", ", phrase("why.any-length")];
  return suits.map((suit) => {
    const [low, high] = lengths[suit];
    return [", ", high === MOST_CARDS ? `${low}+` : range(low, high), " ", suitNode(suit)];
  });
}

function kindNodes(last) {
  if (!last?.known) return h("p", null, phrase("meanings.unknown"));
  if (!last.hand_types.length) return h("p", null, phrase("why.no-kinds"));
  return h("ul", { class: "kinds" }, last.hand_types.filter(({ share }) => isReported(share)).slice(0, MOST_KINDS).map((kind) => h(
    "li", null, h("strong", null, percent(kind.share)), " ", kind.name && `${kind.name}: `,
    pointsText(kind.points) || phrase("why.any-points"), lengthNodes(kind.lengths),
  )));
}

/** Which hands would make the last call of a position; asked for when it is unfolded. */
export function kindsNode(position, signal) {
  const place = h("div", null);
  const load = async (event) => {
    if (!event.target.open || place.firstChild) return;
    clear(place, busy(phrase("meanings.asking")));
    try {
      const found = await explained(position, signal);
      clear(place, found ? kindNodes(found.calls.at(-1)) : h("p", null, phrase("meanings.none")));
    } catch (error) {
      if (!signal.aborted) clear(place, notice("error", error.message));
    }
  };
  const call = callNode(position.calls.at(-1));
  return h("details", { ontoggle: load }, h("summary", null, phraseNodes("why.kinds", { call })), place);
}
