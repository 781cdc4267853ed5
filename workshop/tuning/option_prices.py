"""What each option of a system's text is worth: a match of the text with it against that without.

All other lines are equal, so only the deals count whose auctions the option changes. The results
are those of :mod:`.compare`: plain double dummy, perfect defence, and blind leads where they are
asked for.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Event
from typing import NamedTuple

from bidcascade.bridge import InvalidInput
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.types import I8
from bidcascade.systems import open_system
from bidcascade.systems.language.reading.options import turned
from bidcascade.workshop.boards.blind_leads import BlindLeader
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.compare_summary import Estimate, MatchSample, blind_estimate
from bidcascade.workshop.boards.scored_boards import Budget


class OptionPrice(NamedTuple):
    """What an option gains in IMPs a deal, for who plays it against who does not.

    ``is_on`` is how the text has it; ``deals`` is of all, ``other_auctions`` and
    ``other_contracts`` of those that the option changes, ``led`` of those led against.
    """

    option: str
    is_on: bool
    deals: int
    other_auctions: int
    other_contracts: int
    imps: Estimate
    defended_imps: Estimate
    blind_imps: Estimate
    led: int


def option_prices(
    path_or_name: str | Path,
    deals: DealArrays,
    known: I8 | None,
    *,
    options: Mapping[str, bool] | None = None,
    solver: DoubleDummy | None = None,
    leader: BlindLeader | None = None,
    lead_budget: Budget | None = None,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
    cancel: Event | None = None,
    backend: Backend | None = None,
) -> Iterator[OptionPrice]:
    """Measure each option of a system, one after the other, as the text has them.

    Parameters
    ----------
    path_or_name : str or path
        A system's file, or the name of one that comes along.
    deals : DealArrays
    known : int8 [n, 20] or None
        Double-dummy tables of the deals, -1 for what is not known; the rest takes ``solver``.
    options : mapping of str to bool, optional
        Options of the text that are set otherwise than it has them, in all matches.
    leader, lead_budget : BlindLeader, Budget, optional
        How many deals of each option are led against by who sees one hand; none without them.
    progress : callable, optional
        Told the option, how many are done, and of how many.

    Raises
    ------
    InvalidInput
        If the system has no option, or there are no deals.
    InvalidSystem, Cancelled, DoubleDummyFailed, BackendUnavailable
        As reading and comparing do.
    """
    chosen = dict(options or {})
    text = open_system(path_or_name, options=chosen).text
    found = text.options
    if not found:
        raise InvalidInput(f"expected a system with options, got {str(path_or_name)!r}, without")
    report = progress or (lambda option, done, total: None)
    for number, (option, is_on) in enumerate(found.items()):
        report(option, number, len(found))
        # one that stands within others is played beside them, or not at all
        around = chosen | text.option_words[option].within
        with_it, without = (
            open_system(path_or_name, options=turned(around, text.option_words, option, is_on=one))
            for one in (True, False)
        )
        match = SystemMatch(with_it, without, deals, seed=seed, cancel=cancel, backend=backend)
        match.work_out(solver, Budget(), known)
        if leader is not None and lead_budget is not None:
            match.lead_out(leader, lead_budget)
        yield price_of(match, option, is_on=is_on)
    report("", len(found), len(found))


def price_of(match: SystemMatch, option: str, *, is_on: bool) -> OptionPrice:
    """Sum up the match of a text with an option against the same without it."""
    results = MatchSample.of_results(match)
    return OptionPrice(
        option,
        is_on,
        len(match),
        int((match.ending[0] != match.ending[1]).sum()),
        len(match.order),
        results.mean(match.imps.astype(float)),
        results.mean(match.defended_imps.astype(float)),
        blind_estimate(match),
        int(match.led.sum()),
    )
