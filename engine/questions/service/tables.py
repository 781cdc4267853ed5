"""What is told of the tables of a service."""

from typing import TYPE_CHECKING, Any

from bidcascade.engine.questions.parts.answer_fields import answer, answer_field, answer_of
from bidcascade.engine.questions.parts.answer_parts import (
    EXAMPLE_DIGEST,
    BackendName,
    OptionAnswer,
    TableName,
)
from bidcascade.engine.questions.parts.texts import EXAMPLE_DEAL

if TYPE_CHECKING:
    from bidcascade.table import LintReport


@answer
class TableNumbers:
    """A table in numbers, which are null of a system: it is not counted out."""

    entries: int | None = answer_field(description="Calls in their auctions.", examples=[27832])
    openings: int | None = answer_field(description="Entries without a call before.", examples=[17])
    variants: int | None = answer_field(
        description="Meanings beyond an entry's first.", examples=[381]
    )
    described: int | None = answer_field(description="Entries with criteria.", examples=[8308])
    undescribed_entries: int | None = answer_field(description="Entries without.", examples=[19524])
    inserted: int | None = answer_field(
        description="Entries that no row stood for, put in because a row names them.", examples=[0]
    )
    completed: int | None = answer_field(
        description="Entries that end an auction.", examples=[6432]
    )
    criteria_lists: int | None = answer_field(
        description="Distinct lists of criteria.", examples=[576]
    )
    expressions: int | None = answer_field(description="Distinct expressions.", examples=[209])
    texts: int | None = answer_field(description="Distinct texts.", examples=[647])
    bytes: int | None = answer_field(description="Size of its arrays.", examples=[617446])
    extras: tuple[str, ...] = answer_field(
        description="Names of the frames that go with it, as after mining.",
        examples=[["announcements"]],
    )
    user_terms: dict[str, str] = answer_field(
        description="Terms of its own, with their formulas.", examples=[{"Strength": "HCP + SL_S"}]
    )


@answer
class TableAnswer(TableName, TableNumbers):
    """A bidding table in numbers, which are null of a system: it is not counted out."""

    source: str = answer_field(
        description="Where its rows are from, or which system it is.",
        examples=["system sayc"],
    )
    system: str | None = answer_field(
        description="Title of the system, null if it is of none.",
        examples=["Standard American Yellow Card"],
    )
    options: tuple[OptionAnswer, ...] = answer_field(
        description="Options of the system's text in its order; empty if it is of none."
    )
    reload_errors: tuple[str, ...] = answer_field(
        description="Why it could not be loaded anew, with file and line; what answers is the "
        "last good one. Empty if all is well.",
        examples=[[]],
    )
    default: bool = answer_field(
        description="Whether requests that name no table use this one.", examples=[True]
    )


@answer
class TablesAnswer:
    """The bidding tables of this service."""

    tables: tuple[TableAnswer, ...] = answer_field(description="The default table first.")
    backend: BackendName = answer_field(description="Engine of the service.", examples=["cpu"])


@answer
class ReloadAnswer:
    """A table that was loaded anew."""

    changed: bool = answer_field(
        description="Whether its digest is another one than before.", examples=[True]
    )
    table: TableName = answer_field(description="The table that answers from now on.")


@answer
class VariantAnswer:
    """One meaning of an entry."""

    name: str = answer_field(description="Its name, empty if none.", examples=["Stayman"])
    description: str = answer_field(
        description="What it means.", examples=["Asks for a four-card major; 8+ HCP"]
    )
    criteria: tuple[str, ...] = answer_field(
        description="Conditions, joined by AND; none: undescribed.",
        examples=[["HCP >= 8", "SL_H == 4 or SL_S == 4"]],
    )
    rank: int | None = answer_field(
        description="Rank that its row gave, null if none.", examples=[None]
    )
    tags: tuple[str, ...] = answer_field(description="Tags of its row.", examples=[["forcing"]])
    where: str = answer_field(
        description="File and line of the text or rules that it is from, else empty.",
        examples=["sayc.bidding:31"],
    )
    source_index: int | None = answer_field(
        description="Index that its row gave, null if none.", examples=[None]
    )
    count: int | None = answer_field(
        description="How often the call was made, in a mined table, else null.", examples=[None]
    )
    source: str = answer_field(
        description="What its meaning was taken from, as `announcement`; empty if its row does "
        "not say.",
        examples=[""],
    )


@answer
class EntryAnswer:
    """One call that may follow."""

    call: str = answer_field(description="The call.", examples=["2C"])
    entry: int | None = answer_field(
        description="Entry of the table; null for a line of a system.",
        examples=[534],
    )
    completed: bool = answer_field(description="Whether it ends the auction.", examples=[False])
    can_complete: bool = answer_field(
        description="Whether the table goes on from here to the end of some auction.",
        examples=[True],
    )
    inserted: bool = answer_field(
        description="Whether no row stood for it and it was put in for a row below.",
        examples=[False],
    )
    next: int = answer_field(
        description="How many calls may follow it.",
        examples=[4],
    )
    variants: tuple[VariantAnswer, ...] = answer_field(
        description="Its meanings; it holds if one does."
    )


@answer
class NextAnswer:
    """The entries at one place of a table."""

    auction: tuple[str, ...] = answer_field(description="The calls so far.", examples=[["1N", "P"]])
    entry: int | None = answer_field(
        description="Entry that these calls end with; null before the first call, and of a system.",
        examples=[529],
    )
    completed: bool = answer_field(description="Whether the auction is over.", examples=[False])
    forced: bool | None = answer_field(
        description="Whether partner's call asks for an answer; null where the table is of no "
        "system.",
        examples=[False],
    )
    entries: tuple[EntryAnswer, ...] = answer_field(description="In order of priority.")


@answer
class SystemAnswer:
    """A system as the engine of the browser reads it."""

    name: str = answer_field(description="Of the table.", examples=["sayc"])
    title: str = answer_field(
        description="Of the system.", examples=["Standard American Yellow Card"]
    )
    digest: str = answer_field(
        description="SHA-256 of all that the text says, as that of a table over which nothing is "
        "laid.",
        examples=[EXAMPLE_DIGEST],
    )
    rows: tuple[tuple[Any, ...], ...] = answer_field(
        description="The tree of its text: objects `[class, field, …]`, in which the number of a "
        "row, from 1, stands for its object. The last one is the system.",
        examples=[[[8, "sayc.bidding", 24, 3]]],
    )
    texts: dict[str, str] = answer_field(
        description="All files that were read, by name, the system's own first.",
        examples=[{"sayc.bidding": "system Standard American Yellow Card"}],
    )
    options: dict[str, bool] = answer_field(
        description="Options of the text, and whether they hold.", examples=[{}]
    )
    opponents: str | None = answer_field(
        description="Table that the text names for the other side; null if it names none.",
        examples=[None],
    )


@answer
class TopicDeal:
    """A deal on which a call of a topic is made."""

    deal: str = answer_field(description="PBN text, North's hand first.", examples=[EXAMPLE_DEAL])
    dealer: str = answer_field(description="Who dealt.", examples=["N"])
    vulnerability: str = answer_field(description="Who is vulnerable.", examples=["None"])
    auction: tuple[str, ...] = answer_field(
        description="The calls after which the system makes it.", examples=[["1N", "P"]]
    )


@answer
class TopicAnswer:
    """What some calls have in common."""

    topic: str = answer_field(description="A tag, or the name of calls.", examples=["#stayman"])
    calls: int = answer_field(description="Entries of the table that have it.", examples=[77])
    places: tuple[tuple[str, ...], ...] = answer_field(
        description="Auctions after which such a call may come, the shortest first; some of them.",
        examples=[[["1N", "P"], ["2N", "P"]]],
    )
    examples: tuple[TopicDeal, ...] = answer_field(
        description="Random deals on which a system makes such a call, few or none of those that "
        "are rare; of a table none.",
    )


@answer
class TopicsAnswer:
    """What a table is about."""

    topics: tuple[TopicAnswer, ...] = answer_field(description="By name, tags first.")


@answer
class CardLineAnswer:
    """A line of a convention card; suits are signs."""

    after: str = answer_field(
        description="The head that it stands under, empty for openings.",
        examples=["Responses to 1♣"],
    )
    call: str = answer_field(
        description="Calls that mean the same; empty for a remark.", examples=["1♥ 1♠"]
    )
    points: str = answer_field(
        description="High card points, empty where the call says nothing of them.",
        examples=["12-21"],
    )
    words: str = answer_field(
        description="What else it shows.", examples=["Simple raise: 3+ support"]
    )
    auction: str = answer_field(
        description="The first of the calls behind its auction; empty for a remark.",
        examples=["1H P 2H"],
    )


@answer
class CardSectionAnswer:
    """A part of a convention card."""

    heading: str = answer_field(description="Its heading.", examples=["Minor openings"])
    page: int = answer_field(description="The page it stands on, 1 or 2.", examples=[1])
    lines: tuple[CardLineAnswer, ...] = answer_field(description="Its lines.")


@answer
class CardAnswer:
    """The convention card of a system."""

    title: str = answer_field(
        description="Of the system.", examples=["Standard American Yellow Card"]
    )
    sections: tuple[CardSectionAnswer, ...] = answer_field(description="In the order of cards.")


@answer
class FindingAnswer:
    """Findings of one kind."""

    meaning: str = answer_field(
        description="What is found.", examples=["rows that no hand can fit"]
    )
    count: int = answer_field(description="How often.", examples=[1])
    examples: tuple[dict[str, Any], ...] = answer_field(
        description="Some of the places, with `entry`, `auction` and `detail` as far as known.",
        examples=[[{"entry": 3, "auction": "1C", "detail": "no hand fits HCP >= 9 and HCP < 9"}]],
    )


@answer
class LintAnswer:
    """What is wrong or worth a look in a table."""

    entries: int = answer_field(description="Entries looked at.", examples=[27832])
    deals: int | None = answer_field(
        description="Deals it was tried on, null if none.", examples=[None]
    )
    findings: dict[str, FindingAnswer] = answer_field(description="Findings by kind.")


def lint_answer(report: "LintReport", examples: int | None = None) -> LintAnswer:
    """Make an answer of what a lint found, with at most so many examples of each kind."""
    # loads arrays, which help does without
    from bidcascade.table.inspection.linting import KINDS

    findings = {
        kind: FindingAnswer(
            meaning=KINDS[kind], count=found.count, examples=tuple(found.examples[:examples])
        )
        for kind, found in report.findings.items()
    }
    return answer_of(LintAnswer, report, findings=findings)
