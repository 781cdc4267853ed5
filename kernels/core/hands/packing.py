"""Tables of a packing as the core takes them, for hands that are packed for a bidding table."""

from typing import Any, ClassVar

import numpy as np

from bidcascade.kernels.core.groups import ArrayGroup, Field
from bidcascade.kernels.packing.layout import HOLDINGS, Packing

_CARDS = np.bitwise_count(np.arange(HOLDINGS))


class PackingTables(ArrayGroup):
    """Arrays of a :class:`~bidcascade.kernels.packing.layout.Packing`, each in one row.

    Parameters
    ----------
    packing : Packing
    """

    fields: ClassVar[dict[str, Field]] = {
        "suit_words": ("u8",),
        "length_words": ("u8",),
        "context_words": ("u8",),
        "cards": ("u1",),  # of each holding
        "programs": ("i4",),
        "program_starts": ("i4",),
        "program_flags": ("i4",),
        "term_suits": ("i4",),
        "term_lengths": ("i4",),
        "term_contexts": ("i4",),
    }

    def __init__(self, packing: Packing) -> None:
        arrays: dict[str, Any] = {
            name: np.ascontiguousarray(getattr(packing, name), kind).reshape(-1)
            for name, (kind, *_) in self.fields.items()
            if name != "cards"
        }
        super().__init__(cards=_CARDS, **arrays)
        self.words = packing.lane_words, packing.flag_words
        """How many of a hand's words hold lanes, and flags."""
