"""Requests as the clients send them, before anything is sent: one function for each operation."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO, Final, Generic, NamedTuple, TypeVar
from urllib.parse import quote

from bidcascade.service.client.answer_types import (
    BidAnswer,
    DealResult,
    ExplainAnswer,
    HealthAnswer,
    InterpretAnswer,
    JobAnswer,
    JobsAnswer,
    LayoutsAnswer,
    LeadsAnswer,
    LintAnswer,
    NextAnswer,
    ReadyAnswer,
    ReloadAnswer,
    TableAnswer,
    TablesAnswer,
)
from bidcascade.service.client.option_types import DealRequest

Answer_co = TypeVar("Answer_co", covariant=True)

JSON: Final = "application/json"
JSON_LINES: Final = "application/jsonl"
ARROW: Final = "application/vnd.apache.arrow.stream"
ARCHIVE: Final = "application/octet-stream"
PIECE: Final = 1 << 18
"""Bytes of an archive that are in memory at a time."""

Calls = str | Sequence[str]
"""An auction: ``1N P 2C``, ``1N-P-2C``, or the calls one by one."""

Deal = str | Sequence[str] | DealRequest
"""A deal: PBN or LIN text, four hands, or all that the API knows of one."""


class NumberedResult(DealResult):
    """The auctions of one deal, with the deal's number from 0."""

    deal: int


class Question(NamedTuple, Generic[Answer_co]):
    """A request; the type variable is that of its answer."""

    method: str
    path: str
    params: Mapping[str, str | int | bool] = {}
    body: object = None
    accept: str = JSON
    archive: BinaryIO | None = None
    """What is sent instead of a body, from where it stands."""

    def headers(self) -> dict[str, str]:
        """Header fields that go with it."""
        headers = {"Accept": self.accept}
        if self.archive is not None:
            headers["Content-Type"] = ARCHIVE
        elif self.body is not None:
            headers["Content-Type"] = JSON
        return headers

    def content(self) -> bytes | None:
        """Body in JSON, if it has one."""
        return None if self.body is None else json.dumps(self.body).encode()


def calls_of(auction: Calls) -> list[str]:
    """Take an auction apart.

    Examples
    --------
    >>> calls_of("1N-P 2C"), calls_of(["1N", "P"]), calls_of("")
    (['1N', 'P', '2C'], ['1N', 'P'], [])
    """
    return auction.replace("-", " ").split() if isinstance(auction, str) else list(auction)


def deal_of(deal: Deal) -> DealRequest:
    """Deal as the API has it.

    Examples
    --------
    >>> deal_of("N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 -")["deal"][:10]
    'N:AQ4.KJ3.'
    >>> deal_of("md|3SJ876HA65DQ93CJ94,|")
    {'lin': 'md|3SJ876HA65DQ93CJ94,|'}
    >>> deal_of(["AQ4.KJ3.K876.Q52", "-", "-", "-"])
    {'hands': ['AQ4.KJ3.K876.Q52', '-', '-', '-']}
    """
    if isinstance(deal, str):
        return {"lin": deal} if "|" in deal else {"deal": deal}
    if isinstance(deal, Mapping):
        return deal
    return {"hands": list(deal)}


def parts_of(deals: Iterable[Deal], size: int) -> Iterator[list[DealRequest]]:
    """Deals in lists of at most ``size``.

    Examples
    --------
    >>> [len(part) for part in parts_of(["N:- - - -"] * 5, 2)]
    [2, 2, 1]
    """
    if size < 1:
        raise ValueError(f"expected a positive deals_a_request, got {size!r}")
    waiting = iter(deals)
    while part := [deal_of(deal) for deal in islice(waiting, size)]:
        yield part


def pieces_of(archive: BinaryIO) -> Iterator[bytes]:
    """Archive, a piece at a time."""
    while piece := archive.read(PIECE):
        yield piece


def auctions(deals: list[DealRequest], options: Mapping[str, Any], form: str) -> Question[Any]:
    """``POST /v1/auctions`` for one line a deal, or for an Arrow stream."""
    return Question("POST", "/v1/auctions", body={"deals": deals, **options}, accept=form)


def bid(hand: str, auction: Calls, options: Mapping[str, Any]) -> Question[BidAnswer]:
    """``POST /v1/bid``."""
    body = {"hand": hand, "auction": calls_of(auction), **options}
    return Question("POST", "/v1/bid", body=body)


def interpret(auction: Calls, options: Mapping[str, Any]) -> Question[InterpretAnswer]:
    """``POST /v1/interpret``."""
    return Question("POST", "/v1/interpret", body={"auction": calls_of(auction), **options})


def layouts(auction: Calls, options: Mapping[str, Any]) -> Question[LayoutsAnswer]:
    """``POST /v1/layouts``."""
    return Question("POST", "/v1/layouts", body={"auction": calls_of(auction), **options})


def leads(
    hand: str, auction: Calls | None, options: Mapping[str, Any], form: str = JSON
) -> Question[LeadsAnswer]:
    """``POST /v1/leads``, for one answer or for one line after the other."""
    calls = None if auction is None else calls_of(auction)
    return Question(
        "POST", "/v1/leads", body={"hand": hand, "auction": calls, **options}, accept=form
    )


def tables() -> Question[TablesAnswer]:
    """``GET /v1/tables``."""
    return Question("GET", "/v1/tables")


def table(name: str) -> Question[TableAnswer]:
    """``GET /v1/tables/{name}``."""
    return Question("GET", _table_path(name))


def next_calls(auction: Calls, name: str) -> Question[NextAnswer]:
    """``GET /v1/tables/{name}/next``."""
    return Question("GET", _table_path(name, "/next"), {"auction": "-".join(calls_of(auction))})


def explain(auction: Calls, name: str) -> Question[ExplainAnswer]:
    """``GET /v1/tables/{name}/explain``."""
    return Question("GET", _table_path(name, "/explain"), {"auction": "-".join(calls_of(auction))})


def lint(name: str, examples: int | None) -> Question[LintAnswer]:
    """``GET /v1/tables/{name}/lint``."""
    return Question(
        "GET", _table_path(name, "/lint"), {} if examples is None else {"examples": examples}
    )


def reload(name: str) -> Question[ReloadAnswer]:
    """``POST /v1/tables/{name}/reload``."""
    return Question("POST", _table_path(name, "/reload"))


def upload(archive: BinaryIO, name: str, options: Mapping[str, Any]) -> Question[JobAnswer]:
    """``POST /v1/jobs`` with an archive."""
    params = {key: value for key, value in options.items() if value is not None}
    if "result" in params:
        params["result"] = ",".join(params["result"])
    return Question("POST", "/v1/jobs", {**params, "name": name}, archive=archive)


def job_of_path(path: str, options: Mapping[str, Any]) -> Question[JobAnswer]:
    """``POST /v1/jobs`` about files that lie on the server."""
    return Question("POST", "/v1/jobs", body={"path": path, **options})


def jobs(following: str | None) -> Question[JobsAnswer]:
    """``GET /v1/jobs``, a page."""
    params: dict[str, str | int | bool] = {"limit": 100}
    return Question("GET", "/v1/jobs", params | ({"next": following} if following else {}))


def job(job_id: str) -> Question[JobAnswer]:
    """``GET /v1/jobs/{id}``."""
    return Question("GET", f"/v1/jobs/{_quoted(job_id)}")


def delete_job(job_id: str) -> Question[JobAnswer | None]:
    """``DELETE /v1/jobs/{id}``; no answer where the job was over, and is gone."""
    return Question("DELETE", f"/v1/jobs/{_quoted(job_id)}")


def job_file(job_id: str, name: str) -> Question[bytes]:
    """``GET /v1/jobs/{id}/results/{name}``."""
    path = f"/v1/jobs/{_quoted(job_id)}/results/{_quoted(name)}"
    return Question("GET", path, accept=f"{ARCHIVE}, */*")


def health() -> Question[HealthAnswer]:
    """``GET /healthz``."""
    return Question("GET", "/healthz")


def ready() -> Question[ReadyAnswer]:
    """``GET /readyz``."""
    return Question("GET", "/readyz")


def metrics() -> Question[str]:
    """``GET /metrics``."""
    return Question("GET", "/metrics", accept="*/*")


def _table_path(name: str, behind: str = "") -> str:
    return f"/v1/tables/{_quoted(name)}{behind}"


def _quoted(part: str) -> str:
    # "." and ".." would be taken out of the path
    if part in ("", ".", ".."):
        raise ValueError(f"expected a name, got {part!r}")
    return quote(part, safe="")
