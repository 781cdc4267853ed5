"""Bodies of ``POST /v1/members``, field by field."""

from pydantic import Field

from .models import BackendName, Body, TableName


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
