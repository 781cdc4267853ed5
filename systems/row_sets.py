"""Sets of the rows of a part, as compressed bytes: Roaring bitmaps in their portable format.

The format is that of https://github.com/RoaringBitmap/RoaringFormatSpec, which libraries of many
languages read. Why it and not another: ``docs/decisions.md``.
"""

from array import array
from typing import Final

import numpy as np
from pyroaring import BitMap

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.types import U32

MOST_ROWS: Final = 1 << 20
"""Rows of a part at most."""


def encode_rows(rows: U32) -> bytes:
    """Write a set of rows.

    Parameters
    ----------
    rows : uint32 [n]
        Ascending, each once.

    Examples
    --------
    >>> decode_rows(encode_rows(np.array([3, 12], np.uint32)), 13).tolist()
    [3, 12]
    """
    bitmap = BitMap(array("I", np.ascontiguousarray(rows, np.uint32).tobytes()))
    # rows that follow one another, as all boards do behind a call that everyone makes
    bitmap.run_optimize()
    return bytes(bitmap.serialize())


def decode_rows(data: bytes, count: int = MOST_ROWS) -> U32:
    """Read a set of rows.

    Parameters
    ----------
    data : bytes
        What :func:`encode_rows` wrote.
    count : int
        Rows of the part.

    Returns
    -------
    uint32 [n]
        Ascending, each below ``count``.

    Raises
    ------
    InvalidInput
        If the bytes are no such set. Bits that were turned within a list of rows make another set:
        whoever keeps many sets in a file has a checksum of it.
    """
    try:
        bitmap = BitMap.deserialize(data)
    except (ValueError, IndexError) as error:
        raise InvalidInput(f"expected a set of rows, got {len(data)} bytes: {error}") from None
    if not bitmap:
        rows: U32 = np.zeros(0, np.uint32)
    elif bitmap.max() >= count:
        raise InvalidInput(f"expected rows below {count}, got {bitmap.max()}")
    else:
        rows = np.frombuffer(bitmap.to_array(), np.uint32)
    if bitmap.serialize() != data:
        raise InvalidInput(
            f"expected the {len(bitmap.serialize())} bytes of a set of rows, got {len(data)} bytes"
        )
    return rows
