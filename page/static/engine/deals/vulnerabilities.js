// How people, LIN and PBN write who is vulnerable: bridge/seats.py is the definition.

export const VULNERABILITIES = ["None", "NS", "EW", "Both"];

function spellings(one, other, name, partner) {
  const texts = [[one, other], [other, one], [name, partner], [partner, name]].flatMap(([first, second]) => (
    ["", "/", "-", " ", "+", "&"].map((between) => first + between + second)
  ));
  // "we" is a word of its own: it may say who asks
  return [one, other, ...texts.filter((text) => text !== other + one)];
}

const WORDS = [
  ["none", "neither", "nobody", "nil", "no", "no one", "love", "love all", "-", "o", "0", ""],
  spellings("n", "s", "north", "south"),
  spellings("e", "w", "east", "west"),
  ["both", "all", "b", "game all", "everybody", "everyone", "all vul", "both vul"],
];
const BY_WORD = new Map(WORDS.flatMap((words, sides) => words.map((word) => [word, sides])));

/** Vulnerability 0-3 (bit 0 North-South, bit 1 East-West) of a word without blanks around it; null if it is none. */
export function sidesOf(word) {
  return BY_WORD.get(word.toLowerCase()) ?? null;
}
