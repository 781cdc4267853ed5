"""What can be asked about systems, which may come as text."""

from typing import Annotated, Any, Final, Literal

from .bids import DealRequest
from .fields import Flag, Of, exactly_one, question, question_field
from .texts import Word

LONGEST_SYSTEM: Final = 1 << 18
"""Characters of a system's text: the largest that is shipped has about 210,000 with all its pages,
which a text may include."""
MOST_CHECKED: Final = 20_000
MOST_DIFFED: Final = 50_000
MOST_COMPARED: Final = 5_000
MOST_SOLVED: Final = 500
MOST_BENCHED: Final = 1000
_MOST_OPPONENTS: Final = 5
_MOST_AUCTIONS: Final = 20
_MOST_OPTIONS: Final = 50
_MOST_PAGES: Final = 50
_PageName = Annotated[str, Of(pattern=r"^[^/\\\x00-\x1f]{1,100}\.bidding$")]
"""A file name without folders."""
_Text = Annotated[str, Of(max_length=LONGEST_SYSTEM)]

_DEALS_FLAG: Final = Flag("random deals that are bid (default: %(default)s)", "N", bounds=(1, None))


def _seed_field() -> Any:
    return question_field(
        default=2026,
        ge=0,
        le=2**53,
        description="The same seed, the same random deals.",
        examples=[2026],
        flag=Flag(metavar="S", bounds=(0, None)),
    )


@question
class SystemChoice:
    """A bidding system: its text, or a table of the service that is one."""

    described = exactly_one(text="string", table="string")

    text: _Text | None = question_field(
        default=None,
        description="Text of a system. It may `include` systems and pages that come with "
        "bidcascade, and no other file.",
        examples=["opening:\n  1NT = Strong notrump: 15-17 points, balanced\n"],
    )
    pages: dict[_PageName, _Text] = question_field(
        default={},
        max_length=_MOST_PAGES,
        description="Further texts that the text includes, by file name; they take the place of "
        "pages of bidcascade with their names.",
        examples=[{}],
    )
    table: Word | None = question_field(
        default=None, description="Name of a table that is a system.", examples=["sayc"]
    )
    options: dict[Word, bool] = question_field(
        default={},
        max_length=_MOST_OPTIONS,
        description="Options of the system to be set.",
        examples=[{}],
    )


@question
class SystemCheckRequest:
    """A system to be checked."""

    system: SystemChoice = question_field(
        description="The system; both sides play it unless there are opponents."
    )
    opponents: SystemChoice | None = question_field(
        default=None,
        description="What the other side plays, if not what the text names. Each deal is then bid "
        "twice, by the system at either side, and only its own calls are reported.",
    )
    deals: int = question_field(
        default=2000,
        ge=1,
        le=MOST_CHECKED,
        description="Random deals that are bid to the end.",
        examples=[2000],
        flag=_DEALS_FLAG,
    )
    seed: int = _seed_field()
    auctions: tuple[Annotated[str, Of(max_length=2000)], ...] = question_field(
        default=("",),
        max_length=_MOST_AUCTIONS,
        description="Places whose shares are wanted; the empty text is the opening call.",
        examples=[["", "1N P"]],
        flag=Flag(
            "a place such as '1N P', any number of times (default: the opening call)",
            "AUCTION",
            name="--at",
        ),
    )
    least: int = question_field(
        default=1,
        ge=1,
        description="Places that fewer deals reach are left out.",
        examples=[1],
        flag=Flag("leave out places that fewer deals reach (default: 1)", "K"),
    )


@question
class SystemDiffRequest:
    """Two systems to be compared call by call, as before and after a change."""

    old: SystemChoice = question_field(description="Before.")
    new: SystemChoice = question_field(description="After.")
    deals: int = question_field(
        default=10_000,
        ge=1,
        le=MOST_DIFFED,
        description="Random deals that both bid.",
        examples=[10_000],
        flag=_DEALS_FLAG,
    )
    seed: int = _seed_field()
    show: int = question_field(
        default=20,
        ge=1,
        le=200,
        description="Most changes listed.",
        examples=[20],
        flag=Flag("changes listed", "N", bounds=(1, None)),
    )


@question
class CompareRequest:
    """A match of two systems."""

    first: SystemChoice = question_field(description="The one that IMPs are for.")
    second: SystemChoice = question_field(description="The other one.")
    deals: int = question_field(
        default=500,
        ge=1,
        description=f"Random deals, at most {MOST_COMPARED:,}; left alone where `boards` are "
        "given.",
        examples=[500],
    )
    boards: list[DealRequest] | None = question_field(
        default=None,
        min_length=1,
        max_length=1000,
        description="Deals to play instead.",
        examples=[None],
    )
    seed: int = _seed_field()
    solve: int = question_field(
        default=100,
        ge=0,
        description=f"Of the deals whose contracts differ so many are worked out double dummy, at "
        f"most {MOST_SOLVED}, drawn at random.",
        examples=[100],
    )
    budget_ms: int | None = question_field(
        default=None, ge=1, description="End the working out after so long.", examples=[10_000]
    )


@question
class BenchRequest:
    """A system on fixed boards of the bank of solved deals."""

    system: SystemChoice = question_field(description="The one that is measured.")
    against: list[SystemChoice] | None = question_field(
        default=None,
        min_length=1,
        max_length=_MOST_OPPONENTS,
        description="Systems that it plays a match against, the first of which bids beside it "
        "against par; each other one of the package if not given.",
        examples=[None],
    )
    boards: int = question_field(
        default=100,
        ge=1,
        le=MOST_BENCHED,
        description="How many. Each that is not solved yet takes some 0.2 s of a core, once.",
        examples=[100],
    )
    seed: int = question_field(
        default=0,
        ge=0,
        le=2**31 - 1,
        description="Which: the first ones of the part for 0, the next for 1 and so on.",
        examples=[0],
    )
    bank: Literal["held-out", "open", "all"] = question_field(
        default="held-out",
        description="Part of the bank; by the one that is held out no text was tuned.",
        examples=["held-out"],
    )
