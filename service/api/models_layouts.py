"""Bodies of ``POST /v1/layouts`` and ``POST /v1/interpret``, field by field."""

from typing import Literal

from pydantic import Field

from .models import BackendName, Body, ExplainedCallAnswer, TableName


class LayoutReport(Body):
    """How layouts were found."""

    proposals: int = Field(description="Deals that were looked at.", examples=[4096])
    accepted: int = Field(description="Those that fit.", examples=[100])
    acceptance: float = Field(description="Share of them that fit.", examples=[0.024])
    effective_size: float = Field(
        description="As many layouts of equal weight tell as much.", examples=[100.0]
    )
    relaxed: list[str] = Field(
        description="Conditions that were given up because too few deals meet them, in that order.",
        examples=[["call 1, 4C by N: no line of the system makes this call"]],
    )
    notes: list[str] = Field(
        description="Known hands that would not have made their own calls.", examples=[[]]
    )
    stopped_because: Literal["count", "proposals", "time", "cancelled"] = Field(
        description="`count`: enough were found; `proposals`, `time`: a limit was reached first.",
        examples=["count"],
    )
    seed: int = Field(description="Of the random numbers.", examples=[0])
    seconds: float = Field(description="Time it took.", examples=[0.012])


class Layout(Body):
    """One deal."""

    deal: str = Field(
        description="PBN text, North's hand first.",
        examples=["N:A65.AJ72.AQT.974 QJ98.54.K732.T65 KT73.KT9.985.AK2 42.Q863.J64.QJ83"],
    )
    weight: float = Field(description="Mean 1 over all layouts.", examples=[1.0])


class AboutAuction(Body):
    """What is answered about any auction."""

    auction: list[str] = Field(description="The calls.", examples=[["1N", "P", "2C", "P"]])
    dealer: str = Field(description="Who dealt.", examples=["N"])
    vulnerability: str = Field(description="Who is vulnerable.", examples=["None"])
    report: LayoutReport = Field(description="How the layouts were found.")
    table: TableName = Field(description="The table that tells what calls mean.")
    backend: BackendName = Field(description="The engine of the service.", examples=["cpu"])


class LayoutsAnswer(AboutAuction):
    """Deals that fit an auction and what is known."""

    layouts: list[Layout] = Field(description="The deals.")


class Shown(Body):
    """What a player's calls have shown by the system."""

    points: list[int] = Field(
        description="Least and most points that are promised.", examples=[[15, 17]]
    )
    every_points: list[int] = Field(
        description="Least and most points of all hands that call so.", examples=[[15, 17]]
    )
    lengths: dict[str, list[int]] = Field(
        description="Least and most cards by suit.", examples=[{"S": [2, 5]}]
    )
    also: dict[str, list[int]] = Field(description="Bounds of further terms.", examples=[{}])
    calls: list[str] = Field(
        description="The player's calls in words.", examples=[["1N Strong notrump: 15-17 points"]]
    )


class InterpretedHand(Body):
    """One hand: what was shown, and chances over the layouts."""

    shown: Shown = Field(description="By the system.")
    points: list[float] = Field(description="Chance of 0, 1, … 37 points.")
    mean_points: float = Field(description="Their mean.", examples=[15.8])
    points_range: list[int] = Field(description="Least and most that came up.", examples=[[15, 17]])
    lengths: dict[str, list[float]] = Field(description="Chance of 0 … 13 cards, by suit.")
    mean_lengths: dict[str, float] = Field(description="Mean length, by suit.")
    length_ranges: dict[str, list[int]] = Field(description="Least and most cards that came up.")
    shapes: list[tuple[str, float]] = Field(
        description="Commonest shapes, spades first, with their chance.",
        examples=[[("4=3=3=3", 0.08)]],
    )
    cards: dict[str, float] = Field(description="Chance of every card.", examples=[{"SA": 0.35}])
    honours: dict[str, dict[str, float]] = Field(description="Chance of A K Q J T, by suit.")
    stoppers: dict[str, float] = Field(description="Chance of a stopper, by suit.")
    keycards: list[float] | None = Field(
        description="Chance of 0 … 5 keycards of the agreed suit; null where none is agreed."
    )


class NextCall(Body):
    """A call that may come next."""

    call: str = Field(description="Text.", examples=["2H"])
    name: str = Field(description="Of its line.", examples=["Four-card major"])
    chance: float = Field(description="Share of the layouts in which it is made.", examples=[0.3])


class Agreed(Body):
    """Trumps as far as agreed."""

    NS: str | None = Field(description="Of North-South.", examples=["H"])
    EW: str | None = Field(description="Of East-West.", examples=[None])


class InterpretAnswer(AboutAuction):
    """What an auction shows."""

    known: list[str] = Field(description="Seats whose hand is known in whole.", examples=[["E"]])
    calls: list[ExplainedCallAnswer] = Field(
        description="Call by call; empty for a table of no system."
    )
    forced: bool = Field(description="Whether the next player may not pass.", examples=[False])
    game_forced: bool = Field(description="Whether that side must reach game.", examples=[False])
    agreed: Agreed = Field(description="Trumps.")
    hands: dict[str, InterpretedHand] = Field(description="By seat.")
    next_player: str | None = Field(description="Who calls next; null after the end.")
    next_calls: list[NextCall] = Field(description="What that player calls, likeliest first.")
