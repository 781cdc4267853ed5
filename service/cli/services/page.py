"""Command ``page``: the page as a folder of files that needs no service."""

import argparse
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output

if TYPE_CHECKING:
    from bidcascade.kernels.types import I8
    from bidcascade.systems.system import System

_SOLVED_DEALS = 500
_MOST_SOLVED = 100_000
_SECONDS_A_DEAL = 0.2


def configure_page(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``page``."""
    add = parser.add_argument
    add(
        "systems",
        nargs="*",
        metavar="SYSTEM",
        help="a system's name (sayc, acol, …) or a *.bidding file; the first one is the default "
        "(default: all that come with bidcascade)",
    )
    add_output(
        parser,
        "--out",
        required=True,
        metavar="DIR",
        help="new or empty folder, or with --force one that this command has written",
        check=_page_folder,
        is_there=_is_page,
    )
    shared.add_system_option(parser)
    add(
        "--solved-deals",
        type=shared.whole_number(0, _MOST_SOLVED),
        default=_SOLVED_DEALS,
        metavar="N",
        help="deals on which a changed text plays against the old one; those that are not kept "
        f"from before are solved first (default: {_SOLVED_DEALS})",
    )
    shared.add_workers_option(parser)


def _page_folder(out: str) -> None:
    from bidcascade.page.page_folder import check_page_folder

    check_page_folder(Path(out))


def _is_page(folder: Path) -> bool:
    from bidcascade.page.page_folder import SERVICE_WORKER

    # what a web host has hidden there stays
    return (folder / SERVICE_WORKER).exists()


def page(options: argparse.Namespace) -> None:
    """Write the folder, with the systems that were named and those that they play against."""
    from bidcascade.engine.browser_system import browser_system, topics_answer
    from bidcascade.engine.questions.parts.answer_fields import plain
    from bidcascade.page.page_folder import (
        page_files,
        page_size,
        write_page,
    )
    from bidcascade.page.theme_deals import theme_deals
    from bidcascade.systems.any_bidder import bidder_of

    found = _systems(options)
    systems = [
        (name, {**browser_system(system), **plain(topics_answer(bidder_of(system).topics()))})
        for name, system in found.items()
    ]
    content = dict(page_files(systems, _solved_deals(options), theme_deals))
    write_page(content, Path(options.out))
    size = page_size(content)
    sizes = ", ".join(f"{name} {count // 1000:,} kB" for name, count in size.systems.items())
    shared.note(
        f"wrote the page to {options.out}; packed, as it comes through the network: "
        f"{size.page // 1000:,} kB, {sizes}"
    )


def _solved_deals(options: argparse.Namespace) -> "I8 | None":
    """Tables of the bank's first deals; without a solver the page goes without them."""
    from bidcascade.bridge import BackendUnavailable
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.inference.double_dummy.solved_deals import solved_bank, solved_beginning
    from bidcascade.inference.double_dummy.table_cache import user_tables

    wanted, cache = options.solved_deals, user_tables()
    known = solved_beginning(wanted, cache)
    if len(known) == wanted:
        return known
    missing = wanted - len(known)
    options.interruption_hint = shared.SOLVED_STAY
    shared.note(
        f"solves {missing:,} deals, about {_SECONDS_A_DEAL * missing:.0f} s; what is solved is "
        "kept for the next time, also where Ctrl-C ends it; --solved-deals 0 does without"
    )
    try:
        with progress_bar("page") as bar, DoubleDummyPool(options.workers) as pool:
            return solved_bank(
                wanted, pool, cache, progress=lambda done, total: bar(done, total, done)
            )
    except BackendUnavailable as error:
        shared.note(f"no deals are solved: {error}")
        return known


def _systems(options: argparse.Namespace) -> "dict[str, System]":
    """Systems by name, those that they name as opponents behind them."""
    from bidcascade.systems import named_systems, open_system
    from bidcascade.systems.language.shipped import resolved
    from bidcascade.systems.registry import DEFAULT_TABLE

    # the default one stands first
    shipped = sorted(named_systems(), key=lambda name: name != DEFAULT_TABLE)
    names = options.systems or shipped
    chosen = shared.chosen_options(options, *names)
    waiting = deque(open_system(name, options=one) for name, one in zip(names, chosen, strict=True))
    found: dict[str, System] = {}
    files: dict[str, str | None] = {}
    while waiting:
        system = waiting.popleft()
        file = resolved(system.text.files[0][0])
        if files.setdefault(system.name, file) != file:
            raise shared.UsageError(
                f"expected systems of different names, got two that are called {system.name!r}"
            )
        if system.name not in found:
            found[system.name] = system
            if system.text.opponents is not None:
                waiting.append(system.opponents)
    return found
