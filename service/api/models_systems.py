"""Bodies of the questions about systems, which may come as text, field by field."""

from typing import Annotated

from pydantic import Field

from .models import Body, OptionAnswer


class SystemComplaint(Body):
    """Something wrong in a text."""

    system: str = Field(description="Field of the request that has the text.", examples=["system"])
    file: str = Field(
        description="That field, or the name of the page that the text includes.",
        examples=["system"],
    )
    line: int = Field(description="Line, from 1; 0 for the whole text.", examples=[2])
    column: int = Field(description="Column, from 1; 0 for the whole line.", examples=[31])
    message: str = Field(
        description="What was expected and what was read.", examples=["unknown word 'pionts'"]
    )
    advice: str = Field(
        description="What to write instead, if that can be said.", examples=["did you mean points"]
    )


class SystemName(Body):
    """A system that was read."""

    name: str = Field(
        description="Name of the table, or the field of the request that has the text.",
        examples=["sayc"],
    )
    title: str = Field(
        description="What its text calls it.", examples=["Standard American Yellow Card"]
    )
    digest: str = Field(
        description="Of its text, with all that it includes and its options.",
        examples=["5b866c75b9cdc816"],
    )
    options: list[OptionAnswer] = Field(
        description="Options of its text in its order, and whether they hold as it was asked about."
    )


Systems = Annotated[
    dict[str, SystemName], Field(description="The systems that were read, by field of the request.")
]
Complaints = Annotated[
    list[SystemComplaint],
    Field(description="What is wrong in the texts, at most 200; there is no result then."),
]

# --- check ----------------------------------------------------------------------------------------


class LineShareAnswer(Body):
    """One line of a place on the deals that came there."""

    call: str = Field(description="Its call.", examples=["1N"])
    name: str = Field(description="Its name.", examples=["Strong notrump"])
    where: str = Field(description="File and line.", examples=["system:2"])
    chosen: int = Field(description="Deals that bid it.", examples=[101])
    fits: int = Field(description="Deals whose hand meets it.", examples=[104])
    taken: dict[str, int] = Field(
        description="Deals that fit and went to an earlier line, by that line.", examples=[{}]
    )


class PlaceSharesAnswer(Body):
    """What the lines of one place took."""

    auction: str = Field(description="The calls before.", examples=["1N P"])
    deals: int = Field(description="Deals that came here.", examples=[85])
    lines: list[LineShareAnswer] = Field(description="In the order in which they are tried.")
    default_pass: int = Field(description="Deals that no line takes.", examples=[12])
    forced: bool = Field(
        description="Whether the player may not pass: then these are gaps.", examples=[False]
    )


class SystemFinding(Body):
    """Something to look at."""

    kind: str = Field(
        description="`gap`, `strong pass`, `double claim`, `dead line`, `unreached line` or "
        "`asymmetry`.",
        examples=["gap"],
    )
    text: str = Field(
        description="In words.",
        examples=["nothing fits after Stayman (system:9), which is forcing"],
    )
    deals: int = Field(description="How many deals it concerns.", examples=[3])
    examples: list[str] = Field(description="Auctions.", examples=[["1N P 2C P"]])


class SystemCheckResult(Body):
    """What a system does on random deals."""

    deals: int = Field(description="Deals that were bid.", examples=[2000])
    places: list[PlaceSharesAnswer] = Field(
        description="Shares at the places that were asked for, as far as a deal came there."
    )
    findings: list[SystemFinding] = Field(
        description="At most 300; most deals first within a kind."
    )
    findings_total: int = Field(description="How many there are.", examples=[7])
    expanded: int = Field(description="Places that the deals needed.", examples=[812])
    entries: int = Field(description="Lines that hold there for some hand.", examples=[4100])
    by_depth: list[int] = Field(
        description="Deals that still had to call, by number of calls before.",
        examples=[[2000, 2000, 1800]],
    )


class SystemCheckAnswer(Body):
    """What is wrong in a text, or what the system does."""

    systems: Systems
    complaints: Complaints
    result: SystemCheckResult | None = Field(description="Null where there are complaints.")


# --- diff -----------------------------------------------------------------------------------------


class SystemChange(Body):
    """A place where the two call differently."""

    auction: str = Field(description="The calls before.", examples=["1N P"])
    old: str = Field(description="Call of the old one; `end` if it has none.", examples=["2C"])
    new: str = Field(description="Call of the new one.", examples=["P"])
    old_rule: str = Field(description="Its line.", examples=["Stayman (old:9)"])
    new_rule: str = Field(description="Its line.", examples=["no line fits"])
    deals: int = Field(description="Deals that part here.", examples=[31])
    examples: list[str] = Field(description="Hands of some.", examples=[["K52.AQ32.J876.Q2"]])


class SystemDiffResult(Body):
    """What a change does."""

    deals: int = Field(description="Deals that were bid.", examples=[10_000])
    changed: int = Field(description="Deals whose auctions differ.", examples=[210])
    changes: list[SystemChange] = Field(description="Places, most deals first.")
    changes_total: int = Field(description="How many places there are.", examples=[14])


class SystemDiffAnswer(Body):
    """What is wrong in the texts, or where the systems part."""

    systems: Systems
    complaints: Complaints
    result: SystemDiffResult | None = Field(description="Null where there are complaints.")


# --- compare --------------------------------------------------------------------------------------


class EstimateAnswer(Body):
    """A number about all deals, with its interval of 95 %."""

    value: float | None = Field(
        description="The estimate; null where nothing is known of it.", examples=[0.31]
    )
    low: float | None = Field(
        description="Lower end; null where the deals do not tell it.", examples=[-0.2]
    )
    high: float | None = Field(description="Upper end.", examples=[0.82])


class MatchDivergence(Body):
    """A place where auctions parted."""

    where: str = Field(
        description="The calls before, then what either system called.", examples=["1N P: 2C/2D"]
    )
    examined: int = Field(description="Deals from here that were worked out.", examples=[9])
    share: EstimateAnswer = Field(description="Part of all deals.")
    imps: EstimateAnswer = Field(description="IMPs there.")
    effect: EstimateAnswer = Field(description="What they add to the mean over all deals.")


class MatchTable(Body):
    """What happened at one table."""

    calls: list[str] = Field(description="The auction.", examples=[["1N", "P", "P", "P"]])
    contract: str = Field(description="With its declarer, or `Pass`.", examples=["1NN"])
    tricks: int | None = Field(
        description="Of declarer's side; null where it was passed out or need not be known.",
        examples=[7],
    )
    score: int | None = Field(
        description="Of North-South; null where the contract is that of the other table.",
        examples=[90],
    )


class MatchBoard(Body):
    """A board of which the IMPs are known."""

    number: int = Field(description="Number of the deal, from 0.", examples=[17])
    deal: str = Field(
        description="PBN text, North's hand first.",
        examples=["N:A65.AJ72.AQT.974 QJ98.54.K732.T65 KT73.KT9.985.AK2 42.Q863.J64.QJ83"],
    )
    dealer: str = Field(description="Who dealt.", examples=["N"])
    vulnerability: str = Field(description="Who is vulnerable.", examples=["None"])
    kind: str = Field(
        description="`same`: one contract at both tables, which is flat; `differs`.",
        examples=["differs"],
    )
    weight: float = Field(description="For how many deals it stands.", examples=[1.5])
    imps: int = Field(description="For the first system.", examples=[5])
    divergence: str | None = Field(
        description="Where the auctions parted; null if they did not.", examples=["opening: 1N/1C"]
    )
    tables: list[MatchTable] = Field(
        description="Where the first system sat North-South, then where it sat East-West."
    )


class MatchResult(Body):
    """A match; numbers are for the first system."""

    names: list[str] = Field(description="Of both systems.", examples=[["first", "sayc"]])
    deals: int = Field(description="Deals that were bid at both tables.", examples=[500])
    same: int = Field(description="Those with one contract at both tables.", examples=[310])
    differs: int = Field(description="The others.", examples=[190])
    examined: int = Field(description="Of those, worked out double dummy.", examples=[100])
    solved: int = Field(description="Contracts that were solved for that.", examples=[198])
    imps: EstimateAnswer = Field(description="Mean IMPs a deal.")
    defended_imps: EstimateAnswer = Field(
        description="The same where each contract that fails is doubled."
    )
    points: EstimateAnswer = Field(description="Mean difference in points a deal.")
    outcomes: dict[str, EstimateAnswer] = Field(
        description="Parts of the deals: `won`, `lost`, `flat`, `other_auction`, `other_contract`."
    )
    divergences: list[MatchDivergence] = Field(
        description="Where auctions parted, the surest effect first."
    )
    boards: list[MatchBoard] = Field(
        description="Boards that are worked out; where `boards` were given, flat ones as well."
    )


class CompareAnswer(Body):
    """What is wrong in the texts, or the match."""

    systems: Systems
    complaints: Complaints
    result: MatchResult | None = Field(description="Null where there are complaints.")


# --- bench ----------------------------------------------------------------------------------------


class BenchMatch(Body):
    """A match against one opponent; numbers are for the system that is measured."""

    against: str = Field(description="Name of the opponent.", examples=["acol"])
    digest: str = Field(
        description="Of its text.",
        examples=["bd3b862d6d9e5e3a2c5b3e1f0a7c9d8e4b6f2a1c3d5e7f9a0b2c4d6e8f0a1b3c"],
    )
    scores: dict[str, EstimateAnswer] = Field(
        description="Means a deal: `imps`, `defended_imps`, `points`."
    )
    outcomes: dict[str, EstimateAnswer] = Field(
        description="Parts of the deals: `won`, `lost`, `flat`, `other_auction`, `other_contract`."
    )


class BenchCause(Body):
    """What one cause cost against par."""

    boards: int = Field(description="Boards that it lost.", examples=[12])
    imps: int = Field(description="IMPs there.", examples=[96])


class BenchSign(Body):
    """How often something happened that no pair wants to see."""

    what: str = Field(description="In words.", examples=["game on 20 points or fewer"])
    boards: int = Field(description="Boards on which it happened.", examples=[3])
    possible: int = Field(description="Boards on which it could.", examples=[61])
    share: float | None = Field(
        description="The one of the other; null where it could on none.", examples=[0.049]
    )
    low: float = Field(description="Lower end of its interval of 95 %.", examples=[0.017])
    high: float = Field(description="Upper end.", examples=[0.135])


class BenchBoard(Body):
    """A board as the system bid it at all four seats."""

    deal: str = Field(
        description="PBN text, North's hand first.",
        examples=["N:A65.AJ72.AQT.974 QJ98.54.K732.T65 KT73.KT9.985.AK2 42.Q863.J64.QJ83"],
    )
    dealer: str = Field(description="Who dealt.", examples=["N"])
    vulnerability: str = Field(description="Who is vulnerable.", examples=["None"])
    board: str = Field(description="Which board of the bank.", examples=["bank 2"])
    calls: list[str] = Field(description="The auction.", examples=[["1N", "P", "P", "P"]])
    contract: str = Field(description="What it ended in.", examples=["1NN"])
    imps: int = Field(description="IMPs from par.", examples=[6])


class BenchLine(Body):
    """What the decisive calls of one line cost by one cause."""

    where: str = Field(
        description="File and line; empty where a player passed because no line held.",
        examples=["sayc.bidding:40"],
    )
    name: str = Field(description="What the line is called.", examples=["Weak two"])
    behind: str = Field(description="Of a pass: the line of the last bid before it.", examples=[""])
    over_them: bool = Field(description="Whether that bid was the opponents'.", examples=[False])
    cause: str = Field(description="What was wrong.", examples=["game missed"])
    boards: int = Field(description="How often.", examples=[4])
    imps: int = Field(description="IMPs lost there.", examples=[37])
    examples: list[BenchBoard] = Field(description="Some of the boards.")


class BenchResult(Body):
    """A system on fixed boards."""

    boards: int = Field(description="How many.", examples=[100])
    bank: str = Field(description="Part of the bank that they are of.", examples=["held-out"])
    seed: int = Field(description="Which of it.", examples=[0])
    matches: list[BenchMatch] = Field(description="Against each opponent.")
    from_par: float = Field(
        description="IMPs from par, a board, at all four seats: less is better.", examples=[4.74]
    )
    causes: dict[str, BenchCause] = Field(description="The distance from par by causes.")
    sanity: list[BenchSign] = Field(description="What happened that no pair wants to see.")
    lines: list[BenchLine] = Field(description="Lines whose calls cost most.")


class BenchAnswer(Body):
    """What is wrong in the texts, or the numbers."""

    systems: Systems
    complaints: Complaints
    result: BenchResult | None = Field(description="Null where there are complaints.")
