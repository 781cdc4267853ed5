"""Building a bidding table from rows in any order, with all checks, in bounded memory.

Rows are taken in one at a time and kept as bytes: the calls of all auctions behind one another
and one number for each text and criteria list. A row costs about 40 bytes until the table is made.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Auction, IllegalCall, InvalidTable, format_call, format_calls
from bidcascade.kernels import UNDESCRIBED_POLICIES
from bidcascade.kernels.runs import blocks, parents_of

from .augmentation import AugmentationCheck
from .bidding_table import BiddingTable
from .canonical import renumber
from .columns import (
    INSERTED,
    LABEL_COLUMNS,
    NO_RANK,
    REQUIRED_COLUMNS,
    Column,
    Columns,
    UndescribedPolicy,
    offsets_of,
)
from .import_report import MOST_EXAMPLES, ImportReport
from .interning import REJECTED, CriteriaInterner, TagInterner, TextInterner, UnknownPolicy
from .language.expressions import parse_expression
from .language.vocabulary import Vocabulary
from .row import Row, row_of
from .trie import Dropped, Trie, build_trie

I64 = NDArray[np.int64]

_KIND_OF_DROPPED: Final = {
    Dropped.BELOW_COMPLETED: "below_completed",
    Dropped.INSUFFICIENT_BID: "illegal_calls",
    Dropped.WRONG_DOUBLE: "illegal_calls",
    Dropped.WRONG_REDOUBLE: "illegal_calls",
    Dropped.REJECTED: "rejected",
    Dropped.BELOW_REJECTED: "below_rejected",
}


class _Sparse:
    """A column of which few rows have a value."""

    def __init__(self) -> None:
        self.rows = array("I")
        self.values = array("I")

    def add(self, row: int, value: int) -> None:
        self.rows.append(row)
        self.values.append(value)

    def add_many(self, rows: NDArray[np.uint32], values: NDArray[np.uint32]) -> None:
        self.rows.frombytes(rows.tobytes())
        self.values.frombytes(values.tobytes())

    def dense(self, count: int, missing: int, kind: type[np.generic]) -> Column:
        column = np.full(count, missing, dtype=kind)
        column[np.frombuffer(self.rows, dtype=np.uint32)] = np.frombuffer(self.values, np.uint32)
        return column


class Said(NamedTuple):
    """Numbers that a builder has for what a row says."""

    call: int
    criteria: int
    description: int
    name: int
    rank: int
    tags: int
    where: int


class TableBuilder:
    """Takes rows in any order and makes a bidding table of them.

    Parameters
    ----------
    profile : {"gib", "mlbridge"}
        Definitions of the terms.
    undescribed : {"allow", "pass", "reject"}
        What holds where an entry has no criteria: always, only for passes, never.
    user_terms : mapping of str to str
        Terms of one's own and their formulas.
    unknown : {"error", "drop", "reject-entry"}
        What an unknown term does, see :class:`CriteriaInterner`.
    source : str
        Where the rows are from, for people.

    Examples
    --------
    >>> builder = TableBuilder()
    >>> builder.add([(0, (), ("1N",), "15-17", ["HCP >= 15", "HCP <= 17"])])
    >>> table, report = builder.finish()
    >>> len(table), report.findings["illegal_calls"].count
    (1, 0)
    """

    def __init__(
        self,
        *,
        profile: str = "gib",
        undescribed: UndescribedPolicy = "pass",
        user_terms: Mapping[str, str] | None = None,
        unknown: UnknownPolicy = "error",
        source: str = "",
    ) -> None:
        if undescribed not in UNDESCRIBED_POLICIES:
            raise InvalidTable(
                f"expected undescribed to be one of {', '.join(UNDESCRIBED_POLICIES)}, "
                f"got {undescribed!r}"
            )
        self.vocabulary = Vocabulary(profile, user_terms)
        self.undescribed: UndescribedPolicy = undescribed
        self.source = source
        self.report = ImportReport()
        self._criteria = CriteriaInterner(self.vocabulary, unknown)
        self._texts = TextInterner()
        self._tags = TagInterner(self._texts)
        self._auctions = bytearray()
        self._lengths = array("H")
        self._row_criteria = array("i")
        self._row_description = array("I")
        self._labels = {name: _Sparse() for name in LABEL_COLUMNS}
        self._augmented = AugmentationCheck()

    def add(self, rows: Iterable[object]) -> None:
        """Take in rows: :class:`Row`, published tuples, or objects with the keys of a row.

        Raises
        ------
        InvalidTable
            If something is no row; the message says which and why.
        InvalidExpression
            If an expression does not parse.
        """
        number = self.report.rows
        text_numbers = self._texts.numbers
        indices, counts, sources = (self._labels[name] for name in ("index", "count", "source"))
        for written in rows:
            number += 1
            row = written if type(written) is Row else row_of(written, f"row {number}")
            (
                prior, call, description, criteria, index, name, rank, tags, where, count, source,
                augmentation,
            ) = row  # fmt: skip
            self._row_criteria.append(self._criteria.number(criteria, number))
            text = text_numbers.get(description)
            if text is None:
                text = self._texts.number(description, number)
            self._row_description.append(text)
            self._auctions += prior
            self._auctions.append(call)
            self._lengths.append(len(prior) + 1)
            if index is not None:
                indices.add(number - 1, index)
            if name or rank is not None or tags or where:
                self._add_labels(number, name, rank, tags, where)
            if count is not None:
                counts.add(number - 1, count)
            if source:
                sources.add(number - 1, self._texts.number(source, number))
            if augmentation is not None:
                self._augmented.add(number - 1, row)
            self.report.rows = number

    def said_of(self, row: Row) -> Said:
        """Give numbers for what a row says, whatever stands before its call.

        Raises
        ------
        InvalidTable, InvalidExpression
            As :meth:`add`.
        """
        number = self.report.rows + 1
        text, tags = self._texts.number, self._tags.number
        return Said(
            row.call, self._criteria.number(row.criteria, number), text(row.description, number),
            text(row.name, number), row.rank or 0, tags(row.tags, number), text(row.where, number),
        )  # fmt: skip

    def add_behind(self, priors: NDArray[np.uint8], said: Sequence[Said]) -> None:
        r"""Take in ranked rows that say the same behind each of some auctions of one length.

        Parameters
        ----------
        priors : uint8 [n, depth]
            The auctions.
        said
            By :meth:`said_of` of this builder.

        Examples
        --------
        >>> builder = TableBuilder()
        >>> clubs = builder.said_of(Row(b"", 8, name="Clubs", rank=0))
        >>> builder.add_behind(np.array([[7, 0], [7, 1]], np.uint8), [clubs])
        >>> [bytes(row.prior) for row in builder.finish()[0].rows() if row.name]
        [b'\x07\x00', b'\x07\x01']
        """
        begin, count, depth = self.report.rows, len(priors), priors.shape[1]
        size = len(said)
        auctions = np.empty((count, size, depth + 1), np.uint8)
        auctions[:, :, :-1] = priors[:, np.newaxis]
        auctions[:, :, -1] = [one.call for one in said]
        self._auctions += auctions.tobytes()
        self._lengths.extend([depth + 1] * (count * size))
        self._row_criteria.extend([one.criteria for one in said] * count)
        self._row_description.extend([one.description for one in said] * count)
        firsts = begin + size * np.arange(count, dtype=np.uint32)[:, np.newaxis]
        for label in ("name", "rank", "tags", "where"):
            values = np.array([getattr(one, label) for one in said], np.uint32)
            there = np.arange(size) if label == "rank" else np.flatnonzero(values)
            rows = (firsts + there.astype(np.uint32)).ravel()
            self._labels[label].add_many(rows, np.tile(values[there], count))
        self.report.rows += count * size

    def _add_labels(
        self, number: int, name: str, rank: int | None, tags: tuple[str, ...], where: str
    ) -> None:
        if name:
            self._labels["name"].add(number - 1, self._texts.number(name, number))
        if rank is not None:
            self._labels["rank"].add(number - 1, rank)
        if tags:
            self._labels["tags"].add(number - 1, self._tags.number(tags, number))
        if where:
            self._labels["where"].add(number - 1, self._texts.number(where, number))

    def finish(self) -> tuple[BiddingTable, ImportReport]:
        """Make the table; the builder is of no use afterwards.

        Raises
        ------
        UnknownTerm
            If ``unknown`` is ``"error"`` and expressions use unknown terms; all are named.
        """
        self._criteria.finish()
        row_count = self.report.rows
        offsets = offsets_of(np.frombuffer(self._lengths, dtype=np.uint16), np.int64)
        auctions = np.frombuffer(self._auctions, dtype=np.uint8)
        row_criteria = np.frombuffer(self._row_criteria, dtype=np.int32)
        priority: I64 = np.arange(row_count, dtype=np.int64)
        if len(self._labels["rank"].rows):
            ranks = self._labels["rank"].dense(row_count, NO_RANK, np.int32)
            priority[np.lexsort((priority, ranks))] = np.arange(row_count)
        trie = build_trie(auctions, offsets, priority, row_criteria == REJECTED)
        self._report_rows(trie, auctions, offsets)

        kept = np.flatnonzero(trie.row_dropped == Dropped.KEPT)
        kept = kept[np.argsort(priority[kept], kind="stable")]
        kept = kept[np.argsort(trie.row_entry[kept], kind="stable")]
        is_first = np.diff(trie.row_entry[kept].astype(np.int64), prepend=-1) != 0
        columns = self._columns(trie, kept[is_first], kept[~is_first], row_criteria)
        renumber(columns, self._criteria, self._texts, self._tags)

        table = BiddingTable(
            columns,
            profile=self.vocabulary.profile,
            undescribed=self.undescribed,
            user_terms={
                name: str(parse_expression(formula))
                for name, formula in self.vocabulary.user_terms.items()
            },
            source=self.source,
        )
        self._report_entries(table, trie, kept[~is_first])
        self._augmented.check(trie, offsets, self.report.findings["disagreements"])
        table.imported.update(self.report.counts())
        return table, self.report

    def _columns(self, trie: Trie, first: I64, further: I64, row_criteria: Column) -> Columns:
        """All columns but the interned ones, with numbers as they came up while reading."""
        count, row_count = len(trie.call), self.report.rows
        entries = trie.row_entry[first]
        descriptions = np.frombuffer(self._row_description, dtype=np.uint32)
        columns: Columns = {
            "call": trie.call,
            "flags": trie.flags,
            "child_count": trie.child_count,
            "first_child": trie.first_child,
            "description": np.zeros(count, dtype=np.uint32),
            "variant_entry": trie.row_entry[further],
            "variant_criteria": row_criteria[further].astype(np.uint32),
            "variant_description": descriptions[further],
        }
        columns["description"][entries] = descriptions[first]
        for name, (kind, missing) in LABEL_COLUMNS.items():
            by_row = self._labels[name].dense(row_count, missing, kind)
            variant = f"variant_{name}"
            if variant in REQUIRED_COLUMNS or (by_row[further] != missing).any():
                columns[variant] = by_row[further]
            if (by_row[first] != missing).any():
                columns[name] = np.full(count, missing, dtype=kind)
                columns[name][entries] = by_row[first]
        # for now each entry's first criteria list; variant sets are made in renumber
        columns["variant_set"] = np.zeros(count, dtype=np.uint32)
        columns["variant_set"][entries] = row_criteria[first]
        return columns

    def _report_rows(self, trie: Trie, auctions: Column, offsets: I64) -> None:
        report = self.report
        for reason, kind in _KIND_OF_DROPPED.items():
            rows = np.flatnonzero(trie.row_dropped == reason)
            examples = [
                (row, bytes(auctions[offsets[row] : offsets[row + 1]]))
                for row in rows[:MOST_EXAMPLES].tolist()
            ]
            report.findings[kind].add_many(
                len(rows),
                (f"row {row + 1}: {_why_dropped(calls, reason)}" for row, calls in examples),
            )
        unknown = self._criteria
        report.unknown_terms = dict(unknown.unknown_terms.most_common())
        with_unknown = report.findings["unknown_terms"]
        for name, row in unknown.first_rows.items():
            with_unknown.add(f"row {row}: {name!r}", 0)
        with_unknown.count = unknown.rows_with_unknown
        report.findings["expressions_dropped"].count = unknown.expressions_dropped

    def _report_entries(self, table: BiddingTable, trie: Trie, further: I64) -> None:
        report = self.report
        report.entries = len(table)
        report.criteria_lists = len(table.columns["criteria_offsets"]) - 2
        report.expressions = len(table.expressions)
        inserted = np.flatnonzero(trie.flags & INSERTED)
        report.findings["missing_parents"].add_many(
            len(inserted),
            (format_calls(table.auction_of(entry)) for entry in inserted[:MOST_EXAMPLES].tolist()),
        )
        orphans, early = self._rows_by_parent(trie)
        for kind, rows in (
            ("variants", np.sort(further)),
            ("orphans", orphans),
            ("out_of_order", early),
        ):
            report.findings[kind].add_many(
                len(rows),
                (
                    f"row {row + 1}: {format_calls(table.auction_of(int(trie.row_entry[row])))}"
                    for row in rows[:MOST_EXAMPLES].tolist()
                ),
            )

    def _rows_by_parent(self, trie: Trie) -> tuple[I64, I64]:
        """Rows whose parent was inserted, and rows that stand before the row of their parent."""
        kept = np.flatnonzero(trie.row_dropped == Dropped.KEPT)
        # opening calls have no parent: they point at one more place, before the first row
        first_row = np.full(len(trie.call) + 1, self.report.rows, dtype=np.int64)
        first_row[trie.row_entry[kept[::-1]]] = kept[::-1]
        first_row[-1] = -1
        parent = parents_of(trie.first_child, trie.child_count, len(trie.call))
        orphans, early = [], []
        for block in blocks(len(kept)):
            rows = kept[block]
            parent_row = first_row[parent[trie.row_entry[rows]]]
            is_orphan = parent_row == self.report.rows
            orphans.append(rows[is_orphan])
            early.append(rows[~is_orphan & (parent_row > rows)])
        return np.concatenate([kept[:0], *orphans]), np.concatenate([kept[:0], *early])


def rebuilt(table: BiddingTable, rows: Iterable[object], source: str) -> BiddingTable:
    """Make a table of other rows; it keeps profile, policy, terms and what goes with the table."""
    made, _ = build_table(
        rows, profile=table.profile, undescribed=table.undescribed, user_terms=table.user_terms,
        source=source,
    )  # fmt: skip
    for name in table.extras:
        frame = table.extra(name)
        assert frame is not None
        made = made.with_extra(name, frame)
    return made


def _why_dropped(calls: bytes, reason: Dropped) -> str:
    written = format_calls(tuple(calls))
    if reason is Dropped.REJECTED:
        return f"{written}: unknown term"
    if reason is Dropped.BELOW_REJECTED:
        return f"{written}: below a dropped row"
    auction = Auction()
    for call in calls:
        try:
            auction = auction.add(call)
        except IllegalCall as error:
            return f"{written}: {error}"
    return f"{written}: {format_call(calls[-1])} is illegal"


def build_table(rows: Iterable[object], **options: Any) -> tuple[BiddingTable, ImportReport]:
    """Make a bidding table of rows in any order; ``options`` are those of :class:`TableBuilder`.

    Parameters
    ----------
    rows : iterable
        :class:`Row`, published tuples or objects with the keys of a row.

    Returns
    -------
    tuple of BiddingTable and ImportReport
        The table, and what was found while building it.

    Raises
    ------
    InvalidTable, InvalidExpression, UnknownTerm
        If something is no row, an expression does not parse, or a term is unknown.

    Examples
    --------
    >>> table, report = build_table(
    ...     [{"prior": [], "call": "1N", "name": "Strong", "criteria": ["15 <= HCP <= 17"]},
    ...      {"prior": ["1N", "P"], "call": "1C"}],
    ... )
    >>> report.findings["illegal_calls"].examples
    ["row 2: 1N P 1C: call 3, '1C', is illegal after 1N P: insufficient: not above 1N"]
    """
    builder = TableBuilder(**options)
    builder.add(rows)
    return builder.finish()
