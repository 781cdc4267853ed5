"""Deals of a request into kernel arrays, every complaint tied to the field it is about."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from bidcascade.bridge import (
    SEATS,
    VULNERABILITIES,
    BidcascadeError,
    Deal,
    InvalidDeal,
    Seat,
    Vulnerability,
    parse_deal,
    parse_hand,
    parse_seat,
    parse_vulnerability,
)
from bidcascade.engine.questions.parts.fields import (
    MOST_ERRORS,
    InvalidFields,
    invalid_value,
    read_field,
)
from bidcascade.kernels import DealArrays
from bidcascade.loaders import REQUIRED_COLUMNS, parse_deal_line, read_lin_files, whole_deals

from .auctions import DealRequest

_SEAT_CODES: Final = {text: Seat(code) for code, text in enumerate(SEATS)}
_VULNERABILITY_CODES: Final = {
    text: Vulnerability(code) for code, text in enumerate(VULNERABILITIES)
}


def deals_of(
    requests: Sequence[DealRequest], *, first: int = 0, field: str = "deals"
) -> DealArrays:
    """Arrays of the deals of a request, or of those from the deal ``first`` on.

    Raises
    ------
    InvalidFields
        That names the fields of the first deals that are none.
    """
    count = len(requests)
    hands = np.empty((4, count), np.uint64)
    dealer = np.empty(count, np.uint8)
    vulnerability = np.empty(count, np.uint8)
    errors: list[BidcascadeError] = []
    lin_texts = [request.lin for request in requests if request.lin is not None]
    lin_deals = iter(deals_of_lin(lin_texts))
    for number, request in enumerate(requests):
        lin = "" if request.lin is None else next(lin_deals)
        try:
            deal = _deal_of(request, lin, f"{field}[{first + number}]")
        except BidcascadeError as error:
            errors.append(error)
            # a whole file of the wrong kind needs no longer list
            if len(errors) > MOST_ERRORS:
                break
        else:
            hands[:, number] = deal.hands
            dealer[number] = deal.dealer
            vulnerability[number] = deal.vulnerability
    if errors:
        raise InvalidFields(errors)
    return DealArrays(hands, dealer, vulnerability)


def deal_of(request: DealRequest, field: str) -> Deal:
    """Deal of a request for one.

    Raises
    ------
    BidcascadeError
        That names the field at fault.
    """
    lin = "" if request.lin is None else deals_of_lin([request.lin])[0]
    return _deal_of(request, lin, field)


def _deal_of(request: DealRequest, lin: Deal | str, place: str) -> Deal:
    """Deal of one request; ``lin`` is what its LIN text says, or why it says nothing."""
    dealer = None
    if request.dealer is not None:
        dealer = _SEAT_CODES.get(request.dealer)
        if dealer is None:
            dealer = read_field(parse_seat, request.dealer, f"{place}.dealer")
    sides = None
    if request.vulnerability is not None:
        sides = _VULNERABILITY_CODES.get(request.vulnerability)
        if sides is None:
            sides = read_field(parse_vulnerability, request.vulnerability, f"{place}.vulnerability")
    given = [name for name in ("deal", "hands", "lin") if getattr(request, name) is not None]
    if len(given) != 1:
        raise invalid_value(
            place, given or None, "expected the cards in one of the fields deal, hands, lin"
        )
    if request.deal is not None:
        read = read_field(parse_deal_line, request.deal.strip(), f"{place}.deal")
    elif request.hands is not None:
        read = _of_hands(request.hands, f"{place}.hands")
    else:
        if isinstance(lin, str):
            raise invalid_value(f"{place}.lin", request.lin, lin)
        read = lin
    if dealer is None and sides is None:
        return read
    return Deal(
        read.hands,
        read.dealer if dealer is None else dealer,
        read.vulnerability if sides is None else sides,
    )


def _of_hands(hands: Sequence[str], place: str) -> Deal:
    if len(hands) != 4:
        raise invalid_value(
            place, list(hands), f"expected four hands (N, E, S, W), got {len(hands)}"
        )
    masks = [read_field(parse_hand, text, f"{place}[{seat}]") for seat, text in enumerate(hands)]
    try:
        return Deal((masks[0], masks[1], masks[2], masks[3]))
    except InvalidDeal as error:
        raise invalid_value(place, list(hands), str(error)) from None


def deals_of_lin(texts: Sequence[str]) -> list[Deal | str]:
    """Deals of LIN texts, each the value of an ``md`` token, or tokens (or a link) of one board.

    Dealer and vulnerability are those of the text. All texts are read in one go, which costs little
    more than one of them.

    Returns
    -------
    list of Deal or str
        For each text its deal, or the reason why there is none.
    """
    found: dict[int, Deal | str] = {}
    with_tokens: list[int] = []
    for number, text in enumerate(texts):
        if "|" in text or "lin=" in text:
            with_tokens.append(number)
            continue
        try:
            found[number] = parse_deal(text)
        except BidcascadeError as error:
            found[number] = str(error)
    if with_tokens:
        files = [(texts[number].encode("utf-8", "replace"), str(number)) for number in with_tokens]
        batch = whole_deals(read_lin_files(files))
        boards = Counter(batch.deals["source"].to_list())
        for row in batch.deals.select("source", *REQUIRED_COLUMNS).iter_rows():
            source, north, east, south, west, dealer, sides = row
            found[int(source)] = Deal(
                (north, east, south, west), _SEAT_CODES[dealer], _VULNERABILITY_CODES[sides]
            )
        for source, reason in batch.rejects.select("source", "reason").iter_rows():
            found[int(source)] = reason
        for number in with_tokens:
            count = boards[str(number)]
            if count > 1 or number not in found:
                found[number] = f"expected LIN text of one board, got {count}"
    return [found[number] for number in range(len(texts))]


def deal_of_lin(text: str) -> Deal:
    """Deal of one LIN text; see :func:`deals_of_lin`.

    Raises
    ------
    InvalidDeal
        If there is no board, or more than one; says why.
    """
    (deal,) = deals_of_lin([text])
    if isinstance(deal, str):
        raise InvalidDeal(deal)
    return deal
