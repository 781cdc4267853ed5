"""What a change of a system's text does: the same deals bid by both texts, and where they part."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import ShownAnswer, format_call, format_calls, format_hand
from bidcascade.kernels.machine.threads import side_by_side
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import DEFAULT_SEED, CompileProgress, Sample

_EXAMPLES: Final = 2
NO_CALL: Final = 255
"""Stands behind the end of an auction, and where a deal was not followed further."""


@dataclass(frozen=True, slots=True, repr=False)
class CallChange(ShownAnswer):
    """One place where the two texts call differently.

    ``old`` and ``new`` are the calls behind ``auction`` that part them, by rules with name, file
    and line; ``deals`` part here, hands of ``examples`` among them.
    """

    auction: str
    old: str
    new: str
    old_rule: str
    new_rule: str
    deals: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class SystemDiff(ShownAnswer):
    """Outcome of :func:`diff_systems`: deals, those whose auctions differ, most deals first."""

    deals: int
    changed: int
    changes: tuple[CallChange, ...]


def diff_systems(
    old: System,
    new: System,
    *,
    deals: int = 100_000,
    seed: int = DEFAULT_SEED,
    progress: Callable[[CompileProgress], None] | None = None,
) -> SystemDiff:
    r"""Bid the same random deals with two systems and list where their auctions part.

    Parameters
    ----------
    old, new
        Both sides play one, then both play the other.
    deals, seed
        The sample.
    """
    sample = Sample.random(deals, seed=seed)
    interrupted = Event()
    first, second = side_by_side(
        lambda: _calls(old, sample, interrupted, progress),
        # both come to the same depths, and one tells of them
        lambda: _calls(new, sample, interrupted),
        interrupted=interrupted,
    )
    width = min(first.shape[1], second.shape[1])
    longer = max(first, second, key=lambda calls: calls.shape[1])[:, width:]
    # where one text has no call any more it differs from a longer auction of the other
    differs = np.hstack([first[:, :width] != second[:, :width], longer != NO_CALL])
    parted: dict[tuple[bytes, int, int], list[int]] = {}
    for deal in np.flatnonzero(differs.any(axis=1)).tolist():
        depth = int(differs[deal].argmax())
        mine, other = (
            int(one[deal, depth]) if depth < one.shape[1] else NO_CALL for one in (first, second)
        )
        parted.setdefault((first[deal, :depth].tobytes(), mine, other), []).append(deal)
    changes = []
    for (prior, mine, other), found in sorted(parted.items(), key=lambda item: -len(item[1])):
        calls = tuple(prior)
        hands = sample.deals.hands[len(calls) % 4, found[:_EXAMPLES]].tolist()
        changes.append(
            CallChange(
                format_calls(calls),
                _text(mine),
                _text(other),
                _rule(old, calls, mine),
                _rule(new, calls, other),
                len(found),
                tuple(map(format_hand, hands)),
            )
        )
    return SystemDiff(len(sample.deals), int(differs.any(axis=1).sum()), tuple(changes))


def _calls(
    system: System,
    sample: Sample,
    interrupted: Event,
    progress: Callable[[CompileProgress], None] | None = None,
) -> NDArray[np.uint8]:
    """Bid every deal: its calls, uint8 [deals, calls], NO_CALL behind the end."""
    columns: list[NDArray[np.uint8]] = []
    for depth, step in enumerate(system.bidder().steps(sample.deals)):
        if interrupted.is_set():
            break
        if progress is not None:
            progress(CompileProgress(depth, system.bidder().count, 0, len(step.deals)))
        columns.append(np.full(len(sample.deals), NO_CALL, np.uint8))
        columns[depth][step.deals] = step.call
    return np.stack(columns, axis=1) if columns else np.zeros((len(sample.deals), 0), np.uint8)


def _text(call: int) -> str:
    return "end" if call == NO_CALL else format_call(call)


def _rule(system: System, calls: tuple[int, ...], call: int) -> str:
    """Rules of a place that make a call."""
    if call == NO_CALL:
        return "the auction is over"
    entries = system.expand(calls).entries
    found = [f"{entry.name} ({entry.where})" for entry in entries if entry.call == call]
    return " or ".join(dict.fromkeys(found)) or "no line fits"
