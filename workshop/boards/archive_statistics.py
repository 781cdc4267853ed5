"""Statistics by node of an archive's boards; see :mod:`.node_statistics`."""

from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput, format_calls
from bidcascade.engine.archive.archive import Archive, ArchivePart
from bidcascade.engine.archive.board_search import count_boards, find_boards
from bidcascade.engine.archive.catalogue import OWN
from bidcascade.engine.questions.archives import BoardsQuestion
from bidcascade.loaders import REQUIRED_COLUMNS
from bidcascade.systems.words.auction_patterns import WrittenAuction, read_auction

from .node_statistics import node_statistics

MOST_BOARDS: Final = 1_000_000
"""Boards that statistics are made of; of a node with more, so many by chance."""
_COLUMNS: Final = ("id", *REQUIRED_COLUMNS, "room", "source", "score", "auction")


def statistics(
    archive: Archive,
    auction: str = "",
    by: str = OWN,
    *,
    least: int = 50,
    max_depth: int | None = None,
) -> pl.DataFrame:
    """Statistics of a node and of all below it that enough boards come to.

    Parameters
    ----------
    archive : Archive
    auction
        Calls from the dealer on; nothing for all nodes.
    by
        Whose auctions: ``own`` or who bids the archive. Then the players' calls stand beside.
    least
        Fewest boards of a node.
    max_depth
        Most calls of a node.

    Returns
    -------
    polars.DataFrame
        :data:`bidcascade.workshop.boards.node_statistics.NODE_SCHEMA`.

    Raises
    ------
    InvalidInput
        If the auction leaves calls open, nobody bids under that name, or a number is too small.
    """
    written = read_auction(auction)
    if written.regex is not None:
        raise InvalidInput(f"expected an auction with all its calls, got the pattern {auction!r}")
    return archive.unless_overtaken(
        lambda: _statistics(archive, written.prefix, by, least, max_depth)
    )


def _statistics(
    archive: Archive, prefix: bytes, by: str, least: int, max_depth: int | None
) -> pl.DataFrame:
    # with those of the node before, whose share the node is
    before = format_calls(prefix[:-1])
    behind = BoardsQuestion(auction=before, by=by, limit=MOST_BOARDS, seed=0)
    count, sample = count_boards(archive, behind), None
    if count > MOST_BOARDS:
        sample = find_boards(archive, behind).boards["id"]
    digest = archive.digest(by)
    frames = [
        _boards_of(part, by, digest, read_auction(before), sample)
        for part in archive.parts
        if part.files.boards
    ]
    boards = pl.concat(frames, how="diagonal") if frames else pl.DataFrame()
    if not boards.height:
        raise InvalidInput(f"expected boards of the archive after {before!r}, got none")
    humans = None if by == OWN else boards["auction"]
    nodes = node_statistics(boards, boards["bid"], least=least, humans=humans, max_depth=max_depth)
    part_of_all = count / archive.catalogue.boards
    depth = len(prefix)
    text = format_calls(prefix)
    if depth:
        nodes = nodes.filter(
            (pl.col("auction") == text) | pl.col("auction").str.starts_with(f"{text} ")
        )
    return nodes.with_columns(pl.col("share_of_all") * part_of_all)


def _boards_of(
    part: ArchivePart, by: str, digest: str, written: WrittenAuction, sample: pl.Series | None
) -> pl.DataFrame:
    """Boards of a part behind some calls, with the auction that they are grouped by."""
    postings = part.postings(by, digest)
    rows = postings.rows_of(written) if written.prefix else np.arange(part.files.boards, dtype="u4")
    boards = part.boards.select([name for name in _COLUMNS if name in part.boards.columns])[rows]
    bid = postings.auctions_of(rows) if by != OWN else boards.get_column("auction", default=None)
    if bid is None:
        bid = pl.Series([None], dtype=pl.List(pl.UInt8)).new_from_index(0, len(rows))
    boards = boards.with_columns(bid.alias("bid"))
    if "auction" not in boards.columns:
        boards = boards.with_columns(pl.lit(None, pl.List(pl.UInt8)).alias("auction"))
    if part.is_solved:
        boards = pl.concat([boards, part.solved.drop("Par_Contracts")[rows]], how="horizontal")
    return boards if sample is None else boards.filter(pl.col("id").is_in(sample.implode()))
