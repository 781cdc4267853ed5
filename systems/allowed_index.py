"""Index of mode ``all``: which boards of a part may bid an auction, for any auction.

An auction that many boards may bid is *expanded*: each auction of one call more that some board may
bid is in the index too, with its boards. Any other auction goes on from one that few boards may
bid, and what these few may call is found out when it is asked for. So the index stays small though
a system allows auctions without end, and no question looks at more than a few hundredths of the
boards.
"""

import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import Auction, InvalidInput
from bidcascade.kernels.types import U32

from .auctions.bidder import FEW
from .bidding.allowed_calls import AllowedCalls
from .row_sets import decode_rows, encode_rows

DEFAULT_SHARE: Final = 0.02
MOST_NODES: Final = 1 << 18
MOST_PAIRS: Final = 1 << 28
"""Pairs of an auction and a board in an index, at most two bytes each. Where a system allows more,
or more auctions than the nodes above, those beyond are not expanded."""


class AllowedNode(NamedTuple):
    """One auction of an index.

    Parameters
    ----------
    auction
        Codes of its calls.
    boards
        How many may bid it.
    rows
        Which, as :func:`.encode_rows` writes them.
    digest
        Of what decides who may make the next call, 16 bytes; empty if the auction is not expanded.
    """

    auction: bytes
    boards: int
    rows: bytes
    digest: bytes = b""

    @property
    def expanded(self) -> bool:
        """Whether all auctions of one call more that any board may bid are in the index."""
        return bool(self.digest)


def allowed_nodes(
    calls: AllowedCalls,
    *,
    share: float = DEFAULT_SHARE,
    cached: Mapping[bytes, AllowedNode] | None = None,
) -> dict[bytes, AllowedNode]:
    r"""Index what boards may call.

    Parameters
    ----------
    calls
        Boards, and what they may call.
    share
        Auctions that at least this part of the boards may bid are expanded, but none that fewer
        than 64 boards may bid.
    cached
        Index of the same boards as a text before said it: what both say of the same boards is taken
        from there.

    Returns
    -------
    dict of bytes to AllowedNode
        By auction, sorted; the first is the auction without a call, which all boards may bid.

    Raises
    ------
    ValueError
        If the share is not between 0 and 1.
    InvalidInput
        If sets of what was kept are damaged.

    Examples
    --------
    >>> from bidcascade.kernels import DealArrays
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from .bidding.allowed_calls import SystemCalls
    >>> from .system import System
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced")
    >>> zeros = np.zeros(100, np.uint8)
    >>> calls = SystemCalls(system.bidder(), DealArrays(deal_hands(1, 0, 100), zeros, zeros))
    >>> nodes = allowed_nodes(calls)
    >>> nodes[bytes([7])].boards, nodes[bytes([7])].expanded, nodes[bytes([0])].expanded
    (5, False, True)
    """
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, got {share!r}")
    least = max(FEW, math.ceil(share * len(calls)))
    before = cached or {}
    below: dict[bytes, list[bytes]] = {}
    for auction in before:
        if auction:
            below.setdefault(auction[:-1], []).append(auction)
    everybody = np.arange(len(calls), dtype=np.uint32)
    root = AllowedNode(b"", len(calls), encode_rows(everybody))
    found = {b"": root}
    level, pairs = [root], root.boards
    while level:
        many = [one for one in level if one.boards >= least and not _is_over(one.auction)]
        level = []
        for node, digest in zip(many, calls.digests([one.auction for one in many]), strict=True):
            if pairs + node.boards > MOST_PAIRS or len(found) > MOST_NODES:
                break
            auction = node.auction
            found[auction] = node._replace(digest=digest)
            if before.get(auction) == found[auction]:
                nodes = [before[one]._replace(digest=b"") for one in sorted(below.get(auction, []))]
            else:
                rows = decode_rows(node.rows, len(calls))
                nodes = [
                    AllowedNode(auction + bytes([call]), len(some), encode_rows(some))
                    for call, some in calls.behind(auction, rows)
                ]
            pairs += sum(one.boards for one in nodes)
            found |= {one.auction: one for one in nodes}
            level += nodes
    return dict(sorted(found.items()))


def _is_over(auction: bytes) -> bool:
    return Auction.of(auction).is_complete


def allowed_rows(
    nodes: Mapping[bytes, AllowedNode], auction: bytes, calls_of: Callable[[U32], AllowedCalls]
) -> U32:
    r"""Boards that may bid an auction.

    Parameters
    ----------
    nodes
        What :func:`allowed_nodes` gave, or a file has of it.
    auction
        Codes of calls.
    calls_of
        Gives some of the boards, by their rows, and what they may call.

    Returns
    -------
    uint32 [n]
        Rows, ascending.

    Raises
    ------
    IllegalCall
        If the auction is illegal.
    InvalidInput
        If the index is damaged.

    Examples
    --------
    >>> from bidcascade.kernels import DealArrays
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from .bidding.allowed_calls import SystemCalls
    >>> from .system import System
    >>> bidder = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced").bidder()
    >>> zeros = np.zeros(100, np.uint8)
    >>> deals = DealArrays(deal_hands(1, 0, 100), zeros, zeros)
    >>> nodes = allowed_nodes(SystemCalls(bidder, deals))
    >>> allowed_rows(nodes, bytes([7, 0, 0]), lambda rows: SystemCalls(bidder, deals.take(rows)))
    array([12, 47, 52, 76, 77], dtype=uint32)
    """
    Auction.of(auction)
    if b"" not in nodes:
        raise InvalidInput("expected an index that has the auction without a call")
    known = len(auction)
    while auction[:known] not in nodes:
        known -= 1
    node = nodes[auction[:known]]
    if known < len(auction) and node.expanded:
        return np.zeros(0, np.uint32)
    rows = decode_rows(node.rows, nodes[b""].boards)
    if len(rows) != node.boards:
        raise InvalidInput(f"expected {node.boards} boards in a set of the index, got {len(rows)}")
    if known < len(auction) and len(rows):
        rows = rows[calls_of(rows).members(auction, known=known)]
    return rows
