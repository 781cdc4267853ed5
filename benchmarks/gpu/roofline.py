"""Floors: the time that some bytes and integer operations take a device at least.

The larger of bytes over the bandwidth and operations over their rate is the floor. Measured time
over the floor says how much is left to gain; the larger of the two says of what.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """Bytes and integer operations, at the least."""

    bytes: float
    operations: float

    def __add__(self, other: "Work") -> "Work":
        return Work(self.bytes + other.bytes, self.operations + other.operations)


@dataclass(frozen=True)
class Ceilings:
    """What a device can do a second."""

    bytes: float
    """Bytes of device memory, read and written."""
    operations: float
    """32-bit integer operations."""
    source: str

    def floor(self, work: Work) -> float:
        """Seconds that some work takes at least."""
        return max(work.bytes / self.bytes, work.operations / self.operations)

    def bound(self, work: Work) -> str:
        """What the floor consists of."""
        by_bytes = work.bytes / self.bytes >= work.operations / self.operations
        return "memory" if by_bytes else "integer operations"


H200 = Ceilings(4.3e12, 1.7e13, "H200: 4.3 TB/s copied, 132 × 64 lanes × 1.98 GHz")
"""For predictions where there is no device to measure on."""
