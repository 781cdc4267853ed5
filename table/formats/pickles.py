"""Rows as a pickle of one list of published tuples, read without running anything in it.

A pickle is a program. The reader here allows it to build tuples, lists, dicts, texts, whole
numbers, truth values and None, and refuses it as soon as it names anything else.
"""

import pickle
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, NoReturn

from bidcascade.bridge import InvalidTable
from bidcascade.table.row import Row, row_of

from .literal import tuple_of

_PROTOCOL: Final = 3
"""Last protocol without frames, so that a list can be written piece by piece."""

_HEAD: Final = pickle.dumps([], protocol=_PROTOCOL)[:-1]
"""What a pickled list begins with: protocol, an empty list, and its place in the memo."""

_DAMAGED: Final = (
    pickle.UnpicklingError, EOFError, ValueError, IndexError, KeyError, AttributeError, TypeError,
    AssertionError, OverflowError, MemoryError, RecursionError, struct.error,
)  # fmt: skip
"""What the standard unpickler raises on damaged input."""


# The unpickler in C is no choice here: ten bytes that name place 10^9 of its memo make it fill
# gigabytes. The one in Python keeps the memo in a dict and still reads 150,000 rows a second.
class _PlainUnpickler(pickle._Unpickler):
    """Builds plain values only."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise InvalidTable(
            f"expected a pickle of tuples, lists, texts and whole numbers, got one that asks for "
            f"{module[:60]}.{name[:60]}"
        )

    def get_extension(self, code: int) -> NoReturn:
        """Refuse an object named by a number of the extension registry."""
        raise InvalidTable(f"expected a pickle of plain values, got one with extension {code}")

    def persistent_load(self, reference: Any) -> NoReturn:
        raise InvalidTable(
            f"expected a pickle of plain values, got one that refers to {str(reference)[:60]!r}"
        )


def read_pickle_rows(path: Path) -> Iterator[Row]:
    """Rows of a pickle. The whole list is in memory while it is read.

    Raises
    ------
    InvalidTable
        If the file is damaged, asks for anything but plain values, or is no list of rows.
    """
    with path.open("rb") as file:
        try:
            rows = _PlainUnpickler(file).load()
        except InvalidTable as error:
            raise InvalidTable(f"{path.name}: {error}") from None
        except _DAMAGED as error:
            raise InvalidTable(f"{path.name}: expected a whole pickle, got {error}") from None
    if not isinstance(rows, list | tuple):
        raise InvalidTable(f"{path.name}: expected a list of rows, got a {type(rows).__name__}")
    for number, written in enumerate(rows, 1):
        yield row_of(written, f"{path.name}, row {number}")


def write_pickle_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as one pickled list of published tuples, without holding the list in memory."""
    source = iter(rows)
    with path.open("wb") as file:
        file.write(_HEAD)
        while batch := [tuple_of(row) for row in islice(source, 1000)]:
            # a pickled list of up to 1,000 items is a head that makes an empty list, a program that
            # appends the items to it, and a mark for the end: the programs are put together
            file.write(pickle.dumps(batch, protocol=_PROTOCOL)[len(_HEAD) : -1])
        file.write(pickle.STOP)
