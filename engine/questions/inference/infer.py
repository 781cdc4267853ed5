"""All that the layouts of an auction tell: what fits, what does not, what a contract is worth."""

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from bidcascade.bridge import Auction, Contract, Seat, parse_card, parse_contract
from bidcascade.engine.questions.parts.answer_fields import ABSENT, answer, answer_field, answer_of
from bidcascade.engine.questions.parts.answer_parts import LayoutReport
from bidcascade.engine.questions.parts.fields import (
    invalid_value,
    question,
    question_field,
    read_field,
)
from bidcascade.engine.questions.parts.resources import LEAST_S, Resources
from bidcascade.engine.questions.parts.texts import MOST_LAYOUTS, Word

from .layouts import (
    AboutAuction,
    AuctionQuestion,
    AuctionRequest,
    Layout,
    find_layouts,
    layouts_answer,
    read_auction_question,
)

if TYPE_CHECKING:
    from bidcascade.inference.contract_value import ContractValue, ValueScoring

MOST_DEALT: Final = 100_000
_LONGEST_S: Final = 3600.0
_SHARE_FOR_DEALING: Final = 0.2
_SHARE_FOR_SAMPLING: Final = 0.6
"""Of the time that is left then; the rest is for solving."""


@question
class InferRequest(AuctionRequest):
    """An auction, and what is to be told of the layouts that fit it."""

    layouts: int = question_field(
        default=100, ge=1, le=MOST_LAYOUTS, description="Layouts wanted.", examples=[100]
    )
    deals: int = question_field(
        default=10_000,
        ge=0,
        le=MOST_DEALT,
        description="Deals that agree with what is known, dealt to count how many do not fit the "
        "auction and why; 0 for none.",
        examples=[10_000],
    )
    contract: Word | None = question_field(
        default=None,
        description="A contract with its declarer, whose worth is asked for; that of the auction "
        "if it is over.",
        examples=["4SN"],
    )
    lead: Word | None = question_field(
        default=None,
        description="Card that is led against it, which `known` gives to the leader; the best lead "
        "of each layout if not given.",
        examples=["HQ"],
    )
    against: Word | None = question_field(
        default=None,
        description="Contract at the other table, by either side, or `Pass`: what `imps` and "
        "`matchpoints` are against.",
        examples=["3NN"],
    )
    scoring: Literal["points", "imps", "matchpoints"] = question_field(
        default="points",
        description="What `value` is in; `imps` and `matchpoints` need `against`.",
        examples=["imps"],
    )
    budget_ms: int | None = question_field(
        default=None,
        ge=1,
        description="Answer after so long with what is known by then.",
        examples=[5000],
    )


# --- answers --------------------------------------------------------------------------------------


@answer
class InferredLayout(Layout):
    """One deal, and what the contract makes in it."""

    tricks: int | None = answer_field(
        default=ABSENT,
        description="Of declarer's side; null where it was not solved in time, absent without a "
        "contract.",
        examples=[10],
    )
    points: int | None = answer_field(
        default=ABSENT, description="Score of declarer's side.", examples=[420]
    )


@answer
class RejectedCall:
    """Deals that disagree with one call."""

    number: int = answer_field(description="Number of the call, from 0.", examples=[0])
    call: str = answer_field(description="The call.", examples=["1N"])
    seat: str = answer_field(description="Who made it.", examples=["N"])
    known: bool = answer_field(
        description="Whether some hand makes it; else no line of the system does.", examples=[True]
    )
    first: int = answer_field(
        description="Deals that agree with all calls before and not with this one.",
        examples=[9541],
    )
    any: int = answer_field(description="Deals that do not agree with it.", examples=[9541])


@answer
class RejectedDeals:
    """How many deals do not fit the auction."""

    dealt: int = answer_field(
        description="Deals, all equally likely, that agree with what is known.", examples=[10_000]
    )
    fit: int = answer_field(description="Those that agree with every call.", examples=[24])
    calls: tuple[RejectedCall, ...] = answer_field(
        description="The others by the call that they first disagree with; calls of hands that are "
        "known in whole are left out."
    )


@answer
class MeanAnswer:
    """A mean over the layouts, with its interval of 95 %."""

    value: float = answer_field(description="By weight.", examples=[9.8], digits=4)
    low: float | None = answer_field(
        description="Lower end; null from a single layout.", examples=[9.6], digits=4
    )
    high: float | None = answer_field(description="Upper end.", examples=[10.0], digits=4)


@answer
class UtilityAnswer:
    """What the contract is worth to declarer's side."""

    contract: str = answer_field(description="With its declarer.", examples=["4SN"])
    scoring: Literal["points", "imps", "matchpoints"] = answer_field(
        description="What `value` is in.", examples=["imps"]
    )
    value: MeanAnswer = answer_field(description="By the scoring asked for.")
    tricks: MeanAnswer = answer_field(description="Tricks.")
    points: MeanAnswer = answer_field(description="Score, by contract and vulnerability.")
    imps: MeanAnswer | None = answer_field(description="IMPs a board; null without `against`.")
    matchpoints: MeanAnswer | None = answer_field(
        description="Share of the other table beaten, half if equal; null without `against`."
    )
    made: float = answer_field(
        description="Share of layouts in which it is made.", examples=[0.71], digits=4
    )
    chances: tuple[float, ...] = answer_field(
        description="Chance of 0, 1, … 13 tricks.", examples=[[0.0, 1.0]], digits=4
    )
    solved: int = answer_field(description="Layouts solved in time.", examples=[100])


@answer
class InferAnswer(AboutAuction):
    """Who fits, who does not and why, and what a contract is worth."""

    layouts: tuple[InferredLayout, ...] = answer_field(description="Deals that fit.")
    report: LayoutReport = answer_field(description="How the layouts were found.")
    rejected: RejectedDeals | None = answer_field(description="Null if no `deals` were asked for.")
    utility: UtilityAnswer | None = answer_field(description="Null without a contract.")


# --- what is asked, read --------------------------------------------------------------------------


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
    scoring: "ValueScoring" = "points"


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


# --- answering ------------------------------------------------------------------------------------


def answer_infer(question: InferenceQuestion, by: Resources) -> InferAnswer:
    """Deal layouts that fit an auction, count those that do not, and score a contract on them.

    Rejected deals are told by the first call that they disagree with. The contract is solved double
    dummy in each layout, behind any lead or a given one: tricks, score, and IMPs or matchpoints
    against another contract.
    """
    from bidcascade.inference.contract_value import contract_value
    from bidcascade.inference.layouts.rejections import count_rejections
    from bidcascade.inference.layouts.searching import SearchLimits

    limit = _LONGEST_S if by.time_limit_s is None else by.time_limit_s
    until = time.perf_counter() + limit
    rejected = None
    if question.deals:
        found = count_rejections(
            by.source,
            question.calls,
            deals=question.deals,
            **question.circumstances,
            limits=SearchLimits(
                until=time.perf_counter() + _SHARE_FOR_DEALING * limit, cancel=by.cancel
            ),
        )
        rejected = answer_of(RejectedDeals, found)
    left = max(LEAST_S, until - time.perf_counter())
    share = 1.0 if question.contract is None else _SHARE_FOR_SAMPLING
    layouts = find_layouts(question, replace(by, time_limit_s=share * left))
    told = layouts_answer(question, layouts)
    deals = tuple(InferredLayout(deal=one.deal, weight=one.weight) for one in told.layouts)
    utility = None
    if question.contract is not None:
        value = contract_value(
            layouts.hands,
            question.contract,
            by.solver(),
            weights=layouts.weights,
            vulnerability=layouts.vulnerability,
            against=question.against,
            lead=question.lead,
            time_limit_s=max(0.0, until - time.perf_counter()),
            cancel=by.cancel,
        )
        deals = _with_results(deals, value)
        utility = _utility(value, question)
    return answer_of(InferAnswer, told, layouts=deals, rejected=rejected, utility=utility)


def _with_results(
    deals: tuple[InferredLayout, ...], value: "ContractValue"
) -> tuple[InferredLayout, ...]:
    """Layouts with what the contract makes in each; None where it was not solved in time."""
    tricks, points = value.tricks_by_layout.tolist(), value.points_by_layout.tolist()
    return tuple(
        replace(one, tricks=None, points=None)
        if taken < 0
        else replace(one, tricks=taken, points=scored)
        for one, taken, scored in zip(deals, tricks, points, strict=True)
    )


def _utility(value: "ContractValue", question: InferenceQuestion) -> UtilityAnswer:
    return answer_of(
        UtilityAnswer,
        value,
        contract=str(value.contract),
        scoring=question.scoring,
        value=answer_of(MeanAnswer, getattr(value, question.scoring)),
    )
