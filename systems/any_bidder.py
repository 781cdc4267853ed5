"""Who bids by a table or by a system: the one place that asks which it is."""

from typing import TYPE_CHECKING

from .bidding.bidder_protocol import AnyBidder

if TYPE_CHECKING:
    from bidcascade.table import BiddingTable

    from .system import System
    from .tables.overlaid_system import OverlaidSystem


def bidder_of(held: "BiddingTable | System | OverlaidSystem", backend: str = "auto") -> AnyBidder:
    """Bidder of a table or system: the one place that asks which it is.

    Parameters
    ----------
    held
        A system with overlays is an :class:`~.overlaid_system.OverlaidSystem`.
    backend : {"auto", "reference", "cpu", "cuda"}

    Examples
    --------
    >>> from bidcascade.table import build_table
    >>> from .system import System
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17"]}])
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> [bidder_of(one, "reference").call("AK52.AQ3.976.KJ2", "", "N", "None").call
    ...  for one in (table, system)]
    ['1N', '1N']
    """
    # each loads what its kind needs
    from .system import System

    if isinstance(held, System):
        from .bidding.system_bidder import SystemBidder

        return SystemBidder(held, backend)
    from bidcascade.table.bidding_table import BiddingTable

    from .bidding.overlaid_bidder import OverlaidBidder
    from .bidding.table_bidder import TableBidder
    from .tables.overlaid_system import OverlaidSystem

    if isinstance(held, OverlaidSystem):
        return OverlaidBidder(held, backend)
    if not isinstance(held, BiddingTable):
        raise TypeError(f"expected a bidding table or a system, got {held!r:.80}")
    return TableBidder(held, backend)
