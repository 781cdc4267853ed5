// Themes for practice: deals of one, and as many hands at the same places that are near and call otherwise.

import { get, isOffline, post } from "../api.js";
import { SEATS } from "../bridge/calls.js";
import { pointsOf, readDeal, suitsOf, SUITS, writeDeal } from "../bridge/cards.js";
import { readBoard } from "../boards/board_code.js";
import { folderThemes } from "../engine_client.js";
import { inTurn, questionsAt, shuffled, writeSet } from "./practice_sets.js";
import { mayBeTaught } from "./sanity.js";
import { phrase } from "../texts.js";

const SIZE = 10;
/** So many deals are asked for at least: some end in what no pair wants to see, and are left out. */
const FEWEST_DEALS = 20;
/** Who holds what a theme is about. */
const SOUTH = 2;
/** Places at which near misses are looked for, and deals at each. */
const MOST_PLACES = 8;
const PLACE_DEALS = 150;
/** Of so many times as many near misses as are wanted those are taken whose calls differ. */
const CHOICE = 3;

/** All themes `{name, title, practises}`; in a folder those whose deals it has. */
export async function themesOf(signal) {
  try {
    return isOffline() ? await folderThemes() : (await get("/v1/themes", { signal })).themes;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return [];
  }
}

/** Deals `{hands, dealer, vulnerability}` of a theme, any others each time. */
async function dealsOf({ name, deals: codes }, count, signal) {
  if (codes) return shuffled(codes).slice(0, count).map(readBoard);
  const seed = Math.floor(Math.random() * 2 ** 32);
  const { deals } = await post("/v1/practice-deals", { themes: [name], count, seed }, { signal });
  return deals.map((one) => ({
    hands: readDeal(one.deal).hands, dealer: SEATS.indexOf(one.dealer), vulnerability: one.vulnerability,
  }));
}

/** South's turns on a deal that is bid so: its first, and those where it does not pass. */
function turnsOf({ hands, dealer, vulnerability }, calls) {
  const all = calls.flatMap((call, place) => ((dealer + place) % 4 === SOUTH ? [{ call, place }] : []));
  return all.filter(({ call }, number) => number === 0 || call !== "P").map(({ call, place }) => ({
    calls: calls.slice(0, place), dealer, vulnerability, hand: hands[SOUTH], hands, call, ofTopic: true,
  }));
}

function placeOf({ calls, dealer }) {
  return `${dealer} ${calls.join("-")}`;
}

/** How unlike two hands are: points and lengths that differ. */
function distance(one, other) {
  const [first, second] = [suitsOf(one), suitsOf(other)];
  const lengths = SUITS.reduce((sum, suit) => sum + Math.abs(first[suit].length - second[suit].length), 0);
  return Math.abs(pointsOf(one) - pointsOf(other)) + lengths;
}

/** So many hands of a place that are near to its own ones and make none of a theme's calls, as different ones as they can. */
export function nearMisses(own, others, calls, count) {
  const misses = others.filter(({ call }) => !calls.has(call) && own.every((one) => one.call !== call));
  // where most calls are some of the theme's: those that one of its hands does not make
  const found = misses.length < count ? [...misses, ...others.filter((one) => one.call !== own[0].call && !misses.includes(one))] : misses;
  const far = new Map(found.map((one) => [one, Math.min(...own.map(({ hand }) => distance(hand, one.hand)))]));
  const near = [...found].sort((one, other) => far.get(one) - far.get(other)).slice(0, CHOICE * count);
  return inTurn(near).slice(0, count).map((one) => ({ ...one, ofTopic: false }));
}

function byPlace(questions) {
  const places = new Map();
  for (const one of questions) places.set(placeOf(one), [...(places.get(placeOf(one)) ?? []), one]);
  return places;
}

/** Near misses of the places of a theme's questions, for each as many as it has questions; `turns` are all of the theme's. */
async function missesOf(own, turns, wanted, tableName, signal) {
  const places = byPlace(own);
  const known = byPlace(turns);
  const largest = [...places.values()].sort((one, other) => other.length - one.length).slice(0, MOST_PLACES);
  const covered = largest.reduce((sum, some) => sum + some.length, 0);
  const found = [];
  for (const some of largest) {
    const [{ calls, dealer, vulnerability }] = some;
    const about = { dealer, vulnerability, count: PLACE_DEALS };
    const others = await questionsAt("", calls, tableName, signal, about).catch((error) => {
      // no deal fits an auction that the system makes on very few
      if (signal?.aborted) throw error;
      return [];
    });
    const made = new Set(known.get(placeOf(some[0])).map(({ call }) => call).filter((call) => call !== "P"));
    found.push(...nearMisses(some, others, made, Math.ceil(wanted * some.length / covered)));
  }
  return shuffled(found).slice(0, wanted);
}

/** So many questions of a theme, half of them near misses; throws a sentence where the system bids none of its deals well. */
export async function themeQuestions(theme, tableName, signal, size = SIZE) {
  const boards = await dealsOf(theme, Math.max(FEWEST_DEALS, size), signal);
  const { results } = await post("/v1/auctions", {
    deals: boards.map(({ hands, dealer, vulnerability }) => ({ deal: writeDeal(hands), dealer: SEATS[dealer], vulnerability })),
    mode: "first", table: tableName,
  }, { signal });
  const turns = boards.flatMap((board, number) => {
    const { calls } = results[number].auctions[0];
    return mayBeTaught({ ...board, calls }, SOUTH % 2) ? [turnsOf(board, calls)] : [];
  });
  // one turn of each deal: who has seen a hand knows its later calls
  const own = turns.map((some) => shuffled(some)[0]).slice(0, Math.ceil(size / 2));
  if (!own.length) throw new Error(phrase("practice.nothing-found"));
  const misses = await missesOf(own, turns.flat(), Math.min(own.length, Math.floor(size / 2)), tableName, signal);
  return shuffled([...own, ...misses]);
}

/** A new set of a theme. */
export async function makeThemeSet(theme, tableName, signal) {
  return writeSet(theme.title, await themeQuestions(theme, tableName, signal));
}
