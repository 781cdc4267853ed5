"""Commands about hands not seen: ``interpret``, ``layouts``, ``lead`` and ``infer``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.bridge import InvalidInput
from bidcascade.engine.questions.inference.layouts import (
    InterpretAnswer,
    InterpretedHand,
    InterpretRequest,
    LayoutsRequest,
    answer_interpret,
    find_layouts,
    layouts_answer,
    read_interpret,
    read_layouts,
)
from bidcascade.engine.questions.inference.leads import (
    LeadsAnswer,
    LeadsRequest,
    answer_leads,
    read_leads,
)
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.engine.questions.parts.answer_parts import LayoutReport
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.engine.studies import study_answer
from bidcascade.service.cli import shared
from bidcascade.service.cli.flags import add_flags, question_of
from bidcascade.service.cli.outputs import add_output, deals_file

if TYPE_CHECKING:
    from bidcascade.engine.engine import Engine
    from bidcascade.inference import Layouts
    from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy, SolvesPlays
    from bidcascade.inference.layouts.meanings import MeaningSource
    from bidcascade.inference.single_dummy import Study

_SUITS = "SHDC"
_SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_PLAYERS = {"N": "North", "E": "East", "S": "South", "W": "West"}
_NEXT_SHOWN = 12
_LEAST_SHOWN = 0.005
_BARS = " ▁▂▃▄▅▆▇█"
_PATIENCE_S = 30.0
"""How long a small budget for leads is overrun for the first layout."""
_SAMPLED_LAYOUTS = 100
_SAMPLED_HYPOTHESES = 50
_EXACT_CARDS = 5
"""Cards a hand up to which a study is exact unless asked otherwise."""
_SHOWN = 20


def configure_interpret(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``interpret``."""
    add_flags(parser, InterpretRequest)
    _add_rest(parser)


def configure_layouts(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``layouts``."""
    add_flags(parser, LayoutsRequest)
    add_output(
        parser,
        "--out",
        help=f"{shared.DEALS_OUT_HELP} (.parquet with their weights)",
        check=deals_file,
        takes_stdout=True,
    )
    _add_rest(parser)


def _add_rest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--opponents", metavar="SYSTEM", help="what the side plays that did not deal, if another"
    )
    shared.add_table_options(parser)
    shared.add_json_option(parser)


def _source(engine: "Engine", options: argparse.Namespace) -> "MeaningSource":
    """Say what tells the meaning of calls: the system, against another one if asked for."""
    from bidcascade.bridge import NoSystem
    from bidcascade.systems import open_system

    if not options.opponents:
        return engine.bidder.meanings
    try:
        system = engine.bidder.plain_system
    except NoSystem:
        raise shared.UsageError(
            f"expected --opponents only with a system without overlays, got it for "
            f"{options.table!r}"
        ) from None
    _, chosen = shared.chosen_options(options, options.table, options.opponents)
    return system.reader(open_system(options.opponents, options=chosen))


def _resources(
    options: argparse.Namespace, engine: "Engine", solver: "DoubleDummy | None" = None
) -> Resources:
    """Give what a question about an auction is answered with."""
    from bidcascade.inference.double_dummy.pool import default_pool

    return Resources(
        solver=default_pool if solver is None else lambda: solver,
        meanings=_source(engine, options),
    )


# --- interpret ----------------------------------------------------------------------------------


def interpret(options: argparse.Namespace) -> None:
    """Print what an auction shows."""
    # what is wrong with the arguments is told before a table is opened
    question = read_interpret(question_of(InterpretRequest, options))
    engine = shared.open_engine(options)
    found = answer_interpret(question, _resources(options, engine))
    if options.json:
        shared.print_json(found, engine)
        return
    _print_interpretation(found)
    _note_layouts(found.report, question.layouts)


def _print_interpretation(found: InterpretAnswer) -> None:
    dealt = f"{found.dealer} dealt, vulnerable: {found.vulnerability}"
    print(f"{' '.join(found.auction) or 'Nothing called yet'} ({dealt})")
    for seat, picture in found.hands.items():
        print(f"\n{_PLAYERS[seat]}{' (known)' if seat in found.known else ''}")
        for call in picture.shown.calls:
            print(f"  {call}")
        if seat in found.known:
            print(f"  {_text_of(picture)}")
        else:
            _print_hand(picture)
    print()
    for side, suit in (("North-South", found.agreed.NS), ("East-West", found.agreed.EW)):
        if suit is not None:
            print(f"Trumps of {side}: {_SUIT_NAMES.get(suit, 'notrump')}")
    if found.next_player is not None:
        print(f"{_PLAYERS[found.next_player]} calls next:")
        shown_calls = [one for one in found.next_calls if one.chance >= _LEAST_SHOWN]
        for one in shown_calls[:_NEXT_SHOWN]:
            print(f"  {100 * one.chance:5.1f} %  {one.call:3} {one.name}".rstrip())


def _print_hand(picture: InterpretedHand) -> None:
    low, high = picture.points_range
    print(f"  points {picture.mean_points:.1f} ({low}-{high}) {_bars(picture.points, low, high)}")
    rows = []
    for suit in _SUITS:
        few, many = picture.length_ranges[suit]
        honours = " ".join(
            f"{rank} {_percent(chance)}" for rank, chance in picture.honours[suit].items()
        )
        rows.append((
            f"  {_SUIT_NAMES[suit]}", f"{picture.mean_lengths[suit]:.1f} ({few}-{many})",
            _bars(picture.lengths[suit], few, many), _percent(picture.stoppers[suit]), honours,
        ))  # fmt: skip
    shared.print_table(("  suit", "cards", "", "stopper", "honours, chance in %"), rows)
    shapes = ", ".join(f"{shape} {_percent(chance)}" for shape, chance in picture.shapes[:5])
    print(f"  shapes (S=H=D=C, %): {shapes}")
    if picture.keycards is not None:
        counts = ", ".join(
            f"{count}: {_percent(chance)}"
            for count, chance in enumerate(picture.keycards)
            if chance >= _LEAST_SHOWN
        )
        print(f"  keycards (%): {counts}")


def _text_of(picture: InterpretedHand) -> str:
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


def _note_layouts(report: LayoutReport, wanted: int) -> None:
    """Say on standard error how the layouts were found."""
    text = (
        f"{report.accepted:,} layouts of {report.proposals:,} deals looked at "
        f"({100 * report.acceptance:.3g} %), effective size {report.effective_size:.0f}"
    )
    if report.accepted < wanted:
        text += f"; {wanted:,} were asked for ({report.stopped_because})"
    shared.note(text)
    for remark in (*(f"relaxed: {one}" for one in report.relaxed), *report.notes):
        shared.note(remark)


# --- layouts ------------------------------------------------------------------------------------


def layouts(options: argparse.Namespace) -> None:
    """Print or write deals that fit an auction."""
    question = read_layouts(question_of(LayoutsRequest, options))
    engine = shared.open_engine(options)
    found = find_layouts(question, _resources(options, engine))
    answer = layouts_answer(question, found)
    report = plain(answer) if options.json else {}
    if options.out:
        _write(found, options.out, question.seed)
        shared.note_written(len(found), "layout", options.out)
        report = {key: value for key, value in report.items() if key != "layouts"}
    if options.json and options.out != "-":
        shared.print_json(report, engine)
    elif not options.out:
        equal = all(one.weight == 1 for one in answer.layouts)
        for one in answer.layouts:
            print(one.deal + ("" if equal else f"  {one.weight:.3f}"))
    _note_layouts(answer.report, question.layouts)


def _write(found: "Layouts", out: str, seed: int) -> None:
    import polars as pl

    from bidcascade.engine.runs.deal_files import deal_sink
    from bidcascade.loaders import board_frame

    frame = board_frame(
        found.hands, f"layouts:{seed}", dealer=found.dealer, vulnerability=found.vulnerability
    )
    if Path(out).suffix.lower() not in shared.TEXT_SUFFIXES:
        frame = frame.with_columns(pl.Series("weight", found.weights))
    with deal_sink(out) as write:
        write(frame)


# --- lead -----------------------------------------------------------------------------------------


def configure_lead(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``lead``."""
    add_flags(parser, LeadsRequest)
    shared.add_table_options(parser)
    shared.add_json_option(parser)


def lead(options: argparse.Namespace) -> None:
    """Find the best leads."""
    request = question_of(LeadsRequest, options)
    # what is wrong with the arguments is told before a table is opened
    try:
        question = read_leads(request)
    except InvalidInput as error:
        raise shared.UsageError(str(error)) from None
    engine = shared.open_engine(options)

    from bidcascade.engine.runs.progress import progress_bar

    answer: LeadsAnswer | None = None
    with shared.double_dummy_pool() as pool, progress_bar("lead") as report:
        by = Resources(
            solver=lambda: pool,
            meanings=engine.bidder.meanings,
            time_limit_s=None if request.budget_ms is None else request.budget_ms / 1000,
            patience_s=_PATIENCE_S,
        )
        for answer in answer_leads(question, by):
            layouts = answer.layouts
            report(layouts.solved, layouts.found, layouts.solved)
    assert answer is not None
    if options.json:
        shared.print_json(answer, engine)
    else:
        _print_leads(answer)


def _print_leads(answer: LeadsAnswer) -> None:
    from bidcascade.inference.leads import is_close

    rows = []
    for number, one in enumerate(answer.leads):
        close = "close" if number and is_close(one) else ""
        between = "" if one.low is None else f"{one.low:.2f} to {one.high:.2f}"
        rows.append((
            " ".join(one.cards), f"{one.tricks:.2f}", f"{100 * one.set:.0f} %",
            f"{100 * one.matchpoints:.0f} %", f"{one.imps:+.2f}", f"{100 * one.best_share:.0f} %",
            between, close,
        ))  # fmt: skip
    contract, declarer = answer.contract[:-1], answer.contract[-1]
    print(f"{answer.leader} leads against {contract} by {declarer}, by {answer.scoring}")
    shared.print_table(
        ("lead", "tricks", "set", "matchpoints", "IMPs", "best in",
         f"{answer.scoring} with 95 %", ""),
        rows,
    )  # fmt: skip
    layouts = answer.layouts
    why = ", partner's suit" if answer.is_partners else ""
    solved = f"{layouts.solved} of {layouts.found} layouts solved: lead {answer.card}{why}"
    if not answer.decided:
        solved += f"; not decided, as far as they tell as good may be {', '.join(answer.undecided)}"
    print(solved)
    if layouts.found < layouts.asked:
        shared.note(f"{layouts.found} layouts found of {layouts.asked} ({layouts.stopped_because})")
    for text in (*layouts.relaxed, *layouts.notes):
        shared.note(text)
    for text in layouts.natural:
        shared.note(f"taken as natural: {text}")


# --- infer ----------------------------------------------------------------------------------------


def configure_infer(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``infer``."""
    add = parser.add_argument
    add(
        "ending",
        metavar="ENDING",
        help="hands still held before the card, as PBN: 'N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A'",
    )
    add("--strain", required=True, metavar="C|D|H|S|N", help="trumps, or notrump")
    add("--declarer", required=True, metavar="SEAT", help="tricks are counted for this side")
    add(
        "--leader",
        metavar="SEAT",
        help="who leads, or has led, to the current trick (default: the player behind declarer)",
    )
    add("--trick", nargs="+", default=[], metavar="CARD", help="cards of the current trick so far")
    add("--play", required=True, metavar="CARD", help="the card that is studied, such as SA")
    add(
        "--then",
        nargs="+",
        default=[],
        metavar="CARD",
        help="cards played behind it, before the observer's turn",
    )
    add("--opening-lead", action="store_true", help="dummy is put down only behind the card")
    add(
        "--void",
        nargs="+",
        default=[],
        metavar="SEAT+SUITS",
        help="suits that players have shown out of: WC EHS",
    )
    add(
        "--ties",
        default="share",
        metavar="POLICY",
        help="what the player does with equally good cards: any, share (each as often, the "
        "default), strict (none), first, first:SHDC- (a stated order), "
        "softmax:TRICKS",
    )
    add(
        "--layouts",
        type=shared.whole_number(1),
        metavar="N",
        help=f"sample so many layouts (default: all up to {_EXACT_CARDS} cards a hand, then "
        f"{_SAMPLED_LAYOUTS})",
    )
    add(
        "--hypotheses",
        type=shared.whole_number(1),
        metavar="N",
        help="sample so many layouts of the player for each of them (default: likewise, then "
        f"{_SAMPLED_HYPOTHESES})",
    )
    add("--exact", action="store_true", help="take all layouts, however many cards there are")
    add(
        "--seed",
        type=shared.whole_number(0, 2**64 - 1),
        default=0,
        metavar="S",
        help="of the samples",
    )
    add(
        "--show",
        type=shared.whole_number(0),
        default=_SHOWN,
        metavar="N",
        help=f"layouts that are listed, the likeliest first (default: {_SHOWN})",
    )
    shared.add_json_option(parser)


def infer(options: argparse.Namespace) -> None:
    """Study a card."""
    from bidcascade.bridge import parse_card
    from bidcascade.inference.single_dummy import EndingSolver, Position
    from bidcascade.inference.single_dummy import infer as study_of
    from bidcascade.inference.single_dummy.endings import MOST_CARDS
    from bidcascade.inference.single_dummy.ties import Ties

    if options.exact and (options.layouts or options.hypotheses):
        raise shared.UsageError("expected --exact without --layouts and --hypotheses")
    position = Position.parse(
        options.ending,
        options.strain,
        declarer=options.declarer,
        leader=options.leader,
        trick=map(parse_card, options.trick),
        dummy_visible=not options.opening_lead,
        void=options.void,
    )
    cards = max(position.counts)
    layouts, hypotheses = options.layouts, options.hypotheses
    if cards > _EXACT_CARDS and not options.exact:
        layouts = layouts or _SAMPLED_LAYOUTS
        hypotheses = hypotheses or _SAMPLED_HYPOTHESES
    solver: SolvesPlays = EndingSolver()
    if cards > MOST_CARDS:
        from bidcascade.inference.double_dummy.pool import default_pool

        solver = default_pool()
    study = study_of(
        position,
        options.play,
        then=options.then,
        ties=shared.read_argument(Ties.parse, options.ties),
        double_dummy=solver,
        layouts=layouts,
        hypotheses=hypotheses,
        seed=options.seed,
    )
    if options.json:
        shared.print_json(study_answer(study))
    else:
        _print_study(study, options.show)


def _print_study(study: "Study", most: int) -> None:
    from bidcascade.bridge import STRAINS, format_card
    from bidcascade.inference.single_dummy.describing import card_rows, layout_rows, step_rows

    position = study.position
    strain = STRAINS[position.strain].replace("N", "NT")
    side = "NS" if position.declarer % 2 == 0 else "EW"
    print(f"{strain} by {position.declarer.name.capitalize()}; tricks of {side}")
    shared.print_table(("step", "layouts", "weight", "tricks, summed", "best"), step_rows(study))
    action = format_card(study.action)
    if study.after is None:
        shared.note(f"{position.turn.name.capitalize()} would play {action} in no layout")
    heads = ("card", "without inference", f"after {action}, with inference")
    shared.print_table(heads, card_rows(study))
    rows = layout_rows(study, most)
    if rows:
        shared.print_table(("layout", "weight"), rows)
    left = study.possible_layouts - len(rows)
    if left:
        shared.note(f"{left:,} more layouts; --show lists them")
    sys.stdout.flush()
    sampled = not (study.before.exact and study.actor.exact)
    shared.note(f"{study.endings:,} endings solved" + (", from a sample" if sampled else ""))
