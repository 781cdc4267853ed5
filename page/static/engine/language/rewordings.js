// What players say and the language has other words for: systems/language/words/rewordings.py, with its rows.

import * as rows from "./phrases.js";
import { split } from "./blanks.js";

const compiled = (players) =>
  players.map(([said, meant]) => [new RegExp(`(?:^|(?<= ))(?:${said})(?= |$)`, "gi"), meant]);

const REWORDED = compiled(rows.REWORDED);
const ADVISED = compiled(rows.ADVISED);
const AGREED = compiled(rows.AGREED.map(([said, meant]) => [`^(?:${said})$`, meant]));

/** Characters of what is looked for in the words of players. */
const LONGEST_CLAUSE = 300;

/** What to write for a piece of a condition that does not read: `{words, advice}`, or null.
 *
 * `reads(text)` tells whether a text reads as conditions with known names.
 */
export function rewording(clause, reads) {
  const said = split(clause).join(" ");
  if (said.length > LONGEST_CLAUSE) return null;
  for (const [pattern, meant] of ADVISED) {
    pattern.lastIndex = 0;
    const found = pattern.exec(said);
    if (found !== null) return { words: said, advice: expanded(meant, found) };
  }
  return replaced(said, REWORDED, reads);
}

/** What to write for an agreement that does not read. */
export function agreed(clause, reads) {
  return replaced(split(clause).join(" "), AGREED, reads);
}

/** Words with all rows put in, if they read then. */
function replaced(said, players, reads) {
  if (said.length > LONGEST_CLAUSE) return null;
  let written = said;
  for (const [pattern, words] of players) {
    // a comma would part what stands on both sides of "or"
    const meant = said.includes(" or ") ? words.replaceAll(", ", " and ") : words;
    const before = written;
    written = written.replace(pattern, (...groups) => expanded(meant, groups));
    if (written !== before && reads(written)) return { words: said, advice: `write "${written}"` };
  }
  return null;
}

const expanded = (meant, groups) => meant.replace(/\\g<0>|\\([0-9])/g, (_, number) => groups[number ?? 0] ?? "");
