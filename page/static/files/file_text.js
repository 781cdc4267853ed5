// Text of a file's bytes, whatever encoding it was written in. loaders/files/encodings.py is the definition.

const CENTRAL_EUROPEAN = new RegExp(
  "[A-Za-z][\\xa3\\xa5\\xaf\\xb3\\xb9\\xbc\\xbe\\xbf\\x8d\\x8f\\x9d](?![\\xa0-\\xbf])"
  + "|(?<![\\x80-\\xff])[\\xa3\\xa5\\xaf\\xb3\\xb9\\xbc\\xbe\\x8d\\x8f\\x9d][A-Za-z]",
);
const UNDEFINED_IN_1252 = /[\x81\x8d\x8f\x90\x9d]/;
const UNDEFINED_IN_1250 = /[\x81\x83\x88\x90\x98]/;
/** The lead of a letter encoded twice, and what may follow it, as the letters that they were read as. */
const TWICE = /[\xc2-\xf4][\x80-\xbf\u0140-\u01bf\u02c0-\u02ff\u2000-\u2fff]/;
const RUN = /[\x80-\u{10ffff}]+/gu;
const BLOCK = 32768;
const CONTROLS = /[\x01-\x08\x0e-\x19\x1b-\x1f\x7f]/g;
const HEAD = 1 << 20;

/** Letters of bytes, one each. */
function lettersOf(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += BLOCK) {
    text += String.fromCharCode(...bytes.subarray(start, start + BLOCK));
  }
  return text;
}

function decoded(bytes, encoding, fatal = false) {
  return new TextDecoder(encoding, { fatal }).decode(bytes);
}

/** Bytes of letters above 7F in code page 1252, without those that are Latin-1's. */
const SIGNS = new Map();
for (let byte = 0x80; byte < 0xa0; byte += 1) {
  const sign = decoded(new Uint8Array([byte]), "windows-1252");
  if (sign.charCodeAt(0) >= 0xa0) SIGNS.set(sign, byte);
}

/** Undo one encoding of a run of letters if that gives UTF-8 that is likely meant. */
function once(run) {
  for (const of of [
    (letter) => SIGNS.get(letter) ?? (letter.charCodeAt(0) < 0xa0 ? 256 : letter.charCodeAt(0)),
    (letter) => letter.charCodeAt(0),
  ]) {
    const codes = [...run].map(of);
    if (codes.some((code) => code > 255)) continue;
    let text;
    try {
      text = decoded(new Uint8Array(codes), "utf-8", true);
    } catch {
      continue;
    }
    // letters of far alphabets are believed only where a byte tells that they are no pairs of signs
    const isFar = codes.some((code) => code >= 0xc6 && code <= 0xdf);
    return isFar && !codes.some((code) => code >= 0x80 && code <= 0x9f) ? run : text;
  }
  return run;
}

/** Text of bytes: UTF-8, also where it was encoded twice, else the code page that fits them. */
export function textOfBytes(bytes) {
  let text;
  try {
    text = decoded(bytes, "utf-8", true).replace(RUN, (run) => (TWICE.test(run) ? once(run) : run));
  } catch {
    const letters = lettersOf(bytes);
    if (CENTRAL_EUROPEAN.test(letters) && !UNDEFINED_IN_1250.test(letters)) text = decoded(bytes, "windows-1250");
    else text = UNDEFINED_IN_1252.test(letters) ? letters : decoded(bytes, "windows-1252");
  }
  return text.replaceAll("\0", " ");
}

/** Whether bytes are no text at all. */
export function isBinary(bytes) {
  const head = bytes.subarray(0, HEAD);
  return head.includes(0) && 50 * (lettersOf(head).match(CONTROLS)?.length ?? 0) > head.length;
}
