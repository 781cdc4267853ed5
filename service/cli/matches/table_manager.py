"""Command ``table-manager``: a table for four programs, and a seat of ours at one."""

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, file_ending

if TYPE_CHECKING:
    import threading

    from bidcascade.bridge import EngineFailed, Seat
    from bidcascade.inference.card_play.choosing import CardPlayer
    from bidcascade.seats.foreign.bidding import Player

_DEFAULT_BOARDS = 16
_FEWEST_LAYOUTS = 4
_LOOPBACK = "127.0.0.1"
_ANY_ADDRESS = ("", "0.0.0.0")
"""Who listens at these is reached by loopback."""


def configure_table_manager(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``table-manager``."""
    action = shared.actions_of(parser)
    hosting = action("host", "seat four programs and play boards with them", host)
    add = hosting.add_argument
    add(
        "--ns",
        metavar="SYSTEM",
        help="a system or foreign engine of ours sits North-South; else programs are waited for",
    )
    add("--ew", metavar="SYSTEM", help="the same East-West")
    add(
        "--boards",
        dest="deals",
        type=shared.whole_number(1, 10**6),
        metavar="N",
        help=f"random boards (default: {_DEFAULT_BOARDS})",
    )
    add("--from", dest="source", metavar="FILE", help="boards of a file instead")
    add(
        "--seed",
        type=shared.whole_number(0, 2**63 - 1),
        default=1,
        metavar="S",
        help="of random boards (default: 1)",
    )
    add_output(
        hosting,
        "--log",
        help="PBN file of what was bid, alerted and played",
        check=file_ending(".pbn"),
    )
    add("--room", choices=("open", "closed"), default="open", help="for the log (default: open)")
    add(
        "--call-s",
        type=shared.whole_number(1),
        default=60,
        metavar="S",
        help="how long a player may take for a call or a card (default: 60)",
    )
    add(
        "--seating-s",
        type=shared.whole_number(1),
        default=600,
        metavar="S",
        help="how long programs are waited for (default: 600)",
    )
    _add_address(hosting, 0, "any that is free, which is told")
    sitting = action("sit", "take a seat at a table manager's table", sit, json=False)
    add = sitting.add_argument
    add("seat", metavar="SEAT", help="N, E, S or W")
    add("player", metavar="SYSTEM", help="a system, a file .bidding, or a foreign engine")
    add("--team", default="", metavar="NAME", help="the same for both of a side (default: SYSTEM)")
    _add_address(sitting, 2000, "2000")
    for one in (hosting, sitting):
        help_text = (
            "who is to play may claim, and is asked about; for programs that all know the lines"
            if one is hosting
            else "claim when all tricks are sure, at a table that takes claims"
        )
        one.add_argument("--claims", action="store_true", help=help_text)
        one.add_argument(
            "--card-ms",
            type=shared.whole_number(0),
            metavar="MS",
            help="how long a seat of ours may think about a card; 0: it plays by rules of thumb "
            "(default: 1000)",
        )
        one.add_argument(
            "--layouts",
            type=shared.whole_number(_FEWEST_LAYOUTS, 10_000),
            metavar="N",
            help="look at so many layouts for a card, however long it takes, instead: the same "
            "cards whatever else the machine does",
        )
        one.add_argument(
            "--weigh-cards",
            action="store_true",
            help="layouts count by how likely others would have played their cards in them",
        )
        shared.add_system_option(one)
        shared.add_player_options(one)


def _add_address(parser: argparse.ArgumentParser, port: int, help_text: str) -> None:
    parser.add_argument(
        "--host",
        default=_LOOPBACK,
        metavar="ADDRESS",
        help=f"where the table manager is (default: {_LOOPBACK})",
    )
    parser.add_argument(
        "--port",
        type=shared.whole_number(0, 65_535),
        default=port,
        metavar="P",
        help=f"its port (default: {help_text})",
    )


def host(options: argparse.Namespace) -> None:
    """Play boards with four programs, and write the log, also of a session that somebody ended."""
    import threading
    from pathlib import Path

    from bidcascade.bridge import EngineFailed, Seat
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.loaders import write_pbn
    from bidcascade.seats.table_manager.host import TableHost

    from .matches import match_deals, opened_players

    if options.deals is not None and options.source is not None:
        raise shared.UsageError("expected --boards or --from, got both")
    log = None if options.log is None else Path(options.log)
    names = [options.ns, options.ew]
    ours = [side for side, name in enumerate(names) if name is not None]
    failures: list[EngineFailed] = []
    with ExitStack() as stack:
        players = stack.enter_context(
            opened_players([name for name in names if name is not None], options)
        )
        others = players[::-1] if len(players) == 2 else [None] * len(players)
        choosers = [
            _card_player(player, options, other)
            for player, other in zip(players, others, strict=True)
        ]
        deals, _ = match_deals(options.source, None, options.deals or _DEFAULT_BOARDS, options.seed)
        table = TableHost(
            deals, options.host, options.port, call_s=options.call_s, claims=options.claims
        )
        threads: list[threading.Thread] = []
        # the table is closed before, which ends the seats
        stack.callback(_wait_for, threads, options.call_s)
        stack.enter_context(table)
        shared.note(f"waiting for programs at {options.host}:{table.port}")
        address = _LOOPBACK if options.host in _ANY_ADDRESS else options.host
        threads += [
            threading.Thread(
                target=_sit_down,
                args=(address, table.port, Seat(seat), player, chooser, failures),
                kwargs={"claims": options.claims},
            )
            for side, player, chooser in zip(ours, players, choosers, strict=True)
            for seat in (side, side + 2)
        ]
        for thread in threads:
            thread.start()
        bar = stack.enter_context(progress_bar("table-manager"))
        try:
            table.seat_all(options.seating_s, is_wanted=lambda: not failures)
            table.play(lambda done, total: bar(done, total, done))
        except EngineFailed as error:
            # a seat of ours knows best why it left, and says so when it has
            table.close()
            _wait_for(threads, options.call_s)
            raise failures[0] if failures else error from None
        finally:
            if log is not None and table.boards:
                write_pbn(table.frame(options.room), log)
                shared.note_written(len(table.boards), "board", str(log))
    scores = [one.score for one in table.boards]
    report = {
        "boards": len(scores),
        "score": sum(scores),
        "teams": {"NS": table.teams[Seat.NORTH], "EW": table.teams[Seat.EAST]},
    }
    if options.json:
        shared.print_json(report)
        return
    print(
        f"{table.teams[Seat.NORTH]} (N/S) against {table.teams[Seat.EAST]} (E/W): "
        f"{len(scores):,} boards, {sum(scores):+,} points for N/S"
    )


def _wait_for(threads: "list[threading.Thread]", timeout_s: float) -> None:
    for thread in threads:
        thread.join(timeout_s)


def _card_player(
    player: "Player", options: argparse.Namespace, other: "Player | None" = None
) -> "CardPlayer":
    """Who chooses the cards of a player; what calls of a foreign engine mean is not known."""
    from dataclasses import replace

    from bidcascade.inference.card_play.choosing import DEFAULT_BUDGET_MS, CardPlayer
    from bidcascade.inference.card_play.likelihood import CardInference
    from bidcascade.seats.foreign.bidding import system_of

    if options.layouts is not None and options.card_ms is not None:
        raise shared.UsageError("expected --card-ms or --layouts, got both")
    own = system_of(player)
    chooser = CardPlayer(
        own,
        None if own is None or other is None else system_of(other),
        DEFAULT_BUDGET_MS if options.card_ms is None else options.card_ms,
        inference=CardInference() if options.weigh_cards else None,
    )
    if options.layouts is None:
        return chooser
    return replace(chooser, budget_ms=None, layouts=options.layouts)


def _sit_down(
    address: str,
    port: int,
    seat: "Seat",
    player: "Player",
    cards: "CardPlayer",
    failures: "list[EngineFailed]",
    *,
    claims: bool,
) -> None:
    """Play a seat of ours; what its engine did wrong is told by the table."""
    from bidcascade.bridge import EngineFailed
    from bidcascade.seats.table_manager.seat import sit as take_seat

    try:
        team = f"{player.name} {'NE'[seat % 2]}"
        take_seat(address, port, seat, player, team=team, cards=cards, claims=claims)
    except EngineFailed as error:
        if "table manager" not in str(error):
            failures.append(error)


def sit(options: argparse.Namespace) -> None:
    """Play a seat until the session ends."""
    from bidcascade.bridge import parse_seat
    from bidcascade.seats.table_manager.seat import sit as take_seat

    from .matches import opened_players

    seat = parse_seat(options.seat)
    with opened_players([options.player], options) as (player,):
        boards = take_seat(
            options.host,
            options.port,
            seat,
            player,
            team=options.team,
            cards=_card_player(player, options),
            claims=options.claims,
        )
    shared.note(f"{boards:,} boards played")
