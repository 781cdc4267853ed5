// All auctions that a system allows for a deal, as the core lists them: systems/auctions/allowed.py.

const MOST_PLACES = 2000;
/** What left auctions out, by the core's numbers. */
const CUTS = [null, "limit", "depth", "places"];

/** Auctions `{calls, completed, variants}` of a deal, each before its continuations, and what left others out. */
export function allowedAuctions(bidder, hands, { dealer, vulnerability, limit }) {
  const { auctions, cut } = bidder.list(hands, { dealer, vulnerability, limit, places: MOST_PLACES });
  return {
    auctions: auctions.map(({ calls, completed, entries }) => (
      { calls, completed, variants: [...new Set(entries.map((one) => one.name).filter(Boolean))] })),
    cut: CUTS[cut],
  };
}
