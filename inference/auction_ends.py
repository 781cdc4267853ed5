"""How auctions ended, each different one once: calls, contract, declarer, as arrays."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DOUBLE, FIRST_BID, REDOUBLE, Contract, Seat
from bidcascade.kernels.types import I64, U8
from bidcascade.systems.auctions.bidder import FinishedAuctions

NO_CALL: Final = 255
"""Stands behind the last call of an auction."""

PASSED_OUT: Final = 0
"""Contract number of a board that was passed out."""


def contract_number(calls: Sequence[int]) -> int:
    """Give what a complete auction ended in a number, whoever dealt.

    ``1 + declarer + 4 * (doubling + 3 * (strain + 5 * (level - 1)))``, declarer counted from the
    dealer; 0 if it was passed out.
    """
    last = -1
    doubling = 0
    for place, call in enumerate(calls):
        if call >= FIRST_BID:
            last, doubling = place, 0
        elif call == DOUBLE:
            doubling = 1
        elif call == REDOUBLE:
            doubling = 2
    if last < 0:
        return PASSED_OUT
    level, strain = divmod(calls[last] - FIRST_BID, 5)
    declarer = next(
        place
        for place in range(last % 2, last + 1, 2)
        if calls[place] >= FIRST_BID and (calls[place] - FIRST_BID) % 5 == strain
    )
    return 1 + declarer % 4 + 4 * (doubling + 3 * (strain + 5 * level))


def contract_of(number: int, dealer: int) -> Contract | None:
    """Contract of a number; None if it was passed out."""
    if number == PASSED_OUT:
        return None
    level, strain, doubling, declarer = parts_of(number)
    return Contract(level, strain, doubling, Seat((dealer + declarer) % 4))


class ContractParts(NamedTuple):
    """What contract numbers stand for; meaningless where a board was passed out."""

    level: Any
    strain: Any
    doubling: Any
    declarer: Any


def parts_of(numbers: Any) -> ContractParts:
    """Take a contract number apart, or an array of them; declarers are counted from the dealer."""
    rest, declarer = divmod(numbers - 1, 4)
    bid, doubling = divmod(rest, 3)
    level, strain = divmod(bid, 5)
    return ContractParts(level + 1, strain, doubling, declarer)


def contracts_by_compass(numbers: I64, dealer: U8) -> tuple[ContractParts, NDArray[np.bool_]]:
    """Take contract numbers apart, with declarers by compass; tell which were not passed out."""
    parts = parts_of(numbers)
    declarer = (parts.declarer + dealer.astype(np.int64)) % 4
    return parts._replace(declarer=declarer), numbers != PASSED_OUT


class DistinctAuctions(NamedTuple):
    """The different auctions of some deals; a deal refers to its own by number.

    ``calls``, uint8 [k, longest], with :data:`NO_CALL` behind the end; ``contracts``, int64 [k].
    """

    calls: U8
    contracts: I64

    @classmethod
    def of(cls, found: FinishedAuctions) -> "DistinctAuctions":
        """Take over what a bidder tells."""
        lengths = np.diff(found.offsets)
        calls = np.full((len(lengths), int(lengths.max(initial=0))), NO_CALL, np.uint8)
        calls[np.arange(calls.shape[1]) < lengths[:, np.newaxis]] = found.calls
        # a bidder counts contracts without their declarers, which follow closest here
        numbers = 4 * found.contract.astype(np.int64) - 3 + found.declarer
        return cls(calls, np.where(found.contract == 0, PASSED_OUT, numbers))

    @classmethod
    def of_auctions(cls, auctions: Sequence[Sequence[int]]) -> "tuple[DistinctAuctions, I64]":
        """Take whole auctions; gives also which ending each has.

        Examples
        --------
        >>> DistinctAuctions.of_auctions([(3, 0, 0, 0), (0, 0, 0, 0), (3, 0, 0, 0)])[1].tolist()
        [0, 1, 0]
        """
        keys = list(map(bytes, auctions))
        different = {one: number for number, one in enumerate(dict.fromkeys(keys))}
        calls = np.full((len(different), max(map(len, different), default=0)), NO_CALL, np.uint8)
        for row, one in zip(calls, different, strict=True):
            row[: len(one)] = tuple(one)
        contracts = np.array([contract_number(one) for one in different], np.int64)
        return cls(calls, contracts), np.array([different[one] for one in keys], np.int64)

    @property
    def lengths(self) -> I64:
        """Number of calls of each, int64."""
        lengths: I64 = np.count_nonzero(self.calls != NO_CALL, axis=1).astype(np.int64)
        return lengths

    def auction(self, number: int) -> tuple[int, ...]:
        """Give the calls of one of them."""
        calls = self.calls[number]
        return tuple(calls[calls != NO_CALL].tolist())


def merged(parts: Sequence[DistinctAuctions]) -> tuple[DistinctAuctions, I64]:
    """Bring endings of several parts together; gives also the new number of each old one.

    Old numbers go on from part to part.
    """
    longest = max(part.calls.shape[1] for part in parts)
    calls = np.full((sum(len(part.calls) for part in parts), longest), NO_CALL, np.uint8)
    start = 0
    for part in parts:
        calls[start : start + len(part.calls), : part.calls.shape[1]] = part.calls
        start += len(part.calls)
    _, first, number = np.unique(keys_of(calls), return_index=True, return_inverse=True)
    contracts = np.concatenate([part.contracts for part in parts])
    return DistinctAuctions(calls[first], contracts[first]), number


def keys_of(calls: U8) -> NDArray[np.bytes_]:
    """Rows of calls as byte strings that can be sorted: each call plus one."""
    # nothing behind the end becomes zero, which ends a byte string
    rows = np.ascontiguousarray(calls + np.uint8(1))
    return rows.view(f"S{rows.shape[1]}")[:, 0]
