"""The phrases of which GIB makes its announcements, and what each says about the hand.

One table, :data:`FORMS`, and all else follows from it: which phrases are whole, which are the
beginning of one, and how the beginning goes on where it can go on in one way only. Words and
meanings are those of BBO's "GIB Bid Descriptions" and of the published tables.

In a phrase ``<count>`` stands for ``4+``, ``4-``, ``4-6`` or ``4``, ``<suit>`` for ``!C`` to
``!S``, ``<honours>`` for some of A K Q J T, ``<n>`` for a number, ``<bid>`` for ``1C`` to ``7N``.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Form:
    """A phrase and what it says.

    Parameters
    ----------
    phrase : str
        The words, with ``<…>`` where suits and numbers stand.
    expressions : tuple of str
        What it asks of the hand; ``_x`` is replaced by the suit, ``<n>`` by the number.
    counted : str
        Term which the count bounds from below, from above or both.
    honours : str
        ``held``: each card of the suit; ``denied``: none of them; ``least``: at least that much
        on the scale A8 K4 Q2 J1, on which ``KQ`` is worth more than the king alone.
    tag : str
        Remark about the auction, no test.
    """

    phrase: str
    expressions: tuple[str, ...] = ()
    counted: str = ""
    honours: str = ""
    tag: str = ""

    @property
    def pattern(self) -> str:
        """Regular expression of the whole phrase."""
        return "".join(token.whole for token in _tokens(self.phrase))

    @property
    def begun(self) -> str:
        """Regular expression of any beginning of the phrase, the whole among them."""
        pattern = ""
        for token in reversed(_tokens(self.phrase)):
            rest = f"(?:{pattern})?" if pattern else ""
            pattern = (
                f"(?:{token.whole}{rest}|{token.begun})" if token.begun else token.whole + rest
            )
        return pattern

    @property
    def closing(self) -> tuple[str, str]:
        """Regular expression up to the last suit or number, and the words behind it."""
        words = self.phrase.rpartition(">")[2]
        head = self.phrase[: len(self.phrase) - len(words)]
        return "".join(token.whole for token in _tokens(head)), words


FORMS: Final = (
    Form("<count> <suit>", counted="SL_x"),
    Form("<n>-card <suit>", ("SL_x == <n>",)),
    Form("no <suit>", ("SL_x == 0",)),
    Form("<count> HCP", counted="HCP"),
    Form("<count> total points", counted="Total_Points"),
    Form("<count> losers", counted="Losers"),
    Form("biddable <suit>", ("Biddable_x",)),
    Form("rebiddable <suit>", ("Rebiddable_x",)),
    Form("twice rebiddable <suit>", ("Twice_Rebiddable_x",)),
    Form("strong rebiddable <suit>", ("Strong_Rebiddable_x",)),
    Form("solid <n>-card <suit>", ("Solid_x", "SL_x >= <n>")),
    Form("partial stop in <suit>", ("Partial_Stopper_x",)),
    Form("likely stop in <suit>", ("Likely_Stopper_x",)),
    Form("stop in <suit>", ("Stopper_x",)),
    Form("two stops in <suit>", ("Two_Stoppers_x",)),
    Form("at best partial stop in <suit>", ("At_Best_Partial_Stopper_x",)),
    Form("at best likely stop in <suit>", ("At_Best_Likely_Stopper_x",)),
    Form("at best stop in <suit>", ("At_Best_Stopper_x",)),
    Form("partial stop-likely stop in <suit>", ("Partial_Stopper_x", "At_Best_Likely_Stopper_x")),
    Form("likely stop-stop in <suit>", ("Likely_Stopper_x", "At_Best_Stopper_x")),
    Form("<suit><honours>", honours="held"),
    Form("no <suit><honours>", honours="denied"),
    Form("<honours>+ in <suit>", honours="least"),
    Form("<suit><honours>+", honours="least"),
    Form("forcing", tag="forcing"),
    Form("forcing to <bid>", tag="forcing to <bid>"),
    Form(
        "opponents cannot play undoubled below <bid>",
        tag="opponents cannot play undoubled below <bid>",
    ),
)
"""Every phrase that is known."""

HONOUR_SCALE: Final = {"A": 8, "K": 4, "Q": 2, "J": 1}
"""What GIB counts for honours when it says ``Q+ in !H``; a ten counts nothing there."""


@dataclass(frozen=True, slots=True)
class Part:
    """A whole phrase, read.

    Parameters
    ----------
    text : str
        The phrase in canonical text.
    form : Form
        The form that it has.
    expressions, tags : tuple of str
        What it asks of the hand, as canonical expressions; remarks about the auction.
    """

    text: str
    form: Form
    expressions: tuple[str, ...]
    tags: tuple[str, ...] = ()


@lru_cache(maxsize=1 << 14)
def read_part(text: str) -> Part | None:
    """Read one phrase with suits as ``!C``; None if it is none or not whole.

    Examples
    --------
    >>> read_part("2-5 !H").expressions
    ('SL_H >= 2', 'SL_H <= 5')
    >>> read_part("KQ+ in !H").expressions
    ('8 * C_HA + 4 * C_HK + 2 * C_HQ + C_HJ >= 6',)
    >>> read_part("15-") is None
    True
    """
    for form, pattern in _WHOLE:
        match = pattern.fullmatch(text)
        if match:
            found = {name: value or "" for name, value in match.groupdict().items()}
            if form.honours == "least" and "T" in found["honours"]:
                return None
            return _part(text, form, found)
    return None


def is_begun(text: str) -> bool:
    """Whether a text is the beginning of a phrase and not a whole one.

    Examples
    --------
    >>> [is_begun(text) for text in ("15-", "partial st", "15 HCP", "may be short")]
    [True, True, False, False]
    """
    return read_part(text) is None and any(pattern.fullmatch(text) for pattern in _BEGUN)


@lru_cache(maxsize=1 << 12)
def completed(text: str) -> str | None:
    """Whole phrase which a beginning must have been; None where there is more than one.

    The number before the words is whole, since a word behind it has begun; a bare number may lack
    a digit and is never completed.

    Examples
    --------
    >>> completed("12+ total poi"), completed("11-21 H")
    ('12+ total points', '11-21 HCP')
    >>> completed("15-"), completed("likely stop in !"), completed("forc")
    (None, None, None)
    """
    if read_part(text) is not None:
        return None
    possible = [
        form for form, pattern in zip(FORMS, _BEGUN, strict=True) if pattern.fullmatch(text)
    ]
    if len(possible) != 1:
        return None
    head, words = possible[0].closing
    for end in range(len(words) - 1, 0, -1):
        if words[:end].strip() and re.fullmatch(head + re.escape(words[:end]), text):
            return text + words[end:]
    return None


def may_go_on(part: Part) -> bool:
    """Whether more letters could turn a whole phrase into one that says something else.

    ``no !C`` denies the suit, ``no !CA`` only its ace; ``!CKQ`` are those cards, ``!CKQ+`` is as
    much as they are worth.

    Examples
    --------
    >>> [may_go_on(read_part(text)) for text in ("no !C", "!CKQ", "no !CA")]
    [True, True, False]
    """
    return part.form.phrase in ("no <suit>", "<suit><honours>")


def _part(text: str, form: Form, found: dict[str, str]) -> Part:
    suit = found.get("suit", "")[-1:]
    low, high = found.get("low", ""), found.get("high", "")
    canonical = text
    if form.counted or "n" in found:
        canonical = re.sub(r"\d+", lambda digits: str(int(digits[0])), canonical)
    number = str(int(found["n"])) if "n" in found else ""
    expressions = [one.replace("_x", f"_{suit}").replace("<n>", number) for one in form.expressions]
    if form.counted:
        term = form.counted.replace("_x", f"_{suit}")
        expressions += _bounds(term, int(low), found["sign"], int(high) if high else None)
    if form.honours:
        ranks = dict.fromkeys(found["honours"])
        cards = [f"C_{suit}{rank}" for rank in ranks]
        if form.honours == "least":
            least = sum(HONOUR_SCALE[rank] for rank in ranks)
            expressions.append(f"{_scale(suit)} >= {least}")
        else:
            expressions += [f"not {card}" if form.honours == "denied" else card for card in cards]
    tags = (form.tag.replace("<bid>", found.get("bid", "")),) if form.tag else ()
    return Part(canonical, form, tuple(expressions), tags)


def _bounds(term: str, low: int, sign: str, high: int | None) -> list[str]:
    if high is not None:
        return [f"{term} >= {low}", f"{term} <= {high}"]
    return [f"{term} {({'+': '>=', '-': '<='}).get(sign, '==')} {low}"]


def _scale(suit: str) -> str:
    summands = (
        f"C_{suit}{rank}" if worth == 1 else f"{worth} * C_{suit}{rank}"
        for rank, worth in HONOUR_SCALE.items()
    )
    return " + ".join(summands)


@dataclass(frozen=True, slots=True)
class _Token:
    """A letter or a placeholder: the whole of it, and what it may be when cut inside."""

    whole: str
    begun: str = ""


_PLACEHOLDERS: Final = {
    "count": _Token(r"(?P<low>\d{1,2})(?:(?P<sign>[+-])(?!\d)|-(?P<high>\d{1,2}))?", r"\d{1,2}-?"),
    "n": _Token(r"(?P<n>\d{1,2})"),
    "suit": _Token(r"(?P<suit>![CDHS])", "!"),
    "honours": _Token(r"(?P<honours>[AKQJT]+)"),
    "bid": _Token(r"(?P<bid>[1-7][CDHSN])", "[1-7]"),
}


def _tokens(phrase: str) -> list[_Token]:
    pieces = re.split(r"(<[a-z]+>)", phrase)
    tokens: list[_Token] = []
    for piece in pieces:
        if piece.startswith("<"):
            tokens.append(_PLACEHOLDERS[piece[1:-1]])
        else:
            tokens += [_Token(re.escape(letter)) for letter in piece]
    return tokens


_WHOLE: Final = tuple((form, re.compile(form.pattern)) for form in FORMS)
_BEGUN: Final = tuple(re.compile(form.begun) for form in FORMS)
