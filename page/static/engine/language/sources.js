// Files of a system, and the statements in them, includes put in place: systems/language/sources.py.
// Files are texts by name; there are no folders.

import { complaintAt, grouped, invalidSystem, nearest } from "../errors.js";
import { split, stripped } from "./blanks.js";
import { logicalLines, treeOf } from "./layout.js";
import { parseStatement } from "./parser.js";
import { placed } from "./placing.js";

const SUFFIX = ".bidding";
/** Files that one system may include, all levels together. */
const MOST_FILES = 100;
/** Lines of all files of a system. */
const MOST_LINES = 10_000;
/** Characters of all files of a system. */
const MOST_CHARACTERS = 2_000_000;
/** With so many nothing more is read: what is given is no system. */
const MOST_COMPLAINTS = 1_000;

const STAND_ALONE = new Set(["SystemStatement", "IncludeStatement", "OpponentsStatement"]);
const NOTHING_BELOW = new Set([...STAND_ALONE, "Define", "Variant"]);
const NO_WORDS = new Map();

/** A place in a file, line and column from 1. */
export const whereIn = (file, line, column = 1) => ({ type: "Where", file, line, column });

/** A place as a key of sets. */
export const placeKey = ({ file, line, column }) => `${file}:${line}:${column}`;

/** Name of a file that is written with or without its ending. */
export function fileName(name) {
  return /[^/]\.[^./]+$/.test(name) ? name : name + SUFFIX;
}

/** All that was read of a system, with what is wrong in it. */
export class Sources {
  complaints = [];
  /** Physical lines by name of the file, for messages. */
  lines = new Map();
  files = [];
  title = "";
  prose = "";
  opponents = null;
  /** Conventions as they are written, `{statement, body}`: read anew wherever they are used. */
  conventions = new Map();
  /** All that were read, those among them that another of their name stands before. */
  conventionList = [];
  options = new Map();
  /** Where options are turned on or off, or only named, by their names. */
  optionPlaces = new Map();
  /** Options that some lines depend on. */
  optionBlocks = new Set();
  /** Lines with a name alone, without a colon behind it: `file:line:column`. */
  bare = new Set();
  /** Files that include one another, from the first on. */
  reading = [];
  /** Names of the texts that are being read, from the first on. */
  within = [];
  /** Names of the files that a text includes, by its own. */
  includes = new Map();
  /** Of all files read so far. */
  #characters = 0;

  /** `texts`: all files that there are, by name. */
  constructor(texts = new Map()) {
    this.texts = texts;
  }

  /** Note something wrong and go on, unless there is far too much of it. */
  complain = (where, message, advice = "") => {
    this.complaints.push(complaintAt(where, message, this.lines.get(where.file) ?? [], advice));
    if (this.complaints.length >= MOST_COMPLAINTS) throw invalidSystem(this.complaints);
  };

  // -------------------------------------------------------------------- files
  /** Statements of a file, those of the files that it includes in their place. */
  readFile(name) {
    const text = this.texts.get(name);
    if (text === undefined) {
      this.complain(whereIn(name, 0), "the file cannot be read: No such file or directory");
      return [];
    }
    this.files.push(name);
    this.reading.push(name);
    const items = this.readText(text.replace(/^\ufeff/, ""), name);
    this.reading.pop();
    return items;
  }

  /** Statements of a text. */
  readText(text, name) {
    // a pair of surrogates is one
    this.#characters += text.length - (text.match(/[\ud800-\udbff](?=[\udc00-\udfff])/g)?.length ?? 0);
    if (this.#characters > MOST_CHARACTERS) {
      this.lines.set(name, []);
      this.complain(
        whereIn(name, 0),
        `a system has at most ${grouped(MOST_CHARACTERS)} characters in all its files, with this one it has more`,
      );
      return [];
    }
    const lines = text.replaceAll("\r\n", "\n").split("\n");
    this.lines.set(name, lines);
    const count = [...this.lines.values()].reduce((sum, one) => sum + one.length, 0);
    if (count > MOST_LINES) {
      this.complain(
        whereIn(name, 0),
        `a system has at most ${grouped(MOST_LINES)} lines in all its files, with this one it has ${grouped(count)}`,
      );
      return [];
    }
    const logical = logicalLines(lines, name, this.complain);
    if (!this.prose) this.prose = proseOf(lines);
    this.within.push(name);
    const items = this.#top(treeOf(logical, this.complain));
    this.within.pop();
    return items;
  }

  #top(raw) {
    const items = [];
    for (const found of raw) {
      const item = this.item(found, NO_WORDS, { top: true });
      if (item === null) continue;
      const { statement } = item;
      if (statement.type === "IncludeStatement") {
        for (const one of this.#included(statement)) items.push(one);
      } else if (statement.type === "SystemStatement") {
        this.title ||= statement.title;
      } else if (statement.type === "OpponentsStatement") {
        this.opponents = this.#find(statement.file, statement.where) ?? this.opponents;
      } else if (statement.type !== "ConventionStatement") {
        items.push(item);
      }
    }
    return items;
  }

  #included(statement) {
    const name = this.#find(statement.file, statement.where);
    if (name === null) return [];
    if (this.reading.includes(name)) {
      const chain = [...this.reading.slice(this.reading.indexOf(name)), name].join(" -> ");
      this.complain(
        statement.where, `"${statement.file}" includes itself: ${chain}`, "take one of these includes out",
      );
      return [];
    }
    const isRead = this.files.includes(name);
    if (!isRead && this.files.length >= MOST_FILES) {
      this.complain(statement.where, `a system has at most ${MOST_FILES} files`);
      return [];
    }
    const here = this.within.at(-1);
    this.includes.set(here, new Set([...(this.includes.get(here) ?? []), name]));
    return isRead ? [] : this.readFile(name); // its lines stand there already
  }

  /** Whether a file includes another one, itself or by those that it includes. */
  #reaches(file, other) {
    const seen = new Set([file]);
    for (const one of seen) {
      for (const found of this.includes.get(one) ?? []) {
        if (found === other) return true;
        seen.add(found);
      }
    }
    return false;
  }

  /** Whether a meaning of a name counts in place of the one that was read before: that of who includes it does. */
  comesFirst(name, where, known, already) {
    if (known.file === where.file) {
      this.complain(where, `"${name}" is ${already} already, in line ${known.line}`, "give one of them another name");
    }
    return this.#reaches(where.file, known.file);
  }

  #find(file, where) {
    const wanted = fileName(file);
    if (/^\/|(?:^|\/)\.\.(?:\/|$)/.test(wanted)) {
      this.complain(where, `"${file}" leads out of the folder of systems`);
      return null;
    }
    const name = wanted.split("/").filter((part) => part && part !== ".").join("/");
    if (this.texts.has(name)) return name;
    const near = nearest(name.split("/").at(-1), this.texts.keys());
    this.complain(
      where, `there is no file "${file}", neither here nor among the systems that come with it`,
      near && `did you mean "${near}"`,
    );
    return null;
  }

  // -------------------------------------------------------------------- statements
  /** A statement with all below it, words of a convention's parameters put in: `{statement, where, below, hadBelow}`.
   *
   * Null where the line does not parse; what is below is read for its complaints.
   */
  item(raw, words, { top = false, used = "" } = {}) {
    const line = words.size ? raw.line.withWords(words) : raw.line;
    const locate = (position) => line.where(position);
    const parsed = parseStatement(line.text);
    for (const { position, message, advice } of parsed.wrong) {
      this.complain(locate(position), used ? `${message}, ${used}` : message, advice);
    }
    if (parsed.statement === null) {
      this.#below(raw, words, used);
      return null;
    }
    const statement = placed(parsed.statement, locate);
    const { type } = statement;
    if (type === "ConventionStatement") {
      this.#convention(statement, raw, top);
      return top ? { statement, where: locate(0), below: [], hadBelow: false } : null;
    }
    const below = this.#below(raw, words, used);
    const item = { statement, where: locate(0), below, hadBelow: raw.below.length > 0 };
    if (type === "Line" && !line.text.split("--")[0].includes(":")) this.bare.add(placeKey(statement.where));
    if (type === "OptionStatement") {
      const isHeader = statement.without || line.text.split("--")[0].trimEnd().endsWith(":");
      this.#option(statement, isHeader || item.hadBelow);
      if (isHeader && !item.hadBelow) {
        this.complain(
          statement.where, `nothing stands below the option "${statement.name}"`, "indent its lines under it",
        );
      }
    } else if (!top && STAND_ALONE.has(type)) {
      this.complain(item.where, "this stands at the left edge, in no block");
      return null;
    }
    if (NOTHING_BELOW.has(type)) this.nothingBelow(item);
    return item;
  }

  /** Complain of lines below a statement that can have none. */
  nothingBelow(item) {
    if (!item.below.length) return;
    this.complain(
      item.below[0].where, "nothing can stand below the line above", "indent this line as much as that one",
    );
  }

  #below(raw, words, used) {
    return raw.below.map((below) => this.item(below, words, { used })).filter((item) => item !== null);
  }

  #convention(statement, raw, top) {
    const { name, where } = statement;
    if (!top) this.complain(where, "a convention stands at the left edge, in no block");
    if (!raw.below.length) this.complain(where, `"${name}" has no lines`, "indent them under it");
    this.conventionList.push({ statement, body: raw.below });
  }

  /** Choose the convention that each name stands for, once all files are read. */
  chooseConventions() {
    for (const convention of this.conventionList) {
      const { name, where } = convention.statement;
      const known = this.conventions.get(name)?.statement.where;
      if (known === undefined || this.comesFirst(name, where, known, "there")) this.conventions.set(name, convention);
    }
  }

  #option({ name, where, without, default: value }, isHeader) {
    if (isHeader) this.optionBlocks.add(name);
    if (without) return;
    if (!this.optionPlaces.has(name)) this.optionPlaces.set(name, where);
    if (!this.options.has(name)) this.options.set(name, false);
    if (value !== null) this.options.set(name, value);
  }

  /** Complain of options that no lines depend on, once all conventions are read. */
  checkOptions() {
    for (const [name, where] of this.optionPlaces) {
      if (this.optionBlocks.has(name)) continue;
      const near = nearest(name, this.optionBlocks);
      this.complain(
        where, `there is no option "${name}"`, near ? `did you mean "${near}"` : `begin a block "option ${name}:"`,
      );
    }
  }
}

/** The comment page at the top of a text, maybe behind its `system` line. */
function proseOf(lines) {
  const found = [];
  for (const line of lines) {
    const text = stripped(line);
    if (text.startsWith("--")) found.push(text.replace(/^-+/, "").replace(/^ /, ""));
    else if (text && (found.length || split(text)[0] !== "system")) break;
    else if (found.length) found.push("");
  }
  return stripped(found.join("\n"));
}
