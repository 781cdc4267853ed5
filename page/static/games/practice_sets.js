// Sets of hands to practise: made of a topic's places, written as text for addresses, read again.

import { get, post } from "../api.js";
import { firstIllegal, isOver, readCalls, SEATS, writtenCall } from "../bridge/calls.js";
import { randomDealer, randomVulnerability, readDeal, wholeHand } from "../bridge/cards.js";
import { HANDOUT_VERSION, MOST_HANDS, readHandout } from "./handout_code.js";
import { mayBeTaught } from "./sanity.js";
import { VULNERABILITIES } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const VERSION = "1";
const SIZE = 10;
const MOST_LETTERS = 80;
const DEALS = 200;
/** Places that are looked at, if hands are found at one of them; else all are. */
const MOST_PLACES = 8;
const ENOUGH_PLACES = 4;

// --- sets as texts ------------------------------------------------------------------------------

/** A question: an auction so far, a dealer (0-3), a vulnerability, the hand to call. */
export function writeQuestion({ calls, dealer, vulnerability, hand }) {
  return [calls.join("-"), SEATS[dealer], vulnerability, hand].join("~");
}

/** Question of a text; throws a sentence. */
export function readQuestion(text) {
  const [auction, seat, vulnerability, hand, ...more] = text.split("~");
  const dealer = SEATS.indexOf(seat);
  if (more.length || dealer < 0 || !VULNERABILITIES.includes(vulnerability) || !hand) throw new Error(phrase("practice.form"));
  const calls = readCalls(auction);
  const illegal = firstIllegal(calls);
  if (illegal >= 0) throw new Error(phrase("practice.illegal", { call: writtenCall(calls[illegal]) }));
  if (isOver(calls)) throw new Error(phrase("practice.ended"));
  return { calls, dealer, vulnerability, hand: wholeHand(hand) };
}

/** Questions of a board: a known hand at each of its calls, and at the next if it is not over. */
export function questionsOf({ hands, dealer, vulnerability, calls = [] }) {
  const turns = isOver(calls) ? calls : [...calls, null];
  return turns.map((_, index) => ({
    calls: calls.slice(0, index), dealer, vulnerability, hand: hands[(dealer + index) % 4],
  })).filter(({ hand }) => hand).slice(0, MOST_HANDS);
}

/**
 * Calls of a board to the end of its auction: its own, then those that the system makes. Unknown hands are dealt so
 * that they fit its own; where no deal does, the auction ends with these.
 */
export async function bidToEnd({ hands, dealer, vulnerability, calls = [] }, table, signal) {
  if (isOver(calls)) return calls;
  const about = { dealer: SEATS[dealer], vulnerability, ...(table ? { table } : {}) };
  const whole = hands.every(Boolean) ? hands : await dealtHands(hands, calls, about, signal);
  const all = [...calls];
  while (whole && !isOver(all)) {
    const hand = whole[(dealer + all.length) % 4];
    all.push((await post("/v1/bid", { hand, auction: all, ...about }, { signal })).call);
  }
  return all;
}

/** Four hands, the unknown ones dealt so that they fit an auction; null where no deal does. */
async function dealtHands(hands, calls, about, signal) {
  const known = Object.fromEntries(SEATS.map((seat, place) => [seat, hands[place]]).filter(([, hand]) => hand));
  const seed = Math.floor(Math.random() * 2 ** 32);
  const { layouts } = await post("/v1/layouts", { auction: calls, known, count: 1, seed, ...about }, { signal });
  return layouts.length ? readDeal(layouts[0].deal).hands : null;
}

/** Text of a set: version, topic, questions. */
export function writeSet(topic, questions) {
  return [VERSION, topic.replaceAll("!", ""), ...questions.map(writeQuestion)].join("!");
}

/** Set of a text, also of a handout's; throws a sentence that names the hand at fault. */
export function readSet(text) {
  if (text.startsWith(`${HANDOUT_VERSION}!`)) return readHandout(text);
  const broken = (name, parts) => new Error(phrase("game.link-broken", { problem: phrase(`practice.${name}`, parts) }));
  const [version, topic, ...items] = text.split("!");
  if (version !== VERSION) throw new Error(phrase("game.link-version", { version: version.slice(0, 20) }));
  if (!items.length) throw broken("no-hands");
  if (items.length > MOST_HANDS) throw broken("too-many", { most: MOST_HANDS });
  const questions = items.map((item, place) => {
    try {
      return readQuestion(item);
    } catch (error) {
      throw broken("bad-hand", { hand: place + 1, problem: error.message });
    }
  });
  return { topic: topic.slice(0, MOST_LETTERS), questions };
}

// --- topics -------------------------------------------------------------------------------------

/** Tags of the shipped systems that players call otherwise. */
const TAGS = ["balance", "strong-balance", "values", "final"];
/** Names that say nothing without the auction. */
const VAGUE = /^(?:enough|values|final)$/i;

/** A tag as words: "#fourth-suit" is "Fourth suit"; a name is itself. */
export function topicText(topic) {
  if (!topic.startsWith("#")) return topic;
  if (TAGS.includes(topic.slice(1))) return phrase(`topic.${topic.slice(1)}`);
  const words = topic.slice(1).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A system's call that was made on none of thousands of deals cannot be practised; a table makes none. */
function madeOf(all) {
  return all.some((one) => one.examples?.length) ? all.filter((one) => one.examples.length) : all;
}

/** Topics as far as they are known by now; none where they are still looked for, which nobody waits for here. */
async function knownTopics(path, signal) {
  try {
    return (await get(path, { signal })).topics;
  } catch (error) {
    if (signal?.aborted) throw error;
    return [];
  }
}

/**
 * Topics of a text of one's own. A browser bids some hundreds of deals by it, which say little about what is rare, such as a
 * convention just written: left out is what the system it was made of has and never makes.
 */
function withRare(all, base) {
  const made = new Map(madeOf(base).map((one) => [one.topic, one]));
  const never = new Set(base.map((one) => one.topic).filter((topic) => !made.has(topic)));
  return all.filter((one) => one.examples.length || !never.has(one.topic))
    // deals of the base that are bid otherwise now are told apart when they are used
    .map((one) => (one.examples.length ? one : { ...one, examples: made.get(one.topic)?.examples ?? [] }));
}

/**
 * Topics of a table: those with tags, and names that say something else. `tell(done, of)` hears how far the search for them is;
 * a text of one's own has the `base` that it was made of, empty if it was made of none.
 */
export async function topicsOf(tableName, signal, tell = () => {}, base = null) {
  const pathOf = (name) => `/v1/tables/${encodeURIComponent(name)}/topics`;
  const { topics: all } = await get(pathOf(tableName), { signal, goesOn: true, tell: ({ deals, of }) => tell(deals, of) });
  const topics = base === null ? madeOf(all) : withRare(all, base ? await knownTopics(pathOf(base), signal) : []);
  const tagged = topics.filter((one) => one.topic.startsWith("#"));
  const words = new Set(tagged.map((one) => topicText(one.topic).toLowerCase()));
  const named = topics.filter((one) => !one.topic.startsWith("#") && !VAGUE.test(one.topic) && !words.has(one.topic.toLowerCase()));
  return [tagged, named];
}

// --- new sets -----------------------------------------------------------------------------------

export function shuffled(list) {
  const left = [...list];
  for (let last = left.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [left[last], left[other]] = [left[other], left[last]];
  }
  return left;
}

/** Places of a topic in turn, short auctions sooner than long ones. */
function inSomeOrder(places) {
  const weighed = places.map((calls, rank) => [Math.random() * (rank + 2), calls]);
  return weighed.sort(([one], [other]) => one - other).map(([, calls]) => calls);
}

/** What the calls at a place are about: those of a topic, the tags of each, and whether a pass is forbidden there. */
async function aboutPlace(topic, calls, tableName, signal) {
  const path = `/v1/tables/${encodeURIComponent(tableName)}/next?auction=${encodeURIComponent(calls.join("-"))}`;
  const { entries, forced } = await get(path, { signal });
  return {
    forced,
    tags: new Map(entries.map((entry) => [entry.call, entry.variants.flatMap((one) => one.tags)])),
    calls: new Set(entries.filter((entry) => entry.variants.some((one) => (
      one.name === topic || one.tags.includes(topic)
    ))).map((entry) => entry.call)),
  };
}

/** Calls that want no aces counted and may be made with a void. */
const WITH_VOIDS = new Set(["#grand-slam-force", "#minors", "#unusual", "#trump-ask", "#king-answer", "#ace-answer", "#keycard-answer"]);
const ASKS = new Set(["#blackwood", "#gerber", "#king-ask"]);

/** Whether a call may be taught: none that passes over a forcing call, none that asks for aces with a void. */
export function isSound(call, hand, forced, tags = []) {
  if (call === "P") return !forced;
  if (hand.split(".").every(Boolean)) return true;
  return !tags.some((tag) => ASKS.has(tag)) && (!/^[45]N$/.test(call) || tags.some((tag) => WITH_VOIDS.has(tag)));
}

/**
 * Questions of deals `{deal, dealer, vulnerability, calls}` that the system bids so, each after these calls, with its
 * call and whether that is of the topic. Where its auction ends in what no pair wants to see, there is nothing to learn.
 */
async function questionsOfDeals(topic, deals, tableName, signal) {
  if (!deals.length) return [];
  // most deals are of one place, which is asked about once
  const places = new Map();
  const aboutOnce = ({ calls }) => {
    const key = calls.join("-");
    if (!places.has(key)) places.set(key, aboutPlace(topic, calls, tableName, signal));
    return places.get(key);
  };
  const [about, answer] = await Promise.all([
    Promise.all(deals.map(aboutOnce)),
    post("/v1/auctions", {
      deals: deals.map(({ deal, dealer, vulnerability }) => ({ deal, dealer: SEATS[dealer], vulnerability })),
      mode: "first", table: tableName,
    }, { signal }),
  ]);
  return deals.flatMap(({ deal, dealer, vulnerability, calls }, number) => {
    const bid = answer.results[number].auctions[0].calls;
    // deals that fit only because something was given up are none of this auction
    if (calls.some((call, index) => bid[index] !== call)) return [];
    const call = bid[calls.length];
    const { hands } = readDeal(deal);
    const seat = (dealer + calls.length) % 4;
    const { forced, tags, calls: ofTopic } = about[number];
    if (!isSound(call, hands[seat], forced, tags.get(call)) || !mayBeTaught({ hands, dealer, calls: bid }, seat % 2)) return [];
    return [{ calls, dealer, vulnerability, hand: hands[seat], hands, call, ofTopic: ofTopic.has(call) }];
  });
}

/**
 * Questions at a place, of deals that fit its auction; `about` tells dealer and vulnerability where they are not any,
 * and the calls `before` the question where the auction is longer.
 */
export async function questionsAt(topic, calls, tableName, signal, about = {}) {
  const { dealer = randomDealer(), vulnerability = randomVulnerability(), count = DEALS, before = calls } = about;
  const seed = Math.floor(Math.random() * 2 ** 32);
  const { layouts } = await post("/v1/layouts", {
    auction: calls, dealer: SEATS[dealer], vulnerability, count, seed, table: tableName,
  }, { signal });
  const deals = layouts.map(({ deal }) => ({ deal, dealer, vulnerability, calls: before }));
  return questionsOfDeals(topic, deals, tableName, signal);
}

/** Questions at a place whose answer is a call of the topic: of deals that fit the auction with that call, however rare. */
async function questionsOfCalls(topic, calls, tableName, signal) {
  const { calls: ofTopic } = await aboutPlace(topic, calls, tableName, signal);
  const found = [];
  for (const call of ofTopic) {
    const about = { count: 2 * SIZE, before: calls };
    found.push(...await questionsAt(topic, [...calls, call], tableName, signal, about));
  }
  return found;
}

/** As many of each call as there are, in turn. */
export function inTurn(questions) {
  const groups = new Map();
  for (const one of shuffled(questions)) groups.set(one.call, [...(groups.get(one.call) ?? []), one]);
  const lists = shuffled([...groups.values()]);
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, round) => lists.flatMap((list) => list[round] ?? [])).flat();
}

/** Ten of many questions: half with a call of the topic, and each call as often as another. */
export function levelled(questions, size = SIZE) {
  const sides = [true, false].map((wanted) => inTurn(questions.filter((one) => one.ofTopic === wanted)));
  const half = Math.max(Math.ceil(size / 2), size - sides[1].length);
  const chosen = sides[0].slice(0, half);
  return shuffled([...chosen, ...sides[1].slice(0, size - chosen.length)]);
}

/** Questions of the deals on which a call of the topic was made. */
export function questionsOfExamples({ topic, examples = [] }, tableName, signal) {
  const deals = examples.map(({ deal, dealer, vulnerability, auction }) => ({
    deal, dealer: SEATS.indexOf(dealer), vulnerability, calls: auction,
  }));
  return questionsOfDeals(topic, deals, tableName, signal);
}

/** So many questions of a topic `{topic, places, examples}`; throws a sentence where no hand comes up. */
export async function topicQuestions({ topic, places, examples }, tableName, signal, size = SIZE) {
  const pool = [];
  let tried = 0;
  const found = () => pool.filter((one) => one.ofTopic).length;
  for (const calls of inSomeOrder(places)) {
    if ((tried >= ENOUGH_PLACES && found() >= size / 2) || (tried >= MOST_PLACES && found())) break;
    if (tried >= MOST_PLACES && examples?.length) break;
    pool.push(...await questionsAt(topic, calls, tableName, signal));
    tried += 1;
  }
  // what one hand of a thousand calls there, such as a grand slam force: deals on which it was called
  if (!found()) pool.push(...await questionsOfExamples({ topic, examples }, tableName, signal));
  for (const calls of inSomeOrder(places).slice(0, MOST_PLACES)) {
    if (found()) break;
    pool.push(...await questionsOfCalls(topic, calls, tableName, signal));
  }
  if (!found()) throw new Error(phrase("practice.nothing-found"));
  return levelled(pool, size);
}

/** A new set of a topic; throws a sentence where no hand comes up. */
export async function makeSet(one, tableName, signal) {
  return writeSet(topicText(one.topic), await topicQuestions(one, tableName, signal));
}
