// What a handout says: questions of topics, themes and boards, the system's answers, and boards for files.

import { post } from "../api.js";
import { board } from "../boards/board_facts.js";
import { SEATS } from "../bridge/calls.js";
import { writeDeal } from "../bridge/cards.js";
import { MOST_HANDS } from "./handout_code.js";

/** Questions that are asked at once: a service takes a few of one person. */
const AT_ONCE = 4;
const SOUTH = 2;

function aboutDeal({ hands, dealer, vulnerability }) {
  return { deal: writeDeal(hands), dealer: SEATS[dealer], vulnerability };
}

/** Auctions of whole deals as the system bids them, one for each. */
async function auctionsOf(deals, tableName, signal) {
  if (!deals.length) return [];
  const { results } = await post("/v1/auctions", { deals: deals.map(aboutDeal), mode: "first", table: tableName }, { signal });
  return results.map((one) => one.auctions[0]?.calls ?? []);
}

/** Questions of boards, at most as many as a handout has: South's first turn, else that of the first hand that is known. */
export async function questionsOfBoards(boards, tableName, signal) {
  const chosen = boards.filter(({ hands }) => hands.some(Boolean)).slice(0, MOST_HANDS);
  const silent = chosen.filter(({ hands, calls }) => !calls?.length && hands.every(Boolean));
  const bid = await auctionsOf(silent, tableName, signal);
  return chosen.flatMap((one) => {
    const { hands, dealer, vulnerability } = one;
    const calls = one.calls?.length ? one.calls : bid[silent.indexOf(one)] ?? [];
    const seat = hands[SOUTH] ? SOUTH : hands.findIndex(Boolean);
    const turn = (seat - dealer + SEATS.length) % SEATS.length;
    // a hand whose turn an auction does not come to is asked about nothing
    if (calls.length < turn) return [];
    const about = { calls: calls.slice(0, turn), dealer, vulnerability, hand: hands[seat] };
    return [hands.every(Boolean) ? { ...about, hands } : about];
  });
}

/**
 * What practice would answer to each question: the answer of `/v1/bid`, with the whole auction of a whole deal. `progress`
 * hears how many are answered.
 */
export async function answersOf(questions, tableName, signal, progress = () => {}) {
  const answers = [];
  let done = 0;
  const answerOf = async ({ calls, dealer, vulnerability, hand }) => {
    const answer = await post("/v1/bid", {
      hand, auction: calls, dealer: SEATS[dealer], vulnerability, table: tableName, candidates: true, words: true,
    }, { signal });
    done += 1;
    progress(done);
    return answer;
  };
  for (let first = 0; first < questions.length; first += AT_ONCE) {
    answers.push(...await Promise.all(questions.slice(first, first + AT_ONCE).map(answerOf)));
  }
  const whole = questions.filter(({ hands }) => hands);
  const auctions = await auctionsOf(whole, tableName, signal);
  return answers.map((answer, place) => ({ ...answer, auction: auctions[whole.indexOf(questions[place])] ?? null }));
}

/** Boards of questions, numbered, with the calls before each: for files that other programs read. */
export function boardsOf(topic, questions) {
  return questions.map(({ calls, dealer, vulnerability, hand, hands }, place) => {
    const seat = (dealer + calls.length) % SEATS.length;
    return board({
      hands: hands ?? SEATS.map((_, one) => (one === seat ? hand : "")),
      dealer, vulnerability, calls, number: place + 1, record: place + 1, event: topic,
      alerts: calls.map(() => false), announcements: calls.map(() => ""),
    });
  });
}
