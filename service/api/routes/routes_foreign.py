"""``GET /bid``, ``/lead``, ``/play``, ``/explain``: answers in the form that BEN's clients ask for.

The form is that of BEN's own server (https://github.com/lorserker/ben, ``src/gameapi.py``): all of
a question stands in the query, and what is wrong with one is a text as ``error``, with status 400.
What is wrong here is a problem as anywhere else, with its text as ``error`` too: that is what BEN's
clients show. It is none of this API's own, whose description leaves these paths out.
"""

import threading
from collections import deque
from collections.abc import Mapping
from time import monotonic
from typing import Any, NamedTuple

from fastapi import APIRouter, Request, Response
from starlette.types import Receive, Scope, Send

from bidcascade.bridge import (
    Auction,
    BidcascadeError,
    IllegalCall,
    InvalidInput,
    Seat,
    Vulnerability,
    format_call,
    format_card,
    parse_call,
    parse_card,
    parse_hand,
    parse_holding,
    parse_seat,
)
from bidcascade.engine.questions.bidding.bids import BidQuestion
from bidcascade.engine.questions.inference.leads import (
    LeadQuestion,
    LeadsAnswer,
    answer_leads,
    contract_of,
    whole_auction,
)
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.inference.card_play.choosing import DEFAULT_BUDGET_MS, CardPlayer
from bidcascade.inference.card_play.sight import Sight, give_to_seats
from bidcascade.seats.foreign.ben_form import calls_of_pairs, vulnerability_of
from bidcascade.service.api.http.answering import JSON, json_bytes
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.openapi import BareRoute
from bidcascade.service.api.http.problems import LONGEST_REASON, Problem, answer_problem, problem_of
from bidcascade.service.api.shared.loaded_table import LoadedTable
from bidcascade.service.api.shared.waiting import run_waiting, time_for
from bidcascade.service.api.shared.work import AppState


class _Route(BareRoute):
    """A route whose problems have their text as ``error`` too."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with what the function of the route makes."""
        try:
            await super().handle(scope, receive, send)
        except (Problem, BidcascadeError) as error:
            problem = error if isinstance(error, Problem) else problem_of(error)
            answer = answer_problem(Request(scope, receive, send), problem, error=problem.detail)
            await answer(scope, receive, send)


router = APIRouter(route_class=_Route)

_LAYOUTS = 40
"""For a lead."""
_LONGEST_QUERY = 4096
_LONGEST_NUMBER = 6
"""Digits."""


class _ParsedRequest(NamedTuple):
    """What all questions have."""

    auction: Auction
    vulnerability: Vulnerability
    query: Mapping[str, str]

    def hand(self) -> int:
        """Mask of the hand, whose suits may have ``_`` between them."""
        return parse_hand(_field(self.query, "hand").replace("_", ".").upper())

    def cards(self, name: str) -> int:
        """Mask of a hand that may have played some of its cards."""
        text = _field(self.query, name)
        suits = text.replace("_", ".").upper().split(".")
        if len(suits) != 4:
            raise InvalidInput(f"expected four suits as {name!r}, got {text!r}")
        # spades stand first
        holdings = map(parse_holding, suits)
        return sum(one << 13 * suit for suit, one in zip((3, 2, 1, 0), holdings, strict=True))


@router.get("/bid", include_in_schema=False)
async def bid(request: Request) -> Response:
    """Call with a hand after some calls."""
    work: AppState = request.app.state.own
    try:
        parsed = _read(request)
        auction = parsed.auction
        if auction.is_complete:
            return _answer({"message": "Bidding is over"})
        _check_seat(parsed, auction.seat_to_act)
        hand = parsed.hand()
        with work.slots.taken(client_of(request)):
            table = await _table(work, parsed)
            question = BidQuestion(
                hand=hand,
                calls=auction.calls,
                dealer=auction.dealer,
                vulnerability=parsed.vulnerability,
            )
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
    work: AppState = request.app.state.own
    try:
        parsed = _read(request)
        if not parsed.auction.calls:
            raise InvalidInput("expected at least one call in 'ctx', got none")
        with work.slots.taken(client_of(request)):
            table = await _table(work, parsed)
            explained = await work.run(
                lambda: table.engine.explain(
                    parsed.auction.calls, parsed.auction.dealer, parsed.vulnerability
                )
            )
    except BidcascadeError as error:
        return _refusal(error)
    last = explained.calls[-1]
    return _answer({"explanation": last.sentence, "Alert": "artificial" in last.agreements})


@router.get("/lead", include_in_schema=False)
async def lead(request: Request) -> Response:
    """Answer with the lead that takes most tricks over layouts of the auction."""
    work: AppState = request.app.state.own
    try:
        parsed = _read(request)
        dealer = parsed.auction.dealer
        contract = contract_of(parsed.auction.calls, dealer)
        leader = Seat((contract.declarer + 1) % 4)
        if parse_seat(_field(parsed.query, "seat")) != leader:
            return _answer({"message": "Not this player to lead"})
        question = LeadQuestion(
            hand=parsed.hand(),
            contract=contract,
            calls=whole_auction(parsed.auction.calls, dealer),
            dealer=dealer,
            vulnerability=parsed.vulnerability,
            layouts=_LAYOUTS,
        )
        with work.slots.taken(client_of(request)):
            table = await _table(work, parsed)

            arrived, limit_s = monotonic(), time_for(work, None)

            def answer(given_up: threading.Event) -> LeadsAnswer:
                by = Resources(
                    solver=lambda: work.double_dummy,
                    meanings=table.engine.bidder.meanings,
                    time_limit_s=max(0.0, limit_s - (monotonic() - arrived)),
                    cancel=given_up,
                )
                return deque(answer_leads(question, by), maxlen=1)[0]

            turn = work.turn("leads", arrived, limit_s)
            answered = await run_waiting(work, request, answer, turn)
    except BidcascadeError as error:
        return _refusal(error)
    cards = [one.card for one in answered.leads]
    return _answer(
        {"card": cards[0], "who": table.name, "candidates": [{"card": one} for one in cards]}
    )


@router.get("/play", include_in_schema=False)
async def play(request: Request) -> Response:
    """Card behind the ones that were played, by layouts of the auction and the cards."""
    work: AppState = request.app.state.own
    try:
        parsed = _read(request)
        if not parsed.query.get("dummy"):
            return _answer({"message": "No dummy provided"})
        found = _sight(parsed)
        if not isinstance(found, Sight):
            return _answer({"message": found})
        budget_ms = min(
            _number(parsed, "budget_ms", DEFAULT_BUDGET_MS), int(1000 * time_for(work, None))
        )
        seed = _number(parsed, "seed", 0)
        with work.slots.taken(client_of(request)):
            table = await _table(work, parsed)
            player = CardPlayer(table.engine.bidder.meanings, budget_ms=budget_ms, seed=seed)
            chosen = await run_waiting(
                work, request, lambda given_up: player.choose(found, cancel=given_up)
            )
    except BidcascadeError as error:
        return _refusal(error)
    by_layouts = [format_card(one.cards[0]) for one in chosen.values]
    card = format_card(chosen.card)
    return _answer(
        {
            "card": card,
            "who": chosen.origin if chosen.origin == "rules of thumb" else table.name,
            # as BEN counts: declarer's left, dummy, declarer's right, declarer
            "player": (found.actor - found.contract.declarer - 1) % 4,
            "why": chosen.why,
            "notes": list(chosen.notes),
            "candidates": [{"card": one} for one in by_layouts or [card]],
        }
    )


def _number(parsed: _ParsedRequest, name: str, default: int) -> int:
    text = parsed.query.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        raise InvalidInput(f"expected a whole number as {name!r}, got {text!r}")
    return int(text)


def _sight(parsed: _ParsedRequest) -> Sight | str:
    """Tell what the player sees who is asked for a card; a message where there is none to play."""
    contract = contract_of(parsed.auction.calls, parsed.auction.dealer)
    seat = parse_seat(_field(parsed.query, "seat"))
    dummy = Seat((contract.declarer + 2) % 4)
    if seat == dummy:
        return "Called as dummy or with wrong dealer / seat"
    played = _played(_field(parsed.query, "played"))
    if len(played) >= 52:
        return "Game is over, no cards to play"
    if not played:
        raise InvalidInput("expected the opening lead in 'played', got no card; 'lead' finds it")
    state = give_to_seats(played, contract)
    # with or without the cards that were played
    hand = parsed.cards("hand") | state.hands[seat]
    shown = parsed.cards("dummy") | state.hands[dummy]
    calls = whole_auction(parsed.auction.calls, parsed.auction.dealer)
    return Sight(
        Auction.of(calls, parsed.auction.dealer),
        parsed.vulnerability,
        seat,
        hand,
        shown,
        tuple(played),
    )


def _played(text: str) -> list[int]:
    """Cards as pairs of suit and rank, each once."""
    cards = [parse_card(text[at : at + 2].upper()) for at in range(0, len(text), 2)]
    if len(set(cards)) < len(cards):
        raise InvalidInput(f"expected each card once in 'played', got {text!r}")
    return cards


# --- questions ------------------------------------------------------------------------------------


def _read(request: Request) -> _ParsedRequest:
    if len(request.url.query) > _LONGEST_QUERY:
        raise InvalidInput(
            f"expected a query of at most {_LONGEST_QUERY} letters, got {len(request.url.query)}"
        )
    query = request.query_params
    dealer = parse_seat(_field(query, "dealer"))
    calls = calls_of_pairs(query.get("ctx", ""))
    return _ParsedRequest(Auction.of(calls, dealer), vulnerability_of(query.get("vul", "")), query)


def _field(query: Mapping[str, str], name: str) -> str:
    if name not in query:
        raise InvalidInput(f"expected {name!r} in the query, got {', '.join(query) or 'none'}")
    return query[name]


def _check_seat(parsed: _ParsedRequest, seat: Seat) -> None:
    given = parse_seat(_field(parsed.query, "seat"))
    if given != seat:
        raise IllegalCall(
            f"expected 'seat' {seat.letter}, who is to call after {parsed.query.get('ctx', '')!r}, "
            f"got {given.letter}"
        )


async def _table(work: AppState, parsed: _ParsedRequest) -> LoadedTable:
    return await work.table(parsed.query.get("table"))


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
