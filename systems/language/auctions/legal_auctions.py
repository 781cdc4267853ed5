"""Whether an auction pattern, with all its variables, stands for any legal auction.

:mod:`.sequences` says what is wrong with a literal call. Here all ways that a pattern can be are
tried, so that a header of variables, or behind three passes, is found that can never come up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from bidcascade.bridge import DOUBLE, FIRST_BID, PASS, REDOUBLE
from bidcascade.systems.language.auctions.patterns import (
    Bindings,
    is_variable,
    letter_of,
    match_call,
)
from bidcascade.systems.language.tree.syntax_tree import AuctionStep, CallPattern, Where
from bidcascade.systems.language.words.wording import call_text, step_text

Steps = tuple[AuctionStep, ...]
Complaint = tuple[Where, str, str]

MOST_TRIED: Final = 20_000
"""Calls that are tried for one question; what needs more counts as possible."""
_ENDING: Final = 3


class State(NamedTuple):
    """What the laws ask of an auction so far; ``last`` is the last bid, 0 without one."""

    last: int = 0
    ours: bool = False
    doubled: int = 0
    passes: int = 0


class Way(NamedTuple):
    """One legal auction that a pattern stands for, from the first bid on."""

    calls: tuple[int, ...]
    bindings: Bindings
    state: State

    @property
    def is_over(self) -> bool:
        """Whether nobody is to call any more."""
        return self.state.passes == _ENDING


START: Final = Way((), {}, State())


def after_call(state: State, code: int, *, theirs: bool) -> State | None:
    """State of the auction after a call; None if the laws do not allow it.

    Examples
    --------
    >>> after_call(State(), 3, theirs=False)
    State(last=3, ours=True, doubled=0, passes=0)
    >>> after_call(State(3, True), 1, theirs=False) is None
    True
    """
    if state.passes == _ENDING:
        return None
    if code == PASS:
        # auctions begin with the first bid here
        return state._replace(passes=state.passes + 1) if state.last else None
    is_own = state.ours is not theirs
    if code == DOUBLE:
        fits = state.last and not state.doubled and not is_own
        return state._replace(doubled=1, passes=0) if fits else None
    if code == REDOUBLE:
        return state._replace(doubled=2, passes=0) if state.doubled == 1 and is_own else None
    return State(code, not theirs) if code > state.last else None


def ways_of(steps: Sequence[AuctionStep], starts: Sequence[Way] = (START,)) -> Iterator[Way | None]:
    """All legal auctions of a pattern; None last where there are too many to try.

    Behind ``…`` an auction begins anew, in any state.
    """
    for number in reversed(range(len(steps))):
        if steps[number].any_calls:
            steps, starts = steps[number + 1 :], _ANYWHERE
            break
    left = [MOST_TRIED]
    for start in starts:
        yield from _ways(tuple(steps), start, left)
        if left[0] <= 0:
            yield None
            return


def can_be(steps: Sequence[AuctionStep], *, over: bool = True) -> bool:
    """Whether a pattern stands for a legal auction; unless ``over``, for one that goes on."""
    return any(way is None or over or not way.is_over for way in ways_of(steps))


def _ways(steps: Steps, way: Way, left: list[int]) -> Iterator[Way]:
    if not steps:
        yield way
        return
    step = steps[0]
    for call in step.calls:
        if not names_a_suit(call):
            call = replace(call, strain=None)  # it may be any
        for code in _codes(call, way.bindings):
            left[0] -= 1
            if left[0] <= 0:
                return
            state = after_call(way.state, code, theirs=step.theirs)
            if state is None:
                continue
            bindings = match_call(call, code, way.bindings)
            if bindings is not None:
                yield from _ways(steps[1:], Way((*way.calls, code), bindings, state), left)


def _codes(call: CallPattern, bindings: Bindings) -> Sequence[int]:
    """Codes that a call's pattern may have, and perhaps some more."""
    fixed = _CODE_OF_KIND.get(call.kind)
    if fixed is not None:
        return fixed
    level = call.level or (int(bindings["n"]) if call.level == 0 and "n" in bindings else None)
    if level is None:
        return _BIDS
    first = FIRST_BID + 5 * (level - 1) - (call.kind == "transfer")
    return range(max(first, FIRST_BID), first + 5)


_BIDS: Final = range(FIRST_BID, FIRST_BID + 35)
_CODE_OF_KIND: Final = {
    "pass": (PASS,),
    "double": (DOUBLE,),
    "redouble": (REDOUBLE,),
    "any": range(FIRST_BID + 35),
    "any bid": _BIDS,
}
_ANYWHERE: Final = tuple(
    Way((), {}, State(last, ours, doubled, passes))
    for last in (0, *_BIDS)
    for doubled in range(3 if last else 1)
    for passes in range(3)
    for ours in (False, True)
)


def may_be_one_call(one: CallPattern, other: CallPattern) -> bool:
    """Whether two patterns may stand for the same call, as far as their levels tell."""
    return not set(_codes(one, {})).isdisjoint(_codes(other, {}))


def may_be_one_auction(one: Steps, other: Steps) -> bool:
    """Whether two patterns may stand for the same auction."""
    if any(step.any_calls for step in (*one, *other)):
        return True
    return len(one) == len(other) and all(
        any(may_be_one_call(a, b) for a in mine.calls for b in theirs.calls)
        for mine, theirs in zip(one, other, strict=True)
    )


# ---------------------------------------------------------------------- what is wrong
def why_never(steps: Steps) -> Complaint | None:
    """Say what keeps a header's auction from coming up; None if it can.

    Parameters
    ----------
    steps
        All calls, with the passes that are left out, up to the one of RHO.

    Examples
    --------
    >>> one, two = (AuctionStep((CallPattern("bid", level, "M"),)) for level in (1, 2))
    >>> their_pass = AuctionStep((CallPattern("pass"),), theirs=True)
    >>> why_never((two, their_pass, one, their_pass))[1]
    '1M cannot follow 2M (Pass): no bid of it is enough'
    """
    for step in steps:
        for call in step.calls:
            if not names_a_suit(call):
                return (
                    call.where,
                    f'"{call_text(call)}" names no suit in an auction',
                    'write a suit or a variable, such as "2X"',
                )
    if not can_be(steps, over=False):
        return _why(steps)
    for number, step in enumerate(steps):
        for call in step.calls if len(step.calls) > 1 else ():
            alone = AuctionStep((call,), step.theirs)
            if not can_be((*steps[:number], alone, *steps[number + 1 :]), over=False):
                before = auction_text(steps[:number])
                return call.where, f"{call_text(call)} can never be made behind {before}", ""
    return None


def _why(steps: Steps) -> Complaint:
    number = next((n for n in range(len(steps)) if not can_be(steps[: n + 1])), None)
    if number is None:
        where = next(c.where for s in reversed(steps) for c in s.calls if c.where.line)
        return where, f"the auction is over behind {auction_text(steps)}", "nobody is to call there"
    # a pass that is put in has no place of its own
    where = next(
        (c.where for s in reversed(steps[: number + 1]) for c in s.calls if c.where.line),
        steps[number].calls[0].where,
    )
    before = auction_text(steps[:number])
    if not can_be(steps[:number], over=False):
        return where, f"nothing can follow {before}: three passes end the auction", ""
    return where, why_not_a_call(steps[number], before), ""


def why_not_a_call(step: AuctionStep, before: str) -> str:
    """Say why a call cannot be made in an auction, in words."""
    kind = step.calls[0].kind
    said = {
        "double": "there is no bid of the other side that is not doubled",
        "redouble": "there is no double of the other side",
    }.get(kind, "no bid of it is enough")
    return f"{step_text(step)} cannot follow {before}: {said}"


def names_a_suit(call: CallPattern) -> bool:
    """Whether a call names no suit by its role, which takes what players have shown.

    Examples
    --------
    >>> names_a_suit(CallPattern("cheapest", None, "their suit"))
    False
    """
    strain = call.strain
    return strain is None or is_variable(strain) or letter_of(strain, {}) is not None


def auction_text(steps: Steps) -> str:
    """Write an auction."""
    return " ".join(map(step_text, steps)) or "the beginning"
