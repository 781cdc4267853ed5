// Bytes made smaller by raw deflate (RFC 1951) and back, their sum, and bytes as letters of an address (RFC 4648, 5).

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 of bytes. */
export function crcOf(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = CRC[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** What a stream makes of bytes; null where that is more than `most` of them. */
async function through(bytes, stream, most) {
  const parts = [];
  let length = 0;
  for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > most) {
      // the rest is not unpacked at all
      await reader.cancel().catch(() => {});
      return null;
    }
    parts.push(value);
  }
}

export function deflated(bytes) {
  return through(bytes, new CompressionStream("deflate-raw"), Infinity);
}

/** Bytes as they were before they were deflated; null where they are more than `most`. Throws where they are damaged. */
export function inflated(bytes, most) {
  return through(bytes, new DecompressionStream("deflate-raw"), most);
}

/** Bytes as letters that an address takes as they are. */
export function lettersOf(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Bytes of such letters; null where they are none. */
export function bytesOf(letters) {
  if (!/^[\w-]*$/.test(letters) || letters.length % 4 === 1) return null;
  return Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
}
