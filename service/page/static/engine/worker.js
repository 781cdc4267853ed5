// The engine in a thread of its own; engine_client.js of the page owns it.

import { receiver } from "./operations.js";

const receive = receiver((message) => postMessage(message));
addEventListener("message", ({ data }) => receive(data));
