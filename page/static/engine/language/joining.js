// Conditions joined, in the one form that the tree has: systems/language/tree/joining.py.

const joined = (type, parts) => {
  const flat = parts.flatMap((part) => (part.type === type ? part.parts : [part]));
  return flat.length === 1 ? flat[0] : { type, parts: flat };
};

/** Conditions joined by `and`. */
export const allOf = (parts) => joined("AllOf", parts);

/** Conditions joined by `or`. */
export const anyOf = (parts) => joined("AnyOf", parts);

/** All phrases of a condition, from left to right. */
export function phrasesOf(condition, found = []) {
  if (condition === null) return found;
  if (condition.type === "Phrase") found.push(condition);
  else if (condition.type === "NotThis") phrasesOf(condition.part, found);
  else for (const part of condition.parts) phrasesOf(part, found);
  return found;
}
