// Where the page's engine has the bytes of its core from: the joined script, packed and as text, or a file.

/** Where a service has the core's file. */
export const SERVED = "/static/engine/core.wasm";

/** Bytes of the core; `address` is that of its file, where no script has them in itself. */
export async function coreBytes(address) {
  const text = globalThis.bidcascadeCore;
  if (text) {
    const packed = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    // without a blob, for which the browser asks another process
    const unpacking = new DecompressionStream("gzip");
    const writer = unpacking.writable.getWriter();
    // what is wrong with them is told by who reads
    writer.write(packed).catch(() => {});
    writer.close().catch(() => {});
    return new Response(unpacking.readable).arrayBuffer();
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.arrayBuffer();
}
