"""One question for all that layouts tell: what fits, what does not, what a contract is worth."""

import threading
import time
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from bidcascade.bridge import Auction, Contract, Seat, parse_card, parse_contract
from bidcascade.inference.contract_value import (
    ContractValue,
    MeanValue,
    ValueScoring,
    contract_value,
)
from bidcascade.inference.double_dummy.protocol import DoubleDummy
from bidcascade.inference.layouts.meanings import MeaningSource
from bidcascade.inference.layouts.rejections import count_rejections
from bidcascade.inference.layouts.searching import SearchLimits

from .auction_questions import (
    AuctionQuestion,
    find_layouts,
    layouts_dict,
    read_auction_question,
    rounded,
)
from .questions.fields import invalid_value, read_field
from .questions.layouts import InferRequest

_SHARE_FOR_DEALING: Final = 0.2
_SHARE_FOR_SAMPLING: Final = 0.6
"""Of the time that is left then; the rest is for solving."""


@dataclass(frozen=True, kw_only=True)
class InferenceQuestion(AuctionQuestion):
    """What layouts tell about an auction.

    Parameters
    ----------
    deals : int
        Deals that rejections are counted on; 0 for none.
    contract : Contract, optional
        What is to be worth something.
    against : Contract or "Pass", optional
        What is played at the other table.
    lead : int, optional
        Card that is led.
    scoring : {"points", "imps", "matchpoints"}
    """

    deals: int = 0
    contract: Contract | None = None
    against: Contract | Literal["Pass"] | None = None
    lead: int | None = None
    scoring: ValueScoring = "points"


def read_inference(request: InferRequest) -> InferenceQuestion:
    """Read a question about the layouts of an auction.

    Raises
    ------
    BidcascadeError
        That names the field at fault.
    """
    plain = read_auction_question(request, request.layouts)
    auction = Auction.of(plain.calls, plain.dealer)
    contract = auction.contract if auction.is_complete else None
    if request.contract is not None:
        contract = read_field(parse_contract, request.contract, "contract")
    against: Contract | Literal["Pass"] | None = None
    if request.against is not None:
        against = (
            "Pass"
            if request.against.lower() in ("pass", "p")
            else read_field(parse_contract, request.against, "against")
        )
    elif request.scoring != "points":
        raise invalid_value(
            "against", None, f"expected a contract that {request.scoring} are against"
        )
    for name in ("against", "lead"):
        if getattr(request, name) is not None and contract is None:
            reason = "expected it with a contract, or an auction that ends in one"
            raise invalid_value(name, getattr(request, name), reason)
    if request.scoring != "points" and contract is None:
        raise invalid_value("scoring", request.scoring, "expected it with a contract")
    return InferenceQuestion(
        **vars(plain),
        deals=request.deals,
        contract=contract,
        against=against,
        lead=_lead(request, contract, plain),
        scoring=request.scoring,
    )


def _lead(request: InferRequest, contract: Contract | None, plain: AuctionQuestion) -> int | None:
    if request.lead is None or contract is None:
        return None
    lead = read_field(parse_card, request.lead, "lead")
    leader = Seat((contract.declarer + 1) % 4)
    known = plain.known.get(leader)
    if known is None or not known.cards >> lead & 1:
        reason = f"expected a card that the leader, {leader.letter}, holds by what is known"
        raise invalid_value("lead", request.lead, reason)
    return lead


def infer(
    source: MeaningSource,
    question: InferenceQuestion,
    solver: DoubleDummy,
    *,
    time_limit_s: float,
    cancel: threading.Event | None = None,
) -> dict[str, Any]:
    """Answer as plain values for JSON.

    Raises
    ------
    BidcascadeError
        As :func:`~bidcascade.inference.sample_layouts` and the solver do.
    """
    until = time.perf_counter() + time_limit_s
    rejected = None
    if question.deals:
        found = count_rejections(
            source,
            question.calls,
            deals=question.deals,
            **question.circumstances,
            limits=SearchLimits(
                until=time.perf_counter() + _SHARE_FOR_DEALING * time_limit_s, cancel=cancel
            ),
        )
        rejected = asdict(found)
    left = max(0.001, until - time.perf_counter())
    limit = left if question.contract is None else _SHARE_FOR_SAMPLING * left
    layouts = find_layouts(source, question, time_limit_s=limit, cancel=cancel)
    answer = {**layouts_dict(question, layouts), "rejected": rejected, "utility": None}
    if question.contract is None:
        return answer
    value = contract_value(
        layouts.hands,
        question.contract,
        solver,
        weights=layouts.weights,
        vulnerability=layouts.vulnerability,
        against=question.against,
        lead=question.lead,
        time_limit_s=max(0.0, until - time.perf_counter()),
        cancel=cancel,
    )
    tricks, points = value.tricks_by_layout.tolist(), value.points_by_layout.tolist()
    for one, taken, scored in zip(answer["layouts"], tricks, points, strict=True):
        one |= (
            {"tricks": None, "points": None} if taken < 0 else {"tricks": taken, "points": scored}
        )
    answer["utility"] = _value_dict(value, question)
    return answer


def _value_dict(value: ContractValue, question: InferenceQuestion) -> dict[str, Any]:
    numbers = {
        name: None if one is None else _number(one)
        for name, one in (
            ("tricks", value.tricks),
            ("points", value.points),
            ("imps", value.imps),
            ("matchpoints", value.matchpoints),
        )
    }
    return {
        "contract": str(value.contract),
        "scoring": question.scoring,
        "value": numbers[question.scoring],
        **numbers,
        "made": rounded(value.made),
        "chances": [rounded(one) for one in value.chances],
        "solved": value.solved,
    }


def _number(value: MeanValue) -> dict[str, float | None]:
    return {name: rounded(one) for name, one in value._asdict().items()}
