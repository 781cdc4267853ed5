"""The questions that are defined once: what is asked, what is answered, and how.

Routes, commands, jobs and the tools of assistants are made from these rows.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from .archives import (
    ArchiveAnswer,
    ArchiveBoardsAnswer,
    ArchiveCountAnswer,
    ArchiveNodeAnswer,
    ArchiveRemovedAnswer,
    ArchivesAnswer,
    BoardConditions,
    BoardsQuestion,
    NodeQuestion,
)
from .bidding.answered_bid import answer_bid
from .bidding.bids import BidAnswer, BidRequest, PlaceQuestion, read_bid
from .bidding.explaining import ExplainAnswer, ExplainQuestion
from .deals.auctions import AuctionsAnswer, AuctionsRequest, MembersAnswer, MembersRequest
from .deals.double_dummy import (
    ContractTricksAnswer,
    ContractTricksRequest,
    DoubleDummyAnswer,
    DoubleDummyRequest,
    answer_double_dummy,
    read_double_dummy,
)
from .deals.practice_deals import PracticeDealsAnswer, PracticeDealsRequest, ThemesAnswer
from .inference.infer import InferAnswer, InferRequest, answer_infer, read_inference
from .inference.layouts import (
    InterpretAnswer,
    InterpretRequest,
    LayoutsAnswer,
    LayoutsRequest,
    answer_interpret,
    answer_layouts,
    read_interpret,
    read_layouts,
)
from .inference.leads import LeadsAnswer, LeadsRequest, answer_leads, read_leads
from .parts.answer_fields import with_fields
from .parts.answer_parts import FromTable, OfTable, Warming
from .parts.resources import Resources
from .service.health import HealthAnswer, ReadyAnswer
from .service.jobs import JobAnswer, JobRequest, JobsAnswer
from .service.tables import (
    CardAnswer,
    LintAnswer,
    NextAnswer,
    ReloadAnswer,
    SystemAnswer,
    TableAnswer,
    TablesAnswer,
    TopicsAnswer,
)
from .systems import (
    BenchAnswer,
    BenchRequest,
    CompareAnswer,
    CompareRequest,
    SystemCheckAnswer,
    SystemCheckRequest,
    SystemDiffAnswer,
    SystemDiffRequest,
)

_NAMED_BY_HEADERS: Final = (
    "Headers `Bidcascade-Table`, `Bidcascade-Table-Digest` and `Bidcascade-Backend` name table and "
    "engine."
)
_Request = TypeVar("_Request")
_Read = TypeVar("_Read")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, kw_only=True)
class Question(Generic[_Request, _Read, _Answer]):
    """A question with its answer.

    Parameters
    ----------
    name : str
        Of the operation.
    path : str
        Of its route, with names of arguments in braces.
    summary : str
        What is asked, in a few words; more of it says the docstring of ``answered``.
    says : str
        What the answer holds.
    answer : type
        The answer, field by field.
    request : type, optional
        The question, field by field; none where the path says all.
    method : {"post", "get", "delete"}
    adds : tuple of type
        What a service adds to the answer: fields behind its own.
    read : callable, optional
        Makes of a request what is asked, before any table is opened; its errors name the field.
    answered : callable, optional
        Answers what was read, or gives answers one after another, each better than the one before.
        Without it the route itself does.
    refined : str, optional
        What each of the answers is that come one after another.
    in_part : str, optional
        What an answer with something ``missing`` is, where there may be one.
    most : str, optional
        Field that asks for so many deals; a service bounds it.
    """

    name: str
    path: str
    summary: str
    says: str
    answer: type[_Answer]
    request: type[_Request] | None = None
    method: Literal["post", "get", "delete"] = "post"
    adds: tuple[type, ...] = ()
    read: Callable[[_Request], _Read] | None = None
    answered: Callable[[_Read, Resources], _Answer | Iterator[_Answer]] | None = None
    refined: str = ""
    in_part: str = ""
    most: str = ""

    @property
    def served(self) -> type:
        """Type of the answer as a service gives it."""
        return with_fields(self.answer, *self.adds) if self.adds else self.answer

    @property
    def is_of_table(self) -> bool:
        """Whether it is asked of a table, which the answer then names."""
        return FromTable in self.adds

    @property
    def description(self) -> str:
        """What is asked, at length."""
        return inspect.cleandoc(self.answered.__doc__ or "")


BID: Final = Question(
    name="bid",
    path="/v1/bid",
    summary="The call for one hand",
    says="The call and its rule; with `candidates` all meanings with their conditions.",
    request=BidRequest,
    answer=BidAnswer,
    read=read_bid,
    answered=answer_bid,
    adds=(FromTable,),
)
LAYOUTS: Final = Question(
    name="layouts",
    path="/v1/layouts",
    summary="Deals that fit an auction",
    says="The deals with their weights, and how they were found.",
    request=LayoutsRequest,
    answer=LayoutsAnswer,
    read=read_layouts,
    answered=answer_layouts,
    adds=(FromTable,),
    most="count",
)
INTERPRET: Final = Question(
    name="interpret",
    path="/v1/interpret",
    summary="What an auction shows",
    says="All four hands, call by call and over deals that fit.",
    request=InterpretRequest,
    answer=InterpretAnswer,
    read=read_interpret,
    answered=answer_interpret,
    adds=(FromTable,),
    most="layouts",
)
INFER: Final = Question(
    name="infer",
    path="/v1/infer",
    summary="What the layouts of an auction tell",
    says="Layouts, rejected deals by call, and what a contract is worth.",
    request=InferRequest,
    answer=InferAnswer,
    read=read_inference,
    answered=answer_infer,
    adds=(FromTable,),
)
LEADS: Final = Question(
    name="leads",
    path="/v1/leads",
    summary="The best opening lead",
    says="The leads from best to worst, and the layouts behind them. As JSON Lines a first answer "
    "from few layouts, then others from more and more.",
    request=LeadsRequest,
    answer=LeadsAnswer,
    read=read_leads,
    answered=answer_leads,
    adds=(Warming, FromTable),
    refined="One answer a line, each from more layouts than the one before; the last is the answer "
    "that JSON gives.",
)
DOUBLE_DUMMY: Final = Question(
    name="doubleDummy",
    path="/v1/double-dummy",
    summary="A deal solved double dummy",
    says="Tricks of all contracts, par, and what each auction is worth.",
    request=DoubleDummyRequest,
    answer=DoubleDummyAnswer,
    read=read_double_dummy,
    answered=answer_double_dummy,
    in_part="What was solved in the time for a request; `missing` names the rest. While `goes_on` "
    "is true it is still being solved: ask again.",
)

_ROWS: Final[tuple[Question[Any, Any, Any], ...]] = (
    BID,
    LAYOUTS,
    INTERPRET,
    LEADS,
    INFER,
    DOUBLE_DUMMY,
    Question(
        name="archives",
        path="/v1/archives",
        method="get",
        summary="The archives",
        says="All archives in numbers, by name.",
        answer=ArchivesAnswer,
    ),
    Question(
        name="archive",
        path="/v1/archives/{name}",
        method="get",
        summary="One archive",
        says="The archive in numbers.",
        answer=ArchiveAnswer,
    ),
    Question(
        name="archiveBoards",
        path="/v1/archives/{name}/boards",
        method="get",
        summary="Boards of an archive",
        says="The boards: as JSON, or as the file of `format`.",
        request=BoardsQuestion,
        answer=ArchiveBoardsAnswer,
    ),
    Question(
        name="archiveCounts",
        path="/v1/archives/{name}/counts",
        method="get",
        summary="How many boards of an archive fit",
        says="Their number.",
        request=BoardConditions,
        answer=ArchiveCountAnswer,
    ),
    Question(
        name="archiveNodes",
        path="/v1/archives/{name}/nodes",
        method="get",
        summary="What follows an auction in an archive",
        says="The calls, with how many boards.",
        request=NodeQuestion,
        answer=ArchiveNodeAnswer,
    ),
    Question(
        name="archiveDelete",
        path="/v1/archives/{name}",
        method="delete",
        summary="Remove an archive",
        says="It is removed with all its files.",
        answer=ArchiveRemovedAnswer,
    ),
    Question(
        name="auctions",
        path="/v1/auctions",
        summary="Auctions of deals",
        says=f"One result for each deal. {_NAMED_BY_HEADERS}",
        request=AuctionsRequest,
        answer=AuctionsAnswer,
        adds=(FromTable,),
    ),
    Question(
        name="themes",
        path="/v1/themes",
        method="get",
        summary="Themes for practice",
        says="All themes.",
        answer=ThemesAnswer,
    ),
    Question(
        name="practiceDeals",
        path="/v1/practice-deals",
        summary="Deals for practice",
        says="The deals, mixed where there are several themes.",
        request=PracticeDealsRequest,
        answer=PracticeDealsAnswer,
    ),
    Question(
        name="contractTricks",
        path="/v1/double-dummy/tricks",
        summary="Tricks of contracts on many deals",
        says="Declarer's tricks of every contract.",
        request=ContractTricksRequest,
        answer=ContractTricksAnswer,
    ),
    Question(
        name="health",
        path="/healthz",
        method="get",
        summary="Is the process there",
        says="It is.",
        answer=HealthAnswer,
    ),
    Question(
        name="ready",
        path="/readyz",
        method="get",
        summary="Does the service answer, and right",
        says="The tables are loaded and a small question got the known answer.",
        answer=ReadyAnswer,
    ),
    Question(
        name="jobCreate",
        path="/v1/jobs",
        summary="Begin a job",
        says="The job; it is begun when its turn comes. `Location` is where to ask for it.",
        request=JobRequest,
        answer=JobAnswer,
    ),
    Question(
        name="jobs",
        path="/v1/jobs",
        method="get",
        summary="The jobs",
        says="The newest first.",
        answer=JobsAnswer,
    ),
    Question(
        name="job",
        path="/v1/jobs/{id}",
        method="get",
        summary="One job",
        says="The job as it stands.",
        answer=JobAnswer,
    ),
    Question(
        name="jobDelete",
        path="/v1/jobs/{id}",
        method="delete",
        summary="Cancel or remove a job",
        says="The job was cancelled.",
        answer=JobAnswer,
    ),
    Question(
        name="members",
        path="/v1/members",
        summary="Deals that reach auctions",
        says=f"For each auction the numbers of the deals that reach it. {_NAMED_BY_HEADERS}",
        request=MembersRequest,
        answer=MembersAnswer,
        adds=(FromTable,),
    ),
    Question(
        name="tableReload",
        path="/v1/tables/{name}/reload",
        summary="Load a table anew",
        says="The table in use is that of its files as they stand.",
        answer=ReloadAnswer,
    ),
    Question(
        name="systemCheck",
        path="/v1/systems/check",
        summary="What a system does on random deals",
        says="Complaints about the text with their places, or the findings.",
        request=SystemCheckRequest,
        answer=SystemCheckAnswer,
    ),
    Question(
        name="systemDiff",
        path="/v1/systems/diff",
        summary="What a change of a system changes",
        says="Complaints about the texts with their places, or the changes.",
        request=SystemDiffRequest,
        answer=SystemDiffAnswer,
    ),
    Question(
        name="compare",
        path="/v1/compare",
        summary="A match of two systems",
        says="Complaints about the texts with their places, or the match.",
        request=CompareRequest,
        answer=CompareAnswer,
    ),
    Question(
        name="bench",
        path="/v1/bench",
        summary="A system on fixed boards",
        says="Complaints about the texts with their places, or the numbers.",
        request=BenchRequest,
        answer=BenchAnswer,
    ),
    Question(
        name="tables",
        path="/v1/tables",
        method="get",
        summary="The bidding tables",
        says="All tables in numbers.",
        answer=TablesAnswer,
    ),
    Question(
        name="table",
        path="/v1/tables/{name}",
        method="get",
        summary="One bidding table",
        says="The table in numbers.",
        answer=TableAnswer,
    ),
    Question(
        name="tableNext",
        path="/v1/tables/{name}/next",
        method="get",
        summary="The entries at one place",
        says="The calls that the table has there, with their meanings.",
        request=PlaceQuestion,
        answer=NextAnswer,
        adds=(OfTable,),
    ),
    Question(
        name="tableExplain",
        path="/v1/tables/{name}/explain",
        method="get",
        summary="What an auction has shown",
        says="Every call, as a player would explain it, with the numbers.",
        request=ExplainQuestion,
        answer=ExplainAnswer,
        adds=(OfTable,),
    ),
    Question(
        name="tableTopics",
        path="/v1/tables/{name}/topics",
        method="get",
        summary="What a table is about",
        says="Tags and names of calls, with places where they come.",
        answer=TopicsAnswer,
        adds=(OfTable,),
    ),
    Question(
        name="tableCard",
        path="/v1/tables/{name}/card",
        method="get",
        summary="The convention card of a system",
        says="Lines of calls, points and words, on two pages.",
        answer=CardAnswer,
        adds=(OfTable,),
    ),
    Question(
        name="tableSystem",
        path="/v1/tables/{name}/system",
        method="get",
        summary="The system of a table, whole",
        says="The system as the engine of the browser reads it, and its texts.",
        answer=SystemAnswer,
        adds=(OfTable,),
    ),
    Question(
        name="tableLint",
        path="/v1/tables/{name}/lint",
        method="get",
        summary="What is odd about a table",
        says="Findings by kind, with examples.",
        answer=LintAnswer,
        adds=(OfTable,),
    ),
)

QUESTIONS: Final[Mapping[str, Question[Any, Any, Any]]] = {one.name: one for one in _ROWS}
"""By name."""
