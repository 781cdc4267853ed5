// The order of topics: what one learns first, further conventions, further calls; and which of them are asked for.

import { topicText } from "./practice_sets.js";

/** So many topics stand first. */
const FIRST = 20;
/**
 * What is taught first, in the order in which beginners' courses have it; a system has some of them, under names of its
 * own. What comes behind the twentieth that it has stands among the others.
 */
const LEARNED = [
  /^(?:strong|weak|one) notrump$/i, /stayman/i, /transfer$/i, /^(?:simple )?raise$/i, /^limit raise/i, /^one over one/i, /^two over one/i,
  /^overcall$/i, /^takeout$|^takeout double/i, /^weak two/i, /^preempt$/i, /^strong two/i, /blackwood|key-?card/i, /^negative/i,
  /^jacoby(?: two notrump)?$/i, /^fourth suit/i, /^balancing$|^protect/i, /^reverse$/i, /^cue[ -]raise$/i, /^michaels/i, /^unusual/i,
  /^new minor|checkback/i, /^jump overcall|^weak jump/i, /^notrump overcall/i, /^gerber/i, /^splinter/i, /^responsive/i, /^quantitative/i,
  /^jump shift/i, /^lebensohl/i, /^jordan|^truscott/i, /^cappelletti|^landy|^dont\b/i, /^multi/i, /^five-card major/i, /^better minor/i,
];

/** Whether a topic is asked for by some words: all of them are in its name. */
export function isRequested({ topic }, words) {
  const name = topicText(topic).toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => name.includes(word));
}

/** Topics in levels: those to begin with, further conventions, further calls by name. */
export function levelsOf([tagged, named]) {
  const all = [...tagged, ...named];
  const first = [];
  const add = (one) => one && first.length < FIRST && !first.includes(one) && first.push(one);
  // a name says more than a tag: Negative double
  for (const form of LEARNED) add([...named, ...tagged].find(({ topic }) => form.test(topicText(topic))));
  // a system that says it in words of its own: what comes up in many auctions, soonest
  const common = [...all].sort((one, other) => one.places[0].length - other.places[0].length || other.places.length - one.places.length);
  for (const one of common) add(one);
  return [first, ...[tagged, named].map((some) => some.filter((one) => !first.includes(one)))];
}
