// Files of the service to be kept, by a link or, where a key is needed, by asking for them with it.

import { request, storedKey } from "./api.js";
import { h } from "./dom.js";

async function download(path, name, tell) {
  try {
    const blob = await (await request(path, { headers: { Accept: "*/*" } })).blob();
    const address = URL.createObjectURL(blob);
    const link = h("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (error) {
    tell(error.message);
  }
}

/** What a file is taken by; `tell(sentence)` hears why it could not be. */
export function fileLink(path, text, tell, name) {
  // a link carries no key
  if (!storedKey()) return h("a", { href: path, download: name }, text);
  return h("button", { type: "button", onclick: () => download(path, name, tell) }, text);
}
