"""Deals under conditions without an auction, all equally likely: what dealer scripts are for."""

from collections.abc import Iterator, Mapping, Sequence

from bidcascade.bridge import Cancelled, NoSuchDeal, Seat, TimedOut, Vulnerability
from bidcascade.inference.layouts.attempt import Attempt, Question
from bidcascade.inference.layouts.known import KnownCards, known_by_seat
from bidcascade.inference.layouts.relaxing import no_such_deal
from bidcascade.inference.layouts.searching import LARGEST_CHUNK, PILOT, Limits, Search
from bidcascade.inference.layouts.where import Constraints
from bidcascade.kernels import Backend, get_backend
from bidcascade.kernels.types import U64
from bidcascade.table import Vocabulary


def deal_where(
    where: Sequence[str] = (),
    *,
    count: int,
    seed: int,
    known: Mapping[Seat, KnownCards | str | int] | None = None,
    dealer: Seat = Seat.NORTH,
    vulnerability: Vulnerability = Vulnerability.NONE,
    vocabulary: Vocabulary | None = None,
    limits: Limits | None = None,
    backend: Backend | None = None,
) -> Iterator[tuple[U64, int]]:
    """Deal under conditions; every deal that meets them is equally likely.

    Parameters
    ----------
    where
        Conditions on whole deals, all of which must hold.
    count, seed
        How many deals, and which; fewer are the first of more.
    known
        What is known of each hand.
    dealer, vulnerability
        Of all deals, for conditions that ask for them.
    limits
        Proposals and time; as long as it takes if not given.

    Yields
    ------
    tuple
        Hands uint64[4, n], and how many deals were looked at so far.

    Raises
    ------
    NoSuchDeal
        If the conditions contradict each other, or the limits were reached before the first deal.
    InvalidHand, InvalidDeal
        If what is known contradicts itself.
    InvalidExpression, UnknownTerm
        If a condition is none.
    TimedOut, Cancelled
        If the time was over, or it was cancelled.

    Examples
    --------
    >>> hands, tried = next(deal_where(["HCP_N + HCP_S >= 37"], count=3, seed=1))
    >>> hands.shape, tried < 10_000
    ((4, 3), True)
    """
    limits = Limits(1 << 62, float("inf")) if limits is None else limits
    question = Question(
        known_by_seat(known or {}), Constraints(where, vocabulary), dealer,
        vulnerability, backend or get_backend("cpu"), seed,
    )  # fmt: skip
    attempt = Attempt(question, ())
    if attempt.dealing.is_impossible:
        raise no_such_deal(attempt)
    search = Search(attempt, exactly=False)
    found = 0
    while found < count:
        chunk = PILOT if not search.tried else search.next_chunk(count, limits)
        part = search.go_on(min(chunk, LARGEST_CHUNK), limits)
        if search.is_over:
            break
        search.forget()
        hands = part.hands[:, : count - found]
        found += hands.shape[1]
        done = int(part.numbers[hands.shape[1] - 1]) + 1 if found == count else search.tried
        yield hands, done
    if found:
        return
    if search.stopped_because == "cancelled":
        raise Cancelled("cancelled while deals were looked for")
    tried = f"none of {search.tried:,} deals fits"
    if search.stopped_because == "time":
        raise TimedOut(f"expected a deal within the time limit, got {tried}")
    if not search.tried:
        return
    raise NoSuchDeal(f"no such deal found where {', '.join(where)}: {tried}")
