"""``GET /v1/tables`` and below: which tables there are, what is in them, what is odd about them."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import PurePath
from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from bidcascade.bridge import NoSystem
from bidcascade.engine.browser_system import topics_answer
from bidcascade.engine.questions.bidding.bids import PlaceQuestion
from bidcascade.engine.questions.bidding.explaining import (
    ExplainQuestion,
    explain_answer,
    read_explain,
)
from bidcascade.engine.questions.parts.answer_fields import answer_of, plain
from bidcascade.engine.questions.parts.answer_parts import BackendName, OptionAnswer
from bidcascade.engine.questions.parts.fields import read_field
from bidcascade.engine.questions.parts.texts import legal_calls
from bidcascade.engine.questions.service.tables import (
    CardAnswer,
    NextAnswer,
    TableAnswer,
    TablesAnswer,
)
from bidcascade.service.api.http.answering import (
    JSON,
    JSON_LINES,
    PartsResponse,
    accepted,
    answer_file,
    answer_json,
    json_bytes,
    with_first_part,
)
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.openapi import API_VERSION, route
from bidcascade.service.api.http.problems import Problem, check_query
from bidcascade.service.api.http.queries import query_of
from bidcascade.service.api.shared.loaded_table import MOST_LINT_EXAMPLES, LoadedTable
from bidcascade.service.api.shared.waiting import iter_waiting, with_progress
from bidcascade.service.api.shared.work import AppState
from bidcascade.systems import named_systems
from bidcascade.systems.book.convention_card import card_of

router = APIRouter(tags=["tables"])

_TOPICS_LINES: Final = (
    'Lines `{"deals": …, "of": …}` that say how many deals the system was asked on, of how many; '
    "the last line is the answer."
)
PlaceInQuery = Annotated[PlaceQuestion, Depends(query_of(PlaceQuestion))]
ExplainInQuery = Annotated[ExplainQuestion, Depends(query_of(ExplainQuestion))]
TableInPath = Annotated[str, Path(description="Name of a bidding table.", examples=["sayc"])]


@route(router, "tables", 406, 422, 500, 503)
async def tables(request: Request) -> Response:
    """All bidding tables of this service, the default one first."""
    work: AppState = request.app.state.own
    check_query(request)
    described = [_describe(table, work) for table in await work.all_tables()]
    return answer_json(
        request,
        TablesAnswer(tables=tuple(described), backend=cast(BackendName, work.tables.backend)),
    )


@route(router, "table", 404, 406, 422, 500, 503)
async def table(request: Request, name: TableInPath) -> Response:
    """Describe a bidding table in numbers."""
    work: AppState = request.app.state.own
    check_query(request)
    found = await work.table(name)
    return _tagged(request, found, _describe(found, work))


@route(router, "tableNext", 404, 406, 422, 500, 503)
async def table_next(request: Request, name: TableInPath, question: PlaceInQuery) -> Response:
    """Entries that may follow an auction, in order of priority.

    A system has an answer after every auction that goes on.
    """
    work: AppState = request.app.state.own
    found = await work.table(name)
    calls = read_field(legal_calls, question.auction, "auction")
    with work.slots.taken(client_of(request)):
        value = await work.run(lambda: answer_of(NextAnswer, found.engine.bidder.next(calls)))
    return _answer(request, found, value)


@route(router, "tableExplain", 404, 406, 422, 429, 500, 503, 504)
async def table_explain(request: Request, name: TableInPath, question: ExplainInQuery) -> Response:
    """Explain every call of an auction, both sides': what it said, and what is known then.

    Both sides play the system, unless its text names another for the opponents.
    """
    work: AppState = request.app.state.own
    found = await work.table(name)
    asked = read_explain(question)
    with work.slots.taken(client_of(request)):
        try:
            explained = await work.run(lambda: found.engine.explain(*asked))
        except NoSystem:
            raise Problem("no-system", f"expected the table of a system, got {name!r}") from None
    return _answer(request, found, explain_answer(explained))


@route(
    router,
    "tableTopics",
    404,
    406,
    422,
    429,
    500,
    503,
    504,
    content={JSON_LINES: {"schema": {"type": "string", "description": _TOPICS_LINES}}},
)
async def table_topics(request: Request, name: TableInPath) -> Response:
    """List the tags (`#stayman`) and names (`Weak two`) of calls, for those who practise them.

    Each has some of the places where it comes, the shortest auctions first. What only passes have
    is left out. Topics of a system are looked for in 50,000 deals, by the service after its start
    or when somebody asks before, and kept. Whoever accepts `application/jsonl` is told meanwhile
    how far that is.
    """
    work: AppState = request.app.state.own
    check_query(request)
    found = await work.table(name)
    bidder = found.engine.bidder
    form = accepted(request, [JSON, JSON_LINES])
    with ExitStack() as stack:
        stack.enter_context(work.slots.taken(client_of(request)))
        if form == JSON:
            topics = await work.run(lambda: bidder.topics())
            return _answer(request, found, topics_answer(topics))

        def lines(given_up: threading.Event) -> Iterator[bytes]:
            def find() -> bytes:
                topics = topics_answer(bidder.topics(cancel=given_up))
                return json_bytes(_with_table(found, topics))

            def tell() -> bytes:
                return json_bytes(dict(zip(("deals", "of"), bidder.topics_progress, strict=True)))

            return (one + b"\n" for one in with_progress(find, tell, given_up))

        return PartsResponse(
            await with_first_part(iter_waiting(work, request, lines)),
            media_type=JSON_LINES,
            headers=found.headers_for(),
            timeout_s=work.timeout_s,
            release=stack.pop_all().close,
        )


@route(router, "tableCard", 404, 406, 422, 429, 500, 503, 504)
async def table_card(request: Request, name: TableInPath) -> Response:
    """Give the convention card of a system: openings, responses, defence, slams and leads."""
    work: AppState = request.app.state.own
    check_query(request)
    found = await work.table(name)
    with work.slots.taken(client_of(request)):
        try:
            card = await work.run(lambda: card_of(found.engine.bidder.plain_system, name))
        except NoSystem:
            raise Problem("no-system", f"expected the table of a system, got {name!r}") from None
    return _answer(request, found, answer_of(CardAnswer, card))


@route(router, "tableSystem", 404, 406, 409, 422, 429, 500, 503, 504)
async def table_system(request: Request, name: TableInPath) -> Response:
    """Give all of a system that bidding with it needs: its tree as read, and its files.

    The page bids with it in the browser. Sent as gzip to those who take it.
    """
    work: AppState = request.app.state.own
    check_query(request)
    accepted(request, [JSON])
    found = await work.table(name)
    with work.slots.taken(client_of(request)):
        file = await work.run(lambda: work.tables.system_file(found))
    return answer_file(request, file, found.headers_for())


@route(router, "tableLint", 404, 406, 422, 429, 500, 503, 504)
async def table_lint(
    request: Request,
    name: TableInPath,
    examples: Annotated[
        int,
        Query(
            description="Most examples of each kind.", ge=0, le=MOST_LINT_EXAMPLES, examples=[20]
        ),
    ] = 20,
) -> Response:
    """Look a table over for what is odd: rows that no hand can fit, dead ends, and so on."""
    work: AppState = request.app.state.own
    check_query(request, "examples")
    found = await work.table(name)
    with work.slots.taken(client_of(request)):
        report = await work.run(lambda: found.lint(examples))
    return _answer(request, found, report)


def _answer(request: Request, table: LoadedTable, value: object) -> Response:
    """Answer about a table, which is named behind it."""
    return _tagged(request, table, _with_table(table, value))


def _with_table(table: LoadedTable, value: object) -> dict[str, Any]:
    return {**plain(value), "table": table.engine.table_info()}


def _tagged(request: Request, table: LoadedTable, value: object) -> Response:
    # answers depend on more than the digest is of, such as the version of the engine
    digest = hashlib.sha256(table.digest.encode() + json_bytes(value)).hexdigest()
    etag = f"{API_VERSION}-{digest[:32]}"
    return answer_json(request, value, etag=etag, headers=table.headers_for())


def _describe(table: LoadedTable, work: AppState) -> TableAnswer:
    bidder = table.engine.bidder
    source = bidder.source
    if work.tables.paths[table.name] not in named_systems():
        # where files lie on the server is nobody's business
        source = PurePath(source).name
    return answer_of(
        TableAnswer,
        {**bidder.numbers(), **table.engine.table_info()},
        source=source,
        system=bidder.title,
        options=tuple(answer_of(OptionAnswer, one) for one in bidder.options),
        reload_errors=tuple(table.reload_errors),
        default=table.name == work.tables.names()[0],
    )
