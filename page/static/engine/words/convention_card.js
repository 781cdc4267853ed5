// A convention card on two pages: systems/book/convention_card.py is the definition, and its parts are in card_data.js.

import { DOUBLE, FIRST_BID, formatCalls, parseCall, parseCalls, PASS, REDOUBLE } from "../deals/calls.js";
import data from "./card_data.js";
import { paced } from "../pace.js";
import { callSign, cardWordsOfEach, isArtificial, levelOf, strainOf } from "./card_words.js";

const NOTRUMP = 4;
const LONGEST_LINE = data.words.longestLine;

const isSuit = (call) => call >= FIRST_BID && strainOf(call) !== NOTRUMP;

/** Strains that the other side has bid. */
function theirs(calls) {
  return new Set(calls.filter((call, number) => (calls.length - number) % 2 && call >= FIRST_BID).map(strainOf));
}

/** Whether a bid is above the lowest one of its strain. */
const isJump = (calls, call) => Math.floor((call - Math.max(...calls) - 1) / 5) > 0;
const isNewSuit = (calls, call) => isSuit(call) && !theirs(calls).has(strainOf(call));

const KINDS = {
  any: (calls, call) => call >= FIRST_BID,
  high: (calls, call) => isSuit(call) && levelOf(call) >= 3,
  double: (calls, call) => call === DOUBLE || call === REDOUBLE,
  competing: (calls, call) => call > PASS,
  overcall: (calls, call) => isNewSuit(calls, call) && !isJump(calls, call),
  "jump overcall": (calls, call) => isNewSuit(calls, call) && isJump(calls, call),
  "cue bid": (calls, call) => isSuit(call) && !isNewSuit(calls, call),
  conventional: (calls, call) => call > PASS,
  slam: (calls, call) => call > PASS,
};

/**
 * The card of a system: `sections` of `{heading, page, lines}`, lines of `{after, call, points, words, auction}`.
 * `tell` hears now and then how far it is.
 */
export async function conventionCard(system, tell) {
  const bidder = (calls) => system.bidder(system.opponents, calls.length % 2 === 0);
  const pace = paced(tell);
  const sections = [{ heading: "General approach", page: 1, lines: approach(system, bidder) }];
  for (const { heading, page, groups } of data.parts) {
    const lines = [];
    for (const group of groups) {
      const places = [];
      for (const auction of group.auctions) {
        await pace(places.length);
        const calls = parseCalls(auction);
        places.push([calls, wordsAt(group, calls, bidder(calls))]);
      }
      lines.push(...linesOf(group, places));
    }
    sections.push({ heading, page, lines });
  }
  sections.push({ heading: "Leads", page: 2, lines: data.leads.map(said) });
  return { title: system.title, sections: sections.filter(({ lines }) => lines.length) };
}

const said = (words) => ({ after: "", call: "", points: "", words, auction: "" });

/** Lines of a group of places, pairs of their calls and what is said there; neighbouring places share a head where no call means two things. */
function linesOf(group, places) {
  const heads = [];
  for (const [calls, here] of places) {
    if (!here.size) continue;
    const sign = calls.length ? callSign(calls.at(-1)) : "";
    const last = heads.at(-1);
    if (last && [...here].every(([call, words]) => sameWords(last.known.get(call) ?? words, words))) {
      last.signs.push(sign);
      here.forEach((words, call) => last.known.has(call) || last.known.set(call, words));
    } else {
      heads.push({ signs: [sign], known: here });
    }
  }
  const isAuction = group.style === "auction";
  return heads.flatMap(({ signs, known }) => {
    const after = group.head === data.theirs ? `${group.head} ${signs.join(" ")}` : group.head;
    const order = [...known.keys()];
    if (!isAuction) order.sort((one, other) => placeOf(one) - placeOf(other));
    const together = new Map();
    for (const call of order) {
      const key = JSON.stringify(known.get(call).slice(0, 2));
      together.set(key, [...(together.get(key) ?? []), call]);
    }
    return [...together].map(([key, some]) => {
      const [points, words] = JSON.parse(key);
      return { after, call: some.join(isAuction ? ", " : " "), points, words, auction: known.get(some[0])[2] };
    });
  });
}

const sameWords = ([points, words], other) => points === other[0] && words === other[1];

/** Bids by rank, doubles behind them. */
function placeOf(sign) {
  const call = parseCall(sign);
  return call >= FIRST_BID ? call : 100 + call;
}

/** Calls of a place that belong to a group, each as it is shown, with points and words. */
function wordsAt(group, calls, places) {
  const entries = grouped(places.place(calls).entries);
  const found = new Map();
  for (const call of [...entries.keys()].sort((one, other) => one - other)) {
    const some = entries.get(call);
    if (!belongs(group, calls, call, some)) continue;
    const made = [...calls, call];
    const shown = group.style === "auction" ? auctionSign(made) : callSign(call);
    const { points, words } = group.style === "answer" ? { points: "", words: some[0].name } : cardWordsOfEach(places, made);
    found.set(shown, [points, words, formatCalls(made)]);
  }
  return found;
}

function grouped(entries) {
  const found = new Map();
  for (const one of entries) found.set(one.call, [...(found.get(one.call) ?? []), one]);
  return found;
}

function belongs(group, calls, call, entries) {
  if (group.calls.length && !group.calls.some((one) => parseCall(one) === call)) return false;
  if (!KINDS[group.kind](calls, call)) return false;
  const isConventional = entries.some((one) => one.agreements.some(({ kind }) => data.conventional.includes(kind)));
  if (group.kind === "conventional") return isConventional;
  if (group.kind === "slam") {
    return isConventional || entries.some((one) => one.name && call > data.game && one.specificity[0] > 0);
  }
  // what stands in `general:` is what every pair does with the strength of both hands
  if (group.kind !== "double" && entries.every((one) => one.specificity[3] === 0)) return false;
  return call <= data.game || group.calls.length > 0 || (call === data.quantitative && !isConventional);
}

/** An auction whose last call is ours: theirs in parentheses, without their passes. */
function auctionSign(calls) {
  return calls.map((call, number) => {
    const isOurs = (calls.length - number) % 2 === 1;
    if (isOurs) return callSign(call);
    return call !== PASS || number === calls.length - 2 ? `(${callSign(call)})` : "";
  }).filter(Boolean).join(" ");
}

/** What opponents ask first: lengths of openings, forcing ones, options that are on. */
function approach(system, bidder) {
  const places = bidder([]);
  const shown = new Map();
  const forcing = [];
  const openings = [...new Set(places.place([]).entries.map(({ call }) => call))].filter((call) => call >= FIRST_BID);
  for (const call of openings.sort((one, other) => one - other)) {
    const after = places.state([call]);
    if (has(after, "forcing", "forcing to game")) forcing.push(callSign(call));
    if (levelOf(call) > 1) continue;
    const { points, words } = cardWordsOfEach(places, [call]);
    const key = `${points}|${/\d\+? cards|balanced|forcing/.exec(words)?.[0] ?? ""}`;
    shown.set(key, [...(shown.get(key) ?? []), call]);
  }
  const lines = [...shown].map(([key, calls]) => {
    const at = key.indexOf("|");
    return {
      after: "", call: calls.map(callSign).join(" "), points: key.slice(0, at), words: key.slice(at + 1),
      auction: formatCalls(calls.slice(0, 1)),
    };
  });
  if (forcing.length) lines.push(said(`Forcing openings: ${forcing.join(" ")}`));
  const answer = parseCalls("1S P 2C");
  const over = bidder(answer).state(answer);
  const known = isArtificial(over.meanings.at(-1)) ? null : data.approach.find(([kind]) => has(over, kind));
  if (known) lines.push(said(`Two over one: ${known[1]}`));
  return [...lines, ...wrapped("Options played: ", system.options.filter(({ on }) => on).map(({ title }) => title)).map(said)];
}

const has = ({ meanings }, ...kinds) => meanings.at(-1).agreements.some(({ kind }) => kinds.includes(kind));

/** Titles in a row, cut where a line is full. */
function wrapped(head, titles) {
  const lines = [];
  let line = "";
  for (const title of titles) {
    let longer = line ? `${line}, ${title}` : `${head}${title}`;
    if (line && [...longer].length > LONGEST_LINE) {
      lines.push(`${line},`);
      longer = title;
    }
    line = longer;
  }
  return line ? [...lines, line] : lines;
}
