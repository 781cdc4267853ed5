"""A question about an opening lead, from the command line or over REST, and its answer as JSON."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from bidcascade.bridge import (
    PASS,
    Auction,
    Contract,
    IllegalCall,
    InvalidContract,
    InvalidDeal,
    Seat,
    TimedOut,
    Vulnerability,
    format_calls,
    format_card,
    format_hand,
)
from bidcascade.inference.double_dummy.protocol import DoubleDummy
from bidcascade.inference.layouts.known import KnownCards
from bidcascade.inference.layouts.result import Layouts
from bidcascade.inference.layouts.sampling import DEFAULT_TIME_LIMIT_S, sample_layouts
from bidcascade.inference.layouts.steps import Source
from bidcascade.inference.leads import FIRST_LAYOUTS, Lead, LeadScoring, LeadStudy, refine_leads

DEFAULT_LAYOUTS = 100
SHARE_FOR_SAMPLING = 0.5
"""How much of the time may go into finding layouts; the rest is for solving them."""
_LEAST_S = 0.001
"""A limit for the sampler is above 0."""


@dataclass(frozen=True, slots=True)
class LeadQuestion:
    """Which card to lead.

    Parameters
    ----------
    hand : int
        Mask of the leader's cards.
    contract : Contract
        Its declarer sits on the leader's right.
    calls : tuple of int
        The auction; empty where only the contract is known.
    dealer, vulnerability
    scoring : str
    layouts : int
    known : mapping of Seat to KnownCards
        What else is known.
    where : sequence of str
        Conditions on whole deals.
    seed : int
    strict : bool
        Every call is the one that the system makes; else it is among those that hold.
    """

    hand: int
    contract: Contract
    calls: tuple[int, ...] = ()
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    scoring: LeadScoring = "tricks"
    layouts: int = DEFAULT_LAYOUTS
    known: Mapping[Seat, KnownCards] = field(default_factory=dict)
    where: Sequence[str] = ()
    seed: int = 0
    strict: bool = True

    @property
    def leader(self) -> Seat:
        """Who leads."""
        return Seat((self.contract.declarer + 1) % 4)


def contract_of(calls: Sequence[int], dealer: Seat) -> Contract:
    """Contract that an auction ends in; the passes behind it may be left out, all of them.

    Raises
    ------
    IllegalCall
        If the auction is not legal, or not over: some passes behind the last bid are no end.
    InvalidContract
        If nobody has bid, or all have passed.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls
    >>> str(contract_of(parse_calls("1N P 3N"), Seat.WEST))
    '3NW'
    """
    auction = Auction.of(calls, dealer)
    contract = auction.contract
    if contract is None:
        raise InvalidContract(
            f"expected an auction that ends in a contract, got {format_calls(calls)!r}"
        )
    if calls[-1] == PASS and not auction.is_complete:
        raise IllegalCall(
            f"expected an auction that is over, got {format_calls(calls)!r}, where "
            f"{auction.seat_to_act.name.capitalize()} is to call"
        )
    return contract


def whole_auction(calls: Sequence[int], dealer: Seat) -> tuple[int, ...]:
    """Auction with the passes that end it.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls
    >>> format_calls(whole_auction(parse_calls("1N P 3N"), Seat.WEST))
    '1N P 3N P P P'
    """
    auction = Auction.of(calls, dealer)
    while not auction.is_complete:
        auction = auction.add(PASS)
    return auction.calls


@dataclass(frozen=True, slots=True)
class LeadAnswer:
    """Leads, and the layouts behind them."""

    study: LeadStudy
    layouts: Layouts


def iter_leads(
    source: Source,
    solver: DoubleDummy,
    question: LeadQuestion,
    *,
    time_limit_s: float | None = None,
    patience_s: float | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[LeadAnswer]:
    """Answer again and again, from more and more layouts.

    Parameters
    ----------
    time_limit_s : float, optional
        Answer with what is solved by then.
    patience_s : float, optional
        How long to wait for one layout to be found and solved, where that is longer.

    Raises
    ------
    BidcascadeError
        As :func:`~bidcascade.inference.layouts.sampling.sample_layouts` and
        :func:`~bidcascade.inference.leads.refine_leads` do.
    """
    started = time.monotonic()
    limit = DEFAULT_TIME_LIMIT_S
    if time_limit_s is not None:
        limit = min(limit, SHARE_FOR_SAMPLING * time_limit_s)
    sample = partial(
        sample_layouts, source, question.calls, dealer=question.dealer,
        vulnerability=question.vulnerability, known=_known(question), where=question.where,
        seed=question.seed, strict=question.strict, cancel=cancel,
    )  # fmt: skip
    try:
        layouts = sample(count=question.layouts, time_limit_s=max(limit, _LEAST_S))
    except TimedOut:
        left = (patience_s or 0.0) - (time.monotonic() - started)
        if left <= 0:
            raise
        few = min(question.layouts, FIRST_LAYOUTS)
        layouts = sample(count=few, time_limit_s=min(left, DEFAULT_TIME_LIMIT_S))
    spent = time.monotonic() - started
    for study in refine_leads(
        layouts.hands, question.contract, solver, weights=layouts.weights,
        vulnerability=question.vulnerability, scoring=question.scoring,
        time_limit_s=None if time_limit_s is None else max(0.0, time_limit_s - spent),
        patience_s=None if patience_s is None else max(0.0, patience_s - spent), cancel=cancel,
    ):  # fmt: skip
        yield LeadAnswer(replace(study, seconds=study.seconds + spent), layouts)


def _known(question: LeadQuestion) -> dict[Seat, KnownCards]:
    known = dict(question.known)
    if question.leader in known:
        raise InvalidDeal(
            f"expected what is known of other hands than the leader's, {question.leader.letter}"
        )
    known[question.leader] = KnownCards(question.hand)
    return known


def answer_dict(question: LeadQuestion, answer: LeadAnswer) -> dict[str, Any]:
    """Answer as plain values for JSON."""
    study, layouts = answer.study, answer.layouts
    report = layouts.report
    return {
        "leads": [lead_dict(lead) for lead in study.leads],
        "card": format_card(study.card),
        "leader": question.leader.letter,
        "hand": format_hand(question.hand),
        "contract": str(question.contract),
        "scoring": study.scoring,
        "decided": study.is_decided,
        "undecided": [format_card(lead.card) for lead in study.undecided],
        "layouts": {
            "asked": question.layouts,
            "found": len(layouts),
            "solved": study.layouts,
            "effective_size": round(study.effective_size, 2),
            "proposals": report.proposals,
            "acceptance": report.acceptance,
            "stopped_because": report.stopped_because,
            "relaxed": [str(one) for one in report.relaxed],
            "notes": list(report.notes),
            "seed": report.seed,
        },
        "elapsed_ms": round(1000 * study.seconds),
    }


def lead_dict(lead: Lead) -> dict[str, Any]:
    """One lead as plain values for JSON."""
    return {
        "card": format_card(lead.card),
        "cards": [format_card(card) for card in lead.cards],
        "value": _rounded(lead.value),
        "low": _rounded(lead.low),
        "high": _rounded(lead.high),
        "behind": _rounded(lead.behind),
        "behind_error": _rounded(lead.behind_error),
        "tricks": _rounded(lead.tricks),
        "set": _rounded(lead.set),
        "matchpoints": _rounded(lead.matchpoints),
        "imps": _rounded(lead.imps),
        "best_share": _rounded(lead.best_share),
    }


def _rounded(value: float | None) -> float | None:
    # more figures would say more than a sample can; -0.0 is 0
    return None if value is None else round(value, 4) + 0.0
