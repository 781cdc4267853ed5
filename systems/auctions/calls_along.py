"""What hands may call along auctions that were bid: by a system; by a table in ``along_table``."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I64, U8, U64
from bidcascade.table.real_calls import CallLists

if TYPE_CHECKING:
    from .bidder import Bidder

NAMES = pl.List(pl.String())


class CallsAlong(NamedTuple):
    """Calls that are allowed at each place of auctions.

    Parameters
    ----------
    allowed : uint64 [calls]
        Bit ``c`` is set where the hand that is to call may call ``c``.
    names : polars.Series, optional
        List(String): what the calls before have said, a text a call.
    shown : uint8 [calls, 4, 5, 2], optional
        By position from the dealer what was shown: least and most high-card points, clubs,
        diamonds, hearts and spades.
    """

    allowed: U64
    names: pl.Series | None = None
    shown: U8 | None = None


def along_in_system(
    places: "Bidder", deals: DealArrays, auctions: CallLists, *, meanings: bool
) -> CallsAlong:
    """Ask the places of a system."""
    from .allowed import allowed_along
    from .meanings import names_along, shown_at

    with places.lock:
        found = allowed_along(places, deals, auctions)
        if not meanings:
            return CallsAlong(found.allowed)
        there, which = np.unique(found.place, return_inverse=True)
        names = _lists(*names_along(places, there))
        shown = shown_at(places, there)
        return CallsAlong(found.allowed, names.gather(which), shown[which])


def _lists(names: list[str], number: I64, lengths: I64) -> pl.Series:
    """Make lists of names, of different lengths, from their numbers in rows of one length."""
    if not number.size:
        return pl.Series([[]] * len(lengths), dtype=NAMES)
    flat = pl.Series(names, dtype=pl.String).gather(number.ravel())
    whole = flat.reshape(number.shape).arr.to_list()
    return pl.DataFrame({"names": whole, "length": lengths}).select(
        pl.col("names").list.head("length")
    )["names"]
