"""Frames on the device: deals in, results out, without a trip through the host.

In come columns that lie on the device already: anything with ``__cuda_array_interface__`` or DLPack
(CuPy, PyTorch, Numba, JAX), or a cudf frame. Out go device arrays, which have the same interface,
or a cudf frame. This is the only module that imports cudf, on first use; where it is absent, all
but cudf frames works.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeAlias, cast

import numpy as np

from bidcascade.bridge import (
    FULL_DECK,
    SEATS,
    VULNERABILITIES,
    BackendUnavailable,
    InvalidInput,
)

from .cuda_device import Device, DeviceArray
from .results import DealArrays

HAND_NAMES = ("north", "east", "south", "west")
CODE_NAMES = {"dealer": SEATS, "vulnerability": VULNERABILITIES}
"""Columns of codes, and what the codes stand for."""

NO_CODE = 255
THREADS = 256
_FILE = "frames.cu"

DeviceColumns: TypeAlias = dict[str, DeviceArray]
"""Columns on the device by name, all of one length."""


@dataclass(frozen=True, slots=True)
class DeviceDeals:
    """Deals on a device, checked.

    Parameters
    ----------
    device : Device
    hands : uint64 [4, n] on the device
        Hand masks by compass seat (N, E, S, W) and deal.
    dealer, vulnerability : uint8 [n] on the device
        See :class:`~bidcascade.kernels.DealArrays`.
    """

    device: Device
    hands: DeviceArray
    dealer: DeviceArray
    vulnerability: DeviceArray

    def __len__(self) -> int:
        return self.dealer.shape[0]


def uploaded(device: Device, deals: DealArrays) -> DeviceDeals:
    """Copy deals to a device."""
    arrays = [
        device.upload(np.ascontiguousarray(array))
        for array in (deals.hands, deals.dealer, deals.vulnerability)
    ]
    device.synchronize()
    return DeviceDeals(device, *arrays)


def downloaded(deals: DeviceDeals) -> DealArrays:
    """Copy deals from a device."""
    arrays = (deals.hands, deals.dealer, deals.vulnerability)
    return DealArrays(*map(deals.device.download, arrays))


def deals_on_device(
    device: Device,
    columns: Mapping[str, object],
    *,
    categories: Mapping[str, Sequence[str]] | None = None,
) -> DeviceDeals:
    """Take deals that lie on a device as columns.

    Parameters
    ----------
    device : Device
    columns : mapping
        ``north east south west`` uint64 and ``dealer vulnerability`` uint8, contiguous device
        arrays of one length; others are not looked at.
    categories : mapping, optional
        What the codes of ``dealer`` and ``vulnerability`` stand for, where it is not
        ``N E S W`` and ``None NS EW Both`` in this order.

    Raises
    ------
    InvalidInput
        If a column is missing or of another type, or a row is no deal; names the column or row.
    """
    arrays = {
        name: _column(device, columns, name, np.uint64 if name in HAND_NAMES else np.uint8)
        for name in (*HAND_NAMES, *CODE_NAMES)
    }
    count = arrays["north"].shape[0]
    for name, array in arrays.items():
        if array.shape != (count,):
            raise InvalidInput(
                f"expected columns of one length, got {count} in 'north' and {array.shape} "
                f"in {name!r}"
            )
    hands = device.empty((4, count), np.uint64)
    dealer, vulnerability = (device.empty(count, np.uint8) for _ in range(2))
    if count:
        codes = [
            device.upload(_code_table(name, (categories or {}).get(name, texts)))
            for name, texts in CODE_NAMES.items()
        ]
        first_bad = device.upload(np.array([count], np.uint64))
        _kernel(device, "take_deals")(
            _blocks(count),
            THREADS,
            [*arrays.values(), *codes, np.uint64(count), hands, dealer, vulnerability, first_bad],
        )
        # waits: a deal that is none must be known before anything is made of it
        row = int(device.download(first_bad)[0])
        if row < count:
            raise InvalidInput(_complaint(device, arrays, row))
    return DeviceDeals(device, hands, dealer, vulnerability)


def _column(device: Device, columns: Mapping[str, object], name: str, dtype: type) -> DeviceArray:
    if name not in columns:
        raise InvalidInput(f"expected the columns of a deal frame, got none named {name!r}")
    try:
        array = device.adopt(columns[name])
    except TypeError as error:
        raise InvalidInput(f"column {name!r}: {error}") from None
    if array.dtype != dtype or len(array.shape) != 1:
        raise InvalidInput(
            f"expected {np.dtype(dtype)}[n] in {name!r}, got {array.dtype}{list(array.shape)}"
        )
    return array


def _code_table(name: str, texts: Sequence[str]) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    """Our code for each of 256 codes."""
    table = np.full(256, NO_CODE, np.uint8)
    for code, text in enumerate(texts):
        if text not in CODE_NAMES[name]:
            raise InvalidInput(
                f"expected {', '.join(CODE_NAMES[name])} in column {name!r}, got {text!r}"
            )
        table[code] = CODE_NAMES[name].index(text)
    return table


def _complaint(device: Device, arrays: DeviceColumns, row: int) -> str:
    found = [int(device.download(array[row : row + 1])[0]) for array in arrays.values()]
    return (
        f"expected four disjoint hands of 13 cards, a dealer and a vulnerability, got "
        f"{tuple(found)!r} in row {row}"
    )


def bits_on_device(device: Device, words: DeviceArray, count: int) -> DeviceArray:
    """One byte a deal (0 or 1) from one bit a deal; both on the device.

    Parameters
    ----------
    device : Device
    words : uint64 [words] on the device
        Bits, LSB first.
    count : int
        How many bits count.
    """
    byte_count = (count + 7) // 8
    # eight bytes a thread; what is behind the last deal is cut off, not copied
    spread = device.empty((byte_count, 8), np.uint8)
    _kernel(device, "unpack_bits")(
        _blocks(byte_count), THREADS, [words, np.uint64(byte_count), spread]
    )
    return spread.reshape(byte_count * 8)[:count]


def list_numbers_on_device(
    device: Device, offsets: DeviceArray, items: int, *, first: int = 0
) -> DeviceArray:
    """Tell which of CSR lists each item is in; both on the device.

    Parameters
    ----------
    device : Device
    offsets : uint64 [lists + 1] on the device
        Begin at 0 and end at ``items``.
    items : int
    first : int
        Number of the first list.
    """
    numbers = device.empty(items, np.uint32)
    lists = offsets.shape[0] - 1
    _kernel(device, "list_numbers")(
        _blocks(items),
        THREADS,
        [offsets, np.uint64(lists), np.uint64(items), np.uint64(first), numbers],
    )
    return numbers


def _kernel(device: Device, entry: str) -> Any:
    return device.kernel(_FILE, entry, {"FULL_DECK": FULL_DECK})


def _blocks(count: int) -> int:
    return -(-count // THREADS)


# --- cudf --------------------------------------------------------------------------------------


@cache
def why_no_cudf() -> str | None:
    """Say why there are no cudf frames here, or ``None``; looked up once."""
    if find_spec("cudf") is None:
        return "cudf is not installed"
    try:
        _cudf()
    except (ImportError, OSError, RuntimeError) as error:
        # without a driver its import ends with an error of CUDA's
        return f"cudf does not start: {str(error).partition(chr(10))[0]}"
    return None


@cache
def _cudf() -> Any:
    import cudf

    return cudf


def is_cudf_frame(value: object) -> bool:
    """Whether a value is a cudf frame; imports nothing."""
    return type(value).__module__.partition(".")[0] == "cudf" and hasattr(value, "columns")


def deals_of_cudf(device: Device, frame: Any) -> DeviceDeals:
    """Take the deals of a cudf frame; its columns are read where they lie.

    Parameters
    ----------
    device : Device
    frame : cudf.DataFrame
        Deal frame: ``north east south west`` uint64; ``dealer`` and ``vulnerability`` as codes
        (uint8), categories or text.

    Raises
    ------
    InvalidInput
        If a column is missing, has nulls or is of another type, or a row is no deal.
    """
    columns: dict[str, object] = {}
    categories: dict[str, Sequence[str]] = {}
    for name in (*HAND_NAMES, *CODE_NAMES):
        if name not in frame.columns:
            raise InvalidInput(f"expected the columns of a deal frame, got none named {name!r}")
        column = frame[name]
        if column.null_count:
            raise InvalidInput(f"expected no nulls in {name!r}, got {column.null_count}")
        if name in HAND_NAMES and column.dtype != np.uint64:
            raise InvalidInput(f"expected uint64 in {name!r}, got {column.dtype}")
        if name in CODE_NAMES and column.dtype != np.uint8:
            try:
                column = column.astype("category")
            except (TypeError, ValueError, NotImplementedError):
                raise InvalidInput(
                    f"expected codes or texts in {name!r}, got {column.dtype}"
                ) from None
            categories[name] = column.cat.categories.to_arrow().to_pylist()
            column = column.cat.codes.astype("uint8")
        columns[name] = column
    return deals_on_device(device, columns, categories=categories)


def cudf_frame(
    columns: Mapping[str, DeviceArray],
    *,
    booleans: Sequence[str] = (),
    texts: Mapping[str, Sequence[str | None]] | None = None,
    ends: Mapping[str, DeviceArray] | None = None,
) -> Any:
    """Put device arrays into a cudf frame, without a copy through the host.

    Parameters
    ----------
    columns : mapping of str to device array
        Of one length, but for those in ``ends``.
    booleans : sequence of str
        Columns of bytes 0 and 1 that are truth values.
    texts : mapping of str to sequence of str or None, optional
        What the numbers of a column stand for.
    ends : mapping of str to device array, optional
        int32 [rows + 1] where the lists of a column begin and the last one ends.

    Raises
    ------
    BackendUnavailable
        If there is no cudf here; says why.
    """
    reason = why_no_cudf()
    if reason is not None:
        raise BackendUnavailable(f"expected cudf for a frame on the device: {reason}")
    cudf = _cudf()
    made = {}
    for name, array in columns.items():
        column = cudf.Series(_Typed(array, "|b1") if name in booleans else array)
        if texts is not None and name in texts:
            column = cudf.Series([*texts[name]]).take(column).reset_index(drop=True)
        if ends is not None and name in ends:
            column = _lists(cudf, column, ends[name])
        made[name] = column
    return cudf.DataFrame(made)


def _lists(cudf: Any, items: Any, ends: DeviceArray) -> Any:
    """Column of lists over the memory of its items."""
    import pylibcudf

    parts = [column.to_pylibcudf()[0] for column in (cudf.Series(ends), items)]
    kind = pylibcudf.DataType(pylibcudf.TypeId.LIST)
    return cudf.Series.from_pylibcudf(
        pylibcudf.Column(kind, ends.size - 1, None, None, 0, 0, parts)
    )


class _Typed:
    """A device array under another type of the same size."""

    def __init__(self, array: DeviceArray, typestr: str) -> None:
        # whoever reads the memory through this keeps the array alive by it
        self._array = array
        described: dict[str, Any] = cast("Any", array).__cuda_array_interface__
        self.__cuda_array_interface__ = {**described, "typestr": typestr}
