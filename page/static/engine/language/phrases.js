// The catalogue of phrases and the words of the tree: systems/language/words/phrases.py and tree/syntax_tree.py.

import data from "./phrases_data.js";

export const SUIT_WORDS = data.suitWords;
/** Suit words by the signs that texts may have in their place. */
export const SUIT_OF_SIGN = data.suitOfSign;
export const VARIABLES = data.variables;
/** Variable of the other suit of the same rank. */
export const OTHER = data.other;
export const ROLES = data.roles;
export const AGREEMENTS = data.agreements;
export const NUMBER_WORDS = data.numberWords;

const EMPTY = {
  kind: "", most: null, unit: "", default: "", term: "", shown: false, halves: false,
  measure: "", deniedByNo: false, template: "", one: "",
};

const rows = (group) => data[group].map((row) => ({ ...EMPTY, ...row }));

/** Rows: as in Python, and `measure`: the terminal behind the range that begins the first form. */
export const COUNTED = rows("counted");
export const HAND = rows("hand");
export const AUCTION = rows("auction");
export const BOTH_HANDS = rows("bothHands");
export const KINDS = new Map([...COUNTED, ...HAND, ...AUCTION, ...BOTH_HANDS].map((row) => [row.kind, row]));
export const FACTS = new Set(AUCTION.map((row) => row.kind));
/** Kinds whose words travel beside their formula, and those that look at cards of one suit by rank. */
export const SAID_BY_WORDS = new Set(data.saidByWords);
export const OF_CARDS = new Set(data.ofCards);
/** What players say for definitions of the page of words. */
export const PLAYERS_WORDS = new Map(Object.entries(data.playersWords));

/** Form of a part of a condition: what a comma, "and", "or" or a bracket divides from others, denied or not. */
function partForm(written) {
  const places = { suit: "(?<suit>(?:(?! or | and )[^,()])+)", range: "(?<range>[^,()]+?)" };
  const words = written.replace(/\{(\w+)\}/g, (_, name) => places[name]);
  return new RegExp(`(?<start>^|, |: | or | and |\\()(?<denied>not )?${words}(?=$|, | or | and |\\))`, "g");
}

/** What players read in descriptions for words of a text: `{name, form, words}`, what the text has in their places by name. */
export const DESCRIBED = Object.entries(data.described)
  .map(([written, words]) => ({ name: written.replace(/ ?\{\w+\} ?/, ""), form: partForm(written), words }));

/** Lengths of a suit that have a name, as ranges of the tree. */
export const LENGTHS = new Map(
  Object.entries(data.lengths).map(([name, [low, high]]) => [name, { type: "Range", low, high, also: [] }]),
);

/** Kinds by the words of a terminal. */
export const KIND_OF_WORDS = new Map(
  Object.entries(data.kindOfWords).map(([terminal, kinds]) => [terminal, new Map(Object.entries(kinds))]),
);

/** Words that each terminal of the grammar stands for. */
export const WORDS_OF_TERMINALS = new Map(Object.entries(data.wordsOfTerminals));

/** Words of players and what stands for them, as `[said, meant]`: systems/language/words/rewordings.py. */
export const REWORDED = data.reworded;
export const ADVISED = data.advised;
export const AGREED = data.agreed;

/** The page of definitions that comes along, its names, and the pages of conventions by name. */
export const WORDS_PAGE = data.wordsPage;
export const SHIPPED_DEFINES = data.shippedDefines;
export const SHIPPED_CONVENTIONS = new Map(Object.entries(data.shippedConventions));

/** Words of a row with places for the fields of a phrase; `number` is how many, if it is one number. */
export function template(row, number = null) {
  return (number === 1 && row.one) || row.template;
}
