"""What can be asked about systems, which may come as text."""

from typing import Annotated, Any, Final, Literal

from .deals.auctions import DealRequest
from .parts.answer_fields import answer, answer_field
from .parts.answer_parts import OptionAnswer
from .parts.fields import Flag, Of, exactly_one, question, question_field
from .parts.texts import Word

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


# --- answers --------------------------------------------------------------------------------------


@answer
class SystemComplaint:
    """Something wrong in a text."""

    system: str = answer_field(
        description="Field of the request that has the text.", examples=["system"]
    )
    file: str = answer_field(
        description="That field, or the name of the page that the text includes.",
        examples=["system"],
    )
    line: int = answer_field(description="Line, from 1; 0 for the whole text.", examples=[2])
    column: int = answer_field(description="Column, from 1; 0 for the whole line.", examples=[31])
    message: str = answer_field(
        description="What was expected and what was read.", examples=["unknown word 'pionts'"]
    )
    advice: str = answer_field(
        description="What to write instead, if that can be said.", examples=["did you mean points"]
    )


@answer
class SystemName:
    """A system that was read."""

    name: str = answer_field(
        description="Name of the table, or the field of the request that has the text.",
        examples=["sayc"],
    )
    title: str = answer_field(
        description="What its text calls it.", examples=["Standard American Yellow Card"]
    )
    digest: str = answer_field(
        description="Of its text, with all that it includes and its options.",
        examples=["5b866c75b9cdc816"],
    )
    options: tuple[OptionAnswer, ...] = answer_field(
        description="Options of its text in its order, and whether they hold as it was asked about."
    )


@answer
class AboutSystems:
    """What is answered about any systems."""

    systems: dict[str, SystemName] = answer_field(
        description="The systems that were read, by field of the request."
    )
    complaints: tuple[SystemComplaint, ...] = answer_field(
        description="What is wrong in the texts, at most 200; there is no result then."
    )


@answer
class LineShareAnswer:
    """One line of a place on the deals that came there."""

    call: str = answer_field(description="Its call.", examples=["1N"])
    name: str = answer_field(description="Its name.", examples=["Strong notrump"])
    where: str = answer_field(description="File and line.", examples=["system:2"])
    chosen: int = answer_field(description="Deals that bid it.", examples=[101])
    fits: int = answer_field(description="Deals whose hand meets it.", examples=[104])
    taken: dict[str, int] = answer_field(
        description="Deals that fit and went to an earlier line, by that line.", examples=[{}]
    )


@answer
class PlaceSharesAnswer:
    """What the lines of one place took."""

    auction: str = answer_field(description="The calls before.", examples=["1N P"])
    deals: int = answer_field(description="Deals that came here.", examples=[85])
    lines: tuple[LineShareAnswer, ...] = answer_field(
        description="In the order in which they are tried."
    )
    default_pass: int = answer_field(description="Deals that no line takes.", examples=[12])
    forced: bool = answer_field(
        description="Whether the player may not pass: then these are gaps.", examples=[False]
    )


@answer
class SystemFinding:
    """Something to look at."""

    kind: str = answer_field(
        description="`gap`, `strong pass`, `double claim`, `double meaning`, `dead line`, "
        "`unreached line`, `asymmetry` or `long condition`.",
        examples=["gap"],
    )
    text: str = answer_field(
        description="In words.",
        examples=["nothing fits after Stayman (system:9), which is forcing"],
    )
    deals: int = answer_field(description="How many deals it concerns.", examples=[3])
    examples: tuple[str, ...] = answer_field(description="Auctions.", examples=[["1N P 2C P"]])


@answer
class SystemCheckResult:
    """What a system does on random deals."""

    deals: int = answer_field(description="Deals that were bid.", examples=[2000])
    places: tuple[PlaceSharesAnswer, ...] = answer_field(
        description="Shares at the places that were asked for, as far as a deal came there."
    )
    findings: tuple[SystemFinding, ...] = answer_field(
        description="At most 300; most deals first within a kind."
    )
    findings_total: int = answer_field(description="How many there are.", examples=[7])
    expanded: int = answer_field(description="Places that the deals needed.", examples=[812])
    entries: int = answer_field(description="Lines that hold there for some hand.", examples=[4100])
    by_depth: tuple[int, ...] = answer_field(
        description="Deals that still had to call, by number of calls before.",
        examples=[[2000, 2000, 1800]],
    )


@answer
class SystemCheckAnswer(AboutSystems):
    """What is wrong in a text, or what the system does."""

    result: SystemCheckResult | None = answer_field(description="Null where there are complaints.")


@answer
class SystemChange:
    """A place where the two call differently."""

    auction: str = answer_field(description="The calls before.", examples=["1N P"])
    old: str = answer_field(
        description="Call of the old one; `end` if it has none.", examples=["2C"]
    )
    new: str = answer_field(description="Call of the new one.", examples=["P"])
    old_rule: str = answer_field(description="Its line.", examples=["Stayman (old:9)"])
    new_rule: str = answer_field(description="Its line.", examples=["no line fits"])
    deals: int = answer_field(description="Deals that part here.", examples=[31])
    examples: tuple[str, ...] = answer_field(
        description="Hands of some.", examples=[["K52.AQ32.J876.Q2"]]
    )


@answer
class SystemDiffResult:
    """What a change does."""

    deals: int = answer_field(description="Deals that were bid.", examples=[10_000])
    changed: int = answer_field(description="Deals whose auctions differ.", examples=[210])
    changes: tuple[SystemChange, ...] = answer_field(description="Places, most deals first.")
    changes_total: int = answer_field(description="How many places there are.", examples=[14])


@answer
class SystemDiffAnswer(AboutSystems):
    """What is wrong in the texts, or where the systems part."""

    result: SystemDiffResult | None = answer_field(description="Null where there are complaints.")


@answer
class EstimateAnswer:
    """A number about all deals, with its interval of 95 %."""

    value: float | None = answer_field(
        description="The estimate; null where nothing is known of it.", examples=[0.31], digits=4
    )
    low: float | None = answer_field(
        description="Lower end; null where the deals do not tell it.", examples=[-0.2], digits=4
    )
    high: float | None = answer_field(description="Upper end.", examples=[0.82], digits=4)


@answer
class MatchDivergence:
    """A place where auctions parted."""

    where: str = answer_field(
        description="The calls before, then what either system called.", examples=["1N P: 2C/2D"]
    )
    examined: int = answer_field(description="Deals from here that were worked out.", examples=[9])
    share: EstimateAnswer = answer_field(description="Part of all deals.")
    imps: EstimateAnswer = answer_field(description="IMPs there.")
    effect: EstimateAnswer = answer_field(description="What they add to the mean over all deals.")


@answer
class MatchTable:
    """What happened at one table."""

    calls: tuple[str, ...] = answer_field(
        description="The auction.", examples=[["1N", "P", "P", "P"]]
    )
    contract: str = answer_field(description="With its declarer, or `Pass`.", examples=["1NN"])
    tricks: int | None = answer_field(
        description="Of declarer's side; null where it was passed out or need not be known.",
        examples=[7],
    )
    score: int | None = answer_field(
        description="Of North-South; null where the contract is that of the other table.",
        examples=[90],
    )


@answer
class MatchBoard:
    """A board of which the IMPs are known."""

    number: int = answer_field(description="Number of the deal, from 0.", examples=[17])
    deal: str = answer_field(
        description="PBN text, North's hand first.",
        examples=["N:A65.AJ72.AQT.974 QJ98.54.K732.T65 KT73.KT9.985.AK2 42.Q863.J64.QJ83"],
    )
    dealer: str = answer_field(description="Who dealt.", examples=["N"])
    vulnerability: str = answer_field(description="Who is vulnerable.", examples=["None"])
    kind: str = answer_field(
        description="`same`: one contract at both tables, which is flat; `differs`.",
        examples=["differs"],
    )
    weight: float = answer_field(
        description="For how many deals it stands.", examples=[1.5], digits=4
    )
    imps: int = answer_field(description="For the first system.", examples=[5])
    divergence: str | None = answer_field(
        description="Where the auctions parted; null if they did not.", examples=["opening: 1N/1C"]
    )
    tables: tuple[MatchTable, ...] = answer_field(
        description="Where the first system sat North-South, then where it sat East-West."
    )


@answer
class MatchResult:
    """A match; numbers are for the first system."""

    names: tuple[str, ...] = answer_field(
        description="Of both systems.", examples=[["first", "sayc"]]
    )
    deals: int = answer_field(description="Deals that were bid at both tables.", examples=[500])
    same: int = answer_field(description="Those with one contract at both tables.", examples=[310])
    differs: int = answer_field(description="The others.", examples=[190])
    examined: int = answer_field(description="Of those, worked out double dummy.", examples=[100])
    solved: int = answer_field(description="Contracts that were solved for that.", examples=[198])
    imps: EstimateAnswer = answer_field(description="Mean IMPs a deal.")
    defended_imps: EstimateAnswer = answer_field(
        description="The same where each contract that fails is doubled."
    )
    points: EstimateAnswer = answer_field(description="Mean difference in points a deal.")
    outcomes: dict[str, EstimateAnswer] = answer_field(
        description="Parts of the deals: `won`, `lost`, `flat`, `other_auction`, `other_contract`."
    )
    divergences: tuple[MatchDivergence, ...] = answer_field(
        description="Where auctions parted, the surest effect first."
    )
    boards: tuple[MatchBoard, ...] = answer_field(
        description="Boards that are worked out; where `boards` were given, flat ones as well."
    )


@answer
class CompareAnswer(AboutSystems):
    """What is wrong in the texts, or the match."""

    result: MatchResult | None = answer_field(description="Null where there are complaints.")


@answer
class BenchMatch:
    """A match against one opponent; numbers are for the system that is measured."""

    against: str = answer_field(description="Name of the opponent.", examples=["acol"])
    digest: str = answer_field(
        description="Of its text.",
        examples=["bd3b862d6d9e5e3a2c5b3e1f0a7c9d8e4b6f2a1c3d5e7f9a0b2c4d6e8f0a1b3c"],
    )
    scores: dict[str, EstimateAnswer] = answer_field(
        description="Means a deal: `imps`, `defended_imps`, `points`."
    )
    outcomes: dict[str, EstimateAnswer] = answer_field(
        description="Parts of the deals: `won`, `lost`, `flat`, `other_auction`, `other_contract`."
    )


@answer
class BenchCause:
    """What one cause cost against par."""

    boards: int = answer_field(description="Boards that it lost.", examples=[12])
    imps: int = answer_field(description="IMPs there.", examples=[96])


@answer
class BenchSign:
    """How often something happened that no pair wants to see."""

    what: str = answer_field(description="In words.", examples=["game on 20 points or fewer"])
    boards: int = answer_field(description="Boards on which it happened.", examples=[3])
    possible: int = answer_field(description="Boards on which it could.", examples=[61])
    share: float | None = answer_field(
        description="The one of the other; null where it could on none.", examples=[0.049], digits=4
    )
    low: float = answer_field(
        description="Lower end of its interval of 95 %.", examples=[0.017], digits=4
    )
    high: float = answer_field(description="Upper end.", examples=[0.135], digits=4)


@answer
class BenchBoard:
    """A board as the system bid it at all four seats."""

    deal: str = answer_field(
        description="PBN text, North's hand first.",
        examples=["N:A65.AJ72.AQT.974 QJ98.54.K732.T65 KT73.KT9.985.AK2 42.Q863.J64.QJ83"],
    )
    dealer: str = answer_field(description="Who dealt.", examples=["N"])
    vulnerability: str = answer_field(description="Who is vulnerable.", examples=["None"])
    board: str = answer_field(description="Which board of the bank.", examples=["bank 2"])
    calls: tuple[str, ...] = answer_field(
        description="The auction.", examples=[["1N", "P", "P", "P"]]
    )
    contract: str = answer_field(description="What it ended in.", examples=["1NN"])
    imps: int = answer_field(description="IMPs from par.", examples=[6])


@answer
class BenchLine:
    """What the decisive calls of one line cost by one cause."""

    where: str = answer_field(
        description="File and line; empty where a player passed because no line held.",
        examples=["sayc.bidding:40"],
    )
    name: str = answer_field(description="What the line is called.", examples=["Weak two"])
    behind: str = answer_field(
        description="Of a pass: the line of the last bid before it.", examples=[""]
    )
    over_them: bool = answer_field(
        description="Whether that bid was the opponents'.", examples=[False]
    )
    cause: str = answer_field(description="What was wrong.", examples=["game missed"])
    boards: int = answer_field(description="How often.", examples=[4])
    imps: int = answer_field(description="IMPs lost there.", examples=[37])
    examples: tuple[BenchBoard, ...] = answer_field(description="Some of the boards.")


@answer
class BenchResult:
    """A system on fixed boards."""

    boards: int = answer_field(description="How many.", examples=[100])
    bank: str = answer_field(
        description="Part of the bank that they are of.", examples=["held-out"]
    )
    seed: int = answer_field(description="Which of it.", examples=[0])
    matches: tuple[BenchMatch, ...] = answer_field(description="Against each opponent.")
    from_par: float = answer_field(
        description="IMPs from par, a board, at all four seats: less is better.",
        examples=[4.74],
        digits=4,
    )
    causes: dict[str, BenchCause] = answer_field(description="The distance from par by causes.")
    sanity: tuple[BenchSign, ...] = answer_field(
        description="What happened that no pair wants to see."
    )
    lines: tuple[BenchLine, ...] = answer_field(description="Lines whose calls cost most.")


@answer
class BenchAnswer(AboutSystems):
    """What is wrong in the texts, or the numbers."""

    result: BenchResult | None = answer_field(description="Null where there are complaints.")
