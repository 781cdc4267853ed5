"""The call that a system makes with a hand, and why not the others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bidcascade.bridge import PASS, ShownAnswer
from bidcascade.kernels import Context
from bidcascade.table.language.explain import (
    ExpressionCheck,
    HandValues,
    explain_one,
    holds,
)
from bidcascade.table.language.vocabulary import Vocabulary

from .places import Place, PlaceEntry


@dataclass(frozen=True, slots=True, repr=False)
class Choice(ShownAnswer):
    """What a system does with a hand at a place."""

    call: int
    entry: PlaceEntry | None
    """The entry that makes the call; None for a pass by default."""
    forced: bool
    """Whether partner's call had asked for an answer: then a pass by default is a gap."""


@dataclass(frozen=True, slots=True, repr=False)
class CandidateCheck(ShownAnswer):
    """One entry of a place, tested on a hand: each criterion with the hand's value."""

    entry: PlaceEntry
    holds: bool
    checks: tuple[ExpressionCheck, ...]
    taken_by: PlaceEntry | None
    """The earlier entry that makes the call instead, where this one holds too."""


def choose(place: Place, hand: int, context: Context, vocabulary: Vocabulary) -> Choice:
    """Take the first entry that holds; none holds: pass.

    ``hand`` is a mask of 13 cards, ``context`` its seat and vulnerability.
    """
    values = HandValues(hand, vocabulary, context)
    for entry in place.entries:
        if fits(entry, hand, context, vocabulary, values=values):
            return Choice(entry.call, entry, place.forced)
    return Choice(PASS, None, place.forced)


def fits(
    entry: PlaceEntry,
    hand: int,
    context: Context,
    vocabulary: Vocabulary,
    *,
    values: HandValues | None = None,
) -> bool:
    """Whether a hand meets all criteria of an entry.

    ``values`` are kept from one entry to the next by those who ask about many.
    """
    return all(holds(hand, one, vocabulary, context, values=values) for one in entry.criteria)


def check_candidates(
    entries: Iterable[PlaceEntry], hand: int, context: Context, vocabulary: Vocabulary
) -> Iterator[CandidateCheck]:
    """Test the entries of a place on a hand, in order."""
    values = HandValues(hand, vocabulary, context)
    taker: PlaceEntry | None = None
    for entry in entries:
        checks = tuple(
            explain_one(hand, expression, vocabulary, context, values=values)
            for expression in entry.criteria
        )
        good = all(check["holds"] for check in checks)
        yield CandidateCheck(entry, good, checks, taker if good else None)
        if good and taker is None:
            taker = entry
