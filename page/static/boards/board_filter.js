// Which boards of the list are shown, and in which order: written in the address, read, and done.

/** Orders of the list, and whose losses and results are meant. */
export const SORTS = ["file", "number", "result", "others", "loss"];
export const SIDES = ["either", "NS", "EW", "declarer", "own"];
const MOST_IMPS = 48;

/** Request of an address: `{page, isParted, sort, player, side, least}`. */
export function readRequest(asked) {
  const query = new URLSearchParams(asked);
  const whole = (name, low, high) => Math.min(high, Math.max(low, Math.floor(Number(query.get(name))) || low));
  const chosen = (name, all) => (all.includes(query.get(name)) ? query.get(name) : all[0]);
  return {
    page: whole("page", 1, Infinity), isParted: query.get("only") === "part", sort: chosen("sort", SORTS),
    player: query.get("player") ?? "", side: chosen("side", SIDES), least: whole("loss", 0, MOST_IMPS),
  };
}

export function writeRequest({ page, isParted, sort, player, side, least }) {
  return new URLSearchParams({
    ...(page > 1 && { page }), ...(isParted && { only: "part" }), ...(sort !== SORTS[0] && { sort }),
    ...(player && { player }), ...(side !== SIDES[0] && { side }), ...(least && { loss: least }),
  }).toString();
}

/** Seat of a player whose name has these letters, or -1. */
function seatOf({ players }, player) {
  const wanted = player.trim().toLowerCase();
  return (players ?? []).findIndex((name) => name?.toLowerCase().includes(wanted));
}

/** The side of a board that is meant: 0 North-South, 1 East-West, null where there is none. */
function sideOf(one, { side, player }) {
  if (side === "NS" || side === "EW") return Number(side === "EW");
  const seat = side === "declarer" ? "NESW".indexOf(one.declarer || "-") : player.trim() ? seatOf(one, player) : -1;
  return seat < 0 ? null : seat % 2;
}

/** IMPs that the calls of the side that is meant cost; null where that is not known. */
export function lossOf({ one, worth }, request) {
  if (!worth?.lost) return null;
  const [northSouth, eastWest] = worth.lost;
  if (request.side === "either") return northSouth + eastWest;
  return worth.lost[sideOf(one, request)] ?? null;
}

/** What stands of a value of North-South for the side that is meant; either side reads North-South's. */
function seenBy(value, row, request) {
  if (value === null || value === undefined) return null;
  const side = request.side === "either" ? 0 : sideOf(row.one, request);
  return side === null ? null : side ? 0 - value : value;
}

/** Whether the losses of boards are asked about, which are known of those that are solved. */
export function asksLoss({ sort, least }) {
  return sort === "loss" || least > 0;
}

/** By what boards are ordered, the least first. */
const KEYS = {
  file: () => 0,
  number: ({ one }) => one.number,
  result: (row, request) => negative(seenBy(row.one.score, row, request)),
  // one board counts as much as another, however many results there are
  others: (row, request) => negative(seenBy(row.compared && row.compared.imps, row, request)),
  loss: (row, request) => negative(lossOf(row, request)),
};

function negative(value) {
  return value === null ? null : 0 - value;
}

/**
 * Those of some boards that are asked for, in the order asked for; each is `{one, index, isParted, worth, compared}`, the
 * last two null where they are not known. What cannot be ordered comes last.
 */
export function chosenBoards(rows, request) {
  const found = rows.filter((row) => (
    (!request.isParted || row.isParted)
    && (!request.player.trim() || seatOf(row.one, request.player) >= 0)
    && (!request.least || lossOf(row, request) >= request.least)
  ));
  const keys = new Map(found.map((row) => [row, KEYS[request.sort](row, request)]));
  const rank = (row) => keys.get(row) ?? Infinity;
  return found.sort((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)) || one.index - other.index);
}
