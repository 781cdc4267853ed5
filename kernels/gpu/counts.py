"""Counts on a device: windows of nodes outside, chunks of deals inside, one of several counters."""

import logging

import numpy as np

from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.types import U64

from .bits import fitting
from .counters import Counter, HybridCounter, ListCounter, WalkCounter
from .frontier import FrontierCounter
from .nodes import RECORD_BYTES, DeviceWindow, device_windows
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
    session, forest = tables.session, tables.forest()
    if not len(deals):
        return np.zeros(tables.plan.node_count, np.uint64)
    with session.working():
        if not len(forest):
            return _spread(tables, session.zeros(1, np.uint64), len(deals))
        room = node_room(tables, node_bytes)
        whole = len(forest) * RECORD_BYTES <= room
        if variant in _NEED_ALL_NODES and not whole:
            _logger.info("%d nodes do not fit at once: hybrid, not %s", len(forest), variant)
            variant = "hybrid"
        counts = None if whole else np.empty(len(forest), np.uint64)
        for window in device_windows(tables, room):
            found = _count_window(tables, deals, VARIANTS[variant], window, most_deals)
            if counts is None:
                return _spread(tables, found, len(deals))
            place = window.window
            counts[place.first_node : place.end_node] = session.download(found)
        assert counts is not None
        # all deals and none behind the nodes, as representatives name them
        table = np.append(counts, np.array([len(deals), 0], np.uint64))
        spread: U64 = table[forest.representative]
        return spread


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


def _spread(tables: PlanTables, counts: DeviceArray, deals: int) -> U64:
    """Make counts of all entries from those of the nodes that stand for them."""
    session, forest = tables.session, tables.forest()
    out = np.empty(tables.plan.node_count, np.uint64)
    if not len(out):
        return out
    step = max(1, min(len(out), int(session.memory() * SPREAD_SHARE / 12)))
    representative = session.device.empty(step, np.uint32)
    spread = session.device.empty(step, np.uint64)
    for start in range(0, len(out), step):
        part = forest.representative[start : start + step]
        session.device.copy_in(representative[: len(part)], part, stream=session.work)
        session.each(
            "spread.cu", "spread_counts", {}, len(part),
            [
                representative, np.uint64(len(part)), counts, np.uint32(len(forest)),
                np.uint64(deals), spread,
            ],
        )  # fmt: skip
        session.device.copy_out(
            out[start : start + len(part)], spread[: len(part)], stream=session.work
        )
        session.wait()
    return out
