"""What became of rows while a table was built of them: how many, and the first ones."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.table.import_report import MOST_EXAMPLES


class Dropped(IntEnum):
    """Why a row is not in the table."""

    KEPT = 0
    BELOW_COMPLETED = 1
    INSUFFICIENT_BID = 2
    WRONG_DOUBLE = 3
    WRONG_REDOUBLE = 4
    REJECTED = 5
    BELOW_REJECTED = 6


@dataclass(slots=True)
class Found:
    """How many there are, and the first by number: each with its entry or its auction."""

    count: int = 0
    first: list[tuple[int, "int | bytes"]] = field(default_factory=list)

    def add(self, numbers: NDArray[Any], about: "Callable[[int], int | bytes]") -> None:
        """Count some; ``about`` tells the entry or auction of a place in ``numbers``."""
        self.count += len(numbers)
        places = np.arange(len(numbers))
        if len(numbers) > MOST_EXAMPLES:
            places = np.argpartition(numbers, MOST_EXAMPLES)[:MOST_EXAMPLES]
        self._keep([(int(numbers[place]), about(int(place))) for place in places])

    def join(self, other: "Found", moved: Callable[[int], int]) -> None:
        """Take in what was found in a part, whose entries have other numbers."""
        self.count += other.count
        self._keep(
            [
                (number, moved(about) if isinstance(about, int) else about)
                for number, about in other.first
            ]
        )

    def _keep(self, further: "list[tuple[int, int | bytes]]") -> None:
        self.first = sorted(self.first + further)[:MOST_EXAMPLES]


@dataclass(slots=True)
class Findings:
    """What an import tells of rows and entries."""

    dropped: dict[Dropped, Found] = field(
        default_factory=lambda: {reason: Found() for reason in Dropped if reason}
    )
    variants: Found = field(default_factory=Found)
    orphans: Found = field(default_factory=Found)
    early: Found = field(default_factory=Found)
    """Rows that stand before the row of their parent."""
    inserted: Found = field(default_factory=Found)
    """Inserted entries."""

    def join(self, part: "Findings", moved: Callable[[int], int]) -> None:
        """Take in the findings of a part, whose entries have other numbers."""
        for reason, found in part.dropped.items():
            self.dropped[reason].join(found, moved)
        self.variants.join(part.variants, moved)
        self.orphans.join(part.orphans, moved)
        self.early.join(part.early, moved)
        inserted = [(moved(number), moved(number)) for number, _ in part.inserted.first]
        self.inserted.join(Found(part.inserted.count, list(inserted)), lambda entry: entry)
