"""Building a bidding table from rows in any order, with all checks, in bounded memory.

Rows are taken in one at a time or as columns and kept as bytes: the calls of all auctions behind
one another and one number for each text and criteria list. A row costs about 40 bytes until the
table is made; rows beyond a number that is given go to the disk as sorted runs (see ``spilled``).
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Auction, IllegalCall, InvalidTable, format_call, format_calls
from bidcascade.kernels import UNDESCRIBED_POLICIES
from bidcascade.kernels.types import I64, U8, U16, U32

from .bidding_table import BiddingTable
from .building.augmentation import AugmentationCheck
from .building.canonical import renumber
from .building.findings import Dropped, Findings
from .building.interning import CriteriaInterner, TagInterner, TextInterner, UnknownPolicy
from .building.trie import RowArrays, build_in_memory
from .columns import (
    LABEL_COLUMNS,
    NO_RANK,
    NONE_U32,
    Column,
    Columns,
    UndescribedPolicy,
    offsets_of,
)
from .import_report import ImportReport
from .language.expressions import parse_expression
from .language.vocabulary import Vocabulary
from .row import Row, row_of
from .row_columns import Different, RowColumns
from .stored.own_folder import OwnFolder
from .table_plan import criteria_lists

if TYPE_CHECKING:
    from .spilled.sorted_runs import SpilledRows


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

    def dense(self, begin: int, count: int, missing: int, kind: type[np.generic]) -> Column:
        """Column of ``count`` rows from ``begin`` on."""
        column = np.full(count, missing, dtype=kind)
        rows = np.frombuffer(self.rows, dtype=np.uint32)
        column[rows - np.uint32(begin)] = np.frombuffer(self.values, np.uint32)
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
    rows_in_memory : int, optional
        Rows beyond so many go to the disk, so that a table may have more rows than fit the memory.
    folder : Path, optional
        Where they go, and the columns of the table after them, into a folder that is gone when the
        table is; by default the system's place for such files.

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
        rows_in_memory: int | None = None,
        folder: Path | None = None,
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
        self._augmented = AugmentationCheck()
        self._rows_in_memory = rows_in_memory
        self._folder = folder
        self._spilled: SpilledRows | None = None
        self._forget_rows()

    def _forget_rows(self) -> None:
        """Begin with rows in memory anew."""
        self._begin = self.report.rows
        self._auctions = bytearray()
        self._lengths = array("H")
        self._row_criteria = array("i")
        self._row_description = array("I")
        self._labels = {name: _Sparse() for name in LABEL_COLUMNS}

    def __enter__(self) -> "TableBuilder":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Behind an error remove what went to the disk at once, not when the builder is gone."""
        if error is not None and self._spilled is not None:
            self._spilled.discard()

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
            if len(self._lengths) == self._rows_in_memory and not self._augmented.rows:
                self._spill()
                indices, counts, sources = (
                    self._labels[name] for name in ("index", "count", "source")
                )
            number += 1
            row = written if type(written) is Row else row_of(written, f"row {number}")
            (
                prior,
                call,
                description,
                criteria,
                index,
                name,
                rank,
                tags,
                where,
                count,
                source,
                augmentation,
            ) = row
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
                if self._begin:
                    raise InvalidTable(
                        f"row {number}: expected no row of nine items behind "
                        f"{self._begin:,} of five, got one"
                    )
                self._augmented.add(number - 1, row)
            self.report.rows = number

    def add_columns(self, rows: RowColumns) -> None:
        """Take in rows as columns.

        Raises
        ------
        InvalidExpression
            As :meth:`add`.
        """
        count, begin = len(rows.lengths), self.report.rows
        criteria = np.zeros(count, np.int32)
        if "criteria" in rows.lists:
            numbers, lists = rows.lists["criteria"]
            firsts = first_places(numbers, len(lists))
            times = np.bincount(numbers, minlength=len(lists))
            known = np.zeros(len(lists), np.int32)
            # errors and reports name the first row
            for place in np.argsort(firsts).tolist():
                known[place] = self._criteria.number(
                    lists[place], begin + int(firsts[place]) + 1, int(times[place])
                )
            criteria = known[numbers]
        values = {name: self._texts_of(column) for name, column in rows.texts.items()}
        if "tags" in rows.lists:
            numbers, lists = rows.lists["tags"]
            of_tags = [self._tags.number(tags, begin + 1) for tags in lists]
            values["tags"] = np.array(of_tags, np.uint32)[numbers]
        self.add_numbers(rows.auctions, rows.lengths, {"criteria": criteria, **values})
        for name, (places, numbers) in rows.numbers.items():
            self._labels[name].add_many(places + np.uint32(begin), numbers)

    def add_numbers(self, auctions: U8, lengths: U16, values: Mapping[str, Column]) -> None:
        """Take in rows that say what this builder has numbers for.

        Parameters
        ----------
        auctions : uint8
            Calls of all rows behind one another, each row's prior auction and its call.
        lengths : uint16 [rows]
        values : mapping of str to array [rows]
            By the names of :data:`.trie.VALUES`, numbers by :meth:`numbers_of` or
            :meth:`numbers_in`; what is missing says nothing.
        """
        count, begin = len(lengths), self.report.rows
        held, most = len(self._lengths), self._rows_in_memory
        if most and held and held + count > most and not self._augmented.rows:
            self._spill()
        nothing = np.zeros(count, np.uint32)
        criteria = values.get("criteria", nothing).astype(np.int32, copy=False)
        self._row_criteria.frombytes(criteria.tobytes())
        self._row_description.frombytes(values.get("description", nothing).tobytes())
        self._auctions += auctions.tobytes()
        self._lengths.frombytes(lengths.tobytes())
        for name in LABEL_COLUMNS.keys() & values.keys():
            there = np.flatnonzero(values[name] != LABEL_COLUMNS[name][1])
            given = values[name][there].astype(np.uint32, copy=False)
            self._labels[name].add_many((there + begin).astype(np.uint32), given)
        self.report.rows += count

    def _texts_of(self, column: Different) -> U32:
        known = [self._texts.number(text, self.report.rows + 1) for text in column.values]
        return np.array(known, np.uint32)[column.numbers]

    def said_of(self, row: Row) -> Said:
        """Give numbers for what a row says, whatever stands before its call.

        Raises
        ------
        InvalidTable, InvalidExpression
            As :meth:`add`.
        """
        said = self.numbers_of(row)
        return Said(
            row.call,
            said["criteria"],
            said["description"],
            said["name"],
            row.rank or 0,
            said["tags"],
            said["where"],
        )

    def numbers_of(self, row: Row) -> dict[str, int]:
        """Give numbers for what a row says, by the names of :data:`.trie.VALUES`.

        Raises
        ------
        InvalidTable, InvalidExpression
            As :meth:`add`.
        """
        number = self.report.rows + 1
        text = self._texts.number
        return {
            "criteria": self._criteria.number(row.criteria, number),
            "description": text(row.description, number),
            "index": NONE_U32 if row.source_index is None else row.source_index,
            "rank": int(NO_RANK) if row.rank is None else row.rank,
            "name": text(row.name, number),
            "tags": self._tags.number(row.tags, number),
            "where": text(row.where, number),
            "count": NONE_U32 if row.count is None else row.count,
            "source": text(row.source, number),
        }

    def numbers_in(self, table: BiddingTable) -> dict[str, Column]:
        """Give numbers for all that a table's columns point at, in the order of the table.

        Returns
        -------
        dict of str to array
            By the names of :data:`.trie.VALUES`.
        """
        number = self.report.rows + 1
        texts = np.array([self._texts.number(text, number) for text in table.texts], np.uint32)
        tags = map(table.tags, range(len(table.columns["tag_offsets"]) - 1))
        expressions = list(table.expressions)
        lists = (
            tuple(expressions[one] for one in numbers) for numbers in criteria_lists(table.columns)
        )
        return {
            "criteria": np.array([self._criteria.number(one, number) for one in lists], np.int32),
            "tags": np.array([self._tags.number(one, number) for one in tags], np.uint32),
            **dict.fromkeys(("description", "name", "where", "source"), texts),
        }

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
        if self._begin:
            return self._finish_spilled()
        rows = self._rows()
        # rows take as much as the table: their bytes are not held twice
        self._forget_rows()
        (columns, findings), row_entry = build_in_memory(rows)
        del rows
        table = self._table(columns)
        self._augmented.check(table, row_entry, self.report.findings["disagreements"])
        self._report(table, findings)
        return table, self.report

    def _rows(self) -> RowArrays:
        """Rows in memory as arrays."""
        count = len(self._lengths)
        values = {
            "criteria": np.frombuffer(self._row_criteria, np.int32),
            "description": np.frombuffer(self._row_description, np.uint32),
        } | {
            name: self._labels[name].dense(self._begin, count, missing, kind)
            for name, (kind, missing) in LABEL_COLUMNS.items()
            if len(self._labels[name].rows)
        }
        return RowArrays(
            np.frombuffer(self._auctions, np.uint8),
            offsets_of(np.frombuffer(self._lengths, np.uint16), np.int64),
            np.arange(self._begin, self._begin + count, dtype=np.uint32),
            values,
        )

    def _spill(self) -> None:
        """Write the rows in memory to the disk."""
        from .spilled.sorted_runs import SpilledRows

        if self._spilled is None:
            self._spilled = SpilledRows(self._folder)
        self._spilled.write(self._rows())
        self._forget_rows()

    def _finish_spilled(self) -> tuple[BiddingTable, ImportReport]:
        from .spilled.building import build_spilled

        self._spill()
        assert self._spilled is not None
        with self._spilled.runs() as runs:
            columns, findings = build_spilled(runs, self._spilled.folder)
        table = self._table(columns, self._spilled.own)
        self._report(table, findings)
        return table, self.report

    def _table(self, columns: Columns, made_in: OwnFolder | None = None) -> BiddingTable:
        renumber(columns, self._criteria, self._texts, self._tags)
        return BiddingTable(
            columns,
            profile=self.vocabulary.profile,
            undescribed=self.undescribed,
            user_terms={
                name: str(parse_expression(formula))
                for name, formula in self.vocabulary.user_terms.items()
            },
            source=self.source,
            made_in=made_in,
        )

    def _report(self, table: BiddingTable, findings: Findings) -> None:
        report = self.report
        for reason, kind in _KIND_OF_DROPPED.items():
            dropped = findings.dropped[reason]
            report.findings[kind].add_many(
                dropped.count,
                (f"row {row + 1}: {_why_dropped(calls, reason)}" for row, calls in dropped.first),
            )
        unknown = self._criteria
        report.unknown_terms = dict(unknown.unknown_terms.most_common())
        with_unknown = report.findings["unknown_terms"]
        for name, row in unknown.first_rows.items():
            with_unknown.add(f"row {row}: {name!r}", 0)
        with_unknown.count = unknown.rows_with_unknown
        report.findings["expressions_dropped"].count = unknown.expressions_dropped
        report.entries = len(table)
        report.criteria_lists = len(table.columns["criteria_offsets"]) - 2
        report.expressions = len(table.expressions)
        report.findings["missing_parents"].add_many(
            findings.inserted.count,
            (format_calls(table.auction_of(entry)) for entry, _ in findings.inserted.first),
        )
        for kind, found in (
            ("variants", findings.variants),
            ("orphans", findings.orphans),
            ("out_of_order", findings.early),
        ):
            report.findings[kind].add_many(
                found.count,
                (
                    f"row {row + 1}: {format_calls(table.auction_of(entry))}"
                    for row, entry in found.first
                    if isinstance(entry, int)
                ),
            )
        table.imported.update(report.counts())


def first_places(numbers: U32, count: int) -> I64:
    """Where each number stands first; each of ``count`` stands somewhere.

    Examples
    --------
    >>> first_places(np.array([1, 0, 1], np.uint32), 2).tolist()
    [1, 0]
    """
    first = np.empty(count, np.int64)
    # of several values written to one place the last one stays, hence backwards
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return first


def rebuilt(table: BiddingTable, rows: Iterable[object], source: str) -> BiddingTable:
    """Make a table of other rows; it keeps profile, policy, terms and what goes with the table."""
    made, _ = build_table(
        rows,
        profile=table.profile,
        undescribed=table.undescribed,
        user_terms=table.user_terms,
        source=source,
    )
    for name in table.extras:
        frame = table.extra(name)
        assert frame is not None
        made = made.with_extra(name, frame)
    return made


def _why_dropped(calls: Any, reason: Dropped) -> str:
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
    with TableBuilder(**options) as builder:
        builder.add(rows)
        return builder.finish()
