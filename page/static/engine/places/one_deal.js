// What the hands of one deal leave each other, bounds narrowed by those of the other three: systems/places/one_deal.py.

/** Bounds of the four hands of a deal. They share 40 points and 13 cards of each suit. */
export function inOneDeal(hulls) {
  const points = sharing(hulls.map((one) => one.points), 40);
  const suits = [0, 1, 2, 3].map((suit) => sharing(hulls.map((one) => one.lengths[suit]), 13));
  return hulls.map((_, seat) => ({ points: points[seat], lengths: suits.map((suit) => suit[seat]) }));
}

/** Bounds of numbers that add up to a total; what contradicts itself stays as it was. */
function sharing(bounds, total) {
  const least = bounds.reduce((sum, [low]) => sum + low, 0);
  const most = bounds.reduce((sum, [, high]) => sum + high, 0);
  const found = bounds.map(([low, high]) => [Math.max(low, total - most + high), Math.min(high, total - least + low)]);
  return found.every(([low, high]) => low <= high) ? found : bounds;
}
