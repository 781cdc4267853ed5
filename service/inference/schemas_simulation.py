"""The part of ``POST /v1/bid`` about simulation, field by field."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_LAYOUTS: Final = 1000

_Strict = ConfigDict(strict=True, extra="forbid")


class SimulateRequest(BaseModel):
    """How the call is to be simulated."""

    model_config = _Strict

    layouts: int = Field(
        default=100,
        ge=1,
        le=MOST_LAYOUTS,
        description="Deals of the unseen cards that agree with the auction.",
        examples=[100],
    )
    scoring: Literal["imps", "matchpoints", "points"] = Field(
        default="imps",
        description="What calls are judged by: IMPs or matchpoints against a table with the same "
        "cards where the system's own call is made, or the mean score.",
        examples=["imps"],
    )
    budget_ms: int | None = Field(
        default=None,
        ge=1,
        description="Answer after so long with what is known by then.",
        examples=[2000],
    )
    double_dummy: bool = Field(
        default=True,
        description="Solve contracts double dummy; else tricks are by the law of total tricks.",
        examples=[True],
    )
    seed: int = Field(
        default=0, ge=0, lt=1 << 64, description="The same seed, the same layouts.", examples=[0]
    )


class ContractShare(BaseModel):
    """A contract that a call leads to."""

    model_config = _Strict

    contract: str = Field(description="With its declarer; `Pass` if passed out.", examples=["4SN"])
    share: float = Field(description="Share of the layouts.", examples=[0.62])


class SimulatedCall(BaseModel):
    """What one call is worth."""

    model_config = _Strict

    call: str = Field(description="The call.", examples=["2C"])
    line: bool = Field(
        description="Whether a line of the system makes it with this hand; else it is a natural "
        "call.",
        examples=[True],
    )
    mean: float = Field(description="Its worth by the scoring.", examples=[1.25])
    low: float | None = Field(
        description="The worth is between `low` and `high` with 95 %; null from fewer than two "
        "layouts.",
        examples=[0.4],
    )
    high: float | None = Field(description="See `low`.", examples=[2.1])
    behind: float = Field(
        description="How much less it is worth than the best call, on the layouts that both were "
        "tried on.",
        examples=[0.0],
    )
    behind_error: float | None = Field(
        description="Half the width of the interval of `behind`.", examples=[0.0]
    )
    points: float = Field(description="Mean score of the caller's side.", examples=[420.0])
    best_share: float = Field(
        description="Share of its layouts in which no other call scores more.", examples=[0.7]
    )
    layouts: int = Field(
        description="How many it was tried on: fewer than others if it was surely behind.",
        examples=[100],
    )
    contracts: list[ContractShare] = Field(description="The commonest contracts.")


class SimulatedLayouts(BaseModel):
    """The layouts behind a simulation."""

    model_config = _Strict

    asked: int = Field(description="How many were asked for.", examples=[100])
    found: int = Field(description="How many were found.", examples=[100])
    used: int = Field(description="On how many the best call was scored.", examples=[100])
    effective_size: float = Field(
        description="As many layouts of equal weight tell as much.", examples=[100.0]
    )
    acceptance: float = Field(description="Share of dealt layouts that fit.", examples=[0.31])
    relaxed: list[str] = Field(description="What was given up to find them.", examples=[[]])
    notes: list[str] = Field(
        description="Calls that the known hand would not have made.", examples=[[]]
    )
    seed: int = Field(description="Which random numbers.", examples=[0])


class SimulationAnswer(BaseModel):
    """Calls from best to worst, by simulation."""

    model_config = _Strict

    best: str = Field(description="The best call.", examples=["2C"])
    compared_with: str = Field(
        description="The call that `imps` and `matchpoints` are against: the system's own, or a "
        "pass.",
        examples=["2C"],
    )
    scoring: Literal["imps", "matchpoints", "points"] = Field(
        description="What calls are judged by.", examples=["imps"]
    )
    tricks_by: Literal["double dummy", "law of total tricks"] = Field(
        description="Where the tricks come from.", examples=["double dummy"]
    )
    stopped_because: Literal["layouts", "decided", "time"] = Field(
        description="All layouts were used, one call is clear of all others, or time was over.",
        examples=["layouts"],
    )
    solved: int = Field(description="Contracts that were solved double dummy.", examples=[126])
    candidates: list[SimulatedCall] = Field(description="The calls that were tried.")
    layouts: SimulatedLayouts
    elapsed_ms: int = Field(description="Time that it took.", examples=[950])
