"""cudf by the emulator: frames in and out, as much of them as the project and its tests use."""

from typing import Any

import cupy
import numpy as np

from tests.support.device_frames import DataFrame as _Frame
from tests.support.device_frames import (
    DeviceSeries,
    ListColumn,
    TakenSeries,
    TextSeries,
)


class _Values:
    """What ``to_arrow`` gives of a column: values for the host."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def to_pylist(self) -> list[Any]:
        return list(self._values)


class Series:
    """A column: of texts, or over the memory of a device array."""

    def __new__(cls, source: Any) -> Any:
        return TextSeries(source) if isinstance(source, list) else TakenSeries(source)

    @staticmethod
    def from_pylibcudf(column: ListColumn) -> ListColumn:
        return column


class DataFrame(_Frame):
    """Columns by name: device arrays, lists of texts, or columns of a frame."""

    def __init__(self, columns: dict[str, Any]) -> None:
        super().__init__({name: _column(one) for name, one in columns.items()})


DataFrame.__module__ = "cudf.core.dataframe"


def _column(source: Any) -> Any:
    if isinstance(source, list):
        places = cupy.asarray(np.zeros(len(source), np.uint8))
        return DeviceSeries(places, cupy._device, texts=source)
    if isinstance(source, TakenSeries | TextSeries | ListColumn):
        source.to_arrow = lambda: _Values(source.values(cupy._device))
        return source
    return DeviceSeries(cupy.asarray(source), cupy._device)
