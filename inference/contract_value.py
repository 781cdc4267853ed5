"""What a contract is worth over layouts: tricks, points, IMPs and matchpoints, all with intervals.

Every layout is solved double dummy; with a lead the first card is that one, and best play goes on
from there. IMPs and matchpoints are against another contract on the same layouts.
"""

from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import (
    Contract,
    InvalidInput,
    Seat,
    ShownAnswer,
    Vulnerability,
    format_card,
    imps,
    is_vulnerable,
    score,
)
from bidcascade.kernels.types import F64, I8, I64, U64

from .double_dummy.abstract_solver import DoubleDummy, SolvedInPart
from .weighted import margins, weighted_mean

ValueScoring: TypeAlias = Literal["points", "imps", "matchpoints"]
VALUE_SCORINGS: Final[tuple[ValueScoring, ...]] = get_args(ValueScoring)


class MeanValue(NamedTuple):
    """A mean over layouts, with the ends of its interval of 95 %, none from a single layout."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, repr=False)
class ContractValue(ShownAnswer):
    """What a contract is worth to declarer's side.

    Parameters
    ----------
    contract : Contract
    tricks : Worth
        Of declarer's side.
    made : float
        Share of layouts in which it is made.
    points : Worth
    imps, matchpoints : Worth or None
        Against the other contract, if there is one; matchpoints are 1, 1/2 or 0 a layout.
    chances : tuple of float
        Share of layouts with 0 to 13 tricks.
    solved : int
        Layouts behind it.
    tricks_by_layout, points_by_layout : int64 [n]
        -1 tricks, and 0 points, where a layout was not solved in time.
    """

    contract: Contract
    tricks: MeanValue
    made: float
    points: MeanValue
    imps: MeanValue | None
    matchpoints: MeanValue | None
    chances: tuple[float, ...]
    solved: int
    tricks_by_layout: I64
    points_by_layout: I64


def contract_value(
    hands: U64,
    contract: Contract,
    solver: DoubleDummy,
    *,
    weights: F64,
    vulnerability: Vulnerability = Vulnerability.NONE,
    against: Contract | Literal["Pass"] | None = None,
    lead: int | None = None,
    time_limit_s: float | None = None,
    cancel: Event | None = None,
) -> ContractValue:
    """Work out what a contract is worth over layouts.

    Parameters
    ----------
    hands : uint64 [4, n]
        Layouts by compass seat.
    contract : Contract
    solver : DoubleDummy
    weights : float64 [n]
    vulnerability : Vulnerability
    against : Contract or "Pass", optional
        What is played at the other table, by either side; its best lead is led.
    lead : int, optional
        Card that is led; the leader holds it in every layout.
    time_limit_s : float, optional
        Answer with the layouts that are solved by then.
    cancel : threading.Event, optional

    Raises
    ------
    InvalidInput
        If there is no layout, or the leader does not hold the lead.
    TimedOut, Cancelled, DoubleDummyFailed
        As the solver does; ``TimedOut`` only if nothing was solved.
    """
    count: int = hands.shape[1]
    if not count:
        raise InvalidInput("expected at least one layout, got none")
    until = None if time_limit_s is None else monotonic() + time_limit_s
    tricks = _tricks(hands, contract, solver, lead, until, cancel)
    others: I64 = np.full(count, -1, np.int64)
    if isinstance(against, Contract):
        others = _tricks(hands, against, solver, None, until, cancel)
    done = tricks >= 0
    if isinstance(against, Contract):
        done &= others >= 0
    if not done.any():
        # nothing is known of both: what is not solved raised above
        raise InvalidInput("expected a layout solved for both contracts, got none")
    weights = np.where(done, weights, 0.0)[done]
    points = _points(contract, vulnerability)
    own = np.where(done, points[tricks], 0)
    imps_value = matchpoints = None
    if against is not None:
        theirs: I64 = np.zeros(count, np.int64)
        if isinstance(against, Contract):
            sign = 1 if (against.declarer - contract.declarer) % 2 == 0 else -1
            theirs = sign * _points(against, vulnerability)[others]
        difference = (own - theirs)[done]
        imps_value = _mean(np.array([imps(one) for one in difference.tolist()]), weights)
        matchpoints = _mean(np.sign(difference) / 2 + 0.5, weights)
    taken = tricks[done]
    chances = weighted_mean((taken[:, None] == np.arange(14)).astype(np.float64), weights)
    return ContractValue(
        contract,
        _mean(taken, weights),
        float(weighted_mean((taken >= contract.level + 6).astype(np.float64), weights)),
        _mean(own[done], weights),
        imps_value,
        matchpoints,
        tuple(chances.tolist()),
        int(done.sum()),
        np.where(done, tricks, -1),
        own,
    )


def _tricks(
    hands: U64,
    contract: Contract,
    solver: DoubleDummy,
    lead: int | None,
    until: float | None,
    cancel: Event | None,
) -> I64:
    """Tricks of declarer's side in each layout, -1 where it was not solved in time."""
    left = None if until is None else max(0.0, until - monotonic())
    leader = Seat((contract.declarer + 1) % 4)
    answers: I8
    try:
        if lead is None:
            answers = solver.tricks(
                hands, contract.strain, int(contract.declarer), cancel=cancel, timeout_s=left
            )
        else:
            if not (hands[leader] >> np.uint64(lead) & np.uint64(1)).all():
                raise InvalidInput(
                    f"expected a lead that {leader.letter} holds in every layout, got "
                    f"{format_card(lead)}"
                )
            answers = solver.leads(
                hands, contract.strain, int(leader), cancel=cancel, timeout_s=left
            )
    except SolvedInPart as error:
        answers = error.answers
        if not (answers >= 0).any():
            raise
    if lead is not None:
        defenders = answers[:, lead].astype(np.int64)
        return np.where(defenders >= 0, 13 - defenders, -1)
    return answers.astype(np.int64)


def _points(contract: Contract, vulnerability: Vulnerability) -> I64:
    """Points of declarer's side by tricks."""
    vulnerable = is_vulnerable(vulnerability, contract.declarer)
    return np.array([score(contract, tricks, vulnerable=vulnerable) for tricks in range(14)])


def _mean(values: NDArray[np.generic], weights: F64) -> MeanValue:
    column = values.astype(np.float64)[:, None]
    value = float(weighted_mean(column, weights)[0])
    margin = margins(column, weights)
    if margin is None:
        return MeanValue(value, None, None)
    return MeanValue(value, value - float(margin[0]), value + float(margin[0]))
