"""What can be asked of an archive: boards, how many there are, and what follows an auction."""

from dataclasses import fields
from typing import Annotated, Any, Final, Literal

from .parts.answer_fields import answer, answer_field
from .parts.fields import Flag, Of, question, question_field
from .parts.texts import SeatText, VulnerabilityText, Word

MOST_CONDITIONS: Final = 32
MOST_LISTED: Final = 10_000
"""Boards in one answer of JSON."""
_LONGEST_AUCTION: Final = 500
_LARGEST_SEED: Final = 2**63 - 1
_OF_AUCTIONS: Final = {"auction", "by", "mode", "exact"}
"""Conditions that postings of auctions answer."""

_Part = Annotated[str, Of(max_length=200)]
_Condition = Annotated[str, Of(max_length=500)]


@question
class ArchiveNode:
    """An auction in an archive."""

    auction: str = question_field(
        default="",
        max_length=_LONGEST_AUCTION,
        description="The calls from the dealer on; none for the beginning.",
        examples=["1N-P"],
        flag=Flag(metavar="AUCTION", name="auction"),
    )
    by: Word = question_field(
        default="own",
        description="Whose auctions: `own` for those that were really bid, or the name of who bids "
        "the archive.",
        examples=["own"],
        flag=Flag("whose auctions: own, those really bid, or who bids it (default: own)", "WHO"),
    )


@question
class NodeQuestion(ArchiveNode):
    """What follows an auction in an archive."""

    statistics: bool = question_field(
        default=False, description="What is to be said of the boards there, too.", examples=[False]
    )


@question
class BoardConditions(ArchiveNode):
    """Which boards of an archive are asked for; all conditions hold for them."""

    auction: str = question_field(
        default="",
        max_length=_LONGEST_AUCTION,
        description="Calls from the dealer on (`1N-P-2C`), or a pattern as in the headers of "
        "systems: `1NT P 2C P 2M …`, `1M (2m) Double`.",
        examples=["1N-P-2C"],
        flag=Flag(
            "calls from the dealer on ('1N P 2C'), or a pattern as in the headers of systems: "
            "'1NT P 2C P 2M …', '1M (2m) Double'",
            "AUCTION",
        ),
    )
    mode: Literal["first", "all"] = question_field(
        default="first",
        description="`first`: the auction that is bid; `all`: every auction that is allowed, of "
        "who bids the archive so.",
        examples=["first"],
        flag=Flag("what is bid, or every auction that is allowed (default: first)"),
    )
    exact: bool = question_field(
        default=False,
        description="Only auctions that end where `auction` does.",
        examples=[False],
        flag=Flag("auctions that end there"),
    )
    where: tuple[_Condition, ...] = question_field(
        default=(),
        max_length=MOST_CONDITIONS,
        description="Conditions on the hands; the parameter may come several times.",
        examples=[["HCP_N >= 15"]],
        flag=Flag("condition on the hands, as 'HCP_N >= 15'; may be given several times", "EXPR"),
    )
    dealer: SeatText | None = question_field(
        default=None,
        description="`N`, `E`, `S` or `W`.",
        examples=["N"],
        flag=Flag("N, E, S or W", "SEAT"),
    )
    vulnerability: VulnerabilityText | None = question_field(
        default=None,
        description="`None`, `NS`, `EW` or `Both`.",
        examples=["NS"],
        flag=Flag("None, NS, EW or Both", "V", name="--vul"),
    )
    player: _Part | None = question_field(
        default=None,
        description="Part of a player's name, in any case.",
        examples=["smith"],
        flag=Flag("part of a player's name", "P"),
    )
    event: _Part | None = question_field(
        default=None,
        description="Part of the event's name.",
        examples=["final"],
        flag=Flag("part of the event's", "E"),
    )
    source: _Part | None = question_field(
        default=None,
        description="Part of the name of the file.",
        examples=["2026"],
        flag=Flag("part of the file's", "S"),
    )
    contract: Word | None = question_field(
        default=None,
        description="The contract that was played: `4S`, `3NX` (or `3NTX`), `Pass`.",
        examples=["4S"],
        flag=Flag("contract that was played, as 4SX", "C"),
    )
    result: Literal["made", "down"] | None = question_field(
        default=None,
        description="Whether it was made.",
        examples=["made"],
        flag=Flag("made or down", "R"),
    )

    @property
    def has_conditions(self) -> bool:
        """Whether boards must be looked at, beside their auctions."""
        return any(
            getattr(self, one.name) != one.default
            for one in fields(BoardConditions)
            if one.name not in _OF_AUCTIONS
        )


@question
class BoardsQuestion(BoardConditions):
    """Boards of an archive."""

    limit: int = question_field(
        default=100,
        ge=1,
        description=f"Boards at most: up to {MOST_LISTED:,} as JSON, in files up to the setting "
        "`max_request_deals`.",
        examples=[100],
        flag=Flag("boards at most (default: 500, printed 20)", "N", default=None),
    )
    seed: int | None = question_field(
        default=None,
        ge=0,
        le=_LARGEST_SEED,
        description="Take boards by chance, the same for the same seed; without one the first.",
        examples=[1],
        flag=Flag("take boards by chance; the same seed takes the same", "S"),
    )
    level: tuple[_Condition, ...] = question_field(
        default=(),
        max_length=MOST_CONDITIONS,
        description="Equal shares of `next` calls, of a `contract`, `dealer` or `vulnerability`, "
        "or of conditions, each a class.",
        examples=[["next"]],
        flag=Flag(
            "equal shares of 'next' calls, 'contract', 'dealer', 'vulnerability', or of "
            "conditions, each a class",
            "CLASS",
            many="behind",
        ),
    )
    sort: Word | None = question_field(
        default=None,
        description="A column of deals to put the boards in order by.",
        examples=["board"],
        flag=Flag("in the order of a column of deals", "COLUMN"),
    )
    descending: bool = question_field(
        default=False,
        description="The largest first; only with `sort`.",
        examples=[False],
        flag=Flag("largest first"),
    )
    bids: bool = question_field(
        default=False,
        description="What `by` bids in the place of the auctions.",
        examples=[False],
        flag=Flag("with what WHO bids in the place of the auctions"),
    )
    format: Literal["json", "lin", "pbn", "parquet"] = question_field(
        default="json", description="JSON, or a file to download.", examples=["json"]
    )


# --- answers --------------------------------------------------------------------------------------


@answer
class ArchiveBidderAnswer:
    """Who bids an archive."""

    digest: str = answer_field(
        description="Digest of the table or system when it bid.", examples=["5b866c75b9cdc816"]
    )
    modes: tuple[Literal["first", "all"], ...] = answer_field(
        description="The modes that there is an index of.", examples=[["first"]]
    )
    boards: int = answer_field(description="Boards that it has bid.", examples=[52_000])


@answer
class ArchiveAnswer:
    """An archive in numbers."""

    name: str = answer_field(description="Its name.", examples=["club"])
    boards: int = answer_field(description="Different boards.", examples=[52_000])
    parts: int = answer_field(description="Parts that they lie in.", examples=[1])
    sources: int = answer_field(description="Files that they came from.", examples=[310])
    duplicates: int = answer_field(
        description="Records that an earlier board stands for.", examples=[1_250]
    )
    rejects: int = answer_field(description="Records that are no boards.", examples=[17])
    solved: int = answer_field(description="Boards with a double-dummy table.", examples=[0])
    bytes: int = answer_field(description="What it takes on the disk.", examples=[9_400_000])
    bidders: dict[str, ArchiveBidderAnswer] = answer_field(
        description="The tables and systems that bid it, by name."
    )


@answer
class ArchivesAnswer:
    """All archives."""

    archives: tuple[ArchiveAnswer, ...] = answer_field(
        description="Those that can be asked, by name."
    )
    damaged: dict[str, str] = answer_field(
        description="Those that cannot, with the reason.",
        examples=[{"old": "damaged catalogue 'archive.json'"}],
    )


@answer
class ArchiveBoardsAnswer:
    """Boards of an archive."""

    total: int | None = answer_field(
        description="How many boards fit; null where not all were looked at.", examples=[1_204]
    )
    boards: tuple[dict[str, Any], ...] = answer_field(
        description="The boards: the columns of deals that are there, the cards as `deal` (PBN), "
        "`auction` and `bid` (what `by` bids) as text, `link` to a handviewer; with `level` the "
        "`class`.",
        examples=[[{"id": 7, "dealer": "N", "vulnerability": "None", "auction": "1N P P P"}]],
    )


@answer
class ArchiveCountAnswer:
    """How many boards of an archive fit."""

    total: int = answer_field(description="Boards.", examples=[1_204])


@answer
class ArchiveCallAnswer:
    """A call that follows an auction."""

    call: str = answer_field(description="The call.", examples=["2C"])
    boards: int = answer_field(description="Boards whose auction goes on so.", examples=[310])


@answer
class ArchiveNodeAnswer:
    """What follows an auction in an archive."""

    auction: str = answer_field(description="The auction.", examples=["1N P"])
    boards: int = answer_field(description="Boards whose auction begins so.", examples=[1_204])
    next: tuple[ArchiveCallAnswer, ...] = answer_field(
        description="What follows, the commonest first."
    )
    statistics: dict[str, Any] | None = answer_field(
        description="With `statistics`: what is to be said of these boards, field by field as in "
        "`docs/node-statistics.md`; null if there are none, or it was not asked for.",
        examples=[{"auction": "1N P", "boards": 1_204, "share": 0.93}],
    )


@answer
class ArchiveRemovedAnswer:
    """An archive that was removed."""

    removed: int = answer_field(description="Boards that it had.", examples=[52_000])
