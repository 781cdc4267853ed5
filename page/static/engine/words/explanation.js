// What an auction has shown, call by call: in a sentence, with the numbers behind it.
// systems/words/explanation.py is the definition; the answer is plain JSON with its names of fields.

import { PASS, formatCall, formatCalls } from "../deals/calls.js";
import { MANY_POINTS, cellsText, pointsText } from "./cell_words.js";
import { agreementWords } from "./describing.js";
import { honoursOf } from "./criterion_words.js";
import { handsOfCells, has, hull, intersect, isEmpty, share } from "../places/cells.js";
import { POINTS } from "../places/shapes.js";
import { inOneDeal } from "../places/one_deal.js";

const SUITS = "CDHS";

/** Explain every call of a legal auction, both sides', by the places of two systems (a Bidder): as they are meant
 * at a vulnerability, or without one with sentences for each where they differ. */
export function explainPlaces(places, calls, dealer = 0, vulnerability = null) {
  if (vulnerability !== null) return explained(places.at(dealer, vulnerability), calls);
  const found = explained(places, calls);
  const { meanings } = places.state(calls);
  const atEach = (one, number) => {
    if (!differsByVulnerability(meanings[number])) return one;
    return { ...one, sentence: sentenceOfEach(places, calls.slice(0, number + 1)) || one.sentence };
  };
  return { ...found, calls: found.calls.map(atEach) };
}

/** Vulnerabilities, numbers as in deals.js, with words for them as North sees them. */
const SIDES = [
  [1, "vulnerable against not"], [3, "both vulnerable"], [0, "nobody vulnerable"], [2, "not vulnerable against vulnerable"],
];
/** Vulnerabilities that one side's decides, with words for both, and for the second one alone. */
const EITHER = [
  [[1, 3], [0, 2], ["vulnerable", "not", "not vulnerable"]],
  [[2, 3], [0, 1], ["against vulnerable opponents", "else", "against opponents who are not vulnerable"]],
];
const NO_AGREEMENT = "No agreement about this call";
/** Between the name of a call, what it shows, and its agreements. */
const PARTS = /(: |, |; )/;

/** Whether a call, which was read for no vulnerability, may mean something else at another. */
export const differsByVulnerability = ({ alternatives }) => alternatives.some(({ constraint }) => constraint.dependsOnContext);

/** What is told of the last call at each vulnerability, as North sees it, who made it. */
export function toldAtEach(places, calls, tell) {
  const dealer = (((1 - calls.length) % 4) + 4) % 4;
  return new Map(SIDES.map(([sides]) => [sides, tell(places.at(dealer, sides))]));
}

/** The two things that are told where one side's vulnerability decides, and words for both; `null` where both sides' do. */
export function byOneSide(told) {
  const isOne = (one, other) => JSON.stringify(told.get(one)) === JSON.stringify(told.get(other));
  const found = EITHER.find(([first, other]) => isOne(...first) && isOne(...other));
  return found ? [told.get(found[0][0]), told.get(found[1][0]), found[2]] : null;
}

/** Sentence of the last call at each vulnerability; empty where all are the same. */
function sentenceOfEach(places, calls) {
  const told = toldAtEach(places, calls, (there) => explainedAt(there, calls).sentence);
  const sentences = [...new Set(told.values())];
  if (sentences.length === 1) return "";
  const either = byOneSide(told);
  if (either) return eitherSentence(...either);
  return sentences.filter((sentence) => sentence !== NO_AGREEMENT).map((sentence) => (
    `${SIDES.filter(([sides]) => told.get(sides) === sentence).map(([, words]) => words).join(" or ")}: ${sentence}`
  )).join("; or ");
}

/** Join two sentences of a call, which differ, by what each holds for. */
function eitherSentence(first, other, words) {
  if (first === NO_AGREEMENT) return `${other} (${words[2]})`;
  if (other === NO_AGREEMENT) return `${first} (${words[0]})`;
  const [said, there] = [first.split(PARTS), other.split(PARTS)];
  const differing = [...said.keys()].filter((place) => said[place] !== there[place]);
  if (said.length === there.length && differing.length === 1 && differing[0]) {
    const [place] = differing;
    const ending = ` ${said[place].split(" ").at(-1)}`;
    const shorter = there[place].endsWith(ending) ? there[place].slice(0, -ending.length) : there[place];
    return said.with(place, `${said[place]} ${words[0]}, ${shorter} ${words[1]}`).join("");
  }
  return `${words[0]}: ${first}; or ${words[1]}: ${other}`;
}

function explained(places, calls) {
  const states = Array.from({ length: calls.length + 1 }, (_, number) => places.state(calls.slice(0, number)));
  const state = states.at(-1);
  const side = state.position % 2;
  const offered = new Map();
  for (const entry of state.isOver ? [] : places.place(calls).entries) {
    if (offered.has(entry.call)) continue;
    offered.set(entry.call, { call: formatCall(entry.call), name: entry.name, where: placeText(entry.where) });
  }
  return {
    auction: formatCalls(calls),
    calls: calls.map((_, number) => explainedAt(places, calls.slice(0, number + 1))),
    forced: state.forced,
    game_forced: state.gameForced[side],
    agreed_suit: state.agreed[side],
    next_calls: [...offered.values()],
  };
}

const placeText = ({ file, line }) => `${file}:${line}`;

/** Explain the last of some calls, with the honours that all its kinds of hands have. */
function explainedAt(places, calls) {
  const before = calls.slice(0, -1);
  const after = places.state(calls);
  const kinds = new Set(after.meanings.at(-1).alternatives.map(({ expression }) => expression));
  const [first, ...others] = (kinds.size ? places.place(before).entries : [])
    .filter(({ call, expression }) => call === calls.at(-1) && kinds.has(expression))
    .map((entry) => honoursOf(entry, entry.program.rules.defines, (condition, bindings) => (
      places.lowered(condition, before, bindings))));
  return explainedCall(after, [...new Set(first)].filter((one) => others.every((some) => some.includes(one))));
}

/** Explain the last call before a state; `honours` are words for those that it shows. */
export function explainedCall(after, honours = []) {
  const position = (after.position + 3) % 4;
  const meaning = after.meanings.at(-1);
  const known = after.knowledge[position];
  const points = known.points;
  const every = known.hull.points;
  const parts = partsOf(meaning);
  const types = meaning.alternatives.map(({ name, kind, where, cells }, index) => ({
    name: kind || name, where: placeText(where), share: parts[index], points: hull(cells).points, lengths: byLetter(hull(cells)),
  }));
  const bindings = meaning.uses.length ? meaning.uses[0][1] : {};
  const agreements = meaning.agreements.map((one) => agreementWords(one, bindings));
  // who has said "8+" or nothing of his points says nothing of what the others leave him
  const [least, most] = inOneDeal(after.knowledge.map((one) => one.hull))[position].points;
  const low = Math.max(points[0], points[0] ? least : 0);
  const high = Math.min(points[1], points[1] < MANY_POINTS ? most : POINTS);
  const also = Object.fromEntries([...known.terms].filter(([name]) => name !== "HCP"));
  return {
    call: formatCall(meaning.call),
    player: position,
    sentence: sentence(meaning, parts, known.cells, low <= high ? [low, high] : points, every[0], honours, agreements),
    known: meaning.known,
    agreements,
    hand_types: types,
    points,
    every_points: every,
    lengths: byLetter(known.hull),
    also,
    share: share(known.cells),
  };
}

/** Part of the call's hands that each alternative takes, earlier ones first; they add to 1.
 *
 * Honours count with their frequency among the hands of a shape and point count. */
function partsOf({ alternatives }) {
  const left = Float64Array.from(handsOfCells());
  const weights = alternatives.map(({ cells, constraint }) => {
    const held = constraint.proportion;
    let weight = 0;
    for (let cell = 0; cell < left.length; cell += 1) {
      if (!has(cells, cell)) continue;
      const hands = left[cell] * held[cell];
      weight += hands;
      left[cell] -= hands;
    }
    return weight;
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (total ? weight / total : 0));
}

function byLetter({ lengths }) {
  return Object.fromEntries([...SUITS].map((suit, index) => [suit, lengths[index]]));
}

/** Name, points, lengths that say something, honours, and the agreements. */
function sentence(meaning, shares, cells, points, least, honours, agreements) {
  const name = nameOf(meaning, shares);
  // hand types of one line are said each by itself
  const types = meaning.uses.length === 1 ? meaning.alternatives.map((one) => intersect(one.cells, cells)) : [];
  let said = cellsText(cells, points, types.filter((one) => !isEmpty(one)));
  const promised = pointsText(points);
  if (least < points[0] && said.startsWith(promised)) {
    said = `${promised} (light hands from ${least})${said.slice(promised.length)}`;
  }
  said = [said, ...honours].filter(Boolean).join(", ");
  const text = said ? `${name}: ${said}` : name;
  // tags are for those who write systems; points stand there already
  const spoken = agreements.filter((one) => !one.startsWith("#") && !one.startsWith("shows "));
  return spoken.length ? `${text}; ${spoken.join(", ")}` : text;
}

/** Name of a call: of several the one under which most hands make it. */
function nameOf(meaning, shares) {
  if (!meaning.known) return NO_AGREEMENT;
  const weights = new Map();
  meaning.alternatives.forEach(({ name }, index) => {
    if (name) weights.set(name, (weights.get(name) ?? 0) + shares[index]);
  });
  if (weights.size > 1 && meaning.call === PASS) return "Pass";
  if (!weights.size) return meaning.call === PASS ? "Pass" : formatCall(meaning.call);
  return [...weights].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
