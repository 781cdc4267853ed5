// Whether a line takes every hand: systems/language/checks/taken_hands.py is the definition.

/** Whether a line says that any hand makes its call. */
export function takesAll({ condition, quoted, variants }) {
  const parts = variants.length ? variants.map((variant) => variant.condition) : [condition];
  return !quoted && !parts.includes(null) && parts.some(holdsForAll);
}

function holdsForAll(condition) {
  if (condition.type === "AllOf") return condition.parts.every(holdsForAll);
  return condition.kind === "any hand" || (condition.type === "AnyOf" && condition.parts.some(holdsForAll));
}
