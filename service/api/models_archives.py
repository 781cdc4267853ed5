"""What is asked of archives, and the bodies of the answers."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bidcascade.service.archive.questions import MOST_CONDITIONS

from .models import Body, SeatText, VulnerabilityText, Word

MOST_LISTED: Final = 10_000
"""Boards in one answer of JSON."""
_LONGEST_AUCTION: Final = 500
_LONGEST_CONDITION: Final = 500
_LARGEST_SEED: Final = 2**63 - 1

_Text = Annotated[str, Field(max_length=200)]
_Condition = Annotated[str, Field(max_length=_LONGEST_CONDITION)]


class _Query(BaseModel):
    """Parameters of a request; what is empty counts as not given."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in given.items() if value not in ("", [""])}


class ArchiveNode(_Query):
    """An auction in an archive."""

    auction: str = Field(
        default="", max_length=_LONGEST_AUCTION, description="The calls from the dealer on; none "
        "for the beginning.", examples=["1N-P"],
    )  # fmt: skip
    by: Word = Field(
        default="own", description="Whose auctions: `own` for those that were really bid, or the "
        "name of who bids the archive.", examples=["own"],
    )  # fmt: skip


class ArchiveNodeQuestion(ArchiveNode):
    """Parameters of `/nodes`."""

    statistics: bool = Field(
        default=False, description="What is to be said of the boards there, too.", examples=[False]
    )


class ArchiveConditions(ArchiveNode):
    """Which boards of an archive are asked for; all conditions hold for them."""

    auction: str = Field(
        default="", max_length=_LONGEST_AUCTION, description="Calls from the dealer on (`1N-P-2C`),"
        " or a pattern as in the headers of systems: `1NT P 2C P 2M …`, `1M (2m) Double`.",
        examples=["1N-P-2C"],
    )  # fmt: skip
    mode: Literal["first", "all"] = Field(
        default="first", description="`first`: the auction that is bid; `all`: every auction that "
        "is allowed, of who bids the archive so.", examples=["first"],
    )  # fmt: skip
    exact: bool = Field(
        default=False, description="Only auctions that end where `auction` does.", examples=[False]
    )
    where: list[_Condition] = Field(
        default=[], max_length=MOST_CONDITIONS, description="Conditions on the hands; the parameter"
        " may come several times.", examples=[["HCP_N >= 15"]],
    )  # fmt: skip
    dealer: SeatText | None = Field(
        default=None, description="`N`, `E`, `S` or `W`.", examples=["N"]
    )
    vulnerability: VulnerabilityText | None = Field(
        default=None, description="`None`, `NS`, `EW` or `Both`.", examples=["NS"]
    )
    player: _Text | None = Field(
        default=None, description="Part of a player's name, in any case.", examples=["smith"]
    )
    event: _Text | None = Field(
        default=None, description="Part of the event's name.", examples=["final"]
    )
    source: _Text | None = Field(
        default=None, description="Part of the name of the file.", examples=["2026"]
    )
    contract: Word | None = Field(
        default=None, pattern="^(?:Pass|[1-7][CDHSN]X{0,2})$", description="The contract that was "
        "played: `4S`, `3NX`, `Pass`.", examples=["4S"],
    )  # fmt: skip
    result: Literal["made", "down"] | None = Field(
        default=None, description="Whether it was made.", examples=["made"]
    )


class ArchiveBoardsQuestion(ArchiveConditions):
    """Parameters of `/boards`."""

    limit: int = Field(
        default=100, ge=1, description=f"Boards at most: up to {MOST_LISTED:,} as JSON, in files up"
        " to the setting `max_request_deals`.", examples=[100],
    )  # fmt: skip
    seed: int | None = Field(
        default=None, ge=0, le=_LARGEST_SEED, description="Take boards by chance, the same for the "
        "same seed; without one the first.", examples=[1],
    )  # fmt: skip
    level: list[_Condition] = Field(
        default=[], max_length=MOST_CONDITIONS, description="Equal shares of `next` calls, of a "
        "`contract`, `dealer` or `vulnerability`, or of conditions, each a class.",
        examples=[["next"]],
    )  # fmt: skip
    sort: Word | None = Field(
        default=None, description="A column of deals to put the boards in order by.",
        examples=["board"],
    )  # fmt: skip
    descending: bool = Field(
        default=False, description="The largest first; only with `sort`.", examples=[False]
    )
    bids: bool = Field(
        default=False, description="What `by` bids in the place of the auctions.", examples=[False]
    )
    format: Literal["json", "lin", "pbn", "parquet"] = Field(
        default="json", description="JSON, or a file to download.", examples=["json"]
    )


class ArchiveBidderAnswer(Body):
    """Who bids an archive."""

    digest: str = Field(
        description="Digest of the table or system when it bid.", examples=["5b866c75b9cdc816"]
    )
    modes: list[Literal["first", "all"]] = Field(
        description="The modes that there is an index of.", examples=[["first"]]
    )
    boards: int = Field(description="Boards that it has bid.", examples=[52_000])


class ArchiveAnswer(Body):
    """An archive in numbers."""

    name: str = Field(description="Its name.", examples=["club"])
    boards: int = Field(description="Different boards.", examples=[52_000])
    parts: int = Field(description="Parts that they lie in.", examples=[1])
    sources: int = Field(description="Files that they came from.", examples=[310])
    duplicates: int = Field(
        description="Records that an earlier board stands for.", examples=[1_250]
    )
    rejects: int = Field(description="Records that are no boards.", examples=[17])
    solved: int = Field(description="Boards with a double-dummy table.", examples=[0])
    bytes: int = Field(description="What it takes on the disk.", examples=[9_400_000])
    bidders: dict[str, ArchiveBidderAnswer] = Field(
        description="The tables and systems that bid it, by name."
    )


class ArchivesAnswer(Body):
    """All archives."""

    archives: list[ArchiveAnswer] = Field(description="Those that can be asked, by name.")
    damaged: dict[str, str] = Field(
        description="Those that cannot, with the reason.",
        examples=[{"old": "damaged catalogue 'archive.json'"}],
    )


class ArchiveBoardsAnswer(Body):
    """Boards of an archive."""

    total: int | None = Field(
        description="How many boards fit; null where not all were looked at.", examples=[1_204]
    )
    boards: list[dict[str, Any]] = Field(
        description="The boards: the columns of deals that are there, the cards as `deal` (PBN), "
        "`auction` and `bid` (what `by` bids) as text, `link` to a handviewer; with `level` the "
        "`class`.",
        examples=[[{"id": 7, "dealer": "N", "vulnerability": "None", "auction": "1N P P P"}]],
    )


class ArchiveCountAnswer(Body):
    """How many boards of an archive fit."""

    total: int = Field(description="Boards.", examples=[1_204])


class ArchiveCallAnswer(Body):
    """A call that follows an auction."""

    call: str = Field(description="The call.", examples=["2C"])
    boards: int = Field(description="Boards whose auction goes on so.", examples=[310])


class ArchiveNodeAnswer(Body):
    """What follows an auction in an archive."""

    auction: str = Field(description="The auction.", examples=["1N P"])
    boards: int = Field(description="Boards whose auction begins so.", examples=[1_204])
    next: list[ArchiveCallAnswer] = Field(description="What follows, the commonest first.")
    statistics: dict[str, Any] | None = Field(
        description="With `statistics`: what is to be said of these boards, field by field as in "
        "`docs/node-statistics.md`; null if there are none, or it was not asked for.",
        examples=[{"auction": "1N P", "boards": 1_204, "share": 0.93}],
    )


class ArchiveRemovedAnswer(Body):
    """An archive that was removed."""

    removed: int = Field(description="Boards that it had.", examples=[52_000])
