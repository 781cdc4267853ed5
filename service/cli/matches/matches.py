"""Matches of systems for the command line: who plays, deals, and results of an earlier run."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.inference.double_dummy.known_tables import known_tables
from bidcascade.inference.double_dummy.solved_deals import bank_sample
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I8
from bidcascade.loaders import deal_arrays, random_deals, read_deals
from bidcascade.loaders.parquet.parquet_decoder import decode_parquet
from bidcascade.seats.foreign.bidding import Player
from bidcascade.seats.foreign.engines import open_foreign
from bidcascade.seats.foreign.protocol import is_engine_name
from bidcascade.service.cli import shared
from bidcascade.systems import open_system
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.compare_summary import bidding_frame
from bidcascade.workshop.boards.scored_boards import NO_TRICKS

SEARCH_PREFIX: Final = "search:"
_SHOWN: Final = {
    **dict.fromkeys(("north", "east", "south", "west", "dealer", "vulnerability"), "deals"),
    **dict.fromkeys(("auction_ns", "auction_ew"), "systems"),
}
"""Columns that tell whether boards are those of a match, and what else they are of."""


@contextmanager
def opened_players(names: Sequence[str], options: argparse.Namespace) -> Iterator[list[Player]]:
    """Open systems, those that search, and foreign engines by name; engines are ended behind.

    ``options`` has what :func:`.shared.add_system_option` and :func:`.shared.add_player_options`
    add.
    """
    systems = [name.removeprefix(SEARCH_PREFIX) for name in names if not is_engine_name(name)]
    chosen = iter(shared.chosen_options(options, *systems))
    with ExitStack() as stack:
        found: list[Player] = []
        for name in names:
            if is_engine_name(name):
                engine = open_foreign(name, timeout_s=options.call_timeout_ms / 1000)
                found.append(stack.enter_context(engine))
                continue
            system = open_system(name.removeprefix(SEARCH_PREFIX), options=next(chosen))
            if is_system_name(name):
                found.append(system)
                continue
            from bidcascade.seats.search_player import MATCH_LAYOUTS, SearchPlayer

            layouts = options.search_layouts or MATCH_LAYOUTS
            found.append(stack.enter_context(SearchPlayer(system, layouts=layouts)))
        yield found


def is_system_name(name: str) -> bool:
    """Whether this names a system that bids by its text alone.

    Examples
    --------
    >>> [is_system_name(name) for name in ("sayc", "search:sayc", "engine:./bot")]
    [True, False, False]
    """
    return not name.startswith(SEARCH_PREFIX) and not is_engine_name(name)


class MatchDeals(NamedTuple):
    """Deals of a match, and their double-dummy tables int8 [n, 20] where the file has them."""

    deals: DealArrays
    known: I8 | None


def deals_of_file(path: Path) -> MatchDeals:
    """Read the deals of a file of any kind; of Parquet files also the columns of tricks.

    Raises
    ------
    InvalidInput
        If there are no deals.
    """
    if path.suffix.lower() == ".parquet":
        frame = decode_parquet(path, str(path)).frame
        known = known_tables(frame)
    else:
        frame, known = read_deals(path, whole=True).deals, None
    if not frame.height:
        raise InvalidInput(f"expected deals in {str(path)!r}, got none")
    return MatchDeals(deal_arrays(frame), known)


def match_deals(source: str | None, bank: str | None, count: int, seed: int) -> MatchDeals:
    """Take the deals of a match: of a file, of a part of the bank, or random ones.

    Tables that commands of this machine have solved are those known where a file has none.

    Raises
    ------
    InvalidInput
        If there are no deals.
    """
    cache = user_tables()
    if bank is not None:
        return MatchDeals(*bank_sample(bank, cache))
    if source is None:
        deals, known = deal_arrays(random_deals(count, seed)), None
    else:
        deals, known = deals_of_file(Path(source))
    return MatchDeals(deals, cache.find(deals.hands) if known is None else known)


def resume(match: SystemMatch, boards: pl.DataFrame) -> int:
    """Take over what an earlier run has worked out; how many deals that are.

    Parameters
    ----------
    match : SystemMatch
        Of the same systems and deals.
    boards : polars.DataFrame
        Of :func:`bidcascade.workshop.boards.compare_summary.boards_frame`.

    Raises
    ------
    InvalidInput
        If the frame is of another match.
    """
    columns = ["deal", "kind", "tricks_ns", "tricks_ew", *_SHOWN]
    missing = [name for name in columns if name not in boards.columns]
    if missing:
        raise InvalidInput(f"expected boards of a match, got a frame without {missing[0]!r}")
    done = boards.filter((pl.col("kind") != "same") & (pl.col("deal") < len(match)))
    if done.height < boards.filter(pl.col("kind") != "same").height:
        raise InvalidInput("expected boards of these deals, got those of others")
    numbers = done["deal"].to_numpy().astype(np.int64)
    own = bidding_frame(match, numbers)
    for name, what in _SHOWN.items():
        if not own[name].equals(done[name].cast(own[name].dtype, strict=False)):
            raise InvalidInput(f"expected boards of these {what}, got those of others")
    tricks = np.stack(
        [
            done[name].cast(pl.Int8, strict=False).fill_null(NO_TRICKS).to_numpy()
            for name in ("tricks_ns", "tricks_ew")
        ]
    )
    match.take_over(numbers, tricks)
    return len(numbers)
