"""Who bids an archive: a table, or a system straight from its text."""

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.engine.engine import Engine
from bidcascade.kernels import DealArrays
from bidcascade.systems.allowed_index import AllowedNode, allowed_nodes
from bidcascade.systems.bidding.allowed_calls import AllowedCalls
from bidcascade.systems.bidding.bidder_protocol import Query

from .catalogue import ArchiveBidder
from .mapped_nodes import NODE_SCHEMA

BID_COLUMNS: Final = ("auction", "completed", "contract", "declarer")
"""Columns of ``bids-*.parquet``."""
_AT_ONCE: Final = 1 << 18


class ArchiveEngine:
    """A table or system, opened to bid the boards of an archive.

    Parameters
    ----------
    table
        Its name or path, as :meth:`bidcascade.engine.Engine.open` takes it.
    backend : {"auto", "reference", "cpu", "cuda"}
    options
        Of that method.

    Raises
    ------
    InvalidInput
        If it cannot be opened; says why.

    Examples
    --------
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> engine = ArchiveEngine("sayc", "cpu")
    >>> engine.bid(deal_arrays(random_deals(2, seed=1))).columns
    ['auction', 'completed', 'contract', 'declarer']
    """

    def __init__(self, table: str, backend: str = "auto", **options: Any) -> None:
        self.table, self.options = table, options
        try:
            self._engine = Engine.open(table, backend, **options)
        except (OSError, LookupError, ValueError) as error:
            raise InvalidInput(f"cannot open {table!r} to bid the archive: {error}") from None
        self.digest: str = self._engine.digest

    @classmethod
    def of(cls, bidder: ArchiveBidder, backend: str = "auto") -> "ArchiveEngine":
        """Open what a catalogue names, as it is now."""
        return cls(bidder.table, backend, **bidder.options)

    def bid(self, deals: DealArrays) -> pl.DataFrame:
        """Auctions that are bid, to the end, a row a deal: :data:`BID_COLUMNS`."""
        parts = [
            self._bid(deals.slice(start, min(start + _AT_ONCE, len(deals))))
            for start in range(0, max(1, len(deals)), _AT_ONCE)
        ]
        return pl.concat(parts, rechunk=True)

    def _bid(self, deals: DealArrays) -> pl.DataFrame:
        (found,) = self._engine.frames(deals, Query("first"))
        return found.select(BID_COLUMNS)

    def calls(self, deals: DealArrays) -> AllowedCalls:
        """Boards with what they may call, for :mod:`bidcascade.systems.allowed_index`."""
        return self._engine.allowed_calls(deals)

    def nodes(
        self, deals: DealArrays, cached: Mapping[bytes, AllowedNode] | None = None
    ) -> pl.DataFrame:
        """Index of mode ``all``: :data:`.archive.NODE_SCHEMA`, in the order of the auctions.

        ``cached`` is the index of the same boards as the text said it before.
        """
        nodes = allowed_nodes(self.calls(deals), cached=cached)
        columns = list(zip(*nodes.values(), strict=True))
        return pl.DataFrame(columns, schema=NODE_SCHEMA, orient="col")
