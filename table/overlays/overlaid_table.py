"""A bidding table with rules laid over it, which knows by what and where it was changed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.build import rebuilt
from bidcascade.table.columns import Columns
from bidcascade.table.extras import FrameExtra
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.expressions import parse_expression

from .assembling import Renumbering
from .report import OverlayReport
from .rules import OverlayMark

if TYPE_CHECKING:
    from bidcascade.table.extras import Extra


class OverlaidTable(BiddingTable):
    """A table with overlays; made by :func:`~bidcascade.table.overlays.apply_overlays`.

    It answers like any table. Its digest is derived from that of the table below and from names
    and SHA-256 of the overlays, in their order.

    Parameters
    ----------
    base : BiddingTable
        The table below; it stays as it is.
    columns : dict of str to array
    renumbering : Renumbering
        Where its entries went.
    changed_places : sequence of int
        Entries behind which a call was added, changed or removed; -1 for the opening.
    overlays : sequence of OverlayMark
    report : OverlayReport
    """

    def __init__(
        self,
        base: BiddingTable,
        columns: Columns,
        renumbering: Renumbering,
        changed_places: Sequence[int],
        overlays: Sequence[OverlayMark],
        report: OverlayReport,
        extras: "Mapping[str, Extra] | None" = None,
    ) -> None:
        if extras is None:
            extras = {name: _Renumbered(base, name, renumbering) for name in base.extras}
        super().__init__(
            columns,
            profile=base.profile,
            undescribed=base.undescribed,
            user_terms=base.user_terms,
            source=base.source,
            imported=base.imported,
            digest=derived_digest(base.digest, overlays),
            extras=extras,
        )
        self.base = base
        """The table below."""
        self.renumbering = renumbering
        """Where its entries went."""
        self._changed_places = frozenset(changed_places)
        self._overlays = tuple(overlays)
        self.report = report
        """What the rules did."""

    @property
    def overlays(self) -> tuple[OverlayMark, ...]:
        """Names and SHA-256 of the overlays, in the order in which they were laid."""
        return self._overlays

    @property
    def overlay_notes(self) -> tuple[str, ...]:
        """What the rules did, in lines."""
        return tuple(str(self.report).split("\n"))

    @property
    def changed_places(self) -> frozenset[int]:
        """Entries behind which a call was added, changed or removed; -1 for the opening."""
        return self._changed_places

    def info(self) -> dict[str, Any]:
        """Describe the table in plain values for JSON, with its overlays."""
        return {**super().info(), "overlays": [mark.to_dict() for mark in self.overlays]}

    def settled(self) -> BiddingTable:
        """Make a table of its own of the rows as they are now.

        Its digest is that of its content, and no overlay is listed any more.
        """
        source = " + ".join([self.source, *(mark.name for mark in self.overlays)])
        return rebuilt(self, self.rows(), source)

    def _with_extras(self, extras: "Mapping[str, Extra]") -> "OverlaidTable":
        return OverlaidTable(
            self.base,
            self.columns,
            self.renumbering,
            sorted(self.changed_places),
            self.overlays,
            self.report,
            extras,
        )


def changed_entries(
    table: BiddingTable,
) -> dict[tuple[int, ...], list[tuple[int, tuple[Expression, ...], str]]]:
    """Tell what a table has where overlays changed it: calls, criteria and names by auction.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> changed_entries(build_table([{"prior": "", "call": "1C"}])[0])
    {}
    """
    found = {}
    for entry in table.changed_places:
        parent = None if entry < 0 else entry
        calls = () if parent is None else tuple(table.auction_of(parent))
        found[calls] = [
            (row.call, tuple(map(parse_expression, row.criteria)), row.name or row.description)
            for child in table.children(parent)
            for row in table.variants(child)
        ]
    return found


def derived_digest(below: str, overlays: Sequence[OverlayMark]) -> str:
    """Digest of a table or system with overlays, from that of what is below them."""
    told = ["overlays", below, [[mark.name, mark.sha256] for mark in overlays]]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Renumbered:
    """A frame that goes with the table below, with the numbers that its entries have now."""

    base: BiddingTable
    name: str
    renumbering: Renumbering

    def frame(self) -> pl.DataFrame:
        """Give its rows; those of entries that are gone are left out."""
        frame = self.base.extra(self.name)
        assert frame is not None
        # a row that is about no entry has none, before and after
        known = frame.filter(pl.col("entry").is_not_null())
        numbers = pl.Series("entry", self.renumbering.new_numbers(known["entry"].to_numpy()))
        moved = known.with_columns(numbers).filter(pl.col("entry") >= 0)
        return pl.concat(
            [
                frame.filter(pl.col("entry").is_null()),
                moved.with_columns(pl.col("entry").cast(pl.UInt32)).sort(
                    "entry", maintain_order=True
                ),
            ]
        )

    def content(self) -> bytes:
        """Give its Parquet file."""
        return FrameExtra(self.frame()).content()
