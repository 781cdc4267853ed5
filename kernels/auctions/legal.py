"""Which calls the laws allow at each place of many auctions, compiled by numba."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U8, U64

I64 = NDArray[np.int64]


@compiled
def legal_calls(calls: U8, offsets: I64, legal: U64) -> None:
    """Find the legal calls at the place of each call (Laws of Duplicate Bridge 2017, 17-22).

    Parameters
    ----------
    calls : uint8 [calls]
        Auctions behind one another; what is no call code is illegal.
    offsets : int64 [auctions + 1]
        Where each auction begins and the last one ends.
    legal : uint64 [calls]
        Overwritten: bit ``c`` is set where call ``c`` is legal in place of the one that stands
        there; 0 behind the end of an auction, and behind a call that is illegal.
    """
    one = np.uint64(1)
    every = (one << np.uint64(38)) - one
    for auction in range(len(offsets) - 1):
        last_bid: Any = np.int64(0)
        doubling: Any = 0
        # whether the side to call made the last bid
        is_ours = False
        passes = 0
        is_over = False
        for place in range(offsets[auction], offsets[auction + 1]):
            if is_over:
                legal[place] = np.uint64(0)
                continue
            # all bids above the last one
            mask = every & ~((one << np.uint64(max(last_bid + 1, 3))) - one) | one
            if last_bid and doubling == 0 and not is_ours:
                mask |= np.uint64(2)
            elif doubling == 1 and is_ours:
                mask |= np.uint64(4)
            legal[place] = mask
            made: Any = np.int64(calls[place])
            if made >= 38 or mask >> np.uint64(made) & one == 0:
                is_over = True
                continue
            if made == 0:
                passes += 1
                is_over = passes == (3 if last_bid else 4)
            else:
                passes = 0
                if made <= 2:
                    doubling = made
                else:
                    last_bid, doubling, is_ours = made, 0, True
            is_ours = not is_ours
