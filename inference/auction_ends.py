"""How auctions ended, each different one once: calls, contract, declarer, as arrays."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DOUBLE, FIRST_BID, REDOUBLE, Contract, Seat

I64 = NDArray[np.int64]

PASSED_OUT: Final = 0
"""Contract number of a board that was passed out."""


def contract_number(calls: Sequence[int]) -> int:
    """Give what a complete auction ended in a number, whoever dealt.

    ``1 + declarer + 4 * (doubling + 3 * (strain + 5 * (level - 1)))``, declarer counted from the
    dealer; 0 if it was passed out.

    Examples
    --------
    >>> contract_number((0, 7, 0, 0, 0)), contract_number((0, 0, 0, 0))
    (50, 0)
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
    """Contract of a number; None if it was passed out.

    Examples
    --------
    >>> str(contract_of(contract_number((0, 7, 0, 0, 0)), dealer=1))
    '1NS'
    """
    if number == PASSED_OUT:
        return None
    rest, declarer = divmod(number - 1, 4)
    rest, doubling = divmod(rest, 3)
    level, strain = divmod(rest, 5)
    return Contract(level + 1, strain, doubling, Seat((dealer + declarer) % 4))


class Endings:
    """The different auctions of some deals; a deal refers to its own by number.

    Examples
    --------
    >>> endings = Endings()
    >>> endings.add([(7, 0, 0, 0), (0, 0, 0, 0), (7, 0, 0, 0)]).tolist()
    [0, 1, 0]
    >>> endings.contracts.tolist(), endings.lengths.tolist()
    ([49, 0], [4, 4])
    """

    def __init__(self) -> None:
        self.calls: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._contracts: list[int] = []

    def __len__(self) -> int:
        return len(self.calls)

    def add(self, auctions: Iterable[Sequence[int]]) -> I64:
        """Numbers of complete auctions, int64 [n]; new ones are taken in."""
        found = []
        for auction in auctions:
            calls = tuple(auction)
            number = self._numbers.get(calls)
            if number is None:
                number = self._numbers[calls] = len(self.calls)
                self.calls.append(calls)
                self._contracts.append(contract_number(calls))
            found.append(number)
        return np.array(found, np.int64)

    def contract_number(self, ending: int) -> int:
        """Contract number of one of them."""
        return self._contracts[ending]

    @property
    def contracts(self) -> I64:
        """Contract number of each, int64."""
        return np.array(self._contracts, np.int64)

    @property
    def lengths(self) -> I64:
        """Number of calls of each, int64."""
        return np.fromiter(map(len, self.calls), np.int64, len(self.calls))
