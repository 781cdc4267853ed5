// Reads what people paste: PBN deals and files, LIN, addresses of hand viewers, single hands.
// A board is {hands, dealer, vulnerability, calls, title}; what is not told is null.

import { firstIllegal, readCall, SEATS, SEAT_NAMES } from "./calls.js";
import { completeHands, readHand, wholeHand, writeHand } from "./cards.js";

const LONGEST_TEXT = 4_000_000;
const MOST_BOARDS = 5000;
const LIN_SIDES = { O: "None", 0: "None", "-": "None", N: "NS", E: "EW", B: "Both" };
const PBN_SIDES = {
  NONE: "None", LOVE: "None", "-": "None", O: "None",
  NS: "NS", EW: "EW", ALL: "Both", BOTH: "Both", B: "Both",
};

/** Boards of a text; throws a sentence where it is nothing that is read here. */
export function readPasted(text) {
  const written = text.trim();
  if (!written) throw new Error("There is nothing to read yet; paste a deal or a hand.");
  if (written.length > LONGEST_TEXT) throw new Error("This is too long; upload it as an archive.");
  const boards = boardsOf(written).slice(0, MOST_BOARDS);
  boards.forEach(checkCalls);
  return boards;
}

function boardsOf(text) {
  if (/^https?:\/\//i.test(text)) return [readAddress(text)];
  if (/\[\s*Deal\s+"/i.test(text)) return readPbnFile(text);
  if (/(?:^|\|)\s*md\s*\|/i.test(text)) return readLin(text);
  if (/^[NESW]\s*:/i.test(text)) return [board({ ...readPbnDeal(text) })];
  const lines = text.split(/[\n;]+/).map((line) => line.trim()).filter(Boolean);
  if (lines.length === 4) return [board({ hands: completeHands(lines.map(wholeHand)), dealer: null })];
  return [board({ hand: wholeHand(text) })];
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
  const where = illegal ? ` after ${before}` : " as the first call";
  throw new Error(`${one.calls[illegal]} is not a legal call${where}${one.title ? ` (${one.title})` : ""}.`);
}

function readPbnDeal(text) {
  const match = /^([NESW])\s*:\s*(.*)$/is.exec(text.trim());
  if (!match) throw new Error(`A deal is written N:S.H.D.C S.H.D.C S.H.D.C S.H.D.C; this is “${text}”.`);
  const first = SEATS.indexOf(match[1].toUpperCase());
  const parts = match[2].trim().split(/\s+/);
  if (parts.length !== 4) {
    throw new Error(`A deal has four hands with blanks between them; this one has ${parts.length}.`);
  }
  const hands = ["", "", "", ""];
  parts.forEach((part, index) => {
    hands[(first + index) % 4] = part === "-" ? "" : wholeHand(part);
  });
  return { hands: completeHands(hands), dealer: first };
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
  if (!boards.length) throw new Error("There is no deal in this PBN text.");
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
    title: tags.BOARD ? `Board ${tags.BOARD}` : "",
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
      title = `Board ${value.replace(/^[oc]/i, "")}${/^c/i.test(value) ? " (closed room)" : ""}`;
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
  if (!boards.length) throw new Error("There is no deal (md) in this LIN text.");
  return boards;
}

function readLinDeal(value) {
  const dealer = "1234".indexOf(value.charAt(0));
  const written = dealer < 0 ? value : value.slice(1);
  // South first, then clockwise
  const hands = ["", "", "", ""];
  written.split(",").slice(0, 4).forEach((part, index) => {
    if (part) hands[(2 + index) % 4] = wholeHand(part);
  });
  return { hands: completeHands(hands), dealer: dealer < 0 ? null : (2 + dealer) % 4 };
}

function readAddress(text) {
  let parameters;
  try {
    parameters = new URL(text).searchParams;
  } catch {
    throw new Error("This address cannot be read.");
  }
  const lin = parameters.get("lin") ?? parameters.get("LIN");
  if (lin) return readLin(lin)[0];
  if (!SEATS.some((seat) => parameters.get(seat.toLowerCase()))) {
    throw new Error("There is no deal in this address: it has neither lin= nor hands (n= e= s= w=).");
  }
  const hands = SEATS.map((seat) => {
    const written = parameters.get(seat.toLowerCase());
    if (!written) return "";
    const hand = writeHand(readHand(written));
    return hand.length === 16 ? hand : wholeHand(written);
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
    title: number ? `Board ${number}` : "",
  });
}

export function describeBoard(one) {
  if (one.hand) return "One hand read.";
  const dealer = one.dealer === null ? "" : `, dealer ${SEAT_NAMES[one.dealer]}`;
  const calls = one.calls?.length ? `, ${one.calls.length} calls` : "";
  return `${one.title || "Deal"} read${dealer}${calls}.`;
}
