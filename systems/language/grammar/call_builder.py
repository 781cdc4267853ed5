"""Calls and suits of a line, built from the words that the grammar found.

What reads well and is no bridge all the same is noted in ``faults``. Method names of this and the
other builders are the names and aliases of ``bidding.lark``, which says what they stand for.
"""

import re
from typing import Final

from bidcascade.systems.language.tree.statements import Fault
from bidcascade.systems.language.tree.syntax_tree import (
    SUIT_OF_SIGN,
    SUIT_WORDS,
    CallPattern,
    Where,
)
from bidcascade.table.language.lalr import Token

MOST_STEPS: Final = 15
"""Steps that are counted: three bids of each strain."""
ORDINALS: Final = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
NUMBER_WORDS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
}  # fmt: skip
_MOST_DIGITS: Final = 6
_BLANKS: Final = re.compile(r"\s+")
_AROUND_MARKS: Final = re.compile(r" ?([,;:]) ?")
_IN_PARENTHESES: Final = re.compile(r"\( | \)")
_BID_SIGN: Final = re.compile(r"(?<![\w+-])([1-7n])([♣♦♥♠])\uFE0F?(?![\w+])")
_SIGN: Final = re.compile(r"([♣♦♥♠])\uFE0F?")
_BESIDE: Final = re.compile(r"(?<=[\w+])(?=[♣♦♥♠])|(?<=[♣♦♥♠])(?=\w)|(?<=\uFE0F)(?=\w)")
_STRAINS: Final = {**SUIT_WORDS, "NT": "NT"}


def place(position: int) -> Where:
    """Return a place in a logical line, before the line has one in a file.

    Examples
    --------
    >>> place(4)
    Where(file='', line=0, column=4)
    """
    return Where("", 0, position)


def one_blank(words: str) -> str:
    """Words with single blanks between them."""
    return " ".join(words.split())


def tidy(words: str) -> str:
    """Words with single blanks between them and behind punctuation marks, none before them."""
    words = _AROUND_MARKS.sub(r"\1 ", _BLANKS.sub(" ", words))
    return _IN_PARENTHESES.sub(lambda match: match[0].strip(), words).strip()


def without_signs(words: str) -> str:
    """Words with letters and suit words in place of the signs of suits.

    Examples
    --------
    >>> without_signs("after 1♥ (2♣): 5+♠, ♦ is longest")
    'after 1H (2C): 5+ spades, diamonds is longest'
    """
    words = _BID_SIGN.sub(lambda one: one[1] + SUIT_WORDS[SUIT_OF_SIGN[one[2]]], words)
    return _SIGN.sub(lambda one: SUIT_OF_SIGN[one[1]], _BESIDE.sub(" ", words))


def value_of(digits: str) -> float:
    """Value of digits, which is an int but for a fraction; more than a few are of no use in bridge.

    Examples
    --------
    >>> value_of("9"), value_of("9.50"), value_of("9.0")
    (9, 9.5, 9)
    """
    whole, _, rest = digits.partition(".")
    fraction = rest[:_MOST_DIGITS]
    return plain(int(whole[:_MOST_DIGITS]) + int(fraction or "0") / 10 ** len(fraction))


def plain(number: float) -> float:
    """Make an int of a whole number, which is written without a fraction.

    Examples
    --------
    >>> plain(2.0), plain(2.5)
    (2, 2.5)
    """
    return number if number % 1 else int(number)


def at(token: Token) -> Where:
    """Place of a word in its line.

    Examples
    --------
    >>> at(Token("SUIT", "hearts", 4)).column
    4
    """
    return place(token.start)


class CallBuilder:
    """Builds call patterns."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, place: Token | int, message: str, advice: str = "") -> None:
        """Note something wrong and go on."""
        position = place if isinstance(place, int) else place.start
        self.faults.append(Fault(position, message, advice))

    def suit(self, token: Token) -> Token:
        sign = SUIT_OF_SIGN.get(token[0])
        if sign is not None or " " in token:
            return Token("SUIT", sign or one_blank(token), token.start)
        return token

    def strain(self, token: Token) -> Token:
        if token.type == "NOTRUMP":
            return Token("SUIT", "NT", token.start)
        return token

    def _number(self, token: Token) -> float:
        """Value of a number; what is counted says whether it may have a fraction."""
        word = token.rstrip("+")
        return NUMBER_WORDS.get(word) or value_of(word)

    def _whole(self, token: Token) -> int:
        """Value of a number that can have no fraction."""
        number = self._number(token)
        if number % 1:
            self.fault(token, f'"{token}" is no whole number')
        return int(number)

    # ------------------------------------------------------------------ calls
    def bid(self, token: Token) -> CallPattern:
        level = 0 if token[0] == "n" else int(token[0])
        strain = token[1:]
        if strain.upper() in ("N", "NT"):
            strain = "NT"
        elif strain[0] in SUIT_OF_SIGN:
            strain = SUIT_WORDS[SUIT_OF_SIGN[strain[0]]]
        elif strain not in ("m", "om", "M", "oM", "X", "Y", "Z", "W"):
            strain = strain.upper()
        return CallPattern("bid", level, str(strain), at(token))

    def other_call(self, token: Token) -> CallPattern:
        return CallPattern(_kind(token), where=at(token))

    def transfer_to(self, words: Token, bid: Token) -> CallPattern:
        to = self.bid(bid)
        if to.level == 1 and to.strain == "C":
            self.fault(bid, "no call is just below 1C")
        return CallPattern("transfer", to.level, to.strain, at(words))

    def relative(self, words: Token, strain: Token) -> CallPattern:
        return CallPattern(_kind(words), None, _STRAINS.get(strain, str(strain)), at(words))

    def step(self, first: Token, second: Token) -> CallPattern:
        """``step 2`` or ``second step``."""
        counted = second if first.type == "STEP" else first
        number = ORDINALS.get(counted) or self._whole(counted)
        if not 1 <= number <= MOST_STEPS:
            self.fault(counted, f"steps are counted from 1 to {MOST_STEPS}")
        return CallPattern("step", number, where=at(first))

    def cheapest_suit(self, words: Token, _noun: Token) -> CallPattern:
        return CallPattern("cheapest suit", where=at(words))


def _kind(words: Token) -> str:
    """Kind of a call that its terminal tells: ``ANY_BID`` is ``any bid``."""
    return words.type.lower().replace("_", " ").removesuffix(" in")
