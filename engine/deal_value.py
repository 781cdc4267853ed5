"""What a deal is worth double dummy: every contract, par, and auctions compared with each other.

Of a deal that takes longer than there is time, it is what is solved: the rest is null, and named.
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from bidcascade.bridge import SEATS, STRAINS, Auction, Deal, imps, is_vulnerable, score
from bidcascade.inference.double_dummy.par import par
from bidcascade.inference.double_dummy.protocol import DoubleDummy, SolvedInPart, table_place


def deal_value(
    deal: Deal,
    auctions: Sequence[Auction],
    solver: DoubleDummy,
    *,
    time_limit_s: float | None = None,
    cancel: threading.Event | None = None,
) -> dict[str, Any]:
    """Solve a deal, as plain values for JSON; points and IMPs are those of North-South.

    Parameters
    ----------
    deal : Deal
    auctions : sequence of Auction
        Auctions on it that are over, its dealer first.
    solver : DoubleDummy
    time_limit_s : float, optional
    cancel : threading.Event, optional
        Ends the work when it is set.

    Returns
    -------
    dict
        Results that were not solved in time are listed in ``missing`` and null in ``tricks``, and
        with them par and what needs them of an auction; ``goes_on`` tells whether the solver is
        still at them. Otherwise ``missing`` is empty.

    Raises
    ------
    TimedOut
        If nothing was solved in time, and nothing goes on.
    Cancelled, DoubleDummyFailed
        As the solver does.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls, parse_deal
    >>> from bidcascade.inference.double_dummy import default_pool
    >>> deal = parse_deal("N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432")
    >>> seven, six = (Auction.of(parse_calls(f"{bid} P P P"), deal.dealer) for bid in ("7N", "6N"))
    >>> value = deal_value(deal, [seven, six], default_pool())
    >>> value["par"], value["auctions"][1]["imps"]
    ({'score': 1520, 'contracts': ['7N-NS=']}, [-11, 0])
    """
    hands = np.array(deal.hands, np.uint64)[:, None]
    goes_on = False
    try:
        table = solver.tables(hands, cancel=cancel, timeout_s=time_limit_s)
    except SolvedInPart as error:
        if not error.goes_on and (error.answers < 0).all():
            raise
        table, goes_on = error.answers, error.goes_on
    tricks = [None if one < 0 else one for one in table[0].tolist()]
    known = [one for one in tricks if one is not None]
    found = par(known, deal.dealer, deal.vulnerability) if len(known) == len(tricks) else None
    scores = [_points(auction, deal, tricks) for auction in auctions]
    places = {
        (seat, strain): table_place(declarer, place)
        for declarer, seat in enumerate(SEATS)
        for place, strain in enumerate(STRAINS)
    }
    return {
        "tricks": {
            seat: {strain: tricks[places[seat, strain]] for strain in STRAINS} for seat in SEATS
        },
        "par": None
        if found is None
        else {"score": found.score, "contracts": [str(one) for one in found.contracts]},
        "auctions": [
            {
                "contract": str(auction.contract or "Pass"),
                "tricks": _tricks(auction, tricks),
                "score": points,
                "imps_to_par": _imps(points, None if found is None else found.score),
                "imps": [_imps(points, other) for other in scores],
            }
            for auction, points in zip(auctions, scores, strict=True)
        ],
        "missing": [
            {"declarer": seat, "strain": strain}
            for (seat, strain), place in places.items()
            if tricks[place] is None
        ],
        "goes_on": goes_on,
    }


def _imps(points: int | None, other: int | None) -> int | None:
    return None if points is None or other is None else imps(points - other)


def _tricks(auction: Auction, tricks: Sequence[int | None]) -> int | None:
    contract = auction.contract
    return None if contract is None else tricks[table_place(contract.declarer, contract.strain)]


def _points(auction: Auction, deal: Deal, tricks: Sequence[int | None]) -> int | None:
    """Points of North-South; None where declarer's tricks are missing."""
    contract, taken = auction.contract, _tricks(auction, tricks)
    if contract is None:
        return 0
    if taken is None:
        return None
    points = score(contract, taken, vulnerable=is_vulnerable(deal.vulnerability, contract.declarer))
    return -points if contract.declarer % 2 else points
