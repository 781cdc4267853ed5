"""Which calls cannot follow in an auction pattern, as far as literal calls tell.

A call from a variable that would be insufficient is dropped later without a word; a literal one is
a slip of the writer.
"""

from dataclasses import dataclass
from typing import Final

from bidcascade.bridge import FIRST_BID, format_call
from bidcascade.systems.language.tree.syntax_tree import CallPattern

_STRAINS: Final = {"C": (0,), "D": (1,), "H": (2,), "S": (3,), "NT": (4,), "M": (2, 3),
                   "oM": (2, 3), "m": (0, 1), "om": (0, 1)}  # fmt: skip
_ANY_SUIT: Final = (0, 1, 2, 3)
Reason = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Sequence:
    """An auction so far, as far as it is known.

    ``lowest`` and ``highest`` are the codes of the least and the greatest call that the last bid
    can be (0: no bid, None: unknown); ``ours`` whether we made it and ``doubled`` 0, 1 or 2,
    each None where it is unknown.
    """

    lowest: int | None
    ours: bool | None = None
    doubled: int | None = 0
    highest: int | None = None


def start_of(calls: tuple[()] | None) -> Sequence:
    """Return an auction without calls, or one of which nothing is known."""
    return Sequence(0, highest=0) if calls is not None else Sequence(None, None, None)


def bounds(call: CallPattern) -> tuple[int, int] | None:
    """Lowest and highest code that a bid's pattern can be; None where the auction decides.

    Examples
    --------
    >>> bounds(CallPattern("bid", 2, "M")), bounds(CallPattern("cheapest", None, "X")) is None
    ((10, 11), True)
    """
    if call.kind not in ("bid", "transfer") or not call.level or call.strain is None:
        return None
    strains = _STRAINS.get(call.strain, _ANY_SUIT)
    first = FIRST_BID + 5 * (call.level - 1) - (call.kind == "transfer")
    return first + strains[0], first + strains[-1]


def after_call(sequence: Sequence, call: CallPattern | None, *, theirs: bool) -> Sequence:
    """Auction after one more call; a call of None is one of several."""
    if call is None or call.kind == "any":
        return Sequence(None, None, None)
    if call.kind == "pass":
        return sequence
    if call.kind in ("double", "redouble"):
        doubled = None if sequence.doubled is None else 1 if call.kind == "double" else 2
        return Sequence(sequence.lowest, sequence.ours, doubled, sequence.highest)
    lowest, highest = bounds(call) or (None, None)
    return Sequence(lowest, not theirs, 0, highest)


def is_allowed(sequence: Sequence, call: CallPattern) -> bool:
    """Whether a call of ours is known to be legal, whatever the variables are.

    Examples
    --------
    >>> is_allowed(Sequence(7, True, 0, 7), CallPattern("bid", 2, "M"))
    True
    """
    if call.kind == "pass":
        return True
    if call.kind in ("double", "redouble"):
        wanted = (0, False) if call.kind == "double" else (1, True)
        return bool(sequence.lowest) and (sequence.doubled, sequence.ours) == wanted
    found = bounds(call)
    return found is not None and sequence.highest is not None and found[0] > sequence.highest


def why_not(sequence: Sequence, call: CallPattern, *, theirs: bool) -> Reason | None:
    """Message and advice if a literal call cannot follow; None if it can, or if nobody knows."""
    if sequence.lowest is None:
        return None
    if call.kind == "bid":
        found = bounds(call)
        if found is None or found[0] != found[1] or found[0] > sequence.lowest:
            return None
        level = (sequence.lowest - FIRST_BID) // 5 + 1
        if (found[0] - FIRST_BID) % 5 <= (sequence.lowest - FIRST_BID) % 5:
            level += 1
        read, last = _bid_text(found[0]), _bid_text(sequence.lowest)
        advice = f"the next bid in that strain is {level}{read[1:]}" if level <= 7 else ""
        return f"{read} is not enough over {last}", advice
    if call.kind == "double":
        if sequence.lowest == 0:
            return "there is no bid to be doubled", ""
        if sequence.doubled or (sequence.ours is not None and sequence.ours is not theirs):
            whose = "our own side's bid" if not theirs else "their own side's bid"
            already = "the bid is doubled already" if sequence.doubled else whose
            return f"Double cannot follow: {already}", ""
    if call.kind == "redouble" and sequence.doubled is not None:
        if sequence.doubled != 1:
            return "Redouble cannot follow: there is no double", ""
        if sequence.ours is not None and sequence.ours is theirs:
            return "Redouble cannot follow: it is their own double", ""
    return None


def _bid_text(code: int) -> str:
    text = format_call(code)
    return f"{text}T" if text.endswith("N") else text
