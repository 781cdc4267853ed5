"""Boards of the endplay library to and from a deal frame; the only module that imports endplay.

endplay is imported when a function is called, not before: reading files does not need it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from bidcascade.bridge import (
    CALL_TEXTS,
    RANKS,
    SEATS,
    STRAINS,
    VULNERABILITIES,
    Auction,
    Contract,
    Deal,
    InvalidCall,
    InvalidDeal,
    Seat,
    first_illegal_call,
    format_card,
    format_deal,
    is_vulnerable,
    make_bid,
    parse_deal,
    score,
)

from .frames.frame import DEAL_SCHEMA, HAND_COLUMNS
from .pbn.pbn_sections import contract_of, read_contract

if TYPE_CHECKING:
    from endplay.types import Bid, Board, Card

_DOUBLINGS = ("passed", "doubled", "redoubled")
_STRAINS = ("clubs", "diamonds", "hearts", "spades", "nt")
_PLAYER_NAMES = ("north", "east", "south", "west")


def from_endplay(boards: Iterable[Board]) -> pl.DataFrame:
    """Make a deal frame of endplay boards.

    Contract, declarer and tricks are what the board says, right or wrong; the score follows
    from them. Names, event and room come from ``info`` if they are there.

    Parameters
    ----------
    boards : iterable of endplay.types.Board

    Returns
    -------
    polars.DataFrame
        Deal frame; ``record`` counts the boards from 1.

    Raises
    ------
    InvalidDeal
        If a board has not four hands of 13 cards, or no dealer.

    Examples
    --------
    >>> from bidcascade.loaders.frames.random_deals import random_deals
    >>> frame = random_deals(2, seed=1)
    >>> from_endplay(to_endplay(frame)).select("north", "dealer").equals(
    ...     frame.select("north", "dealer")
    ... )
    True
    """
    rows = [_row(board, number) for number, board in enumerate(boards, start=1)]
    return pl.DataFrame(rows, schema=DEAL_SCHEMA, orient="row")


def _row(board: Board, number: int) -> dict[str, Any]:
    if board.dealer is None:
        raise InvalidDeal(
            f"expected a board with a dealer or a number, got neither in board {number}"
        )
    dealer = Seat(int(board.dealer))
    deal = parse_deal(board.deal.to_pbn())
    vulnerability = "None" if board.vul is None else _vulnerability_name(board.vul.name)
    calls = [_call_code(bid) for bid in board.auction]
    illegal = first_illegal_call(calls, dealer)
    legal = calls[:illegal]
    if illegal is not None:
        status = "illegal"
    elif not calls:
        status = "none"
    else:
        status = "complete" if Auction.of(legal, dealer).is_complete else "unfinished"
    info = {str(name).lower(): value for name, value in board.info.items()}
    players = [str(info.get(name) or "") for name in _PLAYER_NAMES]
    room = str(info.get("room") or "").lower()
    contract, tricks = _contract(board)
    points = None
    if contract is not None and tricks is not None:
        vulnerable = is_vulnerable(VULNERABILITIES.index(vulnerability), contract.declarer)
        points = score(contract, tricks, vulnerable=vulnerable)
        points = -points if contract.declarer % 2 else points
    passed_out = board.contract is not None and board.contract.is_passout()
    return {
        **dict(zip(HAND_COLUMNS, deal.hands, strict=True)),
        "dealer": dealer.letter,
        "vulnerability": vulnerability,
        "board": board.board_num,
        "room": room if room in ("open", "closed") else None,
        "auction": legal,
        "auction_status": status,
        "illegal_call": illegal,
        "illegal_tail": calls[len(legal) :],
        "announcements": [bid.announcement or "" for bid in board.auction][: len(legal)],
        "alerts": [bool(bid.alertable) for bid in board.auction][: len(legal)],
        "commentary": [],
        "contract": "Pass" if passed_out else None if contract is None else contract.name,
        "declarer": None if contract is None else contract.declarer.letter,
        "tricks": tricks,
        "score": 0 if passed_out else points,
        "play": [_card_code(card) for card in board.play],
        "players": players if any(players) else None,
        "event": info.get("event") or None,
        "source": "endplay",
        "record": number,
    }


def _contract(board: Board) -> tuple[Contract | None, int | None]:
    contract = board.contract
    if contract is None or contract.is_passout():
        return None, None
    strain = _STRAINS.index(contract.denom.name)
    doubling = _DOUBLINGS.index(contract.penalty.name)
    ours = Contract(contract.level, strain, doubling, Seat(int(contract.declarer)))
    tricks = contract.level + 6 + contract.result
    return ours, tricks if 0 <= tricks <= 13 else None


def _call_code(bid: Bid) -> int:
    contract_bid = bid.as_contract()
    if contract_bid is not None:
        return make_bid(contract_bid.level, _STRAINS.index(contract_bid.denom.name))
    penalty = bid.as_penalty()
    if penalty is None:
        raise InvalidCall(f"expected a call, got {bid!r}")
    return _DOUBLINGS.index(penalty.penalty.name)


def _card_code(card: Card) -> int:
    return 13 * _STRAINS.index(card.suit.name) + RANKS.index(card.rank.abbr)


def _vulnerability_name(name: str) -> str:
    return {"none": "None", "ns": "NS", "ew": "EW", "both": "Both"}[name]


def to_endplay(frame: pl.DataFrame) -> list[Board]:
    """Make endplay boards of a deal frame.

    Only the legal part of an auction is given. A board without tricks gets a contract that is
    just made, because endplay's contracts cannot be without a result.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame; columns but the six required ones may be missing.

    Returns
    -------
    list of endplay.types.Board

    Examples
    --------
    >>> from bidcascade.loaders.frames.random_deals import random_deals
    >>> board = to_endplay(random_deals(1, seed=1, first=3))[0]
    >>> board.board_num, board.dealer.abbr, board.vul.name
    (3, 'S', 'ew')
    """
    return [_board(row) for row in frame.iter_rows(named=True)]


def _board(row: dict[str, Any]) -> Board:
    from endplay import types

    hands = [row[name] for name in HAND_COLUMNS]
    dealer = Seat(SEATS.index(row["dealer"]))
    calls: list[int] = row.get("auction") or []
    texts = row.get("announcements") or [""] * len(calls)
    alerts = row.get("alerts") or [False] * len(calls)
    info = {
        name.capitalize(): player
        for name, player in zip(_PLAYER_NAMES, row.get("players") or [], strict=False)
    }
    if row.get("event"):
        info["Event"] = row["event"]
    if row.get("room"):
        info["Room"] = row["room"].capitalize()
    return types.Board(
        types.Deal(format_deal(Deal((hands[0], hands[1], hands[2], hands[3]), dealer))),
        [
            types.Bid(CALL_TEXTS[call], alert, text or None)
            for call, alert, text in zip(calls, alerts, texts, strict=True)
        ],
        [types.Card(format_card(card)) for card in row.get("play") or []],
        row.get("board"),
        dealer=types.Player(int(dealer)),
        vul=types.Vul[row["vulnerability"].lower()],
        contract=_endplay_contract(row, types),
        **info,
    )


def _endplay_contract(row: dict[str, Any], types: Any) -> Any:
    text, declarer = row.get("contract"), row.get("declarer")
    if text == "Pass":
        return types.Contract()
    contract = None
    if text and declarer:
        contract = contract_of(read_contract(text), SEATS.index(declarer))
    if contract is None:
        return None
    tricks = row.get("tricks")
    return types.Contract(
        level=contract.level,
        denom=types.Denom.find(STRAINS[contract.strain]),
        declarer=types.Player(int(contract.declarer)),
        penalty=types.Penalty[_DOUBLINGS[contract.doubling]],
        result=0 if tricks is None else tricks - 6 - contract.level,
    )
