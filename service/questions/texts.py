"""Texts that questions are made of: seats, calls, hands, conditions."""

from typing import Annotated, Final

from .fields import Text

LONGEST_TEXT: Final = 200
"""Characters of the text of a hand, a deal, or what is known of a hand."""
_LONGEST_WORD: Final = 64

Word = Annotated[str, Text(_LONGEST_WORD)]
"""A call, a seat, a vulnerability, a contract or a name."""
HandText = Annotated[str, Text(LONGEST_TEXT)]

SeatText = Annotated[str, Text(_LONGEST_WORD, "^(?:[NESWnesw]|[Nn]orth|[Ee]ast|[Ss]outh|[Ww]est)$")]
VulnerabilityText = Annotated[
    str,
    Text(
        _LONGEST_WORD,
        "^(?:[Nn]one|[Ll]ove|[Oo0-]|[NSEWnsew]|[Nn]-?[Ss]|[Ee]-?[Ww]|[Bb]oth|[Aa]ll|[Bb])$",
    ),
]
CallText = Annotated[
    str,
    Text(
        _LONGEST_WORD,
        "^(?:[Pp](?:ass|ASS)?|[Dd](?:bl|ouble)?|[Rr](?:d|dbl|edouble)?|[Xx]{1,2}"
        "|[1-7](?:[CDHScdhs♣♦♥♠]|[Nn][Tt]?))$",
    ),
]
ThirteenCards = Annotated[
    str, Text(LONGEST_TEXT, r"^(?:(?:[AKQJTakqjt0-9-]*\.){3}[AKQJTakqjt0-9-]*|[^.]{14,})$")
]
