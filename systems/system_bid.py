"""One call of a system with its reasons: the line that a hand chooses, and why not the others."""

from collections.abc import Callable, Sequence

from bidcascade.bridge import PASS, format_call
from bidcascade.kernels import Context
from bidcascade.table import Vocabulary

from .bid_answer import BidAnswer, Candidate
from .choice import CandidateCheck, check_candidates
from .describing import agreements_of, description_of
from .places import Place, PlaceEntry


def answer_from_system(
    place: Place, hand: int, context: Context, vocabulary: Vocabulary,
    entry_of: Callable[[Sequence[int]], int | None],
) -> BidAnswer:  # fmt: skip
    r"""Answer what a system bids at a place.

    Parameters
    ----------
    place
        As the system expands it.
    hand
        Mask of 13 cards.
    context
        Seat and vulnerability.
    vocabulary
        Of the system.
    entry_of
        Gives the number of an auction's entry where there is one.
    """
    made = {PASS, *(entry.call for entry in place.entries)}
    numbers = {call: entry_of((*place.calls, call)) for call in made}
    checked = check_candidates(place.entries, hand, context, vocabulary)
    candidates = [_candidate(one, numbers) for one in checked]
    forced = place.forced
    for one, candidate in zip(checked, candidates, strict=True):
        if one.holds:
            return BidAnswer(
                candidate.call, candidate.entry, candidate.name, candidate.description,
                candidate.where, candidates, default_pass=False, agreements=candidate.agreements,
                forced=forced,
            )  # fmt: skip
    why = "no line of the system holds" if candidates else "the system has no line here"
    if forced:
        why += ", though partner's call is forcing"
    return BidAnswer(
        "P", numbers[PASS], "", "", "", candidates, default_pass=True,
        note=f"pass by default: {why}", forced=forced,
    )  # fmt: skip


def _candidate(one: CandidateCheck, numbers: dict[int, int | None]) -> Candidate:
    entry = one.entry
    return Candidate(
        format_call(entry.call), numbers[entry.call], entry.name, description_of(entry),
        str(entry.where), one.holds, list(one.checks), list(agreements_of(entry)),
        None if one.taken_by is None else label_of(one.taken_by),
    )  # fmt: skip


def label_of(entry: PlaceEntry) -> str:
    """Call, name and place of an entry, ``1N Strong notrump (sayc.bidding:12)``."""
    return " ".join(part for part in (format_call(entry.call), entry.name) if part) + (
        f" ({entry.where})" if entry.where.line else ""
    )
