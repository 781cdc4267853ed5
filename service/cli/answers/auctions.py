"""Commands about single deals and hands: ``auctions`` and ``bid``, which may simulate."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bidcascade.engine.questions.bidding.answered_bid import answer_bid
from bidcascade.engine.questions.bidding.bids import (
    BidAnswer,
    BidRequest,
    SearchAnswer,
    SearchRequest,
    SimulateRequest,
    SimulationAnswer,
    read_bid,
)
from bidcascade.engine.questions.parts.fields import check_values
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.service.cli import shared
from bidcascade.service.cli.flags import add_flags, question_of

from .simulation import print_simulation

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.engine.engine import Engine
    from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy

_DEALS_AT_ONCE = 500


def configure_auctions(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``auctions``."""
    from bidcascade.engine.questions.deals.auctions import AuctionsRequest

    add = parser.add_argument
    add(
        "deals",
        nargs="+",
        metavar="DEAL",
        help="PBN text 'N:hand hand hand hand', LIN text, a file of deals, or -",
    )
    add("--dealer", metavar="SEAT", help="who deals (default: as the deal says)")
    add("--vul", metavar="V", help="None, NS, EW or Both (default: as it says)")
    add_flags(parser, AuctionsRequest)
    shared.add_table_options(parser)
    shared.add_json_option(parser)


def auctions(options: argparse.Namespace) -> None:
    """List the auctions of deals."""
    if options.mode == "first" and (options.completed_only or options.limit):
        raise shared.UsageError("expected --completed and --limit only with --mode all")
    frames = _with_overrides(_frames(options.deals), options.dealer, options.vul)
    first = next(frames)
    engine = shared.open_engine(options)
    parts = (part for one in (first, *frames) for part in one.iter_slices(_DEALS_AT_ONCE))
    if options.json:
        _write_json(engine, parts, options)
        return
    for frame in parts:
        if options.mode == "first":
            _print_first(engine, frame)
        else:
            _print_all(engine, frame, options)


def _frames(given: list[str]) -> "Iterator[pl.DataFrame]":
    """Frames of the deals that the arguments name, each at least one deal."""
    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.questions.deals.deal_reading import deal_of_lin
    from bidcascade.loaders import (
        REQUIRED_COLUMNS,
        Rejects,
        deal_frame,
        iter_deals,
        parse_deal_line,
    )

    for text in given:
        if text != "-" and not _is_path(text):
            yield deal_frame([deal_of_lin(text) if "|" in text else parse_deal_line(text)])
            continue
        boards, refused = 0, Rejects()
        for batch in iter_deals(text, whole=True):
            boards += batch.deals.height
            refused.add(batch.rejects)
            if batch.deals.height:
                yield batch.deals.select(REQUIRED_COLUMNS)
        rejects = refused.frame()
        if not boards:
            raise InvalidInput(f"expected deals in {text!r}, {shared.no_deals(rejects)}")
        if rejects.height:
            why = shared.first_reject(rejects)
            shared.note(f"{refused.count:,} records of {text!r} are no deals{why}")


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
    yield from (frame.with_columns(columns) for frame in frames)


def _limit(engine: "Engine", options: argparse.Namespace) -> int:
    """Most auctions of a deal; those that a system allows can be very many."""
    most: int = options.limit or engine.bidder.usual_limit
    return most


def _write_json(
    engine: "Engine", frames: "Iterator[pl.DataFrame]", options: argparse.Namespace
) -> None:
    """Write the answer of ``POST /v1/auctions``."""
    import json

    from bidcascade.loaders import deal_arrays
    from bidcascade.service.api.shared.auction_results import AuctionResults
    from bidcascade.systems.bidding.bidder_protocol import Query

    results = AuctionResults(engine)
    query = Query(options.mode, options.completed_only, _limit(engine, options))
    out = sys.stdout
    out.write('{"results":[\n')
    separator = ""
    deals = 0
    for frame in frames:
        deals += frame.height
        for result in results.write(deal_arrays(frame), query):
            out.write(separator + result.decode())
            separator = ",\n"
    backend = engine.backend_for(options.mode, deals)
    tail = json.dumps({"table": engine.table_info(), "backend": backend})
    out.write(f"\n],{tail[1:]}\n")


def _print_all(engine: "Engine", frame: "pl.DataFrame", options: argparse.Namespace) -> None:
    completed, limit = options.completed_only, _limit(engine, options)
    found = engine.auctions(frame, completed_only=completed, limit=limit)
    labels = engine.variants(frame, found)
    is_table = found["entry"].null_count() < found.height
    rows: dict[int, list[tuple[str, str, str]]] = {number: [] for number in range(frame.height)}
    totals = dict.fromkeys(rows, 0)
    columns = found.select("deal", "calls", "completed", "total").iter_rows()
    for (deal, calls, completed, total), names in zip(columns, labels, strict=True):
        rows[deal].append((calls, "complete" if completed else "", " / ".join(names)))
        totals[deal] = total
    for number, lines in rows.items():
        print(_deal_text(frame, number))
        shared.print_table(("auction", "", "last call"), lines)
        kind = "complete auctions" if completed else "auctions"
        cut = len(lines) < totals[number]
        # a table knows how many there are, the walk through a system ends where it is cut
        least = "at least " if cut and not is_table else ""
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
    add_flags(parser, BidRequest)
    parser.add_argument("--explain", action="store_true", help="show why, for every candidate")
    # without defaults, so that those which are given where they say nothing can be refused
    add_flags(parser, SimulateRequest, scoring=None, seed=None)
    add_flags(parser, SearchRequest, "kinds", "margin", "errors", "doubled")
    shared.add_table_options(parser)
    parser.add_argument(
        "--meanings",
        metavar="SYSTEM",
        help="where --table is a foreign engine (engine:COMMAND or engine:http://…): the system "
        "that the auction is read by when its call is simulated (default: sayc)",
    )
    shared.add_engine_options(parser)
    shared.add_json_option(parser)


def bid(options: argparse.Namespace) -> None:
    """Bid one hand."""
    from bidcascade.seats.foreign.protocol import Turn, is_engine_name

    question = question_of(BidRequest, options)
    search = _check_trials(options, question)
    if question.hand[1:2] == ":":
        if is_engine_name(options.table):
            raise shared.UsageError("expected one hand with a foreign engine, got a deal")
        _bid_known_hands(options, question)
        return
    # what is wrong with the arguments is told before a table is opened
    asked = read_bid(
        replace(
            question,
            simulate=_simulate_wish(options),
            search=search,
            candidates=options.explain or options.json,
            words=options.explain or not options.json,
        )
    )
    if is_engine_name(options.table):
        from .foreign import bid_foreign

        bid_foreign(options, Turn(asked.hand, asked.dealer, asked.vulnerability, asked.calls))
        return
    engine = shared.open_engine(options)
    with ExitStack() as stack:

        def solver() -> "DoubleDummy":
            return stack.enter_context(shared.double_dummy_pool())

        answer = answer_bid(asked, Resources(engine=engine, solver=solver))
    if options.json:
        shared.print_json(answer, engine)
        return
    about = ": ".join(text for text in (answer.name, answer.description) if text)
    where = f"  ({answer.where})" if answer.where else ""
    is_searched = isinstance(answer.search, SearchAnswer)
    note = answer.note.partition("; made by search: ")[0] if is_searched else answer.note
    print(f"{answer.call}  {about or note or 'undescribed'}{where}")
    if isinstance(answer.nearest, tuple) and not answer.default_pass | bool(answer.nearest):
        print("   no other call stands above it")
    elif isinstance(answer.nearest, tuple) and answer.nearest:
        needs = "; ".join(f"{one.call} needs {one.needs}" for one in answer.nearest)
        print(f"   no call above {answer.call} fits: {needs}")
    if isinstance(answer.simulation, SimulationAnswer):
        print_simulation(answer.simulation, answer.note if about else "")
    if isinstance(answer.search, SearchAnswer):
        _print_search(answer.search)
    if options.explain:
        _print_candidates(answer)


def _check_trials(options: argparse.Namespace, question: BidRequest) -> SearchRequest | None:
    """Give how to search; raise where flags of a search or simulation make no sense together."""
    from bidcascade.seats.foreign.protocol import is_engine_name

    search = None
    if question.search:
        if options.layouts is not None:
            raise shared.UsageError("expected --search or --simulate, got both")
        if is_engine_name(options.table):
            raise shared.UsageError("expected a system with --search, got a foreign engine")
        search = _search_wish(options, question.search)
    simulates = options.layouts is not None
    of_search = (question.search, "--search")
    of_simulation = (simulates, "--simulate")
    of_both = (simulates or question.search, "--simulate or --search")
    needs: dict[str, tuple[object, object, str]] = {
        "search-kinds": (options.kinds or None, *of_search),
        "margin": (options.margin, *of_search),
        "errors": (options.errors, *of_search),
        "doubled": (options.doubled or None, *of_search),
        "scoring": (options.scoring, *of_simulation),
        "meanings": (options.meanings, *of_simulation),
        "budget-ms": (options.budget_ms, *of_both),
        "tricks": (options.double_dummy, *of_both),
        "seed": (options.seed, *of_both),
    }
    for name, (value, is_used, wanted) in needs.items():
        if value is not None and not is_used:
            raise shared.UsageError(f"expected --{name} with {wanted}, got it without")
    if options.meanings is not None and not is_engine_name(options.table):
        raise shared.UsageError(
            f"expected --meanings with a foreign engine as --table, got {options.table!r}"
        )
    return search


def _search_wish(options: argparse.Namespace, search: object) -> SearchRequest:
    """Say how the call is to be searched."""
    from bidcascade.engine.questions.bidding.searched_bid import rules_of

    # the layouts of the parsed arguments are those of a simulation
    layouts = search if isinstance(search, int) and search is not True else None
    wish = replace(question_of(SearchRequest, options), layouts=layouts)
    shared.read_argument(check_values, wish)
    shared.read_argument(lambda rules: rules.check(), rules_of(wish))
    return wish


def _simulate_wish(options: argparse.Namespace) -> SimulateRequest | None:
    """Say how the call is to be simulated."""
    if options.layouts is None:
        return None
    wish = question_of(SimulateRequest, options)
    check_values(wish)
    return wish


def _bid_known_hands(options: argparse.Namespace, question: BidRequest) -> None:
    """Bid the known hands of a deal, and say where an unknown one is to call."""
    from bidcascade.bridge import (
        Auction,
        InvalidDeal,
        format_call,
        parse_calls,
        parse_seat,
        parse_vulnerability,
    )
    from bidcascade.engine.known_seats import bid_known, known_answer
    from bidcascade.loaders import read_hands

    if options.explain or options.layouts or question.search:
        raise shared.UsageError(
            "expected one hand with --explain, --simulate or --search, got a deal"
        )
    hands = read_hands(question.hand)
    if isinstance(hands, str):
        raise InvalidDeal(hands)
    dealer, sides = parse_seat(question.dealer), parse_vulnerability(question.vulnerability)
    given = Auction.of(parse_calls(question.auction), dealer).calls
    engine = shared.open_engine(options)
    found = bid_known(engine, hands, given, dealer=dealer, vulnerability=sides)
    if options.json:
        shared.print_json(known_answer(found), engine)
        return
    for one in found.calls:
        answer = one.answer
        about = (
            "given"
            if answer is None
            else ": ".join(text for text in (answer.name, answer.description) if text)
            or answer.note
            or "undescribed"
        )
        print(f"{one.seat.letter}  {format_call(one.call):2}  {about}")
    if found.stops_at is not None:
        print(f"{found.stops_at.letter} is to call, whose hand is unknown")


def _print_candidates(answer: BidAnswer) -> None:
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
            mark = "yes" if check.holds else "no"
            print(f"       {mark:3}  {check.expression}  ({_value_text(check.value)})")
        if candidate.taken_by is not None:
            print(f"       but  {candidate.taken_by} comes first")
    if left_out:
        print(f"  {left_out} more behind it, none of which holds")


def _value_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value_text(one)}" for name, one in value.items())
    return "no test of the hand" if value is None else str(value)


def _print_search(search: SearchAnswer) -> None:
    """Print what each call is worth against the system's own, and what was called why."""
    print(f"   search: {search.why}")
    if not search.candidates:
        return
    rows = []
    for one in search.candidates:
        missed = one.missed
        ends = ", ".join(
            f"{ends.contract} {ends.layouts:.0f}"
            + ("" if ends.contract == "Pass" else f" (makes in {ends.made:.0f})")
            for ends in one.outcomes
        )
        line = "no line" if missed is None else "holds" if missed == 0 else f"missed by {missed}"
        error = "" if one.error is None else f"{one.error:.2f}"
        rows.append((one.call, line, f"{one.gain:+.2f}", error, f"{one.points:+.0f}", ends))
    layouts = search.layouts
    of = f"of {layouts.used} layout{'s' * (layouts.used != 1)}"
    heads = ("call", "line", "IMPs", "error", "score", of)
    shared.print_table(heads, rows)
    print(f"against tables where {search.own} is called; seed {layouts.seed}")
