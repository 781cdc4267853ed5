"""``GET /v1/tables`` and below: which tables there are, what is in them, what is odd about them."""

from pathlib import PurePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from bidcascade.bridge import Auction, BidcascadeError, Seat, format_call, format_calls, parse_calls
from bidcascade.table import BiddingTable, Row, named_systems

from .answering import answer_json, table_headers
from .openapi import API_VERSION, problems
from .problems import Problem, complaint, invalid_request, problem_of
from .schemas import LintAnswer, NextAnswer, TableAnswer, TablesAnswer
from .tables import MOST_LINT_EXAMPLES, LoadedTable
from .work import Workplace

router = APIRouter(tags=["tables"])

TableInPath = Annotated[str, Path(description="Name of a bidding table.", examples=["sayc"])]


@router.get(
    "/v1/tables",
    operation_id="tables",
    summary="The bidding tables",
    response_model=TablesAnswer,
    responses={200: {"description": "All tables in numbers."}, **problems(406, 422, 500, 503)},
)
async def tables(request: Request) -> Response:
    """All bidding tables of this service, the default one first."""
    work: Workplace = request.app.state.workplace
    _check_query(request)
    described = [_describe(table, work) for table in work.tables.all()]
    return answer_json(request, {"tables": described, "backend": work.tables.backend})


@router.get(
    "/v1/tables/{name}",
    operation_id="table",
    summary="One bidding table",
    response_model=TableAnswer,
    responses={200: {"description": "The table in numbers."}, **problems(404, 406, 422, 500, 503)},
)
async def table(request: Request, name: TableInPath) -> Response:
    """Describe a bidding table in numbers."""
    work: Workplace = request.app.state.workplace
    _check_query(request)
    found = work.tables.get(name)
    return _answer(request, found, _describe(found, work))


@router.get(
    "/v1/tables/{name}/next",
    operation_id="tableNext",
    summary="The entries at one place",
    response_model=NextAnswer,
    responses={
        200: {"description": "The calls that the table has there, with their meanings."},
        **problems(404, 406, 422, 500, 503),
    },
)
async def table_next(
    request: Request,
    name: TableInPath,
    auction: Annotated[
        str,
        Query(
            description="The calls so far, divided by hyphens; none for the opening.",
            max_length=2000,
            examples=["1N-P"],
        ),
    ] = "",
) -> Response:
    """Entries that may follow an auction, in order of priority."""
    work: Workplace = request.app.state.workplace
    _check_query(request, "auction")
    found = work.tables.get(name)
    try:
        calls = Auction.of(parse_calls(auction), Seat.NORTH).calls
    except BidcascadeError as error:
        raise problem_of(error, field="auction", value=auction) from None
    return _answer(request, found, _next(found, calls))


@router.get(
    "/v1/tables/{name}/lint",
    operation_id="tableLint",
    summary="What is odd about a table",
    response_model=LintAnswer,
    responses={
        200: {"description": "Findings by kind, with examples."},
        **problems(404, 406, 422, 429, 500, 503, 504),
    },
)
async def table_lint(
    request: Request,
    name: TableInPath,
    examples: Annotated[
        int,
        Query(
            description="Most examples of each kind.",
            ge=0,
            le=MOST_LINT_EXAMPLES,
            examples=[20],
        ),
    ] = 20,
) -> Response:
    """Look a table over for what is odd: rows that no hand can fit, dead ends, and so on."""
    work: Workplace = request.app.state.workplace
    _check_query(request, "examples")
    found = work.tables.get(name)
    with work.slots.taken():
        report = await work.run(lambda: found.lint(examples))
    return _answer(request, found, {**report, "table": found.engine.table_info()})


def _check_query(request: Request, *known: str) -> None:
    for name, value in request.query_params.items():
        if name not in known:
            allowed = f"only the parameter {known[0]}" if known else "no parameters"
            raise invalid_request([complaint(name, value, f"expected {allowed}")])


def _answer(request: Request, table: LoadedTable, value: dict[str, Any]) -> Response:
    # what is answered follows from the path, the table and this version of the API
    etag = f"{API_VERSION}-{table.digest[:32]}"
    headers = table_headers(table.name, table.digest, table.engine.backend)
    return answer_json(request, value, etag=etag, headers=headers)


def _describe(table: LoadedTable, work: Workplace) -> dict[str, Any]:
    source = table.engine.table.source
    if work.tables.paths[table.name] not in named_systems():
        # where files lie on the server is nobody's business
        source = PurePath(source).name
    return {
        **table.engine.table.info(),
        **table.engine.table_info(),
        "source": source,
        "default": table.name == work.tables.names()[0],
    }


def _next(loaded: LoadedTable, calls: tuple[int, ...]) -> dict[str, Any]:
    table = loaded.engine.table
    entry = table.find(calls) if calls else None
    if calls and entry is None:
        raise Problem("unknown-auction", _where_it_leaves(table, calls))
    return {
        "auction": [format_call(call) for call in calls],
        "entry": entry,
        "completed": entry is not None and table.is_completed(entry),
        "entries": [_entry(table, child) for child in table.children(entry)],
        "table": loaded.engine.table_info(),
    }


def _where_it_leaves(table: BiddingTable, calls: tuple[int, ...]) -> str:
    known = next(
        length
        for length in reversed(range(len(calls)))
        if not length or table.find(calls[:length]) is not None
    )
    parent = table.find(calls[:known]) if known else None
    there = [int(table.call[child]) for child in table.children(parent)]
    before = f"after {format_calls(calls[:known])}" if known else "as opening call"
    return (
        f"expected an auction of the table, got {format_calls(calls)!r}: {before} it has "
        f"{format_calls(there) or 'nothing'}, not {format_call(calls[known])}"
    )


def _entry(table: BiddingTable, entry: int) -> dict[str, Any]:
    return {
        "call": format_call(int(table.call[entry])),
        "entry": entry,
        "completed": table.is_completed(entry),
        "can_complete": table.can_complete(entry),
        "inserted": table.is_inserted(entry),
        "next": int(table.child_count[entry]),
        "variants": [_variant(row) for row in table.variants(entry)],
    }


def _variant(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "description": row.description,
        "criteria": list(row.criteria),
        "rank": row.rank,
        "tags": list(row.tags),
        "where": row.where,
        "source_index": row.source_index,
    }
