"""pylibcudf by the emulator: lists."""

from types import SimpleNamespace

from tests.support.device_frames import ListColumn as Column

__all__ = ["Column", "DataType", "TypeId"]

TypeId = SimpleNamespace(LIST="LIST")


def DataType(number: str) -> tuple[str, str]:
    """Type of a column."""
    return ("type", number)
