// Seats of a board: who deals and who is vulnerable by its number (Law 2), and how people write sides.
// bridge/seats.py is the definition.

export const VULNERABILITIES = ["None", "NS", "EW", "Both"];

function spellings(one, other, name, partner) {
  const texts = [[one, other], [other, one], [name, partner], [partner, name]].flatMap(([first, second]) => (
    ["", "/", "-", " ", "+", "&"].map((between) => first + between + second)
  ));
  // "we" is a word of its own: it may say who asks
  return [one, other, ...texts.filter((text) => text !== other + one)];
}

const WORDS = {
  None: ["none", "neither", "nobody", "nil", "no", "no one", "love", "love all", "-", "o", "0", ""],
  NS: spellings("n", "s", "north", "south"),
  EW: spellings("e", "w", "east", "west"),
  Both: ["both", "all", "b", "game all", "everybody", "everyone", "all vul", "both vul"],
};
const BY_WORD = new Map(Object.entries(WORDS).flatMap(([side, words]) => words.map((word) => [word, side])));

/** Vulnerability of a word for it without blanks around it, or null. */
export function readVulnerability(text) {
  return BY_WORD.get(text.toLowerCase()) ?? null;
}

export function isVulnerable(vulnerability, seat) {
  return vulnerability === "Both" || vulnerability === (seat % 2 ? "EW" : "NS");
}

export function boardDealer(number) {
  return (number - 1) % 4;
}

export function boardVulnerability(number) {
  const place = (number - 1) % 16;
  return VULNERABILITIES[(place + Math.floor(place / 4)) % 4];
}
