// Whose each call of a header is where passes stand bare: systems/language/auctions/turns.py.

import { callPattern } from "./call_builder.js";
import { stepText } from "./wording.js";

/** Passes that an auction may begin with. */
const MOST_PASSES = 3;
const SEATS = ["", "2nd seat", "3rd seat", "4th seat"];

/** A pass as a step of an auction. */
export const passOf = (theirs) => ({
  type: "AuctionStep",
  calls: [callPattern("pass")],
  theirs,
  anyCalls: false,
});

/** Whether a step of an auction is a pass and nothing else. */
export function isPass({ calls }) {
  return calls.length > 0 && calls.every(({ kind }) => kind === "pass");
}

/** Steps with the passes put in that are left out between them. */
export function filled(written) {
  return written.flatMap((step, number) => {
    const before = written[number - 1];
    const isSkipped = before && !before.anyCalls && !step.anyCalls && step.theirs === before.theirs;
    return isSkipped ? [passOf(!step.theirs), step] : [step];
  });
}

/** Steps of an auction with the passes of the other side marked as theirs. */
export function inTurn(written, word, complain) {
  if (!written.some(isPass)) return written;
  const front = written.findIndex((step) => !isPass(step));
  if (front < 0) {
    nobodyBids(written, complain);
    return written;
  }
  if (front && written[front].anyCalls) {
    complain(
      whereOf(written[0]), 'passes in front of "…" are not counted',
      `leave them out: "${word} ${textOf(written.slice(front))}"`,
    );
    return written;
  }
  const rest = written.slice(front);
  const behind = marked(rest);
  const skipped = leftOut(behind);
  const isWhole = behind.some((step, number) => step !== rest[number]) && !written.some((step) => step.theirs);
  if (isWhole && skipped !== undefined) {
    const theirs = textOf(alternating(rest));
    const ours = textOf(written.filter((step) => !isPass(step)));
    complain(
      whereOf(skipped),
      `whose is "${textOf([skipped])}"? Call by call it is their turn, and theirs stands in parentheses`,
      `write "${word} ${theirs}", or "${word} ${ours}"`,
    );
    return [...written.slice(0, front), ...behind];
  }
  return [...frontOf(written, front, word, complain, isWhole), ...behind];
}

/** Steps from the first bid on; bare passes behind a call of ours are theirs. */
function marked(steps) {
  const found = [];
  for (const step of steps) {
    const before = found.at(-1);
    const isTheirs = isPass(step) && !step.theirs && before && !before.anyCalls && !before.theirs;
    found.push(isTheirs ? { ...step, theirs: true } : step);
  }
  return found;
}

/** First call of ours that follows another one of ours. */
function leftOut(steps) {
  return steps.find((step, number) => {
    const before = steps[number - 1];
    return before && !(before.anyCalls || step.anyCalls || before.theirs || step.theirs);
  });
}

/** Passes before the first bid, each marked as ours or theirs. */
function frontOf(written, front, word, complain, isWhole) {
  if (!front) return [];
  const passes = written.slice(0, front);
  const first = written[front];
  const rest = written.slice(front);
  // call by call: each is of the other side than what follows
  const turns = passes.map((step, number) => ({ ...step, theirs: first.theirs === ((front - number) % 2 === 0) }));
  const fits = passes.every((step, number) => turns[number].theirs || !step.theirs);
  const byTurns = fits && front <= MOST_PASSES ? turns : null;
  const bare = filled([...passes, first]).slice(0, -1);
  const asWritten = bare.length <= MOST_PASSES ? bare : null;
  if (byTurns !== null && (isWhole || asWritten === null || bare.length === front)) return byTurns;
  if (byTurns === null && asWritten !== null) return asWritten;
  if (byTurns === null || asWritten === null) {
    complain(
      whereOf(passes[0]), "these passes are four with those left out, and end the auction",
      `write "${word} ${textOf(rest)}", or at most three passes in front`,
    );
    return passes;
  }
  complain(
    whereOf(passes.at(-1)), `whose is the pass before ${textOf([first])}? It is read in two ways`,
    `write "${word} ${textOf([...byTurns, ...rest])}", or "${word} ${textOf([...asWritten, ...rest])}"`,
  );
  return byTurns;
}

/** An auction in which the sides call by turns, theirs first. */
export function alternatingText(steps) {
  return textOf(alternating(steps, 0));
}

/** Steps of which each second one is theirs, from the number of the `first` on. */
function alternating(steps, first = 1) {
  return steps.map((step, number) => ({ ...step, theirs: number % 2 === first }));
}

function nobodyBids(written, complain) {
  const passes = filled(written).length + Number(!written.at(-1).theirs);
  const byTurns = written.some((step) => step.theirs) ? passes : written.length;
  complain(
    whereOf(written[0]), "nobody has bid in this auction",
    byTurns <= MOST_PASSES ? `for the opening behind passes write "opening, ${SEATS[byTurns]}:"`
      : 'for the opening write "opening:"',
  );
}

function whereOf(step) {
  return step.calls[0].where;
}

function textOf(steps) {
  return steps.map(stepText).join(" ");
}
