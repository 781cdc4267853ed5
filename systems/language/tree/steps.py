"""Calls that count from the last bid, ``step 1`` and ``cheapest suit``, as bids in a strain.

Where the last bid is known they are one bid, ``cheapest hearts``; elsewhere a line for each strain
that it may have, on condition of it. Nothing behind the reader knows steps.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from .joining import all_of
from .syntax_tree import (
    AuctionStep,
    Block,
    CallPattern,
    Condition,
    Header,
    Line,
    Phrase,
    Variant,
    Where,
)

STRAINS: Final = ("C", "D", "H", "S", "NT")
MOST_MADE: Final = 100_000
"""Lines that a system may have, those that steps make counted."""
_NO_BID: Final = ""
_KINDS: Final = ("cheapest", "jump", "double jump")
"""Bids of a strain by level, for the first to fifth step, the next five and those behind."""

_Last = str | None
"""Strain of the last bid; empty where nobody has bid, None where it is not known."""


def without_steps(
    blocks: Iterable[Block], complain: Callable[[Where, str, str], None]
) -> list[Block]:
    """Blocks with bids for all steps.

    Examples
    --------
    >>> asked = CallPattern("bid", 2, "NT")
    >>> answer = Line(CallPattern("step", 1), "Lowest")
    >>> header = Header("after", ((AuctionStep((asked,)),),))
    >>> (block,) = without_steps([Block(header, (answer,))], lambda *_: None)
    >>> block.body[0].call
    CallPattern(kind='cheapest', level=None, strain='C', where=Where(file='', line=0, column=0))
    """
    steps = _Steps(complain)
    return [steps.block(block, None) for block in blocks]


class _Steps:
    """Puts bids in place of steps, and counts the lines that it makes."""

    def __init__(self, complain: Callable[[Where, str, str], None]) -> None:
        self._complain = complain
        self._made = 0

    def block(self, block: Block, last: _Last) -> Block:
        return replace(block, body=self._body(block.body, _last_below(block.header, last)))

    def _body(self, body: "Iterable[Line | Block]", last: _Last) -> "tuple[Line | Block, ...]":
        found: list[Line | Block] = []
        for one in body:
            if isinstance(one, Block):
                found.append(self.block(one, last))
            else:
                found += self._lines(one, last)
        return tuple(found)

    def _lines(self, line: Line, last: _Last) -> Iterator[Line]:
        """Lines that a line stands for."""
        call = line.call
        self._made += 1
        if self._made > MOST_MADE:
            if self._made == MOST_MADE + 1:
                self._complain(
                    call.where,
                    f"a system has at most {MOST_MADE:,} lines, five for a step over any bid",
                    "say which bid it is over",
                )
        elif call.kind not in ("step", "cheapest suit"):
            below = self._body(line.below, _strain_of(call, last))
            yield replace(line, below=below) if line.below else line
        elif last == _NO_BID:
            self._complain(
                call.where,
                "a step counts from the last bid, and nobody has bid",
                'write a bid: "1C"',
            )
        else:
            for strain in STRAINS if last is None else (last,):
                bid = _bid(call, strain)
                found = replace(line, call=bid, below=self._body(line.below, bid.strain))
                yield found if last is not None else _on_condition(found, strain)


def _bid(call: CallPattern, last: str) -> CallPattern:
    """Bid that a step is over a bid of some strain."""
    steps = call.level or 1
    if call.kind == "cheapest suit" and last == "S":
        steps = 2  # notrump is no suit
    strain = STRAINS[(STRAINS.index(last) + steps) % len(STRAINS)]
    kind = _KINDS[min((steps - 1) // len(STRAINS), len(_KINDS) - 1)]
    return CallPattern(kind, None, strain, call.where)


def _on_condition(line: Line, strain: str) -> Line:
    """Line that holds only where the last bid has a strain."""
    where = line.call.where
    fact = Phrase("last bid", call=CallPattern("bid", 0, strain, where), where=where)
    if not line.variants:
        return replace(line, condition=_both(fact, line.condition))
    variants: tuple[Variant, ...] = tuple(
        replace(one, condition=_both(fact, one.condition)) for one in line.variants
    )
    return replace(line, variants=variants)


def _both(fact: Phrase, condition: Condition | None) -> Condition:
    return fact if condition is None else all_of((fact, condition))


# ---------------------------------------------------------------------- the last bid
def _last_below(header: Header, last: _Last) -> _Last:
    """Strain of the last bid where the lines below a header apply."""
    if header.kind == "opening":
        return _NO_BID
    if header.kind not in ("after", "their call"):
        return last
    start = last if header.kind == "their call" else _NO_BID
    found = {_last_of(auction, start) for auction in header.auctions}
    return found.pop() if len(found) == 1 else None


def _last_of(auction: Iterable[AuctionStep], last: _Last) -> _Last:
    for step in auction:
        if step.any_calls:
            last = None
        else:
            found = {_strain_of(call, last) for call in step.calls}
            last = found.pop() if len(found) == 1 else None
    return last


def _strain_of(call: CallPattern, last: _Last) -> _Last:
    """Strain of the last bid after a call."""
    if call.kind in ("pass", "double", "redouble"):
        return last
    if call.strain not in STRAINS:
        return None
    if call.kind == "transfer":
        return STRAINS[STRAINS.index(call.strain) - 1]
    return call.strain
