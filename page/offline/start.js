// Starts the page where it is a folder of files: from a web host the browser keeps it, and may install it.

import { h } from "./dom.js";
import "./main.js";
import { ownScript } from "./frame/own_scripts.js";

// what was opened from a disk is there anyway
if (location.protocol.startsWith("http")) {
  document.head.append(h("link", { rel: "manifest", href: "manifest.webmanifest" }));
  // absent where the address is not secure; where it fails the page needs the network again
  navigator.serviceWorker?.register(ownScript("sw.js")).catch(() => {});
}
