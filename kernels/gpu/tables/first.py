"""Mode ``first`` on a device: a deal a thread, nodes in windows of the table's own numbering."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.cuda_device import DeviceArray
from bidcascade.kernels.gpu.session import AnyDeals, Chunk, DealFeed, fitting, halving, in_chunks
from bidcascade.kernels.results import FirstAuctions

from .tables import PackedDeals, PlanTables, first_defines, thread_staging

NODE_BYTES = 16
SOURCE_BYTES = 12
"""What a node's columns of the table take, while they are packed."""
STATE_WORDS = 8
_COLUMNS = ("node_box", "first_child", "child_count", "call", "flags")


def first_auctions(
    tables: PlanTables, deals: AnyDeals, most_deals: int, *, node_bytes: int
) -> FirstAuctions:
    """Per deal, the one auction."""
    result = FirstAuctions.empty(len(deals))
    fields: list[NDArray[Any]] = [result.entry, result.passes, result.defaults]

    def use(arrays: list[NDArray[Any]], start: int) -> None:
        for target, array in zip(fields, arrays, strict=True):
            target[start : start + len(array)] = array

    in_chunks(
        tables.session,
        deals,
        most_deals,
        _bytes_per_deal(tables),
        lambda count: [(count, field.dtype) for field in fields],
        lambda size: _Bidder(tables, size, node_bytes).bid,
        use,
    )
    return result


def first_auctions_on_device(
    tables: PlanTables, deals: AnyDeals, most_deals: int, *, node_bytes: int
) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Entry (uint32), passes (uint8) and defaults (uint16) of each deal, on the device."""
    session = tables.session

    def run(size: int) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
        device = session.device
        entry = device.empty(len(deals), np.uint32)
        passes = device.empty(len(deals), np.uint8)
        defaults = device.empty(len(deals), np.uint16)
        feed = DealFeed(session, deals, size)
        bidder = _Bidder(tables, feed.size, node_bytes)
        for chunk in feed:
            part = slice(chunk.start, chunk.start + chunk.count)
            bidder.bid(chunk, [entry[part], passes[part], defaults[part]])
        session.wait()
        return entry, passes, defaults

    with session.working():
        per_deal = DealFeed.bytes_per_deal(deals) + _bytes_per_deal(tables)
        found: tuple[DeviceArray, DeviceArray, DeviceArray] = halving(
            session, fitting(session, per_deal, most_deals, len(deals)), run
        )
    return found


def _bytes_per_deal(tables: PlanTables) -> int:
    return PackedDeals.bytes_per_deal(tables) + 14 + 4 * STATE_WORDS


class _Bidder:
    """Bids chunks of deals to the end."""

    def __init__(self, tables: PlanTables, size: int, node_bytes: int) -> None:
        plan = tables.plan
        self.tables = tables
        self.packed = PackedDeals(tables, size)
        self.defines = first_defines(plan.packing.lane_words, plan.packing.flag_words)
        self.threads, self.shared_bytes = thread_staging(
            tables.session.device.limits.shared_bytes, tables.words
        )
        self.window_nodes = max(1, node_bytes // (NODE_BYTES + SOURCE_BYTES))
        self.state: DeviceArray | None = None
        if "first" in tables.cached:
            self.window_nodes = max(1, plan.node_count)
        if plan.node_count > self.window_nodes:
            self.state = tables.session.device.empty(STATE_WORDS * size, np.uint32)

    def bid(self, chunk: Chunk, out: list[DeviceArray]) -> None:
        """Fill ``out``: entry, passes behind it, passes by default."""
        tables, session = self.tables, self.tables.session
        words = self.packed.fill(chunk)
        count = tables.plan.node_count
        for start in range(0, max(1, count), self.window_nodes):
            stop = min(start + self.window_nodes, count)
            nodes = self._nodes(start, stop)
            session.each(
                "first.cu", "first_auctions", self.defines, chunk.count,
                [
                    words, np.uint32(chunk.count), np.uint32(self.shared_bytes > 0),
                    self.packed.order, *tables.boxes(), nodes,
                    np.uint32(start), np.uint32(stop), np.uint32(tables.plan.root_count),
                    self.state, *out,
                ],
                threads=self.threads, shared_bytes=self.shared_bytes,
            )  # fmt: skip
            if self.state is not None:
                session.wait()  # the next window may take the place of this one

    def _nodes(self, start: int, stop: int) -> DeviceArray:
        """Nodes of a window; those of a table that fits stay on the device."""
        tables = self.tables
        cached = tables.cached.get("first")
        if cached is not None:
            whole: DeviceArray = cached
            return whole
        session, count = tables.session, stop - start
        nodes = session.device.empty((max(1, count), 4), np.uint32)
        columns = [
            session.upload(np.asarray(getattr(tables.plan, name)[start:stop])) for name in _COLUMNS
        ]
        session.each(
            "first.cu", "pack_nodes", self.defines, count, [*columns, np.uint32(count), nodes]
        )
        session.wait()  # the columns go
        if self.state is None:
            tables.cached["first"] = nodes
        return nodes
