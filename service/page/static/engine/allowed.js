// All auctions that a system allows for a deal: systems/allowed.py is the definition.

import { Auction, PASS } from "./calls.js";
import { fits, HandValues } from "./choice.js";
import { contextAt } from "./deals.js";
import { paced } from "./pace.js";

const MOST_PLACES = 2000;
const LIMIT_MS = 5000;

/**
 * Auctions `{calls, completed, variants}` of a deal, each before its continuations, and what left others out.
 *
 * Places that are not reached in time are not looked at.
 */
export async function allowedAuctions(expander, hands, { dealer, vulnerability, limit }, tell) {
  const until = performance.now() + LIMIT_MS;
  const pace = paced(tell);
  const options = (auction) => {
    const depth = auction.calls.length;
    const place = expander.place(auction.calls);
    const values = new HandValues(hands[(dealer + depth) % 4], contextAt(depth, dealer, vulnerability));
    const held = new Map();
    for (const entry of place.entries) {
      if (fits(entry, values)) held.set(entry.call, [...(held.get(entry.call) ?? []), entry.name]);
    }
    if (!held.size || place.entries.every((entry) => entry.call !== PASS)) held.set(PASS, []);
    return [...held].map(([call, names]) => {
      const next = auction.add(call);
      const variants = [...new Set(names.filter(Boolean))];
      return { auction: next, calls: next.calls, completed: next.isComplete, variants };
    });
  };
  let [own] = options(new Auction());
  while (!own.completed) [own] = options(own.auction);
  const found = [];
  let visited = 0;
  let isFull = false;
  let isLeft = false;
  const walk = async (auction) => {
    visited += 1;
    await pace(visited);
    for (const one of options(auction)) {
      if (found.length === limit) isFull = true;
      if (isFull) return;
      found.push(one);
      if (one.completed) continue;
      if (visited < MOST_PLACES && performance.now() < until) await walk(one.auction);
      else isLeft = true;
    }
  };
  await walk(new Auction());
  const isOwn = ({ calls }) => String(calls) === String(own.calls);
  if (!found.some(isOwn)) {
    let leading = 0;
    while (leading < found.length && found[leading].calls.length === leading + 1
      && found[leading].calls.every((call, place) => call === own.calls[place])) leading += 1;
    isFull ||= found.length === limit;
    found.splice(Math.min(leading, limit - 1), 0, own);
    found.length = Math.min(found.length, limit);
  }
  return { auctions: found, cut: isFull ? "limit" : isLeft ? "places" : null };
}
