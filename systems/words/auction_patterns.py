"""Auctions as people ask for them: call by call, or as the headers of systems write patterns.

``1N P 2C`` names every call from the dealer on. So does ``1NT P 2C P 2M …``, with suit variables,
``1C/1D``, ``any``, ``any bid``, and ``…`` for any calls, none too. With an opponent's call in
parentheses, ``1NT (P) 2C (P) 2M``, it is a header of the language: passes in front are taken off,
and those of a side that is skipped are understood.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from bidcascade.bridge import Auction, InvalidCall, parse_calls
from bidcascade.systems.language.auctions.patterns import (
    AuctionPattern,
    Bindings,
    all_bindings,
    is_variable,
    letter_of,
    match_call,
)
from bidcascade.systems.language.auctions.turns import in_turn
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.tree.statements import HeaderStatement
from bidcascade.systems.language.tree.syntax_tree import VARIABLES, AuctionStep, Where

CALLS: Final = 38
LONGEST_TEXT: Final = 500
_ANY: Final = "[\\x00-\\x25]"
_MOST_BINDINGS: Final = 5_000
_MOST_AUCTIONS: Final = 5_000
_BY_THE_LAST_BID: Final = ("cheapest", "jump", "double jump")


class WrittenAuction(NamedTuple):
    """What a text asks for.

    Parameters
    ----------
    prefix
        Codes of the calls that every auction asked for begins with.
    regex
        What call codes, taken as characters, must match from their beginning; None where the
        prefix says it all.
    steps
        Alternatives, each a call a step: the codes it may have, or None for any calls.
    leading_passes
        Whether passes in front do not count.
    """

    prefix: bytes
    regex: str | None
    steps: tuple[tuple[frozenset[int] | None, ...], ...]
    leading_passes: bool = False

    def matches(self, calls: bytes, *, exact: bool = False) -> bool:
        """Tell whether an auction begins so, or with ``exact`` is so; the definition.

        Examples
        --------
        >>> asked = read_auction("1NT P 2C P 2M")
        >>> asked.matches(bytes([7, 0, 8, 0, 10, 0])), asked.matches(bytes([7, 0, 8]))
        (True, False)
        """
        skips = 1
        if self.leading_passes:
            skips += len(calls) - len(calls.lstrip(b"\0"))
        return any(
            _fits(steps, calls[skip:], exact=exact)
            for steps in self.steps
            for skip in range(min(skips, 4))
        )

    def heads(self, most: int = 64) -> list[bytes]:
        """List what auctions asked for begin with, none of them the beginning of another.

        As many calls as there are not more than ``most`` ways for.

        Examples
        --------
        >>> [list(head) for head in read_auction("1NT P 2C P 2M").heads()]
        [[7, 0, 8, 0, 10], [7, 0, 8, 0, 11]]
        """
        heads = {bytes(passes) for passes in range(4 if self.leading_passes else 1)}
        found: set[bytes] = set()
        for steps in self.steps:
            longer = heads
            for step in steps:
                if step is None or len(longer) * len(step) * len(self.steps) > most:
                    break
                longer = {head + bytes([call]) for head in longer for call in step}
            found |= longer
        ordered = sorted(found)
        shortest: list[bytes] = []
        for head in ordered:
            if not shortest or not head.startswith(shortest[-1]):
                shortest.append(head)
        return shortest

    def named(self, most: int) -> list[bytes] | None:
        """All legal auctions that the text names; None where it leaves calls open, or for many."""
        found: set[bytes] = set()
        for steps in self.steps:
            while steps and steps[-1] is None:
                steps = steps[:-1]
            known = [one for one in steps if one is not None]
            if len(known) < len(steps) or any(len(one) == CALLS for one in known):
                return None
            for passes in range(4 if self.leading_passes else 1):
                legal = _legal(known, bytes(passes))
                if legal is None:
                    return None
                found |= legal
                if len(found) > most:
                    return None
        return sorted(found)


def read_auction(text: str, *, exact: bool = False) -> WrittenAuction:
    r"""Read an auction or a pattern.

    Parameters
    ----------
    text
        Nothing means all auctions.
    exact
        The auction ends where the text does, unless that ends with ``…``.

    Raises
    ------
    InvalidCall
        If it is neither an auction nor a pattern; says where.
    IllegalCall
        If all calls are named and one is illegal.

    Examples
    --------
    >>> read_auction("1N P").prefix, read_auction("1N P").regex
    (b'\x07\x00', None)
    >>> read_auction("1NT P 2C P 2M").prefix
    b'\x07\x00\x08\x00'
    """
    if len(text) > LONGEST_TEXT:
        raise InvalidCall(f"expected an auction of at most {LONGEST_TEXT} letters, got {len(text)}")
    try:
        calls = parse_calls(text)
    except InvalidCall:
        pass
    else:
        Auction.of(calls)
        return _written((tuple(frozenset([call]) for call in calls),), exact=exact)
    steps = _parsed(text)
    is_header = any(step.theirs for step in steps)
    if is_header:
        written = AuctionPattern.of(in_turn(steps, "after", _refuse)).steps
        # the pass behind our last call is put in for headers: here the auction ends before it
        steps = written[:-1] if not steps[-1].theirs and not steps[-1].any_calls else written
    alternatives = tuple(_alternatives(steps, text))
    if not alternatives:
        raise InvalidCall(f"expected a pattern that some auction fits, got {text!r}")
    return _written(alternatives, exact=exact, leading_passes=is_header)


def _refuse(_where: Where, message: str, advice: str) -> None:
    raise InvalidCall(f"{message} ({advice})")


def _parsed(text: str) -> tuple[AuctionStep, ...]:
    parsed = parse_statement(f"after {text}:")
    statement = parsed.statement
    if (
        not isinstance(statement, HeaderStatement)
        or parsed.faults
        or statement.header.condition
        or statement.remark
        or len(statement.header.auctions) != 1
    ):
        why = "".join(
            f": {fault.message}" + (f" ({fault.advice})" if fault.advice else "")
            for fault in parsed.faults[:1]
        )
        raise InvalidCall(
            "expected an auction ('1N P 2C'), or a pattern as in the headers of systems "
            f"('1NT P 2C P 2M …'), got {text!r}{why}"
        )
    return statement.header.auctions[0]


def _alternatives(
    steps: Sequence[AuctionStep], text: str
) -> Iterator[tuple[frozenset[int] | None, ...]]:
    """Codes that each step may have, for each way to bind the variables."""
    names: dict[str, None] = {}
    for step in steps:
        for call in step.calls:
            if call.strain is not None and letter_of(call.strain, {}) is None:
                if call.strain not in VARIABLES:
                    raise InvalidCall(
                        f"expected a suit or a variable such as M, got {call.strain!r} in {text!r}"
                    )
                names[call.strain] = None
            if call.level == 0:
                names["n"] = None
            if call.kind in _BY_THE_LAST_BID:
                raise InvalidCall(
                    f"expected calls with their levels, got {call.kind!r} in {text!r}"
                )
    suits = [name for name in names if is_variable(name) and name != "n"]
    levels = range(1, 8) if "n" in names else (0,)
    bindings: list[Bindings] = [
        {**bound, "n": str(level)} if level else bound
        for bound in all_bindings(suits, {})
        for level in levels
    ]
    if len(bindings) > _MOST_BINDINGS:
        raise InvalidCall(f"expected fewer variables, got {', '.join(names)} in {text!r}")
    found = set()
    for bound in bindings:
        codes = {
            step: None
            if step.any_calls
            else frozenset(
                code
                for code in range(CALLS)
                if any(match_call(call, code, bound) == bound for call in step.calls)
            )
            for step in dict.fromkeys(steps)
        }
        alternative = tuple(codes[step] for step in steps)
        if frozenset() not in alternative and alternative not in found:
            found.add(alternative)
            yield alternative


def _written(
    alternatives: tuple[tuple[frozenset[int] | None, ...], ...],
    *,
    exact: bool,
    leading_passes: bool = False,
) -> WrittenAuction:
    prefix = bytearray()
    if not leading_passes:
        for step in zip(*alternatives, strict=False):
            first = step[0]
            if first is None or len(first) != 1 or any(one != first for one in step):
                break
            prefix += bytes(first)
    if not exact and all(len(steps) == len(prefix) for steps in alternatives):
        return WrittenAuction(bytes(prefix), None, alternatives, leading_passes)
    ways = "|".join("".join(map(_text, steps)) for steps in alternatives)
    passes = r"\x00{0,3}" if leading_passes else ""
    end = "$" if exact else ""
    return WrittenAuction(bytes(prefix), f"^{passes}(?:{ways}){end}", alternatives, leading_passes)


def _text(codes: frozenset[int] | None) -> str:
    if codes is None:
        return f"{_ANY}*"
    return "[" + "".join(f"\\x{code:02x}" for code in sorted(codes)) + "]"


def _fits(steps: Sequence[frozenset[int] | None], calls: bytes, *, exact: bool) -> bool:
    if not steps:
        return not (exact and calls)
    first, rest = steps[0], steps[1:]
    if first is None:
        return any(_fits(rest, calls[at:], exact=exact) for at in range(len(calls) + 1))
    return bool(calls) and calls[0] in first and _fits(rest, calls[1:], exact=exact)


def _legal(steps: Sequence[frozenset[int]], passes: bytes) -> set[bytes] | None:
    """Legal auctions behind some passes; None where too many begin so."""
    auctions = [Auction.of(passes)]
    for step in steps:
        auctions = [
            one.add(call) for one in auctions for call in sorted(step) if one.is_legal(call)
        ]
        if len(auctions) > _MOST_AUCTIONS:
            return None
    return {bytes(one.calls) for one in auctions}
