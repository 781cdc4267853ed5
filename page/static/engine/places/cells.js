// What is asked of the core about no system: sets of cells (shape, points), a bit each, of systems/places/knowledge.py, and
// random deals.

import { Core } from "../core.js";

let core = null;

/** An instance for questions that are about no system. */
function plainCore() {
  core ??= new Core();
  return core;
}

/** Hands N, E, S, W of one deal of a seed. */
export function randomDeal(seed, number) {
  return plainCore().deal(seed, number);
}

export function intersect(one, two) {
  return one.map((word, at) => word & two[at]);
}

export function union(one, two) {
  return one.map((word, at) => word | two[at]);
}

/** What is in one set and not in another. */
export function without(one, two) {
  return one.map((word, at) => word & ~two[at]);
}

export function isEmpty(set) {
  return set.every((word) => word === 0);
}

/** Whether a set has a cell. */
export function has(set, cell) {
  return (set[cell >> 5] >>> (cell & 31) & 1) === 1;
}

const hulls = new WeakMap();

/** Smallest and largest points and lengths (C, D, H, S) in a set of cells. */
export function hull(cells) {
  let found = hulls.get(cells);
  if (found === undefined) {
    if (isEmpty(cells)) throw new RangeError("expected a set with at least one cell, got the empty set");
    const [points, ...lengths] = plainCore().hull(cells);
    hulls.set(cells, (found = { points, lengths }));
  }
  return found;
}

let hands = null;

/** Number of hands in each cell; they add up to 635,013,559,600. */
export function handsOfCells() {
  hands ??= plainCore().hands;
  return hands;
}

/** Share of all hands that lie in a set of cells. */
export function share(cells) {
  const all = handsOfCells();
  let [inside, whole] = [0, 0];
  all.forEach((count, cell) => {
    whole += count;
    if (has(cells, cell)) inside += count;
  });
  return inside / whole;
}
