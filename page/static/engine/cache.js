// Answers that are kept.

/** The function, keeping what it gave for the latest `size` keys; `keyOf` makes the key of its arguments. */
export function cached(size, work, keyOf = (given) => given) {
  const known = new Map();
  return (...given) => {
    const key = keyOf(...given);
    let found = known.get(key);
    if (found === undefined) {
      found = work(...given);
      if (known.size >= size) known.delete(known.keys().next().value);
      known.set(key, found);
    }
    return found;
  };
}
