"""Counts on a device: windows of nodes outside, chunks of deals inside, one of several counters."""

import logging

import numpy as np

from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.types import U64

from .bits import fitting
from .counters import Counter, HybridCounter, ListCounter, WalkCounter
from .frontier import FrontierCounter
from .nodes import DeviceWindow, device_windows, is_whole
from .session import AnyDeals, DealFeed, halving
from .tables import PlanTables

_logger = logging.getLogger("bidcascade.kernels")

VARIANTS: dict[str, type[Counter]] = {
    "lists": ListCounter,
    "frontier": FrontierCounter,
    "hybrid": HybridCounter,
    "walk": WalkCounter,
}
DEFAULT_VARIANT = "hybrid"
_NEED_ALL_NODES = ("frontier", "walk")
NODES_SHARE = 0.4
"""Share of the free memory that nodes may take; more of them come in windows."""
SPREAD_SHARE = 0.5
"""Share of the free memory that the counts of all entries may take."""


def node_room(tables: PlanTables, node_bytes: int | None) -> int:
    """Bytes that nodes may take: ``node_bytes``, or a share of what is free."""
    return int(tables.session.memory() * NODES_SHARE) if node_bytes is None else node_bytes


def count_entries(
    tables: PlanTables,
    deals: AnyDeals,
    variant: str,
    most_deals: int,
    *,
    node_bytes: int | None = None,
) -> U64:
    """Per entry, how many deals reach it (uint64 [entries]).

    Parameters
    ----------
    variant : str
        One of ``VARIANTS``.
    node_bytes : int, optional
        Device memory that nodes may take; a share of what is free by default.
    """
    session, entries = tables.session, tables.plan.node_count
    with session.working():
        found = count_nodes(tables, deals, variant, most_deals, node_bytes)
        if isinstance(found, np.ndarray):
            return _spread_on_host(tables, found, len(deals))
        out = np.empty(entries, np.uint64)
        step = max(1, min(entries, int(session.memory() * SPREAD_SHARE / 12)))
        spread = session.device.empty(step, np.uint64)
        for start in range(0, entries, step):
            stop = min(start + step, entries)
            part = spread[: stop - start]
            _spread(tables, found, len(deals), start, part)
            session.device.copy_out(out[start:stop], part, stream=session.work)
            session.wait()
        return out


def count_entries_on_device(
    tables: PlanTables, deals: AnyDeals, variant: str, most_deals: int, *, node_bytes: int | None
) -> DeviceArray:
    """Return counts that stay on the device; otherwise as :func:`count_entries`."""
    session = tables.session
    with session.working():
        found = count_nodes(tables, deals, variant, most_deals, node_bytes)
        if isinstance(found, np.ndarray):
            return session.upload(_spread_on_host(tables, found, len(deals)))
        out = session.device.empty(tables.plan.node_count, np.uint64)
        _spread(tables, found, len(deals), 0, out)
        return out


def count_nodes(
    tables: PlanTables, deals: AnyDeals, variant: str, most_deals: int, node_bytes: int | None
) -> "U64 | DeviceArray":
    """Count at the forest's nodes: on the device, or on the host if nodes came in windows."""
    session, forest = tables.session, tables.forest()
    if not len(forest) or not len(deals):
        return np.zeros(len(forest), np.uint64)
    room = node_room(tables, node_bytes)
    whole = is_whole(tables, room)
    if variant in _NEED_ALL_NODES and not whole:
        _logger.info("%d nodes do not fit at once: hybrid, not %s", len(forest), variant)
        variant = "hybrid"
    if variant == "lists" and not ListCounter.fits(tables):
        _logger.info("hands of %d words: hybrid, not lists", tables.words)
        variant = "hybrid"
    counts = np.empty(0 if whole else len(forest), np.uint64)
    for window in device_windows(tables, room):
        found = _count_window(tables, deals, VARIANTS[variant], window, most_deals)
        if whole:
            return found
        place = window.window
        counts[place.first_node : place.end_node] = session.download(found)
    return counts


def _count_window(
    tables: PlanTables,
    deals: AnyDeals,
    kind: type[Counter],
    window: DeviceWindow,
    most_deals: int,
) -> DeviceArray:
    session = tables.session

    def run(size: int) -> DeviceArray:
        counter = kind(tables, window, len(deals))
        counts = session.zeros(window.window.nodes, np.uint64)
        feed = DealFeed(session, deals, size)
        counter.bind(feed.size)
        try:
            for chunk in feed:
                counter.count(chunk, counts)
        finally:
            session.wait()  # what the counter holds is free from here on
        return counts

    per_deal = DealFeed.bytes_per_deal(deals) + kind(tables, window, len(deals)).bytes_per_deal
    found: DeviceArray = halving(session, fitting(session, per_deal, most_deals, len(deals)), run)
    return found


def _spread_on_host(tables: PlanTables, counts: U64, deals: int) -> U64:
    # all deals and none stand behind the nodes, as representatives name them
    table = np.append(counts, np.array([deals, 0], np.uint64))
    spread: U64 = table[tables.forest().representative]
    return spread


def _spread(
    tables: PlanTables, counts: DeviceArray, deals: int, start: int, out: DeviceArray
) -> None:
    """Fill ``out`` with the counts of entries from ``start`` on, of the nodes they hold with."""
    session, forest = tables.session, tables.forest()
    if out.size == len(forest.representative):
        representative = representatives(tables)
    else:
        representative = session.upload(forest.representative[start : start + out.size])
    session.each(
        "entries.cu", "spread_counts", {}, out.size,
        [
            representative, np.uint64(out.size), counts, np.uint32(len(forest)),
            np.uint64(deals), out,
        ],
    )  # fmt: skip


def representatives(tables: PlanTables) -> DeviceArray:
    """Return the node that each entry holds with, on the device; it stays there."""
    if "representative" not in tables.kept:
        tables.kept["representative"] = tables.session.upload(tables.forest().representative)
    array: DeviceArray = tables.kept["representative"]
    return array
