"""What a card of declarer's is worth when his next choice has to be one for all layouts alike.

Double dummy he makes it anew in each layout, and sees where the queen is: strategy fusion (Frank,
Basin: Search in games with incomplete information, 1998). Here others play their best cards up to
that choice, it is made for all layouts together in which he has seen the same, and only then all
hands are seen. Small cards of a suit are the same to him. So no card is worth more than it was, and
one that leaves a guess is worth less than one that does not.
"""

from collections.abc import Sequence
from threading import Event
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import is_vulnerable, score
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD, SolvesPlays
from bidcascade.inference.lead_carding import is_small
from bidcascade.inference.weighted import weighted_mean
from bidcascade.kernels.types import F64, I8, U64

from .sight import Played, Sight, give_to_seats

SOLVED: Final = 3
"""How many times each layout is solved for a card, at most: two cards of others, and the choice."""
_DIGITS: Final = 6


class PlayedValue(NamedTuple):
    """Mean duplicate score of declarer's side, and its mean tricks in the whole play."""

    points: float
    tricks: float


def points_by_tricks(sight: Sight) -> NDArray[np.int64]:
    """Score of declarer's side by its tricks, int64 [14].

    Examples
    --------
    >>> from bidcascade.bridge import Auction, Seat, Vulnerability, parse_calls, parse_hand
    >>> hand = parse_hand("AQ4.KJ3.K876.Q52")
    >>> points_by_tricks(Sight(
    ...     Auction.of(parse_calls("1N P 3N P P P")), Vulnerability.NONE, Seat.EAST, hand))[8:11]
    array([-50, 400, 430])
    """
    contract = sight.contract
    vulnerable = is_vulnerable(sight.vulnerability, contract.declarer)
    return np.array([score(contract, taken, vulnerable=vulnerable) for taken in range(14)])


def value_with_next_choice(
    sight: Sight,
    card: int,
    hands: U64,
    weights: F64,
    solver: SolvesPlays,
    *,
    cancel: Event | None = None,
) -> PlayedValue:
    """Tell what a card of declarer's or dummy's is worth.

    Parameters
    ----------
    sight : Sight
        Of declarer.
    card : int
    hands : uint64 [4, n]
        Layouts as they were dealt.
    weights : float64 [n]
    solver : SolvesPlays
    cancel : threading.Event, optional
    """
    contract, count = sight.contract, hands.shape[1]
    paths = [(*sight.played, card)] * count
    while others := [
        number
        for number, path in enumerate(paths)
        if len(path) < 52 and (give_to_seats(path, contract).turn - contract.declarer) % 2
    ]:
        best = _solved(hands[:, others], [paths[one] for one in others], sight, solver, cancel)
        for number, row in zip(others, best.tolist(), strict=True):
            good = [one for one, taken in enumerate(row) if taken == max(row)]
            paths[number] = (*paths[number], min(good, key=lambda one: one % 13))
    seen: dict[tuple[object, ...], list[int]] = {}
    for number, path in enumerate(paths):
        state = give_to_seats(path, contract)
        visible = tuple(map(_as_seen, path[len(sight.played) + 1 :]))
        seen.setdefault((state.turn, state.declarer_tricks, visible), []).append(number)
    points, taken = np.zeros(count, np.int64), np.zeros(count, np.int64)
    table = points_by_tricks(sight)
    if len(paths[0]) < 52:
        tricks = _solved(hands, paths, sight, solver, cancel).astype(np.int64)
    for group in seen.values():
        won = give_to_seats(paths[group[0]], contract).declarer_tricks
        totals = np.full((len(group), 1), won)
        if len(paths[0]) < 52:
            own = tricks[group]
            totals = won + own[:, (own >= 0).all(axis=0)]
        share = weights[group] if weights[group].any() else np.ones(len(group))
        values = share @ table[totals] / share.sum(), share @ totals / share.sum()
        choice = np.lexsort((-values[1].round(_DIGITS), -values[0].round(_DIGITS)))[0]
        taken[group] = totals[:, choice]
        points[group] = table[totals[:, choice]]
    return PlayedValue(
        *(
            round(float(weighted_mean(one.astype(np.float64), weights)), _DIGITS)
            for one in (points, taken)
        )
    )


def _as_seen(card: int) -> tuple[int, int]:
    return card // 13, -1 if is_small(card) else card % 13


def _solved(
    hands: U64,
    paths: Sequence[tuple[int, ...]],
    sight: Sight,
    solver: SolvesPlays,
    cancel: Event | None,
) -> I8:
    """Tricks of the side to play by card, of each layout behind the cards of its path."""
    states: list[Played] = [give_to_seats(path, sight.contract) for path in paths]
    gone = np.array([sum(1 << one for one in path) for path in paths], np.uint64)
    trick = np.full((len(paths), 3), NO_CARD, np.uint8)
    for number, state in enumerate(states):
        trick[number, : len(state.trick)] = state.trick
    leaders = np.array([int(state.leader) for state in states])
    return solver.plays(hands & ~gone, sight.contract.strain, leaders, trick, cancel=cancel)
