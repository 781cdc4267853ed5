"""Bodies of ``POST /v1/double-dummy`` and of what is below it, field by field."""

from pydantic import Field

from .models import Body


class ParAnswer(Body):
    """What the deal is worth when both sides bid and play without a fault."""

    score: int = Field(description="Points of North-South.", examples=[110])
    contracts: list[str] = Field(
        description="Contracts that reach it, with declarers and result; empty if passed out.",
        examples=[["2S-NS="]],
    )


class AuctionValue(Body):
    """What an auction is worth double dummy."""

    contract: str = Field(description="With its declarer; `Pass` if passed out.", examples=["3NN"])
    tricks: int | None = Field(
        description="Declarer's tricks; null if passed out or missing.", examples=[9]
    )
    score: int | None = Field(
        description="Points of North-South; null if declarer's tricks are missing.", examples=[400]
    )
    imps_to_par: int | None = Field(
        description="IMPs of North-South against par at the other table; null if one is missing.",
        examples=[7],
    )
    imps: list[int | None] = Field(
        description="IMPs of North-South against each auction of the request at the other table; "
        "null if either score is missing.",
        examples=[[0]],
    )


class MissingResult(Body):
    """A result that was not solved in time."""

    declarer: str = Field(description="Seat letter.", examples=["N"])
    strain: str = Field(description="Letter of the strain.", examples=["S"])


class DoubleDummyAnswer(Body):
    """A deal solved double dummy, or what of it was solved in time."""

    tricks: dict[str, dict[str, int | None]] = Field(
        description="Tricks by declarer and strain; null where `missing`.",
        examples=[{"N": {"C": 6, "D": 7, "H": 8, "S": 8, "N": 7}}],
    )
    par: ParAnswer | None = Field(description="Par of the deal; null if a result is missing.")
    auctions: list[AuctionValue] = Field(description="In the order of the request.")
    missing: list[MissingResult] = Field(
        description="Results that were not solved in the time for a request; empty with status "
        "200.",
        examples=[[]],
    )
    goes_on: bool = Field(
        description="Whether missing results are still being solved: ask again.", examples=[False]
    )


class ContractTricksAnswer(Body):
    """Tricks of contracts, or what of them was solved in time."""

    tricks: list[list[int | None]] = Field(
        description="Declarer's tricks by board and contract; null if not solved in the time for a "
        "request.",
        examples=[[[9]]],
    )
    solved_before: int = Field(
        description="How many boards have a table that was kept from earlier work.", examples=[0]
    )
    missing: int = Field(description="How many contracts were not solved in time.", examples=[0])
