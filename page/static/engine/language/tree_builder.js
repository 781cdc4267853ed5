// Statements: lines, headers and the rest, built bottom up from what the grammar reduces:
// systems/language/grammar/tree_builder.py and tree/statements.py. Conditions come as `[condition, quoted]`.

import { Token } from "../expressions/lalr.js";
import { split, stripped } from "./blanks.js";
import { at, oneBlank, place, tidy, withoutSigns } from "./call_builder.js";
import { allOf } from "./joining.js";
import { PhraseBuilder } from "./phrase_builder.js";
import { alternatingText } from "./turns.js";

const ONE_ROUND = {
  "forcing for one round": "forcing", "forcing one round": "forcing", "game forcing": "forcing to game",
};
/** What a name without a colon may not hold: it seems to be a condition, the colon forgotten. */
const LIKE_A_CONDITION = /\p{Nd}\+|\p{Nd}-\p{Nd}|,/u;

const isToken = (part) => part instanceof Token;
const remarkOf = (token) => (token === null ? "" : stripped(token.text.replace(/^-+/, "")));
const joined = (quoted) => quoted.map(({ text }) => text.slice(1, -1)).join(" ");

const meaningOf = (name, condition, quoted, agreements, remark) => ({
  name, condition, quoted, agreements: agreements ?? [], remark: remarkOf(remark),
});

const agreementOf = (kind, token, fields = {}) => ({
  type: "Agreement", kind, text: "", call: null, suit: null, condition: null, ...fields, where: at(token),
});

const auctionStep = (fields) => ({ type: "AuctionStep", calls: [], theirs: false, anyCalls: false, ...fields });

const headerOf = (kind, word, where, auctions, condition, remark) => ({
  type: "HeaderStatement",
  header: { type: "Header", kind, auctions, condition, where },
  remark: remarkOf(remark),
  word,
});

/** Builds one statement; `faults` is emptied before each line by the parser. */
export class TreeBuilder extends PhraseBuilder {
  // ------------------------------------------------------------------ lines
  line(call, meaning) {
    return { type: "Line", call, ...meaning, variants: [], below: [], where: call.where };
  }

  variant(word, meaning) {
    return { type: "Variant", ...meaning, where: at(word) };
  }

  meaning(name, conditions, agreements, remark) {
    return meaningOf(tidy(name), ...(conditions ?? [null, ""]), agreements, remark);
  }

  unnamed(conditions, agreements, remark) {
    return meaningOf("", ...conditions, agreements, remark);
  }

  nameOnly([name, quoted], agreements, remark) {
    return meaningOf(name, null, quoted, agreements, remark);
  }

  bareName(name, ...quoted) {
    const found = LIKE_A_CONDITION.exec(name.text);
    if (found !== null) {
      this.fault(
        name.start + found.index,
        `a name ends with a colon, "${tidy(name)}" goes on with a condition`,
        "write a colon behind the name, and begin conditions with a small letter",
      );
    }
    return [tidy(name), joined(quoted)];
  }

  // ------------------------------------------------------------------ conditions
  conditions(...items) {
    const parts = items.map(([condition]) => condition).filter((condition) => condition !== null);
    const quoted = items.map(([, prose]) => prose).filter((prose) => prose !== "").join(" ");
    return [parts.length ? allOf(parts) : null, quoted];
  }

  item(condition, ...quoted) {
    return [condition, joined(quoted)];
  }

  prose(...quoted) {
    return [null, joined(quoted)];
  }

  // ------------------------------------------------------------------ headers
  ourStep(...calls) {
    return auctionStep({ calls });
  }

  theirs(...calls) {
    return auctionStep({ calls: calls.filter((call) => !isToken(call)), theirs: true });
  }

  anyCalls() {
    return auctionStep({ anyCalls: true });
  }

  auction(...steps) {
    return steps.filter((step) => !isToken(step));
  }

  qualifiers(...parts) {
    return allOf(parts.filter((part) => !isToken(part)));
  }

  plainHeader(word, condition, remark) {
    const kind = word.text.split(/ +/).join(" ");
    return headerOf(kind, kind, at(word), [], condition, remark);
  }

  when(word, first, rest, remark) {
    return this.plainHeader(word, rest === null ? first : allOf([first, rest]), remark);
  }

  after(word, ...parts) {
    const auctions = parts.slice(0, -2).filter(Array.isArray);
    return headerOf("after", word.text, at(word), auctions, ...parts.slice(-2));
  }

  over(word, ...parts) {
    const found = this.after(word, ...parts);
    for (const auction of found.header.auctions) {
      const [first] = auction;
      if (!first.theirs && !first.anyCalls) {
        this.fault(
          first.calls[0].where.column,
          '"over" speaks of their call, which stands in parentheses',
          `write "over ${alternatingText(auction)}", or "after" for a call of our side`,
        );
      }
    }
    return found;
  }

  theirCall(...parts) {
    const steps = parts.slice(0, -2).filter((part) => !isToken(part));
    const where = place(steps[0].calls[0].where.column - 1);
    return headerOf("their call", "", where, steps.map((step) => [step]), ...parts.slice(-2));
  }

  // ------------------------------------------------------------------ agreements
  agreements(...found) {
    return found;
  }

  plainAgreement(words, quoted) {
    const kind = oneBlank(words);
    return agreementOf(ONE_ROUND[kind] ?? kind, words, { text: quoted === null ? "" : quoted.text.slice(1, -1) });
  }

  callAgreement(words, call) {
    return agreementOf(split(words.text)[0], words, { call });
  }

  agrees(words, suit) {
    return agreementOf("agrees", words, { suit: suit.text });
  }

  says(token) {
    const [kind, ...text] = withoutSigns(tidy(token)).split(" ");
    if (text.length === 0) {
      this.fault(token, `"${kind}" what? I read nothing behind it`);
    }
    return agreementOf(kind, token, { text: text.join(" ") });
  }

  tag(token) {
    return agreementOf("tag", token, { text: token.text.slice(1) });
  }

  // ------------------------------------------------------------------ statements
  define(word, ...parts) {
    const names = parts.slice(0, -2);
    const of = (type) => names.filter((token) => token.type === type).map(String);
    const name = of("WORD").join(" ");
    let [condition] = parts.at(-2);
    if (condition === null) {
      this.fault(word, `"${name}" is defined by words in quotes alone`);
      condition = allOf([]);
    }
    return { type: "Define", name, suits: of("VARIABLE"), condition, where: at(word) };
  }

  system(_word, title) {
    return { type: "SystemStatement", title: tidy(title) };
  }

  include(_word, file) {
    return { type: "IncludeStatement", file: file.text.slice(1, -1), where: at(file) };
  }

  opponents(_word, file) {
    return { type: "OpponentsStatement", file: file.text.slice(1, -1), where: at(file) };
  }

  parameter(name, value) {
    return { type: "Parameter", name: name.text, value: value === null ? null : tidy(value), where: at(name) };
  }

  convention(_word, name, ...parts) {
    return named("ConventionStatement", name, parts);
  }

  use(_word, name, ...parts) {
    return named("UseStatement", name, parts);
  }

  option(without, _word, name, title, value, remark) {
    if (without !== null && title !== null) {
      this.fault(
        title, 'a title stands behind "option", not behind "without option"',
        `write it where the option begins, as in: option ${name} ${title}:`,
      );
    }
    return {
      type: "OptionStatement",
      name: name.text,
      default: value === null ? null : value.text === "on",
      without: without !== null,
      where: at(name),
      title: title === null ? "" : oneBlank(title.text.slice(1, -1)),
      remark: remarkOf(remark),
    };
  }
}

const named = (type, name, parts) => ({
  type, name: name.text, parameters: parts.filter((part) => part?.type === "Parameter"), where: at(name),
});
