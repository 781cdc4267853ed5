"""Layers: one table whose criteria are the announced ones, the learned ones, or both.

``announced``
    What the table said before anything was learned; exactly that, whatever layer it is on.
``learned``
    Criteria of a call are those learned from the hands that made it. Where too few hands made it,
    the announced criteria stay.
``merged``
    Announced and learned criteria joined by AND; learned ones that follow from an announced one add
    nothing and are left out. Where no hand fits both, the announced ones stay
    and the entry gets the tag ``learned_contradiction``.

Learned criteria are the quantiles of some lanes, left out where they exclude no hand at all, and
the learned rules, left out where they follow from one of the others. Entries keep their numbers on
every layer, so the frames that go with a table stay right.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidTable, format_calls
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.build import rebuilt
from bidcascade.table.columns import INSERTED
from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.row import Row

from .learning import BOUNDS, RULES
from .measures import Implications, make_measures

Layer: TypeAlias = Literal["announced", "learned", "merged"]
LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)

ANNOUNCED: Final = "announced_criteria"
"""Extra of a table on another layer: what the changed rows said before."""

CONTRADICTION: Final = "learned_contradiction"
"""Tag of entries whose announced and learned criteria no hand fits."""

CRITERIA_LANES: Final = ("HCP", "SL_C", "SL_D", "SL_H", "SL_S")
"""Lanes whose quantiles become criteria unless others are asked for."""

_ANNOUNCED_SCHEMA: Final = pl.Schema(
    {
        "entry": pl.UInt32(),
        "variant": pl.UInt16(),
        "inserted": pl.Boolean(),
        "criteria": pl.List(pl.String()),
        "tags": pl.List(pl.String()),
        "source": pl.String(),
    }
)


@dataclass(frozen=True, slots=True)
class Layered:
    """A table on a layer, and what became of its entries."""

    table: BiddingTable
    layer: Layer
    learned: int = 0  # entries with learned criteria alone
    merged: int = 0  # entries with announced and learned ones
    contradictions: tuple[str, ...] = ()  # auctions for whose criteria no hand fits both, and why

    def to_dict(self) -> dict[str, object]:
        """Give the counts for people and programs."""
        return {
            "layer": self.layer,
            "entries_on_learned": self.learned,
            "entries_on_both": self.merged,
            "contradictions": list(self.contradictions),
        }


def on_layer(
    table: BiddingTable, layer: Layer, *, lanes: Sequence[str] = CRITERIA_LANES
) -> Layered:
    """Table with the criteria of a layer.

    Parameters
    ----------
    table : BiddingTable
        One that has learned; for ``announced`` any.
    layer : {"announced", "learned", "merged"}
    lanes : sequence of str
        Lanes whose quantiles become criteria.

    Returns
    -------
    Layered
        Its table has the extras of the one given; on another layer than ``announced`` it keeps
        what the changed rows said in one more. Rows that have changed have the source ``learned``
        or ``merged``.

    Raises
    ------
    InvalidTable
        If the table has learned nothing, or not the bounds of a lane asked for.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}])
    >>> bounds = pl.DataFrame(
    ...     {"entry": [0], "HCP_low": [14], "HCP_high": [17]},
    ...     schema_overrides={"entry": pl.UInt32})
    >>> merged = on_layer(table.with_extra("learned_bounds", bounds), "merged", lanes=["HCP"])
    >>> merged.table.row(0).criteria, merged.table.row(0).source
    (('HCP >= 15', 'HCP <= 17'), 'merged')
    >>> on_layer(merged.table, "announced").table == table
    True
    """
    if layer not in LAYERS:
        raise InvalidTable(f"expected a layer of {', '.join(LAYERS)}, got {layer!r}")
    original = _announced(table)
    if layer == "announced":
        return Layered(original, layer)
    writer = _LayerWriter(original, layer, lanes)
    made = _rebuilt(original, writer.rows())
    if writer.announced:
        announced = pl.DataFrame(writer.announced, schema=_ANNOUNCED_SCHEMA, orient="row")
        made = made.with_extra(ANNOUNCED, announced)
    return Layered(made, layer, writer.learned, writer.merged, tuple(writer.contradictions))


class _LayerWriter:
    """Rows of a table on a layer, in table order, with account of what was changed."""

    def __init__(self, table: BiddingTable, layer: Layer, lanes: Sequence[str]) -> None:
        self._table = table
        self._layer = layer
        lists = _learned_lists(table, lanes)
        expressions = {*table.expressions, *(text for texts in lists.values() for text in texts)}
        measures = make_measures(
            table.vocabulary, lanes=lanes, flags=(), expressions=sorted(expressions)
        )
        self._numbers = {text: number for number, text in enumerate(measures.expressions)}
        self._implications = Implications(measures)
        self._criteria = {
            entry: self._without_superfluous(texts) for entry, texts in lists.items() if texts
        }
        self._reasons: dict[tuple[str, ...], str | None] = {}
        self.announced: list[tuple[int, int, bool, list[str], list[str], str]] = []
        self.learned = 0
        self.merged = 0
        self.contradictions: list[str] = []

    def rows(self) -> Iterator[Row]:
        for entry, variant, row in _numbered_rows(self._table, self._inserted_rows()):
            inserted = bool(self._table.flags[entry] & INSERTED)
            changed = self._changed(row, self._criteria.get(entry), is_first=variant == 0)
            if inserted or changed != row:
                self.announced.append(
                    (entry, variant, inserted, list(row.criteria), list(row.tags), row.source)
                )
            yield changed

    def _inserted_rows(self) -> set[int]:
        """Choose the inserted entries that become rows: what has learned, and what is beside it."""
        # inserted entries stand behind their siblings; one that alone became a row would leave its
        # place among them
        inserted = np.flatnonzero(self._table.flags & INSERTED)
        learned = [entry for entry in inserted.tolist() if entry in self._criteria]
        parents = self._table.parents
        return set(inserted[np.isin(parents[inserted], parents[learned])].tolist())

    def _changed(self, row: Row, learned: tuple[str, ...] | None, *, is_first: bool) -> Row:
        merged = self._layer == "merged" and bool(row.criteria)
        if merged and learned:
            learned = tuple(text for text in learned if not self._follows(text, row.criteria))
        if not learned:
            return row
        criteria = (*row.criteria, *learned) if merged else learned
        reason = self._why_not(criteria)
        if reason is not None:
            auction = format_calls((*row.prior, row.call))
            self.contradictions.append(f"{auction}: {reason}")
            return row._replace(tags=(*row.tags, CONTRADICTION))
        self.merged += merged and is_first
        self.learned += is_first and not merged
        return row._replace(criteria=criteria, source="merged" if merged else "learned")

    def _follows(self, text: str, given: Iterable[str]) -> bool:
        """Whether a text follows from one of those given; tags say nothing."""
        number, numbers = self._numbers[text], self._numbers
        return any(
            self._implications.follows(numbers[one], number) for one in given if one in numbers
        )

    def _without_superfluous(self, texts: Sequence[str]) -> tuple[str, ...]:
        left: list[str] = []
        distinct = list(dict.fromkeys(texts))
        for place, text in enumerate(distinct):
            if not self._follows(text, [*left, *distinct[place + 1 :]]):
                left.append(text)
        return tuple(left)

    def _why_not(self, criteria: tuple[str, ...]) -> str | None:
        if criteria not in self._reasons:
            tests = [text for text in criteria if text in self._numbers]
            # mostly a hand is at hand, and nothing needs to be proved
            some = self._implications.some_hand_fits([self._numbers[text] for text in tests])
            parsed = [parse_expression(text) for text in tests]
            why_not = None if some else is_satisfiable(parsed, self._table.vocabulary)
            self._reasons[criteria] = why_not
        return self._reasons[criteria]


def _learned_lists(table: BiddingTable, lanes: Sequence[str]) -> dict[int, list[str]]:
    """All that was learned, by entry."""
    bounds, vocabulary = table.extra(BOUNDS), table.vocabulary
    if bounds is None:
        raise InvalidTable(f"expected a table that has learned, got one without {BOUNDS!r}")
    lists: dict[int, list[str]] = {entry: [] for entry in bounds["entry"].to_list()}
    for lane in lanes:
        if vocabulary.is_boolean(lane):
            raise InvalidTable(f"expected a number term as a lane of criteria, got {lane!r}")
        ends = f"{lane}_low", f"{lane}_high"
        if not set(ends) <= set(bounds.columns):
            raise InvalidTable(f"expected learned bounds of {lane!r}, got none")
        scale = vocabulary.scale(lane)
        smallest, largest = (value / scale for value in vocabulary.range(lane))
        for entry, low, high in bounds.select("entry", *ends).iter_rows():
            if low == high:
                lists[entry].append(f"{lane} == {low:g}")
                continue
            if low > smallest:
                lists[entry].append(f"{lane} >= {low:g}")
            if high < largest:
                lists[entry].append(f"{lane} <= {high:g}")
    rules = table.extra(RULES)
    if rules is not None:
        for entry, expression in rules.select("entry", "expression").iter_rows():
            lists[entry].append(expression)
    return lists


def _numbered_rows(
    table: BiddingTable, wanted: Container[int] = ()
) -> Iterator[tuple[int, int, Row]]:
    """All rows with the numbers of their entry and variant, in table order, and wanted inserted."""
    rows = table.rows()
    row = next(rows, None)
    for entry in range(len(table)):
        if table.flags[entry] & INSERTED:
            if entry in wanted:
                yield entry, 0, table.row(entry)
            continue
        # rows come in the order of entries; the first one is followed by its further variants
        auction = row and (row.prior, row.call)
        variant = 0
        while row is not None and (row.prior, row.call) == auction:
            yield entry, variant, row
            variant += 1
            row = next(rows, None)


def _announced(table: BiddingTable) -> BiddingTable:
    """Give the table as it was before it was put on a layer."""
    stored = table.extra(ANNOUNCED)
    if stored is None:
        return table
    before = {(row[0], row[1]): row[2:] for row in stored.iter_rows()}

    def rows() -> Iterator[Row]:
        for entry, variant, row in _numbered_rows(table):
            inserted, criteria, tags, source = before.get(
                (entry, variant), (False, row.criteria, row.tags, row.source)
            )
            if not inserted:
                yield row._replace(criteria=tuple(criteria), tags=tuple(tags), source=source)

    return _rebuilt(table, rows()).without_extra(ANNOUNCED)


def _rebuilt(table: BiddingTable, rows: Iterable[Row]) -> BiddingTable:
    """Make a table of other rows for the same entries; it keeps what goes with the table."""
    made = rebuilt(table, rows, table.source)
    made.imported = dict(table.imported)
    return made
