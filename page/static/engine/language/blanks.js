// Blanks as Python's strings know them; JavaScript's \s and trim count other characters.

/** What stands in brackets of a regular expression for Python's \s. */
export const BLANK = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

export const BLANKS = new RegExp(`[${BLANK}]+`, "g");
const BEFORE = new RegExp(`^[${BLANK}]+`);
const BEHIND = new RegExp(`(?<![${BLANK}])[${BLANK}]+$`);

export const leftStripped = (text) => text.replace(BEFORE, "");
export const rightStripped = (text) => text.replace(BEHIND, "");
export const stripped = (text) => leftStripped(rightStripped(text));

/** Words between blanks. */
export const split = (text) => stripped(text).split(BLANKS).filter((word) => word !== "");
