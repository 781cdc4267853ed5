"""Stand-ins for CuPy and cudf, over NumPy: as much of them as the project uses.

They prove the calls that the code makes fit together and give the right answer, not that the real
libraries take them: that needs a device.
"""

import time
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


class Event:
    """An event of a stream: the moment it is recorded."""

    def __init__(self) -> None:
        self.at = 0.0

    def record(self) -> None:
        self.at = time.perf_counter()

    def synchronize(self) -> None:
        assert self.at > 0


def fake_cupy() -> ModuleType:
    """NumPy under CuPy's name."""
    module = ModuleType("cupy")
    for name in ("arange", "asarray", "flatnonzero", "ones", "packbits"):
        setattr(module, name, getattr(np, name))
    module.asnumpy = np.asarray
    module.cuda = SimpleNamespace(
        Event=Event,
        get_elapsed_time=lambda begin, end: 1000 * (end.at - begin.at),
        runtime=SimpleNamespace(getDeviceCount=lambda: 1),
    )
    return module


class Series:
    """A column; joins only columns, as cudf does with a frame's."""

    def __init__(self, values: Any, *, categories: list[str] | None = None) -> None:
        self.values = np.asarray(values)
        self.categories = categories

    def __and__(self, other: "Series") -> "Series":
        assert self.values.dtype == other.values.dtype == np.bool_
        return Series(self.values & other.values)

    def __invert__(self) -> "Series":
        assert self.values.dtype == np.bool_
        return Series(~self.values)

    def sum(self) -> Any:
        return self.values.sum()

    def __len__(self) -> int:
        return len(self.values)


class DataFrame:
    """Columns of one length by name."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self._columns = {
            name: column if isinstance(column, Series) else Series(column)
            for name, column in columns.items()
        }
        assert len({len(column) for column in self._columns.values()}) <= 1

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> Series:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))


def fake_cudf() -> ModuleType:
    """Boolean columns over NumPy under cudf's name."""
    module = ModuleType("cudf")
    module.Series, module.DataFrame = Series, DataFrame
    return module
