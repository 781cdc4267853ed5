// How calls, hands, conditions and numbers are shown.

import { isBid, SEAT_NAMES, SEATS, spokenCall } from "./bridge/calls.js";
import { shownCards, SUIT_NAMES, SUIT_SIGNS, SUITS, suitsOf } from "./bridge/cards.js";
import { h } from "./dom.js";
import { count, phrase, phraseNodes } from "./texts.js";

export { count };

const SUIT_TERMS = [
  [/\bSL_([SHDC])\b/g, (suit) => SUIT_NAMES[suit]],
  [/\bTop(\d)_([SHDC])\b/g, (top, suit) => phrase("term.top", { count: top, suit: SUIT_NAMES[suit] })],
  [/\bC_([SHDC])([AKQJT2-9])\b/g, (suit, rank) => SUIT_SIGNS[suit] + shownCards(rank)],
  [
    /\b(HCP|Keycards|Support_Points|(?:At_Best_)?(?:Partial_|Likely_|Two_)?Stoppers?|(?:Twice_|Strong_)?(?:Reb|B)iddable|Solid)_([SHDC])\b/g,
    (term, suit) => phrase(`term.${term}_X`, { suit: SUIT_NAMES[suit] }),
  ],
];
const TERMS = [
  "HCP", "Total_Points", "Longest_Suit", "Second_Suit", "Playing_Tricks", "QT", "Losers", "Controls", "Aces", "Kings",
  "Queens", "Tens", "Balanced", "Pattern", "Rule_Of_20", "Rule_Of_15", "Vul_We", "Vul_They", "Seat", "NT",
];
const SIGNS = { ">=": "≥", "<=": "≤", "!=": "≠", "==": "=" };

/** A condition as players read it: `SL_H >= 4` is "hearts ≥ 4". */
export function conditionText(expression) {
  let text = expression;
  for (const [pattern, write] of SUIT_TERMS) {
    text = text.replace(pattern, (_, ...groups) => write(...groups));
  }
  text = text.replace(/\b[A-Z][A-Za-z]*(?:_[A-Za-z0-9]+)*\b/g, (term) => (TERMS.includes(term) ? phrase(`term.${term}`) : term));
  return text.replace(/>=|<=|!=|==/g, (sign) => SIGNS[sign]).replaceAll("'", "");
}

/** Value of a term as the service gives it. */
export function valueText(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return phrase(value ? "value.yes" : "value.no");
  if (typeof value === "object") {
    return Object.entries(value).map(([term, one]) => (
      `${conditionText(term)} ${valueText(one)}`
    )).join(", ");
  }
  return String(value);
}

/** A call with its suit in colour. */
export function callNode(call) {
  if (call === "P") return h("span", { class: "call pass" }, phrase("calls.pass"));
  if (!isBid(call)) return h("span", { class: `call ${call === "X" ? "double" : "redouble"}` }, call);
  if (call[1] === "N") return h("span", { class: "call" }, call[0], h("span", { class: "notrump" }, phrase("calls.notrump")));
  return h("span", { class: "call" }, call[0], suitNode(call[1]));
}

/** Calls as bars: rows of `{call, share, name}`, and of `href` where a call leads on. */
export function callBars(rows) {
  return h("ul", { class: "bars" }, rows.map(({ call, share, name, href }) => h(
    "li", null, href
      ? h("a", { class: "place", href, "aria-label": `${spokenCall(call)}, ${name}` }, callNode(call))
      : h("span", { class: "bar-call" }, callNode(call)),
    h("meter", { min: "0", max: "1", value: share, "aria-label": `${spokenCall(call)}, ${name}` }),
    h("span", { class: "bar-number" }, percent(share)), h("span", { class: "bar-name" }, name),
  )));
}

/** The way to a place, each step a link; `leadTo(calls)` is its address. */
export function trail(label, calls, leadTo) {
  return h(
    "nav", { "aria-label": label, class: "trail" }, h("a", { href: leadTo([]) }, phrase("book.opening")),
    calls.map((call, index) => h("a", {
      href: leadTo(calls.slice(0, index + 1)), "aria-label": phrase("book.after", { call: spokenCall(call) }),
    }, callNode(call))),
  );
}

/** Calls one after the other. */
export function callsNode(calls) {
  return calls.map((call, index) => [index ? " " : "", callNode(call)]);
}

/** Text of a call for sentences: "1♠", "3NT", "Pass". */
export function callText(call) {
  if (call === "P") return phrase("calls.pass");
  if (!isBid(call)) return call;
  return call[0] + (call[1] === "N" ? phrase("calls.notrump") : SUIT_SIGNS[call[1]]);
}

export function suitNode(suit) {
  return h("span", { class: `suit ${suit}` }, SUIT_SIGNS[suit]);
}

/** Cards of one suit, such as SK and SQ: "♠K Q". */
export function cardsNode(cards) {
  const [suit] = cards[0];
  const ranks = cards.map((card) => shownCards(card[1])).join(" ");
  return h("span", { class: "cards" },
    h("span", { class: `suit ${suit}`, "aria-hidden": "true" }, SUIT_SIGNS[suit]),
    h("span", { class: "hidden" }, SUIT_NAMES[suit]), ranks);
}

/** Contract with its declarer: "3NT by South". */
export function contractNodes(contract) {
  if (contract === null) return [phrase("contract.passed")];
  const { level, strain, risk, declarer } = contract;
  return phraseNodes("contract.by", { bid: bidNodes(level + strain + risk), who: SEAT_NAMES[declarer] });
}

/** A contract without its declarer, as "4SX": "4♠ doubled". */
export function bidNodes(text) {
  return [callNode(text.slice(0, 2)), phrase(`contract.risk.${text.slice(2)}`)];
}

/** The same in as few letters as there are: "4♠×". */
export function bidText(text) {
  return callText(text.slice(0, 2)) + phrase(`contract.sign.${text.slice(2)}`);
}

/** Contract of a text with its declarer, "4SXN"; null of "Pass". */
export function readContract(text) {
  const [, level, strain, risk, seat] = /^(\d)([CDHSN])(X*)([NESW])$/.exec(text) ?? [];
  return level ? { level, strain, risk, declarer: SEATS.indexOf(seat) } : null;
}

export function contractText(contract) {
  if (contract === null) return phrase("contract.passed-spoken");
  const bid = spokenCall(contract.level + contract.strain) + phrase(`contract.risk.${contract.risk}`);
  return phrase("contract.by", { bid, who: SEAT_NAMES[contract.declarer] });
}

/** A hand as four lines of suits. */
export function handNode(hand) {
  const suits = suitsOf(hand);
  return h("dl", { class: "hand" }, SUITS.map((suit) => h(
    "div", null,
    h("dt", null, suitNode(suit), h("span", { class: "hidden" }, SUIT_NAMES[suit])),
    h("dd", null, suits[suit] ? [...suits[suit]].map((rank) => (
      h("span", { class: "rank" }, shownCards(rank))
    )) : "—"),
  )));
}

/** A number with its sign; null where there is none. */
export function signed(number, digits) {
  if (number === null || number === undefined) return null;
  return `${number > 0 ? "+" : ""}${number.toFixed(digits)}`.replace("-", "−");
}

export function percent(share) {
  if (share > 0 && share < 0.01) return phrase("percent.below");
  if (share < 1 && share > 0.99) return phrase("percent.above");
  return phrase("percent", { share: Math.round(100 * share) });
}

/** So many points are no bound that anybody would name. */
const UNBOUNDED = 30;

/** Points between bounds, in words; empty where they leave all. */
export function pointsText([low, high]) {
  if (low === 0 && high >= UNBOUNDED) return "";
  const what = phrase("count.HCP", { number: 2 });
  if (low === high) return phrase("exactly", { number: low, what: phrase("count.HCP", { number: low }) });
  if (low === 0) return phrase("most", { number: high, what });
  return high >= UNBOUNDED ? phrase("plus", { number: low, what }) : phrase("between", { low, high, what });
}

/** Whether a share is more than a row of "0 %". */
export function isReported(share) {
  return share >= 0.005;
}

export function range(low, high) {
  return low === high ? String(low) : `${low}–${high}`;
}

export function chips(agreements) {
  if (!agreements?.length) return null;
  return h("ul", { class: "chips", "aria-label": phrase("agreements") }, agreements.map((one) => h(
    "li", { class: one.startsWith("#") ? "topic authors" : null }, one,
  )));
}

/** Hand in one line of text. */
export function handInLine(hand) {
  const suits = suitsOf(hand);
  return SUITS.map((suit) => [h("span", { class: "holding" }, suitNode(suit), shownCards(suits[suit]) || "—"), " "]);
}
