"""Phrases: the tests of a condition, built from the words that the grammar found.

What reads well and is no bridge all the same (``5-3 points``, ``5+ heart``) is noted in ``faults``.
"""

import re
from typing import Any, Final, NamedTuple

from lark import Token
from lark.visitors import v_args

from .call_builder import NUMBER_WORDS, CallBuilder, one_blank, place
from .call_builder import start_of_token as start
from .joining import all_of, any_of
from .syntax_tree import CallPattern, Condition, NotThis, Phrase, Range

MOST: Final = {
    "points": 37, "total points": 60, "support points": 60, "losers": 12, "controls": 12,
    "quick tricks": 8, "playing tricks": 13, "aces": 4, "kings": 4, "queens": 4, "keycards": 6,
    "length": 13, "support": 13, "suit length": 13, "combined points": 60,
    "combined points at best": 60, "combined support points": 80, "combined aces": 4,
    "combined kings": 4, "combined keycards": 6, "combined cards": 26, "top honours": 13,
}  # fmt: skip
"""The most that a hand (or two) can have of what is counted; a higher number is a slip."""


class Counted(NamedTuple):
    """A range with its place and words."""

    range: Range
    position: int
    words: str


def named_suit(token: Token | None) -> tuple[str, ...]:
    """Suits of a phrase that may name one.

    Examples
    --------
    >>> named_suit(None), named_suit(Token("SUIT", "hearts"))
    ((), ('hearts',))
    """
    return () if token is None else (str(token),)


@v_args(inline=True)
class PhraseBuilder(CallBuilder):
    """Builds conditions of a hand."""

    # ------------------------------------------------------------------ ranges
    def exact(self, *tokens: Token) -> Counted:
        number = self._number(tokens[-1])
        return Counted(Range(number, number), start(tokens[0]), " ".join(tokens))

    def several(self, *tokens: Token) -> Counted:
        numbers = [self._number(token) for token in tokens if token.type == "NUMBER"]
        found = Range(numbers[0], numbers[0], tuple(numbers[1:]))
        return Counted(found, start(tokens[0]), " ".join(tokens))

    def at_least(self, *tokens: Token) -> Counted:
        return Counted(Range(self._number(tokens[-1])), start(tokens[0]), " ".join(tokens))

    def span(self, token: Token) -> Counted:
        low, high = (int(part[:6]) for part in re.split(r"[-–]", token.replace(" ", "")))
        if low > high:
            self.fault(
                start(token),
                f'"{token}" is an empty range',
                f'write "{high}-{low}", the smaller number first',
            )
        return Counted(Range(low, high), start(token), str(token))

    def at_most(self, *tokens: Token) -> Counted:
        return Counted(Range(0, self._number(tokens[-1])), start(tokens[0]), " ".join(tokens))

    def fewer(self, word: Token, token: Token) -> Counted:
        number = self._number(token)
        if number == 0:
            self.fault(start(word), f'"{word} {token}" is an empty range')
        return Counted(Range(0, max(number - 1, 0)), start(word), f"{word} {token}")

    def more(self, word: Token, token: Token) -> Counted:
        return Counted(Range(self._number(token) + 1), start(word), f"{word} {token}")

    def none(self, token: Token) -> Counted:
        return Counted(Range(0, 0), start(token), str(token))

    def _phrase(self, kind: str, counted: Counted, suits: tuple[str, ...] = ()) -> Phrase:
        self._check_most(kind, counted)
        return Phrase(kind, range=counted.range, suits=suits, where=place(counted.position))

    def _check_most(self, kind: str, counted: Counted) -> None:
        most = MOST.get(kind)
        if most is None:
            return
        number = max(counted.range.low, counted.range.high or 0, *counted.range.also, 0)
        if number > most:
            what = "cards in a suit" if kind in ("length", "support", "suit length") else kind
            self.fault(counted.position, f'"{counted.words}": there are at most {most} {what}')

    # ------------------------------------------------------------------ counted
    def measure(
        self, counted: Counted, words: Token, _in: Token | None = None, suit: Token | None = None
    ) -> Phrase:
        return self._phrase(_measure(one_blank(words)), counted, named_suit(suit))

    def length(self, counted: Counted, suit: Token) -> Phrase:
        return self._phrase("length", counted, (str(suit),))

    def length_in(self, counted: Counted, words: Token, suit: Token) -> Phrase:
        kind = "combined cards" if words.type == "COMBINED_CARDS" else "length"
        return self._phrase(kind, counted, (str(suit),))

    def singular_length(self, counted: Counted, suit: Token) -> Phrase:
        if (counted.range.high if counted.range.high is not None else 9) != 1:
            self.fault(
                start(suit),
                f'after "{counted.words}" I expect points or a suit, I read "{suit}"',
                f'write "{suit}s"',
            )
        return self._phrase("length", counted, (f"{suit}s",))

    def _carded(self, token: Token) -> Counted:
        words = token.removesuffix("-card")
        low, _, high = words.rstrip("+").partition("-")
        number = NUMBER_WORDS.get(low) or int(low[:6])
        most = None if words.endswith("+") else int(high[:6]) if high else number
        if most is not None and most < number:
            self.fault(start(token), f'"{token}" is an empty range', "the smaller number first")
        return Counted(Range(number, most), start(token), str(token))

    def carded_length(self, _a: Token | None, carded: Token, suit: Token, _noun: Token) -> Phrase:
        return self._phrase("length", self._carded(carded), (f"{suit}s",))

    def suit_length(self, _a: Token | None, carded: Token, noun: Token) -> Phrase:
        return self._phrase("suit length", self._carded(carded), (f"a {noun}",))

    def no_suit_length(self, no: Token, carded: Token, noun: Token) -> Condition:
        counted = self._carded(carded)
        counted = Counted(Range(counted.range.low), start(no), counted.words)
        return NotThis(self._phrase("suit length", counted, (f"a {noun}",)))

    def support(self, *parts: Any) -> Phrase:
        """``range SUPPORT [FOR suit]`` and ``[A] CARDED CARD_SUPPORT [FOR suit]``."""
        counted = parts[0] if isinstance(parts[0], Counted) else self._carded(parts[1])
        if counted.words == "no":
            counted = Counted(Range(0, 2), counted.position, counted.words)
        suit = parts[-1]
        return self._phrase("support", counted, named_suit(suit) or ("partner's suit",))

    def top_honours(
        self, counted: Counted, _of: Token, top: Token, _in: Token, suit: Token
    ) -> Phrase:
        found, of = counted.range, self._number(top)
        if counted.words.isalnum():  # "two of the top three" means at least two
            found = Range(found.low)
        count = found.low if found.low or found.high is None else found.high
        if count > of or of > 13:
            self.fault(counted.position, f'"{counted.words}" of {of} honours cannot be')
        return Phrase(
            "top honours", range=found, suits=(str(suit),), count=count, of=of,
            where=place(counted.position),
        )  # fmt: skip

    # ------------------------------------------------------------------ suits and shape
    def shape(self, token: Token) -> Phrase:
        lengths = re.split(r"[=-]", token)
        least = sum(int(length.rstrip("+")) for length in lengths if length != "x")
        is_open = any(length == "x" or length.endswith("+") for length in lengths)
        if least > 13 or (least < 13 and not is_open):
            self.fault(
                start(token),
                f'the lengths of "{token}" add up to {least}, a hand has 13 cards',
            )
        return Phrase("shape", text=str(token), where=place(start(token)))

    def two_suits(self, first: Token, words: Token, second: Token) -> Phrase:
        kind = {"at least as long as": "at least as long", "longer than": "longer"}.get(
            one_blank(words), one_blank(words)
        )
        if first == second:
            self.fault(start(first), f'"{first} {one_blank(words)} {second}" names one suit twice')
        return Phrase(kind, suits=(str(first), str(second)), where=place(start(first)))

    def same_suit(self, first: Token, _is: Token, second: Token) -> Phrase:
        suits = (str(first), str(second))
        return Phrase("same suit", suits=suits, where=place(start(first)))

    def other_suit(self, first: Token, is_not: Token, second: Token) -> Condition:
        return NotThis(self.same_suit(first, is_not, second))

    def longest(
        self, suit: Token, _is: Token, _noun: Token | None, outside: Token | None
    ) -> Phrase:
        kind = "longest" if outside is None else "longest outside theirs"
        return Phrase(kind, suits=(str(suit),), where=place(start(suit)))

    def strictly_longest(self, suit: Token, _is: Token, _noun: Token | None) -> Phrase:
        return Phrase("strictly longest", suits=(str(suit),), where=place(start(suit)))

    def fourth_suit(self, suit: Token, _is: Token) -> Phrase:
        return Phrase("fourth suit", suits=(str(suit),), where=place(start(suit)))

    def longest_suit(self, words: Token, suit: Token) -> Phrase:
        return Phrase("longest", suits=(str(suit),), where=place(start(words)))

    def honour(self, words: Token, suit: Token) -> Phrase:
        card = one_blank(words).removeprefix("the ").removesuffix(" of")
        return Phrase("honour", suits=(str(suit),), text=card, where=place(start(words)))

    def stopper(self, article: Token | None, words: Token, suit: Token) -> Phrase:
        kind = {"partial stopper in": "partial stopper", "two stoppers in": "two stoppers",
                "double stopper in": "two stoppers"}.get(one_blank(words), "stopper")  # fmt: skip
        return Phrase(kind, suits=(str(suit),), where=place(start(article or words)))

    def no_stopper(self, no: Token, words: Token, suit: Token) -> Condition:
        return NotThis(self.stopper(no, words, suit))

    def shortness(
        self, article: Token | None, words: Token, _in: Token | None, suit: Token | None
    ) -> Phrase:
        kind = one_blank(words)
        if " or " in kind:
            kind = "shortness"
        where = place(start(article or words))
        return Phrase(kind, suits=named_suit(suit) or ("a suit",), where=where)

    def no_shortness(
        self, no: Token, words: Token, in_: Token | None, suit: Token | None
    ) -> Condition:
        return NotThis(self.shortness(no, words, in_, suit))

    def control(self, article: Token | None, words: Token, suit: Token) -> Phrase:
        kind = one_blank(words).removesuffix(" in")
        return Phrase(kind, suits=(str(suit),), where=place(start(article or words)))

    def no_control(self, no: Token, words: Token, suit: Token) -> Condition:
        return NotThis(self.control(no, words, suit))

    def rule_of(self, words: Token, number: Token) -> Phrase:
        return Phrase("rule of", count=self._number(number), where=place(start(words)))

    def law(self, words: Token, call: CallPattern) -> Phrase:
        return Phrase("law", call=call, where=place(start(words)))

    def enough(self, words: Token, call: CallPattern) -> Phrase:
        return Phrase("enough points", call=call, where=place(start(words)))

    def raw(self, token: Token) -> Phrase:
        text = token[1:-1].strip()
        if not text:
            self.fault(start(token), "an expression stands between the braces, I read nothing")
        return Phrase("raw", text=text, where=place(start(token)))

    def any_hand(self, token: Token) -> Phrase:
        return Phrase("any hand", where=place(start(token)))

    def named(self, *tokens: Token) -> Phrase:
        name = " ".join(token for token in tokens if token.type == "WORD")
        suits = tuple(str(token) for token in tokens if token.type != "WORD")
        return Phrase("named", suits=suits, text=name, where=place(start(tokens[0])))

    # ------------------------------------------------------------------ joining
    def negated(self, _no: Token, part: Condition) -> Condition:
        return NotThis(part)

    def both(self, *parts: "Condition | Token") -> Condition:
        return all_of(part for part in parts if not isinstance(part, Token))

    def alternatives(self, *parts: "Condition | Token") -> Condition:
        return any_of(part for part in parts if not isinstance(part, Token))

    def group(self, *parts: Condition) -> Condition:
        return all_of(parts)


_MEASURES: Final = {
    "hcp": "points", "HCP": "points", "high-card points": "points", "high-card point": "points",
    "point": "points", "key cards": "keycards",
}  # fmt: skip


def _measure(words: str) -> str:
    known = _MEASURES.get(words)
    if known is not None:
        return known
    if words in ("loser", "control", "quick trick", "playing trick", "ace", "king", "queen",
                 "keycard"):  # fmt: skip
        return f"{words}s"
    return words
