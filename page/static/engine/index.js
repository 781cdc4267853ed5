// Bids bridge hands by systems that are plain text; see README.md.

import { useCore } from "./core.js";

export { IllegalCall, InvalidCall } from "./deals/calls.js";
export { NoCore } from "./core.js";
export { InvalidDeal } from "./deals/deals.js";
export { InvalidSystem } from "./errors.js";
export { InvalidHand } from "./deals/hands.js";
export { load } from "./load.js";
export { System } from "./bidding/system.js";

/** Bytes of a file beside this one. */
async function bytesOf(url) {
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  return (await fetch(url)).arrayBuffer();
}

await useCore(bytesOf(new URL("core.wasm", import.meta.url)));
