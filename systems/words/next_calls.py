"""What may follow an auction: calls in order of priority, each with all that it can mean."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bidcascade.bridge import format_call
from bidcascade.systems.places.places import PlaceEntry
from bidcascade.table import BiddingTable, Row, format_expression

from .describing import agreements_of, description_of


@dataclass(frozen=True, slots=True)
class CallVariant:
    """One meaning of a call; a system says nothing of its source or how often it was made."""

    name: str = ""
    description: str = ""
    criteria: Sequence[str] = ()
    rank: int | None = None
    tags: Sequence[str] = ()
    where: str = ""
    source_index: int | None = None
    count: int | None = None
    source: str = ""

    @classmethod
    def of_row(cls, row: Row) -> "CallVariant":
        """Variant of an entry of a table."""
        return cls(
            row.name,
            row.description,
            row.criteria,
            row.rank,
            row.tags,
            row.where,
            row.source_index,
            row.count,
            row.source,
        )

    @classmethod
    def of_line(cls, entry: PlaceEntry) -> "CallVariant":
        """Variant of a line of a system."""
        return cls(
            entry.name,
            description_of(entry),
            [*map(format_expression, entry.criteria)],
            entry.rank,
            agreements_of(entry),
            str(entry.where),
        )


@dataclass(frozen=True, slots=True)
class FollowingCall:
    """One call that may follow.

    Parameters
    ----------
    call : str
    entry : int, optional
        Its number; None where there is none.
    completed : bool
        Whether the auction is over with it.
    can_complete : bool
        Whether it goes on from there to the end of some auction.
    inserted : bool
        Whether no row of a table stood for it.
    next : int
        How many calls may follow it.
    variants : list of CallVariant
    """

    call: str
    entry: int | None
    completed: bool
    can_complete: bool
    inserted: bool
    next: int
    variants: list[CallVariant]


@dataclass(frozen=True, slots=True)
class NextCalls:
    """What may follow an auction.

    Parameters
    ----------
    auction : list of str
    entry : int, optional
        Entry that the auction ends with; None before the first call and where there is none.
    completed : bool
        Whether it is over.
    forced : bool, optional
        Whether partner's call asks for an answer; None where the table is of no system.
    entries : list of FollowingCall
        In order of priority.

    Examples
    --------
    >>> NextCalls(["7N"], None, completed=False, forced=None).entries
    []
    """

    auction: list[str]
    entry: int | None
    completed: bool
    forced: bool | None
    entries: list[FollowingCall] = field(default_factory=list)


def next_in_table(table: BiddingTable, entry: int) -> FollowingCall:
    """One entry that may follow in a table."""
    return FollowingCall(
        format_call(int(table.call[entry])),
        entry,
        table.is_completed(entry),
        table.can_complete(entry),
        table.is_inserted(entry),
        int(table.child_count[entry]),
        list(map(CallVariant.of_row, table.variants(entry))),
    )
