/** A call: "P", "X", "XX", "1C" … "7N". */
export type Call = string;

/** A hand "K52.AQ3.9876.KJ2" (spades first), or its holdings [clubs, diamonds, hearts, spades], bit 12 the ace. */
export type Hand = string | [number, number, number, number];

/** Calls from the dealer on, as "1N P 2C" or one by one. */
export type AuctionSoFar = string | Call[];

export interface Circumstances {
  /** "N", "E", "S" or "W"; North unless given. */
  dealer?: string;
  /** "None", "NS", "EW" or "Both"; none unless given. */
  vulnerability?: string;
}

/** One condition with the hand's own value. */
export interface Criterion {
  expression: string;
  value: number | boolean | string | null | Record<string, number | boolean | string | null>;
  holds: boolean;
  /** Phrases of the line that the condition is made of, where they were asked for and there are some. */
  words?: { text: string; expression: string }[];
}

/** One line of the system that may make the next call, tested on a hand. */
export interface Candidate {
  call: Call;
  entry: null;
  name: string;
  description: string;
  /** File and line, "sayc.bidding:12". */
  where: string;
  holds: boolean;
  criteria: Criterion[];
  /** "forcing", "artificial", "#stayman" … */
  agreements: string[];
  /** The earlier line that makes the call instead, where this one holds too. */
  taken_by: string | null;
}

/** A call that a hand nearly makes, and the conditions that it does not meet. */
export interface NearestCall {
  call: Call;
  name: string;
  /** All that is missing: "12+ points (you have 6)". */
  needs: string;
  /** What is wanted and what of it the hand has: "12+ points", "you have 6". */
  missing: { expression: string; wanted: string; has: string }[];
}

/** The call for a hand, and why. */
export interface Bid {
  call: Call;
  entry: null;
  name: string;
  description: string;
  where: string;
  agreements: string[];
  /** Whether it is a pass because no line holds; `note` says why. */
  default_pass: boolean;
  note: string;
  /** Whether partner's call asks for an answer. */
  forced: boolean;
  candidates: Candidate[];
  /** Where words were asked for and the call is made for want of others: at most three of those tried before it. */
  nearest?: NearestCall[];
}

type Range = [number, number];
type Lengths = Record<"C" | "D" | "H" | "S", Range>;

export interface HandType {
  name: string;
  where: string;
  /** Part of the hands that make the call, 0 to 1. */
  share: number;
  points: Range;
  lengths: Lengths;
}

/** What a call said, and what its player has shown with it and before. */
export interface ExplainedCall {
  call: Call;
  /** Counted from the dealer, 0 to 3. */
  player: number;
  sentence: string;
  /** Whether the system has a line for the call. */
  known: boolean;
  agreements: string[];
  hand_types: HandType[];
  /** Those that the player promises. */
  points: Range;
  /** Those of all hands that call so, of light ones with long suits too. */
  every_points: Range;
  lengths: Lengths;
  /** Bounds of further terms, such as Aces. */
  also: Record<string, Range>;
  share: number;
}

export interface Explanation {
  auction: string;
  calls: ExplainedCall[];
  /** Whether the next player may not pass. */
  forced: boolean;
  game_forced: boolean;
  agreed_suit: string | null;
  next_calls: { call: Call; name: string; where: string }[];
}

export interface Where {
  file: string;
  line: number;
  column: number;
}

export interface Complaint {
  where: Where;
  message: string;
  lineText: string;
  caret: string;
  advice: string;
}

/** A text that is no system, with everything that is wrong with it. */
export class InvalidSystem extends Error {
  complaints: Complaint[];
}

/** The engine's core, WebAssembly, cannot run here, or is of another version than the scripts. */
export class NoCore extends Error {
  status: "missing" | "version";
}

export class InvalidHand extends Error {}
export class InvalidDeal extends Error {}
export class InvalidCall extends Error {}
export class IllegalCall extends Error {}

/** An option of a system's text. */
export interface SystemOption {
  name: string;
  /** What players call it, and a line of what it is; that may be empty. */
  title: string;
  about: string;
  /** Whether it is played. */
  on: boolean;
  /** Options that its lines stand in, and whether each has to be on. */
  within: Record<string, boolean>;
}

/** A bidding system; methods throw one of the errors above for what is no hand, deal, call or legal auction. */
export class System {
  private constructor();
  readonly title: string;
  /** What the other side plays. */
  readonly opponents: System;
  /** Options of the text in its order, and whether they hold. */
  readonly options: SystemOption[];
  /** The call for a hand after an auction that goes on. */
  bid(hand: Hand, auction?: AuctionSoFar, circumstances?: Circumstances & { words?: boolean }): Bid;
  /** All lines that may make the next call, in the order in which they are tried. */
  candidates(hand: Hand, auction?: AuctionSoFar, circumstances?: Circumstances): Candidate[];
  /** The whole auction of four hands N, E, S, W; this system is the dealer's side's. */
  auction(hands: [Hand, Hand, Hand, Hand], circumstances?: Circumstances & { opponents?: System }): Call[];
  /** What every call of an auction has shown; at any vulnerability, unless one is given. */
  explain(auction?: AuctionSoFar, circumstances?: Circumstances): Explanation;
}

export interface LoadOptions {
  /** Texts that the system may include, by file name. */
  files?: Record<string, string> | Map<string, string>;
  /** Options of the text that are to be on or off. */
  options?: Record<string, boolean>;
  /** Leave out options that the text lacks; an error otherwise. */
  ignoreLacking?: boolean;
  /** The other side's system; the same unless given. */
  opponents?: System | null;
  /** Name of the text in messages. */
  name?: string;
}

/** Load a system: its text, the name of one of the `files`, or its rows as the service writes them. */
export function load(source: string | unknown[], options?: LoadOptions): System;
