"""Calls that were really made, found in a table, with the bits of expressions of their hands.

The data of learning and vetting: :func:`find_real_calls` says at which place of the table each call
was made, :func:`expression_rows` which expressions hold on each hand.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels import Backend, DealArrays, get_backend
from bidcascade.kernels.plan import expressions_plan
from bidcascade.kernels.types import I64, U8, U16, U32, U64

from .bidding_table import BiddingTable
from .columns import offsets_of
from .language.expressions import parse_expression, to_postfix
from .language.vocabulary import Vocabulary


class CallLists(NamedTuple):
    """Auctions behind one another.

    Parameters
    ----------
    calls : uint8 [calls]
        Call codes.
    offsets : int64 [auctions + 1]
        Where each auction begins, and where the last one ends.

    Examples
    --------
    >>> lists = CallLists.of(pl.Series([[7, 0], None, [0]], dtype=pl.List(pl.UInt8)))
    >>> lists.calls.tolist(), lists.offsets.tolist()
    ([7, 0, 0], [0, 2, 2, 3])
    """

    calls: U8
    offsets: I64

    @classmethod
    def of(cls, auctions: pl.Series) -> "CallLists":
        """Auctions of a column ``List(UInt8)``; null is an auction without calls.

        Raises
        ------
        InvalidInput
            If the column is of another type.
        """
        if auctions.dtype != pl.List(pl.UInt8):
            raise InvalidInput(
                f"expected auctions as List(UInt8) in {auctions.name!r}, got {auctions.dtype}"
            )
        lengths = auctions.list.len().fill_null(0).to_numpy()
        # an empty list would explode to a null
        calls = auctions.filter(auctions.list.len() > 0).explode().to_numpy()
        return cls(np.ascontiguousarray(calls, dtype=np.uint8), offsets_of(lengths, np.int64))

    def __len__(self) -> int:
        """Return the number of auctions."""
        return len(self.offsets) - 1

    def slice(self, begin: int, end: int) -> "CallLists":
        """Auctions from number ``begin`` to before ``end``."""
        offsets = self.offsets[begin : end + 1]
        return CallLists(self.calls[offsets[0] : offsets[-1]], offsets - offsets[0])


@dataclass(frozen=True, slots=True)
class RealCalls:
    """Calls of auctions, each with its place in a table.

    Parameters
    ----------
    deal : uint32 [n]
        Number of the auction.
    depth : uint16 [n]
        Calls before it.
    seat : uint8 [n]
        Who called, 0-3 = N, E, S, W.
    call : uint8 [n]
        Code.
    place : uint32 [n]
        Entry of the auction before it; 0xFFFFFFFF where it opens the auction.
    entry : uint32 [n]
        Its own entry; 0xFFFFFFFF where the table has no such call: there the walk ends.
    beyond : int
        Calls behind such a one, of all auctions.
    """

    deal: U32
    depth: U16
    seat: U8
    call: U8
    place: U32
    entry: U32
    beyond: int

    @property
    def hand(self) -> I64:
        """Row of the caller's hand in what :func:`expression_rows` gives, int64[n]."""
        return 4 * self.deal.astype(np.int64) + self.seat

    def __len__(self) -> int:
        return len(self.deal)


def find_real_calls(table: BiddingTable, auctions: CallLists, dealer: U8) -> RealCalls:
    """Find calls in a table: each auction from its first call to its end, or out of the table.

    Parameters
    ----------
    auctions : CallLists
        Legal ones.
    dealer : uint8 [auctions]
        0-3 = N, E, S, W.
    """
    from bidcascade.kernels.core.tables.real_calls import find_calls

    if dealer.shape != (len(auctions),):
        raise ValueError(f"expected a dealer for {len(auctions)} auctions, got {dealer.shape}")
    size = len(auctions.calls)
    deal, place, entry = (np.empty(size, np.uint32) for _ in range(3))
    depth = np.empty(size, np.uint16)
    count, beyond = find_calls(
        table.first_child,
        table.child_count,
        table.call,
        table.root_count,
        auctions.calls,
        auctions.offsets,
        deal,
        depth,
        place,
        entry,
    )
    deal, depth, place, entry = deal[:count], depth[:count], place[:count], entry[:count]
    call = auctions.calls[auctions.offsets[deal] + depth]
    seat = ((dealer[deal] + depth) % 4).astype(np.uint8)
    return RealCalls(deal, depth, seat, call, place, entry, beyond)


def expression_rows(
    expressions: Sequence[str],
    deals: DealArrays,
    vocabulary: Vocabulary,
    backend: Backend | None = None,
) -> U64:
    """Which expressions hold on each hand, a row of bits a hand.

    A row takes ``ceil(expressions / 64)`` words; callers give deals in chunks.

    Parameters
    ----------
    expressions : sequence of str
        Expressions about one hand.
    deals : DealArrays
        With the seats and vulnerabilities that expressions may ask for.
    backend : Backend, optional
        ``auto`` if not given.

    Returns
    -------
    uint64 [4 * deals, words]
        Bit ``e % 64`` of word ``e // 64`` of row ``4 * deal + seat``: expression ``e`` holds on
        that hand.

    Raises
    ------
    InvalidExpression, UnknownTerm
        If an expression is none of the vocabulary.
    """
    from bidcascade.kernels.core.tables.real_calls import turn_bits

    rows = np.zeros((4 * len(deals), (len(expressions) + 63) // 64), np.uint64)
    if not len(expressions) or not len(deals):
        return rows
    codes = tuple(to_postfix(parse_expression(text), vocabulary) for text in expressions)
    # the same test may be asked for twice, in one or in two ways of writing
    distinct = tuple(dict.fromkeys(codes))
    bits = (backend or get_backend()).evaluate(
        expressions_plan(distinct, vocabulary.profile), deals
    )
    place = {code: number for number, code in enumerate(distinct)}
    columns = bits.words
    if len(distinct) < len(codes):
        columns = columns[[place[code] for code in codes]]
    turn_bits(np.ascontiguousarray(columns), rows)
    return rows


def pack_lists(lists: Iterable[Iterable[int]], expressions: int) -> U64:
    """Turn lists of expression numbers into masks over the rows of :func:`expression_rows`.

    Returns
    -------
    uint64 [lists, words]
    """
    masks = [sum(1 << number for number in set(one)) for one in lists]
    words = (expressions + 63) // 64
    packed = b"".join(mask.to_bytes(8 * words, "little") for mask in masks)
    return np.frombuffer(packed, np.uint64).reshape(len(masks), words)
