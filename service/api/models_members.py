"""Bodies of ``POST /v1/members``, field by field."""

from typing import Annotated, Final

from pydantic import Field

from .models import BackendName, Body, DealsRequest, TableChoice, TableName

MOST_ENTRIES: Final = 100
_LONGEST_AUCTION_TEXT: Final = 2000


class MembersRequest(DealsRequest):
    """Deals, and the auctions that they may or may not reach."""

    entries: list[
        Annotated[int, Field(ge=0)] | Annotated[str, Field(max_length=_LONGEST_AUCTION_TEXT)]
    ] = Field(
        min_length=1,
        max_length=MOST_ENTRIES,
        description="Auctions as text, or numbers of entries; of a table those that it has, of a "
        "system any legal auction. One that is given twice is answered once.",
        examples=[["1N", "1N P 2C"]],
    )
    table: TableChoice = None


class EntryMembers(Body):
    """The deals that reach one auction."""

    auction: list[str] = Field(description="Its calls.", examples=[["1N", "P", "2C"]])
    total: int = Field(description="How many deals reach it.", examples=[2])
    deals: list[int] = Field(description="Their numbers, from 0.", examples=[[0, 3]])


class MembersAnswer(Body):
    """For each auction the deals that reach it."""

    members: list[EntryMembers] = Field(description="In the order of the entries.")
    table: TableName = Field(description="The table that they are of.")
    backend: BackendName = Field(
        description="Engine that worked the answer out; all of them give the same.",
        examples=["cpu"],
    )
