// Themes of the service for practice: ten deals of one, South's calls on each as the system bids it.

import { get, post } from "../api.js";
import { SEATS } from "../bridge/calls.js";
import { readDeal } from "../bridge/cards.js";
import { questionsOf, writeSet } from "./practice_sets.js";
import { mayBeTaught } from "./sanity.js";
import { phrase } from "../texts.js";

const DEALS = 10;
/** So many are asked for: some end in what no pair wants to see, and are left out. */
const REQUESTED_DEALS = 20;
/** Who holds what a theme is about. */
const SOUTH = 2;

/** All themes `{name, title, practises}`; none where there is no service. */
export async function themesOf(signal) {
  try {
    return (await get("/v1/themes", { signal })).themes;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return [];
  }
}

/** South's turns on a deal that is bid so: its first, and those where it does not pass. */
function questionsOfDeal({ hands, dealer, vulnerability }, calls) {
  const south = hands.map((hand, seat) => (seat === SOUTH ? hand : ""));
  const turns = questionsOf({ hands: south, dealer, vulnerability, calls });
  return turns.filter((one, place) => place === 0 || calls[one.calls.length] !== "P");
}

/** A new set of a theme; throws a sentence where the system bids none of its deals well. */
export async function makeThemeSet({ name, title }, tableName, signal) {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const { deals } = await post("/v1/practice-deals", { themes: [name], count: REQUESTED_DEALS, seed }, { signal });
  const requests = deals.map(({ deal, dealer, vulnerability }) => ({ deal, dealer, vulnerability }));
  const { results } = await post("/v1/auctions", { deals: requests, mode: "first", table: tableName }, { signal });
  const sets = deals.flatMap((one, number) => {
    const { calls } = results[number].auctions[0];
    const board = { hands: readDeal(one.deal).hands, dealer: SEATS.indexOf(one.dealer), vulnerability: one.vulnerability };
    return mayBeTaught({ ...board, calls }, SOUTH % 2) ? [questionsOfDeal(board, calls)] : [];
  });
  const questions = sets.slice(0, DEALS).flat();
  if (!questions.length) throw new Error(phrase("practice.nothing-found"));
  return writeSet(title, questions);
}
