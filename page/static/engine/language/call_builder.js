// Calls and suits of a line, built from the words that the grammar found: systems/language/grammar/call_builder.py.
// Methods of this and the other builders have the names of the rules of bidding.lark in camel case.

import { Token } from "../expressions/lalr.js";
import { NUMBER_WORDS, SUIT_OF_SIGN, SUIT_WORDS } from "./phrases.js";
import { BLANKS, split, stripped } from "./blanks.js";

const BID_VARIABLES = new Set(["m", "om", "M", "oM", "X", "Y", "Z", "W"]);
/** Steps that are counted: three bids of each strain. */
const MOST_STEPS = 15;
export const ORDINALS = { first: 1, second: 2, third: 3, fourth: 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4 };
const NOWHERE = { type: "Where", file: "", line: 0, column: 0 };

/** A place in a logical line, before the line has one in a file; an index into its text. */
export const place = (position) => ({ type: "Where", file: "", line: 0, column: position });

/** Place of a word in its line. */
export const at = (token) => place(token.start);

/** Words with single blanks between them. */
export const oneBlank = (words) => split(String(words)).join(" ");

const BID_SIGN = /(?<![\p{L}\p{N}_+-])([1-7n])([♣♦♥♠])\uFE0F?(?![\p{L}\p{N}_+])/gu;
const BESIDE = /(?<=[\p{L}\p{N}_+])(?=[♣♦♥♠])|(?<=[♣♦♥♠\uFE0F])(?=[\p{L}\p{N}_])/gu;

/** Words with letters and suit words in place of the signs of suits. */
export function withoutSigns(words) {
  return words.replace(BID_SIGN, (_, level, sign) => level + SUIT_WORDS[SUIT_OF_SIGN[sign]])
    .replace(BESIDE, " ").replace(/([♣♦♥♠])\uFE0F?/gu, (_, sign) => SUIT_OF_SIGN[sign]);
}

/** Words with single blanks between them and behind punctuation marks, none before them. */
export function tidy(words) {
  const found = String(words).replace(BLANKS, " ").replace(/ ?([,;:]) ?/g, "$1 ");
  return stripped(found.replace(/\( | \)/g, (match) => match.trim()));
}

/** Number of digits of any script, which stand in each by their value. */
export function whole(digits) {
  let number = 0;
  for (const digit of digits) {
    let zero = digit.codePointAt(0);
    while (zero > 0 && DIGIT.test(String.fromCodePoint(zero - 1))) {
      zero -= 1;
    }
    number = 10 * number + ((digit.codePointAt(0) - zero) % 10);
  }
  return number;
}

const DIGIT = /\p{Nd}/u;

/** Number of the first six digits: more are of no use in bridge. */
export const firstDigits = (digits) => whole([...digits].slice(0, 6));

/** Value of digits, which may have a fraction; more than a few are of no use in bridge. */
export function valueOf(text) {
  const [digits, rest = ""] = text.split(".");
  const fraction = [...rest].slice(0, 6);
  return firstDigits(digits) + whole(fraction) / 10 ** fraction.length;
}

export const callPattern = (kind, level = null, strain = null, where = NOWHERE) => ({
  type: "CallPattern", kind, level, strain, where,
});

/** Builds call patterns. */
export class CallBuilder {
  faults = [];

  /** Note something wrong and go on. */
  fault(position, message, advice = "") {
    this.faults.push({ position: typeof position === "number" ? position : position.start, message, advice });
  }

  suit(token) {
    const sign = SUIT_OF_SIGN[token.text[0]];
    return sign || token.text.includes(" ") ? new Token("SUIT", sign ?? oneBlank(token), token.start) : token;
  }

  strain(token) {
    return token.type === "NOTRUMP" ? new Token("SUIT", "NT", token.start) : token;
  }

  /** Value of a number; what is counted says whether it may have a fraction. */
  number(token) {
    const word = token.text.replace(/\++$/, "");
    return NUMBER_WORDS[word] ?? valueOf(word);
  }

  /** Value of a number that can have no fraction. */
  wholeNumber(token) {
    const number = this.number(token);
    if (number % 1) {
      this.fault(token, `"${token}" is no whole number`);
    }
    return Math.trunc(number);
  }

  // ------------------------------------------------------------------ calls
  bid({ text, start }) {
    let strain = text.slice(1);
    if (["N", "NT"].includes(strain.toUpperCase())) {
      strain = "NT";
    } else if (strain[0] in SUIT_OF_SIGN) {
      strain = SUIT_WORDS[SUIT_OF_SIGN[strain[0]]];
    } else if (!BID_VARIABLES.has(strain)) {
      strain = strain.toUpperCase();
    }
    return callPattern("bid", text[0] === "n" ? 0 : Number(text[0]), strain, place(start));
  }

  otherCall(token) {
    return callPattern(kindOf(token), null, null, at(token));
  }

  transferTo(words, bid) {
    const to = this.bid(bid);
    if (to.level === 1 && to.strain === "C") {
      this.fault(bid, "no call is just below 1C");
    }
    return callPattern("transfer", to.level, to.strain, at(words));
  }

  relative(words, strain) {
    return callPattern(kindOf(words), null, SUIT_WORDS[strain.text] ?? strain.text, at(words));
  }

  step(first, second) {
    const counted = first.type === "STEP" ? second : first;
    const number = ORDINALS[counted.text] ?? this.wholeNumber(counted);
    if (number < 1 || number > MOST_STEPS) {
      this.fault(counted, `steps are counted from 1 to ${MOST_STEPS}`);
    }
    return callPattern("step", number, null, at(first));
  }

  cheapestSuit(words) {
    return callPattern("cheapest suit", null, null, at(words));
  }
}

/** Kind of a call that its terminal tells: `ANY_BID` is `any bid`. */
const kindOf = (words) => words.type.toLowerCase().replaceAll("_", " ").replace(/ in$/, "");
