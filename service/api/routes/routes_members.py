"""``POST /v1/members``: which of many deals reach chosen auctions, as JSON or Arrow."""

from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

import numpy as np
import polars as pl
from fastapi import APIRouter, Request, Response

from bidcascade.engine.questions.deals.auctions import MembersRequest
from bidcascade.engine.questions.deals.deal_reading import deals_of
from bidcascade.engine.questions.parts.fields import read_field
from bidcascade.kernels import DealArrays
from bidcascade.service.api.http.answering import (
    ARROW,
    JSON,
    ArrowParts,
    PartsResponse,
    accepted,
    json_bytes,
    with_first_part,
)
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.openapi import route
from bidcascade.service.api.http.problems import Problem
from bidcascade.service.api.shared.large_requests import PIECE, read_deals_body
from bidcascade.service.api.shared.loaded_table import LoadedTable
from bidcascade.service.api.shared.work import AppState

router = APIRouter(tags=["answers"])

MOST_LISTED: Final = 1_000_000
"""Deals times entries of one answer in JSON; as Arrow each takes a bit."""


@route(
    router,
    "members",
    400,
    404,
    406,
    408,
    413,
    415,
    422,
    429,
    500,
    503,
    504,
    content={
        ARROW: {
            "schema": {
                "type": "string",
                "format": "binary",
                "description": "Arrow IPC stream, a row for each deal and a Boolean column "
                "for each auction, named by its calls (`1N P 2C`). Begins while later "
                "deals are still worked on.",
            }
        }
    },
)
async def members(request: Request) -> Response:
    """Tell which deals reach chosen entries of a table, or may bid auctions of a system."""
    work: AppState = request.app.state.own
    form = accepted(request, (JSON, ARROW))
    with ExitStack() as stack:
        async with work.body(request) as body:
            stack.enter_context(work.slots.taken(client_of(request)))
            question, deals = await work.run(lambda: _read(body, work), small=len(body) <= PIECE)
        table = await work.table(question.table)
        for number, entry in enumerate(question.entries):
            read_field(table.engine.auction_of, entry, f"entries[{number}]")
        frames = _frames(work, table, deals, question.entries)
        if form == ARROW:
            return PartsResponse(
                await with_first_part(_as_arrow(frames)),
                media_type=ARROW,
                headers=table.headers_for("members", len(deals)),
                timeout_s=work.timeout_s,
                release=stack.pop_all().close,
            )
        if len(deals) * len(question.entries) > MOST_LISTED:
            raise Problem(
                "limit-exceeded",
                f"expected at most {MOST_LISTED:,} deals times entries as JSON, got "
                f"{len(deals):,} times {len(question.entries):,}; `Accept: {ARROW}` takes more",
            )
        async with work.in_time():
            found = await _listed(frames)
        return Response(
            table.with_table(json_bytes({"members": found}), "members", len(deals)),
            media_type=JSON,
            headers=table.headers_for("members", len(deals)),
        )


def _read(body: bytearray, work: AppState) -> tuple[MembersRequest, DealArrays]:
    question, deals = read_deals_body(MembersRequest, body, work.settings.max_request_deals)
    # a table that does not exist is told before the deals are looked at
    work.tables.check_name(question.table)
    return question, deals_of(question.deals) if deals is None else deals


async def _frames(
    work: AppState, table: LoadedTable, deals: DealArrays, entries: Sequence[int | str]
) -> AsyncIterator[pl.DataFrame]:
    """Answers about one run of deals after the other."""

    def find(payloads: Sequence[DealArrays]) -> list[pl.DataFrame]:
        return [table.engine.members(some, entries) for some in payloads]

    size = work.settings.stream_chunk_deals
    for start in range(0, len(deals), size):
        chosen = deals.slice(start, min(start + size, len(deals)))
        ask = partial(work.ask, deals=len(chosen), lane="part", is_started=start > 0)
        yield await ask(find, chosen)


async def _as_arrow(frames: AsyncIterator[pl.DataFrame]) -> AsyncIterator[bytes]:
    arrow = ArrowParts()
    async for frame in frames:
        yield arrow.part(frame)
    yield arrow.end()


async def _listed(frames: AsyncIterator[pl.DataFrame]) -> list[dict[str, object]]:
    found: dict[str, list[int]] = {}
    done = 0
    async for frame in frames:
        for column in frame:
            numbers = done + np.flatnonzero(column.to_numpy())
            found.setdefault(column.name, []).extend(numbers.tolist())
        done += frame.height
    return [
        {"auction": calls.split(), "total": len(numbers), "deals": numbers}
        for calls, numbers in found.items()
    ]
