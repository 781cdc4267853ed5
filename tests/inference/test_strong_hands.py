"""Strong hands that lines leave below game: a plain count call by call on random deals."""

import json

import pytest

from bidcascade.bridge import Auction, Seat, format_call, format_calls, parse_calls
from bidcascade.inference.sanity import bid_boards
from bidcascade.inference.strong_hands import strong_hands
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.service.cli import DONE, main
from bidcascade.systems import System
from bidcascade.systems.state import shown

CLUB = """opening:
  1C = Club: 12+ points
  1H = Weak: 8-11 points
after 1C:
  1NT = Strong and forcing: 13+ points, at most 3 spades; forcing
    2C = Strong too: 15+ points; limited
    Pass = Enough: at most 14 points, 4+ hearts
  2NT = Strong, and forcing nobody: 13+ points
  1D  = Relay: 8+ points; forcing to game
    1H = Anything: any hand
  Pass = Weak: any hand
over (1C):
  Double = Points: 12+ points
"""


def by_hand(system: System, deals, auctions) -> dict[tuple[str, str], list[int]]:
    """Calls and stopped auctions by line, counted as a player would."""
    found: dict[tuple[str, str], list[int]] = {}
    for number, calls in enumerate(auctions):
        dealer = int(deals.dealer[number])
        contract = Auction.of(calls, Seat(dealer)).contract
        ended = contract is None or (
            not contract.doubling
            and contract.level < (5, 5, 4, 4, 3)[contract.strain]
        )
        latest: dict[int, tuple[str, str]] = {}
        for depth, call in enumerate(calls):
            before = calls[:depth]
            seat = (dealer + depth) % 4
            hand = int(deals.hands[seat, number])
            points = sum(
                (hand >> 13 * suit + 9 + high & 1) * (1 + high)
                for suit in range(4)
                for high in range(4)
            )
            partner = shown(system, format_calls(before))[(depth + 2) % 4]
            if points + partner.points[0] < 25:
                continue
            choice = system.bid(hand, format_calls(before))
            assert choice.call == call
            reached = Auction.of([*before, call], Seat(dealer)).contract
            if reached is not None and (
                reached.doubling or reached.level >= (5, 5, 4, 4, 3)[reached.strain]
            ):
                continue
            kinds = {one.kind for one in choice.entry.agreements} if choice.entry else set()
            if kinds & {"forcing", "forcing to game"} or "1D" in format_calls(before).split():
                continue
            name = ("", "") if choice.entry is None else (str(choice.entry.where), choice.entry.name)
            found.setdefault(name, [0, 0])[0] += 1
            latest[depth % 2] = name
        if ended:
            for name in latest.values():
                found[name][1] += 1
    return found
