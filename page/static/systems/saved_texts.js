// Texts of a system as they are saved: with the options that were turned written into them.

const NAME = "[\\p{L}\\p{N}][\\p{L}\\p{N}_-]*";
const OPTION = new RegExp(`^([ \\t]*option[ \\t]+(${NAME})(?:[ \\t]+"[^"\\n]*")?)([ \\t]*,[ \\t]*(?:on|off))?(?=[ \\t]*:?[ \\t]*(?:--.*)?\\r?$)`, "gmu");

/** Texts by name in which the options are as they were turned, so that they are read so wherever they are opened. */
export function withOptions(texts, options) {
  const told = new Set();
  for (const text of texts.values()) {
    for (const [, , name, is] of text.matchAll(OPTION)) if (is) told.add(name);
  }
  const left = new Set(Object.keys(options ?? {}));
  return new Map([...texts].map(([file, text]) => [file, text.replace(OPTION, (whole, start, name, is) => {
    // where it is told that it is on or off, else where it is first named
    if (!left.has(name) || (told.has(name) ? !is : false)) return whole;
    if (!told.has(name)) left.delete(name);
    return `${start}, ${options[name] ? "on" : "off"}`;
  })]));
}
