"""The lines of a text on random deals: how often each could be chosen and was, and where."""

from collections.abc import Mapping
from dataclasses import dataclass

from bidcascade.bridge import format_call, format_calls
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import DEFAULT_SEED, Growth, Sample
from bidcascade.systems.words.explanation import explain_auction


@dataclass(frozen=True, slots=True)
class LineUse:
    """A line on a sample of deals.

    Parameters
    ----------
    auction
        Calls before it, where most deals came by it; empty for the opening.
    call
        What it calls there, such as ``2H``.
    offered, chosen
        Deals that came to its places, and those that it took.
    deals
        All deals of the sample.
    """

    auction: str
    call: str
    offered: int
    chosen: int
    deals: int


def line_uses(
    system: System, *, deals: int = 1000, seed: int = DEFAULT_SEED
) -> Mapping[tuple[str, int], LineUse]:
    r"""Bid random deals with a system at both sides, and count the use of its lines.

    Parameters
    ----------
    system
    deals, seed
        The sample.

    Returns
    -------
    mapping
        By file, as messages name it, and line. Lines whose place no deal came to are left out.

    Examples
    --------
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced\n", name="own")
    >>> use = line_uses(system, deals=400)["own", 2]
    >>> use.auction, use.call, use.deals
    ('', '1N', 400)
    """
    sample = Sample.random(deals, seed=seed)
    offered: dict[tuple[str, int], int] = {}
    chosen: dict[tuple[str, int], int] = {}
    best: dict[tuple[str, int], tuple[int, int, str, str]] = {}
    for _, place, taken in Growth(system.bidder(), sample).places():
        came = sum(len(those) for _, those in taken)
        auction = format_calls(place.calls)
        there = set()
        for entry, those in taken:
            if entry is None:
                continue
            where = entry.where.file, entry.where.line
            if where not in there:
                there.add(where)
                offered[where] = offered.get(where, 0) + came
            chosen[where] = chosen.get(where, 0) + len(those)
            rank = len(those), came, auction, format_call(entry.call)
            if where not in best or rank[:2] > best[where][:2]:
                best[where] = rank
    return {
        where: LineUse(auction, call, offered[where], chosen[where], deals)
        for where, (_, _, auction, call) in best.items()
    }


def sentence_of(system: System, use: LineUse) -> str:
    r"""Say what a line's call shows, where most deals make it.

    Examples
    --------
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced\n", name="own")
    >>> sentence_of(system, line_uses(system, deals=400)["own", 2])
    'Strong: 15-17 points, balanced'
    """
    return explain_auction(system, f"{use.auction} {use.call}".strip()).calls[-1].sentence
