"""What the operations take and return: deals; bit columns, entry lists, first auctions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .types import U8, U16, U32, U64

if TYPE_CHECKING:
    from .arrow import ArrowBits

NO_ENTRY = 0xFFFFFFFF
"""Stands for "no entry" in arrays of entry numbers."""


@dataclass(frozen=True, slots=True)
class DealArrays:
    """Deals as arrays; nothing is copied when the types fit.

    Parameters
    ----------
    hands : uint64 [4, n]
        Hand masks by compass seat (N, E, S, W) and deal.
    dealer : uint8 [n]
        0-3 = N, E, S, W.
    vulnerability : uint8 [n]
        Bit 0 North-South, bit 1 East-West.

    Raises
    ------
    ValueError
        If shapes, types or values do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> zeros = np.zeros(5, np.uint8)
    >>> deals = DealArrays(np.zeros((4, 5), np.uint64), zeros, zeros)
    >>> len(deals)
    5
    """

    hands: U64
    dealer: U8
    vulnerability: U8

    def __post_init__(self) -> None:
        if self.hands.dtype != np.uint64 or self.hands.ndim != 2 or len(self.hands) != 4:
            raise ValueError(
                f"expected hands as uint64[4, n], got {self.hands.dtype}{self.hands.shape}"
            )
        for name, array in (("dealer", self.dealer), ("vulnerability", self.vulnerability)):
            if array.dtype != np.uint8 or array.shape != self.hands.shape[1:]:
                raise ValueError(
                    f"expected {name} as uint8[{self.hands.shape[1]}], "
                    f"got {array.dtype}{array.shape}"
                )
            if array.size and int(array.max()) > 3:
                raise ValueError(f"expected {name} of 0-3, got {int(array.max())}")

    def __len__(self) -> int:
        return len(self.dealer)

    def slice(self, start: int, stop: int) -> "DealArrays":
        """Deals ``start`` to ``stop`` as views."""
        return DealArrays(
            self.hands[:, start:stop], self.dealer[start:stop], self.vulnerability[start:stop]
        )

    def take(self, rows: NDArray[np.integer]) -> "DealArrays":
        """Deals by their numbers, as copies."""
        hands = np.take(self.hands, rows, axis=1)
        return DealArrays(hands, self.dealer[rows], self.vulnerability[rows])


@dataclass(frozen=True, slots=True)
class BitColumns:
    """One bit a deal, LSB first, padded with zeros to whole 64-bit words (Arrow's layout).

    Parameters
    ----------
    words : uint64 [columns, seats, words]
        ``seats`` is 4 (N, E, S, W) for expressions and 1 for members.
    count : int
        Number of deals.

    Examples
    --------
    >>> columns = BitColumns.empty(2, 70)
    >>> columns.words.shape, columns.to_bools(0, 3).sum()
    ((2, 4, 2), np.int64(0))
    """

    words: U64
    count: int

    @classmethod
    def empty(cls, columns: int, count: int, *, seats: int = 4) -> "BitColumns":
        """Return columns of zeros for ``count`` deals."""
        return cls(np.zeros((columns, seats, (count + 63) // 64), np.uint64), count)

    def to_bools(self, column: int, seat: int = 0) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Return one column as a NumPy array of bools (a copy)."""
        packed = self.words[column, seat].view(np.uint8)
        return np.unpackbits(packed, count=self.count, bitorder="little").astype(np.bool_)

    def arrow(self, column: int, seat: int = 0) -> "ArrowBits":
        """One column as an Arrow array for ``pl.Series`` or ``pa.array``, without a copy."""
        from .arrow import ArrowBits

        return ArrowBits(self.words[column, seat], self.count)


@dataclass(frozen=True, slots=True)
class EntryLists:
    """Per deal the entries that hold, as CSR; one chunk of deals.

    Parameters
    ----------
    first_deal : int
        Number of the chunk's first deal.
    offsets : uint64 [deals + 1]
        Deal ``i`` of the chunk has ``entries[offsets[i] : offsets[i + 1]]``.
    entries : uint32
        Depth first: an auction before its continuations, siblings in priority order.
    totals : uint64 [deals]
        How many entries hold; more than are listed where a limit cut the list.

    Examples
    --------
    >>> lists = EntryLists(
    ...     0, np.array([0, 2, 3], np.uint64), np.array([4, 5, 4], np.uint32),
    ...     np.array([2, 1], np.uint64))
    >>> lists.entries[lists.offsets[1] : lists.offsets[2]].tolist()
    [4]
    """

    first_deal: int
    offsets: U64
    entries: U32
    totals: U64


@dataclass(frozen=True, slots=True)
class FirstAuctions:
    """Per deal the one auction of mode ``first``.

    Parameters
    ----------
    entry : uint32 [n]
        Deepest entry of the auction; ``NO_ENTRY`` if not even the first call is in the table.
    passes : uint8 [n]
        Passes that follow the entry's auction until it is complete (0-4).
    defaults : uint16 [n]
        How many passes were made because no entry held, those that follow included.

    Examples
    --------
    >>> FirstAuctions.empty(2).entry.tolist() == [NO_ENTRY, NO_ENTRY]
    True
    """

    entry: U32
    passes: U8
    defaults: U16

    @classmethod
    def empty(cls, count: int) -> "FirstAuctions":
        """Return a result to fill in."""
        return cls(
            np.full(count, NO_ENTRY, np.uint32),
            np.zeros(count, np.uint8),
            np.zeros(count, np.uint16),
        )
