"""``POST /v1/auctions``: the auctions of one deal or many, as JSON, JSON Lines or Arrow."""

from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

import polars as pl
from fastapi import APIRouter, Request, Response

from bidcascade.bridge import format_calls
from bidcascade.engine.questions.deals.auctions import AuctionsRequest
from bidcascade.engine.questions.deals.deal_reading import deals_of
from bidcascade.kernels import DealArrays
from bidcascade.service.api.http.answering import (
    ARROW,
    JSON,
    JSON_LINES,
    ArrowParts,
    PartsResponse,
    accepted,
    with_first_part,
)
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.openapi import BareRoute, route
from bidcascade.service.api.http.problems import field_problem
from bidcascade.service.api.shared.batched_questions import (
    AuctionsQuestion,
    deals_at_once,
    part_deals,
)
from bidcascade.service.api.shared.large_requests import PIECE, read_deals_body
from bidcascade.service.api.shared.loaded_table import LoadedTable
from bidcascade.service.api.shared.work import AppState
from bidcascade.systems.bidding.bidder_protocol import Query

router = APIRouter(tags=["answers"], route_class=BareRoute)

_FORMS: Final = (JSON, JSON_LINES, ARROW)

_ANSWERS: Final = {
    JSON_LINES: {
        "schema": {
            "type": "string",
            "description": "One line for each deal: the object of `results` with the deal's "
            "number from 0 as `deal`. Sent while later deals are worked on.",
        }
    },
    ARROW: {
        "schema": {
            "type": "string",
            "format": "binary",
            "description": "Arrow IPC stream. Mode `all`, a row for each auction: `deal` uint32, "
            "`entry` uint32, `calls` (`1N P 3N`), `completed`, `total` uint32, `truncated`; of a "
            "system also `variants` (names of the rules) and `cut` (why auctions are not listed). "
            "Mode `first`, a row for each deal: `deal`, `calls`, `completed`, `entry`, `defaults` "
            "uint16 (passes made because no entry held), `contract` (`4SX`, `Pass`), `declarer`.",
        }
    },
}


@route(router, "auctions", 400, 404, 406, 408, 413, 415, 422, 429, 500, 503, 504, content=_ANSWERS)
async def auctions(request: Request) -> Response:
    """Auctions that a bidding table allows for each deal, or the one that it bids.

    `Accept: application/jsonl` gives one line for each deal and
    `Accept: application/vnd.apache.arrow.stream` an Arrow stream; both begin while later deals are
    still worked on, and need no more memory for many deals than for few.
    """
    work: AppState = request.app.state.own
    form = accepted(request, _FORMS)
    with ExitStack() as stack:
        async with work.body(request) as body:
            stack.enter_context(work.slots.taken(client_of(request)))
            few = len(body) <= PIECE
            question, deals = await work.run(lambda: _read(body, work), small=few)
        table = await work.table(question.table)
        query = Query(question.mode, question.completed_only, question.limit)
        size = part_deals(table.seconds_a_deal[query.mode], work.settings.stream_chunk_deals)
        if form == JSON and len(deals) <= size:
            results, together = await work.ask(
                AuctionsQuestion(table, query),
                deals,
                deals=len(deals),
                most_deals=deals_at_once(table.seconds_of_few[query.mode]),
                free=table.if_free(query.mode, len(deals)),
            )
            tail = table.tail_for(query.mode, together)
            return Response(
                b'{"results":[%s],%s}' % (b",".join(results), tail),
                media_type=JSON,
                headers=table.headers_for(query.mode, together),
            )
        return PartsResponse(
            await with_first_part(_parts(work, table, deals, query, form, size)),
            media_type=form,
            headers=table.headers_for(query.mode, min(size, len(deals))),
            timeout_s=work.timeout_s,
            release=stack.pop_all().close,
        )


def _read(body: bytearray, work: AppState) -> tuple[AuctionsRequest, DealArrays]:
    question, deals = read_deals_body(AuctionsRequest, body, work.settings.max_request_deals)
    highest = work.settings.max_limit_auctions
    if question.limit > highest:
        reason = f"expected a number up to {highest} (setting max_limit_auctions)"
        raise field_problem("limit", question.limit, reason)
    # a table that does not exist is told before the deals are looked at
    work.tables.check_name(question.table)
    return question, deals_of(question.deals) if deals is None else deals


async def _parts(
    work: AppState, table: LoadedTable, deals: DealArrays, query: Query, form: str, size: int
) -> AsyncIterator[bytes]:
    """Parts of a long answer, one for each run of deals."""
    arrow = ArrowParts()

    def frames(payloads: Sequence[tuple[DealArrays, int]]) -> list[pl.DataFrame]:
        return [_frame(table, some, first, query) for some, first in payloads]

    for start in range(0, len(deals), size):
        chosen = deals.slice(start, min(start + size, len(deals)))
        ask = partial(work.ask, deals=len(chosen), lane="part", is_started=start > 0)
        if form == ARROW:
            yield arrow.part(await ask(frames, (chosen, start)))
            continue
        results, _ = await ask(AuctionsQuestion(table, query), chosen)
        if form == JSON_LINES:
            yield b"".join(
                b'{"deal":%d,%s\n' % (number, result[1:])
                for number, result in enumerate(results, start)
            )
        else:
            yield (b"," if start else b'{"results":[') + b",".join(results)
    if form == JSON:
        yield b"],%s}" % table.tail_for(query.mode, min(size, len(deals)))
    else:
        yield arrow.end() if form == ARROW else b""


def _frame(table: LoadedTable, deals: DealArrays, start: int, query: Query) -> pl.DataFrame:
    """Answer of the engine as the Arrow form has it."""
    answer = pl.concat(table.engine.frames(deals, query, start))
    if query.mode == "all":
        return answer
    calls = [format_calls(codes) for codes in answer["auction"].to_list()]
    return answer.select(
        "deal",
        pl.Series("calls", calls, dtype=pl.String),
        # with the passes behind the table's entry the auction is over
        pl.lit(value=True).alias("completed"),
        "entry",
        "defaults",
        "contract",
        pl.col("declarer").cast(pl.String),
    )
