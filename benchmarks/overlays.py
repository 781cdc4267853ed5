"""What overlays cost on a large table, and what carrying counts over a change saves.

Run ``python -m benchmarks.overlays`` from the repository's root with the packages on the path. A
made-up table of the published shape is saved and opened, rules are laid over it, and the deals of
each entry are counted whole and in part; both counts are compared. Memory is what the new table
holds beside the one below, as Python's own account of allocations has it.
"""

import gc
import json
import tempfile
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bidcascade.bridge import format_calls
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.kernels.dealing import deal_hands
from bidcascade.systems import open_table
from bidcascade.table import BiddingTable, apply_overlays, build_table
from bidcascade.table.overlays.changes import changed_entries
from bidcascade.table.overlays.recount import Recount
from tests.support_tables import made_up_rows

from . import programs
from .machine import environment
from .programs import options, timed, write_report


def rules_for(table: BiddingTable) -> dict[str, list[dict[str, object]]]:
    """Overlays of several kinds for a table."""
    deep = [entry for entry in range(len(table)) if table.child_count[entry]][
        :: 1 + len(table) // 400
    ]
    places = [format_calls(table.auction_of(entry)) for entry in deep[:200]]
    return {
        "replace 1 entry": [{"rule": "replace", "at": places[7], "criteria": ["HCP >= 11"]}],
        "replace 200 entries": [
            {"rule": "replace", "at": place, "criteria": ["HCP >= 11"]} for place in places
        ],
        "remove 1 entry": [{"rule": "remove", "at": places[7]}],
        "remove 200 entries": [{"rule": "remove", "at": place} for place in places],
        "add an expression below 1C": [{"rule": "add", "at": "1C *", "expressions": ["HCP <= 30"]}],
    }


def on_sayc(deals: DealArrays, repeat: int) -> dict[str, object]:
    """Measure the same with the compiled table of Standard American, of which many entries hold."""
    cpu = get_backend("cpu")
    table = open_table("sayc")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules.jsonl"
        rule = {"rule": "replace", "at": "1N P 2C", "criteria": ["HCP >= 9", "SL_H >= 4"]}
        file.write_text(json.dumps(rule) + "\n")
        laid = apply_overlays(table, [file])
    full, _ = Recount.full(table, [deals], cpu), laid.plan()
    assert (
        full.carried_over(laid, [deals], cpu).counts == Recount.full(laid, [deals], cpu).counts
    ).all()
    return {
        "entries": len(table),
        "changed entries": len(changed_entries(table, laid)),
        "full count s": median_seconds(lambda: Recount.full(laid, [deals], cpu), repeat),
        "carried over s": median_seconds(lambda: full.carried_over(laid, [deals], cpu), repeat),
    }


def held_mib(table: BiddingTable, file: Path) -> float:
    """Memory that a table with an overlay holds beside the table below."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    laid = apply_overlays(table, [file])
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del laid
    return (after - before) / 2**20


def median_seconds(work: Callable[[], object], repeat: int) -> float:
    return round(float(np.median([timed(work)[0] for _ in range(repeat)])), 3)


def measure(entries: int, deal_count: int, repeat: int) -> dict[str, object]:
    """Measure everything once and say it in numbers."""
    cpu = get_backend("cpu")
    zero = np.zeros(deal_count, np.uint8)
    deals = DealArrays(deal_hands(1, 0, deal_count), zero, zero)
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        build_table(made_up_rows(entries, 1), undescribed="allow")[0].save(path)
        table = BiddingTable.open(path)
        table.plan()
        full = Recount.full(table, [deals], cpu)
        found |= {
            "entries": len(table),
            "deals": deal_count,
            "column MiB": round(sum(one.nbytes for one in table.columns.values()) / 2**20, 1),
            "full count s": median_seconds(lambda: Recount.full(table, [deals], cpu), repeat),
        }
        cases = {}
        for name, rules in rules_for(table).items():
            file = Path(folder) / "rules.jsonl"
            file.write_text("".join(json.dumps(rule) + "\n" for rule in rules))
            laid = apply_overlays(table, [file])
            laying = median_seconds(partial(apply_overlays, table, [file]), repeat)
            laid.plan()
            carried = full.carried_over(laid, [deals], cpu)
            whole = Recount.full(laid, [deals], cpu)
            assert (carried.counts == whole.counts).all(), name
            cases[name] = {
                "lay s": laying,
                "memory MiB": round(held_mib(table, file), 2),
                "changed entries": len(changed_entries(table, laid)),
                "full count s": median_seconds(partial(Recount.full, laid, [deals], cpu), repeat),
                "carried over s": median_seconds(
                    partial(full.carried_over, laid, [deals], cpu), repeat
                ),
            }
    return {**found, "cases": cases, "sayc": on_sayc(deals, repeat)}


def page(found: dict[str, Any]) -> list[str]:
    """Results as Markdown."""
    cases, sayc = found["cases"], found["sayc"]
    columns = next(iter(cases.values()))
    rows = ([name, *case.values()] for name, case in cases.items())
    return [
        "# Overlays",
        "",
        f"{found['entries']:,} entries ({found['column MiB']} MiB of columns, mapped from files), "
        f"{found['deals']:,} deals; `python -m benchmarks.overlays`; medians. Both counts were "
        "equal in every case.",
        "",
        *programs.table(("rules", *columns), rows),
        "",
        f"The compiled table `sayc`, `1N P 2C` replaced: {sayc['changed entries']:,} of "
        f"{sayc['entries']:,} entries changed; all counted in {sayc['full count s']} s, in part in "
        f"{sayc['carried over s']} s.",
    ]


def main() -> None:
    """Run and write ``overlays.md`` and ``overlays.json`` to the results."""
    given = options(__doc__, entries=1_000_000, deals=50_000, repeat=3)
    found = measure(given.entries, given.deals, given.repeat)
    write_report(given.out, "overlays", {"environment": environment(), **found}, page(found))


if __name__ == "__main__":
    main()
