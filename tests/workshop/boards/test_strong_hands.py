"""Strong hands that lines leave below game: a plain count, call by call, on random deals."""

import json

import pytest

from bidcascade.bridge import Auction, Seat, format_calls
from bidcascade.kernels import DealArrays
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.service.cli import DONE, main
from bidcascade.systems import System, open_system
from bidcascade.workshop.boards.scored_boards import bid_boards
from bidcascade.workshop.boards.strong_hands import strong_hands
from tests.support.systems import EACH_SYSTEM

# partner of who opened knows of twelve points, and nobody of any other
CLUB = """opening:
  1C = Club: 12+ points
after 1C:
  4S = Game: 6+ spades
  1NT = Hearts: 5+ hearts; forcing
    2C = Clubs: 3+ clubs; limited
  1D = Diamonds: 4+ diamonds
  Pass = Nothing: any hand
over (1C):
  Double = Strong: 20+ points
  1S = Spades: 8+ points, 5+ spades
"""
LEVEL_OF_GAME = (5, 5, 4, 4, 3)


def plain(system: System, deals: DealArrays) -> dict[tuple[str, str], list[int]]:
    """Calls and auctions that stopped, by line, as a player would count them."""
    found: dict[tuple[str, str], list[int]] = {}
    for number, calls in enumerate(bid_boards(system, deals).auctions):
        dealer = int(deals.dealer[number])
        latest: dict[int, tuple[str, str]] = {}
        for depth, call in enumerate(calls):
            hand = int(deals.hands[(dealer + depth) % 4, number])
            points = sum(
                (hand >> 13 * suit + 9 + high & 1) * (1 + high)
                for suit in range(4)
                for high in range(4)
            )
            partner = [calls[at] for at in range((depth + 2) % 4, depth, 4)]
            # 3 is one club, 6 one spade
            least = 12 if 3 in partner else 8 if 6 in partner else 0
            choice = system.bid(hand, format_calls(calls[:depth]))
            assert choice.call == call
            if points + least < 25 or not _is_below_game(calls[: depth + 1], dealer):
                continue
            line = ("", "")
            if choice.entry is not None:
                line = str(choice.entry.where), choice.entry.name
                if any(one.kind == "forcing" for one in choice.entry.agreements):
                    continue
            found.setdefault(line, [0, 0])[0] += 1
            latest[depth % 2] = line
        if _is_below_game(calls, dealer):
            for line in latest.values():
                found[line][1] += 1
    return found


def _is_below_game(calls: list[int], dealer: int) -> bool:
    contract = Auction.of(calls, Seat(dealer)).contract
    return contract is None or (
        not contract.doubling and contract.level < LEVEL_OF_GAME[contract.strain]
    )


def test_random_deals_counted_call_by_call():
    system = System.parse(CLUB, name="club")
    deals = deal_arrays(random_deals(3000, 4))
    found = strong_hands(system, deals)
    assert found.deals == 3000
    told = {(one.line, one.name): [one.calls, one.stopped] for one in found.lines}
    assert told == plain(system, deals)
    assert told["club:8", "Nothing"][1] > 10
    for one in found.lines:
        assert one.points + one.least >= 25
        made = system.bid(one.hand, one.auction)
        name = "" if made.entry is None else made.entry.name
        assert name == one.name
    order = [(one.stopped, one.calls) for one in found.lines]
    assert order == sorted(order, reverse=True)


def test_passes_over_forcing_calls_are_those_of_whole_boards():
    system = System.parse("opening:\n  1C = Club: 10+ points; forcing\n")
    deals = deal_arrays(random_deals(400, 2))
    boards = bid_boards(system, deals)
    found = strong_hands(system, deals)
    assert boards.signs is not None
    due, passed = boards.signs[0]
    assert (found.due, found.passed) == (due.sum(), passed.sum())
    assert found.passed > 100


@pytest.mark.parametrize("name", EACH_SYSTEM)
def test_no_line_named_for_weakness_takes_them(name):
    """What the shipped texts leave below game has a reason in its name, or partner decides."""
    weak = {"Too weak", "Nothing to say", "Nothing more to say", "Nothing to add", "Enough"}
    found = strong_hands(open_system(name), deal_arrays(random_deals(4000, 11)))
    assert found.passed == 0
    assert [one for one in found.lines if one.name in weak] == []


def test_the_command_lists_them(tmp_path, capsys):
    text = tmp_path / "club.bidding"
    text.write_text(CLUB, encoding="utf-8")
    arguments = ["system", "strong-hands", str(text), "--deals", "2000"]
    assert main(arguments) == DONE
    out = capsys.readouterr().out
    assert "Nothing club.bidding:8" in out
    assert "passed over a forcing call: 0 of " not in out
    assert main([*arguments, "--json"]) == DONE
    told = json.loads(capsys.readouterr().out)
    assert told["deals"] == 2000
    assert "club.bidding:8" in [one["line"] for one in told["lines"]]
