"""From a draft to the columns of a table: what did not change is taken over in long ranges.

Where no entry comes or goes and none changes its place, every column that no rule speaks of is the
very one of the table below. A column that is mapped from a file is then mapped anew, copy on write:
only the pages of changed entries take memory. Else the columns that have one value an entry are
copied, 16 bytes an entry and 4 for each label that the table has; texts and criteria are copied in
both cases if rules bring new ones, and they are few beside the entries.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Auction, InvalidTable
from bidcascade.kernels.types import I64, U32
from bidcascade.table.columns import (
    CAN_COMPLETE,
    COLUMN_TYPES,
    COMPLETED,
    ENTRY_COLUMNS,
    INSERTED,
    LABEL_COLUMNS,
    NO_RANK,
    NONE_U32,
    OPTIONAL_VARIANT_COLUMNS,
    VARIANT_COLUMNS,
    Column,
    Columns,
    TextPool,
    list_at,
    list_of_lists,
)
from bidcascade.table.row import Row

from .draft import Draft
from .place_pattern import ROOT

_MOST_ENTRIES: Final = NONE_U32 - 1


class Renumbering(NamedTuple):
    """Where the entries of a table went: ranges of old numbers, ascending, and their new place."""

    begin: I64
    end: I64
    place: I64

    def new_numbers(self, old: "NDArray[np.integer] | Sequence[int]") -> I64:
        """Give the new numbers of old entries, -1 for those that are gone."""
        numbers = np.asarray(old, dtype=np.int64)
        if not len(self.begin):
            return np.full(len(numbers), -1, dtype=np.int64)
        run = np.maximum(np.searchsorted(self.begin, numbers, side="right") - 1, 0)
        inside = (numbers >= self.begin[run]) & (numbers < self.end[run])
        return np.where(inside, self.place[run] + numbers - self.begin[run], -1)


class _Layout:
    """Order of the entries of a draft, and the values that its structure gives them."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._old_first = draft.table.first_child
        self._old_flags = draft.table.flags
        self.pieces: list[tuple[int, int, int]] = []
        """Ranges of old entries with what is added to their ``first_child``; a new node is a range
        of its number alone."""
        self.size = 0
        self.new_number: dict[int, int] = {}
        self.first_child: dict[int, int] = {}
        self.child_count: dict[int, int] = {}
        self.flags: dict[int, int] = {}
        self._block(ROOT, len(draft.table))
        if self.size > _MOST_ENTRIES:
            raise InvalidTable(f"expected at most {_MOST_ENTRIES:,} entries, got {self.size:,}")

    def _block(self, node: int, old_end: int) -> bool:
        """Lay out everything below a node; whether an auction is completed there."""
        draft = self._draft
        block = draft.children(node)
        start = self.size
        for child in block:
            self._run(child, child + 1, 0)
        old_stop = 0
        if node < draft.size:
            old_stop = draft.table.children(None if node == ROOT else node).stop
        completes = False
        for number, child in enumerate(block, start):
            self.first_child[number] = self.size
            if draft.is_new(child):
                self.new_number[child] = number
                completed = Auction.of(draft.auction_of_new(child)).is_complete * COMPLETED
                below = self._block(child, 0)
            else:
                completed = int(self._old_flags[child]) & COMPLETED
                end = int(self._old_first[child + 1]) if child + 1 < old_stop else old_end
                if child not in draft.touched:
                    begin = int(self._old_first[child])
                    self._run(begin, end, self.size - begin)
                    completes |= bool(self._old_flags[child] & CAN_COMPLETE)
                    continue
                below = self._block(child, end)
            can = bool(completed) or below
            self.child_count[number] = len(draft.children(child))
            self.flags[number] = (
                completed | can * CAN_COMPLETE | (draft.is_inserted(child) * INSERTED)
            )
            completes |= can
        return completes

    def _run(self, begin: int, end: int, shift: int) -> None:
        if begin == end:
            return
        self.size += end - begin
        if self.pieces and begin < self._draft.size:
            before = self.pieces[-1]
            if before[1] == begin and before[2] == shift:
                self.pieces[-1] = (before[0], end, shift)
                return
        self.pieces.append((begin, end, shift))

    def renumbering(self) -> Renumbering:
        """Where old entries went."""
        begins = np.array([piece[0] for piece in self.pieces], dtype=np.int64)
        ends = np.array([piece[1] for piece in self.pieces], dtype=np.int64)
        lengths = ends - begins
        places = np.cumsum(lengths) - lengths
        old = np.flatnonzero(begins < self._draft.size)
        old = old[np.argsort(begins[old], kind="stable")]
        return Renumbering(begins[old], ends[old], places[old])

    def gather(self, column: Column, missing: int) -> Column:
        """Column in the new order; ``missing`` for new entries."""
        filler = np.full(1, missing, dtype=column.dtype)
        size = self._draft.size
        parts = [column[begin:end] if begin < size else filler for begin, end, _ in self.pieces]
        return np.concatenate(parts) if parts else column[:0].copy()

    def gather_first_child(self) -> U32:
        """Column ``first_child`` in the new order."""
        column = np.empty(self.size, dtype=np.uint32)
        place = 0
        size = self._draft.size
        for begin, end, shift in self.pieces:
            length = end - begin
            if begin < size:
                # modulo 2^32, so that a shift to the front needs no wider numbers
                np.add(
                    self._old_first[begin:end],
                    np.uint32(shift % (1 << 32)),
                    out=column[place : place + length],
                )
            place += length
        column[list(self.first_child)] = list(self.first_child.values())
        return column


def assemble(draft: Draft) -> tuple[Columns, Renumbering, list[int]]:
    """Columns of a draft's table.

    Returns
    -------
    tuple of columns, Renumbering and list of int
        The columns; where the entries of the old table went; and by number the places (-1 for the
        opening) behind which a call was added, changed or removed.
    """
    table = draft.table
    columns = dict(table.columns)
    if draft.blocks:
        layout = _Layout(draft)
        size, renumbering, new_number = layout.size, layout.renumbering(), layout.new_number
        own = set(ENTRY_COLUMNS) | (set(LABEL_COLUMNS) & columns.keys())
        for name in own - {"first_child"}:
            missing = LABEL_COLUMNS[name][1] if name in LABEL_COLUMNS else 0
            columns[name] = layout.gather(columns[name], missing)
        columns["first_child"] = layout.gather_first_child()
        for name in ("child_count", "flags"):
            values: dict[int, int] = getattr(layout, name)
            columns[name][list(values)] = list(values.values())
        for node, number in new_number.items():
            columns["call"][number] = draft.call(node)
    else:
        size, own, new_number = draft.size, set(), {}
        renumbering = Renumbering(*(np.array([value], np.int64) for value in (0, size, 0)))

    def numbers_of(nodes: Iterable[int]) -> list[int]:
        nodes = list(nodes)
        old = [node if 0 <= node < draft.size else 0 for node in nodes]
        return [
            new_number.get(node, -1) if node >= draft.size else number
            for node, number in zip(nodes, renumbering.new_numbers(old).tolist(), strict=True)
        ]

    changed = list(draft.rows)
    numbers = numbers_of(changed)
    changed_rows = {
        number: draft.rows[node]
        for node, number in zip(changed, numbers, strict=True)
        if number >= 0
    }
    gone = np.array([node for node in changed if node < draft.size], dtype=np.int64)
    _Writer(draft, columns, size, own).write(changed_rows, renumbering, gone)
    behind = [node for node in draft.places if node != ROOT]
    places = {number for number in numbers_of(behind) if number >= 0}
    return columns, renumbering, sorted(places | ({ROOT} & draft.places))


class _Writer:
    """Writes rows into columns, with the texts and criteria that they bring along."""

    def __init__(self, draft: Draft, columns: Columns, size: int, own: set[str]) -> None:
        self._table = draft.table
        self._columns = columns
        self._size = size
        self._own = own
        self._expressions: dict[str, int] = {}
        self._lists: dict[tuple[int, ...], int] = {(): 0}
        self._sets: dict[tuple[int, ...], int] = {(0,): 0}
        self._texts: dict[str, int] = {"": 0}
        self._tags: dict[tuple[int, ...], int] = {(): 0}
        self._old_texts: dict[str, int] = {}
        self._old_tags: dict[tuple[str, ...], int] = {}

    def write(self, rows: dict[int, list[Row]], renumbering: Renumbering, gone: I64) -> None:
        """Write the rows of entries by number: all variants, none for an inserted parent."""
        # gone: old entries whose further variants count no more
        if rows:
            known = enumerate(self._table.expressions)
            self._expressions = {text: number for number, text in known}
        self._learn_labels(gone)
        first: dict[str, dict[int, int]] = {}
        further: list[dict[str, int]] = []
        for number, variants in sorted(rows.items()):
            lists = [self._list(row.criteria) for row in variants] or [0]
            values = {
                "variant_set": self._number(self._sets, tuple(dict.fromkeys(lists)), "set"),
                "flags": int(self._columns["flags"][number]) & ~INSERTED
                | (not variants) * INSERTED,
            }
            head = variants[0] if variants else Row(b"", 0)
            values |= self._labels(head)
            for name, value in values.items():
                first.setdefault(name, {})[number] = value
            for row, criteria in zip(variants[1:], lists[1:], strict=True):
                labels = {f"variant_{name}": value for name, value in self._labels(row).items()}
                further.append({"variant_entry": number, "variant_criteria": criteria} | labels)
        for name, by_number in first.items():
            self._put(name, by_number)
        self._put_variants(further, renumbering, gone)
        self._extend_pools()

    def _learn_labels(self, entries: I64) -> None:
        """Note the numbers of what changed entries said: most of it they say again."""
        table = self._table
        for name in ("description", "name", "where", "source"):
            if name in table.columns:
                numbers = np.unique(table.columns[name][entries]).tolist()
                self._old_texts |= {table.texts[number]: number for number in numbers}
        if "tags" in table.columns:
            for number in np.unique(table.columns["tags"][entries]).tolist():
                texts = list_at(table.columns["tag_offsets"], table.columns["tag_texts"], number)
                self._old_tags[tuple(table.texts[text] for text in texts)] = number

    def _text(self, text: str) -> int:
        known = self._old_texts.get(text)
        return self._number(self._texts, text, "text") if known is None else known

    def _tag_set(self, tags: tuple[str, ...]) -> int:
        known = self._old_tags.get(tags)
        if known is not None:
            return known
        return self._number(self._tags, tuple(map(self._text, tags)), "tag")

    def _labels(self, row: Row) -> dict[str, int]:
        return {
            "description": self._text(row.description),
            "index": NONE_U32 if row.source_index is None else row.source_index,
            "rank": int(NO_RANK) if row.rank is None else row.rank,
            "name": self._text(row.name),
            "tags": self._tag_set(row.tags),
            "where": self._text(row.where),
            "count": NONE_U32 if row.count is None else row.count,
            "source": self._text(row.source),
        }

    def _list(self, criteria: tuple[str, ...]) -> int:
        expressions = tuple(
            self._expressions.setdefault(text, len(self._expressions)) for text in criteria
        )
        return self._number(self._lists, expressions, "criteria")

    def _number(self, known: dict[Any, int], key: object, stem: str) -> int:
        """Give the number of something new, which goes behind all that the table has."""
        held = len(self._columns[f"{stem}_offsets"]) - 1
        return known.setdefault(key, held + len(known) - 1)

    def _put(self, name: str, values: dict[int, int]) -> None:
        """Write values into a column of entries, which is made own first."""
        kind = COLUMN_TYPES[name]
        missing = LABEL_COLUMNS[name][1] if name in LABEL_COLUMNS else None
        if name not in self._columns:
            if all(value == missing for value in values.values()):
                return
            # zeros that nobody writes take no memory
            self._columns[name] = (
                np.full(self._size, missing, dtype=kind)
                if missing
                else np.zeros(self._size, dtype=kind)
            )
        elif name not in self._own:
            numbers = list(values)
            if (self._columns[name][numbers] == list(values.values())).all():
                return
            self._columns[name] = copy_on_write(self._columns[name])
        self._own.add(name)
        self._columns[name][list(values)] = list(values.values())

    def _put_variants(
        self, further: list[dict[str, int]], renumbering: Renumbering, gone: I64
    ) -> None:
        columns = self._columns
        old = columns["variant_entry"].astype(np.int64)
        entries = renumbering.new_numbers(old)
        kept = (entries >= 0) & ~np.isin(old, gone)
        if kept.all() and not further and np.array_equal(entries, old):
            return
        entries = np.concatenate([entries[kept], [one["variant_entry"] for one in further]])
        order = np.argsort(entries, kind="stable")
        for name, kind in VARIANT_COLUMNS.items():
            label = name.removeprefix("variant_")
            missing = LABEL_COLUMNS[label][1] if label in LABEL_COLUMNS else 0
            values = np.array([one[name] for one in further], dtype=np.int64)
            if name not in columns and (values == missing).all():
                continue
            held = columns[name] if name in columns else np.full(len(old), missing, dtype=kind)
            both = entries if name == "variant_entry" else np.concatenate([held[kept], values])
            columns[name] = both[order].astype(kind)
        for name in OPTIONAL_VARIANT_COLUMNS & columns.keys():
            if (columns[name] == LABEL_COLUMNS[name.removeprefix("variant_")][1]).all():
                del columns[name]

    def _extend_pools(self) -> None:
        columns = self._columns
        held = len(self._table.expressions)
        for stem, texts in (
            ("expression", list(self._expressions)[held:]),
            ("text", list(self._texts)[1:]),
        ):
            if texts:
                pool = TextPool.of(texts)
                self._extend(stem, f"{stem}_bytes", pool.offsets, pool.data)
        for stem, values, lists in (
            ("criteria", "criteria_expressions", self._lists),
            ("set", "set_criteria", self._sets),
            ("tag", "tag_texts", self._tags),
        ):
            if len(lists) > 1:
                self._extend(stem, values, *list_of_lists(list(lists)[1:]))
        assert columns["set_offsets"].dtype == np.uint64

    def _extend(self, stem: str, values: str, offsets: Column, more: Column) -> None:
        columns = self._columns
        end = columns[f"{stem}_offsets"][-1]
        columns[f"{stem}_offsets"] = np.concatenate([columns[f"{stem}_offsets"], offsets[1:] + end])
        columns[values] = np.concatenate([columns[values], more])


def copy_on_write(column: Column) -> Column:
    """Column that may be written, of which only written pages take memory if it is a file's."""
    source = column if isinstance(column, np.memmap) else column.base
    whole = isinstance(source, np.memmap) and source.shape == column.shape
    if whole and isinstance(source, np.memmap) and source.filename is not None:
        mapped = np.memmap(
            source.filename, dtype=column.dtype, mode="c", offset=source.offset, shape=column.shape
        )
        plain: Column = mapped.view(np.ndarray)
        return plain
    return column.copy()
