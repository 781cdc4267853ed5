// Reads what people paste: PBN deals and files, LIN, addresses of hand viewers, single hands.
// A board is {hands, dealer, vulnerability, calls, title}; what is not told is null.

import { firstIllegal, readCall, SEATS, SEAT_NAMES } from "./calls.js";
import { completeHands, wholeHand } from "./cards.js";
import { phrase } from "./texts.js";

const LONGEST_TEXT = 4_000_000;
const MOST_BOARDS = 5000;
const LIN_SIDES = { O: "None", 0: "None", "-": "None", N: "NS", E: "EW", B: "Both" };
const PBN_SIDES = {
  NONE: "None", LOVE: "None", "-": "None", O: "None",
  NS: "NS", EW: "EW", ALL: "Both", BOTH: "Both", B: "Both",
};

/** Kinds of text, the first that fits: its name, how it is known, how it is read. */
const KINDS = [
  ["address", /^https?:\/\//i, (text) => [readAddress(text)]],
  ["pbn", /\[\s*Deal\s+"/i, readPbnFile],
  ["lin", /(?:^|\|)\s*md\s*\|/i, readLin],
  ["deal", /^[NESW]\s*:/i, (text) => [board({ ...readPbnDeal(text) })]],
  ["hands", /^(?:[^\n;]*[^\s;][^\n;]*[\n;]+){3}[^\n;]+$/, readLines],
  ["hand", /^/, (text) => [board({ hand: wholeHand(text) })]],
];

/** Boards of a text; throws a sentence that says what it was read as, and what is wrong with it. */
export function readPasted(text) {
  const written = text.trim();
  if (!written) throw new Error(phrase("paste.empty"));
  if (written.length > LONGEST_TEXT) throw new Error(phrase("paste.long"));
  const [name, , read] = KINDS.find(([, form]) => form.test(written));
  return within(() => {
    const boards = read(written).slice(0, MOST_BOARDS);
    boards.forEach(checkCalls);
    return boards;
  }, (problem) => phrase("paste.problem", { kind: phrase(`paste.kind.${name}`), problem }));
}

/** What a function returns; what it complains of is told with the place where that was. */
function within(read, tell) {
  try {
    return read();
  } catch (error) {
    throw new Error(tell(error.message));
  }
}

/** Four hands, or the four suits of one. */
function readLines(text) {
  const lines = text.split(/[\n;]+/).map((line) => line.trim());
  if (lines.join("").replace(/10/g, "T").replace(/[^AKQJT2-9]/gi, "").length < 26) {
    return [board({ hand: wholeHand(lines.map((line) => line || "-").join(" ")) })];
  }
  const hands = lines.map((line, index) => within(
    () => wholeHand(line), (problem) => phrase("paste.in-line", { line: index + 1, problem }),
  ));
  return [board({ hands: completeHands(hands), dealer: null })];
}

function board(told) {
  return {
    hands: null, hand: null, dealer: null, vulnerability: null, calls: null, title: "", ...told,
  };
}

function checkCalls(one) {
  const illegal = one.calls ? firstIllegal(one.calls) : -1;
  if (illegal < 0) return;
  const before = one.calls.slice(0, illegal).join(" ");
  throw new Error(phrase("paste.illegal", {
    call: one.calls[illegal], board: one.title ? ` (${one.title})` : "",
    where: illegal ? phrase("paste.illegal-after", { calls: before }) : phrase("paste.illegal-first"),
  }));
}

function readPbnDeal(text) {
  const match = /^([NESW])\s*:\s*(.*)$/is.exec(text.trim());
  if (!match) throw new Error(phrase("paste.deal-form", { text }));
  const first = SEATS.indexOf(match[1].toUpperCase());
  const parts = match[2].trim().split(/\s+/);
  if (parts.length !== 4) {
    throw new Error(phrase("paste.four-hands", { hands: parts.length }));
  }
  const hands = ["", "", "", ""];
  parts.forEach((part, index) => {
    const seat = (first + index) % 4;
    if (part !== "-") hands[seat] = handOfSeat(part, seat);
  });
  return { hands: completeHands(hands), dealer: first };
}

function handOfSeat(text, seat) {
  return within(() => wholeHand(text), (problem) => phrase("paste.seat", { seat: SEAT_NAMES[seat], problem }));
}

function readPbnFile(text) {
  const boards = [];
  let tags = {};
  const close = () => {
    if (tags.DEAL) boards.push(boardOfTags(tags));
    tags = {};
  };
  let inAuction = false;
  for (const line of text.split(/\r?\n/)) {
    const tag = /^\s*\[\s*(\w+)\s+"([^"]*)"\s*\]/.exec(line);
    if (tag) {
      const name = tag[1].toUpperCase();
      if (name === "EVENT" || (name === "BOARD" && tags.BOARD) || (name === "DEAL" && tags.DEAL)) close();
      tags[name] = tag[2];
      inAuction = name === "AUCTION";
      if (inAuction) tags.CALLS = "";
    } else if (!line.trim()) {
      if (tags.DEAL) close();
      inAuction = false;
    } else if (inAuction && !/^[%;]/.test(line)) {
      tags.CALLS += ` ${line}`;
    }
  }
  close();
  if (!boards.length) throw new Error(phrase("paste.no-pbn"));
  return boards;
}

function boardOfTags(tags) {
  const deal = readPbnDeal(tags.DEAL);
  const dealer = SEATS.indexOf((tags.DEALER ?? "").trim().toUpperCase().charAt(0));
  let calls = null;
  if (tags.CALLS !== undefined) {
    const words = tags.CALLS.replace(/\{[^}]*\}/g, " ").replace(/\$\d+|=\d+=|\*|!+|\?+/g, " ")
      .split(/\s+/).filter(Boolean);
    calls = [];
    for (const word of words) {
      if (/^AP$/i.test(word)) {
        const over = calls.length ? 3 : 4;
        for (let pass = 0; pass < over; pass += 1) calls.push("P");
        break;
      }
      const call = readCall(word);
      if (call === null) break;
      calls.push(call);
    }
  }
  return board({
    ...deal,
    dealer: dealer < 0 ? deal.dealer : dealer,
    vulnerability: PBN_SIDES[(tags.VULNERABLE ?? "").trim().toUpperCase()] ?? null,
    calls,
    title: tags.BOARD ? phrase("paste.board", { number: tags.BOARD }) : "",
  });
}

function readLin(text) {
  const fields = text.replace(/\r?\n/g, "").split("|");
  const boards = [];
  let current = null;
  let title = "";
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const name = fields[index].trim().toLowerCase();
    const value = fields[index + 1].trim();
    if (name === "qx") {
      title = phrase(/^c/i.test(value) ? "paste.closed" : "paste.board", { number: value.replace(/^[oc]/i, "") });
      current = null;
    } else if (name === "ah") {
      title = value;
      if (current) current.title = value;
    } else if (name === "md") {
      current = board({ ...readLinDeal(value), title, calls: null });
      boards.push(current);
    } else if (name === "sv" && current) {
      current.vulnerability = LIN_SIDES[value.toUpperCase().charAt(0)] ?? null;
    } else if (name === "mb" && current) {
      current.calls ??= [];
      for (const part of value.match(/[1-7](?:NT?|[SHDC])|P(?:ASS)?|D(?:BL)?|XX?|R(?:DBL)?/gi) ?? []) {
        current.calls.push(readCall(part));
      }
    }
  }
  if (!boards.length) throw new Error(phrase("paste.no-lin"));
  return boards;
}

function readLinDeal(value) {
  const dealer = "1234".indexOf(value.charAt(0));
  const written = dealer < 0 ? value : value.slice(1);
  // South first, then clockwise
  const hands = ["", "", "", ""];
  written.split(",").slice(0, 4).forEach((part, index) => {
    const seat = (2 + index) % 4;
    if (part) hands[seat] = handOfSeat(part, seat);
  });
  return { hands: completeHands(hands), dealer: dealer < 0 ? null : (2 + dealer) % 4 };
}

function readAddress(text) {
  let parameters;
  try {
    parameters = new URL(text).searchParams;
  } catch {
    throw new Error(phrase("paste.bad-address"));
  }
  const lin = parameters.get("lin") ?? parameters.get("LIN");
  if (lin) return readLin(lin)[0];
  if (!SEATS.some((seat) => parameters.get(seat.toLowerCase()))) {
    throw new Error(phrase("paste.no-address"));
  }
  const hands = SEATS.map((seat, index) => {
    const written = parameters.get(seat.toLowerCase());
    return written ? handOfSeat(written, index) : "";
  });
  const dealer = SEATS.indexOf((parameters.get("d") ?? "").toUpperCase());
  const auction = parameters.get("a");
  let calls = null;
  if (auction !== null) {
    const plain = auction.replace(/\([^)]*\)|\{[^}]*\}|\[[^\]]*\]/g, "");
    calls = (plain.match(/[1-7][shdcn]|p|d|x+|r/gi) ?? []).map(readCall);
  }
  const number = parameters.get("b");
  return board({
    hands: completeHands(hands),
    dealer: dealer < 0 ? null : dealer,
    vulnerability: LIN_SIDES[(parameters.get("v") ?? "").toUpperCase().charAt(0)] ?? null,
    calls,
    title: number ? phrase("paste.board", { number }) : "",
  });
}

export function describeBoard(one) {
  if (one.hand) return phrase("paste.one-hand");
  return phrase("paste.read", {
    title: one.title || phrase("paste.deal"),
    dealer: one.dealer === null ? "" : phrase("paste.read-dealer", { seat: SEAT_NAMES[one.dealer] }),
    calls: one.calls?.length ? phrase("paste.read-calls", { number: one.calls.length }) : "",
  });
}
