"""Command ``batch``: the archive job."""

import argparse
from contextlib import ExitStack
from pathlib import Path

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, is_resumed, is_run, run_folder


def configure_batch(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``batch``."""
    add = parser.add_argument
    add(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help=f"file, folder, pattern or - {shared.AS_LOAD}",
    )
    add_output(
        parser,
        "--out",
        required=True,
        metavar="DIR",
        help="new or empty folder",
        check=run_folder,
        is_there=is_run,
        goes_on=is_resumed,
    )
    add(
        "--mode",
        choices=("all", "first", "counts"),
        help="all auctions that hold, the one that is bid, or how many deals reach each "
        "entry (default: all of a table, first of a system)",
    )
    add("--completed", action="store_true", help="only complete auctions")
    add(
        "--limit",
        type=shared.whole_number(1, shared.MOST_LISTED),
        metavar="K",
        help="list at most so many auctions of a deal (of a system 1000 if not given)",
    )
    add(
        "--max-depth",
        type=shared.whole_number(1, shared.MOST_LISTED),
        metavar="N",
        help="only auctions of at most so many calls",
    )
    add(
        "--share",
        type=_share,
        default=1.0,
        metavar="P",
        help="answer only this part of the boards, as 0.01; the hands say which",
    )
    add("--text", action="store_true", help="hands as text, too, and with --mode first auctions")
    add("--resume", action="store_true", help="go on with an interrupted batch")
    add("--jobs", type=shared.whole_number(1), metavar="N", help="processes that read")
    add(
        "--devices",
        type=_devices,
        default=(),
        metavar="D,D",
        help="CUDA devices, as 0,1: a process for each (with --backend cpu so many "
        "processes; needs the extra dask-gpu or dask)",
    )
    add(
        "--scheduler",
        type=_scheduler,
        metavar="ADDRESS",
        help="Dask scheduler, as tcp://host:8786: its workers answer (needs the extra dask)",
    )
    add(
        "--part-deals",
        type=shared.whole_number(1, 10_000_000),
        default=1_000_000,
        metavar="N",
        help="most deals of a part, which takes about 5 s (default: 1000000)",
    )
    shared.add_table_options(parser)
    shared.add_json_option(parser)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"expected a part above 0 and at most 1, got {text!r}")
    return share


def _devices(text: str) -> tuple[str, ...]:
    devices = tuple(part.strip() for part in text.split(","))
    if not all(devices) or len(set(devices)) < len(devices):
        raise argparse.ArgumentTypeError(f"expected different devices, as 0,1, got {text!r}")
    return devices


def _scheduler(text: str) -> str:
    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.runs.batches.cluster import check_address

    try:
        return check_address(text)
    except InvalidInput as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def batch(options: argparse.Namespace) -> None:
    """Answer all deals of the inputs into a folder."""
    if options.mode not in (None, "all"):
        _check_bounds(options)
    if options.text and options.mode == "counts":
        raise shared.UsageError("expected --text only with --mode all or first")
    if options.devices and options.scheduler:
        raise shared.UsageError("expected --devices or --scheduler, got both")
    if options.devices and options.backend == "auto":
        # who names devices does not want the processor instead
        options.backend = "cuda"
    backend = options.backend
    with ExitStack() as stack:
        elsewhere = cluster = None
        if options.devices or options.scheduler:
            from bidcascade.engine.runs.batches.cluster import connected, on_devices

            if options.devices:
                elsewhere = on_devices(options.devices, backend)
            else:
                elsewhere = cluster = stack.enter_context(connected(options.scheduler, backend))
            # the workers have the backend; here the table is only looked at
            options.backend = "reference" if backend == "reference" else "cpu"
        from bidcascade.loaders.parquet.parquet_decoder import expect_parquet

        expect_parquet(options.inputs)
        engine = shared.open_engine(options)
        if options.mode is None:
            options.mode = engine.bidder.usual_mode
            if options.mode != "all":
                _check_bounds(options)

        from bidcascade.engine.runs.batches.batch import COUNTS, run_batch

        options.interruption_hint = shared.resume_hint(options.out)
        summary = run_batch(
            engine,
            options.inputs,
            options.out,
            mode=options.mode,
            completed_only=options.completed,
            limit=options.limit,
            max_depth=options.max_depth,
            share=options.share,
            text=options.text,
            resume=options.resume,
            overwrite=options.force,
            jobs=options.jobs,
            elsewhere=elsewhere,
            part_deals=options.part_deals,
        )
    numbers = summary._asdict()
    if options.json:
        from bidcascade.engine.runs.batches.batch_parts import backend_of

        if elsewhere is None:
            backend = engine.backend
        elif cluster is not None:
            backend = cluster.backend
        backend = backend_of(engine, options.mode, backend, summary.boards)
        shared.print_json({**numbers, "table": engine.table_info(), "backend": backend})
    else:
        shared.note(shared.shown_numbers(numbers))
        wrote = f"the answers to {options.out}"
        if options.mode == "counts":
            path = Path(options.out) / COUNTS
            wrote = f"how many boards reach each of {_rows_of(path):,} entries to {path}"
        shared.note(f"wrote {wrote} (Parquet)")


def _check_bounds(options: argparse.Namespace) -> None:
    for name in ("completed", "limit", "max_depth"):
        if getattr(options, name):
            option = name.replace("_", "-")
            raise shared.UsageError(f"expected --{option} only with --mode all")


def _rows_of(path: Path) -> int:
    import polars as pl

    count: int = pl.scan_parquet(path).select(pl.len()).collect().item()
    return count
