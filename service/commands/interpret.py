"""Commands ``interpret`` and ``layouts``: what an auction shows, and deals that fit it."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import (
    add_board_options,
    add_json_option,
    add_layout_options,
    add_table_options,
    check_out,
    note,
    open_engine,
    print_json,
    print_table,
    tell_written,
    whole_number,
)

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.inference import HandPicture, Interpretation, Layouts
    from bidcascade.inference.layouts.result import LayoutReport
    from bidcascade.inference.layouts.steps import Source
    from bidcascade.service.engine import Engine
    from bidcascade.service.inference.auction_questions import AuctionQuestion

_SUITS = "SHDC"
_SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_NEXT_SHOWN = 12
_LEAST_SHOWN = 0.005
_BARS = " ▁▂▃▄▅▆▇█"


def configure_interpret(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``interpret``."""
    _add_auction(parser)
    parser.add_argument(
        "--layouts", type=whole_number(1), default=500, metavar="N",
        help="deals that chances are counted over (default: 500)",
    )  # fmt: skip
    _add_rest(parser)
    parser.set_defaults(handler=interpret)


def configure_layouts(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``layouts``."""
    _add_auction(parser)
    parser.add_argument(
        "--count", dest="layouts", type=whole_number(1), default=10, metavar="N",
        help="deals wanted (default: 10)",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FILE", help="deals as .parquet (with their weights), .lin or .pbn"
    )
    _add_rest(parser)
    parser.set_defaults(handler=layouts)


def _add_auction(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "auction", nargs="?", default="", metavar="AUCTION",
        help="the calls, from the dealer on: '1N P 2C P'; it may go on or be over",
    )  # fmt: skip
    add_board_options(parser)


def _add_rest(parser: argparse.ArgumentParser) -> None:
    add_layout_options(parser, "--hand")
    parser.add_argument(
        "--opponents", metavar="SYSTEM", help="what the side plays that did not deal, if another"
    )
    add_table_options(parser)
    add_json_option(parser)


def _source(engine: "Engine", options: argparse.Namespace) -> "Source":
    """Say what tells the meaning of calls: the system, against another one if asked for."""
    from bidcascade.service.cli import UsageError
    from bidcascade.service.inference.sources import layouts_source
    from bidcascade.systems import open_system

    if not options.opponents:
        return layouts_source(engine)
    if engine.system is None or options.overlays:
        raise UsageError(
            f"expected --opponents only with a system without overlays, got it for "
            f"{options.table!r}"
        )
    return engine.system.expander(open_system(options.opponents))


def _question(options: argparse.Namespace) -> "AuctionQuestion":
    """Check what was asked, before a table is opened."""
    from bidcascade.bridge import Auction, parse_seat, parse_vulnerability
    from bidcascade.inference.layouts.known import known_by_seat, parse_known
    from bidcascade.service.inference.auction_questions import AuctionQuestion
    from bidcascade.systems.system import auction_calls

    calls = auction_calls(options.auction)
    dealer = parse_seat(options.dealer)
    Auction.of(calls, dealer)
    known = parse_known(options.known)
    known_by_seat(known)
    return AuctionQuestion(
        calls, dealer, parse_vulnerability(options.vul), known, options.where, options.layouts,
        options.seed, strict=not options.loose,
    )  # fmt: skip


# --- interpret ----------------------------------------------------------------------------------


def interpret(options: argparse.Namespace) -> int:
    """Print what an auction shows."""
    question = _question(options)
    engine = open_engine(options)

    from bidcascade.service.inference.auction_questions import (
        find_interpretation,
        interpretation_dict,
    )

    found = find_interpretation(_source(engine, options), question)
    if options.json:
        print_json(
            {
                **interpretation_dict(found),
                "table": engine.table_info(),
                "backend": engine.backend,
            }
        )
        return 0
    _print_interpretation(found)
    _tell(found.report, options.layouts)
    return 0


def _print_interpretation(found: "Interpretation") -> None:
    dealt = f"{found.dealer} dealt, vulnerable: {found.vulnerability}"
    print(f"{found.auction or 'Nothing called yet'} ({dealt})")
    for seat, picture in found.hands.items():
        shown = found.shown[seat]
        print()
        known = " (known)" if seat in found.known else ""
        print(f"{_PLAYERS[seat]}{known}")
        for call in shown.calls:
            print(f"  {call}")
        if seat in found.known:
            print(f"  {_text_of(picture)}")
        else:
            _print_hand(picture)
    print()
    for side, suit in zip(("North-South", "East-West"), found.agreed, strict=True):
        if suit is not None:
            print(f"Trumps of {side}: {_SUIT_NAMES.get(suit, 'notrump')}")
    if found.next_player is not None:
        print(f"{_PLAYERS[found.next_player]} calls next:")
        shown_calls = [one for one in found.next_calls if one.chance >= _LEAST_SHOWN]
        for one in shown_calls[:_NEXT_SHOWN]:
            print(f"  {100 * one.chance:5.1f} %  {one.call:3} {one.name}".rstrip())


_PLAYERS = {"N": "North", "E": "East", "S": "South", "W": "West"}


def _print_hand(picture: "HandPicture") -> None:
    low, high = picture.points_range
    print(f"  points {picture.mean_points:.1f} ({low}-{high}) {_bars(picture.points, low, high)}")
    rows = []
    for suit in _SUITS:
        few, many = picture.length_ranges[suit]
        honours = " ".join(
            f"{rank} {_percent(chance)}" for rank, chance in picture.honours[suit].items()
        )
        rows.append(
            (
                f"  {_SUIT_NAMES[suit]}",
                f"{picture.mean_lengths[suit]:.1f} ({few}-{many})",
                _bars(picture.lengths[suit], few, many),
                _percent(picture.stoppers[suit]),
                honours,
            )
        )
    print_table(("  suit", "cards", "", "stopper", "honours, chance in %"), rows)
    shapes = ", ".join(f"{shape} {_percent(chance)}" for shape, chance in picture.shapes[:5])
    print(f"  shapes (S=H=D=C, %): {shapes}")
    if picture.keycards is not None:
        counts = ", ".join(
            f"{count}: {_percent(chance)}"
            for count, chance in enumerate(picture.keycards)
            if chance >= _LEAST_SHOWN
        )
        print(f"  keycards (%): {counts}")


def _text_of(picture: "HandPicture") -> str:
    """Text of a hand whose cards are all certain."""
    from bidcascade.bridge import format_hand, parse_card

    return format_hand(
        sum(1 << parse_card(name) for name, chance in picture.cards.items() if chance)
    )


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}"


def _bars(chances: Sequence[float], low: int, high: int) -> str:
    """Chances from ``low`` to ``high`` as a row of bars."""
    part = chances[low : high + 1]
    top = max(part)
    return "".join(_BARS[max(1, round(8 * one / top))] if one and top else _BARS[0] for one in part)


def _tell(report: "LayoutReport", wanted: int) -> None:
    """Say on standard error how the layouts were found."""
    text = (
        f"{report.accepted:,} layouts of {report.proposals:,} deals looked at "
        f"({100 * report.acceptance:.3g} %), effective size {report.effective_size:.0f}"
    )
    if report.accepted < wanted:
        text += f"; {wanted:,} were asked for ({report.stopped_because})"
    note(text)
    for one in report.relaxed:
        note(f"relaxed: {one}")
    for remark in report.notes:
        note(remark)


# --- layouts ------------------------------------------------------------------------------------


def layouts(options: argparse.Namespace) -> int:
    """Print or write deals that fit an auction."""
    if options.out:
        check_out(options.out)
    question = _question(options)
    engine = open_engine(options)

    from bidcascade.service.inference.auction_questions import (
        deal_text,
        find_layouts,
        layouts_dict,
    )

    found = find_layouts(_source(engine, options), question)
    told: Mapping[str, Any] = {}
    if options.json:
        told = layouts_dict(question, found)
        told = {**told, "table": engine.table_info(), "backend": engine.backend}
    if options.out:
        _write(found, options.out, question.seed)
        tell_written(found.hands.shape[1], "layout", options.out)
        told = {key: value for key, value in told.items() if key != "layouts"}
    if options.json and options.out != "-":
        print_json(told)
    elif not options.out:
        equal = bool((found.weights == 1).all())
        for hands, weight in zip(found.hands.T.tolist(), found.weights.tolist(), strict=True):
            print(deal_text(hands) + ("" if equal else f"  {weight:.3f}"))
    _tell(found.report, options.layouts)
    return 0


def _write(found: "Layouts", out: str, seed: int) -> None:
    from bidcascade.service.jobs.deal_files import deal_sink

    with deal_sink(out) as write:
        write(_frame(found, seed, weights=Path(out).suffix.lower() not in (".lin", ".pbn")))


def _frame(found: "Layouts", seed: int, *, weights: bool) -> "pl.DataFrame":
    import polars as pl

    from bidcascade.loaders import board_frame

    frame = board_frame(
        found.hands, f"layouts:{seed}", dealer=found.dealer, vulnerability=found.vulnerability
    )
    return frame.with_columns(pl.Series("weight", found.weights)) if weights else frame
