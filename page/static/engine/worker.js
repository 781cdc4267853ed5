// The engine in a thread of its own; engine_client.js of the page owns it.

import { receiver } from "./operations.js";

// the core lies beside this file
const receive = receiver((message) => postMessage(message), location.href.replace(/[^/]*$/u, "core.wasm"));
addEventListener("message", ({ data }) => receive(data));
