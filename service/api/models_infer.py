"""Bodies of ``POST /v1/infer``, field by field."""

from typing import Literal

from pydantic import Field

from .models import MOST_LAYOUTS, Body, Word
from .models_layouts import AboutAuction, AuctionRequest, Layout

MOST_DEALT = 100_000


class InferRequest(AuctionRequest):
    """An auction, and what is to be told of the layouts that fit it."""

    layouts: int = Field(
        default=100, ge=1, le=MOST_LAYOUTS, description="Layouts wanted.", examples=[100]
    )
    deals: int = Field(
        default=10_000,
        ge=0,
        le=MOST_DEALT,
        description="Deals that agree with what is known, dealt to count how many do not fit the "
        "auction and why; 0 for none.",
        examples=[10_000],
    )
    contract: Word | None = Field(
        default=None,
        description="A contract with its declarer, whose worth is asked for; that of the auction "
        "if it is over.",
        examples=["4SN"],
    )
    lead: Word | None = Field(
        default=None,
        description="Card that is led against it, which `known` gives to the leader; the best lead "
        "of each layout if not given.",
        examples=["HQ"],
    )
    against: Word | None = Field(
        default=None,
        description="Contract at the other table, by either side, or `Pass`: what `imps` and "
        "`matchpoints` are against.",
        examples=["3NN"],
    )
    scoring: Literal["points", "imps", "matchpoints"] = Field(
        default="points",
        description="What `value` is in; `imps` and `matchpoints` need `against`.",
        examples=["imps"],
    )
    budget_ms: int | None = Field(
        default=None, ge=1, description="Answer after so long with what is known by then.",
        examples=[5000],
    )  # fmt: skip


class InferredLayout(Layout):
    """One deal, and what the contract makes in it."""

    tricks: int | None = Field(
        default=None,
        description="Of declarer's side; null where it was not solved in time, absent without a "
        "contract.",
        examples=[10],
    )
    points: int | None = Field(
        default=None, description="Score of declarer's side.", examples=[420]
    )


class RejectedCall(Body):
    """Deals that disagree with one call."""

    number: int = Field(description="Number of the call, from 0.", examples=[0])
    call: str = Field(description="The call.", examples=["1N"])
    seat: str = Field(description="Who made it.", examples=["N"])
    known: bool = Field(
        description="Whether some hand makes it; else no line of the system does.", examples=[True]
    )
    first: int = Field(
        description="Deals that agree with all calls before and not with this one.",
        examples=[9541],
    )
    any: int = Field(description="Deals that do not agree with it.", examples=[9541])


class RejectedDeals(Body):
    """How many deals do not fit the auction."""

    dealt: int = Field(
        description="Deals, all equally likely, that agree with what is known.", examples=[10_000]
    )
    fit: int = Field(description="Those that agree with every call.", examples=[24])
    calls: list[RejectedCall] = Field(
        description="The others by the call that they first disagree with; calls of hands that are "
        "known in whole are left out."
    )


class WorthAnswer(Body):
    """A mean over the layouts, with its interval of 95 %."""

    value: float = Field(description="By weight.", examples=[9.8])
    low: float | None = Field(description="Lower end; null from a single layout.", examples=[9.6])
    high: float | None = Field(description="Upper end.", examples=[10.0])


class UtilityAnswer(Body):
    """What the contract is worth to declarer's side."""

    contract: str = Field(description="With its declarer.", examples=["4SN"])
    scoring: Literal["points", "imps", "matchpoints"] = Field(
        description="What `value` is in.", examples=["imps"]
    )
    value: WorthAnswer = Field(description="By the scoring asked for.")
    tricks: WorthAnswer = Field(description="Tricks.")
    points: WorthAnswer = Field(description="Score, by contract and vulnerability.")
    imps: WorthAnswer | None = Field(description="IMPs a board; null without `against`.")
    matchpoints: WorthAnswer | None = Field(
        description="Share of the other table beaten, half if equal; null without `against`."
    )
    made: float = Field(description="Share of layouts in which it is made.", examples=[0.71])
    chances: list[float] = Field(description="Chance of 0, 1, … 13 tricks.", examples=[[0.0, 1.0]])
    solved: int = Field(description="Layouts solved in time.", examples=[100])


class InferAnswer(AboutAuction):
    """Who fits, who does not and why, and what a contract is worth."""

    layouts: list[InferredLayout] = Field(description="Deals that fit.")
    rejected: RejectedDeals | None = Field(description="Null if no `deals` were asked for.")
    utility: UtilityAnswer | None = Field(description="Null without a contract.")
