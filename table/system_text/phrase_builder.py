"""Phrases: the tests of a condition, built from the words that the grammar found.

What reads well and is no bridge all the same (``5-3 points``, ``5+ heart``) is noted in ``faults``.
"""

import re
from typing import Any, Final, NamedTuple

from lark import Token, Transformer
from lark.visitors import v_args

from .joining import all_of, any_of
from .statements import Fault
from .syntax_tree import SUIT_WORDS, CallPattern, Condition, NotThis, Phrase, Range, Where

NUMBER_WORDS: Final = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen".split(), 1
    )
}
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_PLAYERS: Final = {
    "I": "me", "my": "me", "mine": "me", "ours": "we", "theirs": "they", "partner's": "partner",
    "RHO's": "RHO", "LHO's": "LHO",
}  # fmt: skip
_CALLED: Final = {"passed": "pass", "doubled": "double", "redoubled": "redouble"}
LETTER_OF_SUIT: Final = {**SUIT_WORDS, "NT": "NT"}

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


def place(position: int) -> Where:
    """A place in a logical line, before the line has one in a file.

    Examples
    --------
    >>> place(4)
    Where(file='', line=0, column=4)
    """
    return Where("", 0, position)


def one_blank(words: str) -> str:
    """Words with single blanks between them.

    Examples
    --------
    >>> one_blank("their   suit")
    'their suit'
    """
    return " ".join(words.split())


def _start(token: Token) -> int:
    return token.start_pos or 0


def _suit(token: Token | None) -> tuple[str, ...]:
    return () if token is None else (str(token),)


@v_args(inline=True)
class PhraseBuilder(Transformer[Token, Any]):
    """Builds conditions; the calls within them too."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[Fault] = []

    def fault(self, position: int, message: str, advice: str = "") -> None:
        """Note something wrong and go on."""
        self.faults.append(Fault(position, message, advice))

    # ------------------------------------------------------------------ words
    def suit(self, token: Token) -> Token:
        if " " in token:
            return Token("SUIT", one_blank(token), token.start_pos)
        return token

    def strain(self, token: Token) -> Token:
        if token.type == "NOTRUMP":
            return Token("SUIT", "NT", token.start_pos)
        return token

    def _number(self, token: Token) -> int:
        word = token.rstrip("+")
        number = NUMBER_WORDS.get(word)
        if number is None:
            number = int(word[:6])
        return number

    # ------------------------------------------------------------------ ranges
    def exact(self, *tokens: Token) -> Counted:
        number = self._number(tokens[-1])
        return Counted(Range(number, number), _start(tokens[0]), " ".join(tokens))

    def several(self, *tokens: Token) -> Counted:
        numbers = [self._number(token) for token in tokens if token.type == "NUMBER"]
        found = Range(numbers[0], numbers[0], tuple(numbers[1:]))
        return Counted(found, _start(tokens[0]), " ".join(tokens))

    def at_least(self, *tokens: Token) -> Counted:
        return Counted(Range(self._number(tokens[-1])), _start(tokens[0]), " ".join(tokens))

    def span(self, token: Token) -> Counted:
        low, high = (int(part[:6]) for part in re.split(r"[-–]", token.replace(" ", "")))
        if low > high:
            self.fault(
                _start(token),
                f'"{token}" is an empty range',
                f'write "{high}-{low}", the smaller number first',
            )
        return Counted(Range(low, high), _start(token), str(token))

    def at_most(self, *tokens: Token) -> Counted:
        return Counted(Range(0, self._number(tokens[-1])), _start(tokens[0]), " ".join(tokens))

    def fewer(self, word: Token, token: Token) -> Counted:
        number = self._number(token)
        if number == 0:
            self.fault(_start(word), f'"{word} {token}" is an empty range')
        return Counted(Range(0, max(number - 1, 0)), _start(word), f"{word} {token}")

    def more(self, word: Token, token: Token) -> Counted:
        return Counted(Range(self._number(token) + 1), _start(word), f"{word} {token}")

    def none(self, token: Token) -> Counted:
        return Counted(Range(0, 0), _start(token), str(token))

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
        return self._phrase(_measure(one_blank(words)), counted, _suit(suit))

    def length(self, counted: Counted, suit: Token) -> Phrase:
        return self._phrase("length", counted, (str(suit),))

    def length_in(self, counted: Counted, words: Token, suit: Token) -> Phrase:
        kind = "combined cards" if words.type == "COMBINED_CARDS" else "length"
        return self._phrase(kind, counted, (str(suit),))

    def singular_length(self, counted: Counted, suit: Token) -> Phrase:
        if (counted.range.high if counted.range.high is not None else 9) != 1:
            self.fault(
                _start(suit),
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
            self.fault(_start(token), f'"{token}" is an empty range', "the smaller number first")
        return Counted(Range(number, most), _start(token), str(token))

    def carded_length(self, _a: Token | None, carded: Token, suit: Token, _noun: Token) -> Phrase:
        return self._phrase("length", self._carded(carded), (f"{suit}s",))

    def suit_length(self, _a: Token | None, carded: Token, noun: Token) -> Phrase:
        return self._phrase("suit length", self._carded(carded), (f"a {noun}",))

    def no_suit_length(self, no: Token, carded: Token, noun: Token) -> Condition:
        counted = self._carded(carded)
        counted = Counted(Range(counted.range.low), _start(no), counted.words)
        return NotThis(self._phrase("suit length", counted, (f"a {noun}",)))

    def support(self, *parts: Any) -> Phrase:
        """``range SUPPORT [FOR suit]`` and ``[A] CARDED CARD_SUPPORT [FOR suit]``."""
        counted = parts[0] if isinstance(parts[0], Counted) else self._carded(parts[1])
        if counted.words == "no":
            counted = Counted(Range(0, 2), counted.position, counted.words)
        suit = parts[-1]
        return self._phrase("support", counted, _suit(suit) or ("partner's suit",))

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
                _start(token),
                f'the lengths of "{token}" add up to {least}, a hand has 13 cards',
            )
        return Phrase("shape", text=str(token), where=place(_start(token)))

    def two_suits(self, first: Token, words: Token, second: Token) -> Phrase:
        kind = {"at least as long as": "at least as long", "longer than": "longer"}.get(
            one_blank(words), one_blank(words)
        )
        if first == second:
            self.fault(_start(first), f'"{first} {one_blank(words)} {second}" names one suit twice')
        return Phrase(kind, suits=(str(first), str(second)), where=place(_start(first)))

    def same_suit(self, first: Token, _is: Token, second: Token) -> Phrase:
        suits = (str(first), str(second))
        return Phrase("same suit", suits=suits, where=place(_start(first)))

    def other_suit(self, first: Token, is_not: Token, second: Token) -> Condition:
        return NotThis(self.same_suit(first, is_not, second))

    def longest(
        self, suit: Token, _is: Token, _noun: Token | None, outside: Token | None
    ) -> Phrase:
        kind = "longest" if outside is None else "longest outside theirs"
        return Phrase(kind, suits=(str(suit),), where=place(_start(suit)))

    def strictly_longest(self, suit: Token, _is: Token, _noun: Token | None) -> Phrase:
        return Phrase("strictly longest", suits=(str(suit),), where=place(_start(suit)))

    def fourth_suit(self, suit: Token, _is: Token) -> Phrase:
        return Phrase("fourth suit", suits=(str(suit),), where=place(_start(suit)))

    def longest_suit(self, words: Token, suit: Token) -> Phrase:
        return Phrase("longest", suits=(str(suit),), where=place(_start(words)))

    def honour(self, words: Token, suit: Token) -> Phrase:
        card = one_blank(words).removeprefix("the ").removesuffix(" of")
        return Phrase("honour", suits=(str(suit),), text=card, where=place(_start(words)))

    def stopper(self, article: Token | None, words: Token, suit: Token) -> Phrase:
        kind = {"partial stopper in": "partial stopper", "two stoppers in": "two stoppers",
                "double stopper in": "two stoppers"}.get(one_blank(words), "stopper")  # fmt: skip
        return Phrase(kind, suits=(str(suit),), where=place(_start(article or words)))

    def no_stopper(self, no: Token, words: Token, suit: Token) -> Condition:
        return NotThis(self.stopper(no, words, suit))

    def shortness(
        self, article: Token | None, words: Token, _in: Token | None, suit: Token | None
    ) -> Phrase:
        kind = one_blank(words)
        if " or " in kind:
            kind = "shortness"
        where = place(_start(article or words))
        return Phrase(kind, suits=_suit(suit) or ("a suit",), where=where)

    def no_shortness(
        self, no: Token, words: Token, in_: Token | None, suit: Token | None
    ) -> Condition:
        return NotThis(self.shortness(no, words, in_, suit))

    def control(self, article: Token | None, words: Token, suit: Token) -> Phrase:
        kind = one_blank(words).removesuffix(" in")
        return Phrase(kind, suits=(str(suit),), where=place(_start(article or words)))

    def no_control(self, no: Token, words: Token, suit: Token) -> Condition:
        return NotThis(self.control(no, words, suit))

    def rule_of(self, words: Token, number: Token) -> Phrase:
        return Phrase("rule of", count=self._number(number), where=place(_start(words)))

    def law(self, words: Token, call: CallPattern) -> Phrase:
        return Phrase("law", call=call, where=place(_start(words)))

    def enough(self, words: Token, call: CallPattern) -> Phrase:
        return Phrase("enough points", call=call, where=place(_start(words)))

    def raw(self, token: Token) -> Phrase:
        text = token[1:-1].strip()
        if not text:
            self.fault(_start(token), "an expression stands between the braces, I read nothing")
        return Phrase("raw", text=text, where=place(_start(token)))

    def any_hand(self, token: Token) -> Phrase:
        return Phrase("any hand", where=place(_start(token)))

    def named(self, *tokens: Token) -> Phrase:
        name = " ".join(token for token in tokens if token.type == "WORD")
        suits = tuple(str(token) for token in tokens if token.type != "WORD")
        return Phrase("named", suits=suits, text=name, where=place(_start(tokens[0])))

    # ------------------------------------------------------------------ the auction
    def plain_fact(self, token: Token) -> Phrase:
        kind = one_blank(token)
        kind = "nobody opened" if kind == "nobody has opened" else kind
        kind = "game reached" if kind == "game is reached" else kind
        return Phrase(kind, where=place(_start(token)))

    def seat(self, in_: Token | None, *tokens: Token) -> Phrase:
        seats = sorted({_ordinal(token) for token in tokens if token.type == "ORDINAL"})
        low, high = seats[0], seats[-1]
        if high - low + 1 == len(seats):
            found = Range(low, high)
        else:
            found = Range(low, low, tuple(seats[1:]))
        return Phrase("seat", range=found, where=place(_start(in_ or tokens[0])))

    def _fact(self, kind: str, who: Token, **fields: Any) -> Phrase:
        player = _PLAYERS.get(who, str(who))
        return Phrase(kind, who=player, where=place(_start(who)), **fields)

    def passed_hand(self, who: Token, words: Token | None = None) -> Phrase:
        if words is None:
            return Phrase("passed hand", who="me", where=place(_start(who)))
        return self._fact("passed hand", who)

    def opened(self, who: Token, _words: Token, call: CallPattern | None) -> Phrase:
        return self._fact("opened", who, call=call)

    def has_bid(self, who: Token, words: Token, call: CallPattern | None) -> Phrase:
        if call is None and who in ("RHO", "LHO") and words == "bid":
            return self._fact("last call", who, text="bid")
        return self._fact("bid", who, call=call)

    def has_bid_suit(self, who: Token, _words: Token, suit: Token) -> Phrase:
        if suit.type == "NOTRUMP":
            return self._fact("bid", who, call=CallPattern("bid", None, "NT"))
        return self._fact("bid", who, suits=(str(suit),))

    def not_bid(self, who: Token, _words: Token, suit: Token | None) -> Phrase:
        return self._fact("not bid", who, suits=_suit(suit))

    def only_passed(self, who: Token, _words: Token) -> Phrase:
        return self._fact("only passed", who)

    def called(self, who: Token, words: Token) -> Phrase:
        return self._fact("last call", who, call=CallPattern(_CALLED[words]))

    def has_called(self, who: Token, _words: Token, tag: Token) -> Phrase:
        return self._fact("has called", who, text=str(tag))

    def has_shown(self, who: Token, _words: Token, counted: Phrase) -> Phrase:
        return self._shown("has shown", who, counted)

    def may_have(self, who: Token, _words: Token, counted: Phrase) -> Phrase:
        return self._shown("may have", who, counted)

    def _shown(self, kind: str, who: Token, counted: Phrase) -> Phrase:
        return self._fact(kind, who, range=counted.range, suits=counted.suits, text=counted.kind)

    def last_call(
        self, words: Token, no: Token | None, _a: Token | None, called: "CallPattern | Token"
    ) -> Condition:
        who = _PLAYERS.get(words.split("'")[0].split()[0], words.split("'")[0].split()[0])
        where = place(_start(words))
        if isinstance(called, CallPattern):
            found = Phrase("last call", who=who, call=called, where=where)
        else:
            found = Phrase("last call", who=who, text=one_blank(called), where=where)
        return found if no is None else NotThis(found)

    def last_call_tagged(self, words: Token, no: Token | None, tag: Token) -> Condition:
        return self.last_call(words, no, None, tag)

    def last_bid_of(self, words: Token, owner: Token, tag: Token | None) -> Phrase:
        return Phrase(
            "last bid", who=_PLAYERS[owner], text=str(tag or ""), where=place(_start(words))
        )

    def last_bid(self, words: Token, called: "CallPattern | Token") -> Phrase:
        where = place(_start(words))
        if isinstance(called, CallPattern):
            return Phrase("last bid", call=called, where=where)
        return Phrase("last bid", text=str(called), where=where)

    def unbid(self, words: Token, suit: Token) -> Phrase:
        return Phrase(
            "unbid", suits=(str(suit),), text=words.split()[1], where=place(_start(words))
        )

    def fit(self, *tokens: Token | None) -> Phrase:
        """``[WHO HAVE] [A] [CARDED] FIT [IN suit]``; ``NO`` takes the place of ``A`` in no_fit."""
        who, carded, suit = tokens[0], tokens[3], tokens[-1]
        if who is not None and who != "we":
            self.fault(_start(who), f'a fit takes two hands, I read "{who} have"', 'write "we have"')
        first = next(token for token in tokens if token is not None)
        low = 8 if carded is None else self._carded(carded).range.low
        return Phrase("fit", suits=_suit(suit), count=low, where=place(_start(first)))

    def no_fit(self, *tokens: Token | None) -> Condition:
        return NotThis(self.fit(*tokens))

    def level(self, words: Token, _the: Token | None, level: Token) -> Counted:
        number = int(level[0])
        low = 0 if words.type == "AT_MOST" else number
        high = None if words.type == "AT_LEAST" else number
        return Counted(Range(low, high), _start(words), f"{words} {level}")

    def at_level(self, counted: Counted) -> Phrase:
        return Phrase("level", range=counted.range, where=place(counted.position))

    def available(self, call: CallPattern, _words: Token, counted: Counted | None = None) -> Phrase:
        found = None if counted is None else counted.range
        return Phrase("available", range=found, call=call, where=call.where)

    def nth_call(self, words: Token) -> Phrase:
        return Phrase("nth call", count=_ORDINALS[words.split()[1]], where=place(_start(words)))

    # ------------------------------------------------------------------ joining
    def negated(self, _no: Token, part: Condition) -> Condition:
        return NotThis(part)

    def both(self, *parts: "Condition | Token") -> Condition:
        return all_of(part for part in parts if not isinstance(part, Token))

    def alternatives(self, *parts: "Condition | Token") -> Condition:
        return any_of(part for part in parts if not isinstance(part, Token))

    def group(self, *parts: Condition) -> Condition:
        return all_of(parts)

    # ------------------------------------------------------------------ calls
    def bid(self, token: Token) -> CallPattern:
        level = 0 if token[0] == "n" else int(token[0])
        strain = token[1:]
        if strain.upper() in ("N", "NT"):
            strain = "NT"
        elif strain not in ("m", "om", "M", "oM", "X", "Y", "Z", "W"):
            strain = strain.upper()
        return CallPattern("bid", level, str(strain), place(_start(token)))

    def pass_(self, token: Token) -> CallPattern:
        return CallPattern("pass", where=place(_start(token)))

    def double(self, token: Token) -> CallPattern:
        return CallPattern("double", where=place(_start(token)))

    def redouble(self, token: Token) -> CallPattern:
        return CallPattern("redouble", where=place(_start(token)))

    def any_bid(self, token: Token) -> CallPattern:
        return CallPattern("any bid", where=place(_start(token)))

    def any_call(self, token: Token) -> CallPattern:
        return CallPattern("any", where=place(_start(token)))

    def transfer_to(self, words: Token, bid: Token) -> CallPattern:
        to = self.bid(bid)
        if to.level == 1 and to.strain == "C":
            self.fault(_start(bid), "no call is just below 1C")
        return CallPattern("transfer", to.level, to.strain, place(_start(words)))

    def _relative(self, kind: str, words: Token, strain: Token) -> CallPattern:
        return CallPattern(
            kind, None, LETTER_OF_SUIT.get(strain, str(strain)), place(_start(words))
        )

    def cheapest(self, words: Token, strain: Token) -> CallPattern:
        return self._relative("cheapest", words, strain)

    def jump(self, words: Token, strain: Token) -> CallPattern:
        return self._relative("jump", words, strain)

    def double_jump(self, words: Token, strain: Token) -> CallPattern:
        return self._relative("double jump", words, strain)

    def game_in(self, words: Token, strain: Token) -> CallPattern:
        return self._relative("game", words, strain)


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


def _ordinal(token: Token) -> int:
    return _ORDINALS.get(token) or int(token[0])
