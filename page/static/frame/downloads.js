// Files to be kept: the service's by a link or, where a key is needed, by asking for them with it.

import { eachPart, request, storedKey } from "../api.js";
import { clear, h } from "../dom.js";
import { phrase } from "../texts.js";

/** Let the browser keep a blob as a file. */
export function saveBlob(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Ask for a file with the key, and let it be kept; the button that was pressed says how much is there. */
async function download(path, name, tell, button) {
  const before = [...button.childNodes];
  button.disabled = true;
  const coming = (bytes) => clear(button, phrase("download.coming", { megabytes: (bytes / 1e6).toFixed(1) }));
  coming(0);
  try {
    const response = await request(path, { headers: { Accept: "*/*" } });
    const parts = [];
    let bytes = 0;
    await eachPart(response, (some) => {
      parts.push(some);
      bytes += some.length;
      coming(bytes);
    });
    saveBlob(new Blob(parts, { type: response.headers.get("content-type") ?? "" }), name);
  } catch (error) {
    tell(error.message);
  } finally {
    button.disabled = false;
    clear(button, before);
  }
}

/** What a file is taken by; `tell(sentence)` hears why it could not be. */
export function fileLink(path, text, tell, name) {
  // a link carries no key
  if (!storedKey()) return h("a", { href: path, download: name }, text);
  return h("button", { type: "button", onclick: ({ currentTarget }) => download(path, name, tell, currentTarget) }, text);
}
