"""The page of terms, ``docs/terms.md``, written from the vocabulary."""

from .term_catalogue import ALIASES, FAMILIES, TAG_MEANINGS, TermFamily
from .vocabulary import Vocabulary

_HEAD = """\
# Terms of expressions

An expression tests the hand of the player who makes the call. `x` in a name stands for the suit:
`C`, `D`, `H` or `S`. Below, L is the length of that suit and h the high card points in it. Truth
values stand on their own (`Balanced`), numbers are compared (`HCP >= 15`).

A table is read under one of two definition profiles. `gib`, the default, follows BBO's pages "GIB
Bid Descriptions" and "GIB System Notes"; `mlbridge` follows the column definitions with which the
large published GIB tables were evaluated.

This page is written by `vocabulary_markdown()` in `table/language/vocabulary_page.py`.

"""


def vocabulary_markdown() -> str:
    """Text of the page: every term with its meaning, range, differences and source.

    Examples
    --------
    >>> vocabulary_markdown().splitlines()[0]
    '# Terms of expressions'
    """
    lines = [
        "| term | values | meaning (gib) | mlbridge, where it differs | source |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += (_family_row(family) for family in FAMILIES)
    lines += [
        "",
        "## Other names",
        "",
        "These load as well and mean an expression over the terms above.",
        "",
        "| name | means | from |",
        "| --- | --- | --- |",
    ]
    lines += (f"| `{alias.pattern}` | `{alias.formula}` | {alias.source} |" for alias in ALIASES)
    lines += [
        "",
        "## Tags",
        "",
        "Remarks about the auction. An entry carries them, no hand is tested by them: on its own a "
        "tag always holds, inside a larger expression it is an error.",
        "",
        "| tag | meaning |",
        "| --- | --- |",
    ]
    lines += (f"| `{tag}` | {meaning} |" for tag, meaning in TAG_MEANINGS.items())
    lines += [
        "",
        "## Terms of your own",
        "",
        "A formula over other terms, one a line, in any order but without a circle:",
        "",
        "```",
        "Playing_Strength = HCP + SL_S   # a comment",
        "```",
        "",
    ]
    return _HEAD + "\n".join(lines)


def _family_row(family: TermFamily) -> str:
    known = Vocabulary().describe(family.names[0])
    if known.kind == "truth value":
        values = "yes or no"
    elif family.stem == "Pattern":
        values = "4333 to D000"
    else:
        values = f"{known.low:g} to {known.high:g}"
    meaning = family.meaning.replace("{suit}", "x")
    cells = (f"`{family.pattern}`", values, meaning, family.mlbridge or "same", family.source)
    return f"| {' | '.join(cells)} |"
