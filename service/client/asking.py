"""How a method of both clients is made: a question as a request, which one awaits and one runs."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import wraps
from typing import (
    Any,
    BinaryIO,
    Concatenate,
    Generic,
    NamedTuple,
    ParamSpec,
    TypedDict,
    TypeVar,
    cast,
    overload,
)

from bidcascade.service.client import option_types as options_of

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Answer_co = TypeVar("_Answer_co", covariant=True)
_Now = TypeVar("_Now")
_Later = TypeVar("_Later")

Calls = str | Sequence[str]
"""An auction: ``1N P 2C``, ``1N-P-2C``, or the calls one by one."""

Deal = str | Sequence[str] | options_of.DealRequest
"""A deal: PBN or LIN text, four hands, or all that the API knows of one."""

System = str | options_of.SystemChoice
"""A system: the name of a table, a text of more than one line, or all that the API knows of one."""


class Board(TypedDict):
    """A deal, and contracts on it, such as ``3NN``."""

    deal: Deal
    contracts: Sequence[str]


class Question(NamedTuple, Generic[_Answer_co]):
    """A request; the type variable is that of its answer."""

    method: str
    path: str
    params: Mapping[str, Any] = {}
    body: object = None
    accept: str = "application/json"
    archive: BinaryIO | None = None
    """What is sent instead of a body, from where it stands."""


def calls_of(auction: Calls) -> list[str]:
    """Give calls one by one."""
    return auction.replace("-", " ").split() if isinstance(auction, str) else list(auction)


def deal_of(deal: Deal) -> options_of.DealRequest:
    """Give a deal as the API knows it."""
    if isinstance(deal, str):
        return {"lin": deal} if "|" in deal else {"deal": deal}
    return deal if isinstance(deal, Mapping) else {"hands": list(deal)}


def system_of(system: System) -> options_of.SystemChoice:
    """Give a system as the API knows it."""
    if isinstance(system, str):
        return {"text": system} if "\n" in system else {"table": system}
    return system


def board_of(board: Board | options_of.BoardContracts) -> options_of.BoardContracts:
    """Give a deal and contracts as the API knows them; what else there is the service refuses."""
    own = {"deal": deal_of(board["deal"]), "contracts": list(board["contracts"])}
    return cast("options_of.BoardContracts", {**board, **own})


def finish(coroutine: Coroutine[Any, Any, _Answer]) -> _Answer:
    """Run a coroutine in which nothing waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        answer: _Answer = end.value
        return answer
    raise RuntimeError("expected a coroutine that does not wait")


class AtOnce:
    """A client in whose methods nothing waits."""


class Awaited:
    """A client whose methods are awaited."""


class Method(Generic[_Given, _Now, _Later]):
    """A method of both clients: a coroutine for one, for the other what it comes to."""

    def __init__(
        self, method: Callable[Concatenate[Any, _Given], _Later], run: Callable[[_Later], _Now]
    ) -> None:
        self._method, self._run = method, run
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, client: AtOnce, kind: type) -> Callable[_Given, _Now]: ...
    @overload
    def __get__(self, client: Awaited, kind: type) -> Callable[_Given, _Later]: ...
    def __get__(self, client: Any, kind: type) -> Callable[..., Any]:
        bound: Callable[..., Any] = self._method.__get__(client, kind)
        if not isinstance(client, AtOnce):
            return bound
        return wraps(bound)(lambda *given, **options: self._run(bound(*given, **options)))


def answered(
    method: Callable[Concatenate[Any, _Given], Coroutine[Any, Any, _Answer]],
) -> Method[_Given, _Answer, Coroutine[Any, Any, _Answer]]:
    """Make a method of a coroutine."""
    return Method(method, finish)


def operation(
    method: Callable[Concatenate[Any, _Given], Question[_Answer]],
) -> Method[_Given, _Answer, Coroutine[Any, Any, _Answer]]:
    """Make a method of what gives a question: it sends it, and gives the answer."""

    async def ask(self: Any, /, *given: _Given.args, **options: _Given.kwargs) -> _Answer:
        answer: _Answer = await self._json(method(self, *given, **options))
        return answer

    return answered(wraps(method)(ask))
