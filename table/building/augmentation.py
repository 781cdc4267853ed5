"""The augmented tuples: what they state about seat, passes, completion and parents, checked."""

from array import array

import numpy as np

from bidcascade.kernels.types import I64
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import COMPLETED, NONE_U32
from bidcascade.table.import_report import MOST_EXAMPLES, FindingCount
from bidcascade.table.row import Row


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

    def check(self, table: BiddingTable, row_entry: I64, finding: FindingCount) -> None:
        """Compare with a table and the entries of its rows (-1: none); tell what is wrong."""
        if not self.rows:
            return
        rows = np.frombuffer(self.rows, dtype=np.uint64).astype(np.int64)
        kept = row_entry[rows] >= 0
        rows = rows[kept]
        entries = row_entry[rows]
        stated = np.frombuffer(self.completed, dtype=np.uint8)[kept]
        found = table.flags[entries] & COMPLETED
        for row in rows[stated != found].tolist():
            self._disagree(row, "completion stated wrongly")
        chain = np.frombuffer(self.chain, dtype=np.int64)[kept]
        # one more place, for the opening
        own = np.zeros(len(table) + 1, dtype=np.int64)
        has_row = np.zeros(len(table) + 1, dtype=np.bool_)
        own[entries] = np.frombuffer(self.chain_with_own, dtype=np.int64)[kept]
        has_row[entries] = True
        own[-1], has_row[-1] = hash(()), True
        parent = table.parents[entries].astype(np.int64)
        parent[parent == NONE_U32] = -1
        for row in rows[has_row[parent] & (own[parent] != chain)].tolist():
            self._disagree(row, "prior indices are not those of the parent and its parents")
        finding.add_many(self.wrong_count, (f"row {row + 1}: {what}" for row, what in self.wrong))
