"""Sets of boards by node: what ways to write them take, and the index of mode ``all`` itself.

Run ``python -m benchmarks.row_sets`` from the repository's root. The sets are those of the index of
sayc on random deals: a few that most boards are in, and thousands that few boards are in. Every way
starts from ascending row numbers and gives them back, and all ways must give back the same.
"""

import gc
import resource
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap

from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import U32
from bidcascade.systems import System, open_system
from bidcascade.systems.allowed_calls import SystemCalls
from bidcascade.systems.allowed_index import AllowedNode, allowed_nodes, allowed_rows
from bidcascade.systems.bidder import Bidder
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.row_sets import decode_rows, encode_rows

from .machine import environment
from .programs import options, table, timed, write_report
from .systems import SEED, deals_of

SHARES = (0.05, 0.02, 0.01)
CHANGED = ("15-17 points, balanced", "14-17 points, balanced")
Numbers = dict[str, Any]


class Way(NamedTuple):
    """One way to write a set: to bytes, back, and both of two sets as a count."""

    encode: Callable[[U32, int], Any]
    decode: Callable[[Any, int], U32]
    both: Callable[[Any, Any, int], int]


def bits(rows: U32, count: int) -> Any:
    found = np.zeros(count, np.bool_)
    found[rows] = True
    return np.packbits(found, bitorder="little")


def rows_of_bits(data: Any, count: int) -> U32:
    found = np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little")
    return np.flatnonzero(found).astype(np.uint32)


def run_ends(rows: U32, count: int) -> Any:
    return pc.run_end_encode(pa.Array.from_buffers(
        pa.bool_(), count, [None, pa.py_buffer(bits(rows, count))]
    ))  # fmt: skip


def both_runs(first: Any, other: Any, _: int) -> int:
    # pyarrow has no AND of run ends
    return int(pc.sum(pc.and_(pc.run_end_decode(first), pc.run_end_decode(other))).as_py())


def zstd(way: Way) -> Way:
    """The same, compressed."""

    def packed(rows: U32, count: int) -> Any:
        data = memoryview(way.encode(rows, count)).cast("B")
        return len(data), pa.compress(data, "zstd", asbytes=True)

    def unpacked(data: Any) -> Any:
        size, small = data
        return pa.decompress(small, size, "zstd", asbytes=True) if size else b""

    return Way(
        packed, lambda data, count: way.decode(unpacked(data), count),
        lambda first, other, count: way.both(unpacked(first), unpacked(other), count),
    )  # fmt: skip


def size_of(data: Any) -> int:
    if isinstance(data, tuple):
        return len(data[1])
    return int(data.nbytes) if hasattr(data, "nbytes") else len(data)


LISTS = Way(
    lambda rows, _: rows, lambda data, _: np.frombuffer(data, np.uint32),
    lambda first, other, _: len(np.intersect1d(
        np.frombuffer(first, np.uint32), np.frombuffer(other, np.uint32), assume_unique=True
    )),
)  # fmt: skip
BITS = Way(
    bits, rows_of_bits,
    lambda first, other, _: int(np.bitwise_count(
        np.frombuffer(first, np.uint8) & np.frombuffer(other, np.uint8)
    ).sum()),
)  # fmt: skip
ROARING = Way(
    lambda rows, _: encode_rows(rows), decode_rows,
    lambda first, other, _: BitMap.deserialize(first).intersection_cardinality(
        BitMap.deserialize(other)
    ),
)  # fmt: skip
WAYS = {
    "roaring": ROARING,
    "roaring, zstd": zstd(ROARING),
    "Arrow run ends": Way(
        run_ends,
        lambda data, count: rows_of_bits(pc.run_end_decode(data).buffers()[1], count),
        both_runs,
    ),
    "u32 lists": LISTS,
    "u32 lists, zstd": zstd(LISTS),
    "bits": BITS,
    "bits, zstd": zstd(BITS),
}


def measure_ways(deals: DealArrays, share: float, pairs: int) -> dict[str, Numbers]:
    """Write, read and intersect the sets of an index in every way."""
    count = len(deals)
    nodes = allowed_nodes(SystemCalls(open_system("sayc").bidder(), deals), share=share)
    sets = [decode_rows(one.rows, count) for one in nodes.values()]
    large = [number for number, rows in enumerate(sets) if len(rows) >= share * count]
    chosen = np.random.default_rng(SEED).choice(large, (pairs, 2)).tolist()
    found: dict[str, Numbers] = {}
    counts = None
    for name, way in WAYS.items():
        kept: dict[int, Any] = {}
        size, wanted = 0, {number for pair in chosen for number in pair}
        spent = [0.0, 0.0]
        for number, rows in enumerate(sets):
            seconds, data = timed(lambda rows=rows, way=way: way.encode(rows, count))
            spent[0] += seconds
            seconds, back = timed(lambda data=data, way=way: way.decode(data, count))
            spent[1] += seconds
            if not np.array_equal(back, rows):
                raise SystemExit(f"{name}: set {number} is another one when read back")
            size += size_of(data)
            if number in wanted:
                kept[number] = data
        seconds, both = timed(
            lambda way=way, kept=kept: [
                way.both(kept[one], kept[two], count) for one, two in chosen
            ]
        )
        if counts not in (None, both):
            raise SystemExit(f"{name}: other counts of boards that are in two sets")
        counts = both
        found[name] = {
            "bytes a board": round(size / count, 1), "encode all, s": round(spent[0], 2),
            "decode all, s": round(spent[1], 2), "AND, us": round(1e6 * seconds / pairs, 1),
        }  # fmt: skip
    return found


def measure_index(deals: DealArrays) -> dict[str, Numbers]:
    """Build the index with several shares, ask it, and build it after a changed line."""
    bidder = open_system("sayc").bidder()
    text = (shipped_folder() / "sayc.bidding").read_text("utf-8")
    found: dict[str, Numbers] = {}
    for share in SHARES:
        seconds, nodes = timed(
            lambda share=share: allowed_nodes(SystemCalls(bidder, deals), share=share)
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
        times = ask_slowly(bidder, deals, nodes)
        changed = SystemCalls(System.parse(text.replace(*CHANGED, 1)).bidder(), deals)
        after, _ = timed(
            lambda share=share, calls=changed, nodes=nodes: allowed_nodes(
                calls, share=share, kept=nodes
            )
        )
        found[f"{share:.0%}"] = {
            "nodes": len(nodes),
            "expanded": sum(one.expanded for one in nodes.values()),
            "million pairs": round(sum(one.boards for one in nodes.values()) / 1e6, 1),
            "bytes a board": round(sum(len(one.rows) for one in nodes.values()) / len(deals), 1),
            "seconds": round(seconds, 1),
            "after a changed line, s": round(after, 1),
            "slow question, median ms": round(1e3 * float(np.median(times)), 1),
            "slowest, ms": round(1e3 * max(times), 1),
            "peak MiB so far": round(peak),
        }
        del nodes, changed
        gc.collect()
    return found


def ask_slowly(bidder: Bidder, deals: DealArrays, nodes: dict[bytes, AllowedNode]) -> list[float]:
    """Seconds of the slowest questions: a pass behind the largest sets that are not expanded."""
    ends = [one for one in nodes.values() if not (one.expanded or one.auction.endswith(b"\0\0\0"))]
    ends.sort(key=lambda one: -one.boards)

    def ask(auction: bytes) -> U32:
        return allowed_rows(nodes, auction, lambda rows: SystemCalls(bidder, deals.take(rows)))

    asked = [one.auction + b"\0" for one in ends[:100:5]]
    for auction in asked:
        ask(auction)
    return [timed(lambda auction=auction: ask(auction))[0] for auction in asked]


def main() -> None:
    """Run and write ``row_sets.md`` and ``row_sets.json`` to the results."""
    given = options(
        __doc__, deals=(200_000, "of the sets"), share=0.02, pairs=(300, "of sets that are joined"),
        boards=(1_000_000, "of the index"),
    )  # fmt: skip
    told: Numbers = {"environment": environment(), "deals": given.deals, "boards": given.boards}
    told["ways"] = measure_ways(deals_of(SEED, given.deals), given.share, given.pairs)
    told["index"] = measure_index(deals_of(SEED + 1, given.boards))
    write_report(given.out, "row_sets", told, page(told))


def page(told: Numbers) -> list[str]:
    """Results as Markdown."""
    lines = [
        "# Sets of boards by node",
        "",
        f"`python -m benchmarks.row_sets`; {told['environment']['cpu']}, "
        f"{told['environment']['cores']} cores. Index of mode `all` of sayc. First the ways to "
        f"write the sets of {told['deals']:,} random deals, then the index of {told['boards']:,} "
        "by share: auctions that so many boards may bid are expanded. A slow question goes one "
        "call beyond the index, from the largest sets there. After a changed line a text is new, "
        "and nothing was learned of it.",
    ]
    for head, found in (("way", told["ways"]), ("share", told["index"])):
        columns = list(next(iter(found.values())))
        rows = ([name, *one.values()] for name, one in found.items())
        lines += ["", *table((head, *columns), rows)]
    return lines


if __name__ == "__main__":
    main()
