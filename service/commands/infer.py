"""Command ``infer``: what a card tells about the hands that were not seen."""

import argparse
import sys
from typing import TYPE_CHECKING

from .options import add_json_option, note, print_json, print_table, whole_number

if TYPE_CHECKING:
    from bidcascade.inference.single_dummy import Position, Study
    from bidcascade.inference.single_dummy.study import SolvesPlays

_SAMPLED_LAYOUTS = 100
_SAMPLED_HYPOTHESES = 50
_EXACT_CARDS = 5
"""Cards a hand up to which a study is exact unless asked otherwise."""
_SHOWN = 20


def configure_infer(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``infer``."""
    parser.add_argument(
        "ending", metavar="ENDING",
        help="hands still held before the card, as PBN: 'N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A'",
    )  # fmt: skip
    parser.add_argument("--strain", required=True, metavar="C|D|H|S|N", help="trumps, or notrump")
    parser.add_argument(
        "--declarer", required=True, metavar="SEAT", help="tricks are counted for this side"
    )
    parser.add_argument(
        "--leader", metavar="SEAT",
        help="who leads, or has led, to the current trick (default: the player behind declarer)",
    )  # fmt: skip
    parser.add_argument(
        "--trick", nargs="+", default=[], metavar="CARD", help="cards of the current trick so far"
    )
    parser.add_argument(
        "--play", required=True, metavar="CARD", help="the card that is studied, such as SA"
    )
    parser.add_argument(
        "--then", nargs="+", default=[], metavar="CARD",
        help="cards played behind it, before the observer's turn",
    )  # fmt: skip
    parser.add_argument(
        "--opening-lead", action="store_true", help="dummy is put down only behind the card"
    )
    parser.add_argument(
        "--void", nargs="+", default=[], metavar="SEAT+SUITS",
        help="suits that players have shown out of: WC EHS",
    )  # fmt: skip
    parser.add_argument(
        "--ties", default="share", metavar="POLICY",
        help="what the player does with equally good cards: any, share (each as often, the "
        "default), strict (none), first, first:SHDC- (a stated order), softmax:TRICKS",
    )  # fmt: skip
    parser.add_argument(
        "--layouts", type=whole_number(1), metavar="N",
        help=f"sample so many layouts (default: all up to {_EXACT_CARDS} cards a hand, then "
        f"{_SAMPLED_LAYOUTS})",
    )  # fmt: skip
    parser.add_argument(
        "--hypotheses", type=whole_number(1), metavar="N",
        help="sample so many layouts of the player for each of them (default: likewise, then "
        f"{_SAMPLED_HYPOTHESES})",
    )  # fmt: skip
    parser.add_argument(
        "--exact", action="store_true", help="take all layouts, however many cards there are"
    )
    parser.add_argument(
        "--seed", type=whole_number(0, 2**64 - 1), default=0, metavar="S", help="of the samples"
    )
    parser.add_argument(
        "--show", type=whole_number(0), default=_SHOWN, metavar="N",
        help=f"layouts that are listed, the likeliest first (default: {_SHOWN})",
    )  # fmt: skip
    add_json_option(parser)
    parser.set_defaults(handler=infer)


def infer(options: argparse.Namespace) -> int:
    """Study a card."""
    from bidcascade.bridge import parse_card
    from bidcascade.inference.single_dummy import EndingSolver, Position
    from bidcascade.inference.single_dummy import infer as study_of
    from bidcascade.inference.single_dummy.describing import study_dict
    from bidcascade.inference.single_dummy.endings import MOST_CARDS
    from bidcascade.service.cli import UsageError

    if options.exact and (options.layouts or options.hypotheses):
        raise UsageError("expected --exact without --layouts and --hypotheses")
    position = Position.parse(
        options.ending, options.strain, declarer=options.declarer, leader=options.leader,
        trick=map(parse_card, options.trick), dummy_visible=not options.opening_lead,
        void=options.void,
    )  # fmt: skip
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
        position, options.play, then=options.then, ties=options.ties, double_dummy=solver,
        layouts=layouts, hypotheses=hypotheses, seed=options.seed,
    )  # fmt: skip
    if options.json:
        print_json(study_dict(study))
    else:
        _print_study(study, options.show)
    return 0


def _print_study(study: "Study", most: int) -> None:
    from bidcascade.bridge import format_card
    from bidcascade.inference.single_dummy.describing import card_rows, layout_rows, step_rows

    print(_what(study.position))
    print_table(("step", "layouts", "weight", "tricks, summed", "best"), step_rows(study))
    action = format_card(study.action)
    if study.after is None:
        note(f"{study.position.turn.name.capitalize()} would play {action} in no layout")
    print_table(("card", "without inference", f"after {action}, with inference"), card_rows(study))
    rows = layout_rows(study, most)
    if rows:
        print_table(("layout", "weight"), rows)
    left = study.kept - len(rows)
    if left:
        note(f"{left:,} more layouts; --show lists them")
    sys.stdout.flush()
    sampled = not (study.before.exact and study.actor.exact)
    note(f"{study.endings:,} endings solved" + (", from a sample" if sampled else ""))


def _what(position: "Position") -> str:
    from bidcascade.bridge import STRAINS

    strain = STRAINS[position.strain].replace("N", "NT")
    side = "NS" if position.declarer % 2 == 0 else "EW"
    return f"{strain} by {position.declarer.name.capitalize()}; tricks of {side}"
