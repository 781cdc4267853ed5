// Files to be kept: the service's by a link or, where a key is needed, by asking for them with it.

import { request, storedKey } from "../api.js";
import { h } from "../dom.js";

/** Let the browser keep a blob as a file. */
export function saveBlob(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

async function download(path, name, tell) {
  try {
    saveBlob(await (await request(path, { headers: { Accept: "*/*" } })).blob(), name);
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
