// The lines of a PBN score table: what other tables did with a deal. loaders/pbn/pbn_travellers.py is the definition.

import { readerRemark } from "../boards/board_facts.js";
import { readContract, readScore } from "./pbn_sections.js";
import { phrase } from "../texts.js";

const COLUMN = /^[+-]?\s*(\w+)(?:\\(\d{1,8})[LR]?)?/;
const VALUE = /"((?:[^"\\]|\\.)*)(?:"|\\?$)|(\S+)/y;
const SHARED_TAGS = ["Deal", "Board", "Dealer", "Vulnerable", "Event"];

function columnsOf(header) {
  return header.split(";").map((part) => {
    const match = COLUMN.exec(part.trim());
    return { name: match?.[1].toLowerCase() ?? "", width: Number(match?.[2] ?? 0) };
  });
}

/** Values by column, without those that are missing; null if they are not as many. */
function valuesOf(line, columns) {
  const read = (measured) => {
    const found = [];
    let place = 0;
    for (;;) {
      while (place < line.length && !line[place].trim()) place += 1;
      if (place >= line.length || (measured && found.length === columns.length)) return { found, place };
      VALUE.lastIndex = place;
      const match = VALUE.exec(line);
      let end = VALUE.lastIndex;
      const column = measured ? columns[found.length] : null;
      if (column?.name.startsWith("names") && match[1] === undefined) {
        if (column.width) end = place + column.width;
        if (found.length === columns.length - 1) end = line.length;
      }
      found.push(match[1] ?? line.slice(place, end).trim());
      place = end;
    }
  };
  let { found, place } = read(false);
  if (found.length !== columns.length) ({ found, place } = read(true));
  if (found.length !== columns.length || line.slice(place).trim()) return null;
  const values = columns.map(({ name }, index) => [name, found[index].trim()]);
  return new Map(values.filter(([, value]) => !/^(-|\?*)$/.test(value)));
}

/** Tags of what was played and scored; null if a line says neither. */
function resultTags(get) {
  const contract = get("contract");
  let score = "";
  for (const side of ["ns", "ew"]) {
    const given = `${side} ${get(`score_${side}`)}`;
    // the other side's is written as 0 by some
    if (readScore(given, -1) !== null && (!score || score === "ns 0")) score = given;
  }
  if (!readContract(contract) && !score) return null;
  return [["Contract", contract], ["Declarer", get("declarer")], ["Result", get("result")], ["Score", score]];
}

function divided(names) {
  const written = names.split(/\s+/).filter(Boolean).join(" ");
  for (const pattern of [/\s+[-&/+]\s+/, /\s*[-&/+]\s*/]) {
    const parts = written.split(pattern);
    if (parts.length === 2) return parts.map((part) => part.trim());
  }
  return [written, ""];
}

function playerTags(get) {
  return [["ns", "North", "South"], ["ew", "East", "West"]].flatMap(([side, ...seats]) => {
    const number = get(`pairid_${side}`);
    const pair = number && phrase("boards.pair", { number: get("section") + number });
    const names = get(`names_${side}`) ? divided(get(`names_${side}`)) : [pair, pair];
    return seats.map((seat, place) => [seat, get(seat.toLowerCase()) || names[place]]);
  });
}

/** Each line of a game's score tables as a game of the same deal without an auction, or {problem, number}. */
export function* travellersOf(game) {
  for (const [place, [table, line]] of game.travellers.entries()) {
    const number = game.firstTraveller + place;
    const values = valuesOf(line, columnsOf(game.tags.get(table) ?? ""));
    const get = (name) => values.get(name) ?? "";
    const result = values && resultTags(get);
    if (!result) {
      yield { number, problem: phrase("boards.no-result", { text: line.trim().slice(0, 60) }) };
      continue;
    }
    const lead = get("lead");
    const count = get("multiplicity") || "1";
    yield {
      number, tags: new Map([...SHARED_TAGS.filter((name) => game.tags.has(name)).map((name) => [name, game.tags.get(name)]),
        ...result, ...playerTags(get)]),
      sections: new Map(lead ? [["Play", lead]] : []), notes: new Map(),
      comments: /^\d+$/.test(count) && Number(count) === 1 ? [] : [readerRemark("Multiplicity", count)],
    };
  }
}
