"""Commands about single deals and hands: ``auctions`` and ``bid``."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import (
    add_json_option,
    add_table_options,
    first_reject,
    no_deals,
    note,
    open_engine,
    print_json,
    print_table,
    whole_number,
)
from .simulation import add_simulation_options, print_simulation, simulated

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.service.bid_answer import BidAnswer
    from bidcascade.service.engine import Engine

_DEALS_AT_ONCE = 500
_UNLIMITED = 2**31 - 1


def configure_auctions(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``auctions``."""
    parser.add_argument(
        "deals", nargs="+", metavar="DEAL",
        help="PBN text 'N:hand hand hand hand', LIN text, a file of deals, or -",
    )  # fmt: skip
    parser.add_argument("--dealer", metavar="SEAT", help="who deals (default: as the deal says)")
    parser.add_argument("--vul", metavar="V", help="None, NS, EW or Both (default: as it says)")
    parser.add_argument(
        "--mode", choices=("all", "first"), default="all",
        help="every auction that holds, or the one that is bid (default: all)",
    )  # fmt: skip
    parser.add_argument("--completed", action="store_true", help="only complete auctions")
    parser.add_argument(
        "--limit", type=whole_number(1, _UNLIMITED), metavar="K",
        help="list at most so many auctions of a deal",
    )  # fmt: skip
    add_table_options(parser)
    add_json_option(parser)
    parser.set_defaults(handler=auctions)


def auctions(options: argparse.Namespace) -> int:
    """List the auctions of deals."""
    from bidcascade.service.cli import UsageError

    if options.mode == "first" and (options.completed or options.limit):
        raise UsageError("expected --completed and --limit only with --mode all")
    frames = _with_overrides(_frames(options.deals), options.dealer, options.vul)
    first = next(frames)
    engine = open_engine(options)

    def parts() -> "Iterator[pl.DataFrame]":
        for frame in (first, *frames):
            yield from frame.iter_slices(_DEALS_AT_ONCE)

    if options.json:
        _write_json(engine, parts(), options)
        return 0
    for frame in parts():
        if options.mode == "first":
            _print_first(engine, frame)
        else:
            _print_all(engine, frame, options)
    return 0


def _frames(given: list[str]) -> "Iterator[pl.DataFrame]":
    """Frames of the deals that the arguments name, each at least one deal."""
    import polars as pl

    from bidcascade.bridge import InvalidInput
    from bidcascade.loaders import (
        REQUIRED_COLUMNS,
        deal_frame,
        empty_rejects,
        iter_deals,
        parse_deal_line,
    )
    from bidcascade.service.deal_requests import deal_of_lin

    for text in given:
        if text != "-" and not _is_path(text):
            deal = deal_of_lin(text) if "|" in text else parse_deal_line(text)
            yield deal_frame([deal])
            continue
        boards, refused = 0, [empty_rejects()]
        for batch in iter_deals(text):
            boards += batch.deals.height
            refused.append(batch.rejects)
            if batch.deals.height:
                yield batch.deals.select(REQUIRED_COLUMNS)
        rejects = pl.concat(refused)
        if not boards:
            raise InvalidInput(f"expected deals in {text!r}, {no_deals(rejects)}")
        if rejects.height:
            note(f"{rejects.height:,} records of {text!r} are no deals{first_reject(rejects)}")


def _is_path(text: str) -> bool:
    # deals are told from paths by what they look like, so that a slip in either gives a fitting
    # error; a long text is no path, and asking the system for one fails
    if "|" in text or text[1:2] == ":" or len(text) > 1000:
        return False
    path = Path(text)
    return path.exists() or bool(path.suffix and "." not in path.stem and " " not in text)


def _with_overrides(
    frames: "Iterator[pl.DataFrame]", dealer: str | None, sides: str | None
) -> "Iterator[pl.DataFrame]":
    import polars as pl

    from bidcascade.bridge import parse_seat, parse_vulnerability
    from bidcascade.loaders import SEAT_ENUM, VULNERABILITY_ENUM

    columns = []
    if dealer is not None:
        columns.append(pl.lit(parse_seat(dealer).letter, SEAT_ENUM).alias("dealer"))
    if sides is not None:
        text = parse_vulnerability(sides).text
        columns.append(pl.lit(text, VULNERABILITY_ENUM).alias("vulnerability"))
    for frame in frames:
        yield frame.with_columns(columns)


def _limit(engine: "Engine", options: argparse.Namespace) -> int:
    """Most auctions of a deal; those that a system allows can be very many."""
    from bidcascade.systems.allowed import DEFAULT_LIMIT

    most: int = options.limit or (DEFAULT_LIMIT if engine.has_system else _UNLIMITED)
    return most


def _write_json(
    engine: "Engine", frames: "Iterator[pl.DataFrame]", options: argparse.Namespace
) -> None:
    """Write the answer of ``POST /v1/auctions``."""
    import json

    from bidcascade.loaders import deal_arrays
    from bidcascade.service.auction_results import AuctionResults, Query

    results = AuctionResults(engine)
    query = Query(options.mode, options.completed, _limit(engine, options))
    out = sys.stdout
    out.write('{"results":[\n')
    separator = ""
    for frame in frames:
        for result in results.write(deal_arrays(frame), query):
            out.write(separator + result.decode())
            separator = ",\n"
    tail = json.dumps({"table": engine.table_info(), "backend": engine.backend})
    out.write(f"\n],{tail[1:]}\n")


def _print_all(engine: "Engine", frame: "pl.DataFrame", options: argparse.Namespace) -> None:
    found = engine.auctions(frame, completed_only=options.completed, limit=_limit(engine, options))
    labels = engine.variants(frame, found)
    rows: dict[int, list[tuple[str, str, str]]] = {number: [] for number in range(frame.height)}
    totals = dict.fromkeys(rows, 0)
    columns = found.select("deal", "calls", "completed", "total").iter_rows()
    for (deal, calls, completed, total), names in zip(columns, labels, strict=True):
        rows[deal].append((calls, "complete" if completed else "", " / ".join(names)))
        totals[deal] = total
    for number, lines in rows.items():
        print(_deal_text(frame, number))
        print_table(("auction", "", "last call"), lines)
        kind = "complete auctions" if options.completed else "auctions"
        cut = len(lines) < totals[number]
        least = "at least " if cut and engine.has_system else ""
        more = f", the first {len(lines):,} listed" if cut else ""
        print(f"{least}{totals[number]:,} {kind}{more}\n")


def _print_first(engine: "Engine", frame: "pl.DataFrame") -> None:
    from bidcascade.bridge import format_calls

    for row in engine.auctions(frame, mode="first").iter_rows(named=True):
        print(_deal_text(frame, row["deal"]))
        by = "" if row["declarer"] is None else f" by {row['declarer']}"
        defaults = f"  ({row['defaults']} passes by default)" if row["defaults"] else ""
        print(f"  {format_calls(row['auction'])}  {row['contract']}{by}{defaults}")


def _deal_text(frame: "pl.DataFrame", number: int) -> str:
    from bidcascade.bridge import Deal, format_deal

    north, east, south, west, dealer, sides = frame.row(number)[:6]
    deal = format_deal(Deal((north, east, south, west)))
    return f"{deal}  dealer {dealer}, vulnerable {sides}"


def configure_bid(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``bid``."""
    parser.add_argument("hand", metavar="HAND", help="13 cards: 'K52.AQ3.9876.KJ2' (S.H.D.C)")
    parser.add_argument(
        "--auction", default="", metavar="CALLS", help="calls so far, from the dealer on: '1N P'"
    )
    parser.add_argument("--dealer", default="N", metavar="SEAT", help="who dealt (default: N)")
    parser.add_argument("--vul", default="None", metavar="V", help="None, NS, EW or Both")
    parser.add_argument("--explain", action="store_true", help="show why, for every candidate")
    add_simulation_options(parser)
    add_table_options(parser)
    add_json_option(parser)
    parser.set_defaults(handler=bid)


def bid(options: argparse.Namespace) -> int:
    """Bid one hand."""
    from bidcascade.bridge import (
        Auction,
        parse_calls,
        parse_hand,
        parse_seat,
        parse_vulnerability,
    )

    # what is wrong with the arguments is told before a table is opened
    hand = parse_hand(options.hand)
    dealer = parse_seat(options.dealer)
    sides = parse_vulnerability(options.vul)
    calls = Auction.of(parse_calls(options.auction), dealer).calls
    engine = open_engine(options)
    answer = engine.bid(hand, calls, dealer=dealer, vulnerability=sides)
    answer, simulation = simulated(options, engine, answer, hand, calls, dealer, sides)
    if options.json:
        written = answer.to_dict() | ({} if simulation is None else {"simulation": simulation})
        print_json({**written, "table": engine.table_info(), "backend": engine.backend})
        return 0
    about = ": ".join(text for text in (answer.name, answer.description) if text)
    where = f"  ({answer.where})" if answer.where else ""
    print(f"{answer.call}  {about or answer.note or 'undescribed'}{where}")
    if simulation is not None:
        print_simulation(simulation, answer.note if about else "")
    if options.explain:
        _print_candidates(answer)
    return 0


def _print_candidates(answer: "BidAnswer") -> None:
    made = next((n for n, one in enumerate(answer.candidates) if one.holds), None)
    left_out = 0
    for number, candidate in enumerate(answer.candidates):
        if made is not None and number > made and not candidate.holds:
            # a system has dozens of lines; those that neither fit nor came first say little
            left_out += 1
            continue
        about = ": ".join(text for text in (candidate.name, candidate.description) if text)
        print(f"{'*' if candidate.holds else ' '} {candidate.call:2}  {about or 'undescribed'}")
        for check in candidate.criteria:
            mark = "yes" if check["holds"] else "no"
            print(f"       {mark:3}  {check['expression']}  ({_value_text(check['value'])})")
        if candidate.taken_by is not None:
            print(f"       but  {candidate.taken_by} comes first")
    if left_out:
        print(f"  {left_out} more behind it, none of which holds")


def _value_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value_text(one)}" for name, one in value.items())
    return "no test of the hand" if value is None else str(value)
