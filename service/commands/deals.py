"""Commands about files of deals: ``load``, ``augment``, ``deals``."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .options import (
    add_json_option,
    add_table_options,
    check_folder_of,
    check_out,
    note,
    open_engine,
    print_json,
    shown_numbers,
    whole_number,
)

if TYPE_CHECKING:
    import polars as pl

MOST_DEALS_TRIED = 100_000_000
"""Deals looked at for a condition unless asked otherwise."""
_CHUNK = 250_000


def configure_load(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``load``."""
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT",
        help="file, folder, pattern, handviewer link or - (LIN, PBN, hands, Parquet)",
    )  # fmt: skip
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="deals as .parquet, .lin or .pbn; - for stdout"
    )
    parser.add_argument("--rejects", metavar="FILE", help="Parquet file for records that are none")
    parser.add_argument("--jobs", type=whole_number(1), metavar="N", help="processes that read")
    add_json_option(parser)
    parser.set_defaults(handler=load)


def load(options: argparse.Namespace) -> int:
    """Read deals of any kind into one file."""
    check_out(options.out)
    if options.rejects:
        check_folder_of(Path(options.rejects))

    import polars as pl

    from bidcascade.bridge import InvalidInput
    from bidcascade.loaders import empty_deals, empty_rejects, iter_deals
    from bidcascade.service.jobs.deal_files import deal_sink
    from bidcascade.service.jobs.progress import progress_bar
    from bidcascade.service.jobs.whole_files import write_parquet

    boards, refused = 0, [empty_rejects()]
    with deal_sink(options.out) as write, progress_bar("load") as report:
        write(empty_deals())
        for batch in iter_deals(options.inputs, jobs=options.jobs, progress=report):
            write(batch.deals)
            boards += batch.deals.height
            refused.append(batch.rejects)
        rejects = pl.concat(refused)
        if not boards:
            raise InvalidInput(_nothing(rejects))
        if options.rejects:
            write_parquet(rejects, Path(options.rejects))
    numbers = {"boards": boards, "rejects": rejects.height}
    if options.json and options.out != "-":
        print_json(numbers)
    else:
        note(shown_numbers(numbers) + _first_reject(rejects))
    return 0


def _nothing(rejects: "pl.DataFrame") -> str:
    return f"expected deals, got none{_first_reject(rejects) or ': no board in the inputs'}"


def _first_reject(rejects: "pl.DataFrame") -> str:
    if not rejects.height:
        return ""
    source, record, reason, _ = rejects.row(0)
    where = source if record is None else f"{source}, record {record}"
    return f"; first reject: {where}: {reason}"


def configure_augment(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``augment``."""
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="files of deals of any kind")
    parser.add_argument("--out", required=True, metavar="FILE", help="Parquet file; - for stdout")
    parser.add_argument(
        "--terms", nargs="+", default=[], metavar="TERM",
        help="terms: four columns each, such as SL_N_S for SL_S of North",
    )  # fmt: skip
    parser.add_argument(
        "--expressions", metavar="FILE", help="file with an expression a line; - for stdin"
    )
    parser.add_argument(
        "--auctions", nargs="+", default=[], metavar="AUCTION",
        help="auctions of the table ('1N P 3N'): whether the deal reaches that entry",
    )  # fmt: skip
    add_table_options(parser)
    parser.set_defaults(handler=augment)


def augment(options: argparse.Namespace) -> int:
    """Add columns to deals."""
    from bidcascade.service.cli import UsageError

    if options.out != "-":
        check_folder_of(Path(options.out))
        if Path(options.out).suffix.lower() in (".lin", ".pbn"):
            raise UsageError(f"expected a Parquet file as output, got {options.out!r}")

    from bidcascade.bridge import InvalidInput
    from bidcascade.loaders import empty_deals, iter_deals
    from bidcascade.service.jobs import augment as augmenting
    from bidcascade.service.jobs.deal_files import deal_sink
    from bidcascade.service.jobs.progress import progress_bar

    engine = open_engine(options)
    expressions: list[str] = []
    if options.expressions:
        text, source = _read_text(options.expressions)
        expressions = augmenting.read_expressions(text, source, engine.table.vocabulary)
    terms = options.terms
    if not (terms or expressions or options.auctions):
        terms = list(augmenting.DEFAULT_TERMS)
    wanted = {"terms": terms, "expressions": expressions, "auctions": options.auctions}
    boards = rejects = 0
    with deal_sink(options.out) as write, progress_bar("augment") as report:
        write(augmenting.augment(engine, empty_deals(), **wanted))
        for batch in iter_deals(options.inputs, progress=report):
            write(augmenting.augment(engine, batch.deals, **wanted))
            boards += batch.deals.height
            rejects += batch.rejects.height
        if not boards:
            raise InvalidInput(f"expected deals, got none and {rejects} rejects")
    note(shown_numbers({"boards": boards, "rejects": rejects}))
    return 0


def _read_text(name: str) -> tuple[str, str]:
    from bidcascade.bridge import InvalidInput

    try:
        if name == "-":
            return sys.stdin.read(), "standard input"
        path = Path(name)
        if path.is_file() and path.stat().st_size > 1 << 26:
            raise InvalidInput(f"expected a file of expressions, got {path.stat().st_size} bytes")
        return path.read_text(encoding="utf-8"), path.name
    except UnicodeDecodeError:
        raise InvalidInput(f"expected text in UTF-8 in {name!r}") from None


def configure_deals(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``deals``."""
    parser.add_argument("count", type=whole_number(1), metavar="N", help="how many")
    parser.add_argument(
        "--seed", type=whole_number(0, 2**64 - 1), required=True, metavar="S",
        help="the same seed gives the same deals",
    )  # fmt: skip
    parser.add_argument(
        "--where", metavar="EXPR",
        help="only deals that meet a condition; its terms carry a seat: 'HCP_N >= 15', "
        "'SL_N_S + SL_S_S >= 8 and not Balanced_E'",
    )  # fmt: skip
    parser.add_argument("--dealer", metavar="SEAT", help="who deals (default: by board number)")
    parser.add_argument("--vul", metavar="V", help="None, NS, EW or Both (default: by board)")
    parser.add_argument(
        "--most", type=whole_number(1, 2**31 - 1), default=MOST_DEALS_TRIED, metavar="N",
        help=f"deals looked at for a condition (default: {MOST_DEALS_TRIED:,})",
    )  # fmt: skip
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="deals as .parquet, .lin or .pbn; - for stdout"
    )
    parser.add_argument(
        "--profile", choices=("gib", "mlbridge"), default="gib",
        help="definitions of the terms (default: gib)",
    )  # fmt: skip
    parser.add_argument("--backend", default="auto", choices=("auto", "reference", "cpu", "cuda"))
    parser.set_defaults(handler=deals)


def deals(options: argparse.Namespace) -> int:
    """Deal at random."""
    check_out(options.out)

    from bidcascade.bridge import parse_seat, parse_vulnerability
    from bidcascade.service.cli import UsageError

    dealer = None if options.dealer is None else parse_seat(options.dealer)
    sides = None if options.vul is None else parse_vulnerability(options.vul)
    if options.where is None and options.count > 2**31 - 1:
        raise UsageError(f"expected at most {2**31 - 1} deals, got {options.count}")

    from bidcascade.bridge import InvalidInput
    from bidcascade.loaders import random_deals
    from bidcascade.service.jobs.deal_files import deal_sink
    from bidcascade.service.jobs.progress import progress_bar

    select = _condition(options) if options.where is not None else None
    most = options.count if select is None else options.most
    found = tried = 0
    with deal_sink(options.out) as write, progress_bar("deals") as report:
        while found < options.count and tried < most:
            size = min(_CHUNK, most - tried)
            frame = random_deals(
                size, options.seed, first=tried + 1, dealer=dealer, vulnerability=sides
            )
            tried += size
            if select is not None:
                frame = frame.filter(select(frame))
            chosen = frame.head(options.count - found)
            write(chosen)
            if select is not None and found + frame.height >= options.count:
                tried = int(chosen["board"][-1])
            found += frame.height
            report(min(found, options.count), options.count, tried)
        if found < options.count:
            raise InvalidInput(
                f"expected {options.count:,} deals where {options.where}, got {found:,} among "
                f"{tried:,}; --most lets more be looked at"
            )
    if select is not None:
        note(f"{options.count:,} of {tried:,} deals looked at")
    return 0


def _condition(options: argparse.Namespace) -> "Callable[[pl.DataFrame], pl.Series]":
    import polars as pl

    from bidcascade.kernels import get_backend
    from bidcascade.service.answers import deal_arrays
    from bidcascade.service.compass import DealCondition
    from bidcascade.table import Vocabulary

    condition = DealCondition(options.where, Vocabulary(options.profile))
    backend = get_backend(options.backend)
    return lambda frame: pl.Series(condition.holds(backend, deal_arrays(frame)))
