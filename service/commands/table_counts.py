"""Command ``table counts``: how many deals reach each entry, counted in part after a change."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .options import (
    BACKEND_CHOICES,
    add_import_options,
    add_json_option,
    add_overlay_option,
    check_folder_of,
    note,
    open_engine,
    print_json,
)

if TYPE_CHECKING:
    from bidcascade.kernels import DealArrays


def configure_counts(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table counts``."""
    parser.add_argument("table", metavar="TABLE", help="a name, a folder or a file of rows")
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="deals: files, folders, -")
    parser.add_argument("--out", required=True, metavar="FILE", help="Parquet file for the counts")
    parser.add_argument(
        "--previous", metavar="FILE",
        help="counts of the same deals by an earlier state of the table: only what has changed "
        "since is counted",
    )  # fmt: skip
    parser.add_argument("--backend", default="auto", choices=BACKEND_CHOICES)
    add_overlay_option(parser)
    add_import_options(parser)
    add_json_option(parser)
    parser.set_defaults(handler=count_entries)


def count_entries(options: argparse.Namespace) -> int:
    """Count the deals that reach each entry of a table."""
    import numpy as np

    from bidcascade.bridge import InvalidInput
    from bidcascade.kernels import get_backend
    from bidcascade.service.jobs.progress import progress_bar
    from bidcascade.service.jobs.whole_files import can_write, whole_file
    from bidcascade.table.import_report import counted as words
    from bidcascade.table.overlays.recount import OtherDeals, Recount

    out = Path(options.out)
    check_folder_of(out)
    previous = None if options.previous is None else Recount.read(Path(options.previous))
    engine = open_engine(options)
    backend = get_backend(options.backend)
    with progress_bar("counts") as report:

        def deals() -> "Iterator[DealArrays]":
            boards = 0
            for part in _parts(options.inputs):
                yield part
                boards += len(part)
                report(boards, None, boards)

        counted = None
        if previous is not None:
            try:
                counted = previous.carried_over(engine.table, deals(), backend)
            except OtherDeals as error:
                if "-" in options.inputs:
                    # standard input is read and gone
                    raise
                note(f"{options.previous}: {error}; all entries are counted")
        if counted is None:
            counted = Recount.full(engine.table, deals(), backend)
    if not counted.deals:
        raise InvalidInput("expected deals to count, got none")
    with whole_file(out) as partial, can_write(out):
        counted.write(partial)
    reached = int(np.count_nonzero(counted.counts))
    if options.json:
        print_json({
            "deals": counted.deals, "deals_digest": counted.deals_digest,
            "entries": len(counted.counts), "reached": reached,
            "counted_entries": counted.counted_entries, "table": engine.table_info(),
            "backend": engine.backend,
        })  # fmt: skip
    else:
        counted_text = words(counted.counted_entries, "entry", "entries")
        print(
            f"{counted.deals:,} deals reach {reached:,} of {len(counted.counts):,} entries; "
            f"{counted_text} counted"
        )
        note(f"wrote the counts to {options.out} (Parquet)")
    return 0


def _parts(inputs: list[str]) -> "Iterator[DealArrays]":
    from bidcascade.loaders import deal_arrays, iter_deals

    for batch in iter_deals(inputs):
        if batch.deals.height:
            yield deal_arrays(batch.deals)
