"""Tables of a packing as the core takes them, for hands that are packed for a bidding table."""

from typing import Any, ClassVar

import numpy as np

from bidcascade.kernels.core.groups import ArrayGroup, Field
from bidcascade.kernels.packing.layout import HOLDINGS, Packing

_CARDS = np.bitwise_count(np.arange(HOLDINGS))


class PackingTables(ArrayGroup):
    """Arrays of a :class:`~bidcascade.kernels.packing.layout.Packing`, each in one row.

    Holdings that no term tells apart, of as many cards, are of one *kind* and share their rows. So
    the rows lie in the processor's first cache: the benchmarks' tables have 118 kinds.

    Parameters
    ----------
    packing : Packing
    """

    fields: ClassVar[dict[str, Field]] = {
        "suit_words": ("u8",),  # [4][kinds][words]
        "length_words": ("u8",),
        "context_words": ("u8",),
        "cards": ("u1",),  # of each kind
        "kinds": ("u2",),  # of each holding
        "programs": ("i4",),
        "program_starts": ("i4",),
        "program_flags": ("i4",),
        "term_suits": ("i4",),
        "term_lengths": ("i4",),
        "term_contexts": ("i4",),
    }

    def __init__(self, packing: Packing) -> None:
        by_holding = packing.suit_words.transpose(1, 0, 2).reshape(HOLDINGS, -1)
        rows = np.column_stack((by_holding, _CARDS.astype(np.uint64)))
        _, first, kinds = np.unique(
            rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).reshape(-1),
            return_index=True,
            return_inverse=True,
        )
        arrays: dict[str, Any] = {
            name: np.ascontiguousarray(getattr(packing, name), kind).reshape(-1)
            for name, (kind, *_) in self.fields.items()
            if name not in ("suit_words", "cards", "kinds")
        }
        super().__init__(
            suit_words=np.ascontiguousarray(packing.suit_words[:, first]).reshape(-1),
            cards=_CARDS[first],
            kinds=kinds.astype(np.uint16),
            **arrays,
        )
        self.words = packing.lane_words, packing.flag_words
        """How many of a hand's words hold lanes, and flags."""
