// Phrases: the tests of a condition, built from the words that the grammar found:
// systems/language/grammar/phrase_builder.py. What reads well and is no bridge all the same is noted in `faults`.

import { Token } from "../expressions/lalr.js";
import { KIND_OF_WORDS, KINDS, NUMBER_WORDS } from "./phrases.js";
import { split, stripped } from "./blanks.js";
import {
  ORDINALS, at, CallBuilder, callPattern, firstDigits, oneBlank, place, valueOf, whole,
} from "./call_builder.js";
import { allOf, anyOf } from "./joining.js";

const PLAYERS = {
  I: "me", my: "me", mine: "me", ours: "we", theirs: "they", "partner's": "partner", "RHO's": "RHO", "LHO's": "LHO",
};
const CALLED = { passed: "pass", doubled: "double", redoubled: "redouble" };

const rangeOf = (low, high = null, also = []) => ({ type: "Range", low, high, also });

const phraseOf = (kind, where, fields = {}) => ({
  type: "Phrase", kind, range: null, suits: [], count: null, of: null, who: null, call: null, text: "",
  ...fields, where,
});

const notThis = (part) => ({ type: "NotThis", part });

const isToken = (part) => part instanceof Token;

/** A range with its place and words; `inHalves` is the one where halves are counted, if it is another. */
class Counted {
  constructor(range, position, words, inHalves = null) {
    this.range = range;
    this.position = position;
    this.words = words;
    this.inHalves = inHalves;
  }
}

const counted = (range, tokens, inHalves) => new Counted(range, tokens[0].start, tokens.join(" "), inHalves);

/** Builds conditions. */
export class PhraseBuilder extends CallBuilder {
  // ------------------------------------------------------------------ ranges
  exact(...tokens) {
    const number = this.number(tokens.at(-1));
    return counted(rangeOf(number, number), tokens);
  }

  several(...tokens) {
    const [first, ...also] = tokens.filter(({ type }) => type === "NUMBER").map((token) => this.number(token));
    return counted(rangeOf(first, first, also), tokens);
  }

  atLeast(...tokens) {
    return counted(rangeOf(this.number(tokens.at(-1))), tokens);
  }

  span(token) {
    const [low, high] = token.text.replaceAll(" ", "").split(/[-–]/).map(valueOf);
    if (low > high) {
      this.fault(token, `"${token}" is an empty range`, `write "${high}-${low}", the smaller number first`);
    }
    return counted(rangeOf(low, high), [token]);
  }

  atMost(...tokens) {
    return counted(rangeOf(0, this.number(tokens.at(-1))), tokens);
  }

  fewer(word, token) {
    const number = this.number(token);
    if (number === 0) {
      this.fault(word, `"${word} ${token}" is an empty range`);
    }
    const [below, half] = [1, 0.5].map((step) => rangeOf(0, Math.max(number - step, 0)));
    return counted(below, [word, token], half);
  }

  more(word, token) {
    const [above, half] = [1, 0.5].map((step) => rangeOf(this.number(token) + step));
    return counted(above, [word, token], half);
  }

  none(token) {
    return counted(rangeOf(0, 0), [token]);
  }

  measured(kind, { range: counts, position, words, inHalves }, suits = []) {
    const { most, unit, halves } = KINDS.get(kind);
    const range = (halves && inHalves) || counts;
    const numbers = [range.low, range.high ?? 0, ...range.also];
    if (most !== null && Math.max(...numbers) > most) {
      this.fault(position, `"${words}": there are at most ${most} ${unit || kind}`);
    } else if (numbers.some((number) => (number * (halves ? 2 : 1)) % 1)) {
      const message = `"${words}": ${unit || kind} are counted in `;
      if (halves) this.fault(position, `${message}halves`, "such as 2, 2.5 or 3");
      else this.fault(position, `${message}whole numbers`);
    }
    return phraseOf(kind, place(position), { range, suits });
  }

  // ------------------------------------------------------------------ most phrases
  /** The phrase whose kind its words tell; each other part is a field. */
  phrase(...parts) {
    const first = parts.find((part) => part !== null);
    let kind = "";
    let negated = false;
    let range = null;
    let suits = [];
    const fields = {};
    for (const part of parts) {
      if (part instanceof Counted) {
        range = part;
      } else if (part?.type === "CallPattern") {
        fields.call = part;
      } else if (part?.type === "Phrase") {
        suits = part.suits;
        fields.range = part.range;
        fields.text = part.kind;
      } else if (isToken(part)) {
        kind = KIND_OF_WORDS.get(part.type)?.get(oneBlank(part)) ?? kind;
        switch (part.type) {
          case "SUIT": case "VARIABLE": case "ROLE":
            suits = [...suits, part.text];
            break;
          case "NOTRUMP":
            fields.call = callPattern("bid", null, "NT");
            break;
          case "CALLED":
            fields.call = callPattern(CALLED[part.text]);
            break;
          case "WHO": case "OWNER": case "LAST_CALL_WAS": {
            const [player] = split(part.text);
            fields.who = PLAYERS[player] ?? player;
            break;
          }
          case "NUMBER":
            fields.count = this.wholeNumber(part);
            break;
          case "TAG": case "CALL_CLASS":
            fields.text = oneBlank(part);
            break;
          case "NO": case "NOT": case "IS_NOT":
            negated = true;
            break;
          default:
        }
      }
    }
    const usual = KINDS.get(kind).default;
    if (suits.length === 0 && usual) {
      suits = [usual];
    }
    if (range !== null) {
      return this.measured(kind, range, suits);
    }
    if (suits.length === 2 && suits[0] === suits[1] && kind !== "same suit") {
      this.fault(first, `"${suits[0]} ${oneBlank(parts[1])} ${suits[0]}" names one suit twice`);
    }
    const found = phraseOf(kind, isToken(first) ? at(first) : first.where, { suits, ...fields });
    return negated ? notThis(found) : found;
  }

  // ------------------------------------------------------------------ counted
  length(range, ...words) {
    return this.measured("length", range, [words.at(-1).text]);
  }

  singularLength(range, suit) {
    if ((range.range.high ?? 9) !== 1) {
      const message = `after "${range.words}" I expect points or a suit, I read "${suit}"`;
      this.fault(suit, message, `write "${suit}s"`);
    }
    return this.measured("length", range, [`${suit}s`]);
  }

  carded(token) {
    const words = token.text.replace(/-card$/, "");
    const [low, high = ""] = words.replace(/\++$/, "").split("-");
    const number = NUMBER_WORDS[low] ?? firstDigits(low);
    const most = words.endsWith("+") ? null : high ? firstDigits(high) : number;
    if (most !== null && most < number) {
      this.fault(token, `"${token}" is an empty range`, "the smaller number first");
    }
    return counted(rangeOf(number, most), [token]);
  }

  cardedLength(_a, carded, suit) {
    return this.measured("length", this.carded(carded), [`${suit}s`]);
  }

  suitLength(_a, carded, noun) {
    return this.measured("suit length", this.carded(carded), [`a ${noun}`]);
  }

  noSuitLength(no, carded, noun) {
    const { range, words } = this.carded(carded);
    return notThis(this.measured("suit length", new Counted(rangeOf(range.low), no.start, words), [`a ${noun}`]));
  }

  /** `range SUPPORT [FOR suit]` and `[A] CARDED CARD_SUPPORT [FOR suit]`. */
  support(...parts) {
    let range = parts[0] instanceof Counted ? parts[0] : this.carded(parts[1]);
    if (range.words === "no") {
      range = new Counted(rangeOf(0, 2), range.position, range.words);
    }
    return this.measured("support", range, [parts.at(-1)?.text ?? KINDS.get("support").default]);
  }

  topHonours({ range, position, words }, _of, top, _in, suit) {
    const of = this.wholeNumber(top);
    if ([range.low, range.high ?? 0, ...range.also].some((number) => number % 1)) {
      this.fault(position, `"${words}": honours are counted in whole numbers`);
    }
    // "two of the top three" means at least two
    const found = /^[\p{L}\p{N}]+$/u.test(words) ? rangeOf(range.low) : range;
    const count = Math.trunc(found.low || found.high === null ? found.low : found.high);
    if (count > of || of > 13) {
      this.fault(position, `"${words}" of ${of} honours cannot be`);
    }
    return phraseOf("top honours", place(position), { range: found, suits: [suit.text], count, of });
  }

  // ------------------------------------------------------------------ suits and shape
  shape(token) {
    const lengths = token.text.split(/[=-]/);
    const given = lengths.filter((length) => length !== "x").map((length) => whole(length.replace(/\++$/, "")));
    const least = given.reduce((sum, length) => sum + length, 0);
    const isOpen = lengths.some((length) => length === "x" || length.endsWith("+"));
    if (least > 13 || (least < 13 && !isOpen)) {
      this.fault(token, `the lengths of "${token}" add up to ${least}, a hand has 13 cards`);
    }
    return phraseOf("shape", at(token), { text: token.text });
  }

  honour(words, suit) {
    return phraseOf("honour", at(words), { suits: [suit.text], text: split(words.text).at(-2) });
  }

  raw(token) {
    const text = stripped(token.text.slice(1, -1));
    if (!text) {
      this.fault(token, "an expression stands between the braces, I read nothing");
    }
    return phraseOf("raw", at(token), { text });
  }

  named(...tokens) {
    const text = tokens.filter(({ type }) => type === "WORD").join(" ");
    const suits = tokens.filter(({ type }) => type !== "WORD").map(String);
    return phraseOf("named", at(tokens[0]), { suits, text });
  }

  // ------------------------------------------------------------------ the auction
  seat(word, ...tokens) {
    const ordinals = tokens.filter(({ type }) => type === "ORDINAL").map(ordinal);
    const seats = [...new Set(ordinals)].sort((one, other) => one - other);
    const [low, high] = [seats[0], seats.at(-1)];
    const range = high - low + 1 === seats.length ? rangeOf(low, high) : rangeOf(low, low, seats.slice(1));
    return phraseOf("seat", at(word ?? tokens[0]), { range });
  }

  iAmPassedHand(words) {
    return phraseOf("passed hand", at(words), { who: "me" });
  }

  unbid(words, suit) {
    return phraseOf("unbid", at(words), { suits: [suit.text], text: split(words.text)[1] });
  }

  /** `[WHO HAVE] [A] [CARDED] FIT [IN suit]`; `NO` takes the place of `A` in `noFit`. */
  fit(...tokens) {
    const [who, , , carded] = tokens;
    const suit = tokens.at(-1);
    if (who !== null && who.text !== "we") {
      this.fault(who, `a fit takes two hands, I read "${who} have"`, 'write "we have"');
    }
    const first = tokens.find((token) => token !== null);
    const count = carded === null ? 8 : this.carded(carded).range.low;
    return phraseOf("fit", at(first), { suits: suit === null ? [] : [suit.text], count });
  }

  noFit(...tokens) {
    return notThis(this.fit(...tokens));
  }

  level(words, _the, level) {
    const number = Number(level.text[0]);
    const low = words.type === "AT_MOST" ? 0 : number;
    const high = words.type === "AT_LEAST" ? null : number;
    return counted(rangeOf(low, high), [words, level]);
  }

  atLevel({ range, position }) {
    return phraseOf("level", place(position), { range });
  }

  nthCall(words) {
    return phraseOf("nth call", at(words), { count: ORDINALS[split(words.text)[1]] });
  }

  hasBid(who, words, call) {
    if (call === null && ["RHO", "LHO"].includes(who.text) && words.text === "bid") {
      return phraseOf("last call", at(who), { who: who.text, text: "bid" });
    }
    return this.phrase(who, words, call);
  }

  isAtLevel(call, _is, { range }) {
    return phraseOf("available", call.where, { range, call });
  }

  // ------------------------------------------------------------------ joining
  negated(_no, part) {
    return notThis(part);
  }

  both(...parts) {
    return allOf(parts.filter((part) => !isToken(part)));
  }

  alternatives(...parts) {
    return anyOf(parts.filter((part) => !isToken(part)));
  }

  group(...parts) {
    return allOf(parts);
  }
}

const ordinal = ({ text }) => ORDINALS[text];
