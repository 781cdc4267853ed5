"""A bidding table in words: one place of it with the calls that may follow, and what it is."""

from collections.abc import Iterable, Sequence

from bidcascade.bridge import UnknownAuction, format_call, format_calls
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.import_report import counted
from bidcascade.table.row import Row


def show(table: BiddingTable, auction: Iterable[int] = ()) -> str:
    """Entry at the end of an auction, and the calls that may follow it, in priority order.

    Raises
    ------
    UnknownAuction
        If the table does not have the auction; the message says where it leaves the table.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1N", "name": "Strong", "criteria": ["15 <= HCP <= 17"]},
    ...     {"prior": "1N", "call": "P"}])
    >>> print(show(table, parse_calls("1N")))
    1N  Strong
        15 <= HCP <= 17
      P   undescribed
    """
    calls = tuple(auction)
    lines: list[str] = []
    entry: int | None = None
    if calls:
        entry = table.find(calls)
        if entry is None:
            raise UnknownAuction(where_it_leaves(table, calls))
        lines += _entry_lines(table, entry, format_calls(calls), "")
    else:
        lines.append("opening")
    for child in table.children(entry):
        lines += _entry_lines(table, child, f"{format_call(int(table.call[child])):2}", "  ")
    if entry is not None and table.is_completed(entry):
        lines.append("  the auction is complete")
    elif not table.children(entry):
        lines.append("  nothing follows in the table")
    return "\n".join(lines)


def _entry_lines(table: BiddingTable, entry: int, head: str, indent: str) -> list[str]:
    variants = table.variants(entry)
    lines = [f"{indent}{head}  {_label(variants[0], inserted=table.is_inserted(entry))}".rstrip()]
    deeper = indent + " " * 4
    for number, variant in enumerate(variants):
        if number:
            lines.append(f"{deeper}or {_label(variant, inserted=False)}".rstrip())
        if variant.criteria:
            lines.append(deeper + ", ".join(variant.criteria))
        if variant.count is not None:
            times = f"made {counted(variant.count, 'time')}"
            lines.append(f"{deeper}{times}, {variant.source}" if variant.source else deeper + times)
        if variant.tags:
            lines.append(deeper + " ".join(f"#{tag}" for tag in variant.tags))
    return lines


def _label(row: Row, *, inserted: bool) -> str:
    parts = [part for part in (row.name, row.description.strip()) if part]
    if inserted:
        parts.append("not in the source")
    elif not row.criteria:
        parts.append("undescribed")
    return ": ".join(parts)


def calls_known(table: BiddingTable, calls: Sequence[int]) -> int:
    """How many of the calls of an auction the table has, from the first one on."""
    lengths = range(1, len(calls) + 1)
    return next((n - 1 for n in lengths if table.find(calls[:n]) is None), len(calls))


def where_it_leaves(table: BiddingTable, calls: tuple[int, ...]) -> str:
    """Say where an auction that a table does not have leaves it, and what the table has there."""
    known = calls_known(table, calls)
    before = f"after {format_calls(calls[:known])}" if known else "as opening call"
    parent = table.find(calls[:known]) if known else None
    there = [int(table.call[child]) for child in table.children(parent)]
    return (
        f"expected an auction of the table, got {format_calls(calls)!r}: "
        f"{before} it has {format_calls(there) or 'nothing'}, not {format_call(calls[known])}"
    )


def show_info(table: BiddingTable) -> str:
    """Describe a table in a few lines.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}])
    >>> print(show_info(table).splitlines()[0])
    1 entry, 1 opening, 1 described, 0 completed auctions
    """
    info = table.info()
    lines = [
        f"{counted(info['entries'], 'entry', 'entries')}, {counted(info['openings'], 'opening')}, "
        f"{info['described']:,} described, {counted(info['completed'], 'completed auction')}",
        f"{counted(info['criteria_lists'], 'criteria list')}, "
        f"{counted(info['expressions'], 'expression')}, "
        f"{counted(info['variants'], 'further variant')}, "
        f"{counted(info['inserted'], 'inserted parent')}",
        f"profile {info['profile']}, undescribed entries: {info['undescribed']}",
        f"{info['bytes']:,} bytes",
        f"digest {info['digest']}",
    ]
    if table.extras:
        lines.append(f"with {', '.join(table.extras)}")
    for mark in table.overlays:
        lines.append(f"overlay {mark.name}, SHA-256 {mark.sha256}")
    if info["source"]:
        lines.append(f"from {info['source']}")
    lines += [f"{name} = {formula}" for name, formula in info["user_terms"].items()]
    return "\n".join(lines)
