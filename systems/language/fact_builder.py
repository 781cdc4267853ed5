"""Facts about the auction, built from the words that the grammar found."""

from typing import Any, Final

from lark import Token
from lark.visitors import v_args

from .call_builder import one_blank, place
from .call_builder import start_of_token as start
from .phrase_builder import Counted, PhraseBuilder, named_suit
from .syntax_tree import CallPattern, Condition, NotThis, Phrase, Range

_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_PLAYERS: Final = {
    "I": "me", "my": "me", "mine": "me", "ours": "we", "theirs": "they", "partner's": "partner",
    "RHO's": "RHO", "LHO's": "LHO",
}  # fmt: skip
_CALLED: Final = {"passed": "pass", "doubled": "double", "redoubled": "redouble"}


@v_args(inline=True)
class FactBuilder(PhraseBuilder):
    """Builds phrases about the auction."""

    def plain_fact(self, token: Token) -> Phrase:
        kind = one_blank(token)
        kind = "nobody opened" if kind == "nobody has opened" else kind
        kind = "game reached" if kind == "game is reached" else kind
        return Phrase(kind, where=place(start(token)))

    def seat(self, in_: Token | None, *tokens: Token) -> Phrase:
        seats = sorted({_ordinal(token) for token in tokens if token.type == "ORDINAL"})
        low, high = seats[0], seats[-1]
        if high - low + 1 == len(seats):
            found = Range(low, high)
        else:
            found = Range(low, low, tuple(seats[1:]))
        return Phrase("seat", range=found, where=place(start(in_ or tokens[0])))

    def _fact(self, kind: str, who: Token, **fields: Any) -> Phrase:
        player = _PLAYERS.get(who, str(who))
        return Phrase(kind, who=player, where=place(start(who)), **fields)

    def passed_hand(self, who: Token, words: Token | None = None) -> Phrase:
        if words is None:
            return Phrase("passed hand", who="me", where=place(start(who)))
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
        return self._fact("not bid", who, suits=named_suit(suit))

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
        where = place(start(words))
        if isinstance(called, CallPattern):
            found = Phrase("last call", who=who, call=called, where=where)
        else:
            found = Phrase("last call", who=who, text=one_blank(called), where=where)
        return found if no is None else NotThis(found)

    def last_call_tagged(self, words: Token, no: Token | None, tag: Token) -> Condition:
        return self.last_call(words, no, None, tag)

    def last_bid_of(self, words: Token, owner: Token, tag: Token | None) -> Phrase:
        return Phrase(
            "last bid", who=_PLAYERS[owner], text=str(tag or ""), where=place(start(words))
        )

    def last_bid(self, words: Token, called: "CallPattern | Token") -> Phrase:
        where = place(start(words))
        if isinstance(called, CallPattern):
            return Phrase("last bid", call=called, where=where)
        return Phrase("last bid", text=str(called), where=where)

    def unbid(self, words: Token, suit: Token) -> Phrase:
        return Phrase("unbid", suits=(str(suit),), text=words.split()[1], where=place(start(words)))

    def fit(self, *tokens: Token | None) -> Phrase:
        """``[WHO HAVE] [A] [CARDED] FIT [IN suit]``; ``NO`` takes the place of ``A`` in no_fit."""
        who, carded, suit = tokens[0], tokens[3], tokens[-1]
        if who is not None and who != "we":
            self.fault(start(who), f'a fit takes two hands, I read "{who} have"', 'write "we have"')
        first = next(token for token in tokens if token is not None)
        low = 8 if carded is None else self._carded(carded).range.low
        return Phrase("fit", suits=named_suit(suit), count=low, where=place(start(first)))

    def no_fit(self, *tokens: Token | None) -> Condition:
        return NotThis(self.fit(*tokens))

    def level(self, words: Token, _the: Token | None, level: Token) -> Counted:
        number = int(level[0])
        low = 0 if words.type == "AT_MOST" else number
        high = None if words.type == "AT_LEAST" else number
        return Counted(Range(low, high), start(words), f"{words} {level}")

    def at_level(self, counted: Counted) -> Phrase:
        return Phrase("level", range=counted.range, where=place(counted.position))

    def available(self, call: CallPattern, _words: Token, counted: Counted | None = None) -> Phrase:
        found = None if counted is None else counted.range
        return Phrase("available", range=found, call=call, where=call.where)

    def nth_call(self, words: Token) -> Phrase:
        return Phrase("nth call", count=_ORDINALS[words.split()[1]], where=place(start(words)))


def _ordinal(token: Token) -> int:
    return _ORDINALS.get(token) or int(token[0])
