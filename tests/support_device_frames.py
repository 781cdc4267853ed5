"""A cudf whose columns lie in the emulator's memory: as much of it as the project uses."""

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
        self.interface = source.__cuda_array_interface__

    def values(self, device: EmulatedDevice) -> Any:
        """Contents, on the host."""
        owner = getattr(self.source, "owner", None) or getattr(self.source, "_array", self.source)
        kind = np.dtype(self.interface["typestr"])
        assert self.interface["data"][0] == owner.address
        return device.download(owner).view(kind)


def fake_cudf() -> ModuleType:
    """cudf with the two names that results need."""
    module = ModuleType("cudf")
    module.Series, module.DataFrame = TakenSeries, DataFrame
    return module
