// Bids bridge hands by systems that are plain text; see README.md.

import { useCore } from "./core.js";

export { IllegalCall, InvalidCall } from "./calls.js";
export { NoCore } from "./core.js";
export { InvalidDeal } from "./deals.js";
export { InvalidSystem } from "./errors.js";
export { InvalidHand } from "./hands.js";
export { load } from "./load.js";
export { System } from "./system.js";

/** Bytes of a file beside this one. */
async function bytesOf(url) {
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  return (await fetch(url)).arrayBuffer();
}

await useCore(bytesOf(new URL("core.wasm", import.meta.url)));
