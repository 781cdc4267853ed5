// Says in a bridge player's words why a line does not read: systems/language/grammar/suggestions.py.

import { nearest } from "../errors.js";
import { NUMBER_WORDS, WORDS_OF_TERMINALS } from "./phrases.js";
import { BLANK, leftStripped, rightStripped, split, stripped } from "./blanks.js";
import { agreed, rewording } from "./rewordings.js";

const WORD = new RegExp(`^(?:[\\p{L}\\p{N}][\\p{L}\\p{N}_'’+/-]*(?:\\.\\p{Nd}+)?|[^${BLANK}])`, "u");
const LETTERS = /[\p{L}\p{Nl}\p{No}][\p{L}\p{N}_'’-]*/gu;
const SEPARATOR = /[,;:=()]|--/;
const LAST = new RegExp(`(?:[^${BLANK},;:=()]+|[,;:=()])$`, "u");
const SUIT = "(clubs|diamonds|hearts|spades|[MXYZWm]|o[Mm])";
const SUITS = new RegExp(`(?<![\\p{L}\\p{N}_])${SUIT} or ${SUIT}$`, "u");
const BEGINNING = /^(?:either|or|when|not) /;
const CARDS_AS_CALL = new RegExp(`(?<![^${BLANK}])([1-7])([CDHScdhs])$`);
const CALL = {
  x: "Double", xx: "Redouble", d: "Double", dble: "Double", r: "Redouble", rdbl: "Redouble", "-": "Pass", p: "Pass",
  nt: "1NT",
};
const BID = new RegExp(
  "^([1-7]|one|two|three|four|five|six|seven) ?(?:of )?(?:an? )?" +
  "(♣|♦|♥|♠|clubs?|diamonds?|hearts?|spades?|NT|no ?trumps?|majors?|minors?|o?[Mm]|[XYZW])" +
  "(?= *(?:[=:(),-]|$| \\())",
);
const STRAINS = {
  "♣": "C", "♦": "D", "♥": "H", "♠": "S", no: "NT", cl: "C", di: "D", he: "H", sp: "S", ma: "M", mi: "m",
};
const OTHER_WORDS = {
  pts: "points", pt: "points", hp: "points", pc: "points", tp: "total points",
  "♠": "spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs",
  s: "spades", h: "hearts", d: "diamonds", c: "clubs",
  "&": "and", "|": "or",
};

/** What terminals together stand for, and whether it is told alone. */
const GROUPS = [
  ['a call, or a header such as "opening:" or "after 1NT:"', ["BID", "OPENING"], true],
  ["a name or a condition", ["NAME", "NUMBER"], true],
  ["a condition", ["WORD", "NUMBER", "NO", "SUIT"], true],
  ["points or a suit", ["SUIT_MEASURE", "SUIT"], true],
  ["a call", ["BID", "PASS"], false],
  ["a call", ["BID", "TRANSFER_TO"], false],
  ["an agreement such as forcing, invitational or #tag", ["AGREEMENT", "SAYS"], false],
  ["a suit", ["SUIT", "VARIABLE"], false],
];
const IN_GROUPS = ["ROLE", "DOUBLE", "REDOUBLE", "ANY", "ANY_BID", "CHEAPEST", "JUMP", "DOUBLE_JUMP", "GAME_IN"];
const READABLE = {
  EQUAL: '"="', COLON: 'a colon ":"', COMMA: "a comma", RPAR: '")"', LPAR: '"("',
  NUMBER: "a number", QUOTED: "a file name in quotes", TITLE: "a title", BID: "a bid",
  IDENTIFIER: "a name", VALUE: "a value", WORD: "a word", TAG: "a #tag",
  SEAT: '"seat"', LEVEL: "a level such as 2-level", IN: '"in"', FIT: '"fit"',
  OPTION: '"option"', SEMICOLON: "a semicolon", NOTRUMP: "NT", OF_THE_TOP: '"of the top"',
  VARIABLE: "a variable such as X or M", SUIT_NOUN: '"suit"', SINGULAR: "a suit",
  MAJOR: '"major"', MINOR: '"minor"', ORDINAL: '"1st" to "4th"',
  LONGER_THAN: '"longer than"', IS: '"is"',
};
const NOT_LISTED = ["QUOTED", "REMARK", "$END", "OR", "AND", "SLASH", "DASH"];

/** Names that every text has. */
const COMMA_IN_NUMBER = /(?<!\S)(\p{Nd}+,5)(?:\P{Nd}|$)$/u;
const COUNTED = {
  hcp: "points", point: "points", points: "points", pts: "points", s: "spades", h: "hearts", d: "diamonds", c: "clubs",
  spades: "spades", hearts: "hearts", diamonds: "diamonds", clubs: "clubs", losers: "losers", controls: "controls",
  aces: "aces", kings: "kings", queens: "queens",
};
const COMPARED = "(?:SL_)?(HCP|points?|pts|spades|hearts|diamonds|clubs|losers|controls|aces|kings|queens|[SHDC])";
const SIGN = " ?(>=|=>|≥|<=|=<|≤|==|>|<|=) ?";
const COMPARISONS = new RegExp(
  `(?<![\\w])${COMPARED}${SIGN}([0-9]{1,2})(?![\\w+])`
  + `|(?<![\\w])([0-9]{1,2})${SIGN}${COMPARED}(?:${SIGN}([0-9]{1,2}))?(?![\\w])`, "gi",
);
const TURNED = { ">": "<", "<": ">", "≥": "≤", "≤": "≥", "=": "=" };
const NO_SHARES = 'a call is made with every hand that fits: say which hands those are, such as "12-13 points"';
const VARIABLES = ["X", "Y", "Z", "W", "M", "m", "oM", "om"];
const BUILT_IN = ["balanced", "semi-balanced", "unbalanced"];

/** All words that the grammar knows. */
export const LANGUAGE_WORDS = new Set([
  ...[...WORDS_OF_TERMINALS.values()].flat().flatMap(split),
  ...Object.keys(NUMBER_WORDS), "asks", "shows", "denies", ...BUILT_IN,
]);

const fault = (position, message, advice = "") => ({ position, message, advice });

/** Why a line does not read: `{position, message, advice}`.
 *
 * `error` is what the parser stopped at: `position` (null at the end of the line) and `expected`,
 * the terminals that it accepts there. `names(text, start)` gives the names in a text that reads as
 * "conditions" or "agreements", null where it does not.
 */
export function explain(text, error, names) {
  const position = error.position ?? rightStripped(text).length;
  const expected = new Set(error.expected);
  const rest = text.slice(position);
  const before = rightStripped(text.slice(0, position));
  const read = WORD.exec(rest)?.[0] ?? "";
  for (const [opened, closed] of ['""', "{}"]) {
    if (rest.startsWith(opened) && !rest.slice(1).includes(closed)) {
      return fault(position, `${opened} is opened here and never closed`, `write ${closed}`);
    }
  }
  const comma = rest.startsWith(",") ? COMMA_IN_NUMBER.exec(before + rest.slice(0, 3)) : null;
  if (comma !== null) {
    const written = comma[1].replace(",", ".");
    return fault(comma.index, `"${comma[1]}" is no number`, `write "${written}"`);
  }
  const compared = comparisonOf(text, position);
  if (compared !== null) return compared;
  if (!expected.has("BID") || expected.has("NUMBER")) {
    const found = reworded(text, position, names);
    if (found !== null) return found;
  }
  if (position >= rightStripped(text).length || rest.startsWith("--")) return atTheEnd(before, expected);
  if (isCardsAsCall(before, expected)) return cardsAsCall(before);
  const slip = slipOf(text, position, expected);
  if (slip !== null) return slip;
  const left = stripped(before.split(SEPARATOR).at(-1));
  const right = stripped(rest.split(SEPARATOR, 1)[0]);
  if (expected.has("COMMA") && left && right) {
    const named = [left, right].map((part) => names(part, "conditions"));
    if (!named.includes(null)) return withoutComma(position, left, right, named.flat());
  }
  return fault(position, ...special(read, rest, before, expected) ?? [unexpected(before, read, listed(expected))]);
}

/** `HCP >= 12` around the place, which tables write; null where there is none. */
function comparisonOf(text, position) {
  for (const found of text.matchAll(COMPARISONS)) {
    if (found.index > position || position > found.index + found[0].length) continue;
    const written = comparedText(found);
    return written ? fault(found.index, `"${found[0]}" is not written here`, `write "${written}"`) : null;
  }
  return null;
}

/** What the language writes for a comparison as tables write it; nothing for another text. */
export function writtenComparison(text) {
  const found = new RegExp(`^(?:${COMPARISONS.source})$`, "i").exec(text);
  return found === null ? "" : comparedText(found);
}

/** A comparison as the language says it; nothing where it says less than a call. */
function comparedText(found) {
  let [least, most] = [0, 99];
  const turned = found[5] && [...found[5]].map((one) => TURNED[one]).join("");
  for (const [sign, number] of [[found[2], found[3]], [turned, found[4]], [found[7], found[8]]]) {
    if (!sign) continue;
    if ([">", ">=", "=>", "≥", "=", "=="].includes(sign)) least = Math.max(least, Number(number) + (sign === ">"));
    if (["<", "<=", "=<", "≤", "=", "=="].includes(sign)) most = Math.min(most, Number(number) - (sign === "<"));
  }
  const what = COUNTED[(found[1] ?? found[6]).toLowerCase()];
  if (least > most) return "";
  if (most === 99) return `${least}+ ${what}`;
  if (!least) return `at most ${most} ${what}`;
  return least === most ? `${least} ${what}` : `${least}-${most} ${what}`;
}

/** What a condition or an agreement around the place is called by players; null if it is nothing that is known. */
function reworded(text, position, names) {
  const separators = [...text.slice(0, position).matchAll(new RegExp(SEPARATOR, "g"))];
  if (!separators.length && !BEGINNING.test(text)) return null; // a call, or a header's first words
  let start = separators.length ? separators.at(-1).index + separators.at(-1)[0].length : 0;
  const end = SEPARATOR.exec(text.slice(position));
  let clause = text.slice(start, end === null ? text.length : position + end.index);
  start += clause.length - leftStripped(clause).length;
  clause = stripped(clause);
  if (separators.some(([sign]) => sign === ";")) {
    const found = agreed(clause, (written) => names(`; ${written}`, "agreements") !== null);
    return found && fault(start, `"${found.words}" is no agreement`, found.advice);
  }
  const beginning = BEGINNING.exec(clause);
  if (beginning !== null) {
    start += beginning[0].length;
    clause = stripped(clause.slice(beginning[0].length));
  }
  if (end !== null && end[0] === ":" && VARIABLES.includes(clause) && text.slice(0, start).includes("=")) {
    const advice = 'write what the call is called, such as "Natural"';
    return fault(start, `"${clause}" is no name: ${clause} is a suit variable`, advice);
  }
  if (end !== null && end[0] === ":" && /^\p{Lowercase}/u.test(clause) && !text.startsWith("when ")) {
    const capital = clause.replace(/^./u, (first) => first.toUpperCase());
    return fault(start, `"${clause}" is no name`, `begin it with a capital: "${capital}"`);
  }
  const reads = (written) =>
    names(written, "conditions")?.every((one) => BUILT_IN.includes(one) || clause.includes(one)) ?? false;
  const found = rewording(clause, reads);
  return found && fault(start, `"${found.words}" is no condition`, found.advice);
}

/** Two conditions side by side; their names may be the system's own, or mean nothing. */
function withoutComma(position, left, right, named) {
  const [unknown] = named.filter((one) => !LANGUAGE_WORDS.has(one)).sort();
  const advice = `write "${left}, ${right}"${unknown === undefined ? "" : `, if "${unknown}" is defined`}`;
  return fault(position, `two conditions without a comma: "${left} ${right}"`, advice);
}

/** A word behind the place that is nearly one of the language. */
function slipOf(text, position, expected) {
  const behind = text.slice(position).split(SEPARATOR, 1)[0];
  for (const { 0: word, index } of behind.matchAll(LETTERS)) {
    if (LANGUAGE_WORDS.has(word) || word.length < 3) continue;
    if (/^\p{Uppercase}/u.test(word) && expected.has("NAME")) continue;
    const near = nearest(word, LANGUAGE_WORDS) || nearest(word.toLowerCase(), LANGUAGE_WORDS);
    if (near === `${word}s` && expected.has("SUIT") && expected.has("SUIT_MEASURE")) break;
    if (near) return fault(position + index, `"${word}"? did you mean "${near}"`);
  }
  return null;
}

/** "after … I expect …", with what is behind it. */
function expecting(before, behind, names) {
  const last = LAST.exec(before);
  return `${last ? `after "${last[0]}" ` : ""}I expect ${names}${behind}`;
}

function unexpected(before, read, names) {
  return expecting(before, `, I read "${read}"`, names);
}

function atTheEnd(before, expected) {
  if (expected.has("COLON") && !expected.has("EQUAL")) {
    return fault(before.length, "a header ends with a colon", `write "${before}:"`);
  }
  if (isCardsAsCall(before, expected)) return cardsAsCall(before);
  const suits = SUITS.exec(before);
  if (suits !== null && expected.has("LONGER_THAN")) {
    return fault(
      before.length - suits[2].length, `"${suits[0]}": how many ${suits[2]}`,
      `say the number again, such as "4+ ${suits[1]} or 4+ ${suits[2]}"`,
    );
  }
  return fault(before.length, expecting(before, ", and the line ends", listed(expected)));
}

/** Whether `4S` stands where a number of cards is meant. */
function isCardsAsCall(before, expected) {
  return expected.has("IS_AVAILABLE") && !expected.has("EQUAL") && CARDS_AS_CALL.test(before);
}

function cardsAsCall(before) {
  const { 0: words, 1: count, 2: suit, index } = CARDS_AS_CALL.exec(before);
  return fault(
    index, `"${words}" is a call, not a number of cards`, `write "${count} ${OTHER_WORDS[suit.toLowerCase()]}"`,
  );
}

/** Message and advice for slips that have a reason of their own; null if it is none of them. */
function special(read, rest, before, expected) {
  if (/^[“”„‟]/.test(rest)) return ["these quotes are not the plain ones", 'write " on both sides'];
  if (rest.startsWith("—")) return ['"—" begins nothing here', 'a remark begins with "--"'];
  if (/^[<>≥≤]/.test(rest)) {
    return [`"${stripped([...rest].slice(0, 2).join(""))}" is not written here`, 'write "15+", "at most 9" or "10-12"'];
  }
  if (read === "%") return [`"${/\p{Nd}*$/u.exec(before)[0]}%" is not written here`, NO_SHARES];
  const half = /^(\p{Nd}*) ?½/u.exec(rest);
  if (half !== null) {
    const number = half[1] || /\p{Nd}*$/u.exec(before)[0] || "0";
    return [`"${half[0]}" is not written here`, `write "${number}.5"`];
  }
  if (/^\p{Nd}+[.,]\p{Nd}/u.test(rest)) {
    return [
      `"${read}" is no whole number`, "only quick tricks and playing tricks have halves, such as 2.5 or 1.5-2",
    ];
  }
  const lower = read.toLowerCase();
  if (expected.has("BID") && expected.has("PASS") && !expected.has("NUMBER")) {
    const bid = BID.exec(rest);
    if (bid !== null) {
      const [said, level, strain] = bid;
      const written = `${NUMBER_WORDS[level] ?? level}${STRAINS[strain.slice(0, 2)] ?? strain}`;
      return [`"${said}" is no bid`, `write "${written}"`];
    }
    if (Object.hasOwn(CALL, lower)) return [`"${read}" is no call here`, `write "${CALL[lower]}"`];
    if (/^(?:[089]|[1-7](?![CDHSNMmXYZWo]))/.test(read) && [...read].length <= 3) {
      return [`"${read}" is no bid`, "write a level 1-7 and a suit, a variable or NT"];
    }
  }
  const other = Object.hasOwn(OTHER_WORDS, lower) ? OTHER_WORDS[lower] : completed(read, expected);
  if (other) return [unexpected(before, read, listed(expected)), `write "${other}"`];
  if (expected.has("SUIT_NOUN") && before.endsWith("cheapest")) {
    return [
      unexpected(before, read, "a suit or NT"), 'the next bid is "step 1", the next in a suit "cheapest suit"',
    ];
  }
  if (before.endsWith(":") && !before.includes("=") && expected.has("REMARK")) {
    return ["a header stands alone in its line", "put the lines below it, indented"];
  }
  if (expected.has("AGREEMENT") && !before.endsWith("=")) {
    return [
      `after "${/.?$/u.exec(before)[0]}" I expect ${listed(expected)}, I read "${read}"`,
      "conditions stand before the semicolon; tags begin with #",
    ];
  }
  if (expected.has("EQUAL") && !expected.has("COLON") && read === ":") {
    return ['a call is followed by "="', 'write "=" and then the name or the conditions'];
  }
  if (expected.has("BID") && expected.has("OPENING")) {
    return [
      unexpected(before, read, listed(expected)),
      rightStripped(rest).endsWith(":")
        ? 'a header begins with "opening", "after", "over", "when", "general" or "foremost"'
        : "a call is a bid such as 2M or nX (any level), Pass, Double, cheapest X, step 1",
    ];
  }
  if (expected.has("SUIT_MEASURE") && expected.has("SUIT")) {
    const isSingular = ["club", "diamond", "heart", "spade"].includes(read);
    return [unexpected(before, read, "points or a suit"), isSingular ? `write "${read}s"` : ""];
  }
  return null;
}

/** Words of the language that begin with a word that was read. */
function completed(read, expected) {
  return [...expected].sort().flatMap((terminal) => WORDS_OF_TERMINALS.get(terminal) ?? [])
    .find((phrase) => phrase.startsWith(`${read} `));
}

/** What could stand here. */
function listed(expected) {
  if (expected.size === 1 && expected.has("QUOTED")) return READABLE.QUOTED;
  const names = [];
  const left = new Set(expected);
  NOT_LISTED.forEach((terminal) => left.delete(terminal));
  for (const [words, terminals, isAlone] of GROUPS) {
    if (!terminals.every((terminal) => left.has(terminal))) continue;
    if (isAlone) return words;
    names.push(words);
    [...terminals, ...IN_GROUPS].forEach((terminal) => left.delete(terminal));
  }
  names.push(...[...new Set([...left].filter((terminal) => terminal in READABLE).map((one) => READABLE[one]))].sort());
  if (!names.length) {
    const texts = [...left].filter((one) => WORDS_OF_TERMINALS.has(one)).map((one) => WORDS_OF_TERMINALS.get(one)[0]);
    names.push(...texts.sort().slice(0, 4).map((words) => `"${words}"`));
  }
  return names.slice(0, 5).join(" or ") || "the end of the line";
}
