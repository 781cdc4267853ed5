"""What is answered about archives, field by field."""

from typing import Any, Literal

from pydantic import Field

from .models import Body


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
