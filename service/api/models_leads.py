"""Bodies of ``POST /v1/leads``, field by field."""

from pydantic import Field

from bidcascade.engine.questions.texts import HandText

from .models import BackendName, Body, TableName


class LeadAnswerItem(Body):
    """What one lead is worth over all layouts."""

    card: str = Field(description="The highest of its touching cards.", examples=["D9"])
    cards: list[str] = Field(
        description="All of them: it does not matter which.", examples=[["D9", "D8", "D7", "D6"]]
    )
    value: float = Field(description="By the scoring asked for.", examples=[3.19])
    low: float | None = Field(
        description="Lower end of its 95 % interval; null from fewer than two layouts.",
        examples=[3.0],
    )
    high: float | None = Field(description="Upper end of the interval.", examples=[3.38])
    behind: float = Field(
        description="How much less than the best lead, on the same layouts.", examples=[0.0]
    )
    behind_error: float | None = Field(
        description="Half the width of its 95 % interval: a lead that is less behind is not told "
        "apart from the best.",
        examples=[0.0],
    )
    differs: int = Field(
        description="In how many layouts it is worth more or less than the best lead; below six "
        "it is not told apart either.",
        examples=[0],
    )
    tricks: float = Field(description="Mean tricks of the defenders.", examples=[3.19])
    set: float = Field(
        description="Share of layouts in which the contract goes down.", examples=[0.09]
    )
    matchpoints: float = Field(
        description="Share of other tables beaten, half for equal ones.", examples=[0.62]
    )
    imps: float = Field(description="Mean IMPs against other tables.", examples=[0.57])
    best_share: float = Field(
        description="Share of layouts in which no lead takes more tricks.", examples=[0.81]
    )


class LeadLayouts(Body):
    """The layouts behind an answer."""

    asked: int = Field(description="Wanted.", examples=[100])
    found: int = Field(description="Found.", examples=[100])
    solved: int = Field(description="Solved in time: the answer is about these.", examples=[100])
    effective_size: float = Field(
        description="As many layouts of equal weight tell as much.", examples=[100.0]
    )
    proposals: int = Field(description="Deals that were looked at.", examples=[4096])
    acceptance: float = Field(description="Share of them that agree.", examples=[0.024])
    stopped_because: str = Field(
        description="`count`: enough were found; `proposals`, `time`: a limit was reached first.",
        examples=["count"],
    )
    relaxed: list[str] = Field(
        description="Conditions that were given up because too few deals meet them.", examples=[[]]
    )
    notes: list[str] = Field(
        description="Known hands that would not have made their own calls.", examples=[[]]
    )
    seed: int = Field(description="Of the layouts.", examples=[0])


class LeadsAnswer(Body):
    """Leads from best to worst."""

    card: str = Field(
        description="The card to lead: of those in the best lead's suit that may be as good, the "
        "one that players lead: top of touching honours, fourth best, low from three to an honour.",
        examples=["D6"],
    )
    leads: list[LeadAnswerItem] = Field(description="The leads, best first.")
    leader: str = Field(description="Who leads.", examples=["S"])
    hand: HandText = Field(description="The leader's hand.", examples=["K52.AQ3.9876.KJ2"])
    contract: str = Field(description="The contract with its declarer.", examples=["3NE"])
    scoring: str = Field(description="What leads are judged by.", examples=["tricks"])
    decided: bool = Field(
        description="Whether no other card that players lead may be as good.",
        examples=[False],
    )
    undecided: list[str] = Field(
        description="Other cards that may be as good, as far as the solved deals tell: of each "
        "suit those that players lead.",
        examples=[["HA"]],
    )
    warming: bool = Field(
        description="Whether the service was still warming up: fewer deals are solved in the same "
        "time then.",
        examples=[False],
    )
    layouts: LeadLayouts = Field(description="The layouts behind the answer.")
    elapsed_ms: int = Field(description="Time it took.", examples=[1840])
    table: TableName = Field(description="The table that tells what calls mean.")
    backend: BackendName = Field(
        description="The engine that works out conditions.", examples=["cpu"]
    )
