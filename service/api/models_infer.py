"""Bodies of ``POST /v1/infer``, field by field."""

from typing import Literal

from pydantic import Field

from .models import Body
from .models_layouts import AboutAuction, Layout


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


class MeanAnswer(Body):
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
    value: MeanAnswer = Field(description="By the scoring asked for.")
    tricks: MeanAnswer = Field(description="Tricks.")
    points: MeanAnswer = Field(description="Score, by contract and vulnerability.")
    imps: MeanAnswer | None = Field(description="IMPs a board; null without `against`.")
    matchpoints: MeanAnswer | None = Field(
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
