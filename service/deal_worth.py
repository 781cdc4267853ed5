"""What a deal is worth double dummy: every contract, par, and auctions compared with each other."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from bidcascade.bridge import SEATS, STRAINS, Auction, Deal, imps, is_vulnerable, score
from bidcascade.inference.double_dummy.par import par
from bidcascade.inference.double_dummy.protocol import DoubleDummy, table_place


def deal_worth(
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

    Raises
    ------
    TimedOut, Cancelled, DoubleDummyFailed
        As the solver does.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls, parse_deal
    >>> from bidcascade.inference.double_dummy import default_pool
    >>> deal = parse_deal("N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432")
    >>> seven, six = (Auction.of(parse_calls(f"{bid} P P P"), deal.dealer) for bid in ("7N", "6N"))
    >>> worth = deal_worth(deal, [seven, six], default_pool())
    >>> worth["par"], worth["auctions"][1]["imps"]
    ({'score': 1520, 'contracts': ['7N-NS=']}, [-11, 0])
    """
    hands = np.array(deal.hands, np.uint64)[:, None]
    tricks = solver.tables(hands, cancel=cancel, timeout_s=time_limit_s)[0].tolist()
    found = par(tricks, deal.dealer, deal.vulnerability)
    scores = [_points(auction, deal, tricks) for auction in auctions]
    return {
        "tricks": {
            seat: {
                strain: tricks[table_place(declarer, place)] for place, strain in enumerate(STRAINS)
            }
            for declarer, seat in enumerate(SEATS)
        },
        "par": {"score": found.score, "contracts": [str(one) for one in found.contracts]},
        "auctions": [
            {
                "contract": str(auction.contract or "Pass"),
                "tricks": _tricks(auction, tricks),
                "score": points,
                "imps_to_par": imps(points - found.score),
                "imps": [imps(points - other) for other in scores],
            }
            for auction, points in zip(auctions, scores, strict=True)
        ],
    }


def _tricks(auction: Auction, tricks: Sequence[int]) -> int | None:
    contract = auction.contract
    return None if contract is None else tricks[table_place(contract.declarer, contract.strain)]


def _points(auction: Auction, deal: Deal, tricks: Sequence[int]) -> int:
    contract, taken = auction.contract, _tricks(auction, tricks)
    if contract is None or taken is None:
        return 0
    points = score(contract, taken, vulnerable=is_vulnerable(deal.vulnerability, contract.declarer))
    return -points if contract.declarer % 2 else points
