"""The augmented tuples: what they state about seat, passes, completion and parents, checked."""

from array import array

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.runs import parents_of

from .columns import COMPLETED
from .import_report import MOST_EXAMPLES, Finding
from .row import Row
from .trie import Dropped, Trie

I64 = NDArray[np.int64]


class AugmentationCheck:
    """Compares what the augmented tuples state with what the auctions say."""

    def __init__(self) -> None:
        self.rows = array("Q")
        self.completed = array("B")
        self.chain = array("q")
        self.chain_with_own = array("q")
        self.wrong: list[tuple[int, str]] = []
        self.wrong_count = 0

    def add(self, row: int, written: Row) -> None:
        """Take in what a row states."""
        stated = written.augmentation
        if stated is None:
            return
        prior = written.prior
        self.rows.append(row)
        self.completed.append(stated.is_completed)
        # chains are compared by hash: a row costs 16 bytes however long its auction is
        self.chain.append(hash(stated.prior_indices))
        self.chain_with_own.append(hash((*stated.prior_indices, written.source_index)))
        leading = len(prior) - len(prior.lstrip(b"\0"))
        for what, said, found in (
            ("seat", stated.seat, len(prior) % 4),
            ("leading passes", stated.leading_passes, leading),
            ("number of prior indices", len(stated.prior_indices), len(prior)),
        ):
            if said != found:
                self._disagree(row, f"{what} {said} stated, {found} found")

    def _disagree(self, row: int, what: str) -> None:
        self.wrong_count += 1
        if len(self.wrong) < MOST_EXAMPLES:
            self.wrong.append((row, what))

    def check(self, trie: Trie, offsets: I64, finding: Finding) -> None:
        """Compare with the trie, and put what is wrong in the finding."""
        rows = np.frombuffer(self.rows, dtype=np.uint64).astype(np.int64)
        kept = trie.row_dropped[rows] == Dropped.KEPT
        rows = rows[kept]
        entries = trie.row_entry[rows]
        stated = np.frombuffer(self.completed, dtype=np.uint8)[kept]
        found = trie.flags[entries] & COMPLETED
        for row in rows[stated != found].tolist():
            self._disagree(row, "completion stated wrongly")
        chain = np.frombuffer(self.chain, dtype=np.int64)[kept]
        own = np.zeros(len(trie.call) + 1, dtype=np.int64)
        has_row = np.zeros(len(trie.call) + 1, dtype=np.bool_)
        own[entries] = np.frombuffer(self.chain_with_own, dtype=np.int64)[kept]
        has_row[entries] = True
        own[-1], has_row[-1] = hash(()), True
        parent = parents_of(trie.first_child, trie.child_count, len(trie.call))[entries]
        for row in rows[has_row[parent] & (own[parent] != chain)].tolist():
            self._disagree(row, "prior indices are not those of the parent and its parents")
        finding.add_many(self.wrong_count, (f"row {row + 1}: {what}" for row, what in self.wrong))
