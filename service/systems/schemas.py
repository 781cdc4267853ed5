"""Bodies of answers about auctions explained, field by field."""

from pydantic import BaseModel, ConfigDict, Field

from bidcascade.service.schemas import TableName

_Strict = ConfigDict(strict=True, extra="forbid")
_POINTS = [15, 17]
_LENGTHS = {"C": [2, 5], "D": [2, 5], "H": [2, 5], "S": [2, 5]}


class HandTypeAnswer(BaseModel):
    """One kind of hand that makes a call."""

    model_config = _Strict

    name: str = Field(description="Of its line, empty if none.", examples=["Strong notrump"])
    where: str = Field(description="File and line.", examples=["sayc.bidding:12"])
    share: float = Field(
        description="Part of the hands that fit what the player has shown, 0 to 1.", examples=[1.0]
    )
    points: list[int] = Field(description="Least and most points.", examples=[_POINTS])
    lengths: dict[str, list[int]] = Field(
        description="Least and most cards of each suit.", examples=[_LENGTHS]
    )


class ExplainedCallAnswer(BaseModel):
    """One call, and what its player has shown with it and before."""

    model_config = _Strict

    call: str = Field(description="The call.", examples=["1N"])
    player: int = Field(description="Who made it, counted from the dealer.", examples=[0])
    sentence: str = Field(
        description="What a player would say if asked.",
        examples=["Strong notrump: 15-17 points, 2-5 clubs, 2-5 diamonds, 2-5 hearts, 2-5 spades"],
    )
    known: bool = Field(description="Whether the system has a line for it.", examples=[True])
    agreements: list[str] = Field(
        description="`forcing`, `artificial`, `#stayman` …", examples=[["limited"]]
    )
    hand_types: list[HandTypeAnswer] = Field(description="The kinds of hand that make this call.")
    points: list[int] = Field(
        description="Least and most points that are known now.", examples=[_POINTS]
    )
    lengths: dict[str, list[int]] = Field(
        description="Least and most cards of each suit that are known now.", examples=[_LENGTHS]
    )
    also: dict[str, list[int]] = Field(
        description="Bounds of further terms.", examples=[{"Aces": [1, 1]}]
    )
    share: float = Field(
        description="Part of all hands that fit what the player has shown, 0 to 1.",
        examples=[0.04],
    )


class OfferedCallAnswer(BaseModel):
    """One call that the next player may choose."""

    model_config = _Strict

    call: str = Field(description="The call.", examples=["2C"])
    name: str = Field(description="Of its first line.", examples=["Stayman"])
    where: str = Field(description="File and line.", examples=["notrump.bidding:8"])


class ExplainAnswer(BaseModel):
    """An auction explained call by call."""

    model_config = _Strict

    auction: list[str] = Field(description="The calls.", examples=[["1N", "P"]])
    calls: list[ExplainedCallAnswer] = Field(description="Each with what it has shown.")
    forced: bool = Field(description="Whether the next player may not pass.", examples=[False])
    game_forced: bool = Field(
        description="Whether the next player's side has to reach game.", examples=[False]
    )
    agreed_suit: str | None = Field(
        description="Trumps of the next player's side as far as agreed, `C D H S`.",
        examples=["H"],
    )
    next_calls: list[OfferedCallAnswer] = Field(
        description="What the next player has to choose from, in order of priority."
    )
    table: TableName
