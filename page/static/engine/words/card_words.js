// Words of a convention card, a short line a call: systems/words/card_words.py is the definition.

import { DOUBLE, FIRST_BID, formatCall, REDOUBLE } from "../deals/calls.js";
import data from "./card_data.js";
import { lengthTexts, MANY_POINTS } from "./cell_words.js";
import { SUIT_NAMES } from "./describing.js";
import { byOneSide, differsByVulnerability, explainedCall, toldAtEach } from "./explanation.js";

const { words: tables } = data;
const SUITS = "CDHS";
const SIGNS = [...tables.signs];
const SIGN_OF = Object.fromEntries([...SUITS].map((suit, place) => [SUIT_NAMES[suit], SIGNS[place]]));
const PAIRS = new Map(tables.pairs);
const LENGTH = /^(\d+)(\+|-\d+)? (club|diamond|heart|spade)s?$/;
const ARTIFICIAL = ["artificial", "relay", "transfer", "puppet"];

export const strainOf = (call) => (call - FIRST_BID) % 5;
export const levelOf = (call) => Math.floor((call - FIRST_BID) / 5) + 1;

/** Whether a meaning says nothing about the strain it names. */
export function isArtificial(meaning) {
  return meaning.agreements.some(({ kind }) => ARTIFICIAL.includes(kind));
}

/** `{points, words}` of the last call before a state; either may be empty. */
export function cardWords(after) {
  const explained = explainedCall(after);
  const meaning = after.meanings.at(-1);
  let agreed = meaning.agreements.map(({ kind }) => kind);
  const name = nameOf(explained, meaning, agreed);
  const lower = name.toLowerCase();
  const details = [...asked(explained), ...lengthsOf(explained, after, name)];
  const without = (...kinds) => agreed.filter((one) => !kinds.includes(one));
  if (agreed.includes("forcing to game")) agreed = without("forcing");
  // every takeout double is
  if (isDouble(meaning.call) && agreed.includes("takeout")) agreed = without("forcing", "artificial");
  if (lower.includes("double")) agreed = without("takeout", "penalty");
  const binding = tables.agreed.filter(([kind, word]) => (
    agreed.includes(kind) && !(tables.saidByName[word] ?? [word]).some((one) => lower.includes(one))
  )).map(([, word]) => word);
  const [least] = explained.every_points;
  const light = tables.least <= least && least < explained.points[0] ? `light from ${least}` : "";
  return { points: pointsRange(explained.points), words: fitting(name, details, binding, light) };
}

/** The same of the last of some calls; points that differ by vulnerability, with both. */
export function cardWordsOfEach(places, calls) {
  const after = places.state(calls);
  const found = cardWords(after);
  if (!differsByVulnerability(after.meanings.at(-1))) return found;
  const either = byOneSide(toldAtEach(places, calls, (there) => {
    const at = there.state(calls);
    return at.meanings.at(-1).known ? cardWords(at) : null;
  }));
  if (!either) return found;
  const [first, other, [said, otherwise]] = either;
  const [there, elsewhere] = tables.vulnerable[said];
  if (!first || !other) {
    const words = `${found.words} (${first ? there : elsewhere})`;
    return lengthOf(words) > tables.longestLine ? found : { ...found, words };
  }
  let { points, words } = found;
  if (first.points && other.points && first.points !== other.points) {
    points = `${first.points} ${there}, ${other.points} ${otherwise}`;
  }
  if (first.words !== other.words) {
    const name = first.words.includes(": ") ? first.words.slice(0, first.words.indexOf(": ") + 2) : "";
    const rest = other.words.startsWith(name) ? other.words.slice(name.length) : other.words;
    const both = `${first.words} ${there}; ${rest} ${otherwise}`;
    if (lengthOf(both) <= tables.longestLine) words = both;
  }
  return { points, words };
}

/** A range of points as cards write it. */
export function pointsRange([low, high]) {
  if (high >= MANY_POINTS || (high >= tables.openEnded && high - low >= tables.wide)) {
    return low >= tables.least ? `${low}+` : "";
  }
  return low === high ? `${low}` : `${low}-${high}`;
}

/** A call as players write it. */
export function callSign(call) {
  return call < FIRST_BID ? formatCall(call) : `${levelOf(call)}${[...SIGNS, "NT"][strainOf(call)]}`;
}

const isDouble = (call) => call === DOUBLE || call === REDOUBLE;

/** Name of the line that most hands make the call by; none of a natural bid of several. */
function nameOf(explained, meaning, agreed) {
  const shares = new Map();
  meaning.alternatives.forEach(({ name }, place) => {
    if (name) shares.set(name, (shares.get(name) ?? 0) + explained.hand_types[place].share);
  });
  if (!shares.size) return meaning.uses.length ? meaning.uses[0][0].line.name : "";
  const [name, share] = [...shares].reduce((best, one) => (one[1] > best[1] ? one : best));
  if (isDouble(meaning.call)) {
    // of several takeout doubles, a strong one perhaps, the weakest is what opponents meet
    const isOfMany = share < (name.endsWith("takeout double") ? tables.oneName : tables.mainName);
    const known = ["takeout", "penalty"].find((one) => agreed.includes(one));
    return known && isOfMany ? `${known[0].toUpperCase()}${known.slice(1)} double` : name;
  }
  const isNatural = meaning.call >= FIRST_BID && !isArtificial(meaning);
  return isNatural && share < tables.mainName ? "" : name;
}

/** What a call asks for. */
function asked({ agreements }) {
  return agreements.filter((one) => one.startsWith("asks "))
    .map((one) => one.replaceAll("four-card", "4-card"));
}

/** Lengths of suits that the call shows, the least: of its own suit as cards, or as support. */
function lengthsOf(explained, after, name) {
  const meaning = after.meanings.at(-1);
  const isSuit = meaning.call >= FIRST_BID && strainOf(meaning.call) < SUITS.length && !isArtificial(meaning);
  const own = isSuit ? SUITS[strainOf(meaning.call)] : "";
  const ownSign = isSuit ? SIGNS[strainOf(meaning.call)] : "";
  const texts = lengthTexts(after.knowledge[explained.player].cells);
  if (texts.includes("balanced")) return name.toLowerCase().includes("balanced") ? [] : ["balanced"];
  const trumps = explained.agreements.filter((one) => one.includes("agrees ")).map((one) => one.replace(/^agrees /, ""));
  for (const suit of SUITS) {
    const [least] = explained.lengths[suit];
    if (trumps.includes(SUIT_NAMES[suit]) && suit !== own && least >= tables.support) return [`${least}+ support`];
  }
  const found = [];
  let shown = "";
  for (const text of texts) {
    const parts = text.split(" or ").map((one) => LENGTH.exec(one));
    if (parts.includes(null)) continue;
    const said = parts.map(([, count, more, suit]) => [more ? `${count}+` : count, SIGN_OF[`${suit}s`]]);
    const signs = [...new Set(said.map(([, sign]) => sign))];
    const counts = new Set(said.map(([count]) => count));
    const pair = PAIRS.get([...signs].sort().join(""));
    if (said.length === 1) {
      const [[count, sign]] = said;
      if (sign === ownSign) shown = count;
      else if (parseInt(count, 10) > tables.support) found.push(`${count} ${sign}`);
    } else if (signs.includes(ownSign)) {
      continue;
    } else if (counts.size === 1 && pair) {
      found.push(`${said[0][0]} ${pair}`);
    } else if (said.length === 2) {
      found.push(said.map((one) => one.join(" ")).join(" or "));
    }
  }
  if (own && !shown && after.calls.slice(0, -1).every((call) => call < FIRST_BID)) shown = `${explained.lengths[own][0]}+`;
  return shown ? [held(shown, raises(after)), ...found] : found;
}

function held(length, isRaise) {
  if (isRaise) return length.endsWith("+") ? `${length} support` : `${length}-card support`;
  return `${length} ${length === "1" ? "card" : "cards"}`;
}

/** Whether partner has bid the suit of the last call, and meant it. */
function raises({ calls, meanings }) {
  const call = calls.at(-1);
  for (let number = calls.length - 3; number >= 0; number -= 4) {
    const one = calls[number];
    if (one >= FIRST_BID && strainOf(one) === strainOf(call) && !isArtificial(meanings[number])) return true;
  }
  return false;
}

/** Parts of a line, as many as fit; the last ones say least. */
function fitting(name, details, binding, light) {
  let words = shortened(name);
  const isArtificialToo = binding.includes("artificial");
  const parts = [...details, ...binding.filter((one) => one !== "artificial"), light, isArtificialToo ? "artificial" : ""];
  for (const part of parts.filter(Boolean)) {
    const longer = words ? `${words}${words.includes(":") || !name ? ", " : ": "}${part}` : part;
    if (lengthOf(longer) <= tables.longestLine) words = longer;
  }
  return words || "natural";
}

const lengthOf = (text) => [...text].length;

function shortened(name) {
  if (lengthOf(name) <= tables.longestLine) return name;
  const cut = [...name].slice(0, tables.longestLine - 1).join("");
  const blank = cut.lastIndexOf(" ");
  return `${blank < 0 ? cut : cut.slice(0, blank)}…`;
}
