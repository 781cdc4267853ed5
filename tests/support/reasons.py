"""Calls that systems make for want of others: hands along their own auctions, with answers."""

from collections.abc import Iterator
from functools import cache
from itertools import count, islice
from typing import Any, NamedTuple

from bidcascade.bridge import Auction, format_call, format_hand, parse_call
from bidcascade.engine import Engine
from bidcascade.engine.questions.bidding.bids import BidAnswer, BidRequest, bid_answer, read_bid
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.kernels import Context
from bidcascade.loaders import HAND_COLUMNS, random_deals
from bidcascade.systems import open_system
from bidcascade.systems.places.turn_context import context_at

SYSTEMS = ("sayc", "acol", "two-over-one", "precision", "light-openings")
_DEALS = 8


class Reasoned(NamedTuple):
    """A call made for want of others."""

    hand: int
    context: Context
    request: BidRequest
    answer: BidAnswer

    @property
    def json(self) -> dict[str, Any]:
        """The answer as the service sends it."""
        told: dict[str, Any] = plain(self.answer)
        return told


@cache
def engine_of(name: str) -> Engine:
    """Engine of a system of the package."""
    return Engine(open_system(name))


def answered(name: str, request: BidRequest) -> BidAnswer:
    """Answer of a system, as every face makes it."""
    question = read_bid(request)
    found = engine_of(name).bid(
        question.hand,
        question.calls,
        dealer=question.dealer,
        vulnerability=question.vulnerability,
        words=question.words,
    )
    return bid_answer(question, found)


def reasoned(name: str, number: int, seed: int = 0) -> list[Reasoned]:
    """So many calls that a system makes for want of others, at several depths."""
    return list(islice(_reasoned(name, seed), number))


def _reasoned(name: str, seed: int) -> Iterator[Reasoned]:
    for part in count(seed * 1000):
        frame = random_deals(_DEALS, seed=part)
        rows = frame.select(*HAND_COLUMNS, "dealer", "vulnerability").rows()
        for place, (*hands, dealer, sides) in enumerate(rows):
            auction, first = Auction(), "NESW".index(dealer)
            while not auction.is_complete:
                calls = auction.calls
                hand = hands[(first + len(calls)) % 4]
                written = tuple(map(format_call, calls))
                request = BidRequest(
                    format_hand(hand), written, dealer, sides, candidates=True, words=True
                )
                answer = answered(name, request)
                # every third place, or all would be openings and the calls behind them
                if isinstance(answer.nearest, tuple) and (len(calls) + place) % 3 == 0:
                    yield Reasoned(hand, context_at(len(calls), dealer, sides), request, answer)
                auction = auction.add(parse_call(answer.call))
