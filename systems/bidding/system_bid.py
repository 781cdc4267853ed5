"""One call of a system with its reasons: the line that a hand chooses, and why not the others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bidcascade.bridge import format_call
from bidcascade.kernels import Context
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.tree.syntax_tree import Condition, Define
from bidcascade.systems.places.choice import CandidateCheck, check_candidates
from bidcascade.systems.places.places import PlaceEntry
from bidcascade.systems.words.criterion_words import Lower, PhraseWords, words_of_criteria
from bidcascade.systems.words.describing import agreements_of, description_of
from bidcascade.table.language.explain import PhraseText
from bidcascade.table.language.expression_tree import Expression, format_expression

from .bid_answer import BidAnswer, Candidate, LazyCandidates, check_goes_on

if TYPE_CHECKING:
    from bidcascade.systems.system import SystemPlaces

EntryOf = Callable[[Sequence[int]], int | None]
"""Gives the number of an auction's entry where there is one."""


def answer_from_system(
    bidder: "SystemPlaces",
    calls: tuple[int, ...],
    hand: int,
    context: Context,
    entry_of: EntryOf,
    *,
    words: bool = False,
) -> BidAnswer:
    r"""Answer what a system bids with a hand after an auction.

    Parameters
    ----------
    bidder
        Of both sides' systems.
    calls
        So far, from the dealer on.
    hand
        Mask of 13 cards.
    context
        Seat and vulnerability.
    entry_of
        Gives the number of an auction's entry where there is one.
    words
        Whether criteria have the phrases that they are made of.

    Raises
    ------
    IllegalCall
        If the auction is illegal or over.
    """
    if not all(0 <= call < 38 for call in calls):
        check_goes_on(calls)
    with bidder.lock:
        made = bidder.call(calls, hand, context)
        if made is None:
            check_goes_on(calls)
        assert made is not None
        program = bidder.sides[len(calls) % 2]
        has_lines = bool(made.entry >= 0 or bidder.entry_count_at(made.place))
        entry = None if made.entry < 0 else program.entry(made.entry, 0)

    def candidates() -> Iterator[Candidate]:
        place = bidder.place(calls)
        for one in check_candidates(place.entries, hand, context, program.rules.vocabulary):
            told = _with_words(one, program.rules.defines, lower) if words else one
            yield _candidate(told, entry_of((*calls, one.entry.call)))

    def lower(condition: Condition, bindings: Bindings) -> Expression:
        return bidder.lowered(condition, calls, bindings)

    number = entry_of((*calls, made.call))
    if entry is not None:
        return BidAnswer(
            format_call(entry.call),
            number,
            entry.name,
            description_of(entry),
            str(entry.where),
            LazyCandidates(candidates),
            default_pass=False,
            agreements=list(agreements_of(entry)),
            forced=bool(made.forced),
        )
    why = "no line of the system holds" if has_lines else "the system has no line here"
    if made.forced:
        why += ", though partner's call is forcing"
    return BidAnswer(
        "P",
        number,
        "",
        "",
        "",
        LazyCandidates(candidates),
        default_pass=True,
        note=f"pass by default: {why}",
        forced=bool(made.forced),
    )


def _candidate(one: CandidateCheck, number: int | None) -> Candidate:
    entry = one.entry
    return Candidate(
        format_call(entry.call),
        number,
        entry.name,
        description_of(entry),
        str(entry.where),
        one.holds,
        list(one.checks),
        list(agreements_of(entry)),
        None if one.taken_by is None else label_of(one.taken_by),
    )


def _with_words(one: CandidateCheck, defines: Mapping[str, Define], lower: Lower) -> CandidateCheck:
    """Add the phrases of its line to the criteria of a candidate."""
    found = words_of_criteria(one.entry, defines, lower)
    if not found:
        return one
    checks = list(one.checks)
    for number, criterion in enumerate(one.entry.criteria):
        if criterion in found:
            checks[number] = {**checks[number], "words": [*map(_phrase_text, found[criterion])]}
    return replace(one, checks=tuple(checks))


def _phrase_text(words: PhraseWords) -> PhraseText:
    return {"text": words.text, "expression": format_expression(words.expression)}


def label_of(entry: PlaceEntry) -> str:
    """Call, name and place of an entry, ``1N Strong notrump (sayc.bidding:12)``."""
    return " ".join(part for part in (format_call(entry.call), entry.name) if part) + (
        f" ({entry.where})" if entry.where.line else ""
    )
