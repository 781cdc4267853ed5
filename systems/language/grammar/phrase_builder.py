"""Phrases: the tests of a condition, built from the words that the grammar found.

What reads well and is no bridge all the same (``5-3 points``, ``5+ heart``) is noted in ``faults``.
"""

import re
from typing import Any, Final, NamedTuple

from bidcascade.systems.language.tree.joining import all_of, any_of
from bidcascade.systems.language.tree.syntax_tree import (
    CallPattern,
    Condition,
    NotThis,
    Phrase,
    Range,
    Where,
)
from bidcascade.systems.language.words.phrases import KIND_OF_WORDS, KINDS
from bidcascade.table.language.lalr import Token

from .call_builder import NUMBER_WORDS, ORDINALS, CallBuilder, at, one_blank, place, plain, value_of

_PLAYERS: Final = {
    "I": "me", "my": "me", "mine": "me", "ours": "we", "theirs": "they", "partner's": "partner",
    "RHO's": "RHO", "LHO's": "LHO",
}  # fmt: skip
_CALLED: Final = {"passed": "pass", "doubled": "double", "redoubled": "redouble"}


class PlacedRange(NamedTuple):
    """A range with its place and words."""

    range: Range
    position: int
    words: str
    in_halves: Range | None = None
    """Where halves are counted, if it is another one: ``fewer than 2`` is up to one and a half."""


class PhraseBuilder(CallBuilder):
    """Builds conditions."""

    # ------------------------------------------------------------------ ranges
    def exact(self, *tokens: Token) -> PlacedRange:
        number = self._number(tokens[-1])
        return PlacedRange(Range(number, number), tokens[0].start, " ".join(tokens))

    def several(self, *tokens: Token) -> PlacedRange:
        numbers = [self._number(token) for token in tokens if token.type == "NUMBER"]
        found = Range(numbers[0], numbers[0], tuple(numbers[1:]))
        return PlacedRange(found, tokens[0].start, " ".join(tokens))

    def at_least(self, *tokens: Token) -> PlacedRange:
        return PlacedRange(Range(self._number(tokens[-1])), tokens[0].start, " ".join(tokens))

    def span(self, token: Token) -> PlacedRange:
        low, high = (value_of(part) for part in re.split(r"[-–]", token.replace(" ", "")))
        if low > high:
            self.fault(
                token,
                f'"{token}" is an empty range',
                f'write "{high}-{low}", the smaller number first',
            )
        return PlacedRange(Range(low, high), token.start, str(token))

    def at_most(self, *tokens: Token) -> PlacedRange:
        return PlacedRange(Range(0, self._number(tokens[-1])), tokens[0].start, " ".join(tokens))

    def fewer(self, word: Token, token: Token) -> PlacedRange:
        number = self._number(token)
        if number == 0:
            self.fault(word, f'"{word} {token}" is an empty range')
        below, half = (Range(0, plain(max(number - step, 0))) for step in (1, 0.5))
        return PlacedRange(below, word.start, f"{word} {token}", half)

    def more(self, word: Token, token: Token) -> PlacedRange:
        above, half = (Range(plain(self._number(token) + step)) for step in (1, 0.5))
        return PlacedRange(above, word.start, f"{word} {token}", half)

    def none(self, token: Token) -> PlacedRange:
        return PlacedRange(Range(0, 0), token.start, str(token))

    def _phrase(self, kind: str, counted: PlacedRange, suits: tuple[str, ...] = ()) -> Phrase:
        row = KINDS[kind]
        found = counted.in_halves if row.halves and counted.in_halves else counted.range
        numbers = (found.low, found.high or 0, *found.also)
        what = row.unit or kind
        if row.most is not None and max(numbers) > row.most:
            self.fault(counted.position, f'"{counted.words}": there are at most {row.most} {what}')
        elif any(number * (2 if row.halves else 1) % 1 for number in numbers):
            message = f'"{counted.words}": {what} are counted in '
            if row.halves:
                self.fault(counted.position, f"{message}halves", "such as 2, 2.5 or 3")
            else:
                self.fault(counted.position, f"{message}whole numbers")
        return Phrase(kind, range=found, suits=suits, where=place(counted.position))

    # ------------------------------------------------------------------ most phrases
    def phrase(self, *parts: Any) -> Condition:
        """Make the phrase whose kind its words tell; each other part is a field."""
        first, *_ = (part for part in parts if part is not None)
        kind, negated, counted = "", False, None
        suits: tuple[str, ...] = ()
        fields: dict[str, Any] = {}
        for part in parts:
            if not isinstance(part, Token):
                match part:
                    case PlacedRange():
                        counted = part
                    case CallPattern():
                        fields["call"] = part
                    case Phrase():
                        suits = part.suits
                        fields |= {"range": part.range, "text": part.kind}
                continue
            kind = KIND_OF_WORDS.get((part.type, one_blank(part)), kind)
            match part.type:
                case "SUIT" | "VARIABLE" | "ROLE":
                    suits += (str(part),)
                case "NOTRUMP":
                    fields["call"] = CallPattern("bid", None, "NT")
                case "CALLED":
                    fields["call"] = CallPattern(_CALLED[part])
                case "WHO" | "OWNER" | "LAST_CALL_WAS":
                    player = part.split()[0]
                    fields["who"] = _PLAYERS.get(player, player)
                case "NUMBER":
                    fields["count"] = self._whole(part)
                case "TAG" | "CALL_CLASS":
                    fields["text"] = one_blank(part)
                case "NO" | "NOT" | "IS_NOT":
                    negated = True
        default = KINDS[kind].default
        suits = suits or ((default,) if default else ())
        if counted is not None:
            return self._phrase(kind, counted, suits)
        if len(suits) == 2 and suits[0] == suits[1] and kind != "same suit":
            words = one_blank(parts[1])
            self.fault(first, f'"{suits[0]} {words} {suits[0]}" names one suit twice')
        found = Phrase(kind, suits=suits, where=_where(first), **fields)
        return NotThis(found) if negated else found

    # ------------------------------------------------------------------ counted
    def length(self, counted: PlacedRange, *words: Token) -> Phrase:
        return self._phrase("length", counted, (str(words[-1]),))

    def singular_length(self, counted: PlacedRange, suit: Token) -> Phrase:
        if (counted.range.high if counted.range.high is not None else 9) != 1:
            self.fault(
                suit,
                f'after "{counted.words}" I expect points or a suit, I read "{suit}"',
                f'write "{suit}s"',
            )
        return self._phrase("length", counted, (f"{suit}s",))

    def _carded(self, token: Token) -> PlacedRange:
        words = token.removesuffix("-card")
        low, _, high = words.rstrip("+").partition("-")
        number = NUMBER_WORDS.get(low) or int(low[:6])
        most = None if words.endswith("+") else int(high[:6]) if high else number
        if most is not None and most < number:
            self.fault(token, f'"{token}" is an empty range', "the smaller number first")
        return PlacedRange(Range(number, most), token.start, str(token))

    def carded_length(self, _a: Token | None, carded: Token, suit: Token, _noun: Token) -> Phrase:
        return self._phrase("length", self._carded(carded), (f"{suit}s",))

    def suit_length(self, _a: Token | None, carded: Token, noun: Token) -> Phrase:
        return self._phrase("suit length", self._carded(carded), (f"a {noun}",))

    def no_suit_length(self, no: Token, carded: Token, noun: Token) -> Condition:
        counted = self._carded(carded)
        counted = PlacedRange(Range(counted.range.low), no.start, counted.words)
        return NotThis(self._phrase("suit length", counted, (f"a {noun}",)))

    def support(self, *parts: Any) -> Phrase:
        """``range SUPPORT [FOR suit]`` and ``[A] CARDED CARD_SUPPORT [FOR suit]``."""
        counted = parts[0] if isinstance(parts[0], PlacedRange) else self._carded(parts[1])
        if counted.words == "no":
            counted = PlacedRange(Range(0, 2), counted.position, counted.words)
        return self._phrase("support", counted, (str(parts[-1] or KINDS["support"].default),))

    def top_honours(
        self, counted: PlacedRange, _of: Token, top: Token, _in: Token, suit: Token
    ) -> Phrase:
        found, of = counted.range, self._whole(top)
        if any(number % 1 for number in (found.low, found.high or 0, *found.also)):
            self.fault(counted.position, f'"{counted.words}": honours are counted in whole numbers')
        if counted.words.isalnum():  # "two of the top three" means at least two
            found = Range(found.low)
        count = found.low if found.low or found.high is None else found.high
        if count > of or of > 13:
            self.fault(counted.position, f'"{counted.words}" of {of} honours cannot be')
        return Phrase(
            "top honours",
            range=found,
            suits=(str(suit),),
            count=int(count),
            of=of,
            where=place(counted.position),
        )

    # ------------------------------------------------------------------ suits and shape
    def shape(self, token: Token) -> Phrase:
        lengths = re.split(r"[=-]", token)
        least = sum(int(length.rstrip("+")) for length in lengths if length != "x")
        is_open = any(length == "x" or length.endswith("+") for length in lengths)
        if least > 13 or (least < 13 and not is_open):
            self.fault(
                token,
                f'the lengths of "{token}" add up to {least}, a hand has 13 cards',
            )
        return Phrase("shape", text=str(token), where=at(token))

    def honour(self, words: Token, suit: Token) -> Phrase:
        return Phrase("honour", suits=(str(suit),), text=words.split()[-2], where=at(words))

    def raw(self, token: Token) -> Phrase:
        text = token[1:-1].strip()
        if not text:
            self.fault(token, "an expression stands between the braces, I read nothing")
        return Phrase("raw", text=text, where=at(token))

    def named(self, *tokens: Token) -> Phrase:
        name = " ".join(token for token in tokens if token.type == "WORD")
        suits = tuple(str(token) for token in tokens if token.type != "WORD")
        return Phrase("named", suits=suits, text=name, where=place(tokens[0].start))

    # ------------------------------------------------------------------ the auction
    def seat(self, in_: Token | None, *tokens: Token) -> Phrase:
        seats = sorted({ORDINALS[token] for token in tokens if token.type == "ORDINAL"})
        low, high = seats[0], seats[-1]
        if high - low + 1 == len(seats):
            found = Range(low, high)
        else:
            found = Range(low, low, tuple(seats[1:]))
        return Phrase("seat", range=found, where=place((in_ or tokens[0]).start))

    def i_am_passed_hand(self, words: Token) -> Phrase:
        return Phrase("passed hand", who="me", where=at(words))

    def unbid(self, words: Token, suit: Token) -> Phrase:
        return Phrase("unbid", suits=(str(suit),), text=words.split()[1], where=at(words))

    def fit(self, *tokens: Token | None) -> Phrase:
        """``[WHO HAVE] [A] [CARDED] FIT [IN suit]``; ``NO`` takes the place of ``A`` in no_fit."""
        who, carded, suit = tokens[0], tokens[3], tokens[-1]
        if who is not None and who != "we":
            self.fault(who, f'a fit takes two hands, I read "{who} have"', 'write "we have"')
        first = next(token for token in tokens if token is not None)
        low = 8 if carded is None else int(self._carded(carded).range.low)
        return Phrase("fit", suits=() if suit is None else (str(suit),), count=low, where=at(first))

    def no_fit(self, *tokens: Token | None) -> Condition:
        return NotThis(self.fit(*tokens))

    def level(self, words: Token, _the: Token | None, level: Token) -> PlacedRange:
        number = int(level[0])
        low = 0 if words.type == "AT_MOST" else number
        high = None if words.type == "AT_LEAST" else number
        return PlacedRange(Range(low, high), words.start, f"{words} {level}")

    def at_level(self, counted: PlacedRange) -> Phrase:
        return Phrase("level", range=counted.range, where=place(counted.position))

    def nth_call(self, words: Token) -> Phrase:
        return Phrase("nth call", count=ORDINALS[words.split()[1]], where=at(words))

    def has_bid(self, who: Token, words: Token, call: CallPattern | None) -> Condition:
        if call is None and who in ("RHO", "LHO") and words == "bid":
            return Phrase("last call", who=str(who), text="bid", where=at(who))
        return self.phrase(who, words, call)

    def is_at_level(self, call: CallPattern, _is: Token, counted: PlacedRange) -> Phrase:
        return Phrase("available", range=counted.range, call=call, where=call.where)

    # ------------------------------------------------------------------ joining
    def negated(self, _no: Token, part: Condition) -> Condition:
        return NotThis(part)

    def both(self, *parts: "Condition | Token") -> Condition:
        if len(parts) == 1 and not isinstance(parts[0], Token):  # as most are
            return parts[0]
        return all_of([part for part in parts if not isinstance(part, Token)])

    def alternatives(self, *parts: "Condition | Token") -> Condition:
        if len(parts) == 1 and not isinstance(parts[0], Token):
            return parts[0]
        return any_of([part for part in parts if not isinstance(part, Token)])

    def group(self, *parts: Condition) -> Condition:
        return all_of(parts)


def _where(part: Any) -> Where:
    return part.where if isinstance(part, CallPattern) else at(part)
