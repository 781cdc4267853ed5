// What a set of cells tells, in words, and what only "or" can say: systems/words/cell_words.py is the definition.

import { SUIT_NAMES } from "./describing.js";
import { has, hull } from "../places/cells.js";
import { LENGTHS, POINTS } from "../places/shapes.js";

/** So many points are no upper bound that a player would name. */
export const MANY_POINTS = 30;
const SUITS = "CDHS";
/** Meanings that are said one by one; of more the bounds are said. */
const MOST_PARTS = 3;
/** Cards from which on it is said that one of several suits has them. */
const LONG = 4;
/** Suits of which one may be long, numbers in order of C, D, H, S; majors and minors first. */
const GROUPS = [
  [2, 3], [0, 1], [1, 2], [0, 2], [1, 3], [0, 3], [0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3], [0, 1, 2, 3],
];
const BALANCED = LENGTHS.map((lengths) => ["3334", "2344", "2335"].includes([...lengths].sort().join("")));

const both = ([low, high], [least, most]) => [Math.max(low, least), Math.min(high, most)];

/** What a hand in a set of cells has, points within bounds; `types`: cells of the hand types it may be of. */
export function cellsText(cells, points, types = []) {
  let parts = types.length > 1 && types.length <= MOST_PARTS
    ? types.map((one) => [both(hull(one).points, points), shapesOf(one)])
    : runsOf(cells).map((run) => [both(run, points), shapesOf(cells, run)]);
  parts = parts.filter(([[low, high]]) => low <= high);
  if (!parts.length || parts.length > MOST_PARTS) parts = [[points, shapesOf(cells)]];
  return joined(parts);
}

/** A range of points; empty where it says nothing. */
export function pointsText([low, high]) {
  if (low === 0 && high >= MANY_POINTS) return "";
  const words = high === 1 ? "point" : "points";
  if (low === high) return `${low} ${words}`;
  if (low === 0) return `at most ${high} ${words}`;
  return high >= MANY_POINTS ? `${low}+ points` : `${low}-${high} points`;
}

/** Lengths that a set of cells has in common, the longest first. */
export function lengthTexts(cells) {
  return shapeTexts(shapesOf(cells));
}

/** Numbers of the shapes that some cells with points in a range have. */
function shapesOf(cells, [low, high] = [0, POINTS - 1]) {
  const found = new Set();
  LENGTHS.forEach((_, shape) => {
    for (let points = low; points <= high; points += 1) {
      if (has(cells, shape * POINTS + points)) {
        found.add(shape);
        break;
      }
    }
  });
  return found;
}

/** Ranges of points that are there without a gap. */
function runsOf(cells) {
  const runs = [];
  for (let points = 0; points < POINTS; points += 1) {
    if (!LENGTHS.some((_, shape) => has(cells, shape * POINTS + points))) continue;
    if (runs.at(-1)?.[1] === points - 1) runs.at(-1)[1] = points;
    else runs.push([points, points]);
  }
  return runs;
}

/** Points and shapes of all parts; what they have in common is said once. */
function joined(parts) {
  const [byPoints, texts] = [new Map(), new Map()];
  for (const [points, shapes] of parts) {
    const said = pointsText(points);
    byPoints.set(said, new Set([...(byPoints.get(said) ?? []), ...shapes]));
    texts.set(said, [...(texts.get(said) ?? []), shapeTexts(shapes)]);
  }
  const ofShape = [...texts].map(([said, shaped]) => [said, anyOf(shaped, byPoints.get(said))]);
  const [[, first]] = ofShape;
  if (ofShape.length > 1 && ofShape.every(([, one]) => one.join() === first.join())) {
    const alternatives = ofShape.map(([said]) => said || "any number of points");
    const before = alternatives.slice(0, -1).map((one) => one.replace(/ points?$/, ""));
    return [[...before, alternatives.at(-1)].join(" or "), ...first].join(", ");
  }
  const said = ofShape.map(([one, shaped]) => [one, ...shaped].filter(Boolean).join(", "));
  return said.length === 1 ? said[0] : said.map((one) => one || "any hand").join("; or ");
}

/** Texts of shapes of which a hand has one. */
function anyOf(shaped, together) {
  const common = shaped[0].filter((text) => shaped.every((one) => one.includes(text)));
  const rests = [...new Set(shaped.map((one) => allOf(one.filter((text) => !common.includes(text)))))];
  // one of them asks for nothing else
  if (rests.length > 1 && rests.includes("")) return shapeTexts(together);
  return [rests.join(" or "), ...common].filter(Boolean);
}

/** Texts joined by "and", which binds tighter than "or". */
function allOf(texts) {
  if (texts.length === 1) return texts[0];
  return texts.map((text) => (text.includes(" or ") ? `(${text})` : text)).join(" and ");
}

/** Lengths that some shapes have in common, the longest first. */
function shapeTexts(shapes) {
  const lengths = [...shapes].map((shape) => LENGTHS[shape]);
  const ranges = [0, 1, 2, 3].map((suit) => {
    const cards = lengths.map((one) => one[suit]);
    return [Math.min(...cards), Math.max(...cards)];
  });
  if ([...shapes].every((shape) => BALANCED[shape])) return ["balanced", ...bounds(ranges, true)];
  return [...oneOfSeveral(lengths, ranges), ...bounds(ranges, false)];
}

/** Lengths that say something, the longest first. */
function bounds(ranges, balanced) {
  const found = [];
  // what the least cards leave for a suit: more than that says nothing
  const left = LENGTHS.filter((lengths, shape) =>
    (!balanced || BALANCED[shape]) && ranges.every(([low], suit) => lengths[suit] >= low));
  ranges.forEach(([low, high], suit) => {
    const most = Math.max(...left.map((lengths) => lengths[suit]));
    let cards;
    if (low === high) cards = `${low}`;
    else if (balanced) {
      if (low === 2 && high >= most) return;
      cards = low === 2 ? `at most ${high}` : `${low}-${high}`;
    } else if (low >= 2 && (high <= 5 || low >= 3)) cards = high > 7 ? `${low}+` : `${low}-${high}`;
    else if (high <= 4 && high < most) cards = `at most ${high}`;
    else return;
    const name = SUIT_NAMES[SUITS[suit]];
    found.push([low, `${cards} ${high === 1 ? name.replace(/s$/, "") : name}`]);
  });
  return found.sort(([one], [other]) => other - one).map(([, text]) => text);
}

const longestOf = (lengths, group) => Math.min(...lengths.map((one) => Math.max(...group.map((suit) => one[suit]))));

/** Suits of which one has more cards than their bounds tell. */
function oneOfSeveral(lengths, ranges) {
  const boxed = LENGTHS.filter((one) => ranges.every(([low, high], suit) => low <= one[suit] && one[suit] <= high));
  const [found, covered] = [[], new Set()];
  for (const group of GROUPS) {
    const least = longestOf(lengths, group);
    if (group.some((suit) => covered.has(suit)) || least < LONG || least <= longestOf(boxed, group)) continue;
    group.forEach((suit) => covered.add(suit));
    found.push(group.map((suit) => {
      const alone = lengths.filter((one) => group.every((other) => other === suit || one[other] < least));
      const isExact = alone.length > 0 && Math.max(...alone.map((one) => one[suit])) === least;
      return `${least}${isExact ? "" : "+"} ${SUIT_NAMES[SUITS[suit]]}`;
    }).join(" or "));
  }
  return found;
}
