"""Command ``lead``: which card to lead against a contract."""

import argparse
from typing import TYPE_CHECKING

from .options import (
    add_board_options,
    add_json_option,
    add_layout_options,
    add_table_options,
    note,
    open_engine,
    print_json,
    print_table,
    whole_number,
)

if TYPE_CHECKING:
    from bidcascade.service.inference.leads import LeadAnswer, LeadQuestion

_DEFAULT_LAYOUTS = 100
_PATIENCE_S = 30.0
"""How long a small budget is overrun for the first layout."""


def configure_lead(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``lead``."""
    parser.add_argument(
        "hand", metavar="HAND", help="13 cards of the leader: 'K52.AQ3.9876.KJ2' (S.H.D.C)"
    )
    parser.add_argument(
        "auction", nargs="?", metavar="AUCTION",
        help="the calls, from the dealer on: '1N P 3N'; the passes that end it may be left out, "
        "all of them",
    )  # fmt: skip
    parser.add_argument(
        "--contract", metavar="C",
        help="a contract such as 3NS in place of an auction: the other hands are any then",
    )  # fmt: skip
    add_board_options(parser)
    parser.add_argument(
        "--scoring", choices=("tricks", "set", "matchpoints", "imps"), default="tricks",
        help="what a lead is judged by (default: tricks, the mean of the defenders' tricks)",
    )  # fmt: skip
    parser.add_argument(
        "--layouts", type=whole_number(1), default=_DEFAULT_LAYOUTS, metavar="N",
        help=f"deals of the unseen cards that are solved (default: {_DEFAULT_LAYOUTS})",
    )  # fmt: skip
    add_layout_options(parser)
    parser.add_argument(
        "--budget-ms", type=whole_number(1), metavar="MS",
        help="answer after so long with what is solved by then",
    )  # fmt: skip
    add_table_options(parser)
    add_json_option(parser)
    parser.set_defaults(handler=lead)


def lead(options: argparse.Namespace) -> int:
    """Find the best leads."""
    question = _question(options)
    engine = open_engine(options)

    from bidcascade.inference.double_dummy import DoubleDummyPool
    from bidcascade.service.inference.leads import answer_dict, iter_leads
    from bidcascade.service.inference.sources import layouts_source
    from bidcascade.service.jobs.progress import progress_bar
    from bidcascade.service.settings import read_settings

    answer: LeadAnswer | None = None
    with (
        DoubleDummyPool(read_settings().dd_workers or None) as pool,
        progress_bar("lead") as report,
    ):
        for answer in iter_leads(
            layouts_source(engine), pool, question,
            time_limit_s=None if options.budget_ms is None else options.budget_ms / 1000,
            patience_s=_PATIENCE_S,
        ):  # fmt: skip
            report(answer.study.layouts, answer.study.asked, answer.study.layouts)
    assert answer is not None
    if options.json:
        print_json(
            {
                **answer_dict(question, answer),
                "table": engine.table_info(),
                "backend": engine.backend,
            }
        )
        return 0
    _print(question, answer)
    return 0


def _question(options: argparse.Namespace) -> "LeadQuestion":
    """Check what was asked, before a table is opened."""
    from bidcascade.bridge import parse_contract, parse_hand, parse_seat, parse_vulnerability
    from bidcascade.inference.layouts.known import parse_known
    from bidcascade.service.cli import UsageError
    from bidcascade.service.inference.leads import LeadQuestion, contract_of, whole_auction
    from bidcascade.systems.system import auction_calls

    if (options.auction is None) == (options.contract is None):
        raise UsageError("expected an auction or --contract, and not both")
    hand = parse_hand(options.hand)
    dealer = parse_seat(options.dealer)
    calls: tuple[int, ...] = ()
    if options.contract is not None:
        contract = parse_contract(options.contract)
    else:
        calls = auction_calls(options.auction)
        contract = contract_of(calls, dealer)
        calls = whole_auction(calls, dealer)
    return LeadQuestion(
        hand, contract, calls, dealer, parse_vulnerability(options.vul), options.scoring,
        options.layouts, parse_known(options.known), options.where, options.seed,
        strict=not options.loose,
    )  # fmt: skip


def _print(question: "LeadQuestion", answer: "LeadAnswer") -> None:
    from bidcascade.bridge import format_card

    study, layouts = answer.study, answer.layouts
    rows = []
    for one in study.leads:
        close = "" if one is study.best else "close" if one.is_close else ""
        rows.append(
            (
                one.names,
                f"{one.tricks:.2f}",
                f"{100 * one.set:.0f} %",
                f"{100 * one.matchpoints:.0f} %",
                f"{one.imps:+.2f}",
                f"{100 * one.best_share:.0f} %",
                _interval(one.low, one.high),
                close,
            )
        )
    print(f"{question.leader.letter} leads against {question.contract}, by {study.scoring}")
    print_table(
        ("lead", "tricks", "set", "matchpoints", "IMPs", "best in",
         f"{study.scoring} with 95 %", ""),
        rows,
    )  # fmt: skip
    solved = f"{study.layouts} of {len(layouts)} layouts solved"
    solved += f": lead {format_card(study.card)}"
    if not study.is_decided:
        others = ", ".join(format_card(one.card) for one in study.undecided)
        solved += f"; not decided, as far as they tell as good may be {others}"
    print(solved)
    report = layouts.report
    if len(layouts) < question.layouts:
        note(f"{len(layouts)} layouts found of {question.layouts} ({report.stopped_because})")
    for text in (*map(str, report.relaxed), *report.notes):
        note(text)


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.2f} to {high:.2f}"
