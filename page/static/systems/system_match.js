// Whether a changed text is better: both texts play the same deals at two tables, double dummy. What counts IMPs and
// tells their interval is defined in bridge/scoring.py, inference/quantiles.py and workshop/boards/compare_summary.py.

import { isOffline, post } from "../api.js";
import { contractOf, SEATS, STRAINS } from "../bridge/calls.js";
import { impsOf, scoreOf } from "../bridge/card_play.js";
import { folderTables, matchOf } from "../engine_client.js";
import { phrase } from "../texts.js";

/** Deals are those of inference/double_dummy/solved_deals.py. */
const SEED = 20_261_125;
const BYTES_A_DEAL = 10;
/** Boards that are bid and solved together; a request has at most a hundred. */
const PART = 50;

const NORMAL = 1.959964;

/** How many standard errors an interval of 95 % reaches to either side. */
export function quantile(degrees) {
  if (degrees < 3) return [NaN, 12.706205, 4.302653][degrees];
  const x = NORMAL;
  return [
    x, (x ** 3 + x) / 4, (5 * x ** 5 + 16 * x ** 3 + 3 * x) / 96,
    (3 * x ** 7 + 19 * x ** 5 + 17 * x ** 3 - 15 * x) / 384,
    (79 * x ** 9 + 776 * x ** 7 + 1482 * x ** 5 - 1920 * x ** 3 - 945 * x) / 92160,
  ].reduce((sum, term, power) => sum + term / degrees ** power, 0);
}

/** Mean IMPs a board with the interval: `{boards, differs, value, low, high}`; what is not known of it is null. */
export function summaryOf(boards, imps) {
  const sum = imps.reduce((one, other) => one + other, 0);
  const squares = imps.reduce((one, other) => one + other * other, 0);
  const value = boards ? sum / boards : null;
  const result = { boards, differs: imps.length, value, low: null, high: null };
  if (boards < 2 || imps.length < 2) return result;
  const error = Math.sqrt(Math.max(0, squares - boards * value * value) / (boards * (boards - 1)));
  const margin = quantile(imps.length - 1) * error;
  return error > 0 ? { ...result, low: value - margin, high: value + margin } : result;
}

// --- tricks ---------------------------------------------------------------------------------------

/** How many deals there are to play on: those that the folder has solved; null where the service solves any. */
export async function mostBoards() {
  return isOffline() ? Math.floor(atob(await folderTables()).length / BYTES_A_DEAL) : null;
}

async function tricksOfFolder(boards) {
  const tables = atob(await folderTables());
  return boards.map(({ number, contracts }) => contracts.map(({ strain, declarer }) => {
    const place = 5 * declarer + STRAINS.indexOf(strain);
    return tables.charCodeAt(BYTES_A_DEAL * number + (place >> 1)) >> 4 * (place % 2) & 15;
  }));
}

const textOf = ({ level, strain, risk, declarer }) => level + strain + risk + SEATS[declarer];

async function tricksOfService(boards, signal) {
  const found = boards.map(({ contracts }) => contracts.map(() => null));
  for (let missing = null; ;) {
    const open = boards.map((one, board) => ({
      board, deal: { deal: one.deal }, places: one.contracts.map((_, place) => place).filter((place) => found[board][place] === null),
    })).filter(({ places }) => places.length);
    if (!open.length) return found;
    const left = open.reduce((sum, { places }) => sum + places.length, 0);
    // what took too long is asked for again as long as some of it is solved each time
    if (left === missing) throw new Error(phrase("service.slow"));
    missing = left;
    const { tricks } = await post("/v1/double-dummy/tricks", {
      boards: open.map(({ board, deal, places }) => ({ deal, contracts: places.map((place) => textOf(boards[board].contracts[place])) })),
    }, { signal });
    open.forEach(({ board, places }, row) => places.forEach((place, column) => { found[board][place] = tricks[row][column]; }));
  }
}

/** IMPs for the first system of boards whose auctions differ, as far as their contracts do. */
async function impsOfBoards(boards, signal) {
  const played = boards.map((one) => ({ ...one, outcomes: one.auctions.map((calls) => contractOf(calls, one.dealer)) }))
    .filter(({ outcomes }) => new Set(outcomes.map((one) => one && textOf(one))).size > 1)
    .map((one) => ({ ...one, contracts: one.outcomes.filter(Boolean) }));
  const tricks = await (isOffline() ? tricksOfFolder(played) : tricksOfService(played, signal));
  return played.map(({ outcomes, vulnerability }, board) => {
    const taken = [...tricks[board]];
    const [ours, theirs] = outcomes.map((one) => (
      one ? scoreOf(one.level + one.strain + one.risk, one.declarer, taken.shift(), vulnerability) : 0
    ));
    return impsOf(ours - theirs);
  });
}

// --- the match --------------------------------------------------------------------------------------

/** The match of two texts on so many boards of the bank; yields its summary after each part. */
export async function* playMatch({ first, second, begin = 0, boards, imps = [] }, signal) {
  const bid = (from) => {
    const part = matchOf({ first, second, seed: SEED, begin: from, deals: Math.min(PART, boards - from) }, { signal });
    // where it was stopped nobody waits for the next part
    part.catch(() => {});
    return part;
  };
  let waiting = begin < boards && bid(begin);
  for (let from = begin; from < boards; from += PART) {
    const differing = await waiting;
    const next = Math.min(from + PART, boards);
    // the next part is bid while this one is solved
    waiting = next < boards && bid(next);
    imps.push(...await impsOfBoards(differing, signal));
    signal.throwIfAborted();
    yield summaryOf(next, imps);
  }
}
