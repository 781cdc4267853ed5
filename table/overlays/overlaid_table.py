"""A bidding table with rules laid over it, which knows by what and where it was changed."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.expressions import parse_expression

from .report import OverlayReport
from .rules import OverlayMark

if TYPE_CHECKING:
    from bidcascade.table.stored.extras import Extra


class OverlaidTable(BiddingTable):
    """A table with overlays; made by :func:`~bidcascade.table.overlays.applying.apply_overlays`.

    It answers like any table. Its digest is derived from that of the table below and from names
    and SHA-256 of the overlays, in their order.

    Parameters
    ----------
    base : BiddingTable
        The table below.
    made : BiddingTable
        The table of the rows as they are with the rules.
    changed_places : collection of int
        Entries behind which a call was added, changed or removed; -1 for the opening.
    overlays : sequence of OverlayMark
    report : OverlayReport
    """

    def __init__(
        self,
        base: BiddingTable,
        made: BiddingTable,
        changed_places: Collection[int],
        overlays: Sequence[OverlayMark],
        report: OverlayReport,
    ) -> None:
        super().__init__(
            made.columns,
            profile=base.profile,
            undescribed=base.undescribed,
            user_terms=base.user_terms,
            source=base.source,
            imported=base.imported,
            digest=derived_digest(base.digest, overlays),
            extras=made._extras,
        )
        self.base = base
        """The table below."""
        self._made = made
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
        return {**super().info(), "overlays": list(map(asdict, self.overlays))}

    def settled(self) -> BiddingTable:
        """Give the same rows as a table of its own.

        Its digest is that of its content, and no overlay is listed any more.
        """
        return self._made

    def _with_extras(self, extras: "Mapping[str, Extra]") -> "OverlaidTable":
        return OverlaidTable(
            self.base,
            self._made._with_extras(extras),
            self.changed_places,
            self.overlays,
            self.report,
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
