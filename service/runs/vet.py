"""A table vetted on archives: deals are streamed through it, and what is found adds up."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput, format_calls
from bidcascade.kernels import NO_ENTRY
from bidcascade.loaders import deal_arrays, empty_rejects, play_disagrees
from bidcascade.loaders.inputs import find_sources
from bidcascade.loaders.read import CHUNK_DEALS
from bidcascade.service.engine import Engine
from bidcascade.table import LintReport, counts_through, lint, lint_on_deals
from bidcascade.table.decisions import CallLists
from bidcascade.table.evidence.vetting import Vetting

from .batch_inputs import Inputs, first_reject
from .manifest import Position, distinct_sources

LEAST_DECISIONS = 20
"""Calls that a place must have been bid at to stand among the worst."""


@dataclass(frozen=True)
class Vetted:
    """What came of a vetting.

    Parameters
    ----------
    engine : Engine
        The table, and what it was asked with.
    inputs : tuple of str
    auction : tuple of int
        Only deals whose auction begins so were taken, and only so many of their calls; all if
        empty.
    vetting : Vetting
    numbers : Counter
        ``repeated_inputs``: files left out because another one has the same contents; ``records``
        in all; ``boards``; ``rejects``; ``play_disagrees``: boards left out because their play is
        not of their hands (:func:`bidcascade.loaders.play_disagrees`); ``other_auctions``: boards
        left out because they were bid otherwise; ``complete``, ``unfinished``, ``illegal``,
        ``none``: boards by the state of their auction; ``compared``: complete auctions compared
        with the table's own, of which ``same_auction`` and ``same_contract`` (and declarer).
    rejects : polars.DataFrame
    table_lint, deal_lint : LintReport, optional
        Of the table by itself, and on the deals.
    """

    engine: Engine
    inputs: tuple[str, ...]
    auction: tuple[int, ...]
    vetting: Vetting
    numbers: Counter[str]
    rejects: pl.DataFrame
    table_lint: LintReport | None
    deal_lint: LintReport | None

    def summary(self) -> dict[str, Any]:
        """Numbers and findings as plain values for JSON."""
        places, counts = self.vetting.places, self.vetting.counts
        by_status = {
            name: int(places[name].sum())
            for name in ("agrees", "allowed", "fails", "missing", "ended", "silent", "several")
        }
        decisions = sum(by_status[name] for name in ("agrees", "allowed", "fails", "missing"))
        return {
            "table": self.engine.table_info(),
            "inputs": list(self.inputs),
            "repeated_inputs": self.numbers["repeated_inputs"],
            "auction": format_calls(self.auction),
            "boards": {
                name: self.numbers[name]
                for name in ("records", "boards", "rejects", "play_disagrees", "other_auctions",
                             "complete", "unfinished", "illegal", "none")
            },
            "calls": {
                "made": counts["calls"], "judged": decisions,
                "held": int(places["held"].sum()), **by_status, "beyond": counts["beyond"],
            },
            "auctions": {
                "vetted": counts["deals"] - counts["without_auction"],
                "in_table": counts["whole"], "held": counts["held"],
            },
            "own": {
                name: self.numbers[name] for name in ("compared", "same_auction", "same_contract")
            },
            "seats": {
                "described": counts["described"],
                "held": [counts[f"turned_{turn}"] for turn in range(4)],
            },
            "lint": self.table_lint and self.table_lint.to_dict(),
            "lint_on_deals": self.deal_lint and self.deal_lint.to_dict(),
        }  # fmt: skip


def vet(
    engine: Engine,
    inputs: Sequence[str],
    *,
    auction: Sequence[int] = (),
    with_lint: bool = True,
    with_own: bool = True,
    jobs: int | None = None,
    examples: int = 20,
    progress: Callable[[int, int | None, int], None] | None = None,
) -> Vetted:
    """Vet a table on the deals of some inputs.

    Parameters
    ----------
    engine : Engine
    inputs : sequence of str
        Files, folders, patterns; their order does not matter, and files with the same contents
        are read once.
    auction : sequence of int
        Only deals whose auction begins so, and only these calls of it.
    with_lint : bool
        Whether to look the table over as well; takes seconds where criteria lists are many.
    with_own : bool
        Whether to bid the deals with the table, for its coverage, and to compare its auctions
        with the actual ones.
    jobs : int, optional
        Processes that read; see :func:`bidcascade.loaders.iter_deals`.
    examples : int
        Most examples of each kind of the lint.
    progress : callable, optional
        Called with files done, files in all, and boards so far.

    Raises
    ------
    InvalidInput
        If no deal with a call is found (after the auction asked for).

    Examples
    --------
    >>> from pathlib import Path
    >>> from bidcascade.table import build_table
    >>> _ = Path("one.lin").write_text(
    ...     "md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|mb|1N|mb|p|mb|p|mb|p|")
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}])
    >>> vetted = vet(Engine(table), ["one.lin"])
    >>> vetted.summary()["calls"]["fails"]
    1
    """
    table = engine.table
    prefix = tuple(auction)
    vetting = Vetting(table)
    numbers: Counter[str] = Counter()
    refused = [empty_rejects()]
    counts_all = np.zeros(len(table), np.uint64)
    counts_first = np.zeros(len(table), np.int64)
    sources, numbers["repeated_inputs"] = distinct_sources(find_sources(inputs))
    reading = Inputs(sources, CHUNK_DEALS, jobs)
    for chunk in reading.chunks(Position()):
        frame = chunk.deals
        numbers["records"] += frame.height + chunk.rejects.height
        numbers["rejects"] += chunk.rejects.height
        refused.append(chunk.rejects)
        if progress is not None:
            progress(reading.files_done, len(sources), numbers["records"])
        played = frame.filter(~play_disagrees(frame))
        numbers["play_disagrees"] += frame.height - played.height
        frame = played
        if prefix:
            before = frame.height
            frame = _beginning_with(frame, prefix)
            numbers["other_auctions"] += before - frame.height
        if not frame.height:
            continue
        numbers["boards"] += frame.height
        for status, count in frame.group_by("auction_status").len().iter_rows():
            numbers[status] += count
        vetting.add(deal_arrays(frame), CallLists.of(frame["auction"]))
        if not with_own:
            continue
        counts_all += engine.count_entries(frame)
        own = engine.auctions(frame, mode="first")
        entries = own["entry"].fill_null(NO_ENTRY).to_numpy()
        counts_first += counts_through(table, entries)
        if not prefix:
            numbers.update(_same(frame, own))
    rejects = pl.concat(refused)
    if not vetting.counts["calls"]:
        raise InvalidInput(_nothing(numbers, rejects, prefix))
    boards = numbers["boards"]
    return Vetted(
        engine, tuple(sorted(inputs)), prefix, vetting, numbers, rejects,
        lint(table, examples=examples) if with_lint else None,
        lint_on_deals(table, counts_all, counts_first, boards, examples=examples)
        if with_own
        else None,
    )  # fmt: skip


def _beginning_with(frame: pl.DataFrame, prefix: tuple[int, ...]) -> pl.DataFrame:
    """Deals whose auction begins with some calls, and only these calls of it."""
    head = pl.col("auction").list.head(len(prefix))
    begins = head.list.len() == len(prefix)
    for place, call in enumerate(prefix):
        begins &= pl.col("auction").list.get(place, null_on_oob=True) == call
    return frame.filter(begins).with_columns(head)


def _same(frame: pl.DataFrame, own: pl.DataFrame) -> dict[str, int]:
    """How many complete auctions, and contracts, are those that the table bids."""
    both = pl.DataFrame(
        {
            "complete": frame["auction_status"] == "complete",
            "auction": frame["auction"],
            "contract": frame["contract"],
            "declarer": frame["declarer"],
            "own_auction": own["auction"],
            "own_contract": own["contract"],
            "own_declarer": own["declarer"],
        }
    ).filter("complete")
    same_contract = (pl.col("contract") == pl.col("own_contract")) & pl.col("declarer").eq_missing(
        pl.col("own_declarer")
    )
    found = both.select(
        compared=pl.len(),
        same_auction=(pl.col("auction") == pl.col("own_auction")).sum(),
        same_contract=same_contract.sum(),
    )
    return {name: int(found[name][0]) for name in found.columns}


def _nothing(numbers: Counter[str], rejects: pl.DataFrame, prefix: tuple[int, ...]) -> str:
    wanted = f"deals that were bid {format_calls(prefix)!r}" if prefix else "deals with an auction"
    found = f"{numbers['boards'] + numbers['other_auctions']:,} boards"
    if numbers["play_disagrees"]:
        found += f", {numbers['play_disagrees']:,} whose play disagrees"
    if rejects.height:
        found += f" and {rejects.height:,} rejects, the first: {first_reject(rejects)}"
    return f"expected {wanted}, got {found}"
