"""Many rows of a bidding table as columns, in which each different text and list stands once."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from bidcascade.kernels.types import U8, U16, U32


class Different(NamedTuple):
    """A column as numbers of the values that there are."""

    numbers: U32
    """One a row."""
    values: list[Any]


class RowColumns(NamedTuple):
    """Rows whose calls are checked, as :meth:`.TableBuilder.add_columns` takes them in."""

    auctions: U8
    """Calls of all rows behind one another, each row's prior auction and its call."""
    lengths: U16
    """Calls of each row."""
    texts: Mapping[str, Different]
    """``description``, ``name``, ``where``, ``source``; what is missing is empty."""
    lists: Mapping[str, Different]
    """``criteria`` and ``tags`` as tuples of texts."""
    numbers: Mapping[str, tuple[U32, U32]]
    """``index``, ``rank`` and ``count``: rows that have one, and the values."""
