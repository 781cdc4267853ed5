"""The questions that are defined once: what is asked, what is answered, and how.

Routes, commands, jobs and the tools of assistants are made from these rows.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from .double_dummy import (
    DoubleDummyAnswer,
    DoubleDummyRequest,
    answer_double_dummy,
    read_double_dummy,
)
from .infer import InferAnswer, InferRequest, answer_infer, read_inference
from .layouts import (
    InterpretAnswer,
    InterpretRequest,
    LayoutsAnswer,
    LayoutsRequest,
    answer_interpret,
    answer_layouts,
    read_interpret,
    read_layouts,
)
from .leads import LeadsAnswer, LeadsRequest, answer_leads, read_leads
from .resources import Resources

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
        Of its route, below ``/v1``.
    summary : str
        What is asked, in a few words; more of it says the docstring of ``answered``.
    says : str
        What the answer holds.
    request, answer : type
        A question and an answer, field by field.
    read : callable
        Makes of a request what is asked, before any table is opened; its errors name the field.
    answered : callable
        Answers what was read, or gives answers one after another, each better than the one before.
    from_table : bool
        Whether it is asked of a table, which the answer then names.
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
    request: type[_Request]
    answer: type[_Answer]
    read: Callable[[_Request], _Read]
    answered: Callable[[_Read, Resources], _Answer | Iterator[_Answer]]
    from_table: bool = True
    refined: str = ""
    in_part: str = ""
    most: str = ""

    @property
    def description(self) -> str:
        """What is asked, at length."""
        return inspect.cleandoc(self.answered.__doc__ or "")

    def answers(self, request: _Request, by: Resources) -> Iterator[_Answer]:
        """Answer a request: once, or again and again.

        Raises
        ------
        BidcascadeError
            That names the field at fault, or what went wrong.
        """
        found = self.answered(self.read(request), by)
        if isinstance(found, Iterator):
            yield from found
        else:
            yield found


LAYOUTS: Final = Question(
    name="layouts",
    path="layouts",
    summary="Deals that fit an auction",
    says="The deals with their weights, and how they were found.",
    request=LayoutsRequest,
    answer=LayoutsAnswer,
    read=read_layouts,
    answered=answer_layouts,
    most="count",
)
INTERPRET: Final = Question(
    name="interpret",
    path="interpret",
    summary="What an auction shows",
    says="All four hands, call by call and over deals that fit.",
    request=InterpretRequest,
    answer=InterpretAnswer,
    read=read_interpret,
    answered=answer_interpret,
    most="layouts",
)
INFER: Final = Question(
    name="infer",
    path="infer",
    summary="What the layouts of an auction tell",
    says="Layouts, rejected deals by call, and what a contract is worth.",
    request=InferRequest,
    answer=InferAnswer,
    read=read_inference,
    answered=answer_infer,
)
LEADS: Final = Question(
    name="leads",
    path="leads",
    summary="The best opening lead",
    says="The leads from best to worst, and the layouts behind them. As JSON Lines a first answer "
    "from few layouts, then others from more and more.",
    request=LeadsRequest,
    answer=LeadsAnswer,
    read=read_leads,
    answered=answer_leads,
    refined="One answer a line, each from more layouts than the one before; the last is the answer "
    "that JSON gives.",
)
DOUBLE_DUMMY: Final = Question(
    name="doubleDummy",
    path="double-dummy",
    summary="A deal solved double dummy",
    says="Tricks of all contracts, par, and what each auction is worth.",
    request=DoubleDummyRequest,
    answer=DoubleDummyAnswer,
    read=read_double_dummy,
    answered=answer_double_dummy,
    from_table=False,
    in_part="What was solved in the time for a request; `missing` names the rest. While `goes_on` "
    "is true it is still being solved: ask again.",
)

QUESTIONS: Final[Mapping[str, Question[Any, Any, Any]]] = {
    one.name: one for one in (LAYOUTS, INTERPRET, INFER, LEADS, DOUBLE_DUMMY)
}
"""By name."""
