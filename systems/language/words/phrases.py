"""The catalogue of phrases: every kind of test that a condition can make, once, with its words.

From a row come productions of the grammar, the tree, the words of a tree and its line in the page
``phrases.md``, which ``python docs/write_files.py`` writes. What a kind means at a place of an
auction is defined in ``systems/reference``: ``PHRASES`` of ``conditions.py`` (of the hand) and
``FACTS`` of ``facts.py``. ``kernels/core/text/kinds.hpp`` says by which operation the core does it:
for a new phrase add a row here and one in each.
"""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from bidcascade.systems.language.tree.syntax_tree import (
    ROLES,
    SUIT_OF_SIGN,
    SUIT_WORDS,
    VARIABLES,
    Range,
)

_LANGUAGE: Final = Path(__file__).parents[1]


class PhraseKind(NamedTuple):
    """A row of the catalogue.

    Parameters
    ----------
    kind
        Name of the test: ``Phrase.kind``.
    forms
        Ways to write it, as productions of the grammar, split by semicolons; a tree is written in
        the first. ``RULE_OF{rule of|rule}`` adds its words to the terminal ``RULE_OF``, and they
        tell the kind: ``PhraseBuilder.phrase`` makes the phrase, or the method behind ``->``.
        What begins with ``[A]`` and names no method is denied by ``no`` in its place.
    most
        The most that a hand (or two) can have of what is counted; a higher number is a slip.
    unit
        What ``most`` counts, if ``kind`` does not say it.
    default
        The suit that is meant where none is said.
    text
        How a tree is written, where the first form does not say it: see :func:`template`.
    term
        Term of the bidding table that is counted; it ends with ``_`` before a suit's letter.
    shown
        Whether a text may ask how much of it a player has shown.
    halves
        Whether halves are counted: ``2.5 quick tricks``.
    note
        For the page: what the words alone do not tell.
    """

    kind: str
    forms: str
    most: int | None = None
    unit: str = ""
    default: str = ""
    text: str = ""
    term: str = ""
    shown: bool = False
    halves: bool = False
    note: str = ""


LENGTHS: Final = {
    "void": Range(0, 0),
    "singleton": Range(1, 1),
    "doubleton": Range(2, 2),
    "shortness": Range(0, 1),
}
"""Lengths of a suit that have a name."""

_IN: Final = "[(IN | FOR) suit]"
_CARDS: Final = "cards in a suit"

COUNTED: Final = (
    PhraseKind("points",
               "range SUIT_MEASURE{points|point|hcp|HCP|high-card points|high-card point} " + _IN,
               37, term="HCP", shown=True),
    PhraseKind("support points", "range SUIT_MEASURE{support points} " + _IN, 60,
               term="Support_Points_", note="with no suit named: of partner's, or ours"),
    PhraseKind("keycards", "range SUIT_MEASURE{keycards|keycard|key cards} " + _IN, 6,
               term="Keycards_", shown=True, note="with no suit named: of ours, or aces"),
    PhraseKind("total points", "range MEASURE{total points}", 60, term="Total_Points", shown=True),
    PhraseKind("losers", "range MEASURE{losers|loser}", 12, term="Losers", shown=True),
    PhraseKind("controls", "range MEASURE{controls|control}", 12, term="Controls", shown=True),
    PhraseKind("quick tricks", "range MEASURE{quick tricks|quick trick}", 8, term="QT", halves=True,
               note="in halves: `2.5+`, `1.5-2`; `fewer than 2` is at most 1.5"),
    PhraseKind("playing tricks", "range MEASURE{playing tricks|playing trick}", 13,
               term="Playing_Tricks", halves=True, note="in halves: `at least 9.5`"),
    PhraseKind("aces", "range MEASURE{aces|ace}", 4, term="Aces", shown=True),
    PhraseKind("kings", "range MEASURE{kings|king}", 4, term="Kings", shown=True),
    PhraseKind("queens", "range MEASURE{queens|queen}", 4, term="Queens"),
    PhraseKind("length",
               "range suit -> length; range SINGULAR -> singular_length;"
               "range (CARDS_IN{cards in|card in} | IN) suit -> length;"
               "[A] CARDED SINGULAR SUIT_NOUN -> carded_length",
               13, _CARDS, term="SL_", shown=True),
)  # fmt: skip
"""What can be counted in a hand; partner "has shown" and "may have" the same things."""

HAND: Final = (
    PhraseKind(
        "support",
        "range SUPPORT{support|card support|cards of support|cards support} [FOR suit] -> support;"
        "[A] CARDED CARD_SUPPORT{support} [FOR suit] -> support",
        13,
        _CARDS,
        "partner's suit",
        note='"no support" is at most two cards',
    ),
    PhraseKind(
        "suit length",
        "[A] CARDED (SUIT_NOUN | MAJOR | MINOR) -> suit_length;"
        "NO CARDED (SUIT_NOUN | MAJOR | MINOR) -> no_suit_length",
        13,
        _CARDS,
        note='"no 4-card major" is none of four or more',
    ),
    PhraseKind(
        "shape",
        "SHAPE -> shape",
        text="{text}",
        note="`4=4=3=2` in the order S H D C, `4-4-3-2` in any; `x` any length, `4+` at least",
    ),
    PhraseKind("longer", "suit LONGER_THAN{longer than} suit"),
    PhraseKind("stronger", "suit STRONGER_THAN{stronger than} suit", note="by its points"),
    PhraseKind("at least as long", "suit AT_LEAST_AS_LONG{at least as long as} suit"),
    PhraseKind(
        "longest",
        "suit IS_LONGEST{is longest|is the longest|is my longest} [SUIT_NOUN];"
        "LONGEST_SUIT{longest suit|longest suit is} suit",
        text="{suit} is the longest",
        note="one of the longest",
    ),
    PhraseKind(
        "strictly longest",
        "suit IS_STRICTLY_LONGEST{is strictly longest|is the strictly longest"
        "|is my strictly longest} [SUIT_NOUN]",
    ),
    PhraseKind(
        "longest outside theirs",
        "suit IS_LONGEST [SUIT_NOUN] OUTSIDE_THEIRS{outside their suits|outside their suit}",
        text="{suit} is longest outside their suits",
    ),
    PhraseKind(
        "top honours",
        "range OF_THE_TOP{of the top} NUMBER IN suit -> top_honours",
        13,
        note='at least as many; "exactly 2 of" and "at most 1 of" say else',
    ),
    PhraseKind(
        "honour",
        "HONOUR_OF.6{ace of|king of|queen of|jack of|ten of|the ace of|the king of|the queen of"
        "|the jack of|the ten of} suit -> honour",
        text="{text} of {suit}",
    ),
    PhraseKind("stopper", "[A] STOPPER_IN.6{stopper in|stoppers in} suit"),
    PhraseKind("partial stopper", "[A] STOPPER_IN.6{partial stopper in} suit"),
    PhraseKind("two stoppers", "[A] STOPPER_IN.6{two stoppers in|double stopper in} suit"),
    *(
        PhraseKind(kind, f"[A] SHORTNESS{{{words}}} [IN suit]", default="a suit")
        for kind, words in zip(
            LENGTHS,
            ("void", "singleton", "doubleton", "shortness|singleton or void|void or singleton"),
            strict=True,
        )
    ),
    *(
        PhraseKind(kind, f"[A] CONTROL_IN{{{kind} in}} suit")
        for kind in ("first-round control", "second-round control")
    ),
    PhraseKind("rule of", "RULE_OF{rule of} NUMBER", note="15, 18 to 22"),
    PhraseKind("any hand", "ANY_HAND{any hand|any other hand|otherwise}"),
    PhraseKind(
        "raw",
        "RAW -> raw",
        text="{{{text}}}",
        note="an expression of a bidding table: `{HCP + SL_S >= 15}`",
    ),
    PhraseKind(
        "named",
        "WORD+ suit* -> named",
        note="`balanced`, `semi-balanced`, `unbalanced`, any `define`d name",
    ),
)
"""Tests of the hand alone."""

AUCTION: Final = (
    *(
        PhraseKind(kind, f"PLAIN_FACT{{{words or kind}}}")
        for kind, words in {
            "vulnerable": "",
            "not vulnerable": "",
            "favourable": "",
            "unfavourable": "",
            "forced": "",
            "game forced": "",
            "balancing": "",
            "contested": "",
            "uncontested": "",
            "game reached": "game is reached|game reached",
            "nobody opened": "nobody has opened|nobody opened",
        }.items()
    ),
    PhraseKind("seat", '[IN] ORDINAL (("," | OR) ORDINAL)* SEAT{seat} -> seat'),
    PhraseKind(
        "passed hand",
        "WHO IS_PASSED_HAND{am a passed hand|is a passed hand|are a passed hand};"
        "PASSED_HAND{passed hand} -> i_am_passed_hand",
    ),
    PhraseKind("opened", "WHO OPENED{opened|has opened|have opened} [call]"),
    PhraseKind(
        "bid", "WHO HAS_BID{bid|has bid|have bid} [call] -> has_bid;WHO HAS_BID (suit | NOTRUMP)"
    ),
    PhraseKind("not bid", "WHO HAS_NOT_BID{has not bid|have not bid} [suit]"),
    PhraseKind("only passed", "WHO HAS_ONLY_PASSED{has only passed|have only passed}"),
    PhraseKind(
        "last call",
        "LAST_CALL_WAS{partner's last call was|my last call was|RHO's last call was"
        "|LHO's last call was} [NOT] [A] named_call;"
        "LAST_CALL_WAS [NOT] [A] CALL_CLASS; LAST_CALL_WAS [NOT] TAG;"
        "WHO CALLED{passed|doubled|redoubled}",
    ),
    PhraseKind(
        "last bid",
        "LAST_BID_WAS{last bid was} OWNER [TAG]; LAST_BID_WAS named_call; LAST_BID_WAS TAG",
        text="last bid was[ {owner}][ {call}][ {text}]",
    ),
    PhraseKind("has called", "WHO HAS_CALLED{has called|have called} TAG"),
    PhraseKind("has shown", "WHO HAS_SHOWN{has shown|have shown} counted"),
    PhraseKind("may have", "WHO MAY_HAVE{may have} counted"),
    PhraseKind(
        "unbid",
        "UNBID{unbid suit|unbid major|unbid minor} suit -> unbid",
        text="unbid {text} {suit}",
    ),
    PhraseKind("fourth suit", "suit IS_FOURTH_SUIT{is the fourth suit}"),
    PhraseKind(
        "fit",
        "[WHO HAVE] [A] [CARDED] FIT{fit} [IN suit] -> fit;"
        "[WHO HAVE] NO [CARDED] FIT [IN suit] -> no_fit",
        note="of eight cards unless said",
    ),
    PhraseKind("level", "level -> at_level"),
    PhraseKind("ranks above", "suit RANKS_ABOVE{ranks above} suit"),
    PhraseKind("same suit", "suit IS{is} suit; suit IS_NOT{is not} suit"),
    PhraseKind("available", "call IS_AVAILABLE{is available}; call IS level -> is_at_level"),
    PhraseKind(
        "nth call", "MY_CALL{my first call|my second call|my third call|my fourth call} -> nth_call"
    ),
)
"""Facts about the auction; in a header they may give a free variable its suit."""

BOTH_HANDS: Final = (
    PhraseKind("combined points", "range COMBINED{combined points}", 60, term="HCP",
               note="with partner's minimum"),
    PhraseKind("combined points at best", "range COMBINED{combined points at best}", 60, term="HCP",
               note="with partner's maximum"),
    PhraseKind("combined support points", "range COMBINED_SUIT{combined support points} " + _IN,
               80),
    PhraseKind("combined aces", "range COMBINED_SUIT{combined aces} " + _IN, 4, term="Aces"),
    PhraseKind("combined kings", "range COMBINED_SUIT{combined kings} " + _IN, 4, term="Kings"),
    PhraseKind("combined keycards", "range COMBINED_SUIT{combined keycards} " + _IN, 6),
    PhraseKind("combined cards", "range COMBINED_CARDS{combined cards in} suit", 26),
    PhraseKind("law", "LAW_AT{law of total tricks at} call"),
    PhraseKind("enough points", "ENOUGH_FOR{enough points for} call"),
    PhraseKind("pays over theirs", "call PAYS_OVER{pays over theirs}",
               note="a suit over their bid against a pass: IMPs on average by a table, at the "
               "two to five level over a part score, at the four to six level over a game"),
    PhraseKind("doubling pays", "DOUBLING{doubling} call PAYS{pays}",
               note="of a suit at the four or five level: IMPs on average by a table"),
    PhraseKind("game is remote", "PLAIN_FACT{game is remote}"),
    PhraseKind("slam is remote", "PLAIN_FACT{slam is remote}"),
)  # fmt: skip
"""Tests of the hand beside what partner has shown."""

KINDS: Final = {row.kind: row for row in (*COUNTED, *HAND, *AUCTION, *BOTH_HANDS)}
FACTS: Final = frozenset(row.kind for row in AUCTION)
SAID_BY_WORDS: Final = (
    "stopper", "partial stopper", "two stoppers", "first-round control", "second-round control",
    "pays over theirs", "doubling pays",
)  # fmt: skip
"""Kinds whose formula nobody reads: their words travel beside it."""
OF_CARDS: Final = ("top honours", "honour")
"""Kinds that look at cards of one suit by rank. A definition that is made of them is told by its
name, as ``good hearts``."""
PLAYERS_WORDS: Final = {
    "headed": "a top honour in {suit}",
    "guarded": "a stopper in {suit}",
    "first-round control": "the ace or a void in {suit}",
    "pays over theirs": "enough for {call} over their bid",
    "doubling pays": "enough to double {call}",
}
"""What players say for kinds, and for definitions of the shipped page of words."""
DESCRIBED: Final = {
    **{f"{name} {{suit}}": PLAYERS_WORDS[name] for name in ("headed", "guarded")},
    "doubletons guarded in {suit}": "no worthless doubleton",
    "stopped": "a stopper in every unbid suit",
    "below slam": "not enough for slam",
    "short of game": "not enough for game",
    "{range} combined points at best": "{range} combined points opposite a maximum",
}
"""What players read in the description of a line for words of its text; ``suit`` and ``range``
stand for what the text has there."""

_OWN_WORDS: Final = re.compile(r"([A-Z_]+)(\.\d)?\{([^}]*)\}")


def forms_of(row: PhraseKind) -> list[str]:
    """Productions of a row."""
    forms = [form.strip() for form in row.forms.split(";")]
    return [*forms, row.forms.replace("[A]", "NO")] if denied_by_no(row) else forms


def denied_by_no(row: PhraseKind) -> bool:
    """Whether ``no`` before the words denies them, as in ``no stopper in hearts``."""
    return row.forms.startswith("[A]") and "->" not in row.forms


@cache
def template(row: PhraseKind, number: int | None = None) -> str:
    """Words of a row with places for the fields of a phrase; brackets hold what may be left away.

    ``number`` is how many are counted, if it is one number.
    """
    suits = iter(("{suit}", "{other}"))

    def written(piece: re.Match[str]) -> str:
        if piece["own"]:
            words = piece["own"].partition("|")[0]
            first, _, rest = words.partition(" ")
            return f"{{{first}}} {rest}" if first in ("am", "has") else words
        name = piece["name"]
        return next(suits) if name == "suit" else _WRITTEN[name]

    form = forms_of(row)[0].partition(" -> ")[0]
    for old, new in (("[A] ", ""), (" [SUIT_NOUN]", ""), ("(IN | FOR)", "IN"), (" [", "[ ")):
        form = form.replace(old, new)
    text = row.text or _PIECE.sub(written, form)
    one = row.kind.removesuffix("s")
    return text.replace(row.kind, one) if number == 1 and f"|{one}" in row.forms else text


def detail_of(kind: str) -> str:
    """Say what the words of a kind alone do not tell; empty for what is no kind.

    Examples
    --------
    >>> detail_of("rule of"), detail_of("kings")
    ('rule of; 15, 18 to 22', 'kings; at most 4')
    """
    row = KINDS.get(kind)
    if row is None:
        return ""
    bound = "" if row.most is None else f"at most {row.most}"
    return "; ".join(filter(None, (kind, bound, row.note)))


_PIECE: Final = re.compile(r"\b(?P<name>\w+)(?:\.\d)?(?:\{(?P<own>[^}]*)\})?")
_WRITTEN: Final = {
    "range": "{range}", "call": "{call}", "counted": "{counted}", "WHO": "{who}", "TAG": "{text}",
    "NUMBER": "{count}", "IN": "in", "FOR": "for",
}  # fmt: skip
KIND_OF_WORDS: Final = {
    (terminal, words): row.kind
    for row in KINDS.values()
    for terminal, _, alternatives in _OWN_WORDS.findall(row.forms)
    for words in alternatives.split("|")
}
"""Kind that a terminal's words tell."""


@cache
def grammar_text() -> str:
    """Grammar of the language for lark: ``bidding.lark`` with the rules that the rows make."""
    terminals: dict[str, list[str]] = defaultdict(list)
    terminals |= {"VARIABLE": [*VARIABLES], "ROLE": [*ROLES]}
    for row in KINDS.values():
        for terminal, priority, alternatives in _OWN_WORDS.findall(row.forms):
            terminals[terminal + priority] += alternatives.split("|")
    rules = [_rule("counted", COUNTED), _rule("?phrase", (*HAND, *AUCTION, *BOTH_HANDS), "counted")]
    for terminal, words in terminals.items():
        rules.append(f"{terminal}: " + " | ".join(f'"{one}"' for one in words))
    # a sign is no word: digits may stand before it, and signs beside each other
    suits, signs = "|".join(SUIT_WORDS), "".join(SUIT_OF_SIGN)
    rules.append(rf"SUIT.2: /(?:{suits})(?![\w'’-])|[{signs}]\uFE0F?/")
    own = (_LANGUAGE / "grammar" / "bidding.lark").read_text(encoding="utf-8")
    return "\n".join((own, *rules, ""))


@cache
def words_of_terminals() -> dict[str, list[str]]:
    """Words that each terminal of the grammar stands for."""
    found: dict[str, list[str]] = {"SUIT": [*SUIT_WORDS]}
    terminal = ""
    for line in grammar_text().splitlines():
        start = re.match(r"([A-Z_]+)(?:\.\d+)?: (?!/)", line)
        if start is not None:
            terminal = start[1]
        elif not re.match(r" +\|? *\"", line):
            terminal = ""
        if terminal:
            found.setdefault(terminal, []).extend(re.findall(r'"([^"]*)"', line))
    return found


def _rule(name: str, rows: tuple[PhraseKind, ...], *first: str) -> str:
    found = dict.fromkeys(first)
    for row in rows:
        for form in forms_of(row):
            plain = _OWN_WORDS.sub(r"\1", form)
            found[plain if "->" in plain else f"{plain} -> phrase"] = None
    return f"{name}: " + "\n    | ".join(found)


_PAGE: Final = """\
# Phrases: every test in words

`RANGE` is `4` (exactly), `4+`, `4-6`, `at most 3`, `at least 5`, `exactly 2`, `fewer than 4`,
`more than 4`, `no` or `0 or 4`; the words `one` to `thirteen` count too. `5+-card` stands before
a suit. `SUIT` is `clubs` to `spades` or a sign `♣ ♦ ♥ ♠`, a variable `M oM m om X Y Z W`,
or a role: {roles}.
`CALL` is `2NT`, `3oM`, `nX`, `Pass`, `Double`, `any bid`, `transfer to 2M`, `cheapest X`,
`jump X`, `game in M` … `WHO` is `I`, `we`, `partner`, `LHO`, `RHO` or `they`.

Brackets hold what may be left away, `/` parts words for the same; `no` may stand for `a`. Tests are
joined by a comma (the weakest), `or`, `and`, `not` and parentheses. The page is written from the
rows of `systems/language/words/phrases.py`.
"""


def page() -> str:
    """Text of the page of phrases.

    Examples
    --------
    >>> page().splitlines()[0]
    '# Phrases: every test in words'
    """
    lines = [_PAGE.format(roles=", ".join(f"`{role}`" for role in ROLES))]
    for title, rows in (
        ("The hand", (*COUNTED, *HAND)),
        ("Both hands, by what partner has shown", BOTH_HANDS),
        ("The auction", AUCTION),
    ):
        lines += [f"## {title}", "", "| test | is written | |", "| --- | --- | --- |"]
        for row in rows:
            forms = "<br>".join(_as_read(form) for form in row.forms.split(";"))
            lines.append(f"| {row.kind} | {forms} | {row.note} |")
        lines.append("")
    return "\n".join(lines)


def _as_read(form: str) -> str:
    """Form as the page has it: words for terminals, capitals for what is put in."""

    def written(piece: re.Match[str]) -> str:
        name = piece["name"]
        words = piece["own"].split("|") if piece["own"] else words_of_terminals().get(name, ())
        if name in _PUT_IN or not words:
            return _PUT_IN.get(name, name.upper())
        return words[0] if len(words) == 1 else f"({' / '.join(words)})"

    form = form.strip().partition(" ->")[0].replace(" | ", " / ").replace('","', ",")
    return _PIECE.sub(written, form)


_PUT_IN: Final = {
    "WHO": "WHO",
    "A": "a",
    "CARDED": "5+-card",
    "named_call": "CALL",
    "level": "(at the / at most / at least) 2-level",
}
