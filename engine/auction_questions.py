"""Questions about hands that are not seen, asked by command or over REST; their answers as JSON."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
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
    parse_calls,
    parse_contract,
    parse_hand,
    parse_seat,
    parse_vulnerability,
)
from bidcascade.inference.double_dummy.protocol import DoubleDummy
from bidcascade.inference.interpretation import Interpretation, interpret
from bidcascade.inference.layouts.known import KnownCards, known_by_seat
from bidcascade.inference.layouts.meanings import MeaningSource
from bidcascade.inference.layouts.result import Layouts
from bidcascade.inference.layouts.sampling import DEFAULT_TIME_LIMIT_S, sample_layouts
from bidcascade.inference.leads import FIRST_LAYOUTS, LeadScoring, LeadStudy, refine_leads

from .questions.fields import invalid_value, read_field
from .questions.layouts import AuctionRequest
from .questions.leads import LeadsRequest

DEFAULT_LAYOUTS = 100
SHARE_FOR_SAMPLING = 0.5
"""How much of the time may go into finding layouts; the rest is for solving them."""
_LEAST_S = 0.001
"""A limit for the sampler is above 0."""


@dataclass(frozen=True, kw_only=True)
class AuctionQuestion:
    """What is asked about an auction: what it shows, or layouts that fit it.

    Parameters
    ----------
    calls : tuple of int
    dealer, vulnerability
    known : mapping of Seat to KnownCards
    where : sequence of str
        Conditions on whole deals.
    layouts : int
        How many.
    seed : int
    strict : bool
        Every call is the one that the system makes; else it is among those that hold.
    """

    calls: tuple[int, ...] = ()
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    known: Mapping[Seat, KnownCards] = field(default_factory=dict)
    where: Sequence[str] = ()
    layouts: int = DEFAULT_LAYOUTS
    seed: int = 0
    strict: bool = True

    @property
    def circumstances(self) -> dict[str, Any]:
        """All but the calls and the number, as what samples layouts takes it."""
        names = ("dealer", "vulnerability", "known", "where", "seed", "strict")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, kw_only=True)
class LeadQuestion(AuctionQuestion):
    """Which card to lead.

    Parameters
    ----------
    hand : int
        Mask of the leader's cards.
    contract : Contract
        Its declarer sits on the leader's right; there are no calls where only this is known.
    scoring : str
    """

    hand: int
    contract: Contract
    scoring: LeadScoring = "tricks"

    @property
    def leader(self) -> Seat:
        """Who leads."""
        return Seat((self.contract.declarer + 1) % 4)

    @property
    def circumstances(self) -> dict[str, Any]:
        """Those of the auction; the leader's hand is known."""
        if self.leader in self.known:
            raise InvalidDeal(
                f"expected what is known of other hands than the leader's, {self.leader.letter}"
            )
        known = {**self.known, self.leader: KnownCards(self.hand)}
        return {**super().circumstances, "known": known}


def read_auction_question(request: AuctionRequest, layouts: int) -> AuctionQuestion:
    """Read a question about an auction, and how many layouts it takes.

    Raises
    ------
    BidcascadeError
        That names the field at fault.
    """
    circumstances = read_circumstances(request)
    calls = read_field(
        partial(legal_calls, dealer=circumstances["dealer"]), " ".join(request.auction), "auction"
    )
    return AuctionQuestion(calls=calls, layouts=layouts, **circumstances)


def read_lead_question(request: LeadsRequest) -> LeadQuestion:
    """Read a question about the opening lead.

    Raises
    ------
    BidcascadeError
        That names the field at fault.
    """
    hand = read_field(parse_hand, request.hand, "hand")
    dealer = read_field(parse_seat, request.dealer, "dealer")
    # an auction without calls is none
    if bool(request.auction) == (request.contract is not None):
        raise invalid_value(
            "auction", request.auction, "expected an auction or a contract, and not both"
        )
    calls: tuple[int, ...] = ()
    if request.auction:
        calls = read_field(parse_calls, " ".join(request.auction), "auction")
        contract = read_field(lambda some: contract_of(some, dealer), calls, "auction")
        calls = whole_auction(calls, dealer)
    else:
        contract = read_field(parse_contract, request.contract or "", "contract")
    leader = Seat((contract.declarer + 1) % 4)
    others = f"what is known of other hands than the leader's, {leader.letter}, each once"
    return LeadQuestion(
        hand=hand,
        contract=contract,
        calls=calls,
        scoring=request.scoring,
        layouts=request.layouts,
        **read_circumstances(request, {leader: hand}, others),
    )


def read_circumstances(
    request: AuctionRequest | LeadsRequest,
    besides: Mapping[Seat, int] = MappingProxyType({}),
    reason: str = "each seat once",
) -> dict[str, Any]:
    """Read what all questions have; nothing more may be known of the hands ``besides``."""
    known: dict[Seat, KnownCards] = {}
    for letter, text in request.known.items():
        place = f"known.{letter}"
        seat = read_field(parse_seat, letter, place)
        if seat in known or seat in besides:
            raise invalid_value(place, text, f"expected {reason}", InvalidDeal)
        known[seat] = read_field(KnownCards.parse, text, place)
    read_field(lambda _: known_by_seat({**known, **besides}), dict(request.known), "known")
    return {
        "dealer": read_field(parse_seat, request.dealer, "dealer"),
        "vulnerability": read_field(parse_vulnerability, request.vulnerability, "vulnerability"),
        "known": known,
        "where": tuple(request.where),
        "seed": request.seed,
        "strict": request.strict,
    }


def legal_calls(text: str, dealer: Seat = Seat.NORTH) -> tuple[int, ...]:
    """Read an auction and check that it is legal."""
    return Auction.of(parse_calls(text), dealer).calls


def contract_of(calls: Sequence[int], dealer: Seat) -> Contract:
    """Contract that an auction ends in; the passes behind it may be left out, all of them.

    Raises
    ------
    IllegalCall
        If the auction is not legal, or not over: some passes behind the last bid are no end.
    InvalidContract
        If nobody has bid, or all have passed.
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
    """Auction with the passes that end it."""
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
    source: MeaningSource,
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
        sample_layouts, source, question.calls, cancel=cancel, **question.circumstances
    )
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
        layouts.hands,
        question.contract,
        solver,
        weights=layouts.weights,
        vulnerability=question.vulnerability,
        scoring=question.scoring,
        time_limit_s=None if time_limit_s is None else max(0.0, time_limit_s - spent),
        patience_s=None if patience_s is None else max(0.0, patience_s - spent),
        cancel=cancel,
    ):
        yield LeadAnswer(replace(study, seconds=study.seconds + spent), layouts)


def find_layouts(source: MeaningSource, question: AuctionQuestion, **limits: Any) -> Layouts:
    """Deals that fit an auction; limits and errors are those of ``sample_layouts``."""
    return sample_layouts(
        source, question.calls, count=question.layouts, **question.circumstances, **limits
    )


def find_interpretation(
    source: MeaningSource, question: AuctionQuestion, **limits: Any
) -> Interpretation:
    """Tell what an auction shows; limits and errors are those of ``interpret``."""
    return interpret(
        source, question.calls, layouts=question.layouts, **question.circumstances, **limits
    )


def layouts_dict(question: AuctionQuestion, layouts: Layouts) -> dict[str, Any]:
    """Layouts as plain values for JSON, each as PBN text with its weight."""
    return {
        "auction": format_calls(question.calls).split(),
        "dealer": layouts.dealer.letter,
        "vulnerability": layouts.vulnerability.text,
        "layouts": [
            {"deal": deal_text(hands), "weight": round(weight, 6)}
            for hands, weight in zip(
                layouts.hands.T.tolist(), layouts.weights.tolist(), strict=True
            )
        ],
        "report": report_dict(layouts.report.to_dict()),
    }


def interpretation_dict(found: Interpretation) -> dict[str, Any]:
    """Interpretation as plain values for JSON."""
    answer = found.to_dict()
    answer["report"] = report_dict(answer["report"])
    return answer


def report_dict(report: dict[str, Any]) -> dict[str, Any]:
    """Report with its numbers rounded, and what was relaxed as sentences."""
    return {
        **report,
        "acceptance": round(report["acceptance"], 8),
        "effective_size": round(report["effective_size"], 2),
        "relaxed": [one["sentence"] for one in report["relaxed"]],
        "seconds": round(report["seconds"], 4),
    }


def deal_text(hands: Sequence[int]) -> str:
    """PBN text of four hands, North's first."""
    return "N:" + " ".join(map(format_hand, hands))


def leads_dict(question: LeadQuestion, answer: LeadAnswer) -> dict[str, Any]:
    """Answer as plain values for JSON."""
    study, layouts = answer.study, answer.layouts
    report = layouts.report
    return {
        "leads": [
            {
                "card": format_card(lead.card),
                "cards": [format_card(card) for card in lead.cards],
                **{name: rounded(getattr(lead, name)) for name in _NUMBERS},
                "differs": lead.differs,
            }
            for lead in study.leads
        ],
        "card": format_card(study.card),
        "leader": question.leader.letter,
        "hand": format_hand(question.hand),
        "contract": str(question.contract),
        "scoring": study.scoring,
        "decided": study.is_decided,
        "undecided": [format_card(card) for card in study.undecided],
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


_NUMBERS = (
    "value",
    "low",
    "high",
    "behind",
    "behind_error",
    "tricks",
    "set",
    "matchpoints",
    "imps",
    "best_share",
)


def rounded(value: float | None) -> float | None:
    """Four figures: more would say more than a sample can; -0.0 is 0."""
    return None if value is None else round(value, 4) + 0.0
