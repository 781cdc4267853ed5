"""Columns made of codes: texts that are given by their number, and lists of values."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.kernels.arrow import ArrowColumn
from bidcascade.kernels.types import U8
from bidcascade.table.columns import offsets_of

_VIEW: Final = 16
_INLINE: Final = 12
"""Bytes of a text that stands in its view ("Arrow Columnar Format", variable-size binary view)."""


def texts_of(codes: NDArray[Any], texts: Sequence[str]) -> ArrowColumn:
    """Text of each code; each different text stands in the memory once.

    Examples
    --------
    >>> pl.Series(texts_of(np.array([1, 0, 1]), ["1N", "a longer text than that"])).to_list()
    ['a longer text than that', '1N', 'a longer text than that']
    """
    written = [text.encode() for text in texts]
    views = np.zeros((len(written), _VIEW), np.uint8)
    starts = offsets_of([len(text) for text in written], np.int64)
    for view, text, start in zip(views, written, starts.tolist(), strict=False):
        # else its beginning, number of the buffer, place in it
        far = text[:4] + bytes(4) + start.to_bytes(4, "little")
        stands = text if len(text) <= _INLINE else far
        view[:4] = np.frombuffer(len(text).to_bytes(4, "little"), np.uint8)
        view[4 : 4 + len(stands)] = np.frombuffer(stands, np.uint8)
    together = np.frombuffer(b"".join(written), np.uint8)
    sizes = np.array([len(together)], np.int64)
    return ArrowColumn(b"vu", len(codes), [None, views[codes], together, sizes])


def numbers_of(values: U8) -> ArrowColumn:
    """Make a column of numbers.

    Examples
    --------
    >>> pl.Series(numbers_of(np.array([3, 4], np.uint8))).to_list()
    [3, 4]
    """
    return ArrowColumn(b"C", len(values), [None, values])


def lists_of(offsets: NDArray[np.int64], elements: ArrowColumn) -> pl.Series:
    """Lists that begin and end at offsets among elements.

    Examples
    --------
    >>> lists_of(np.array([0, 2, 2]), numbers_of(np.array([3, 4], np.uint8))).to_list()
    [[3, 4], []]
    """
    return pl.Series(ArrowColumn(b"+L", len(offsets) - 1, [None, offsets], [elements]))
