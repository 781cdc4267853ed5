"""Counts of deals an entry, kept for a set of deals, so that a changed table is counted in part."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from bidcascade.bridge import CALL_TEXTS, InvalidInput
from bidcascade.kernels import Backend, DealArrays, Plan
from bidcascade.kernels.number_ranges import parents_of
from bidcascade.kernels.types import U32, U64
from bidcascade.loaders.parquet.parquet_decoder import decode_parquet
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import NONE_U32

from .changes import EntryCriteria, unchanged_entries
from .sub_plan import pruned, sub_plan

_FORMAT: Final = "bidcascade counts"
_VERSION: Final = 1
_KEY: Final = "bidcascade"
_SCHEMA: Final = {
    "entry": pl.UInt32(),
    "parent": pl.UInt32(),
    "call": pl.Enum(CALL_TEXTS),
    "count": pl.UInt64(),
    "criteria": pl.String(),
}


class OtherDeals(InvalidInput):
    """Deals that are not those that were counted before."""


class DealsDigest:
    """SHA-256 of deals, the same however they are divided into parts."""

    def __init__(self) -> None:
        self.deals = 0
        self._parts = [hashlib.sha256() for _ in range(6)]

    def add(self, deals: DealArrays) -> None:
        """Take in the next deals."""
        self.deals += len(deals)
        columns = (*deals.hands, deals.dealer, deals.vulnerability)
        for part, column in zip(self._parts, columns, strict=True):
            kind = np.dtype(column.dtype).newbyteorder("<")
            part.update(np.ascontiguousarray(column, dtype=kind).data)

    def hexdigest(self) -> str:
        """Give the digest of the deals so far."""
        whole = hashlib.sha256(str(self.deals).encode())
        for part in self._parts:
            whole.update(part.digest())
        return whole.hexdigest()


@dataclass(frozen=True, slots=True)
class Recount:
    """How many deals of a set reach each entry of a table, with what is needed to carry it over.

    Parameters
    ----------
    meanings : EntryCriteria
        What the entries ask for.
    counts : uint64 [entries]
    deals : int
        How many deals there were.
    deals_digest : str
        Which they were.
    table_digest : str
    counted_entries : int
        Entries that were counted for this; the others' counts were carried over.

    Examples
    --------
    >>> from bidcascade.kernels import get_backend
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table.build import build_table
    >>> rows = [{"prior": "", "call": "1C", "criteria": ["HCP >= 12"]},
    ...         {"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}]
    >>> zero = np.zeros(100, np.uint8)
    >>> deals = [DealArrays(deal_hands(1, 0, 100), zero, zero)]
    >>> cpu = get_backend("cpu")
    >>> before = Recount.full(build_table(rows)[0], deals, cpu)
    >>> rows[0]["criteria"] = ["HCP >= 13"]
    >>> after = before.carried_over(build_table(rows)[0], deals, cpu)
    >>> after.counted_entries, bool(after.counts[1] == before.counts[1])
    (1, True)
    """

    meanings: EntryCriteria
    counts: U64
    deals: int
    deals_digest: str
    table_digest: str
    counted_entries: int

    @staticmethod
    def full(table: BiddingTable, parts: Iterable[DealArrays], backend: Backend) -> "Recount":
        """Count all entries of a table.

        Parameters
        ----------
        table : BiddingTable
        parts : iterable of DealArrays
            The deals, read once.
        backend : Backend
        """
        digest = DealsDigest()
        counts = _sum(table.plan(), _digested(parts, digest), backend)
        return Recount(
            EntryCriteria.of(table),
            counts,
            digest.deals,
            digest.hexdigest(),
            table.digest,
            len(table),
        )

    def carried_over(
        self, table: BiddingTable, parts: Iterable[DealArrays], backend: Backend
    ) -> "Recount":
        """Count a changed table: only what changed, with the entries above it.

        What comes out is equal to :meth:`full` to the last deal.

        Parameters
        ----------
        table : BiddingTable
        parts : iterable of DealArrays
            The same deals, read once.
        backend : Backend

        Raises
        ------
        OtherDeals
            If they are other deals.
        """
        meanings = EntryCriteria.of(table)
        origin = unchanged_entries(self.meanings, meanings)
        stays = origin != NONE_U32
        changed: U32 = np.flatnonzero(~stays).astype(np.uint32)
        counts = np.zeros(len(table), dtype=np.uint64)
        counts[stays] = self.counts[origin[stays]]
        digest = DealsDigest()
        if len(changed):
            part, numbers = sub_plan(table.plan(), changed)
            counted = _sum(pruned(part), _digested(parts, digest), backend)
            is_changed = ~stays[numbers]
            counts[numbers[is_changed]] = counted[is_changed]
        else:
            for _ in _digested(parts, digest):
                pass
        if digest.hexdigest() != self.deals_digest:
            raise OtherDeals(
                f"expected the {self.deals:,} deals that were counted before, got {digest.deals:,} "
                "other ones"
            )
        return Recount(meanings, counts, self.deals, self.deals_digest, table.digest, len(changed))

    def frame(self) -> pl.DataFrame:
        """Give the counts as a frame: ``entry``, ``parent``, ``call``, ``count``, ``criteria``."""
        meanings = self.meanings
        size = len(self.counts)
        parent = pl.Series(
            "parent", parents_of(meanings.first_child, meanings.child_count, NONE_U32)
        )
        texts = pl.Series(meanings.texts, dtype=pl.String)
        calls = pl.Series(CALL_TEXTS, dtype=_SCHEMA["call"])
        return pl.DataFrame(
            [
                pl.Series("entry", np.arange(size, dtype=np.uint32)),
                parent.set(parent == NONE_U32, None),
                calls.gather(pl.Series(meanings.call)).alias("call"),
                pl.Series("count", self.counts),
                texts.gather(pl.Series(meanings.meaning)).alias("criteria"),
            ]
        )

    def write(self, path: Path) -> None:
        """Write the counts to a Parquet file, from which :meth:`read` makes them again."""
        told = {
            "format": _FORMAT, "version": _VERSION, "rules": self.meanings.rules,
            "deals": self.deals, "deals_digest": self.deals_digest,
            "table_digest": self.table_digest, "counted_entries": self.counted_entries,
        }  # fmt: skip
        self.frame().write_parquet(path, metadata={_KEY: json.dumps(told)})

    @staticmethod
    def read(path: Path) -> "Recount":
        """Read what :meth:`write` wrote.

        Raises
        ------
        InvalidInput
            If the file is no such file.
        """
        try:
            frame, _, metadata = decode_parquet(path, path.name)
        except InvalidInput as error:
            raise InvalidInput(f"expected a file of counts, got {str(path)!r}: {error}") from None
        try:
            told = json.loads(metadata.get(_KEY, "null"))
        except ValueError:
            told = None
        keys = ("rules", "deals", "deals_digest", "table_digest", "counted_entries")
        if not (
            isinstance(told, dict)
            and (told.get("format"), told.get("version")) == (_FORMAT, _VERSION)
            and all(key in told for key in keys)
            and dict(frame.schema) == _SCHEMA
        ):
            raise InvalidInput(f"expected a file of counts, got {str(path)!r}, which is none")
        return Recount._of_frame(frame, told, str(path))

    @staticmethod
    def _of_frame(frame: pl.DataFrame, told: dict[str, Any], source: str) -> "Recount":
        size = frame.height
        parents = frame["parent"].fill_null(NONE_U32).to_numpy()
        root_count = int(frame["parent"].null_count())
        inner = parents[root_count:].astype(np.int64)
        # blocks of siblings stand together and behind their parents, the openings in front
        if (
            (parents[:root_count] != NONE_U32).any()
            or (inner >= np.arange(root_count, size)).any()
            or np.count_nonzero(np.diff(inner)) + bool(len(inner)) != len(np.unique(inner))
            or frame["call"].null_count()
            or frame["count"].null_count()
            or frame["criteria"].null_count()
        ):
            raise InvalidInput(f"expected counts in the order of a table in {source!r}")
        child_count = np.bincount(inner, minlength=size)
        first_child = np.zeros(size, dtype=np.uint32)
        first_child[inner[::-1]] = np.arange(root_count, size, dtype=np.uint32)[::-1]
        texts = frame["criteria"].unique().sort().to_list()
        meaning = frame["criteria"].cast(pl.Enum(texts)).to_physical().to_numpy().astype(np.int64)
        meanings = EntryCriteria(
            str(told["rules"]),
            frame["call"].to_physical().to_numpy().astype(np.uint8),
            child_count.astype(np.uint16),
            first_child,
            root_count,
            meaning,
            texts,
        )
        return Recount(
            meanings,
            frame["count"].to_numpy(),
            int(told["deals"]),
            str(told["deals_digest"]),
            str(told["table_digest"]),
            int(told["counted_entries"]),
        )


def _digested(parts: Iterable[DealArrays], digest: DealsDigest) -> Iterator[DealArrays]:
    for deals in parts:
        digest.add(deals)
        yield deals


def _sum(plan: Plan, parts: Iterable[DealArrays], backend: Backend) -> U64:
    counts = np.zeros(plan.node_count, dtype=np.uint64)
    for deals in parts:
        counts += backend.cascade_counts(plan, deals)
    return counts
