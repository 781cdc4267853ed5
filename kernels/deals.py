"""The deals that kernels work on: hand masks, dealer and vulnerability as arrays."""

from dataclasses import dataclass

import numpy as np

from .types import U8, U64


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
