"""A cudf whose columns lie in the emulator's memory: as much of it as the project uses."""

import itertools
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from tests.kernels.emulator.device import EmulatedArray, EmulatedDevice


class DeviceSeries:
    """A column on the emulated device; categories are codes with their texts."""

    def __init__(
        self,
        array: EmulatedArray,
        device: EmulatedDevice,
        *,
        categories: list[str] | None = None,
        texts: list[str] | None = None,
        nulls: int = 0,
    ) -> None:
        self.owner = array
        self.null_count = nulls
        self._device = device
        self._categories, self._texts = categories, texts

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.owner.__cuda_array_interface__

    @property
    def dtype(self) -> Any:
        if self._texts is not None:
            return np.dtype(object)
        return "category" if self._categories is not None else self.owner.dtype

    def astype(self, kind: str) -> "DeviceSeries":
        if kind == "category":
            if self._texts is None:
                assert self._categories is not None
                return self
            categories = sorted(set(self._texts))
            codes = np.array([categories.index(text) for text in self._texts], np.int8)
            return DeviceSeries(self._device.upload(codes), self._device, categories=categories)
        codes = self._device.download(self.owner).astype(kind)
        return DeviceSeries(self._device.upload(codes), self._device)

    @property
    def cat(self) -> Any:
        assert self._categories is not None
        texts = SimpleNamespace(to_pylist=lambda: self._categories)
        return SimpleNamespace(
            categories=SimpleNamespace(to_arrow=lambda: texts),
            codes=DeviceSeries(self.owner, self._device),
        )


class DataFrame:
    """Columns by name."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]


DataFrame.__module__ = "cudf.core.dataframe"


class TakenSeries:
    """What ``cudf.Series`` makes of a device array: the same memory, its type as it is told."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.interface = self.__cuda_array_interface__ = source.__cuda_array_interface__

    def values(self, device: EmulatedDevice) -> Any:
        """Contents, on the host."""
        owner = getattr(self.source, "owner", None) or getattr(self.source, "_array", self.source)
        kind = np.dtype(self.interface["typestr"])
        assert self.interface["data"][0] == owner.address
        return device.download(owner).view(kind)

    def to_pylibcudf(self) -> tuple["TakenSeries", dict[str, Any]]:
        return self, {}


class TextSeries:
    """Texts, and after ``take`` one for each number of a column."""

    def __init__(self, texts: list[str | None], numbers: TakenSeries | None = None) -> None:
        self._texts, self._numbers = texts, numbers

    def take(self, numbers: TakenSeries) -> "TextSeries":
        return TextSeries(self._texts, numbers)

    def reset_index(self, *, drop: bool) -> "TextSeries":
        assert drop
        return self

    def values(self, device: EmulatedDevice) -> list[str | None]:
        assert self._numbers is not None
        return [self._texts[number] for number in self._numbers.values(device)]


class ListColumn:
    """What ``pylibcudf.Column`` makes of ends and items."""

    def __init__(
        self,
        kind: Any,
        size: int,
        data: None,
        mask: None,
        nulls: int,
        offset: int,
        children: list[TakenSeries],
    ) -> None:
        assert (kind, data, mask, nulls, offset) == (("type", "LIST"), None, None, 0, 0)
        self.ends, self.items = children
        assert self.ends.interface["typestr"] == "<i4"
        assert self.ends.interface["shape"] == (size + 1,)

    def values(self, device: EmulatedDevice) -> list[list[int]]:
        """The lists, on the host."""
        ends, items = self.ends.values(device), self.items.values(device).tolist()
        return [items[first:end] for first, end in itertools.pairwise(ends)]


class _Series:
    def __new__(cls, source: Any) -> Any:
        return TextSeries(source) if isinstance(source, list) else TakenSeries(source)

    @staticmethod
    def from_pylibcudf(column: ListColumn) -> ListColumn:
        return column


def fake_cudf() -> ModuleType:
    """cudf with the names that results need."""
    module = ModuleType("cudf")
    module.Series, module.DataFrame = _Series, DataFrame
    return module


def fake_pylibcudf() -> ModuleType:
    """pylibcudf with the names that lists need."""
    module = ModuleType("pylibcudf")
    module.Column = ListColumn
    module.TypeId = SimpleNamespace(LIST="LIST")
    module.DataType = lambda number: ("type", number)
    return module
