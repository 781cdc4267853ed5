"""One call with its reasons: the entry that a hand chooses, and every candidate's criteria."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, overload

from bidcascade.bridge import (
    PASS,
    Auction,
    IllegalCall,
    Seat,
    ShownAnswer,
    Vulnerability,
    check_hand,
    format_call,
    format_calls,
    parse_calls,
    parse_hand,
)
from bidcascade.kernels import Context, DealArrays
from bidcascade.systems.places.turn_context import context_at
from bidcascade.table.language.explain import ExpressionCheck, explain
from bidcascade.table.language.expressions import parse_expression

if TYPE_CHECKING:
    from bidcascade.table import BiddingTable, Row


@dataclass(frozen=True, slots=True, repr=False)
class Candidate(ShownAnswer):
    """One variant of an entry that may follow, and how the hand meets its criteria.

    ``holds`` of a variant without criteria follows the table's policy for undescribed entries.
    ``entry`` is None for a line of a system, which has no numbers; ``taken_by``
    names the candidate that makes the call although this one holds as well.

    Examples
    --------
    >>> Candidate("P", 0, "", "", "", holds=True, criteria=[]).holds
    True
    """

    call: str
    entry: int | None
    name: str
    description: str
    where: str
    holds: bool
    criteria: list[ExpressionCheck]
    agreements: list[str] = field(default_factory=list)
    taken_by: str | None = None


class LazyCandidates(Sequence[Candidate]):
    """Candidates that are looked at only if somebody asks for them, and as far as he asks."""

    def __init__(self, find: Callable[[], Iterable[Candidate]]) -> None:
        self._find = find
        self._seen: list[Candidate] = []

    @cached_property
    def _rest(self) -> Iterator[Candidate]:
        return iter(self._find())

    @property
    def _found(self) -> list[Candidate]:
        self._seen += self._rest
        return self._seen

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, number: int) -> Candidate: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Candidate]: ...
    def __getitem__(self, number: int | slice) -> Candidate | Sequence[Candidate]:
        if isinstance(number, slice) or number < 0:
            return self._found[number]
        self._seen += islice(self._rest, max(0, number + 1 - len(self._seen)))
        return self._seen[number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._found == list(other)

    def __repr__(self) -> str:
        calls = " ".join(dict.fromkeys(one.call for one in self._found))
        return f"<{len(self):,} candidates: {calls}>" if calls else "<no candidates>"

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True, repr=False)
class BidAnswer(ShownAnswer):
    """The call that a table makes with a hand.

    Parameters
    ----------
    call : str
    entry : int, optional
        Entry of the call; None where the table does not have it, and of a system.
    name, description, where : str
        Of the variant that was chosen; empty for a pass by default.
    candidates : sequence of Candidate
        All variants at this place, in priority order; the first that holds is made.
    default_pass : bool
        Whether it is a pass because no candidate holds.
    note : str
        Why it is a pass by default; else empty.
    agreements : list of str
        Of the variant that was chosen: ``forcing``, ``artificial``, ``#stayman`` …; tags of a row.
    forced : bool, optional
        Whether partner's call asked for an answer; None where the table is of no system.

    Examples
    --------
    >>> BidAnswer("P", None, "", "", "", [], default_pass=True).default_pass
    True
    """

    call: str
    entry: int | None
    name: str
    description: str
    where: str
    candidates: Sequence[Candidate]
    default_pass: bool
    note: str = ""
    agreements: list[str] = field(default_factory=list)
    forced: bool | None = None

    @property
    def is_without_line(self) -> bool:
        """Whether a system has not a single line for the place."""
        return self.forced is not None and self.default_pass and not self.candidates


def answer_bid(
    table: "BiddingTable",
    hand: int | str,
    auction: Sequence[int | str] | str,
    dealer: Seat | str,
    vulnerability: Vulnerability | str,
) -> BidAnswer:
    """Answer :meth:`bidcascade.engine.Engine.bid`."""
    mask, calls, context = read_open_question(hand, auction, dealer, vulnerability)
    parent = table.find(calls) if calls else None
    if calls and parent is None:
        from bidcascade.table.inspection.showing import calls_known

        missing = format_calls(calls[: calls_known(table, calls) + 1])
        return _default_pass([], None, f"the table does not have {missing!r}")
    candidates = [
        candidate
        for entry in table.children(parent)
        for candidate in _candidates(table, entry, mask, context)
    ]
    number = next((number for number, one in enumerate(candidates) if one.holds), None)
    if number is not None:
        chosen = candidates[number]
        label = _label(chosen)
        behind = (
            replace(one, taken_by=label) if one.holds else one for one in candidates[number + 1 :]
        )
        return BidAnswer(
            chosen.call,
            chosen.entry,
            chosen.name,
            chosen.description,
            chosen.where,
            [*candidates[: number + 1], *behind],
            default_pass=False,
            agreements=chosen.agreements,
        )
    if not candidates:
        place = f"after {format_calls(calls)}" if calls else "as opening call"
        return _default_pass([], None, f"the table has no call {place}")
    entry = next((one.entry for one in candidates if one.call == "P"), None)
    return _default_pass(candidates, entry, "no candidate holds")


def read_open_question(
    hand: int | str,
    auction: Sequence[int | str] | str,
    dealer: Seat | str,
    vulnerability: Vulnerability | str,
) -> tuple[int, tuple[int, ...], Context]:
    """Hand mask, calls and context of a question.

    Raises
    ------
    InvalidHand, InvalidCall, InvalidDeal
        If a text or mask is none.
    IllegalCall
        If the auction is illegal or over.
    """
    mask, calls, context = read_question(hand, auction, dealer, vulnerability)
    check_goes_on(calls)
    return mask, calls, context


def read_question(
    hand: int | str,
    auction: Sequence[int | str] | str,
    dealer: Seat | str,
    vulnerability: Vulnerability | str,
) -> tuple[int, tuple[int, ...], Context]:
    """Like :func:`read_open_question`, without a look at whether the auction is legal."""
    mask = parse_hand(hand) if isinstance(hand, str) else check_hand(hand)
    calls = parse_calls(auction)
    return mask, calls, context_at(len(calls), dealer, vulnerability)


def check_goes_on(calls: Sequence[int]) -> None:
    """Raise IllegalCall for an auction that is illegal or over."""
    if Auction.of(calls).is_complete:
        raise IllegalCall(f"expected an auction that goes on, got {format_calls(calls)!r}")


def _default_pass(candidates: list[Candidate], entry: int | None, note: str) -> BidAnswer:
    return BidAnswer(
        "P", entry, "", "", "", candidates, default_pass=True, note=f"pass by default: {note}"
    )


def _label(candidate: Candidate) -> str:
    text = " ".join(part for part in (candidate.call, candidate.name) if part)
    return f"{text} ({candidate.where})" if candidate.where else text


def _candidates(table: "BiddingTable", entry: int, hand: int, context: Context) -> list[Candidate]:
    call = int(table.call[entry])
    return [
        Candidate(
            format_call(call),
            entry,
            row.name,
            row.description,
            row.where,
            *_checked(table, row, call, hand, context),
            list(row.tags),
        )
        for row in table.variants(entry)
    ]


def _checked(
    table: "BiddingTable", row: "Row", call: int, hand: int, context: Context
) -> tuple[bool, list[ExpressionCheck]]:
    vocabulary = table.vocabulary
    checks = explain(hand, [parse_expression(text) for text in row.criteria], vocabulary, context)
    tests = [check for check in checks if not vocabulary.is_tag(check["expression"])]
    if tests:
        return all(check["holds"] for check in tests), checks
    if table.undescribed == "pass":
        return call == PASS, checks
    return table.undescribed == "allow", checks


def matching_variants(table: "BiddingTable", deals: DealArrays, deal: int, entry: int) -> list[str]:
    """Names of the variants of an entry that hold for a deal which reaches it."""
    rows = table.variants(entry)
    if len(rows) > 1:
        depth = len(rows[0].prior)
        dealer = int(deals.dealer[deal])
        hand = int(deals.hands[(dealer + depth) % 4, deal])
        context = context_at(depth, dealer, int(deals.vulnerability[deal]))
        rows = [row for row in rows if _checked(table, row, row.call, hand, context)[0]]
    labels = (row.name or row.description for row in rows)
    return list(dict.fromkeys(label for label in labels if label))
