"""The entries of a single deal: all runs of nodes walked beside each other, then picked in order.

A deal a thread is the way for many deals; for one it would be a single thread's walk. Here every
warp walks a run of nodes, as when counting, and the counts, 0 or 1, say which entries hold.
"""

from dataclasses import dataclass

import numpy as np

from bidcascade.kernels.cuda_device import DeviceArray

from .counts import count_nodes, representatives
from .forest import Forest
from .scan import RunningSums
from .session import AnyDeals
from .tables import PlanTables

MOST_LISTED = 1 << 26
"""Most entries of a table that are looked at for a single deal."""


@dataclass(frozen=True, slots=True)
class SingleList:
    """What one deal reaches: ``entries`` uint32 [min(total, limit)] on the device."""

    entries: DeviceArray
    total: int


def list_one(
    tables: PlanTables,
    deals: AnyDeals,
    listed: Forest,
    key: tuple[object, ...],
    limit: int | None,
) -> SingleList | None:
    """List what the only deal reaches; ``None`` if the table is too large for that.

    Parameters
    ----------
    listed : Forest
        Names the entries to be listed, in order.
    key : tuple
        Of the options that ``listed`` was made with.
    """
    session, count = tables.session, len(listed.listed)
    if not 0 < count <= MOST_LISTED or not len(tables.forest()):
        return None
    counts = count_nodes(tables, deals, "hybrid", 64, None)
    if isinstance(counts, np.ndarray):
        return None
    kept = ("one", *key)
    if kept not in tables.kept:
        tables.kept[kept] = session.upload(listed.listed)
    arguments = [
        tables.kept[kept], np.uint32(count), representatives(tables), counts,
        np.uint32(len(tables.forest())),
    ]  # fmt: skip
    marks = session.device.empty(count, np.uint64)
    session.each("entries.cu", "mark_listed", {}, count, [*arguments, marks])
    total = RunningSums(session, count).run(marks)
    size = total if limit is None else min(total, limit)
    entries = session.device.empty(size, np.uint32)
    if size:
        session.each(
            "entries.cu", "write_listed", {}, count, [*arguments, marks, np.uint64(size), entries]
        )
    return SingleList(entries, total)
