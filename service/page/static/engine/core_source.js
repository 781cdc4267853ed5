// Where the page's engine has the bytes of its core from: the joined script, packed and as text, or a file.

/** Bytes of the core; `address` is that of its file, where no script has them in itself. */
export async function coreBytes(address) {
  const text = globalThis.bidcascadeCore;
  if (text) {
    const packed = new Blob([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))]);
    return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.arrayBuffer();
}
