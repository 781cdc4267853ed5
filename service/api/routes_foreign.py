"""``GET /bid``, ``/lead`` and ``/explain``: answers in the form that BEN's clients ask for.

The form is that of BEN's own server (https://github.com/lorserker/ben, ``src/gameapi.py``): all of
a question stands in the query, and what is wrong with one is a text as ``error``, with status 400.
It is none of this API's own, whose description leaves these paths out.
"""

import threading
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from fastapi import APIRouter, Request, Response

from bidcascade.bridge import (
    Auction,
    BidcascadeError,
    IllegalCall,
    InvalidInput,
    Seat,
    Vulnerability,
    format_call,
    parse_call,
    parse_hand,
    parse_seat,
)
from bidcascade.service.auction_questions import (
    LeadQuestion,
    contract_of,
    iter_leads,
    leads_dict,
    whole_auction,
)
from bidcascade.service.foreign_engines import calls_of_pairs, vulnerability_of

from .answering import JSON, json_bytes
from .limits import client_of
from .openapi import BareRoute
from .problems import LONGEST_REASON
from .tables import LoadedTable
from .waiting import run_waiting, time_for
from .work import Workplace

router = APIRouter(route_class=BareRoute)

_LAYOUTS = 40
"""For a lead."""
_LONGEST_QUERY = 4096


class _Asked(NamedTuple):
    """What all questions have."""

    auction: Auction
    vulnerability: Vulnerability
    query: Mapping[str, str]

    def hand(self) -> int:
        """Mask of the hand, whose suits may have ``_`` between them."""
        return parse_hand(_field(self.query, "hand").replace("_", ".").upper())


@router.get("/bid", include_in_schema=False)
async def bid(request: Request) -> Response:
    """Call with a hand after some calls."""
    work: Workplace = request.app.state.workplace
    try:
        asked = _read(request)
        auction = asked.auction
        if auction.is_complete:
            return _answer({"message": "Bidding is over"})
        _check_seat(asked, auction.seat_to_act)
        hand = asked.hand()
        with work.slots.taken(client_of(request)):
            table = _table(work, asked)
            question = (hand, auction.calls, auction.dealer, asked.vulnerability)
            answer = await work.ask(table.bid, question, free=table.if_free("bid"))
    except BidcascadeError as error:
        return _refusal(error)
    made = parse_call(answer.call)
    return _answer(
        {
            "bid": _written(made),
            "who": table.name,
            "alert": "artificial" in answer.agreements,
            "explanation": ": ".join(filter(None, (answer.name, answer.description)))
            or answer.note,
            "candidates": [{"call": _written(made)}],
        }
    )


@router.get("/explain", include_in_schema=False)
async def explain(request: Request) -> Response:
    """Tell what the last call means."""
    work: Workplace = request.app.state.workplace
    try:
        asked = _read(request)
        if not asked.auction.calls:
            raise InvalidInput("expected at least one call in 'ctx', got none")
        with work.slots.taken(client_of(request)):
            table = _table(work, asked)
            told = await work.run(lambda: table.engine.explain(asked.auction.calls))
    except BidcascadeError as error:
        return _refusal(error)
    last = told.calls[-1]
    return _answer({"explanation": last.sentence, "Alert": "artificial" in last.agreements})


@router.get("/lead", include_in_schema=False)
async def lead(request: Request) -> Response:
    """Answer with the lead that takes most tricks over layouts of the auction."""
    work: Workplace = request.app.state.workplace
    try:
        asked = _read(request)
        dealer = asked.auction.dealer
        contract = contract_of(asked.auction.calls, dealer)
        leader = Seat((contract.declarer + 1) % 4)
        if parse_seat(_field(asked.query, "seat")) != leader:
            return _answer({"message": "Not this player to lead"})
        question = LeadQuestion(
            hand=asked.hand(), contract=contract, calls=whole_auction(asked.auction.calls, dealer),
            dealer=dealer, vulnerability=asked.vulnerability, layouts=_LAYOUTS,
        )  # fmt: skip
        with work.slots.taken(client_of(request)):
            table = _table(work, asked)

            def answer(given_up: threading.Event) -> dict[str, Any]:
                found = iter_leads(
                    table.engine.bidder.meanings, work.double_dummy, question,
                    time_limit_s=time_for(work, None), cancel=given_up,
                )  # fmt: skip
                return leads_dict(question, deque(found, maxlen=1)[0])

            told = await run_waiting(work, request, answer)
    except BidcascadeError as error:
        return _refusal(error)
    cards = [one["card"] for one in told["leads"]]
    return _answer(
        {"card": cards[0], "who": table.name, "candidates": [{"card": one} for one in cards]}
    )


# --- questions ------------------------------------------------------------------------------------


def _read(request: Request) -> _Asked:
    if len(request.url.query) > _LONGEST_QUERY:
        raise InvalidInput(
            f"expected a query of at most {_LONGEST_QUERY} letters, got {len(request.url.query)}"
        )
    query = request.query_params
    dealer = parse_seat(_field(query, "dealer"))
    calls = calls_of_pairs(query.get("ctx", ""))
    return _Asked(Auction.of(calls, dealer), vulnerability_of(query.get("vul", "")), query)


def _field(query: Mapping[str, str], name: str) -> str:
    if name not in query:
        raise InvalidInput(f"expected {name!r} in the query, got {', '.join(query) or 'none'}")
    return query[name]


def _check_seat(asked: _Asked, seat: Seat) -> None:
    given = parse_seat(_field(asked.query, "seat"))
    if given != seat:
        raise IllegalCall(
            f"expected 'seat' {seat.letter}, who is to call after {asked.query.get('ctx', '')!r}, "
            f"got {given.letter}"
        )


def _table(work: Workplace, asked: _Asked) -> LoadedTable:
    return work.tables.get(asked.query.get("table"))


# --- answers --------------------------------------------------------------------------------------


def _written(call: int) -> str:
    """Write a call as BEN does: a pass is spelled out."""
    return "PASS" if call == 0 else format_call(call)


def _answer(content: dict[str, Any], status: int = 200) -> Response:
    return Response(json_bytes(content), status, media_type=JSON)


def _refusal(error: BidcascadeError) -> Response:
    """Say what is wrong with a question; what is wrong here is a problem as anywhere else."""
    if not isinstance(error, ValueError | LookupError):
        raise error
    return _answer({"error": str(error)[:LONGEST_REASON]}, 400)
