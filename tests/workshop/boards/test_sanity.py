"""What no pair wants to see: boards by hand for each sign, and a plain count on random deals."""

import numpy as np
import pytest

from bidcascade.bridge import (
    Auction,
    Deal,
    Seat,
    format_calls,
    format_hand,
    parse_calls,
    parse_deal,
)
from bidcascade.inference.quantiles import wilson_interval
from bidcascade.kernels import DealArrays
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import System
from bidcascade.workshop.boards.call_signs import CALL_SIGNS
from bidcascade.workshop.boards.sanity import sanity_of
from bidcascade.workshop.boards.scored_boards import BidBoards, BoardContracts, Budget, bid_boards
from tests.inference.double_dummy.support_double_dummy import MadeUp, made_up

# every sign but long auctions
WILD = System.parse("""
opening:
  6C  = Slam: 19+ points
  3NT = Game: 12+ points, void
  1H  = Heart: 12+ points, 4+ hearts
  1C  = Club: 13+ points
after 1H:
  4H  = Game: 12+ points
  2C  = Any hand: 6+ points
general:
  when last bid was theirs:
    Double = Doubling: 14+ points
  when last bid was theirs, at most 1-level:
    2S = Overcall: 5+ spades
""")

# four hearts opposite four, 29 points; of every other suit North and South have six cards
FIT = parse_deal("N:AK3.KJ32.A32.432 T98.654.KQT.T987 QJ2.AQ98.654.AJ5 7654.T7.J987.KQ6")
# 37 points, nine spades, five clubs
SLAM = parse_deal("N:AKQJ2.A32.AK2.32 T98.654.QT9.T987 7653.KQJ.J54.AKQ 4.T987.8763.J654")
# North is void in spades; of the aces East has that of hearts, in the other one that of clubs too
VOID = parse_deal("N:.KQJ87.AQJ43.A32 JT98.A65.T98.T98 AKQ.432.K52.KQ54 765432.T9.76.J76")
TWO_ACES = parse_deal("N:.KQJ87.AQJ43.T32 JT98.A65.T98.A98 AKQ.432.K52.KQ54 765432.T9.76.J76")
# eleven points at most in a hand
FLAT = parse_deal("N:KQ32.K32.Q32.432 AJ54.A54.J54.765 T98.QJT9.KT.KJT9 76.876.A9876.AQ8")
LONG = "P P P 1C X XX 1D X XX 1H X XX 1S X XX 1N X XX P P P"


def bid(*boards: tuple[Deal, str], tricks: int = -1) -> BidBoards:
    deals = DealArrays(
        np.array([deal.hands for deal, _ in boards], np.uint64).T.copy(),
        np.array([deal.dealer for deal, _ in boards], np.uint8),
        np.array([deal.vulnerability for deal, _ in boards], np.uint8),
    )
    auctions = [parse_calls(calls) for _, calls in boards]
    known = np.full(len(boards), tricks, np.int8)
    return BidBoards(deals, auctions, BoardContracts.of_auctions(auctions, deals.dealer), known)


GAME = "below game with 26+ points and 8+ cards in a major"
SLAMS = "below slam with 33+ points"
THEIRS = "26+ points against an undoubled contract"
PASSED = "passed out with a hand of 12+ points"
DOWN = "doubled contract 4+ down, double dummy"


@pytest.mark.parametrize(
    ("what", "deal", "calls", "found"),
    [
        (GAME, FIT, "3H P P P", (1, 1)),
        (GAME, FIT, "P P P P", (1, 1)),
        (GAME, FIT, "4H P P P", (0, 1)),
        (GAME, FIT, "3N P P P", (0, 1)),
        (GAME, FIT, "4C P P P", (1, 1)),
        # a slam in a minor is game too
        (GAME, FIT, "6C P P P", (0, 1)),
        # the opponents play: that is another sign
        (GAME, FIT, "1H 4S P P P", (0, 1)),
        (GAME, VOID, "3H P P P", (1, 1)),
        (GAME, FLAT, "3H P P P", (0, 0)),
        (SLAMS, SLAM, "4S P P P", (1, 1)),
        (SLAMS, SLAM, "P P P P", (1, 1)),
        (SLAMS, SLAM, "6S P P P", (0, 1)),
        (SLAMS, SLAM, "1S 2D P P P", (0, 1)),
        (SLAMS, FIT, "4H P P P", (0, 0)),
        (THEIRS, FIT, "1H 2S P P P", (1, 1)),
        (THEIRS, FIT, "1H 2S X P P P", (0, 1)),
        (THEIRS, FIT, "1H 2S X XX P P P", (0, 1)),
        (THEIRS, FIT, "2H P P P", (0, 1)),
        (THEIRS, FIT, "P P P P", (0, 1)),
        (THEIRS, FLAT, "P 1C P P P", (0, 0)),
        ("at most 5 trumps", SLAM, "1C P P P", (1, 1)),
        ("at most 5 trumps", SLAM, "1D P P P", (0, 1)),
        ("6 trumps", SLAM, "1D P P P", (1, 1)),
        ("6 trumps", SLAM, "1C P P P", (0, 1)),
        ("6 trumps", FIT, "P P 1S P P P", (1, 1)),
        # seven of East and West
        ("6 trumps", FIT, "P 1S P P P", (0, 1)),
        ("6 trumps", FIT, "1N P P P", (0, 0)),
        ("6 trumps", FIT, "P P P P", (0, 0)),
        ("3NT with a void", VOID, "3N P P P", (1, 1)),
        ("3NT with a void", VOID, "P P 3N P P P", (1, 1)),
        # a defender's void
        ("3NT with a void", VOID, "P 3N P P P", (0, 1)),
        ("3NT with a void", VOID, "2N P P P", (0, 0)),
        ("3NT with a void", VOID, "3D P P P", (0, 0)),
        (PASSED, FIT, "P P P P", (1, 1)),
        (PASSED, FIT, "1H P P P", (0, 1)),
        (PASSED, FLAT, "P P P P", (0, 0)),
        ("slam off two aces", TWO_ACES, "6D P P P", (1, 1)),
        ("slam off two aces", VOID, "6D P P P", (0, 1)),
        ("slam off two aces", VOID, "P 7S P P P", (1, 1)),
        ("slam off two aces", TWO_ACES, "5D P P P", (0, 0)),
        ("slam off two aces", TWO_ACES, "6D X P P P", (0, 0)),
        ("more than 20 calls", FIT, LONG, (1, 1)),
        ("more than 20 calls", FIT, LONG.removeprefix("P "), (0, 1)),
    ],
)
def test_signs_by_hand(what, deal, calls, found):
    told = {one.what: (one.boards, one.possible) for one in sanity_of(bid((deal, calls)))}
    assert told[what] == found


@pytest.mark.parametrize(
    ("calls", "tricks", "found"),
    [
        ("1S X P P P", 3, (1, 1)),
        ("1S X P P P", 4, (0, 1)),
        ("1S X XX P P P", 3, (1, 1)),
        ("6N X P P P", 8, (1, 1)),
        ("1S X P P P", -1, None),
        ("1S P P P", 3, None),
    ],
)
def test_far_down_is_told_of_what_was_solved(calls, tricks, found):
    told = sanity_of(bid((FIT, calls), tricks=tricks))
    assert next(((one.boards, one.possible) for one in told if one.what == DOWN), None) == found


def test_shares_intervals_and_examples():
    boards = bid((FIT, "3H P P P"), (FIT, "4H P P P"), (SLAM, "1S P P P"), (FLAT, "P P P P"))
    told = {one.what: one for one in sanity_of(boards, examples=1)}
    game = told[GAME]
    assert (game.boards, game.possible, game.share) == (2, 3, 2 / 3)
    low, high = wilson_interval([2], [3])
    assert (game.low, game.high) == (low[0], high[0])
    (example,) = game.examples
    assert example.deal.startswith("N:AK3.KJ32")
    assert example[1:] == ("N", "None", "3H P P P", "3H N")
    assert told["slam off two aces"][2:6] == (0, 0, None, 0.0)
    # two rooms of a deal say less than two deals
    rooms = {one.what: one for one in sanity_of(boards, np.array([0, 0, 1, 2]))}[GAME]
    assert (rooms.boards, rooms.share) == (2, 2 / 3)
    low, high = wilson_interval([4 / 3], [2])
    assert (rooms.low, rooms.high) == (low[0], high[0])


def test_random_deals_counted_one_by_one():
    """Every sign as a player would look for it, from the calls and cards of each board."""
    deals = deal_arrays(random_deals(1500, 7))
    boards = bid_boards(WILD, deals, known=made_up(deals.hands))
    wanted = dict.fromkeys((one.what for one in sanity_of(boards)), 0)
    for number, calls in enumerate(boards.auctions):
        auction = Auction.of(calls, Seat(int(deals.dealer[number])))
        contract = auction.contract
        hands = [int(deals.hands[seat, number]) for seat in range(4)]
        points = [
            sum(
                (hand >> 13 * suit + 9 + high & 1) * (1 + high)
                for suit in range(4)
                for high in range(4)
            )
            for hand in hands
        ]
        cards = [[(hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)] for hand in hands]
        aces = [sum(hand >> 13 * suit + 12 & 1 for suit in range(4)) for hand in hands]
        wanted["more than 20 calls"] += len(calls) > 20
        wanted[PASSED] += contract is None and max(points) >= 12
        for side in range(2):
            both = points[side] + points[side + 2]
            own = contract is not None and contract.declarer % 2 == side
            level = 0
            if contract is not None:
                game = (5, 5, 4, 4, 3)[contract.strain]
                level = 2 if contract.level >= 6 else int(contract.level >= game)
            fit = max(cards[side][suit] + cards[side + 2][suit] for suit in (2, 3)) >= 8
            wanted[GAME] += both >= 26 and fit and (own or contract is None) and level < 1
            wanted[SLAMS] += both >= 33 and (own or contract is None) and level < 2
            wanted[THEIRS] += (
                both >= 26 and contract is not None and not own and contract.doubling == 0
            )
            if contract is None or not own:
                continue
            if contract.strain < 4:
                trumps = cards[side][contract.strain] + cards[side + 2][contract.strain]
                wanted["at most 5 trumps"] += trumps <= 5
                wanted["6 trumps"] += trumps == 6
            elif contract.level == 3:
                wanted["3NT with a void"] += 0 in cards[side] + cards[side + 2]
            wanted["slam off two aces"] += (
                contract.level >= 6 and not contract.doubling and aces[side] + aces[side + 2] <= 2
            )
            tricks = int(
                made_up(deals.hands[:, [number]])[0, 5 * contract.declarer + contract.strain]
            )
            wanted[DOWN] += contract.doubling > 0 and contract.level + 6 - tricks >= 4
    found = {one.what: one.boards for one in sanity_of(boards)}
    for sign in CALL_SIGNS:
        del found[sign.what], wanted[sign.what]
    assert found == wanted
    assert [what for what, count in found.items() if not count] == ["more than 20 calls"]


# --- passes over calls that force -----------------------------------------------------------------

FORCING = "opening:\n  1C = Club: 10+ points; artificial, forcing\n"
TWICE = """convention enough:
  Pass = Enough: any hand
opening:
  1C = Club: 13+ points; artificial, forcing
    use enough
  1C = Weaker club: 10+ points; artificial, forcing
    use enough
"""
TAKEOUT = "opening:\n  1C = Club: any hand\nover (1C):\n  Double = Takeout: any hand; forcing\n"


@pytest.mark.parametrize(
    ("text", "some", "every"),
    [
        # nobody has an answer
        (FORCING, True, True),
        (FORCING + "    Pass = No points: any hand\n", False, False),
        # the pass is taken from below the first line, also where partner's hand is of the second
        (TWICE, False, False),
        # words alike in another place are no answer
        (
            FORCING + "    (Double):\n      Pass = No more: any hand\n"
            "general:\n  Pass = No more: any hand\n",
            True,
            True,
        ),
        # what stands elsewhere does not know that partner's call is forcing
        (FORCING + "general:\n  Pass = No more: any hand\n", True, True),
        (FORCING + "general:\n  Pass = No more: at most 30 points\n", True, True),
        (FORCING + "    1D = Waiting: any hand\n", False, False),
        (FORCING + "    1D = Waiting: 6+ points\n", True, False),
        (TAKEOUT, True, True),
        (TAKEOUT + "general:\n  Pass = For penalties: at most 30 points\n", False, False),
        (TAKEOUT + "general:\n  Pass = No more: any hand\n", True, True),
    ],
)
def test_passes_over_calls_that_force(text, some, every):
    boards = bid_boards(System.parse(text), deal_arrays(random_deals(300, 3)))
    asked, passed = boards.signs[0]
    calls = [format_calls(one).removeprefix("P ").removeprefix("P ") for one in boards.auctions]
    wanted = [one.removeprefix("P ").startswith(("1C P", "1C X P")) for one in calls]
    assert asked.tolist() == wanted
    assert (passed <= asked).all()
    assert passed.any() == some
    assert (passed == asked).all() == every


# --- other calls by what the text says of them ----------------------------------------------------

RAISED = """opening:
  1S = Spades: 11+ points, 3+ spades
after 1S:
  2S = Raise: 6+ points, 3+ spades
after 1S 2S:
  {call} = Other suit: 13+ points, 3+ {suit}{agreements}
"""
DOUBLED = """opening:
  2H = Hearts: 8+ points, 5+ hearts
over (2H):
  Double = Takeout: 9+ points; {agreement}
over (2H) Double:
  Pass = Enough: at most 12 points
after (2H) Double (Pass):
  2S = Spades: 5+ spades
"""
TEN = """opening:
  1S = Spades: 8+ points, 5+ spades
over (1S):
  {over}
after 1S ({call}):
  Double = Too good: 8+ points; {agreement}
"""
ASKING = """opening:
  1S = Spades: 11+ points, 5+ spades
after 1S:
  2H = Hearts: 4+ hearts, 8+ points
  4NT = Aces?: 10+ points; artificial, forcing, #{tag}
after 1S 2H:
  4NT = Aces?: 13+ points; artificial, forcing, #{tag}
"""
BALANCED = """opening:
  1C = Club: 12+ points
over (1C) (Pass):
  1S = Balancing: 5+ points{agreements}
over (1C) (Pass) 1S:
  {again} = Counting it again: 6+ points, 3+ spades
"""


def strains(hands, suit):
    """Cards of a suit, C D H S, in each of four hands."""
    return [len(hand.split(".")[3 - "CDHS".index(suit)]) for hand in hands]


def honours(hand, suit):
    return hand.split(".")[3 - "CDHS".index(suit)]


def points_of(hand):
    return sum({"A": 4, "K": 3, "Q": 2, "J": 1}.get(card, 0) for card in hand)


def signs_of_calls(text, number, deals=3000):
    """Give what could be seen and what was, beside each board's calls and its hands from dealer."""
    boards = bid_boards(System.parse(text), deal_arrays(random_deals(deals, 5)))
    told = []
    for board, calls in enumerate(boards.auctions):
        dealer = int(boards.deals.dealer[board])
        hands = [
            format_hand(int(boards.deals.hands[(dealer + one) % 4, board])) for one in range(4)
        ]
        opened = next((place for place, call in enumerate(calls) if call), 0)
        # from who opened on
        told.append(
            (
                format_calls(calls[opened:]),
                hands[opened % 4 :] + hands[: opened % 4],
                *boards.signs[number, :, board].tolist(),
            )
        )
    return told


@pytest.mark.parametrize(
    ("call", "suit", "agreements", "possible"),
    [
        ("3C", "clubs", "", True),
        ("3H", "hearts", "", True),
        ("2NT", "clubs", "; artificial", True),
        # natural notrump, a raise, and what is game or beyond
        ("2NT", "clubs", "", False),
        ("3S", "spades", "", False),
        ("3NT", "clubs", "; artificial", False),
        ("5C", "clubs", "", False),
    ],
)
def test_passed_below_the_agreed_game(call, suit, agreements, possible):
    told = signs_of_calls(RAISED.format(call=call, suit=suit, agreements=agreements), 1)
    short = call.replace("NT", "N")
    met = [one for one in told if one[0].startswith(f"1S P 2S P {short} P")]
    assert len(met) > 20
    for calls, hands, could, was in told:
        assert could == (possible and calls.startswith(f"1S P 2S P {short} P"))
        spades = strains(hands, "S")[0] + strains(hands, "S")[2]
        other = "N" not in short and strains(hands, short[1])
        assert was == (could and (not other or other[0] + other[2] < spades))
    assert len({was for *_, was in met}) == (2 if possible and "N" not in short else 1)


@pytest.mark.parametrize("agreement", ["takeout", "penalty"])
def test_takeout_doubles_left_in_without_a_trick(agreement):
    told = signs_of_calls(DOUBLED.format(agreement=agreement), 2, 6000)
    left = [one for one in told if one[0].startswith("2H X P P")]
    assert len(left) > 50
    for calls, hands, could, was in told:
        assert could == (agreement == "takeout" and calls.startswith("2H X P P"))
        theirs = honours(hands[3], "H")
        if len(theirs) == 4:
            trick = theirs[0] in "AK" or theirs[:2] == "QJ"
            assert was == (could and not trick)
        elif len(theirs) > 4:
            assert not was
        elif not points_of(theirs):
            assert was == could
    assert {was for *_, was in left} == ({False, True} if agreement == "takeout" else {False})


@pytest.mark.parametrize(
    ("over", "call", "agreement", "possible"),
    [
        ("2H = Hearts: 4+ hearts", "2H", "penalty", True),
        ("4C = Clubs: 4+ clubs", "4C", "penalty", True),
        ("2H = Hearts: 4+ hearts", "2H", "takeout", False),
        ("2C = Any: any hand; artificial", "2C", "penalty", False),
        # what was bid is above four of partner's suit
        ("5C = Clubs: 4+ clubs", "5C", "penalty", False),
    ],
)
def test_doubles_with_ten_trumps(over, call, agreement, possible):
    text = TEN.format(over=over, call=call, agreement=agreement)
    told = signs_of_calls(text, 3, 12000)
    assert sum(one[0].startswith(f"1S {call} X") for one in told) > 50
    for calls, hands, could, was in told:
        assert could == (possible and calls.startswith(f"1S {call} X"))
        trumps = strains(hands, "S")
        assert was == (could and trumps[0] + trumps[2] >= 10)
    assert any(was for *_, was in told) == possible


@pytest.mark.parametrize("tag", ["blackwood", "quantitative"])
def test_asks_for_aces_with_two_small_cards(tag):
    told = signs_of_calls(ASKING.format(tag=tag), 4)
    asks = {"1S P 4N": (2, "CDH"), "1S P 2H P 4N": (0, "CD")}
    seen = dict.fromkeys(asks, 0)
    for calls, hands, could, was in told:
        begin = next((one for one in asks if calls.startswith(one)), None)
        assert could == (tag == "blackwood" and begin is not None)
        if begin is None:
            continue
        seat, unbid = asks[begin]
        suits = [honours(hands[seat], suit) for suit in unbid]
        small = any(len(suit) == 2 and suit[0] not in "AK" for suit in suits)
        assert was == (could and small)
        seen[begin] += 1
    assert min(seen.values()) > 20
    assert any(was for *_, was in told) == (tag == "blackwood")


@pytest.mark.parametrize(
    ("again", "agreements", "possible", "too_high"),
    [
        ("2S", "", True, False),
        ("3S", "", True, True),
        # who has to answer may bid, but not jump
        ("2S", "; forcing", False, False),
        ("3S", "; forcing", True, True),
        ("2NT", "", True, True),
    ],
)
def test_points_that_count_again_after_balancing(again, agreements, possible, too_high):
    told = signs_of_calls(BALANCED.format(again=again, agreements=agreements), 5)
    short = again.replace("NT", "N")
    on = [one for one in told if one[0].startswith(f"1C P P 1S P {short}")]
    assert len(on) > 20
    for calls, hands, could, was in told:
        assert could == (possible and calls.startswith(f"1C P P 1S P {short}"))
        few = points_of(hands[1]) + points_of(hands[3]) < 22
        trumps = strains(hands, "S")
        fit = short[1] == "S" and trumps[1] + trumps[3] >= 9
        assert was == (could and too_high and few and not fit)
    assert any(was for *_, was in on) == (possible and too_high)


# --- what is solved -------------------------------------------------------------------------------

DOUBLING = System.parse("opening:\n  2H = Two: any hand\nover (2H):\n  Double = No: 9+ points\n")


@pytest.mark.parametrize(("budget", "solved"), [(Budget(deals=5), 5), (Budget(seconds=0), 0)])
def test_doubled_contracts_within_a_budget(budget, solved):
    deals = deal_arrays(random_deals(200, 2))
    boards = bid_boards(DOUBLING, deals, solver=MadeUp(), budget=budget)
    assert (boards.tricks >= 0).sum() == solved


def test_tables_that_are_known_are_used():
    deals = deal_arrays(random_deals(200, 2))
    tables = made_up(deals.hands)
    tables[100:] = -1
    doubled = bid_boards(DOUBLING, deals, solver=MadeUp())
    is_doubled = doubled.contracts.parts.doubling > 0
    assert (doubled.tricks[is_doubled] >= 0).all()
    assert (doubled.tricks[~is_doubled] < 0).all()
    known = bid_boards(DOUBLING, deals, known=tables)
    assert (known.tricks[:100] >= 0).all()
    assert (known.tricks[100:] < 0).all()
    assert (known.tricks[:100][is_doubled[:100]] == doubled.tricks[:100][is_doubled[:100]]).all()
