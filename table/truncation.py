"""Descriptions that look cut off.

BBO cut the texts of announcements at 39 or 69 characters, in which a suit was written with two
(``!C``); published tables show it as one sign. A text of such a length that ends in the
beginning of a phrase of a GIB announcement is suspect: its last number may lack a digit, its last
bound may be missing. The phrases are those of "GIB Bid Descriptions" and of the published tables.
"""

import re
from typing import Final

_SUIT: Final = r"(?:![CDHS]|[♣♦♥♠])"
_COUNT: Final = r"\d+(?:[+-]|-\d+)?"
_STOP: Final = r"(?:stop|two stops|(?:partial|likely) stop(?:-(?:likely )?stop)?)"
_WHOLE_PHRASE: Final = re.compile(
    rf"{_COUNT}(?:-card)? {_SUIT}|no {_SUIT}|{_COUNT} (?:HCP|total points|losers)"
    rf"|(?:twice re|strong re|re)?biddable {_SUIT}|solid {_COUNT}-card {_SUIT}"
    rf"|(?:at best )?{_STOP} in {_SUIT}|(?:no )?{_SUIT}[AKQJT]+|[AKQJT]+\+ in {_SUIT}"
    r"|forcing(?: to \d[CDHSN])?|opponents cannot play undoubled below \d[CDHSN]",
    re.IGNORECASE,
)
_NUMBER_AND_REST: Final = re.compile(r"\d+(?:[+-]|-\d+)?(?P<rest>| .*|-c.*)")
_UNITS: Final = (" hcp", " total points", " losers", " !", "-card !")
_WORDED: Final = (
    "biddable !", "rebiddable !", "twice rebiddable !", "strong rebiddable !", "solid ",
    "stop in !", "two stops in !", "partial stop in !", "likely stop in !", "at best stop in !",
    "at best partial stop in !", "at best likely stop in !", "no !", "!", "forcing to ",
    "opponents cannot play undoubled below ",
)  # fmt: skip
"""How the worded phrases go on until the suit or strain that ends them."""
_SUIT_SIGN: Final = re.compile("[♣♦♥♠]")
_PHRASE_ENDS: Final = re.compile(r"--|[;,]")
_CUT_LENGTHS: Final = frozenset({38, 39, *range(66, 71)})


def is_suspected_truncation(description: str) -> bool:
    """Whether a description has the length of a cut text and ends in the middle of a phrase.

    A text without ``--`` and ``;`` is no list of phrases and never suspected.

    Examples
    --------
    >>> is_suspected_truncation(
    ...     "5+ ♦; 13-17 HCP; 14-19 total points; at best partial stop in ♥; for")
    True
    >>> is_suspected_truncation("Minor suit opening -- 3+ ♣; 11-21 HCP; 12-22 total points ")
    False
    """
    text = description.strip()
    length = len(text) + len(_SUIT_SIGN.findall(text))
    if length not in _CUT_LENGTHS or not ("--" in text or ";" in text):
        return False
    return _is_cut(_PHRASE_ENDS.split(text)[-1].strip())


def _is_cut(phrase: str) -> bool:
    """Whether a phrase is the beginning of one and not whole."""
    if _WHOLE_PHRASE.fullmatch(phrase):
        return False
    begun = phrase.lower()
    if any(worded.startswith(begun) for worded in _WORDED):
        return True
    number = _NUMBER_AND_REST.fullmatch(begun)
    return number is not None and any(unit.startswith(number["rest"]) for unit in _UNITS)
