"""``GET /bid``, ``/lead``, ``/play``, ``/explain``: answers in the form that BEN's clients ask for.

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
    format_card,
    parse_call,
    parse_card,
    parse_hand,
    parse_holding,
    parse_seat,
)
from bidcascade.inference.table_manager.playing import choose_card
from bidcascade.loaders.play import trick_winner
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
from .work import AppState

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
    work: AppState = request.app.state.own
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
    work: AppState = request.app.state.own
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


@router.get("/play", include_in_schema=False)
async def play(request: Request) -> Response:
    """Card behind the ones that were played, by rules of thumb."""
    work: AppState = request.app.state.own
    try:
        asked = _read(request)
        if not asked.query.get("dummy"):
            return _answer({"message": "No dummy provided"})
        with work.slots.taken(client_of(request)):
            told = _play(asked)
    except BidcascadeError as error:
        return _refusal(error)
    return _answer(told)


def _play(asked: _Asked) -> dict[str, Any]:
    contract = contract_of(asked.auction.calls, asked.auction.dealer)
    seat = parse_seat(_field(asked.query, "seat"))
    dummy = Seat((contract.declarer + 2) % 4)
    if seat == dummy:
        return {"message": "Called as dummy or with wrong dealer / seat"}
    played = _played(_field(asked.query, "played"))
    if len(played) >= 52:
        return {"message": "Game is over, no cards to play"}
    if not played:
        raise InvalidInput("expected the opening lead in 'played', got no card; 'lead' finds it")
    turn = (contract.declarer + 1) % 4
    trick: list[int] = []
    for card in played:
        trick.append(card)
        turn = (turn + 1) % 4
        if len(trick) == 4:
            turn = (turn + trick_winner(trick, contract.strain)) % 4
            trick = []
    actor = seat if turn == seat else dummy
    if turn not in (seat, dummy) or (turn == dummy and seat != contract.declarer):
        raise IllegalCall(
            f"expected a card of the player to play, {Seat(turn).letter}, got 'seat' {seat.letter}"
        )
    gone = sum(1 << card for card in played)
    hands = {seat: asked.cards("hand") & ~gone, dummy: asked.cards("dummy") & ~gone}
    if hands[seat] & hands[dummy] or not hands[actor]:
        raise InvalidInput(
            "expected different cards left in 'hand' and 'dummy', got the same or none"
        )
    card = choose_card(
        hands[actor], trick, contract.strain, gone, declares=seat == contract.declarer,
        other=hands[dummy if actor == seat else seat],
    )  # fmt: skip
    # as BEN counts: declarer's left, dummy, declarer's right, declarer
    player = (actor - contract.declarer - 1) % 4
    return {"card": format_card(card), "who": "rules of thumb", "player": player}


def _played(text: str) -> list[int]:
    """Cards as pairs of suit and rank, each once."""
    cards = [parse_card(text[at : at + 2].upper()) for at in range(0, len(text), 2)]
    if len(set(cards)) < len(cards):
        raise InvalidInput(f"expected each card once in 'played', got {text!r}")
    return cards


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


def _table(work: AppState, asked: _Asked) -> LoadedTable:
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
