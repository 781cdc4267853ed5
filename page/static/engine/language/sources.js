// Files of a system, and the statements in them, includes put in place: systems/language/reading/sources.py.
// Files are texts by name; there are no folders.

import { complaintAt, grouped, invalidSystem, nearest } from "../errors.js";
import { rightStripped, split, stripped } from "./blanks.js";
import { codeOf, logicalLines, treeOf } from "./layout.js";
import { chosenValues, heldOptions, nodesOf, placesOf, rawNodes, statedOptions, withinOf } from "./options.js";
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
  /** Where each file gives a title, by its name. */
  titled = new Map();
  prose = "";
  opponents = null;
  /** Conventions as they are written, `{statement, body}`: read anew wherever they are used. */
  conventions = new Map();
  /** All that were read, those among them that another of their name stands before. */
  conventionList = [];
  /** Whether each option is on, once `chooseOptions` was called. */
  options = new Map();
  /** Whether each option holds. */
  held = new Map();
  /** What players call each option. */
  optionWords = new Map();
  /** Whether options were chosen: what is read later sets none. */
  #isChosen = false;
  /** Where options are turned on or off, or only named. */
  #optionStatements = [];
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
        this.#titled(statement.title, item.where);
      } else if (statement.type === "OpponentsStatement") {
        this.opponents = this.#find(statement.file, statement.where) ?? this.opponents;
      } else if (statement.type !== "ConventionStatement") {
        items.push(item);
      }
    }
    return items;
  }

  /** Take the first title that is read; each file has one at most. */
  #titled(title, where) {
    this.title ||= title;
    const known = this.titled.get(where.file);
    if (known === undefined) {
      this.titled.set(where.file, where);
      return;
    }
    this.complain(
      where, `the system has its title already, in line ${known.line}`, "take one of these lines out",
    );
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

  /** Names of the files that a file includes, itself or by those that it includes. */
  #allIncluded(file) {
    const found = new Set(this.includes.get(file));
    for (const one of found) for (const further of this.includes.get(one) ?? []) found.add(further);
    return found;
  }

  /** Whether a meaning of a name counts in place of the one that was read before: that of who includes it does. */
  comesFirst(name, where, known, already) {
    if (known.file === where.file) {
      this.complain(where, `"${name}" is ${already} already, in line ${known.line}`, "give one of them another name");
    }
    return this.#allIncluded(where.file).has(known.file);
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
    const hadBelow = raw.below.length > 0;
    const isHeader = type === "OptionStatement" && (statement.without || endsWithColon(line.text));
    if (type === "OptionStatement") this.#option(statement, isHeader || hadBelow);
    const item = { statement, where: locate(0), below: this.#below(raw, words, used), hadBelow };
    if (type === "Line" && !codeOf(line.text).includes(":")) this.bare.add(placeKey(statement.where));
    if (type === "OptionStatement") {
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
    const parameters = new Set(statement.parameters.map((one) => one.name));
    raw.below.forEach((below) => this.#optionsIn(below, parameters));
  }

  /** Choose the convention that each name stands for, once all files are read. */
  chooseConventions() {
    for (const convention of this.conventionList) {
      const { name, where } = convention.statement;
      const known = this.conventions.get(name)?.statement.where;
      if (known === undefined || this.comesFirst(name, where, known, "there")) this.conventions.set(name, convention);
    }
  }

  // -------------------------------------------------------------------- options
  #option(statement, isHeader) {
    const { name, without, default: value } = statement;
    if (isHeader) this.optionBlocks.add(name);
    if (without) return;
    this.#optionStatements.push(statement);
    if (!this.#isChosen || this.options.has(name)) return;
    // a convention has it by a parameter: nobody knew of it before
    this.options.set(name, value ?? false);
    this.held.set(name, value ?? false);
    this.optionWords.set(name, statedOptions([statement], (file) => this.#allIncluded(file)).words.get(name));
  }

  /** Note the options in a convention: its body is read only where it is used. */
  #optionsIn({ line, below }, parameters) {
    const statement = line.text.startsWith("option ") ? parseStatement(line.text).statement : null;
    if (statement?.type === "OptionStatement" && !parameters.has(statement.name)) {
      this.#option(placed(statement, (position) => line.where(position)), below.length > 0 || endsWithColon(line.text));
    }
    below.forEach((one) => this.#optionsIn(one, parameters));
  }

  /** Of options to be set those that the text has. */
  thoseThere(options) {
    const names = new Set(this.#optionStatements.map(({ name }) => name));
    return Object.fromEntries(Object.entries(options).filter(([name]) => names.has(name)));
  }

  /** Say which options are on and which hold, once all files are read. */
  chooseOptions(items, chosen) {
    const known = new Map();
    const included = (file) => known.get(file) ?? known.set(file, this.#allIncluded(file)).get(file);
    const { values, words } = statedOptions(this.#optionStatements, included);
    const bodies = new Map([...this.conventions].map(([name, { body }]) => [name, rawNodes(body)]));
    const places = placesOf(nodesOf(items), bodies);
    const within = withinOf(places);
    this.optionWords = new Map([...words].map(([name, one]) => [name, { ...one, within: within.get(name) ?? one.within }]));
    this.options = chosenValues(values, places, chosen);
    this.held = heldOptions(this.options, places);
    this.#isChosen = true;
  }

  /** Complain of options that no lines depend on, once all conventions are read. */
  checkOptions() {
    for (const [name, { where }] of this.optionWords) {
      if (this.optionBlocks.has(name)) continue;
      const near = nearest(name, this.optionBlocks);
      this.complain(
        where, `there is no option "${name}"`, near ? `did you mean "${near}"` : `begin a block "option ${name}:"`,
      );
    }
  }
}

function endsWithColon(line) {
  return rightStripped(codeOf(line)).endsWith(":");
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
