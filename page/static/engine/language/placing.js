// Puts statements where their line stands: systems/language/reading/placing.py.

/** A statement or condition whose places are columns of its logical line, with places in a file. */
export function placed(found, locate) {
  if (Array.isArray(found)) return found.map((part) => placed(part, locate));
  if (found === null || typeof found !== "object" || found.type === "Range") return found;
  if (found.type === "Where") return locate(found.column);
  const moved = {};
  for (const name of Object.keys(found)) moved[name] = placed(found[name], locate);
  return moved;
}
