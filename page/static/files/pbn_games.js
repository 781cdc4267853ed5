// PBN text cut into games: tags, sections, notes and comments, with inheritance resolved.
// loaders/pbn/pbn_tokens.py is the definition.

import { readerRemark } from "../boards/board_facts.js";

const LINE = /[^"\\\n]*(?:\\.[^"\\\n]*)*/.source;
const NAME = /\[\s*([A-Za-z]\w*)\s*"/.source;
const STRAY = /[^\n[]*(?:\[(?!\s*[A-Za-z]\w*\s*")[^\n[]*)*/.source;

/** Tags, comments, escaped lines and pieces of text. */
function tokenOf(text) {
  return new RegExp([
    // a tag takes the text behind it along; it may stand on several lines
    `${NAME}(${LINE})"\\s*\\](${text}*)`,
    // stray quotes, up to where another tag begins, or a value over lines
    `${NAME}(${STRAY}(?="[ \\t]*\\][ \\t]*(?:\\n|(?![^])))|${LINE}(?:\\n[ \\t]*(?=[^[ \\t\\n])${LINE})+)"\\s*\\]`,
    "(\\{)", ";([^\\n]*)", "(?<![^\\n])%[^\\n]*", `(${text}+|[[%])`,
  ].join("|"), "g");
}

const TOKEN = tokenOf("[^[{;%]");
/** What a row has in quotes is text; a quote that is never closed ends with the line. */
const TABLE_TOKEN = tokenOf(`(?:[^[{;%"]|"${LINE}(?:"|\\\\?(?=\\n|(?![^]))))`);
const GAME_TAG = /\[(?:Event|Board|Deal|Auction)[ \t]+"/y;
/** No comment goes on beyond such a line. */
export const TAG_LINE = /(?<![^\n])[ \t]*\[\s*[A-Za-z]\w*\s*"/g;
const PLAYED = new Set(["Auction", "Play", "Contract", "Declarer", "Result", "Score"]);
const OPENING = new Set([
  "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
]);
const INHERITED = ["Deal", "Board", "Dealer", "Vulnerable", "Event"];

function isSection(name) {
  return name === "Auction" || name === "Play" || isTable(name);
}

function isTable(name) {
  return name.endsWith("Table");
}

export function unescape(text) {
  return text.replace(/\\(["\\#])/g, "$1");
}

function find(text, what, from) {
  const place = text.indexOf(what, from);
  return place < 0 ? text.length : place;
}

/** Board number without blanks and noughts in front. */
function plainBoard(tags) {
  return (tags.get("Board") ?? "").trim().toLowerCase().replace(/\b0+(?=\d)/g, "");
}

function empty(comments = []) {
  return {
    number: 0, tags: new Map(), sections: new Map(), notes: new Map(), playNotes: new Map(), comments,
    isSubstantial: false, isPlayed: false,
  };
}

/** Lines of score tables, each with the name that its columns stand under. */
function travellersOf(sections) {
  return ["ScoreTable", "ScoreTable 2"].flatMap((name) => (
    (sections.get(name) ?? "").split("\n").filter((line) => line.trim()).map((line) => [name, line])
  ));
}

class Splitter {
  number = 0;

  game = empty();

  pending = [];

  lasting = new Map();

  previous = empty();

  foreign = null;

  /** Whether a tag belongs to the game after this one. */
  isNext(name, isAfterBlank) {
    const { tags, isSubstantial, isPlayed } = this.game;
    const isKnown = PLAYED.has(name) || OPENING.has(name) || name === "Deal";
    if (tags.has(name) && isKnown) return isSubstantial || isAfterBlank;
    return isAfterBlank && isSubstantial && (isPlayed || !PLAYED.has(name));
  }

  end() {
    const { game } = this;
    const travellers = travellersOf(game.sections);
    const tags = this.resolved();
    const number = plainBoard(tags);
    const isOther = !["", "?", "-", plainBoard(this.previous.tags)].includes(number);
    if (game.isPlayed && !tags.has("Deal") && this.previous.tags.has("Deal") && !isOther) {
      for (const name of INHERITED) {
        if (!game.tags.has(name) && this.previous.tags.has(name)) tags.set(name, this.previous.tags.get(name));
      }
    }
    const ended = {
      number: game.number, tags, sections: game.sections, notes: new Map([...game.playNotes, ...game.notes]),
      comments: game.comments, travellers, firstTraveller: this.number + 1,
    };
    this.number += travellers.length;
    this.previous = { ...game, tags };
    this.game = empty(this.pending);
    this.pending = [];
    return ended;
  }

  endForeign() {
    const { number, text } = this.foreign;
    this.foreign = null;
    return { number, foreign: text.trim() };
  }

  /** Tags with `#` (as before) and `##` (from now on) applied. */
  resolved() {
    const { game, previous } = this;
    const tags = new Map(this.lasting);
    for (const [name, value] of game.tags) {
      if (value.includes("\\")) tags.set(name, unescape(value));
      else if (value.startsWith("##")) {
        this.lasting.set(name, value.slice(2));
        tags.set(name, value.slice(2));
      } else if (!value.startsWith("#")) tags.set(name, value);
      else {
        tags.set(name, previous.tags.get(name) ?? "");
        if (previous.sections.has(name) && !(game.sections.get(name) ?? "").trim()) {
          game.sections.set(name, previous.sections.get(name));
          // what the section refers to by number
          const kind = { Auction: "notes", Play: "playNotes" }[name];
          if (kind) game[kind] = new Map([...previous[kind], ...game[kind]]);
        }
      }
    }
    return tags;
  }

  addNote(value, section) {
    const notes = section === "Play" ? this.game.playNotes : this.game.notes;
    const colon = find(value, ":", 0);
    const number = value.slice(0, colon).trim();
    // the sign of an alert alone says nothing
    const said = unescape(value.slice(colon + 1).trim());
    if (!notes.has(number)) notes.set(number, section !== "Play" && /^[!*\s]*$/.test(said) ? "" : said);
  }

  /** Add a tag to the game; returns the section that begins with it, "" if none does. */
  addTag(name, value) {
    const { game } = this;
    const isRepeated = game.tags.has(name);
    if (!isRepeated) game.tags.set(name, value);
    if (name === "Deal" || PLAYED.has(name)) game.isSubstantial = true;
    if (PLAYED.has(name)) game.isPlayed = true;
    if (!isSection(name)) return "";
    let section = isRepeated ? `${name} 2` : name;
    if (isTable(name) && isRepeated) {
      if (value === game.tags.get(name) || value === "#") section = name;
      else if (!game.tags.has(section)) game.tags.set(section, value);
    }
    if (!game.sections.has(section)) game.sections.set(section, "");
    return section;
  }
}

/** Games of PBN text, and runs of text that is none as {number, foreign}; both count as records. */
export function* gamesOf(written) {
  const text = written.replace(/\r\n?/g, "\n");
  const state = new Splitter();
  let token = new RegExp(TOKEN);
  const goOn = (pattern, place) => {
    token = new RegExp(pattern);
    token.lastIndex = place;
  };
  let [section, lastSection] = ["", ""];
  let isAfterBlank = true;
  // the first of each from the last brace on
  let [closing, tagLine] = [-1, -1];
  for (let match; (match = token.exec(text));) {
    const name = match[1] ?? match[4];
    let loose = match[1] === undefined ? match[8] : match[3];
    const [brace, remark] = [match[6], match[7]];
    const value = match[2] ?? match[5]?.replace(/[ \t]*\n[ \t]*/g, " ");
    if (name === "Note") {
      state.addNote(value, lastSection);
      isAfterBlank = false;
    } else if (name !== undefined) {
      if (state.foreign) yield state.endForeign();
      if (state.isNext(name, isAfterBlank)) {
        yield state.end();
        lastSection = "";
      } else {
        state.game.comments.push(...state.pending);
        state.pending = [];
      }
      if (!state.game.tags.size) state.game.number = ++state.number;
      section = state.addTag(name, value);
      if (section) lastSection = name;
      isAfterBlank = false;
      if (isTable(name) !== (token.source === TABLE_TOKEN.source)) {
        const end = match.index + match[0].length;
        goOn(isTable(name) ? TABLE_TOKEN : TOKEN, loose && loose !== "\n" ? end - loose.length : end);
        continue;
      }
    } else if (brace !== undefined || remark !== undefined) {
      let comment = remark;
      let isBroken = false;
      if (brace !== undefined) {
        const at = match.index;
        if (closing < at) closing = find(text, "}", at);
        if (tagLine < at) {
          TAG_LINE.lastIndex = at;
          tagLine = TAG_LINE.exec(text)?.index ?? text.length;
        }
        GAME_TAG.lastIndex = at + 1;
        // never closed, or only behind tags that it would swallow: it ends with its line
        isBroken = closing > tagLine || Math.min(closing, tagLine) === text.length || GAME_TAG.test(text);
        const end = isBroken ? find(text, "\n", at) : closing;
        comment = text.slice(at + 1, end);
        token.lastIndex = isBroken ? end : end + 1;
      }
      comment = comment.trim();
      // what stands behind the blank line speaks of the game to come, if one comes
      const comments = isAfterBlank && state.game.isPlayed ? state.pending : state.game.comments;
      if (comment) comments.push(comment);
      if (isBroken && comments.at(-1) !== readerRemark("brace", `{${comment}`)) comments.push(readerRemark("brace", `{${comment}`));
      continue;
    }
    if (!loose || (name !== undefined && loose === "\n")) continue;
    if (section) {
      const blank = /\n[ \t]*\n/.exec(loose)?.index;
      state.game.sections.set(section, state.game.sections.get(section) + loose.slice(0, blank));
      if (blank === undefined) continue;
      section = "";
      isAfterBlank = true;
      if (token.source === TABLE_TOKEN.source) {
        // a quote is one no longer
        goOn(TOKEN, match.index + match[0].length - loose.length + blank);
        continue;
      }
      loose = loose.slice(blank);
    }
    if (loose.trim()) {
      state.foreign ??= { number: ++state.number, text: "" };
      state.foreign.text += loose;
      isAfterBlank = /\n[ \t]*\n/.test(loose);
    } else if (loose.split("\n").length > 2) {
      isAfterBlank = true;
    }
  }
  if (state.game.tags.size) {
    state.game.comments.push(...state.pending);
    yield state.end();
  }
  if (state.foreign) yield state.endForeign();
  else if (!state.number && state.game.comments.length) yield { number: 1, foreign: text.trim() };
}
