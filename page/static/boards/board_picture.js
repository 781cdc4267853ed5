// A picture of a board: hands, dealer, vulnerability, auction, contract. One drawing, as SVG or PNG.

import { linksText } from "./board_export.js";
import { contractParts, titleOf } from "./board_facts.js";
import { noteOf } from "./call_notes.js";
import { isBid, SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { pointsOf, shownCards, SUIT_SIGNS, SUITS, suitsOf } from "../bridge/cards.js";
import { svg } from "../dom.js";
import { bidText, callText } from "../format.js";
import { isVulnerable } from "../bridge/seats.js";
import { phrase } from "../texts.js";

const FONT = "\"DejaVu Sans\", \"Segoe UI\", \"Segoe UI Symbol\", \"Noto Sans\", sans-serif";
const WIDTH = 640;
const EDGE = 24;
const LINE = 22;
const SIZE = 15;
/** Where hands stand: the left edge and the line of each seat's name. */
const HAND_PLACES = [[240, 0], [430, 5], [240, 10], [EDGE, 5]];
const HANDS_LINES = 15;
const COLUMN = 76;
const COLUMNS = [3, 0, 1, 2];
const LONGEST_NAME = 20;
const NOTE_LETTERS = 78;
const SCALE = 2;
const COLOURS = {
  page: "card", text: "text", soft: "soft", band: "band", felt: "felt", on: "on-felt", bad: "bad",
  vulnerable: "bad-soft",
  S: "spade", H: "heart", D: "diamond", C: "club",
};

/** The page's colours as they are now. */
function pageColours() {
  const style = getComputedStyle(document.documentElement);
  const valueOf = (name) => style.getPropertyValue(`--${name}`).trim();
  return Object.fromEntries(Object.entries(COLOURS).map(([name, of]) => [name, valueOf(of)]));
}

/** Runs of a text, each with its colour: suit signs have their own. */
function runs(text, colour, colours) {
  return text.split(/([♠♥♦♣])/u).filter(Boolean).map((part) => (
    [part, colours[Object.keys(SUIT_SIGNS).find((suit) => SUIT_SIGNS[suit] === part)] ?? colour]
  ));
}

function shortened(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Lines of a text of so many letters. */
function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= most) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) && " ") + shortened(word, most);
  }
  return lines;
}

function contractLine(one) {
  if (one.contract === "Pass") return phrase("picture.passed-out");
  const contract = contractParts(one);
  if (!contract) return "";
  const bid = bidText(contract.level + contract.strain + contract.risk);
  const over = one.tricks === null ? "" : one.tricks - 6 - Number(contract.level);
  const result = over === "" ? "" : over ? ` ${over > 0 ? "+" : "−"}${Math.abs(over)}` : " =";
  return one.declarer === null ? bid : phrase("picture.contract", { bid, who: SEAT_NAMES[contract.declarer], result });
}

/** What the picture shows, in words. */
function pictureText(one) {
  return [
    titleOf(one), ...one.hands.map((hand, seat) => hand && `${SEAT_NAMES[seat]} ${hand}`),
    phrase("picture.deals", { who: SEAT_NAMES[one.dealer], side: phrase(`sides.${one.vulnerability}`) }),
    (one.calls ?? []).map(callText).join(" "), contractLine(one),
  ].filter(Boolean).join(". ");
}

/** Drawing of a board: its height, and boxes and texts from back to front. */
function drawing(one, colours) {
  const parts = [];
  const box = (x, y, width, height, fill, radius = 0) => parts.push({ x, y, width, height, fill, radius });
  const write = (x, y, text, { colour = colours.text, size = SIZE, bold = false, anchor = "start" } = {}) => (
    parts.push({ x, y, runs: runs(text, colour, colours), size, bold, anchor })
  );
  const calls = one.calls ?? [];
  const notes = calls.map((_, place) => noteOf(one, place));
  const title = one.number === null ? "" : titleOf(one);
  write(EDGE, 34, shortened([title, one.event].filter(Boolean).join(" · "), 60), { bold: true, size: 17 });
  const top = 64;
  HAND_PLACES.forEach(([x, line], seat) => {
    const hand = one.hands[seat];
    const y = top + line * LINE;
    const name = shortened([SEAT_NAMES[seat], one.players?.[seat]].filter(Boolean).join(" "), LONGEST_NAME);
    write(x, y, name, { bold: true, colour: isVulnerable(one.vulnerability, seat) ? colours.bad : colours.text });
    if (hand) write(x + 168, y, String(pointsOf(hand)), { colour: colours.soft, size: 13, anchor: "end" });
    if (!hand) write(x, y + LINE, phrase("deal.not-known"), { colour: colours.soft });
    const suits = suitsOf(hand);
    SUITS.forEach((suit, index) => hand && write(
      x, y + (index + 1) * LINE, `${SUIT_SIGNS[suit]} ${shownCards([...suits[suit]].join(" ")) || "—"}`,
    ));
  });
  const [middle, centre] = [EDGE + 278, top + 6.9 * LINE];
  box(middle - 44, centre - 44, 88, 88, colours.felt, 8);
  SEATS.forEach((seat, index) => {
    const [dx, dy] = [[0, -30], [30, 0], [0, 30], [-30, 0]][index];
    const vulnerable = isVulnerable(one.vulnerability, index);
    if (vulnerable) box(middle + dx - 11, centre + dy - 11, 22, 22, colours.vulnerable, 4);
    write(middle + dx, centre + dy + 5, seat, {
      bold: true, anchor: "middle", colour: vulnerable ? colours.bad : colours.on,
    });
  });
  let y = top + HANDS_LINES * LINE + 8;
  const head = y;
  box(EDGE, y - 17, 4 * COLUMN, 24, colours.band, 4);
  COLUMNS.forEach((seat, column) => write(EDGE + (column + 0.5) * COLUMN, y, SEATS[seat], {
    bold: true, anchor: "middle", colour: isVulnerable(one.vulnerability, seat) ? colours.bad : colours.text,
  }));
  let number = 0;
  calls.forEach((call, place) => {
    const cell = (one.dealer + 1) % 4 + place;
    y = head + 26 + Math.floor(cell / 4) * LINE;
    const x = EDGE + (cell % 4 + 0.5) * COLUMN;
    const colour = isBid(call) || call === "P" ? colours.text : colours.bad;
    write(x, y, callText(call), { anchor: "middle", bold: call !== "P", colour });
    if (notes[place]) write(x + 22, y - 6, String(number += 1), { size: 11, colour: colours.soft });
  });
  const side = EDGE + 4 * COLUMN + 24;
  const facts = [
    contractLine(one), phrase("picture.dealer", { who: SEAT_NAMES[one.dealer] }),
    phrase("picture.sides", { side: phrase(`sides.${one.vulnerability}`) }),
  ].filter(Boolean);
  facts.forEach((text, index) => write(side, head + 4 + index * LINE, text, {
    bold: !index && facts.length > 2, colour: index || facts.length < 3 ? colours.soft : colours.text,
  }));
  y = Math.max(y, head + (facts.length - 1) * LINE) + 14;
  notes.map((note, place) => [note, place]).filter(([note]) => note).forEach(([note, place], index) => {
    wrapped(`${index + 1}  ${callText(calls[place])}: ${note}`, NOTE_LETTERS).forEach((line) => {
      y += 18;
      write(EDGE, y, line, { size: 12, colour: colours.soft });
    });
  });
  return { height: Math.round(y + EDGE), parts };
}

/** The picture as an SVG element. */
function pictureSvg(one, colours = pageColours()) {
  const { height, parts } = drawing(one, colours);
  const made = svg("svg", {
    width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": pictureText(one),
    "font-family": FONT,
  }, svg("rect", { width: WIDTH, height, fill: colours.page }));
  // the board itself, for readers of files of boards
  made.append(svg("metadata", {}, linksText([one]).trim()));
  for (const part of parts) {
    made.append(part.runs ? svg("text", {
      x: part.x, y: part.y, "font-size": part.size, "font-weight": part.bold ? 600 : 400, "text-anchor": part.anchor,
      "xml:space": "preserve",
    }, part.runs.map(([text, fill]) => svg("tspan", { fill }, text))) : svg("rect", {
      x: part.x, y: part.y, width: part.width, height: part.height, fill: part.fill, rx: part.radius,
    }));
  }
  return made;
}

/** The picture as the text of an SVG file. */
export function svgText(one) {
  return new XMLSerializer().serializeToString(pictureSvg(one));
}

/** The picture as a PNG blob, two points for one. */
export function pngBlob(one) {
  const colours = pageColours();
  const { height, parts } = drawing(one, colours);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH * SCALE, height * SCALE];
  const paper = canvas.getContext("2d");
  paper.scale(SCALE, SCALE);
  paper.fillStyle = colours.page;
  paper.fillRect(0, 0, WIDTH, height);
  for (const part of parts) {
    if (part.runs) {
      paper.font = `${part.bold ? 600 : 400} ${part.size}px ${FONT}`;
      const widths = part.runs.map(([text]) => paper.measureText(text).width);
      const all = widths.reduce((sum, width) => sum + width, 0);
      let x = part.x - { start: 0, middle: all / 2, end: all }[part.anchor];
      part.runs.forEach(([text, fill], index) => {
        paper.fillStyle = fill;
        paper.fillText(text, x, part.y);
        x += widths[index];
      });
    } else {
      paper.fillStyle = part.fill;
      paper.beginPath();
      paper.roundRect(part.x, part.y, part.width, part.height, part.radius);
      paper.fill();
    }
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(phrase("picture.no-png")))), "image/png");
  });
}
